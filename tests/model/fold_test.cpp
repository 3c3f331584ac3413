// SPDX-License-Identifier: Apache-2.0
/// Frames and inertias: folded links, turned link frames, added frames.
#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "descriptions.hpp"
#include "support/many.hpp"
#include "tandem/model/generators.hpp"

namespace tandem {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using testing::ElementsAre;
using RowMatrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// Pose of a frame: rotation and position seen from another one.
struct Placed {
  Matrix3d R = Matrix3d::Identity();
  Vector3d p = Vector3d::Zero();
  Placed operator*(const Placed& b) const { return {R * b.R, p + R * b.p}; }
};

Placed placed(const Pose& pose) {
  return {Eigen::Map<const RowMatrix>(pose.rotation.data()), Vector3d(pose.position.data())};
}

/// Twelve numbers E, r of a model as a pose.
Placed placed(const double* X) { return {Eigen::Map<const RowMatrix>(X).transpose(), Vector3d(X + 9)}; }

/// Poses of all frames at zero q, which is where every joint is at rest.
std::vector<Placed> frames_at_zero(const Model& m) {
  const ModelView<double>& v = m.view<double>();
  std::vector<Placed> links(1), frames;
  for (int i = 1; i < v.n_links; ++i) links.push_back(links[v.parent[i]] * placed(v.placement + 12 * i));
  for (int f = 0; f < v.n_frames; ++f)
    frames.push_back(links[v.frame_link[f]] * placed(v.frame_placement + 12 * f));
  return frames;
}

/// Pose of a described link, by walking up.
Placed described_pose(const ModelBuilder& builder, const std::string& link) {
  for (const JointDescription& j : builder.joints()) {
    if (j.child == link) return described_pose(builder, j.parent) * placed(j.placement);
  }
  return {};
}

Matrix3d full(const std::array<double, 6>& s) {
  return (Matrix3d() << s[0], s[1], s[2], s[1], s[3], s[4], s[2], s[4], s[5]).finished();
}

/// Mass, first moment and inertia about the world's origin.
struct Totals {
  double m = 0;
  Vector3d h = Vector3d::Zero();
  Matrix3d I = Matrix3d::Zero();
  void add(const Placed& X, double mass, const Vector3d& com, const Matrix3d& about_com) {
    const Vector3d c = X.p + X.R * com;
    m += mass;
    h += mass * c;
    I += X.R * about_com * X.R.transpose() +
         mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  }
};

Totals totals(const ModelBuilder& builder) {
  Totals sum;
  for (const LinkDescription& link : builder.links()) {
    sum.add(described_pose(builder, link.name), link.mass, Vector3d(link.com.data()), full(link.inertia));
  }
  return sum;
}

Totals totals(const Model& m) {
  const ModelView<double>& v = m.view<double>();
  std::vector<Placed> links(1);
  Totals sum;
  for (int i = 0; i < v.n_links; ++i) {
    if (i > 0) links.push_back(links[v.parent[i]] * placed(v.placement + 12 * i));
    const double* I = v.inertia + 10 * i;
    const Vector3d com = I[0] == 0 ? Vector3d::Zero() : Vector3d(Vector3d(I + 1) / I[0]);
    const Matrix3d about_origin = full({I[4], I[7], I[8], I[5], I[9], I[6]});
    sum.add(links[i], I[0], com,
            about_origin - I[0] * (com.squaredNorm() * Matrix3d::Identity() - com * com.transpose()));
  }
  return sum;
}

constexpr double epsilon = 2.220446049250313e-16;

TEST(Fold, MergesInertias) {
  // two bars of 1 m and 2 kg: one along x, its fellow welded on at the far end, pointing along y
  const double I = 2.0 / 12;
  ModelBuilder builder("corner");
  builder.link({.name = "base"});
  builder.link({.name = "bar", .mass = 2, .com = {0.5, 0, 0}, .inertia = {0, 0, 0, I, 0, I}});
  builder.link({.name = "fellow", .mass = 2, .com = {0.5, 0, 0}, .inertia = {0, 0, 0, I, 0, I}});
  builder.joint(hinge("hinge", "base", "bar"));
  JointDescription weld = joint("weld", JointType::fixed, "bar", "fellow");
  weld.placement = {{1, 0, 0}, rotation_from_rpy(0, 0, std::numbers::pi / 2)};
  const Model m = builder.joint(weld).build();
  ASSERT_EQ(m.n_links(), 2);
  EXPECT_EQ(m.link_mass(1), 4);
  EXPECT_EQ(m.mass(), 4);
  const double* inertia = m.view<double>().inertia + 10;
  const double expected[] = {4,
                             2 * 0.5 + 2 * 1,
                             2 * 0.5,
                             0,  // m, h
                             2.0 / 3,
                             2.0 / 3 + 2,
                             2.0 / 3 + 2.0 / 3 + 2,  // Ixx Iyy Izz
                             -2 * 1 * 0.5,
                             0,
                             0};  // Ixy Ixz Iyz
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(inertia[k], expected[k], 8 * epsilon) << k;

  const MassProperties both = m.mass_properties(1);
  EXPECT_EQ(both.mass, 4);
  const double com[] = {0.75, 0.25, 0}, about_com[] = {5.0 / 12, -0.25, 0, 5.0 / 12, 0, 5.0 / 6};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(both.com[k], com[k], 8 * epsilon) << k;
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(both.inertia[k], about_com[k], 16 * epsilon) << k;
}

TEST(Fold, TellsMassPropertiesAsDescribed) {
  const LinkDescription described = {
      .name = "arm", .mass = 2, .com = {0.1, -0.2, 0.3}, .inertia = {0.3, 0.01, -0.02, 0.4, 0.03, 0.5}};
  ModelBuilder builder("tilted");
  builder.link({.name = "base"}).link(described);
  JointDescription tilted = hinge("hinge", "base", "arm");
  tilted.axis = {0.6, 0, 0.8};  // the model's frame of the link is another one
  const MassProperties arm = builder.joint(tilted).build().mass_properties(1);
  EXPECT_EQ(arm.mass, described.mass);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(arm.com[k], described.com[k], 8 * epsilon) << k;
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(arm.inertia[k], described.inertia[k], 8 * epsilon) << k;
}

TEST(Fold, KeepsFoldedLinksAsFrames) {
  ModelBuilder builder = arm(2);
  JointDescription mount = joint("mount", JointType::fixed, "link1", "flange");
  mount.placement.position = {0, 0, 0.5};
  JointDescription screw = joint("screw", JointType::fixed, "flange", "tool");
  screw.placement.position = {0.25, 0, 0};
  builder.link(ball("flange")).link(ball("tool")).joint(screw).joint(mount);
  builder.link(ball("plate")).joint(joint("glue", JointType::fixed, "base", "plate"));
  builder.frame({.name = "camera", .link = "tool", .placement = {{0, 1, 0}, rotation_from_rpy(0, 0, 1)}});
  const Model m = builder.build();
  EXPECT_EQ(m.n_links(), 3);
  std::vector<std::string> names;
  for (int f = 0; f < m.n_frames(); ++f) names.emplace_back(m.frame_name(f));
  EXPECT_THAT(names, ElementsAre("base", "link1", "link2", "flange", "tool", "plate", "camera"));
  EXPECT_THAT(listed(m.view<double>().frame_link, 7), ElementsAre(0, 1, 2, 1, 1, 0, 1));
  EXPECT_EQ(m.link_mass(0), 2);
  EXPECT_EQ(m.link_mass(1), 3);
  EXPECT_EQ(m.find_link("tool"), -1);
  EXPECT_EQ(m.find_frame("tool"), 4);
  EXPECT_EQ(m.find_frame("screw"), 4);  // by the name of the fixed joint
  EXPECT_EQ(m.find_frame("mount"), 3);
  EXPECT_EQ(m.find_joint("mount"), -1);
  const Placed camera = placed(m.view<double>().frame_placement + 12 * m.find_frame("camera"));
  EXPECT_TRUE(camera.p.isApprox(Vector3d(0.25, 1, 0.5), 4 * epsilon));
  EXPECT_NEAR(camera.R(1, 0), std::sin(1), 2 * epsilon);
}

TEST(Fold, JointsOnFoldedLinksHangFromTheirCarrier) {
  ModelBuilder builder("robot");
  builder.link(ball("base")).link(ball("bracket")).link(ball("arm"));
  JointDescription fix = joint("fix", JointType::fixed, "base", "bracket");
  fix.placement = {{1, 0, 0}, rotation_from_rpy(0, 0, std::numbers::pi / 2)};
  JointDescription turn = hinge("turn", "bracket", "arm");
  turn.placement.position = {1, 0, 0};
  const Model m = builder.joint(fix).joint(turn).build();
  ASSERT_EQ(m.n_links(), 2);
  EXPECT_EQ(m.view<double>().parent[1], 0);
  EXPECT_TRUE(frames_at_zero(m)[1].p.isApprox(Vector3d(1, 1, 0), 4 * epsilon));
}

TEST(Fold, TurnsJointAxesToZ) {
  const std::vector<std::array<double, 3>> axes = {{1, 0, 0},       {0, 1, 0},  {0, 0, 1},      {-1, 0, 0},
                                                   {0, -1, 0},      {0, 0, -1}, {0.6, 0, -0.8}, {1e-9, 0, -1},
                                                   {0, 1e-200, -1}, {3, 4, 12}};
  for (const auto& axis : axes) {
    ModelBuilder builder("robot");
    builder.link(ball("base")).link(ball("arm"));
    JointDescription turn = hinge("turn", "base", "arm");
    turn.axis = axis;
    turn.placement = {{0.1, 0.2, 0.3}, rotation_from_rpy(0.4, 0.5, 0.6)};
    const Model m = builder.joint(turn).build();
    const Vector3d unit = Vector3d(axis.data()).normalized();
    const std::array<double, 3> told = m.joint_axis(1);
    EXPECT_TRUE(Vector3d(told.data()).isApprox(unit, 2 * epsilon)) << unit.transpose();
    const Placed turned =
        placed(m.view<double>().frame_placement + 12);  // described frame, seen from the turned one
    EXPECT_LT((turned.R * turned.R.transpose() - Matrix3d::Identity()).norm(), 8 * epsilon)
        << unit.transpose();
    EXPECT_GT(turned.R.determinant(), 0.5);
    // the shortest rotation: its angle is the one between z and the axis
    const double cosine = (turned.R.trace() - 1) / 2;
    EXPECT_NEAR(cosine, unit.z(), 8 * epsilon);
    const Placed arm = frames_at_zero(m)[1], expected = placed(turn.placement);
    EXPECT_LT((arm.R - expected.R).norm() + (arm.p - expected.p).norm(), 8 * epsilon);
  }
}

/// Sines and cosines of quarter turns are 6e-17 off; what roundings leave of ones and zeros is gone from a model, so
/// that what is recorded of it for one robot has no operations with them.
TEST(Fold, QuarterTurnsAreExact) {
  const double quarter = std::numbers::pi / 2;
  const std::array<double, 3> turns[] = {
      {quarter, 0, 0}, {0, -quarter, 2 * quarter}, {quarter, quarter, quarter}, {-quarter, 0, 0}};
  ModelBuilder builder("arm");
  builder.link(ball("link0"));
  int k = 0;
  for (const auto& [roll, pitch, yaw] : turns) {
    const std::string parent = "link" + std::to_string(k), child = "link" + std::to_string(k + 1);
    JointDescription turn = hinge("joint" + child, parent, child), fix = turn;
    turn.placement = {{0, 0.3, 0}, rotation_from_rpy(roll, pitch, yaw)};
    turn.axis = k % 2 == 0 ? std::array<double, 3>{0, 1, 0} : std::array<double, 3>{1, 0, 0};
    builder.link({.name = child, .mass = 1, .com = {0, 0, 0.1}, .inertia = {0.1, 0, 0, 0.2, 0, 0.25}}).joint(turn);
    fix.name += "_fix";
    fix.type = JointType::fixed;
    fix.parent = child;
    fix.child = "tool" + child;
    fix.placement.rotation = rotation_from_rpy(yaw, pitch, -roll);
    builder.link({.name = fix.child, .mass = 0.5, .com = {0.1, 0, 0}, .inertia = {0.1, 0, 0, 0.2, 0, 0.25}}).joint(fix);
    ++k;
  }
  const Model model = builder.build();
  const ModelView<double>& m = model.view<double>();
  const auto expect_exact = [](const double* numbers, int count, const std::string& what) {
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(numbers[i] == 0 || std::abs(numbers[i]) == 1) << what << ", number " << i << ": " << numbers[i];
  };
  for (int f = 0; f < m.n_frames; ++f) {
    SCOPED_TRACE(model.frame_name(f));
    expect_exact(m.frame_placement + 12 * f, 9, "frame");
    if (f == 0 || f >= m.n_links) continue;
    expect_exact(m.placement + 12 * f, 9, "joint");
    expect_exact(m.zxz + 6 * f, 6, "angles");
    const double* r = m.placement + 12 * f + 9;
    EXPECT_EQ(std::count(r, r + 3, 0.0), 2) << "the way to the joint lies along one axis";
    const double* inertia = m.inertia + 10 * f;
    EXPECT_EQ(std::count(inertia + 4, inertia + 10, 0.0), 3) << "products of inertia";
  }
}

TEST(Fold, LeavesFramesAloneWhereThereIsNoAxis) {
  ModelBuilder builder("robot");
  builder.link(ball("base")).link(ball("a")).link(ball("b")).link(ball("c"));
  JointDescription plane = joint("plane", JointType::planar, "b", "c");
  plane.axis = {1, 0, 0};
  builder.joint(joint("ball", JointType::spherical, "base", "a"))
      .joint(joint("fly", JointType::free, "a", "b"))
      .joint(plane);
  const Model m = builder.build();
  EXPECT_THAT(m.joint_axis(1), ElementsAre(0, 0, 0));
  EXPECT_THAT(m.joint_axis(2), ElementsAre(0, 0, 0));
  EXPECT_THAT(m.joint_axis(3), ElementsAre(1, 0, 0));
  const double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  for (int k = 0; k < 36; ++k) EXPECT_EQ(m.view<double>().frame_placement[k], identity[k % 12]);
}

TEST(Fold, StraightensRotationsOfFewDigits) {
  ModelBuilder builder = arm(1);
  JointDescription fix = joint("fix", JointType::fixed, "link1", "tool");
  fix.placement.rotation = {0.8660254, -0.5, 0, 0.5, 0.8660254, 0, 0, 0, 1};
  const Model m = builder.link(ball("tool")).joint(fix).build();
  const Placed tool = placed(m.view<double>().frame_placement + 24);
  EXPECT_LT((tool.R * tool.R.transpose() - Matrix3d::Identity()).norm(), 8 * epsilon);
  EXPECT_NEAR(tool.R(1, 0), 0.5, 1e-7);
}

TEST(Fold, KeepsPlacesAndInertiasOfRandomTrees) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ModelBuilder builder = generate("tree:40", seed);
    const Model m = builder.build();
    const std::vector<Placed> frames = frames_at_zero(m);
    const double rounding = 100 * epsilon;  // forty products of rotations, positions of the order of 1 m
    for (const LinkDescription& link : builder.links()) {
      const Placed expected = described_pose(builder, link.name), got = frames[m.frame_index(link.name)];
      EXPECT_LT((expected.R - got.R).norm() + (expected.p - got.p).norm(), rounding)
          << link.name << " seed " << seed;
    }
    const Totals expected = totals(builder), got = totals(m);
    EXPECT_NEAR(got.m, expected.m, rounding * expected.m);
    EXPECT_NEAR(m.mass(), expected.m, rounding * expected.m);
    EXPECT_LT((got.h - expected.h).norm(), rounding * expected.m);
    EXPECT_LT((got.I - expected.I).norm(), rounding * expected.I.norm()) << "seed " << seed;
  }
}

TEST(Fold, FollowsALongChainOfFixedJoints) {
  constexpr int n = test::many(100000);
  ModelBuilder builder("beam");
  builder.link(ball("0"));
  for (int i = 1; i <= n; ++i) {
    JointDescription fix =
        joint("j" + std::to_string(i), JointType::fixed, std::to_string(i - 1), std::to_string(i));
    fix.placement.position = {0.5, 0, 0};
    builder.link(ball(std::to_string(i))).joint(fix);
  }
  const Model m = builder.build();
  EXPECT_EQ(m.n_links(), 1);
  EXPECT_EQ(m.n_frames(), n + 1);
  EXPECT_EQ(m.view<double>().frame_placement[12 * std::int64_t{n} + 9], 0.5 * n);
}

TEST(Rotation, FromRollPitchYawAndQuaternion) {
  const std::array<double, 9> r = rotation_from_rpy(0.3, -0.4, 0.5);
  const Matrix3d R = (Eigen::AngleAxisd(0.5, Vector3d::UnitZ()) * Eigen::AngleAxisd(-0.4, Vector3d::UnitY()) *
                      Eigen::AngleAxisd(0.3, Vector3d::UnitX()))
                         .toRotationMatrix();
  const Eigen::Quaterniond q(R);
  const std::array<double, 9> s = rotation_from_quaternion(3 * q.x(), 3 * q.y(), 3 * q.z(), 3 * q.w());
  EXPECT_LT((Eigen::Map<const RowMatrix>(r.data()) - R).norm(), 4 * epsilon);
  EXPECT_LT((Eigen::Map<const RowMatrix>(s.data()) - R).norm(), 8 * epsilon);
}

}  // namespace
}  // namespace tandem
