// SPDX-License-Identifier: Apache-2.0
#include "rollouts.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "api/rollout/law.hpp"
#include "backends/cuda/rollout.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "budget.hpp"

namespace tandem::gpu_check {
namespace {

/// Robots at rest in configurations near each other, under constant joint forces, without stops.
template <class T>
struct Instances {
  Index n, nq, nv;
  std::vector<T> q0, tau, q, v;

  Instances(const Model& model, Index instances) : n(instances), nq(model.nq()), nv(model.nv()) {
    const std::vector<double> some = random_configurations(model, 1, 64);
    for (Index b = 0; b < n; ++b)
      for (Index k = 0; k < nq; ++k) q0.push_back(static_cast<T>(some[static_cast<std::size_t>(b % 64 * nq + k)]));
    for (Index k = 0; k < nv; ++k) tau.push_back(static_cast<T>(0.1 * std::sin(static_cast<double>(k))));
    q.resize(q0.size());
    v.resize(static_cast<std::size_t>(n * nv));
  }
  RolloutCall<T> call(const Model& model, const std::vector<T>& speeds, Index steps) {
    RolloutArrays<T> a;
    a.tau = Series<T>::input(tau.data(), 0, 0);
    RolloutOptions o;
    o.dt = 1e-4;
    o.steps = steps;
    o.limits = false;
    RolloutCall<T> c = {model.view<T>(), law_of(a, o)};
    c.method = ForwardDynamics().chosen(model.view<T>());
    fill_inputs(c.inputs, a);
    c.most_speed = speeds.data();
    c.q0 = {q0.data(), nq};
    c.q = {q.data(), nq};
    c.v = {v.data(), nv};
    return c;
  }
};

/// The last states of a few instances as the text of the kernels has them, on the processor.
template <class T>
Index different_numbers(const Model& model, Instances<T>& x, const RolloutCall<T>& given) {
  const std::vector<T> q = x.q, v = x.v;
  const ModelView<T>& m = model.view<T>();
  cuda::RolloutThere<T> call;
  call.law = given.law;
  call.method = given.method;
  std::copy(std::begin(given.inputs), std::end(given.inputs), call.inputs);
  call.most_speed = given.most_speed;
  call.q0 = given.q0;
  call.q = given.q;
  call.v = given.v;
  call.batch = std::min<Index>(x.n, 64);
  std::vector<T> work(static_cast<std::size_t>(cuda::rollout_rows(call, m) * 32));
  for (Index t = 0; t < 32; ++t)
    cuda::run_rollout_thread<cuda::Models::one, ForwardDynamics>(call, m, {work.data(), 32, 32}, {}, t);
  Index different = 0;
  for (Index k = 0; k < call.batch * x.nq; ++k)
    different += q[static_cast<std::size_t>(k)] != x.q[static_cast<std::size_t>(k)];
  for (Index k = 0; k < call.batch * x.nv; ++k)
    different += v[static_cast<std::size_t>(k)] != x.v[static_cast<std::size_t>(k)];
  return different;
}

/// With arrays on the device.
template <class T>
void measure(const Model& model, Instances<T>& x, RolloutCall<T> call, RolloutCheck& check) {
  const auto there = [](std::vector<T>& numbers, cuda::Memory& memory) {
    const std::size_t bytes = numbers.size() * sizeof(T);
    memory.reserve(bytes);
    cuda::copy_to_device(memory.data(), numbers.data(), bytes);
    cuda::synchronise();
    return static_cast<T*>(memory.data());
  };
  cuda::Memory q0(Place::device), tau(Place::device), q(Place::device), v(Place::device);
  call.q0 = {there(x.q0, q0), 1, x.n, Place::device};  // [row][instance]; any states will do
  call.inputs[0] = {there(x.tau, tau), 0, 0, 1, Place::device};
  call.q = {there(x.q, q), 1, x.n, Place::device};
  call.v = {there(x.v, v), 1, x.n, Place::device};
  cuda::Workspace work;
  std::vector<double> times;
  for (int k = 0; k < 6; ++k) {
    const auto start = std::chrono::steady_clock::now();
    cuda::roll_out(model, 0, call, x.n, Place::host, nullptr, work);
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin() + 1, times.end());
  const double steps = static_cast<double>(x.n * call.law.steps);
  check.steps_per_second = steps / times[3];
  check.best = steps / times[1];
}

template <class T>
RolloutCheck check_one(const Robot& robot, Index instances) {
  const Model& model = robot.model;
  RolloutCheck check = {robot.name, std::is_same_v<T, double> ? "double" : "float", instances, 100};
  RolloutOptions o;
  o.dt = 1e-4;
  const std::vector<T> speeds = most_speeds<T>(model, o);
  {
    Instances<T> few(model, 256);
    const RolloutCall<T> call = few.call(model, speeds, 20);
    cuda::Workspace work;
    cuda::roll_out(model, 0, call, few.n, Place::host, nullptr, work);
    check.different = different_numbers(model, few, call);
    check.passed = check.different == 0;
  }
  if (Budget::get().allows("rollout of " + robot.name + " " + check.precision)) {
    Instances<T> many(model, instances);
    measure(model, many, many.call(model, speeds, check.steps), check);
  }
  std::printf("rollout %-12s %-7s %8lld x %lld steps %10.4g steps/s%s\n", robot.name.c_str(), check.precision.c_str(),
              static_cast<long long>(instances), static_cast<long long>(check.steps), check.steps_per_second,
              check.passed ? "" : "  FAILED");
  return check;
}

}  // namespace

std::vector<RolloutCheck> check_rollouts(const std::vector<Robot>& robots) {
  std::vector<RolloutCheck> all;
  for (const Robot& robot : robots) {
    if (robot.model.nv() > 200) continue;
    const Index instances = robot.model.nv() <= 10 ? 1'000'000 : 100'000;
    all.push_back(check_one<float>(robot, instances));
    all.push_back(check_one<double>(robot, instances));
  }
  return all;
}

}  // namespace tandem::gpu_check
