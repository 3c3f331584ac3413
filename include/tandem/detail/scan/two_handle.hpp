// SPDX-License-Identifier: Apache-2.0
/// Runs of joints and links seen through two handles, and how two runs join: the associative operator behind the scan
/// form of the articulated-body algorithm. docs/algorithms/scan.md derives it.
#pragma once
#include "tandem/detail/solve/eight.hpp"
#include "tandem/detail/solve/small_matrix.hpp"
#include "tandem/detail/joint/unit_axes.hpp"
#include "tandem/detail/spatial/load_store.hpp"

namespace tandem::inline TANDEM_ISA {

/// The symmetric matrix of 21 numbers that gives the acceleration which a force causes, as an articulated inertia gives
/// the force which an acceleration takes: the blocks are angular-angular, angular-linear and linear-linear.
template <class S>
using Mobility = ArticulatedInertia<S>;

/// A run of joints and the links that they carry. Handle 1 is the link before the first joint, handle 2 the last link:
///
///     f_1 = J a_1 + A^T f_2 + eta      what handle 1 must supply
///     a_2 = A a_1 - C f_2 + b          how handle 2 accelerates while it hands f_2 on
///
/// J and eta are the articulated inertia and bias force felt at handle 1 while the far end is free, C is the mobility
/// of handle 2 while handle 1 is held, A the acceleration that comes through. Row i of A is the wrench at handle 1 that
/// a unit wrench at handle 2 causes, and travels like any other wrench.
template <class S>
struct TwoHandle {
  Force<S> A[6];
  Mobility<S> C;
  ArticulatedInertia<S> J;
  Motion<S> b;
  Force<S> eta;

  /// A run of nothing.
  TANDEM_HD static TwoHandle identity() {
    const auto none = ArticulatedInertia<S>{Sym3<S>::zero(), Mat3<S>::zero(), Sym3<S>::zero()};
    TwoHandle e = {{}, none, none, Motion<S>::zero(), Force<S>::zero()};
    for (int i = 0; i < 6; ++i) e.A[i] = {unit_motion<S>(i).w, unit_motion<S>(i).v};
    return e;
  }
};

namespace two_handle {

using tandem::mul_add;

/// A 6x6 matrix with a further column and one to spare.
template <class Row>
struct Rows {
  using S = typename Row::Number;
  Row e[6];

  TANDEM_HD static Rows load(const S (&from)[6][8]) {
    Rows R;
    for (int i = 0; i < 6; ++i) R.e[i] = Row::load(from[i]);
    return R;
  }
  TANDEM_HD static Rows zero() {
    Rows R;
    for (Row& row : R.e) row = Row::zero();
    return R;
  }
  TANDEM_HD static Rows identity() {
    Rows R;
    for (int i = 0; i < 6; ++i) R.e[i] = Row::unit(i);
    return R;
  }
  TANDEM_HD S operator()(int i, int j) const { return e[i][j]; }
  TANDEM_HD void store(S (&to)[6][8]) const {
    for (int i = 0; i < 6; ++i) e[i].store(to[i]);
  }
};

/// s x + y in the places from .. to - 1: all of them, where every place has a worker of its own.
template <class S, class Row>
TANDEM_HD Row mul_add_within(int, int, const S& s, const Row& x, const Row& y) {
  return mul_add(s, x, y);
}

/// C + A B, of so many columns. A is one of these, or anything with numbers A(i, j).
template <int columns = 7, class A, class Row>
TANDEM_HD Rows<Row> add_product(const A& a, const Rows<Row>& B, Rows<Row> C) {
  TANDEM_UNROLLED for (int l = 0; l < 6; ++l) TANDEM_UNROLLED for (int i = 0; i < 6; ++i) C.e[i] =
      mul_add_within(0, columns, a(i, l), B.e[l], C.e[i]);
  return C;
}
/// The same of a symmetric result, what stands below its diagonal being of no account.
template <int columns, class A, class Row>
TANDEM_HD Rows<Row> add_symmetric_product(const A& a, const Rows<Row>& B, Rows<Row> C) {
  TANDEM_UNROLLED for (int l = 0; l < 6; ++l) TANDEM_UNROLLED for (int i = 0; i < 6; ++i) C.e[i] =
      mul_add_within(i, columns, a(i, l), B.e[l], C.e[i]);
  return C;
}
/// C + A^T B, symmetric likewise, with a column beside it.
template <class A, class Row>
TANDEM_HD Rows<Row> add_symmetric_transpose_product(const A& a, const Rows<Row>& B, Rows<Row> C) {
  TANDEM_UNROLLED for (int l = 0; l < 6; ++l) TANDEM_UNROLLED for (int i = 0; i < 6; ++i) C.e[i] =
      mul_add_within(i, 7, a(l, i), B.e[l], C.e[i]);
  return C;
}
/// The transposed 6x6 matrix, with nothing beside it.
template <class Row>
TANDEM_HD Rows<Row> transpose(const Rows<Row>& A) {
  const Row zero = Row::zero();
  Row all[8] = {A.e[0], A.e[1], A.e[2], A.e[3], A.e[4], A.e[5], zero, zero};
  transpose(all);
  return {{all[0], all[1], all[2], all[3], all[4], all[5]}};
}
/// What stands above the diagonal of the first six columns also below it.
template <class Row>
TANDEM_HD Rows<Row> mirrored(Rows<Row> A) {
  const Rows<Row> A_T = transpose(A);
  TANDEM_UNROLLED for (int i = 1; i < 6; ++i) TANDEM_UNROLLED for (int j = 0; j < i; ++j) A.e[i].set(j, A_T.e[i][j]);
  return A;
}
/// Nothing but the last columns.
template <class Row>
TANDEM_HD Rows<Row> last_columns(Rows<Row> A) {
  for (Row& row : A.e) row = first_six(Row::zero(), row);
  return A;
}

/// M^-1 times the right-hand sides, the last of them of six columns alone unless it is the only one, in place, by
/// elimination with the largest pivot of each column.
template <class Row, class... Side>
TANDEM_HD void solve(Rows<Row>& M, Rows<Row>& first, Side&... sides) {
  using S = typename Row::Number;
  S pivot[6];
  TANDEM_UNROLLED for (int k = 0; k < 6; ++k) {
    S column[6];
    TANDEM_UNROLLED for (int i = k; i < 6; ++i) column[i] = M.e[i][k];
    TANDEM_UNROLLED for (int i = k + 1; i < 6; ++i) {
      const auto larger = abs(column[k]) < abs(column[i]);
      const auto exchange = [&](Rows<Row>& A) TANDEM_INLINE {
        const Row upper = A.e[k], lower = A.e[i];
        A.e[k] = choose(larger, lower, upper);
        A.e[i] = choose(larger, upper, lower);
      };
      if (!any(larger)) continue;
      exchange(M);
      exchange(first);
      (exchange(sides), ...);
      const S upper = column[k], lower = column[i];
      column[k] = select(larger, lower, upper);
      column[i] = select(larger, upper, lower);
    }
    pivot[k] = S(1) / column[k];
    TANDEM_UNROLLED for (int i = k + 1; i < 6; ++i) {
      const S factor = -(column[i] * pivot[k]);
      M.e[i] = mul_add_within(k + 1, 6, factor, M.e[k], M.e[i]);
      first.e[i] = mul_add_within(0, 7, factor, first.e[k], first.e[i]);
      ((sides.e[i] = mul_add_within(0, 6, factor, sides.e[k], sides.e[i])), ...);
    }
  }
  TANDEM_UNROLLED for (int k = 5; k >= 0; --k) {
    first.e[k] = pivot[k] * first.e[k];
    ((sides.e[k] = pivot[k] * sides.e[k]), ...);
    for (int i = 0; i < k; ++i) {
      const S factor = -S(M.e[i][k]);
      first.e[i] = mul_add_within(0, 7, factor, first.e[k], first.e[i]);
      ((sides.e[i] = mul_add_within(0, 6, factor, sides.e[k], sides.e[i])), ...);
    }
  }
}

}  // namespace two_handle

/// What the joint between an inboard run P and an outboard run Q needs, once the acceleration a_1 of P and the wrench
/// f_2 that Q hands on are known: a = Z a_1 + z - V^T f_2 is how the link between them accelerates, f = J a + A^T f_2 +
/// eta (of Q) the wrench that passes it.
template <class S>
struct Interface {
  S Zz[6][8];  ///< [Z z]: M^-1 [A_P, b_P - C_P eta_Q], M = 1 + C_P J_Q
  S V[6][8];   ///< A_Q M^-1 C_P; not set where Q ends free

  template <class Row>
  TANDEM_HD void keep_acceleration(const two_handle::Rows<Row>& rows) {
    rows.store(Zz);
  }
  template <class Row>
  TANDEM_HD void keep_wrench(const two_handle::Rows<Row>&) {}  // found anew from the run outboard
  template <class Row, class Run>
  TANDEM_HD void keep_end(const two_handle::Rows<Row>& rows, const two_handle::Rows<Row>&, const Run&) {
    rows.store(V);
  }

  /// How the link between the runs accelerates; with `ends` there is no f_2.
  template <bool ends>
  TANDEM_HD Motion<S> acceleration(const Motion<S>& a_1, const Force<S>& f_2) const {
    const S a[6] = {a_1.w.x, a_1.w.y, a_1.w.z, a_1.v.x, a_1.v.y, a_1.v.z};
    const S f[6] = {f_2.n.x, f_2.n.y, f_2.n.z, f_2.f.x, f_2.f.y, f_2.f.z};
    S x[6];
    for (int i = 0; i < 6; ++i) {
      x[i] = Zz[i][6];
      for (int j = 0; j < 6; ++j) x[i] = mul_add(Zz[i][j], a[j], x[i]);
      if constexpr (!ends)
        for (int j = 0; j < 6; ++j) x[i] = mul_add(-V[j][i], f[j], x[i]);
    }
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
};

/// A run in rows of eight: [A b], [C 0] and [J eta].
template <class S>
struct TwoHandleRows {
  S Ab[6][8], C[6][8], Je[6][8];

  TwoHandleRows() = default;
  TANDEM_HD explicit TwoHandleRows(const TwoHandle<S>& e) {
    const auto none = Force<S>::zero();
    set(Ab, e.A, {e.b.w, e.b.v});
    set(C, e.C, none);
    set(Je, e.J, e.eta);
  }
  template <class Row>
  TANDEM_HD auto load_Ab() const {
    return two_handle::Rows<Row>::load(Ab);
  }
  template <class Row>
  TANDEM_HD auto load_C() const {
    return two_handle::Rows<Row>::load(C);
  }
  template <class Row>
  TANDEM_HD auto load_Je() const {
    return two_handle::Rows<Row>::load(Je);
  }
  template <class Row>
  TANDEM_HD void store_Ab(const two_handle::Rows<Row>& rows) {
    rows.store(Ab);
  }
  /// These are symmetric: given above their diagonals.
  template <class Row>
  TANDEM_HD void store_C(const two_handle::Rows<Row>& rows) {
    mirrored(rows).store(C);
  }
  template <class Row>
  TANDEM_HD void store_Je(const two_handle::Rows<Row>& rows) {
    mirrored(rows).store(Je);
  }
  /// Before A and b are stored, whose memory may be used.
  template <class Row>
  TANDEM_HD static two_handle::Rows<Row> transposed(const two_handle::Rows<Row>& rows) {
    return transpose(rows);
  }
  /// The same run, pushed otherwise.
  TANDEM_HD void set_push(const Motion<S>& b, const Force<S>& eta) {
    const S b_i[6] = {b.w.x, b.w.y, b.w.z, b.v.x, b.v.y, b.v.z};
    const S eta_i[6] = {eta.n.x, eta.n.y, eta.n.z, eta.f.x, eta.f.y, eta.f.z};
    for (int i = 0; i < 6; ++i) {
      Ab[i][6] = b_i[i];
      Je[i][6] = eta_i[i];
    }
  }
  TANDEM_HD ArticulatedInertia<S> J() const { return symmetric(Je); }
  TANDEM_HD Force<S> eta() const { return {{Je[0][6], Je[1][6], Je[2][6]}, {Je[3][6], Je[4][6], Je[5][6]}}; }

  /// f_1; with `ends` there is no f_2.
  template <bool ends>
  TANDEM_HD Force<S> wrench_at_handle_1(const Motion<S>& a_1, const Force<S>& f_2) const {
    Force<S> f = J() * a_1 + eta();
    if constexpr (!ends) {
      const S x[6] = {f_2.n.x, f_2.n.y, f_2.n.z, f_2.f.x, f_2.f.y, f_2.f.z};
      for (int i = 0; i < 6; ++i) f = mul_add(x[i], force(Ab[i]), f);
    }
    return f;
  }

  TANDEM_HD static Force<S> force(const S (&row)[8]) { return {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}}; }
  TANDEM_HD static ArticulatedInertia<S> symmetric(const S (&e)[6][8]) {
    return {{e[0][0], e[1][1], e[2][2], e[0][1], e[0][2], e[1][2]},
            {{e[0][3], e[0][4], e[0][5]}, {e[1][3], e[1][4], e[1][5]}, {e[2][3], e[2][4], e[2][5]}},
            {e[3][3], e[4][4], e[5][5], e[3][4], e[3][5], e[4][5]}};
  }

 private:
  TANDEM_HD static void set(S (&to)[6][8], const Force<S> (&lines)[6], const Force<S>& last) {
    const S column[6] = {last.n.x, last.n.y, last.n.z, last.f.x, last.f.y, last.f.z};
    for (int i = 0; i < 6; ++i) {
      const Force<S>& f = lines[i];
      const S row[8] = {f.n.x, f.n.y, f.n.z, f.f.x, f.f.y, f.f.z, column[i], S(0)};
      for (int j = 0; j < 8; ++j) to[i][j] = row[j];
    }
  }
  TANDEM_HD static void set(S (&to)[6][8], const ArticulatedInertia<S>& A, const Force<S>& last) {
    const Mat3<S> J = full(A.J), M = full(A.M), H_T = transpose(A.H);
    const Force<S> lines[6] = {{J.row0, A.H.row0}, {J.row1, A.H.row1}, {J.row2, A.H.row2},
                               {H_T.row0, M.row0}, {H_T.row1, M.row1}, {H_T.row2, M.row2}};
    set(to, lines, last);
  }
};

/// P then Q, as one run. Associative: a Redheffer star product with affine terms. Only positive semidefinite terms are
/// added, and the eigenvalues of M = 1 + C_P J_Q are at least 1: nothing cancels.
/// `ends`: nothing hangs from Q, whose A, C, b then are not read; only J and eta of the result are found. Runs and what
/// is kept between them may lie anywhere: TwoHandleRows and Interface say what they have to have.
template <bool ends, class Row, class Element, class Between, class Whole>
TANDEM_HD void join(const Element& P, const Element& Q, Between&& between, Whole&& e) {
  using Rows = two_handle::Rows<Row>;
  const auto Je_Q = Q.template load_Je<Row>();
  const auto Ab_P = P.template load_Ab<Row>();
  const auto C_P = P.template load_C<Row>();
  Rows Z_C = C_P, M = two_handle::add_product(C_P, Je_Q, Rows::identity());  // [1 + C_P J_Q, C_P eta_Q]
  Rows Zz = Ab_P;
  for (int i = 0; i < 6; ++i) Zz.e[i] = first_six(Zz.e[i], Zz.e[i] - M.e[i]);
  if constexpr (ends)
    two_handle::solve(M, Zz);
  else
    two_handle::solve(M, Zz, Z_C);
  between.keep_acceleration(Zz);

  const Rows Y = two_handle::add_product(Je_Q, Zz, two_handle::last_columns<Row>(Je_Q));  // [J_Q Z, J_Q z + eta_Q]
  between.keep_wrench(Y);
  e.store_Je(two_handle::add_symmetric_transpose_product(Ab_P, Y, Rows(P.template load_Je<Row>())));
  if constexpr (!ends) {
    const auto Ab_Q = Q.template load_Ab<Row>();
    const Rows V = two_handle::add_product<6>(Ab_Q, Z_C, Rows::zero()), V_T = e.transposed(V);
    e.store_Ab(two_handle::add_product(Ab_Q, Zz, two_handle::last_columns<Row>(Ab_Q)));
    between.keep_end(V, V_T, Q);
    // C_Q + V A_Q^T, the other way round
    e.store_C(two_handle::add_symmetric_product<6>(Ab_Q, V_T, Rows(Q.template load_C<Row>())));
  }
}

/// What f_2 adds to the wrench between two runs, A_Q^T - J_Q V^T: then the numbers of (a, f) there are twelve rows
/// times (a_1, f_2, 1), for whoever has a worker for each of the rows.
///
///     a = Z a_1 - V^T f_2 + z        f = J_Q Z a_1 + (A_Q^T - J_Q V^T) f_2 + J_Q z + eta_Q
template <class Row, class Left>
TANDEM_HD two_handle::Rows<Row> wrench_of_end(const two_handle::Rows<Row>& minus_V_T, const Left& Je_Q,
                                              const two_handle::Rows<Row>& A_Q_T) {
  return two_handle::add_product(Je_Q, minus_V_T, A_Q_T);
}

/// What is known at the handles of a run.
template <class S>
struct TwoHandlePort {
  Motion<S> a_1;
  Force<S> f_2;
};

/// The operator of the scan. Down the tree of joins come the acceleration of handle 1 and the wrench at handle 2.
template <class Row>
struct JoinTwoHandles {
  using S = typename Row::Number;
  using Element = TwoHandleRows<S>;
  using Kept = Interface<S>;
  using Port = TwoHandlePort<S>;

  TANDEM_HD void join(const Element& P, const Element& Q, bool ends, Kept& between, Element& whole) const {
    ends ? tandem::join<true, Row>(P, Q, between, whole) : tandem::join<false, Row>(P, Q, between, whole);
  }
  TANDEM_HD void part(const Port& port, const Kept& between, const Element&, const Element& Q, bool ends, Port& port_P,
                      Port& port_Q) const {
    ends ? part<true>(port, between, Q, port_P, port_Q) : part<false>(port, between, Q, port_P, port_Q);
  }

 private:
  template <bool ends>
  TANDEM_HD static void part(const Port& port, const Kept& between, const Element& Q, Port& port_P, Port& port_Q) {
    const auto a = between.template acceleration<ends>(port.a_1, port.f_2);
    port_P = {port.a_1, Q.template wrench_at_handle_1<ends>(a, port.f_2)};
    port_Q = {a, port.f_2};
  }
};

}  // namespace tandem::inline TANDEM_ISA
