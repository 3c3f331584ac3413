// SPDX-License-Identifier: Apache-2.0
/// The methods that divide a robot into runs of links and conquer them along a tree.
#include "tandem/detail/papers/divide_and_conquer.hpp"
#include <gmock/gmock.h>
#include <bit>
#include <cstdlib>
#include <filesystem>
#include "tandem/detail/papers/divide_and_conquer_efficient.hpp"

#include "compare/counts.hpp"
#include "papers/forward_dynamics_by.hpp"
#include "support/robots.hpp"
#include "tandem/detail/executors/executor.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem::test {
namespace {

/// A method with the options that tests give it.
const std::vector<Options>& divisions() {
  static const std::vector<Options> list = {
      {.method = Method::divide_and_conquer},
      {.method = Method::divide_and_conquer, .load_ratio = 7},
      {.method = Method::divide_and_conquer, .chunks = 1},
      {.method = Method::divide_and_conquer, .chunks = 3, .load_ratio = 2},
      {.method = Method::divide_and_conquer, .chunks = 64},
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

/// Mobilities are inverse inertias: where those of light links are added to those of heavy ones, the digits of the
/// heavy ones are lost.
double lost_to_light_links(const Options& o, const Model& model) {
  if (o.method != Method::divide_and_conquer) return 1;
  return mass_ratio(model);
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

/// Links that hang from any of the `reach` before them, by joints of all types.
Model random_tree(int links, int reach, std::uint64_t seed, bool floating) {
  constexpr JointType types[] = {JointType::revolute,   JointType::prismatic, JointType::helical,  JointType::universal,
                                 JointType::continuous, JointType::planar,    JointType::spherical};
  RobotMaker make("random_tree", seed);
  const auto name = [](int i) { return "link" + std::to_string(i); };
  make.link(name(0));
  for (int i = 1; i < links; ++i) {
    const int parent = static_cast<int>(make.uniform(std::max(0, i - reach), i));
    make.add(types[static_cast<std::size_t>(i) % std::size(types)], name(std::min(parent, i - 1)), name(i));
  }
  return make.builder().build(BuildOptions{floating});
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

/// Every robot of the model collection ($TANDEM_MODELS, or shared/models beside the project), fixed and floating.
TEST(DivideAndConquerSlow, TakesPublishedRobots) {
  namespace fs = std::filesystem;
  const char* given = std::getenv("TANDEM_MODELS");
  const fs::path folder =
      (given ? fs::path(given) : fs::path(TANDEM_SOURCE_DIR).parent_path() / "shared" / "models") / "urdf";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "NO ROBOTS CHECKED: there is no folder " << folder;
  int taken = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    for (const bool floating : {false, true})
      for (const double load_ratio : {0., 3.}) {
        const Options o = {.method = Method::divide_and_conquer, .load_ratio = load_ratio};
        SCOPED_TRACE(entry.path().filename().string() + (floating ? ", floating, " : ", ") + describe(o));
        const Model model = load_urdf(entry.path().string(), {floating});
        if (model.nv() == 0 || model.view<double>().n_loops > 0 || !serves(o, model)) continue;
        const State s = random_state(model, 3);
        const double allowed = 32 * kappa(o, model, s);
        if (is_hopeless<double>(allowed)) continue;
        EXPECT_LE(left_over<double>(model, s, forward_dynamics_by<double>(o, model, s, true), true), allowed);
        ++taken;
      }
  }
  EXPECT_GT(taken, 0);
}

TEST(DivideAndConquer, SaysWhatItDoesNotServe) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  const auto reason = [&](const char* name, Options o = {}) {
    o.method = Method::divide_and_conquer;
    const char* text = refusal(algorithm, case_named(name).model, o);
    return std::string(text ? text : "");
  };
  using ::testing::HasSubstr;
  EXPECT_EQ(reason("humanoid", {.chunks = 2}), "");
  EXPECT_THAT(reason("arm7", {.chunks = -1}), HasSubstr("negative"));
  EXPECT_THAT(reason("arm7", {.load_ratio = -1}), HasSubstr("negative"));
  EXPECT_EQ(reason("humanoid", {.load_ratio = 9}), "");
  EXPECT_EQ(reason("arm7", {.chunks = 1000}), "");
  EXPECT_THAT(reason("mimic_chain"), HasSubstr("mimic"));
  EXPECT_THAT(reason("rope:20:bending"), HasSubstr("no mass"));
  for (const char* name : {"arm7", "immovable", "humanoid"}) EXPECT_EQ(reason(name), "") << name;
  EXPECT_EQ(refusal(algorithm, binary_tree(5, 22).build(), {.method = Method::divide_and_conquer}), nullptr);
}

/// Memory of a plan, and the plan.
struct Handles {
  std::vector<double> memory;
  Index most_rows;
  HandlePlan plan;
  explicit Handles(const Model& model) {
    const auto& m = model.view<double>();
    HandlePlanner<double> planner(m);
    Arena size;
    planner.lay_out(size);
    memory.resize(static_cast<std::size_t>(size.rows<double>()));
    Arena arena(memory.data());
    planner.lay_out(arena);
    plan = planner.plan();
    most_rows = planner.most_rows();
  }
};

TEST(HandlePlan, JoinsEveryLinkOnceInLevelsThatDoNotWaitForThemselves) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    if (c.model.n_links() < 2) continue;
    const Handles handles(c.model);
    const HandlePlan& plan = handles.plan;
    const auto& m = c.model.view<double>();
    int roots = 0, splits = plan.n_leaves - (m.n_links - 1);
    for (int i = 1; i < m.n_links; ++i) roots += m.parent[i] == 0;
    EXPECT_EQ(plan.n_roots, roots);
    EXPECT_EQ(plan.n_nodes, 2 * plan.n_leaves - roots);
    EXPECT_EQ(plan.n_edges, m.n_links + splits);
    EXPECT_LE(plan.row[plan.n_nodes], handles.most_rows);
    EXPECT_EQ(plan.level_node[plan.n_levels], plan.n_nodes);
    std::vector<int> used(static_cast<std::size_t>(plan.n_nodes), 0);
    for (int level = 0; level < plan.n_levels; ++level)
      for (int v = plan.level_node[level]; v < plan.level_node[level + 1]; ++v)
        for (const int part : {plan.inner[v], plan.outer[v]}) {
          EXPECT_LT(part, plan.level_node[level]) << "of an earlier level";
          ++used[static_cast<std::size_t>(part)];
        }
    for (int k = 0; k < plan.n_roots; ++k) {
      ++used[static_cast<std::size_t>(plan.root[k])];
      EXPECT_EQ(plan.handles[plan.root[k]], 1);
    }
    EXPECT_EQ(std::count(used.begin(), used.end(), 1), plan.n_nodes);
    for (int v = 0; v < plan.n_nodes; ++v) EXPECT_LE(plan.handles[v], HandlePlan::most_handles);
  }
}

TEST(HandlePlan, HasLogarithmicallyManyLevels) {
  const auto levels = [](const Model& model) { return Handles(model).plan.n_levels; };
  const auto log2 = [](int n) { return std::bit_width(static_cast<unsigned>(n - 1)); };
  for (const int n : {64, 1000, 16384}) EXPECT_EQ(levels(generate("chain:" + std::to_string(n), 3).build()), log2(n));
  for (const int height : {4, 8, 10}) EXPECT_LE(levels(binary_tree(height, 1).build()), 3 * height);
  for (const int n : {10, 100, 1000})
    EXPECT_LE(levels(star(n, 1).build(BuildOptions{true})), 3 * log2(n)) << n << " arms on a floating link";
  for (const int spine : {100, 1000})
    EXPECT_LE(levels(with_legs(spine, spine / 4, JointType::revolute)), 3 * log2(2 * spine));
  for (const int reach : {3, 30, 1000}) EXPECT_LE(levels(random_tree(1000, reach, 5, false)), 30);
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

TYPED_TEST(Division, TakesTreesOfAnyShape) {
  std::uint64_t seed = 0;
  for (const int reach : {1, 3, 40})  // a chain, a tree, a few hubs
    for (const bool floating : {false, true}) {
      const Model model = random_tree(40, reach, ++seed, floating);
      for (const Options& o : divisions()) {
        if (!serves(o, model)) continue;
        SCOPED_TRACE(describe(o) + ", reach " + std::to_string(reach) + (floating ? ", floating" : ""));
        const State s = random_state(model, seed);
        const double allowed = 32 * kappa(o, model, s);
        if (is_hopeless<TypeParam>(allowed)) continue;
        const Vector a = forward_dynamics_by<TypeParam>(o, model, s, true);
        EXPECT_LE(left_over<TypeParam>(model, s, a, true), allowed);
      }
    }
}

/// Arms of two links on one link: it is split.
TYPED_TEST(Division, TakesHubs) {
  for (const int arms : {3, 4, 6, 100}) {
    const Model model = star(arms, 7).build(BuildOptions{true});
    const State s = random_state(model, 8);
    const Options o = {.method = Method::divide_and_conquer};
    const Vector a = forward_dynamics_by<TypeParam>(o, model, s, true);
    EXPECT_LE(left_over<TypeParam>(model, s, a, true), 32 * kappa(o, model, s)) << arms << " arms";
  }
}

/// What a link more costs where subsystems are as [Critchley] prints them. At the tip that is no more than the serial
/// method there. Elsewhere (72) leaves out the zeros of Denavit and Hartenberg's parameters, which most are in E.
TEST(DivideAndConquer, CostsInTwoSweepsWhatEquation72Says) {
  const auto work = [](int links, int chunks) {
    const Model model = generate("chain:" + std::to_string(links), 1).build();
    const State s = random_state(model, 1);
    const auto doubles = [](const Vector& x) { return std::vector<double>(x.begin(), x.end()); };
    return work_of(find_algorithm("forward_dynamics"), model, {doubles(s.q), doubles(s.v), doubles(s.tau), {}, {}},
                   {.method = Method::divide_and_conquer, .chunks = chunks}, 0)
        .all;
  };
  const Operations at_tip[] = {work(1024, 1), work(2048, 1)}, of_all[] = {work(1024, 16), work(2048, 16)};
  const auto a_link = [&](auto kind, const Operations(&of)[2]) {
    return static_cast<double>(of[1].*kind - of[0].*kind) / 1024;
  };
  const auto inner = [&](auto kind) { return (16 * a_link(kind, of_all) - a_link(kind, at_tip)) / 15; };
  EXPECT_LE(a_link(&Operations::multiplications, at_tip), 1.02 * 300);
  EXPECT_LE(a_link(&Operations::additions, at_tip), 279);
  EXPECT_LE(inner(&Operations::multiplications), 1.45 * 637);
  EXPECT_LE(inner(&Operations::additions), 1.45 * 548);
}

/// Both sweeps find P_01: the first inward, the second, transposed, outward.
TEST(DivideAndConquer, SweepsOfOneRunAgree) {
  for (const char* name : {"chain:30", "every_joint", "rope:10"}) {
    SCOPED_TRACE(name);
    const Model& model = case_named(name).model;
    const State s = random_state(model, 5);
    const Vector by_sweeps = forward_dynamics_by<double>({.method = Method::divide_and_conquer, .chunks = 2}, model, s),
                 by_links = forward_dynamics_by<double>({.method = Method::divide_and_conquer}, model, s);
    EXPECT_LE((by_sweeps - by_links).norm(), 1e-9 * by_links.norm());
  }
}

TEST(DivideAndConquer, LeavesTheWrenchesAcrossTheJoints) {
  for (const char* name : {"every_joint", "chain:30", "rope:10", "snake:8", "arm7", "humanoid", "binary_tree"}) {
    SCOPED_TRACE(name);
    const Model model = name == std::string_view("binary_tree") ? binary_tree(5, 22).build() : case_named(name).model;
    const State s = random_state(model, 5);
    const auto& m = model.view<double>();
    const DivideAndConquer algorithm;
    std::vector<double> work(static_cast<std::size_t>(algorithm.work_rows(m)), std::nan("")),
        a(s.a.data(), s.a.data() + m.nv);
    algorithm.body<double>(SerialExecutor{}, m, s.q.data(), s.v.data(), s.tau.data(), s.f_ext.data(),
                           static_cast<double*>(nullptr), a.data(), work.data());
    // link by link from the tips: f_i = I a + v x* I v - f_ext + sum of X^T f of its children
    std::vector<Motion<double>> v_of(1, Motion<double>::zero()), a_of(1, base_acceleration<double>(m));
    for (int i = 1; i < m.n_links; ++i)
      on_joint_at<double>(m, i, s.q.data(), [&](auto joint) {
        const auto p = static_cast<std::size_t>(m.parent[i]);
        const auto X_ip = joint_transform<double>(joint, m, i, s.q.data());
        const auto v_J = joint_motion<double>(joint, m, i, s.v.data());
        const auto v_i = X_ip * v_of[p] + v_J;
        v_of.push_back(v_i);
        a_of.push_back(X_ip * a_of[p] + joint_motion<double>(joint, m, i, a.data()) + velocity_product(v_i, v_J));
      });
    std::vector<Force<double>> brought(v_of.size(), Force<double>::zero());
    for (int i = m.n_links - 1; i >= 1; --i) {
      const auto I_i = link_inertia<double>(m, i);
      const auto& v_i = v_of[static_cast<std::size_t>(i)];
      const auto f = brought[static_cast<std::size_t>(i)] + I_i * a_of[static_cast<std::size_t>(i)] +
                     cross(v_i, I_i * v_i) - external_force<double>(m, i, s.f_ext.data());
      const auto wrench = DivideAndConquer::wrench<double>(i, work.data());
      const double size = norm(f.n) + norm(f.f) + 1;
      EXPECT_LT(norm((wrench - f).n) + norm((wrench - f).f), 1e-9 * size) << "joint " << i;
      auto& to = brought[static_cast<std::size_t>(m.parent[i])];
      on_joint_at<double>(m, i, s.q.data(), [&](auto joint) {
        to = to + transpose_mul(joint_transform<double>(joint, m, i, s.q.data()), f);
      });
    }
  }
}

}  // namespace
}  // namespace tandem::test
