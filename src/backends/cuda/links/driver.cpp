// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/links/driver.hpp"

#include <algorithm>
#include <mutex>
#include <string_view>

#include "backends/cuda/device_model.hpp"
#include "backends/cuda/links/scan_kernels.hpp"
#include "core/text.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::cuda {
namespace {

/// The arrays of a layout on the device in use.
template <class T>
class DeviceLayout {
 public:
  DeviceLayout(const ModelView<T>& m, const ScanCutOnDevice& cut, Task task)
      : layout_(m, cut), shape_(layout_.counts()) {
    layout_.for_each_array([&](auto field, auto& array) {
      if (array.empty()) return;
      Memory memory(Place::device);
      const std::size_t bytes = array.size() * sizeof(array[0]);
      copy_to_device(memory.reserve(bytes), array.data(), bytes);
      shape_.*field = static_cast<decltype(array.data())>(memory.data());
      memories_.push_back(std::move(memory));
    });
    check(cudaDeviceSynchronize(), "copying a robot's chunks");  // before kernels on any stream
    layout_.for_each_array([](auto, auto& array) { std::remove_reference_t<decltype(array)>().swap(array); });
    Arena arena;
    ScanScratch<T>(arena, shape_, task);
    constexpr Index line = 256;
    bytes_of_state_ = (arena.rows<char>() + line - 1) / line * line;
  }
  const ScanLayout<T>& layout() const { return layout_; }
  const ScanShape<T>& shape() const { return shape_; }
  Index bytes_of_state() const { return bytes_of_state_; }

 private:
  ScanLayout<T> layout_;
  ScanShape<T> shape_;
  std::vector<Memory> memories_;
  Index bytes_of_state_ = 0;
};

template <class T>
class ScanPlanOnDevice : public Prepared {
 public:
  ScanPlanOnDevice(const Model& model, const Options& options, int number, Task of)
      : Prepared{number, true}, task(of), options_(options), n_(model.view<T>().n_links - 1), model_(model.view<T>()) {
    layout(model, false);
  }
  /// How the robot is cut for one state, or for many.
  const DeviceLayout<T>& layout(const Model& model, bool many) const {
    const std::lock_guard lock(mutex_);
    auto& layout = layouts_[many];
    if (!layout) {
      ScanCutOnDevice cut = cut_for(n_, many);
      if (options_.chunk > 0 || options_.chunks > 0) {
        cut.chunk = options_.chunk;
        cut.chunks = options_.chunks;
      }
      layout = std::make_unique<DeviceLayout<T>>(model.view<T>(), cut, task);
    }
    return *layout;
  }
  /// Many states of a robot that does not fill the device alone.
  bool are_many(Index states) const { return states * n_ >= 200000 && n_ < 1000000 && states > 1; }
  const DeviceModel<T>& model() const { return model_; }
  const Task task;

 private:
  Options options_;
  Index n_;
  DeviceModel<T> model_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<DeviceLayout<T>> layouts_[2];
};

/// Counters are 0 between calls; a call on another robot finds them so, too.
unsigned* counters_of(Workspace& work, Index count, Stream stream) {
  const std::size_t bytes = static_cast<std::size_t>(std::max<Index>(count, 1)) * sizeof(unsigned);
  if (bytes <= work.counters.size()) return static_cast<unsigned*>(work.counters.data());
  void* const counters = work.counters.reserve(bytes);
  check(cudaMemsetAsync(counters, 0, work.counters.size(), stream), "counters of blocks");
  return static_cast<unsigned*>(counters);
}

template <class T>
void launch(Step step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream) {
  switch (launch.kind) {
    case LaneKind::revolute: return launch_scan<T, LaneKind::revolute>(step, call, launch, states, stream);
    case LaneKind::one_dof: return launch_scan<T, LaneKind::one_dof>(step, call, launch, states, stream);
    case LaneKind::spherical: return launch_scan<T, LaneKind::spherical>(step, call, launch, states, stream);
    case LaneKind::any: return launch_scan<T, LaneKind::any>(step, call, launch, states, stream);
  }
}

}  // namespace

template <class T>
std::shared_ptr<const Prepared> prepare_links(const Algorithm& algorithm, const Model& model, const Options& options,
                                              int device) {
  struct Served {
    std::string_view algorithm;
    Method method;
    Task task;
  };
  constexpr Served served[] = {{ForwardDynamics::name, Method::scan, Task::forward},
                               {InverseDynamics::name, Method::scan, Task::inverse},
                               {MassMatrix::name, Method::composite_scan, Task::mass}};
  const auto* const found = std::find_if(std::begin(served), std::end(served), [&](const Served& s) {
    return s.algorithm == algorithm.name && s.method == options.method;
  });
  if (found == std::end(served))
    throw Error(sentence(algorithm.name, ": method ", to_string(options.method),
                         " does not run on the GPU; of the methods that divide one robot, scan of forward_dynamics and "
                         "of inverse_dynamics and composite_scan of mass_matrix do"));
  if (options.form != Form::automatic && options.form != Form::jet)
    throw Error(sentence(algorithm.name, ": form ", to_string(options.form), " does not run on the GPU; jet does"));
  if (options.scan_schedule == ScanSchedule::hillis_steele)
    throw Error(sentence(algorithm.name, ": scan_schedule hillis_steele does not run on the GPU; tree does"));
  const DeviceInUse here(device);
  return std::make_shared<const ScanPlanOnDevice<T>>(model, options, device, found->task);
}

template <class T>
void start_links(const Prepared& prepared, const Model& model, const Array<T>* arguments, Index batch, Workspace& work,
                 Stream stream) {
  const auto& plan = static_cast<const ScanPlanOnDevice<T>&>(prepared);
  if (model.nv() == 0) return;
  const DeviceLayout<T>& layout = plan.layout(model, plan.are_many(batch));
  const Index bytes = layout.bytes_of_state();
  constexpr std::size_t line = 256;
  const std::size_t wanted = static_cast<std::size_t>(bytes * batch) + line, most = most_scratch(work, wanted, 0.9);
  const Index states = std::min<Index>(batch, (static_cast<Index>(most) - static_cast<Index>(line)) / bytes);
  if (states < 1)
    throw Error(sentence("CUDA: a state of this robot needs ", bytes,
                         " bytes of scratch memory on the device, and may have ", most));
  Arena arena(work.scratch.reserve(static_cast<std::size_t>(bytes * states) + line));
  ScanCallOnDevice<T> call = {};
  call.m = plan.model().view(model.view<T>());
  call.shape = layout.shape();
  call.scratch = ScanScratch<T>(arena, layout.shape(), plan.task);
  call.scratch.apart = bytes;
  call.scratch.counters = counters_of(work, states * layout.shape().counters(), stream);
  call.q = arguments[0];
  switch (plan.task) {
    case Task::forward:
      call.v = arguments[1], call.tau = arguments[2], call.f_ext = arguments[3], call.diagonal = arguments[4];
      call.a = arguments[5];
      break;
    case Task::inverse:
      call.v = arguments[1], call.a = arguments[2], call.f_ext = arguments[3];
      call.tau = arguments[4];
      break;
    case Task::mass: call.M = arguments[1];
  }
  for (; call.first_state < batch; call.first_state += states)
    for_each_launch(layout.layout(), plan.task, [&](Step step, const Launch& kernel) {
      launch(step, call, kernel, std::min(states, batch - call.first_state), stream);
    });
}

template std::shared_ptr<const Prepared> prepare_links<double>(const Algorithm&, const Model&, const Options&, int);
template std::shared_ptr<const Prepared> prepare_links<float>(const Algorithm&, const Model&, const Options&, int);
template void start_links(const Prepared&, const Model&, const Array<double>*, Index, Workspace&, Stream);
template void start_links(const Prepared&, const Model&, const Array<float>*, Index, Workspace&, Stream);

}  // namespace tandem::cuda
