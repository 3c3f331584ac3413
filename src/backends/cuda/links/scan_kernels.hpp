// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/links/scan_layout.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// The kernels of a call, one after the other: by task.
enum class Step { place, turn, gather, accelerate, move, push, torque, pose, hang, axes, pairs };

/// f(step, launch) for each of them.
template <class T, class F>
void for_each_launch(const ScanLayout<T>& layout, Task task, F&& f) {
  const auto on_all = [&](Step step) {
    for (const Launch& launch : layout.place_launches()) f(step, launch);
  };
  if (task == Task::inverse) {
    for (const Step step : {Step::move, Step::push, Step::torque}) on_all(step);
    return;
  }
  if (task == Task::mass) {
    for (const Step step : {Step::pose, Step::hang, Step::axes}) on_all(step);
    f(Step::pairs, Launch{LaneKind::any, 0, 1, 0});
    return;
  }
  on_all(Step::place);
  const auto& levels = layout.level_launches();
  if (levels.size() > 1) f(Step::turn, Launch{LaneKind::any, 0, 1, 0});
  for (auto level = levels.rbegin(); level != levels.rend(); ++level)
    for (const Launch& launch : *level) f(Step::gather, launch);
  for (const auto& level : levels)
    for (const Launch& launch : level) f(Step::accelerate, launch);
}

/// Starts a kernel for so many states. Every kind and precision has a source file of its own (kernels.cmake).
template <class T, LaneKind kind>
void launch_scan(Step step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream);

}  // namespace tandem::cuda
