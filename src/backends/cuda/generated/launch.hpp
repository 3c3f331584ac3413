// SPDX-License-Identifier: Apache-2.0
/// Kernels of one robot on the device.
#pragma once
#include "backends/cuda/driver.hpp"
#include "backends/cuda/generated/robot_kernel_cache.hpp"

namespace tandem::cuda {

/// Those of the device in use.
Means means_here(const Compiler* compiler);

/// For a plan of the device in use, or null if there are to be none. Throws Error where they were asked for and cannot
/// be.
template <class T>
std::unique_ptr<RobotKernelCache<T>> robot_kernel_cache(const Algorithm& algorithm, const Model& model,
                                                        const Options& options, Specialise how);

/// Why a model has none.
template <class T>
std::string why_no_robot_kernel_cache(const Model& model);

/// Whether a call is one that they serve: a model for all states, numbers no further apart than 32 bits count, and no
/// output in the place of an input.
template <class T>
bool serve(const Algorithm& algorithm, const CallThere<T>& call);

/// Starts a call that they serve.
template <class T>
void launch(const LoadedKernels& kernels, const Algorithm& algorithm, const Model& model, const CallThere<T>& call);

}  // namespace tandem::cuda
