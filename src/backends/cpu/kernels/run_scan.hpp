// SPDX-License-Identifier: Apache-2.0
/// The driver of scans: groups of chunks on threads, chunks in lanes.
#pragma once
#include "run_links.hpp"
#include "scan_lanes.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// The chunks of a group in packs where they have joints of one kind, one after the other elsewhere.
template <class P, class Prepared>
struct ChunksInLanes {
  template <class T>
  using Row = Eight < T,
        Pack<T, FullPack<T>::width<8 ? FullPack<T>::width : 8>>;
  const Prepared& prepared;

  /// Calls f(lane) until all chunks of group g are done.
  template <class Call, class F>
  void each(const Call& call, Index g, F&& f) const {
    switch (static_cast<ScanKind>(call.plan.group_kind[g])) {
      case ScanKind::revolute: return in_packs<RevoluteJoint>(call, g, f);
      case ScanKind::one_dof: return in_packs<AxialJoint<P>>(call, g, f);
      case ScanKind::spherical: return in_packs<SphericalJoint>(call, g, f);
      case ScanKind::any: return one_by_one(call, g, f);
    }
  }

 private:
  template <class Call, class F>
  void one_by_one(const Call& call, Index g, F&& f) const {
    if constexpr (requires { typename Call::LoneOfAnyJoint; })
      OneByOne<>().template each_as<typename Call::LoneOfAnyJoint>(call, g, f);
    else
      OneByOne<>().each(call, g, f);
  }
  template <class Joint, class Call, class F>
  void in_packs(const Call& call, Index g, F&& f) const {
    auto* w = reinterpret_cast<P*>(call.memory.chunks + call.plan.group_row[g]);
    for (Index c = call.plan.group_chunk[g]; c < call.plan.group_chunk[g + 1]; c += P::width) {
      PackLane<Call, P, Joint> lane(call, prepared, g, c, w);
      f(lane);
      w += call.plan.rows_of_chunk(g);
    }
  }
};

/// The method with its executor and its lanes, in the shape of an algorithm.
template <class A, class T>
struct ScanOnThreads : OnThreads<A> {
  using Prepared = PreparedScan<T, A::turns_inertias>;
  const Prepared* prepared;
  std::shared_ptr<const void> own;  ///< where the caller has not prepared anything

  static std::shared_ptr<const void> prepare(const ModelView<T>& m, const Options& options) {
    return std::make_shared<const Prepared>(m, with_options<A>(options).cut(m));
  }
  explicit ScanOnThreads(const Call<T>& call) : OnThreads<A>(call) {
    if (!call.prepared) own = prepare(call.model, call.options);
    prepared = static_cast<const Prepared*>(call.prepared ? call.prepared : own.get());
  }
  template <class M>
  Index work_rows([[maybe_unused]] const ModelView<M>& m) const {
    if constexpr (requires(const A& a) { a.template rows<T>(prepared->plan(), m); })
      return A::template rows<T>(prepared->plan(), m);
    else
      return A::template rows<T>(prepared->plan());
  }
  template <class S, class M, class... Column>
  auto body(const ModelView<M>& m, Column... columns) const {
    return this->with_team([&](const ThreadsExecutor& executor) {
      return A::template run<S>(ChunksInLanes<FullPack<T>, Prepared>{*prepared}, executor, prepared->plan(), m,
                                columns...);
    });
  }
};

template <class A, class T>
using ScanDriver = DriverOf<ScanOnThreads<A, T>, T>;

}  // namespace tandem::inline TANDEM_ISA
