// SPDX-License-Identifier: Apache-2.0
#include "support/tolerance.hpp"

#include <cmath>

#include "support/robot.hpp"

namespace tandem::test {

double condition(const Matrix& M) {
  const Vector d = M.diagonal().cwiseSqrt().cwiseInverse();
  return eigenvalue_ratio(d.asDiagonal() * M * d.asDiagonal());
}

Scales scales(const Model& model, const Vector& q, const Vector& v, const Vector& a, const Vector& f_ext) {
  const auto& m = model.view<double>();
  const Frames frames = Robot<double>(model).forward_kinematics(q, v, a, Reference::local);
  const double gravity = Eigen::Map<const Vector3>(m.base_acceleration + 3).norm();
  Scales s;
  double gear = 1, armature = 0, spring = 0;
  for (int i = 1; i < m.n_links; ++i) gear = std::max(gear, std::abs(m.multiplier[i]));
  for (int k = 0; k < m.nv; ++k) {
    armature = std::max(armature, m.armature[k] * (1 + std::abs(a[k])) * (1 + v[k] * v[k]));
    spring += m.stiffness[k] * 10;
  }
  std::vector<double> way(static_cast<std::size_t>(m.n_links), 0.0);
  double motion = 1, acceleration = 1;
  s.length = 1;
  for (int i = 1; i < m.n_links; ++i) {
    const auto at = static_cast<std::size_t>(i), p = static_cast<std::size_t>(m.parent[i]);
    way[at] = way[p] + (frames.p[at] - frames.p[p]).norm();
    const double mass = m.inertia[10 * i], h = Eigen::Map<const Vector3>(m.inertia + 10 * i + 1).norm();
    const double I = Eigen::Map<const Vector6>(m.inertia + 10 * i + 4).norm();
    const Vector6 velocity = frames.velocity.row(i), acc = frames.acceleration.row(i);
    const double u = velocity.head<3>().norm(), w = velocity.tail<3>().norm();
    const double u_dot = acc.head<3>().norm() + gravity, w_dot = acc.tail<3>().norm();
    const double reach = 1 + way[at];
    const double f = mass * (u_dot + w * u) + h * (w_dot + w * w);
    const double n = h * (u_dot + w * u) + I * (w_dot + w * w) + u * (mass * u + h * w);
    const double external = f_ext.size() ? f_ext.segment<6>(6 * i).norm() : 0;
    s.length = std::max(s.length, reach);
    s.mass += mass * reach * reach + h * reach + I;
    s.force += n + (f + external) * reach;
    s.momentum += (mass * u + h * w) * reach + h * u + I * w;
    s.energy += mass * u * u + h * u * w + I * w * w + gravity * (mass * way[at] + h);
    motion = std::max(motion, u + w);
    acceleration = std::max(acceleration, acc.norm() + w * u);
  }
  s.motion = motion * s.length;
  s.acceleration = (acceleration + motion * motion) * s.length;
  s.mass = gear * gear * s.mass + armature;
  s.force = gear * s.force + armature + spring;
  s.energy += armature + spring;
  return s;
}

void expect_near(const Matrix& ours, const Matrix& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(ours.rows(), expected.rows()) << what;
  ASSERT_EQ(ours.cols(), expected.cols()) << what;
  if (ours.size() == 0) return;
  Index row = 0, column = 0;
  double worst = 0;
  for (Index i = 0; i < ours.rows(); ++i) {
    for (Index j = 0; j < ours.cols(); ++j) {
      const double error = std::abs(ours(i, j) - expected(i, j));
      if (error <= worst) continue;  // a NaN goes on
      worst = error;
      row = i;
      column = j;
      if (std::isnan(error)) i = ours.rows(), j = ours.cols();
    }
  }
  EXPECT_LE(worst, tolerance) << what << ": entry " << row << ", " << column << " is " << ours(row, column)
                              << ", expected " << expected(row, column) << "; off by " << worst / tolerance
                              << " times the tolerance";
}

}  // namespace tandem::test
