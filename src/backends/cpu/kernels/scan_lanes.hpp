// SPDX-License-Identifier: Apache-2.0
/// Chunks of the scan form side by side, a chunk a lane: where their numbers come from and go to.
#pragma once
#include "scan_prepared.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// As many chunks of a group as P has lanes, their joints all of one kind. A lane whose chunk is shorter than the others goes
/// on with locked joints on massless links.
template <class Call, class P, class Joint>
class PackLane {
 public:
  using S = P;
  static constexpr bool alone = false;
  using T = typename RealOf<P>::type;
  using Prepared = PreparedScan<T>;
  static constexpr int W = P::width, block = scan_block, nq = Joint::nq, nv = Joint::nv;
  int steps;

  /// The pack that begins with chunk `first` of a group.
  PackLane(const Call& call, const PreparedScan<T>& prepared, Index group, Index first, P* w)
      : steps(call.plan.group_steps[group]),
        call_(call),
        first_(first),
        w_(w),
        constants_(prepared.constants(group) + (first - call.plan.group_chunk[group])) {
    const ScanPlan& plan = call.plan;
    n_lanes_ = static_cast<int>(plan.group_chunk[group + 1] - first);
    if (n_lanes_ > W) n_lanes_ = W;
    for (int l = 0; l < n_lanes_; ++l) {
      start_[l] = plan.chunk[first + l];
      count_[l] = static_cast<int>(plan.chunk[first + l + 1] - start_[l]);
      const Index last = start_[l] + count_[l] - 1;
      if (l == 0 || count_[l] < shortest_) shortest_ = count_[l];
      in_a_row_[l] = plan.link_at(last) - plan.link_at(start_[l]) == count_[l] - 1;
      all_in_rows_ = all_in_rows_ && in_a_row_[l];
      q_row_[l] = call.m.q_index[plan.link_at(start_[l])];
      v_row_[l] = call.m.v_index[plan.link_at(start_[l])];
    }
    if (!all_in_rows_ || n_lanes_ < W) shortest_ = 0;
  }

  static constexpr ScanRows rows() { return {nv}; }

  void begin_place(int k, int n, bool keep) {
    begin_ = k;
    if (call_.far()) fetch(constants_, Prepared::rows(nv) * ScanArticulatedBody::lanes<T>, k + block);
    gather<nq>(call_.q, q_row_, call_.m.q_index, k, n, q_);
    gather<nv>(call_.v, v_row_, call_.m.v_index, k, n, v_);
    if constexpr (nq == 1) {  // in a loop of its own: neighbours overlap
      for (int i = 0; i < n; ++i) {
        P angle = q_[i];
        if constexpr (is_one_dof) angle = constant(k + i)[Prepared::armature + 1] * angle;
        turn_[i] = sincos(angle);
      }
    }
    if (keep)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < nv; ++j) w_[rows().of_lane(k + i) + j] = v_[i * nv + j];
  }
  void begin_gather(int k, int n) {
    begin_ = k;
    gather<nv>(call_.tau, v_row_, call_.m.v_index, k, n, q_);
    if (call_.diagonal) gather<nv>(call_.diagonal, v_row_, call_.m.v_index, k, n, v_);
  }
  void begin_accelerate(int k, int) {
    begin_ = k;
    if (call_.far()) fetch(reinterpret_cast<const T*>(w_), rows().per_joint() * W, k + block);
  }
  void end_accelerate(int k, int n) {
    scatter_lines(q_, n * nv, n_lanes_, [&](int l, Index first, int m, const P& x) TANDEM_INLINE {
      const auto left = static_cast<int>(nv * (count_[l] - k) - first), here = left < m ? left : m;
      if (here <= 0) return;
      if (in_a_row_[l])
        store_part(call_.a + v_row_[l] + nv * k + first, here, x);
      else
        for (int i = 0; i < here; ++i)
          call_.a[call_.m.v_index[link(l, k + static_cast<int>(first + i) / nv)] + (first + i) % nv] = x.lanes[i];
    });
  }

  template <class F>
  TANDEM_HD void on_joint([[maybe_unused]] int k, F&& f) const {
    if constexpr (is_one_dof)
      f(Joint{constant(k)[Prepared::armature + 1], constant(k)[Prepared::armature + 2]});
    else
      f(Joint{});
  }
  /// Joint k behind the placement X_T.
  TANDEM_HD Transform<P> transform(Joint joint, int k, const Transform<P>& X_T) const {
    if constexpr (nq > 1) {
      return joint.transform(X_T, q(k));
    } else {
      const Mat3<P> E = rotated_z(turn_[k - begin_], X_T.E);
      if constexpr (is_one_dof) return {E, mul_add(joint.slides * *q(k), E.row2, X_T.r)};
      return {E, X_T.r};
    }
  }
  TANDEM_HD Transform<P> placement(int k) const { return load_transform<P>(constant(k), Prepared::placement); }
  TANDEM_HD Inertia<P> rotated_inertia(int k, const Mat3<P>& E) const {
    const Constants c = constant(k);
    const auto a = transpose_mul(E, load_vec3<P>(c, Prepared::spread)),
               b = transpose_mul(E, load_vec3<P>(c, Prepared::spread + 3));
    const P least = c[Prepared::least];
    return {c[Prepared::mass],
            transpose_mul(E, load_vec3<P>(c, Prepared::moment)),
            {mul_add(a.x, a.x, mul_add(b.x, b.x, least)), mul_add(a.y, a.y, mul_add(b.y, b.y, least)),
             mul_add(a.z, a.z, mul_add(b.z, b.z, least)), sum_of_products(a.x, a.y, b.x, b.y),
             sum_of_products(a.x, a.z, b.x, b.z), sum_of_products(a.y, a.z, b.y, b.z)}};
  }
  TANDEM_HD const P* q(int k) const { return q_ + nq * (k - begin_); }
  TANDEM_HD const P* v(int k) const { return w_ + rows().of_lane(k); }
  TANDEM_HD const P* v_of_block(int k) const { return v_ + nv * (k - begin_); }
  TANDEM_HD P tau(int k, int j) const { return q_[nv * (k - begin_) + j]; }
  TANDEM_HD P armature(int k, int j) const {
    const P armature = constant(k)[Prepared::armature + j];
    return call_.diagonal ? armature + v_[nv * (k - begin_) + j] : armature;
  }
  TANDEM_HD void write(int k, int j, const P& x) { q_[nv * (k - begin_) + j] = x; }

  bool feels() const { return static_cast<bool>(call_.f_ext); }
  Force<P> force(int k) const {
    P rows[6] = {P(0), P(0), P(0), P(0), P(0), P(0)};
    for (int l = 0; l < n_lanes_; ++l)
      if (k < count_[l]) {
        T f[6];
        store(&f[0], 0, external_force<T>(call_.m, link(l, k), call_.f_ext));
        for (int i = 0; i < 6; ++i) rows[i].lanes[l] = f[i];
      }
    return load_force<P>(&rows[0], 0);
  }

  TANDEM_HD bool carries(int k) const { return call_.plan.slot && some_carry(k); }
  void mark(int k, const Mat3<P>& E, const Vec3<P>& w) const {
    const auto none = TwoHandle<P>::identity();
    store_slots(k, &ScanSlot<T>::J, none.J);
    store_slots(k, &ScanSlot<T>::eta, none.eta);
    store_slots(k, &ScanSlot<T>::axes, E);
    store_slots(k, &ScanSlot<T>::w, w);
  }
  Mat3<P> axes(int k) const { return load_slots(k, &ScanSlot<T>::axes); }
  ArticulatedInertia<P> inertia_of_branches(int k) const { return load_slots(k, &ScanSlot<T>::J); }
  Force<P> bias_of_branches(int k) const { return load_slots(k, &ScanSlot<T>::eta); }
  void note(int k, const Motion<P>& g) const { store_slots(k, &ScanSlot<T>::moves, g); }
  void keep(int k, const Motion<P>& a) const {
    const Motion<P> sum = a + load_slots(k, &ScanSlot<T>::moves);
    const Mat3<P> E = axes(k);
    store_slots(k, &ScanSlot<T>::moves, Motion<P>{E * sum.w, E * sum.v});
  }

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

 private:
  /// The model's numbers of joint k and its link.
  struct Constants {
    const T* data;
    TANDEM_HD P operator[](Index row) const {
      P x;
      __builtin_memcpy(&x.lanes, data + row * ScanArticulatedBody::lanes<T>, sizeof(x.lanes));
      return x;
    }
  };
  TANDEM_HD Constants constant(int k) const {
    return {constants_ + Index{k} * Prepared::rows(nv) * ScanArticulatedBody::lanes<T>};
  }
  /// The numbers of the next block, so many for each joint, on their way from memory before they are wanted.
  void fetch(const T* numbers, Index per_joint, int k) const {
    constexpr Index line = 64 / sizeof(T);
    const int end = k + block < steps ? k + block : steps;
    for (Index i = per_joint * k; i < per_joint * end; i += line) __builtin_prefetch(numbers + i);
  }
  static constexpr bool is_one_dof = requires(Joint joint) { joint.slides; };
  int link(int l, int k) const { return call_.plan.link_at(start_[l] + k); }

  /// `rows` numbers of joints k .. k + n - 1 in every lane. Those of the chunk's first joint begin at begins[lane], those of
  /// link i at row[i]. Beyond the end of a chunk come zeros, and 1 in the last place of a quaternion.
  template <int rows>
  void gather(const T* column, const Index (&begins)[W], const std::int32_t* row, int k, int n, P* tile) const {
    if (k + n <= shortest_) {
      gather_lines(rows * n, tile, [&](int l, Index first, int m) TANDEM_INLINE {
        return load_part<T, W>(column + begins[l] + rows * k + first, m);
      });
      // lanes are far apart: the blocks that come next, outward or inward
      for (int l = 0; l < W; ++l) {
        __builtin_prefetch(column + begins[l] + rows * (k + 2 * block) - 1);
        __builtin_prefetch(column + begins[l] + rows * (k - block));
      }
      return;
    }
    if (rows < 4 && all_in_rows_) {
      gather_lines(rows * n, tile, [&](int l, Index first, int m) TANDEM_INLINE {
        const auto left = static_cast<int>(rows * (count_[l] - k) - first);
        return left > 0 ? load_part<T, W>(column + begins[l] + rows * k + first, left < m ? left : m) : P(0);
      });
      return;
    }
    alignas(64) T buffer[W][rows * block];
    for (int l = 0; l < W; ++l) {
      const int active = count_[l] <= k ? 0 : count_[l] - k < n ? count_[l] - k : n;
      T* to = buffer[l];
      for (int i = 0; i < active; ++i)
        for (int j = 0; j < rows; ++j) to[rows * i + j] = column[row[link(l, k + i)] + j];
      for (int i = active; i < n; ++i)
        for (int j = 0; j < rows; ++j) to[rows * i + j] = T(rows == 4 && j == 3);
    }
    gather_lines(rows * n, tile,
                 [&](int l, Index first, int m) TANDEM_INLINE { return load_part<T, W>(&buffer[l][first], m); });
  }

  bool some_carry(int k) const {
    bool some = false;
    for (int l = 0; l < n_lanes_; ++l) some |= k < count_[l] && call_.plan.slot[link(l, k)] != 0;
    return some;
  }
  /// Calls f(lane, slot) for the lanes whose link k carries branches.
  template <class F>
  void for_each_slot(int k, F&& f) const {
    for (int l = 0; l < n_lanes_; ++l)
      if (k < count_[l])
        if (const auto s = call_.plan.slot[link(l, k)]) f(l, call_.memory.slots[s]);
  }
  template <template <class> class Part>
  Part<P> load_slots(int k, Part<T> ScanSlot<T>::* part) const {
    constexpr int n = sizeof(Part<T>) / sizeof(T);
    P rows[n];
    for (P& row : rows) row = P(0);
    for_each_slot(k, [&](int l, const ScanSlot<T>& slot) {
      const auto* numbers = reinterpret_cast<const T*>(&(slot.*part));
      for (int i = 0; i < n; ++i) rows[i].lanes[l] = numbers[i];
    });
    return __builtin_bit_cast(Part<P>, rows);
  }
  template <template <class> class Part>
  void store_slots(int k, Part<T> ScanSlot<T>::* part, const Part<P>& x) const {
    const auto* rows = reinterpret_cast<const P*>(&x);
    for_each_slot(k, [&](int l, ScanSlot<T>& slot) {
      auto* numbers = reinterpret_cast<T*>(&(slot.*part));
      for (int i = 0; i < static_cast<int>(sizeof(Part<T>) / sizeof(T)); ++i) numbers[i] = rows[i].lanes[l];
    });
  }

  const Call& call_;
  Index first_;  ///< chunk
  P* w_;
  int n_lanes_, begin_ = 0;
  int shortest_ = 0;  ///< joints that every lane has, their links next to each other
  Index start_[W] = {}, q_row_[W] = {}, v_row_[W] = {};
  int count_[W] = {};
  bool in_a_row_[W] = {}, all_in_rows_ = true;
  const T* constants_;
  P q_[block * (nq > nv ? nq : nv)];  ///< later tau, then the accelerations
  SinCos<P> turn_[block];
  P v_[block * nv];  ///< later what is added to the diagonal
};

}  // namespace tandem::inline TANDEM_ISA
