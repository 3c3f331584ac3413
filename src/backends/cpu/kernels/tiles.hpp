// SPDX-License-Identifier: Apache-2.0
/// The one loop over a batch, which knows no algorithm: it is compiled once for each kind of tile (tiles.cpp). A tile
/// is as many states as S has lanes; S is a number or a pack of them.
#pragma once
#include <span>

#include "backends/cpu/call.hpp"
#include "pack.hpp"
#include "tandem/detail/core/column.hpp"
#include "unaligned_pack.hpp"

namespace tandem::inline TANDEM_ISA {

/// How bodies see the rows of a tile: a state's own rows, or rows of neighbouring states.
template <class S>
struct TileColumn {
  static constexpr int width = 1;
  using Type = S*;
};
template <class R, int W>
struct TileColumn<Pack<R, W>> {
  static constexpr int width = W;
  /// Rows of W numbers, any distance apart, wherever they begin.
  struct Type {
    R* data = nullptr;
    Index stride = W;
    Type() = default;
    TANDEM_HD Type(R* first, Index apart) : data(first), stride(apart) {}
    TANDEM_HD Type(Pack<R, W>* buffer) : data(reinterpret_cast<R*>(buffer)) {}
    TANDEM_HD UnalignedPack<R, W>& operator[](Index row) const {
      return *reinterpret_cast<UnalignedPack<R, W>*>(data + row * stride);
    }
    TANDEM_HD Type operator+(Index rows) const { return {data + rows * stride, stride}; }
    TANDEM_HD explicit operator bool() const { return data != nullptr; }
  };
};

/// What became of a state's iteration; where a body does not iterate it is left as it is.
struct Steps {
  std::int32_t count = 0;
  bool within_tolerance = true;
};

/// An algorithm as the loop calls it, on numbers S: those of states, and those of models that may differ from state to
/// state.
template <class S>
struct TileBody {
  using Column = typename TileColumn<S>::Type;
  std::span<const Argument> arguments;
  bool inverts_mass_matrix;
  const void* algorithm;
  void (*run)(const void* algorithm, const ModelView<S>& m, const Column* columns, S* work, Steps* of_lanes);
};

/// Runs states begin .. end - 1 one by one, all of one model. The scratch memory has the rows of all arguments, and
/// behind them the algorithm's work.
template <class T>
void run_tiles(const Call<T>& call, const TileBody<T>& body, Index begin, Index end, T* scratch);

/// The same a tile at a time, of states that may have models of their own; the scratch memory begins with the rows of a
/// model of S.
template <class S, class T>
void run_tiles_of_models(const Call<T>& call, const TileBody<S>& body, Index begin, Index end, S* scratch);
/// Rows of the numbers of a model that parameters may change.
template <class S, class T>
Index rows_of_lane_model(const ModelView<T>& m);

/// Packs of more bytes do not stay in the cache of a core: about twice its size, which is one or two megabytes.
inline constexpr Index bytes_in_lanes = Index{1} << 21;

/// Call::prepared of algorithms whose states go in packs: the numbers of a model in packs, which calls without it lay
/// out themselves; null where they go one by one.
template <class T>
std::shared_ptr<const void> prepare_lanes(const ModelView<T>& m, const Options& options);

}  // namespace tandem::inline TANDEM_ISA
