// SPDX-License-Identifier: Apache-2.0
/// Limbs that are built alike: the pattern with the numbers of a limb computes what the graph computes there, to the
/// bit.
#include "tracing/limbs.hpp"

#include "tracing/measures.hpp"
#include "recording/recording_support.hpp"
#include "tracing/signs.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

TEST(Signs, AreFoundByElimination) {
  Signs signs;
  const SignProduct a = signs.unknown(false), b = signs.unknown(false), dear = signs.unknown(true),
                    minus = SignProduct() * true;
  EXPECT_FALSE(signs.equal(minus, SignProduct()));
  EXPECT_TRUE(signs.equal(a * b, minus));
  EXPECT_TRUE(signs.equal(b * dear, minus));
  EXPECT_TRUE(signs.equal(a, dear));
  EXPECT_FALSE(signs.equal(a * dear, minus));
  EXPECT_FALSE(signs.value(dear));
  EXPECT_FALSE(signs.value(a));
  EXPECT_TRUE(signs.value(b));
}

TEST(AlikeLimbs, AreTheLargestSubtreesOfOneShape) {
  const Model quadruped = load("quadruped"), humanoid = load("humanoid"), arm = load("arm7");
  const auto legs = alike_limbs(quadruped.view<double>());
  ASSERT_EQ(legs.size(), 1u);
  EXPECT_EQ(legs[0].first_links.size(), 4u);
  EXPECT_EQ(legs[0].links, 3);
  for (const AlikeLimbs& limbs : alike_limbs(humanoid.view<double>())) EXPECT_EQ(limbs.first_links.size(), 2u);
  EXPECT_EQ(alike_limbs(humanoid.view<double>()).size(), 2u);
  EXPECT_TRUE(alike_limbs(arm.view<double>()).empty());
}

template <class T>
class EqualLimbsOf : public ::testing::Test {};
TYPED_TEST_SUITE(EqualLimbsOf, Reals);

/// Every place of every limb, from what the graph has in other places.
template <class T, bool fuses>
void check(const RecordedFunction& function, const EqualLimbs& limbs, const std::vector<std::vector<T>>& columns) {
  using S = Fused<T, fuses>;
  std::vector<std::vector<S>> numbers;
  for (const auto& column : columns) numbers.emplace_back(column.begin(), column.end());
  const std::vector<S> values = run_nodes<S>(function, as_recorded(function), numbers);
  const auto with_sign = [](bool minus, S x) { return minus ? -x : x; };
  const auto number = [&](const Term& t) { return with_sign(t.minus, values[static_cast<std::size_t>(t.node)]); };
  for (std::size_t limb = 0; limb < limbs.first_links.size(); ++limb)
    for (std::size_t place = 0; place < limbs.pattern.size(); ++place) {
      const EqualLimbs::Step& step = limbs.pattern[place];
      S x[4];
      for (int i = 0; i < operand_count(step.operation); ++i) {
        const auto at = static_cast<std::size_t>(step.operands[i].at);
        if (step.operands[i].of == PatternOperand::Of::own) {
          ASSERT_LT(at, place);
          x[i] = number(limbs.nodes[limb][at]);
        } else if (step.operands[i].of == PatternOperand::Of::import) {
          x[i] = number(limbs.imports[limb][at]);
        } else {
          x[i] = S(limbs.constants[limb][at]);
        }
        x[i] = with_sign(step.operands[i].minus, x[i]);
      }
      const int which = step.operation == Operation::select_bit ? static_cast<int>(x[1].value) : 0;
      EXPECT_EQ(computed(step.operation, x, which).value, number(limbs.nodes[limb][place]).value)
          << "limb " << limb << ", place " << place;
    }
}

TYPED_TEST(EqualLimbsOf, ComputeWhatTheGraphComputes) {
  using T = TypeParam;
  for (const char* robot : {"quadruped", "humanoid", "tree"}) {
    const Model model = robot == std::string_view("tree") ? generate("tree:30", 2).build() : load(robot);
    if (sanitized && robot != std::string_view("quadruped")) continue;
    for (const Algorithm& algorithm : algorithms())
      for (const auto products : {Graph::Products::fused, Graph::Products::rounded}) {
        if (!can_be_printed(algorithm)) continue;
        if (products == Graph::Products::rounded && robot != std::string_view("quadruped")) continue;
        SCOPED_TRACE(std::string(algorithm.name) + ", " + robot);
        const RecordedFunction function =
            record(algorithm, model, {}, {.precision = precision_of<T>, .products = products});
        const auto columns = library_call<T>(function, algorithm, model, {}, 3);
        for (const EqualLimbs& limbs : equal_limbs(function, model.view<double>()))
          products == Graph::Products::fused ? check<T, true>(function, limbs, columns)
                                             : check<T, false>(function, limbs, columns);
      }
  }
}

/// Operations that are left to be written where each pattern is written once.
std::int64_t written(const RecordedFunction& function, const Model& model) {
  std::int64_t count = operations(function);
  for (const EqualLimbs& limbs : equal_limbs(function, model.view<double>()))
    count -= static_cast<std::int64_t>((limbs.first_links.size() - 1) * limbs.pattern.size());
  return count;
}

/// Legs left and right, in front and behind differ in numbers alone.
TEST(EqualLimbs, AreFoundInShippedRobots) {
  const Model quadruped = load("quadruped"), humanoid = load("humanoid");
  for (const char* name : {"inverse_dynamics", "forward_dynamics", "mass_matrix"}) {
    SCOPED_TRACE(name);
    const RecordedFunction of_quadruped = record(find_algorithm(name), quadruped);
    const auto legs = equal_limbs(of_quadruped, quadruped.view<double>());
    ASSERT_EQ(legs.size(), 1u);
    EXPECT_EQ(legs[0].first_links.size(), 4u);
    EXPECT_LT(10 * written(of_quadruped, quadruped), 5 * operations(of_quadruped));
    const RecordedFunction of_humanoid = record(find_algorithm(name), humanoid);
    EXPECT_EQ(equal_limbs(of_humanoid, humanoid.view<double>()).size(), 2u);
    EXPECT_LT(10 * written(of_humanoid, humanoid), 7 * operations(of_humanoid));
  }
}

/// A limb never waits for a later round, nor for another limb in the same one.
TEST(EqualLimbs, ComeInRounds) {
  const Model model = load("quadruped");
  const RecordedFunction function = record(find_algorithm("forward_dynamics"), model);
  for (const EqualLimbs& limbs : equal_limbs(function, model.view<double>())) {
    EXPECT_TRUE(std::is_sorted(limbs.rounds.begin(), limbs.rounds.end()));
    EXPECT_GT(limbs.rounds.back(), 0);  // forces on the trunk, then its acceleration
    std::vector<std::int32_t> round(function.graph.nodes().size(), -1);
    for (std::size_t place = 0; place < limbs.pattern.size(); ++place)
      for (const auto& nodes : limbs.nodes) round[static_cast<std::size_t>(nodes[place].node)] = limbs.rounds[place];
    const auto from_elsewhere = [&](std::int32_t k,
                                    const auto& self) -> std::int32_t {  // the latest round it waits for
      if (round[static_cast<std::size_t>(k)] >= 0) return round[static_cast<std::size_t>(k)];
      const Node& node = function.graph.nodes()[static_cast<std::size_t>(k)];
      std::int32_t latest = -1;
      for (int i = 0; i < operand_count(node.operation); ++i)
        latest = std::max(latest, self(node.operand[i].node, self));
      return latest;
    };
    for (std::size_t place = 0; place < limbs.pattern.size(); ++place)
      for (int i = 0; i < operand_count(limbs.pattern[place].operation); ++i) {
        const PatternOperand& operand = limbs.pattern[place].operands[i];
        if (operand.of != PatternOperand::Of::import) continue;
        for (const auto& imports : limbs.imports)
          EXPECT_LT(from_elsewhere(imports[static_cast<std::size_t>(operand.at)].node, from_elsewhere),
                    limbs.rounds[place]);
      }
  }
}

}  // namespace
}  // namespace tandem::test
