// SPDX-License-Identifier: Apache-2.0
/// Neighbouring chunks of one chain side by side in the lanes of packs, see chain_chunks.hpp. The model's numbers lie ready,
/// chunk beside chunk; those of a state are transposed on their way in, as many links of every lane at a time as a pack has
/// lanes.
#pragma once
#include <vector>

#include "lanes.hpp"
#include "tandem/detail/chunks/chain_chunks.hpp"
#include "tandem/model/memory.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// The numbers of a chain of joints with one degree of freedom in the order in which lanes need them: [group][step][row][lane].
/// What calls share; the same for all instruction sets.
template <class T>
class PreparedChunks {
 public:
  enum Row { placement = 0, inertia = 12, armature = 22, turns = 23, slides = 24, rows = 25 };
  static constexpr Index lanes = chunks_in_group<T>;

  PreparedChunks(const ModelView<T>& m, const ChainCut& cut) : length_(cut.length) {
    if (!is_axial(m)) return;
    numbers_.resize(static_cast<std::size_t>(cut.count * cut.length * rows) / line_size);
    T* to = const_cast<T*>(numbers(0, 0));
    for (Index group = 0; group < cut.count; group += lanes)
      for (Index step = 0; step < cut.length; ++step, to += rows * lanes)
        for (Index lane = 0; lane < lanes; ++lane) {
          const Index i = cut.begin(1 + group + lane) + step + 1;
          const auto put = [&](Index row, T x) { to[row * lanes + lane] = x; };
          for (Index k = 0; k < 12; ++k) put(placement + k, m.placement[12 * i + k]);
          for (Index k = 0; k < 10; ++k) put(inertia + k, m.inertia[10 * i + k]);
          put(armature, m.armature[i - 1]);
          const auto joint = AxialJoint<T>::of(m, static_cast<int>(i));
          put(turns, joint.turns);
          put(slides, joint.slides);
        }
  }
  PreparedChunks(const PreparedChunks&) = delete;
  PreparedChunks& operator=(const PreparedChunks&) = delete;

  bool empty() const { return numbers_.empty(); }
  TANDEM_HD const T* numbers(Index group, Index step) const {
    return numbers_.empty() ? nullptr : &numbers_[0].x[0] + (group * length_ + step) * rows * lanes;
  }

 private:
  static constexpr std::size_t line_size = 64 / sizeof(T);
  struct alignas(64) Line {
    T x[line_size];
  };
  Index length_;
  std::vector<Line, LineAllocator<Line>> numbers_;
};

/// Chunks `chunk` .. `chunk` + W - 1 of a chain of joints with one degree of freedom, the numbers of a call side by side.
template <class R, int W, class Call>
struct LaneChunk {
  using Number = Pack<R, W>;
  using Prepared = PreparedChunks<R>;
  const Call& call;
  const ChainCut& cut;
  const Prepared& prepared;
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
    const R* numbers;  // of lane 0 of this pack
    Index j, row;      // in the tile, and of lane 0 in the model
    TANDEM_HD Number prepared(Index k) const {
      Number x;
      __builtin_memcpy(&x.lanes, numbers + k * Prepared::lanes, sizeof(x.lanes));
      return x;
    }
    /// A column of prepared rows.
    struct Rows {
      const Link& link;
      TANDEM_HD Number operator[](Index k) const { return link.prepared(k); }
    };
    TANDEM_HD Transform<Number> placement() const { return load_transform<Number>(Rows{*this}, Prepared::placement); }
    TANDEM_HD Inertia<Number> inertia() const { return load_inertia<Number>(Rows{*this}, Prepared::inertia); }
    TANDEM_HD AxialJoint<Number> joint() const { return {prepared(Prepared::turns), prepared(Prepared::slides)}; }
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
    TANDEM_HD void put(int, const Number& x) const {
      tile.result[j] = mul_add(prepared(Prepared::armature), tile.a[j], x);
    }

   private:
    template <int rows_per_link>
    TANDEM_HD void of_every_lane(const R* from, Number* to) const {
      tandem::gather(from + rows_per_link * row, rows_per_link * chunk.cut.length, Index{1}, Index{rows_per_link}, W,
                     to);
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
  }

 private:
  template <unsigned reads, bool backward, class F>
  TANDEM_HD void visit(Index begin, F&& f) const {
    const Index n = cut.length - begin < W ? cut.length - begin : W, first = cut.begin(chunk) + begin;
    Tile<reads> tile;
    tile.load(call, first, cut.length, n);
    const Index group = (chunk - 1) / Prepared::lanes, lane = (chunk - 1) % Prepared::lanes;
    for (Index k = 0; k < n; ++k) {
      const Index j = backward ? n - 1 - k : k;
      const Link<reads> link = {*this, tile, prepared.numbers(group, begin + j) + lane, j, first + 1 + j};
      f(begin + j, link.joint(), link);
    }
    if constexpr (backward) scatter(tile.result, n, W, call.tau + first, cut.length, Index{1});
  }
};

}  // namespace tandem::inline TANDEM_ISA
