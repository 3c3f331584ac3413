// SPDX-License-Identifier: Apache-2.0
/// Robots with shapes that touch, in few words.
#pragma once
#include <string>

#include "tandem/model/builder.hpp"

namespace tandem::test {

inline ShapeDescription sphere(const std::string& name, const std::string& link, double radius = 0.1) {
  return {.name = name, .link = link, .type = ShapeType::sphere, .size = {radius, 0, 0}};
}
inline ShapeDescription plane(const std::string& name, const std::string& link) {
  return {.name = name, .link = link, .type = ShapeType::plane};
}

/// world - upper - lower, and a foot that is fixed to lower.
inline ModelBuilder leg() {
  ModelBuilder robot("leg");
  robot.link({.name = "world"}).link({.name = "upper", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  robot.link({.name = "lower", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}}).link({.name = "foot", .mass = 0.1});
  robot.joint({.name = "hip", .type = JointType::continuous, .parent = "world", .child = "upper"});
  robot.joint({.name = "knee",
               .type = JointType::continuous,
               .parent = "upper",
               .child = "lower",
               .placement = {.position = {0, 0, -1}}});
  robot.joint({.name = "ankle", .parent = "lower", .child = "foot", .placement = {.position = {0, 0, -0.5}}});
  robot.shape(plane("floor", "world")).shape(sphere("thigh", "upper")).shape(sphere("shin", "lower"));
  return robot.shape(sphere("sole", "foot", 0.05));
}

}  // namespace tandem::test
