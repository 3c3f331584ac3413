// SPDX-License-Identifier: Apache-2.0
/// A user's program with Eigen: compiles and links.
#include <tandem/eigen.hpp>
#include <tandem/tandem.hpp>

int main() {
  const tandem::Model arm = tandem::load("arm7");
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(arm.nq());
  Eigen::MatrixXd M(arm.nv(), arm.nv());
  tandem::Workspace<double> work;
  tandem::mass_matrix(arm, {.q = q}, {.M = M}, work);
  return M.isApprox(M.transpose()) && M(0, 0) > 0 ? 0 : 1;
}
