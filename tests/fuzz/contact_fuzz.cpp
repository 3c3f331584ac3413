// SPDX-License-Identifier: Apache-2.0
/// libFuzzer target: any bytes as shapes, as large, as flat and as deep in each other as they come, on the links of a
/// robot in any state. Contacts of two shapes are finite, with a unit normal, and lie half way between the surfaces of
/// round shapes; contact dynamics ends, says whether it has converged, and has finite accelerations if it has; a
/// contact never pulls. What cannot be computed is a tandem::Error.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "tandem/api/contact_dynamics.hpp"
#include "tandem/api/contacts.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/model/contact.hpp"

namespace {

using tandem::fuzz::Bytes;
using tandem::fuzz::require;

constexpr std::size_t longest_input = 4 * 1024;

/// A length from a micrometre to ten kilometres, most of them about one metre.
double length(Bytes& from) {
  constexpr double some[] = {1, 0.5, 0.1, 1e-2, 2, 1e-6, 1e-3, 1e4};
  return some[from.below(8)] * (1 + from.below(16) / 16.0);
}

tandem::Pose pose(Bytes& from) {
  tandem::Pose pose;
  for (double& x : pose.position) x = from.within(2);
  pose.rotation = from.rotation();
  return pose;
}

tandem::ShapeDescription shape(int number, const std::string& link, Bytes& from) {
  constexpr tandem::ShapeType types[] = {tandem::ShapeType::sphere,   tandem::ShapeType::box,
                                         tandem::ShapeType::capsule,  tandem::ShapeType::cylinder,
                                         tandem::ShapeType::plane,    tandem::ShapeType::mesh,
                                         tandem::ShapeType::ellipsoid};
  constexpr int condims[] = {3, 1, 4, 6};
  tandem::ShapeDescription shape;
  shape.name = "shape_" + std::to_string(number);
  shape.link = link;
  shape.type = types[from.below(link == "world" ? 7 : 4)];
  shape.placement = pose(from);
  for (int k = 0; k < tandem::size_count(shape.type); ++k) shape.size[static_cast<std::size_t>(k)] = length(from);
  if (shape.type == tandem::ShapeType::mesh)
    for (int k = 0; k < 4 + from.below(6); ++k)
      shape.vertices.push_back({from.within(1), from.within(1), from.within(1)});
  shape.condim = condims[from.below(4)];
  shape.friction = {length(from), length(from), length(from)};
  shape.priority = from.below(2);
  if (from.below(3) == 0) shape.softness.solref = {0.1 * length(from), length(from)};
  if (from.below(5) == 0) shape.softness.margin = 0.01 * length(from);
  return shape;
}

tandem::ContactSoftness softness(Bytes& from) {
  tandem::ContactSoftness softness;
  if (from.below(2) == 0) softness.solref = {0.1 * from.within(1), from.within(2)};
  if (from.below(2) == 0)
    for (double& x : softness.solimp) x = from.within(2);
  return softness;
}

/// Loop joints between any links, and couplers of any joints.
void hold(tandem::ModelBuilder& robot, int links, Bytes& from) {
  constexpr tandem::JointType types[] = {tandem::JointType::spherical, tandem::JointType::fixed,
                                         tandem::JointType::revolute, tandem::JointType::prismatic,
                                         tandem::JointType::planar};
  const auto link = [&] {
    const int k = from.below(links + 1);
    return k == 0 ? std::string("world") : "link_" + std::to_string(k);
  };
  for (int k = from.below(4) - 1; k > 0; --k)
    robot.loop({.name = "loop_" + std::to_string(k),
                .type = types[from.below(5)],
                .link_1 = link(),
                .link_2 = link(),
                .placement_1 = pose(from),
                .placement_2 = pose(from),
                .axis = {0, 0, 1},
                .source = {},
                .softness = softness(from),
                .torque_scale = from.below(3) == 0 ? length(from) : 1});
  for (int k = from.below(4) - 1; k > 0; --k) {
    tandem::CouplerDescription coupler;
    coupler.name = "coupler_" + std::to_string(k);
    coupler.first = "joint_" + std::to_string(1 + from.below(links));
    if (from.below(3) != 0) coupler.second = "joint_" + std::to_string(1 + from.below(links));
    for (double& p : coupler.polynomial) p = from.within(2);
    coupler.softness = softness(from);
    robot.coupler(coupler);
  }
}

std::optional<tandem::Model> robot_of(Bytes& from) {
  constexpr tandem::JointType types[] = {tandem::JointType::free,      tandem::JointType::revolute,
                                         tandem::JointType::spherical, tandem::JointType::prismatic,
                                         tandem::JointType::planar,    tandem::JointType::universal};
  tandem::ModelBuilder robot("fuzz");
  robot.link({.name = "world"});
  const int links = 1 + from.below(4);
  int shapes = 0;
  for (int k = from.below(3); k > 0; --k) robot.shape(shape(shapes++, "world", from));
  for (int i = 1; i <= links; ++i) {
    const std::string name = "link_" + std::to_string(i);
    const double mass = length(from);
    tandem::LinkDescription link;
    link.name = name;
    link.mass = mass;
    link.com = {0.1 * from.within(1), 0.1 * from.within(1), 0.1 * from.within(1)};
    link.inertia = {0.1 * mass, 0, 0, 0.1 * mass, 0, 0.1 * mass};
    robot.link(link);
    tandem::JointDescription joint;
    joint.name = "joint_" + std::to_string(i);
    joint.type = types[from.below(6)];
    const int parent = from.below(i);
    joint.parent = parent == 0 ? "world" : "link_" + std::to_string(parent);
    joint.child = name;
    joint.placement = pose(from);
    joint.axis = {0, 0, 1};
    if (joint.type == tandem::JointType::revolute || joint.type == tandem::JointType::prismatic) {
      joint.lower = -0.5;
      joint.upper = 0.5;
      joint.friction = from.below(2);
    }
    robot.joint(joint);
    for (int k = from.below(3); k > 0; --k) robot.shape(shape(shapes++, name, from));
  }
  hold(robot, links, from);
  try {
    return robot.build({});
  } catch (const tandem::Error& error) {
    require(std::string_view(error.what()) != "", "every refusal gives a reason");
    return std::nullopt;
  }
}

std::vector<double> numbers(int n, double most, Bytes& from) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& value : x) value = from.within(most);
  return x;
}

bool are_finite(const std::vector<double>& x) {
  return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
}

void check_contacts(const std::vector<tandem::Contact>& found) {
  for (const tandem::Contact& c : found) {
    if (std::isinf(c.distance)) continue;
    require(std::isfinite(c.distance), "a distance is a number, or infinite where there is no contact");
    for (const double x : c.position) require(std::isfinite(x), "a contact is somewhere");
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (std::size_t k = 0; k < 3; ++k) product += c.frame[3 * i + k] * c.frame[3 * j + k];
        require(std::abs(product - (i == j ? 1 : 0)) < 1e-9, "axes of a contact are orthonormal");
      }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > longest_input) return -1;
  Bytes from(std::string_view(reinterpret_cast<const char*>(data), size));
  const std::optional<tandem::Model> robot = robot_of(from);
  if (!robot || robot->nv() == 0) return 0;
  const tandem::ContactSet set(*robot, {.self_contact = from.below(4) != 0, .leave_out = true});
  tandem::ContactDynamicsOptions options;
  options.cone = from.below(2) == 0 ? tandem::FrictionCone::elliptic : tandem::FrictionCone::pyramidal;
  options.time_step = from.below(2) == 0 ? 0.002 : 0.01;
  const tandem::ContactDynamics dynamics(set, options);

  const int states = 1 + from.below(3);
  std::vector<double> begin;
  for (int k = 0; k < states; ++k) {
    std::vector<double> q = tandem::random_configuration(*robot, static_cast<std::uint64_t>(from.next()));
    check_contacts(tandem::contacts(set, q));
    const std::vector<double> v = numbers(robot->nv(), 4, from), tau = numbers(robot->nv(), 10, from);
    const auto result = dynamics(q, v, tau, begin);
    require(result.steps >= 0 && result.steps <= options.most_steps, "steps of the solver are counted");
    if (result.converged) {
      require(are_finite(result.a), "accelerations of a converged solution are finite");
      for (const auto& f : result.f_contact) require(f[0] >= 0, "no contact pulls");
      for (const auto& f : result.f_loop)
        for (const double x : f) require(std::isfinite(x), "forces of loop joints are finite");
      require(are_finite(result.f_coupler), "forces of couplers are finite");
    }
    begin = result.a;
    // NaN and infinities in a state come out as such, or are refused
    std::vector<double> bad = v;
    bad[0] = from.number();
    dynamics(q, bad, tau, begin);
  }
  return 0;
}
