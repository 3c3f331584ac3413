// SPDX-License-Identifier: Apache-2.0
/// Which shapes can touch, by MuJoCo's rules as its documentation has them, and with which parameters.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <utility>

#include "shapes.hpp"
#include "support/errors.hpp"
#include "tandem/model/contact.hpp"

namespace tandem::test {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// "a+b" for every pair, whatever the order of its shapes.
std::vector<std::string> pairs_of(const Model& model, const ContactOptions& options = {.leave_out = true}) {
  std::vector<std::string> all;
  const ContactSet set(model, options);  // spheres and a plane: no pair is without slots but those of two that move
  for (const ContactPair& pair : set.pairs())
    all.push_back(contact_shapes(model)[static_cast<std::size_t>(pair.shape_1)].name + "+" +
                  contact_shapes(model)[static_cast<std::size_t>(pair.shape_2)].name);
  return all;
}
std::vector<std::string> ground_pairs(const Model& model) { return pairs_of(model, {.self_contact = false}); }

ContactPair only_pair(const ShapeDescription& first, const ShapeDescription& second) {
  ModelBuilder robot("two");
  robot.link({.name = "world"}).link({.name = "ball", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.joint({.name = "free", .type = JointType::free, .parent = "world", .child = "ball"});
  const ContactSet set(robot.shape(first).shape(second).build());
  EXPECT_EQ(set.pairs().size(), 1u);
  return set.pairs()[0];
}

TEST(ContactPairs, AreThoseOfTheRules) {
  EXPECT_THAT(ground_pairs(leg().build()), ElementsAre("floor+thigh", "floor+shin", "floor+sole"));
  // bits: none of floor is in the other's, and none of the other in those of floor
  ModelBuilder robot = leg();
  robot.change_shape("floor", [](auto& shape) { shape.contype = 2, shape.conaffinity = 4; });
  EXPECT_THAT(ground_pairs(robot.build()), IsEmpty());
  robot.change_shape("sole", [](auto& shape) { shape.conaffinity = 2; });
  robot.change_shape("thigh", [](auto& shape) { shape.contype = 4; });
  EXPECT_THAT(ground_pairs(robot.build()), ElementsAre("floor+thigh", "floor+sole"));
  // an exclude names a link, not what is fixed to it
  robot = leg();
  robot.contact_exclude({.link_1 = "lower", .link_2 = "world"});
  EXPECT_THAT(ground_pairs(robot.build()), ElementsAre("floor+thigh", "floor+sole"));
  // an explicit pair comes in any case, and once
  robot.contact_pair({.name = "p", .shape_1 = "shin", .shape_2 = "floor", .condim = 1});
  robot.contact_pair({.name = "q", .shape_1 = "floor", .shape_2 = "sole", .condim = 6});
  EXPECT_THAT(ground_pairs(robot.build()), ElementsAre("floor+shin", "floor+sole", "floor+thigh"));
  EXPECT_EQ(ContactSet(robot.build(), {.self_contact = false}).pairs()[1].condim, 6);
  robot.contact_settings({.enabled = false});
  EXPECT_THAT(ground_pairs(robot.build()), IsEmpty());
}

TEST(ContactPairs, OfTwoLinksThatMoveAreNotThoseOfALinkAndTheOneThatCarriesIt) {
  ModelBuilder robot = leg();
  robot.link({.name = "tip", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.joint({.name = "toe", .type = JointType::continuous, .parent = "foot", .child = "tip"});
  robot.shape(plane("nail", "tip"));  // with planes all spheres have contacts
  EXPECT_THAT(pairs_of(robot.build()), Contains("nail+thigh"));
  EXPECT_THAT(pairs_of(robot.build()), Not(Contains("nail+sole")));
  robot.contact_settings({.filter_parent = false});
  EXPECT_THAT(pairs_of(robot.build()), Contains("nail+sole"));
  EXPECT_THAT(ground_pairs(robot.build()), Not(Contains("nail+sole")));
}

/// MuJoCo's bodies with several joints are several links.
TEST(ContactPairs, OfALinkAndTheOneThatCarriesItOverALinkWithoutMassAreLeftOut) {
  ModelBuilder robot("ball");
  robot.link({.name = "world"}).link({.name = "between"});
  for (const char* name : {"one", "two"}) robot.link({.name = name, .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.joint({.name = "a", .type = JointType::continuous, .parent = "world", .child = "one"});
  robot.joint({.name = "b", .type = JointType::continuous, .parent = "one", .child = "between", .axis = {0, 1, 0}});
  robot.joint({.name = "c", .type = JointType::continuous, .parent = "between", .child = "two"});
  robot.shape(sphere("first", "one")).shape(sphere("second", "two"));
  EXPECT_THAT(pairs_of(robot.build()), IsEmpty());
  robot.change_link("between", [](auto& link) { link.mass = 1; });
  EXPECT_THAT(pairs_of(robot.build()), ElementsAre("first+second"));
}

TEST(ContactPairs, ThatAreFoundAreThoseThatWouldBeListed) {
  ModelBuilder robot = leg();
  robot.link({.name = "board", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.joint({.name = "board", .type = JointType::free, .parent = "world", .child = "board"});
  robot.shape({.name = "board", .link = "board", .type = ShapeType::plane});
  robot.link({.name = "stone", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.joint({.name = "stone", .type = JointType::free, .parent = "world", .child = "stone"});
  robot.shape({.name = "stone", .link = "stone", .type = ShapeType::box, .size = {1, 1, 1}, .friction = {0.3, 0, 0}});
  robot.contact_exclude({.link_1 = "lower", .link_2 = "stone"});
  robot.contact_pair({.name = "p", .shape_1 = "thigh", .shape_2 = "stone", .condim = 1});
  const Model model = robot.build();
  const ContactSet all(model, {.self_pairs = SelfPairs::listed}), some(model, {.self_pairs = SelfPairs::found});
  EXPECT_FALSE(all.finds_pairs());
  EXPECT_TRUE(some.finds_pairs());
  std::map<std::pair<int, int>, ContactPair> listed;
  for (const ContactPair& pair : all.pairs()) listed[std::minmax(pair.shape_1, pair.shape_2)] = pair;
  for (const ContactPair& pair : some.pairs()) EXPECT_EQ(listed.erase(std::minmax(pair.shape_1, pair.shape_2)), 1u);
  const int n = static_cast<int>(contact_shapes(model).size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      const auto found = listed.find(std::minmax(i, j));
      EXPECT_EQ(some.can_find(i, j), found != listed.end()) << i << " " << j;
      EXPECT_FALSE(all.can_find(i, j));
      if (found == listed.end()) continue;
      const ContactPair pair = some.found_pair(i, j);
      EXPECT_EQ(pair.shape_1, found->second.shape_1);
      EXPECT_EQ(pair.shape_2, found->second.shape_2);
      EXPECT_EQ(pair.friction, found->second.friction);
      EXPECT_EQ(pair.softness, found->second.softness);
    }
  EXPECT_FALSE(listed.empty());
  EXPECT_FALSE(ContactSet(model, {.self_contact = false, .self_pairs = SelfPairs::found}).finds_pairs());
}

TEST(ContactPairs, MixTheParametersOfTheirShapes) {
  ShapeDescription floor = plane("floor", "world"), ball = sphere("ball", "ball");
  floor.friction = {0.5, 0.02, 1e-4};
  floor.solmix = 3;
  floor.softness = {{0.04, 1}, {0.8, 0.9, 0.002, 0.5, 2}, 0.01, 0.002};
  ball.friction = {0.7, 0.01, 0};
  ball.condim = 4;
  ball.softness = {{0.02, 0.6}, {0.4, 0.5, 0.001, 0.5, 1}, 0.03, 0.001};
  ContactPair pair = only_pair(floor, ball);
  EXPECT_EQ(pair.condim, 4);
  EXPECT_THAT(pair.friction, ElementsAre(0.7, 0.7, 0.02, 1e-4, 1e-4));
  EXPECT_THAT(pair.softness.solref, ElementsAre(DoubleNear(0.035, 1e-16), DoubleNear(0.9, 1e-15)));
  EXPECT_DOUBLE_EQ(pair.softness.solimp[0], 0.7);
  EXPECT_DOUBLE_EQ(pair.softness.solimp[4], 1.75);
  EXPECT_DOUBLE_EQ(pair.softness.margin, 0.04);
  EXPECT_DOUBLE_EQ(pair.softness.gap, 0.003);
  // stiffness and damping themselves: the least
  ball.softness.solref = {-100, -5};
  EXPECT_THAT(only_pair(floor, ball).softness.solref, ElementsAre(-100, -5));
  // weights of zero
  ball.softness.solref = {0.02, 0.6};
  floor.solmix = 0;
  EXPECT_THAT(only_pair(floor, ball).softness.solref, ElementsAre(0.02, 0.6));
  ball.solmix = 0;
  EXPECT_THAT(only_pair(floor, ball).softness.solref, ElementsAre(0.03, 0.8));
  // a priority decides alone, but for margins
  floor.priority = 1;
  pair = only_pair(floor, ball);
  EXPECT_EQ(pair.condim, 3);
  EXPECT_THAT(pair.friction, ElementsAre(0.5, 0.5, 0.02, 1e-4, 1e-4));
  EXPECT_THAT(pair.softness.solref, ElementsAre(0.04, 1));
  EXPECT_DOUBLE_EQ(pair.softness.margin, 0.04);
  // no friction is less than 1e-5
  ball.priority = 2;
  EXPECT_THAT(only_pair(floor, ball).friction, ElementsAre(0.7, 0.7, 0.01, 1e-5, 1e-5));
}

TEST(ContactSets, HaveSlotsInTheOrderOfTheirPairs) {
  ModelBuilder robot = leg();
  robot.shape({.name = "box", .link = "foot", .type = ShapeType::box, .size = {1, 2, 3}});
  robot.shape({.name = "rod", .link = "lower", .type = ShapeType::capsule, .size = {1, 2, 0}});
  const ContactSet set(robot.build(), {.self_contact = false});
  std::vector<int> slots;
  int next = 0;
  for (const ContactPair& pair : set.pairs()) {
    EXPECT_EQ(pair.first_slot, next);
    slots.push_back(pair.slots);
    next += pair.slots;
  }
  EXPECT_THAT(slots, ElementsAre(1, 1, 1, 4, 2));
  EXPECT_EQ(set.n_slots(), 9);
}

TEST(ContactSets, NameWhatIsMissing) {
  ModelBuilder robot = leg();
  robot.shape({.name = "hills", .link = "world", .type = ShapeType::height_field, .unread = "heights are in a file"});
  robot.shape({.name = "shell", .link = "foot", .type = ShapeType::mesh, .unread = "its mesh is elsewhere"});
  robot.contact_problem({"leg.xml", 7, {}}, "something else");
  const std::string error = error_of([&] { ContactSet(robot.build(), {.self_contact = false}); });
  EXPECT_THAT(error, HasSubstr("contacts of robot \"leg\" are not complete"));
  EXPECT_THAT(error, HasSubstr("leg.xml:7: something else"));
  EXPECT_THAT(error, HasSubstr("\"hills\": heights are in a file"));
  EXPECT_THAT(error, HasSubstr("\"shell\": its mesh is elsewhere"));
  EXPECT_EQ(error.find('\n'), std::string::npos);
  EXPECT_EQ(contact_problems(robot.build(), {.self_contact = false}).size(), 2u);
  EXPECT_THAT(ground_pairs(leg().build()), testing::SizeIs(3));
  EXPECT_THAT(pairs_of(robot.build(), {.self_contact = false, .leave_out = true}), testing::SizeIs(3));
  EXPECT_TRUE(robot.build().warnings().empty());  // for dynamics nothing is missing
}

}  // namespace
}  // namespace tandem::test
