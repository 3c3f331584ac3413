// SPDX-License-Identifier: Apache-2.0
// A case a rule: more than 400 lines.
/// Every problem and warning that a description can have, by its text.
#include <gmock/gmock.h>

#include <cmath>

#include "descriptions.hpp"
#include "support/many.hpp"

namespace tandem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The arm with its tip link changed.
template <class F>
ModelBuilder with_link(F change) {
  ModelBuilder builder("robot");
  LinkDescription tip = ball("tip");
  change(tip);
  return builder.link(ball("base")).link(tip).joint(hinge("wrist", "base", "tip"));
}

/// The arm with its joint changed.
template <class F>
ModelBuilder with_joint(F change) {
  ModelBuilder builder("robot");
  JointDescription wrist = hinge("wrist", "base", "tip");
  change(wrist);
  return builder.link(ball("base")).link(ball("tip")).joint(wrist);
}

std::vector<std::string> warnings_of(const ModelBuilder& builder, const BuildOptions& options = {}) {
  return builder.build(options).warnings();
}

TEST(CheckLink, Mass) {
  EXPECT_EQ(problem_of(with_link([](auto& l) { l.mass = -1; })),
            "link \"tip\": mass is -1, expected a finite number of 0 or more");
  EXPECT_THAT(problem_of(with_link([](auto& l) { l.mass = nan; })), HasSubstr("mass is nan"));
  EXPECT_THAT(problem_of(with_link([](auto& l) { l.mass = unlimited; })), HasSubstr("mass is inf"));
}

TEST(CheckLink, CentreOfMass) {
  EXPECT_THAT(problem_of(with_link([](auto& l) { l.com[1] = nan; })),
              HasSubstr("link \"tip\": centre of mass is (0.1, nan, 0.3), expected finite numbers"));
}

TEST(CheckLink, Inertia) {
  EXPECT_THAT(problem_of(with_link([](auto& l) { l.inertia[5] = unlimited; })),
              HasSubstr("link \"tip\": inertia is (0.1, 0, 0, 0.1, 0, inf), expected finite numbers"));
  EXPECT_THAT(
      warnings_of(with_link([](auto& l) { l.inertia = {0.1, 0, 0, 0.2, 0, 0.5}; })),
      ElementsAre(
          "link \"tip\": principal moments of inertia are not those of a rigid body: 0.1, 0.2, 0.5: 0.1 + 0.2 < 0.5"));
  EXPECT_THAT(
      warnings_of(with_link([](auto& l) { l.inertia = {1, 2, 0, 1, 0, 3}; })),
      ElementsAre(
          "link \"tip\": principal moments of inertia are not those of a rigid body: -1, 3, 3: -1 is negative"));
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.inertia = {-1, 0, 0, -1, 0, -1}; })), testing::SizeIs(2));
}

TEST(CheckLink, InertiaOnTheEdgeOfPhysics) {
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.inertia = {1, 0, 0, 1, 0, 2}; })), IsEmpty());  // a disc
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.inertia = {0, 0, 0, 0, 0, 0}; })), IsEmpty());  // a point
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.inertia = {1, -1, 0, 1, 0, 2}; })),
              IsEmpty());  // a tilted rod
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.inertia = {1, 0, 0, 1, 0, 2 + 1e-9}; })),
              IsEmpty());  // rounded
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.inertia = {1, 0, 0, 1, 0, 2 + 1e-6}; })),
              testing::SizeIs(1));
}

TEST(CheckLink, InertiaWithoutMass) {
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.mass = 0; })),
              ElementsAre("link \"tip\": has rotational inertia but no mass"));
}

TEST(CheckLink, NumbersThatAreTooLargeTogether) {
  EXPECT_THAT(
      problem_of(with_link([](auto& l) {
        l.mass = 1e300, l.com = {1e200, 0, 0};
      })),
      HasSubstr(
          "link \"tip\": inertia about the link's origin, including merged links, is too large"));
}

TEST(CheckJoint, Placement) {
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.placement.position[2] = nan; })),
              HasSubstr("joint \"wrist\": position is (0, 0, nan), expected finite numbers"));
  EXPECT_THAT(
      problem_of(with_joint([](auto& j) { j.placement.rotation = rotation_from_quaternion(0, 0, 0, 0); })),
      HasSubstr("rotation is (nan, nan, nan"));
  EXPECT_THAT(
      problem_of(with_joint([](auto& j) { j.placement.rotation[0] = 1.5; })),
      AllOf(
          HasSubstr("rotation (1.5, 0, 0, 0, 1, 0, 0, 0, 1) is not a rotation: expected a matrix R with R R^T = 1"),
          HasSubstr("error 1.25")));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.placement.rotation[8] = -1; })),
              HasSubstr("error 2"));
}

TEST(CheckJoint, Axis) {
  EXPECT_THAT(problem_of(with_joint([](auto& j) {
                j.axis = {0, 0, 0};
              })),
              HasSubstr("joint \"wrist\": axis is (0, 0, 0), expected a unit vector"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) {
                j.axis = {0, nan, 0};
              })),
              HasSubstr("axis is (0, nan, 0)"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) {
                j.type = JointType::planar, j.axis = {0, 0, 1e-7};
              })),
              HasSubstr("axis is (0, 0, 1e-07)"));
  EXPECT_THAT(problems_of(with_joint([](auto& j) {
                j.type = JointType::spherical, j.axis = {0, 0, 0};
              })),
              IsEmpty());
  EXPECT_THAT(
      warnings_of(with_joint([](auto& j) {
        j.axis = {0, 0, 2};
      })),
      ElementsAre("joint \"wrist\": axis (0, 0, 2) has length 2, expected 1; it was normalised"));
  EXPECT_THAT(warnings_of(with_joint([](auto& j) { j.axis = {0.707, 0, 0.707}; })), IsEmpty());
}

TEST(CheckJoint, PositionLimits) {
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.lower = 1, j.upper = -1; })),
              HasSubstr("joint \"wrist\": position limits are reversed: lower is 1 and upper is -1"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.lower = nan; })),
              HasSubstr("position limits are nan and inf, expected numbers or infinity"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.lower = unlimited; })),
              HasSubstr("position limits inf and inf contain no finite position"));
  EXPECT_THAT(problems_of(with_joint([](auto& j) { j.lower = j.upper = 0; })), IsEmpty());
  EXPECT_THAT(
      problems_of(with_joint([](auto& j) { j.type = JointType::continuous, j.lower = 1, j.upper = 0; })),
      IsEmpty());
}

TEST(CheckJoint, OtherNumbers) {
  EXPECT_EQ(problem_of(with_joint([](auto& j) { j.velocity = -1; })),
            "joint \"wrist\": velocity limit is -1, expected 0 or more, or infinity");
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.effort = nan; })), HasSubstr("effort limit is nan"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.damping = -1; })),
              HasSubstr("damping is -1, expected a finite number of 0 or more"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.friction = unlimited; })), HasSubstr("friction is inf"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.armature = -0.5; })), HasSubstr("armature is -0.5"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.stiffness = nan; })), HasSubstr("stiffness is nan"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.rest = nan; })),
              HasSubstr("spring rest position is nan"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.multiplier = unlimited; })),
              HasSubstr("mimic multiplier is inf"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.offset = nan; })), HasSubstr("mimic offset is nan"));
  EXPECT_THAT(problem_of(with_joint([](auto& j) { j.type = JointType::spherical, j.rest = 1; })),
              HasSubstr("spring rest position is 1 on a spherical joint, expected 0"));
}

TEST(CheckNames, Duplicates) {
  ModelBuilder builder = arm(2);
  builder.link({.name = "link1", .source = {"robot.urdf", 7, "link \"link1\""}});
  builder.link(ball("link3")).joint(hinge("joint2", "base", "link3"));
  builder.frame({.name = "camera", .link = "base"}).frame({.name = "camera", .link = "base"});
  builder.frame({.name = "link2", .link = "base"});
  EXPECT_THAT(
      problems_of(builder),
      ElementsAre(
          "robot.urdf:7: link \"link1\": duplicate link name \"link1\": a link has this name",
          "joint \"joint2\": duplicate joint name \"joint2\": a joint has this name",
          "frame \"camera\": duplicate frame name \"camera\": a frame has this name",
          "frame \"link2\": duplicate frame name \"link2\": a link has this name"));
}

TEST(CheckNames, DuplicatesTellWhereTheFirstOneStands) {
  ModelBuilder builder("robot");
  builder.link({.name = "a", .source = {"f", 3, ""}}).link({.name = "a", .source = {"f", 9, ""}});
  EXPECT_EQ(problem_of(builder),
            "f:9: link \"a\": duplicate link name \"a\": a link has this name (line 3)");
}

TEST(CheckNames, Missing) {
  ModelBuilder builder = arm(1);
  builder.link({}).joint({}).frame({.name = "", .link = "base"});
  EXPECT_THAT(problems_of(builder),
              ElementsAre("link number 3: link without a name", "joint number 2: joint without a name",
                          "frame number 1: frame without a name",
                          "joint \"\": has no parent link, expected the name of a link",
                          "joint \"\": has no child link, expected the name of a link"));
}

TEST(CheckTree, NoLinks) {
  EXPECT_EQ(problem_of(ModelBuilder("ghost")), "robot \"ghost\": has no links, expected at least one");
}

TEST(CheckTree, UnknownLinks) {
  ModelBuilder builder = arm(3);
  builder.link(ball("hand")).joint(hinge("wrist", "lnk3", "hand")).joint(hinge("finger", "hand", "thumb"));
  builder.frame({.name = "camera", .link = "nowhere"});
  EXPECT_THAT(problems_of(builder), ElementsAre("frame \"camera\": link \"nowhere\" does not exist",
                                                "joint \"wrist\": parent link \"lnk3\" does not exist; did "
                                                "you mean \"link3\", \"link1\" or \"link2\"?",
                                                "joint \"finger\": child link \"thumb\" does not exist"));
}

TEST(CheckTree, TwoParents) {
  ModelBuilder builder = arm(2);
  builder.joint(hinge("again", "base", "link2"));
  EXPECT_EQ(problem_of(builder),
            "joint \"again\": child link \"link2\" has two parents, the other by joint \"joint2\"; use loop joints "
            "for closed loops");
}

TEST(CheckTree, Cycles) {
  ModelBuilder builder = arm(1);
  for (const char* name : {"a", "b", "c", "d", "e", "self"}) builder.link(ball(name));
  builder.joint(hinge("ab", "a", "b")).joint(hinge("bc", "b", "c")).joint(hinge("ca", "c", "a"));
  builder.joint(hinge("cd", "c", "d")).joint(hinge("de", "d", "e")).joint(hinge("ss", "self", "self"));
  EXPECT_THAT(
      problems_of(builder),
      ElementsAre(
          "joint \"ss\": moves link \"self\" relative to itself",
          HasSubstr("joint \"ca\": is part of a cycle: the links \"a\", \"c\", \"b\" form a cycle, "
                    "expected a tree")));
}

TEST(CheckTree, SeveralRoots) {
  ModelBuilder builder = arm(1);
  for (int i = 0; i < 12; ++i) builder.link(ball("spare" + std::to_string(i)));
  EXPECT_THAT(problem_of(builder),
      AllOf(StartsWith("robot \"arm\": has 13 root links, expected one: \"base\", \"spare0\", \"spare1\""),
            EndsWith("\"spare8\" and 3 more are not the child of a joint")));
}

TEST(CheckMassless, LeafOnAMovingJoint) {
  ModelBuilder builder = arm(2);
  builder.link({.name = "finger"}).link({.name = "nail"});
  builder.joint(hinge("knuckle", "link1", "finger")).joint(joint("grow", JointType::fixed, "finger", "nail"));
  EXPECT_THAT(warnings_of(builder),
              ElementsAre("joint \"knuckle\": link \"finger\" and its descendants have no inertia, but this "
                          "joint moves them; expected mass, armature, or a fixed joint; it makes forward "
                          "dynamics singular"));
}

TEST(CheckMassless, IsToldOnceForABranch) {
  ModelBuilder builder = arm(1);
  builder.link({.name = "a"})
      .link({.name = "b"})
      .joint(hinge("ja", "link1", "a"))
      .joint(hinge("jb", "a", "b"));
  EXPECT_THAT(warnings_of(builder), ElementsAre(HasSubstr("joint \"ja\"")));
}

TEST(CheckMassless, MayBeInTheMiddle) {
  ModelBuilder builder("robot");
  builder.link({.name = "base"}).link({.name = "cross"}).link(ball("bob", 1e-9));
  builder.joint(hinge("x", "base", "cross")).joint(hinge("y", "cross", "bob"));
  EXPECT_THAT(warnings_of(builder), IsEmpty());
}

TEST(CheckMassless, ArmatureOrAFollowerHelps) {
  JointDescription knuckle = hinge("knuckle", "link1", "finger");
  knuckle.armature = 0.1;
  EXPECT_THAT(warnings_of(arm(1).link({.name = "finger"}).joint(knuckle)), IsEmpty());
  JointDescription follower = hinge("follower", "base", "bob");
  follower.mimic = "knuckle";
  knuckle.armature = 0;
  EXPECT_THAT(warnings_of(arm(1).link({.name = "finger"}).joint(knuckle).link(ball("bob")).joint(follower)),
              IsEmpty());
  knuckle.mimic = "joint1";
  EXPECT_THAT(warnings_of(arm(1).link({.name = "finger"}).joint(knuckle)), IsEmpty());
}

TEST(CheckMassless, ARobotWithoutMassIsForKinematics) {
  ModelBuilder builder("drawing");
  builder.link(ball("base")).link({.name = "a"}).link({.name = "b"});
  builder.joint(hinge("ja", "base", "a")).joint(hinge("jb", "a", "b"));
  EXPECT_THAT(warnings_of(builder),
              ElementsAre("robot \"drawing\": no moving link has inertia: only kinematics can be computed"));
  EXPECT_THAT(builder.build().singular_joints(), IsEmpty());
  EXPECT_THAT(warnings_of(builder, {.floating = true}),
              ElementsAre(HasSubstr("joint \"ja\"")));  // now the base moves
}

TEST(CheckMassless, WarnsOfSingularLinks) {
  const auto point = [](auto& l) { l.com = {0, 0, 1}, l.inertia = {}; };  // on the axis of the joint
  EXPECT_THAT(
      warnings_of(with_link(point)),
      ElementsAre(
          "joint \"wrist\": link \"tip\" has no inertia in a direction of this joint; forward "
          "dynamics is singular"));
  EXPECT_THAT(warnings_of(with_link([](auto& l) { l.com = {1, 0, 0}, l.inertia = {}; })), IsEmpty());
  ModelBuilder builder("table");
  builder.link({.name = "base"}).link(ball("top")).joint(hinge("hinge", "base", "top"));
  EXPECT_THAT(warnings_of(builder, {.floating = true}),
              ElementsAre(HasSubstr("floating link \"base\" has no inertia and a single joint")));
}

TEST(CheckMassless, WarnsOfSingularLinksOnEveryJoint) {
  const auto warnings = [](JointType type, double mass, std::array<double, 6> inertia) {
    ModelBuilder builder("robot");
    builder.link({.name = "base"});
    builder.link({.name = "tip", .mass = mass, .com = {0.1, 0.2, 0.3}, .inertia = inertia});
    return warnings_of(builder.joint(joint("wrist", type, "base", "tip"))).size();
  };
  const std::array<double, 6> point{}, bar = {1, 0, 0, 1, 0, 0}, solid = {1, 0, 0, 1, 0, 1};
  EXPECT_EQ(warnings(JointType::prismatic, 1, point), 0u);
  EXPECT_EQ(warnings(JointType::spherical, 1, point), 1u);
  EXPECT_EQ(warnings(JointType::spherical, 1, bar), 0u);
  EXPECT_EQ(warnings(JointType::planar, 1, bar), 1u);
  EXPECT_EQ(warnings(JointType::planar, 1, solid), 0u);
  EXPECT_EQ(warnings(JointType::free, 1, bar), 1u);
  EXPECT_EQ(warnings(JointType::free, 1, solid), 0u);
  EXPECT_EQ(warnings(JointType::prismatic, 0, solid), 2u);  // rotational inertia without mass, and singular
  EXPECT_EQ(warnings(JointType::free, 0, solid), 2u);
}

TEST(CheckFrame, Placement) {
  FrameDescription frame{.name = "camera", .link = "base"};
  frame.placement.position = {0, unlimited, 0};
  EXPECT_THAT(problem_of(arm(1).frame(frame)), HasSubstr("frame \"camera\": position is (0, inf, 0)"));
}

TEST(CheckGravity, IsFinite) {
  EXPECT_THAT(problem_of(arm(1).gravity({0, 0, nan})), HasSubstr("robot \"arm\": gravity is (0, 0, nan)"));
}

TEST(Problems, AreAllTold) {
  ModelBuilder builder("robot");
  builder.problem({"f", 12, "joint \"x\""}, "type \"hinge\" is unknown");
  builder.link({.name = "a", .mass = -1, .source = {"f", 5, "link \"a\""}});
  builder.link({.name = "a", .source = {"f", 9, "link \"a\""}});
  JointDescription bad = hinge("j", "a", "b");
  bad.axis = {0, 0, 0};
  bad.lower = 2, bad.upper = 1;
  bad.source = {"f", 7, ""};
  builder.joint(bad);
  try {
    builder.build();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 6u);
    EXPECT_STREQ(error.what(),
                 "f:5: link \"a\": mass is -1, expected a finite number of 0 or more\n"
                 "f:7: joint \"j\": axis is (0, 0, 0), expected a unit vector\n"
                 "f:7: joint \"j\": position limits are reversed: lower is 2 and upper is 1\n"
                 "f:7: joint \"j\": child link \"b\" does not exist\n"
                 "f:9: link \"a\": duplicate link name \"a\": a link has this name (line 5)\n"
                 "f:12: joint \"x\": type \"hinge\" is unknown");
  }
}

TEST(Problems, TextIsCutAtAHundredLines) {
  ModelBuilder builder("robot");
  for (int i = 0; i < 1000; ++i) builder.problem({}, "wrong");
  try {
    builder.link(ball("base")).build();
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 1000u);
    const std::string text = error.what();
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100);
    EXPECT_THAT(text, EndsWith("and 900 more problems"));
  }
}

TEST(Problems, OfManyUnknownNamesTakeNoLongTime) {
  constexpr int n = test::many(100000);
  ModelBuilder builder("robot");
  builder.link(ball("base"));
  for (int i = 0; i < n; ++i) {
    JointDescription j = hinge("joint" + std::to_string(i), "lost" + std::to_string(i), "gone" + std::to_string(i));
    j.mimic = "none" + std::to_string(i);
    builder.link(ball("link" + std::to_string(i))).joint(j);
  }
  EXPECT_EQ(problems_of(builder).size(), 3u * n + 1);
}

TEST(Warnings, OfTheReaderComeFirstByLine) {
  ModelBuilder builder = with_joint([](auto& j) { j.axis = {0, 0, 2}, j.source.line = 8; });
  builder.warning({"f", 9, "material"}, "passed over").warning({"f", 3, "limit"}, "missing");
  EXPECT_THAT(warnings_of(builder),
              ElementsAre("f:3: limit: missing", StartsWith("line 8: joint \"wrist\": axis"),
                          "f:9: material: passed over"));
}

TEST(Source, Text) {
  EXPECT_EQ(to_string(Source{}), "");
  EXPECT_EQ(to_string(Source{"f.urdf", 0, ""}), "f.urdf");
  EXPECT_EQ(to_string(Source{"f.urdf", 4, ""}), "f.urdf:4");
  EXPECT_EQ(to_string(Source{"f.urdf", 4, "link \"a\""}), "f.urdf:4: link \"a\"");
  EXPECT_EQ(to_string(Source{"", 4, "link \"a\""}), "line 4: link \"a\"");
}

}  // namespace
}  // namespace tandem
