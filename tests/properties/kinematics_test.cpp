// SPDX-License-Identifier: Apache-2.0
/// What must hold between the frames' poses, their velocities and accelerations, and the Jacobians.
#include "support/property.hpp"

namespace tandem::test {
namespace {

template <class T>
class Kinematics : public ::testing::Test {};
TYPED_TEST_SUITE(Kinematics, Reals);

constexpr Reference references[] = {Reference::local, Reference::world, Reference::local_world_aligned};

/// A frame's motion [linear; angular] along its own axes, as another reference has it.
Vector6 seen_from(Reference reference, const Frames& frames, std::size_t k, const Vector6& local) {
  if (reference == Reference::local) return local;
  Vector6 result;
  result << frames.R[k] * local.head<3>(), frames.R[k] * local.tail<3>();
  if (reference == Reference::world) result.head<3>() += frames.p[k].cross(Vector3(result.tail<3>()));
  return result;
}

/// Some frames of a robot, spread over all of it: Jacobians of every frame of a large one would take long.
std::vector<int> some_frames(const Model& model) {
  std::vector<int> result;
  const int step = 1 + model.n_frames() / 12;
  for (int k = 0; k < model.n_frames(); k += step) result.push_back(k);
  result.push_back(model.n_frames() - 1);
  return result;
}

TYPED_TEST(Kinematics, TheBaseRestsAtTheOriginAndRotationsAreRotations) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Frames frames = robot.forward_kinematics(s.q, s.v, s.a, Reference::world);
    EXPECT_EQ(frames.R[0], Matrix3::Identity());
    EXPECT_EQ(frames.p[0], Vector3::Zero());
    EXPECT_EQ(frames.velocity.row(0).norm(), 0);
    EXPECT_EQ(frames.acceleration.row(0).norm(), 0);
    const double allowed = tolerance<TypeParam>(8, 1, 1 + c.model.depth());
    for (const Matrix3& R : frames.R) expect_near(R * R.transpose(), Matrix3::Identity(), allowed, "R R^T");
  });
}

TYPED_TEST(Kinematics, TheThreeReferencesDescribeOneMotion) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Scales scale = scales(c.model, s);
    const Frames local = robot.forward_kinematics(s.q, s.v, s.a, Reference::local);
    for (const Reference reference : references) {
      const Frames frames = robot.forward_kinematics(s.q, s.v, s.a, reference);
      Matrix velocity = frames.velocity, acceleration = frames.acceleration;
      for (int k = 0; k < c.model.n_frames(); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const Vector6 v_k = local.velocity.row(k);
        Vector6 a_k = local.acceleration.row(k);
        if (reference == Reference::local_world_aligned)
          a_k.head<3>() += Vector3(v_k.tail<3>()).cross(Vector3(v_k.head<3>()));
        velocity.row(k) = seen_from(reference, local, at, v_k);
        acceleration.row(k) = seen_from(reference, local, at, a_k);
      }
      expect_near(frames.velocity, velocity, tolerance<TypeParam>(8, 1, scale.motion), to_string(reference));
      expect_near(frames.acceleration, acceleration, tolerance<TypeParam>(8, 1, scale.acceleration),
                  to_string(reference));
    }
  });
}

TYPED_TEST(Kinematics, FrameMotionsAreThoseOfTheJacobians) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Scales scale = scales(c.model, s);
    for (const Reference reference : references) {
      const Frames frames = robot.forward_kinematics(s.q, s.v, s.a, reference);
      for (const int k : some_frames(c.model)) {
        const Matrix J = robot.jacobian(s.q, k, reference);
        const Vector Jdot_v = robot.jacobian_time_derivative_product(s.q, s.v, k, reference);
        expect_near(J * s.v, frames.velocity.row(k).transpose(), tolerance<TypeParam>(16, 1, scale.motion), "J v");
        expect_near(J * s.a + Jdot_v, frames.acceleration.row(k).transpose(),
                    tolerance<TypeParam>(16, 1, scale.acceleration), "J a + dJ/dt v");
      }
    }
  });
}

/// Central differences of poses: along world axes, of the frames' origins.
TYPED_TEST(Kinematics, VelocitiesAreDifferenceQuotientsOfPoses) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const double h = difference_step<TypeParam>();
    const Frames now = robot.forward_kinematics(s.q, s.v, Reference::local_world_aligned);
    const Frames before = robot.forward_kinematics(robot.integrate(s.q, -h * s.v));
    const Frames after = robot.forward_kinematics(robot.integrate(s.q, h * s.v));
    Matrix quotients = now.velocity;
    for (int k = 0; k < c.model.n_frames(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Matrix3 turning = (after.R[at] - before.R[at]) / (2 * h) * now.R[at].transpose();  // skew(w)
      quotients.row(k) << ((after.p[at] - before.p[at]) / (2 * h)).transpose(), turning(2, 1), turning(0, 2),
          turning(1, 0);
    }
    // truncation: h^2 / 6 of the third derivative, which is the cube of the joints' summed speed
    const double speed = std::max(1.0, scales(c.model, s).motion), length = scales(c.model, s).length;
    const double scale = speed + length * std::pow(1 + s.v.cwiseAbs().sum(), 3) / 6;
    expect_near(now.velocity, quotients, tolerance<TypeParam>(8, difference_kappa<TypeParam>(), scale), "velocity");
  });
}

/// Accelerations along q(t) = q (+) (v t + a t^2 / 2), on which v(t) = v + a t up to second order.
TEST(KinematicsInDouble, AccelerationsAreDifferenceQuotientsOfVelocities) {
  for_each_state<double>([](const Case& c, auto& robot, const State& s) {
    const double h = difference_step<double>();
    const auto moved = [&](double t, Reference reference) {
      return robot.forward_kinematics(robot.integrate(s.q, t * s.v + t * t / 2 * s.a), s.v + t * s.a, reference)
          .velocity;
    };
    const double speed = 1 + s.v.cwiseAbs().sum() + std::sqrt(s.a.cwiseAbs().sum());
    const double scale = scales(c.model, s).acceleration + scales(c.model, s).length * std::pow(speed, 4) / 6;
    for (const Reference reference : references) {
      const Matrix quotients = (moved(h, reference) - moved(-h, reference)) / (2 * h);
      const Matrix ours = robot.forward_kinematics(s.q, s.v, s.a, reference).acceleration;
      expect_near(ours, quotients, tolerance<double>(8, difference_kappa<double>(), scale), to_string(reference));
    }
  });
}

TYPED_TEST(Kinematics, FramesRideOnTheirLinksAsDescribed) {
  for (const char* name : {"fixed_links", "fixed_links+floating"}) {
    const Case& c = case_named(name);
    Robot<TypeParam> robot(c.model);
    for (const State& s : states(c)) {
      const Frames frames = robot.forward_kinematics(s.q);
      const auto expect_placed = [&](const std::string& frame, const std::string& on, const Pose& placement) {
        const auto k = static_cast<std::size_t>(c.model.frame_index(frame));
        const auto i = static_cast<std::size_t>(c.model.frame_index(on));
        const Matrix3 R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(placement.rotation.data());
        const double allowed = tolerance<TypeParam>(16, 1, 1 + frames.p[i].norm());
        expect_near(frames.R[k], frames.R[i] * R, allowed, frame);
        expect_near(frames.p[k], frames.p[i] + frames.R[i] * Vector3(placement.position.data()), allowed, frame);
      };
      for (const JointDescription& joint : c.description.joints())
        if (joint.type == JointType::fixed) expect_placed(joint.child, joint.parent, joint.placement);
      for (const FrameDescription& frame : c.description.frames())
        expect_placed(frame.name, frame.link, frame.placement);
    }
  }
}

TYPED_TEST(Kinematics, TheCentreOfMassIsThatOfTheDescribedLinks) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    if (c.model.n_links() == 1) return;  // nothing moves
    const auto com = robot.centre_of_mass(s.q, s.v);
    const Frames frames = Robot<double>(c.model).forward_kinematics(s.q, s.v, Reference::local_world_aligned);
    double mass = 0;
    Vector3 moment = Vector3::Zero(), momentum = Vector3::Zero();
    for (const LinkDescription& link : c.description.links()) {
      const auto k = static_cast<std::size_t>(c.model.frame_index(link.name));
      if (c.model.view<double>().frame_link[k] == 0) continue;  // fixed to the base
      const Vector3 arm = frames.R[k] * Vector3(link.com.data());
      const Vector6 u = frames.velocity.row(static_cast<Index>(k));
      mass += link.mass;
      moment += link.mass * (frames.p[k] + arm);
      momentum += link.mass * (Vector3(u.head<3>()) + Vector3(u.tail<3>()).cross(arm));
    }
    const Scales scale = scales(c.model, s);
    expect_near(com.position, moment / mass, tolerance<TypeParam>(16, 1, scale.length), "centre of mass");
    expect_near(com.velocity, momentum / mass, tolerance<TypeParam>(16, 1, scale.motion), "its velocity");
    expect_near(com.J * s.v, com.velocity, tolerance<TypeParam>(16, 1, scale.motion), "J v");
  });
}

TYPED_TEST(Kinematics, CentroidalMomentumIsThatOfTheDescribedLinks) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    if (c.model.n_links() == 1) return;
    const auto momentum = robot.centroidal_momentum(s.q, s.v);
    const Frames frames = Robot<double>(c.model).forward_kinematics(s.q, s.v, Reference::local_world_aligned);
    const Vector3 centre = Robot<double>(c.model).centre_of_mass(s.q, s.v).position;
    Vector6 h = Vector6::Zero();
    for (const LinkDescription& link : c.description.links()) {
      const auto k = static_cast<std::size_t>(c.model.frame_index(link.name));
      const Vector6 u = frames.velocity.row(static_cast<Index>(k));
      const Vector3 w = u.tail<3>(), arm = frames.R[k] * Vector3(link.com.data());
      const auto& [xx, xy, xz, yy, yz, zz] = link.inertia;
      Matrix3 I;
      I << xx, xy, xz, xy, yy, yz, xz, yz, zz;
      const Vector3 p = link.mass * (Vector3(u.head<3>()) + w.cross(arm));
      h.head<3>() += p;
      h.tail<3>() += frames.R[k] * I * frames.R[k].transpose() * w + (frames.p[k] + arm - centre).cross(p);
    }
    const double allowed = tolerance<TypeParam>(16, 1, scales(c.model, s).momentum);
    expect_near(momentum.h, h, allowed, "momentum");
    expect_near(momentum.A * s.v, momentum.h, allowed, "A v");
  });
}

}  // namespace
}  // namespace tandem::test
