// SPDX-License-Identifier: Apache-2.0
/// Small robots with known motions, and states to start from.
#pragma once
#include <cmath>
#include <span>
#include <vector>

#include "core/random.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {

inline constexpr Integrator integrators[] = {Integrator::semi_implicit_euler, Integrator::rk4,
                                             Integrator::implicit_midpoint};

/// A body on one joint. Inertia is given about the centre of mass.
struct OneJoint {
  JointDescription joint;
  LinkDescription body{.name = "body", .mass = 2, .com = {0, 0, -0.5}, .inertia = {0.1, 0, 0, 0.2, 0, 0.3}};

  Model build(std::array<double, 3> gravity = {0, 0, -9.81}) {
    joint.name = "joint";
    joint.parent = "base";
    joint.child = "body";
    return ModelBuilder("one_joint").link({.name = "base"}).link(body).joint(joint).gravity(gravity).build();
  }
};

inline std::vector<double> random_velocity(const Model& model, std::uint64_t seed, double size = 1) {
  Random random(seed);
  std::vector<double> v(static_cast<std::size_t>(model.nv()));
  for (double& x : v) x = random.uniform(-size, size);
  return v;
}

template <class T>
void set(std::span<T> to, const std::vector<double>& from) {
  for (std::size_t k = 0; k < from.size(); ++k) to[k] = static_cast<T>(from[k]);
}

inline std::vector<double> numbers(std::span<const double> x) { return {x.begin(), x.end()}; }

/// A simulation without losses from a random state.
inline Simulation<double> lossless(const Model& model, Integrator integrator, double dt, std::uint64_t seed = 1) {
  Simulation<double> s(model, {.dt = dt, .integrator = integrator, .losses = false});
  set(s.q(), random_configuration(model, seed));
  set(s.v(), random_velocity(model, seed + 1));
  return s;
}

template <class T>
void run(Simulation<T>& s, int steps) {
  for (int k = 0; k < steps; ++k) s.step();
}

/// Kinetic and potential energy together, springs included.
inline double total_energy(Simulation<double>& s) {
  double kinetic = 0, potential = 0;
  Workspace<double> work;
  energy(s.model(), s.q(), s.v(), kinetic, potential, work);
  return kinetic + potential;
}

/// What stays the same if the integrator makes no error.
inline double budget(Simulation<double>& s) { return total_energy(s) + s.dissipated() - s.work(); }

inline double largest(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

/// Largest number of the difference between two states.
inline double distance(Simulation<double>& a, Simulation<double>& b) {
  std::vector<double> u(a.v().size());
  Workspace<double> work;
  difference(a.model(), a.q(), b.q(), u, work);
  double largest = 0;
  for (std::size_t k = 0; k < u.size(); ++k)
    largest = std::max({largest, std::abs(u[k]), std::abs(a.v()[k] - b.v()[k])});
  return largest;
}

}  // namespace tandem::test
