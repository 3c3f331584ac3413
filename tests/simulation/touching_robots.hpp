// SPDX-License-Identifier: Apache-2.0
/// Robots that touch a floor.
#pragma once
#include <string>
#include <utility>

#include "robots.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {

inline constexpr double weight_per_mass = 9.81;

inline Model ball_on_floor() {
  ModelBuilder builder("ball");
  builder.link({.name = "world"}).link({.name = "ball", .mass = 2, .inertia = {0.008, 0, 0, 0.008, 0, 0.008}});
  builder.joint({.name = "root", .type = JointType::free, .parent = "world", .child = "ball"});
  builder.shape({.name = "floor", .link = "world", .type = ShapeType::plane});
  builder.shape({.name = "skin", .link = "ball", .type = ShapeType::sphere, .size = {0.1, 0, 0}});
  return builder.build();
}

inline SimulationOptions with_contacts(const Model& model) {
  SimulationOptions options;
  options.contacts = ContactSet(model);
  return options;
}

/// Two fingers above a floor, coupled by a tendon at its limit, that touch each other and, the second one, the floor.
inline Model fingers() {
  ModelBuilder builder("fingers");
  builder.link({.name = "world"});
  builder.shape({.name = "floor", .link = "world", .type = ShapeType::plane});
  for (const auto& [name, x] : {std::pair{"one", -0.1}, {"two", 0.1}}) {
    builder.link({.name = name, .mass = 0.5, .com = {0, 0, -0.2}, .inertia = {0.01, 0, 0, 0.01, 0, 0.01}});
    builder.joint({.name = std::string("root_") + name,
                   .type = JointType::revolute,
                   .parent = "world",
                   .child = name,
                   .placement = {.position = {x, 0, x < 0 ? 0.32 : 0.295}},
                   .axis = {0, 1, 0},
                   .lower = -1,
                   .upper = 1,
                   .damping = 0.01,
                   .friction = 0.01,
                   .stiffness = 0.5});
    builder.shape({.name = std::string("tip_") + name,
                   .link = name,
                   .type = ShapeType::capsule,
                   .placement = {.position = {0, 0, -0.2}},
                   .size = {0.098, 0.001, 0}});
  }
  builder.tendon({.name = "coupling", .joints = {{"root_one", 1}, {"root_two", -1}}, .lower = -0.2, .upper = 0.005});
  return builder.build();
}

/// A body whose shapes lie on others that stand still: all pairs without a closed form, and boxes, side by side.
inline Model stamp() {
  ModelBuilder builder("stamp");
  builder.link({.name = "world"});
  builder.link({.name = "stamp", .mass = 3, .inertia = {2, 0, 0, 2, 0, 3}});
  builder.joint({.name = "root", .type = JointType::free, .parent = "world", .child = "stamp"});
  constexpr ShapeType types[] = {ShapeType::sphere,   ShapeType::capsule, ShapeType::ellipsoid,
                                 ShapeType::cylinder, ShapeType::box,     ShapeType::mesh};
  const auto shape = [](const std::string& name, const char* link, ShapeType type, double x, double z) {
    ShapeDescription of = {.name = name, .link = link, .type = type, .placement = {.position = {x, 0, z}}};
    of.size = {0.1, 0.1, type == ShapeType::box || type == ShapeType::ellipsoid ? 0.1 : 0.0};
    if (type == ShapeType::ellipsoid) of.size = {0.14, 0.12, 0.1};
    if (type == ShapeType::mesh) {
      of.size = {};
      for (const double z_of : {-0.1, 0.1})
        of.vertices.insert(of.vertices.end(), {{-0.1, -0.1, z_of}, {0.1, -0.1, z_of}, {0, 0.1, z_of}});
    }
    return of;
  };
  int k = 0;
  for (const ShapeType first : types)
    for (const ShapeType second : types) {
      if (second < first || (first != ShapeType::box && second != ShapeType::mesh && second != ShapeType::cylinder &&
                             first != ShapeType::ellipsoid && second != ShapeType::ellipsoid))
        continue;
      const std::string number = std::to_string(k++);
      const auto half_height = [](ShapeType type) { return type == ShapeType::capsule ? 0.2 : 0.1; };
      const double x = 0.5 * k - 4, over = half_height(first) + half_height(second) - 1e-3 * (k % 5);
      builder.shape(shape("lower_" + number, "world", first, x, 0));
      builder.shape(shape("upper_" + number, "stamp", second, x + 0.01 * (k % 3), over));
    }
  return builder.build();
}

}  // namespace tandem::test
