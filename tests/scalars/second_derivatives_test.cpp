// SPDX-License-Identifier: Apache-2.0
/// Second derivatives of inverse and forward dynamics, as products and as matrices: against the rates of first
/// derivatives on dual numbers, and of inverse dynamics itself on dual numbers of dual numbers.
#include "scalars/bodies.hpp"
#include "scalars/products.hpp"

namespace tandem::test {
namespace {

using Twice = tandem::Dual<Dual>;  ///< rate: along s; rate of the value: along t

std::vector<Dual> dual_numbers(const Vector& values, const Vector& rates) {
  std::vector<Dual> result;
  for (Index k = 0; k < values.size(); ++k) result.emplace_back(values[k], rates.size() ? rates[k] : 0);
  return result;
}
std::vector<Dual> dual_configuration(const Model& m, const State& s, const Vector& dq) {
  Columns<Dual> columns = {dual_numbers(s.q, {}), dual_numbers(Vector::Zero(m.nv()), dq),
                           std::vector<Dual>(static_cast<std::size_t>(m.nq()))};
  body_named(dual_bodies(), "integrate").run(m.view<double>(), {}, columns);
  return columns[2];
}
/// Of a matrix or vector, as its rows lie.
Matrix values_of(const std::vector<Dual>& x, Index rows) {
  Matrix result(rows, rows ? static_cast<Index>(x.size()) / rows : 0);
  for (Index k = 0; k < result.size(); ++k)
    result(k / result.cols(), k % result.cols()) = x[static_cast<std::size_t>(k)].value;
  return result;
}
Matrix rates_of_numbers(const std::vector<Dual>& x, Index rows) {
  std::vector<Dual> rates;
  for (const Dual& number : x) rates.emplace_back(number.rate);
  return values_of(rates, rows);
}
/// d(A^T weights)
Vector along(const std::vector<Dual>& A, const Vector& weights, const Vector& increments) {
  const Index n = weights.size();
  return rates_of_numbers(A, n).transpose() * weights + values_of(A, n).transpose() * increments;
}

/// What inverse_dynamics_hvp gives, by the matrices of its first derivatives on dual numbers.
Weighted by_matrices(const Model& m, const State& s, const Vector& w, const Increments& d, const Vector& dw) {
  const auto n = static_cast<std::size_t>(m.nv());
  const auto q = dual_configuration(m, s, d.dq), v = dual_numbers(s.v, d.dv), a = dual_numbers(s.a, d.dx);
  const std::vector<Dual> square(n * n);
  Columns<Dual> matrices = {q, v, a, dual_numbers(s.f_ext, d.df_ext), square, square, square};
  body_named(dual_bodies(), "inverse_dynamics_derivatives").run(m.view<double>(), {}, matrices);
  Columns<Dual> regressor = {q, v, a, std::vector<Dual>(n * static_cast<std::size_t>(10 * m.n_joints()))};
  body_named(dual_bodies(), "inverse_dynamics_regressor").run(m.view<double>(), {}, regressor);
  Columns<Dual> forces = {q, v, a, matrices[3], std::vector<Dual>(n)};
  body_named(dual_bodies(), "inverse_dynamics").run(m.view<double>(), {}, forces);
  Weighted result = {rates_of_numbers(forces[4], m.nv()), along(matrices[4], w, dw), along(matrices[5], w, dw),
                     along(matrices[6], w, dw),           Vector(6 * m.n_links()),   along(regressor[3], w, dw)};
  for (int i = 0; i < m.n_links(); ++i) {
    Columns<Dual> J = {q, std::vector<Dual>(6 * n)};
    body_named(dual_bodies(), "jacobian").run(m.view<double>(), {.frame = i, .reference = Reference::local}, J);
    result.f_ext_bar.segment(6 * i, 6) = -(rates_of_numbers(J[1], 6) * w + values_of(J[1], 6) * dw);
  }
  return result;
}

/// weights . inverse dynamics where a robot is moved along d by t, and then along e by s: its derivative by both.
double twice_along(const Model& m, const State& s, const Vector& w, const Increments& d, const Vector& dw,
                   const Increments& e) {
  const auto twice = [](const Vector& x, const Vector& by_t, const Vector& by_s) {
    std::vector<Twice> result;
    for (Index k = 0; k < x.size(); ++k) result.emplace_back(Dual(x[k], by_t[k]), Dual(by_s[k]));
    return result;
  };
  const auto q = dual_configuration(m, s, d.dq);
  std::vector<Twice> start;
  for (const Dual& number : q) start.emplace_back(number);
  const Vector zero = Vector::Zero(m.nv());
  Columns<Twice> moved = {start, twice(zero, zero, e.dq), std::vector<Twice>(q.size())};
  run_body<Integrate>(m.view<double>(), {}, moved);
  Columns<Twice> columns = {moved[2], twice(s.v, d.dv, e.dv), twice(s.a, d.dx, e.dx),
                            twice(s.f_ext, d.df_ext, e.df_ext), std::vector<Twice>(static_cast<std::size_t>(m.nv()))};
  run_body<InverseDynamics>(m.view<double>(), {}, columns);
  double result = 0;
  for (Index k = 0; k < m.nv(); ++k) {
    const Dual by_s = columns[4][static_cast<std::size_t>(k)].rate;
    result += w[k] * by_s.rate + dw[k] * by_s.value;
  }
  return result;
}

/// Increments of everything but of inertial parameters, and others.
Increments increments_of_state(const Model& m, const State& s) {
  auto d = some_increments(m, s);
  d.dpi = Vector::Zero(10 * m.n_joints());
  return d;
}
Increments other_increments(const Model& m, const State& s) {
  auto d = increments_of_state(m, s);
  std::swap(d.dq, d.dv);
  d.dx *= -1;
  return d;
}
/// Sizes of the terms that second derivatives add up, as the robot moves faster by two units everywhere.
double size_of_second(const Model& m, const State& s, const Vector& a) {
  const Vector two = Vector::Constant(m.nv(), 2);
  return scales(m, s.q, s.v.cwiseAbs() + two, a.cwiseAbs() + two, s.f_ext).force +
         2 * static_cast<double>(s.f_ext.size());
}
double total(const Vector& x) { return 1 + x.cwiseAbs().sum(); }

template <class T>
class SecondDerivativesOfForces : public ::testing::Test {};
TYPED_TEST_SUITE(SecondDerivativesOfForces, Reals);

TYPED_TEST(SecondDerivativesOfForces, ProductsAreRatesOfFirstDerivatives) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    if (c.model.nv() > 60 || c.model.nv() == 0) return;
    const auto d = increments_of_state(c.model, s);
    const Vector w = d.dx, dw = -d.dv;
    const auto ours = robot.inverse_dynamics_hvp(s.q, s.v, s.a, w, d, dw, s.f_ext);
    const auto expected = by_matrices(c.model, s, w, d, dw);
    const double size = size_of_second(c.model, s, s.a), weight = total(d.dq) * (total(w) + total(dw));
    const double allowed = tolerance<TypeParam>(16, weight, size);
    expect_near(ours.value, expected.value, tolerance<TypeParam>(16, total(d.dq), size), "dtau");
    expect_near(ours.q_bar, expected.q_bar, allowed, "by configuration");
    expect_near(ours.v_bar, expected.v_bar, allowed, "by velocity");
    expect_near(ours.x_bar, expected.x_bar, allowed, "by acceleration");
    expect_near(ours.f_ext_bar, expected.f_ext_bar, allowed, "by forces on links");
    expect_near(ours.pi_bar, expected.pi_bar, allowed, "by inertial parameters");
  });
}

TYPED_TEST(SecondDerivativesOfForces, AreThoseOfInverseDynamicsMovedTwice) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const auto d = increments_of_state(c.model, s), e = other_increments(c.model, s);
    const Vector w = d.dx, dw = -d.dv;
    const auto ours = robot.inverse_dynamics_hvp(s.q, s.v, s.a, w, d, dw, s.f_ext);
    const double size = size_of_second(c.model, s, s.a) * total(d.dq) * total(e.dq);
    EXPECT_NEAR(power(ours, e), twice_along(c.model, s, w, d, dw, e),
                tolerance<TypeParam>(16, total(w) + total(dw), size))
        << c.name;
  });
}

/// [d, e] of motions of the joints, by what bodies along axes of their own do: 0 where coordinates add up.
Vector bracket(const Model& m, const Vector& d, const Vector& e) {
  Vector result = Vector::Zero(m.nv());
  const auto cross_at = [&](Index out, Index a, Index b) {
    const Eigen::Vector3d x = d.segment<3>(a), y = e.segment<3>(b);
    result.segment<3>(out) += x.cross(y);
  };
  const auto& view = m.view<double>();
  for (int i = 1; i < m.n_links(); ++i) {
    const Index k = view.v_index[i];
    if (view.mimics[i] != 0) continue;
    if (view.type[i] == JointType::spherical) {
      cross_at(k, k, k);
    } else if (view.type[i] == JointType::free) {
      cross_at(k, k + 3, k);  // the linear part of a product of motions
      cross_at(k, k, k + 3);
      cross_at(k + 3, k + 3, k + 3);
    } else if (view.type[i] == JointType::planar) {
      result[k] += d[k + 1] * e[k + 2] - d[k + 2] * e[k + 1];
      result[k + 1] += d[k + 2] * e[k] - d[k] * e[k + 2];
    }
  }
  return result;
}

TYPED_TEST(SecondDerivativesOfForces, AreSymmetricUpToTheBracketOfIncrements) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const auto d = increments_of_state(c.model, s), e = other_increments(c.model, s);
    const Vector w = d.dx;
    const double by_e = power(robot.inverse_dynamics_hvp(s.q, s.v, s.a, w, d, {}, s.f_ext), e);
    const double by_d = power(robot.inverse_dynamics_hvp(s.q, s.v, s.a, w, e, {}, s.f_ext), d);
    const Vector q_bar = robot.inverse_dynamics_vjp(s.q, s.v, s.a, w, s.f_ext).q_bar;
    const double size = size_of_second(c.model, s, s.a) * total(d.dq) * total(e.dq);
    EXPECT_NEAR(by_e - by_d, q_bar.dot(bracket(c.model, d.dq, e.dq)), tolerance<TypeParam>(16, total(w), size))
        << c.name;
  });
}

TYPED_TEST(SecondDerivativesOfForces, MatricesAreTheProductsAlongUnits) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    if (n > 40 || n == 0) return;
    const Vector w = increments_of_state(c.model, s).dx, zero = Vector::Zero(n);
    const auto ours = robot.inverse_dynamics_second_derivatives(s.q, s.v, s.a, w, s.f_ext);
    for (Index k = 0; k < n; ++k) {
      const Vector unit = Vector::Unit(n, k);
      const auto by_q = robot.inverse_dynamics_hvp(s.q, s.v, s.a, w, {unit, zero, zero, {}, {}}, {}, s.f_ext);
      const auto by_v = robot.inverse_dynamics_hvp(s.q, s.v, s.a, w, {zero, unit, zero, {}, {}}, zero, s.f_ext);
      EXPECT_TRUE(ours.by_qq.col(k) == by_q.q_bar && ours.by_vq.col(k) == by_q.v_bar) << c.name;
      EXPECT_TRUE(ours.by_xq.col(k) == by_q.x_bar && ours.by_vv.col(k) == by_v.v_bar) << c.name;
    }
  });
}

// Accelerations: a state at the acceleration that its forces cause, in double; no forces cause a singular robot's.
struct CausedTwice {
  Matrix M;
  Vector a;
  double size, kappa;
  CausedTwice(const Model& m, const State& s, const Vector& diagonal) {
    Robot<double> exact(m);
    M = exact.mass_matrix(s.q) + Matrix(diagonal.asDiagonal());
    a = exact.forward_dynamics(s.q, s.v, s.tau, Method::automatic, s.f_ext, diagonal);
    size = size_of_second(m, s, a) + s.tau.cwiseAbs().sum();
    kappa = condition(M);
  }
};

/// What forward_dynamics_hvp gives, by the matrices of its first derivatives on dual numbers.
Weighted accelerations_by_matrices(const Model& m, const State& s, const Vector& w, const Increments& d,
                                   const Vector& dw, const Vector& diagonal) {
  const auto n = static_cast<std::size_t>(m.nv());
  const auto q = dual_configuration(m, s, d.dq), v = dual_numbers(s.v, d.dv), tau = dual_numbers(s.tau, d.dx),
             f_ext = dual_numbers(s.f_ext, d.df_ext), added = dual_numbers(diagonal, {});
  const std::vector<Dual> square(n * n);
  Columns<Dual> matrices = {q, v, tau, f_ext, added, square, square, square};
  body_named(dual_bodies(), "forward_dynamics_derivatives").run(m.view<double>(), {}, matrices);
  Columns<Dual> rates = {q, v, tau, f_ext, added, std::vector<Dual>(n)};
  body_named(dual_bodies(), "forward_dynamics").run(m.view<double>(), {.method = Method::articulated_body}, rates);
  return {rates_of_numbers(rates[5], m.nv()),
          along(matrices[5], w, dw),
          along(matrices[6], w, dw),
          along(matrices[7], w, dw),
          {},
          {}};
}

template <class T>
class SecondDerivativesOfAccelerations : public ::testing::Test {};
TYPED_TEST_SUITE(SecondDerivativesOfAccelerations, Reals);

TYPED_TEST(SecondDerivativesOfAccelerations, ProductsAreRatesOfFirstDerivatives) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    if (n > 60 || n == 0) return;
    const Vector diagonal = s.a.cwiseAbs();
    const CausedTwice is(c.model, s, diagonal);
    if (!is.a.allFinite()) return;
    const auto d = increments_of_state(c.model, s);
    const Vector w = d.dv, dw = -d.dx;
    const auto ours = robot.forward_dynamics_hvp(s.q, s.v, s.tau, w, d, dw, s.f_ext, diagonal);
    const auto expected = accelerations_by_matrices(c.model, s, w, d, dw, diagonal);
    const double held = is.M.inverse().cwiseAbs().maxCoeff();
    const double size = is.size * total(d.dq) + d.dx.cwiseAbs().sum();
    const double allowed = tolerance<TypeParam>(8, is.kappa, held * size);
    expect_near(ours.value, expected.value, allowed, "da");
    expect_near(ours.q_bar, expected.q_bar, allowed, "by configuration");
    expect_near(ours.v_bar, expected.v_bar, allowed, "by velocity");
    expect_near(ours.x_bar, expected.x_bar, allowed, "by joint forces");
  });
}

// With a = FD(tau) and weights of tau that hold those of a, minus what forces change by at these accelerations.
TYPED_TEST(SecondDerivativesOfAccelerations, OfForcesOnLinksAndParametersAreThoseOfJointForces) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    if (n > 60 || n == 0) return;
    const Vector none = Vector::Zero(n);
    const CausedTwice is(c.model, s, none);
    if (!is.a.allFinite()) return;
    const auto d = increments_of_state(c.model, s);
    const Vector w = d.dv, dw = -d.dx;
    const auto ours = robot.forward_dynamics_hvp(s.q, s.v, s.tau, w, d, dw, s.f_ext);
    Robot<double> exact(c.model);
    const Vector weights = -exact.forward_dynamics_vjp(s.q, s.v, s.tau, w, s.f_ext).x_bar;
    const auto products = exact.forward_dynamics_hvp(s.q, s.v, s.tau, w, d, dw, s.f_ext);
    auto moved = d;
    moved.dx = products.value;
    const auto expected = exact.inverse_dynamics_hvp(s.q, s.v, is.a, weights, moved, -products.x_bar, s.f_ext);
    const double held = is.M.inverse().cwiseAbs().maxCoeff();
    const double allowed = tolerance<TypeParam>(8, is.kappa, held * (is.size * total(d.dq) + d.dx.cwiseAbs().sum()));
    expect_near(ours.q_bar, expected.q_bar, allowed, "by configuration");
    expect_near(ours.f_ext_bar, expected.f_ext_bar, allowed, "by forces on links");
    // terms of these are no forces, but as large as what they add up to
    const double largest = expected.pi_bar.size() ? expected.pi_bar.cwiseAbs().maxCoeff() : 0;
    expect_near(ours.pi_bar, expected.pi_bar, allowed + tolerance<TypeParam>(8, is.kappa, largest),
                "by inertial parameters");
  });
}

TYPED_TEST(SecondDerivativesOfAccelerations, MatricesAreTheProductsAlongUnits) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const Index n = c.model.nv();
    if (n > 40 || n == 0) return;
    const Vector w = increments_of_state(c.model, s).dv, zero = Vector::Zero(n), diagonal = s.a.cwiseAbs();
    if (!CausedTwice(c.model, s, diagonal).a.allFinite()) return;
    const auto ours = robot.forward_dynamics_second_derivatives(s.q, s.v, s.tau, w, s.f_ext, diagonal);
    for (Index k = 0; k < n; ++k) {
      const Vector unit = Vector::Unit(n, k);
      const auto by_q =
          robot.forward_dynamics_hvp(s.q, s.v, s.tau, w, {unit, zero, zero, {}, {}}, {}, s.f_ext, diagonal);
      const auto by_v =
          robot.forward_dynamics_hvp(s.q, s.v, s.tau, w, {zero, unit, zero, {}, {}}, zero, s.f_ext, diagonal);
      EXPECT_TRUE(ours.by_qq.col(k) == by_q.q_bar && ours.by_vq.col(k) == by_q.v_bar) << c.name;
      EXPECT_TRUE(ours.by_xq.col(k) == by_q.x_bar && ours.by_vv.col(k) == by_v.v_bar) << c.name;
    }
  });
}

}  // namespace
}  // namespace tandem::test
