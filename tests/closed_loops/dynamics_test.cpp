// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics with closed loops against the dense equations, for every kind of robot and of loop joint.
#include <gmock/gmock.h>

#include <optional>

#include "closed_loops/loop_cases.hpp"
#include "support/errors.hpp"
#include "support/many.hpp"
#include "support/papers.hpp"
#include "support/robots.hpp"
#include "tandem/api/batches.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class ClosedLoops : public ::testing::Test {};
TYPED_TEST_SUITE(ClosedLoops, Reals);

template <class T>
Vector out(const std::vector<T>& x) {
  return Eigen::Map<const Eigen::Matrix<T, -1, 1>>(x.data(), static_cast<Index>(x.size())).template cast<double>();
}

/// The least acceleration that meets the loops, and how ill the system is; nothing where its rank is in doubt.
struct Expected {
  Vector a;
  double kappa = 0;
};
std::optional<Expected> expected(const LoopCase& c, const Vector& tau, double s) {
  Robot<double> tree(c.model.without_loops());
  const Matrix M = tree.mass_matrix(c.q);
  const Vector free = solve_positive_definite(M, tau - tree.bias_forces(c.q, c.v));
  const LoopEquations of = equations(c.model, c.q, c.v);
  const Matrix Y = solve_positive_definite(M, of.J.transpose());
  const Matrix G = of.J * Y;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(G);
  const Vector& values = solver.eigenvalues();
  const double largest = values[values.size() - 1];
  const Vector b = -(of.J * free + of.bias + 2 * s * of.J * c.v + s * s * of.error);
  Vector x = Vector::Zero(b.size());
  double least = largest;
  for (Index k = 0; k < values.size(); ++k) {
    if (values[k] < 1e-13 * largest) continue;
    if (values[k] < 1e-6 * largest) return {};
    least = std::min(least, values[k]);
    x += solver.eigenvectors().col(k) * (solver.eigenvectors().col(k).dot(b) / values[k]);
  }
  return Expected{free + Y * x, condition(M) * largest / least};
}

TYPED_TEST(ClosedLoops, AgreeWithTheDenseEquations) {
  using T = TypeParam;
  Workspace<T> work;
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const State s = random_state(c.model, 7);
    const auto reference = expected(c, s.tau, 0);
    if (!reference || reference->kappa * Robot<T>::epsilon() > 1e-3) continue;
    std::vector<T> a(static_cast<std::size_t>(c.model.nv())), same(a.size());
    closed_loop_dynamics<T>(c.model, in<T>(c.q), in<T>(c.v), in<T>(s.tau), a, work);
    forward_dynamics<T>(c.model, in<T>(c.q), in<T>(c.v), in<T>(s.tau), same, work);
    EXPECT_EQ(a, same);
    const double size = std::max({1.0, reference->a.cwiseAbs().maxCoeff(), free_size(c, s.tau)});
    EXPECT_LT((out(a) - reference->a).cwiseAbs().maxCoeff(), tolerance<T>(32, reference->kappa, size));
    ++compared;
  }
  const int few = few_cases ? 39 : 40;  // under sanitizers there are 42 robots, in float most are too ill conditioned
  EXPECT_GT(compared, sizeof(T) == 8 ? few : 8);
}

TYPED_TEST(ClosedLoops, StatesHaveTheSameBitsAloneAndInLanes) {
  using T = TypeParam;
  const LoopCase& c = loop_cases().front();
  constexpr Index n = 21;
  Workspace<T> work;
  const auto nq = static_cast<std::size_t>(c.model.nq()), nv = static_cast<std::size_t>(c.model.nv());
  std::vector<T> q, v, tau, a(n * nv), f(n * 6 * static_cast<std::size_t>(c.model.n_loops()));
  for (Index b = 0; b < n; ++b) {
    const State s = random_state(c.model, static_cast<std::uint64_t>(b));
    for (const auto& [to, x] : {std::pair{&q, &s.q}, {&v, &s.v}, {&tau, &s.tau}})
      to->insert(to->end(), x->data(), x->data() + x->size());
  }
  closed_loop_dynamics(c.model, {.q = q, .v = v, .tau = tau}, {.a = a, .f_loop = f}, work);
  for (std::size_t b = 0; b < n; ++b) {
    const auto of = [&](const std::vector<T>& x, std::size_t rows) { return std::span(x).subspan(b * rows, rows); };
    std::vector<T> a_b(nv), f_b(f.size() / n);
    closed_loop_dynamics<T>(c.model, of(q, nq), of(v, nv), of(tau, nv), a_b, work, f_b);
    EXPECT_TRUE(std::ranges::equal(a_b, of(a, nv)));
    EXPECT_TRUE(std::ranges::equal(f_b, of(f, f_b.size())));
  }
}

TEST(Loops, WhatIsOpenIsLedBack) {
  Workspace<double> work;
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    LoopCase open = c;
    open.v = random_state(c.model, 3).v;
    for (Index k = 0; k < open.q.size() && c.model.nq() == c.model.nv(); ++k)
      open.q[k] += 1e-3 * std::sin(double(k + 1));
    const State s = random_state(c.model, 8);
    const auto reference = expected(open, s.tau, 5);
    if (!reference) continue;
    std::vector<double> a(static_cast<std::size_t>(c.model.nv()));
    closed_loop_dynamics<double>(c.model, in<double>(open.q), in<double>(open.v), in<double>(s.tau), a, work, {}, {},
                                 {}, {.stabilisation = 5});
    const double size = std::max({1.0, reference->a.cwiseAbs().maxCoeff(), free_size(open, s.tau)});
    const Vector left = equations(c.model, open.q, open.v).J * (out(a) - reference->a);
    if (is_redundant(open)) continue;  // not all of it can be led back at once
    EXPECT_LT(left.cwiseAbs().maxCoeff(), tolerance<double>(32, reference->kappa, size * 32));
  }
}

TEST(Loops, HeldTwiceIsHeldOnce) {
  Workspace<double> work;
  ModelBuilder b = describe("four_bar");
  const Model once = b.build();
  for (const char* name : {"again", "and_again"}) {
    LoopDescription loop = b.loops()[0];
    loop.name = name;
    loop.type = JointType::fixed;
    b.loop(loop);
  }
  b.remove_loop("pin");
  b.change_loop("again", [](auto& loop) { loop.type = JointType::spherical; });
  // at the closed configuration of zero a fixed loop joint would forbid the rocker's turn against the coupler: no
  // motion is left
  const std::vector<double> q(3, 0), v(3, 0), tau = {1, 0, 0};
  std::vector<double> a(3), a_fixed(3);
  forward_dynamics<double>(once, q, v, tau, a, work);
  forward_dynamics<double>(b.build(), q, v, tau, a_fixed, work);
  EXPECT_GT(std::abs(a[0]), 1);
  for (const double x : a_fixed) EXPECT_NEAR(x, 0, 1e-9);
  b.remove_loop("and_again");
  b.loop({.name = "third",
          .type = JointType::spherical,
          .link_1 = "rocker",
          .link_2 = "coupler",
          .placement_1 = b.loops()[0].placement_1,
          .placement_2 = b.loops()[0].placement_2});
  std::vector<double> a_twice(3);
  forward_dynamics<double>(b.build(), q, v, tau, a_twice, work);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a_twice[k], a[k], 1e-12 * std::abs(a[0]));
}

TEST(Loops, WhatKnowsNoLoopsRefusesThem) {
  const Model bars = load("four_bar");
  Workspace<double> work;
  const std::vector<double> q(3, 0), v(3, 0);
  std::vector<double> a(3), f(6 * 4), mobility(36);
  EXPECT_THAT(error_of([&] { constraint_wrenches<double>(bars, q, v, v, f, work); }),
              HasSubstr("closed_loop_dynamics"));
  EXPECT_THAT(error_of([&] { operational_space_mobility<double>(bars, q, 1, Reference::local, mobility, work); }),
              HasSubstr("does not support four_bar: it has closed loops"));
  EXPECT_THAT(error_of([&] { Plan<double>(bars, find_algorithm("forward_dynamics"), {}, {}, Specialise::wait); }),
              HasSubstr("the robot has closed loops"));
  EXPECT_EQ(error_of([&] {
              forward_dynamics<double>(bars.without_loops(), q, v, v, a, work, {}, {}, {.method = Method::scan});
            }),
            "no error");
}

/// Methods that know trees alone find the same acceleration.
TYPED_TEST(ClosedLoops, AreServedByEveryMethod) {
  using T = TypeParam;
  Workspace<T> work;
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    const State s = random_state(c.model, 7);
    const auto reference = expected(c, s.tau, 0);
    if (!reference || reference->kappa * Robot<T>::epsilon() > 1e-3) continue;
    const double size = std::max({1.0, reference->a.cwiseAbs().maxCoeff(), free_size(c, s.tau)});
    for (const Method method : methods_of(find_algorithm("forward_dynamics"))) {
      const Options options = {.method = method};
      if (method == Method::conjugate_gradient) continue;  // ends at a tolerance, not at roundings
      if (refusal(find_algorithm("forward_dynamics"), c.model.without_loops(), options)) continue;
      SCOPED_TRACE(c.name + ", " + to_string(method));
      std::vector<T> a(static_cast<std::size_t>(c.model.nv())), by_plan(a.size());
      forward_dynamics<T>(c.model, in<T>(c.q), in<T>(c.v), in<T>(s.tau), a, work, {}, {}, options);
      // some lose digits with the condition of M twice; where mobilities are added, light links hide those of heavy
      // ones
      const double loss = method == Method::divide_and_conquer
                              ? mass_ratio(c.model)
                              : condition(Robot<double>(c.model.without_loops()).mass_matrix(c.q));
      EXPECT_LT((out(a) - reference->a).cwiseAbs().maxCoeff(), tolerance<T>(32, reference->kappa * loss, size));
      const Plan<T> plan(c.model, find_algorithm("forward_dynamics"), options);
      std::vector<T> q = in<T>(c.q), v = in<T>(c.v), tau = in<T>(s.tau);
      const Array<T> arguments[] = {
          Array<T>::input(q.data(), 0),       Array<T>::input(v.data(), 0), Array<T>::input(tau.data(), 0), {}, {},
          Array<T>::output(by_plan.data(), 0)};
      evaluate<T>(plan, arguments, 1, work);
      EXPECT_EQ(a, by_plan);
      compared += method == (has_papers ? Method::divide_and_conquer : Method::divide_and_conquer_efficient);
    }
  }
  EXPECT_GT(compared, 3);
}

TEST(Loops, AModelAndItsTreeShareAWorkspace) {
  const Model bars = load("four_bar"), tree = bars.without_loops();
  Workspace<double> work, fresh;
  const std::vector<double> q(3, 0), v(3, 0), tau = {1, 2, 3};
  std::vector<double> with(3), without(3), closed_tree(3);
  for (int k = 0; k < 3; ++k) {
    closed_loop_dynamics<double>(tree, q, v, tau, closed_tree, work);
    forward_dynamics<double>(tree, q, v, tau, without, work);
    forward_dynamics<double>(bars, q, v, tau, with, work);
    EXPECT_EQ(closed_tree, without);
    EXPECT_NE(with, without);
  }
}

}  // namespace
}  // namespace tandem::test
