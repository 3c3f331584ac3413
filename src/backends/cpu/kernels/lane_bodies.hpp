// SPDX-License-Identifier: Apache-2.0
/// Bodies of algorithms in lanes, for loops that call several of them: compiled once, with the kernels of their algorithms.
#pragma once
#include "tiles.hpp"

namespace tandem::inline TANDEM_ISA {

/// The body of an algorithm as the loop over tiles calls it, with an object of the algorithm that the caller has.
template <class T>
struct LaneBodies {
  template <class M>
  using Body = decltype(TileBody<FullPack<T>, M>::run);

  Body<T> of_model;             ///< all lanes of one model
  Body<FullPack<T>> of_models;  ///< each lane of its own
  template <class M>
  Body<M> on() const {
    if constexpr (std::is_same_v<M, T>)
      return of_model;
    else
      return of_models;
  }
};

/// Of those algorithms that kernels.cmake names.
template <class A, class T>
const LaneBodies<T>& lane_bodies_of();

}  // namespace tandem::inline TANDEM_ISA
