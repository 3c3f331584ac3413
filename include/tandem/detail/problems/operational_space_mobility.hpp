// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/mirror.hpp"
#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/problems/jacobian.hpp"

namespace tandem::inline TANDEM_ISA {

/// Operational-space mobility of a frame: how it accelerates under forces on itself, J(q) M(q)^-1 J(q)^T, which is the
/// inverse of the operational-space inertia where that exists.
///
/// Method    the articulated inertias of forward dynamics, found once, then six unit forces g on the frame handed from
///           joint to joint inwards, as ABA does with bias forces:
///
///               u = S^T g,   g_p = X^T (g - U K u),   J M^-1 J^T = sum over the joints of u K u^T
///
///           With M^-1 = (1 - H Psi K)^T D^-1 (1 - H Psi K), [Rodriguez, Jain, Kreutz-Delgado 1992], the rows of u are
///           those of (1 - H Psi K) J^T: the sum needs neither the way back outwards nor M, and as each of its terms is
///           positive nothing cancels in it. Robots with mimic joints: column by column, J times M^-1 times a row of J
/// In        q [nq] rad|m
/// Out       mobility [6, 6] 1/kg, 1/(kg m), 1/(kg m^2), linear first; symmetric, positive semidefinite, singular where
///           the frame cannot move in some direction
/// Frames    reference as for the Jacobian
/// Joints    armature counts
/// Work      as articulated_body and nv rows, with mimic joints 7 nv
/// Cost      O(n_links) once, 6 forces along the frame's way to the base
/// Errors    none; a singular robot gives infinities or NaN in its own instance
struct OperationalSpaceMobility {
  static constexpr const char* name = "operational_space_mobility";
  static constexpr const char* summary = "acceleration of a frame per wrench on it: J M^-1 J^T";
  static constexpr Argument arguments[] = {
      argument::q,
      {"mobility", Rows::motion_matrix, Role::output, "1/kg, 1/(kg m), 1/(kg m^2)", "J M^-1 J^T of the frame"},
  };
  static constexpr bool inverts_mass_matrix = true;
  int frame = 0;
  Reference reference = Reference::local;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return ArticulatedBody::work_rows(m) + Index{m.n_mimic > 0 ? 6 : 0} * m.nv + m.n_dof;
  }

  template <class S, class M, class Q, class Out, class Work>
  TANDEM_HD void body(const ModelView<M>& m, Q q, Out mobility, Work w) const {
    if (m.n_mimic > 0)
      by_columns<S>(m, q, mobility, w);
    else
      by_unit_forces<S>(m, q, mobility, w);
  }

  template <class S, class M, class Q, class Out, class Work>
  TANDEM_HD void by_unit_forces(const ModelView<M>& m, Q q, Out mobility, Work w) const {
    using Aba = ArticulatedBody;
    factorise<S, Out>(m, q, w, w + Aba::work_rows(m));

    Force<S> g[6];
    const auto X = from_link<S>(m, q);
    for (int r = 0; r < 6; ++r) g[r] = transpose_mul(X, unit_force<S>(r));
    fill(mobility, 36, S(0));
    for (int i = m.frame_link[frame]; i != 0; i = m.parent[i])
      on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
        constexpr int d = most_nv<decltype(joint)>;
        const auto response = kept_response<S>(joint, w, Aba::at_dof(m, m.dof_index[i]));
        const auto X_ip = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X));
        S u[6][d], Ku[d];
        for (int r = 0; r < 6; ++r) {
          g[r] = transmit(joint, response, g[r], u[r], Ku);
          for (int c = 0; c <= r; ++c)
            for (int k = 0; k < joint.nv; ++k) mobility[6 * r + c] = mul_add(Ku[k], u[c][k], S(mobility[6 * r + c]));
          g[r] = transpose_mul(X_ip, g[r]);
        }
      });
    Mirror<S>::whole(6, mobility);
  }

  /// Where mimic joints make M^-1 more than the sum: J^T and M^-1 J^T, a column at a time.
  template <class S, class M, class Q, class Out, class Work>
  TANDEM_HD void by_columns(const ModelView<M>& m, Q q, Out mobility, Work w) const {
    const Index n = m.nv;
    const auto J = w + ArticulatedBody::work_rows(m), y = J + 6 * n;
    Jacobian{{}, frame, reference}.body<S>(m, q, J, w);
    factorise<S, Out>(m, q, w, y);
    for (Index r = 0; r < 6; ++r) {
      ArticulatedBody::respond_factored<S>(m, as_column<Out>(J + n * r), as_column<Out>(y), w);
      for (Index c = 0; c <= r; ++c) {
        S sum(0);
        for (Index k = 0; k < n; ++k) sum = mul_add(S(J[n * c + k]), S(y[k]), sum);
        mobility[6 * r + c] = sum;
      }
    }
    Mirror<S>::whole(6, mobility);
  }

  /// By the response to no forces, a row for every degree of freedom: inverse_mass_matrix_product has the same pass.
  template <class S, class Column, class M, class Q, class Work, class Rows>
  TANDEM_HD static void factorise(const ModelView<M>& m, Q q, Work w, Rows none) {
    fill(none, m.n_dof, S(0));
    ArticulatedBody::factorise<S>(m, q, as_column<Column>(none), w);
  }

  /// From the link that carries the frame to the axes and the point that the reference speaks of.
  template <class S, class M, class Q>
  TANDEM_HD Transform<S> from_link(const ModelView<M>& m, Q q) const {
    const auto X_fi = frame_transform<S>(m, frame);
    if (reference == Reference::local) return X_fi;
    const Transform<S> to_world = inverse(for_each_joint_below<S>(m, frame, q, [](auto, int, const auto&) {}));
    return (reference == Reference::world ? to_world : Transform<S>{to_world.E, Vec3<S>::zero()}) * X_fi;
  }

  /// One of the six, linear first.
  template <class S>
  TANDEM_HD static Force<S> unit_force(int row) {
    return {{S(row == 3), S(row == 4), S(row == 5)}, {S(row == 0), S(row == 1), S(row == 2)}};
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[OperationalSpaceMobility]
after = "InverseMassMatrix"
declared_after = "InverseMassMatrixProduct"
compiled_with = "InverseMassMatrixProduct"
cuda_apart = true
cuda_passes_apart = true

[OperationalSpaceMobility.python]
summary = "Inverse operational-space inertia J M^-1 J^T: acceleration of a frame per wrench on it."
text = '''
In time proportional to the number of links, without J and M. [Rodriguez, Jain, Kreutz-Delgado 1992].
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q = tandem.random_configuration(arm, seed=1)
>>> mobility = tandem.operational_space_mobility(arm, q, "tool0")
>>> J = tandem.jacobian(arm, q, "tool0")
>>> np.allclose(mobility, J @ np.linalg.solve(tandem.mass_matrix(arm, q), J.T))
True
'''

[OperationalSpaceMobility.python.notes]
mobility = "; symmetric, singular if the frame cannot move in some direction"
*/
