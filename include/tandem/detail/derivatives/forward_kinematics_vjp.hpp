// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/forward_kinematics_products.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of a weighted sum of all that forward kinematics gives, by configuration, velocity and acceleration.
///
/// Method    forward_kinematics; each frame's weights as forces on its link, of how it is displaced and how its
///           velocity and acceleration change; these inward, each joint taking what is along its axes. See
///           docs/algorithms/products.md
/// In        q [nq] rad|m   v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2, or none: zeros   pose_bar [n_frames, 3, 4],
///           velocity_bar, acceleration_bar [n_frames, 6], linear first: weights of the numbers of pose, velocity and
///           acceleration, or none: zeros
/// Out       q_bar [nv]   v_bar, a_bar [nv] or none; they need v, and v and a
/// Frames    reference as for forward_kinematics; q_bar is in the cotangent space of `integrate`
/// Work      72 rows per link and nv     Cost O(n_links + n_frames)
struct ForwardKinematicsVjp {
  static constexpr const char* name = "forward_kinematics_vjp";
  static constexpr const char* summary = "VJP of forward kinematics";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      argument::optional(argument::a),
      {"pose_bar", Rows::pose, Role::optional_input, "1/m", "cotangent of pose"},
      {"velocity_bar", Rows::frame_motion, Role::optional_input, "s/m, s/rad", "cotangent of velocity"},
      {"acceleration_bar", Rows::frame_motion, Role::optional_input, "s^2/m, s^2/rad", "cotangent of acceleration"},
      {"q_bar", Rows::v, Role::output, "1/rad|1/m", "cotangent of q"},
      {"v_bar", Rows::v, Role::optional_output, "s/rad|s/m", "cotangent of v", "v"},
      {"a_bar", Rows::v, Role::optional_output, "s^2/rad|s^2/m", "cotangent of a", "va"},
  };
  static constexpr Method methods[] = {Method::automatic, Method::recursive_newton_euler};
  Reference reference = Reference::local;

  using Shared = KinematicsProducts;
  template <class S>
  using Weights = Shared::Weights<S>;
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return m.nv + (rows_of<Shared::Link<double>> + rows_of<Weights<double>>)*m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Pose, class Vel, class Acc, class Qb, class Vb,
            class Ab, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Pose pose_bar, Vel velocity_bar, Acc acceleration_bar,
                      Qb q_bar, Vb v_bar, Ab a_bar, Work w) const {
    on_kinematics(velocity_bar, acceleration_bar, [&](auto of) TANDEM_INLINE {
      weigh<S, of.value>(m, q, v, a, pose_bar, velocity_bar, acceleration_bar, q_bar, v_bar, a_bar, w);
    });
  }

  /// The weights of frame k as forces on its link, which moves as `at` says.
  template <class S, class Columns>
  TANDEM_HD Weights<S> of_frame(Kinematics of, const Columns& weights, Index k, const Transform<S>& X_ki,
                                const ForwardKinematics::Link<S>& at) const {
    const auto X_kw = X_ki * at.X_iw;
    auto f = Weights<S>::zero();
    if (weights.pose) f.place = of_pose<S>(weights.pose, 12 * k, X_kw.E);
    if (of != Kinematics::pose) {
      const auto v_k = X_ki * at.v;
      if (weights.velocity) {
        f.v = along_frame(X_kw, load_force_linear_first<S>(weights.velocity, 6 * k));
        f.place = f.place + by_displacement(v_k, f.v);
      }
      if (of == Kinematics::acceleration) {
        f.a = along_frame(X_kw, load_force_linear_first<S>(weights.acceleration, 6 * k));
        auto a_k = X_ki * at.a;
        if (reference == Reference::local_world_aligned) {
          a_k.v = add_cross(a_k.v, v_k.w, v_k.v);
          f.v = f.v + Force<S>{cross(v_k.v, f.a.f), cross(f.a.f, v_k.w)};
        }
        f.place = f.place + by_displacement(a_k, f.a);
      }
    }
    return through(of, X_ki, f);
  }

 private:
  template <class S, Kinematics of, class M, class Q, class Qd, class Qdd, class Pose, class Vel, class Acc, class Qb,
            class Vb, class Ab, class Work>
  TANDEM_PASS void weigh(const ModelView<M>& m, Q q, Qd v_or_none, Qdd a_or_none, Pose pose_bar, Vel velocity_bar,
                         Acc acceleration_bar, Qb q_bar, Vb v_bar, Ab a_bar, Work none) const {
    constexpr bool moving = of != Kinematics::pose, accelerating = of == Kinematics::acceleration;
    const auto v = or_zeros<S>(v_or_none, none, m.nv);
    const auto a = or_zeros<S>(a_or_none, none, m.nv);
    const auto w = none + m.nv;
    Shared::place_and_move<S, of>(m, q, v, a, w);
    const auto links = records<Shared::Link<S>>(w);
    const auto weights = records<Weights<S>>(w + rows_of<Shared::Link<S>> * m.n_links);
    for (int i = 0; i < m.n_links; ++i) weights.store(i, Weights<S>::zero());
    for (int k = 0; k < m.n_frames; ++k) {
      const int i = m.frame_link[k];
      if (i == 0) continue;
      weights.store(i, weights.load(i) + of_frame(of, FrameColumns{pose_bar, velocity_bar, acceleration_bar}, k,
                                                  frame_transform<S>(m, k), Shared::carrier<of>(links, i)));
    }

    for (int k = 0; k < m.nv; ++k) {
      q_bar[k] = S(0);
      if (v_bar) v_bar[k] = S(0);
      if (a_bar) a_bar[k] = S(0);
    }
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      on_kept_joint_kind<S>(m, i, w, links.row(i, &Shared::Link<S>::X), [&](auto joint) TANDEM_INLINE {
        const auto X_ip = recall_transform<S>(joint, m, i, w, links.row(i, &Shared::Link<S>::X));
        auto f = weights.load(i);
        if constexpr (!moving) {
          add_joint_force(joint, m, i, f.place, q_bar);
        } else {
          Shared::Before<S> before = {X_ip * links.load(p, &Shared::Link<S>::v), Motion<S>::zero()};
          if constexpr (accelerating) before.a = X_ip * links.load(p, &Shared::Link<S>::a);
          Shared::for_each_stage<accelerating>(joint, m, i, before, v, a, false,
                                               [&](const auto& axes, const Shared::JointState<S>& j) TANDEM_INLINE {
                                                 const auto by = f.pass(accelerating, j);
                                                 add_joint_force(axes, m, i, by.q, q_bar);
                                                 if (v_bar) add_joint_force(axes, m, i, by.v, v_bar);
                                                 if (a_bar) add_joint_force(axes, m, i, f.a, a_bar);
                                               });
        }
        if (p != 0) weights.store(p, weights.load(p) + through(of, X_ip, f));
      });
    }
  }

  /// From frame to frame.
  template <class S, class X>
  TANDEM_HD static Weights<S> through(Kinematics of, const X& X_ip, const Weights<S>& f) {
    auto result = Weights<S>::zero();
    result.place = transpose_mul(X_ip, f.place);
    if (of != Kinematics::pose) result.v = transpose_mul(X_ip, f.v);
    if (of == Kinematics::acceleration) result.a = transpose_mul(X_ip, f.a);
    return result;
  }
  /// Weights of the numbers of a motion, as a force on the motion along the frame's axes: the transpose of seen_from.
  template <class S>
  TANDEM_HD Force<S> along_frame(const Transform<S>& X_kw, const Force<S>& f) const {
    if (reference == Reference::local) return f;
    if (reference == Reference::local_world_aligned) return {X_kw.E * f.n, X_kw.E * f.f};
    return {X_kw.E * (f.n + cross(f.f, X_kw.r)), X_kw.E * f.f};
  }
  /// The transpose of what a displacement changes a motion's numbers by.
  template <class S>
  TANDEM_HD Force<S> by_displacement(const Motion<S>& m, const Force<S>& f) const {
    const Force<S> all = cross(m, f);
    if (reference == Reference::local) return Force<S>::zero();
    return reference == Reference::world ? all : Force<S>{all.n, Vec3<S>::zero()};
  }
  /// Of rows of [R | p]: with A = R^T weights, what of A turns.
  template <class S, class Pose>
  TANDEM_HD static Force<S> of_pose(Pose pose, Index row, const Mat3<S>& E) {
    const Mat3<S> G = {load<Vec3<S>>(pose, row), load<Vec3<S>>(pose, row + 4), load<Vec3<S>>(pose, row + 8)};
    const Mat3<S> A = E * G;
    const Vec3<S> p = {S(pose[row + 3]), S(pose[row + 7]), S(pose[row + 11])};
    return {{A.row2.y - A.row1.z, A.row0.z - A.row2.x, A.row1.x - A.row0.y}, E * p};
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardKinematicsVjp]
after = "ForwardKinematicsJvp"
compiled_with = "ForwardKinematicsJvp"
ignores_loops = true

[ForwardKinematicsVjp.cpp]
order = "q q_bar work"
options = false
more = {struct = "FrameWeights", name = "weights", needed = true}
more_doc = '''
Cotangents of the results of forward_kinematics; empty ones are zeros.
'''

[ForwardKinematicsVjp.cpp.members]
v = "[nv] rad/s|m/s"
a = "[nv] rad/s^2|m/s^2"
pose_bar = "[n_frames, 3, 4] cotangent of pose"
velocity_bar = "[n_frames, 6] cotangent of velocity"
acceleration_bar = "[n_frames, 6] cotangent of acceleration"
v_bar = "[nv] cotangent of v; needs v"
a_bar = "[nv] cotangent of a; needs v and a"

[ForwardKinematicsVjp.python]
summary = """\
VJP of poses and, with ``v`` and ``a``, of velocities and accelerations of all frames."""
text = '''
Cotangents belong to all results of :func:`forward_kinematics`, ``pose_bar`` to ``[R | p]``. Time and memory are
O(n). ``q_bar`` is in the cotangent space of :func:`integrate`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, weights = tandem.random_configuration(arm, seed=1), np.zeros((arm.n_frames, 3, 4))
>>> weights[arm.frame_index("tool0"), 2, 3] = 1  # of its height
>>> q_bar = tandem.forward_kinematics_vjp(arm, q, pose_bar=weights)
>>> J = tandem.jacobian(arm, q, "tool0", reference="local_world_aligned")
>>> np.allclose(q_bar, J[2])
True
'''

[ForwardKinematicsVjp.python.notes]
pose_bar = ", or none: zeros"
velocity_bar = ", or none: zeros"
acceleration_bar = ", or none: zeros"
*/
