// SPDX-License-Identifier: Apache-2.0
/// What the checks need to know of a mass matrix: its inverse, its condition, whether it is positive definite.
#pragma once
#include <string>
#include <vector>

namespace tandem::check_detail {

/// A [n, n], symmetric, becomes its inverse, as exact as its condition lets it be if it is positive definite. False if
/// a pivot is zero.
bool invert(std::vector<double>& A, std::size_t n, bool& positive_definite);

/// A symmetric matrix seen with its diagonal scaled to ones, D^-1/2 M D^-1/2: units of metres and radians, large and
/// small links no longer count as bad condition.
class ScaledMatrix {
 public:
  /// M [n, n], row-major.
  ScaledMatrix(const std::vector<double>& M, std::size_t n);

  bool positive_definite() const { return positive_definite_; }
  /// Of the scaled matrix, in the row-sum norm; infinity if a pivot is zero.
  double condition() const { return condition_; }
  /// Why M y = x should not be solved: M is not positive definite, or less than three digits of a double would be left.
  /// Empty if it can be solved.
  std::string obstacle() const;
  /// Size of the terms when triangular factors of M, whose entries are bounded by sqrt(M_kk M_jj), multiply y.
  std::vector<double> factor_sizes(const std::vector<double>& y) const;
  /// |M^-1| x for x >= 0: how far errors of the size x in M y may move y.
  std::vector<double> through_inverse(const std::vector<double>& x) const;

 private:
  std::size_t n_;
  std::vector<double> scale_;        ///< [n] 1 / sqrt of the diagonal
  std::vector<double> abs_inverse_;  ///< [n, n] |M^-1|
  double condition_ = 0;
  bool positive_definite_ = false;
};

}  // namespace tandem::check_detail
