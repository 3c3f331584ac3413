// SPDX-License-Identifier: Apache-2.0
/// What integrators make of the energy of an arm that nothing drives and nothing slows down.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "figures.hpp"

namespace tandem::figures {

/// arm7 from rest, steps of 1 ms: how far its energy has been from that of the start, as a part of the largest kinetic
/// energy so far.
void energy_drift(int) {
  constexpr double unwatched = std::numeric_limits<double>::infinity();
  constexpr std::int64_t steps = 1'000'000;
  const Model arm = load("arm7");
  for (const Integrator integrator :
       {Integrator::implicit_midpoint, Integrator::rk4, Integrator::semi_implicit_euler}) {
    Simulation<double> simulation(arm, {.dt = 1e-3,
                                        .integrator = integrator,
                                        .losses = false,
                                        .limits = false,
                                        .excess = unwatched,
                                        .max_speed = unwatched,
                                        .specialise = Specialise::off});
    std::ranges::copy(std::initializer_list<double>{0, 0.8, 0, 0.5, 0, 0.3, 0}, simulation.q().begin());
    Workspace<double> work;
    double kinetic = 0, potential = 0, most_kinetic = 0, farthest = 0;
    energy<double>(arm, simulation.q(), simulation.v(), kinetic, potential, work);
    const double start = kinetic + potential;
    int place = 0;  // ten of them a decade
    const auto next = [&] { return std::llround(std::pow(10, place / 10.0)); };
    for (std::int64_t k = 1; k <= steps; ++k) {
      simulation.step();
      energy<double>(arm, simulation.q(), simulation.v(), kinetic, potential, work);
      most_kinetic = std::max(most_kinetic, kinetic);
      farthest = std::max(farthest, std::abs(kinetic + potential - start));
      if (k < next()) continue;
      while (next() <= k) ++place;
      fmt::print(R"({{"figure":"energy_drift","robot":"arm7","integrator":"{}","dt":1e-3,"steps":{},"drift":{:.3e}}})"
                 "\n",
                 to_string(integrator), k, farthest / most_kinetic);
    }
  }
}

}  // namespace tandem::figures
