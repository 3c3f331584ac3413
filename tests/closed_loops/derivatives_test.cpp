// SPDX-License-Identifier: Apache-2.0
/// First derivatives of forward dynamics with closed loops: against differences of the dynamics, against each other,
/// and for what scaling a robot does.
#include <gmock/gmock.h>

#include "closed_loops/loop_cases.hpp"
#include "support/errors.hpp"
#include "tandem/api/batches.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class LoopDerivatives : public ::testing::Test {};
TYPED_TEST_SUITE(LoopDerivatives, Reals);

double largest(const Matrix& A) { return A.size() ? A.cwiseAbs().maxCoeff() : 0; }

/// How ill conditioned the equations of a robot with loops are, and how large what they add up is.
struct Sizes {
  double kappa, size;
};
Sizes sizes_of(const LoopCase& c, const State& s, const Vector& diagonal) {
  Robot<double> tree(c.model.without_loops());
  const Matrix M = tree.mass_matrix(c.q) + Matrix(diagonal.asDiagonal());
  const Matrix J = equations(c.model, c.q, c.v).J;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(J * solve_positive_definite(M, J.transpose()));
  const Vector& values = solver.eigenvalues();
  const double top = values[values.size() - 1];
  double least = top;
  for (const double x : values)
    if (x > 1e-13 * top) least = std::min(least, x);
  const Vector a = tree.forward_dynamics(c.q, c.v, s.tau, Method::automatic, s.f_ext, diagonal);
  return {condition(M) * top / least, std::max(1.0, largest(a))};
}

/// Increments of everything; where directions are held twice, of the configuration such that keep the loops closed.
Increments increments_of(const LoopCase& c) {
  const auto wave = [](Index n, double from) {
    return Vector(Vector::LinSpaced(n, from, from + static_cast<double>(n)).array().sin());
  };
  Increments d = {wave(c.model.nv(), 1), wave(c.model.nv(), 2), wave(c.model.nv(), 5), wave(6 * c.model.n_links(), 4),
                  Vector::Zero(10 * c.model.n_joints())};
  if (is_redundant(c)) {
    const Matrix J = equations(c.model, c.q, c.v).J;
    d.dq -= J.completeOrthogonalDecomposition().solve(J * d.dq);
  }
  return d;
}

/// By five points: what is left is of the fifth derivative.
Vector difference_along(Robot<double>& robot, const LoopCase& c, const State& s, const Vector& diagonal,
                        const Increments& d, double h) {
  const auto at = [&](double t) {
    return robot.forward_dynamics(robot.integrate(c.q, t * d.dq), c.v + t * d.dv, s.tau + t * d.dx, Method::automatic,
                                  s.f_ext + t * d.df_ext, diagonal);
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

TEST(LoopDerivatives, AreDifferencesOfTheDynamics) {
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const State s = random_state(c.model, 7);
    const Vector diagonal = s.a.cwiseAbs();
    const auto [kappa, size] = sizes_of(c, s, diagonal);
    if (kappa > 1e5) continue;
    Robot<double> robot(c.model);
    const Increments d = increments_of(c);
    const Along ours = robot.forward_dynamics_jvp(c.q, c.v, s.tau, d, s.f_ext, diagonal);
    const double h = 1e-3 / std::sqrt(kappa);
    const Vector expected = difference_along(robot, c, s, diagonal, d, h);
    const double change = std::max(size, largest(expected));
    EXPECT_LT(largest(ours.increment - expected), tolerance<double>(32, kappa / h, change));
    expect_near(ours.value, robot.forward_dynamics(c.q, c.v, s.tau, Method::automatic, s.f_ext, diagonal), 0, "a");
    ++compared;
  }
  EXPECT_GT(compared, few_cases ? 15 : 30);
}

TYPED_TEST(LoopDerivatives, MatricesAndProductsAgree) {
  using T = TypeParam;
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const State s = random_state(c.model, 7);
    const Vector diagonal = s.a.cwiseAbs();
    const auto [kappa, size] = sizes_of(c, s, diagonal);
    if (kappa * Robot<T>::epsilon() > 1e-3) continue;
    Robot<T> robot(c.model);
    Increments d = increments_of(c);
    d.dpi = parameter_changes(c.model);
    const auto [da_dq, da_dv, da_dtau] = robot.forward_dynamics_derivatives(c.q, c.v, s.tau, s.f_ext, diagonal);
    const Along along = robot.forward_dynamics_jvp(c.q, c.v, s.tau, d, s.f_ext, diagonal);
    const Vector weights = s.a;
    const Weighted by = robot.forward_dynamics_vjp(c.q, c.v, s.tau, weights, s.f_ext, diagonal);

    Increments of_state = d;
    of_state.df_ext.setZero();
    of_state.dpi.setZero();
    const double change = 1 + std::max({size, largest(da_dq), largest(da_dv)}) * static_cast<double>(c.model.nv());
    const double allowed = tolerance<T>(32, kappa, change);
    EXPECT_LT(largest(robot.forward_dynamics_jvp(c.q, c.v, s.tau, of_state, s.f_ext, diagonal).increment -
                      (da_dq * d.dq + da_dv * d.dv + da_dtau * d.dx)),
              allowed);
    const double weight = weights.cwiseAbs().sum();
    EXPECT_LT(largest(by.q_bar - da_dq.transpose() * weights), allowed * weight);
    EXPECT_LT(largest(by.v_bar - da_dv.transpose() * weights), allowed * weight);
    EXPECT_LT(largest(by.x_bar - da_dtau.transpose() * weights), allowed * weight);
    EXPECT_LT(largest(da_dtau - da_dtau.transpose()), allowed);
    const double total = by.q_bar.dot(d.dq) + by.v_bar.dot(d.dv) + by.x_bar.dot(d.dx) + by.f_ext_bar.dot(d.df_ext) +
                         by.pi_bar.dot(d.dpi);
    EXPECT_NEAR(total, weights.dot(along.increment), allowed * weight * (1 + largest(along.increment)));
    // loops stay closed: J da changes by what J and dJ/dt v do, and by nothing where joint forces alone change
    const Matrix J = equations(c.model, c.q, c.v).J;
    EXPECT_LT(largest(J * da_dtau), allowed * (1 + largest(J)));
    ++compared;
  }
  EXPECT_GT(compared, sizeof(T) == 8 ? (few_cases ? 30 : 40) : 8);
}

/// A robot with s times the masses and inertias moves the same under s times the forces.
TEST(LoopDerivatives, HeavierRobotsUnderLargerForcesMoveTheSame) {
  int compared = 0;
  for (const LoopCase& c : loop_cases()) {
    SCOPED_TRACE(c.name);
    const State s = random_state(c.model, 7);
    const auto [kappa, size] = sizes_of(c, s, Vector::Zero(c.model.nv()));
    if (kappa > 1e8) continue;
    const Vector armature = Eigen::Map<const Vector>(c.model.view<double>().armature, c.model.nv());
    const std::vector<double> parameters = inertial_parameters(c.model);
    Robot<double> robot(c.model);
    // rotors, too: theirs are not among the parameters, and resist as forces
    const Vector a = robot.forward_dynamics(c.q, c.v, s.tau);
    const Increments d = {Vector::Zero(c.model.nv()), Vector::Zero(c.model.nv()), s.tau - armature.cwiseProduct(a),
                          Vector(), Eigen::Map<const Vector>(parameters.data(), 10 * c.model.n_joints())};
    const Along ours = robot.forward_dynamics_jvp(c.q, c.v, s.tau, d);
    EXPECT_LT(largest(ours.increment), tolerance<double>(32, kappa, size * (1 + largest(s.tau))));
    ++compared;
  }
  EXPECT_GT(compared, few_cases ? 30 : 40);
}

/// The same bits alone and in a batch, on one thread and on many, with the robot's numbers for each state.
TYPED_TEST(LoopDerivatives, StatesDoNotFeelEachOther) {
  using T = TypeParam;
  const LoopCase& c = loop_cases().front();
  const Model& m = c.model;
  constexpr Index n = 9;
  const Index nq = m.nq(), nv = m.nv();
  const auto numbers = [&](Index rows, double from) {
    std::vector<T> x;
    for (Index k = 0; k < n * rows; ++k) x.push_back(static_cast<T>(std::sin(from + static_cast<double>(k))));
    return x;
  };
  std::vector<T> q, v = numbers(nv, 1), tau = numbers(nv, 2), weights = numbers(nv, 3),
                    mass(static_cast<std::size_t>(n * m.n_links()));
  for (Index b = 0; b < n; ++b)
    for (const double x : random_state(m, static_cast<std::uint64_t>(b)).q) q.push_back(static_cast<T>(x));
  for (Index b = 0; b < n; ++b)
    for (int i = 0; i < m.n_links(); ++i)
      mass[static_cast<std::size_t>(b * m.n_links() + i)] =
          static_cast<T>(m.mass_properties(i).mass * (1 + 0.1 * static_cast<double>(b)));
  const Algorithm& vjp = find_algorithm("forward_dynamics_vjp");
  const auto run = [&](Index first, Index size, int threads) {
    std::vector<T> out(static_cast<std::size_t>(4 * size * nv));
    std::vector<Status> status(static_cast<std::size_t>(size), Status::diverged);
    const auto output = [&](Index k) { return Array<T>::output(out.data() + k * size * nv, nv); };
    const Array<T> arguments[] = {Array<T>::input(q.data() + first * nq, nq),
                                  Array<T>::input(v.data() + first * nv, nv),
                                  Array<T>::input(tau.data() + first * nv, nv),
                                  Array<T>::input(weights.data() + first * nv, nv),
                                  {},
                                  {},
                                  output(0),
                                  output(1),
                                  output(2),
                                  output(3),
                                  {},
                                  {}};
    const BatchedParameter<T> varied[] = {
        {Parameter::mass, Array<T>::input(mass.data() + first * m.n_links(), m.n_links())}};
    Workspace<T> work;
    evaluate<T>(vjp, m, arguments, Batch<T>(size, threads, status, varied), work);
    EXPECT_THAT(status, testing::Each(Status::ok));
    return out;
  };
  const std::vector<T> together = run(0, n, 1);
  EXPECT_EQ(run(0, n, 3), together);
  for (Index b = 0; b < n; ++b) {
    const std::vector<T> alone = run(b, 1, 1);
    for (Index k = 0; k < 4 * nv; ++k)
      EXPECT_EQ(alone[static_cast<std::size_t>(k)],
                together[static_cast<std::size_t>(k / nv * n * nv + b * nv + k % nv)]);
  }
}

/// Products by the scan divide the tree; the loops are the same.
TEST(LoopDerivatives, GoByTheMethodsOfTheTree) {
  const LoopCase& c = loop_cases().front();
  const State s = random_state(c.model, 7);
  const std::vector<double> q = in<double>(c.q), v = in<double>(c.v), tau = in<double>(s.tau),
                            weights = in<double>(s.a);
  const auto n = static_cast<std::size_t>(c.model.nv());
  std::vector<double> out[2];
  for (const Method method : {Method::automatic, Method::scan}) {
    std::vector<double>& x = out[method == Method::scan];
    x.resize(4 * n);
    const auto output = [&](std::size_t k) { return Array<double>::output(x.data() + k * n, 0); };
    const Array<double> arguments[] = {Array<double>::input(q.data(), 0),
                                       Array<double>::input(v.data(), 0),
                                       Array<double>::input(tau.data(), 0),
                                       Array<double>::input(weights.data(), 0),
                                       {},
                                       {},
                                       output(0),
                                       output(1),
                                       output(2),
                                       output(3),
                                       {},
                                       {}};
    Workspace<double> work;
    evaluate<double>(find_algorithm("forward_dynamics_vjp"), c.model, arguments, 1, work, {.method = method});
    std::vector<double> by_plan(x);
    std::swap(by_plan, x);
    const Plan<double> plan(c.model, find_algorithm("forward_dynamics_vjp"), {.method = method});
    evaluate<double>(plan, arguments, 1, work);
  }
  const auto [kappa, size] = sizes_of(c, s, Vector::Zero(c.model.nv()));
  double most = size;
  for (const double x : out[0]) most = std::max(most, std::abs(x));
  for (std::size_t k = 0; k < 4 * n; ++k) EXPECT_NEAR(out[0][k], out[1][k], tolerance<double>(32, kappa, most));
}

TEST(LoopDerivatives, SayWhatIsWrong) {
  const Model bars = load("four_bar");
  Workspace<double> work;
  std::vector<double> q(3, 0), v(3, 0), tau = {1, 2, 3}, a(3), q_bar(3), v_bar(3), tau_bar(3);
  EXPECT_THAT(error_of([&] { forward_dynamics_vjp<double>(bars, q, v, tau, v, a, q_bar, v, tau_bar, work); }),
              HasSubstr("forward_dynamics_vjp"));  // an output where an input is
  // states that are no numbers say so, and spoil no neighbour
  std::vector<double> two_q(6, 0), two_tau = {1, 0, 0, 1, std::nan(""), 3}, two(6), da_dq(18), da_dv(18);
  std::vector<Status> status(2);
  const Array<double> arguments[] = {Array<double>::input(two_q.data(), 3),
                                     Array<double>::input(two.data(), 3),
                                     Array<double>::input(two_tau.data(), 3),
                                     {},
                                     {},
                                     Array<double>::output(da_dq.data(), 9),
                                     Array<double>::output(da_dv.data(), 9),
                                     {}};
  evaluate<double>(find_algorithm("forward_dynamics_derivatives"), bars, arguments, Batch<double>(2, 1, status), work);
  EXPECT_THAT(status, testing::ElementsAre(Status::ok, Status::non_finite));
  EXPECT_TRUE(std::isfinite(da_dq[0]));
  EXPECT_THAT(error_of([&] {
                std::vector<double> d2(9), e2(9), f2(9), g2(9);
                forward_dynamics_second_derivatives<double>(bars, q, v, tau, v, d2, e2, f2, g2, work);
              }),
              HasSubstr("differences of forward_dynamics_derivatives"));
}

}  // namespace
}  // namespace tandem::test
