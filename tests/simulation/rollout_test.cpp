// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/rollout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/errors.hpp"
#include "tandem/detail/simulation/rollout_with.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

using testing::HasSubstr;

/// Robots of a batch, their forces, and where their states go.
struct Inputs {
  Model model = load("arm7");
  Index n = 11, steps = 12, nq = model.nq(), nv = model.nv();
  std::vector<double> q0, v0, tau, q, v;
  Workspace<double> work;
  std::vector<Status> status = std::vector<Status>(11);
  std::vector<std::int32_t> done = std::vector<std::int32_t>(11);

  Inputs() {
    q0 = random_configurations(model, 1, n);
    for (Index k = 0; k < n * nv; ++k) v0.push_back(std::sin(static_cast<double>(k)));
    for (Index k = 0; k < n * steps * nv; ++k) tau.push_back(std::cos(static_cast<double>(k)));
    q.resize(q0.size());
    v.resize(v0.size());
  }
  RolloutArrays<double> arrays() {
    RolloutArrays<double> a;
    a.q0 = Array<double>::input(q0.data(), nq);
    a.v0 = Array<double>::input(v0.data(), nv);
    a.tau = Series<double>::input(tau.data(), steps * nv, nv);
    a.q = Array<double>::output(q.data(), nq);
    a.v = Array<double>::output(v.data(), nv);
    return a;
  }
  Batch<double> batch() {
    Batch<double> b(n, 1, status);
    b.iterations = done;
    return b;
  }
  RolloutOptions options() const {
    RolloutOptions o;
    o.dt = 2e-3;
    o.steps = steps;
    return o;
  }
  void run(const RolloutArrays<double>& a, const RolloutOptions& o) { rollout<double>(model, a, batch(), work, o); }
};

TEST(Rollout, StatesMayBeSteppedWhereTheyAre) {
  Inputs x;
  x.run(x.arrays(), x.options());
  auto q = x.q0, v = x.v0;
  auto a = x.arrays();
  a.q0 = a.q = {q.data(), x.nq};
  a.v0 = a.v = {v.data(), x.nv};
  x.run(a, x.options());
  EXPECT_EQ(q, x.q);
  EXPECT_EQ(v, x.v);
  EXPECT_THAT(x.status, testing::Each(Status::ok));
  EXPECT_THAT(x.done, testing::Each(12));
}

TEST(Rollout, SeveralCallsHaveTheBitsOfOne) {
  Inputs x;
  for (double& force : x.tau) force *= 200;  // against the stops
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    auto o = x.options();
    o.integrator = integrator;
    x.run(x.arrays(), o);
    auto q = x.q0, v = x.v0;
    std::vector<double> stops(static_cast<std::size_t>(3 * x.n * x.nv));
    auto a = x.arrays();
    a.q0 = a.q = {q.data(), x.nq};
    a.v0 = a.v = {v.data(), x.nv};
    a.stops = {stops.data(), 3 * x.nv};
    o.steps = 4;
    for (o.first_step = 0; o.first_step < x.steps; o.first_step += 4) x.run(a, o);
    EXPECT_EQ(q, x.q);
    EXPECT_EQ(v, x.v);
  }
}

TEST(Rollout, ArraysLieAsTheyLie) {
  Inputs x;
  x.run(x.arrays(), x.options());
  // [nq][n], [steps][nv][n]
  const auto at = [](Index k) { return static_cast<std::size_t>(k); };
  std::vector<double> q0(x.q0.size()), tau(x.tau.size()), q(x.q.size());
  for (Index b = 0; b < x.n; ++b) {
    for (Index k = 0; k < x.nq; ++k) q0[at(k * x.n + b)] = x.q0[at(b * x.nq + k)];
    for (Index s = 0; s < x.steps; ++s)
      for (Index k = 0; k < x.nv; ++k) tau[at((s * x.nv + k) * x.n + b)] = x.tau[at((b * x.steps + s) * x.nv + k)];
  }
  auto a = x.arrays();
  a.q0 = {q0.data(), 1, x.n};
  a.tau = {tau.data(), 1, x.nv * x.n, x.n};
  a.q = {q.data(), 1, x.n};
  x.run(a, x.options());
  for (Index b = 0; b < x.n; ++b)
    for (Index k = 0; k < x.nq; ++k) EXPECT_EQ(q[at(k * x.n + b)], x.q[at(b * x.nq + k)]);
}

TEST(Rollout, FunctionsAreInlined) {
  Inputs x;
  auto o = x.options();
  RolloutLaw law;
  law.dt = o.dt;
  law.steps = o.steps;
  law.costs = true;
  std::vector<double> weights(static_cast<std::size_t>(x.nv), 1.0), cost(static_cast<std::size_t>(x.n));
  auto a = x.arrays();
  a.costs.v_weight = {weights.data(), 0};
  a.costs.effort_weight = {weights.data(), 0};
  a.cost = {cost.data(), 1};
  x.run(a, o);

  const ModelView<double>& m = x.model.view<double>();
  std::vector<double> work(static_cast<std::size_t>(rollout_with_rows(m, law)));
  struct Cost {
    Index nv;
    double operator()(Index, const double*, const double* v, const double* tau) const {
      double sum = 0;
      for (Index k = 0; k < nv; ++k) sum += v[k] * v[k] + tau[k] * tau[k];
      return sum;
    }
    double operator()(const double*, const double*) const { return 0; }
  };
  for (Index b = 0; b < x.n; ++b) {
    auto q = std::vector<double>(x.q0.begin() + b * x.nq, x.q0.begin() + (b + 1) * x.nq);
    auto v = std::vector<double>(x.v0.begin() + b * x.nv, x.v0.begin() + (b + 1) * x.nv);
    const auto control = [&](Index step, const double*, const double*, double* tau) {
      for (Index k = 0; k < x.nv; ++k) tau[k] += x.tau[static_cast<std::size_t>((b * x.steps + step) * x.nv + k)];
    };
    const auto end = rollout_with<double>(m, law, q.data(), v.data(), work.data(), control, Cost{x.nv});
    EXPECT_EQ(end.steps, 12);
    for (Index k = 0; k < x.nq; ++k)
      EXPECT_NEAR(q[static_cast<std::size_t>(k)], x.q[static_cast<std::size_t>(b * x.nq + k)], 1e-12);
    EXPECT_NEAR(end.cost, cost[static_cast<std::size_t>(b)], 1e-12 * (1 + cost[static_cast<std::size_t>(b)]));
  }
}

TEST(Rollout, Errors) {
  Inputs x;
  const auto error = [&](auto change) {
    auto a = x.arrays();
    auto o = x.options();
    change(a, o);
    return error_of([&] { x.run(a, o); });
  };
  const auto both = [](auto f) { return [f](auto& a, auto& o) { f(a, o); }; };
  EXPECT_THAT(error(both([](auto& a, auto&) { a.q0 = {}; })), HasSubstr("rollout: q0 is missing"));
  EXPECT_THAT(error(both([](auto& a, auto&) { a.v = {a.q.data, a.q.stride}; })), HasSubstr("share memory"));
  EXPECT_THAT(error(both([](auto& a, auto&) { a.q = {a.v0.data, a.v0.stride}; })), HasSubstr("q and v0 share memory"));
  EXPECT_THAT(error(both([](auto& a, auto&) { a.q.stride = 0; })), HasSubstr("stride of 0"));
  EXPECT_THAT(error(both([](auto& a, auto&) { a.q_target = {a.q0.data, a.q0.stride}; })),
              HasSubstr("q_target needs kp"));
  EXPECT_THAT(error(both([](auto& a, auto&) { a.kp = a.v0; })), HasSubstr("kp needs q_target"));
  EXPECT_THAT(error(both([](auto& a, auto&) { a.costs.v_weight = a.v0; })),
              HasSubstr("cost terms require an array for the cost"));
  EXPECT_THAT(error(both([](auto&, auto& o) { o.dynamics.method = Method::scan; })),
              HasSubstr("use articulated_body or composite_rigid_body"));
  EXPECT_THAT(error(both([](auto&, auto& o) { o.dt = -1; })), HasSubstr("dt is -1"));
  EXPECT_THAT(error(both([](auto&, auto& o) { o.integrator = static_cast<Integrator>(9); })),
              HasSubstr("not a valid value"));
}

}  // namespace
}  // namespace tandem::test
