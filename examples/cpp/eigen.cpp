// SPDX-License-Identifier: Apache-2.0
/// Eigen's vectors and matrices in and out: a computed-torque controller for a thousand arms, and the Jacobian of one.
#include <cstdio>
#include <tandem/eigen.hpp>
#include <tandem/tandem.hpp>

int main() {
  const tandem::Model arm = tandem::load("arm7");
  const tandem::Index batch = 1000;
  tandem::Workspace<double> work;

  // a state is a column, whatever the storage order
  const std::vector<double> drawn = tandem::random_configurations(arm, 1, batch);
  const Eigen::MatrixXd q = Eigen::Map<const Eigen::MatrixXd>(drawn.data(), arm.nq(), batch);
  const Eigen::MatrixXd v = Eigen::MatrixXd::Constant(arm.nv(), batch, 0.1);
  const Eigen::VectorXd goal = Eigen::VectorXd::Zero(arm.nq());
  const Eigen::MatrixXd wanted = 100 * (goal.replicate(1, batch) - q) - 20 * v;

  Eigen::MatrixXd tau(arm.nv(), batch), a(arm.nv(), batch);
  tandem::inverse_dynamics(arm, {.q = q, .v = v, .a = wanted}, {.tau = tau}, work);
  tandem::forward_dynamics(arm, {.q = q, .v = v, .tau = tau}, {.a = a}, work, {.threads = 2});
  std::printf("the acceleration is the wanted one to within %.0e\n", (a - wanted).norm() / wanted.norm());

  const int hand = arm.frame_index("link7");
  Eigen::MatrixXd J(6, arm.nv()), M(arm.nv(), arm.nv()), poses(3, 4 * arm.n_frames());
  tandem::jacobian(arm, {.q = q.col(0), .frame = hand, .reference = tandem::Reference::world}, {.J = J}, work);
  tandem::mass_matrix(arm, {.q = q.col(0)}, {.M = M}, work);
  tandem::forward_kinematics(arm, {.q = q.col(0)}, {.pose = poses}, work);
  const Eigen::Matrix<double, 6, 6> mobility = J * M.llt().solve(J.transpose());
  const Eigen::Isometry3d X = tandem::isometry(poses, hand);
  std::printf("hand at %.3f %.3f %.3f m, trace of J M^-1 J^T %.3f\n", X.translation().x(), X.translation().y(),
              X.translation().z(), mobility.trace());
}
