// SPDX-License-Identifier: Apache-2.0
/// Build a robot by hand and swing it for two seconds.
#include <cstdio>
#include <tandem/tandem.hpp>

int main() {
  tandem::ModelBuilder builder("pendulum");
  builder.link({.name = "base"});
  builder.link({.name = "bob", .mass = 1, .com = {0, 0, -0.5}});
  builder.joint({.name = "hinge",
                 .type = tandem::JointType::continuous,
                 .parent = "base",
                 .child = "bob",
                 .axis = {0, 1, 0},
                 .damping = 0.05});

  tandem::Simulation<double> pendulum(builder.build(), {.dt = 1e-3, .integrator = tandem::Integrator::rk4});
  pendulum.q()[0] = 1;
  for (int step = 0; step < 2000; ++step) {
    if (step % 250 == 0) std::printf("%5.2f s  %7.4f rad\n", pendulum.time(), pendulum.q()[0]);
    pendulum.step();
  }
}
