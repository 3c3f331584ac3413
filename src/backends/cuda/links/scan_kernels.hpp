// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/links/scan_layout.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// The kernels of a call, one after the other: by task.
enum class Step { place, turn, gather, accelerate, move, start, push, torque, pose, settle, hang, axes, pairs };

/// f(step, launch) for each of them.
template <class T, class F>
void for_each_launch(const ScanLayout<T>& layout, Task task, F&& f) {
  const auto on_all = [&](Step step) {
    for (const Launch& launch : layout.place_launches()) f(step, launch);
  };
  const Launch one = {LaneKind::any, 0, 1, 0};
  const auto& levels = layout.level_launches();
  const auto inward = [&](Step step) {
    for (auto level = levels.rbegin(); level != levels.rend(); ++level)
      for (const Launch& launch : *level) f(step, launch);
  };
  if (task == Task::inverse) {
    on_all(Step::move);
    if (levels.size() > 1) f(Step::start, one);
    inward(Step::push);
    return on_all(Step::torque);
  }
  if (task == Task::mass) {
    on_all(Step::pose);
    if (levels.size() > 1) f(Step::settle, one);
    inward(Step::hang);
    on_all(Step::axes);
    return f(Step::pairs, one);
  }
  on_all(Step::place);
  if (levels.size() > 1) f(Step::turn, one);
  inward(Step::gather);
  for (const auto& level : levels)
    for (const Launch& launch : level) f(Step::accelerate, launch);
}

/// Starts a kernel for so many states. Every kind and precision has a source file of its own (kernels.cmake).
template <class T, LaneKind kind>
void launch_scan(Step step, const ScanCallOnDevice<T>& call, const Launch& launch, Index states, Stream stream);

}  // namespace tandem::cuda
