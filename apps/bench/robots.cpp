// SPDX-License-Identifier: Apache-2.0
#include "robots.hpp"

#include "core/random.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::bench {
namespace {

Numbers3 numbers(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
Numbers9 numbers(const Mat3<double>& A) {
  return {A.row0.x, A.row0.y, A.row0.z, A.row1.x, A.row1.y, A.row1.z, A.row2.x, A.row2.y, A.row2.z};
}

PlainLink::Joint joint_of(JointType type) {
  switch (type) {
    case JointType::prismatic: return PlainLink::Joint::prismatic;
    case JointType::spherical: return PlainLink::Joint::spherical;
    case JointType::free: return PlainLink::Joint::free;
    case JointType::helical:
    case JointType::universal:
    case JointType::planar: return PlainLink::Joint::other;
    default: return PlainLink::Joint::revolute;
  }
}

/// X from the parent's coordinates to the link's, and the link's inertia in its own.
PlainLink::InFrame in_frame(const Transform<double>& X, const Inertia<double>& I, const Numbers3& axis) {
  const Vec3<double> com = I.m > 0 ? (1 / I.m) * I.h : Vec3<double>::zero();
  const Inertia<double> central = shift(Inertia<double>{I.m, I.h, I.I}, -com);
  return {numbers(transpose(X.E)), numbers(X.r), axis, numbers(com), numbers(full(central.I))};
}

PlainRobot plain_robot(const std::string& name, const Model& model) {
  const auto& m = model.view<double>();
  PlainRobot robot;
  robot.name = name;
  robot.nq = m.nq;
  robot.nv = m.nv;
  robot.armature.assign(m.armature, m.armature + m.nv);
  robot.links.resize(static_cast<std::size_t>(m.n_links));
  for (int i = 1; i < m.n_links; ++i) {
    PlainLink& link = robot.links[static_cast<std::size_t>(i)];
    link.joint = joint_of(m.type[i]);
    link.parent = m.parent[i];
    if (m.mimics[i] != 0 || link.joint == PlainLink::Joint::other) robot.known_joints = false;
    const auto X = load<Transform<double>>(m.placement, Index{12} * i);
    const auto I = link_inertia<double>(m, i);
    const auto F_i = frame_transform<double>(m, i), F_p = frame_transform<double>(m, m.parent[i]);
    link.mass = I.m;
    link.turned = in_frame(X, I, {0, 0, 1});
    link.described = in_frame(F_i * X * inverse(F_p), transpose_mul(inverse(F_i), I), model.joint_axis(i));
  }
  return robot;
}

std::vector<double> uniform(Random& random, int rows) {
  std::vector<double> result(static_cast<std::size_t>(rows));
  for (double& x : result) x = random.uniform(-1, 1);
  return result;
}

PlainState random_state(const Model& model, Random& random, std::uint64_t seed) {
  PlainState state;
  state.q = random_configuration(model, seed);
  for (auto* column : {&state.v, &state.a, &state.tau}) *column = uniform(random, model.nv());
  return state;
}

void append(std::vector<double>& to, const std::vector<double>& from) { to.insert(to.end(), from.begin(), from.end()); }

/// The name as it was given, or what a file calls its robot.
std::string shown(const std::string& name, const Model& model) {
  return name.find('/') == std::string::npos ? name : model.name();
}

}  // namespace

RobotPointer load_robot(const std::string& name, Index batch) {
  constexpr std::string_view floats = "+floating";
  const bool floating = name.ends_with(floats);
  const Model model = load(floating ? name.substr(0, name.size() - floats.size()) : name, {.floating = floating}, 1);
  PlainRobot robot = plain_robot(shown(name, model), model);
  const int count = model.n_links() > 10000 ? 1 : model.n_links() > 500 ? 2 : 16;
  Random random(7);
  for (int k = 0; k < count; ++k)
    robot.states.push_back(random_state(model, random, 100 + static_cast<std::uint64_t>(k)));

  // so many different ones, then the same again: what a larger batch adds is memory, not variety
  constexpr Index different = 4096;
  std::vector<PlainState> drawn;
  for (Index b = 0; b < std::min(batch, different); ++b)
    drawn.push_back(random_state(model, random, 1000 + static_cast<std::uint64_t>(b)));
  robot.batch_size = batch;
  for (Index b = 0; b < batch; ++b) {
    const PlainState& s = drawn[static_cast<std::size_t>(b % different)];
    append(robot.batch.q, s.q);
    append(robot.batch.v, s.v);
    append(robot.batch.a, s.a);
    append(robot.batch.tau, s.tau);
  }
  return std::make_shared<Robot>(Robot{model, std::make_shared<PlainRobot>(std::move(robot))});
}

}  // namespace tandem::bench
