// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <string>

#include "tandem/error.hpp"

namespace tandem::cuda {

/// Every call of the CUDA runtime goes through here. Throws Error with what was tried and the runtime's own words.
inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // reported here and not by a later call
  throw Error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

}  // namespace tandem::cuda
