// SPDX-License-Identifier: Apache-2.0
/// Descriptions that have shapes: edits, files, copies.
#include <gmock/gmock.h>

#include "shapes.hpp"
#include "support/errors.hpp"
#include "tandem/io/mjcf.hpp"
#include "tandem/io/urdf.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/model/contact.hpp"

namespace tandem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(Shapes, FollowTheirLinks) {
  ModelBuilder robot = leg();
  robot.contact_exclude({.link_1 = "lower", .link_2 = "world"});
  robot.contact_pair({.name = "p", .shape_1 = "shin", .shape_2 = "floor"});
  robot.change_link("lower", [](auto& link) { link.name = "calf"; });
  EXPECT_EQ(robot.find_shape("shin")->link, "calf");
  EXPECT_EQ(robot.contact_excludes()[0].link_1, "calf");
  robot.change_shape("shin", [](auto& shape) { shape.name = "bone"; });
  EXPECT_EQ(robot.contact_pairs()[0].shape_1, "bone");
  EXPECT_THAT(error_of([&] { robot.change_shape("bone", [](auto& shape) { shape.name = "sole"; }); }),
              HasSubstr("a shape has this name"));
  EXPECT_THAT(error_of([&] { robot.change_shape("bon", [](auto& shape) { shape.name = "b"; }); }),
              HasSubstr("did you mean \"bone\""));
  robot.remove_link("calf");
  EXPECT_EQ(robot.shapes().size(), 2u);
  EXPECT_TRUE(robot.contact_pairs().empty() && robot.contact_excludes().empty());
  EXPECT_THAT(error_of([&] { leg().remove_contact_exclude("foot", "world"); }), HasSubstr("excludes no contacts"));
}

TEST(Shapes, GrowWithTheRobot) {
  ModelBuilder robot = leg();
  robot.shape({.name = "hull",
               .link = "foot",
               .type = ShapeType::mesh,
               .placement = {.position = {1, 0, 0}},
               .vertices = {{1, 2, 3}, {0, 0, 1}},
               .friction = {1, 0.1, 0.2},
               .softness = {.margin = 0.5}});
  ModelBuilder one = robot;
  robot.scale({.length = 2});
  const ShapeDescription& hull = *robot.find_shape("hull");
  EXPECT_THAT(hull.placement.position, ElementsAre(2, 0, 0));
  EXPECT_THAT(hull.vertices[0], ElementsAre(2, 4, 6));
  EXPECT_THAT(hull.friction, ElementsAre(1, 0.2, 0.4));
  EXPECT_EQ(hull.softness.margin, 1);
  EXPECT_EQ(robot.find_shape("thigh")->size[0], 0.2);
  one.scale_link("foot", {.length = 3});
  EXPECT_THAT(one.find_shape("hull")->vertices[1], ElementsAre(0, 0, 3));
  EXPECT_EQ(one.find_shape("thigh")->size[0], 0.1);
}

void expect_same_shapes(const Model& one, const Model& other, double tolerance = 1e-15) {
  ASSERT_EQ(contact_shapes(one).size(), contact_shapes(other).size());
  for (const ContactShape& a : contact_shapes(one)) {
    const ContactShape& b = contact_shapes(other)[static_cast<std::size_t>(contact_shape_index(other, a.name))];
    EXPECT_EQ(one.frame_name(a.frame), other.frame_name(b.frame));
    EXPECT_EQ(one.link_name(a.link), other.link_name(b.link));
    EXPECT_EQ(a.type, b.type);
    EXPECT_EQ(a.size, b.size);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(a.placement.rotation[k], b.placement.rotation[k], tolerance);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a.placement.position[k], b.placement.position[k], tolerance);
    EXPECT_EQ(std::tuple(a.condim, a.friction, a.contype, a.conaffinity, a.priority, a.solmix),
              std::tuple(b.condim, b.friction, b.contype, b.conaffinity, b.priority, b.solmix));
    EXPECT_EQ(std::tuple(a.softness.solref, a.softness.solimp, a.softness.margin, a.softness.gap),
              std::tuple(b.softness.solref, b.softness.solimp, b.softness.margin, b.softness.gap));
  }
  EXPECT_EQ(contact_settings(one), contact_settings(other));
}

/// A robot with a shape of every kind that a description can have, none with the parameters of another.
ModelBuilder of_every_kind() {
  ModelBuilder robot = leg();
  int n = 0;
  const auto add = [&](const char* name, ShapeType type, std::array<double, 3> size) {
    const double x = 0.01 * ++n;
    robot.shape({.name = name,
                 .link = n % 2 == 0 ? "foot" : "lower",
                 .type = type,
                 .placement = {{x, 2 * x, 0.3}, rotation_from_rpy(0.1 * n, 0.2, 0.3)},
                 .size = size,
                 .condim = n % 2 == 0 ? 4 : 1,
                 .friction = {0.5 + x, x, x / 2},
                 .contype = n,
                 .conaffinity = 3 * n,
                 .priority = n,
                 .solmix = 1 + x,
                 .softness = {{0.02 + x, 0.9}, {0.8, 0.9, 0.001, 0.4, 1}, x, x / 3}});
  };
  add("capsule", ShapeType::capsule, {0.1, 0.2, 0});
  add("ellipsoid", ShapeType::ellipsoid, {0.1, 0.2, 0.3});
  add("cylinder", ShapeType::cylinder, {0.1, 0.3, 0});
  add("box", ShapeType::box, {0.1, 0.2, 0.4});
  robot.contact_settings({.cone = FrictionCone::pyramidal, .impratio = 7, .timestep = 0.005, .integrator = "RK4"});
  robot.contact_exclude({.name = "e", .link_1 = "foot", .link_2 = "world"});
  return robot.contact_pair(
      {.name = "p", .shape_1 = "box", .shape_2 = "floor", .condim = 6, .friction = {1, 2, 3, 4, 5}});
}

TEST(Shapes, AreThoseOfTheDescriptionAgain) {
  const Model model = of_every_kind().build();
  expect_same_shapes(model, describe(model).build());
  EXPECT_EQ(describe(model).contact_pairs()[0].shape_1, "box");
  EXPECT_EQ(describe(model).contact_excludes()[0].link_2, "world");
  const Model less = reduced(model, {"knee"}, std::vector<double>{0.2, 0.4});
  EXPECT_EQ(contact_shapes(less).size(), contact_shapes(model).size());
  const auto& shin = contact_shapes(less)[static_cast<std::size_t>(contact_shape_index(less, "shin"))];
  EXPECT_EQ(less.link_name(shin.link), "upper");
  EXPECT_EQ(less.frame_name(shin.frame), "lower");
  EXPECT_THAT(error_of([&] { contact_shape_index(model, "shi"); }), HasSubstr("did you mean \"shin\""));
}

TEST(Shapes, OfAnotherRobotComeWithIt) {
  ModelBuilder robot = leg();
  ModelBuilder other("hand");
  other.link({.name = "palm", .mass = 1}).link({.name = "finger", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  other.joint({.name = "bend", .type = JointType::continuous, .parent = "palm", .child = "finger"});
  other.shape(sphere("sole", "palm")).shape(sphere("tip", "finger"));
  other.contact_pair({.name = "p", .shape_1 = "sole", .shape_2 = "tip"});
  other.contact_exclude({.link_1 = "palm", .link_2 = "finger"});
  robot.append(other, "foot");  // shapes without names have those of their numbers: two of one name are no error
  EXPECT_EQ(robot.find_shape("sole_")->link, "palm");
  EXPECT_EQ(robot.contact_pairs()[0].shape_1, "sole_");
  robot.append(other, "foot", {}, "left_");
  EXPECT_EQ(robot.find_shape("left_sole")->link, "left_palm");
  EXPECT_EQ(robot.contact_pairs()[1].shape_2, "left_tip");
  EXPECT_EQ(robot.contact_excludes()[1].link_1, "left_palm");
  EXPECT_TRUE(robot.warnings().empty());
  robot.contact_settings({.cone = FrictionCone::pyramidal}).append(other, "foot", {}, "right_");
  EXPECT_THAT(robot.warnings()[0].message, HasSubstr("the contact settings of robot \"hand\""));
  robot.build();
}

TEST(Shapes, ThatCannotBeAreRefused) {
  const auto refusal = [](const ShapeDescription& shape) { return error_of([&] { leg().shape(shape).build(); }); };
  EXPECT_THAT(refusal(sphere("x", "foo")),
              HasSubstr("shape \"x\": link \"foo\" does not exist; did you mean \"foot\""));
  EXPECT_THAT(refusal(sphere("shin", "foot")), HasSubstr("duplicate shape name \"shin\""));
  EXPECT_THAT(refusal(sphere("x", "foot", -1)), HasSubstr("size of a sphere is -1, expected a finite number above 0"));
  EXPECT_THAT(refusal({.name = "x", .link = "foot", .type = ShapeType::mesh}), HasSubstr("is a mesh without vertices"));
  ShapeDescription shape = sphere("x", "foot");
  shape.condim = 2;
  EXPECT_THAT(refusal(shape), HasSubstr("condim is 2, expected 1, 3, 4 or 6"));
  shape = sphere("x", "foot");
  shape.friction[1] = -1;
  EXPECT_THAT(refusal(shape), HasSubstr("friction is -1"));
  shape = sphere("x", "foot");
  shape.placement.rotation[0] = 2;
  EXPECT_THAT(refusal(shape), HasSubstr("is not a rotation"));
  EXPECT_THAT(error_of([] { leg().contact_pair({.name = "p", .shape_1 = "shin", .shape_2 = "shin"}).build(); }),
              HasSubstr("contact pair \"p\": has one shape twice"));
  EXPECT_THAT(error_of([] { leg().contact_exclude({.link_1 = "shin", .link_2 = "foot"}).build(); }),
              HasSubstr("link \"shin\" does not exist"));
  EXPECT_THAT(error_of([] { leg().contact_settings({.impratio = 0}).build(); }), HasSubstr("impratio is 0"));
  EXPECT_THAT(error_of([] { leg().contact_settings({.integrator = "euler"}).build(); }),
              HasSubstr("integrator is \"euler\", expected Euler, RK4, implicit, implicitfast or discrete"));
}

TEST(Shapes, StayInUrdf) {
  const ModelBuilder robot = of_every_kind();
  const std::string text = write_urdf(robot);
  EXPECT_THAT(text, HasSubstr("not written: 2 contact pairs and excludes"));
  ModelBuilder again = read_urdf(text);
  EXPECT_TRUE(again.contact_problems().empty());
  again.contact_settings(robot.contact_settings());
  expect_same_shapes(robot.build(), again.build(), 4e-16);
}

TEST(Shapes, StayInMjcf) {
  if (!reads_mjcf()) GTEST_SKIP() << "no MuJoCo";
  ModelBuilder robot = of_every_kind();
  robot.shape({.name = "tetrahedron",
               .link = "foot",
               .type = ShapeType::mesh,
               .vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}});
  robot.shape({.name = "lost", .link = "foot", .type = ShapeType::mesh, .unread = "its mesh is elsewhere"});
  const ModelBuilder again = read_mjcf(write_mjcf(robot));
  const ContactPairDescription& pair = again.contact_pairs()[0];  // MuJoCo has them in another order
  EXPECT_THAT(std::vector({pair.shape_1, pair.shape_2}), UnorderedElementsAre("box", "floor"));
  EXPECT_EQ(again.contact_pairs()[0].friction, robot.contact_pairs()[0].friction);
  const ContactExcludeDescription& exclude = again.contact_excludes()[0];
  EXPECT_THAT(std::vector({exclude.link_1, exclude.link_2}), UnorderedElementsAre("foot", "world"));
  ASSERT_EQ(again.contact_problems().size(), 1u);
  EXPECT_THAT(again.contact_problems()[0].message, HasSubstr("shape \"lost\": its mesh is elsewhere"));
  const ShapeDescription& mesh = *again.find_shape("tetrahedron");  // MuJoCo moves it to its centre, and the shape back
  std::vector<std::array<double, 3>> corners;
  for (const auto& v : mesh.vertices) {
    const Pose corner = mesh.placement * Pose{v};
    std::array<double, 3> rounded{};
    for (std::size_t k = 0; k < 3; ++k) rounded[k] = std::round(corner.position[k] * 1e6) / 1e6 + 0.0;
    corners.push_back(rounded);
  }
  using Corner = std::array<double, 3>;
  EXPECT_THAT(corners, UnorderedElementsAre(Corner{0, 0, 0}, Corner{1, 0, 0}, Corner{0, 1, 0}, Corner{0, 0, 1}));
  robot.remove_shape("tetrahedron").remove_shape("lost");
  expect_same_shapes(robot.build(), read_mjcf(write_mjcf(robot)).build(), 4e-16);
}

TEST(Shapes, OfUrdfThatAreNotUnderstoodAreContactProblems) {
  const std::string start = R"(<robot name="r"><link name="a"><collision>)", end = "</collision></link></robot>";
  const auto problem = [&](const std::string& inside) {
    const Model model = parse_urdf(start + inside + end);
    EXPECT_TRUE(model.warnings().empty()) << model.warnings()[0];
    EXPECT_TRUE(contact_shapes(model).empty());
    const std::vector<std::string> all = contact_problems(model);
    return all.empty() ? std::string() : all[0];
  };
  EXPECT_THAT(problem(""),
              HasSubstr("<string>:1: link \"a\": collision \"a_collision\": has no <geometry> with a form"));
  EXPECT_THAT(problem("<geometry><box/></geometry>"), HasSubstr("box: attribute size is missing"));
  EXPECT_THAT(problem("<geometry><sphere radius='x'/></geometry>"), HasSubstr("sphere radius=\"x\""));
  EXPECT_THAT(problem("<geometry><sphere radius='0'/></geometry>"), HasSubstr("sphere has the size 0"));
  EXPECT_THAT(problem("<geometry><sphere radius='inf'/></geometry>"), HasSubstr("not finite"));
  EXPECT_THAT(problem("<origin rpy='nan 0 0'/><geometry><sphere radius='1'/></geometry>"), HasSubstr("not finite"));
  EXPECT_THAT(problem("<geometry><cone/></geometry>"), HasSubstr("geometry <cone> is not read"));
  EXPECT_THAT(problem("<geometry><sphere radius='1'/><box size='1 1 1'/></geometry>"), HasSubstr("several forms"));
  const Model mesh = parse_urdf(start + "<geometry><mesh filename='a.stl'/></geometry>" + end);
  EXPECT_THAT(contact_shapes(mesh)[0].unread, HasSubstr("the mesh \"a.stl\" of URDF is not read"));
}

TEST(Shapes, OfUrdf) {
  const Model model = parse_urdf(R"(<robot name="r"><link name="a"/><link name="b">
    <collision name="pad"><origin xyz="1 2 3" rpy="0.1 0 0"/><geometry><box size="2 4 6"/></geometry></collision>
    <collision name="pad"><geometry><cylinder radius="0.5" length="3"/></geometry></collision>
    <collision><geometry><drake:capsule radius="0.5" length="3"/></geometry></collision>
    <collision><geometry><plane normal="1 0 0"/></geometry></collision>
    </link><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>)");
  const auto all = contact_shapes(model);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "pad");
  EXPECT_THAT(all[0].size, ElementsAre(1, 2, 3));
  EXPECT_THAT(all[0].placement.position, ElementsAre(1, 2, 3));
  EXPECT_EQ(all[1].name, "pad_2");
  EXPECT_THAT(all[1].size, ElementsAre(0.5, 1.5, 0));
  EXPECT_EQ(all[2].name, "b_collision");
  EXPECT_EQ(all[2].type, ShapeType::capsule);
  EXPECT_EQ(all[3].name, "b_collision_2");
  EXPECT_NEAR(all[3].placement.rotation[2], 1, 1e-15);  // its z is x of the link
  EXPECT_EQ(all[0].link, 0);
  EXPECT_EQ(model.frame_name(all[0].frame), "b");
}

}  // namespace
}  // namespace tandem::test
