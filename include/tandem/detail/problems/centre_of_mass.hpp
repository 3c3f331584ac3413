// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/passes/composite_inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// The composite body of all moving links about the world's origin; those of the links stay in w.
template <class S, class M, class Q, class Work>
TANDEM_HD Inertia<S> gather_inertias(const ModelView<M>& m, Q q, Work w) {
  using C = CompositeInertia;
  const auto links = records<C::Link<S>>(w);
  C::place<S>(m, q, w);
  C::gather<S, true>(m, w, [&](auto, int i, const Transform<S>&, const Inertia<S>& I_i) TANDEM_INLINE {
    links.store(i, &C::Link<S>::I, I_i);
  });
  return links.load(0, &C::Link<S>::I);
}

/// Calls f(row in v, momentum) for every degree of freedom: the momentum about the point p, along world axes, that its
/// unit rate gives to all that hangs from it. Needs gather_inertias.
template <class S, class M, class Work, class F>
TANDEM_HD void for_each_momentum(const ModelView<M>& m, Work w, const Vec3<S>& p, F&& f) {
  using Link = CompositeInertia::Link<S>;
  const auto links = records<Link>(w);
  for (int i = 1; i < m.n_links; ++i) {
    const auto X_iw = links.load(i, &Link::X_iw);
    const auto I_i = links.load(i, &Link::I);
    on_kept_joint_kind<S>(m, i, w, links.row(i, &Link::X_ip), [&](auto joint) TANDEM_INLINE {
      for (int k = 0; k < joint.nv; ++k) {
        auto h_k = momentum_of_axis(I_i, X_iw.E, joint, k);
        h_k.n = h_k.n + cross(X_iw.r - p, h_k.f);
        f(m.v_index[i] + k, S(m.multiplier[i]) * h_k);
      }
    });
  }
}

/// Centre of mass of the moving links, its velocity and its Jacobian.
///
/// In        q [nq] rad|m   v [nv] rad/s|m/s or none (needed for the velocity)
/// Out       com [3] m (NaN without mass)   velocity [3] m/s or none   J [3, nv] or none: velocity = J v; world axes
/// Method    composite rigid bodies: a joint moves the centre by the momentum it gives, over the mass
/// Work      34 rows per link     Cost O(n_links)
struct CentreOfMass : WorkOf<CompositeInertia> {
  static constexpr const char* name = "centre_of_mass";
  static constexpr const char* alias = "center_of_mass";
  static constexpr const char* summary = "centre of mass, its velocity and its Jacobian";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      {"com", Rows::point, Role::output, "m", "centre of mass of the moving links in the world"},
      {"velocity", Rows::point, Role::optional_output, "m/s", "its velocity", "v"},
      {"J", Rows::point_jacobian, Role::optional_output, "m/rad|1", "its Jacobian"},
  };

  template <class S, class M, class Q, class Qd, class P, class V, class J_, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, P com, V velocity, J_ J, Work w) {
    const auto total = gather_inertias<S>(m, q, w);
    const S per_mass = S(1) / total.m;
    const Vec3<S> p = per_mass * total.h;
    store(com, 0, p);
    if (!velocity && !J) return;
    const Index n = m.nv;
    if (J) fill(J, 3 * n, S(0));
    auto v_com = Vec3<S>::zero();
    for_each_momentum(m, w, p, [&](int row, const Force<S>& h_k) TANDEM_INLINE {
      const Vec3<S> column = per_mass * h_k.f;
      if (velocity) v_com = mul_add(S(v[row]), column, v_com);
      if (!J) return;
      J[row] = S(J[row]) + column.x;
      J[n + row] = S(J[n + row]) + column.y;
      J[2 * n + row] = S(J[2 * n + row]) + column.z;
    });
    if (velocity) store(velocity, 0, v_com);
  }
};

/// Centroidal momentum: linear and angular momentum of the moving links about their centre of mass, world axes.
///
///     h = A(q) v
///
/// In        q [nq] rad|m   v [nv] rad/s|m/s
/// Out       h [6] kg m/s, kg m^2/s, linear first   A [6, nv] or none, the centroidal momentum matrix
/// Method    composite rigid bodies; [Orin 2013] eq. 27, changed: columns from inertias along world axes
/// Work      34 rows per link     Cost O(n_links)
struct CentroidalMomentum : WorkOf<CompositeInertia> {
  static constexpr const char* name = "centroidal_momentum";
  static constexpr const char* summary = "centroidal momentum and its matrix";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      {"h", Rows::motion, Role::output, "kg m/s, kg m^2/s", "centroidal momentum"},
      {"A", Rows::jacobian, Role::optional_output, "kg m|kg, kg m^2|kg m", "centroidal momentum matrix"},
  };

  template <class S, class M, class Q, class Qd, class H, class A_, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, H h, A_ A, Work w) {
    const auto total = gather_inertias<S>(m, q, w);
    const Vec3<S> p = (S(1) / total.m) * total.h;
    const Index n = m.nv;
    if (A) fill(A, 6 * n, S(0));
    auto sum = Force<S>::zero();
    for_each_momentum(m, w, p, [&](int row, const Force<S>& h_k) TANDEM_INLINE {
      sum = mul_add(S(v[row]), h_k, sum);
      if (!A) return;
      const S rows[6] = {h_k.f.x, h_k.f.y, h_k.f.z, h_k.n.x, h_k.n.y, h_k.n.z};
      for (int r = 0; r < 6; ++r) A[n * r + row] = S(A[n * r + row]) + rows[r];
    });
    store_linear_first(h, 0, sum);
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[CentreOfMass]
after = "EnergyDerivatives"
compiled_with = "Energy"
cuda_with = "Energy"
ignores_loops = true

[CentreOfMass.python]
summary = "Center of mass of the moving links in the world, its velocity and its Jacobian."
text = '''
NaN for a robot whose moving links have no mass.
'''

[CentreOfMass.python.notes]
J = ", velocity = J v; world axes"

[CentreOfMass.python.flags]
J = ["jacobian", "whether to return the Jacobian"]

[CentroidalMomentum]
after = "CentreOfMassDerivatives"
compiled_with = "CentreOfMass"
ignores_loops = true

[CentroidalMomentum.python]
summary = "Linear and angular momentum of the moving links about their centre of mass, world axes: h = A(q) v."
text = '''
[Orin 2013] eq. 27.
'''

[CentroidalMomentum.python.flags]
A = ["matrix", "whether to return A as well"]
*/
