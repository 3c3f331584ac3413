// SPDX-License-Identifier: Apache-2.0
/// The methods that divide a robot into runs of links and conquer them along a tree.
#include "tandem/detail/methods/divide_and_conquer.hpp"
#include <gmock/gmock.h>
#include "tandem/detail/methods/divide_and_conquer_efficient.hpp"

#include "links/forward_dynamics_by.hpp"
#include "tandem/detail/engines/engine.hpp"

namespace tandem::test {
namespace {

/// A method with the options that tests give it.
const std::vector<Options>& divisions() {
  static const std::vector<Options> list = {
      {.method = Method::divide_and_conquer},
      {.method = Method::divide_and_conquer_efficient},
      {.method = Method::divide_and_conquer_efficient, .chunks = 1},
      {.method = Method::divide_and_conquer_efficient, .chunks = 2},
      {.method = Method::divide_and_conquer_efficient, .chunks = 3},
      {.method = Method::divide_and_conquer_efficient, .chunks = 2, .load_ratio = 0.1},
      {.method = Method::divide_and_conquer_efficient, .chunks = 64, .load_ratio = 1},
      {.method = Method::divide_and_conquer_efficient, .chunks = 200, .load_ratio = 3},
  };
  return list;
}

/// Mobilities are inverse inertias: where those of light links are added to those of heavy ones, the digits of the heavy
/// ones are lost.
double lost_to_light_links(const Options& o, const Model& model) {
  if (o.method != Method::divide_and_conquer) return 1;
  const auto& m = model.view<double>();
  double lightest = m.inertia[10], heaviest = lightest;
  for (int i = 1; i < m.n_links; ++i) {
    lightest = std::min(lightest, m.inertia[10 * i]);
    heaviest = std::max(heaviest, m.inertia[10 * i]);
  }
  return heaviest / lightest;
}

/// By how much rounding may grow.
double kappa(const Options& o, const Model& model, const State& s, const Vector& diagonal = {}) {
  Matrix M = Robot<double>(model).mass_matrix(s.q);
  if (diagonal.size()) M.diagonal() += diagonal;
  return M.rows() == 0 ? 1 : eigenvalue_ratio(M) * lost_to_light_links(o, model);
}

/// Without fused products no digit of a result need be right there, nor the result finite.
template <class T>
bool is_hopeless(double allowed) {
  return roundings_of_a_product() > 1 && allowed * std::numeric_limits<T>::epsilon() > 1;
}

template <class T>
class Division : public ::testing::Test {};
TYPED_TEST_SUITE(Division, Reals);

TYPED_TEST(Division, IsUndoneByInverseDynamics) {
  wherever_served(divisions(), [](const Options& o, const Case& c, const State& s) {
    const double allowed = 32 * kappa(o, c.model, s);
    if (is_hopeless<TypeParam>(allowed)) return;
    const Vector a = forward_dynamics_by<TypeParam>(o, c.model, s, true);
    EXPECT_LE(left_over<TypeParam>(c.model, s, a, true), allowed);
  });
}

TYPED_TEST(Division, TakesTheDiagonalAsInertiaOfTheJoints) {
  wherever_served(divisions(), [](const Options& o, const Case& c, const State& s) {
    Vector diagonal = s.tau.cwiseAbs() + Vector::Constant(c.model.nv(), 0.1);
    for (int k = 0; k < diagonal.size(); k += 3) diagonal[k] = 0;  // some axes without a rotor
    const double allowed = 32 * kappa(o, c.model, s, diagonal);
    if (is_hopeless<TypeParam>(allowed)) return;
    const Vector a = forward_dynamics_by<TypeParam>(o, c.model, s, false, diagonal);
    EXPECT_LE(left_over<TypeParam>(c.model, s, a, false, diagonal), allowed);
  });
}

TYPED_TEST(Division, GivesTheSameBitsOnAnyNumberOfThreads) {
  wherever_served(divisions(), [](const Options& o, const Case& c, const State& s) {
    const Vector one = forward_dynamics_by<TypeParam>(o, c.model, s, true, {}, 1);
    const Vector two = forward_dynamics_by<TypeParam>(o, c.model, s, true, {}, 2);
    EXPECT_TRUE(same_bits(one.data(), two.data(), static_cast<std::size_t>(one.size())));
  });
}

TYPED_TEST(Division, KeepsTheDigitsOfLongRobots) {
  for (const Options& o : divisions())
    for (const char* spec : {"chain:1000", "rope:1000", "snake:1000", "tree:1000"}) {
      const Model model = generate(spec, 3).build();
      if (!serves(o, model)) continue;
      SCOPED_TRACE(describe(o) + ", " + spec);
      State s = random_state(model, 4);
      s.v *= 0.01;
      const Vector a = forward_dynamics_by<TypeParam>(o, model, s, true);
      EXPECT_LE(left_over<TypeParam>(model, s, a, true), 32 * roundings_of_a_product() * std::sqrt(model.depth()));
    }
}

TEST(DivideAndConquer, SaysWhatItDoesNotServe) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const auto reason = [&](const char* name) {
    const char* text = refusal(algorithm, case_named(name).model, {.method = Method::divide_and_conquer});
    return std::string(text ? text : "");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(reason("humanoid"), HasSubstr("branch"));
  EXPECT_THAT(reason("mimic_chain"), HasSubstr("mimic"));
  EXPECT_THAT(reason("rope:20:bending"), HasSubstr("no mass"));
  EXPECT_EQ(reason("arm7"), "");
  EXPECT_EQ(reason("immovable"), "");
}

TEST(DivideAndConquerEfficient, SaysWhatItDoesNotServe) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const auto reason = [&](const char* name, const Options& o) {
    const char* text = refusal(algorithm, case_named(name).model, o);
    return std::string(text ? text : "");
  };
  using ::testing::HasSubstr;
  constexpr Method method = Method::divide_and_conquer_efficient;
  EXPECT_THAT(reason("mimic_chain", {.method = method}), HasSubstr("mimic"));
  EXPECT_THAT(reason("arm7", {.method = method, .chunks = -1}), HasSubstr("negative"));
  EXPECT_EQ(reason("arm7", {.method = method, .chunks = 1000}), "");
  EXPECT_THAT(reason("arm7", {.method = method, .load_ratio = -1}), HasSubstr("negative"));
  for (const char* name : {"humanoid", "rope:20:bending", "massless_links", "immovable"})
    EXPECT_EQ(reason(name, {.method = method}), "") << name;
}

TEST(DivideAndConquerEfficient, CutsChainsByTheLoadRatio) {
  const Model model = generate("chain:1000", 3).build();
  const auto& m = model.view<double>();
  for (const int chunks : {1, 2, 4, 64, 100})
    for (const double ratio : {0.5, 1.0, 3.0}) {
      SCOPED_TRACE(std::to_string(chunks) + " subsystems, ratio " + std::to_string(ratio));
      DivideAndConquerEfficient method;
      method.chunks = chunks;
      method.load_ratio = ratio;
      ScanPlanner<double> planner(m, method.cut(m));
      Arena size;
      planner.lay_out(size);
      std::vector<double> memory(static_cast<std::size_t>(size.rows<double>()));
      Arena arena(memory.data());
      planner.lay_out(arena);
      const ScanPlan plan = planner.plan();
      ASSERT_EQ(plan.n_chunks, chunks);
      EXPECT_EQ(plan.n_groups, chunks);
      const double share = 1000 / (chunks - 1 + ratio);
      EXPECT_EQ(plan.chunk[0], 0);
      for (Index k = 0; k < plan.n_chunks; ++k) {
        const bool terminal = k + 1 == plan.n_chunks;
        EXPECT_NEAR(plan.chunk[k + 1] - plan.chunk[k], terminal ? ratio * share : share, 10);
        EXPECT_EQ(plan.group_ends[k], terminal);
      }
      EXPECT_EQ(plan.chunk[plan.n_chunks], 1000);
    }
}

TEST(DivideAndConquer, LeavesTheWrenchesAcrossTheJoints) {
  for (const char* name : {"every_joint", "chain:30", "rope:10", "snake:8", "arm7"}) {
    SCOPED_TRACE(name);
    const Model& model = case_named(name).model;
    const State s = random_state(model, 5);
    const auto& m = model.view<double>();
    const DivideAndConquer algorithm;
    std::vector<double> work(static_cast<std::size_t>(algorithm.work_rows(m)), std::nan("")),
        a(s.a.data(), s.a.data() + m.nv);
    algorithm.body<double>(SerialEngine{}, m, s.q.data(), s.v.data(), s.tau.data(), s.f_ext.data(), NoColumn{},
                           a.data(), work.data());
    // link by link from the tip: f_i = I a + v x* I v - f_ext + X^T f_i+1
    std::vector<Motion<double>> v_of(1, Motion<double>::zero()), a_of(1, base_acceleration<double>(m));
    for (int i = 1; i < m.n_links; ++i)
      on_joint_at<double>(m, i, s.q.data(), [&](auto joint) {
        const auto X_ip = joint_transform<double>(joint, m, i, s.q.data());
        const auto v_J = joint_motion<double>(joint, m, i, s.v.data());
        const auto v_i = X_ip * v_of.back() + v_J;
        v_of.push_back(v_i);
        a_of.push_back(X_ip * a_of.back() + joint_motion<double>(joint, m, i, a.data()) + velocity_product(v_i, v_J));
      });
    auto f = Force<double>::zero();
    for (int i = m.n_links - 1; i >= 1; --i) {
      const auto I_i = link_inertia<double>(m, i);
      const auto& v_i = v_of[static_cast<std::size_t>(i)];
      f = f + I_i * a_of[static_cast<std::size_t>(i)] + cross(v_i, I_i * v_i) -
          external_force<double>(m, i, s.f_ext.data());
      const auto wrench = DivideAndConquer::wrench<double>(i, work.data());
      const double size = norm(f.n) + norm(f.f) + 1;
      EXPECT_LT(norm((wrench - f).n) + norm((wrench - f).f), 1e-9 * size) << "joint " << i;
      on_joint_at<double>(m, i, s.q.data(),
                          [&](auto joint) { f = transpose_mul(joint_transform<double>(joint, m, i, s.q.data()), f); });
    }
  }
}

}  // namespace
}  // namespace tandem::test
