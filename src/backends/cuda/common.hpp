// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/report.hpp"
#include "backends/cuda/transposition.hpp"

namespace tandem::cuda {

/// Starts watch_state for every state.
template <class T>
void watch(const Watched<T>& watched, const ModelView<T>& m, bool inputs, std::uint8_t* bits, Status* status,
           Index batch, Stream stream);

/// The same by a block for every state, for long robots.
template <class T>
void watch_long(const Watched<T>& watched, const ModelView<T>& m, bool inputs, std::uint8_t* bits, Status* status,
                Index batch, Stream stream);

/// Starts to = from - to, of so many rows.
template <class T>
void subtract_from(const Array<T>& from, const Array<T>& to, Index rows, Index states, Stream stream);

/// Starts bringing an array over.
template <class T>
void turn(const Transposition<T>& t, Stream stream);

}  // namespace tandem::cuda
