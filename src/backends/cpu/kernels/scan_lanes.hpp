// SPDX-License-Identifier: Apache-2.0
/// Chunks of the scan form side by side, a chunk a lane: where their numbers come from and go to.
#pragma once
#include "tandem/algorithms/scan_articulated_body.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// As many chunks of a group as P has lanes, their joints all of one kind. A lane whose chunk is shorter than the others goes
/// on with locked joints on massless links.
template <class Call, class P, class Joint>
class PackLane {
 public:
  using S = P;
  using T = typename RealOf<P>::type;
  static constexpr int W = P::width, block = scan_block, nq = Joint::nq, nv = Joint::nv;
  int steps;

  PackLane(const Call& call, Index group, Index first, ScanRows rows, P* w)
      : steps(call.plan.group_steps[group]), call_(call), first_(first), rows_(rows), w_(w) {
    const ScanPlan& plan = call.plan;
    n_lanes_ = static_cast<int>(plan.group_chunk[group + 1] - first);
    if (n_lanes_ > W) n_lanes_ = W;
    for (int l = 0; l < n_lanes_; ++l) {
      start_[l] = plan.chunk[first + l];
      count_[l] = static_cast<int>(plan.chunk[first + l + 1] - start_[l]);
      const Index last = start_[l] + count_[l] - 1;
      in_a_row_[l] = plan.link_at(last) - plan.link_at(start_[l]) == count_[l] - 1;
    }
  }

  void begin_place(int k, int n) {
    begin_ = k;
    gather<12>(call_.m.placement, [](int i) { return Index{12} * i; }, identity, k, n, placement_);
    gather<nq>(call_.q, [&](int i) { return Index{call_.m.q_index[i]}; }, neutral, k, n, q_);
    gather<nv>(call_.v, [&](int i) { return Index{call_.m.v_index[i]}; }, zeros, k, n, v_);
    if constexpr (is_one_dof) keep_types(k, n);
  }
  void begin_gather(int k, int n) {
    begin_ = k;
    const auto row = [&](int i) { return Index{call_.m.v_index[i]}; };
    gather<10>(call_.m.inertia, [](int i) { return Index{10} * i; }, zeros, k, n, placement_);
    gather<nv>(call_.v, row, zeros, k, n, v_);
    gather<nv>(call_.tau, row, zeros, k, n, q_);
    gather<nv>(call_.m.armature, row, locked, k, n, armature_);
    if (call_.diagonal) {
      P diagonal[block * nv];
      gather<nv>(call_.diagonal, row, zeros, k, n, diagonal);
      for (int i = 0; i < n * nv; ++i) armature_[i] = armature_[i] + diagonal[i];
    }
  }
  void begin_accelerate(int k, int) { begin_ = k; }
  void end_accelerate(int k, int n) {
    alignas(64) T buffer[W][block * nv];
    scatter(q_, n * nv, W, &buffer[0][0], block * nv, 1);
    for (int l = 0; l < n_lanes_; ++l)
      if (in_a_row_[l]) {
        const int active = count_[l] - k < n ? count_[l] - k : n;
        T* to = call_.a + call_.m.v_index[link(l, k)];
        for (int i = 0; i < active * nv; ++i) to[i] = buffer[l][i];
      } else {
        for (int i = 0; i < n && k + i < count_[l]; ++i)
          for (int j = 0; j < nv; ++j) call_.a[call_.m.v_index[link(l, k + i)] + j] = buffer[l][i * nv + j];
      }
  }

  template <class F>
  TANDEM_HD void on_joint([[maybe_unused]] int k, F&& f) const {
    if constexpr (is_one_dof)
      f(Joint{{bits_of(w_[rows_.of_lane(k)]).lanes}});
    else
      f(Joint{});
  }
  TANDEM_HD Transform<P> placement(int k) const { return load_transform<P>(&placement_[0], 12 * (k - begin_)); }
  TANDEM_HD Inertia<P> inertia(int k) const { return load_inertia<P>(&placement_[0], 10 * (k - begin_)); }
  TANDEM_HD const P* q(int k) const { return q_ + nq * (k - begin_); }
  TANDEM_HD const P* v(int k) const { return v_ + nv * (k - begin_); }
  TANDEM_HD P tau(int k, int j) const { return q_[nv * (k - begin_) + j]; }
  TANDEM_HD P armature(int k, int j) const { return armature_[nv * (k - begin_) + j]; }
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
    P rows[12];
    store(&rows[0], 0, E);
    store(&rows[0], 9, w);
    for_each_slot(k, [&](int l, T* slot) {
      for (int i = 0; i < 27; ++i) slot[i] = T(0);
      for (int i = 0; i < 12; ++i) slot[Call::AXES + i] = rows[i].lanes[l];
    });
  }
  ArticulatedInertia<P> inertia_of_branches(int k) const {
    P rows[21];
    load_slots(k, Call::J, 21, rows);
    return load_articulated_inertia<P>(&rows[0], 0);
  }
  Force<P> bias_of_branches(int k) const {
    P rows[6];
    load_slots(k, Call::ETA, 6, rows);
    return load_force<P>(&rows[0], 0);
  }
  void note(int k, const Motion<P>& g) const { store_slots(k, g); }
  void keep(int k, const Mat3<P>& E, const Motion<P>& a) const {
    P rows[6];
    load_slots(k, Call::MOVES, 6, rows);
    const Motion<P> sum = a + load_motion<P>(&rows[0], 0);
    store_slots(k, Motion<P>{E * sum.w, E * sum.v});
  }

  void put(T* rows, int n, const P* x) const { scatter(x, n, n_lanes_, rows + n * first_, n, 1); }
  void take(const T* rows, int n, P* x) const { tandem::gather(rows + n * first_, n, 1, n, n_lanes_, x); }

 private:
  static constexpr bool is_one_dof = requires(Joint joint) { joint.turns; };
  static constexpr T identity(int row) { return row < 9 && row % 4 == 0 ? T(1) : T(0); }
  static constexpr T neutral(int row) { return nq == 4 && row == 3 ? T(1) : T(0); }
  static constexpr T zeros(int) { return T(0); }
  static constexpr T locked(int) { return std::numeric_limits<T>::infinity(); }

  int link(int l, int k) const { return call_.plan.link_at(start_[l] + k); }

  /// `rows` numbers of joints k .. k + n - 1 in every lane; row(i) is where those of link i begin. Beyond the end of a chunk
  /// come those of `locked`.
  template <int rows, class Column, class Row, class Beyond>
  void gather(const Column& column, Row&& row, Beyond&& beyond, int k, int n, P* tile) const {
    const T* from[W];
    alignas(64) T buffer[W][rows * block];
    for (int l = 0; l < W; ++l) {
      const int active = l >= n_lanes_ || count_[l] <= k ? 0 : count_[l] - k < n ? count_[l] - k : n;
      if (active == n && in_a_row_[l]) {
        from[l] = &column[row(link(l, k))];
        continue;
      }
      from[l] = buffer[l];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < rows; ++j) buffer[l][rows * i + j] = i < active ? column[row(link(l, k + i)) + j] : beyond(j);
    }
    for (int first = 0; first < rows * n; first += W) {
      const int m = rows * n - first < W ? rows * n - first : W;
      P lines[W];
      for (int l = 0; l < W; ++l) {
        if (m == W)
          __builtin_memcpy(&lines[l].lanes, from[l] + first, sizeof(P));
        else
          lines[l] = load_part<T, W>(from[l] + first, m);
      }
      transpose<W / 2>(lines);
      for (int l = 0; l < W; ++l)
        if (l < m) tile[first + l] = lines[l];
    }
  }

  /// Which joints of a block turn, as the bits of a row of the chunks' own memory.
  void keep_types(int k, int n) {
    using Integer = typename Mask<T, W>::Integer;
    for (int i = 0; i < n; ++i) {
      typename Mask<T, W>::Vector turns;
      for (int l = 0; l < W; ++l)
        turns[l] = static_cast<Integer>(l < n_lanes_ && k + i < count_[l] && call_.m.type[link(l, k + i)] == JointType::prismatic ? 0 : -1);
      w_[rows_.of_lane(k + i)] = P(reinterpret_cast<typename P::Vector>(turns));
    }
  }

  bool some_carry(int k) const {
    bool some = false;
    for (int l = 0; l < n_lanes_; ++l) some |= k < count_[l] && call_.plan.slot[link(l, k)] != 0;
    return some;
  }
  template <class F>
  void for_each_slot(int k, F&& f) const {
    for (int l = 0; l < n_lanes_; ++l)
      if (k < count_[l])
        if (const auto s = call_.plan.slot[link(l, k)]) f(l, call_.slot(s));
  }
  void load_slots(int k, int field, int n, P* rows) const {
    for (int i = 0; i < n; ++i) rows[i] = P(0);
    for_each_slot(k, [&](int l, const T* slot) {
      for (int i = 0; i < n; ++i) rows[i].lanes[l] = slot[field + i];
    });
  }
  void store_slots(int k, const Motion<P>& a) const {
    P rows[6];
    store(&rows[0], 0, a);
    for_each_slot(k, [&](int l, T* slot) {
      for (int i = 0; i < 6; ++i) slot[Call::MOVES + i] = rows[i].lanes[l];
    });
  }

  const Call& call_;
  Index first_;  ///< chunk
  ScanRows rows_;
  P* w_;
  int n_lanes_, begin_ = 0;
  Index start_[W];
  int count_[W];
  bool in_a_row_[W];
  P placement_[12 * block];  ///< later the inertias
  P q_[block * (nq > nv ? nq : nv)];  ///< later tau, then the accelerations
  P v_[block * nv], armature_[block * nv];
};

}  // namespace tandem::inline TANDEM_ISA
