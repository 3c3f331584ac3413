// SPDX-License-Identifier: Apache-2.0
/// Closed forms of bodies that fall, rest, creep, slide, roll and rebound. Nothing here knows of shapes: points of a
/// body, and the
/// lowest point of a ball, touch the plane z = 0.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "contact/solved.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {
namespace {

constexpr double g = 9.81;

/// A free body of 1 kg on a slope along x, of which points touch, or a ball that has one.
struct Body {
  ContactRobot robot;
  std::vector<std::array<double, 3>> points;  ///< in its frame
  double radius = 0;                          ///< of the ball
  ContactKind kind;
  std::vector<double> q{0, 0, 0, 0, 0, 0, 1}, v = std::vector<double>(6), a = v;
  std::vector<double> normals;
  SolvedContacts last;

  Body(double slope, double inertia) : robot(model_of(slope, inertia)) {
    kind.link = 1;
    kind.mobility = robot.point_mobility(1, {0, 0, 0}, robot.at_zero());
    robot.options.tolerance = 1e-9;
  }
  static Model model_of(double slope, double inertia) {
    ModelBuilder builder("body");
    builder.link({.name = "world"}).link({.name = "body", .mass = 1, .inertia = {inertia, 0, 0, inertia, 0, inertia}});
    builder.joint({.name = "root", .type = JointType::free, .parent = "world", .child = "body"});
    return builder.gravity({g * std::sin(slope), 0, -g * std::cos(slope)}).build();
  }
  static Body cube(double slope, double half) {
    Body b(slope, 2.0 / 3 * half * half);
    for (const double x : {-half, half})
      for (const double y : {-half, half}) b.points.push_back({x, y, -half});
    b.q[2] = half;
    b.normals.assign(4, 0);
    return b;
  }
  static Body ball(double slope, double radius) {
    Body b(slope, 0.4 * radius * radius);
    b.radius = radius;
    b.q[2] = radius;
    b.normals.assign(1, 0);
    return b;
  }

  std::vector<WorldContact> contacts() const {
    std::vector<WorldContact> found;
    const auto R = turn();
    const auto add = [&](Vec3<double> lowest, double normal) {
      const double distance = lowest.z;
      found.push_back({kind, {distance, lowest.x, lowest.y, 0.5 * distance, 0, 0, 1, 0, 1, 0, -1, 0, 0}, normal});
    };
    const Vec3<double> p = {q[0], q[1], q[2]};
    if (radius > 0) add({p.x, p.y, p.z - radius}, normals[0]);
    for (std::size_t k = 0; k < points.size(); ++k)
      add(p + R * Vec3<double>{points[k][0], points[k][1], points[k][2]}, normals[k]);
    return found;
  }
  void step(double h) {
    robot.options.law.h = h;
    last = robot.solve(q, v, std::vector<double>(6), contacts(), a);
    ASSERT_TRUE(last.converged);
    a = last.a;
    for (std::size_t k = 0; k < normals.size(); ++k) normals[k] = last.f_contact[6 * k];
    // semi-implicit Euler for the velocity of the origin in the world, not along axes that turn
    const auto R = turn();
    const auto w = load<Vec3<double>>(v.data(), 3), u = load<Vec3<double>>(v.data(), 0);
    const auto faster = load<Vec3<double>>(a.data(), 0) + cross(w, u);
    const Vec3<double> in_world = R * mul_add(h, faster, u);
    const Vec3<double> turning = w + h * load<Vec3<double>>(a.data(), 3);
    store(q.data(), 0, load<Vec3<double>>(q.data(), 0) + h * in_world);
    store(q.data(), 3, normalised(load<Quaternion<double>>(q.data(), 3) * exponential(h * turning)));
    store(v.data(), 0, transpose_mul(turn(), in_world));
    store(v.data(), 3, turning);
  }
  void run(double time, double h) {
    for (int k = static_cast<int>(time / h + 0.5); k > 0; --k) step(h);
  }
  Mat3<double> turn() const { return rotation(load<Quaternion<double>>(q.data(), 3)); }
  double speed_along() const { return (turn() * load<Vec3<double>>(v.data(), 0)).x; }
};

/// A mass on a vertical slide with one contact: a = (1 - d) a_free + d reference whatever the mass [MuJoCo,
/// Computation, Constraint
/// model, Residuals]; in one step to its end the same with what the end of the step has.
struct Falling {
  double mass = 2.5, h = 0.002;
  ContactRobot robot;
  static Model model_of(double mass) {
    ModelBuilder builder("mass");
    builder.link({.name = "world"}).link({.name = "m", .mass = mass, .inertia = {1, 0, 0, 1, 0, 1}});
    builder.joint({.name = "up", .type = JointType::prismatic, .parent = "world", .child = "m", .axis = {0, 0, 1}});
    return builder.build();
  }
  Falling() : robot(model_of(2.5)) {
    robot.options.law.h = h;
    robot.options.tolerance = 1e-12;
  }
  double solve(const Softness& soft, double r, double v) {
    WorldContact c{};
    c.kind.link = 1;
    c.kind.dim = 1;
    c.kind.softness = soft;
    c.kind.mobility = robot.mobility[0];
    EXPECT_NEAR(c.kind.mobility, 1 / mass, 1e-15);
    const double place[] = {r, 0, 0, r / 2, 0, 0, 1, 0, 1, 0, -1, 0, 0};
    std::copy(std::begin(place), std::end(place), c.place);
    const auto found = robot.solve({r}, {v}, {0}, {c}, {0});
    EXPECT_NEAR(mass * (found.a[0] + g), found.f_contact[0], 1e-11 * (mass * g + std::abs(found.f_contact[0])));
    return found.a[0];
  }
  /// MuJoCo's documentation: a sigmoid of two powers.
  static double impedance(const Softness& s, double r) {
    const auto [d0, dw, width, mid, power] = std::to_array(s.solimp);
    const double x = std::min(1.0, std::abs(r) / width);
    const double y = x <= mid ? std::pow(x, power) / std::pow(mid, power - 1)
                              : 1 - std::pow(1 - x, power) / std::pow(1 - mid, power - 1);
    return d0 + y * (dw - d0);
  }
};

TEST(ContactLaws, ServoAcceleratesBetweenFreeAndReference) {
  Falling f;
  for (const double power : {1.0, 2.0, 3.5})
    for (const double mid : {0.3, 0.5})
      for (const double r : {-1e-5, -4e-4, -8e-4, -3e-3})
        for (const double v : {-0.5, 0.0})
          for (const bool direct : {false, true}) {
            Softness s{{0.03, 0.7}, {0.6, 0.97, 0.001, mid, power}};
            const double dw = 0.97;
            double k = 1 / (dw * dw * 0.03 * 0.03 * 0.7 * 0.7), b = 2 / (dw * 0.03);
            if (direct) {
              s.solref[0] = -2000, s.solref[1] = -30;
              k = 2000 / (dw * dw), b = 30 / dw;
            }
            const double d = Falling::impedance(s, r), reference = -b * v - k * d * r;
            const double expected = reference > -g ? (1 - d) * -g + d * reference : -g;
            EXPECT_NEAR(f.solve(s, r, v), expected, 1e-12 * (g + std::abs(expected)));
          }
}

TEST(ContactLaws, ServoImplicitHasTheStateAtTheEndOfTheStep) {
  Falling f;
  f.robot.options.law.law = RowLaw::servo_implicit;
  const Softness s{{0.02, 1}, {0.8, 0.95, 0.001, 0.5, 2}};
  const double k = 1 / (0.95 * 0.95 * 0.02 * 0.02), b = 2 / (0.95 * 0.02), h = f.h;
  for (const double r : {-1e-4, -7e-4, -2e-3})
    for (const double v : {-0.4, 0.0}) {
      const double a = f.solve(s, r, v), d = Falling::impedance(s, r), R = (1 - d) / d / f.mass;
      const double at_end = -b * (v + h * a) - k * d * (r + h * (v + h * a));
      EXPECT_NEAR(R * f.mass * (a + g) + a, at_end, 1e-11 * (std::abs(at_end) + std::abs(a)));
    }
}

TEST(ContactLaws, StopMeetsWithoutRebound) {
  Falling f;
  f.robot.options.law.law = RowLaw::stop;
  f.robot.options.law.hardness = 1e4;
  for (const double v : {-3.0, -0.01}) {
    const double r = -1e-3, after = v + f.h * f.solve({}, r, v), wanted = 1e-3 / 0.05;
    EXPECT_NEAR(after, wanted, std::abs(v - f.h * g - wanted) / 1e4 * 1.01);
  }
}

TEST(ContactPhysics, StaticDepthBalancesWeight) {  // R f = k d |r|
  Body ball = Body::ball(0, 0.1);
  ball.run(2, 0.002);
  const double r = ball.q[2] - 0.1, d = Falling::impedance(ball.kind.softness, r), k = 1 / (0.95 * 0.95 * 0.02 * 0.02);
  EXPECT_LT(r, 0);
  EXPECT_NEAR((1 - d) / d * g, k * d * -r, 1e-9 * g);
  for (const double x : ball.v) EXPECT_NEAR(x, 0, 1e-12);
}

TEST(ContactPhysics, CubeCreepsAsTheSoftModelSays) {  // v = f_t R_t / b
  const double slope = 20 * std::numbers::pi / 180;
  for (const double impratio : {1.0, 10.0, 100.0}) {
    Body cube = Body::cube(slope, 0.1);
    cube.robot.options.impratio = impratio;
    cube.run(3, 0.002);
    double inverse = 0;
    for (const auto& c : cube.contacts()) {
      const double d = Falling::impedance(cube.kind.softness, c.place[0]), R_t = (1 - d) / d / impratio;
      inverse += 2 / (0.95 * 0.02) / R_t;
    }
    const double expected = g * std::sin(slope) / inverse;
    EXPECT_NEAR(cube.speed_along(), expected, 1e-3 * expected);
    EXPECT_NEAR(cube.speed_along(), 8.741e-4 / impratio, 1e-3 * 8.741e-4 / impratio);  // measured in MuJoCo 4.0.0
  }
}

TEST(ContactPhysics, CubeSlipsAtTheAngleOfFriction) {
  for (const Coupling coupling : {Coupling::cone, Coupling::disc})
    for (const double over : {0.99, 1.01}) {
      Body cube = Body::cube(std::atan(0.5 * over), 0.05);
      cube.kind.friction[0] = cube.kind.friction[1] = 0.5;
      cube.robot.options.coupling = coupling;
      cube.run(1, 0.002);
      const double free = g * std::sin(std::atan(0.5 * over));
      EXPECT_EQ(cube.speed_along() > 0.005 * free, over > 1) << cube.speed_along();
    }
}

/// a = g (sin - mu cos). What slides on a cone is lifted, hops and loses friction, 5 % of it here, as in MuJoCo.
TEST(ContactPhysics, CubeSlidesWithWhatFrictionLeaves) {
  const double slope = 0.5, mu = 0.3;
  for (const Coupling coupling : {Coupling::cone, Coupling::disc}) {
    Body cube = Body::cube(slope, 0.05);
    cube.kind.friction[0] = cube.kind.friction[1] = mu;
    cube.robot.options.coupling = coupling;
    cube.run(0.3, 0.001);
    const double before = cube.speed_along();
    cube.run(0.2, 0.001);
    const double expected = g * (std::sin(slope) - mu * std::cos(slope));
    EXPECT_NEAR((cube.speed_along() - before) / 0.2, expected, (coupling == Coupling::cone ? 0.1 : 1e-3) * expected);
  }
}

TEST(ContactPhysics, BallRollsAndSlips) {  // 5/7 g sin while mu >= 2/7 tan
  const double slope = 0.4;
  for (const double mu : {1.0, 0.05}) {
    Body ball = Body::ball(slope, 0.1);
    ball.kind.friction[0] = ball.kind.friction[1] = mu;
    ball.run(0.3, 0.001);
    const double before = ball.speed_along();
    ball.run(0.3, 0.001);
    const double rolling = 5.0 / 7 * g * std::sin(slope), slipping = g * (std::sin(slope) - mu * std::cos(slope));
    const double expected = mu >= 2.0 / 7 * std::tan(slope) ? rolling : slipping;
    EXPECT_NEAR((ball.speed_along() - before) / 0.3, expected, 1e-2 * expected);
  }
}

TEST(ContactPhysics, BallReboundsAsADampedSpring) {
  // r'' = -(1 - d) g - d b r' - d^2 k r while it pushes, with d constant: solved by small steps of Runge and Kutta
  const double d = 0.9, k = 40000, b = 20, v0 = -1;
  const auto acceleration = [&](double r, double v) { return -(1 - d) * g - d * b * v - d * d * k * r; };
  double r = 0, v = v0;
  for (const double h = 1e-6; acceleration(r, v) > -g;) {
    const double k1 = acceleration(r, v), k2 = acceleration(r + h / 2 * v, v + h / 2 * k1);
    const double k3 = acceleration(r + h / 2 * (v + h / 2 * k1), v + h / 2 * k2);
    const double k4 = acceleration(r + h * (v + h / 2 * k2), v + h * k3);
    r += h * v + h * h / 6 * (k1 + k2 + k3);
    v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  double errors[2];
  for (int n = 0; n < 2; ++n) {
    Body ball = Body::ball(0, 0.1);
    ball.kind.dim = 1;
    ball.kind.softness = {{-k * d * d, -b * d}, {d, d, 0.001, 0.5, 2}};
    ball.v[2] = v0;
    ball.q[2] -= 1e-9;
    const double h = n == 0 ? 1e-4 : 5e-5;
    do ball.step(h);
    while (ball.last.f_contact[0] > 0);
    errors[n] = std::abs(ball.v[2] - v) / v;
  }
  EXPECT_LT(errors[0], 1e-2);
  EXPECT_LT(errors[1], 0.7 * errors[0]);
}

TEST(ContactPhysics, DiscDoesNotLiftWhatSlides) {
  for (const Coupling coupling : {Coupling::cone, Coupling::disc}) {
    Body cube = Body::cube(0, 0.05);
    cube.kind.friction[0] = cube.kind.friction[1] = 0.5;
    cube.robot.options.coupling = coupling;
    cube.run(0.4, 0.002);
    const double z = cube.q[2];
    double lift = 0;
    cube.v[0] = 1;
    for (int k = 0; k < 150; ++k) {
      cube.step(0.002);
      lift = std::max(lift, cube.q[2] - z);
    }
    if (coupling == Coupling::cone)
      EXPECT_GT(lift, 3e-4);
    else
      EXPECT_LT(lift, 1e-5);
    EXPECT_LT(cube.speed_along(), 2e-3);
  }
}

TEST(ContactPhysics, WhatRestsGainsNoEnergy) {
  for (const RowLaw law : {RowLaw::servo, RowLaw::servo_implicit, RowLaw::stop})
    for (const Coupling coupling : {Coupling::cone, Coupling::pyramid, Coupling::disc}) {
      Body cube = Body::cube(0, 0.05);
      cube.robot.options.law.law = law;
      cube.robot.options.law.hardness = 1000;
      cube.robot.options.coupling = coupling;
      cube.run(1, 0.002);
      const double z = cube.q[2];
      for (int k = 0; k < 500; ++k) {
        cube.step(0.002);
        double square = 0;
        for (const double x : cube.v) square += x * x;
        ASSERT_LT(square, 1e-16);
      }
      EXPECT_NEAR(cube.q[2], z, 1e-9);
    }
}

/// M a + bias - tau - J^T f = 0 by other functions of the library, at states that are thrown about.
TEST(ContactPhysics, ForcesAreThoseOfTheMotion) {
  for (const Coupling coupling : {Coupling::cone, Coupling::pyramid, Coupling::disc}) {
    Body cube = Body::cube(0.1, 0.05);
    cube.kind.dim = 6;
    cube.robot.options.coupling = coupling;
    cube.robot.options.tolerance = 1e-12;
    cube.robot.options.most_steps = 60;
    cube.v = {1, -0.5, -2, 3, 1, -2};
    Workspace<double> work;
    const Model& model = cube.robot.model;
    for (int k = 0; k < 100; ++k) {
      const auto q = cube.q, v = cube.v;
      const auto contacts = cube.contacts();
      cube.step(0.002);
      std::vector<double> pose(static_cast<std::size_t>(12 * model.n_frames())), tau(6);
      std::vector<double> f_ext(static_cast<std::size_t>(6 * model.n_links()));
      forward_kinematics<double>(model, q, pose, work);
      double size = g;
      for (std::size_t c = 0; c < contacts.size(); ++c) {
        const double* const f = &cube.last.f_contact[6 * c];
        double force[3], moment[3], arm[3];
        for (int j = 0; j < 3; ++j) {
          const auto of_axes = [&](const double* x) {
            double sum = 0;
            for (int r = 0; r < 3; ++r) sum += contacts[c].place[ContactPlace::axes + 3 * r + j] * x[r];
            return sum;
          };
          force[j] = of_axes(f);
          moment[j] = of_axes(f + 3);
          arm[j] = contacts[c].place[ContactPlace::point + j] - pose[static_cast<std::size_t>(12 + 4 * j + 3)];
          size += std::abs(force[j]);
        }
        for (std::size_t j = 0; j < 3; ++j)
          moment[j] += arm[(j + 1) % 3] * force[(j + 2) % 3] - arm[(j + 2) % 3] * force[(j + 1) % 3];
        for (std::size_t j = 0; j < 3; ++j)
          for (std::size_t r = 0; r < 3; ++r) {
            f_ext[6 + j] += pose[12 + 4 * r + j] * force[r];
            f_ext[9 + j] += pose[12 + 4 * r + j] * moment[r];
          }
      }
      inverse_dynamics<double>(model, q, v, cube.last.a, tau, work, f_ext);
      for (const double x : tau) EXPECT_NEAR(x, 0, 1e-10 * size);
    }
  }
}

}  // namespace
}  // namespace tandem::test
