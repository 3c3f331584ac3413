// SPDX-License-Identifier: Apache-2.0
/// The one door: checks a call and hands it to the device that its plan is for.
#include "tandem/api/evaluate.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms.hpp"
#include "policy/automatic.hpp"
#include "backends/cpu/blocks.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/run_state.hpp"
#include "backends/cpu/threads.hpp"
#include "backends/cuda/driver.hpp"
#include "check_call.hpp"
#include "loop_derivatives.hpp"
#include "loops.hpp"
#include "loops_over_tree.hpp"
#include "policy/methods.hpp"
#include "parameters.hpp"
#include "plan.hpp"
#include "specialise.hpp"
#include "state_model.hpp"
#include "status.hpp"
#include "workspace_in_use.hpp"

namespace tandem {
namespace {

template <class T>
void check_batch(const Algorithm& algorithm, const Batch<T>& batch) {
  if (batch.size < 0) refuse(algorithm, "batch.size is ", batch.size, ", expected 0 or more");
  if (batch.threads < 0) refuse(algorithm, "threads is ", batch.threads, ", expected 1 or more, or 0 for all cores");
  const auto check_size = [&](const char* name, std::size_t entries) {
    if (entries != 0 && static_cast<Index>(entries) != batch.size)
      refuse(algorithm, name, " has ", entries, " entries, expected ", batch.size);
  };
  check_size("status", batch.status.size());
  check_size("iterations", batch.iterations.size());
}

template <class T>
void check_device(const Algorithm& algorithm, const Device& device, std::span<const Array<T>> arguments,
                  const Batch<T>& batch) {
  check_kind(device);
  const auto check_places = [&](bool (*fits)(Place), const auto&... why) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (arguments[k].data && !fits(arguments[k].place))
        refuse(algorithm, "argument ", algorithm.arguments[k].name, why...);
    for (const BatchedParameter<T>& p : batch.parameters)
      if (p.values.data && !fits(p.values.place)) refuse(algorithm, "parameter ", to_string(p.parameter), why...);
    if (!batch.status.empty() && !fits(batch.status_place)) refuse(algorithm, "status", why...);
  };
  if (device.kind == Device::cpu) {
    check_places([](Place place) { return place == Place::host; },
                 " is in device memory, but the call runs on the CPU");
    if (batch.stream) refuse(algorithm, "stream requires device=\"cuda\"");
    return;
  }
  check_places([](Place place) { return place == Place::host || place == Place::device; },
               " has an invalid memory space; expected host or device");
  if (batch.threads != 0) refuse(algorithm, "threads requires device=\"cpu\"");
}

/// Conjugate gradients alone begin somewhere.
template <class T>
void check_guess(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device,
                 const Batch<T>& batch) {
  if (batch.guess.empty()) return;
  if (options.method != Method::conjugate_gradient && options.solver != Solver::conjugate_gradient)
    refuse(algorithm, "guess requires an iterative method such as conjugate_gradient; method is ",
           to_string(options.method));
  if (device.kind != Device::cpu) refuse(algorithm, "guess requires device=\"cpu\"");
  const Index expected = batch.size * 6 * model.n_links();
  if (static_cast<Index>(batch.guess.size()) != expected)
    refuse(algorithm, "guess has ", batch.guess.size(), " numbers, expected ", expected);
}

/// States that are worth waking a thread for: some ten microseconds of work, at about a nanosecond for every number
/// that passes through memory.
Index worthwhile(Index numbers_per_state) { return std::max<Index>(1, 20000 / (numbers_per_state + 1)); }

/// run(begin, end, scratch memory of its own) on threads that are worth waking.
template <class T, class Run>
void run_states(int lanes, Index scratch, const Batch<T>& batch, Workspace<T>& work, Run&& run) {
  if (batch.size <= lanes || batch.threads == 1) return run(Index{0}, batch.size, work.reserve(scratch));
  // whole tiles for every thread; memory of its own, in cache lines of its own
  constexpr Index line = 64 / sizeof(T);
  const Index apart = (scratch + line - 1) / line * line;
  const Index tiles = (batch.size + lanes - 1) / lanes;
  const Index grain = std::max<Index>(1, worthwhile(scratch / lanes) / lanes);
  const int threads = tiles <= grain ? 1 : cpu::available_threads(batch.threads);
  T* memory = work.reserve(apart * threads);
  cpu::for_each_range(tiles, grain, threads, [&](Index begin, Index end, int worker) {
    run(begin * lanes, std::min(end * lanes, batch.size), memory + worker * apart);
  });
}
template <class T>
void run_states(const Kernel<T>& kernel, Index scratch, const Call<T>& call, const Batch<T>& batch,
                Workspace<T>& work) {
  run_states(kernel.lanes, scratch, batch, work,
             [&](Index begin, Index end, T* memory) { kernel.run(call, begin, end, memory); });
}

/// The same by way of blocks, where arrays lie so that these are worth it.
template <class T>
void run_blocks(const Algorithm& algorithm, const Kernel<T>& kernel, Index scratch, const Call<T>& call,
                const Batch<T>& batch, Workspace<T>& work) {
  const cpu::Blocks<T> blocks(algorithm.arguments, call, batch.size);
  if (!blocks.any()) return run_states(kernel, scratch, call, batch, work);
  run_states(kernel.lanes, scratch + blocks.numbers(), batch, work,
             [&](Index begin, Index end, T* memory) { blocks.run(kernel, call, begin, end, memory); });
}

/// By a method of the algorithm's own: by what was assembled for the robot, from when that is there.
template <class T>
void run_own(const Algorithm& algorithm, const Model& model, const ExecutionPath<T>& path, Index scratch,
             const Call<T>& call, const Batch<T>& batch, Workspace<T>& work) {
  const Assembled<T>* line = path.specialised ? path.specialised->line_for(model, call, batch.size) : nullptr;
  if (line && batch.size == 1 && run_state(*line, call, 0, work)) return;
  const auto run_by_line = [&](Call<T> part, Index states) {
    part.prepared = line ? line : path.prepared.get();
    Batch<T> of_part = batch;
    of_part.size = states;
    if (line)
      run_blocks(algorithm, *line->kernel, line->numbers() + scratch, part, of_part, work);
    else
      run_blocks(algorithm, *path.kernel, scratch, part, of_part, work);
  };
  constexpr Index few = 512;  // states of a thread, after which it may be there
  Index done = 0;
  if (!line && path.specialised && few < batch.size && path.specialised->is_coming(call)) {
    const Index piece = few * cpu::available_threads(batch.threads);
    for (; !line && done + piece < batch.size; done += piece) {
      run_by_line(cpu::CallFrom<T>(call, algorithm.arguments.size(), done).call(), piece);
      line = path.specialised->line_for(model, call, 0);
    }
  }
  if (done == 0) return run_by_line(call, batch.size);
  run_by_line(cpu::CallFrom<T>(call, algorithm.arguments.size(), done).call(), batch.size - done);
}

/// The shortest way: one state of which nothing but results is asked, by what was assembled. False if the call is to go
/// through all checks, and the other ways.
template <class T>
bool run_plain_state(const ExecutionPath<T>& path, std::span<const Array<T>> arguments, const Batch<T>& batch,
                     Workspace<T>& work) {
  if (batch.size != 1 || !path.specialised || !batch.status.empty() || !batch.iterations.empty() ||
      !batch.parameters.empty() || !batch.guess.empty() || batch.stream || batch.threads < 0)
    return false;
  const Assembled<T>* const line = path.specialised->ready();
  if (!line) return false;
  const WorkspaceInUse<T> use(work);
  const bool served = run_unchecked(*line, arguments, work);
  use.end();
  return served;
}

/// Methods that divide one robot, whose numbers differ: they are cut and laid out for one state after the other.
template <class T>
void run_divided_models(const Kernel<T>& kernel, const Call<T>& call, const ParameterArrays<T>& parameters, Index batch,
                        Workspace<T>& work) {
  StateModel<T> model(call.model, parameters);
  for (Index b = 0; b < batch; ++b) {
    model.take(b);
    const std::shared_ptr<const void> prepared =
        kernel.prepare ? kernel.prepare(model.view(), call.options) : std::shared_ptr<const void>();
    const Call<T> of_state = {model.view(), call.options,   call.arguments,  call.status, nullptr,
                              call.threads, prepared.get(), call.iterations, call.guess};
    kernel.run(of_state, b, b + 1, work.reserve(kernel.scratch_size(of_state)));
  }
}

template <class T>
void run_on_processor(const Algorithm& algorithm, const Model& model, const Options& options,
                      const ExecutionPath<T>& path, std::span<const Array<T>> arguments, const Batch<T>& batch,
                      Workspace<T>& work) {
  const Kernel<T>& kernel = *path.kernel;
  Call<T> call = {model.view<T>(), options, arguments.data(), batch.status.empty() ? nullptr : batch.status.data()};
  if (!batch.iterations.empty()) {
    std::fill(batch.iterations.begin(), batch.iterations.end(), 0);
    call.iterations = batch.iterations.data();
  }
  if (!batch.guess.empty()) call.guess = batch.guess.data();
  if (!path.divides) {
    if (batch.parameters.empty()) return run_own(algorithm, model, path, path.scratch, call, batch, work);
    const ParametersOfModel<T> parameters(model, batch.parameters, batch.size);
    call.parameters = &parameters.arrays();
    return run_own(algorithm, model, path, kernel.scratch_size(call), call, batch, work);
  }
  if (!batch.parameters.empty()) {
    const ParametersOfModel<T> parameters(model, batch.parameters, batch.size);
    call.threads = cpu::available_threads(batch.threads);
    return run_divided_models(kernel, call, parameters.arrays(), batch.size, work);
  }
  call.prepared = path.prepared.get();
  // states one after the other, each divided among the threads, if there are fewer than threads; else states are
  // divided
  const int threads = cpu::available_threads(batch.threads);
  if (batch.size >= threads) return run_states(kernel, path.scratch, call, batch, work);
  call.threads = threads;
  kernel.run(call, 0, batch.size, work.reserve(path.scratch));
}

template <class T>
void run_on_gpu(const Algorithm& algorithm, const Model& model, const Options& options, const ExecutionPath<T>& path,
                std::span<const Array<T>> arguments, const Batch<T>& batch, Workspace<T>& work) {
  std::fill(batch.iterations.begin(), batch.iterations.end(), 0);
  const auto& prepared = *static_cast<const cuda::Prepared*>(path.prepared.get());
  if (prepared.divides && !batch.parameters.empty())  // its numbers lie there, laid out for its chunks
    refuse(algorithm, "method ", to_string(options.method), " does not support parameters per state on a GPU; use ",
           "articulated_body, recursive_newton_euler or composite_rigid_body, or device cpu");
  cuda::Workspace& memory = kept(work).on_gpu;
  if (batch.parameters.empty()) return cuda::run_call<T>(prepared, algorithm, model, arguments, batch, nullptr, memory);
  const ParametersOfModel<T> parameters(model, batch.parameters, batch.size);
  cuda::run_call<T>(prepared, algorithm, model, arguments, batch, &parameters.arrays(), memory);
}

/// Steps go forward in time.
template <class T>
void check_times(const Algorithm& algorithm, std::span<const Array<T>> arguments, Index batch) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = algorithm.arguments[k];
    const Array<T>& dt = arguments[k];
    if (argument.rows != Rows::scalar || !is_input(argument) || argument.name != std::string_view("dt")) continue;
    for (Index b = 0; dt.data && dt.place == Place::host && b < (dt.stride == 0 ? 1 : batch); ++b) {
      const T h = dt.data[b * dt.stride];
      if (std::isfinite(h) && h > T(0)) continue;
      refuse(algorithm, "dt is ", double{h}, dt.stride == 0 ? std::string() : sentence(" in state ", b),
             ", expected a finite positive number of seconds");
    }
  }
}

template <class T>
void run(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device,
         const ExecutionPath<T>& path, std::span<const Array<T>> arguments, const Batch<T>& batch, Workspace<T>& work) {
  check_times(algorithm, arguments, batch.size);
  check_guess(algorithm, model, options, device, batch);
  check_overlaps(algorithm, model, arguments, batch);
  if (device.kind == Device::cuda)
    run_on_gpu(algorithm, model, options, path, arguments, batch, work);
  else
    run_on_processor(algorithm, model, options, path, arguments, batch, work);
  find_causes(algorithm, model, arguments, batch);
}

}  // namespace

template <class T>
void evaluate(const Plan<T>& plan, std::type_identity_t<std::span<const Array<T>>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work) {
  if (run_plain_state(plan.execution_path(), arguments, batch, work)) return;
  check_call(plan.algorithm(), plan.model(), arguments);
  check_batch(plan.algorithm(), batch);
  check_device(plan.algorithm(), plan.device(), arguments, batch);
  const Algorithm& serving = with_loops(plan.algorithm(), plan.model(), plan.options(), plan.device());
  if (goes_over_tree(serving, plan.model(), plan.options()))
    return evaluate_over_tree<T>(plan.model(), arguments, batch, work, plan.options());
  if (plan.model().n_loops() > 0 && differentiates_forward_dynamics(serving)) {
    check_guess(serving, plan.model(), plan.options(), plan.device(), batch);
    return evaluate_loop_derivatives<T>(serving, plan.model(), arguments, batch, plan.options());
  }
  const ArgumentsWithLoops<T> given(serving, arguments);
  const WorkspaceInUse<T> use(work);
  run(serving, plan.model(), plan.options(), plan.device(), plan.execution_path(), given.all(), batch, work);
  use.end();
}

template <class T>
void evaluate(const Algorithm& asked_for, const Model& model, std::span<const Array<T>> asked_with,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const Options& asked_options,
              const Device& device) {
  check_call(known(asked_for), model, asked_with);
  check_options(known(asked_for), model, asked_options);
  const Algorithm& algorithm = with_loops(known(asked_for), model, asked_options, device);
  if (goes_over_tree(algorithm, model, asked_options)) {
    check_batch(algorithm, batch);
    check_device(algorithm, device, asked_with, batch);
    return evaluate_over_tree<T>(model, asked_with, batch, work, asked_options);
  }
  if (model.n_loops() > 0 && differentiates_forward_dynamics(algorithm)) {
    check_batch(algorithm, batch);
    check_device(algorithm, device, asked_with, batch);
    check_guess(algorithm, model, asked_options, device, batch);
    return evaluate_loop_derivatives<T>(algorithm, model, asked_with, batch, asked_options);
  }
  const Options given = with_loops(known(asked_for), algorithm, asked_options);
  const ArgumentsWithLoops<T> all(algorithm, asked_with);
  const std::span<const Array<T>> arguments = all.all();
  check_batch(algorithm, batch);
  check_device(algorithm, device, arguments, batch);
  const WorkspaceInUse<T> use(work);
  const bool decides = device.kind == Device::cpu && batch.parameters.empty();
  const Options options = decides ? decided<T>(algorithm, model, given) : given;
  if (device.kind == Device::cuda || !is_own(algorithm, options.method)) {
    const Device here = numbered(device);
    run(algorithm, model, options, here, kept(work).path(algorithm, model, options, here), arguments, batch, work);
  } else {
    run(algorithm, model, options, device, kept(work).own_path(algorithm, model, options), arguments, batch, work);
  }
  use.end();
}

template void evaluate<double>(const Plan<double>&, std::span<const Array<double>>, const Batch<double>&,
                               Workspace<double>&);
template void evaluate<float>(const Plan<float>&, std::span<const Array<float>>, const Batch<float>&,
                              Workspace<float>&);
template void evaluate<double>(const Algorithm&, const Model&, std::span<const Array<double>>, const Batch<double>&,
                               Workspace<double>&, const Options&, const Device&);
template void evaluate<float>(const Algorithm&, const Model&, std::span<const Array<float>>, const Batch<float>&,
                              Workspace<float>&, const Options&, const Device&);

}  // namespace tandem
