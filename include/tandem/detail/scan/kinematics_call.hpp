// SPDX-License-Identifier: Apache-2.0
/// Lanes of chunks, for the scans of JVPs and VJPs of kinematics: those of product_call.hpp, with columns of frames.
#pragma once
#include "tandem/detail/scan/product_call.hpp"
#include "tandem/detail/derivatives/forward_kinematics_products.hpp"

namespace tandem::inline TANDEM_ISA {

// A lane has, in addition to the members described in product_call.hpp,
//   put_frames(k, link, f)           f(frame, X_fi, rows, columns) for all frames f of link k, writing columns
//                                    from what is known of the link
//   weights(k, link, f)              the same for f that reads them and gives Weights, which are added up

/// Frames of each link in addition to its own, as linked lists.
struct FurtherFrames {
  using Int = std::int32_t;
  Int *first = nullptr, *next = nullptr;  ///< [n_links]; frame after frame n_links + k; 0: none

  template <class M>
  TANDEM_HD FurtherFrames(Arena& arena, const ModelView<M>& m) {
    if (m.n_frames == m.n_links) return;
    first = arena.take<Int>(m.n_links);
    next = arena.take<Int>(m.n_frames - m.n_links);
  }
  template <class M>
  TANDEM_HD void fill(const ModelView<M>& m) const {
    if (!first) return;
    for (Index i = 0; i < m.n_links; ++i) first[i] = 0;
    for (Int k = m.n_frames; k-- > m.n_links;) {
      next[k - m.n_links] = first[m.frame_link[k]];
      first[m.frame_link[k]] = k;
    }
  }
  /// Calls f(k) for the frames k of link i.
  template <class M, class F>
  TANDEM_HD void for_each(const ModelView<M>& m, int i, F&& f) const {
    if (!first) return;
    for (Int k = first[i]; k != 0; k = next[k - m.n_links]) f(k);
  }
};

template <class Call, bool called = false>
struct FramesLane;

/// One call; Column is S* for tangents of frames, const S* for their cotangents.
template <class Problem, class S, class M, int n_in, int n_out, class Column, class Memory>
struct KinematicsCall : ChainCall<KinematicsCall<Problem, S, M, n_in, n_out, Column, Memory>> {
  using Number = S;
  using Lone = FramesLane<KinematicsCall>;
  using LoneOfAnyJoint = FramesLane<KinematicsCall, true>;
  static constexpr int inputs = n_in, outputs = n_out;
  const ModelView<M>& m;
  ScanPlan plan;
  Problem problem;  ///< the sequential algorithm, which computes frames from their links
  const S* q;
  const S* in[n_in];
  S* out[n_out];
  FrameColumns<Column> frames;
  FurtherFrames further;
  Memory memory;

  /// Order of the requested columns of frames.
  TANDEM_HD Kinematics kinematics() const { return kinematics_of(frames.velocity, frames.acceleration); }

  /// Calls f(frame, X_fi) for all frames of link i.
  template <class F>
  TANDEM_HD void for_each_frame(int i, F&& f) const {
    f(i, frame_transform<S>(m, i));
    further.for_each(m, i, [&](int k) TANDEM_INLINE { f(k, frame_transform<S>(m, k)); });
  }
};

/// One chunk, its joints of any kind.
template <class Call, bool called>
struct FramesLane : ProductLane<Call, called> {
  using S = typename Call::Number;
  using Base = ProductLane<Call, called>;
  using Base::Base, Base::call, Base::link;

  template <class Link, class F>
  TANDEM_HD void put_frames(int k, const Link& link_k, F&& f) const {
    call.for_each_frame(
        link(k), [&](Index frame, const Transform<S>& X_fi) TANDEM_INLINE { f(link_k, X_fi, frame, call.frames); });
  }
  template <class Link, class F>
  TANDEM_HD auto weights(int k, const Link& link_k, F&& f) const {
    auto sum = KinematicsProducts::Weights<S>::zero();
    call.for_each_frame(link(k), [&](Index frame, const Transform<S>& X_fi)
                                     TANDEM_INLINE { sum = sum + f(link_k, X_fi, frame, call.frames); });
    return sum;
  }
};

}  // namespace tandem::inline TANDEM_ISA
