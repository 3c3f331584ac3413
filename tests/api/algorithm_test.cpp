// SPDX-License-Identifier: Apache-2.0
/// Handles of algorithms: copies serve like the entries, anything else is refused.
#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/automatic.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

/// The joint forces of one state.
struct InverseDynamicsCall {
  explicit InverseDynamicsCall(const Model& m)
      : model(m), q(random_configuration(m, 1)), x(static_cast<std::size_t>(m.nv()), 0.5), tau(x.size()) {}
  std::vector<double> run(const Algorithm& algorithm) {
    const Array<double> arguments[] = {{q.data()}, {x.data()}, {x.data()}, {}, {tau.data()}};
    evaluate<double>(algorithm, model, arguments, 1, work);
    return tau;
  }
  Model model;
  std::vector<double> q, x, tau;
  Workspace<double> work;
};

TEST(AlgorithmHandle, ACopyServesLikeTheEntry) {
  for (const char* name : {"chain:7", "rope:40"}) {
    InverseDynamicsCall call(generate(name, 11).build());
    const std::vector<double> expected = call.run(find_algorithm("inverse_dynamics"));
    const auto copy = find_algorithm("inverse_dynamics");
    const std::vector<Algorithm> all(algorithms().begin(), algorithms().end());
    EXPECT_EQ(call.run(copy), expected);
    for (const Algorithm& a : all)
      if (std::string_view(a.name) == "inverse_dynamics") {
        EXPECT_EQ(call.run(a), expected);
      }
    EXPECT_EQ(methods_of(copy), methods_of(find_algorithm("inverse_dynamics")));
  }
}

TEST(AlgorithmHandle, WhatIsNoneIsRefused) {
  InverseDynamicsCall call(case_named("chain:7").model);
  Algorithm far = find_algorithm("inverse_dynamics"), other = far;
  far.id = 1000;
  other.id = find_algorithm("energy").id;
  for (const Algorithm& forged : {Algorithm{}, far, other}) {
    EXPECT_THAT(error_of([&] { call.run(forged); }), HasSubstr("not an algorithm of this library"));
    EXPECT_THAT(error_of([&] { methods_of(forged); }), HasSubstr("not an algorithm of this library"));
    EXPECT_THAT(error_of([&] { refusal(forged, call.model, {}); }), HasSubstr("not an algorithm of this library"));
    EXPECT_THAT(error_of([&] { choose_method<double>(forged, call.model, {}); }),
                HasSubstr("not an algorithm of this library"));
  }
}

}  // namespace
}  // namespace tandem::test
