// SPDX-License-Identifier: Apache-2.0
/// Robots side by side in the lanes of a pack: each has the bits that it has alone, whoever touches beside it.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "backends/cpu/kernels/pack.hpp"
#include "contact/golden.hpp"

namespace tandem::test {
namespace {

constexpr int most_lanes = 4, n_contacts = 5;

struct Lane {
  std::vector<double> q, v, tau, a;
  std::vector<WorldContact> contacts;
};

/// Four feet, and a shin that lies above the floor in most lanes.
class ContactLanes : public ::testing::TestWithParam<Coupling> {
 protected:
  ContactRobot robot{golden_model("tripod")};
  std::mt19937 random{20261127};
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }

  Lane lane(int k) {
    const std::size_t nv = static_cast<std::size_t>(robot.model.nv());
    Lane l{robot.at_zero(), std::vector<double>(nv), std::vector<double>(nv), std::vector<double>(nv), {}};
    for (std::size_t j = 7; j < l.q.size(); ++j) l.q[j] = number(-1, 0.4);
    for (double& x : l.v) x = number(-1, 1);
    for (double& x : l.tau) x = number(-1, 1);
    const int links[n_contacts] = {1, 3, 3, 5, 7}, dims[n_contacts] = {1, 3, 3, 4, 6};
    for (int c = 0; c < n_contacts; ++c) {
      WorldContact contact{};
      contact.kind.link = links[c];
      contact.kind.dim = dims[c];
      const bool touches = (c + k) % 2 == 0 || k == 3;
      const double distance = touches && k != 2 ? number(-2e-3, -1e-4) : k == 2 && c != 4 ? 1e30 : number(1e-3, 1);
      const double place[] = {distance, number(-1, 1), number(-1, 1), 0, 0, 0, 1, 0, 1, 0, -1, 0, 0};
      std::copy(std::begin(place), std::end(place), contact.place);
      contact.last_normal = c == 1 ? 0 : 20;
      l.contacts.push_back(contact);
    }
    return l;
  }
};

template <class T>
void expect_same_bits(const ContactRobot& robot, const std::vector<Lane>& states) {
  constexpr int lanes = 16 / sizeof(T);
  using P = Pack<T, lanes>;
  const auto& m = robot.model.view<T>();
  const auto packed = [&](auto&& of_lane) {
    std::vector<P> x(of_lane(states[0]).size());
    for (std::size_t row = 0; row < x.size(); ++row)
      for (int k = 0; k < lanes; ++k)
        x[row].lanes[k] = static_cast<T>(of_lane(states[static_cast<std::size_t>(k)])[row]);
    return x;
  };
  auto q = packed([](const Lane&l) { return l.q; }), v = packed([](const Lane&l) { return l.v; });
  auto tau = packed([](const Lane&l) { return l.tau; }), a = packed([](const Lane&l) { return l.a; });
  auto places = packed([](const Lane& l) {
    std::vector<double> rows;
    for (const auto& c : l.contacts) rows.insert(rows.end(), std::begin(c.place), std::end(c.place));
    return rows;
  });
  auto normals = packed([](const Lane& l) {
    std::vector<double> rows;
    for (const auto& c : l.contacts) rows.push_back(c.last_normal);
    return rows;
  });
  std::vector<ContactKind> kinds;
  for (const auto& c : states[0].contacts) kinds.push_back(c.kind);
  using Solver = ContactSolver<P, T, P*>;
  const JointSoftness soft{nullptr, nullptr, robot.mobility.data()};
  std::vector<P> w(static_cast<std::size_t>(Solver::work_rows(m, soft, n_contacts, 0, 0))), f(6 * n_contacts),
      f_limit(a.size()), f_friction(a.size());
  const ContactList<P*> list{n_contacts, kinds.data(), places.data(), normals.data()};
  P* const none = nullptr;
  const auto done = Solver{m, robot.options, soft, list, w.data()}.solve(
      q.data(), v.data(), tau.data(), none, none, a.data(), f_limit.data(), f_friction.data(), f.data());
  for (int k = 0; k < lanes; ++k) {
    const Lane& l = states[static_cast<std::size_t>(k)];
    const auto alone = robot.solve<T>(l.q, l.v, l.tau, l.contacts, l.a);
    EXPECT_EQ(static_cast<double>(done.steps.lanes[k]), alone.steps);
    EXPECT_EQ(done.converged.lanes[k] == T(1), alone.converged);
    if (robot.options.law.law != RowLaw::stop || robot.options.coupling == Coupling::disc) {
      EXPECT_TRUE(alone.converged);
    }
    const auto same = [&](const std::vector<P>& ours, const std::vector<double>& theirs) {
      for (std::size_t row = 0; row < theirs.size(); ++row)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(ours[row].lanes[k])),
                  std::bit_cast<std::uint64_t>(theirs[row]))
            << "lane " << k << " row " << row;
    };
    same(a, alone.a);
    same(f, alone.f_contact);
    same(f_limit, alone.f_limit);
    same(f_friction, alone.f_friction);
  }
}

TEST_P(ContactLanes, HaveTheBitsOfOneAlone) {
  if (!reads_mjcf()) GTEST_SKIP() << "no MuJoCo";
  robot.options.coupling = GetParam();
  for (const RowLaw law : {RowLaw::servo, RowLaw::servo_implicit, RowLaw::stop}) {
    robot.options.law.law = law;
    robot.options.law.hardness = 1000;
    for (int round = 0; round < 5; ++round) {
      std::vector<Lane> states;
      for (int k = 0; k < most_lanes; ++k) states.push_back(lane(k));
      expect_same_bits<double>(robot, states);
      expect_same_bits<float>(robot, states);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, ContactLanes, ::testing::Values(Coupling::cone, Coupling::pyramid, Coupling::disc));

}  // namespace
}  // namespace tandem::test
