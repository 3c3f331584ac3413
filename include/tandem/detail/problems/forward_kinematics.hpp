// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/passes/world_placement.hpp"

namespace tandem::inline TANDEM_ISA {

/// The motion of a frame, given along its own axes, as another reference sees it.
template <class S>
TANDEM_HD Motion<S> seen_from(Reference reference, const Transform<S>& X_fw, const Motion<S>& m) {
  if (reference == Reference::local) return m;
  const Motion<S> aligned = along_world_axes(X_fw, m);
  if (reference == Reference::local_world_aligned) return aligned;
  return {aligned.w, aligned.v + cross(X_fw.r, aligned.w)};
}

/// Forward kinematics: pose and, if asked for, velocity and acceleration of every link and frame.
///
/// Method    outward recursion in link coordinates, [RBDA] section 4.2
/// In        q [nq] rad|m   v [nv] rad/s|m/s or none   a [nv] rad/s^2|m/s^2 or none
/// Out       pose [n_frames, 3, 4]: rows of [R | p], R from the frame's axes to the world's, p its origin in the world,
///           m velocity [n_frames, 6] m/s, rad/s and acceleration [n_frames, 6] m/s^2, rad/s^2, linear first, or none;
///           they need v, and v and a
/// Frames    reference says along which axes and of which point. The acceleration is the time derivative of the
///           velocity's six numbers: spatial in `local` and `world`, that of the frame's origin in
///           `local_world_aligned`. Gravity is no part of it; the base is at rest.
/// Work      24 rows per link     Cost O(n_links + n_frames)
struct ForwardKinematics {
  static constexpr const char* name = "forward_kinematics";
  static constexpr const char* summary = "pose, velocity and acceleration of every link and frame";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      argument::optional(argument::a),
      {"pose", Rows::pose, Role::output, "m", "rotation and position of every frame in the world"},
      {"velocity", Rows::frame_motion, Role::optional_output, "m/s, rad/s", "velocity of every frame", "v"},
      {"acceleration", Rows::frame_motion, Role::optional_output, "m/s^2, rad/s^2", "acceleration of every frame",
       "va"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  Reference reference = Reference::local;

  /// What is kept of a link: its place in the world, velocity and spatial acceleration along its axes.
  template <class S>
  struct Link {
    Transform<S> X_iw;
    Motion<S> v, a;
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return rows_of<Link<double>> * m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Pose, class Vel, class Acc, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Pose pose, Vel velocity, Acc acceleration,
                      Work w) const {
    if (acceleration)
      report_frames<S, true, true>(m, q, v, a, pose, velocity, acceleration, w);
    else if (velocity)
      report_frames<S, true, false>(m, q, v, a, pose, velocity, acceleration, w);
    else
      report_frames<S, false, false>(m, q, v, a, pose, velocity, acceleration, w);
  }

  template <class S, bool moving, bool accelerating, class M, class Q, class Qd, class Qdd, class Pose, class Vel,
            class Acc, class Work>
  TANDEM_HD void report_frames(const ModelView<M>& m, Q q, Qd v, Qdd a, Pose pose, Vel velocity, Acc acceleration,
                               Work w) const {
    const auto report = [&](int k, const Transform<S>& X_iw, const Motion<S>& v_i, const Motion<S>& a_i) TANDEM_INLINE {
      const auto X_ki = frame_transform<S>(m, k);
      const auto X_kw = X_ki * X_iw;
      store_pose(pose, Index{12} * k, X_kw);
      if constexpr (moving) {
        const auto v_k = X_ki * v_i;
        if (velocity) store_linear_first(velocity, Index{6} * k, seen_from(reference, X_kw, v_k));
        if constexpr (accelerating) {
          auto a_k = X_ki * a_i;
          if (reference == Reference::local_world_aligned) a_k.v = a_k.v + cross(v_k.w, v_k.v);
          store_linear_first(acceleration, Index{6} * k, seen_from(reference, X_kw, a_k));
        }
      }
    };

    // outward: every link's place and motion, and at once those of its own frame
    const auto still = Motion<S>::zero();
    report(0, Transform<S>::identity(), still, still);
    const bool further_frames = m.n_frames > m.n_links;
    for_each_link<S, moving, accelerating>(
        m, q, v, a, w, [&](int i, const Transform<S>& X_iw, const Motion<S>& v_i, const Motion<S>& a_i) TANDEM_INLINE {
          report(i, X_iw, v_i, a_i);
          return further_frames;
        });

    // further frames ride on their links
    const auto links = records<Link<S>>(w);
    for (int k = m.n_links; k < m.n_frames; ++k) {
      const int i = m.frame_link[k];
      report(k, links.load(i, &Link<S>::X_iw), moving ? links.load(i, &Link<S>::v) : still,
             accelerating ? links.load(i, &Link<S>::a) : still);
    }
  }

  /// Outward: calls f(link, X_iw, velocity, spatial acceleration along the link's axes) for every moving link, and
  /// keeps these in w where f returns true or a later child needs them.
  template <class S, bool moving, bool accelerating, class M, class Q, class Qd, class Qdd, class Work, class F>
  TANDEM_HD static void for_each_link(const ModelView<M>& m, Q q, Qd v, Qdd a, Work w, F&& f) {
    auto X_iw = Transform<S>::identity();
    auto v_i = Motion<S>::zero(), a_i = Motion<S>::zero();
    const auto links = records<Link<S>>(w);
    const auto keep = [&](int i) TANDEM_INLINE {
      links.store(i, &Link<S>::X_iw, X_iw);
      if constexpr (moving) links.store(i, &Link<S>::v, v_i);
      if constexpr (accelerating) links.store(i, &Link<S>::a, a_i);
    };
    keep(0);
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      const bool next = p == i - 1;
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = joint_transform<S>(joint, m, i, q);
        X_iw = X_ip * (next ? X_iw : links.load(p, &Link<S>::X_iw));
        if constexpr (moving) {
          const auto v_J = joint_motion<S>(joint, m, i, v);
          v_i = X_ip * (next ? v_i : links.load(p, &Link<S>::v)) + v_J;
          if constexpr (accelerating)
            a_i = X_ip * (next ? a_i : links.load(p, &Link<S>::a)) + joint_motion<S>(joint, m, i, a) +
                  velocity_product(v_i, v_J);
        }
      });
      const bool wanted = f(i, X_iw, v_i, a_i);
      if (wanted || branches(m, i)) keep(i);
    }
  }

  /// Rows of [R | p]: the frame's axes are the columns of R, the rows of E.
  template <class S, class Pose>
  TANDEM_HD static void store_pose(Pose pose, Index row, const Transform<S>& X_kw) {
    const auto& E = X_kw.E;
    const S rows[12] = {E.row0.x, E.row1.x, E.row2.x, X_kw.r.x, E.row0.y, E.row1.y,
                        E.row2.y, X_kw.r.y, E.row0.z, E.row1.z, E.row2.z, X_kw.r.z};
    for (int c = 0; c < 12; ++c) pose[row + c] = rows[c];
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardKinematics]
after = ""
ignores_loops = true

[ForwardKinematics.cpp]
order = "q pose work"
more = {struct = "FrameMotions", name = "motions"}
more_doc = '''
Motions requested of forward_kinematics in addition to poses; empty ones are not computed.
'''

[ForwardKinematics.cpp.members]
v = "[nv] rad/s|m/s, for velocities and accelerations"
a = "[nv] rad/s^2|m/s^2, for accelerations"
velocity = "[n_frames, 6] m/s, rad/s of every frame; needs v"
acceleration = "[n_frames, 6] m/s^2, rad/s^2 of every frame; needs v and a"

[ForwardKinematics.python]
summary = "Pose and, if ``v`` and ``a`` are given, velocity and acceleration of every link and frame."
text = '''
The acceleration is the time derivative of the velocity's six numbers: spatial in ``"local"`` and ``"world"``, that
of the frame's origin in ``"local_world_aligned"``. Gravity is not included. [RBDA] section 4.2.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> pose = tandem.forward_kinematics(arm, tandem.neutral_configuration(arm))
>>> pose.shape == (arm.n_frames, 3, 4)
True
>>> pose[0].tolist()
[[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]
'''
*/
