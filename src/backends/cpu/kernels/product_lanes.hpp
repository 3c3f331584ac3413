// SPDX-License-Identifier: Apache-2.0
/// Chunks of products with derivatives side by side, a chunk a lane.
#pragma once
#include "scan_lanes.hpp"
#include "tandem/detail/scan/kinematics_call.hpp"

namespace tandem::inline TANDEM_ISA {

/// What they have in common: columns that are laid out as v.
template <class Call, class P, class Joint>
class ProductLanes : public TurningChunk<Call, P, Joint> {
  using Base = TurningChunk<Call, P, Joint>;
  using Base::joint_of, Base::gather_rows;
  using Base::nv, Base::block;
  static constexpr int n_in = Call::inputs, n_out = Call::outputs;

 protected:
  using Base::constant, Base::W;
  using typename Base::T, typename Base::Prepared;

  template <template <class> class Record>
  static Record<T> of_lane(const Record<P>& x, int l) {
    Record<T> one;
    const auto* from = reinterpret_cast<const P*>(&x);
    auto* to = reinterpret_cast<T*>(&one);
    for (int i = 0; i < static_cast<int>(sizeof(one) / sizeof(T)); ++i) to[i] = from[i].lanes[l];
    return one;
  }

 public:
  using Base::Base, Base::call, Base::steps;
  /// For all that a call may ask for: spherical joints are rarer than others, and pay up to a tenth for it.
  static constexpr bool compiled_once = std::is_same_v<Joint, SphericalJoint>;

  struct Link {
    ProductLanes& lane;
    int k;
    const P* in[n_in];
    P* out[n_out];

    TANDEM_HD Transform<P> transform(const Joint& joint, const Transform<P>& X_T) const {
      return lane.transform(joint, k, X_T);
    }
    TANDEM_HD Inertia<P> inertia(const Mat3<P>& E) const { return lane.rotated_inertia(k, E); }
    TANDEM_HD P armature(int j) const { return lane.constant(k)[Prepared::armature + j]; }
    TANDEM_HD void put(int o, int j, const P& x) const { out[o][j] = x; }
  };
  template <class F>
  TANDEM_HD void outward(unsigned reads, F&& f) {
    outward_blocks(steps, [&](int begin, int n)
                              TANDEM_INLINE { outward_block(reads, begin, n, (reads & reads_configuration) != 0, f); });
  }
  template <class F>
  TANDEM_HD void outward_block(unsigned reads, int begin, int n, bool configuration, F&& f) {
    if (configuration) this->place_joints(begin, n);
    look_at(reads, begin, n);
    for (int i = 0; i < n; ++i) visit(begin, i, f);
  }
  template <class F>
  TANDEM_HD void inward(unsigned reads, F&& f) {
    inward(
        reads, [](int, int) TANDEM_INLINE {}, f);
  }
  template <class Before, class F>
  TANDEM_HD void inward(unsigned reads, Before&& before, F&& f) {
    inward_blocks(steps, [&](int begin, int n) TANDEM_INLINE {
      before(begin, n);
      look_at(reads, begin, n);
      for (int i = n - 1; i >= 0; --i) visit(begin, i, f);
      for (int o = 0; o < n_out; ++o)
        if (call.out[o]) this->scatter_rows(out_[o], begin, n, call.out[o]);
    });
  }

 private:
  template <class F>
  TANDEM_HD void visit(int begin, int i, const F& f) {
    Link here = {*this, begin + i, {}, {}};
    for (int c = 0; c < n_in; ++c) here.in[c] = in_[c] + nv * i;
    for (int o = 0; o < n_out; ++o) here.out[o] = out_[o] + nv * i;
    f(begin + i, here, joint_of(constant(begin + i)));
  }
  TANDEM_HD void look_at(unsigned reads, int begin, int n) {
    for (int c = 0; c < n_in; ++c) {
      if ((reads & reads_in(c)) == 0) continue;
      if (call.in[c])
        gather_rows(call.in[c], begin, n, in_[c]);
      else
        for (int row = 0; row < nv * n; ++row) in_[c][row] = P(0);
    }
  }

  P in_[n_in][block * nv];
  P out_[n_out][block * nv];
};

/// Products of the dynamics.
template <class Number, class M, int n_in, int n_out, class Memory, class P, class Joint>
class PackLane<ProductCall<Number, M, n_in, n_out, Memory>, P, Joint>
    : public ProductLanes<ProductCall<Number, M, n_in, n_out, Memory>, P, Joint> {
  using Base = ProductLanes<ProductCall<Number, M, n_in, n_out, Memory>, P, Joint>;
  using Base::count, Base::set_lane, Base::of_lane, Base::W;

 public:
  using Base::Base, Base::call, Base::link;

  Inertia<P> added_inertia(int k) const {
    P rows[10];
    for (P& row : rows) row = P(0);
    for (int l = 0; l < W; ++l)
      if (k < count(l)) set_lane(rows, l, added_link_inertia(call, link(l, k)));
    return __builtin_bit_cast(Inertia<P>, rows);
  }
  void put_powers(int k, const Motion<P>& y, const CarriedRates<P>& rates) const {
    for (int l = 0; l < W; ++l)
      if (k < count(l)) put_link_powers(call, link(l, k), of_lane(y, l), of_lane(rates, l));
  }
};

/// Products of kinematics.
template <class Problem, class Number, class M, int n_in, int n_out, class Column, class Memory, class P, class Joint>
class PackLane<KinematicsCall<Problem, Number, M, n_in, n_out, Column, Memory>, P, Joint>
    : public ProductLanes<KinematicsCall<Problem, Number, M, n_in, n_out, Column, Memory>, P, Joint> {
  using Base = ProductLanes<KinematicsCall<Problem, Number, M, n_in, n_out, Column, Memory>, P, Joint>;
  using Base::count, Base::of_lane, Base::W;
  using typename Base::T;

 public:
  using Base::Base, Base::call, Base::link;

  template <template <class> class Carrier, class F>
  TANDEM_HD void put_frames(int k, const Carrier<P>& link_k, F&& f) const {
    if (this->all_have(k)) {
      Tile tile;
      f(link_k, own_transform(k), 0, tile.columns(call.frames));
      this->template to_links<12>(tile.pose, call.frames.pose, k);
      if (call.frames.velocity) this->template to_links<6>(tile.velocity, call.frames.velocity, k);
      if (call.frames.acceleration) this->template to_links<6>(tile.acceleration, call.frames.acceleration, k);
    }
    for_each_left(k, [&](int l, Index frame) {
      f(of_lane(link_k, l), frame_transform<T>(call.m, static_cast<int>(frame)), frame, call.frames);
    });
  }
  template <template <class> class Carrier, class F>
  TANDEM_HD KinematicsProducts::Weights<P> weights(int k, const Carrier<P>& link_k, F&& f) const {
    auto sum = KinematicsProducts::Weights<P>::zero();
    if (this->all_have(k)) {
      Tile tile;
      if (call.frames.pose) this->template of_links<12>(call.frames.pose, k, tile.pose);
      if (call.frames.velocity) this->template of_links<6>(call.frames.velocity, k, tile.velocity);
      if (call.frames.acceleration) this->template of_links<6>(call.frames.acceleration, k, tile.acceleration);
      sum = f(link_k, own_transform(k), 0, tile.columns(call.frames));
    }
    for_each_left(k, [&](int l, Index frame) {
      const auto one = f(of_lane(link_k, l), frame_transform<T>(call.m, static_cast<int>(frame)), frame, call.frames);
      auto* rows = reinterpret_cast<P*>(&sum);
      for (int i = 0; i < static_cast<int>(sizeof(one) / sizeof(T)); ++i)
        rows[i].lanes[l] += reinterpret_cast<const T*>(&one)[i];
    });
    return sum;
  }

 private:
  /// The rows of links' own frames.
  struct Tile {
    P pose[12], velocity[6], acceleration[6];
    FrameColumns<P*> columns(const FrameColumns<Column>& given) {
      return {given.pose ? pose : nullptr, given.velocity ? velocity : nullptr,
              given.acceleration ? acceleration : nullptr};
    }
  };
  TANDEM_HD Transform<P> own_transform(int k) const {
    P rows[12];
    this->template of_links<12>(call.m.frame_placement, k, rows);
    return load<Transform<P>>(&rows[0], 0);
  }
  /// Calls f(lane, frame) for frames of links k that are not their own, and for these, too, where not every lane has
  /// one.
  template <class F>
  TANDEM_HD void for_each_left(int k, F&& f) const {
    const bool own = !this->all_have(k);
    if (own || call.further.first) left_one_by_one(k, own, f);
  }
  template <class F>
  TANDEM_PASS void left_one_by_one(int k, bool own, const F& f) const {
    for (int l = 0; l < W; ++l) {
      if (k >= count(l)) continue;
      const int i = link(l, k);
      if (own) f(l, Index{i});
      call.further.for_each(call.m, i, [&](int frame) { f(l, Index{frame}); });
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
