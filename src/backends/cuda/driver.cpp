// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "backends/cuda/common.hpp"
#include "backends/cuda/device_model.hpp"
#include "backends/cuda/error.hpp"
#include "backends/cuda/generated/launch.hpp"
#include "backends/cuda/links/driver.hpp"
#include "backends/cuda/table.hpp"
#include "core/text.hpp"
#include "tandem/detail/problems/constraint_wrenches.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::cuda {
namespace {

template <class T>
struct DevicePlan : Prepared {
  DevicePlan(const Algorithm& algorithm, const Choice<T>& choice, const Model& m, const Options& o, int number,
             Specialise specialise)
      : Prepared(number),
        kernels(choice),
        options(o),
        model(m.view<T>()),
        own(robot_kernel_cache<T>(algorithm, m, o, specialise)),
        why_none(own || specialise == Specialise::off ? "" : why_no_robot_kernel_cache<T>(m)) {
    iterates = choice.iterates;
  }

  Choice<T> kernels;
  Options options;
  DeviceModel<T> model;
  std::unique_ptr<RobotKernelCache<T>> own;  ///< kernels for the robot, or null
  std::string why_none;

  bool is_specialised() const override { return own && own->ready(); }
  std::string description() const override {
    if (own) return own->description();
    return Prepared::description() + (why_none.empty() ? "" : ": " + why_none);
  }

  /// What models that differ have in common. Copied there by the first call that needs it.
  const ReplicatedModel<T>& replicated(const Model& m) const {
    std::call_once(once_, [&] { replicated_ = std::make_unique<ReplicatedModel<T>>(m); });
    return *replicated_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<ReplicatedModel<T>> replicated_;
};

/// Columns count rows in 32 bits.
template <class T>
void check_strides(const Algorithm& algorithm, const Array<T>* arguments) {
  constexpr Index most = static_cast<Index>(std::uint32_t(-1) / sizeof(T));
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
    if (arguments[k].data && (arguments[k].row_stride > most || arguments[k].row_stride < 0))
      throw Error(sentence(algorithm.name, ": rows of argument ", algorithm.arguments[k].name, " are ",
                           arguments[k].row_stride, " numbers apart, expected at most ", most,
                           " on a GPU: use several batches"));
}

template <class T>
Watched<T> watched(const Algorithm& algorithm, const Array<T>* arguments, bool inverts) {
  Watched<T> w;
  if (algorithm.arguments.size() > most_arguments) throw Error(sentence(algorithm.name, " has too many arguments"));
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k) {
    w.arguments[k] = algorithm.arguments[k];
    w.arrays[k] = arguments[k];
  }
  w.count = static_cast<int>(algorithm.arguments.size());
  w.inverts_mass_matrix = inverts;
  return w;
}

/// Starts it by a kernel that serves every robot, or many of them.
template <class T>
void start_for_every_robot(const DevicePlan<T>& plan, const Model& model, const CallThere<T>& call, Workspace& work) {
  const ModelView<T>& m = model.view<T>();
  const bool varied = call.varied != nullptr && plan.kernels.varied != nullptr;
  const Kernel<T>* kernel = varied ? plan.kernels.varied : plan.kernels.many;
  if (!varied && plan.kernels.few) {
    const Kernel<T>& few = *plan.kernels.few;
    if (call.batch <= most_shared(few.resources().multiprocessors)) kernel = &few;
  }
  const Resources resources = kernel->resources();
  const Index rows = kernel->work_rows(m, plan.options), threads = call.batch * kernel->shares;
  const Index own = varied ? own_rows(m) : 0;
  KernelCall<T> launch = {plan.model.view(m), m, plan.options, call.arguments, call.batch, {}, {}, threads, call.stream,
                          call.iterations};
  if (kernel->own_rows == 0) {
    // a model of its own comes in whole warps
    const Index unit = varied ? warp : kernel->shares, all_rows = std::max<Index>(1, rows + own);
    const Scratch<T> scratch = take_scratch<T>(work, std::min(threads, resources.resident), all_rows, unit);
    launch.scratch = scratch;
    launch.threads = scratch.columns;
    if (varied) launch.variation = plan.replicated(model).variation(*call.varied, scratch.data + rows * scratch.stride);
  }
  if (kernel->models == Models::varied) launch.model = plan.replicated(model).view(launch.model);
  kernel->launch(launch);
}

/// The bits of all states; behind them their steps, if somebody asks what became of these.
template <class T>
std::uint8_t* reserve_reports(const Prepared& prepared, CallThere<T>& call, Workspace& work) {
  const std::size_t states = static_cast<std::size_t>(call.batch), bits_end = (states + 3) / 4 * 4;
  const bool counts = prepared.iterates && !call.iterations;
  auto* const bits =
      static_cast<std::uint8_t*>(work.reports.reserve(bits_end + (counts ? states * sizeof(std::int32_t) : 0)));
  if (counts) call.iterations = reinterpret_cast<std::int32_t*>(bits + bits_end);
  return bits;
}

/// Starts it as the arrays lie.
template <class T>
void start_as_it_lies(const DevicePlan<T>& plan, const Algorithm& algorithm, const Model& model,
                      const CallThere<T>& given, Workspace& work) {
  const ModelView<T>& m = model.view<T>();
  CallThere<T> call = given;
  Watched<T> watch_these;
  if (call.status) {
    watch_these = watched(algorithm, call.arguments, plan.kernels.inverts_mass_matrix);
    auto* const bits = reserve_reports(plan, call, work);
    watch_these.iterations = call.iterations;
    watch(watch_these, plan.model.view(m), true, bits, call.status, call.batch, call.stream);
  }

  const LoadedKernels* const own =
      plan.own && serve(algorithm, call) ? plan.own->kernels_for(model, call.arguments, call.batch) : nullptr;
  if (own)
    launch(*own, algorithm, model, call);
  else
    start_for_every_robot(plan, model, call, work);
  if (call.status)
    watch(watch_these, plan.model.view(m), false, static_cast<std::uint8_t*>(work.reports.data()), call.status,
          call.batch, call.stream);
}

/// The same for a method that divides one robot.
template <class T>
void start_divided(const Prepared& prepared, const Algorithm& algorithm, const Model& model, const CallThere<T>& call,
                   Workspace& work) {
  if (!call.status) return start_links(prepared, model, call, work);
  const bool inverts = algorithm.name == std::string_view(ForwardDynamics::name) ||
                       algorithm.name == std::string_view(ConstraintWrenches::name);
  Watched<T> watch_these = watched(algorithm, call.arguments, inverts);
  CallThere<T> counted = call;
  auto* const bits = reserve_reports(prepared, counted, work);
  const ModelView<T> m = model_of_links(prepared, model, call.arguments);
  watch_long(watch_these, m, true, bits, call.status, call.batch, call.stream);
  start_links(prepared, model, counted, work);
  watch_these.iterations = prepared.iterates ? counted.iterations : nullptr;
  watch_long(watch_these, m, false, bits, call.status, call.batch, call.stream);
}

/// Whether threads that go through a state's rows, which lie side by side, would each touch memory of its own with
/// every number. Many results are then written faster with neighbouring states side by side, and turned over; where
/// there are states enough for the cache to hold a row of none, so are longer inputs. As measured on an H100.
template <class T>
bool is_better_turned(const Argument& argument, const Array<T>& array, Index rows, Index batch) {
  if (!array.data || array.row_stride != 1 || array.stride < rows || batch < warp) return false;
  return (rows >= 40 && !is_input(argument)) || (rows >= 30 && batch >= 32768);
}

}  // namespace

template <class T>
std::shared_ptr<const Prepared> prepare(const Algorithm& algorithm, const Model& model, const Options& options,
                                        int device, Specialise specialise) {
  const Choice<T> choice = kernels_for<T>(algorithm, model.view<T>(), options);
  const DeviceInUse here(device);
  return std::make_shared<const DevicePlan<T>>(algorithm, choice, model, options, device, specialise);
}

template <class T>
void start(const Prepared& prepared, const Algorithm& algorithm, const Model& model, const CallThere<T>& call,
           Workspace& work) {
  if (prepared.divides) {
    return start_divided(prepared, algorithm, model, call, work);
  }
  const auto& plan = static_cast<const DevicePlan<T>&>(prepared);
  check_strides(algorithm, call.arguments);
  std::vector<std::size_t> turned;
  Index rows = 0;
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k) {
    const Index n = shape(algorithm.arguments[k].rows, model.view<T>()).count();
    if (!is_better_turned(algorithm.arguments[k], call.arguments[k], n, call.batch)) continue;
    turned.push_back(k);
    rows += n;
  }
  if (turned.empty()) return start_as_it_lies(plan, algorithm, model, call, work);

  const Index piece = std::min(call.batch, std::max(warp, static_cast<Index>(work.most_turned / sizeof(T)) / rows));
  auto* const numbers = static_cast<T*>(work.arrays.reserve(static_cast<std::size_t>(rows * piece) * sizeof(T)));
  for (Index first = 0; first < call.batch; first += piece) {
    const Index states = std::min(piece, call.batch - first);
    const auto advance = [first](Array<T>& array) {
      if (array.data) array.data += first * array.stride;
    };
    std::vector<Array<T>> arguments(call.arguments, call.arguments + algorithm.arguments.size());
    std::for_each(arguments.begin(), arguments.end(), advance);
    ParameterArrays<T> varied = call.varied ? *call.varied : ParameterArrays<T>();
    std::for_each(std::begin(varied.values), std::end(varied.values), advance);
    std::vector<Transposition<T>> turns;
    T* next = numbers;
    for (const std::size_t k : turned) {
      const Index n = shape(algorithm.arguments[k].rows, model.view<T>()).count();
      const Array<T> here = {next, 1, states, Place::device};
      const bool input = is_input(algorithm.arguments[k]);
      if (input)
        turn(Transposition<T>{arguments[k], here, n, states}, call.stream);
      else
        turns.push_back({here, arguments[k], n, states});
      arguments[k] = here;
      next += n * states;
    }
    start_as_it_lies<T>(
        plan, algorithm, model,
        {arguments.data(), states, call.status ? call.status + first : nullptr, call.varied ? &varied : nullptr,
         call.stream, call.iterations ? call.iterations + first : nullptr},
        work);
    for (const Transposition<T>& t : turns) turn(t, call.stream);
  }
}

template std::shared_ptr<const Prepared> prepare<double>(const Algorithm&, const Model&, const Options&, int,
                                                         Specialise);
template std::shared_ptr<const Prepared> prepare<float>(const Algorithm&, const Model&, const Options&, int,
                                                        Specialise);
template void start(const Prepared&, const Algorithm&, const Model&, const CallThere<double>&, Workspace&);
template void start(const Prepared&, const Algorithm&, const Model&, const CallThere<float>&, Workspace&);

}  // namespace tandem::cuda
