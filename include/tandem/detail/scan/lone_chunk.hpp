// SPDX-License-Identifier: Apache-2.0
/// Chunks of links as a method's passes see them, and a lone one. Passes are written for a type Lane with
///   S                            a number, or a pack with a chunk in every lane
///   int steps                    joints, of the longest chunk among the lanes
///   S* w                         the chunk's scratch memory
///   on_joint(k, f)               calls f with the kind of joint k
///   placement(k) transform(joint, k, X_T)
///                                numbers of joint k; X_T followed by what the joint does
///   feels() force(k)             whether there are outer forces, and that on link k, in link coordinates
///   put(records, x) take(records)
///                                a record of the chunk, to and from one for each chunk
/// and with what the method needs besides. backends/cpu/kernels/scan_lanes.hpp has those of packs.
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/scan/scan_plan.hpp"
#include "tandem/detail/solve/eight.hpp"

namespace tandem::inline TANDEM_ISA {

/// One chunk, its joints of any kind.
template <class Call>
struct LoneChunk {
  using S = typename Call::Number;
  static constexpr bool alone = true;
  const Call& call;
  Index chunk, first;  ///< and the position of its first joint
  int steps, dof;      ///< most degrees of freedom of a joint
  S* w;

  TANDEM_HD LoneChunk(const Call& c, Index k, int most_dof, S* memory)
      : call(c),
        chunk(k),
        first(c.plan.chunk[k]),
        steps(static_cast<int>(c.plan.chunk[k + 1] - first)),
        dof(most_dof),
        w(memory) {}

  TANDEM_HD int link(int k) const { return call.plan.link_at(first + k); }
  template <class F>
  TANDEM_HD void on_joint(int k, F&& f) const {
    on_joint_at<S>(call.m, link(k), call.q, f);
  }
  TANDEM_HD Transform<S> placement(int k) const { return load<Transform<S>>(call.m.placement, Index{12} * link(k)); }
  template <class Joint>
  TANDEM_HD Transform<S> transform(Joint joint, int k, const Transform<S>& X_T) const {
    return joint.transform(X_T, call.q + call.m.q_index[link(k)]);
  }
  TANDEM_HD auto v(int k) const { return call.v + call.m.v_index[link(k)]; }
  TANDEM_HD bool feels() const { return static_cast<bool>(call.f_ext); }
  TANDEM_HD Force<S> force(int k) const { return external_force<S>(call.m, link(k), call.f_ext); }

  template <template <class> class Record>
  TANDEM_HD void put(Record<S>* records, const Record<S>& x) const {
    records[chunk] = x;
  }
  template <template <class> class Record>
  TANDEM_HD Record<S> take(const Record<S>* records) const {
    return records[chunk];
  }
};

/// Groups of chunks as they come, one chunk after the other. A call has
///   Number m plan q v f_ext      its numbers, the model, how it is cut, and columns
///   memory.chunks                scratch memory of all groups
///   Lone                         a lone chunk as its method's passes see it
template <class Executor = SerialExecutor>
struct OneByOne {
  Executor executor;
  template <class S>
  using Row = Eight<S>;  ///< of the runs that chunks are joined to

  /// Calls f(lane) until all chunks of group g are done.
  template <class Call, class F>
  TANDEM_HD void each(const Call& call, Index g, F&& f) const {
    each_as<typename Call::Lone>(call, g, f);
  }
  /// The same with another type of lane.
  template <class Lane, class Call, class F>
  TANDEM_HD void each_as(const Call& call, Index g, F&& f) const {
    const ScanPlan& plan = call.plan;
    const Index first = plan.group_chunk[g];
    for_each_in_part(executor, plan.group_chunk[g + 1] - first, [&](Index k) TANDEM_INLINE {
      Lane lane(call, first + k, plan.group_dof[g], call.memory.chunks + plan.group_row[g] + k * plan.rows_of_chunk(g));
      f(lane);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
