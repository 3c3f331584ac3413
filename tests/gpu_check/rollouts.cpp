// SPDX-License-Identifier: Apache-2.0
#include "rollouts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "rollout/law.hpp"
#include "backends/cuda/rollout.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "measure.hpp"
#include "results.hpp"

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
  cuda::DeviceRollout<T> call;
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
Times measure(const Model& model, Instances<T>& x, RolloutCall<T> call) {
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
  return host_times([&] { cuda::roll_out(model, 0, call, x.n, Place::host, nullptr, work); });
}

template <class T>
std::vector<T> speeds_of(const Model& model) {
  RolloutOptions o;
  o.dt = 1e-4;
  return most_speeds<T>(model, o);
}

template <class T>
void check(const Robot& robot) {
  const Model& model = robot.model;
  const std::vector<T> speeds = speeds_of<T>(model);
  Instances<T> few(model, 256);
  const RolloutCall<T> call = few.call(model, speeds, 20);
  cuda::Workspace work;
  cuda::roll_out(model, 0, call, few.n, Place::host, nullptr, work);
  const Index different = different_numbers(model, few, call);
  std::printf("rollout %-12s %-7s %lld numbers differ%s\n", robot.name.c_str(), precision<T>,
              static_cast<long long>(different), different == 0 ? "" : "  FAILED");
  write_row("rollouts", Row().add("robot", robot.name).add("precision", precision<T>)
                            .add("different", static_cast<double>(different)).add("passed", different == 0));
  if (different == 0) return;
  count_failure();
  std::printf(
      "  chain of calls: 256 instances of random_configurations(model, 1, 64), 20 steps of 1e-4 s, tau[k] = 0.1 "
      "sin(k)\n");
}

template <class T>
void measure_one(const Robot& robot) {
  const std::vector<T> speeds = speeds_of<T>(robot.model);
  const Index instances = robot.model.nv() <= 10 ? 1'000'000 : 100'000, steps = 100;
  Instances<T> many(robot.model, instances);
  const Times times = measure(robot.model, many, many.call(robot.model, speeds, steps));
  const double all = static_cast<double>(instances * steps);
  std::printf("rollout %-12s %-7s %8lld x %lld steps %10.4g steps/s\n", robot.name.c_str(), precision<T>,
              static_cast<long long>(instances), static_cast<long long>(steps), all / times.median);
  write_row("rollout_rates", Row()
                                 .add("robot", robot.name)
                                 .add("precision", precision<T>)
                                 .add("instances", static_cast<double>(instances))
                                 .add("steps", static_cast<double>(steps))
                                 .add("steps_per_second", all / times.median)
                                 .add("best", all / times.best));
}

template <class F>
void add(const std::vector<Robot>& robots, const char* what, std::vector<Unit>& units, F&& of) {
  for (const Robot& robot : robots)
    if (robot.model.nv() <= 200)
      units.push_back({std::string(what) + " of " + robot.name, [&robot, of] { of(robot); }});
}

}  // namespace

void add_rollout_checks(const std::vector<Robot>& robots, std::vector<Unit>& units) {
  add(robots, "rollout", units, [](const Robot& robot) { check<double>(robot), check<float>(robot); });
}
void add_rollout_rates(const std::vector<Robot>& robots, std::vector<Unit>& units) {
  add(robots, "rollout", units, [](const Robot& robot) { measure_one<float>(robot), measure_one<double>(robot); });
}

}  // namespace tandem::gpu_check
