// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/solve/block_tridiagonal.hpp"

namespace tandem::inline TANDEM_ISA {

/// When conjugate gradients stop. `tolerance` bounds, for every row of blocks, the last step over the value, and for
/// the whole the residual over the right-hand side, both as the preconditioner measures them and the recursion carries
/// them; 0 stands for 1e-12 in double and 1e-5 in float. After `limit` steps x is returned as far as it has come; 0
/// stands for 4 m n + 100, at most 10000.
struct IterationLimits {
  double tolerance = 0;
  Index limit = 0;
};

/// How far an iteration came.
struct Iterations {
  Index steps = 0;
  bool converged = true;  ///< false if it stopped at its limit
};

/// Numbers of scratch memory of solve_block_conjugate_gradient.
template <int m, int k>
TANDEM_HD constexpr Index block_conjugate_gradient_rows(Index n) {
  return (Index{m} * m + 5 * Index{m} * k) * n + 2 * Index{k} * chunks_of(n, 32);
}

/// For each of k columns a number.
template <class S, int m, int k>
TANDEM_HD Matrix<S, 1, k> column_dots(const Matrix<S, m, k>& a, const Matrix<S, m, k>& b) {
  auto sum = Matrix<S, 1, k>::zero();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) sum.e[0][j] = mul_add(a.e[i][j], b.e[i][j], sum.e[0][j]);
  return sum;
}
/// b + a diag(s)
template <class S, int m, int k>
TANDEM_HD Matrix<S, m, k> add_scaled(Matrix<S, m, k> b, const Matrix<S, 1, k>& s, const Matrix<S, m, k>& a) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < k; ++j) b.e[i][j] = mul_add(s.e[0][j], a.e[i][j], b.e[i][j]);
  return b;
}

/// Sums of numbers, as an operator of scans and reductions.
template <class T>
struct MatrixSum {
  TANDEM_HD T operator()(const T& a, const T& b) const { return a + b; }
  TANDEM_HD T identity() const { return T::zero(); }
};

/// A x = b by conjugate gradients, preconditioned by two Jacobi sweeps over the diagonal blocks: J-PPCG(2).
///
///     z = M^-1 r:   y = D^-1 r,   z = 2 y - D^-1 A y                                          [Pond] Table 3.1
///     w = A p,  alpha = (z, r) / (p, w),  x += alpha p,  r -= alpha w,  beta = (z', r') / (z, r),  p = z' + beta p
///
/// until |alpha p_i| <= tolerance |x_i| for every row i, and (z, r) <= tolerance^2 (M^-1 b, b).
///
/// In        A, with b in A.R; nothing of it is overwritten. x [n][m][k]: the first guess, zeros if there is none
/// Out       x; returns the number of steps, and whether they were enough
/// Cost      16 m^2 k n operations a step, depth 2 log2 n sums a step; the number of steps grows with the square root
///           of A's condition: linearly with the length of a rope, see docs/algorithms/conjugate_gradient.md
/// Scratch   factors of D [n][m][m], r, p, w, y, z [n][m][k], sums Order     sums are formed in chunks of 32 rows, then
///           pairwise: the same bits from every executor
///
/// Changed from [Pond]: a row that passes its test goes on with the others, since to freeze it would spoil the
/// directions of all; the residual is tested as well, as with a good first guess the first step is small whatever its
/// error.
template <class S, int m, int k, class Executor, class Column, class X, class Work>
TANDEM_HD Iterations solve_block_conjugate_gradient(const Executor& executor,
                                                    const BlockTridiagonal<S, m, k, Column>& A, X x,
                                                    const IterationLimits& limits, Work w) {
  using V = Matrix<S, m, k>;
  using Sums = Matrix<S, 2, k>;
  using PerColumn = Matrix<S, 1, k>;
  const Index n = A.n;
  const auto factors = w, r = factors + A.block * n, p = r + A.rhs * n, Ap = p + A.rhs * n, y = Ap + A.rhs * n,
             z = y + A.rhs * n, totals = z + A.rhs * n;
  const double wanted = limits.tolerance > 0 ? limits.tolerance : sizeof(typename RealOf<S>::type) == 4 ? 1e-5 : 1e-12;
  const S tolerance = S(wanted) * S(wanted);
  const Index most = 4 * m * n + 100 < 10000 ? 4 * m * n + 100 : 10000;
  const Index limit = limits.limit > 0 ? limits.limit : most;

  const auto at = [&](auto column, Index i) TANDEM_INLINE { return load<Matrix<S, m, k>>(column, A.rhs * i); };
  const auto put = [&](auto column, Index i, const V& a) TANDEM_INLINE { store(column, A.rhs * i, a); };
  // row i of A v
  const auto times = [&](auto v, Index i) TANDEM_INLINE {
    auto Av = load_lower<S, m>(A.D, A.block * i) * at(v, i);
    if (i > 0) Av = Av + transpose_mul(load<Matrix<S, m, m>>(A.U, A.block * (i - 1)), at(v, i - 1));
    if (i + 1 < n) Av = Av + load<Matrix<S, m, m>>(A.U, A.block * i) * at(v, i + 1);
    return Av;
  };
  const auto D_inverse = [&](Index i, const V& a)
                             TANDEM_INLINE { return Cholesky<S, m>{load_lower<S, m>(factors, A.block * i)}.solve(a); };
  // f(i) for every row, two numbers for each column of it, and their sums
  const auto sums_of = [&](auto f) TANDEM_INLINE {
    return reduce_chunked(executor, MatrixSum<Sums>{}, n, 32, f, records<Sums>(totals));
  };
  const auto first = [](const PerColumn& a) TANDEM_INLINE {
    auto sums = Sums::zero();
    for (int j = 0; j < k; ++j) sums.e[0][j] = a.e[0][j];
    return sums;
  };
  // y = D^-1 v;  z = M^-1 v;  (z, v), and beside it for each column what `more` counts of row i
  const auto precondition = [&](auto v, auto more) TANDEM_INLINE {
    return sums_of([&](Index i) TANDEM_INLINE {
      const auto y_i = at(y, i), z_i = y_i + y_i - D_inverse(i, times(y, i));
      put(z, i, z_i);
      auto sums = first(column_dots(z_i, at(v, i)));
      const PerColumn counted = more(i);
      for (int j = 0; j < k; ++j) sums.e[1][j] = counted.e[0][j];
      return sums;
    });
  };
  const auto nothing = [](Index) TANDEM_INLINE { return PerColumn::zero(); };

  executor.for_each(n, [&](Index i) TANDEM_INLINE {
    store_lower(factors, A.block * i, cholesky(A.diagonal(i)).L);
    put(y, i, D_inverse(i, A.right_hand_side(i)));
  });
  const Sums size = precondition(A.R, nothing);
  executor.for_each(n, [&](Index i) TANDEM_INLINE {
    const auto r_i = A.right_hand_side(i) - times(x, i);
    put(r, i, r_i);
    put(y, i, D_inverse(i, r_i));
  });
  Sums now = precondition(r, nothing);
  executor.for_each(n, [&](Index i) TANDEM_INLINE { put(p, i, at(z, i)); });

  const auto quotient = [](const S& a, const S& b) TANDEM_INLINE { return select(b == S(0), S(0), a / b); };
  for (Index steps = 0; steps < limit; ++steps) {
    bool small = true;
    for (int j = 0; j < k; ++j) small = small && !any(tolerance * size.e[0][j] < now.e[0][j]);
    if (small && steps == 0) return {};  // the first guess is the solution
    const Sums power = sums_of([&](Index i) TANDEM_INLINE {
      const auto w_i = times(p, i);
      put(Ap, i, w_i);
      return first(column_dots(at(p, i), w_i));
    });
    PerColumn alpha;
    for (int j = 0; j < k; ++j) alpha.e[0][j] = quotient(now.e[0][j], power.e[0][j]);
    executor.for_each(n, [&](Index i) TANDEM_INLINE {
      const auto r_i = add_scaled(at(r, i), -alpha, at(Ap, i));
      put(r, i, r_i);
      put(y, i, D_inverse(i, r_i));
    });
    // the second and last sum of the step has both products: how many rows still move goes with it
    const Sums next = precondition(r, [&](Index i) TANDEM_INLINE {
      const auto step = add_scaled(V::zero(), alpha, at(p, i)), x_i = at(x, i) + step;
      put(x, i, x_i);
      const auto way = column_dots(step, step), value = column_dots(x_i, x_i);
      PerColumn moves;
      for (int j = 0; j < k; ++j) moves.e[0][j] = select(tolerance * value.e[0][j] < way.e[0][j], S(1), S(0));
      return moves;
    });
    PerColumn beta;
    bool done = true;
    for (int j = 0; j < k; ++j) {
      beta.e[0][j] = quotient(next.e[0][j], now.e[0][j]);
      done = done && !any(tolerance * size.e[0][j] < next.e[0][j]) && !any(S(0) < next.e[1][j]);
    }
    now = next;
    if (done) return {steps + 1, true};
    executor.for_each(n, [&](Index i) TANDEM_INLINE { put(p, i, add_scaled(at(z, i), beta, at(p, i))); });
  }
  return {limit, false};
}

}  // namespace tandem::inline TANDEM_ISA
