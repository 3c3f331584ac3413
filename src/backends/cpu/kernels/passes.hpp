// SPDX-License-Identifier: Apache-2.0
/// Passes that several algorithms run, on the numbers of kernels: numbers and packs, and dual numbers. Each is compiled
/// in one object, passes_*.cpp or dual_passes_*.cpp, and linked to the objects of algorithms. On other numbers a pass
/// is compiled where it is used.
#pragma once
#include "tandem/detail/core/dual.hpp"
#include "tandem/detail/problems/energy.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/simulation/stepped_robot.hpp"
#include "tandem/detail/simulation/tangents.hpp"
#include "tiles.hpp"

// Numbers S, a model of M, columns C, a workspace S*. `declared` is extern, or nothing where they are compiled.
// clang-format off
#define TANDEM_PASSES_OF_ALL(declared, S, M, C)                                                                  \
  declared template void ArticulatedBody::place_and_move<S, true>(const ModelView<M>&, C, C, C, S*);             \
  declared template void ArticulatedBody::inward<S, true, true>(const ModelView<M>&, C, C, S*);                  \
  declared template void ArticulatedBody::inward<S, false, false>(const ModelView<M>&, C, C, S*);                \
  declared template void ArticulatedBody::outward<S>(const ModelView<M>&, C, S*);                                \
  declared template void ArticulatedBody::solve_with_mimic<S, true, true>(const ModelView<M>&, C, C, C, S*);     \
  declared template void ArticulatedBody::solve_with_mimic<S, false, false>(const ModelView<M>&, C, C, C, S*);   \
  declared template void InverseDynamics::body<S>(const ModelView<M>&, C, C, C, C, C, S*);                       \
  declared template void Energy::body<S>(const ModelView<M>&, C, C, C, C, S*);                                   \
  declared template struct SteppedRobot<S, M, S*>;                                                               \
  declared template void FreeFlight::make_classical<S>(const ModelView<M>&, S*, S*);                             \
  declared template void FreeFlight::turn<S>(const ModelView<M>&, S*, S*);                                       \
  declared template void FreeFlight::turn_back<S>(const ModelView<M>&, S*, S*);                                  \
  declared template void FreeFlight::move<S>(const ModelView<M>&, S*, S*, S*);                                   \
  declared template void FreeFlight::rate<S>(const ModelView<M>&, S*, S*, S*);
#define TANDEM_PASSES_OF_PLAIN(declared, S, M, C)                                                                \
  TANDEM_PASSES_OF_ALL(declared, S, M, C)                                                                        \
  declared template void ArticulatedBody::place_and_move<S, false>(const ModelView<M>&, C, C, C, S*);            \
  declared template void ArticulatedBody::inward<S, true, false>(const ModelView<M>&, C, C, S*);                 \
  declared template void ArticulatedBody::solve_with_mimic<S, true, false>(const ModelView<M>&, C, C, C, S*);    \
  declared template void ForwardDynamics::body<S>(const ModelView<M>&, C, C, C, C, C, C, S*) const;              \
  declared template void MassMatrix::body<S>(const ModelView<M>&, C, C, S*);                                     \
  declared template void Tangents::move<S>(const ModelView<M>&, S*, S*, S*, S*);                                 \
  declared template void Tangents::turn<S>(const ModelView<M>&, S*, S*, S*, S*);                                 \
  declared template void Tangents::turn_back<S>(const ModelView<M>&, S*, S*, S*, S*);                            \
  declared template void Tangents::difference_end<S>(const ModelView<M>&, S*, S*, S*);                           \
  declared template void Tangents::difference_start<S>(const ModelView<M>&, S*, S*, S*);                         \
  declared template void Tangents::stretch<S>(const ModelView<M>&, S*, S*, S*);                                  \
  declared template void Tangents::rate<S>(const ModelView<M>&, S*, S*, S*, S*, S*);
#define TANDEM_PASSES(declared, T)                                                                               \
  TANDEM_PASSES_OF_PLAIN(declared, T, T, T*)                                                                     \
  TANDEM_PASSES_OF_PLAIN(declared, FullPack<T>, FullPack<T>, TileColumn<FullPack<T>>::Type)
#define TANDEM_DUAL_PASSES(declared, T) TANDEM_PASSES_OF_ALL(declared, Dual<T>, T, Dual<T>*)
// clang-format on

namespace tandem::inline TANDEM_ISA {

TANDEM_PASSES(extern, double)
TANDEM_PASSES(extern, float)
TANDEM_DUAL_PASSES(extern, double)
TANDEM_DUAL_PASSES(extern, float)

}  // namespace tandem::inline TANDEM_ISA
