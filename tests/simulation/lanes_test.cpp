// SPDX-License-Identifier: Apache-2.0
/// The equation of stops on numbers of other kinds, as bodies use it: lanes.
#include <gtest/gtest.h>

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
    const Lanes permitted = JointStops::permitted(gap, JointStops::rates(Lanes(h)));
    const Lanes push = JointStops::push(JointStops::impedance(Lanes(0.3), Lanes(h)), Lanes(0.5), permitted);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(permitted.lanes[k], JointStops::permitted(gap.lanes[k], JointStops::rates(h)));
      EXPECT_EQ(push.lanes[k], JointStops::push(JointStops::impedance(0.3, h), 0.5, permitted.lanes[k]));
    }
  }
  EXPECT_EQ(JointStops::permitted(0.2, JointStops::rates(h)), 200);    // to the limit within the step
  EXPECT_EQ(JointStops::permitted(-2.0, JointStops::rates(h)), -40);   // and back within some 50 ms
  EXPECT_EQ(JointStops::permitted(-2.0, JointStops::rates(0.1)), -4);  // or five steps
}

}  // namespace
}  // namespace tandem::test
