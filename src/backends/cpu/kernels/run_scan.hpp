// SPDX-License-Identifier: Apache-2.0
/// The driver of the scan form of forward dynamics: groups of chunks on threads, chunks in lanes.
#pragma once
#include "run_links.hpp"
#include "scan_lanes.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// The three passes over a group, its chunks in packs where they have joints of one kind.
template <class P>
struct ChunksInLanes {
  template <class T>
  using Row = Eight<T, Pack<T, FullPack<T>::width < 8 ? FullPack<T>::width : 8>>;
  const PreparedScan<typename RealOf<P>::type>& prepared;

  template <class Call>
  void place(const Call& call, Index g, bool keep) const {
    each(
        call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::place(lane, w, keep, call); },
        [&]() TANDEM_INLINE { OneByOne<>().place(call, g, keep); });
  }
  template <class Call>
  void gather(const Call& call, Index g, bool placed) const {
    const bool ends = call.plan.group_ends[g] != 0;
    each(
        call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::gather(lane, w, placed, ends, call); },
        [&]() TANDEM_INLINE { OneByOne<>().gather(call, g, placed); });
  }
  template <class Call>
  void accelerate(const Call& call, Index g) const {
    const bool ends = call.plan.group_ends[g] != 0;
    each(
        call, g, [&](auto& lane, auto* w) TANDEM_INLINE { ScanPasses::accelerate(lane, w, ends, call); },
        [&]() TANDEM_INLINE { OneByOne<>().accelerate(call, g); });
  }

 private:
  template <class Call, class F, class Alone>
  void each(const Call& call, Index g, F&& f, Alone&& alone) const {
    switch (static_cast<ScanKind>(call.plan.group_kind[g])) {
      case ScanKind::revolute: return in_packs<RevoluteJoint>(call, g, f);
      case ScanKind::one_dof: return in_packs<AxialJoint<P>>(call, g, f);
      case ScanKind::spherical: return in_packs<SphericalJoint>(call, g, f);
      case ScanKind::any: return alone();
    }
  }
  template <class Joint, class Call, class F>
  void in_packs(const Call& call, Index g, F&& f) const {
    auto* w = reinterpret_cast<P*>(call.memory.chunks + call.plan.group_row[g]);
    for (Index c = call.plan.group_chunk[g]; c < call.plan.group_chunk[g + 1]; c += P::width) {
      PackLane<Call, P, Joint> lane(call, prepared, g, c, w);
      f(lane, w);
      w += lane.rows().of_chunk(lane.steps);
    }
  }
};

/// The method with its engine and its lanes, in the shape of an algorithm.
template <class A, class T>
struct ScanOnThreads : OnThreads<A> {
  const PreparedScan<T>* prepared;
  std::shared_ptr<const void> own;  ///< where the caller has not prepared anything

  static std::shared_ptr<const void> prepare(const ModelView<T>& m, const Options& options) {
    return std::make_shared<const PreparedScan<T>>(m, with_options<A>(options).cut(m));
  }
  explicit ScanOnThreads(const Call<T>& call) : OnThreads<A>(call) {
    if (!call.prepared) own = prepare(call.model, call.options);
    prepared = static_cast<const PreparedScan<T>*>(call.prepared ? call.prepared : own.get());
  }
  template <class M>
  Index work_rows(const ModelView<M>&) const {
    return ScanArticulatedBody::rows<T>(prepared->plan());
  }
  template <class S, class M, class... Column>
  void body(const ModelView<M>& m, Column... columns) const {
    this->with_team([&](const ThreadsEngine& ready) {
      ScanArticulatedBody::run<S>(ChunksInLanes<FullPack<T>>{*prepared}, ready, prepared->plan(), m, columns...);
    });
  }
};

template <class A, class T>
using ScanDriver = DriverOf<ScanOnThreads<A, T>, T>;

}  // namespace tandem::inline TANDEM_ISA
