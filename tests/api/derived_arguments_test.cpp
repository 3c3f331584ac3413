// SPDX-License-Identifier: Apache-2.0
/// Tables of JVPs and VJPs, which are derived from that of their function.
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "tandem/detail/derivatives/step_jvp.hpp"
#include "tandem/detail/derivatives/step_vjp.hpp"

namespace tandem::test {
namespace {

std::string names(std::span<const Argument> arguments) {
  std::string all;
  for (const Argument& a : arguments) all.append(all.empty() ? "" : " ").append(a.name);
  return all;
}

TEST(DerivedArguments, AreThoseOfAStep) {
  EXPECT_EQ(names(StepJvp::arguments),
            "q v tau dt dq dv dtau f_ext q_target kp kd stops df_ext dq_target dkp dkd dimpedance q_next v_next "
            "dq_next dv_next stops_next dimpedance_next");
  EXPECT_EQ(names(StepVjp::arguments),
            "q v tau dt q_next_bar v_next_bar f_ext q_target kp kd stops impedance_next_bar q_next v_next q_bar v_bar "
            "tau_bar f_ext_bar q_target_bar kp_bar kd_bar stops_next impedance_bar");
}

TEST(DerivedArguments, HaveUnitsAndRoles) {
  const Argument& dq_target = StepJvp::arguments[13];
  EXPECT_EQ(dq_target.rows, Rows::v);
  EXPECT_EQ(dq_target.role, Role::optional_input);
  EXPECT_STREQ(dq_target.units, "rad|m");
  EXPECT_STREQ(dq_target.meaning, "tangent of q_target");
  const Argument& kd_bar = StepVjp::arguments[20];
  EXPECT_EQ(kd_bar.role, Role::optional_output);
  EXPECT_STREQ(kd_bar.units, "rad/(N m s)|m/(N s)");
  EXPECT_STREQ(StepVjp::arguments[17].units, "1/N, 1/(N m)");
  EXPECT_STREQ(StepVjp::arguments[22].meaning, "cotangent of the impedances in stops");
}

}  // namespace
}  // namespace tandem::test
