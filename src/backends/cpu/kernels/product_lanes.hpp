// SPDX-License-Identifier: Apache-2.0
/// Chunks of products with derivatives side by side, a chunk a lane.
#pragma once
#include "scan_lanes.hpp"
#include "tandem/detail/methods/product_call.hpp"

namespace tandem::inline TANDEM_ISA {

template <class Number, class M, int n_in, int n_out, class Memory, class P, class Joint>
class PackLane<ProductCall<Number, M, n_in, n_out, Memory>, P, Joint>
    : public TurningChunk<ProductCall<Number, M, n_in, n_out, Memory>, P, Joint> {
  using Base = TurningChunk<ProductCall<Number, M, n_in, n_out, Memory>, P, Joint>;
  using Base::constant, Base::joint_of, Base::gather_rows, Base::count, Base::set_lane;
  using Base::nv, Base::block, Base::W;
  using typename Base::T, typename Base::Prepared;

 public:
  using Base::Base, Base::call, Base::steps, Base::link;

  struct Link {
    PackLane& lane;
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
  template <unsigned reads, class F>
  TANDEM_HD void outward(F&& f) {
    outward_blocks(steps, [&](int begin, int n)
                              TANDEM_INLINE { outward_block<reads>(begin, n, (reads & reads_configuration) != 0, f); });
  }
  template <unsigned reads, class F>
  TANDEM_HD void outward_block(int begin, int n, bool configuration, F&& f) {
    if (configuration) this->place_joints(begin, n);
    look_at<reads>(begin, n);
    for (int i = 0; i < n; ++i) visit(begin, i, f);
  }
  template <unsigned reads, class F>
  TANDEM_HD void inward(F&& f) {
    inward<reads>([](int, int) TANDEM_INLINE {}, f);
  }
  template <unsigned reads, class Before, class F>
  TANDEM_HD void inward(Before&& before, F&& f) {
    inward_blocks(steps, [&](int begin, int n) TANDEM_INLINE {
      before(begin, n);
      look_at<reads>(begin, n);
      for (int i = n - 1; i >= 0; --i) visit(begin, i, f);
      for (int o = 0; o < n_out; ++o)
        if (call.out[o]) this->scatter_rows(out_[o], begin, n, call.out[o]);
    });
  }
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

 private:
  template <class F>
  TANDEM_HD void visit(int begin, int i, const F& f) {
    Link here = {*this, begin + i, {}, {}};
    for (int c = 0; c < n_in; ++c) here.in[c] = in_[c] + nv * i;
    for (int o = 0; o < n_out; ++o) here.out[o] = out_[o] + nv * i;
    f(begin + i, here, joint_of(constant(begin + i)));
  }
  template <unsigned reads>
  TANDEM_HD void look_at(int begin, int n) {
    for (int c = 0; c < n_in; ++c) {
      if ((reads & reads_in(c)) == 0) continue;
      if (call.in[c])
        gather_rows(call.in[c], begin, n, in_[c]);
      else
        for (int row = 0; row < nv * n; ++row) in_[c][row] = P(0);
    }
  }
  template <template <class> class Record>
  static Record<T> of_lane(const Record<P>& x, int l) {
    Record<T> one;
    const auto* from = reinterpret_cast<const P*>(&x);
    auto* to = reinterpret_cast<T*>(&one);
    for (int i = 0; i < static_cast<int>(sizeof(one) / sizeof(T)); ++i) to[i] = from[i].lanes[l];
    return one;
  }

  P in_[n_in][block * nv];
  P out_[n_out][block * nv];
};

}  // namespace tandem::inline TANDEM_ISA
