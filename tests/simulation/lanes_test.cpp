// SPDX-License-Identifier: Apache-2.0
/// The equation of stops on numbers of other kinds, as bodies use it: lanes.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "backends/cpu/kernels/pack.hpp"
#include "tandem/detail/problems/joint_stops.hpp"

namespace tandem::test {
namespace {

TEST(StopEquation, IsTheSameInLanes) {
  using Lanes = Pack<double, 2>;
  const double h = 1e-3;
  for (const auto& gaps : {std::pair{0.2, 0.0}, {-1e-4, -2.0}, {1e300, -1e-12}}) {
    Lanes gap(gaps.first);
    gap.lanes[1] = gaps.second;
    const Lanes permitted = JointStops::permitted(gap, JointStops::rates(Lanes(h)), Lanes(0.1)),
                left = JointStops::left_beyond(Lanes(h));
    const Lanes push = JointStops::push(JointStops::impedance(Lanes(0.3), Lanes(h)), Lanes(0.5), permitted);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(permitted.lanes[k], JointStops::permitted(gap.lanes[k], JointStops::rates(h), 0.1));
      EXPECT_EQ(left.lanes[k], JointStops::left_beyond(h));
      EXPECT_EQ(push.lanes[k], JointStops::push(JointStops::impedance(0.3, h), 0.5, permitted.lanes[k]));
    }
  }
  const auto rates = JointStops::rates(h);
  EXPECT_EQ(JointStops::permitted(0.2, rates, 0.0), 200);      // to the limit within the step
  EXPECT_EQ(JointStops::permitted(-2.0, rates, 100.0), -40);   // and back within some 50 ms
  EXPECT_EQ(JointStops::permitted(-2.0, rates, 1e-6), -1e-6);  // as far as a load holds it,
  EXPECT_EQ(JointStops::permitted(-2.0, rates, 0.0), 0);
  for (const double step : {1e-5, 1e-3, 1e-2})  // else by its position, with the same time constant
    EXPECT_NEAR(JointStops::left_beyond(step), std::exp(-step / 0.05), 5e-7) << step;
  EXPECT_NEAR(JointStops::left_beyond(0.1), std::exp(-0.2), 5e-7);  // or five steps
}

}  // namespace
}  // namespace tandem::test
