// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/block_tridiagonal.hpp"

namespace tandem::inline TANDEM_ISA {

/// Numbers of scratch memory of solve_cyclic_reduction.
template <int m>
TANDEM_HD constexpr Index cyclic_reduction_rows(Index n) {
  return Index{m} * m * n;
}

/// A x = R by block cyclic reduction: every second row is eliminated, all at the same time, then every second one of
/// those that are left.
///
/// Cost      (19/3 m^3 + 10 m^2 k) n operations, depth 3 log2 n rows     Scratch F [n][m][m] Stable    as block LU: it
///           is block LU of the rows in another order
///
/// With h = 1, 2, 4, ... rows h - 1, 2 h - 1, 3 h - 1, ... are left, of which the first, third, ... go. What couples
/// rows i and i + h is U_i for h = 1, else it came up in place of row i + h / 2 and is kept there; the Y of an
/// eliminated row replace what they were made from.
template <class S, int m, int k, class Executor, class Column, class Work>
TANDEM_CALLED void solve_cyclic_reduction(const Executor& executor, const BlockTridiagonal<S, m, k, Column>& A,
                                          Work F) {
  const Index n = A.n;
  const auto load_coupling = [&](Index i, Index h) TANDEM_INLINE {
    return h == 1 ? load<Matrix<S, m, m>>(A.U, A.block * i) : load<Matrix<S, m, m>>(F, A.block * (i + h / 2));
  };
  const auto store_coupling = [&](Index i, Index h, const Matrix<S, m, m>& Y) TANDEM_INLINE {
    if (h == 1)
      store(A.U, A.block * i, Y);
    else
      store(F, A.block * (i + h / 2), Y);
  };
  if (n == 0) return;

  Index h = 1;
  for (; 2 * h <= n; h *= 2) {
    executor.for_each((n / h + 1) / 2, [&](Index t) TANDEM_INLINE {
      const Index i = 2 * h * t + h - 1;
      const EliminatedRow<S, m, k> row(A.diagonal(i), A.right_hand_side(i));
      row.store_in(A, i);
      if (i >= h) store_coupling(i - h, h, row.towards(transpose(load_coupling(i - h, h))));
      if (i + h < n) store_coupling(i, h, row.towards(load_coupling(i, h)));
    });
    executor.for_each(n / h / 2, [&](Index t) TANDEM_INLINE {
      const Index i = 2 * h * t + 2 * h - 1, l = i - h, r = i + h;
      const auto Y = load_coupling(l, h);  // of row l towards i
      auto D = minus_square(A.diagonal(i), Y);
      auto R = minus_transpose_mul(A.right_hand_side(i), Y, A.right_hand_side(l));
      if (r < n) {
        const auto Y_l = load_coupling(i, h);  // of row r towards i
        D = minus_square(D, Y_l);
        R = minus_transpose_mul(R, Y_l, A.right_hand_side(r));
        if (r + h < n) store(F, A.block * r, minus_transpose_mul(Matrix<S, m, m>::zero(), Y_l, load_coupling(r, h)));
      }
      store_lower(A.D, A.block * i, D);
      store(A.R, A.rhs * i, R);
    });
  }

  on_one(executor, [&]() TANDEM_INLINE {
    const EliminatedRow<S, m, k> last(A.diagonal(h - 1), A.right_hand_side(h - 1));
    store(A.R, A.rhs * (h - 1), last.L.solve_upper(last.z));
  });
  for (h /= 2; h >= 1; h /= 2)
    executor.for_each((n / h + 1) / 2, [&](Index t) TANDEM_INLINE {
      const Index i = 2 * h * t + h - 1;
      EliminatedRow<S, m, k> row(A, i);
      if (i >= h) row.z = minus_mul(row.z, load_coupling(i - h, h), A.right_hand_side(i - h));
      if (i + h < n) row.z = minus_mul(row.z, load_coupling(i, h), A.right_hand_side(i + h));
      store(A.R, A.rhs * i, row.L.solve_upper(row.z));
    });
}

}  // namespace tandem::inline TANDEM_ISA
