// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/problems/composite_rigid_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics: the acceleration due to joint torques tau in state (q, v).
///
///     a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)
///
/// Method    articulated_body, O(n); composite_rigid_body: mass matrix, bias forces and a factorisation; automatic: the
///           first, but for small robots with mimic joints, where it takes a pass more for each of them
/// In        q [nq] rad|m   v [nv] rad/s|m/s   tau [nv] N m|N   f_ext [n_links, 6] N, N m on the links, or none
///           diagonal [nv] kg m^2|kg added to the diagonal of M (time step times damping: implicit damping), or none
/// Out       a [nv] rad/s^2|m/s^2
/// Frames    f_ext at each link's origin along its own axes, linear part first
/// Joints    armature counts; damping, friction and springs do not (see passive_forces.hpp)
/// Work      45 rows per link + at most 13 per degree of freedom (articulated_body); see composite_rigid_body.hpp for
///           the other
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct ForwardDynamics {
  static constexpr const char* name = "forward_dynamics";
  static constexpr const char* alias = "aba";
  static constexpr const char* summary = "acceleration due to joint torques";
  static constexpr Argument arguments[] = {
      argument::q,     argument::v,        argument::tau,
      argument::f_ext, argument::diagonal, argument::output(argument::a, "tau"),
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr bool inverts_mass_matrix = true;
  static constexpr Method methods[] = {Method::automatic, Method::articulated_body, Method::composite_rigid_body};
  Method method = Method::automatic;

  /// The method that a model is served by. The bound was measured on robots with 1 to 17 mimic joints.
  template <class M>
  TANDEM_HD Method chosen(const ModelView<M>& m) const {
    if (method != Method::automatic) return method;
    const bool few = Index{m.nv} * m.nv < Index{150} * (1 + m.n_mimic);
    return m.n_mimic > 0 && few ? Method::composite_rigid_body : Method::articulated_body;
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    return chosen(m) == Method::composite_rigid_body ? CompositeRigidBody::work_rows(m) : ArticulatedBody::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_PASS void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a, Work w) const {
    if (chosen(m) == Method::composite_rigid_body)
      CompositeRigidBody::body<S>(m, q, v, tau, f_ext, diagonal, a, w);
    else
      ArticulatedBody::body<S>(m, q, v, tau, f_ext, diagonal, a, w);
  }
};

/// M(q)^-1 x for one vector x, without forming M.
///
/// Method    articulated bodies at rest without gravity: the inertias are those of forward dynamics, and x is all that
///           pushes. [RBDA] section 7.3
/// In        q [nq] rad|m   x [nv] N m|N     Out y [nv] rad/s^2|m/s^2
/// Work      as articulated_body     Cost O(n_links)
struct InverseMassMatrixProduct : WorkOf<ArticulatedBody> {
  static constexpr const char* name = "inverse_mass_matrix_product";
  static constexpr const char* summary = "inverse of the mass matrix times a vector, without forming the matrix";
  static constexpr Argument arguments[] = {
      argument::q,
      {"x", Rows::v, Role::input, "N m|N", "vector to multiply, in joint torques"},
      {"y", Rows::v, Role::output, "rad/s^2|m/s^2", "M^-1 x, a joint acceleration", "", Limit::none, "x"},
  };
  static constexpr bool inverts_mass_matrix = true;

  template <class S, class M, class Q, class X, class Y, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, X x, Y y, Work w) {
    ArticulatedBody::respond<S>(m, q, x, y, w);
  }

  /// In two halves, with the same bits: what depends on q alone, and what each vector needs besides, four to five
  /// tenths of both. Many vectors for one configuration need the first half once. Mimic joints are held together anew
  /// for each vector.
  template <class M>
  TANDEM_HD static bool has_halves(const ModelView<M>& m) {
    return m.n_mimic == 0;
  }
  template <class S, class M, class X, class Y, class Work>
  TANDEM_HD static void solve(const ModelView<M>& m, X x, Y y, Work w) {
    ArticulatedBody::inward<S, false, false>(m, x, X{}, w);
    ArticulatedBody::outward<S>(m, y, w);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ForwardDynamics]
after = "CoriolisMatrix"
compiled_with = "InterbodyWrenches"
cuda_apart = true
cuda_bodies = ["ByArticulatedBodies", "ByMassMatrix"]

[ForwardDynamics.python]
summary = "Forward dynamics: acceleration due to the joint torques ``tau`` in state (``q``, ``v``)."
text = '''
    a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)

Armature is included; damping, friction and springs are not, see :func:`passive_forces`. A singular mass matrix
gives infinities or NaN in this state. The default method is articulated bodies, [RBDA] table 7.1.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
>>> a = tandem.forward_dynamics(arm, q, v, np.zeros(arm.nv))
>>> np.allclose(tandem.inverse_dynamics(arm, q, v, a), 0, atol=1e-9)
True
'''

[ForwardDynamics.python.notes]
diagonal = "; time step times damping makes damping implicit"

[InverseMassMatrixProduct]
after = "ClosedLoopDynamics"
declared_after = "InverseMassMatrix"
cuda_passes_apart = true
ignores_loops = true

[InverseMassMatrixProduct.python]
summary = "Product M(q)^-1 x without forming M."
text = '''
For one ``q`` and a batch of ``x``, all that depends only on ``q`` is computed once: many vectors cost a fraction of
as many calls. A singular mass matrix gives infinities or NaN. [RBDA] section 7.3.
'''
*/
