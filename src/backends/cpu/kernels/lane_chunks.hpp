// SPDX-License-Identifier: Apache-2.0
/// Neighbouring chunks of one chain side by side in the lanes of packs, see chain_chunks.hpp. What lies link by link in
/// memory is transposed on its way in, as many links of every lane at a time as a pack has lanes.
#pragma once
#include "tandem/algorithms/chain_chunks.hpp"
#include "tandem/blocks/scan_in_lanes.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// Chunks `chunk` .. `chunk` + W - 1 of a chain of revolute and prismatic joints, the numbers of a call side by side.
template <class R, int W, class Call>
struct LaneChunk {
  using Number = Pack<R, W>;
  const Call& call;
  const ChainCut& cut;
  Index chunk;
  Number* w;
  Index rows_per_link;

  /// The rows of a call that a pass reads of W links of every lane, and what it writes for them.
  template <unsigned reads>
  struct Tile {
    static constexpr bool has(unsigned what) { return (reads & what) != 0; }
    Number q[has(reads_q) ? W : 1], v[has(reads_v) ? W : 1], a[has(reads_a) ? W : 1], result[W];

    TANDEM_HD void load(const Call& c, Index first, Index stride, Index n) {
      if constexpr (has(reads_q)) rows(c.q, first, stride, n, q);
      if constexpr (has(reads_v)) rows(c.v, first, stride, n, v);
      if constexpr (has(reads_a)) rows(c.a, first, stride, n, a);
    }
    TANDEM_HD static void rows(const R* from, Index first, Index stride, Index n, Number* to) {
      tandem::gather(from + first, stride, Index{1}, n, W, to);
    }
    TANDEM_HD static void rows(ZeroColumn, Index, Index, Index n, Number* to) {
      for (Index j = 0; j < n; ++j) to[j] = Number(0);
    }
  };

  template <unsigned reads>
  struct Link {
    const LaneChunk& chunk;
    Tile<reads>& tile;
    Index j, row;  // in the tile, and of lane 0 in the model
    TANDEM_HD Transform<Number> placement() const {
      Number rows[12];
      of_every_lane<12>(chunk.call.m.placement, rows);
      return load_transform<Number>(rows, 0);
    }
    TANDEM_HD Inertia<Number> inertia() const {
      Number rows[10];
      of_every_lane<10>(chunk.call.m.inertia, rows);
      return load_inertia<Number>(rows, 0);
    }
    TANDEM_HD const Number* q() const { return tile.q + j; }
    TANDEM_HD const Number* v() const { return tile.v + j; }
    TANDEM_HD const Number* a() const { return tile.a + j; }
    TANDEM_HD Force<Number> external_force() const {
      if constexpr (requires { chunk.call.f_ext.data(); } || std::is_pointer_v<decltype(chunk.call.f_ext)>) {
        Number frame[12], force[6];
        of_every_lane<12>(chunk.call.m.frame_placement, frame);
        of_every_lane<6>(chunk.call.f_ext, force);
        return transpose_mul(load_transform<Number>(frame, 0), load_force_linear_first<Number>(force, 0));
      } else {
        return Force<Number>::zero();
      }
    }
    TANDEM_HD void put(int, const Number& x) const { tile.result[j] = x; }

   private:
    template <int rows_per_link>
    TANDEM_HD void of_every_lane(const R* from, Number* to) const {
      tandem::gather(from + rows_per_link * row, rows_per_link * chunk.cut.length, Index{1}, Index{rows_per_link}, W,
                     to);
    }
  };

  /// Which joints slide, of as many links of every lane as a number has bytes: a byte each.
  struct Kinds {
    using Integer = typename Mask<R, W>::Integer;
    static constexpr Index links = sizeof(Integer);
    typename Mask<R, W>::Vector bytes;

    TANDEM_HD void load(const JointType* types, Index stride, Index n) {
      Integer words[W] = {};
      for (int k = 0; k < W; ++k)
        __builtin_memcpy(&words[k], types + k * stride, static_cast<std::size_t>(n < links ? n : links));
      __builtin_memcpy(&bytes, words, sizeof(bytes));
    }
    TANDEM_HD Number slides(Index j) const {
      const Mask<R, W> is = {((bytes >> static_cast<Integer>(8 * j)) & 255) ==
                             static_cast<Integer>(JointType::prismatic)};
      return select(is, Number(1), Number(0));
    }
  };

  TANDEM_HD Index length() const { return cut.length; }
  TANDEM_HD Number* work(Index j) const { return w + rows_per_link * j; }
  template <class Slots>
  TANDEM_HD auto load(const Slots& slots) const {
    return from_lanes<typename Slots::template Of<Number>, R>([&](int k)
                                                                  TANDEM_INLINE { return slots.load(chunk + k); });
  }
  template <class Slots, class T>
  TANDEM_HD void store(const Slots& slots, const T& x) const {
    for (int k = 0; k < W; ++k) slots.store(chunk + k, lane<typename Slots::template Of<R>, R>(x, k));
  }
  template <unsigned reads, class F>
  TANDEM_HD void outward(F&& f) const {
    for (Index begin = 0; begin < cut.length; begin += W) visit<reads, false>(begin, f);
  }
  template <unsigned reads, class F>
  TANDEM_HD void inward(F&& f) const {
    for (Index begin = (cut.length - 1) / W * W; begin >= 0; begin -= W) visit<reads, true>(begin, f);
    add_armature(cut.begin(chunk), cut.length);
  }

 private:
  /// The lanes' joints are neighbours.
  TANDEM_HD void add_armature(Index first, Index packs) const {
    if constexpr (std::is_pointer_v<decltype(call.a)>) {
      const auto at = [](auto* from, Index row)
                          TANDEM_INLINE { return reinterpret_cast<UnalignedPack<R, W>*>(const_cast<R*>(from) + row); };
      for (Index row = first; row < first + W * packs; row += W)
        *at(call.tau, row) =
            mul_add(Number(*at(call.m.armature, row)), Number(*at(call.a, row)), Number(*at(call.tau, row)));
    }
  }

  template <unsigned reads, bool backward, class F>
  TANDEM_HD void visit(Index begin, F&& f) const {
    const Index n = cut.length - begin < W ? cut.length - begin : W, first = cut.begin(chunk) + begin;
    Tile<reads> tile;
    tile.load(call, first, cut.length, n);
    constexpr Index part = Kinds::links;
    const Index parts = (n + part - 1) / part;
    for (Index k = 0; k < parts; ++k) {
      const Index part_begin = part * (backward ? parts - 1 - k : k);
      const Index part_n = n - part_begin < part ? n - part_begin : part;
      Kinds kinds;
      kinds.load(call.m.type + first + 1 + part_begin, cut.length, part_n);
      for (Index l = 0; l < part_n; ++l) {
        const Index i = backward ? part_n - 1 - l : l, j = part_begin + i;
        f(begin + j, AxialJoint<Number>{kinds.slides(i)}, Link<reads>{*this, tile, j, first + 1 + j});
      }
    }
    if constexpr (backward) scatter(tile.result, n, W, call.tau + first, cut.length, Index{1});
  }
};

/// The lanes of an engine.
template <class R>
struct ChunkLanes {
  template <class Call, class F>
  static void for_each_chunk_of_group(const Call& call, const ChainCut& cut, Index group, R* w, Index rows_per_link,
                                      F&& f) {
    using Number = FullPack<R>;
    constexpr Index W = Number::width;
    static_assert(chunks_in_group<R> % W == 0);
    // packs begin where their size says; the method leaves room for that
    auto* packs = w + rows_per_link * cut.rest;
    packs += (-(reinterpret_cast<std::uintptr_t>(packs) / sizeof(R))) % static_cast<std::uintptr_t>(W);
    for (Index k = group * chunks_in_group<R>; k < (group + 1) * chunks_in_group<R>; k += W)
      f(LaneChunk<R, static_cast<int>(W), Call>{
          call, cut, 1 + k, reinterpret_cast<Number*>(packs) + rows_per_link * cut.length * (k / W), rows_per_link});
  }
};

}  // namespace tandem::inline TANDEM_ISA
