// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/solve/small_cholesky.hpp"
#include "tandem/detail/passes/axis_basis.hpp"

namespace tandem::inline TANDEM_ISA {

/// A joint between two bodies of which only mobilities are known.                               [Critchley] (20) - (28)
///
/// Together the bodies have the mobility V: a force f across the joint, taken up on both sides, moves them apart by V f
/// + r, where r is how they move without it. The joint turns that into S qdd and carries S^T f = tau - D qdd along its
/// axes, D the inertia of its rotor (armature, and what a caller adds to the diagonal of the mass matrix):
///
///     S qdd = V f + r,   S^T f = tau - D qdd     =>     f = Wm r + K s,   qdd = (1 + G D)^-1 (G tau + K^T r)
///
///     Wm = -W (W^T V W)^-1 W^T - K (D^-1 + G)^-1 K^T         a force against every motion apart
///     K  = S - W (W^T V W)^-1 W^T V S                        the force that a unit of joint force brings about
///     G  = S^T V K                                           how the joint itself yields
///     s  = (1 + D G)^-1 tau                                  what of tau gets beyond the rotor
///
/// W are the wrenches that the joint holds, S those of its own forces: unit ones in the basis of the joint (AxisBasis),
/// so that products with them only pick rows. Wm = -F F^T with one lower triangle: that of [W S]^T (V + S D^-1 S^T) [W
/// S].
///
/// Changed from the paper: its Wm (27) = V^-1 S (S^T V^-1 S)^-1 S^T V^-1 - V^-1 is the same matrix without rotors, as a
/// difference of larger ones; tau and D are absent there.
template <class S, class Joint, bool rotor>
struct JointMobility {
  static constexpr int d = Joint::nv, held = 6 - d, rows = rotor ? 6 : held, held_rows = held ? held : 1;

  Cholesky<S, held_rows> L;   ///< W^T V W = L L^T
  Matrix<S, held_rows, d> Y;  ///< L^-1 W^T V S
  Matrix<S, d, d> G;
  Cholesky<S, d> R;  ///< 1 + D^1/2 G D^1/2 = R R^T
  S root[d];         ///< D^1/2

  AxisBasis<S> basis;

  /// What is kept of it between the way up and the way down: the factors, and with them the rotor's.
  static constexpr Index kept_rows = symmetric_rows<held> + held * d + d * d + (rotor ? symmetric_rows<d> + d : 0);
  template <class Work>
  TANDEM_HD void store_at(Work w) const {
    Index row = 0;
    for (int i = 0; i < held; ++i)
      for (int j = 0; j <= i; ++j) w[row++] = L.L(i, j);
    for (int i = 0; i < held; ++i)
      for (int k = 0; k < d; ++k) w[row++] = Y.e[i][k];
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l) w[row++] = G.e[k][l];
    if constexpr (rotor) {
      for (int k = 0; k < d; ++k)
        for (int l = 0; l <= k; ++l) w[row++] = R.L(k, l);
      for (int k = 0; k < d; ++k) w[row++] = root[k];
    }
  }
  /// As it was stored.
  template <class Work>
  TANDEM_HD JointMobility(const Joint& of, const Work& w) : basis(of) {
    Index row = 0;
    for (int i = 0; i < held; ++i)
      for (int j = 0; j <= i; ++j) L.L(i, j) = w[row++];
    for (int i = 0; i < held; ++i)
      for (int k = 0; k < d; ++k) Y.e[i][k] = w[row++];
    for (int k = 0; k < d; ++k)
      for (int l = 0; l < d; ++l) G.e[k][l] = w[row++];
    if constexpr (rotor) {
      for (int k = 0; k < d; ++k)
        for (int l = 0; l <= k; ++l) R.L(k, l) = w[row++];
      for (int k = 0; k < d; ++k) root[k] = w[row++];
    }
  }

  TANDEM_HD static constexpr int held_row(int k) { return tandem::held_row<Joint>(k); }
  TANDEM_HD static constexpr int row(int k) { return Joint::basis_row(k); }

  TANDEM_HD JointMobility(const Joint& of, const Matrix6<S>& V_link, const S (&D)[d]) : basis(of) {
    const auto V = basis.moving(transpose(basis.moving(V_link)));  // B^T V B, symmetric
    if constexpr (held > 0) {
      L = cholesky(
          Matrix<S, held, held>::of([&](int i, int j) TANDEM_INLINE { return V.e[held_row(i)][held_row(j)]; }));
      Y = L.solve_lower(Matrix<S, held, d>::of([&](int i, int k) TANDEM_INLINE { return V.e[held_row(i)][row(k)]; }));
    }
    for (int k = 0; k < d; ++k)
      for (int l = 0; l <= k; ++l) {
        S x = V.e[row(k)][row(l)];
        for (int i = 0; i < held; ++i) x = mul_add(-Y.e[i][k], Y.e[i][l], x);
        G.e[k][l] = G.e[l][k] = x;
      }
    if constexpr (rotor) {
      Matrix<S, d, d> A;
      for (int k = 0; k < d; ++k) root[k] = sqrt(D[k]);
      for (int k = 0; k < d; ++k)
        for (int l = 0; l <= k; ++l) A.e[k][l] = mul_add(root[k] * G.e[k][l], root[l], S(k == l));
      R = cholesky(A);
    }
  }

  /// F^T B
  template <int n>
  TANDEM_HD Matrix<S, rows, n> lower(const Matrix<S, 6, n>& B_link) const {
    const auto B = basis.moving(B_link);
    const auto t = held_part(B);
    Matrix<S, rows, n> T;
    for (int i = 0; i < held; ++i)
      for (int j = 0; j < n; ++j) T.e[i][j] = t.e[i][j];
    if constexpr (rotor) {
      const auto u = R.solve_lower(scaled(free_part(B, t)));
      for (int k = 0; k < d; ++k)
        for (int j = 0; j < n; ++j) T.e[held + k][j] = u.e[k][j];
    }
    return T;
  }

  /// The force across the joint, and its acceleration.
  TANDEM_HD Vector6<S> force(const S (&tau)[d], const Vector6<S>& r_link, S (&qdd)[d]) const {
    const auto r = basis.moving(r_link);
    const auto t = held_part(r);
    auto free = free_part(r, t);  // G tau + K^T r: how the joint would accelerate without a rotor
    Vector<S, d> s;
    for (int k = 0; k < d; ++k) {
      s.e[k][0] = tau[k];
      for (int l = 0; l < d; ++l) free.e[k][0] = mul_add(G.e[k][l], tau[l], free.e[k][0]);
      qdd[k] = free.e[k][0];
    }
    if constexpr (rotor) {
      const auto x = R.solve(scaled(free));  // D^1/2 qdd
      for (int k = 0; k < d; ++k) s.e[k][0] = mul_add(-root[k], x.e[k][0], s.e[k][0]);
      for (int k = 0; k < d; ++k) {  // an axis without a rotor still yields to the rotors of the others
        const auto bare = root[k] == S(0);
        for (int l = 0; l < d; ++l) qdd[k] = mul_add(-G.e[k][l], root[l] * x.e[l][0], qdd[k]);
        qdd[k] = select(bare, qdd[k], x.e[k][0] / select(bare, S(1), root[k]));
      }
    }
    Vector6<S> f;
    for (int k = 0; k < d; ++k) f.e[row(k)][0] = s.e[k][0];
    if constexpr (held > 0) {
      const auto x = L.solve_upper(minus_mul(-t, Y, s));
      for (int i = 0; i < held; ++i) f.e[held_row(i)][0] = x.e[i][0];
    }
    return basis.pushing(f);
  }

 private:
  /// L^-1 W^T B
  template <int n>
  TANDEM_HD Matrix<S, held_rows, n> held_part(const Matrix<S, 6, n>& B) const {
    if constexpr (held == 0)
      return Matrix<S, held_rows, n>::zero();
    else
      return L.solve_lower(Matrix<S, held, n>::of([&](int i, int j) TANDEM_INLINE { return B.e[held_row(i)][j]; }));
  }
  /// K^T B, from the held part t of B.
  template <int n>
  TANDEM_HD Matrix<S, d, n> free_part(const Matrix<S, 6, n>& B, const Matrix<S, held_rows, n>& t) const {
    auto A = Matrix<S, d, n>::of([&](int k, int j) TANDEM_INLINE { return B.e[row(k)][j]; });
    if constexpr (held > 0) A = minus_transpose_mul(A, Y, t);
    return A;
  }
  /// D^1/2 A
  template <int n>
  TANDEM_HD Matrix<S, d, n> scaled(const Matrix<S, d, n>& A) const {
    return Matrix<S, d, n>::of([&](int k, int j) TANDEM_INLINE { return root[k] * A.e[k][j]; });
  }
};

/// Calls f with joint i and, as a constant, whether it has a rotor.
template <class S, class M, class Q, class D, class F>
TANDEM_HD decltype(auto) on_joint_and_rotor(const ModelView<M>& m, int i, const Q& q, const D& diagonal, F&& f) {
  return on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
    bool rotor = bool(diagonal);
    for (int k = 0; k < decltype(joint)::nv; ++k) rotor = rotor || m.armature[m.v_index[i] + k] != M(0);
    return rotor ? f(joint, std::true_type{}) : f(joint, std::false_type{});
  });
}

}  // namespace tandem::inline TANDEM_ISA
