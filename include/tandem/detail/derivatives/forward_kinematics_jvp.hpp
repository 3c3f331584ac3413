// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/forward_kinematics_products.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivative of forward kinematics along increments: how pose, velocity and acceleration of every frame change.
///
/// Method    outward: the place and motion of each link, and its displacement and the change of its velocity and
///           acceleration along axes that are displaced with it. See docs/algorithms/products.md
/// In        q [nq] rad|m   v [nv] rad/s|m/s or none   a [nv] rad/s^2|m/s^2 or none   dq [nv] tangent of q; dv, da of v
///           and a, or none: zeros
/// Out       dpose [n_frames, 3, 4] of the numbers of pose; dvelocity, dacceleration [n_frames, 6], linear first, or
///           none; they need v, and v and a
/// Frames    reference as for forward_kinematics; increments of q are those of `integrate`
/// Work      42 rows per link and nv     Cost O(n_links + n_frames)
struct ForwardKinematicsJvp {
  static constexpr const char* name = "forward_kinematics_jvp";
  static constexpr const char* summary = "JVP of forward kinematics";
  static constexpr Argument arguments[] = {
      argument::q,
      {"dq", Rows::v, Role::input, "rad|m", "tangent of q"},
      argument::optional(argument::v),
      argument::optional(argument::a),
      {"dv", Rows::v, Role::optional_input, "rad/s|m/s", "tangent of v"},
      {"da", Rows::v, Role::optional_input, "rad/s^2|m/s^2", "tangent of a"},
      {"dpose", Rows::pose, Role::output, "m", "tangent of pose"},
      {"dvelocity", Rows::frame_motion, Role::optional_output, "m/s, rad/s", "tangent of velocity", "v"},
      {"dacceleration", Rows::frame_motion, Role::optional_output, "m/s^2, rad/s^2", "tangent of acceleration", "va"},
  };
  static constexpr Method methods[] = {Method::automatic, Method::recursive_newton_euler};
  Reference reference = Reference::local;

  using Shared = KinematicsProducts;
  template <class S>
  using Change = Shared::Change<S>;
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return m.nv + (rows_of<ForwardKinematics::Link<double>> + rows_of<Change<double>>)*m.n_links;
  }

  template <class S, class M, class Q, class Dq, class Qd, class Qdd, class Dv, class Da, class Pose, class Vel,
            class Acc, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Dq dq, Qd v, Qdd a, Dv dv, Da da, Pose dpose, Vel dvelocity,
                      Acc dacceleration, Work w) const {
    on_kinematics(dvelocity, dacceleration, [&](auto of) TANDEM_INLINE {
      report<S, of.value>(m, q, dq, v, a, dv, da, dpose, dvelocity, dacceleration, w);
    });
  }

  /// The rows of frame k, which rides on a link that moves as `at` says and changes by c.
  template <class S, class Columns>
  TANDEM_HD void report_frame(Kinematics of, const Columns& to, Index k, const Transform<S>& X_ki,
                              const ForwardKinematics::Link<S>& at, const Change<S>& c) const {
    const auto X_kw = X_ki * at.X_iw;
    const auto place = X_ki * c.place;
    store_displacement(to.pose, 12 * k, X_kw, place);
    if (of != Kinematics::pose) {
      const auto v_k = X_ki * at.v, dv_k = X_ki * c.v;
      if (to.velocity) store_linear_first(to.velocity, 6 * k, seen_changing(X_kw, place, v_k, dv_k));
      if (of == Kinematics::acceleration) {
        auto a_k = X_ki * at.a, da_k = X_ki * c.a;
        if (reference == Reference::local_world_aligned) {
          a_k.v = add_cross(a_k.v, v_k.w, v_k.v);
          da_k.v = add_cross(add_cross(da_k.v, dv_k.w, v_k.v), v_k.w, dv_k.v);
        }
        store_linear_first(to.acceleration, 6 * k, seen_changing(X_kw, place, a_k, da_k));
      }
    }
  }

 private:
  template <class S, Kinematics of, class M, class Q, class Dq, class Qd, class Qdd, class Dv, class Da, class Pose,
            class Vel, class Acc, class Work>
  TANDEM_PASS void report(const ModelView<M>& m, Q q, Dq dq, Qd v, Qdd a, Dv dv_or_none, Da da_or_none, Pose dpose,
                          Vel dvelocity, Acc dacceleration, Work none) const {
    constexpr bool moving = of != Kinematics::pose, accelerating = of == Kinematics::acceleration;
    const auto dv = or_zeros<S>(dv_or_none, none, m.nv);
    const auto da = or_zeros<S>(da_or_none, none, m.nv);
    const auto w = none + m.nv;
    using Link = ForwardKinematics::Link<S>;
    const auto links = records<Link>(w);
    const auto changes = records<Change<S>>(w + rows_of<Link> * m.n_links);
    Shared::start_at_base(links);
    changes.store(0, Change<S>::zero());
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        const auto before = Shared::place_and_move<of>(joint, m, i, X_ip, v, a, links);
        Change<S> c = {X_ip * changes.load(p, &Change<S>::place), Motion<S>::zero(), Motion<S>::zero()};
        if constexpr (moving) c.v = X_ip * changes.load(p, &Change<S>::v);
        if constexpr (accelerating) c.a = X_ip * changes.load(p, &Change<S>::a);
        if constexpr (!moving) {
          c.place = c.place + joint_motion<S>(joint, m, i, dq);
        } else {
          Shared::for_each_stage<accelerating>(
              joint, m, i, before, v, a, true, [&](const auto& axes, const Shared::JointState<S>& j) TANDEM_INLINE {
                const auto along = [&](const auto& x) TANDEM_INLINE { return Shared::along<S>(axes, m, i, x); };
                c.pass(accelerating, j, along(dq), along(dv), accelerating ? along(da) : Motion<S>::zero());
              });
        }
        changes.store(i, c);
      });
    }
    for (int k = 0; k < m.n_frames; ++k) {
      const int i = m.frame_link[k];
      report_frame(of, FrameColumns{dpose, dvelocity, dacceleration}, k, frame_transform<S>(m, k),
                   Shared::carrier<of>(links, i), changes.load(i));
    }
  }

  /// The change of a motion's six numbers.
  template <class S>
  TANDEM_HD Motion<S> seen_changing(const Transform<S>& X_kw, const Motion<S>& place, const Motion<S>& m,
                                    const Motion<S>& dm) const {
    return seen_from(reference, X_kw, dm + cross(Shared::displaced(reference, place), m));
  }
  /// Rows of [R turn~ | R slide].
  template <class S, class Pose>
  TANDEM_HD static void store_displacement(Pose pose, Index row, const Transform<S>& X_kw, const Motion<S>& place) {
    const Mat3<S> R = transpose(X_kw.E);
    const Vec3<S> p = R * place.v;
    const Vec3<S> rows[3] = {cross(R.row0, place.w), cross(R.row1, place.w), cross(R.row2, place.w)};
    const S last[3] = {p.x, p.y, p.z};
    for (int c = 0; c < 3; ++c) {
      store(pose, row + 4 * c, rows[c]);
      pose[row + 4 * c + 3] = last[c];
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardKinematicsJvp]
after = "ForwardKinematicsDerivatives"
declared_after = "ForwardKinematics"
ignores_loops = true

[ForwardKinematicsJvp.cpp]
order = "q dq dpose work"
options = false
more = {struct = "FrameIncrements", name = "motions"}
more_doc = '''
Further inputs and outputs of forward_kinematics_jvp. Empty outputs are not computed, empty tangents are zeros.
'''

[ForwardKinematicsJvp.cpp.members]
v = "[nv] rad/s|m/s, for velocities and accelerations"
a = "[nv] rad/s^2|m/s^2, for accelerations"
dv = "[nv] tangent of v"
da = "[nv] tangent of a"
dvelocity = "[n_frames, 6] tangent of velocity; needs v"
dacceleration = "[n_frames, 6] tangent of acceleration; needs v and a"

[ForwardKinematicsJvp.python]
summary = """\
JVP of poses and, if ``v`` and ``a`` are given, of velocities and accelerations of all frames."""
text = '''
Tangents of all results of :func:`forward_kinematics`: ``dpose`` is that of ``[R | p]``. ``dq`` is in the tangent
space of :func:`integrate`. Time and memory are O(n), without Jacobians.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, dq = tandem.random_configuration(arm, seed=1), np.arange(7.0)
>>> dpose = tandem.forward_kinematics_jvp(arm, q, dq)
>>> J = tandem.jacobian(arm, q, "tool0", reference="local_world_aligned")
>>> np.allclose(dpose[arm.frame_index("tool0"), :, 3], (J @ dq)[:3])
True
'''

[ForwardKinematicsJvp.python.notes]
dq = ", as for :func:`integrate`"
dv = ", or none: zeros"
da = ", or none: zeros"
*/
