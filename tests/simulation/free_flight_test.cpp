// SPDX-License-Identifier: Apache-2.0
/// Bodies and robots on which no force acts, over ten thousand steps: straight lines, parabolas, uniform turning,
/// torque-free precession, momentum and energy, in closed form.
#include <gtest/gtest.h>

#include <array>

#include "robots.hpp"

namespace tandem::test {
namespace {

constexpr double millisecond = 1e-3;
constexpr int ten_thousand = 10000;
constexpr double rounding = 32 * ten_thousand * 2.220446049250313e-16;  ///< of a sum over as many steps, relative

using Vector = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // x y z w

Vector turned(const Quaternion& a, const Vector& x) {
  const Vector u = {a[0], a[1], a[2]};
  const auto cross = [](const Vector& b, const Vector& c) -> Vector {
    return {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]};
  };
  const Vector once = cross(u, x), twice = cross(u, once);
  Vector y;
  for (std::size_t k = 0; k < 3; ++k) y[k] = x[k] + 2 * (a[3] * once[k] + twice[k]);
  return y;
}
Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
          a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
/// Turning by `angle` about an axis of length 1.
Quaternion about(const Vector& axis, double angle) {
  const double s = std::sin(angle / 2);
  return {s * axis[0], s * axis[1], s * axis[2], std::cos(angle / 2)};
}
double apart(const Quaternion& a, const Quaternion& b) {  // rad
  double cosine = 0;
  for (std::size_t k = 0; k < 4; ++k) cosine += a[k] * b[k];
  const Quaternion c = product({-a[0], -a[1], -a[2], a[3]}, b);
  return 2 * std::atan2(std::hypot(c[0], c[1], c[2]), std::abs(cosine));
}

/// 1 kg, about its centre of mass at the origin.
Model body(JointType type, const Vector& inertia, const Vector& gravity = {0, 0, 0}, double damping = 0) {
  OneJoint one{.joint = {.type = type, .axis = {0, 0, 1}, .damping = damping},
               .body = {.name = "body", .mass = 1, .inertia = {inertia[0], 0, 0, inertia[1], 0, inertia[2]}}};
  return one.build(gravity);
}

/// A body that flies, on a free joint or on a planar one, which keeps it in the plane z = 0.
struct Flight {
  Simulation<double> s;
  bool planar;

  Flight(JointType type, const Vector& inertia, Integrator integrator, const Vector& gravity = {0, 0, 0},
         double damping = 0)
      : s(body(type, inertia, gravity, damping),
          {.dt = millisecond, .integrator = integrator, .excess = unlimited, .max_speed = unlimited}),
        planar(type == JointType::planar) {}
  Vector position() { return {s.q()[0], s.q()[1], planar ? 0 : s.q()[2]}; }
  Quaternion turn() {
    if (planar) return about({0, 0, 1}, s.q()[2]);
    return {s.q()[3], s.q()[4], s.q()[5], s.q()[6]};
  }
  Vector velocity() { return turned(turn(), {s.v()[0], s.v()[1], planar ? 0 : s.v()[2]}); }
};

/// From the origin, with the velocity that it starts with.
void expect_straight_line(Flight& flight) {
  const Vector V = flight.velocity();
  run(flight.s, ten_thousand);
  const Vector at = flight.velocity(), p = flight.position();
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(at[k], V[k], rounding) << k;
    EXPECT_NEAR(p[k], V[k] * flight.s.time(), rounding * flight.s.time()) << k;
  }
}

class FreeFlight : public testing::TestWithParam<Integrator> {};
INSTANTIATE_TEST_SUITE_P(Integrators, FreeFlight, testing::ValuesIn(integrators));

TEST_P(FreeFlight, OfASpinningBodyIsAStraightLine) {
  for (const JointType type : {JointType::free, JointType::planar}) {
    Flight flight(type, {0.01, 0.01, 0.01}, GetParam());
    set(flight.s.v(),
        type == JointType::planar ? std::vector<double>{1, 0.5, 20} : std::vector<double>{1, 0.5, -0.3, 9, 7, 16});
    expect_straight_line(flight);
  }
}

TEST_P(FreeFlight, OfATumblingBodyIsAStraightLine) {
  Flight flight(JointType::free, {0.01, 0.02, 0.025}, GetParam());
  set(flight.s.v(), {1, 0.5, -0.3, 1, 8, 0.5});
  expect_straight_line(flight);
}

TEST_P(FreeFlight, OfAThrownBallIsAParabola) {
  constexpr double weight = 9.81;
  for (const JointType type : {JointType::free, JointType::planar}) {
    Flight flight(type, {0.01, 0.01, 0.01}, GetParam(), {0, -weight, 0});
    set(flight.s.v(),
        type == JointType::planar ? std::vector<double>{5, 5, 20} : std::vector<double>{5, 5, 0, 0, 0, 20});
    run(flight.s, 1000);
    // Euler falls with the speed at the end of each step
    const double t = flight.s.time(), late = GetParam() == Integrator::semi_implicit_euler ? millisecond : 0;
    const Vector p = flight.position(), V = flight.velocity();
    EXPECT_NEAR(p[0], 5 * t, rounding);
    EXPECT_NEAR(p[1], 5 * t - weight * t * (t + late) / 2, rounding);
    EXPECT_NEAR(V[0], 5, rounding);
    EXPECT_NEAR(V[1], 5 - weight * t, rounding);
  }
}

TEST_P(FreeFlight, SlowedByDampingKeepsItsDirection) {
  // m V' = -d V, whatever turns: each step divides V by 1 + h d / m, or multiplies it as its method does
  constexpr double damping = 0.4, x = millisecond * damping;
  const double factor = GetParam() == Integrator::semi_implicit_euler ? 1 / (1 + x)
                        : GetParam() == Integrator::rk4 ? 1 - x + x * x / 2 - x * x * x / 6 + x * x * x * x / 24
                                                        : (1 - x / 2) / (1 + x / 2);
  // inertia so large that damping does not slow the turning, by which it is no different
  Flight flight(JointType::free, {1e6, 1e6, 1e6}, GetParam(), {0, 0, 0}, damping);
  set(flight.s.v(), {1, 0.5, -0.3, 9, 7, 16});
  const Vector V = flight.velocity();
  run(flight.s, 1000);
  const Vector at = flight.velocity();
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(at[k], V[k] * std::pow(factor, 1000), rounding) << k;
}

TEST_P(FreeFlight, TurnsUniformlyAboutAPrincipalAxis) {
  constexpr double w = 20;
  for (const JointType type : {JointType::free, JointType::planar, JointType::spherical, JointType::continuous}) {
    Simulation<double> s(body(type, {0.01, 0.01, 0.03}),
                         {.dt = millisecond, .integrator = GetParam(), .max_speed = unlimited});
    s.v().back() = w;
    run(s, ten_thousand);
    const double angle = w * s.time(), size = rounding * angle;
    EXPECT_NEAR(s.v().back(), w, rounding * w);
    if (s.model().nq() == s.model().nv()) {
      EXPECT_NEAR(s.q().back(), angle, size);
    } else {
      const std::size_t k = s.q().size() - 4;
      EXPECT_NEAR(apart({s.q()[k], s.q()[k + 1], s.q()[k + 2], s.q()[k + 3]}, about({0, 0, 1}, angle)), 0, size);
    }
  }
}

/// The largest difference, over ten thousand steps, from the closed form of a symmetric top without torque. Seen by the
/// body its angular velocity w turns about the axis of symmetry at (I3 - I1) / I1 w3; in the world the axis turns about
/// the angular momentum L at |L| / I1.
double precession_error(JointType type, Integrator integrator, double h) {
  const double I1 = 0.02, I3 = 0.03, w1 = 2, w3 = 4;
  Simulation<double> s(body(type, {I1, I1, I3}), {.dt = h, .integrator = integrator});
  const std::size_t iv = type == JointType::free ? 3 : 0, iq = iv;
  s.v()[iv] = w1;
  s.v()[iv + 2] = w3;
  const double size = std::hypot(I1 * w1, I3 * w3), rate = (I3 - I1) / I1 * w3;
  const Vector along = {I1 * w1 / size, 0, I3 * w3 / size};
  double largest = 0;
  for (int k = 0; k < static_cast<int>(std::lround(10 / h)); ++k) {
    s.step();
    if (k % 100 != 99) continue;
    const double t = s.time();
    const Quaternion exact = product(about(along, size / I1 * t), about({0, 0, 1}, -rate * t));
    largest = std::max({largest, std::abs(s.v()[iv] - w1 * std::cos(rate * t)),
                        std::abs(s.v()[iv + 1] - w1 * std::sin(rate * t)),
                        apart({s.q()[iq], s.q()[iq + 1], s.q()[iq + 2], s.q()[iq + 3]}, exact)});
  }
  return largest;
}

TEST_P(FreeFlight, PrecessesAsASymmetricTop) {
  const double order = GetParam() == Integrator::semi_implicit_euler ? 1 : GetParam() == Integrator::rk4 ? 4 : 2;
  for (const JointType type : {JointType::free, JointType::spherical}) {
    const double coarse = precession_error(type, GetParam(), 4e-3), fine = precession_error(type, GetParam(), 2e-3);
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.2);
    EXPECT_LT(precession_error(type, GetParam(), millisecond), order == 1 ? 0.15 : order == 2 ? 1e-4 : 1e-9);
  }
}

TEST(FreeTop, GainsTransverseSpeedWithSemiImplicitEuler) {
  // Euler's equations are stepped explicitly: in a step of length h the part of w across the axis of symmetry grows by
  // sqrt(1 + (h rate)^2), where rate is that of its turning
  const double rate = (0.03 - 0.02) / 0.02 * 4;
  Simulation<double> s(body(JointType::spherical, {0.02, 0.02, 0.03}), {.dt = millisecond});
  set(s.v(), {2, 0, 4});
  run(s, ten_thousand);
  EXPECT_NEAR(std::hypot(s.v()[0], s.v()[1]),
              2 * std::pow(1 + millisecond * millisecond * rate * rate, ten_thousand / 2), 2 * rounding);
  EXPECT_NEAR(s.v()[2], 4, 4 * rounding);
}

/// Angular momentum of a body on a free or spherical joint in the world.
Vector angular_momentum(Simulation<double>& s, const Vector& inertia) {
  const std::size_t k = s.v().size() - 3, i = s.q().size() - 4;
  return turned({s.q()[i], s.q()[i + 1], s.q()[i + 2], s.q()[i + 3]},
                {inertia[0] * s.v()[k], inertia[1] * s.v()[k + 1], inertia[2] * s.v()[k + 2]});
}

struct Drift {
  double energy = 0, momentum = 0,
         direction = 0;  ///< largest relative changes; of the size of the momentum, and of itself
};
/// Of an asymmetric top that tumbles about the axis of the middle moment of inertia.
Drift drift_of_tumbling(Integrator integrator, double h, int n) {
  const Vector inertia = {0.01, 0.02, 0.025};
  Simulation<double> s(body(JointType::free, inertia), {.dt = h, .integrator = integrator});
  set(s.v(), {1, 0.5, -0.3, 0.5, 8, 0.5});
  const double start = total_energy(s);
  const Vector L = angular_momentum(s, inertia);
  const double size = std::hypot(L[0], L[1], L[2]);
  Drift drift;
  for (int k = 0; k < n; ++k) {
    s.step();
    const Vector now = angular_momentum(s, inertia);
    drift.energy = std::max(drift.energy, std::abs(total_energy(s) - start) / start);
    drift.momentum = std::max(drift.momentum, std::abs(std::hypot(now[0], now[1], now[2]) - size) / size);
    drift.direction = std::max(drift.direction, std::hypot(now[0] - L[0], now[1] - L[1], now[2] - L[2]) / size);
  }
  return drift;
}

TEST(FreeTop, KeepsEnergyAndAngularMomentumToTheOrder) {
  const Drift kept = drift_of_tumbling(Integrator::implicit_midpoint, millisecond, ten_thousand);
  EXPECT_LT(kept.energy, rounding);
  EXPECT_LT(kept.momentum, rounding);
  const auto slope = [](Integrator integrator, double h) {
    const double coarse = drift_of_tumbling(integrator, h, static_cast<int>(std::lround(2 / h))).direction;
    return std::log2(coarse / drift_of_tumbling(integrator, h / 2, static_cast<int>(std::lround(4 / h))).direction);
  };
  EXPECT_NEAR(slope(Integrator::semi_implicit_euler, 5e-4), 1, 0.2);
  EXPECT_NEAR(slope(Integrator::implicit_midpoint, 4e-3), 2, 0.2);
  EXPECT_NEAR(slope(Integrator::rk4, 8e-3), 4, 0.5);
  // it does not grow: no larger after a hundred thousand steps than after ten thousand
  const Drift late = drift_of_tumbling(Integrator::implicit_midpoint, millisecond, 10 * ten_thousand);
  EXPECT_LT(late.direction, 2 * kept.direction);
  const Drift of_rk4 = drift_of_tumbling(Integrator::rk4, millisecond, ten_thousand);
  EXPECT_LT(of_rk4.energy, 1e-9);
  EXPECT_LT(of_rk4.direction, 1e-9);
}

/// The largest change, over some steps, of the velocity of the centre of mass of a robot that nothing holds, m/s.
double drift_of_centre(const Model& model, Integrator integrator, double h, int n) {
  auto s = lossless(model, integrator, h, 3);
  set(s.v(), random_velocity(model, 4, 5));
  Workspace<double> work;
  Vector before, after;
  std::array<double, 6> momentum;
  const auto linear = [&](Vector& of) {
    centroidal_momentum(model, s.q(), s.v(), momentum, work);
    std::copy_n(momentum.begin(), 3, of.begin());
  };
  linear(before);
  double largest = 0;
  for (int k = 0; k < n; ++k) {
    s.step();
    if (k % 10 != 9) continue;
    linear(after);
    largest = std::max(largest, std::hypot(after[0] - before[0], after[1] - before[1], after[2] - before[2]));
  }
  return largest / model.mass();
}

TEST(FloatingBase, KeepsLinearMomentumToTheOrder) {
  // the centre of mass is not the base's origin, and joints move it against that
  const Model model = load("quadruped").with_gravity({0, 0, 0});
  const auto slope = [&](Integrator integrator, double h) {
    return std::log2(drift_of_centre(model, integrator, h, static_cast<int>(std::lround(0.5 / h))) /
                     drift_of_centre(model, integrator, h / 2, static_cast<int>(std::lround(1 / h))));
  };
  EXPECT_NEAR(slope(Integrator::semi_implicit_euler, 1e-3), 1, 0.2);
  EXPECT_NEAR(slope(Integrator::implicit_midpoint, 2e-3), 2, 0.3);
  EXPECT_GT(slope(Integrator::rk4, 4e-3), 3.5);
}

}  // namespace
}  // namespace tandem::test
