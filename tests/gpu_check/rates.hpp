// SPDX-License-Identifier: Apache-2.0
/// States a second.
#pragma once
#include <vector>

#include "robots.hpp"
#include "sections.hpp"

namespace tandem::gpu_check {

/// Inverse dynamics, forward dynamics and the mass matrix by generic kernels and by those of the robot: arrays on the
/// device, [row][batch] and [batch][row], and of the host. A unit for a robot, a function and a precision; float first.
/// Arrays of a call take at most 6 GB. With `on_host` the rate of one core alone.
void add_rates(const std::vector<Robot>& robots, bool on_host, std::vector<Unit>& units);

/// Derivatives as matrices, products of derivatives, steps, of robots of up to 40 degrees of freedom; arrays on the
/// device.
void add_derivative_rates(const std::vector<Robot>& robots, std::vector<Unit>& units);

/// A thread a robot: the batches of figures of papers, microseconds.
void add_paper_batches(std::vector<Unit>& units);

}  // namespace tandem::gpu_check
