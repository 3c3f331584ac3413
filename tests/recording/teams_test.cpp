// SPDX-License-Identifier: Apache-2.0
/// Functions divided among teams: who computes what, and that numbers are there when they are fetched.
#include "tracing/teams.hpp"

#include <set>

#include "recording/recording_support.hpp"

namespace tandem::test {
namespace {

TEST(Limbs, AreSubtreesOfNearlyEqualLength) {
  const Model humanoid = load("humanoid");
  const auto& m = humanoid.view<double>();
  const Limbs limbs = limbs_of(m, 8);
  EXPECT_GE(limbs.count, 4);
  std::vector<int> length(static_cast<std::size_t>(limbs.count));
  for (int i = 1; i < m.n_links; ++i) {
    const auto own = limbs.of_link[static_cast<std::size_t>(i)];
    const auto parent = limbs.of_link[static_cast<std::size_t>(m.parent[i])];
    if (own >= 0) {
      ++length[static_cast<std::size_t>(own)];
    }
    EXPECT_TRUE(parent < 0 || parent == own) << "link " << i << " leaves the limb of its parent";
  }
  EXPECT_LE(*std::max_element(length.begin(), length.end()), 2 * *std::min_element(length.begin(), length.end()));
}

TEST(Limbs, OfARobotThatDoesNotBranchAreOne) {
  EXPECT_EQ(limbs_of(load("arm7").view<double>(), 8).count, 1);
  EXPECT_EQ(limbs_of(case_named("immovable").model.view<double>(), 8).count, 1);
}

/// Runs the teams side by side, from one wait to the next, and looks at what lies between them.
void expect_sound(const RecordedFunction& function, const Teams& teams) {
  const auto& nodes = function.graph.nodes();
  const auto index = [](std::int32_t k) { return static_cast<std::size_t>(k); };
  const std::size_t n = teams.teams.size();
  std::vector<std::set<std::int32_t>> known(n);
  std::vector<std::size_t> next(n);
  std::vector<std::int32_t> between(index(teams.places), -1);
  for (std::int32_t phase = 0; phase <= teams.waits; ++phase) {
    std::vector<std::int32_t> written(index(teams.places), -1);
    std::set<std::int32_t> read;
    for (std::size_t team = 0; team < n; ++team) {
      const auto& steps = teams.teams[team];
      for (; next[team] < steps.size() && steps[next[team]].kind != TeamStep::wait; ++next[team]) {
        const TeamStep& step = steps[next[team]];
        const Node& node = nodes[index(step.node)];
        if (step.kind == TeamStep::compute) {
          for (int i = 0; i < operand_count(node.operation); ++i)
            ASSERT_TRUE(function.graph.is_known(node.operand[i]) || known[team].count(node.operand[i].node));
          EXPECT_TRUE(known[team].insert(step.node).second) << "a node twice";
        } else if (step.kind == TeamStep::share) {
          ASSERT_TRUE(known[team].count(step.node));
          EXPECT_EQ(written[index(step.place)], -1) << "two numbers at one place";
          written[index(step.place)] = step.node;
        } else {
          EXPECT_EQ(between[index(step.place)], step.node) << "another number is there, or none yet";
          read.insert(step.place);
          known[team].insert(step.node);
        }
      }
      EXPECT_EQ(next[team] == steps.size(), phase == teams.waits) << "teams wait for each other equally often";
      ++next[team];
    }
    for (std::int32_t place = 0; place < teams.places; ++place) {
      if (written[index(place)] < 0) continue;
      EXPECT_FALSE(read.count(place)) << "written while others read";
      between[index(place)] = written[index(place)];
    }
  }
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument)) {
      for (const Term& t : column.rows) {
        EXPECT_TRUE(function.graph.is_known(t) ||
                    std::any_of(known.begin(), known.end(), [&](const auto& own) { return own.count(t.node) > 0; }))
            << "an output that nobody computes";
      }
    }
}

TEST(Teams, FetchWhatIsThere) {
  for_each_recording(
      [](const Algorithm& algorithm, const Options& options, const Case& c, const std::vector<std::string>& optional) {
        const RecordedFunction function = record(algorithm, c.model, options, {.optional = optional});
        const auto& m = c.model.view<double>();
        const Limbs limbs = limbs_of(m, 8);
        expect_sound(function, divided(function, depth_first(function), m, limbs));
      });
}

/// Of a humanoid no team has more than half of the work, and they meet once, but for the way out again.
TEST(Teams, ShareTheWork) {
  const Model model = load("humanoid");
  const auto& m = model.view<double>();
  const Limbs limbs = limbs_of(m, 8);
  for (const auto& [name, waits] : {std::pair("inverse_dynamics", 1), std::pair("mass_matrix", 1),
                                    std::pair("forward_dynamics", 3), std::pair("forward_kinematics", 0)}) {
    const RecordedFunction function = record(find_algorithm(name), model);
    const Teams teams = divided(function, depth_first(function), m, limbs);
    EXPECT_LT(2 * teams.longest, teams.operations) << name;
    EXPECT_LE(teams.waits, waits) << name;
  }
}

}  // namespace
}  // namespace tandem::test
