// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/report.hpp"
#include "backends/cuda/transposition.hpp"

namespace tandem::cuda {

/// Starts watch_state for every state.
template <class T>
void watch(const Watched<T>& watched, const ModelView<T>& m, bool inputs, std::uint8_t* bits, Status* status,
           Index batch, Stream stream);

/// Starts bringing an array over.
template <class T>
void turn(const Transposition<T>& t, Stream stream);

}  // namespace tandem::cuda
