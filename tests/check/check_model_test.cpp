// SPDX-License-Identifier: Apache-2.0
/// The checks themselves: what applies to which robot, what they say, and that a wrong number would not slip through.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/state.hpp"
#include "support/many.hpp"
#include "tandem/api/check.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

using check_detail::Numbers;
using check_detail::CheckVerdict;
using testing::HasSubstr;

const PropertyResult& named(const std::vector<PropertyResult>& results, const std::string& name) {
  for (const PropertyResult& r : results)
    if (r.name == name) return r;
  throw std::out_of_range(name);
}

/// Names of the laws with an outcome.
std::vector<std::string> with_outcome(const std::vector<PropertyResult>& results, Outcome outcome) {
  std::vector<std::string> names;
  for (const PropertyResult& r : results)
    if (r.outcome == outcome) names.push_back(r.name + ": " + r.note);
  return names;
}

/// A base with one body on one joint.
ModelBuilder one_joint(JointDescription joint, double mass = 1, std::array<double, 6> inertia = {1, 0, 0, 1, 0, 1}) {
  joint.name = "joint";
  joint.parent = "base";
  joint.child = "body";
  return ModelBuilder("one_joint")
      .link({.name = "base", .mass = 5, .inertia = {1, 0, 0, 1, 0, 1}})
      .link({.name = "body", .mass = mass, .com = {0.1, 0.2, 0.3}, .inertia = inertia})
      .joint(joint);
}

/// States to check of n, a few under sanitizers, which see as much in these.
constexpr int few_of(int n) { return few_cases ? (n + 9) / 10 : n; }

class Robots : public testing::TestWithParam<const char*> {};

TEST_P(Robots, ObeyEveryLaw) {
  for (const bool floating : {false, true})
    for (const bool in_float : {false, true}) {
      if (in_float && few_cases) continue;
      const auto results =
          check_model(load(GetParam(), {.floating = floating}, 3), {.states = few_of(5), .in_float = in_float});
      EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty()) << floating << in_float;
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Robots,
                         testing::Values("arm6", "arm7", "quadruped", "humanoid", "four_bar", "chain:30", "rope:8",
                                         "rope:8:bending", "tree:30", "snake:8"));

TEST(Robot, WithEveryJointForceObeysEveryLaw) {
  for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::spherical}) {
    const Model model = one_joint({.type = type,
                                   .axis = {0.6, 0, 0.8},
                                   .damping = 1,
                                   .friction = 2,
                                   .armature = 0.7,
                                   .stiffness = 40,
                                   .rest = type == JointType::spherical ? 0 : 0.3})
                            .build();
    const auto results = check_model(model, {});
    EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty()) << to_string(type);
  }
}

TEST(Robot, WithMimicJointsObeysEveryLaw) {
  // a gripper: fingers of grams that follow a slide geared far up
  ModelBuilder builder = one_joint({.type = JointType::prismatic, .axis = {0, 0, 1}});
  for (const double multiplier : {50.0, -3.0, 0.02}) {
    const std::string name = "finger" + std::to_string(multiplier);
    builder.link({.name = name, .mass = 1e-3, .com = {0.02, 0, 0}, .inertia = {1e-8, 0, 0, 2e-7, 0, 2e-7}});
    builder.joint({.name = "of_" + name,
                   .type = JointType::revolute,
                   .parent = "body",
                   .child = name,
                   .axis = {1, 1, 0},
                   .mimic = "joint",
                   .multiplier = multiplier,
                   .offset = 0.1});
  }
  builder.link({.name = "marker"});  // without mass: it follows, and nothing resists
  builder.joint({.name = "of_marker",
                 .type = JointType::continuous,
                 .parent = "body",
                 .child = "marker",
                 .mimic = "joint",
                 .multiplier = 7});
  for (const bool floating : {false, true}) {
    const auto results = check_model(builder.build({.floating = floating}), {.states = few_of(30)});
    EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
    EXPECT_EQ(named(results, "both methods of forward dynamics agree").outcome, Outcome::passed);
  }
}

TEST(Robot, WithContactsObeysEveryLaw) {
  ModelBuilder builder = describe("quadruped");
  builder.shape({.name = "floor", .link = "world", .type = ShapeType::plane, .placement = {.position = {0, 0, -0.4}}});
  builder.shape({.name = "trunk", .link = "trunk", .type = ShapeType::box, .size = {0.15, 0.06, 0.04}});
  for (const char* leg : {"FL", "FR", "RL", "RR"}) {
    const std::string name = leg;
    builder.shape({.name = name + "_foot",
                   .link = name + "_shank",
                   .type = ShapeType::sphere,
                   .placement = {.position = {0, 0, -0.195}},
                   .size = {0.015, 0, 0}});
    builder.shape({.name = name + "_thigh",
                   .link = name + "_thigh",
                   .type = ShapeType::capsule,
                   .placement = {.position = {0, 0, -0.1}},
                   .size = {0.03, 0.08, 0}});
  }
  for (const bool in_float : {false, true}) {
    const auto results = check_model(builder.build(), {.states = few_of(20), .in_float = in_float});
    EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
    const PropertyResult& explained = named(results, "contact forces explain the acceleration");
    EXPECT_EQ(explained.outcome, Outcome::passed);
    EXPECT_GT(explained.tolerance, 0) << "no state was compared";
  }
  EXPECT_THROW(named(check_model(load("quadruped"), {}), "contact forces explain the acceleration"), std::out_of_range);
}

TEST(Obstacles, NoShapesThatTouch) {
  ModelBuilder builder = one_joint({.type = JointType::revolute, .axis = {0, 0, 1}});
  builder.shape({.name = "ball", .link = "body", .type = ShapeType::sphere, .size = {0.1, 0, 0}});
  EXPECT_EQ(named(check_model(builder.build()), "contact forces explain the acceleration").note,
            "no shapes that can touch");
}

TEST(Obstacles, NoJoints) {
  const auto results = check_model(ModelBuilder("rock").link({.name = "rock", .mass = 1}).build());
  for (const PropertyResult& r : results) EXPECT_EQ(r.note, "no joints") << r.name;
}

TEST(Obstacles, NoMass) {
  const auto results = check_model(one_joint({.type = JointType::planar}, 0, {}).build());
  EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
  EXPECT_EQ(named(results, "velocity = J v").outcome, Outcome::passed);
  EXPECT_EQ(named(results, "forward dynamics inverts inverse dynamics").note, "no moving mass");
  EXPECT_EQ(named(results, "velocity of the center of mass = J v").note, "no moving mass");
}

TEST(Obstacles, NoFloatingBase) {
  const auto of_arm = check_model(load("arm7"), {.states = few_of(10)}),
             of_humanoid = check_model(load("humanoid"), {.states = few_of(10)});
  const char* const momentum = "only external forces change the momentum";
  EXPECT_EQ(named(of_arm, momentum).note, "no floating base");
  EXPECT_EQ(named(of_humanoid, momentum).outcome, Outcome::passed);
  const char* const parabola = "a rigid floating robot flies along a parabola";
  EXPECT_EQ(named(of_arm, parabola).note, "no floating base");
  EXPECT_EQ(named(of_humanoid, parabola).outcome, Outcome::passed);
  EXPECT_EQ(named(of_arm, "implicit_midpoint conserves energy").outcome, Outcome::passed);
}

TEST(Obstacles, SpringsWithoutPotential) {
  const auto results = check_model(one_joint({.type = JointType::free, .stiffness = 3}).build());
  EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
  EXPECT_THAT(named(results, "power = rate of the energy").note, HasSubstr("no potential"));
}

TEST(Obstacles, TooManyDegreesOfFreedomForMatrices) {
  const auto results = check_model(load("chain:1500"), {.states = 1});
  EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
  EXPECT_THAT(named(results, "M^-1 M x = x").note, HasSubstr("matrices are not computed"));
}

TEST(Obstacles, SingularMassMatrix) {
  // a point mass that turns about itself
  const auto results =
      check_model(ModelBuilder("top")
                      .link({.name = "base"})
                      .link({.name = "point", .mass = 1})
                      .joint({.name = "j", .type = JointType::continuous, .parent = "base", .child = "point"})
                      .build());
  EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
  EXPECT_EQ(named(results, "M^-1 M x = x").note, "the mass matrix is singular");
}

TEST(Obstacles, NegativeInertiaIsNotedByName) {
  const auto results = check_model(one_joint({.type = JointType::revolute}, 1, {-1, 0, 0, 1, 0, 1}).build());
  EXPECT_THAT(with_outcome(results, Outcome::failed), testing::IsEmpty());
  EXPECT_THAT(named(results, "mass matrix is symmetric positive definite").note,
              HasSubstr("negative moments of inertia to \"body\""));
  EXPECT_EQ(named(results, "M^-1 M x = x").note, "the mass matrix is not positive definite");
}

TEST(Options, AreChecked) { EXPECT_THROW(check_model(load("arm6"), {.states = 0}), Error); }

TEST(Options, SeedDecides) {
  const auto errors = [](std::uint64_t seed) {
    Numbers all;
    for (const PropertyResult& r : check_model(load("arm6"), {.states = few_of(10), .seed = seed}))
      all.push_back(r.error);
    return all;
  };
  EXPECT_EQ(errors(1), errors(1));
  EXPECT_NE(errors(1), errors(2));
}

TEST(AVerdict, KeepsTheWorstComparison) {
  CheckVerdict v;
  v.compare(Numbers{1, 10}, Numbers{1, 10}, Numbers{0.1, 0.1});
  v.compare(Numbers{1, 10.5}, Numbers{1, 10}, Numbers{0.1, 1});
  v.compare(Numbers{1.01, 10}, Numbers{1, 10}, Numbers{0.1, 1});
  EXPECT_TRUE(v.passed());
  EXPECT_DOUBLE_EQ(v.error(), 0.05);
  EXPECT_DOUBLE_EQ(v.tolerance(), 0.1);
  v.compare(1.2, 1, 0.1);
  EXPECT_FALSE(v.passed());
}

TEST(AVerdict, FailsForWhatIsNotANumber) {
  CheckVerdict v;
  v.compare(std::numeric_limits<double>::quiet_NaN(), 1, 0.1);
  EXPECT_FALSE(v.passed());
  EXPECT_THAT(v.note(), HasSubstr("not a finite number"));
}

TEST(DualNumbers, FollowTheChainRule) {
  const Dual<double> x(0.7, 2.0);
  const auto near = [](const Dual<double>& y, double value, double rate) {
    EXPECT_NEAR(y.value, value, 1e-15);
    EXPECT_NEAR(y.rate, rate, 1e-15);
  };
  near(x * x, 0.49, 2.8);
  near(Dual<double>(1) / x, 1 / 0.7, -2 / 0.49);
  near(sqrt(x), std::sqrt(0.7), 1 / std::sqrt(0.7));
  near(abs(-x), 0.7, 2);
  near(sincos(x).sin, std::sin(0.7), 2 * std::cos(0.7));
  near(sincos(x).cos, std::cos(0.7), -2 * std::sin(0.7));
  near(arctangent(sincos(x).sin, sincos(x).cos), 0.7, 2);
}

}  // namespace
}  // namespace tandem::test
