// SPDX-License-Identifier: Apache-2.0
/// Robots in batches beside each of them alone.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "robots.hpp"
#include "support/many.hpp"

namespace tandem::test {

/// Robots in batches with and without whole packs move as each of them alone: neighbours differ, by `apart` in `row` of
/// q. Arrays have exactly their size.
template <class T>
void expect_rows_as_alone(const Model& model, SimulationOptions options, std::size_t row, double at, double apart,
                          Index steps = few_cases ? 2 : 20) {
  constexpr std::size_t kinds = 3;
  const auto nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  const auto start = [&](std::size_t b) { return static_cast<T>(at + apart * static_cast<double>(b % kinds)); };
  std::vector<Simulation<T>> alone;
  for (std::size_t b = 0; b < kinds; ++b) {
    Simulation<T>& one = alone.emplace_back(model, options);
    one.q()[row] = start(b);
    one.v()[0] = 1;
    one.run(steps, std::vector<T>(nv, T(0.1)));
  }
  for (const Index n : {1, 2, 7, 64, 300})
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(std::to_string(n) + " robots, threads: " + std::to_string(threads));
      options.batch = n;
      options.threads = threads;
      Simulation<T> together(model, options);
      const auto all = static_cast<std::size_t>(n);
      for (std::size_t b = 0; b < all; ++b) {
        together.q()[b * nq + row] = start(b);
        together.v()[b * nv] = 1;
      }
      std::vector<T> q(together.q().begin(), together.q().end()), v(together.v().begin(), together.v().end());
      together.run(steps, std::vector<T>(all * nv, T(0.1)));
      const std::vector<T> tau(nv, T(0.1));
      RolloutArrays<T> a;
      a.tau = Series<T>::input(tau.data(), 0, 0);
      a.q0 = a.q = Array<T>::output(q.data(), model.nq());
      a.v0 = a.v = Array<T>::output(v.data(), model.nv());
      Workspace<T> work;
      rollout<T>(model, a, Batch<T>(n, threads), work,
                 {.steps = steps, .integrator = options.integrator, .contacts = options.contacts});
      EXPECT_TRUE(std::ranges::equal(q, together.q())) << "a rollout";
      EXPECT_TRUE(std::ranges::equal(v, together.v())) << "a rollout";
      for (std::size_t b = 0; b < all; ++b) {
        EXPECT_TRUE(std::ranges::equal(together.q().subspan(b * nq, nq), alone[b % kinds].q())) << b;
        EXPECT_TRUE(std::ranges::equal(together.v().subspan(b * nv, nv), alone[b % kinds].v())) << b;
      }
    }
}

}  // namespace tandem::test
