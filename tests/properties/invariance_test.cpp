// SPDX-License-Identifier: Apache-2.0
/// One robot described, numbered, placed or carried along differently moves the same way.
#include "support/property.hpp"
#include "support/redescribe.hpp"

namespace tandem::test {
namespace {

template <class T>
class Invariance : public ::testing::Test {};
TYPED_TEST_SUITE(Invariance, Reals);

TYPED_TEST(Invariance, SiblingsMayComeInAnyOrder) {
  for (const Case& c : cases()) {
    const Model other = reversed(c.description).build(c.options);
    const RowMap map(c.model, other);
    Robot<TypeParam> a(c.model), b(other);
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", state " + std::to_string(s.seed));
      const Vector q = map.configuration(s.q), v = map.rates(s.v);
      const Scales scale = scales(c.model, s);
      expect_near(b.mass_matrix(q), map.matrix(a.mass_matrix(s.q)), tolerance<TypeParam>(8, 1, scale.mass), "M");
      expect_near(b.inverse_dynamics(q, v, map.rates(s.a)), map.rates(a.inverse_dynamics(s.q, s.v, s.a)),
                  tolerance<TypeParam>(8, 1, scale.force), "inverse dynamics");
      const auto energy_a = a.energy(s.q, s.v), energy_b = b.energy(q, v);
      EXPECT_NEAR(energy_a.kinetic, energy_b.kinetic, tolerance<TypeParam>(8, 1, scale.energy));
      EXPECT_NEAR(energy_a.potential, energy_b.potential, tolerance<TypeParam>(8, 1, scale.energy));
      const Frames frames_a = a.forward_kinematics(s.q), frames_b = b.forward_kinematics(q);
      for (int k = 0; k < c.model.n_frames(); ++k) {
        const auto l = static_cast<std::size_t>(other.frame_index(c.model.frame_name(k)));
        const auto at = static_cast<std::size_t>(k);
        expect_near(frames_b.p[l], frames_a.p[at], tolerance<TypeParam>(8, 1, scale.length), "position");
        expect_near(frames_b.R[l], frames_a.R[at], tolerance<TypeParam>(8, 1, 1 + c.model.depth()), "rotation");
      }
    }
  }
}

TYPED_TEST(Invariance, LinkFramesMayBeDescribedElsewhere) {
  for (const Case& c : cases()) {
    const MovedFrames moved(c, 100 + c.seed);
    Robot<TypeParam> a(c.model), b(moved.model());
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", state " + std::to_string(s.seed));
      const Vector q = moved.configuration(s.q), v = moved.rates(s.v);
      const Vector f_ext = moved.external_forces(s.f_ext);
      // both descriptions round: the sizes of the terms are those of the longer one
      const Scales scale = scales(c.model, s), scale_moved = scales(moved.model(), q, v, moved.rates(s.a), f_ext);
      const double force = 2 * (scale.force + scale_moved.force);
      const Vector tau = b.inverse_dynamics(q, v, moved.rates(s.a), f_ext);
      expect_near(moved.forces_back(tau), a.inverse_dynamics(s.q, s.v, s.a, s.f_ext),
                  tolerance<TypeParam>(16, 1, force), "inverse dynamics");
      // the mass matrix as a form: a^T M v is one number for both
      const double form = s.a.dot(a.mass_matrix(s.q) * s.v), form_moved = moved.rates(s.a).dot(b.mass_matrix(q) * v);
      const double size = (scale.mass + scale_moved.mass) * (1 + s.a.cwiseAbs().sum()) * (1 + s.v.cwiseAbs().sum());
      EXPECT_NEAR(form, form_moved, tolerance<TypeParam>(16, 1, size));
      const Frames frames_a = a.forward_kinematics(s.q), frames_b = b.forward_kinematics(q);
      for (int k = 0; k < c.model.n_links(); ++k) {
        const auto at = static_cast<std::size_t>(k);
        Eigen::Isometry3d expected = Eigen::Isometry3d::Identity();
        expected.linear() = frames_a.R[at];
        expected.translation() = frames_a.p[at];
        expected = moved.moved(0).inverse() * expected * moved.moved(k);
        const double reach = scale.length + scale_moved.length + c.model.depth();
        expect_near(frames_b.R[at], expected.linear(), tolerance<TypeParam>(16, 1, reach), "rotation");
        expect_near(frames_b.p[at], expected.translation(), tolerance<TypeParam>(16, 1, reach), "position");
      }
    }
  }
}

/// A base that accelerates does to the robot what a floating base that is made to accelerate does.
TYPED_TEST(Invariance, AnAcceleratedBaseIsAFloatingOneThatIsMadeToAccelerate) {
  for (const Case& c : cases()) {
    if (c.options.floating) continue;
    const std::array<double, 6> base = {0.5, -1.5, 2, 1, -0.25, 0.75};  // linear, angular
    Robot<TypeParam> carried(c.model.with_base_acceleration(base));
    const Model floating = c.description.build({.floating = true});
    if (floating.n_links() == c.model.n_links()) continue;  // the root floats already and hangs from no second joint
    Robot<TypeParam> driven(floating);
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", state " + std::to_string(s.seed));
      const auto behind = [](const Vector& head, const Vector& tail) {
        return Vector((Vector(head.size() + tail.size()) << head, tail).finished());
      };
      const Vector q = behind((Vector(7) << 0, 0, 0, 0, 0, 0, 1).finished(), s.q);
      const Vector v = behind(Vector::Zero(6), s.v);
      const Vector a = behind(Eigen::Map<const Vector6>(base.data()), s.a);
      const Vector expected = driven.inverse_dynamics(q, v, a).tail(c.model.nv());
      expect_near(carried.inverse_dynamics(s.q, s.v, s.a), expected,
                  tolerance<TypeParam>(8, 1, scales(floating, q, v, a).force), "inverse dynamics");
      const Vector acceleration = carried.forward_dynamics(s.q, s.v, s.tau, Method::articulated_body);
      const Vector a_driven = behind(Eigen::Map<const Vector6>(base.data()), acceleration);
      expect_near(driven.inverse_dynamics(q, v, a_driven).tail(c.model.nv()), s.tau,
                  tolerance<TypeParam>(8, 1, scales(floating, q, v, a_driven).force + s.tau.norm()),
                  "forward dynamics");
    }
  }
}

TYPED_TEST(Invariance, GravityIsABaseThatAcceleratesUpwards) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const auto& g = c.model.gravity();
    Robot<TypeParam> lifted(c.model.with_gravity({0, 0, 0}).with_base_acceleration({-g[0], -g[1], -g[2], 0, 0, 0}));
    EXPECT_EQ(lifted.inverse_dynamics(s.q, s.v, s.a), robot.inverse_dynamics(s.q, s.v, s.a));
    EXPECT_EQ(lifted.gravity_forces(s.q), robot.gravity_forces(s.q));
    EXPECT_EQ(lifted.forward_dynamics(s.q, s.v, s.tau), robot.forward_dynamics(s.q, s.v, s.tau));
    EXPECT_EQ(lifted.energy(s.q, s.v).potential, robot.energy(s.q, s.v).potential);
  });
}

/// A floating robot feels neither where it is nor a steady motion of all of it.
TYPED_TEST(Invariance, AFloatingRobotFeelsNoSteadyMotion) {
  for (const Case& c : cases()) {
    if (!is_free_floating(c.model)) continue;
    Robot<TypeParam> robot(c.model);
    for (const State& s : states(c)) {
      SCOPED_TRACE(c.name + ", state " + std::to_string(s.seed));
      const Eigen::Quaterniond turn = Eigen::Quaterniond(s.q[6], s.q[3], s.q[4], s.q[5]).normalized();
      const Vector3 drift(1.5, -0.5, 2), along = turn.inverse() * drift, w = s.v.segment<3>(3);
      Vector q = s.q, v = s.v, a = s.a;
      q.head<3>() += Vector3(3, 4, 5);
      v.head<3>() += along;
      a.head<3>() -= w.cross(along);  // the same acceleration of the origin
      const double scale = scales(c.model, q, v, a).force + scales(c.model, s.q, s.v, s.a).force;
      expect_near(robot.inverse_dynamics(q, v, a), robot.inverse_dynamics(s.q, s.v, s.a),
                  tolerance<TypeParam>(8, 1, scale), "drift");
      const double mass = scales(c.model, q, v, a).mass;
      expect_near(robot.mass_matrix(q), robot.mass_matrix(s.q), tolerance<TypeParam>(8, 1, mass), "M elsewhere");
      q.segment<4>(3) = Eigen::Vector4d(0.5, 0.5, -0.5, 0.5);
      expect_near(robot.mass_matrix(q), robot.mass_matrix(s.q), tolerance<TypeParam>(8, 1, mass), "M turned");
    }
  }
}

/// A link that is fixed moves as one on a joint that happens to stay at zero.
TYPED_TEST(Invariance, FoldedFixedJointsEqualJointsAtRest) {
  for (const char* name : {"fixed_links", "fixed_links+floating"}) {
    const Case& c = case_named(name);
    ModelBuilder unfolded(c.description.name());
    for (const LinkDescription& link : c.description.links()) unfolded.link(link);
    for (JointDescription joint : c.description.joints()) {
      if (joint.type == JointType::fixed) joint.type = JointType::revolute;
      if (joint.child == "tool") joint.armature = 1;  // massless, and so must not move freely
      unfolded.joint(joint);
    }
    const Model whole = unfolded.build(c.options);
    const RowMap map(c.model, whole);
    Robot<TypeParam> folded(c.model), apart(whole);
    const auto spread = [&](const Vector& rows, const std::vector<int>& at, Vector result) {
      for (std::size_t k = 0; k < at.size(); ++k) result[at[k]] = rows[static_cast<Index>(k)];
      return result;
    };
    for (const State& s : states(c)) {
      const Vector zero = Vector::Zero(whole.nv());
      const Vector q = spread(s.q, map.q, Vector::Zero(whole.nq()));
      const Vector v = spread(s.v, map.v, zero), a = spread(s.a, map.v, zero);
      const Scales scale = scales(whole, q, v, a);
      const Vector tau = apart.inverse_dynamics(q, v, a);
      const Matrix M = apart.mass_matrix(q);
      expect_near(folded.inverse_dynamics(s.q, s.v, s.a), tau(map.v), tolerance<TypeParam>(8, 1, scale.force), "tau");
      expect_near(folded.mass_matrix(s.q), M(map.v, map.v), tolerance<TypeParam>(8, 1, scale.mass), "M");
    }
    EXPECT_NEAR(whole.mass(), c.model.mass(), 1e-14 * whole.mass());
  }
}

}  // namespace
}  // namespace tandem::test
