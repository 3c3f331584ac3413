// SPDX-License-Identifier: Apache-2.0
/// Runs of joints and links seen through two handles, and how two runs join: the associative operator behind the scan form
/// of the articulated-body algorithm. docs/algorithms/scan.md derives it.
#pragma once
#include "tandem/blocks/small_matrix.hpp"
#include "tandem/spatial/articulated_inertia.hpp"
#include "tandem/spatial/load_store.hpp"

namespace tandem::inline TANDEM_ISA {

/// The symmetric matrix of 21 numbers that gives the acceleration which a force causes, as an articulated inertia gives the
/// force which an acceleration takes: the blocks are angular-angular, angular-linear and linear-linear.
template <class S>
using Mobility = ArticulatedInertia<S>;

/// A run of joints and the links that they carry. Handle 1 is the link before the first joint, handle 2 the last link:
///
///     f_1 = J a_1 + A^T f_2 + eta      what handle 1 must supply
///     a_2 = A a_1 - C f_2 + b          how handle 2 accelerates while it hands f_2 on
///
/// J and eta are the articulated inertia and bias force felt at handle 1 while the far end is free, C is the mobility of
/// handle 2 while handle 1 is held, A the acceleration that comes through. Row i of A is the wrench at handle 1 that a unit
/// wrench at handle 2 causes, and travels like any other wrench.
template <class S>
struct TwoHandle {
  Force<S> A[6];
  Mobility<S> C;
  ArticulatedInertia<S> J;
  Motion<S> b;
  Force<S> eta;

  static constexpr int rows = 90;

  /// A run of nothing.
  TANDEM_HD static TwoHandle identity() {
    const auto none = ArticulatedInertia<S>{Sym3<S>::zero(), Mat3<S>::zero(), Sym3<S>::zero()};
    const S o(0), i(1);
    return {{{{i, o, o}, {o, o, o}}, {{o, i, o}, {o, o, o}}, {{o, o, i}, {o, o, o}},
             {{o, o, o}, {i, o, o}}, {{o, o, o}, {o, i, o}}, {{o, o, o}, {o, o, i}}},
            none, none, Motion<S>::zero(), Force<S>::zero()};
  }
};

template <class S, class Column>
TANDEM_HD TwoHandle<S> load_two_handle(const Column& c, Index row) {
  TwoHandle<S> e;
  for (int i = 0; i < 6; ++i) e.A[i] = load_force<S>(c, row + 6 * i);
  e.C = load_articulated_inertia<S>(c, row + 36);
  e.J = load_articulated_inertia<S>(c, row + 57);
  e.b = load_motion<S>(c, row + 78);
  e.eta = load_force<S>(c, row + 84);
  return e;
}
template <class Column, class S>
TANDEM_HD void store(const Column& c, Index row, const TwoHandle<S>& e) {
  for (int i = 0; i < 6; ++i) store(c, row + 6 * i, e.A[i]);
  store(c, row + 36, e.C);
  store(c, row + 57, e.J);
  store(c, row + 78, e.b);
  store(c, row + 84, e.eta);
}

namespace two_handle {

#if defined(__clang__) && !defined(__CUDACC__)
#define TANDEM_EIGHT_AT_ONCE _Pragma("clang loop unroll(disable) vectorize(enable) interleave(disable)")
#else
#define TANDEM_EIGHT_AT_ONCE _Pragma("omp simd")
#endif

/// Six rows with room for eight numbers: a vector register each, where S is a number.
template <class S>
struct Rows {
  S e[6][8];

  TANDEM_HD static Rows zero() {
    Rows R;
    for (auto& row : R.e)
      for (S& x : row) x = S(0);
    return R;
  }
  TANDEM_HD Motion<S> motion(int j) const { return {{e[0][j], e[1][j], e[2][j]}, {e[3][j], e[4][j], e[5][j]}}; }
  TANDEM_HD Force<S> force(int j) const { return {{e[0][j], e[1][j], e[2][j]}, {e[3][j], e[4][j], e[5][j]}}; }
  TANDEM_HD Force<S> row(int i) const { return {{e[i][0], e[i][1], e[i][2]}, {e[i][3], e[i][4], e[i][5]}}; }
};

template <class S>
TANDEM_HD Rows<S> rows(const Force<S> (&A)[6], const Motion<S>& last) {
  Rows<S> R;
  const S column[6] = {last.w.x, last.w.y, last.w.z, last.v.x, last.v.y, last.v.z};
  for (int i = 0; i < 6; ++i) {
    const Force<S>& f = A[i];
    const S row[8] = {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z, column[i], S(0)};
    for (int j = 0; j < 8; ++j) R.e[i][j] = row[j];
  }
  return R;
}
template <class S>
TANDEM_HD Rows<S> rows(const ArticulatedInertia<S>& A, const Force<S>& last) {
  const Mat3<S> J = full(A.J), M = full(A.M), H_T = transpose(A.H);
  const Force<S> lines[6] = {{J.row0, A.H.row0}, {J.row1, A.H.row1}, {J.row2, A.H.row2},
                             {H_T.row0, M.row0}, {H_T.row1, M.row1}, {H_T.row2, M.row2}};
  return rows(lines, Motion<S>{last.n, last.f});
}
template <class S>
TANDEM_HD ArticulatedInertia<S> symmetric(const Rows<S>& A) {
  const auto& e = A.e;
  return {{e[0][0], e[1][1], e[2][2], e[0][1], e[0][2], e[1][2]},
          {{e[0][3], e[0][4], e[0][5]}, {e[1][3], e[1][4], e[1][5]}, {e[2][3], e[2][4], e[2][5]}},
          {e[3][3], e[4][4], e[5][5], e[3][4], e[3][5], e[4][5]}};
}
/// (A + A^T) / 2 in the first six columns
template <class S>
TANDEM_HD void symmetrise(Rows<S>& A) {
  for (int i = 1; i < 6; ++i)
    for (int j = 0; j < i; ++j) A.e[i][j] = A.e[j][i] = S(0.5) * (A.e[i][j] + A.e[j][i]);
}
/// Nothing but the seventh column.
template <class S>
TANDEM_HD Rows<S> last_column(const Rows<S>& A) {
  const S mask[8] = {S(0), S(0), S(0), S(0), S(0), S(0), S(1), S(0)};
  Rows<S> R;
  for (int i = 0; i < 6; ++i) {
    TANDEM_EIGHT_AT_ONCE
    for (int j = 0; j < 8; ++j) R.e[i][j] = mask[j] * A.e[i][j];
  }
  return R;
}

/// y += s x
template <class S>
TANDEM_HD void add_scaled(const S& s, const S (&x)[8], S (&y)[8]) {
  TANDEM_EIGHT_AT_ONCE
  for (int j = 0; j < 8; ++j) y[j] = mul_add(s, x[j], y[j]);
}
/// C + A B
template <class S>
TANDEM_HD Rows<S> mul_add(const Rows<S>& A, const Rows<S>& B, Rows<S> C) {
  for (int i = 0; i < 6; ++i)
    for (int l = 0; l < 6; ++l) add_scaled(A.e[i][l], B.e[l], C.e[i]);
  return C;
}
/// C + A^T B
template <class S>
TANDEM_HD Rows<S> transpose_mul_add(const Rows<S>& A, const Rows<S>& B, Rows<S> C) {
  for (int i = 0; i < 6; ++i)
    for (int l = 0; l < 6; ++l) add_scaled(A.e[l][i], B.e[l], C.e[i]);
  return C;
}
/// C + A B^T
template <class S>
TANDEM_HD Rows<S> mul_transpose_add(const Rows<S>& A, const Rows<S>& B, Rows<S> C) {
  Rows<S> B_T = Rows<S>::zero();
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) B_T.e[j][i] = B.e[i][j];
  return mul_add(A, B_T, C);
}

/// M^-1 times both right-hand sides, in place, by elimination with the largest pivot of each column.
template <class S, class... Side>
TANDEM_HD void solve(Rows<S>& M, Side&... sides) {
  for (int k = 0; k < 6; ++k) {
    for (int i = k + 1; i < 6; ++i) {
      const auto larger = abs(M.e[k][k]) < abs(M.e[i][k]);
      if (!any(larger)) continue;
      const auto exchange = [&](Rows<S>& A) TANDEM_INLINE {
        for (int j = 0; j < 8; ++j) {
          const S upper = A.e[k][j], lower = A.e[i][j];
          A.e[k][j] = select(larger, lower, upper);
          A.e[i][j] = select(larger, upper, lower);
        }
      };
      exchange(M);
      (exchange(sides), ...);
    }
    const S pivot = S(1) / M.e[k][k];
    for (int i = k + 1; i < 6; ++i) {
      const S factor = -(M.e[i][k] * pivot);
      add_scaled(factor, M.e[k], M.e[i]);
      (add_scaled(factor, sides.e[k], sides.e[i]), ...);
    }
    M.e[k][k] = pivot;
  }
  for (int i = 5; i >= 0; --i) {
    for (int k = i + 1; k < 6; ++k) {
      const S factor = -M.e[i][k];
      (add_scaled(factor, sides.e[k], sides.e[i]), ...);
    }
    const auto scale = [&](Rows<S>& A) TANDEM_INLINE {
      TANDEM_EIGHT_AT_ONCE
      for (int j = 0; j < 8; ++j) A.e[i][j] = M.e[i][i] * A.e[i][j];
    };
    (scale(sides), ...);
  }
}

}  // namespace two_handle

/// What the joint between an inboard run P and an outboard run Q needs, once the acceleration a_1 of P and the wrench f_2 that
/// Q hands on are known: a = Z a_1 + z - V^T f_2 is how the link between them accelerates, f = J a + A^T f_2 + eta (of Q) the
/// wrench that passes it.
template <class S>
struct Interface {
  two_handle::Rows<S> Zz;  ///< [Z z]: M^-1 [A_P, b_P - C_P eta_Q], M = 1 + C_P J_Q
  two_handle::Rows<S> V;   ///< A_Q M^-1 C_P; not set where Q ends free

  static constexpr int rows = 96;

  /// How the link between the runs accelerates; with `ends` there is no f_2.
  template <bool ends>
  TANDEM_HD Motion<S> acceleration(const Motion<S>& a_1, const Force<S>& f_2) const {
    const S a[6] = {a_1.w.x, a_1.w.y, a_1.w.z, a_1.v.x, a_1.v.y, a_1.v.z};
    const S f[6] = {f_2.n.x, f_2.n.y, f_2.n.z, f_2.f.x, f_2.f.y, f_2.f.z};
    S x[6];
    for (int i = 0; i < 6; ++i) {
      x[i] = Zz.e[i][6];
      for (int j = 0; j < 6; ++j) x[i] = mul_add(Zz.e[i][j], a[j], x[i]);
      if constexpr (!ends)
        for (int j = 0; j < 6; ++j) x[i] = mul_add(-V.e[j][i], f[j], x[i]);
    }
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
};

/// A run in rows: [A b], [C 0] and [J eta], for processors with vectors.
template <class S>
struct TwoHandleRows {
  two_handle::Rows<S> Ab, C, Je;
  static constexpr int rows = 144;

  TwoHandleRows() = default;
  TANDEM_HD explicit TwoHandleRows(const TwoHandle<S>& e)
      : Ab(two_handle::rows(e.A, e.b)), C(two_handle::rows(e.C, Force<S>::zero())), Je(two_handle::rows(e.J, e.eta)) {}
  TANDEM_HD TwoHandle<S> run() const {
    return {{Ab.row(0), Ab.row(1), Ab.row(2), Ab.row(3), Ab.row(4), Ab.row(5)},
            two_handle::symmetric(C), J(), Ab.motion(6), eta()};
  }
  TANDEM_HD ArticulatedInertia<S> J() const { return two_handle::symmetric(Je); }
  TANDEM_HD Force<S> eta() const { return Je.force(6); }

  /// f_1; with `ends` there is no f_2.
  template <bool ends>
  TANDEM_HD Force<S> wrench_at_handle_1(const Motion<S>& a_1, const Force<S>& f_2) const {
    Force<S> f = J() * a_1 + eta();
    if constexpr (!ends) {
      const S x[6] = {f_2.n.x, f_2.n.y, f_2.n.z, f_2.f.x, f_2.f.y, f_2.f.z};
      for (int i = 0; i < 6; ++i) f = mul_add(x[i], Ab.row(i), f);
    }
    return f;
  }
};

/// P then Q, as one run. Associative: a Redheffer star product with affine terms. Only positive semidefinite terms are
/// added, and the eigenvalues of M = 1 + C_P J_Q are at least 1: nothing cancels.
/// `ends`: nothing hangs from Q, whose A, C, b then are not read; only J and eta of the result are found.
template <bool ends, class S>
TANDEM_HD void join(const TwoHandleRows<S>& P, const TwoHandleRows<S>& Q, Interface<S>& between, TwoHandleRows<S>& e) {
  using two_handle::Rows;
  Rows<S> M = Rows<S>::zero();
  for (int i = 0; i < 6; ++i) M.e[i][i] = S(1);
  M = mul_add(P.C, Q.Je, M);  // [1 + C_P J_Q, C_P eta_Q]

  Rows<S>& Zz = between.Zz;
  const Rows<S> C_eta = last_column(M);
  for (int i = 0; i < 6; ++i) {
    TANDEM_EIGHT_AT_ONCE
    for (int j = 0; j < 8; ++j) Zz.e[i][j] = P.Ab.e[i][j] - C_eta.e[i][j];
  }
  Rows<S> Z_C = P.C;
  if constexpr (ends)
    two_handle::solve(M, Zz);
  else
    two_handle::solve(M, Zz, Z_C);

  e.Je = transpose_mul_add(P.Ab, mul_add(Q.Je, Zz, last_column(Q.Je)), P.Je);  // A_P^T [J_Q Z, J_Q z + eta_Q] on top
  symmetrise(e.Je);
  if constexpr (!ends) {
    e.Ab = mul_add(Q.Ab, Zz, last_column(Q.Ab));
    between.V = mul_add(Q.Ab, Z_C, Rows<S>::zero());
    e.C = mul_transpose_add(between.V, Q.Ab, Q.C);
    symmetrise(e.C);
  }
}

/// The operator of the scan.
struct JoinTwoHandles {
  template <class S>
  TANDEM_HD TwoHandle<S> operator()(const TwoHandle<S>& P, const TwoHandle<S>& Q) const {
    Interface<S> between;
    TwoHandleRows<S> e;
    join<false>(TwoHandleRows<S>(P), TwoHandleRows<S>(Q), between, e);
    return e.run();
  }
};

}  // namespace tandem::inline TANDEM_ISA
