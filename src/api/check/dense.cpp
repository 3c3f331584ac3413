// SPDX-License-Identifier: Apache-2.0
#include "api/check/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem::check_detail {
namespace {

using Numbers = std::vector<double>;

double row_sum_norm(const Numbers& A, std::size_t n) {
  double norm = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::abs(A[i * n + j]);
    norm = std::max(norm, sum);
  }
  return norm;
}

/// True if Cholesky's pivots stay positive. Works on a copy.
bool has_cholesky_factor(Numbers A, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) A[j * n + j] -= A[j * n + k] * A[j * n + k];
    if (!(A[j * n + j] > 0)) return false;
    const double pivot = A[j * n + j] = std::sqrt(A[j * n + j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      double x = A[i * n + j];
      for (std::size_t k = 0; k < j; ++k) x -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = x / pivot;
    }
  }
  return true;
}

}  // namespace

/// Gauss-Jordan with row exchanges.
bool invert(Numbers& A, std::size_t n) {
  std::vector<std::size_t> exchanged(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot_row = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(A[i * n + k]) > std::abs(A[pivot_row * n + k])) pivot_row = i;
    exchanged[k] = pivot_row;
    const double pivot = A[pivot_row * n + k];
    if (pivot == 0 || !std::isfinite(pivot)) return false;
    if (pivot_row != k) std::swap_ranges(&A[k * n], &A[k * n] + n, &A[pivot_row * n]);
    A[k * n + k] = 1;
    for (std::size_t j = 0; j < n; ++j) A[k * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = A[i * n + k];
      if (i == k || factor == 0) continue;
      A[i * n + k] = 0;
      for (std::size_t j = 0; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  for (std::size_t k = n; k-- > 0;)
    if (exchanged[k] != k)
      for (std::size_t i = 0; i < n; ++i) std::swap(A[i * n + k], A[i * n + exchanged[k]]);
  return true;
}

ScaledMatrix::ScaledMatrix(const Numbers& M, std::size_t n) : n_(n), scale_(n, 1.0) {
  for (std::size_t k = 0; k < n; ++k)
    if (const double d = std::abs(M[k * n + k]); d > 0) scale_[k] = 1 / std::sqrt(d);
  Numbers A(M);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) A[i * n + j] *= scale_[i] * scale_[j];
  positive_definite_ = has_cholesky_factor(A, n);
  const double norm = row_sum_norm(A, n);
  if (!invert(A, n)) {
    condition_ = std::numeric_limits<double>::infinity();
    return;
  }
  condition_ = norm * row_sum_norm(A, n);
  abs_inverse_ = std::move(A);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double& x = abs_inverse_[i * n + j];
      x = std::abs(x) * scale_[i] * scale_[j];
    }
}

std::string ScaledMatrix::obstacle() const {
  if (!(condition_ * std::numeric_limits<double>::epsilon() < 1e-3)) return "the mass matrix is singular";
  return positive_definite_ ? "" : "the mass matrix is not positive definite";
}

Numbers ScaledMatrix::factor_sizes(const Numbers& y) const {
  double sum = 0;
  for (std::size_t j = 0; j < n_; ++j) sum += std::abs(y[j]) / scale_[j];
  Numbers sizes(n_);
  for (std::size_t k = 0; k < n_; ++k) sizes[k] = sum / scale_[k];
  return sizes;
}

Numbers ScaledMatrix::through_inverse(const Numbers& x) const {
  Numbers y(n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j) y[i] += abs_inverse_[i * n_ + j] * x[j];
  return y;
}

}  // namespace tandem::check_detail
