// SPDX-License-Identifier: Apache-2.0
/// Lanes of chunks, for the scans of JVPs and VJPs.
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/joint/any_joint.hpp"
#include "tandem/detail/passes/increments.hpp"
#include "tandem/detail/problems/inverse_dynamics_regressor.hpp"
#include "tandem/detail/scan/lone_chunk.hpp"

namespace tandem::inline TANDEM_ISA {

/// What a pass over a chunk reads, as bits: configurations, and column i of those that are laid out as v.
inline constexpr unsigned reads_configuration = 1;
TANDEM_HD constexpr unsigned reads_in(int i) { return 2u << i; }

// A lane has, in addition to the members described in lone_chunk.hpp,
//   dof                              most degrees of freedom of a joint, constant in packs
//   outward(reads, f) inward(reads, f)
//                                    call f(k, link, joint) for all joints, from the base outwards or the other way
//   inward(reads, before, f)         before(begin, n) comes before the joints of a block
//   outward_block(reads, begin, n, configuration, f)
//                                    for joints begin .. begin + n - 1, of a block of scan_block; transform() is
//                                    called if `configuration`
//   force(k, c)                      on link k, along its axes, from column c of forces on links
//   added_inertia(k)                 of link k, along its axes, from dpi
//   put_powers(k, y, rates)          factors of forces on link k and its inertial parameters in the power on
//                                    y, all along its axes, where that is wanted
// and a link
//   transform(joint, X_T)            X_T followed by what the joint does
//   in[i]                            its joint's rows of column i, zeros if that was left out
//   inertia(E)                       along the axes that E turns into its own
//   armature(j)
//   put(o, j, x)                     row j of its joint in column o of those that come out, in an inward pass

/// With `called`, all joints except hinges have the type AnyJoint.
template <class Call, bool called = false>
struct ProductLane;

/// Base of calls that divide a chain into chunks. A call has the model m, its plan, and q; columns in[] and out[], laid
/// out as v, any of which may be null (zeros, or not requested); and the memory of links and chunks.
template <class Call>
struct ChainCall {
  /// Whether the numbers stored for all links exceed the cache.
  TANDEM_HD bool far() const {
    const ScanPlan& plan = call().plan;
    return plan.group_row[plan.n_groups] * static_cast<Index>(sizeof(typename Call::Number)) > bytes_in_cache;
  }
  /// In place, over one element per chunk.
  template <Scan kind, class Executor, class Op>
  TANDEM_HD void scan(const Executor& executor, const Op& op, ElementOf<Op>* elements) const {
    scan_on<kind>(executor, op, call().plan.n_chunks, ArraySlots<ElementOf<Op>>{elements});
  }
  /// Calls f(lane) for all chunks.
  template <class Groups, class Executor, class F>
  TANDEM_HD void for_each_chunk(const Groups& groups, const Executor& executor, F&& f) const {
    constexpr Index worth_waking = 1024;  // links
    const ScanPlan& plan = call().plan;
    for_each_of(executor, plan.n_groups, plan.n < worth_waking ? plan.n_groups + 1 : 2,
                [&](Index g) TANDEM_INLINE { groups.each(call(), g, f); });
  }

 private:
  TANDEM_HD const Call& call() const { return static_cast<const Call&>(*this); }
};

/// A JVP or VJP of inverse dynamics.
template <class S, class M, int n_in, int n_out, class Memory>
struct ProductCall : ChainCall<ProductCall<S, M, n_in, n_out, Memory>> {
  using Number = S;
  using Lone = ProductLane<ProductCall>;
  using LoneOfAnyJoint = ProductLane<ProductCall, true>;
  static constexpr int inputs = n_in, outputs = n_out;
  const ModelView<M>& m;
  ScanPlan plan;
  const S* q;
  const S* f_ext;
  const S* in[n_in];
  S* out[n_out];
  const S *df_ext, *dpi;
  S *f_ext_bar, *pi_bar;
  Memory memory;
};

/// Of link i with these rates and the motion y, along its axes: the cotangents of its external wrench and its inertial
/// parameters, for the power of its force on y.
template <class Call, class S>
TANDEM_HD void put_link_powers(const Call& call, int i, const Motion<S>& y, const CarriedRates<S>& rates) {
  const auto X_fi = frame_transform<S>(call.m, i);
  if (call.f_ext_bar) store_linear_first(call.f_ext_bar, Index{6} * i, S(-1) * (X_fi * y));
  if (call.pi_bar)
    store(call.pi_bar, Index{10} * (i - 1), power_of_inertia(rates_of(X_fi * rates_of(rates)), X_fi * y));
}
/// The tangent of the inertia of link i, along its axes.
template <class Call>
TANDEM_HD auto added_link_inertia(const Call& call, int i) {
  using S = typename Call::Number;
  return transpose_mul(frame_transform<S>(call.m, i), inertia_of_parameters<S>(call.dpi, Index{10} * (i - 1)));
}

/// One chunk, its joints of any kind.
template <class Call, bool called>
struct ProductLane : LoneChunk<Call> {
  using S = typename Call::Number;
  using LoneChunk<Call>::LoneChunk, LoneChunk<Call>::call, LoneChunk<Call>::steps, LoneChunk<Call>::link;
  static constexpr int most_dof = 6;
  static constexpr bool compiled_once = called;  ///< for all optional arguments together

  struct Link {
    const Call& call;
    int i;
    S in[Call::inputs][most_dof];

    template <class Joint>
    TANDEM_HD Transform<S> transform(const Joint& joint, const Transform<S>& X_T) const {
      return joint.transform(X_T, call.q + call.m.q_index[i]);
    }
    TANDEM_HD Inertia<S> inertia(const Mat3<S>& E) const { return congruence(E, link_inertia<S>(call.m, i)); }
    TANDEM_HD S armature(int j) const { return S(call.m.armature[call.m.v_index[i] + j]); }
    TANDEM_HD void put(int o, int j, const S& x) const {
      if (call.out[o]) call.out[o][call.m.v_index[i] + j] = x;
    }
  };
  template <class F>
  TANDEM_HD void outward(unsigned reads, F&& f) const {
    for (int k = 0; k < steps; ++k) visit(reads, k, f);
  }
  template <class F>
  TANDEM_HD void outward_block(unsigned reads, int begin, int n, bool, F&& f) const {
    for (int k = begin; k < begin + n; ++k) visit(reads, k, f);
  }
  template <class F>
  TANDEM_HD void inward(unsigned reads, F&& f) const {
    inward(
        reads, [](int, int) TANDEM_INLINE {}, f);
  }
  template <class Before, class F>
  TANDEM_HD void inward(unsigned reads, Before&& before, F&& f) const {
    inward_blocks(steps, [&](int begin, int n) TANDEM_INLINE {
      before(begin, n);
      for (int k = begin + n - 1; k >= begin; --k) visit(reads, k, f);
    });
  }
  using LoneChunk<Call>::force;
  TANDEM_HD Force<S> force(int k, const S* forces) const { return external_force<S>(call.m, link(k), forces); }
  TANDEM_HD Inertia<S> added_inertia(int k) const { return added_link_inertia(call, link(k)); }
  TANDEM_HD void put_powers(int k, const Motion<S>& y, const CarriedRates<S>& rates) const {
    put_link_powers(call, link(k), y, rates);
  }

 private:
  template <class F>
  TANDEM_HD void visit(unsigned reads, int k, const F& f) const {
    const auto at = [&](auto joint) TANDEM_INLINE {
      Link here = {call, link(k), {}};
      const int row = call.m.v_index[here.i];
      for (int i = 0; i < Call::inputs; ++i)
        for (int j = 0; j < joint.nv; ++j)
          here.in[i][j] = (reads & reads_in(i)) != 0 && call.in[i] ? S(call.in[i][row + j]) : S(0);
      f(k, here, joint);
    };
    if constexpr (called)
      on_hinge_or_any_joint<S>(call.m, link(k), call.q, at);
    else
      this->on_joint(k, at);
  }
};

}  // namespace tandem::inline TANDEM_ISA
