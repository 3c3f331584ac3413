// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "blocks/random_system.hpp"

namespace tandem::test {
namespace {

TEST(SlowBlockTridiagonal, SolversAgreeOnAHundredThousandRows) { check<double, 5, 1>(100000, 1e-3, 5); }

}  // namespace
}  // namespace tandem::test
