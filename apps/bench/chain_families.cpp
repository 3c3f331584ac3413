// SPDX-License-Identifier: Apache-2.0
#include "chain_families.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/random.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::bench {
namespace {

using std::numbers::pi;

/// A number that float can hold.
double in_float(double x) { return static_cast<double>(static_cast<float>(x)); }

/// Random numbers that float can hold.
struct Draws {
  Random random;
  explicit Draws(std::uint64_t seed) : random(seed) {}
  double within(double size) { return in_float(random.uniform(-size, size)); }
  std::array<double, 3> triple(double size) {
    const double x = within(size), y = within(size), z = within(size);
    return {x, y, z};
  }
  bool one_in(double n) { return random.unit() * n < 1; }
};

/// Rx(x) Ry(y) Rz(z)
std::array<double, 9> rotation(const std::array<double, 3>& angles) {
  const auto [x, y, z] = angles;
  const std::array<double, 9> backwards = rotation_from_rpy(-x, -y, -z);  // Rz(-z) Ry(-y) Rx(-x), its transpose
  std::array<double, 9> R{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) R[3 * i + k] = backwards[3 * k + i];
  return R;
}

std::string numbered(const char* word, int i) { return word + std::to_string(i); }

/// Joint i from link i - 1 to link i; link 0 is the base.
JointDescription joint(int i, JointType type, std::array<double, 3> axis) {
  JointDescription joint;
  joint.name = numbered("joint", i);
  joint.type = type;
  joint.parent = numbered("link", i - 1);
  joint.child = numbered("link", i);
  joint.axis = axis;
  return joint;
}

/// A link whose centre of mass and moments are those of a rod to `end`, of the given radius of gyration squared about
/// itself, with its centre moved by `offset`.
LinkDescription link(int i, double mass, const std::array<double, 3>& end, const std::array<double, 3>& offset,
                     double gyration) {
  LinkDescription link;
  link.name = numbered("link", i);
  link.mass = mass;
  double length = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    link.com[k] = in_float(0.5 * end[k] + offset[k]);
    length += end[k] * end[k];
  }
  const double across = in_float(mass * (length / 12 + gyration));
  link.inertia = {in_float(mass * gyration), 0, 0, across, 0, across};
  return link;
}

/// Accelerations of the base are those of gravity, the other way round.
void add_base(ModelBuilder& builder, Draws& draws, int n) {
  const auto a = draws.triple(0.5);
  builder.reserve(static_cast<std::size_t>(n) + 1);
  builder.gravity({-a[0], in_float(-a[1] - 9.81), -a[2]});
  builder.link({.name = "link0"});
}

/// Velocities, slower on long chains, accelerations and forces; a wrench on the last link.
void add_motion(ComparisonState& state, Draws& draws, int n) {
  const double speed = 1 / std::sqrt(std::max(1.0, n / 10.0));
  for (int k = 0; k < n; ++k) {
    state.v.push_back(draws.within(speed));
    state.a.push_back(draws.within(1));
    state.tau.push_back(draws.within(1));
  }
  state.f_ext.assign(6 * (static_cast<std::size_t>(n) + 1), 0);
  for (std::size_t k = 0; k < 6; ++k) state.f_ext[6 * static_cast<std::size_t>(n) + k] = draws.within(1);
}

}  // namespace

const char* to_string(Family family) {
  switch (family) {
    case Family::normal: return "normal";
    case Family::rope: return "rope";
    case Family::mass: return "mass";
    case Family::hard: return "hard";
  }
  return "";
}

Chain chain_of(Family family, int n, std::uint64_t seed) {
  Draws draws(1000 * seed + static_cast<std::uint64_t>(n));
  const bool coiled = family == Family::normal || family == Family::mass;
  const bool uneven = family == Family::mass || family == Family::hard;
  const double smallest = family == Family::hard ? 1e-3 : 0;  // angle by which straight chains are bent in themselves
  ModelBuilder builder(std::string(to_string(family)) + "_" + std::to_string(n));
  ComparisonState state;
  add_base(builder, draws, n);
  const auto end = [&] {
    std::array<double, 3> r = coiled ? draws.triple(0.3) : std::array<double, 3>{};
    r[0] = in_float(r[0] + 1);
    return r;
  };
  std::array<double, 3> start = end();  // of link i in the link before
  for (int i = 1; i <= n; ++i) {
    const bool slides = coiled ? draws.one_in(4) : family == Family::hard && draws.one_in(10);
    JointDescription j = joint(i, slides ? JointType::prismatic : JointType::continuous, {0, 0, 1});
    std::array<double, 3> angles = draws.triple(coiled ? pi : smallest);
    if (!coiled) angles[0] = in_float(angles[0] + (i % 2 == 1 ? pi / 2 : -pi / 2));
    j.placement = {start, rotation(angles)};
    start = end();
    const double mass = uneven   ? in_float(std::pow(10, draws.random.uniform(-3, 3)))
                        : coiled ? in_float(draws.random.uniform(0.5, 2))
                                 : 1;
    builder.joint(std::move(j));
    builder.link(link(i, mass, start, coiled ? draws.triple(0.05) : std::array<double, 3>{}, coiled ? 0.02 : 1e-4));
    state.q.push_back(draws.within(coiled ? (slides ? 0.3 : pi) : uneven ? 1e-3 : 0.1));
  }
  add_motion(state, draws, n);
  return {builder.build(), std::move(state)};
}

Chain chain_of_ball_joints(int n, std::uint64_t seed) {
  Draws draws(1000 * seed + static_cast<std::uint64_t>(n));
  ModelBuilder builder("ball_joints_" + std::to_string(n));
  ComparisonState state;
  add_base(builder, draws, 3 * n);
  for (int i = 1; i <= 3 * n; ++i) {
    JointDescription j =
        joint(i, JointType::continuous, {i % 3 == 1 ? 1. : 0., i % 3 == 2 ? 1. : 0., i % 3 == 0 ? 1. : 0.});
    if (i % 3 == 1) j.placement.position = {1, 0, 0};
    builder.joint(std::move(j));
    if (i % 3 == 0)
      builder.link(link(i, in_float(draws.random.uniform(0.5, 2)), {1, 0, 0}, draws.triple(0.05), 0.02));
    else
      builder.link({.name = numbered("link", i)});
    state.q.push_back(draws.within(1));  // away from where three axes lie in a plane
  }
  add_motion(state, draws, 3 * n);
  return {builder.build(), std::move(state)};
}

}  // namespace tandem::bench
