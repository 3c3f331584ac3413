// SPDX-License-Identifier: Apache-2.0
/// Load a robot, compute the torques of a motion, and the motion of these torques.
#include <cstdio>
#include <tandem/tandem.hpp>

int main() {
  const tandem::Model arm = tandem::load("arm7");  // or a .urdf file, or a generator such as "rope:1000"
  const std::vector<double> q = tandem::random_configuration(arm, 1);
  const std::vector<double> v(arm.nv(), 0.5), a(arm.nv(), 1.0);
  std::vector<double> tau(arm.nv()), back(arm.nv());

  tandem::Workspace<double> work;  // scratch memory; calls allocate nothing once it has grown
  tandem::inverse_dynamics(arm, q, v, a, tau, work);
  tandem::forward_dynamics(arm, q, v, tau, back, work);
  for (int k = 0; k < arm.nv(); ++k)
    std::printf("%s  %8.3f N m  %6.3f rad/s^2\n", arm.joint_name(k + 1).data(), tau[k], back[k]);
}
