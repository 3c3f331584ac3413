// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/jacobian.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of forward kinematics: how a frame's velocity and acceleration change with configuration, velocity and
/// acceleration of the joints.
///
///     velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
///     acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...
///
/// Its pose moves by J dq: in `local` along its own axes, in `local_world_aligned` the origin along those of the world.
///
/// Method    docs/algorithms/derivatives.md: with v_p, a_p of the link before the axis S, and d the motion of the frame
///           against that link, all spatial and seen from the frame, v_p x S, a_p x S - d x (v_p x S), v_p x S + dS/dt
///           - v x S [Carpentier 2018]; two walks from the frame to the base
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2
/// Out       dvelocity_dq, dacceleration_dq, dacceleration_dv, J [6, nv], linear first; the last one, the Jacobian, or
///           none
/// Frames    derivatives of the numbers that forward_kinematics has for this reference; increments of q are those of
///           `integrate`
/// Work      12 rows per link     Cost O(depth), and 18 nv zeros
struct ForwardKinematicsDerivatives {
  static constexpr const char* name = "forward_kinematics_derivatives";
  static constexpr const char* summary = "derivatives of a frame's velocity and acceleration";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      {"dvelocity_dq", Rows::jacobian, Role::output, "m/s, rad/s per rad|m",
       "derivative of the frame's velocity by configuration"},
      {"dacceleration_dq", Rows::jacobian, Role::output, "m/s^2, rad/s^2 per rad|m",
       "its acceleration by configuration"},
      {"dacceleration_dv", Rows::jacobian, Role::output, "m/s^2, rad/s^2 per rad/s|m/s", "by velocity"},
      {"J", Rows::jacobian, Role::optional_output, "m/rad|1, rad/rad|rad/m", "its Jacobian"},
  };
  int frame = 0;
  Reference reference = Reference::local;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return rows_of<Transform<double>> * m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Out, class J_, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Out dvelocity_dq, Out dacceleration_dq,
                      Out dacceleration_dv, J_ J, Work w) const {
    const auto places = records<Transform<S>>(w);
    const auto zero = Motion<S>::zero();

    // the frame's motion, and where it sees the links from the base to its own
    auto motion = FrameMotion<S>{zero, zero};
    const auto X_fw =
        for_each_joint_below<S>(m, frame, q, [&](auto joint, int i, const Transform<S>& X_fi) TANDEM_INLINE {
          places.store(i, X_fi);
          for_each_axes<S>(joint, m, i, X_fi, v, a,
                           [&](const auto&, const Motion<S>& v_J, const Motion<S>& a_J) TANDEM_INLINE {
                             motion = {motion.v + v_J, motion.a + a_J + cross(v_J, motion.v)};
                           });
        });

    const Index n = m.nv;
    fill(dvelocity_dq, 6 * n, S(0));
    fill(dacceleration_dq, 6 * n, S(0));
    fill(dacceleration_dv, 6 * n, S(0));
    if (J) fill(J, 6 * n, S(0));
    const auto add = [&](auto to, int i, int k, const Motion<S>& c) TANDEM_INLINE {
      Jacobian::add_column(to, n, m.v_index[i] + k, S(m.multiplier[i]) * seen_from(reference, X_fw, c));
    };
    auto beyond = FrameMotion<S>{zero, zero};  // of the frame against the link
    for (int i = m.frame_link[frame]; i != 0; i = m.parent[i])
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_fi = places.load(i);
        for_each_axes<S>(joint, m, i, X_fi, v, a,
                         [&](const auto& axes, const Motion<S>& v_J, const Motion<S>& a_J) TANDEM_INLINE {
                           const auto v_i = motion.v - beyond.v;
                           const FrameMotion<S> further = {beyond.v + v_J, beyond.a + a_J + cross(v_i, v_J)};
                           const auto v_p = motion.v - further.v, a_p = motion.a - further.a;
                           for (int k_s = 0; k_s < axes.nv; ++k_s) {
                             const int k = first_axis(axes) + k_s;
                             const auto s = X_fi * axes.template axis<S>(k_s), carried = cross(v_p, s);
                             const FrameMotion<S> by_q = {carried, cross(a_p, s) - cross(further.v, carried)},
                                                  by_v = {s, carried - cross(beyond.v, s)};
                             const auto turned = with_frame(motion, s, numbers_of(motion, by_q));
                             add(dvelocity_dq, i, k, turned.v);
                             add(dacceleration_dq, i, k, turned.a);
                             add(dacceleration_dv, i, k, numbers_of(motion, by_v).a);
                             if (J) add(J, i, k, s);
                           }
                           beyond = further;
                         });
      });
  }

 private:
  /// Velocity and acceleration of a frame, or changes of both, along its own axes.
  template <class S>
  struct FrameMotion {
    Motion<S> v, a;
  };

  /// Calls f(stage, velocity, acceleration) for the stages of a joint, the last one first, with what they do to the
  /// frame.
  template <class S, class Joint, class M, class Qd, class Qdd, class F>
  TANDEM_HD static void for_each_axes(Joint joint, const ModelView<M>& m, int i, const Transform<S>& X_fi, Qd v, Qdd a,
                                      F&& f) {
    for (int s = stages(joint) - 1; s >= 0; --s) {
      const auto axes = stage(joint, s);
      const auto along = [&](const auto& x)
                             TANDEM_INLINE { return X_fi * (Motion<S>::zero() + joint_motion<S>(axes, m, i, x)); };
      f(axes, along(v), along(a));
    }
  }

  /// The change of the numbers that are reported, still along the frame's axes: where these are those of the frame's
  /// origin, its acceleration is the spatial one and w x v.
  template <class S>
  TANDEM_HD FrameMotion<S> numbers_of(const FrameMotion<S>& f, FrameMotion<S> change) const {
    if (reference == Reference::local_world_aligned)
      change.a.v = add_cross(add_cross(change.a.v, change.v.w, f.v.v), f.v.w, change.v.v);
    return change;
  }
  /// What the frame's own displacement by s adds, where numbers are not along axes that move with it.
  template <class S>
  TANDEM_HD FrameMotion<S> with_frame(const FrameMotion<S>& f, const Motion<S>& s, const FrameMotion<S>& change) const {
    if (reference == Reference::local) return change;
    if (reference == Reference::world) return {change.v + cross(s, f.v), change.a + cross(s, f.a)};
    const Vec3<S> a = add_cross(f.a.v, f.v.w, f.v.v);
    return {{add_cross(change.v.w, s.w, f.v.w), add_cross(change.v.v, s.w, f.v.v)},
            {add_cross(change.a.w, s.w, f.a.w), add_cross(change.a.v, s.w, a)}};
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardKinematicsDerivatives]
after = "ForwardKinematics"
declared_after = "Jacobian"
ignores_loops = true

[ForwardKinematicsDerivatives.python]
summary = "Derivatives of a frame's velocity and acceleration by configuration, velocity and acceleration."
text = '''
    velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
    acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...

Derivatives of the results of :func:`forward_kinematics` for this reference [Carpentier 2018]. The pose moves by J
dq. dq is in the tangent space of :func:`integrate`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.zeros(arm.nv)
>>> by_q, a_by_q, a_by_v, J = tandem.forward_kinematics_derivatives(arm, q, v, a, "tool0", jacobian=True)
>>> Jdot_v = tandem.jacobian_time_derivative_product(arm, q, v, "tool0")
>>> np.allclose(a_by_v @ v, 2 * Jdot_v)  # quadratic in the velocity
True
'''

[ForwardKinematicsDerivatives.python.flags]
J = ["jacobian", "whether to return the Jacobian as well"]
*/
