// SPDX-License-Identifier: Apache-2.0
/// The steps of the articulated-body recursions through one joint, in any coordinates: Axes are the joint itself in
/// those of its link, or JointAxes along those of another frame, and have column(k, A) = A S_k and along(k, f) = S_k^T
/// f. What hangs from the joint is felt through it as an articulated inertia IA and a bias force pA.
///                                                                                                  [RBDA] section 7.3
#pragma once
#include "tandem/detail/solve/small_cholesky.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// What a joint with n degrees of freedom keeps of how it yields, in rows of memory: U = IA S [n][6], K = (S^T U +
/// armature)^-1 [n][n], u = tau - S^T pA [n]. d is n, or the most that it can be where n is known at run time.
template <class S, int d, class Rows>
struct KeptResponse {
  Rows rows;
  Index row;
  int n = d;
  static constexpr int inertia_rows = 6 * d + d * d, count = inertia_rows + d;

  TANDEM_HD Force<S> U(int k) const { return load<Force<S>>(rows, row + 6 * k); }
  TANDEM_HD S K(int k, int l) const { return S(rows[row + 6 * n + n * k + l]); }
  TANDEM_HD Index row_of_u(int k) const { return row + 6 * n + n * n + k; }
  TANDEM_HD S u(int k) const { return S(rows[row_of_u(k)]); }
  TANDEM_HD void set_K(int k, int l, const S& x) const { rows[row + 6 * n + n * k + l] = x; }
};

/// The same in registers, a record with these rows.
template <class S, int d>
struct JointResponse {
  Force<S> U_k[d];
  S K_kl[d][d], u_k[d];

  TANDEM_HD const Force<S>& U(int k) const { return U_k[k]; }
  TANDEM_HD const S& K(int k, int l) const { return K_kl[k][l]; }
  TANDEM_HD const S& u(int k) const { return u_k[k]; }
  TANDEM_HD void set_K(int k, int l, const S& x) { K_kl[k][l] = x; }

  template <class Work>
  TANDEM_HD void store_force_part(Work w, Index row) const {
    for (int k = 0; k < d; ++k) w[row + KeptResponse<S, d, Work>::inertia_rows + k] = u_k[k];
  }
};

/// Column k of U K.
template <int d, class S, class Response>
TANDEM_HD Force<S> column_of_UK(const Response& r, int k, int n = d) {
  Force<S> UK = r.K(k, 0) * r.U(0);
  for (int l = 1; l < n; ++l) UK = mul_add(r.K(k, l), r.U(l), UK);
  return UK;
}
/// K x
template <int d, class S, class Response>
TANDEM_HD S row_of_K(const Response& r, int k, const S (&x)[d], int n = d) {
  S Kx = r.K(k, 0) * x[0];
  for (int l = 1; l < n; ++l) Kx = mul_add(r.K(k, l), x[l], Kx);
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

/// What is left of IA beyond the joint: Ia = IA - U K U^T. Then Ia S = armature K U: as a difference it would keep a
/// rounding residue. Joints with several degrees of freedom have it put in, along axes of the link's own frame and
/// where their axes span all rotations: ropes of ball joints keep two digits more. With one degree of freedom it gains
/// little, and along axes of another frame would take more operations.
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

/// Degrees of freedom of a response.
template <class S, int d>
TANDEM_HD constexpr int axes_of(const JointResponse<S, d>&) {
  return d;
}
template <class S, int d, class Rows>
TANDEM_HD constexpr int axes_of(const KeptResponse<S, d, Rows>& r) {
  return r.n;
}

/// Accelerate: qdd = K (u - U^T a'),  a' how the link would accelerate with its joint locked.
template <class Response, class S, int d>
TANDEM_HD void accelerate(const Response& r, const S (&u)[d], const Motion<S>& a, S (&qdd)[d]) {
  S rest[d];
  const int n = axes_of(r);
  for (int k = 0; k < n; ++k) rest[k] = u[k] - dot_add(a.v, r.U(k).f, dot(a.w, r.U(k).n));
  for (int k = 0; k < n; ++k) qdd[k] = row_of_K(r, k, rest, n);
}

/// The inverse of a positive definite matrix of n rows, up to three, of which the lower triangle is read.
template <class S>
struct SmallMatrix {
  S e[3][3] = {};
};
template <class S>
TANDEM_HD SmallMatrix<S> inverse_spd(const SmallMatrix<S>& D, int n) {
  if (n == 1) return {{{S(1) / D.e[0][0]}}};
  return call<S>(
      [](SmallMatrix<S> A, int rows) {
        SmallMatrix<S> K;
        if (rows == 3) {
          invert_spd(A.e, K.e);
        } else {
          const S B[2][2] = {{A.e[0][0], S(0)}, {A.e[1][0], A.e[1][1]}};
          S L[2][2];
          invert_spd(B, L);
          K = {{{L[0][0], L[0][1]}, {L[1][0], L[1][1]}}};
        }
        return K;
      },
      D, n);
}

// The same steps through a general joint, whose response lies in the rows that keep it.

/// The response of a joint in rows of w from `row` on: as it is there; loaded; and a new one, which `keep` stores
/// there. Those of general joints stay in these rows.
template <class S, class Joint, class Work>
TANDEM_HD auto kept_response(Joint, Work w, Index row) {
  return KeptResponse<S, Joint::nv, Work>{w, row};
}
template <class S, class Joint, class Work>
TANDEM_HD auto loaded_response(Joint, Work w, Index row) {
  return load<JointResponse<S, Joint::nv>>(w, row);
}
template <class S, class Joint, class Work>
TANDEM_HD auto new_response(Joint, Work, Index) {
  return JointResponse<S, Joint::nv>{};
}
template <class S, int d, class Work>
TANDEM_HD void keep(const JointResponse<S, d>& r, Work w, Index row) {
  store(w, row, r);
}
template <class S, int d, class Work>
TANDEM_HD void keep_force_part(const JointResponse<S, d>& r, Work w, Index row) {
  r.store_force_part(w, row);
}
template <class S, class Work>
TANDEM_HD auto kept_response(const GeneralJoint<S>& joint, Work w, Index row) {
  return KeptResponse<S, 3, Work>{w, row, joint.nv};
}
template <class S, class Work>
TANDEM_HD auto loaded_response(const GeneralJoint<S>& joint, Work w, Index row) {
  return kept_response<S>(joint, w, row);
}
template <class S, class Work>
TANDEM_HD auto new_response(const GeneralJoint<S>& joint, Work w, Index row) {
  return kept_response<S>(joint, w, row);
}
template <class S, class Rows, class Work>
TANDEM_HD void keep(const KeptResponse<S, 3, Rows>&, Work, Index) {}
template <class S, class Rows, class Work>
TANDEM_HD void keep_force_part(const KeptResponse<S, 3, Rows>&, Work, Index) {}

template <class S, class Rows>
TANDEM_HD void yield_to(const GeneralJoint<S>& joint, const ArticulatedInertia<S>& IA, const S (&armature)[3],
                        const KeptResponse<S, 3, Rows>& r) {
  SmallMatrix<S> D;
  for (int k = 0; k < joint.nv; ++k) {
    const auto U = joint.column(k, IA);
    store(r.rows, r.row + 6 * k, U);
    for (int l = 0; l <= k; ++l) D.e[k][l] = joint.along(l, U);
    D.e[k][k] = D.e[k][k] + armature[k];
  }
  const auto K = inverse_spd(D, joint.nv);
  for (int k = 0; k < joint.nv; ++k)
    for (int l = 0; l < joint.nv; ++l) r.set_K(k, l, K.e[k][l]);
}
template <class S, class Rows>
TANDEM_HD void push(const GeneralJoint<S>& joint, const S (&tau)[3], const Force<S>& pA,
                    const KeptResponse<S, 3, Rows>& r) {
  for (int k = 0; k < joint.nv; ++k) r.rows[r.row_of_u(k)] = tau[k] - joint.along(k, pA);
}
/// Of planar joints, whose axes are unit axes of the link's frame, what remains along them is put in, as above.
template <class S, class Rows>
TANDEM_HD ArticulatedInertia<S> beyond(const GeneralJoint<S>& joint, const KeptResponse<S, 3, Rows>& r,
                                       const S (&armature)[3], const ArticulatedInertia<S>& IA) {
  auto Ia = IA;
  for (int k = 0; k < joint.nv; ++k) Ia = minus_product(Ia, r.U(k), column_of_UK<3, S>(r, k, joint.nv));
  if (joint.type == JointType::planar)
    for (int k = 0; k < 3; ++k) set_column(Ia, PlanarJoint::row(k), armature[k] * column_of_UK<3, S>(r, k));
  return Ia;
}
template <class S, class Rows>
TANDEM_HD Force<S> beyond(const GeneralJoint<S>& joint, const KeptResponse<S, 3, Rows>& r, const S (&armature)[3],
                          const S (&tau)[3], const Force<S>& pA) {
  auto pa = pA;
  for (int k = 0; k < joint.nv; ++k) pa = mul_add(r.u(k), column_of_UK<3, S>(r, k, joint.nv), pa);
  if (joint.type == JointType::planar) {
    const S u[3] = {r.u(0), r.u(1), r.u(2)};
    for (int k = 0; k < 3; ++k)
      set_component(pa, PlanarJoint::row(k), mul_add(-armature[k], row_of_K(r, k, u), tau[k]));
  }
  return pa;
}
template <class S, class Rows>
TANDEM_HD Force<S> transmit(const GeneralJoint<S>& joint, const KeptResponse<S, 3, Rows>& r, Force<S> f, S (&G)[3],
                            S (&KG)[3]) {
  for (int k = 0; k < joint.nv; ++k) G[k] = joint.along(k, f);
  for (int k = 0; k < joint.nv; ++k) {
    KG[k] = row_of_K(r, k, G, joint.nv);
    f = mul_add(-KG[k], r.U(k), f);
  }
  return f;
}

}  // namespace tandem::inline TANDEM_ISA
