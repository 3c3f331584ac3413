// SPDX-License-Identifier: Apache-2.0
/// The steps of the articulated-body recursions through one joint, in any coordinates: Axes are the joint itself in those of
/// its link, or JointAxes along those of another frame, and have column(k, A) = A S_k and along(k, f) = S_k^T f. What hangs
/// from the joint is felt through it as an articulated inertia IA and a bias force pA.
///                                                                                                  [RBDA] section 7.3
#pragma once
#include "tandem/detail/blocks/small_cholesky.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// What a joint with d degrees of freedom keeps of how it yields, in rows of memory: U = IA S [d][6], K = (S^T U +
/// armature)^-1 [d][d], u = tau - S^T pA [d].
template <class S, int d, class Rows>
struct KeptResponse {
  Rows rows;
  Index row;
  static constexpr int inertia_rows = 6 * d + d * d, count = inertia_rows + d;

  TANDEM_HD Force<S> U(int k) const { return load<Force<S>>(rows, row + 6 * k); }
  TANDEM_HD S K(int k, int l) const { return S(rows[row + 6 * d + d * k + l]); }
  TANDEM_HD S u(int k) const { return S(rows[row + inertia_rows + k]); }
};

/// The same in registers, a record with these rows.
template <class S, int d>
struct JointResponse {
  Force<S> U_k[d];
  S K_kl[d][d], u_k[d];

  TANDEM_HD const Force<S>& U(int k) const { return U_k[k]; }
  TANDEM_HD const S& K(int k, int l) const { return K_kl[k][l]; }
  TANDEM_HD const S& u(int k) const { return u_k[k]; }

  template <class Work>
  TANDEM_HD void store_force_part(Work w, Index row) const {
    for (int k = 0; k < d; ++k) w[row + KeptResponse<S, d, Work>::inertia_rows + k] = u_k[k];
  }
};

/// Column k of U K.
template <int d, class S, class Response>
TANDEM_HD Force<S> column_of_UK(const Response& r, int k) {
  Force<S> UK = r.K(k, 0) * r.U(0);
  for (int l = 1; l < d; ++l) UK = mul_add(r.K(k, l), r.U(l), UK);
  return UK;
}
/// K x
template <int d, class S, class Response>
TANDEM_HD S row_of_K(const Response& r, int k, const S (&x)[d]) {
  S Kx = r.K(k, 0) * x[0];
  for (int l = 1; l < d; ++l) Kx = mul_add(r.K(k, l), x[l], Kx);
  return Kx;
}

/// Yield: U = IA S,  D = S^T U + armature,  K = D^-1
template <class Axes, class S, int d>
TANDEM_HD void yield_to(const Axes& axes, const ArticulatedInertia<S>& IA, const S (&armature)[d],
                        JointResponse<S, d>& r) {
  S D[d][d];
  for (int k = 0; k < d; ++k) {
    r.U_k[k] = axes.column(k, IA);
    for (int l = 0; l <= k; ++l) D[k][l] = axes.along(l, r.U_k[k]);
    D[k][k] = D[k][k] + armature[k];
  }
  invert_spd(D, r.K_kl);
}
/// u = tau - S^T pA
template <class Axes, class S, int d>
TANDEM_HD void push(const Axes& axes, const S (&tau)[d], const Force<S>& pA, JointResponse<S, d>& r) {
  for (int k = 0; k < d; ++k) r.u_k[k] = tau[k] - axes.along(k, pA);
}

/// Armature, but 0 where it is infinite: locked joints on massless links, with which short chunks in lanes go on.
template <class S, int d>
TANDEM_HD S finite(const JointResponse<S, d>& r, const S (&armature)[d], int k) {
  return select(r.K(k, k) == S(0), S(0), armature[k]);
}

/// What is left of IA beyond the joint: Ia = IA - U K U^T. Then Ia S = armature K U: as a difference it would keep a rounding
/// residue. Joints with several degrees of freedom have it put in, along axes of the link's own frame and where their axes
/// span all rotations: ropes of ball joints keep two digits more. With one degree of freedom it gains little, and along
/// axes of another frame would take more operations.
template <class Axes, class S, int d>
TANDEM_HD ArticulatedInertia<S> beyond(const Axes& axes, const JointResponse<S, d>& r, const S (&armature)[d],
                                       const ArticulatedInertia<S>& IA) {
  auto Ia = IA;
  for (int k = 0; k < d; ++k) Ia = minus_product(Ia, r.U(k), column_of_UK<d, S>(r, k));
  if constexpr (requires { Axes::row(0); })
    for (int k = 0; k < d; ++k) set_column(Ia, Axes::row(k), armature[k] * column_of_UK<d, S>(r, k));
  if constexpr (requires { requires Axes::spans_rotations; }) {
    Ia.J = Sym3<S>::zero();
    Ia.H = Mat3<S>::zero();
    for (int k = 0; k < d; ++k) {
      const Force<S> left = finite(r, armature, k) * column_of_UK<d, S>(r, k);
      Ia.J = minus_symmetric_outer(Ia.J, -axes.direction(k), left.n);
      Ia.H = minus_outer(Ia.H, -axes.direction(k), left.f);
    }
  }
  return Ia;
}
/// And of pA: pa = pA + U K u, S^T pa = tau - armature K u.
template <class Axes, class S, int d>
TANDEM_HD Force<S> beyond(const Axes& axes, const JointResponse<S, d>& r, const S (&armature)[d], const S (&tau)[d],
                          const Force<S>& pA) {
  auto pa = pA;
  for (int k = 0; k < d; ++k) pa = mul_add(r.u(k), column_of_UK<d, S>(r, k), pa);
  if constexpr (requires { Axes::row(0); })
    for (int k = 0; k < d; ++k) set_component(pa, Axes::row(k), mul_add(-armature[k], row_of_K(r, k, r.u_k), tau[k]));
  if constexpr (requires { requires Axes::spans_rotations; }) {
    pa.n = Vec3<S>::zero();
    for (int k = 0; k < d; ++k) {
      const S left = mul_add(-finite(r, armature, k), row_of_K(r, k, r.u_k), tau[k]);
      pa.n = mul_add(left, axes.direction(k), pa.n);
    }
  }
  return pa;
}

/// Transmit a force on the link through the joint: G = S^T f,  f <- f - U K G. Keeps G and K G.
template <int d, class Axes, class Response, class S>
TANDEM_HD Force<S> transmit(const Axes& axes, const Response& r, Force<S> f, S (&G)[d], S (&KG)[d]) {
  for (int k = 0; k < d; ++k) G[k] = axes.along(k, f);
  for (int k = 0; k < d; ++k) {
    KG[k] = row_of_K(r, k, G);
    f = mul_add(-KG[k], r.U(k), f);
  }
  return f;
}

/// Accelerate: qdd = K (u - U^T a'),  a' how the link would accelerate with its joint locked.
template <class Response, class S, int d>
TANDEM_HD void accelerate(const Response& r, const S (&u)[d], const Motion<S>& a, S (&qdd)[d]) {
  S rest[d];
  for (int k = 0; k < d; ++k) rest[k] = u[k] - dot_add(a.v, r.U(k).f, dot(a.w, r.U(k).n));
  for (int k = 0; k < d; ++k) qdd[k] = row_of_K(r, k, rest);
}

}  // namespace tandem::inline TANDEM_ISA
