// SPDX-License-Identifier: Apache-2.0
#include "check/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

}  // namespace

/// Gauss-Jordan without row exchanges.
bool invert(Numbers& A, std::size_t n, bool& positive_definite) {
  positive_definite = true;
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = std::exchange(A[k * n + k], 1);
    positive_definite = positive_definite && pivot > 0;
    if (pivot == 0 || !std::isfinite(pivot)) return false;
    for (std::size_t j = 0; j < n; ++j) A[k * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == k ? 0 : std::exchange(A[i * n + k], 0);
      if (factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
    }
  }
  return true;
}

ScaledMatrix::ScaledMatrix(const Numbers& M, std::size_t n) : n_(n), scale_(n, 1.0) {
  for (std::size_t k = 0; k < n; ++k)
    if (const double d = std::abs(M[k * n + k]); d > 0) scale_[k] = 1 / std::sqrt(d);
  Numbers A(M);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) A[i * n + j] *= scale_[i] * scale_[j];
  const double norm = row_sum_norm(A, n);
  if (!invert(A, n, positive_definite_)) {
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
