// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/blocks/small_cholesky.hpp"
#include "tandem/detail/recursion/axis_basis.hpp"

namespace tandem::inline TANDEM_ISA {

/// A joint between two bodies of which only mobilities are known.                               [Critchley] (20) - (28)
///
/// Together the bodies have the mobility V: a force f across the joint, taken up on both sides, moves them apart by V f + r,
/// where r is how they move without it. The joint turns that into S qdd and carries S^T f = tau - D qdd along its axes,
/// D the inertia of its rotor (armature, and what a caller adds to the diagonal of the mass matrix):
///
///     S qdd = V f + r,   S^T f = tau - D qdd     =>     f = Wm r + K s,   qdd = (1 + G D)^-1 (G tau + K^T r)
///
///     Wm = -W (W^T V W)^-1 W^T - K (D^-1 + G)^-1 K^T         a force against every motion apart
///     K  = S - W (W^T V W)^-1 W^T V S                        the force that a unit of joint force brings about
///     G  = S^T V K                                           how the joint itself yields
///     s  = (1 + D G)^-1 tau                                  what of tau gets beyond the rotor
///
/// W are the wrenches that the joint holds, S those of its own forces: unit ones in the basis of the joint (AxisBasis), so that
/// products with them only pick rows. Wm = -F F^T with one lower triangle: that of [W S]^T (V + S D^-1 S^T) [W S].
///
/// Changed from the paper: its Wm (27) = V^-1 S (S^T V^-1 S)^-1 S^T V^-1 - V^-1 is the same matrix without rotors, as a
/// difference of larger ones; tau and D are absent there.
template <class S, class Joint, bool rotor>
struct JointMobility {
  static constexpr int d = Joint::nv, held = 6 - d, rows = rotor ? 6 : held;

  Matrix<S, held ? held : 1, held ? held : 1> L;  ///< W^T V W = L L^T; on the diagonal the inverses
  Matrix<S, held ? held : 1, d> Y;                ///< L^-1 W^T V S
  Matrix<S, d, d> G;
  Matrix<S, d, d> R;  ///< 1 + D^1/2 G D^1/2 = R R^T; on the diagonal the inverses
  S root[d];          ///< D^1/2

  Joint joint;

  TANDEM_HD static constexpr int held_row(int k) { return tandem::held_row<Joint>(k); }
  TANDEM_HD static constexpr int row(int k) { return Joint::basis_row(k); }

  TANDEM_HD JointMobility(const Joint& of, const Matrix6<S>& V_link, const S (&D)[d]) : joint(of) {
    const auto V = moving_in_basis(joint, transpose(moving_in_basis(joint, V_link)));  // B^T V B, symmetric
    if constexpr (held > 0) {
      Matrix<S, held, held> Vww;
      Matrix<S, held, d> Vws;
      for (int i = 0; i < held; ++i) {
        for (int j = 0; j <= i; ++j) Vww.e[i][j] = V.e[held_row(i)][held_row(j)];
        for (int k = 0; k < d; ++k) Vws.e[i][k] = V.e[held_row(i)][row(k)];
      }
      const auto factor = cholesky(Vww);
      Y = factor.solve_lower(Vws);
      L = factor.L;
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
      R = cholesky(A).L;
    }
  }

  /// F^T B
  template <int n>
  TANDEM_HD Matrix<S, rows, n> lower(const Matrix<S, 6, n>& B_link) const {
    const auto B = moving_in_basis(joint, B_link);
    Matrix<S, rows, n> T;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < held; ++i) {
        S x = B.e[held_row(i)][j];
        for (int k = 0; k < i; ++k) x = mul_add(-L.e[i][k], T.e[k][j], x);
        T.e[i][j] = x * L.e[i][i];
      }
      if constexpr (rotor)
        for (int k = 0; k < d; ++k) {
          S x = B.e[row(k)][j];
          for (int i = 0; i < held; ++i) x = mul_add(-Y.e[i][k], T.e[i][j], x);
          x = root[k] * x;
          for (int l = 0; l < k; ++l) x = mul_add(-R.e[k][l], T.e[held + l][j], x);
          T.e[held + k][j] = x * R.e[k][k];
        }
    }
    return T;
  }

  /// The force across the joint, and its acceleration.
  TANDEM_HD Vector6<S> force(const S (&tau)[d], const Vector6<S>& r_link, S (&qdd)[d]) const {
    const auto r = moving_in_basis(joint, r_link);
    Matrix<S, held ? held : 1, 1> t;  // L^-1 W^T r
    for (int i = 0; i < held; ++i) {
      S x = r.e[held_row(i)][0];
      for (int k = 0; k < i; ++k) x = mul_add(-L.e[i][k], t.e[k][0], x);
      t.e[i][0] = x * L.e[i][i];
    }
    S s[d];
    for (int k = 0; k < d; ++k) {
      s[k] = tau[k];
      qdd[k] = r.e[row(k)][0];  // G tau + K^T r: without a rotor
      for (int i = 0; i < held; ++i) qdd[k] = mul_add(-Y.e[i][k], t.e[i][0], qdd[k]);
      for (int l = 0; l < d; ++l) qdd[k] = mul_add(G.e[k][l], tau[l], qdd[k]);
    }
    if constexpr (rotor) {
      S x[d];  // D^1/2 qdd = (R R^T)^-1 D^1/2 (G tau + K^T r)
      for (int k = 0; k < d; ++k) {
        x[k] = root[k] * qdd[k];
        for (int l = 0; l < k; ++l) x[k] = mul_add(-R.e[k][l], x[l], x[k]);
        x[k] = x[k] * R.e[k][k];
      }
      for (int k = d - 1; k >= 0; --k) {
        for (int l = k + 1; l < d; ++l) x[k] = mul_add(-R.e[l][k], x[l], x[k]);
        x[k] = x[k] * R.e[k][k];
      }
      for (int k = 0; k < d; ++k) s[k] = mul_add(-root[k], x[k], s[k]);
      for (int k = 0; k < d; ++k) {  // an axis without a rotor still yields to the rotors of the others
        const auto bare = root[k] == S(0);
        for (int l = 0; l < d; ++l) qdd[k] = mul_add(-G.e[k][l], root[l] * x[l], qdd[k]);
        qdd[k] = select(bare, qdd[k], x[k] / select(bare, S(1), root[k]));
      }
    }
    Vector6<S> f;
    for (int k = 0; k < d; ++k) f.e[row(k)][0] = s[k];
    if constexpr (held > 0) {
      S x[held];  // -L^-T (L^-1 W^T r + Y s)
      for (int i = held - 1; i >= 0; --i) {
        x[i] = -t.e[i][0];
        for (int k = 0; k < d; ++k) x[i] = mul_add(-Y.e[i][k], s[k], x[i]);
        for (int k = i + 1; k < held; ++k) x[i] = mul_add(-L.e[k][i], x[k], x[i]);
        x[i] = x[i] * L.e[i][i];
        f.e[held_row(i)][0] = x[i];
      }
    }
    return pushing_in_basis(joint, f);
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
