// SPDX-License-Identifier: Apache-2.0
/// Robots whose pairs of shapes are found in every state: their bits in batches. The numbers are compared with MuJoCo's
/// in tests/python/test_contact_heap.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>

#include "rows_as_alone.hpp"
#include "support/property.hpp"
#include "touching_robots.hpp"

namespace tandem::test {
namespace {

/// Fingers without what found pairs do not serve, with a bead on each tip: spheres in grids of two sizes.
Model beaded_fingers() {
  ModelBuilder builder = describe(fingers());
  builder.remove_tendon("coupling");
  for (const char* link : {"one", "two"})
    builder.shape({.name = std::string("bead_") + link,
                   .link = link,
                   .type = ShapeType::sphere,
                   .placement = {.position = {link == std::string("one") ? 0.098 : -0.098, 0, -0.2}},
                   .size = {0.004, 0, 0}});
  return builder.build();
}

int count_pushing(std::span<const FoundContact> found) {
  return static_cast<int>(std::ranges::count_if(found, [](const FoundContact& c) { return c.force[0] > 0; }));
}

template <class T>
class FoundPairs : public ::testing::Test {};
TYPED_TEST_SUITE(FoundPairs, Reals);

TYPED_TEST(FoundPairs, OfRobotsInAnyBatchMoveThemAsEachAlone) {
  const Model model = beaded_fingers();
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    SCOPED_TRACE(to_string(integrator));
    SimulationOptions options;
    options.contacts = ContactSet(model, {.self_pairs = SelfPairs::found});
    options.integrator = integrator;
    Simulation<TypeParam> one(model, options);
    one.q()[0] = TypeParam(-0.02);
    one.step();
    EXPECT_GE(count_pushing(one.found_contacts()), 1) << "the robot touches itself";
    expect_rows_as_alone<TypeParam>(model, options, 0, -0.02, 0.02);
  }
}

/// In arrays of exactly their sizes.
TEST(FoundPairsOfStates, OfAnyNumberOfStatesHaveTheBitsOfOneAlone) {
  const Model model = beaded_fingers();
  const ContactDynamics dynamics{ContactSet(model, {.self_pairs = SelfPairs::found})};
  constexpr std::size_t kinds = 3;
  std::vector<std::vector<double>> q;
  std::vector<ContactAcceleration> alone;
  for (std::size_t k = 0; k < kinds; ++k) {
    q.push_back({0.02 * static_cast<double>(k) - 0.02, 0});
    alone.push_back(dynamics(q[k], std::vector<double>{1, 0}, std::vector<double>(2)));
  }
  EXPECT_GE(count_pushing(alone[0].found), 1) << "the robot touches itself";
  for (const std::size_t n : {1U, 2U, 7U, 64U, 300U}) {
    SCOPED_TRACE(std::to_string(n) + " states");
    std::vector<double> qs(2 * n), vs(2 * n), a(2 * n);
    for (std::size_t b = 0; b < n; ++b) {
      std::ranges::copy(q[b % kinds], qs.begin() + static_cast<std::ptrdiff_t>(2 * b));
      vs[2 * b] = 1;
    }
    const std::vector<double> tau(2 * n);
    std::vector<std::vector<FoundContact>> found(n);
    dynamics({.n = static_cast<Index>(n), .threads = 2, .q = qs, .v = vs, .tau = tau, .a = a, .found = found});
    for (std::size_t b = 0; b < n; ++b) {
      const ContactAcceleration& one = alone[b % kinds];
      for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(a[2 * b + k], one.a[k]) << b;
      ASSERT_EQ(found[b].size(), one.found.size()) << b;
      for (std::size_t c = 0; c < found[b].size(); ++c) {
        EXPECT_EQ(found[b][c].force, one.found[c].force) << b;
        EXPECT_EQ(found[b][c].contact.position, one.found[c].contact.position) << b;
      }
    }
  }
}

}  // namespace
}  // namespace tandem::test
