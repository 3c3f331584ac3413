// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/column.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

/// H x = b for a symmetric positive definite matrix whose entry (k, j) is zero unless k and j lie on one path to the
/// root of a tree: H = L^T L, which fills in nothing.                                          [RBDA] section 6.5
///
/// In        H [n, n] row-major, lower triangle, overwritten by L (the diagonal by its inverse)
///           b [n], overwritten by x
///           parent [n]: the nearest neighbour towards the root, -1 at the root
///           run_start [n]: first of the longest run of neighbours that ends here
/// Cost      sum over k of depth(k)^2 / 2
template <class S, class Matrix, class Vector, class Parent, class RunStart>
TANDEM_HD void solve_tree_ltl(Matrix H, int n_int, Vector b, Parent parent, RunStart run_start) {
  const Index n = n_int;
  // f(begin, end) for every run of indices on the path from k (included if `self`) to the root
  const auto for_each_run = [&](int k, auto&& f) TANDEM_INLINE {
    int end = k + 1;
    while (end > 0) {
      const int begin = run_start[end - 1];
      f(begin, end);
      end = parent[begin] + 1;
    }
  };

  for (int k = n_int - 1; k >= 0; --k) {
    const Index row_k = n * k;
    const S inverse = S(1) / sqrt(S(H[row_k + k]));
    H[row_k + k] = inverse;
    for_each_run(parent[k], [&](int begin, int end) TANDEM_INLINE {
      for (int j = begin; j < end; ++j) H[row_k + j] = S(H[row_k + j]) * inverse;
    });
    for (int i = parent[k]; i >= 0; i = parent[i]) {
      const S L_ki = H[row_k + i];
      const Index row_i = n * i;
      for_each_run(i, [&](int begin, int end) TANDEM_INLINE {
#pragma omp simd
        for (int j = begin; j < end; ++j) H[row_i + j] = mul_add(-L_ki, S(H[row_k + j]), S(H[row_i + j]));
      });
    }
  }
  for (int k = n_int - 1; k >= 0; --k) {  // L^T y = b
    const S y = S(b[k]) * S(H[n * k + k]);
    b[k] = y;
    for_each_run(parent[k], [&](int begin, int end) TANDEM_INLINE {
      for (int j = begin; j < end; ++j) b[j] = mul_add(-S(H[n * k + j]), y, S(b[j]));
    });
  }
  for (int k = 0; k < n_int; ++k) {  // L x = y
    S x = b[k];
    for_each_run(parent[k], [&](int begin, int end) TANDEM_INLINE {
      for (int j = begin; j < end; ++j) x = mul_add(-S(H[n * k + j]), S(b[j]), x);
    });
    b[k] = x * S(H[n * k + k]);
  }
}

/// H x = b for a dense symmetric positive definite matrix: a tree that is one path.
template <class S, class Matrix, class Vector>
TANDEM_HD void solve_spd(Matrix H, int n, Vector b) {
  struct Before {
    TANDEM_HD int operator[](int k) const { return k - 1; }
  };
  struct First {
    TANDEM_HD int operator[](int) const { return 0; }
  };
  solve_tree_ltl<S>(H, n, b, Before{}, First{});
}

}  // namespace tandem::inline TANDEM_ISA
