// SPDX-License-Identifier: Apache-2.0
/// Methods of papers are found by name in every build; one that leaves them out says so.
#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "support/papers.hpp"
#include "support/robot.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

TEST(MethodsOfPapers, AreFoundByNameOrRefusedWithTheSwitch) {
  const Model arm = load("arm7");
  for (const auto& [algorithm, method] :
       {std::pair("inverse_dynamics", Method::recne), std::pair("inverse_dynamics", Method::hybrid),
        std::pair("mass_matrix", Method::log_composite), std::pair("forward_dynamics", Method::divide_and_conquer),
        std::pair("forward_dynamics", Method::constraint_force),
        std::pair("forward_dynamics", Method::conjugate_gradient)}) {
    SCOPED_TRACE(std::string(algorithm) + ", " + to_string(method));
    const Algorithm& a = find_algorithm(algorithm);
    EXPECT_THAT(methods_of(a), testing::Contains(method));
    const char* reason = refusal(a, arm, {.method = method});
    if (has_papers) {
      EXPECT_EQ(reason, nullptr) << reason;
    } else {
      EXPECT_THAT(reason, testing::HasSubstr("TANDEM_PAPERS=OFF"));
    }
  }
}

TEST(MethodsOfPapers, AreNotChosenByAutomatic) {
  for (const char* spec : {"arm7", "chain:3000", "rope:3000", "snake:300", "tree:300"})
    for (const Algorithm& a : algorithms()) {
      const Model model = load(spec);
      const Choice choice = choose_method<double>(a, model, {});
      EXPECT_EQ(refusal(a, model, choice.options), nullptr)
          << a.name << " of " << spec << " by " << to_string(choice.options.method);
    }
}

}  // namespace
}  // namespace tandem::test
