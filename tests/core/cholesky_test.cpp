// SPDX-License-Identifier: Apache-2.0
/// Small and tree-shaped linear systems against Eigen.
#include <gtest/gtest.h>

#include <vector>

#include "support/dense.hpp"
#include "tandem/detail/solve/small_cholesky.hpp"
#include "tandem/detail/solve/tree_ltl.hpp"

namespace tandem::test {
namespace {

/// A A^T + shift, so that the condition number is moderate.
Matrix random_spd(int n, double shift, RandomSpatial& random) {
  const Matrix A = Matrix::NullaryExpr(n, n, [&] { return random.number(); });
  return A * A.transpose() + shift * Matrix::Identity(n, n);
}

template <int d>
void check_inverse(std::uint64_t seed) {
  RandomSpatial random(seed);
  for (const double shift : {1.0, 1e-6}) {
    const Matrix A = random_spd(d, shift, random);
    double a[d][d], k[d][d];
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) a[i][j] = j <= i ? A(i, j) : NAN;  // the upper triangle is not read
    invert_spd(a, k);
    Matrix K(d, d);
    for (int i = 0; i < d; ++i)
      for (int j = 0; j < d; ++j) K(i, j) = k[i][j];
    const Matrix reference = inverse(A);
    EXPECT_EQ((K - K.transpose()).cwiseAbs().maxCoeff(), 0);
    EXPECT_LE((K - reference).norm(), 32 * eps * eigenvalue_ratio(A) * reference.norm()) << d << "x" << d;
  }
}

TEST(SmallCholesky, InvertsOneToSixRows) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    check_inverse<1>(seed);
    check_inverse<2>(seed);
    check_inverse<3>(seed);
    check_inverse<6>(seed);
  }
}

TEST(SmallCholesky, SolvesDenseSystems) {
  RandomSpatial random(5);
  for (const int n : {0, 1, 2, 5, 40}) {
    const Eigen::Matrix<double, -1, -1, Eigen::RowMajor> A = random_spd(n, 0.5, random);
    const Vector b = Vector::NullaryExpr(n, [&] { return random.number(); });
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> work = A;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) work(i, j) = NAN;
    Vector x = b;
    solve_spd<double>(work.data(), n, x.data());
    if (n == 0) continue;
    EXPECT_LE((A * x - b).norm(), 32 * eps * A.norm() * x.norm()) << n << " rows";
  }
}

/// Positive definite with the sparsity of a tree: F_k (I + ...) gathered along the paths to the root.
struct TreeSystem {
  std::vector<int> parent, run_start;
  Matrix H;

  TreeSystem(std::vector<int> parents, RandomSpatial& random) : parent(std::move(parents)) {
    const int n = static_cast<int>(parent.size());
    run_start.resize(parent.size());
    Matrix L = Matrix::Zero(n, n);
    for (int k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(k);
      run_start[at] = k > 0 && parent[at] == k - 1 ? run_start[at - 1] : k;
      L(k, k) = 1.5 + random.number();
      for (int i = parent[at]; i >= 0; i = parent[static_cast<std::size_t>(i)]) L(k, i) = random.number();
    }
    H = L.transpose() * L;
  }
};

void check_tree(const std::vector<int>& parents, RandomSpatial& random) {
  const TreeSystem system(parents, random);
  const int n = static_cast<int>(parents.size());
  const Vector b = Vector::NullaryExpr(n, [&] { return random.number(); });
  Eigen::Matrix<double, -1, -1, Eigen::RowMajor> work = system.H;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) work(i, j) = NAN;
  Vector x = b;
  solve_tree_ltl<double>(work.data(), n, x.data(), system.parent.data(), system.run_start.data());
  EXPECT_LE((system.H * x - b).norm(), 32 * eps * system.H.norm() * x.norm()) << n << " rows";
  for (int i = 0; i < n; ++i) {  // nothing was filled in
    for (int j = 0; j < i; ++j) {
      EXPECT_TRUE(system.H(i, j) != 0 || work(i, j) == 0) << i << ", " << j;
    }
  }
}

TEST(TreeLtl, SolvesChainsStarsForestsAndRandomTrees) {
  RandomSpatial random(9);
  check_tree({}, random);
  check_tree({-1}, random);
  check_tree({-1, 0, 1, 2, 3, 4}, random);
  check_tree({-1, -1, -1, -1}, random);
  check_tree({-1, 0, 0, 0, 0}, random);
  check_tree({-1, 0, 1, 1, 3, 0, 5, -1, 7, 7, 9, 9}, random);
  Random pick(11);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<int> parents;
    for (int k = 0; k < 30; ++k) {
      // depth first: a new branch starts somewhere on the path of the one before it
      int p = k - 1;
      for (std::uint64_t up = pick.below(4); up > 0 && p >= 0; --up) p = parents[static_cast<std::size_t>(p)];
      parents.push_back(p);
    }
    check_tree(parents, random);
  }
}

}  // namespace
}  // namespace tandem::test
