// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_kinematics.hpp"
#include "tandem/detail/scan/kinematics_adjoint_scan.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of a weighted sum over the frames of one chain of many links, as scans.
/// docs/algorithms/products_scan.md
///
/// Method    kinematics_adjoint_scan.hpp
/// In, Out   as ForwardKinematicsVjp
/// Frames    inside a chunk along the axes of its start, between chunks along the world's; about own origins
/// Joints    every type; in lanes side by side where a chain has revolute and prismatic joints, or spherical joints,
/// beyond its
///           first joint; one chunk after the other elsewhere
/// Options   reference; chunk, chunks: links of a chunk, or how many chunks
/// Work      42 rows per link; 90 per chunk     Cost O(n_links + n_frames), depth chunk + log(chunks)
/// Errors    none; a NaN stays in its own state
struct ForwardKinematicsVjpScan : DividedKinematics<ForwardKinematicsVjpScan, KinematicsAdjointScan> {
  using Problem = ForwardKinematicsVjp;
  int chunk = 0, chunks = 0;
  Reference reference = Reference::local;

  template <class S, class Groups, class Executor, class M, class Q, class Qd, class Qdd, class Pose, class Vel,
            class Acc, class Qb, class Vb, class Ab>
  void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q, Qd v,
           Qdd a, Pose pose_bar, Vel velocity_bar, Acc acceleration_bar, Qb q_bar, Vb v_bar, Ab a_bar,
           Arena arena) const {
    using Call = KinematicsCall<Problem, S, M, Passes::n_in, Passes::n_out, const S*, Passes::Memory<S>>;
    const FurtherFrames further(arena, m);
    further.fill(m);
    const Call call = {{},
                       m,
                       plan,
                       {reference},
                       q,
                       {v, a},
                       {q_bar, v_bar, a_bar},
                       {pose_bar, velocity_bar, acceleration_bar},
                       further,
                       memory<S>(arena, plan)};
    Passes::body(groups, executor, call);
  }
};

}  // namespace tandem::inline TANDEM_ISA
