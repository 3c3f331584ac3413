// SPDX-License-Identifier: Apache-2.0
/// A user's program: the arm under zero torque falls as the equations of motion say.
#include <cmath>
#include <cstdio>
#include <vector>

#include <tandem/tandem.hpp>
#include <tandem/version.hpp>

int main() {
  const tandem::Model arm = tandem::load("arm7");
  const std::vector<double> q = tandem::random_configuration(arm, 1), v(static_cast<std::size_t>(arm.nv()), 0.5),
                            tau(v.size());
  std::vector<double> a(v.size()), back(v.size());
  tandem::Workspace<double> work;
  tandem::forward_dynamics(arm, q, v, tau, a, work);
  tandem::inverse_dynamics(arm, q, v, a, back, work);
  double worst = 0;
  for (const double t : back) worst = std::fmax(worst, std::fabs(t));
  std::printf("Tandem %s: %s has %d degrees of freedom, %g kg; residual %g N m\n", TANDEM_VERSION, arm.name().c_str(),
              arm.nv(), arm.mass(), worst);
  return worst < 1e-9 ? 0 : 1;
}
