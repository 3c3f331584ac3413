// SPDX-License-Identifier: Apache-2.0
/// Derivatives of dynamics, first and second, as threads of the GPU find them: columns of dual numbers lie in the
/// memory of threads as others do.
#include "cuda/threads.hpp"

namespace tandem::test {
namespace {

template <class T>
class ProductThreads : public ::testing::Test {};
TYPED_TEST_SUITE(ProductThreads, Reals);

/// The bits of the same text on numbers that lie side by side, which other tests know to be right.
template <class Body, class T>
void expect_bits_of_the_text(std::initializer_list<const char*> models) {
  for_each_kernel<Body, T>(models, [](const Model&, auto& arrays, bool) {
    for (Index b = 0; b < batch; ++b) EXPECT_EQ(arrays.output(b), arrays.side_by_side(b)) << "state " << b;
  });
}
template <class Body, class T>
void expect_bits_of_the_text() {
  expect_bits_of_the_text<Body, T>(
      {"one_free", "every_joint", "chain:7", "rope:10", "tree:24+floating", "mimic_branches", "immovable"});
}

TYPED_TEST(ProductThreads, GiveSecondDerivativesOfForces) {
  expect_bits_of_the_text<InverseDynamicsHvp, TypeParam>();
  expect_bits_of_the_text<InverseDynamicsSecondDerivatives, TypeParam>({"chain:7", "mimic_branches"});
}

TYPED_TEST(ProductThreads, GiveSecondDerivativesOfAccelerations) {
  expect_bits_of_the_text<ForwardDynamicsHvp, TypeParam>();
  expect_bits_of_the_text<ForwardDynamicsSecondDerivatives, TypeParam>({"chain:7", "mimic_branches"});
}

}  // namespace
}  // namespace tandem::test
