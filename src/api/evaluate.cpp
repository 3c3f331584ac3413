// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/evaluate.hpp"

#include <algorithm>
#include <string>

#include "algorithms.hpp"
#include "automatic.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/prepared.hpp"
#include "backends/cpu/threads.hpp"
#include "check_call.hpp"
#include "methods.hpp"
#include "parameters.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class T>
void check_batch(const Algorithm& algorithm, const Batch<T>& batch) {
  if (batch.size < 0)
    throw Error(std::string(algorithm.name) + ": a batch of " + std::to_string(batch.size) + " states");
  if (batch.threads < 0)
    throw Error(std::string(algorithm.name) + ": threads is " + std::to_string(batch.threads) +
                ", expected 1 or more, or 0 for all cores");
  if (!batch.status.empty() && static_cast<Index>(batch.status.size()) != batch.size)
    throw Error(std::string(algorithm.name) + ": status has " + std::to_string(batch.status.size()) +
                " entries, expected " + std::to_string(batch.size));
}

/// States that are worth waking a thread for: some ten microseconds of work, at about a nanosecond for every number that
/// passes through memory.
Index worthwhile(Index numbers_per_state) { return std::max<Index>(1, 20000 / (numbers_per_state + 1)); }

template <class T>
void run_call(const Kernel<T>& kernel, const Call<T>& call, const Batch<T>& batch, Workspace<T>& work) {
  const Index scratch = kernel.scratch_size(call);
  // whole tiles for every thread; memory of its own, in cache lines of its own
  constexpr Index line = 64 / sizeof(T);
  const Index apart = (scratch + line - 1) / line * line, lanes = kernel.lanes;
  const Index tiles = (batch.size + lanes - 1) / lanes;
  const Index grain = std::max<Index>(1, worthwhile(scratch / lanes) / lanes);
  const int threads = tiles <= grain ? 1 : cpu::available_threads(batch.threads);
  T* memory = work.reserve(apart * threads);
  cpu::for_each_range(tiles, grain, threads, [&](Index begin, Index end, int worker) {
    kernel.run(call, begin * lanes, std::min(end * lanes, batch.size), memory + worker * apart);
  });
}

/// States one after the other, each divided among the threads, if there are fewer than threads; else states are divided.
template <class T>
void run_links(const Kernel<T>& kernel, Call<T> call, const Batch<T>& batch, Workspace<T>& work) {
  const int threads = cpu::available_threads(batch.threads);
  if (batch.size < threads) {
    call.threads = threads;
    kernel.run(call, 0, batch.size, work.reserve(kernel.scratch_size(call)));
    return;
  }
  run_call(kernel, call, batch, work);
}

}  // namespace

template <class T>
void evaluate(const Algorithm& asked_for, const Model& model, std::span<const Array<T>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const Options& given) {
  const Algorithm& algorithm = known(asked_for);
  check_call(algorithm, model, arguments, given);
  check_batch(algorithm, batch);
  const Options options =
      batch.parameters.empty() ? decided<T>(algorithm, model, batch.size, batch.threads, given) : given;
  const LinkKernels* links = link_method(algorithm, model, options);
  const auto& kernel =
      links ? cpu::in_precision<T>(links->kernels) : cpu::kernel<T>(static_cast<std::size_t>(algorithm.id));
  Call<T> call = {model.view<T>(), options, arguments.data(), batch.status.empty() ? nullptr : batch.status.data()};
  if (links) {
    if (!batch.parameters.empty())
      throw Error(
          std::string(algorithm.name) + ": method " + to_string(options.method) +
          " takes no parameters per state; articulated_body, recursive_newton_euler and composite_rigid_body do");
    const auto prepared = cpu::prepared(kernel, model, options);
    call.prepared = prepared.get();
    run_links(kernel, call, batch, work);
  } else if (batch.parameters.empty()) {
    run_call(kernel, call, batch, work);
  } else {
    const ParametersOfModel<T> parameters(model, batch.parameters);
    call.parameters = &parameters.arrays();
    run_call(kernel, call, batch, work);
  }
}

template void evaluate<double>(const Algorithm&, const Model&, std::span<const Array<double>>, const Batch<double>&,
                               Workspace<double>&, const Options&);
template void evaluate<float>(const Algorithm&, const Model&, std::span<const Array<float>>, const Batch<float>&,
                              Workspace<float>&, const Options&);

std::vector<std::string> instruction_sets() { return cpu::instruction_sets(); }
std::string instruction_set() { return cpu::instruction_set(); }
void use_instruction_set(std::string_view name) { cpu::use_instruction_set(name); }

}  // namespace tandem
