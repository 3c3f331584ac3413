// SPDX-License-Identifier: Apache-2.0
/// Passes that several algorithms run, on the numbers of kernels: numbers and packs. Each is compiled in one object, passes_double.cpp
/// or passes_float.cpp, which the objects of algorithms are linked with. On other numbers a pass is compiled where it is used.
#pragma once
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tiles.hpp"

// Numbers S, a model of M, columns C, a workspace S*; `declared` is extern, or nothing.
#define TANDEM_PASSES_ON(declared, S, M, C)                                                                         \
  declared template void InverseDynamics::body<S>(const ModelView<M>&, C, C, C, C, C, S*);                          \
  declared template void ForwardDynamics::body<S>(const ModelView<M>&, C, C, C, C, C, C, S*) const;                 \
  declared template void ArticulatedBody::place_and_move<S, true>(const ModelView<M>&, C, C, C, S*);                \
  declared template void ArticulatedBody::place_and_move<S, false>(const ModelView<M>&, C, C, C, S*);               \
  declared template void ArticulatedBody::inward<S, true, true>(const ModelView<M>&, C, C, S*);                     \
  declared template void ArticulatedBody::inward<S, true, false>(const ModelView<M>&, C, C, S*);                    \
  declared template void ArticulatedBody::inward<S, false, false>(const ModelView<M>&, C, C, S*);                   \
  declared template void ArticulatedBody::outward<S>(const ModelView<M>&, C, S*);                                   \
  declared template void ArticulatedBody::solve_with_mimic<S, true, true>(const ModelView<M>&, C, C, C, S*);        \
  declared template void ArticulatedBody::solve_with_mimic<S, true, false>(const ModelView<M>&, C, C, C, S*);       \
  declared template void ArticulatedBody::solve_with_mimic<S, false, false>(const ModelView<M>&, C, C, C, S*);
#define TANDEM_PASSES(declared, T)                                                               \
  TANDEM_PASSES_ON(declared, T, T, T*)                                                           \
  TANDEM_PASSES_ON(declared, FullPack<T>, T, TileColumn<FullPack<T>>::Type)                      \
  TANDEM_PASSES_ON(declared, FullPack<T>, FullPack<T>, TileColumn<FullPack<T>>::Type)

namespace tandem::inline TANDEM_ISA {

TANDEM_PASSES(extern, double)
TANDEM_PASSES(extern, float)

}  // namespace tandem::inline TANDEM_ISA
