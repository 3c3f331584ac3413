// SPDX-License-Identifier: Apache-2.0
/// The plans of the methods that have kernels of chunks: a thread a chunk.
#include <algorithm>
#include <mutex>

#include "backends/cuda/links/plan.hpp"
#include "backends/cuda/links/scan_kernels.hpp"
#include "core/text.hpp"

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

/// What of the options says how the robot is cut, for one state or for many.
using CutFor = ScanCutOnDevice (*)(Index links, bool many, const Options&);

template <class T>
class ScanPlanOnDevice : public LinkPlan<T> {
 public:
  ScanPlanOnDevice(const Model& model, const Options& options, int number, Task of, CutFor cut)
      : LinkPlan<T>(model, number), task_(of), options_(options), cut_(cut), n_(model.view<T>().n_links - 1) {
    layout(model, false);
  }
  void start(const Model& model, const CallThere<T>& call, Workspace& work) const override;

 private:
  /// How the robot is cut for one state, or for many.
  const DeviceLayout<T>& layout(const Model& model, bool many) const {
    const std::lock_guard lock(mutex_);
    auto& layout = layouts_[many];
    if (!layout) layout = std::make_unique<DeviceLayout<T>>(model.view<T>(), cut_(n_, many, options_), task_);
    return *layout;
  }
  /// Many states of a robot that does not fill the device alone.
  bool are_many(Index states) const { return states * n_ >= 200000 && n_ < 1000000 && states > 1; }

  const Task task_;
  const Options options_;
  const CutFor cut_;
  const Index n_;
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
void launch(ScanStep step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream) {
  switch (launch.kind) {
    case LaneKind::revolute: return launch_scan<T, LaneKind::revolute>(step, call, launch, states, stream);
    case LaneKind::one_dof: return launch_scan<T, LaneKind::one_dof>(step, call, launch, states, stream);
    case LaneKind::spherical: return launch_scan<T, LaneKind::spherical>(step, call, launch, states, stream);
    case LaneKind::any: return launch_scan<T, LaneKind::any>(step, call, launch, states, stream);
  }
}

template <class T>
void ScanPlanOnDevice<T>::start(const Model& model, const CallThere<T>& there, Workspace& work) const {
  const Array<T>* const arguments = there.arguments;
  const Index batch = there.batch;
  const Stream stream = there.stream;
  const DeviceLayout<T>& layout = this->layout(model, are_many(batch));
  const Index bytes = layout.bytes_of_state();
  constexpr std::size_t line = 256;
  const std::size_t wanted = static_cast<std::size_t>(bytes * batch) + line, most = most_scratch(work, wanted, 0.9);
  const Index states = std::min<Index>(batch, (static_cast<Index>(most) - static_cast<Index>(line)) / bytes);
  if (states < 1)
    throw Error(sentence("CUDA: a state of this robot needs ", bytes,
                         " bytes of scratch memory on the device, more than the limit of ", most));
  Arena arena(work.scratch.reserve(static_cast<std::size_t>(bytes * states) + line));
  ScanCallOnDevice<T> call = {};
  call.m = this->there(model);
  call.shape = layout.shape();
  call.scratch = ScanScratch<T>(arena, layout.shape(), task_);
  call.scratch.apart = bytes;
  call.scratch.counters = counters_of(work, states * layout.shape().counters(), stream);
  call.q = arguments[0];
  switch (task_) {
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
    for_each_launch(layout.layout(), task_, [&](ScanStep step, const Launch& kernel) {
      launch(step, call, kernel, std::min(states, batch - call.first_state), stream);
    });
}

ScanCutOnDevice cut_of_scan(Index n, bool many, const Options& options) {
  ScanCutOnDevice cut = cut_for(n, many);
  if (options.chunk > 0 || options.chunks > 0) {
    cut.chunk = options.chunk;
    cut.chunks = options.chunks;
  }
  return cut;
}
/// As many subsystems as there are threads of the scan; a warp waits for the longest of them, so that none is longer by
/// itself.
ScanCutOnDevice cut_of_subsystems(Index n, bool many, const Options& options) {
  ScanCutOnDevice cut = cut_for(n, many);
  if (cut.chunk > 0) cut.chunks = static_cast<int>((n + cut.chunk - 1) / cut.chunk);
  if (options.chunks > 0) cut.chunks = options.chunks;
  cut.chunk = 0;
  cut.load_ratio = options.load_ratio > 0 ? options.load_ratio : 1;
  cut.heaviest_only = true;
  return cut;
}

template <class T, Task task, CutFor cut>
std::shared_ptr<const LinkPlan<T>> scan_plan(const Model& model, const Options& options, int device) {
  return std::make_shared<const ScanPlanOnDevice<T>>(model, options, device, task, cut);
}

}  // namespace

template <class T>
std::shared_ptr<const LinkPlan<T>> plan_forward_scan(const Model& model, const Options& options, int device) {
  return scan_plan<T, Task::forward, cut_of_scan>(model, options, device);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_subsystems(const Model& model, const Options& options, int device) {
  return scan_plan<T, Task::forward, cut_of_subsystems>(model, options, device);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_inverse_scan(const Model& model, const Options& options, int device) {
  return scan_plan<T, Task::inverse, cut_of_scan>(model, options, device);
}
template <class T>
std::shared_ptr<const LinkPlan<T>> plan_composite_scan(const Model& model, const Options& options, int device) {
  return scan_plan<T, Task::mass, cut_of_scan>(model, options, device);
}

template std::shared_ptr<const LinkPlan<double>> plan_forward_scan(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<float>> plan_forward_scan(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<double>> plan_subsystems(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<float>> plan_subsystems(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<double>> plan_inverse_scan(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<float>> plan_inverse_scan(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<double>> plan_composite_scan(const Model&, const Options&, int);
template std::shared_ptr<const LinkPlan<float>> plan_composite_scan(const Model&, const Options&, int);

}  // namespace tandem::cuda
