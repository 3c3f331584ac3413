// SPDX-License-Identifier: Apache-2.0
#include "rates.hpp"

#include <cstdio>
#include <memory>

#include "measure.hpp"
#include "results.hpp"
#include "run.hpp"

namespace tandem::gpu_check {
namespace {

/// Arrays on the device for rates: the states of Call over and over; outputs as the memory is.
template <class A, class T>
class RateArrays {
 public:
  RateArrays(const Model& model, Index batch) : few_(model, std::min(batch, distinct), false), batch_(batch) {
    for (std::size_t k = 0; k < few_.count(); ++k) {
      const auto size = few_.given(k) ? static_cast<std::size_t>(few_.rows(k) * batch) : 0;
      if (k == few_.output() || size == 0) {
        arrays_.emplace_back(size);
        continue;
      }
      std::vector<T> numbers(size);
      for (Index row = 0; row < few_.rows(k); ++row)
        for (Index b = 0; b < batch; b += distinct)
          std::copy_n(&few_.at(k, row, 0), std::min(few_.batch(), batch - b), &numbers[std::size_t(row * batch + b)]);
      arrays_.emplace_back(std::span<const T>(numbers));
    }
  }
  /// [row][batch], or, of the same numbers, [batch][row].
  std::vector<Array<T>> arguments(bool states_first) const {
    std::vector<Array<T>> all(few_.count());
    for (std::size_t k = 0; k < few_.count(); ++k)
      if (few_.given(k)) all[k] = states_first ? arrays_[k].array(few_.rows(k)) : arrays_[k].array(1, batch_);
    return all;
  }
  /// Of a call, bytes.
  static std::size_t bytes(const Model& model, Index batch) {
    const Call<A, T> none(model, 0, false);
    Index rows = 0;
    for (std::size_t k = 0; k < none.count(); ++k)
      if (none.takes(k)) rows += none.rows(k);
    return static_cast<std::size_t>(rows * batch) * sizeof(T);
  }

 private:
  Call<A, T> few_;
  Index batch_;
  std::vector<cuda::DeviceArray<T>> arrays_;
};

/// States a second.
template <class A, class T>
double rate(const RateArrays<A, T>& arrays, const Prepared<A, T>& prepared, Index batch, bool states_first,
            double* best = nullptr) {
  cuda::Workspace work;
  const std::vector<Array<T>> arguments = arrays.arguments(states_first);
  const Times times = device_times([&] { prepared.run(arguments, batch, work); });
  if (best) *best = static_cast<double>(batch) / times.best;
  return static_cast<double>(batch) / times.median;
}

template <class A, class T>
double rate_from_host(const Call<A, T>& call, const Prepared<A, T>& prepared, bool locked) {
  cuda::Workspace work;
  OnHost<A, T> arrays(call, locked);
  return static_cast<double>(call.batch()) / host_times([&] { arrays.run(prepared, work); }).median;
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
  return states / host_times(all, 15).median;
}

/// Kernels of the robot, or null where they cannot be.
template <class A, class T>
std::unique_ptr<const Prepared<A, T>> own_kernels(const Model& model) {
  try {
    return std::make_unique<const Prepared<A, T>>(model, Options(), Specialise::wait);
  } catch (const Error& error) {
    std::printf("%s: %s\n", A::name, error.what());
    return nullptr;
  }
}

template <class A, class T>
void measure(const Robot& robot, bool on_host) {
  Row core;
  core.add("robot", robot.name).add("algorithm", A::name).add("precision", precision<T>);
  const double alone = one_core<A, T>(robot.model, std::make_index_sequence<std::size(A::arguments)>());
  write_row("one_core", core.add("states_per_second", alone));
  if (on_host) return;
  const Prepared<A, T> generic(robot.model, {});
  const auto own = own_kernels<A, T>(robot.model);
  for (const Index batch : {1048576, 1024, 131072, 16384}) {
    const std::size_t bytes = RateArrays<A, T>::bytes(robot.model, batch);
    if (bytes > std::size_t{6} << 30 || bytes > cuda::device().free_memory / 4) continue;
    const RateArrays<A, T> arrays(robot.model, batch);
    Row row;
    row.add("robot", robot.name).add("algorithm", A::name).add("precision", precision<T>);
    row.add("batch", static_cast<double>(batch));
    double best = 0, own_rate = 0, locked = 0;
    const double generic_rate = rate(arrays, generic, batch, false, &best);
    row.add("states_per_second", generic_rate).add("best", best);
    row.add("states_first", rate(arrays, generic, batch, true));
    if (own) {
      own_rate = rate(arrays, *own, batch, false, &best);
      row.add("own", own_rate).add("own_best", best).add("own_states_first", rate(arrays, *own, batch, true));
    }
    if (batch >= 131072 && bytes <= std::size_t{256} << 20) {
      const Call<A, T> call(robot.model, batch, false);
      locked = rate_from_host(call, own ? *own : generic, true);
      row.add("from_page_locked", locked).add("from_host", rate_from_host(call, own ? *own : generic, false));
    }
    write_row("rates", row);
    std::printf("%-12s %-18s %-7s %8lld  generic %10.4g  own %10.4g  page-locked %10.4g  one core %10.4g\n",
                robot.name.c_str(), A::name, precision<T>, static_cast<long long>(batch), generic_rate, own_rate,
                locked, alone);
    std::fflush(stdout);
  }
}

template <class A, class T>
void measure_batches(const Robot& robot, const std::vector<Index>& batches, std::size_t most_bytes) {
  const Prepared<A, T> generic(robot.model, {});
  for (const Index batch : batches) {
    const std::size_t bytes = RateArrays<A, T>::bytes(robot.model, batch);
    if (bytes > most_bytes || bytes > cuda::device().free_memory / 4) continue;
    const RateArrays<A, T> arrays(robot.model, batch);
    double best = 0;
    const double median = rate(arrays, generic, batch, false, &best);
    write_row("derivative_rates", Row()
                                      .add("robot", robot.name)
                                      .add("algorithm", A::name)
                                      .add("precision", precision<T>)
                                      .add("batch", static_cast<double>(batch))
                                      .add("states_per_second", median)
                                      .add("best", best));
    std::printf("%-12s %-30s %-7s %8lld %10.4g states/s\n", robot.name.c_str(), A::name, precision<T>,
                static_cast<long long>(batch), median);
    std::fflush(stdout);
  }
}

template <class T>
void add_rates_of(const Robot& robot, bool on_host, std::vector<Unit>& units) {
  const auto add = [&]<class A>(A) {
    units.push_back({std::string(A::name) + " of " + robot.name + ", " + precision<T>,
                     [&robot, on_host] { measure<A, T>(robot, on_host); }});
  };
  add(InverseDynamics());
  add(ForwardDynamics());
  add(MassMatrix());
}

template <class T>
void add_derivatives_of(const Robot& robot, std::vector<Unit>& units) {
  const auto add = [&]<class A>(A, std::vector<Index> batches) {
    units.push_back({std::string(A::name) + " of " + robot.name + ", " + precision<T>,
                     [&robot, batches] { measure_batches<A, T>(robot, batches, std::size_t{4} << 30); }});
  };
  add(ForwardDynamicsDerivatives(), {131072, 1048576, 16384});
  add(InverseDynamicsDerivatives(), {131072, 1048576, 16384});
  add(Step(), {131072, 1048576, 16384});
  add(ForwardDynamicsVjp(), {131072, 16384});
  add(ForwardDynamicsJvp(), {131072, 16384});
  add(StepVjp(), {131072, 16384});
  add(StepJvp(), {131072, 16384});
  add(InverseDynamicsVjp(), {131072, 16384});
  add(InverseDynamicsJvp(), {131072, 16384});
  add(ForwardDynamicsHvp(), {131072, 16384});
  add(InverseDynamicsHvp(), {131072, 16384});
}

template <class A>
void measure_papers(int links) {
  const Robot robot = {"chain:" + std::to_string(links), generate("chain:" + std::to_string(links), 1).build()};
  const Prepared<A, double> generic(robot.model, {});
  for (const Index batch : {1, 64, 1024, 4096}) {
    const RateArrays<A, double> arrays(robot.model, batch);
    const double median = rate(arrays, generic, batch, false);
    write_row("papers", Row()
                            .add("algorithm", A::name)
                            .add("method", "a thread a robot")
                            .add("links", double(links))
                            .add("robots", static_cast<double>(batch))
                            .add("us", 1e6 * static_cast<double>(batch) / median));
    std::printf("papers: %-17s %-24s %8d links %5lld robots %12.1f us\n", A::name, "a thread a robot", links,
                static_cast<long long>(batch), 1e6 * static_cast<double>(batch) / median);
  }
}

}  // namespace

void add_rates(const std::vector<Robot>& robots, bool on_host, std::vector<Unit>& units) {
  for (const Robot& robot : robots) add_rates_of<float>(robot, on_host, units);
  for (const Robot& robot : robots) add_rates_of<double>(robot, on_host, units);
}

void add_derivative_rates(const std::vector<Robot>& robots, std::vector<Unit>& units) {
  for (const Robot& robot : robots)
    if (robot.model.nv() <= 40) add_derivatives_of<float>(robot, units);
  for (const Robot& robot : robots)
    if (robot.model.nv() <= 40) add_derivatives_of<double>(robot, units);
}

void add_paper_batches(std::vector<Unit>& units) {
  for (const int links : {10, 100, 200}) {
    const std::string of = ", a thread a robot of " + std::to_string(links) + " links";
    units.push_back({"forward dynamics" + of, [links] { measure_papers<ForwardDynamics>(links); }});
    units.push_back({"inverse dynamics" + of, [links] { measure_papers<InverseDynamics>(links); }});
  }
}

}  // namespace tandem::gpu_check
