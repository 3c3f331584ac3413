// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/derived_arguments.hpp"
#include "tandem/detail/passes/increments.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// Directional derivative (JVP) of inverse dynamics, without forming a matrix.
///
///     dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi
///
/// Method    the passes of InverseDynamics, on motions and forces with their tangents (increments.hpp): one outward
///           and one inward. See docs/algorithms/products.md
/// In, Out   jvp_arguments: those of inverse_dynamics and their tangents, zeros if omitted
/// Frames    tangents of q are those of `integrate`: of spherical, planar and free joints along the child's axes.
///           f_ext keeps its numbers as the links move
/// Joints    armature counts; damping, friction and springs do not. Joints that follow another move with it
/// Work      42 rows per link     Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsJvp {
  static constexpr const char* name = "inverse_dynamics_jvp";
  static constexpr const char* summary = "JVP of inverse dynamics";
  static constexpr auto& arguments = jvp_arguments<InverseDynamics, true>;
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr Method methods[] = {Method::automatic, Method::recursive_newton_euler};

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return (rows_of<InverseDynamics::Link<double, ForceTangent>> + rows_of<CarriedTangent<double>>)*m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Dq, class Dv, class Da, class Fx, class Dfx,
            class Dpi, class Tau, class Dtau, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Dq dq, Dv dv, Da da, Fx f_ext, Dfx df_ext,
                               Dpi dpi, Tau tau, Dtau dtau, Work w) {
    InverseDynamics::recursion<S, ForceTangent>(
        m, q, w, RatesTangent<S>{base_rates<S>(m), Increment<S>::zero()},
        [&](auto joint, int i, const auto& X_ip, const RatesTangent<S>& p) TANDEM_INLINE {
          const Vec3<S> u = cross(p.rates.angular.w, X_ip.r);
          auto before = X_ip * p.rates;
          RatesTangent<S> x = {p.rates, from_origin_to_origin(X_ip, u + u, p.increment)};
          for (int s = 0; s < stages(joint); ++s) {
            const auto axes = stage(joint, s);
            const auto v_J = joint_motion<S>(axes, m, i, v);
            x.rates = moved(before, v_J, joint_motion<S>(axes, m, i, a));
            const JointState<S> j = {rates_of(before), before.w + x.rates.angular.w, slide_of<S>(v_J)};
            x.increment = across_joint(j, x.increment, joint_motion<S>(axes, m, i, dq), joint_motion<S>(axes, m, i, dv),
                                 joint_motion<S>(axes, m, i, da));
            before = carried(x.rates);
          }
          return x;
        },
        [&](int i, const RatesTangent<S>& x) TANDEM_INLINE {
          const auto body = link_inertia<S>(m, i);
          ForceTangent<S> f = {body * x.rates, added_force(body, x.rates.angular.w, x.increment)};
          if (f_ext) f.f = f.f - external_force<S>(m, i, f_ext);
          if (df_ext) f.df = f.df - external_force<S>(m, i, df_ext);
          if (dpi) {
            const auto X_fi = frame_transform<S>(m, i);
            const auto more = inertia_of_parameters<S>(dpi, Index{10} * (i - 1));
            f.df = f.df + transpose_mul(X_fi, more * rates_of(X_fi * x.rates));
          }
          return f;
        },
        [&]() TANDEM_INLINE {
          for (int k = 0; k < m.nv; ++k) {
            tau[k] = S(m.armature[k]) * S(a[k]);
            dtau[k] = S(m.armature[k]) * S(da[k]);
          }
        },
        [&](auto joint, int i, ForceTangent<S>& f) TANDEM_INLINE {
          add_joint_force(joint, m, i, f.f, tau);
          for (int s = stages(joint) - 1; s >= 0; --s) {
            const auto axes = stage(joint, s);
            add_joint_force(axes, m, i, f.df, dtau);
            f.df = turned_along(joint_motion<S>(axes, m, i, dq), f.f, f.df);
          }
        });
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsJvp]
after = "InverseDynamicsDerivatives"
ignores_loops = true

[InverseDynamicsJvp.cpp]
options = false

[InverseDynamicsJvp.python]
summary = "JVP of :func:`inverse_dynamics` without matrices."
text = '''
    dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi

with the matrices of :func:`inverse_dynamics_derivatives`, :func:`jacobian` and :func:`inverse_dynamics_regressor`,
in time and memory O(n). ``dq`` is in the tangent space of :func:`integrate`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> dq, dv, da = np.arange(7.0), np.ones(arm.nv), np.zeros(arm.nv)
>>> tau, dtau = tandem.inverse_dynamics_jvp(arm, q, v, a, dq, dv, da)
>>> dtau_dq, dtau_dv = tandem.inverse_dynamics_derivatives(arm, q, v, a)
>>> np.allclose(dtau, dtau_dq @ dq + dtau_dv @ dv)
True
'''

[InverseDynamicsJvp.python.notes]
dq = ", as for :func:`integrate`"
df_ext = ", or none: zeros"
dpi = ", or none: zeros"
*/
