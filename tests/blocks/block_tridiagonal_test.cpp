// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "blocks/random_system.hpp"

namespace tandem::test {
namespace {

template <class R, int m, int k>
void check_all() {
  for (const Index n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100})
    for (const double shift : {1.0, 1e-3}) check<R, m, k>(n, shift, static_cast<std::uint64_t>(100 * n + m));
}

TEST(BlockTridiagonal, SolversAgreeForBlocksOfAnySize) {
  check_all<double, 1, 1>();
  check_all<double, 2, 3>();
  check_all<double, 3, 1>();
  check_all<double, 5, 1>();
  check_all<double, 6, 2>();
}

TEST(BlockTridiagonal, SolversAgreeInFloat) {
  check_all<float, 3, 2>();
  check_all<float, 5, 1>();
}

TEST(BlockTridiagonal, SolversAgreeOnLongSystems) {
  check<double, 5, 1>(1023, 1e-3, 1);
  check<double, 5, 1>(1024, 1e-3, 2);
  check<double, 6, 2>(1025, 1.0, 3);
  check<float, 5, 1>(1000, 1.0, 4);
}

/// Against a dense factorisation: the error is the residual's times the condition.
TEST(BlockTridiagonal, SolutionIsThatOfTheDenseSystem) {
  constexpr int m = 5, k = 2;
  for (const Index n : {1, 2, 6, 13, 40}) {
    RandomSystem<double, m, k> system(n, 1e-2, 7);
    Matrix A(m * n, m * n);
    for (Index j = 0; j < m * n; ++j)
      A.col(j) = system.times(Matrix::Identity(m * n, m * n).middleCols(j, 1).replicate(1, k)).col(0);
    const Matrix x = solve_positive_definite(A, system.rows(system.b));
    const double kappa = condition(A);
    for (const How how : {How::block_lu, How::cyclic_reduction, How::chunked, How::odd_even_elimination})
      expect_near(system.rows(solved(system, how, alone)), x, tolerance<double>(16, kappa, x.norm()),
                  "solver " + std::to_string(static_cast<int>(how)));
    expect_near(system.rows(solved(system, How::conjugate_gradient, alone)), x, 1e-10 * kappa * x.norm(),
                "conjugate gradients");
  }
}

TEST(BlockConjugateGradient, StartsFromAGuess) {
  RandomSystem<double, 5, 1> system(50, 0.1, 9);
  const auto A = system.view();
  std::vector<double> work(static_cast<std::size_t>(block_conjugate_gradient_rows<5, 1>(50)));
  std::vector<double> x(system.b.size(), 0.0);
  const Index cold = solve_block_conjugate_gradient(alone, A, x.data(), {}, work.data());
  const auto solution = x;
  EXPECT_EQ(solve_block_conjugate_gradient(alone, A, x.data(), {.tolerance = 1e-9}, work.data()), 0);
  EXPECT_EQ(x, solution) << "the solution is left alone";
  for (double& number : x) number *= 1 + 1e-7;
  const Index warm = solve_block_conjugate_gradient(alone, A, x.data(), {}, work.data());
  EXPECT_LT(warm, cold);
  EXPECT_LE((system.rows(x) - system.rows(solution)).norm(), 1e-8 * system.rows(solution).norm());
}

TEST(BlockConjugateGradient, StopsAtItsLimit) {
  RandomSystem<double, 5, 1> system(50, 1e-3, 10);
  std::vector<double> work(static_cast<std::size_t>(block_conjugate_gradient_rows<5, 1>(50)));
  std::vector<double> x(system.b.size(), 0.0);
  EXPECT_EQ(solve_block_conjugate_gradient(alone, system.view(), x.data(), {.limit = 3}, work.data()), 3);
  EXPECT_TRUE(system.rows(x).allFinite());
  std::fill(system.b.begin(), system.b.end(), 0.0);
  std::fill(x.begin(), x.end(), 0.0);
  EXPECT_EQ(solve_block_conjugate_gradient(alone, system.view(), x.data(), {}, work.data()), 0);
  EXPECT_EQ(system.rows(x).norm(), 0);
}

}  // namespace
}  // namespace tandem::test
