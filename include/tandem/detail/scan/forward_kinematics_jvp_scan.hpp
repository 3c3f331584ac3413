// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_kinematics.hpp"
#include "tandem/detail/scan/kinematics_tangent_scan.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivative of the frames of one chain of many links along increments, as scans.
/// docs/algorithms/products_scan.md
///
/// Method    kinematics_tangent_scan.hpp
/// In, Out   as ForwardKinematicsJvp
/// Frames    inside a chunk along the axes of its start, between chunks along the world's; about own origins
/// Joints    every type; in lanes side by side where a chain has revolute and prismatic joints, or spherical joints,
/// beyond its
///           first joint; one chunk after the other elsewhere
/// Options   reference; chunk, chunks: links of a chunk, or how many chunks
/// Work      12 rows per link; 120 per chunk     Cost O(n_links + n_frames), depth chunk + log(chunks)
/// Errors    none; a NaN stays in its own state
struct ForwardKinematicsJvpScan : DividedKinematics<ForwardKinematicsJvpScan, KinematicsTangentScan> {
  using Problem = ForwardKinematicsJvp;
  int chunk = 0, chunks = 0;
  Reference reference = Reference::local;

  template <class S, class Groups, class Executor, class M, class Q, class Dq, class Qd, class Qdd, class Dv, class Da,
            class Pose, class Vel, class Acc>
  void run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m, Q q, Dq dq,
           Qd v, Qdd a, Dv dv, Da da, Pose dpose, Vel dvelocity, Acc dacceleration, Arena arena) const {
    using Call = KinematicsCall<Problem, S, M, Passes::n_in, Passes::n_out, S*, Passes::Memory<S>>;
    const FurtherFrames further(arena, m);
    further.fill(m);
    const Call call = {{},        m,
                       plan,      {reference},
                       q,         {v, a, dq, dv, da},
                       {nullptr}, {dpose, dvelocity, dacceleration},
                       further,   memory<S>(arena, plan)};
    Passes::body(groups, executor, call);
  }
};

}  // namespace tandem::inline TANDEM_ISA
