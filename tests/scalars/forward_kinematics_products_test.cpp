// SPDX-License-Identifier: Apache-2.0
/// Products of the derivatives of kinematics: along increments against forward kinematics on dual numbers, in every
/// reference; with weights against these, one the transpose of the other.
#include "scalars/bodies.hpp"
#include "scalars/products.hpp"

namespace tandem::test {
namespace {

Vector wave(Index n, double from) {
  return Vector::LinSpaced(n, from, from + 0.37 * static_cast<double>(n)).array().sin();
}
std::vector<Dual> dual_numbers(const Vector& values, const Vector& rates) {
  std::vector<Dual> result;
  for (Index k = 0; k < values.size(); ++k) result.emplace_back(values[k], rates[k]);
  return result;
}

/// Outputs one behind the other: of the pose, the velocity, the acceleration of every frame.
Vector rates_of_frames(const Model& m, const State& s, const Increments& d, Reference reference) {
  const auto frames = static_cast<std::size_t>(m.n_frames());
  Columns<Dual> moved = {dual_numbers(s.q, Vector::Zero(m.nq())), dual_numbers(Vector::Zero(m.nv()), d.dq),
                         std::vector<Dual>(static_cast<std::size_t>(m.nq()))};
  body_named(dual_bodies(), "integrate").run(m.view<double>(), {}, moved);
  Columns<Dual> columns = {moved[2],
                           dual_numbers(s.v, d.dv),
                           dual_numbers(s.a, d.dx),
                           std::vector<Dual>(12 * frames),
                           std::vector<Dual>(6 * frames),
                           std::vector<Dual>(6 * frames)};
  body_named(dual_bodies(), "forward_kinematics").run(m.view<double>(), {.reference = reference}, columns);
  Vector rates(24 * m.n_frames());
  Index n = 0;
  for (std::size_t k = 3; k < 6; ++k)
    for (const Dual& x : columns[k]) rates[n++] = x.rate;
  return rates;
}

template <class T>
class ForwardKinematicsProducts : public ::testing::Test {};
TYPED_TEST_SUITE(ForwardKinematicsProducts, Reals);

TYPED_TEST(ForwardKinematicsProducts, AreThoseOfDualNumbersAndTheirTranspose) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index frames = m.n_frames();
    if (m.nv() == 0) return;  // neither v nor a is given then
    const auto d = some_increments(m, s);
    const Vector one = Vector::Ones(m.nv());
    const Scales size = scales(m, s.q, s.v.cwiseAbs() + one, s.a.cwiseAbs() + one);
    const double moved = 1 + (d.dq.size() ? d.dq.cwiseAbs().sum() : 0);
    const double pose = tolerance<TypeParam>(16, moved, size.length),
                 velocity = tolerance<TypeParam>(16, moved, size.motion * size.length),
                 acceleration = tolerance<TypeParam>(16, moved * moved, size.acceleration * size.length);
    for (const Reference reference : {Reference::local, Reference::world, Reference::local_world_aligned}) {
      const Vector expected = rates_of_frames(m, s, d, reference);
      const Vector ours = robot.forward_kinematics_jvp(s.q, s.v, s.a, d, reference);
      expect_near(ours.head(12 * frames), expected.head(12 * frames), pose, "pose");
      expect_near(ours.segment(12 * frames, 6 * frames), expected.segment(12 * frames, 6 * frames), velocity,
                  "velocity");
      expect_near(ours.tail(6 * frames), expected.tail(6 * frames), acceleration, "acceleration");

      const Vector weights = wave(24 * frames, 1);
      const auto by = robot.forward_kinematics_vjp(s.q, s.v, s.a, weights, reference);
      const double all = static_cast<double>(frames) * 24 * (pose + velocity + acceleration);
      EXPECT_NEAR(by.q_bar.dot(d.dq) + by.v_bar.dot(d.dv) + by.x_bar.dot(d.dx), weights.dot(ours), all) << c.name;
    }
  });
}

/// Each part alone: what is not asked for does not change the others.
TYPED_TEST(ForwardKinematicsProducts, OfPosesAlone) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index frames = c.model.n_frames();
    if (c.model.nv() == 0) return;
    const auto d = some_increments(c.model, s);
    const Vector whole = robot.forward_kinematics_jvp(s.q, s.v, s.a, d, Reference::world),
                 alone = robot.forward_kinematics_jvp(s.q, {}, {}, d, Reference::world);
    EXPECT_TRUE(whole.head(12 * frames) == alone.head(12 * frames)) << c.name;
    Vector weights = wave(24 * frames, 1);
    const auto of_poses = robot.forward_kinematics_vjp(s.q, {}, {}, weights.head(12 * frames), Reference::world);
    weights.tail(12 * frames).setZero();
    const auto of_all = robot.forward_kinematics_vjp(s.q, s.v, s.a, weights, Reference::world);
    EXPECT_TRUE(of_poses.q_bar == of_all.q_bar) << c.name;
  });
}

}  // namespace
}  // namespace tandem::test
