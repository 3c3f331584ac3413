// SPDX-License-Identifier: Apache-2.0
/// Forces and Hessians of blocks: against differences of the costs that define them, and the limits that friction has.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "tandem/detail/contact/line_search.hpp"

namespace tandem::test {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct Block {
  int dim;
  Vector D, mu, x;
  double N;
};

class Zones : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937 random{20261127};
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  Block block() {
    Block b{GetParam(), Vector(6), Vector(6), Vector(6), number(0, 30)};
    b.mu[0] = number(0.2, 1.5);
    b.D[0] = number(1, 10);
    for (int j = 1; j < 6; ++j) {
      b.mu[j] = number(0.1, 1.5);
      b.D[j] = b.D[0] * b.mu[j] * b.mu[j] / (b.mu[0] * b.mu[0]);  // as the laws make it, so that zones meet
    }
    for (int j = 0; j < 6; ++j) b.x[j] = number(-10, 10);
    return b;
  }
  /// Scales of the rows.
  static Vector scales(Coupling c, const Block& b) {
    Vector s = b.mu.head(b.dim);
    if (b.dim == 1 || c != Coupling::cone) s[0] = 1;
    return s;
  }
  static Zone<double> zone(Coupling c, const Block& b, const Vector& x) {
    const double mm = b.mu[0] * b.mu[0], stiffness = b.D[0] / mm;
    const Vector u = (scales(c, b).array() * x.head(b.dim).array()).matrix();
    return contact_zone(c, b.dim, {b.D[0], stiffness, b.mu[0], stiffness / (1 + mm), b.N}, u.data());
  }
  static Vector force(Coupling c, const Block& b, const Zone<double>& z) {
    return (scales(c, b).array() * Eigen::Map<const Vector>(z.f, z.rows).array()).matrix();
  }
  static Matrix hessian(Coupling c, const Block& b, const Zone<double>& z) {
    Matrix H(z.rows, z.rows);
    for (int i = 0; i < z.rows; ++i)
      for (int j = 0; j < z.rows; ++j) H(i, j) = z.h(i, j);
    return scales(c, b).asDiagonal() * H * scales(c, b).asDiagonal();
  }
};

/// The costs as MuJoCo's documentation has them.
double cost(Coupling coupling, const Block& b, const Vector& x) {
  const auto half = [](double D, double y) { return y < 0 ? 0.5 * D * y * y : 0; };
  if (b.dim == 1) return half(b.D[0], x[0]);
  const Vector u = (b.mu.array() * x.array()).matrix().head(b.dim), t = u.tail(b.dim - 1);
  const double mu = b.mu[0], N = u[0], T = t.norm();
  switch (coupling) {
    case Coupling::cone: {
      if (N >= mu * T) return 0;
      if (mu * N + T <= 0) return 0.5 * (b.D.array() * x.array().square()).head(b.dim).sum();
      const double depth = N - mu * T;
      return 0.5 * b.D[0] / (mu * mu * (1 + mu * mu)) * depth * depth;
    }
    case Coupling::pyramid: {
      double sum = 0;
      for (int j = 1; j < b.dim; ++j) sum += half(b.D[0], x[0] + u[j]) + half(b.D[0], x[0] - u[j]);
      return sum;
    }
    case Coupling::disc: {
      const double elastic = b.D[1] / (b.mu[1] * b.mu[1]);
      const double huber = elastic * T <= b.N ? 0.5 * elastic * T * T : b.N * (T - 0.5 * b.N / elastic);
      return half(b.D[0], x[0]) + huber;
    }
  }
  return 0;
}

TEST_P(Zones, ForcesAndHessiansAreDerivativesOfTheCosts) {
  for (const Coupling c : {Coupling::cone, Coupling::pyramid, Coupling::disc})
    for (int k = 0; k < 2000; ++k) {
      const Block b = block();
      const auto z = zone(c, b, b.x);
      const double h = 1e-6;
      Vector slope(b.dim);
      Matrix H(b.dim, b.dim);
      bool one_zone = true;
      for (int j = 0; j < b.dim; ++j) {
        Vector up = b.x, down = b.x;
        up[j] += h;
        down[j] -= h;
        slope[j] = (cost(c, b, up) - cost(c, b, down)) / (2 * h);
        H.col(j) = (force(c, b, zone(c, b, down)) - force(c, b, zone(c, b, up))) / (2 * h);
        const double jump = (hessian(c, b, zone(c, b, up)) - hessian(c, b, zone(c, b, down))).norm();
        one_zone = one_zone && jump < 1e-3;
      }
      EXPECT_LT((force(c, b, z) + slope).norm(), 1e-5 * (1 + force(c, b, z).norm())) << static_cast<int>(c) << " " << k;
      if (one_zone) {
        EXPECT_LT((hessian(c, b, z) - H).norm(), 1e-6 * (1 + H.norm())) << static_cast<int>(c) << " " << k;
      }
    }
}

TEST_P(Zones, SlopesAreThoseOfTheHessian) {
  for (const Coupling c : {Coupling::cone, Coupling::pyramid, Coupling::disc})
    for (int k = 0; k < 2000; ++k) {
      Block b = block();
      for (double& x : b.x) x = std::round(x);  // some on edges and at the apex
      const double mm = b.mu[0] * b.mu[0], stiffness = b.D[0] / mm;
      const ContactNumbers<double> numbers{b.D[0], stiffness, b.mu[0], stiffness / (1 + mm), b.N};
      const Vector y = Vector::Random(b.dim);
      const auto z = contact_zone(c, b.dim, numbers, b.x.data());
      const auto slope = contact_slope(c, b.dim, numbers, b.x.data(), y.data());
      double Hy[6];
      z.bend(y.data(), Hy);
      const double curvature = Eigen::Map<const Vector>(Hy, b.dim).dot(y);
      EXPECT_NEAR(slope.force, z.work(y.data()), 1e-11 * stiffness * 100) << static_cast<int>(c) << " " << k;
      EXPECT_NEAR(slope.curvature, curvature, 1e-11 * stiffness * 100) << static_cast<int>(c) << " " << k;
    }
}

TEST_P(Zones, FrictionStaysInItsBounds) {
  if (GetParam() == 1) return;
  for (int k = 0; k < 2000; ++k) {
    const Block b = block();
    const auto scaled = [&](const Vector& f) { return Vector((f.array() / b.mu.head(b.dim).array()).tail(b.dim - 1)); };
    const auto of = [&](Coupling c) { return force(c, b, zone(c, b, b.x)); };
    const Vector of_cone = of(Coupling::cone), of_disc = of(Coupling::disc), of_edges = of(Coupling::pyramid);
    EXPECT_LE(scaled(of_cone).norm(), of_cone[0] * (1 + 1e-12));
    EXPECT_LE(scaled(of_disc).norm(), b.N * (1 + 1e-12));
    EXPECT_LE(of_cone.tail(b.dim - 1).dot(b.x.segment(1, b.dim - 1)), 0);
    EXPECT_LE(of_disc.tail(b.dim - 1).dot(b.x.segment(1, b.dim - 1)), 0);
    EXPECT_LE(scaled(of_edges).lpNorm<1>(), of_edges[0] * (1 + 1e-12));
  }
}

TEST_P(Zones, ApexIsFinite) {
  Block b = block();
  for (const double normal : {-1.0, 0.0, 1.0, -1e-300, 1e-300}) {
    b.x.setZero();
    b.x[0] = normal;
    for (const Coupling c : {Coupling::cone, Coupling::pyramid, Coupling::disc})
      for (const double N : {0.0, 1.0}) {
        b.N = N;
        const auto z = zone(c, b, b.x);
        EXPECT_TRUE(force(c, b, z).allFinite());
        EXPECT_TRUE(hessian(c, b, z).allFinite());
        EXPECT_NEAR(force(c, b, z)[0],
                    normal < -1e-100 ? b.D[0] * (c == Coupling::pyramid && b.dim > 1 ? 2 * (b.dim - 1) : 1) : 0, 1e-12);
      }
  }
}

/// Three sliding contacts of small mu, which turn round in a moment: phi' is nearly a staircase. Its zero by bisection;
/// without the turns a search takes 7.2 trials.
TEST(LineSearch, FindsZerosAmongContactsThatTurn) {
  std::mt19937 random{20261128};
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double mu = 0.03, stiffness = 1e4;
  const ContactNumbers<double> numbers{stiffness * mu * mu, stiffness, mu, stiffness / (1 + mu * mu), 0};
  int all_trials = 0;
  for (int round = 0; round < 500; ++round) {
    double x[3][3], y[3][3];
    for (int c = 0; c < 3; ++c) {
      const double back = number(1.5, 30);
      for (int j = 0; j < 3; ++j) {
        x[c][j] = j == 0 ? number(-10, -3) : number(-1, 1);
        y[c][j] = j == 0 ? number(-0.05, 0.05) : -back * number(0.999, 1.001) * x[c][j];
      }
    }
    const auto slopes = [&](double alpha) {
      Slope<double> sum{0, 0};
      for (int c = 0; c < 3; ++c) {
        double u[3];
        for (int j = 0; j < 3; ++j) u[j] = x[c][j] + alpha * y[c][j];
        const auto s = contact_slope(Coupling::cone, 3, numbers, u, y[c]);
        sum = {sum.force + s.force, sum.curvature + s.curvature};
      }
      return sum;
    };
    const double mass = number(1e-3, 1), decrement = mass + slopes(0).curvature, slope = slopes(0).force - decrement;
    const auto rises = [&](double alpha) { return slope + alpha * mass - slopes(alpha).force; };
    const auto next_turn = [&](double upwards, double low, double high) {
      double first = high, last = low;
      for (int c = 0; c < 3; ++c) {
        const double turn = -(x[c][1] * y[c][1] + x[c][2] * y[c][2]) / (y[c][1] * y[c][1] + y[c][2] * y[c][2]);
        if (turn > low && turn < first) first = turn;
        if (turn < high && turn > last) last = turn;
      }
      return upwards > 0 ? (first < high ? first : low) : last;
    };
    int trials = 0;
    const double found = line_search(
        slope, mass, 1e-3 * decrement, 1.0, 12,
        [&](double alpha, double) {
          ++trials;
          return slopes(alpha);
        },
        next_turn);
    double low = 0, high = 1;
    while (rises(high) < 0) high *= 2;
    for (int k = 0; k < 200; ++k) (rises((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
    EXPECT_LE(std::abs(rises(found)), 1e-3 * decrement) << round << ": " << trials << " trials";
    EXPECT_LE(std::abs(found - low), 2e-3 * decrement / mass) << round;
    all_trials += trials;
  }
  EXPECT_LE(all_trials, 500 * 4);
}

INSTANTIATE_TEST_SUITE_P(, Zones, ::testing::Values(1, 3, 4, 6));

}  // namespace
}  // namespace tandem::test
