// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/links/scan_layout.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// The kernels of a call, one after the other: by task.
enum class ScanStep { place, turn, gather, accelerate, move, start, push, torque, pose, settle, hang, axes, pairs };

/// f(step, launch) for each of them.
template <class T, class F>
void for_each_launch(const ScanLayout<T>& layout, Task task, F&& f) {
  const auto on_all = [&](ScanStep step) {
    for (const Launch& launch : layout.place_launches()) f(step, launch);
  };
  const Launch one = {LaneKind::any, 0, 1, 0};
  const auto& levels = layout.level_launches();
  const auto inward = [&](ScanStep step) {
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
      for (const Launch& launch : *level) f(step, launch);
  };
  if (task == Task::inverse) {
    on_all(ScanStep::move);
    if (levels.size() > 1) f(ScanStep::start, one);
    inward(ScanStep::push);
    return on_all(ScanStep::torque);
  }
  if (task == Task::mass) {
    on_all(ScanStep::pose);
    if (levels.size() > 1) f(ScanStep::settle, one);
    inward(ScanStep::hang);
    on_all(ScanStep::axes);
    return f(ScanStep::pairs, one);
  }
  on_all(ScanStep::place);
  if (levels.size() > 1) f(ScanStep::turn, one);
  inward(ScanStep::gather);
  for (const auto& level : levels)
    for (const Launch& launch : level) f(ScanStep::accelerate, launch);
}

/// Starts a kernel for so many states. Every kind and precision has a source file of its own (kernels.cmake).
template <class T, LaneKind kind>
void launch_scan(ScanStep step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream);

}  // namespace tandem::cuda
