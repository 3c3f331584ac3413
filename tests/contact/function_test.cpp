// SPDX-License-Identifier: Apache-2.0
/// ContactDynamics with shapes of the description, against MuJoCo's accelerations and forces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "contact/golden.hpp"
#include "tandem/api/contact_dynamics.hpp"

namespace tandem::test {
namespace {

std::vector<ContactSoftness> contact_softness(const Numbers& x) {
  std::vector<ContactSoftness> rows;
  for (const Softness& s : softness(x))
    rows.push_back({{s.solref[0], s.solref[1]}, {s.solimp[0], s.solimp[1], s.solimp[2], s.solimp[3], s.solimp[4]}});
  return rows;
}

class ContactFunction : public ::testing::TestWithParam<const char*> {};

TEST_P(ContactFunction, AgreesWithMujocoFromTheDescriptionAlone) {
  if (!reads_mjcf()) GTEST_SKIP() << "no MuJoCo";
  const Model model = golden_model(GetParam());
  Golden golden(GetParam(), model);
  const ContactSet set(model, {.self_contact = false});
  ContactDynamicsOptions options;
  options.tolerance = 1e-12;
  options.most_steps = 60;
  options.limit_softness = contact_softness(golden.of_model["limit_softness"]);
  options.friction_softness = contact_softness(golden.of_model["friction_softness"]);
  for (GoldenState& state : golden.states) {
    options.cone = state.elliptic ? FrictionCone::elliptic : FrictionCone::pyramidal;
    options.impratio = state.impratio;
    const ContactDynamics dynamics(set, options);
    const auto found = dynamics(state.columns["q"], state.columns["v"], state.columns["tau"]);
    EXPECT_TRUE(found.converged);
    EXPECT_LT(relative(found.a, state.columns["a"]), 1e-9);
    EXPECT_LT(relative(found.f_limit, state.columns["f_limit"]), 1e-9);
    EXPECT_LT(relative(found.f_friction, state.columns["f_friction"]), 1e-9);
    double normal = 0, theirs = 0;
    for (const auto& f : found.f_contact) normal += f[0];
    for (std::size_t c = 0; c < state.contacts.size(); ++c) theirs += state.forces[6 * c];
    EXPECT_NEAR(normal, theirs, 1e-9 * (1 + theirs));
    const auto warm = dynamics(state.columns["q"], state.columns["v"], state.columns["tau"], found.a);
    EXPECT_LT(relative(warm.a, found.a), 1e-10);
    EXPECT_LE(warm.steps, found.steps);
  }
}

INSTANTIATE_TEST_SUITE_P(, ContactFunction, ::testing::Values("tripod", "humanoid"),
                         [](const auto& of) { return of.param; });

TEST(ContactFunctionErrors, NameWhatIsWrong) {
  if (!reads_mjcf()) GTEST_SKIP() << "no MuJoCo";
  const Model model = golden_model("tripod");
  const ContactSet set(model, {.self_contact = false});
  const ContactDynamics dynamics(set);
  const std::vector<double> q(static_cast<std::size_t>(model.nq())), v(static_cast<std::size_t>(model.nv()));
  const auto message = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message([&] { dynamics(q, q, v); }), HasSubstr("v has 14 numbers, expected 13"));
  EXPECT_THAT(message([&] { dynamics(v, v, v); }), HasSubstr("q has 13 numbers, expected 14"));
  EXPECT_THAT(message([&] { dynamics(q, v, v, q); }), HasSubstr("begin has 14 numbers"));
  EXPECT_THAT(message([&] { ContactDynamics(set, {.tolerance = 0}); }), HasSubstr("tolerance is 0"));
  EXPECT_THAT(message([&] { ContactDynamics(set, {.impratio = -1}); }), HasSubstr("impratio is -1"));
  const Model pair = parse_mjcf(
      "<mujoco><worldbody><body name='a'><joint axis='1 0 0'/><geom name='x' size='.1' mass='1'/></body>"
      "<body name='b'><joint axis='1 0 0'/><geom name='y' size='.1' mass='1'/></body></worldbody></mujoco>");
  // two spheres in one place: any normal will do
  const ContactAcceleration found = ContactDynamics{ContactSet(pair)}(std::vector<double>(2), std::vector<double>(2),
                                                                      std::vector<double>(2));
  EXPECT_TRUE(found.converged);
}

}  // namespace
}  // namespace tandem::test
