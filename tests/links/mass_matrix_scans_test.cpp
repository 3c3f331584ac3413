// SPDX-License-Identifier: Apache-2.0
/// Mass matrices that are filled in by all links at once: those of the serial composite rigid bodies.
#include "links/link_call.hpp"
#include "support/papers.hpp"
#include "tandem/detail/papers/log_composite.hpp"
#include "tandem/detail/scan/composite_scan.hpp"

namespace tandem::test {
namespace {

Matrix square(const Vector& numbers, Index n) {
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(numbers.data(), n, n);
}

/// Errors are compared with sqrt(M_ii M_jj), the most that an entry can be.
template <class T>
void check(const Model& model, const State& s, const Options& options) {
  SCOPED_TRACE(model.name() + ", " + to_string(options.method) + ", chunk " + std::to_string(options.chunk));
  const Index n = model.nv();
  const Matrix expected = Robot<double>(model).mass_matrix(s.q);
  const Matrix M = square(call_method<T>("mass_matrix", model, options, {s.q}), n);
  EXPECT_TRUE(M == M.transpose());
  if (n == 0) return;
  const Vector size = expected.diagonal().cwiseSqrt().cwiseInverse();
  const double kappa = 1 + std::sqrt(model.n_links());
  expect_near(size.asDiagonal() * M * size.asDiagonal(), size.asDiagonal() * expected * size.asDiagonal(),
              tolerance<T>(32, kappa, 1), "M");
}

const std::vector<Method>& methods() {
  static const std::vector<Method> list = has_papers ? std::vector{Method::composite_scan, Method::log_composite}
                                                     : std::vector{Method::composite_scan};
  return list;
}

template <class T>
class MassMatrixScans : public ::testing::Test {};
TYPED_TEST_SUITE(MassMatrixScans, Reals);

TYPED_TEST(MassMatrixScans, AgreeOnChainsOfEveryLength) {
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 64, 100, 129, 257, 300}) {
    const Model model = generate("chain:" + std::to_string(n), 5).build();
    const State s = random_state(model, 6);
    for (const Method method : methods()) check<TypeParam>(model, s, {.method = method});
  }
}

TYPED_TEST(MassMatrixScans, AgreeWhereverTheyServe) {
  const auto models =
      models_of_all_kinds({"rope:1", "rope:40", "rope:20:bending", "rope:100:bending", "snake:1", "snake:60"});
  int served = 0;
  for (const Model& model : models)
    for (const Method method : methods()) {
      if (refusal(find_algorithm("mass_matrix"), model, {.method = method})) continue;
      ++served;
      check<TypeParam>(model, random_state(model, 10), {.method = method});
    }
  EXPECT_GE(served, 6 * static_cast<int>(methods().size()));
}

TYPED_TEST(MassMatrixScans, AgreeHoweverTheScanIsCut) {
  const Model model = generate("chain:100", 7).build();
  for (const int chunk : {1, 2, 7, 99, 100, 1000})
    check<TypeParam>(model, random_state(model, 8), {.method = Method::composite_scan, .chunk = chunk});
}

TYPED_TEST(MassMatrixScans, AgreeOnTrees) {
  for (const Model& model : trees()) {
    const State s = random_state(model, 11);
    for (const int chunk : {256, 1, 5}) check<TypeParam>(model, s, {.method = Method::composite_scan, .chunk = chunk});
    const auto M = [&](int threads) {
      return call_method<TypeParam>("mass_matrix", model, {.method = Method::composite_scan, .chunk = 5}, {s.q},
                                    threads);
    };
    EXPECT_TRUE(M(1) == M(7)) << model.name();
  }
}

TYPED_TEST(MassMatrixScans, GiveTheSameBitsOnAnyNumberOfThreads) {
  const Model model = generate("chain:201", 13).build();
  const State s = random_state(model, 14);
  for (const Method method : methods())
    EXPECT_TRUE(call_method<TypeParam>("mass_matrix", model, {.method = method}, {s.q}, 1) ==
                call_method<TypeParam>("mass_matrix", model, {.method = method}, {s.q}, 7));
}

TEST(MassMatrixScan, SaysWhoServesWhatItRefuses) {
  const Algorithm& algorithm = find_algorithm("mass_matrix");
  const Model tree = star(3, 1).build(), follows = mimic_chain(2).build();
  for (const char* reason : {refusal(algorithm, follows, {.method = Method::composite_scan}),
                             refusal(algorithm, follows, {.method = Method::log_composite}),
                             refusal(algorithm, tree, {.method = Method::log_composite})}) {
    ASSERT_NE(reason, nullptr);
    if (has_papers) {
      EXPECT_NE(std::string(reason).find("composite_rigid_body"), std::string::npos);
    }
  }
  EXPECT_EQ(refusal(algorithm, tree, {.method = Method::composite_scan}), nullptr);
  const Model snake = generate("snake:5").build();
  EXPECT_EQ(refusal(algorithm, snake, {.method = Method::composite_scan}), nullptr);
  EXPECT_NE(refusal(algorithm, snake, {.method = Method::log_composite}), nullptr);
}

}  // namespace
}  // namespace tandem::test
