// SPDX-License-Identifier: Apache-2.0
/// How links and joints move under forces on themselves: closed forms, and J M^-1 J^T of every link by itself.
#include <gtest/gtest.h>

#include <cmath>

#include "contact/solved.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

/// All mobilities of a robot in a configuration.
struct Mobilities {
  using Found = ContactRobot::Mobility;
  const ModelView<double>& m;
  std::vector<double> w = std::vector<double>(static_cast<std::size_t>(Found::work_rows(m)));
  std::vector<double> joints = std::vector<double>(static_cast<std::size_t>(m.nv));
  Found found{m, w.data()};

  Mobilities(const Model& model, const std::vector<double>& q) : m(model.view<double>()) {
    found.find(q.data(), joints.data());
  }
};

std::vector<double> some_configuration(const Model& model) {
  const auto q = random_configuration(model, 7);
  return {q.begin(), q.end()};
}

void expect_of_all_links(const Model& model) {
  const std::vector<double> q = some_configuration(model);
  const Mobilities of(model, q);
  Workspace<double> work;
  std::vector<double> A(36);
  for (int i = 1; i < model.n_links(); ++i) {
    operational_space_mobility<double>(model, q, i, Reference::local, A, work);
    const double turn = (A[21] + A[28] + A[35]) / 3, origin = (A[0] + A[7] + A[14]) / 3;
    EXPECT_NEAR(of.found.of_turn(i), turn, 1e-11 * turn) << model.name() << " " << i;
    EXPECT_NEAR(of.found.of_point(i, {0, 0, 0}), origin, 1e-11 * (origin + turn)) << model.name() << " " << i;
  }
  std::vector<double> inverse(static_cast<std::size_t>(model.nv()) * static_cast<std::size_t>(model.nv()));
  inverse_mass_matrix<double>(model, q, inverse, work);
  for (int i = 1; i < model.n_links(); ++i) {
    const JointType type = model.joint_type(i);
    if (type == JointType::free || type == JointType::spherical || model.mimic_rule(i).joint) continue;
    for (int k = model.v_index(i); k < model.v_index(i) + joint_kind(type).nv; ++k) {
      const double row = inverse[static_cast<std::size_t>(k) * static_cast<std::size_t>(model.nv() + 1)];
      EXPECT_NEAR(of.joints[static_cast<std::size_t>(k)], row, 1e-10 * row) << model.name() << " " << k;
    }
  }
}

TEST(ContactMobility, OfALinkIsThatOfTheLinkByItself) {
  for (const char* name : {"humanoid", "quadruped", "arm7", "snake:30", "rope:40", "chain:60"})
    expect_of_all_links(load(name));
  ModelBuilder tree = generate("tree:40");  // of joints of all types
  expect_of_all_links(tree.build());
  expect_of_all_links(tree.couple_mimic_joints().build());
}

TEST(ContactMobility, OfPointsOfAFreeRod) {
  const double mass = 2, length = 0.6, across = mass * length * length / 12;
  ModelBuilder builder("rod");
  builder.link({.name = "world"}).link({.name = "rod", .mass = mass, .inertia = {0.01, 0, 0, across, 0, across}});
  const Model rod = builder.joint({.name = "free", .type = JointType::free, .parent = "world", .child = "rod"}).build();
  const Mobilities of(rod, {1, 2, 3, 0.5, 0.5, 0.5, 0.5});
  EXPECT_NEAR(of.found.of_point(1, {0, 0, 0}), 1 / mass, 1e-14);
  const double end = length / 2;  // a push across it turns it, too
  EXPECT_NEAR(of.found.of_point(1, {end, 0, 0}), 1 / mass + 2.0 / 3 * end * end / across, 1e-13);
  EXPECT_NEAR(of.found.of_turn(1), (1 / 0.01 + 2 / across) / 3, 1e-11);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(of.joints[k], 1 / mass, 1e-14);
}

TEST(ContactMobility, OfTheEndOfALongRopeIsThatOfAShortOne) {
  const Model with_few = load("rope:60"), with_many = load("rope:20000");
  const auto at_rest = [](const Model& model) {
    std::vector<double> q(static_cast<std::size_t>(model.nq()));
    for (std::size_t k = 3; k < q.size(); k += 4) q[k] = 1;
    return q;
  };
  const Mobilities few(with_few, at_rest(with_few)), many(with_many, at_rest(with_many));
  EXPECT_NEAR(many.found.of_turn(20000), few.found.of_turn(60), 1e-10 * few.found.of_turn(60));
}

}  // namespace
}  // namespace tandem::test
