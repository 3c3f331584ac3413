// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Calls f(kind of joint, first row in q, first row in v) for every joint that has rows of its own.
template <class S, class M, class F>
TANDEM_HD void for_each_independent_joint(const ModelView<M>& m, F&& f) {
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0)
      on_joint_kind<S>(m, i, [&](auto joint) TANDEM_INLINE { f(joint, m.q_index[i], m.v_index[i]); });
}

/// The configuration reached from q with the constant velocity u in unit time, q (+) u: on the manifold of rotations
/// and rigid motions, quaternions stay normalised.
///
/// In        q [nq] rad|m   u [nv] rad|m, velocity times time
/// Out       q_next [nq] rad|m; may be q itself
struct Integrate : WorkOf<> {
  static constexpr const char* name = "integrate";
  static constexpr const char* summary = "configuration reached with a constant velocity in unit time";
  static constexpr Argument arguments[] = {
      argument::q,
      {"u", Rows::v, Role::input, "rad|m", "velocity times time"},
      {"q_next", Rows::q, Role::output, "rad|m", "configuration reached", "", Limit::none, "q"},
  };
  template <class S, class M, class Q, class U, class Out, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, U u, Out q_next, Work) {
    for_each_independent_joint<S>(
        m, [&](auto joint, int iq, int iv) TANDEM_INLINE { joint.template integrate<S>(q + iq, u + iv, q_next + iq); });
  }
};

/// The constant velocity from q0 to q1 in unit time along the shortest path: q0 (+) u = q1. Angles of revolute joints
/// are subtracted, including full turns.
///
/// In        q0 [nq], q1 [nq] rad|m     Out u [nv] rad|m
struct Difference : WorkOf<> {
  static constexpr const char* name = "difference";
  static constexpr const char* summary = "constant velocity from one configuration to another in unit time";
  static constexpr Argument arguments[] = {
      {"q0", Rows::q, Role::input, "rad|m", "configuration to start from"},
      {"q1", Rows::q, Role::input, "rad|m", "configuration to reach"},
      {"u", Rows::v, Role::output, "rad|m", "velocity times time"},
  };
  template <class S, class M, class Q0, class Q1, class Out, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q0 q0, Q1 q1, Out u, Work) {
    for_each_independent_joint<S>(
        m, [&](auto joint, int iq, int iv) TANDEM_INLINE { joint.template difference<S>(q0 + iq, q1 + iq, u + iv); });
  }
};

/// du/dt of q(t) = q0 (+) u(t) that moves with velocity v: what Runge-Kutta methods on manifolds integrate
/// [Munthe-Kaas 1998]. Exact to third order in u.
///
/// In        u [nv] rad|m   v [nv] rad/s|m/s     Out rate [nv] rad/s|m/s
struct IntegrateRate : WorkOf<> {
  static constexpr const char* name = "integrate_rate";
  static constexpr const char* summary = "rate of a displacement on the configuration manifold";
  static constexpr Argument arguments[] = {
      {"u", Rows::v, Role::input, "rad|m", "displacement so far"},
      argument::v,
      {"rate", Rows::v, Role::output, "rad/s|m/s", "rate of the displacement"},
  };
  template <class S, class M, class U, class V, class Out, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, U u, V v, Out rate, Work) {
    for_each_independent_joint<S>(
        m, [&](auto joint, int, int iv) TANDEM_INLINE { joint.template rate<S>(u + iv, v + iv, rate + iv); });
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[Integrate]
after = "PassiveForcesDerivatives"
compiled_with = "InverseDynamicsRegressor"
ignores_loops = true

[Integrate.python]
summary = "Configuration reached from ``q`` with a constant velocity in unit time, on the configuration manifold."
example = '''
>>> humanoid = tandem.load("humanoid", floating=True)
>>> q = tandem.neutral_configuration(humanoid)
>>> q = tandem.integrate(humanoid, q, 1e-3 * np.ones(humanoid.nv))
'''

[Integrate.python.notes]
q_next = "; quaternions are normalised. It may be ``q`` itself"

[Difference]
after = "Integrate"
compiled_with = "Integrate"
cuda_with = "Integrate"
ignores_loops = true

[Difference.python]
summary = "Constant velocity from ``q0`` to ``q1`` in unit time along the shortest path."
text = '''
Inverse of :func:`integrate`. Angles of revolute joints are subtracted, including full turns.
'''

[IntegrateRate]
after = "Difference"
compiled_with = "Difference"
cuda_with = "Difference"
ignores_loops = true

[IntegrateRate.python]
summary = "Rate of a displacement: du/dt while integrate(q, u) moves with velocity ``v``."
text = '''
Runge-Kutta methods on manifolds need it, [Munthe-Kaas 1998]. Exact to third order in ``u``.
'''
*/
