// SPDX-License-Identifier: Apache-2.0
#include "blocks/schedules.hpp"

namespace tandem::test {
namespace {

TEST(SlowScan, OfAMillionIntegersIsExact) { check_integers({1000000}); }

TEST(SlowScan, OfAMillionPosesAgreesForAllSchedules) {
  RandomSpatial random(3);
  check_numbers(Chain<double>{}, {1000000}, [&] { return random.transform(); });
}

}  // namespace
}  // namespace tandem::test
