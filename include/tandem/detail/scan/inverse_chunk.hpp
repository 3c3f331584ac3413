// SPDX-License-Identifier: Apache-2.0
/// Chunks as the scans of inverse dynamics see them.
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/scan/lone_chunk.hpp"
#include "tandem/options.hpp"

namespace tandem::inline TANDEM_ISA {

/// What a pass over a chunk reads of a call besides its model.
enum Reads : unsigned { reads_q = 1, reads_v = 2, reads_a = 4 };

// A lane of inverse dynamics has besides what is said in lone_chunk.hpp
//   dof                              most degrees of freedom of a joint, constant in packs
//   outward<reads>(f) inward<reads>(f)
//                                    call f(k, link, joint) for all joints, from the base outwards or the other way
// and a link
//   transform(joint) inertia() v a   X_ip, and columns of the joint's rows
//   put(j, x)                        torque j of its joint: x, and what accelerating the rotor takes; in an inward pass
// and of links that carry paths
//   carries(k)                       whether link k, in some lane, does
//   note(k, v, a) brought(k)         motion; force of its child paths, zero in lanes without any
template <class Call>
struct InverseLane : LoneChunk<Call> {
  using S = typename Call::Number;
  using LoneChunk<Call>::LoneChunk, LoneChunk<Call>::call, LoneChunk<Call>::steps, LoneChunk<Call>::link;

  struct Link {
    const Call& call;
    int i;
    decltype(call.v + 0) v = call.v + call.m.v_index[i];
    decltype(call.a + 0) a = call.a + call.m.v_index[i];
    template <class Joint>
    TANDEM_HD Transform<S> transform(const Joint& joint) const {
      return joint.transform(load<Transform<S>>(call.m.placement, Index{12} * i), call.q + call.m.q_index[i]);
    }
    TANDEM_HD Inertia<S> inertia() const { return link_inertia<S>(call.m, i); }
    TANDEM_HD void put(int j, const S& x) const {
      const int row = call.m.v_index[i] + j;
      call.tau[row] = mul_add(S(call.m.armature[row]), S(call.a[row]), x);
    }
  };
  template <unsigned reads, class F>
  TANDEM_HD void outward(F&& f) const {
    for (int k = 0; k < steps; ++k) visit(k, f);
  }
  template <unsigned reads, class F>
  TANDEM_HD void inward(F&& f) const {
    for (int k = steps - 1; k >= 0; --k) visit(k, f);
  }
  TANDEM_HD bool carries(int k) const { return call.plan.slot && call.plan.slot[link(k)] != 0; }
  TANDEM_HD void note(int k, const Motion<S>& v, const Motion<S>& a) const { slot(k) = {v, a, Force<S>::zero()}; }
  TANDEM_HD Force<S> brought(int k) const { return slot(k).brought; }

 private:
  TANDEM_HD auto& slot(int k) const { return call.memory.slots[call.plan.slot[link(k)]]; }
  template <class F>
  TANDEM_HD void visit(int k, const F& f) const {
    this->on_joint(k, [&](auto joint) TANDEM_INLINE { f(k, Link{call, link(k)}, joint); });
  }
};

/// One call of inverse dynamics: the model, how it is cut, the columns, what a form keeps of links and chunks, and in
/// which order it scans over the latter.
template <class S, class M, class Q, class Qd, class Qdd, class Fx, class Tau, class Memory>
struct InverseCall {
  using Number = S;
  using Lone = InverseLane<InverseCall>;
  const ModelView<M>& m;
  ScanPlan plan;
  Q q;
  Qd v;
  Qdd a;
  Fx f_ext;
  Tau tau;
  Memory memory;
  ScanSchedule schedule = ScanSchedule::tree;

  /// Over what is known of chunks, in place: along every path of a level.
  template <Scan kind, class Executor, class Op>
  TANDEM_HD void scan(const Executor& executor, const Op& op, ElementOf<Op>* elements, Index level = 0) const {
    plan.for_each_path(
        executor, level, [&](Index p) TANDEM_INLINE { return plan.chunks_of_path(p) > plan.joined_in_a_row; },
        [&](Index p) TANDEM_INLINE { scan_path<kind>(SerialExecutor(), op, elements, p); },
        [&](Index p) TANDEM_INLINE { scan_path<kind>(executor, op, elements, p); });
  }
  /// Calls f(lane) until all chunks are done, or those of a level.
  template <class Groups, class Executor, class F>
  TANDEM_HD void for_each_chunk(const Groups& groups, const Executor& executor, F&& f) const {
    for_each_group(groups, executor, 0, plan.n_groups, f);
  }
  template <class Groups, class Executor, class F>
  TANDEM_HD void for_each_chunk_of(Index level, const Groups& groups, const Executor& executor, F&& f) const {
    for_each_group(groups, executor, plan.level_group[level], plan.level_group[level + 1], f);
  }

 private:
  template <Scan kind, class Executor, class Op>
  TANDEM_HD void scan_path(const Executor& executor, const Op& op, ElementOf<Op>* elements, Index p) const {
    using T = ElementOf<Op>;
    static_assert(sizeof(T) <= sizeof(*memory.spare));
    const Index first = plan.path_chunk[p], n = plan.path_chunk[p + 1] - first;
    const ArraySlots<T> of_path = {elements + first};
    if (schedule == ScanSchedule::hillis_steele)
      scan_hillis_steele<kind>(executor, op, n, of_path, ArraySlots<T>{reinterpret_cast<T*>(memory.spare) + first});
    else
      scan_on<kind>(executor, op, n, of_path);
  }
  template <class Groups, class Executor, class F>
  TANDEM_HD void for_each_group(const Groups& groups, const Executor& executor, Index begin, Index end, F&& f) const {
    constexpr Index worth_waking = 1024;  // links
    for_each_of(executor, end - begin, plan.n < worth_waking ? plan.n_groups + 1 : 2,
                [&](Index k) TANDEM_INLINE { groups.each(*this, begin + k, f); });
  }
};

}  // namespace tandem::inline TANDEM_ISA
