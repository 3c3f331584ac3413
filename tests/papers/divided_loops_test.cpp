// SPDX-License-Identifier: Apache-2.0
/// Loops closed in the tree of joins of divide and conquer, against the default, which closes them behind all joints at
/// once.
#include <gmock/gmock.h>

#include <cmath>
#include <optional>

#include "backends/cpu/kernels/loop_plan.hpp"
#include "closed_loops/loop_cases.hpp"
#include "support/errors.hpp"
#include "support/robots.hpp"
#include "tandem/api/batches.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class DividedLoops : public ::testing::Test {};
TYPED_TEST_SUITE(DividedLoops, Reals);

constexpr Options divided = {.method = Method::divide_and_conquer};

template <class T>
double apart(const std::vector<T>& a, const std::vector<T>& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(double(a[k]) - double(b[k])));
  return most;
}
template <class T>
double largest_of(const std::vector<T>& a) {
  return apart(a, std::vector<T>(a.size()));
}

template <class T>
struct Answer {
  std::vector<T> a, f;
};
template <class T>
Answer<T> answer(const LoopCase& c, const Vector& tau, const Options& options, Workspace<T>& work) {
  Answer<T> x = {std::vector<T>(static_cast<std::size_t>(c.model.nv())),
                 std::vector<T>(6 * static_cast<std::size_t>(c.model.n_loops()))};
  closed_loop_dynamics<T>(c.model, in<T>(c.q), in<T>(c.v), in<T>(tau), x.a, work, x.f, {}, {}, options);
  return x;
}

/// How ill the system of the forces is; nothing where its rank is in doubt.
std::optional<double> condition_of(const LoopCase& c) {
  const Matrix M = Robot<double>(c.model.without_loops()).mass_matrix(c.q);
  const Matrix J = equations(c.model, c.q, c.v).J;
  const Matrix G = J * solve_positive_definite(M, J.transpose());
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(G).eigenvalues();
  double least = values[values.size() - 1];
  for (const double x : values) {
    if (x < 1e-13 * values[values.size() - 1]) continue;
    if (x < 1e-6 * values[values.size() - 1]) return {};
    least = std::min(least, x);
  }
  return condition(M) * values[values.size() - 1] / least;
}

TYPED_TEST(DividedLoops, GiveTheAccelerationsAndForcesOfTheDefault) {
  using T = TypeParam;
  Workspace<T> work;
  int compared = 0, forces = 0;
  for (const LoopCase& c : loop_cases()) {
    if (refusal(find_algorithm("closed_loop_dynamics"), c.model, divided)) continue;
    auto kappa = condition_of(c);
    if (kappa) *kappa *= mass_ratio(c.model);  // mobilities of light links hide those of heavy ones
    if (!kappa || *kappa * Robot<T>::epsilon() > 1e-3) continue;
    SCOPED_TRACE(c.name);
    const State s = random_state(c.model, 7);
    Options options = divided;
    options.stabilisation = compared % 2 == 0 ? 0 : 4;
    const auto ours = answer<T>(c, s.tau, options, work);
    const auto usual = answer<T>(c, s.tau, {.stabilisation = options.stabilisation}, work);
    const double size = std::max({1.0, largest_of(usual.a), free_size(c, s.tau)});
    EXPECT_LT(apart(ours.a, usual.a), tolerance<T>(32, *kappa, size));
    ++compared;
    if (is_redundant(c)) continue;
    EXPECT_LT(apart(ours.f, usual.f), tolerance<T>(32, *kappa, std::max({1.0, largest_of(usual.f), size})));
    ++forces;
  }
  EXPECT_GE(compared, sizeof(T) == 8 ? 20 : 3);
  EXPECT_GE(forces, sizeof(T) == 8 ? 8 : 0);
}

TYPED_TEST(DividedLoops, HaveTheSameBitsOnAnyNumberOfThreadsAndByForwardDynamics) {
  using T = TypeParam;
  Workspace<T> work;
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    if (refusal(find_algorithm("closed_loop_dynamics"), c.model, divided)) continue;
    if (mass_ratio(c.model) * Robot<T>::epsilon() > 1e-3) continue;
    const State s = random_state(c.model, 7);
    const auto q = in<T>(c.q), v = in<T>(c.v), tau = in<T>(s.tau);
    const auto alone = answer<T>(c, s.tau, divided, work);
    Answer<T> many = alone;
    closed_loop_dynamics<T>(c.model, {.q = q, .v = v, .tau = tau}, {.a = many.a, .f_loop = many.f}, work,
                            {.threads = 3, .options = divided});
    EXPECT_EQ(alone.a, many.a);
    EXPECT_EQ(alone.f, many.f);
    forward_dynamics<T>(c.model, q, v, tau, many.a, work, {}, {}, divided);
    EXPECT_EQ(alone.a, many.a);
    ++compared;
  }
  EXPECT_GT(compared, 4);
}

/// A chain whose end is held to its first link or to the base, where it is at zero.
LoopCase ring(int links, bool on_base, JointType type) {
  ModelBuilder b = generate("chain:" + std::to_string(links), 5);
  const Model open = b.build();
  const Vector q = Vector::Zero(open.nq());
  const Frames at = Robot<double>(open).forward_kinematics(q);
  const int first = on_base ? 0 : 1, last = open.n_links() - 1;
  LoopDescription loop = {.name = "close",
                          .type = type,
                          .link_1 = std::string(open.link_name(first)),
                          .link_2 = std::string(open.link_name(last))};
  const auto i = static_cast<std::size_t>(first), j = static_cast<std::size_t>(last);
  const Matrix3 R = at.R[i].transpose() * at.R[j];
  const Vector3 p = at.R[i].transpose() * (at.p[j] - at.p[i]);
  for (std::size_t r = 0; r < 3; ++r) {
    loop.placement_1.position[r] = p[static_cast<Index>(r)];
    for (std::size_t k = 0; k < 3; ++k)
      loop.placement_1.rotation[3 * r + k] = R(static_cast<Index>(r), static_cast<Index>(k));
  }
  b.loop(loop);
  LoopCase made = {"ring of " + std::to_string(links), b.build(), q, Vector::Zero(open.nv())};
  return made;
}

TEST(DividedLoops, CloseLongRings) {
  Workspace<double> work;
  for (const bool on_base : {false, true})
    for (const JointType type : {JointType::fixed, JointType::spherical}) {
      const LoopCase c = ring(40, on_base, type);
      SCOPED_TRACE(c.name + (on_base ? " on the base, " : " on its first link, ") + to_string(type));
      const State s = random_state(c.model, 3);
      const auto ours = answer<double>(c, s.tau, divided, work), usual = answer<double>(c, s.tau, {}, work);
      const auto kappa = condition_of(c);
      ASSERT_TRUE(kappa);
      const double size = std::max({largest_of(usual.a), free_size(c, s.tau)});
      EXPECT_LT(apart(ours.a, usual.a), tolerance<double>(32, *kappa, size));
      EXPECT_LT(apart(ours.f, usual.f), tolerance<double>(32, *kappa, std::max(largest_of(usual.f), size)));
    }
}

TEST(DividedLoops, TakeALogarithmicNumberOfRounds) {
  for (const int links : {64, 1024}) {
    const LoopCase c = ring(links, false, JointType::fixed);
    const LoopPlan plan(c.model.view<double>());
    EXPECT_LE(plan.plan().n_levels, 3 + 2 * std::log2(links));
    for (Index node = 0; node < plan.plan().n_nodes; ++node) EXPECT_LE(plan.plan().handles[node], 4);
  }
}

/// Two arms on the base whose tips are held to each other, and an elbow to the base.
TEST(DividedLoops, CloseLoopsBetweenTreesOnTheBase) {
  Workspace<double> work;
  RobotMaker make("arms", 11);
  make.massless("base");
  for (const char* arm : {"left", "right"})
    for (int k = 0; k < 4; ++k) {
      const std::string name = arm + std::to_string(k);
      make.add(JointType::revolute, k == 0 ? "base" : arm + std::to_string(k - 1), name);
    }
  ModelBuilder arms = make.builder();
  const Model open = arms.build();
  State s = random_state(open, 2);
  const Frames at = Robot<double>(open).forward_kinematics(s.q);
  const auto hold = [&](const std::string& name, const std::string& one, const std::string& two) {
    LoopDescription loop = {.name = name, .type = JointType::spherical, .link_1 = one, .link_2 = two};
    const auto i = static_cast<std::size_t>(open.link_index(one)), j = static_cast<std::size_t>(open.link_index(two));
    const Vector3 p = at.R[i].transpose() * (at.p[j] - at.p[i]);
    for (std::size_t r = 0; r < 3; ++r) loop.placement_1.position[r] = p[static_cast<Index>(r)];
    arms.loop(loop);
  };
  hold("tips", "left3", "right3");
  hold("elbow", "base", "left2");
  const LoopCase c = {"arms", arms.build(), s.q, Vector::Zero(open.nv())};
  const auto ours = answer<double>(c, s.tau, divided, work), usual = answer<double>(c, s.tau, {}, work);
  const auto kappa = condition_of(c);
  ASSERT_TRUE(kappa);
  const double size = std::max({largest_of(usual.a), free_size(c, s.tau)});
  EXPECT_LT(apart(ours.a, usual.a), tolerance<double>(32, *kappa, size));
  EXPECT_LT(apart(ours.f, usual.f), tolerance<double>(32, *kappa, std::max(largest_of(usual.f), size)));
}

TEST(DividedLoops, SayWhatTheyDoNotRead) {
  Workspace<double> work;
  const Model bars = load("four_bar");
  const std::vector<double> q(3, 0);
  std::vector<double> a(3), same(3);
  EXPECT_THAT(
      error_of([&] { closed_loop_dynamics<double>(bars, q, q, q, a, work, {}, {}, {}, {.method = Method::scan}); }),
      HasSubstr("closed_loop_dynamics has no method scan; expected one of"));
  EXPECT_THAT(error_of([&] {
                closed_loop_dynamics<double>(bars, q, q, q, a, work, {}, {}, {},
                                             {.method = Method::divide_and_conquer, .load_ratio = 3});
              }),
              HasSubstr("does not use the option load_ratio"));
  // subsystems of several links go over the tree
  forward_dynamics<double>(bars, q, q, q, a, work, {}, {}, {.method = Method::divide_and_conquer, .load_ratio = 3});
  forward_dynamics<double>(bars, q, q, q, same, work);
  EXPECT_LT(apart(a, same), 1e-12 * largest_of(same));
}

}  // namespace
}  // namespace tandem::test
