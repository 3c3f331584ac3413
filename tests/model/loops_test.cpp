// SPDX-License-Identifier: Apache-2.0
/// Joints that close loops: what a description says of them is what a model has, edits keep them, contradictions are
/// refused.
#include <gmock/gmock.h>

#include "descriptions.hpp"
#include "support/errors.hpp"
#include "support/tolerance.hpp"

namespace tandem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// base - link1 - link2 - link3, which is held to the base.
ModelBuilder ring(JointType type = JointType::revolute) {
  ModelBuilder b = arm(3);
  return b.loop({.name = "close",
                 .type = type,
                 .link_1 = "base",
                 .link_2 = "link3",
                 .placement_1 = {{1, 0, 0}, rotation_from_rpy(0.1, 0.2, 0.3)},
                 .placement_2 = {{0, 0.5, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
                 .axis = {0, 0.6, 0.8}});
}

void expect_same(const Pose& a, const Pose& b) {
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.position[k], b.position[k], 8 * eps);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(a.rotation[k], b.rotation[k], 8 * eps);
}

TEST(Loops, AModelHasThemAsDescribed) {
  const ModelBuilder b = ring();
  const Model m = b.build();
  ASSERT_EQ(m.n_loops(), 1);
  EXPECT_EQ(m.loop_name(0), "close");
  EXPECT_EQ(m.loop_index("close"), 0);
  const LoopJoint loop = m.loop(0);
  EXPECT_EQ(loop.type, JointType::revolute);
  EXPECT_EQ(loop.link_1, 0);
  EXPECT_EQ(loop.link_2, m.link_index("link3"));
  expect_same(loop.placement_1, b.loops()[0].placement_1);
  expect_same(loop.placement_2, b.loops()[0].placement_2);
  EXPECT_THAT(loop.axis, ElementsAre(0, 0.6, 0.8));
  EXPECT_EQ(m.view<double>().n_held, 5);
  EXPECT_EQ(m.view<float>().loop_link[1], m.link_index("link3"));
  EXPECT_THAT(error_of([&] { m.loop_index("closed"); }), HasSubstr("did you mean \"close\""));
  EXPECT_THAT(error_of([&] { m.loop(1); }), HasSubstr("no loop joint 1"));
  EXPECT_THAT(error_of([&] { m.loop_name(-1); }), HasSubstr("no loop joint -1"));
}

TEST(Loops, TypesHoldWhatTheyDoNotLetMove) {
  for (const auto& [type, held] : {std::pair{JointType::fixed, 6}, {JointType::revolute, 5}, {JointType::continuous, 5},
                                   {JointType::prismatic, 5}, {JointType::planar, 3}, {JointType::spherical, 3}})
    EXPECT_EQ(ring(type).build().view<double>().n_held, held) << to_string(type);
}

TEST(Loops, FramesOnFoldedLinksRideOnWhatCarriesThem) {
  ModelBuilder b = ring();
  b.link({.name = "tip"});
  b.joint({.name = "weld", .parent = "link3", .child = "tip", .placement = {{0, 0, 2}, rotation_from_rpy(1, 0, 0)}});
  b.change_loop("close", [](auto& loop) { loop.link_2 = "tip"; });
  const LoopJoint loop = b.build().loop(0);
  EXPECT_EQ(loop.link_2, 3);
  expect_same(loop.placement_2, b.find_joint("weld")->placement * b.loops()[0].placement_2);
}

TEST(Loops, AFloatingRobotHasThemToo) {
  const Model m = ring().build({.floating = true});
  EXPECT_EQ(m.loop(0).link_1, m.link_index("base"));
  EXPECT_EQ(m.loop(0).link_1, 1);
}

TEST(Loops, DescribedAgainTheyAreWhatTheyWere) {
  for (const JointType type : {JointType::fixed, JointType::prismatic, JointType::spherical}) {
    const ModelBuilder b = ring(type);
    const ModelBuilder again = describe(b.build());
    ASSERT_EQ(again.loops().size(), 1u);
    EXPECT_EQ(again.loops()[0].name, "close");
    EXPECT_EQ(again.loops()[0].type, type);
    expect_same(again.loops()[0].placement_1, b.loops()[0].placement_1);
    expect_same(again.loops()[0].placement_2, b.loops()[0].placement_2);
  }
}

TEST(Loops, ATreeIsLeftWithoutThem) {
  const Model m = ring().build(), tree = m.without_loops();
  EXPECT_EQ(tree.n_loops(), 0);
  EXPECT_EQ(tree.find_loop("close"), -1);
  EXPECT_EQ(tree.view<float>().n_held, 0);
  EXPECT_EQ(tree.shared_data(), m.shared_data());
  EXPECT_EQ(m.n_loops(), 1);
}

TEST(Loops, EditsKeepThem) {
  const Model m = ring().build();
  const std::vector<double> q = {0.1, 0.2, 0.3};
  const Model shorter = reduced(m, {"joint2"}, q);
  ASSERT_EQ(shorter.n_loops(), 1);
  EXPECT_EQ(shorter.loop(0).link_2, shorter.link_index("link3"));

  const Model both = append(m, m, "link3", {}, "second_");
  ASSERT_EQ(both.n_loops(), 2);
  EXPECT_EQ(both.loop_name(1), "second_close");
  EXPECT_EQ(both.loop(1).link_2, both.link_index("second_link3"));
  ModelBuilder b = ring();
  EXPECT_THAT(error_of([&] { b.append(arm(3).loop({.name = "close", .link_1 = "base", .link_2 = "link3"}), "link3"); }),
              HasSubstr("both robots have"));

  b.change_link("link3", [](auto& link) { link.name = "end"; });
  EXPECT_EQ(b.find_loop("close")->link_2, "end");
  b.scale({.length = 2});
  EXPECT_THAT(b.find_loop("close")->placement_1.position, ElementsAre(2, 0, 0));
  b.scale_link("end", {.length = 2});
  EXPECT_THAT(b.find_loop("close")->placement_1.position, ElementsAre(2, 0, 0));
  EXPECT_THAT(b.find_loop("close")->placement_2.position, ElementsAre(0, 2, 0));
  b.remove_link("link2");
  EXPECT_TRUE(b.loops().empty());

  b = ring();
  b.remove_loop("close");
  EXPECT_EQ(b.build().n_loops(), 0);
  EXPECT_THAT(error_of([&] { b.remove_loop("close"); }), HasSubstr("has no loop joint \"close\""));
  EXPECT_THAT(error_of([&] { b.loop({.name = "x", .type = static_cast<JointType>(99)}); }), HasSubstr("type is 99"));
}

TEST(Loops, ContradictionsAreProblems) {
  const auto changed = [](auto&& change) {
    ModelBuilder b = ring();
    b.change_loop("close", change);
    return problem_of(b);
  };
  EXPECT_THAT(changed([](auto& loop) { loop.link_1 = "bases"; }),
              HasSubstr("loop joint \"close\": link1 \"bases\" does not exist; did you mean \"base\""));
  EXPECT_THAT(changed([](auto& loop) { loop.link_2 = ""; }), HasSubstr("has no link2"));
  EXPECT_THAT(changed([](auto& loop) { loop.link_2 = "base"; }), HasSubstr("connects link \"base\" to itself"));
  EXPECT_THAT(changed([](auto& loop) { loop.type = JointType::free; }),
              HasSubstr("type is free, expected a type that can close a loop: fixed, revolute, continuous, prismatic, "
                        "planar or spherical"));
  EXPECT_THAT(changed([](auto& loop) { loop.axis = {0, 0, 0}; }), HasSubstr("axis is (0, 0, 0)"));
  EXPECT_THAT(changed([](auto& loop) { loop.placement_2.rotation[0] = 2; }), HasSubstr("is not a rotation"));
  EXPECT_THAT(changed([](auto& loop) { loop.placement_1.position[0] = unlimited; }), HasSubstr("finite numbers"));
  ModelBuilder twice = ring();
  twice.loop(twice.loops()[0]);
  EXPECT_THAT(problem_of(twice), HasSubstr("duplicate loop joint name \"close\""));
  ModelBuilder taken = ring();
  taken.loop({.name = "joint1", .link_1 = "base", .link_2 = "link3"});
  EXPECT_THAT(problem_of(taken), HasSubstr("a joint has this name"));
  ModelBuilder rigid = ring();
  rigid.change_joint("joint1", [](auto& joint) { joint.type = JointType::fixed; });
  rigid.change_loop("close", [](auto& loop) { loop.link_2 = "link1"; });
  EXPECT_THAT(problem_of(rigid), HasSubstr("is redundant"));
}

}  // namespace
}  // namespace tandem::test
