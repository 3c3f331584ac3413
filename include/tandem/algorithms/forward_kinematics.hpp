// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/algorithms/arguments.hpp"
#include "tandem/algorithms/world_placement.hpp"

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
/// Out       pose [n_frames, 3, 4]: rows of [R | p], R from the frame's axes to the world's, p its origin in the world, m
///           velocity [n_frames, 6] m/s, rad/s and acceleration [n_frames, 6] m/s^2, rad/s^2, linear first, or none;
///           they need v, and v and a
/// Frames    reference says along which axes and of which point. The acceleration is the time derivative of the
///           velocity's six numbers: spatial in `local` and `world`, that of the frame's origin in `local_world_aligned`.
///           Gravity is no part of it; the base is at rest.
/// Work      24 rows per link     Cost O(n_links + n_frames)
struct ForwardKinematics {
  static constexpr const char* name = "forward_kinematics";
  static constexpr const char* summary = "pose, velocity and acceleration of every link and frame";
  static constexpr Argument arguments[] = {
      {"q", Rows::q, Role::input, "rad|m", "configuration"},
      {"v", Rows::v, Role::optional_input, "rad/s|m/s", "velocity"},
      {"a", Rows::v, Role::optional_input, "rad/s^2|m/s^2", "acceleration"},
      {"pose", Rows::pose, Role::output, "m", "rotation and position of every frame in the world"},
      {"velocity", Rows::frame_motion, Role::optional_output, "m/s, rad/s", "velocity of every frame"},
      {"acceleration", Rows::frame_motion, Role::optional_output, "m/s^2, rad/s^2", "acceleration of every frame"},
  };
  Reference reference = Reference::local;

  ForwardKinematics() = default;
  explicit ForwardKinematics(const Options& options) : reference(options.reference) {}

  enum Field { X = 0, V = 12, A = 18, rows_per_link = 24 };
  TANDEM_HD static constexpr Index at(int link, Field f) { return Index{rows_per_link} * link + f; }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return Index{rows_per_link} * m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Pose, class Vel, class Acc, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Pose pose, Vel velocity, Acc acceleration,
                      Work w) const {
    // outward: every link's place and motion
    place_links<S>(m, q, w, rows_per_link);
    if (velocity || acceleration) move_links<S>(m, q, v, acceleration ? a : Qdd{}, w);

    // every frame rides on its link
    for (int k = 0; k < m.n_frames; ++k) {
      const int i = m.frame_link[k];
      const auto X_ki = frame_transform<S>(m, k);
      const auto X_kw = X_ki * load_transform<S>(w, at(i, X));
      const auto R = transpose(X_kw.E);
      const S rows[12] = {R.row0.x, R.row0.y, R.row0.z, X_kw.r.x, R.row1.x, R.row1.y, R.row1.z, X_kw.r.y,
                          R.row2.x, R.row2.y, R.row2.z, X_kw.r.z};
      for (int c = 0; c < 12; ++c) pose[Index{12} * k + c] = rows[c];
      if (!velocity && !acceleration) continue;
      const auto v_k = X_ki * load_motion<S>(w, at(i, V));
      if (velocity) store_linear_first(velocity, Index{6} * k, seen_from(reference, X_kw, v_k));
      if (!acceleration) continue;
      auto a_k = X_ki * load_motion<S>(w, at(i, A));
      if (reference == Reference::local_world_aligned) a_k.v = a_k.v + cross(v_k.w, v_k.v);
      store_linear_first(acceleration, Index{6} * k, seen_from(reference, X_kw, a_k));
    }
  }

  /// Outward: velocity and spatial acceleration of every link, along its own axes.
  template <class S, class M, class Q, class Qd, class Qdd, class Work>
  TANDEM_HD static void move_links(const ModelView<M>& m, Q q, Qd v, Qdd a, Work w) {
    store(w, at(0, V), Motion<S>::zero());
    store(w, at(0, A), Motion<S>::zero());
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        const auto X_ip = joint_transform<S>(joint, m, i, q);
        const auto v_J = joint_motion<S>(joint, m, i, v);
        const auto v_i = X_ip * load_motion<S>(w, at(p, V)) + v_J;
        store(w, at(i, V), v_i);
        if (!a) return;
        store(w, at(i, A),
              X_ip * load_motion<S>(w, at(p, A)) + joint_motion<S>(joint, m, i, a) + cross(v_i, v_J));
      });
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
