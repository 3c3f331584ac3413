// SPDX-License-Identifier: Apache-2.0
#include "tandem/model/generators.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/random.hpp"
#include "core/text.hpp"
#include "names.hpp"

namespace tandem {

using namespace model_detail;

namespace {

// Only sums, products, quotients and square roots of numbers from Random: these are the same everywhere, as
// this file and rotation.cpp are compiled without fused multiply-add. No expression draws two numbers whose
// order it leaves open.

using Triple = std::array<double, 3>;

double uniform(Random& random, double lower, double upper) { return lower + (upper - lower) * random.unit(); }
double length(const Triple& a) { return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }
Triple scaled(double s, const Triple& a) { return {s * a[0], s * a[1], s * a[2]}; }

/// Unit vector, every direction equally likely: a point in the unit ball, pushed to its surface.
Triple random_direction(Random& random) {
  while (true) {
    const Triple a = {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
    const double r = length(a);
    if (r > 0.1 && r < 1) return scaled(1 / r, a);
  }
}

/// Vector of random direction and a length between the two.
Triple random_vector(Random& random, double shortest, double longest) {
  const double size = uniform(random, shortest, longest);
  return scaled(size, random_direction(random));
}

/// Rotation, every one equally likely: a quaternion in the unit ball of four dimensions.
std::array<double, 9> random_rotation(Random& random) {
  while (true) {
    const std::array<double, 4> a = {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1),
                                     uniform(random, -1, 1)};
    const double square = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
    if (square > 0.01 && square < 1) return rotation_from_quaternion(a[0], a[1], a[2], a[3]);
  }
}

/// R diag(p) R^T as xx xy xz yy yz zz.
std::array<double, 6> rotated_inertia(const std::array<double, 9>& r, const Triple& p) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    return r[3 * i] * p[0] * r[3 * j] + r[3 * i + 1] * p[1] * r[3 * j + 1] + r[3 * i + 2] * p[2] * r[3 * j + 2];
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// A link like those of an arm: a tilted box of random sides, its centre of mass off the origin.
LinkDescription random_link(Random& random, std::string name) {
  LinkDescription link = {.name = std::move(name)};
  link.mass = uniform(random, 0.5, 3);
  link.com = random_vector(random, 0.03, 0.12);
  Triple squares{};
  for (double& square : squares) {
    const double side = uniform(random, 0.05, 0.25);
    square = side * side;
  }
  const double m_12 = link.mass / 12;
  const Triple moments = {m_12 * (squares[1] + squares[2]), m_12 * (squares[0] + squares[2]),
                          m_12 * (squares[0] + squares[1])};
  link.inertia = rotated_inertia(random_rotation(random), moments);
  return link;
}

/// A joint 0.1 to 0.3 m away from the one before it, with random axis and, if it is revolute or prismatic,
/// limits.
JointDescription random_joint(Random& random, JointType type, std::string name, std::string parent, std::string child) {
  JointDescription joint = {
      .name = std::move(name), .type = type, .parent = std::move(parent), .child = std::move(child)};
  joint.placement.position = random_vector(random, 0.1, 0.3);
  joint.placement.rotation = random_rotation(random);
  if (type == JointType::fixed || type == JointType::spherical || type == JointType::free) return joint;
  joint.axis = random_direction(random);
  if (type == JointType::prismatic) {
    joint.lower = -uniform(random, 0.05, 0.2);
    joint.upper = uniform(random, 0.05, 0.2);
    joint.velocity = uniform(random, 0.5, 2);
    joint.effort = uniform(random, 100, 500);
  } else if (type == JointType::revolute || type == JointType::continuous) {
    if (type == JointType::revolute) {
      joint.lower = -uniform(random, 1, 3);
      joint.upper = uniform(random, 1, 3);
    }
    joint.velocity = uniform(random, 1, 5);
    joint.effort = uniform(random, 50, 200);
  }
  return joint;
}

/// Solid cylinder of the given length and radius: along the axis of that number (0 x, 1 y, 2 z), reaching
/// from the link's origin to `end` on it.
LinkDescription cylinder(std::string name, std::size_t axis, double end, double radius, double mass) {
  LinkDescription link = {.name = std::move(name), .mass = mass};
  link.com[axis] = end / 2;
  Triple moments;
  moments.fill(mass * (3 * radius * radius + end * end) / 12);
  moments[axis] = mass * radius * radius / 2;
  link.inertia = {moments[0], 0, 0, moments[1], 0, moments[2]};
  return link;
}

std::string numbered(const char* word, int i) { return word + std::to_string(i); }

ModelBuilder chain(const std::string& name, int n, std::uint64_t seed) {
  Random random(seed);
  ModelBuilder builder(name);
  builder.reserve(static_cast<std::size_t>(n) + 1);
  builder.link(random_link(random, "base"));
  std::string parent = "base";
  for (int i = 1; i <= n; ++i) {
    const std::string child = numbered("link", i);
    const JointType type = random.below(4) == 0 ? JointType::prismatic : JointType::revolute;
    builder.joint(random_joint(random, type, numbered("joint", i), parent, child));
    builder.link(random_link(random, child));
    parent = child;
  }
  return builder;
}

/// Segments of 0.1 m, 50 g and 5 mm radius that hang down from the base at z = 0.
ModelBuilder rope(const std::string& name, int n, bool bending) {
  constexpr double segment_length = 0.1, radius = 0.005, mass = 0.05, damping = 1e-4, widest = 1.5;
  ModelBuilder builder(name);
  builder.reserve((bending ? 2 : 1) * static_cast<std::size_t>(n) + 1);
  builder.link({.name = "base"});
  std::string parent = "base";
  const auto add = [&](JointType type, std::string joint, const std::string& child, double z, const Triple& axis) {
    const double limit = type == JointType::revolute ? widest : unlimited;
    builder.joint({.name = std::move(joint),
                   .type = type,
                   .parent = std::exchange(parent, child),
                   .child = child,
                   .placement = {{0, 0, z}},
                   .axis = axis,
                   .lower = -limit,
                   .upper = limit,
                   .damping = damping});
  };
  for (int i = 1; i <= n; ++i) {
    const double z = i == 1 ? 0 : -segment_length;
    const std::string segment = numbered("segment", i);
    if (bending) {
      const std::string cross = numbered("cross", i);
      builder.link({.name = cross});
      add(JointType::revolute, numbered("bend_x", i), cross, z, {1, 0, 0});
      add(JointType::revolute, numbered("bend_y", i), segment, 0, {0, 1, 0});
    } else {
      add(JointType::spherical, numbered("ball", i), segment, z, {1, 0, 0});
    }
    builder.link(cylinder(segment, 2, -segment_length, radius, mass));
  }
  return builder;
}

/// Segments of 0.1 m, 0.5 kg and 3 cm radius along x. The first floats, the others turn left and right or up
/// and down.
ModelBuilder snake(const std::string& name, int n) {
  constexpr double segment_length = 0.1, radius = 0.03, mass = 0.5, damping = 0.01, widest = 1.2;
  ModelBuilder builder(name);
  builder.reserve(static_cast<std::size_t>(n) + 1);
  builder.link({.name = "world"});
  builder.link(cylinder("segment1", 0, segment_length, radius, mass));
  builder.joint({.name = "floating_base", .type = JointType::free, .parent = "world", .child = "segment1"});
  for (int i = 2; i <= n; ++i) {
    const bool yaw = i % 2 == 0;
    const std::string segment = numbered("segment", i);
    builder.link(cylinder(segment, 0, segment_length, radius, mass));
    builder.joint({.name = numbered(yaw ? "yaw" : "pitch", i),
                   .type = JointType::revolute,
                   .parent = numbered("segment", i - 1),
                   .child = segment,
                   .placement = {{segment_length, 0, 0}},
                   .axis = yaw ? Triple{0, 0, 1} : Triple{0, 1, 0},
                   .lower = -widest,
                   .upper = widest,
                   .damping = damping});
  }
  return builder;
}

/// Joint types come from a shuffled deck of twelve, so that twelve links have them all.
class TreeGenerator {
 public:
  TreeGenerator(const std::string& name, int n, std::uint64_t seed) : random_(seed), builder_(name), n_(n) {}

  ModelBuilder generate() {
    builder_.reserve(static_cast<std::size_t>(n_) + 1);
    builder_.link(random_link(random_, "base"));
    for (int i = 1; i <= n_; ++i) add(i);
    return std::move(builder_);
  }

 private:
  struct Card {
    JointType type;
    bool mimic;
  };

  void add(int i) {
    const Card card = draw();
    const auto above = static_cast<int>(random_.below(static_cast<std::uint64_t>(i)));
    const std::string parent = above == 0 ? "base" : numbered("link", above);
    const std::string child = numbered("link", i);
    JointDescription joint = random_joint(random_, card.type, numbered("joint", i), parent, child);
    if (card.mimic && !leaders_.empty()) {
      joint.mimic = numbered("joint", leaders_[random_.below(leaders_.size())]);
      joint.multiplier = uniform(random_, 0.5, 2);
      if (random_.below(2) == 0) joint.multiplier = -joint.multiplier;
      joint.offset = uniform(random_, -0.3, 0.3);
    }
    const bool can_lead = joint_nq(card.type) == 1;
    builder_.joint(std::move(joint));
    builder_.link(random_link(random_, child));
    if (can_lead) leaders_.push_back(i);
  }

  Card draw() {
    const std::size_t k = drawn_++ % deck_.size();
    std::swap(deck_[k], deck_[k + random_.below(deck_.size() - k)]);
    return deck_[k];
  }

  Random random_;
  ModelBuilder builder_;
  int n_;
  std::vector<int> leaders_;  // joints that others may follow; those that follow may be followed as well
  std::size_t drawn_ = 0;
  std::array<Card, 12> deck_{{{JointType::revolute, false},
                              {JointType::revolute, false},
                              {JointType::revolute, false},
                              {JointType::revolute, true},
                              {JointType::continuous, false},
                              {JointType::continuous, false},
                              {JointType::prismatic, false},
                              {JointType::prismatic, false},
                              {JointType::planar, false},
                              {JointType::spherical, false},
                              {JointType::free, false},
                              {JointType::fixed, false}}};
};

constexpr const char* kinds[] = {"chain", "rope", "tree", "snake"};
constexpr int largest = 10'000'000;

std::string_view kind_of(std::string_view spec) { return spec.substr(0, spec.find(':')); }

/// N of KIND:N, or 0 if it is no number in range.
int number_of_links(std::string_view digits) {
  int n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  return error == std::errc() && end == digits.data() + digits.size() && n >= 1 && n <= largest ? n : 0;
}

}  // namespace

bool is_generator(std::string_view spec) {
  return std::any_of(std::begin(kinds), std::end(kinds), [&](const char* kind) { return kind_of(spec) == kind; });
}

ModelBuilder generate(std::string_view spec, std::uint64_t seed) {
  const std::string_view kind = kind_of(spec);
  const auto refuse = [&](const std::string& why) { throw Error(sentence("generator ", in_quotes(spec), ": ", why)); };
  if (!is_generator(spec)) {
    Nearest nearest(kind);
    for (const char* known : kinds) nearest.offer(known);
    refuse("unknown, expected chain:N, rope:N, rope:N:bending, tree:N or snake:N" + nearest.suggestion());
  }
  std::string_view rest = kind.size() < spec.size() ? spec.substr(kind.size() + 1) : "";
  const bool bending = kind == "rope" && rest.ends_with(":bending");
  if (bending) rest.remove_suffix(std::string_view(":bending").size());
  const int n = number_of_links(rest);
  if (n == 0) refuse(sentence("expected ", kind, ":N with a number N from 1 to ", largest, ", N is ", in_quotes(rest)));
  std::string name(spec);
  std::replace(name.begin(), name.end(), ':', '_');
  if (kind == "chain") return chain(name, n, seed);
  if (kind == "rope") return rope(name, n, bending);
  if (kind == "snake") return snake(name, n);
  return TreeGenerator(name, n, seed).generate();
}

}  // namespace tandem
