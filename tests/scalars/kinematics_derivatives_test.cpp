// SPDX-License-Identifier: Apache-2.0
/// Derivatives of kinematics, momentum, energies and passive forces against the functions themselves on dual numbers, a
/// column at a time.
#include "scalars/bodies.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

using Numbers = std::vector<Dual>;

/// q, v and a, as an increment along coordinate k moves one of them.
class MovedInputs {
 public:
  MovedInputs(const Model& m, const State& s) : model_(m), state_(s) {}

  Numbers q(Index k) const {
    Columns<Dual> columns = {fixed(state_.q), fixed(Vector::Zero(model_.nv())), Numbers(at(model_.nq()))};
    columns[1][at(k)].rate = 1;
    body_named(dual_bodies(), "integrate").run(model_.view<double>(), {}, columns);
    return columns[2];
  }
  Numbers q() const { return fixed(state_.q); }
  Numbers v() const { return fixed(state_.v); }
  Numbers a() const { return fixed(state_.a); }
  static Numbers moved(Numbers x, Index k) {
    x[at(k)].rate = 1;
    return x;
  }

 private:
  static std::size_t at(Index k) { return static_cast<std::size_t>(k); }
  static Numbers fixed(const Vector& x) {
    Numbers result;
    for (Index k = 0; k < x.size(); ++k) result.emplace_back(x[k]);
    return result;
  }
  const Model& model_;
  const State& state_;
};

Vector dual_rates(const Numbers& x) {
  Vector result(static_cast<Index>(x.size()));
  for (std::size_t k = 0; k < x.size(); ++k) result[static_cast<Index>(k)] = x[k].rate;
  return result;
}

/// Runs a body; its inputs, then outputs of these sizes. Rates of the outputs, one behind the other.
std::vector<Vector> rates_of_body(const char* algorithm, const Model& model, const Options& options,
                                  Columns<Dual> columns, const std::vector<Index>& outputs) {
  for (const Index rows : outputs) columns.emplace_back(static_cast<std::size_t>(rows));
  body_named(dual_bodies(), algorithm).run(model.view<double>(), options, columns);
  std::vector<Vector> result;
  for (std::size_t k = columns.size() - outputs.size(); k < columns.size(); ++k)
    result.push_back(dual_rates(columns[k]));
  return result;
}

/// How the terms grow with one unit more of every velocity, at constant velocity.
Scales faster(const Model& m, const State& s) {
  return scales(m, s.q, s.v.cwiseAbs() + Vector::Ones(m.nv()), Vector::Zero(m.nv()));
}
double gear_of(const Model& m) {
  double gear = 1;
  for (int i = 1; i < m.n_links(); ++i) gear = std::max(gear, std::abs(m.view<double>().multiplier[i]));
  return gear;
}

double mass_of(const Model& m) {
  double mass = 0;
  for (int i = 1; i < m.n_links(); ++i) mass += m.view<double>().inertia[10 * i];
  return mass;
}

template <class T>
class KinematicsDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(KinematicsDerivatives, Reals);

TYPED_TEST(KinematicsDerivatives, OfFramesAreRatesOfTheirMotions) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index n = m.nv(), frames = m.n_frames();
    if (n > 40) return;
    const MovedInputs in(m, s);
    const Scales size = scales(m, s);
    const double gear = gear_of(m);
    for (const Reference reference : {Reference::local, Reference::world, Reference::local_world_aligned}) {
      SCOPED_TRACE(to_string(reference));
      std::vector<Matrix> by(3, Matrix(12 * frames, n));  // velocities, then accelerations of all frames; by q, v, a
      for (Index k = 0; k < n; ++k) {
        const Columns<Dual> inputs[] = {{in.q(k), in.v(), in.a()},
                                        {in.q(), MovedInputs::moved(in.v(), k), in.a()},
                                        {in.q(), in.v(), MovedInputs::moved(in.a(), k)}};
        for (std::size_t by_what = 0; by_what < 3; ++by_what) {
          const auto rates = rates_of_body("forward_kinematics", m, {.reference = reference}, inputs[by_what],
                                           {12 * frames, 6 * frames, 6 * frames});
          by[by_what].col(k) << rates[1], rates[2];
        }
      }
      const auto velocity = [&](std::size_t by_what, Index f) { return by[by_what].middleRows(6 * f, 6); };
      const auto acceleration = [&](std::size_t by_what, Index f) {
        return by[by_what].middleRows(6 * (frames + f), 6);
      };
      for (int f = 0; f < frames; f += 1 + static_cast<int>(frames) / 8) {
        const auto ours = robot.forward_kinematics_derivatives(s.q, s.v, s.a, f, reference);
        expect_near(ours.velocity_by_q, velocity(0, f), tolerance<TypeParam>(16, 1, gear * size.motion), "dv/dq");
        expect_near(ours.J, velocity(1, f), tolerance<TypeParam>(16, 1, gear * size.length), "J");
        expect_near(ours.J, acceleration(2, f), tolerance<TypeParam>(16, 1, gear * size.length), "da/da");
        expect_near(ours.acceleration_by_q, acceleration(0, f), tolerance<TypeParam>(16, 1, gear * size.acceleration),
                    "da/dq");
        expect_near(ours.acceleration_by_v, acceleration(1, f),
                    tolerance<TypeParam>(16, 1, gear * faster(m, s).acceleration), "da/dv");
      }
    }
  });
}

/// The rate of the momentum on dual numbers of which q and v move with v and a.
Vector rate_of_momentum(const MovedInputs& in, const Model& m, const State& s) {
  Columns<Dual> columns = {in.q(), in.v(), Numbers(static_cast<std::size_t>(m.nq()))};
  for (Index k = 0; k < m.nv(); ++k) columns[1][static_cast<std::size_t>(k)] = Dual(0, s.v[k]);
  body_named(dual_bodies(), "integrate").run(m.view<double>(), {}, columns);
  Numbers v;
  for (Index k = 0; k < m.nv(); ++k) v.emplace_back(s.v[k], s.a[k]);
  return rates_of_body("centroidal_momentum", m, {}, {columns[2], v}, {6, 6 * Index{m.nv()}})[0];
}

TYPED_TEST(KinematicsDerivatives, OfTheMomentumAreItsRates) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index n = m.nv();
    if (n == 0 || n > 40) return;
    const MovedInputs in(m, s);
    const Scales size = scales(m, s), fast = faster(m, s);
    const auto ours = robot.centroidal_momentum_derivatives(s.q, s.v, s.a);
    const Matrix A = robot.centroidal_momentum(s.q, s.v).A;
    if (!A.allFinite()) return;  // without mass
    Matrix by_q(6, n);
    for (Index k = 0; k < n; ++k)
      by_q.col(k) = rates_of_body("centroidal_momentum", m, {}, {in.q(k), in.v()}, {6, 6 * n})[0];
    expect_near(ours.velocity_by_q, by_q, tolerance<TypeParam>(16, 1, fast.momentum * size.length), "dh/dq");
    expect_near(ours.J, A, tolerance<TypeParam>(16, 1, size.mass), "A");
    expect_near(ours.acceleration, rate_of_momentum(in, m, s), tolerance<TypeParam>(16, 1, size.force), "rate");
    // the rate is A a and what is left of it without a, which is quadratic in v
    const auto still = robot.centroidal_momentum_derivatives(s.q, s.v, Vector::Zero(n));
    expect_near(A * s.a + still.acceleration, ours.acceleration, tolerance<TypeParam>(16, 1, size.force), "A a");
    expect_near(ours.acceleration_by_v * s.v, 2 * still.acceleration, tolerance<TypeParam>(32, 1, fast.force), "by v");
  });
}

/// By central differences of the rate, which loses a third of the digits.
TEST(KinematicsDerivativesOfDifferences, OfTheRateOfTheMomentum) {
  for_each_state<double>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index n = m.nv();
    if (n == 0 || n > 40) return;
    const auto ours = robot.centroidal_momentum_derivatives(s.q, s.v, s.a);
    if (!ours.J.allFinite()) return;
    const double h = difference_step<double>();
    Matrix by_q(6, n), by_v(6, n), com_by_q(3, n), com_by_v(3, n);
    const auto difference = [&](const auto& rate, const auto& moved, Index k) {
      const Vector u = h * Vector::Unit(n, k);
      return Vector((rate(moved(u)) - rate(moved(-u))) / (2 * h));
    };
    const auto at_q = [&](const Vector& u) { return robot.integrate(s.q, u); };
    const auto at_v = [&](const Vector& u) { return Vector(s.v + u); };
    for (Index k = 0; k < n; ++k) {
      by_q.col(k) = difference(
          [&](const Vector& q) { return robot.centroidal_momentum_derivatives(q, s.v, s.a).acceleration; }, at_q, k);
      by_v.col(k) = difference(
          [&](const Vector& v) { return robot.centroidal_momentum_derivatives(s.q, v, s.a).acceleration; }, at_v, k);
      com_by_q.col(k) = difference(
          [&](const Vector& q) { return robot.centre_of_mass_derivatives(q, s.v, s.a).acceleration; }, at_q, k);
      com_by_v.col(k) = difference(
          [&](const Vector& v) { return robot.centre_of_mass_derivatives(s.q, v, s.a).acceleration; }, at_v, k);
    }
    const double kappa = difference_kappa<double>(), force = faster(m, s).force + scales(m, s).force;
    const double mass = std::min(1.0, mass_of(m));
    expect_near(ours.acceleration_by_q, by_q, tolerance<double>(16, kappa, force), "by configuration");
    expect_near(ours.acceleration_by_v, by_v, tolerance<double>(16, kappa, force), "by velocity");
    const auto centre = robot.centre_of_mass_derivatives(s.q, s.v, s.a);
    expect_near(centre.acceleration_by_q, com_by_q, tolerance<double>(16, kappa, force / mass), "centre by q");
    expect_near(centre.acceleration_by_v, com_by_v, tolerance<double>(16, kappa, force / mass), "centre by v");
  });
}

TYPED_TEST(KinematicsDerivatives, OfTheCentreOfMassAreItsRates) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index n = m.nv();
    if (n == 0 || n > 40) return;
    const MovedInputs in(m, s);
    const auto ours = robot.centre_of_mass_derivatives(s.q, s.v, s.a);
    if (!ours.J.allFinite()) return;
    const double mass = mass_of(m), motion = faster(m, s).momentum / mass * scales(m, s).length;
    Matrix by_q(3, n);
    for (Index k = 0; k < n; ++k)
      by_q.col(k) = rates_of_body("centre_of_mass", m, {}, {in.q(k), in.v()}, {3, 3, 3 * n})[1];
    expect_near(ours.velocity_by_q, by_q, tolerance<TypeParam>(16, 1, motion), "by configuration");
    expect_near(ours.J, robot.centre_of_mass(s.q, s.v).J, tolerance<TypeParam>(16, 1, scales(m, s).mass / mass), "J");
  });
}

TYPED_TEST(KinematicsDerivatives, OfEnergiesAreTheirRates) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index n = m.nv();
    if (n > 40) return;
    const MovedInputs in(m, s);
    const auto ours = robot.energy_derivatives(s.q, s.v);
    Matrix by_q(2, n), by_v(2, n);
    for (Index k = 0; k < n; ++k) {
      const auto moved = rates_of_body("energy", m, {}, {in.q(k), in.v()}, {1, 1});
      const auto quicker = rates_of_body("energy", m, {}, {in.q(), MovedInputs::moved(in.v(), k)}, {1, 1});
      by_q.col(k) << moved[0], moved[1];
      by_v.col(k) << quicker[0], quicker[1];
    }
    const Scales size = scales(m, s), fast = faster(m, s);
    const double gear = gear_of(m);
    expect_near(ours.kinetic_by_q, by_q.row(0).transpose(),
                tolerance<TypeParam>(16, 1, gear * fast.energy * size.length), "kinetic by configuration");
    expect_near(ours.kinetic_by_v, by_v.row(0).transpose(),
                tolerance<TypeParam>(16, 1, gear * fast.energy * size.length), "kinetic by velocity");
    expect_near(ours.potential_by_q, by_q.row(1).transpose(),
                tolerance<TypeParam>(16, 1, gear * size.energy * size.length), "potential by configuration");
  });
}

TYPED_TEST(KinematicsDerivatives, OfPassiveForcesAreTheirRates) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Model& m = c.model;
    const Index n = m.nv();
    if (n > 60) return;
    const MovedInputs in(m, s);
    const auto ours = robot.passive_forces_derivatives(s.q, s.v);
    Matrix by_q(n, n), by_v(n, n);
    for (Index k = 0; k < n; ++k) {
      by_q.col(k) = rates_of_body("passive_forces", m, {}, {in.q(k), in.v()}, {n})[0];
      by_v.col(k) = rates_of_body("passive_forces", m, {}, {in.q(), MovedInputs::moved(in.v(), k)}, {n})[0];
    }
    double size = 0;
    const auto& view = m.view<double>();
    for (int k = 0; k < view.nv; ++k)
      size += 10 * view.stiffness[k] + view.damping[k] + view.friction[k] * (1 + 1 / std::max(1e-3, std::abs(s.v[k])));
    expect_near(ours.dtau_dq, by_q, tolerance<TypeParam>(16, 1, size), "by configuration");
    expect_near(ours.dtau_dv, by_v, tolerance<TypeParam>(16, 1, size), "by velocity");
  });
}

}  // namespace
}  // namespace tandem::test
