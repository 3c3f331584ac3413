// SPDX-License-Identifier: Apache-2.0
/// All methods through the one door, on the same models in turn.
#include "links/link_call.hpp"
#include "support/papers.hpp"
#include "tandem/api/automatic.hpp"

namespace tandem::test {
namespace {

constexpr const char* problems[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics"};

template <class T>
Vector solution(const char* problem, Method method, const Model& model, const State& s) {
  const std::string_view name = problem;
  std::vector<Vector> inputs = {s.q};
  if (name == "inverse_dynamics") inputs.insert(inputs.end(), {s.v, s.a});
  if (name == "forward_dynamics") inputs.insert(inputs.end(), {s.v, s.tau});
  inputs.resize(find_algorithm(problem).arguments.size() - 1);
  return call_method<T>(problem, model, {.method = method}, inputs);
}

TEST(Methods, OfAllProblemsTakeTurnsOnOneModel) {
  for (const char* spec : {"chain:300", "rope:100", "snake:64", "humanoid"}) {
    const Model model = load(spec);
    const State s = calm_state(model, 5);
    std::vector<Vector> first;
    for (int round = 0; round < 2; ++round) {
      std::size_t k = 0;
      for (const char* problem : problems) {
        const Vector expected = solution<double>(problem, find_algorithm(problem).methods[1], model, s);
        for (const Method method : methods_of(find_algorithm(problem))) {
          SCOPED_TRACE(std::string(spec) + ", " + problem + ", " + to_string(method));
          if (refusal(find_algorithm(problem), model, {.method = method})) continue;
          const Vector result = solution<double>(problem, method, model, s);
          EXPECT_LE((result - expected).cwiseAbs().maxCoeff(), 1e-5 * size_of(expected));
          if (round == 0)
            first.push_back(result);
          else
            EXPECT_TRUE(result == first[k]) << "not the bits of the first round";
          ++k;
        }
      }
    }
  }
}

TEST(Methods, RefuseInASentenceThatNamesAnother) {
  for (const char* spec : {"humanoid", "tree:40"}) {
    const Model model = load(spec);
    for (const char* problem : problems)
      for (const Method method : methods_of(find_algorithm(problem)))
        if (const char* reason = refusal(find_algorithm(problem), model, {.method = method})) {
          const std::string text = reason;
          EXPECT_TRUE(text.find("articulated_body") != text.npos || text.find("scan") != text.npos ||
                      text.find("composite_rigid_body") != text.npos ||
                      text.find("recursive_newton_euler") != text.npos ||
                      (!has_papers && text.find("TANDEM_PAPERS=OFF") != text.npos))
              << to_string(method) << ": " << text;
        }
  }
}

/// Where they gain on one core, too, and keep digits.
TEST(Methods, AutomaticTakesScansOfSomeProducts) {
  struct Expected {
    const char* robot;
    bool inverse, inverse_in_float, forward_jvp;
  };
  for (const auto& [robot, inverse, inverse_in_float, forward_jvp] :
       {Expected{"arm7", false, false, false}, {"chain:3000", true, true, true}, {"rope:3000", true, true, true},
        {"chain:70000", false, true, true}, {"tree:300", false, false, false}}) {
    SCOPED_TRACE(robot);
    const Model model = load(robot);
    const auto choice = [&]<class T>(const char* name, T) { return choose_method<T>(find_algorithm(name), model, {}); };
    const auto scans = [](const Choice& c) { return c.options.method == Method::scan; };
    for (const char* name : {"inverse_dynamics_jvp", "inverse_dynamics_vjp"}) {
      EXPECT_EQ(scans(choice(name, double())), inverse);
      EXPECT_EQ(scans(choice(name, float())), inverse_in_float);
    }
    for (const char* name : {"forward_kinematics_jvp", "forward_kinematics_vjp"}) {
      EXPECT_EQ(scans(choice(name, double())), inverse);
      EXPECT_EQ(scans(choice(name, float())), inverse_in_float);
    }
    EXPECT_EQ(scans(choice("forward_dynamics_jvp", double())), forward_jvp);
    for (const char* name : {"forward_dynamics_vjp", "step_jvp", "step_vjp"}) {
      const Choice weighted = choice(name, double());
      EXPECT_EQ(weighted.options.method, Method::articulated_body);
      if (inverse) {
        EXPECT_NE(weighted.why.find("scan is less accurate for these results"), std::string::npos) << weighted.why;
      }
    }
  }
}

TEST(Methods, AutomaticIsOneOfTheOthers) {
  for (const char* spec : {"arm7", "humanoid", "chain:40", "chain:2000", "rope:2000", "tree:300"}) {
    const Model model = load(spec);
    for (const char* problem : {"inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_jvp",
                                "inverse_dynamics_vjp", "forward_dynamics_jvp", "forward_dynamics_vjp",
                                "forward_kinematics_jvp", "forward_kinematics_vjp", "step_jvp", "step_vjp"}) {
      const Algorithm& algorithm = find_algorithm(problem);
      const Choice choice = choose_method<double>(algorithm, model, {});
      EXPECT_NE(choice.options.method, Method::automatic) << spec;
      EXPECT_EQ(refusal(algorithm, model, choice.options), nullptr) << spec;
      EXPECT_FALSE(choice.why.empty());
    }
  }
}

}  // namespace
}  // namespace tandem::test
