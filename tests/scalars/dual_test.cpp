// SPDX-License-Identifier: Apache-2.0
/// Every algorithm's body on dual numbers: exact derivatives, against difference quotients and laws of mechanics.
#include "core/random.hpp"
#include "scalars/bodies.hpp"
#include "support/robot.hpp"
#include "support/tolerance.hpp"

namespace tandem::test {
namespace {

std::vector<Dual> dual(const Vector& values, const Vector& rates) {
  std::vector<Dual> result;
  for (Index k = 0; k < values.size(); ++k) result.emplace_back(values[k], rates[k]);
  return result;
}
std::vector<Dual> dual(const Vector& values) { return dual(values, Vector::Zero(values.size())); }
Vector rates(const std::vector<Dual>& x) {
  Vector result(static_cast<Index>(x.size()));
  for (Index k = 0; k < result.size(); ++k) result[k] = x[static_cast<std::size_t>(k)].rate;
  return result;
}

/// Runs an algorithm that has one output, the last argument; gives that.
std::vector<Dual> run_dual(const char* algorithm, const Model& model, Columns<Dual> inputs, Index output_rows) {
  inputs.emplace_back(static_cast<std::size_t>(output_rows));
  body_named(dual_bodies(), algorithm).run(model.view<double>(), {}, inputs);
  return inputs.back();
}

/// q (+) u t, at t = 0.
std::vector<Dual> moving(const Model& model, const Vector& q, const Vector& u) {
  return run_dual("integrate", model, {dual(q), dual(Vector::Zero(u.size()), u)}, q.size());
}

double largest(const std::vector<double>& x) {
  double result = 0;
  for (const double value : x) result = std::max(result, std::abs(value));
  return result;
}

/// Inputs that move with a rate in time, configurations on their manifold, and their values at a time.
struct Motions {
  const Model& model;
  std::span<const Argument> arguments;
  Columns<double> start;  ///< with room for the outputs
  Columns<double> rate;   ///< of the inputs; those of configurations have a row for each row of v

  Motions(std::span<const Argument> table, const Model& m) : model(m), arguments(table) {
    start = random_arguments(table, m, 6, Optional::given);
    Random random(7);
    for (std::size_t k = 0; k < table.size(); ++k) {
      auto& column = rate.emplace_back();
      column.resize(table[k].rows == Rows::q ? static_cast<std::size_t>(m.nv()) : start[k].size());
      // which stops act does not change; steps are too short for differences of their length
      if (table[k].rows == Rows::stop || std::string_view(table[k].name) == "dt") continue;
      for (double& x : column) x = random.uniform(-1, 1);
    }
  }

  Columns<double> at(double t) const {
    Columns<double> result = start;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (!is_input(arguments[k])) continue;
      if (arguments[k].rows == Rows::q) {
        std::vector<double> u = rate[k];
        for (double& x : u) x *= t;
        Workspace<double> work;
        integrate<double>(model, start[k], u, result[k], work);
      } else {
        for (std::size_t row = 0; row < result[k].size(); ++row) result[k][row] += t * rate[k][row];
      }
    }
    return result;
  }

  Columns<Dual> dual_numbers() const {
    Columns<Dual> result;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Vector value = Eigen::Map<const Vector>(start[k].data(), static_cast<Index>(start[k].size()));
      const Vector u = Eigen::Map<const Vector>(rate[k].data(), static_cast<Index>(rate[k].size()));
      result.push_back(!is_input(arguments[k])        ? dual(value)
                       : arguments[k].rows == Rows::q ? moving(model, value, u)
                                                      : dual(value, u));
    }
    return result;
  }
};

void expect_rates_of_differences(const Body<Dual>& body, const Model& model, const Options& options) {
  const Motions motions(body.arguments, model);
  const double h = difference_step<double>();
  Columns<Dual> ours = motions.dual_numbers();
  body.run(model.view<double>(), options, ours);
  Columns<double> now = motions.start, before = motions.at(-h), after = motions.at(h);
  for (Columns<double>* columns : {&now, &before, &after}) run_in_double(body.name, model, options, *columns);
  for (std::size_t k = 0; k < now.size(); ++k) {
    if (is_input(body.arguments[k])) continue;
    std::vector<double> quotient(now[k].size());
    for (std::size_t row = 0; row < quotient.size(); ++row) quotient[row] = (after[k][row] - before[k][row]) / (2 * h);
    const double size = largest(now[k]), rate_size = largest(quotient);
    for (std::size_t row = 0; row < quotient.size(); ++row) {
      EXPECT_NEAR(ours[k][row].value, now[k][row], 1e-11 * size) << body.arguments[k].name << ", row " << row;
      EXPECT_NEAR(ours[k][row].rate, quotient[row], 1e-7 * (size + rate_size))
          << "rate of " << body.arguments[k].name << ", row " << row;
    }
  }
}

TEST(Dual, BodiesGiveTheLibrarysValuesAndTheRatesOfCentralDifferences) {
  for (const std::string& robot : robots_for_scalars()) {
    const Model& model = case_named(robot).model;
    for (const Body<Dual>& body : dual_bodies())
      for (const Options& options : own_options(find_algorithm(body.name), model)) {
        SCOPED_TRACE(robot + ", " + body.name);
        expect_rates_of_differences(body, model, options);
      }
  }
}

/// The matrices that linearise a robot, column by column, against central differences along each coordinate.
TEST(Dual, DerivativesOfInverseDynamicsAreThoseOfCentralDifferences) {
  for (const std::string& robot_name : robots_for_scalars()) {
    SCOPED_TRACE(robot_name);
    const Model& model = case_named(robot_name).model;
    Robot<double> robot(model);
    const State s = random_state(model, 8);
    const Index n = model.nv();
    const double h = difference_step<double>();
    Matrix by_q(n, n), by_v(n, n), by_a(n, n), quotient_q(n, n), quotient_v(n, n);
    for (Index k = 0; k < n; ++k) {
      const Vector u = Vector::Unit(n, k);
      const auto rate = [&](const std::vector<Dual>& q, const std::vector<Dual>& v, const std::vector<Dual>& a) {
        return rates(run_dual("inverse_dynamics", model, {q, v, a, {}}, n));
      };
      by_q.col(k) = rate(moving(model, s.q, u), dual(s.v), dual(s.a));
      by_v.col(k) = rate(dual(s.q), dual(s.v, u), dual(s.a));
      by_a.col(k) = rate(dual(s.q), dual(s.v), dual(s.a, u));
      const auto difference = [&](const Vector& after, const Vector& before) { return (after - before) / (2 * h); };
      quotient_q.col(k) = difference(robot.inverse_dynamics(robot.integrate(s.q, h * u), s.v, s.a),
                                     robot.inverse_dynamics(robot.integrate(s.q, -h * u), s.v, s.a));
      quotient_v.col(k) =
          difference(robot.inverse_dynamics(s.q, s.v + h * u, s.a), robot.inverse_dynamics(s.q, s.v - h * u, s.a));
    }
    const Scales size = scales(model, s);
    const double allowed = tolerance<double>(16, difference_kappa<double>(), size.force);
    expect_near(by_q, quotient_q, allowed, "by q");
    expect_near(by_v, quotient_v, allowed, "by v");
    expect_near(by_a, robot.mass_matrix(s.q), tolerance<double>(8, 1, size.mass), "by a: the mass matrix");
  }
}

TEST(Dual, TheMassMatrixStaysSymmetric) {
  for (const std::string& robot : robots_for_scalars()) {
    SCOPED_TRACE(robot);
    const Model& model = case_named(robot).model;
    const State s = random_state(model, 9);
    const Index n = model.nv();
    const Vector rate = rates(run_dual("mass_matrix", model, {moving(model, s.q, s.v)}, n * n));
    const Matrix M_dot = Eigen::Map<const Matrix>(rate.data(), n, n);
    EXPECT_TRUE(M_dot == M_dot.transpose());
  }
}

/// dR/dt = w x R and dp/dt = the linear part of J v, for every link's frame.
TEST(Dual, PosesChangeAsTheJacobiansSay) {
  for (const std::string& robot_name : robots_for_scalars()) {
    SCOPED_TRACE(robot_name);
    const Model& model = case_named(robot_name).model;
    Robot<double> robot(model);
    const State s = random_state(model, 10);
    const Frames frames = robot.forward_kinematics(s.q);
    Columns<Dual> columns = {moving(model, s.q, s.v), {}, {}, {}, {}, {}};
    columns[3].resize(12 * static_cast<std::size_t>(model.n_frames()));
    body_named(dual_bodies(), "forward_kinematics").run(model.view<double>(), {}, columns);
    const Vector rate = rates(columns[3]);
    const double allowed = tolerance<double>(8, 1, scales(model, s).motion);
    for (int k = 0; k < model.n_frames(); ++k) {
      const Vector6 u = robot.jacobian(s.q, k, Reference::local_world_aligned) * s.v;
      const Eigen::Map<const Eigen::Matrix<double, 3, 4, Eigen::RowMajor>> pose_rate(rate.data() + 12 * k);
      const Matrix3 R_dot = skew_matrix(u.tail<3>()) * frames.R[static_cast<std::size_t>(k)];
      expect_near(pose_rate.leftCols<3>(), R_dot, allowed, "dR/dt of frame " + std::to_string(k));
      expect_near(pose_rate.col(3), u.head<3>(), allowed, "dp/dt of frame " + std::to_string(k));
    }
  }
}

/// A force does work: the energy's rate is v . tau, where the joints' drives also work against the springs, of which
/// inverse dynamics knows nothing.
TEST(Dual, EnergyChangesByThePowerOfTheJointForces) {
  for (const std::string& robot_name : robots_for_scalars()) {
    SCOPED_TRACE(robot_name);
    const Model& model = case_named(robot_name).model;
    Robot<double> robot(model);
    const State s = random_state(model, 11);
    Columns<Dual> columns = {moving(model, s.q, s.v), dual(s.v, s.a), {Dual()}, {Dual()}};
    body_named(dual_bodies(), "energy").run(model.view<double>(), {}, columns);
    const Vector springs = robot.passive_forces(s.q, Vector::Zero(model.nv()));
    const double power = s.v.dot(robot.inverse_dynamics(s.q, s.v, s.a) - springs);
    EXPECT_NEAR(columns[2][0].rate + columns[3][0].rate, power,
                tolerance<double>(8, 1, scales(model, s).force * s.v.cwiseAbs().sum()));
  }
}

}  // namespace
}  // namespace tandem::test
