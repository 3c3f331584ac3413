// SPDX-License-Identifier: Apache-2.0
#include "rates.hpp"

#include "budget.hpp"

#include <chrono>
#include <cstdio>

#include "run.hpp"

namespace tandem::gpu_check {
namespace {

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// The body as it stands, state after state, on one core.
template <class A, class T, std::size_t... k>
double one_core(const Model& model, std::index_sequence<k...>) {
  constexpr Index states = 64;
  Call<A, T> call(model, states, false);
  std::vector<T> columns[sizeof...(k)];
  for (std::size_t n = 0; n < sizeof...(k); ++n) {
    if (!call.given(n)) continue;
    columns[n].resize(call.array(n).size());
    for (Index b = 0; b < states; ++b)
      for (Index row = 0; row < call.rows(n); ++row)
        columns[n][static_cast<std::size_t>(b * call.rows(n) + row)] = call.at(n, row, b);
  }
  const A algorithm = with_options<A>({});
  std::vector<T> work(static_cast<std::size_t>(algorithm.work_rows(model.view<T>())));
  const auto all = [&] {
    for (Index b = 0; b < states; ++b)
      algorithm.template body<T>(model.view<T>(),
                                 (call.given(k) ? columns[k].data() + b * call.rows(k) : static_cast<T*>(nullptr))...,
                                 work.data());
  };
  std::vector<double> times;
  for (int n = 0; n < 15; ++n) times.push_back(seconds(all));
  return states / median(times);
}

template <class A, class T>
void measure_batch(const Robot& robot, Index batch, bool with_copies, double core, std::vector<Rate>& rates) {
  const char* const precision = std::is_same_v<T, double> ? "double" : "float";
  const Call<A, T> none(robot.model, 0, false);
  Index rows = 0;
  for (std::size_t k = 0; k < none.count(); ++k)
    if (none.takes(k)) rows += none.rows(k);
  const std::size_t bytes = static_cast<std::size_t>(rows * batch) * sizeof(T);
  if (bytes > std::size_t{1} << 30 || bytes > cuda::device().free_memory / 4) return;
  if (!Budget::get().allows(robot.name + " " + A::name + " " + precision + ", batch " + std::to_string(batch))) return;

  Rate rate = {robot.name, A::name, precision, batch, 0, 0, 0, 0, 0, core};
  const Call<A, T> call(robot.model, batch, false);
  const Prepared<A, T> prepared(robot.model, {});
  for (const bool states_first : {false, true}) {
    cuda::Workspace work;
    OnDevice<A, T> on_device(call, states_first);
    const auto run = [&](int times) {
      for (int n = 0; n < times; ++n) on_device.run(prepared, work);
      cuda::synchronise();
    };
    run(2);
    // launches follow each other without waiting, long enough for the clock and for what a launch costs not to count
    const int times = std::clamp(static_cast<int>(5e-3 / seconds([&] { run(1); })), 1, 200);
    std::vector<double> repeats;
    for (int n = 0; n < 9; ++n) repeats.push_back(seconds([&] { run(times); }) / times);
    (states_first ? rate.states_first : rate.kernel) = static_cast<double>(batch) / median(repeats);
    if (!states_first) rate.fastest = static_cast<double>(batch) / *std::min_element(repeats.begin(), repeats.end());
  }
  for (const bool locked : {false, true}) {
    if (!with_copies || bytes > std::size_t{128} << 20) continue;
    cuda::Workspace work;
    OnHost<A, T> on_host(call, locked);
    on_host.run(prepared, work);
    std::vector<double> repeats;
    for (int n = 0; n < 5; ++n) repeats.push_back(seconds([&] { on_host.run(prepared, work); }));
    (locked ? rate.from_locked : rate.from_host) = static_cast<double>(batch) / median(repeats);
  }
  std::printf("%-12s %-28s %-7s %8lld %12.4g %12.4g %12.4g %12.4g %12.4g\n", rate.robot.c_str(),
              rate.algorithm.c_str(), rate.precision.c_str(), static_cast<long long>(batch), rate.kernel,
              rate.states_first, rate.from_host, rate.from_locked, core);
  std::fflush(stdout);
  rates.push_back(rate);
}

template <class A, class T>
void measure(const Robot& robot, bool on_host, std::vector<Rate>& rates) {
  const double core = one_core<A, T>(robot.model, std::make_index_sequence<std::size(A::arguments)>());
  if (on_host) {
    const char* const precision = std::is_same_v<T, double> ? "double" : "float";
    std::printf("%-12s %-28s %-7s %73.4g\n", robot.name.c_str(), A::name, precision, core);
    rates.push_back({robot.name, A::name, precision, 1, 0, 0, 0, 0, 0, core});
    return;
  }
  for (const Index batch : {1024, 16384, 131072, 1048576}) measure_batch<A, T>(robot, batch, true, core, rates);
}
template <class T>
void measure_robot(const Robot& robot, bool on_host, std::vector<Rate>& rates) {
  measure<ForwardDynamicsDerivatives, T>(robot, on_host, rates);
  measure<InverseDynamicsDerivatives, T>(robot, on_host, rates);
  measure<InverseDynamics, T>(robot, on_host, rates);
  measure<MassMatrix, T>(robot, on_host, rates);
  measure<ForwardDynamics, T>(robot, on_host, rates);
}

/// Products of derivatives, and what they are to be compared with; the processor's rates are in `scripts/bench --suite derivatives`.
template <class T, class... A>
void measure_each(const Robot& robot, std::vector<Rate>& rates) {
  for (const Index batch : {16384, 131072}) (measure_batch<A, T>(robot, batch, false, 0, rates), ...);
}
template <class T>
void measure_products(const Robot& robot, std::vector<Rate>& rates) {
  measure_each<T, InverseDynamicsJvp, InverseDynamicsVjp, InverseDynamicsHvp, ForwardDynamicsJvp, ForwardDynamicsVjp,
               ForwardDynamicsHvp, Step, StepVjp, StepJvp>(robot, rates);
}

}  // namespace

std::vector<Rate> measure_all(const std::vector<Robot>& robots, bool on_host) {
  std::vector<Rate> rates;
  std::printf("%-12s %-28s %-7s %8s %12s %12s %12s %12s %12s\n", "robot", "algorithm", "", "batch", "states/s",
              "[batch][row]", "from host", "page-locked", "one core");
  for (const Robot& robot : robots) {
    measure_robot<float>(robot, on_host, rates);
    measure_robot<double>(robot, on_host, rates);
    if (on_host || robot.model.nv() > 40) continue;
    measure_products<float>(robot, rates);
    measure_products<double>(robot, rates);
  }
  return rates;
}

}  // namespace tandem::gpu_check
