// SPDX-License-Identifier: Apache-2.0
/// Descriptions that are edited: what is asked for changes, what refers to it follows, and nothing else.
#include <gmock/gmock.h>

#include "descriptions.hpp"
#include "support/errors.hpp"
#include "support/robot.hpp"
#include "support/tolerance.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// what would change a copy does not compile
const auto by_reference = [](auto& link) { link.mass = 2; };
const auto of_a_copy = [](auto link) { link.mass = 2; };
const auto of_what_it_may_not_change = [](const LinkDescription&) {};
static_assert(Changes<decltype(by_reference), LinkDescription>);
static_assert(!Changes<decltype(of_a_copy), LinkDescription>);
static_assert(!Changes<decltype(of_what_it_may_not_change), LinkDescription>);

ModelBuilder finger() {
  ModelBuilder b = arm(3);
  b.change_joint("joint2", [](auto& j) { j.mimic = "joint1", j.multiplier = 2, j.offset = 0.1; });
  return b.frame({"tip", "link3", {{0, 0, 1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {}});
}

TEST(Edit, ChangesWhatItIsToldTo) {
  ModelBuilder b = finger();
  b.change_link("link2", [](auto& link) { link.mass = 7; });
  b.replace_link("link3", {.name = "link3", .mass = 5});
  b.change_joint("joint3", [](auto& j) { j.effort = 3; });
  b.change_frame("tip", [](auto& f) { f.placement.position = {1, 2, 3}; });
  b.rename("thumb");
  EXPECT_EQ(b.find_link("link2")->mass, 7);
  const Model m = b.build();
  EXPECT_EQ(m.name(), "thumb");
  EXPECT_EQ(m.link_mass(m.link_index("link3")), 5);
  EXPECT_EQ(m.joint_limits(m.joint_index("joint3")).effort, 3);
  EXPECT_THAT(m.frame_placement(m.frame_index("tip")).position, ElementsAre(1, 2, 3));
  EXPECT_EQ(b.find_link("nobody"), nullptr);
  EXPECT_EQ(b.find_joint("nobody"), nullptr);
  EXPECT_EQ(b.find_frame("nobody"), nullptr);
}

TEST(Edit, WhatRefersToANameFollowsIt) {
  ModelBuilder b = finger();
  b.change_link("link3", [](auto& link) { link.name = "end"; });
  b.change_link("base", [](auto& link) { link.name = "palm"; });
  b.change_joint("joint1", [](auto& j) { j.name = "knuckle"; });
  b.change_frame("tip", [](auto& f) { f.name = "nail"; });
  const Model m = b.build();
  EXPECT_EQ(m.link_name(0), "palm");
  EXPECT_EQ(m.mimic_rule(m.joint_index("joint2")).joint, m.joint_index("knuckle"));
  EXPECT_EQ(m.frame_link(m.frame_index("nail")), m.link_index("end"));
}

TEST(Edit, RemovesALinkWithAllThatHangsFromIt) {
  ModelBuilder b = finger();
  b.link(ball("side")).joint(hinge("sidewards", "link1", "side"));
  EXPECT_EQ(error_of([&] { b.remove_link("link1"); }), "no error");
  EXPECT_EQ(b.links().size(), 1u);
  b = finger();
  b.link(ball("side")).joint(hinge("sidewards", "base", "side")).remove_link("link2");
  const Model m = b.build();
  EXPECT_EQ(m.n_links(), 3);
  EXPECT_EQ(m.n_frames(), 3);
  b = finger();
  b.link(ball("side")).joint(joint("sidewards", JointType::revolute, "base", "side"));
  b.change_joint("sidewards", [](auto& j) { j.mimic = "joint3"; });
  EXPECT_EQ(
      error_of([&] { b.remove_link("link3"); }),
      "link \"link3\" cannot be removed: joint \"sidewards\" follows joint \"joint3\", which would be removed, too");
  EXPECT_EQ(b.links().size(), 5u);
}

TEST(Edit, HangsALinkElsewhere) {
  ModelBuilder b = finger();
  b.remove_joint("joint3").joint(hinge("joint3b", "base", "link3")).remove_frame("tip");
  const Model m = b.build();
  EXPECT_EQ(m.parent(m.link_index("link3")), 0);
  EXPECT_EQ(m.n_frames(), m.n_links());
  EXPECT_EQ(error_of([&] { b.remove_joint("joint1"); }),
            "joint \"joint1\" cannot be removed: joint \"joint2\" follows it");
}

TEST(Edit, ErrorsNameTheElement) {
  ModelBuilder b = finger();
  EXPECT_EQ(error_of([&] { b.change_link("lnik1", [](auto& l) { l.mass = 0; }); }),
            "robot \"arm\" has no link \"lnik1\"; did you mean \"link1\"?");
  EXPECT_THAT(error_of([&] { b.remove_joint("join"); }), HasSubstr("robot \"arm\" has no joint \"join\""));
  EXPECT_THAT(error_of([&] { b.remove_frame("top"); }), HasSubstr("did you mean \"tip\"?"));
  EXPECT_EQ(error_of([&] { b.change_link("link1", [](auto& l) { l.name = "link2"; }); }),
            "link \"link1\" cannot be named \"link2\": a link has this name");
  EXPECT_EQ(error_of([&] { b.change_joint("joint1", [](auto& j) { j.name.clear(); }); }),
            "joint \"joint1\" cannot be renamed to an empty name");
  EXPECT_EQ(error_of([&] { b.scale({.length = 0}); }),
            "scale robot \"arm\": length is 0, expected a finite positive number");
  EXPECT_THAT(error_of([&] { b.scale_link("link1", {.mass = NAN}); }), HasSubstr("scale link \"link1\": mass is nan"));
  EXPECT_EQ(error_of([&] { b.lock_joint("joint2", {0}); }),
            "joint \"joint2\" follows joint \"joint1\": lock that joint");
  EXPECT_EQ(error_of([&] { b.lock_joint("joint1", {}); }),
            "joint \"joint1\" cannot be locked: its position has 0 numbers, expected 1");
  EXPECT_THAT(error_of([&] { b.lock_joint("joint1", {INFINITY}); }), HasSubstr("expected finite numbers"));
  b.lock_joint("joint3", {0.5});
  EXPECT_EQ(error_of([&] { b.lock_joint("joint3", {0.5}); }), "joint \"joint3\" is already fixed");
  b.change_joint("joint1", [](auto& j) { j.axis = {0, 0, 0}; });
  EXPECT_THAT(error_of([&] { b.lock_joint("joint1", {0.5}); }), HasSubstr("joint \"joint1\": axis is (0, 0, 0)"));
}

TEST(Edit, LockedJointsTakeTheirFollowersWithThem) {
  ModelBuilder b = finger();
  b.change_joint("joint1", [](auto& j) { j.lower = -1, j.upper = 1; });
  b.lock_joint("joint1", {1.5});
  const Model m = b.build();
  EXPECT_EQ(m.nq(), 1);
  EXPECT_EQ(m.fixed_joint_name(m.frame_index("link2")), "joint2");
  EXPECT_THAT(m.warnings(), ElementsAre(HasSubstr("\"joint1\" is locked at 1.5, outside of its limits -1 and 1")));
  const auto R = m.frame_placement(m.frame_index("link2")).rotation;  // both turn about z
  EXPECT_NEAR(std::atan2(R[3], R[0]), std::remainder(1.5 + 2 * 1.5 + 0.1, 2 * M_PI), 1e-14);
}

/// Powers of a length that a unit step of each row of v is: 1 of angles, 0 of metres.
Vector angular_rows(const Model& m) {
  Vector powers = Vector::Ones(m.nv());
  for (int i = 1; i < m.n_links(); ++i)
    if (!m.is_mimic(i)) powers.segment(m.v_index(i), joint_kind(m.joint_type(i)).lengths).setZero();
  return powers;
}

TEST(Edit, ScalesAsMechanicsDoes) {
  constexpr double length = 1.5, mass = 3;
  for (const Case& c : cases()) {
    const double* rotors = c.model.view<double>().armature;  // they stay as they are
    if (c.options.floating || std::any_of(rotors, rotors + c.model.nv(), [](double x) { return x != 0; })) continue;
    SCOPED_TRACE(c.name);
    ModelBuilder b = c.description;
    Robot<double> small(b.build()), large(b.scale({.length = length, .mass = mass}).build());
    const Model& m = small.model();
    const State s = random_state(m, 3);
    const Vector angular = angular_rows(m);
    const Vector factor = angular.unaryExpr([](double power) { return std::pow(length, power); });
    Vector q = s.q;
    for (int i = 1; i < m.n_links(); ++i)
      if (!m.is_mimic(i)) q.segment(m.q_index(i), joint_kind(m.joint_type(i)).lengths) *= length;
    const Matrix expected = mass * factor.asDiagonal() * small.mass_matrix(s.q) * factor.asDiagonal();
    const double size = scales(m, s).mass * mass * length * length;
    expect_near(large.mass_matrix(q), expected, tolerance<double>(32, m.depth(), size), "mass matrix");
    const Vector weight = mass * factor.cwiseProduct(small.gravity_forces(s.q));
    expect_near(large.gravity_forces(q), weight, tolerance<double>(32, m.depth(), scales(m, s).force * mass * length),
                "weight");
    for (int i = 1; i < m.n_links(); ++i)
      if (m.joint_type(i) == JointType::prismatic && !m.is_mimic(i)) {
        EXPECT_EQ(large.model().joint_limits(i).upper, length * m.joint_limits(i).upper);
      }
  }
}

TEST(Edit, ScalesOneLink) {
  ModelBuilder b = finger();
  b.change_joint("joint3", [](auto& j) { j.placement.position = {1, 2, 3}; });
  b.scale_link("link2", {.length = 2, .mass = 3}).scale_link("link3", {.length = 4});
  const Model m = b.build();
  EXPECT_THAT(m.joint_placement(3).position, ElementsAre(2, 4, 6));
  EXPECT_EQ(m.link_mass(2), 3);
  EXPECT_EQ(m.link_mass(3), 1);
  EXPECT_NEAR(m.mass_properties(2).inertia[0], 0.1 * 12, 1e-15);
  EXPECT_NEAR(m.mass_properties(2).com[2], 0.6, 1e-15);
  EXPECT_THAT(m.frame_placement(m.frame_index("tip")).position, ElementsAre(0, 0, 4));
}

TEST(Edit, BeginsWithAFileAGeneratorOrAShippedRobot) {
  EXPECT_EQ(describe("arm7").build().nv(), 7);
  EXPECT_EQ(describe("chain:5", 3).links().size(), 6u);
  EXPECT_EQ(describe(std::string(TANDEM_SOURCE_DIR) + "/robots/arm6.urdf").build().nv(), 6);
  EXPECT_THAT(error_of([] { describe("arm77"); }), HasSubstr("did you mean \"arm7\""));
  EXPECT_THAT(error_of([] { describe("nothing.urdf"); }), HasSubstr("cannot be opened"));
  EXPECT_EQ(error_of([] { read_urdf("robots/arm7.urdf"); }),
            "read_urdf: text is \"robots/arm7.urdf\", expected URDF text; for a file use describe(file)");
}

}  // namespace
}  // namespace tandem::test
