// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/forward_kinematics.hpp"
#include "tandem/detail/problems/passive_forces.hpp"

namespace tandem::inline TANDEM_ISA {

/// Kinetic energy of the moving links and their rotors, and potential energy of weight and joint springs.
///
///     kinetic = 1/2 sum_i v_i . I_i v_i + 1/2 sum_k armature_k v_k^2
///     potential = sum_i m_i a_0 . p_com,i + 1/2 sum_k stiffness_k stretch_k^2
///
/// In        q [nq] rad|m   v [nv] rad/s|m/s     Out kinetic [] J   potential [] J, zero at the world's origin
/// Frames    a_0 is the base's linear acceleration minus gravity; an angular acceleration of the base has no potential
/// Work      24 rows per link
struct Energy : WorkOf<ForwardKinematics> {
  static constexpr const char* name = "energy";
  static constexpr const char* summary = "kinetic and potential energy";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"kinetic", Rows::scalar, Role::output, "J", "kinetic energy"},
      {"potential", Rows::scalar, Role::output, "J", "potential energy of weight and springs"},
  };

  template <class S, class M, class Q, class Qd, class K, class P, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, K kinetic, P potential, Work w) {
    const auto a_0 = base_acceleration<S>(m).v;
    S T(0), V(0);
    ForwardKinematics::for_each_link<S, true, false>(
        m, q, v, Qd{}, w,
        [&](int i, const Transform<S>& X_iw, const Motion<S>& v_i, const Motion<S>&) TANDEM_INLINE {
          const auto I_i = link_inertia<S>(m, i);
          T = T + dot(v_i, I_i * v_i);
          V = V + dot(a_0, transpose_mul_add(X_iw.E, I_i.h, I_i.m * X_iw.r));
          return false;
        });
    for_each_stretch<S>(m, q, [&](int row, const S& stretched) TANDEM_INLINE {
      T = mul_add(S(m.armature[row]) * S(v[row]), S(v[row]), T);
      if (any(m.stiffness[row] != M(0))) V = mul_add(S(0.5) * S(m.stiffness[row]) * stretched, stretched, V);
    });
    kinetic[0] = S(0.5) * T;
    potential[0] = V;
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[Energy]
after = "OperationalSpaceMobility"
compiled_with = "JacobianTimeDerivativeProduct"
ignores_loops = true

[Energy.python]
text = '''
    kinetic = 1/2 v^T M(q) v,   potential = -sum_i m_i g . p_com,i + 1/2 sum_k stiffness_k stretch_k^2

Of the moving links and their rotors; potential is that of weight, zero at the world's origin, and of joint springs.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> kinetic, potential = tandem.energy(arm, tandem.neutral_configuration(arm), np.zeros(arm.nv))
>>> float(kinetic)
0.0
'''
*/
