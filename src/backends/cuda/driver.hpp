// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// Starts an algorithm over a batch, arguments checked and on the device.
template <class T>
void run(const Algorithm& algorithm, const Model& model, const Array<T>* arguments, Index batch, Workspace& work,
         const Options& options, Stream stream);

}  // namespace tandem::cuda
