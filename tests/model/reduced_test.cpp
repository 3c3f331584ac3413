// SPDX-License-Identifier: Apache-2.0
/// Models made of models: described anew, with joints locked, hung from one another.
#include <gmock/gmock.h>

#include <numeric>

#include "descriptions.hpp"
#include "support/errors.hpp"
#include "support/redescribe.hpp"
#include "support/robot.hpp"
#include "support/tolerance.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

/// A chain of three hinges with a frame at its end.
ModelBuilder stand() { return arm(3).frame({"tip", "link3", {{0, 0.5, 1}, rotation_from_rpy(0.1, 0.2, 0.3)}, {}}); }

std::vector<std::string> names(const Model& m) {
  std::vector<std::string> all{m.name()};
  for (int i = 0; i < m.n_links(); ++i) all.emplace_back(m.link_name(i));
  for (int i = 1; i < m.n_links(); ++i)
    all.push_back(std::string(m.joint_name(i)) + " " + to_string(m.joint_type(i)) + " on " +
                  std::string(m.link_name(m.parent(i))));
  for (int f = 0; f < m.n_frames(); ++f)
    all.push_back(std::string(m.frame_name(f)) + " by " + std::string(m.fixed_joint_name(f)));
  return all;
}

Vector rows_of(const Vector& x, const std::vector<int>& rows) { return x(rows); }
std::span<const double> numbers(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

/// The poses of frames that both have, by name.
void expect_same_poses(Robot<double>& a, const Vector& qa, Robot<double>& b, const Vector& qb, double size,
                       const std::string& prefix = "", const Eigen::Isometry3d& X = Eigen::Isometry3d::Identity()) {
  const Frames there = a.forward_kinematics(qa), here = b.forward_kinematics(qb);
  for (int f = 0; f < b.model().n_frames(); ++f) {
    const auto k = static_cast<std::size_t>(a.model().frame_index(prefix + std::string(b.model().frame_name(f))));
    const double most = tolerance<double>(32, a.model().depth() + 2, size);
    expect_near(there.R[k], X.linear() * here.R[static_cast<std::size_t>(f)], most, "rotation");
    expect_near(there.p[k], X * here.p[static_cast<std::size_t>(f)], most, "position");
  }
}

TEST(Describe, GivesTheSameRobotAgain) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    Robot<double> robot(c.model), again(describe(c.model).build());
    EXPECT_EQ(names(again.model()), names(c.model));
    const State s = random_state(c.model, 5);
    const Scales size = scales(c.model, s);
    const double depth = c.model.depth() + 1;
    expect_same_poses(robot, s.q, again, s.q, size.length);
    expect_near(again.mass_matrix(s.q), robot.mass_matrix(s.q), tolerance<double>(32, depth, size.mass), "M");
    expect_near(again.inverse_dynamics(s.q, s.v, s.a, s.f_ext), robot.inverse_dynamics(s.q, s.v, s.a, s.f_ext),
                tolerance<double>(32, depth, size.force), "tau");
    expect_near(again.passive_forces(s.q, s.v), robot.passive_forces(s.q, s.v), tolerance<double>(32, 2, 100),
                "passive");
    EXPECT_NEAR(again.model().mass(), c.model.mass(), 32 * eps * c.model.mass());
    const auto &m = c.model.view<double>(), &n = again.model().view<double>();
    for (int k = 0; k < m.nq; ++k) EXPECT_EQ(m.q_upper[k], n.q_upper[k]);
    for (int k = 0; k < m.nv; ++k) EXPECT_EQ(m.v_limit[k], n.v_limit[k]);
    for (int k = 0; k < m.nv; ++k) EXPECT_EQ(m.tau_limit[k], n.tau_limit[k]);
  }
}

TEST(Describe, RefusesWhatItHasNoWordFor) {
  const Model m = arm(2).build();
  EXPECT_THAT(error_of([&] { describe(m.with_base_acceleration({0, 0, 1, 0, 0, 0})); }),
              HasSubstr("the base of robot \"arm\" accelerates"));
  EXPECT_EQ(describe(m.with_gravity({1, 2, 3})).gravity(), (std::array<double, 3>{1, 2, 3}));
}

TEST(Reduced, MovesAsTheWholeRobotWithThoseJointsHeld) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Model m = c.model.with_base_acceleration({0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
    std::vector<std::string> locked;
    std::vector<int> q_left, v_left;
    int k = 0;
    for (int i = 1; i < m.n_links(); ++i) {
      if (m.is_mimic(i)) continue;
      const JointKind& kind = joint_kind(m.joint_type(i));
      if (++k % 2 == 0) {
        locked.emplace_back(m.joint_name(i));
        continue;
      }
      for (int r = 0; r < kind.nq; ++r) q_left.push_back(m.q_index(i) + r);
      for (int r = 0; r < kind.nv; ++r) v_left.push_back(m.v_index(i) + r);
    }
    const State s = random_state(m, 7);
    Robot<double> whole(m);
    std::optional<Model> made;
    const std::string error = error_of([&] { made = reduced(m, locked, numbers(s.q)); });
    if (error != "no error") {  // what carries nothing any more
      EXPECT_THAT(error, HasSubstr("moves no mass")) << c.name;
      continue;
    }
    Robot<double> rest(*made);
    ASSERT_EQ(rest.model().nq(), static_cast<int>(q_left.size()));
    Vector v = Vector::Zero(m.nv()), a = Vector::Zero(m.nv());
    v(v_left) = s.v(v_left);
    a(v_left) = s.a(v_left);
    const Scales size = scales(m, s);
    const double depth = m.depth() + 1;
    expect_same_poses(whole, s.q, rest, rows_of(s.q, q_left), size.length);
    expect_near(rest.mass_matrix(rows_of(s.q, q_left)), whole.mass_matrix(s.q)(v_left, v_left),
                tolerance<double>(32, depth, size.mass), "M");
    expect_near(rest.inverse_dynamics(rows_of(s.q, q_left), v(v_left), a(v_left)),
                whole.inverse_dynamics(s.q, v, a)(v_left), tolerance<double>(32, depth, size.force), "tau");
  }
}

TEST(Reduced, ErrorsNameTheJoint) {
  const Model& m = case_named("mimic_branches").model;
  const std::vector<double> q(static_cast<std::size_t>(m.nq()));
  std::string follower;
  for (int i = 1; i < m.n_links(); ++i)
    if (m.is_mimic(i)) follower = m.joint_name(i);
  EXPECT_THAT(error_of([&] { reduced(m, {follower}, q); }),
              HasSubstr("reduced: joint \"" + follower + "\" follows joint"));
  EXPECT_THAT(error_of([&] { reduced(m, {"nobody"}, q); }), HasSubstr("has no joint \"nobody\""));
  EXPECT_EQ(error_of([&] { reduced(m, {}, std::span(q).first(1)); }),
            "reduced: q has 1 numbers, expected " + std::to_string(m.nq()));
}

TEST(Append, HangsARobotFromAFrame) {
  const ModelBuilder base = stand();
  for (const char* name : {"every_joint", "mimic_branches", "fixed_links", "chain:7", "humanoid"}) {
    SCOPED_TRACE(name);
    const Case& other = case_named(name);
    JointDescription mount;
    mount.placement = {{0.1, 0.2, 0.3}, rotation_from_rpy(0.4, 0.5, 0.6)};
    Robot<double> below(base.build()), hung(other.model), both(append(below.model(), hung.model(), "tip", mount, "r_"));
    const Model& m = both.model();
    ASSERT_EQ(m.nv(), below.model().nv() + hung.model().nv());
    EXPECT_NEAR(m.mass(), below.model().mass() + hung.model().mass(), 32 * eps * m.mass());
    EXPECT_EQ(m.fixed_joint_name(m.frame_index("r_" + std::string(hung.model().link_name(0)))),
              "r_" + std::string(hung.model().link_name(0)));
    const Vector q_below = random_state(below.model(), 1).q;
    const State s = random_state(hung.model(), 2);
    std::vector<int> q_rows, v_rows;
    for (int i = 1; i < hung.model().n_links(); ++i) {
      if (hung.model().is_mimic(i)) continue;
      const int j = m.joint_index("r_" + std::string(hung.model().joint_name(i)));
      for (int r = 0; r < joint_kind(m.joint_type(j)).nq; ++r) q_rows.push_back(m.q_index(j) + r);
      for (int r = 0; r < joint_kind(m.joint_type(j)).nv; ++r) v_rows.push_back(m.v_index(j) + r);
    }
    Vector q(m.nq()), v = Vector::Zero(m.nv()), a = Vector::Zero(m.nv());
    q.head(q_below.size()) = q_below;  // the stand is a chain, and the other robot hangs from its end
    q(q_rows) = s.q;
    v(v_rows) = s.v;
    a(v_rows) = s.a;
    const auto tip = static_cast<std::size_t>(below.model().frame_index("tip"));
    const Frames frames = below.forward_kinematics(q_below);
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = frames.R[tip];
    X.translation() = frames.p[tip];
    X = X * isometry(mount.placement);
    expect_same_poses(both, q, hung, s.q, scales(m, random_state(m, 3)).length, "r_", X);
    const Vector3 g = X.linear().transpose() * Vector3(0, 0, -9.81);
    Robot<double> tilted(hung.model().with_gravity({g.x(), g.y(), g.z()}));
    expect_near(both.inverse_dynamics(q, v, a)(v_rows), tilted.inverse_dynamics(s.q, s.v, s.a),
                tolerance<double>(32, m.depth(), scales(hung.model(), s).force), "tau");
  }
}

TEST(Append, ErrorsNameWhatIsWrong) {
  const ModelBuilder one = arm(2);
  const auto appended = [&](const char* to, JointDescription joint, const std::string& prefix) {
    return error_of([&] { ModelBuilder(one).append(one, to, std::move(joint), prefix); });
  };
  EXPECT_EQ(appended("link3", {}, "r_"),
            "append: robot \"arm\" has no link or frame \"link3\"; did you mean \"link1\" or \"link2\"?");
  EXPECT_EQ(appended("link2", {}, ""),
            "append: both robots have links named \"base\", \"link1\", \"link2\"; give a prefix");
  EXPECT_THAT(
      appended("link2", {.name = "joint1"}, "r_"),
      HasSubstr("the joint that connects link \"r_base\" cannot be named \"joint1\": a joint has this name"));
  EXPECT_THAT(appended("link2", {.name = "r_joint1"}, "r_"), HasSubstr("a joint has this name"));
  EXPECT_THAT(appended("link2", {.parent = "link1"}, "r_"), HasSubstr("parent and child of the joint must be empty"));
  EXPECT_THAT(error_of([&] { arm(1).append(ModelBuilder("none"), "link1"); }), HasSubstr("\"none\" has no root link"));
  EXPECT_THAT(error_of([&] { arm(1).append(ModelBuilder("two").link(ball("a")).link(ball("b")), "link1"); }),
              HasSubstr("has several root links, \"a\" and \"b\""));
  ModelBuilder namesakes("namesakes");  // a joint of its root's name
  namesakes.link(ball("base")).link(ball("tip")).joint(hinge("base", "base", "tip"));
  const Model hung = ModelBuilder(one).append(namesakes, "link2", {}, "r_").build();
  EXPECT_EQ(hung.fixed_joint_name(hung.frame_index("r_base")), "r_base_mount");
  ModelBuilder b = one;
  b.append(arm(2).gravity({0, 0, 0}), "link2", {.name = "slide", .type = JointType::prismatic}, "r_");
  const Model m = b.build();
  EXPECT_EQ(m.nv(), 5);
  EXPECT_EQ(m.joint_type(m.joint_index("slide")), JointType::prismatic);
  EXPECT_THAT(m.warnings(),
              ::testing::ElementsAre(HasSubstr("the gravity of robot \"arm\", which was appended, differs")));
}

}  // namespace
}  // namespace tandem::test
