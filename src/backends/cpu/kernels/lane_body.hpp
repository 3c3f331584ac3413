// SPDX-License-Identifier: Apache-2.0
/// Bodies of algorithms for loops that call several of them: compiled once, with the kernels of their algorithms.
#pragma once
#include "tiles.hpp"

namespace tandem::inline TANDEM_ISA {

/// The body of an algorithm as the loop over tiles calls it, with an object of the algorithm that the caller has.
template <class T>
using LaneBody = decltype(TileBody<FullPack<T>>::run);

/// Of those algorithms that kernels.cmake names.
template <class A, class T>
LaneBody<T> lane_body_of();

/// The same of one state.
template <class T>
using StateBody = decltype(TileBody<T>::run);
template <class A, class T>
StateBody<T> state_body_of();

}  // namespace tandem::inline TANDEM_ISA
