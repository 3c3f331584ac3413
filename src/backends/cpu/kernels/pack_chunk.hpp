// SPDX-License-Identifier: Apache-2.0
/// Chunks side by side, a chunk a lane: where their numbers come from and go to.
#pragma once
#include "scan_prepared.hpp"
#include "tandem/detail/scan/lone_chunk.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// As many chunks of a group as P has lanes: where their joints and links lie in columns of a call. Nothing depends on
/// the kind of call or joint, so that it is compiled once.
template <class P>
class ChunksAbreast {
 public:
  using T = typename RealOf<P>::type;

  /// The chunks that begin with `first` of a group.
  ChunksAbreast(const ScanPlan& plan, const ChunkPlace* places, Index group, Index first)
      : steps(plan.group_steps[group]), first_(first), places_(places), links_(plan.link) {
    const Index left = plan.group_chunk[group + 1] - first;
    n_lanes_ = left < W ? static_cast<int>(left) : W;
    int shortest = n_lanes_ < W ? 0 : steps;
    for (int l = 0; l < n_lanes_; ++l) {
      shortest = shortest < places_[l].count ? shortest : places_[l].count;
      in_rows_ = in_rows_ && places_[l].in_a_row;
    }
    in_line_ = in_rows_ ? shortest : 0;
  }

  int steps;  ///< joints of the longest chunk

  template <template <class> class Record>
  void put(Record<T>* records, const Record<P>& x) const {
    constexpr int n = sizeof(Record<T>) / sizeof(T);
    scatter(reinterpret_cast<const P*>(&x), n, n_lanes_, reinterpret_cast<T*>(records + first_), n, 1);
  }
  template <template <class> class Record>
  Record<P> take(const Record<T>* records) const {
    constexpr int n = sizeof(Record<T>) / sizeof(T);
    Record<P> x;
    tandem::gather(reinterpret_cast<const T*>(records + first_), n, 1, n, n_lanes_, reinterpret_cast<P*>(&x));
    return x;
  }

 protected:
  static constexpr int W = P::width, block = scan_block;

  /// Joints of a lane.
  int count(int l) const { return l < n_lanes_ ? places_[l].count : 0; }
  int link(int l, int k) const {
    const Index position = places_[l].position + k;
    return links_ ? links_[position] : static_cast<int>(position) + 1;
  }
  /// Whether every lane has a link k, and they are next to those before them.
  TANDEM_HD bool all_have(int k) const { return k < in_line_; }

  /// Where not all lanes have the joints k .. k + n - 1 in a row: `rows` numbers of each. Those of the chunk's first
  /// joint begin at its place's `begin`, those of link i at row[i]. Beyond the end of a chunk come zeros, and 1 in the
  /// last place of a quaternion.
  template <int rows>
  TANDEM_PASS void gather_some(const T* column, Index ChunkPlace::*begin, const std::int32_t* row, int k, int n,
                               P* tile) const {
    if (in_rows_ && rows < 4)
      return gather_lines(rows * n, tile, [&](int l, Index first, int m) TANDEM_INLINE {
        const auto left = static_cast<int>(rows * (count(l) - k) - first);
        return left > 0 ? load_part<T, W>(column + places_[l].*begin + rows * k + first, left < m ? left : m) : P(0);
      });
    alignas(64) T buffer[W][rows * block];
    for (int l = 0; l < W; ++l)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < rows; ++j)
          buffer[l][rows * i + j] = k + i < count(l) ? column[row[link(l, k + i)] + j] : T(rows == 4 && j == 3);
    gather_lines(rows * n, tile,
                 [&](int l, Index first, int m) TANDEM_INLINE { return load_part<T, W>(&buffer[l][first], m); });
  }
  template <int rows>
  TANDEM_PASS void scatter_some(const P* tile, const std::int32_t* row, int k, int n, T* column) const {
    scatter_lines(tile, n * rows, n_lanes_, [&](int l, Index first, int m, const P& x) TANDEM_INLINE {
      const auto left = static_cast<int>(rows * (count(l) - k) - first), here = left < m ? left : m;
      if (here <= 0) return;
      if (places_[l].in_a_row)
        store_part(column + places_[l].v + rows * k + first, here, x);
      else
        for (int i = 0; i < here; ++i)
          column[row[link(l, k + static_cast<int>(first + i) / rows)] + (first + i) % rows] = x.lanes[i];
    });
  }

  Index first_;  ///< chunk
  const ChunkPlace* places_;
  const ScanPlan::Int* links_;
  int n_lanes_, in_line_;  ///< joints that every lane has, their links next to each other
  bool in_rows_ = true;
};

/// Such chunks whose joints are all of one kind: what they read of the model and of a call, and where their results go.
/// A lane whose chunk is shorter than the others goes on with locked joints on massless links.
template <class Call, class P, class Joint, bool turns_inertias>
class PackChunk : public ChunksAbreast<P> {
  using Base = ChunksAbreast<P>;

 public:
  using S = P;
  static constexpr bool alone = false;
  static constexpr int dof = Joint::nv;
  using typename Base::T;
  using Prepared = PreparedScan<T, turns_inertias>;
  const Call& call;
  P* w;
  using Base::steps;

  /// The pack that begins with chunk `first` of a group.
  PackChunk(const Call& c, const Prepared& prepared, Index group, Index first, P* memory)
      : Base(c.plan, prepared.places(first), group, first),
        call(c),
        w(memory),
        constants_(prepared.constants(group) + (first - c.plan.group_chunk[group])) {}

  template <class F>
  TANDEM_HD void on_joint(int k, F&& f) const {
    f(joint_of(constant(k)));
  }
  TANDEM_HD Transform<P> placement(int k) const { return load<Transform<P>>(constant(k), Prepared::placement); }

  bool feels() const { return static_cast<bool>(call.f_ext); }
  TANDEM_HD Force<P> force(int k) const { return force(k, call.f_ext); }
  /// The same from another column of forces.
  TANDEM_HD Force<P> force(int k, const T* forces) const {
    if (!all_have(k)) return forces_one_by_one(k, forces);
    P frame[12], force[6];
    of_links<12>(call.m.frame_placement, k, frame);
    of_links<6>(forces, k, force);
    return transpose_mul(load<Transform<P>>(&frame[0], 0), load_force_linear_first<P>(&force[0], 0));
  }

 protected:
  static constexpr int nq = Joint::nq, nv = Joint::nv;
  using Base::W, Base::block, Base::count, Base::link, Base::all_have, Base::places_, Base::n_lanes_, Base::in_line_;
  using Place = ChunkPlace;

  /// The model's numbers of joint k and its link.
  struct Constants {
    const T* data;
    TANDEM_HD P operator[](Index row) const {
      P x;
      __builtin_memcpy(&x.lanes, data + row * Prepared::lanes, sizeof(x.lanes));
      return x;
    }
  };
  TANDEM_HD Constants constant(int k) const { return {constants_ + Index{k} * Prepared::rows(nv) * Prepared::lanes}; }
  static constexpr bool is_one_dof = requires(Joint joint) { joint.slides; };
  TANDEM_HD static Joint joint_of([[maybe_unused]] const Constants& c) {
    if constexpr (is_one_dof) {
      const P slides = c[Prepared::armature + 1];
      const auto turns = slides < P(std::numeric_limits<T>::infinity());
      return {select(turns, P(1), P(0)), select(turns, slides, P(1))};
    } else {
      return {};
    }
  }
  /// The numbers of a record become those of a lane.
  template <class Record, int n>
  static void set_lane(P (&rows)[n], int l, const Record& x) {
    static_assert(sizeof(Record) == n * sizeof(T));
    for (int i = 0; i < n; ++i) rows[i].lanes[l] = reinterpret_cast<const T*>(&x)[i];
  }

  /// Links that carry paths, of which call.memory.slots has a record each.
  bool some_carry(int k) const {
    bool some = false;
    for (int l = 0; l < W; ++l) some |= k < count(l) && call.plan.slot[link(l, k)] != 0;
    return some;
  }
  /// Calls f(lane, slot) for the lanes whose link k carries some.
  template <class F>
  void for_each_slot(int k, F&& f) const {
    for (int l = 0; l < W; ++l)
      if (k < count(l))
        if (const auto s = call.plan.slot[link(l, k)]) f(l, call.memory.slots[s]);
  }
  /// A part of their records, 0 in lanes whose link carries none.
  template <template <class> class Part, class Slot>
  Part<P> load_slots(int k, Part<T> Slot::* part) const {
    P rows[sizeof(Part<T>) / sizeof(T)];
    for (P& row : rows) row = P(0);
    for_each_slot(k, [&](int l, const Slot& slot) { set_lane(rows, l, slot.*part); });
    return __builtin_bit_cast(Part<P>, rows);
  }
  template <template <class> class Part, class Slot>
  void store_slots(int k, Part<T> Slot::* part, const Part<P>& x) const {
    const auto* rows = reinterpret_cast<const P*>(&x);
    for_each_slot(k, [&](int l, Slot& slot) {
      auto* numbers = reinterpret_cast<T*>(&(slot.*part));
      for (int i = 0; i < static_cast<int>(sizeof(Part<T>) / sizeof(T)); ++i) numbers[i] = rows[i].lanes[l];
    });
  }

  TANDEM_HD void gather_q(int k, int n, P* tile) const { gather<nq>(call.q, &Place::q, call.m.q_index, k, n, tile); }
  /// Rows of joints k .. k + n - 1 in a column that is laid out as v.
  TANDEM_HD void gather_rows(const T* column, int k, int n, P* tile) const {
    gather<nv>(column, &Place::v, call.m.v_index, k, n, tile);
  }
  /// Such rows of a block of joints on their way from memory before they are wanted: lanes are far apart.
  template <int rows>
  void fetch_rows(const T* column, Index Place::* begin, int k) const {
    for (int l = 0; l < n_lanes_; ++l)
      for (int row : {rows * k, rows * (k + block) - 1}) __builtin_prefetch(column + places_[l].*begin + row);
  }
  TANDEM_HD void scatter_rows(const P* tile, int k, int n, T* column) const {
    if (k + n > in_line_) return this->template scatter_some<nv>(tile, call.m.v_index, k, n, column);
    scatter_lines(tile, nv * n, W, [&](int l, Index first, int m, const P& x) TANDEM_INLINE {
      store_part(column + places_[l].v + nv * k + first, m, x);
    });
  }

  /// So many numbers of link k in every lane.
  template <int rows>
  TANDEM_HD void of_links(const T* column, int k, P* to) const {
    gather_lines(rows, to, [&](int l, Index first, int m) TANDEM_INLINE {
      return load_part<T, W>(column + rows * (places_[l].link + k) + first, m);
    });
  }
  template <int rows>
  TANDEM_HD void to_links(const P* from, T* column, int k) const {
    scatter_lines(from, rows, W, [&](int l, Index first, int m, const P& x) TANDEM_INLINE {
      store_part(column + rows * (places_[l].link + k) + first, m, x);
    });
  }

  P q_[block * (nq > nv ? nq : nv)];  ///< later what goes in and out besides v
  P v_[block * nv];
  int begin_ = 0;
  const T* constants_;

 private:
  /// `rows` numbers of joints k .. k + n - 1 in every lane.
  template <int rows>
  TANDEM_HD void gather(const T* column, Index Place::*begin, const std::int32_t* row, int k, int n, P* tile) const {
    if (k + n > in_line_) return this->template gather_some<rows>(column, begin, row, k, n, tile);
    gather_lines(rows * n, tile, [&](int l, Index first, int m) TANDEM_INLINE {
      return load_part<T, W>(column + places_[l].*begin + rows * k + first, m);
    });
  }
  TANDEM_PASS Force<P> forces_one_by_one(int k, const T* forces) const {
    P rows[6] = {P(0), P(0), P(0), P(0), P(0), P(0)};
    for (int l = 0; l < n_lanes_; ++l)
      if (k < count(l)) set_lane(rows, l, external_force<T>(call.m, link(l, k), forces));
    return load<Force<P>>(&rows[0], 0);
  }
};

}  // namespace tandem::inline TANDEM_ISA
