// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as kernels of CUDA. All numbers of a kernel are those of its function to the bit; angles and
/// quaternions of any size are looked after: a state that has too large ones for the straight line is computed once
/// more, by a function that stands before the kernel.
#pragma once
#include <string>

#include "tracing/teams.hpp"

namespace tandem {

/// What stands before the functions of a file, once: helpers.
std::string cuda_prelude(Graph::Precision precision);

/// __device__ void name_of_any(In q, ..., Out tau, unsigned b), which the kernels of that name call.
std::string redo_text(const RecordedFunction& function, const std::string& name);

/// extern "C" __global__ void name(In q, ..., Out tau, unsigned batch): a thread a state, blocks of up to
/// TANDEM_THREADS.
std::string kernel_text(const RecordedFunction& function, const std::string& name);

/// How to launch a kernel whose warps share states.
struct TeamKernel {
  std::string text;        ///< empty if the function is not divided: nothing would be gained
  std::int32_t teams = 0;  ///< warps of a block, which has 32 states
};

/// extern "C" __global__ void name_by_limbs(In q, ..., Out tau, unsigned batch), with a warp for every limb of the
/// robot.
TeamKernel team_kernel_text(const RecordedFunction& function, const std::string& name, const ModelView<double>& m);

}  // namespace tandem
