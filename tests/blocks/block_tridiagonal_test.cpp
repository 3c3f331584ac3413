// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>

#include "blocks/executors.hpp"
#include "support/fenced.hpp"
#include "support/tolerance.hpp"
#include "tandem/detail/solve/block_conjugate_gradient.hpp"
#include "tandem/detail/solve/chunked_elimination.hpp"
#include "tandem/detail/solve/odd_even_elimination.hpp"

namespace tandem::test {
namespace {

/// A random system A = B^T B + shift with B block bidiagonal, so that A is positive definite; the smaller the shift,
/// the worse its condition.
template <class R, int m, int k>
struct RandomSystem {
  Index n;
  std::vector<R> D, U, b;
  double condition = 1;  ///< an upper bound
  double size = 0;       ///< of the largest block

  RandomSystem(Index n_, double shift, std::uint64_t seed) : n(n_) {
    Random random(seed);
    const auto draw = [&] { return Matrix(Matrix::NullaryExpr(m, m, [&] { return random.uniform(-1, 1); })); };
    const auto append = [](std::vector<R>& numbers, const Matrix& A) {
      for (Index i = 0; i < A.rows(); ++i)
        for (Index j = 0; j < A.cols(); ++j) numbers.push_back(static_cast<R>(A(i, j)));
    };
    Matrix above = Matrix::Zero(m, m);  // block i - 1, i of B
    for (Index i = 0; i < n; ++i) {
      const Matrix B_ii = draw() + Matrix::Identity(m, m), B_ir = i + 1 < n ? draw() : Matrix(Matrix::Zero(m, m));
      const Matrix D_i = B_ii.transpose() * B_ii + above.transpose() * above + shift * Matrix::Identity(m, m);
      const Matrix U_i = B_ii.transpose() * B_ir;
      append(D, D_i);
      if (i + 1 < n) append(U, U_i);
      append(b, Matrix::NullaryExpr(m, k, [&] { return random.uniform(-1, 1); }));
      size = std::max(size, D_i.norm() + 2 * U_i.norm());
      above = B_ir;
    }
    condition = size / shift;
  }

  BlockTridiagonal<R, m, k, R*> view() { return {n, D.data(), U.data(), b.data()}; }

  /// A x, in double.
  Matrix times(const Matrix& x) const {
    const auto block = [](const std::vector<R>& numbers, Index i) {
      return Matrix(Eigen::Map<const Eigen::Matrix<R, m, m, m == 1 ? Eigen::ColMajor : Eigen::RowMajor>>(
                        numbers.data() + m * m * i)
                        .template cast<double>());
    };
    Matrix y = Matrix::Zero(m * n, k);
    for (Index i = 0; i < n; ++i) {
      const Matrix lower = block(D, i).template triangularView<Eigen::Lower>();
      const Matrix strictly = block(D, i).template triangularView<Eigen::StrictlyLower>();
      y.middleRows(m * i, m) += (lower + strictly.transpose()) * x.middleRows(m * i, m);
      if (i + 1 == n) continue;
      y.middleRows(m * i, m) += block(U, i) * x.middleRows(m * (i + 1), m);
      y.middleRows(m * (i + 1), m) += block(U, i).transpose() * x.middleRows(m * i, m);
    }
    return y;
  }
  static Matrix rows(const std::vector<R>& numbers) {
    Matrix x(static_cast<Index>(numbers.size()) / k, k);
    for (Index i = 0; i < x.rows(); ++i)
      for (int j = 0; j < k; ++j) x(i, j) = static_cast<double>(numbers[static_cast<std::size_t>(i * k + j)]);
    return x;
  }
};

enum class How { block_lu, cyclic_reduction, odd_even_elimination, chunked, conjugate_gradient };

template <class R, int m, int k>
std::vector<R> solved(RandomSystem<R, m, k> system, How how, const auto& executor, Index chunk = 8) {
  const auto A = system.view();
  std::vector<R> work;
  // as many numbers as asked for, with a fence behind them
  const auto scratch = [&](Index rows) {
    work.assign(static_cast<std::size_t>(rows), std::numeric_limits<R>::quiet_NaN());
    work.push_back(R(42));
    return work.data();
  };
  const Index n = system.n;
  switch (how) {
    case How::block_lu: return solved(system, How::chunked, executor, n + 1);
    case How::cyclic_reduction: solve_cyclic_reduction(executor, A, scratch(cyclic_reduction_rows<m>(n))); break;
    case How::odd_even_elimination:
      solve_odd_even_elimination(executor, A, scratch(odd_even_elimination_rows<m, k>(n)));
      break;
    case How::chunked:
      solve_chunked_elimination(executor, A, chunk, scratch(chunked_elimination_rows<m, k>(n, chunk)));
      break;
    case How::conjugate_gradient: {
      std::vector<R> x(system.b.size(), R(0));
      solve_block_conjugate_gradient(executor, A, x.data(), {}, scratch(block_conjugate_gradient_rows<m, k>(n)));
      EXPECT_EQ(work.back(), R(42)) << "written behind the end of the scratch memory";
      return x;
    }
  }
  EXPECT_EQ(work.back(), R(42)) << "written behind the end of the scratch memory";
  return system.b;
}

/// The residual of a backward stable solver is a few roundings of the sizes of A and x, whatever the condition of A;
/// that of odd-even elimination grows with the condition as well, and that of conjugate gradients is what they were
/// asked for.
template <class R, int m, int k>
void check(Index n, double shift, std::uint64_t seed) {
  SCOPED_TRACE(std::to_string(n) + " blocks of " + std::to_string(m) + ", " + std::to_string(k) + " right-hand sides");
  const RandomSystem<R, m, k> system(n, shift, seed);
  const Matrix b = system.rows(system.b);
  const auto residual = [&](const std::vector<R>& x) {
    return n == 0 ? 0 : (system.times(system.rows(x)) - b).cwiseAbs().maxCoeff();
  };
  const auto scale = [&](const std::vector<R>& x) {
    return n == 0 ? 1 : system.size * system.rows(x).norm() + b.norm();
  };
  for (const How how : {How::block_lu, How::cyclic_reduction, How::chunked, How::odd_even_elimination}) {
    const auto x = solved(system, how, alone);
    const double kappa = how == How::odd_even_elimination ? system.condition : 1;
    EXPECT_LE(residual(x), tolerance<R>(4, kappa, scale(x))) << "solver " << static_cast<int>(how);
    const auto on_threads = solved(system, how, TestedExecutor{});
    EXPECT_TRUE(same_bits(x.data(), on_threads.data(), x.size())) << "solver " << static_cast<int>(how);
  }
  for (const Index chunk : {1, 2, 3, 64}) {
    const auto x = solved(system, How::chunked, TestedExecutor{}, chunk);
    EXPECT_LE(residual(x), tolerance<R>(4, 1, scale(x))) << "chunks of " << chunk;
  }
  if (shift < 0.1) return;
  const auto x = solved(system, How::conjugate_gradient, alone);
  const double asked = sizeof(R) == 4 ? 1e-5 : 1e-10;
  EXPECT_LE(residual(x), 32 * asked * scale(x));
  const auto on_threads = solved(system, How::conjugate_gradient, TestedExecutor{});
  EXPECT_TRUE(same_bits(x.data(), on_threads.data(), x.size())) << "conjugate gradients";
}

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

TEST(SlowBlockTridiagonal, SolversAgreeOnAHundredThousandRows) { check<double, 5, 1>(100000, 1e-3, 5); }

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
  const Index cold = solve_block_conjugate_gradient(alone, A, x.data(), {}, work.data()).steps;
  const auto solution = x;
  EXPECT_EQ(solve_block_conjugate_gradient(alone, A, x.data(), {.tolerance = 1e-9}, work.data()).steps, 0);
  EXPECT_EQ(x, solution) << "the solution is left alone";
  for (double& number : x) number *= 1 + 1e-7;
  const Index warm = solve_block_conjugate_gradient(alone, A, x.data(), {}, work.data()).steps;
  EXPECT_LT(warm, cold);
  EXPECT_LE((system.rows(x) - system.rows(solution)).norm(), 1e-8 * system.rows(solution).norm());
}

/// Works alone, and counts how often it was handed `parts` parts.
struct WatchedExecutor {
  Index parts;
  Index* count;
  template <class F>
  void for_each(Index n, F&& f) const {
    if (n == parts) ++*count;
    alone.for_each(n, f);
  }
};

TEST(BlockConjugateGradient, SumsTwiceAStep) {
  RandomSystem<double, 5, 1> system(160, 0.1, 9);  // in five chunks
  std::vector<double> work(static_cast<std::size_t>(block_conjugate_gradient_rows<5, 1>(160)));
  std::vector<double> x(system.b.size(), 0.0);
  Index sums = 0;
  const auto done = solve_block_conjugate_gradient(WatchedExecutor{5, &sums}, system.view(), x.data(), {}, work.data());
  EXPECT_TRUE(done.converged);
  EXPECT_EQ(sums, 2 + 2 * done.steps);
}

/// [Pond] leaves open in which basis of a joint's constraints the unknowns are written: W_n or W_n T_n. The
/// preconditioner sees to it that the steps are the same, whatever T_n.
TEST(BlockConjugateGradient, TakesTheSameStepsInAnyBasisOfTheBlocks) {
  constexpr int m = 5;
  constexpr Index n = 40;
  using Block = Eigen::Matrix<double, m, m, Eigen::RowMajor>;
  RandomSystem<double, m, 1> system(n, 0.1, 9), turned = system;
  Random random(3);
  std::vector<Block> T;
  for (Index i = 0; i < n; ++i)
    T.push_back(Block::NullaryExpr([&] { return random.uniform(-1, 1); }) + 3 * Block::Identity());
  for (std::size_t i = 0; i < T.size(); ++i) {
    const auto block = [&](std::vector<double>& of) { return Eigen::Map<Block>(of.data() + m * m * i); };
    const Block D = block(system.D).selfadjointView<Eigen::Lower>();
    block(turned.D) = T[i].transpose() * D * T[i];
    if (i + 1 < T.size()) block(turned.U) = T[i].transpose() * block(system.U) * T[i + 1];
    Eigen::Map<Eigen::Matrix<double, m, 1>>(turned.b.data() + m * i) =
        T[i].transpose() * Eigen::Map<Eigen::Matrix<double, m, 1>>(system.b.data() + m * i);
  }
  std::vector<double> work(static_cast<std::size_t>(block_conjugate_gradient_rows<m, 1>(n)));
  for (const Index limit : {1, 3, 10, 20}) {
    std::vector<double> x(system.b.size(), 0.0), y = x;
    solve_block_conjugate_gradient(alone, system.view(), x.data(), {.limit = limit}, work.data());
    solve_block_conjugate_gradient(alone, turned.view(), y.data(), {.limit = limit}, work.data());
    Vector back(m * n);
    for (std::size_t i = 0; i < T.size(); ++i)
      back.segment<m>(static_cast<Index>(m * i)) =
          T[i] * Eigen::Map<const Eigen::Matrix<double, m, 1>>(y.data() + m * i);
    const Vector plain = system.rows(x);
    EXPECT_LE((back - plain).norm(), 1e-9 * plain.norm()) << limit << " steps";
  }
}

TEST(BlockConjugateGradient, StopsAtItsLimit) {
  RandomSystem<double, 5, 1> system(50, 1e-3, 10);
  std::vector<double> work(static_cast<std::size_t>(block_conjugate_gradient_rows<5, 1>(50)));
  std::vector<double> x(system.b.size(), 0.0);
  const auto stopped = solve_block_conjugate_gradient(alone, system.view(), x.data(), {.limit = 3}, work.data());
  EXPECT_EQ(stopped.steps, 3);
  EXPECT_FALSE(stopped.converged);
  EXPECT_TRUE(system.rows(x).allFinite());
  std::fill(system.b.begin(), system.b.end(), 0.0);
  std::fill(x.begin(), x.end(), 0.0);
  const auto at_once = solve_block_conjugate_gradient(alone, system.view(), x.data(), {}, work.data());
  EXPECT_EQ(at_once.steps, 0);
  EXPECT_TRUE(at_once.converged);
  EXPECT_EQ(system.rows(x).norm(), 0);
}

}  // namespace
}  // namespace tandem::test
