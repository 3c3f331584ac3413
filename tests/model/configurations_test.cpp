// SPDX-License-Identifier: Apache-2.0
/// Configurations that have names: what a description says of them is what a model has, edits keep them, contradictions
/// are refused.
#include <gmock/gmock.h>

#include "descriptions.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// base - link1 - link2 - link3 with the configuration "home" of two of the joints.
ModelBuilder arm_at_home() {
  ModelBuilder b = arm(3);
  return b.configuration({.name = "home", .positions = {{"joint3", {0.3}}, {"joint1", {0.1}}}});
}

std::vector<double> home_of(const Model& m) {
  const auto q = m.configuration("home");
  return {q.begin(), q.end()};
}

TEST(Configurations, AModelHasThemAsDescribed) {
  const Model m = arm_at_home().build();
  ASSERT_EQ(m.n_configurations(), 1);
  EXPECT_EQ(m.configuration_name(0), "home");
  EXPECT_THAT(home_of(m), ElementsAre(0.1, 0, 0.3));
  EXPECT_THAT(home_of(m.with_gravity({})), ElementsAre(0.1, 0, 0.3));
  EXPECT_THAT(home_of(describe(m).build()), ElementsAre(0.1, 0, 0.3));
  EXPECT_EQ(m.find_configuration("away"), -1);
  EXPECT_THAT(error_of([&] { m.configuration("hom"); }), HasSubstr("did you mean \"home\""));
  EXPECT_THAT(error_of([&] { m.configuration(1); }), HasSubstr("no configuration 1"));
  EXPECT_THAT(error_of([&] { arm(1).build().configuration("home"); }), HasSubstr("it has no named configurations"));
}

TEST(Configurations, AFloatingBaseIsNeutral) {
  EXPECT_THAT(home_of(arm_at_home().build({.floating = true})), ElementsAre(0, 0, 0, 0, 0, 0, 1, 0.1, 0, 0.3));
}

TEST(Configurations, EditsKeepThem) {
  ModelBuilder b = arm_at_home();
  b.change_joint("joint1", [](auto& joint) { joint.name = "shoulder"; });
  EXPECT_THAT(home_of(b.build()), ElementsAre(0.1, 0, 0.3));
  EXPECT_THAT(home_of(ModelBuilder(b).lock_joint("shoulder", {1}).build()), ElementsAre(0, 0.3));
  EXPECT_THAT(home_of(ModelBuilder(b).remove_link("link3").build()), ElementsAre(0.1, 0));
  const auto slide = [](auto& joint) { joint.type = JointType::prismatic; };
  EXPECT_THAT(home_of(ModelBuilder(b).change_joint("joint3", slide).scale({.length = 2}).build()),
              ElementsAre(0.1, 0, 0.6));
  const auto ball = [](auto& joint) { joint.type = JointType::spherical; };
  EXPECT_THAT(home_of(ModelBuilder(b).change_joint("joint3", ball).build()), ElementsAre(0.1, 0, 0, 0, 0, 1));
  EXPECT_THAT(home_of(reduced(b.build(), {"joint2"}, std::vector<double>(3))), ElementsAre(0.1, 0.3));
  EXPECT_THAT(b.remove_configuration("home").configurations(), IsEmpty());
  EXPECT_THAT(error_of([&] { b.remove_configuration("home"); }), HasSubstr("has no configuration \"home\""));
}

TEST(Configurations, AppendedOnesOfTheSameNameAreOne) {
  ModelBuilder b = arm_at_home();
  const ModelBuilder other = arm_at_home();
  b.append(other, "link3", {}, "tool_");
  EXPECT_EQ(b.build().configuration_name(1), "tool_home");
  ModelBuilder named("other");
  named.link({.name = "root"}).link({.name = "tip", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  named.joint({.name = "turn", .type = JointType::revolute, .parent = "root", .child = "tip"});
  named.configuration({.name = "home", .positions = {{"turn", {0.7}}}});
  const Model both = ModelBuilder(arm_at_home()).append(named, "link3").build();
  EXPECT_EQ(both.n_configurations(), 1);
  EXPECT_THAT(home_of(both), ElementsAre(0.1, 0, 0.3, 0.7));
}

TEST(Configurations, ContradictionsAreRefused) {
  const auto problem = [](std::vector<JointPosition> positions) {
    ModelBuilder b = arm(2);
    b.change_joint("joint2", [](auto& joint) { joint.mimic = "joint1"; });
    b.link({.name = "hand", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
    b.joint({.name = "wrist", .type = JointType::spherical, .parent = "link2", .child = "hand"});
    b.configuration({.name = "home", .positions = std::move(positions)});
    return error_of([&] { b.build(); });
  };
  EXPECT_THAT(problem({{"joint7", {1}}}), HasSubstr("configuration \"home\": joint \"joint7\" does not exist"));
  EXPECT_THAT(problem({{"joint2", {1}}}), HasSubstr("joint \"joint2\" follows joint \"joint1\""));
  EXPECT_THAT(problem({{"joint1", {1, 2}}}), HasSubstr("has 2 numbers there, expected 1"));
  EXPECT_THAT(problem({{"joint1", {1}}, {"joint1", {1}}}), HasSubstr("joint \"joint1\" occurs twice"));
  EXPECT_THAT(problem({{"joint1", {std::numeric_limits<double>::quiet_NaN()}}}), HasSubstr("not finite"));
  EXPECT_THAT(problem({{"wrist", {0, 0, 0, 0}}}), HasSubstr("quaternion of zeros"));
  ModelBuilder b = arm_at_home();
  b.configuration({.name = "home"}).configuration({});
  EXPECT_THAT(error_of([&] { b.build(); }), HasSubstr("duplicate configuration name \"home\""));
  EXPECT_THAT(error_of([&] { b.build(); }), HasSubstr("configuration without a name"));
}

}  // namespace
}  // namespace tandem::test
