// SPDX-License-Identifier: Apache-2.0
/// Gradients of rollouts, against steps on dual numbers.
#include "tandem/api/rollout_gradient.hpp"

#include "core/random.hpp"
#include "scalars/bodies.hpp"
#include "support/property.hpp"
#include "tandem/detail/simulation/rollout_cost.hpp"

namespace tandem::test {
namespace {

using RealNumbers = std::vector<double>;
using Duals = std::vector<Dual>;

/// A rollout of one robot, all that it is given, and a direction in which that changes.
struct GradientCase {
  const Model& model;
  Integrator integrator;
  bool controlled;
  Index nq = model.nq(), nv = model.nv(), steps = 5;
  double dt = integrator == Integrator::semi_implicit_euler ? 5e-3 : 1e-3;
  bool limits = false;
  Random random{17};
  State state = random_state(model, 3);
  int frame = model.n_frames() - 1;

  RealNumbers numbers(Index n, double from = -1, double to = 1) {
    RealNumbers x(static_cast<std::size_t>(n));
    for (double& each : x) each = random.uniform(from, to);
    return x;
  }
  RealNumbers configurations(Index n) { return random_configurations(model, 5, n); }
  RealNumbers q0{state.q.begin(), state.q.end()}, v0{state.v.begin(), state.v.end()};
  RealNumbers tau = numbers(steps * nv), target = configurations(steps), kp = numbers(nv, 0, 50),
              kd = numbers(nv, 0, 5);
  RealNumbers q_reference = configurations(1), v_reference = numbers(nv), pose = poses();
  RealNumbers q_weight = numbers(nv, 0, 1), v_weight = numbers(nv, 0, 1), effort_weight = numbers(nv, 0, 1),
              final_q_weight = numbers(nv, 0, 1), final_v_weight = numbers(nv, 0, 1), frame_weight = numbers(6, 0, 1),
              final_frame_weight = numbers(6, 0, 1);
  RealNumbers of_q = numbers(nv), of_v = numbers(nv), of_q_path = numbers((steps + 1) * nv),
              of_v_path = numbers((steps + 1) * nv);
  double of_cost = 0.7;
  double stopped = 0;  ///< joints against stops, in all steps
  // the direction
  RealNumbers dq0 = numbers(nv), dv0 = numbers(nv), dtau = numbers(steps * nv), dtarget = numbers(steps * nv),
              dkp = numbers(nv), dkd = numbers(nv);

  RealNumbers poses() {
    const RealNumbers q = configurations(2);
    RealNumbers all(static_cast<std::size_t>(12 * model.n_frames()));
    Workspace<double> work;
    forward_kinematics<double>(model, std::span(q).last(static_cast<std::size_t>(nq)), all, work);
    return {all.end() - 12, all.end()};
  }
};

RealNumbers part(const RealNumbers& x, Index n, Index k) { return {x.begin() + k * n, x.begin() + (k + 1) * n}; }
Duals dual(const RealNumbers& x, const RealNumbers& rates = {}) {
  Duals result;
  for (std::size_t k = 0; k < x.size(); ++k) result.emplace_back(x[k], rates.empty() ? 0 : rates[k]);
  return result;
}
Duals moved(const Model& model, const RealNumbers& q, const RealNumbers& u) {
  Columns<Dual> columns = {dual(q), dual(RealNumbers(u.size()), u), Duals(q.size())};
  body_named(dual_bodies(), "integrate").run(model.view<double>(), {}, columns);
  return columns[2];
}
/// How fast a configuration goes, along its increments.
RealNumbers speeds_of(const Model& model, const Duals& q) {
  RealNumbers here;
  for (const Dual& x : q) here.push_back(x.value);
  Columns<Dual> columns = {dual(here), q, Duals(static_cast<std::size_t>(model.nv()))};
  body_named(dual_bodies(), "difference").run(model.view<double>(), {}, columns);
  RealNumbers rates;
  for (const Dual& x : columns[2]) rates.push_back(x.rate);
  return rates;
}
double dot(const RealNumbers& a, const RealNumbers& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}
RealNumbers speeds_of(const Duals& x) {
  RealNumbers rates;
  for (const Dual& each : x) rates.push_back(each.rate);
  return rates;
}

/// How fast the number changes.
double rate_of_number(GradientCase& x) {
  const auto& m = x.model.view<double>();
  Duals q = moved(x.model, x.q0, x.dq0), v = dual(x.v0, x.dv0), u(static_cast<std::size_t>(x.nv));
  const Duals kp = dual(x.kp, x.dkp), kd = dual(x.kd, x.dkd), pose = dual(x.pose);
  double rate = 0;
  Dual cost(0.0);
  const auto of_state = [&](const RealNumbers& q_weight, const RealNumbers& v_weight, const RealNumbers& frame_weight,
                            Dual sum) {
    sum = RolloutTerms::of_configuration<Dual>(m, q_weight.data(), q.data(), dual(x.q_reference).data(), u.data(), sum);
    sum = RolloutTerms::of_velocity<Dual>(x.nv, v_weight.data(), v.data(), dual(x.v_reference).data(), sum);
    return RolloutTerms::of_frame<Dual>(m, x.frame, frame_weight.data(), q.data(), pose.data(), sum);
  };
  const auto of_path = [&](Index k) {
    rate += dot(part(x.of_q_path, x.nv, k), speeds_of(x.model, q)) + dot(part(x.of_v_path, x.nv, k), speeds_of(v));
  };
  Options options;
  options.integrator = x.integrator;
  options.limits = x.limits ? Switch::on : Switch::off;
  Duals stops(static_cast<std::size_t>(3 * x.nv), Dual(0.0));
  for (Index k = 0; k < x.steps; ++k) {
    of_path(k);
    const Duals tau = dual(part(x.tau, x.nv, k), part(x.dtau, x.nv, k)),
                target = moved(x.model, part(x.target, x.nq, k), part(x.dtarget, x.nv, k));
    Duals effort = tau;
    if (x.controlled) {
      Difference::body<Dual>(m, q.data(), target.data(), u.data(), u.data());
      for (std::size_t i = 0; i < effort.size(); ++i) {
        const Dual led = kp[i] * u[i] - kd[i] * v[i], limit(m.tau_limit[i]);
        effort[i] = effort[i] + select(limit < led, limit, select(led < -limit, -limit, led));
      }
    }
    cost = cost + Dual(x.dt) * of_state(x.q_weight, x.v_weight, x.frame_weight,
                                        RolloutTerms::of_rows(x.nv, x.effort_weight.data(), effort.data(), Dual(0.0)));
    Columns<Dual> columns = {q, v, tau, {Dual(x.dt)}, {}, {}, {}, {}, stops, q, v, stops, {}};
    if (x.controlled) columns[5] = target, columns[6] = kp, columns[7] = kd;
    body_named(dual_bodies(), "step").run(m, options, columns);
    q = columns[9];
    v = columns[10];
    stops = columns[11];
    for (std::size_t i = 2; i < stops.size(); i += 3) x.stopped += std::abs(stops[i].value);
  }
  of_path(x.steps);
  cost = cost + of_state(x.final_q_weight, x.final_v_weight, x.final_frame_weight, Dual(0.0));
  rate += dot(x.of_q, speeds_of(x.model, q)) + dot(x.of_v, speeds_of(v));
  return rate + x.of_cost * cost.rate;
}

/// The gradient along the direction, and the size of its parts.
struct Along {
  double sum = 0, size = 0;
  void add(const RealNumbers& gradient, const RealNumbers& direction) {
    sum += dot(gradient, direction);
    for (std::size_t k = 0; k < gradient.size(); ++k) size += std::abs(gradient[k] * direction[k]);
  }
};
Along gradient_along(GradientCase& x, Index checkpoints, RealNumbers* all = nullptr) {
  using In = Array<double>;
  using InTime = Series<double>;
  const Index nv = x.nv, nq = x.nq;
  const FrameCost<double> frame = {x.frame, InTime::input(x.pose.data(), 0, 0), In::input(x.frame_weight.data(), 0),
                                   In::input(x.final_frame_weight.data(), 0)};
  double cost = 0;
  RolloutArrays<double> a;
  a.q0 = In::input(x.q0.data(), nq);
  a.v0 = In::input(x.v0.data(), nv);
  a.tau = InTime::input(x.tau.data(), 0, nv);
  if (x.controlled) {
    a.q_target = InTime::input(x.target.data(), 0, nq);
    a.kp = In::input(x.kp.data(), 0);
    a.kd = In::input(x.kd.data(), 0);
  }
  a.costs.q_reference = InTime::input(x.q_reference.data(), 0, 0);
  a.costs.v_reference = InTime::input(x.v_reference.data(), 0, 0);
  a.costs.q_weight = In::input(x.q_weight.data(), 0);
  a.costs.v_weight = In::input(x.v_weight.data(), 0);
  a.costs.effort_weight = In::input(x.effort_weight.data(), 0);
  a.costs.final_q_weight = In::input(x.final_q_weight.data(), 0);
  a.costs.final_v_weight = In::input(x.final_v_weight.data(), 0);
  a.costs.frames = {&frame, 1};
  a.cost = {&cost, 1};
  const auto room = [](Index n) { return RealNumbers(static_cast<std::size_t>(n), 1e300); };
  RealNumbers by_q0 = room(nv), by_v0 = room(nv), by_tau = room(x.steps * nv), by_target = room(x.steps * nv),
              by_kp = room(nv), by_kd = room(nv);
  RolloutGradientArrays<double> g;
  g.of_cost = In::input(&x.of_cost, 0);
  g.of_q = In::input(x.of_q.data(), 0);
  g.of_v = In::input(x.of_v.data(), 0);
  g.of_q_path = InTime::input(x.of_q_path.data(), 0, nv);
  g.of_v_path = InTime::input(x.of_v_path.data(), 0, nv);
  g.by_q0 = In::output(by_q0.data(), nv);
  g.by_v0 = In::output(by_v0.data(), nv);
  g.by_tau = InTime::output(by_tau.data(), x.steps * nv, nv);
  if (x.controlled) {
    g.by_q_target = InTime::output(by_target.data(), x.steps * nv, nv);
    g.by_kp = In::output(by_kp.data(), nv);
    g.by_kd = In::output(by_kd.data(), nv);
  }
  g.checkpoints = checkpoints;
  RolloutOptions options;
  options.dt = x.dt;
  options.steps = x.steps;
  options.integrator = x.integrator;
  options.limits = x.limits;
  Workspace<double> work;
  Status status = Status::limit;
  rollout_gradient<double>(x.model, a, g, Batch<double>(1, 1, {&status, 1}), work, options);
  EXPECT_EQ(status, Status::ok);
  Along along;
  along.add(by_q0, x.dq0);
  along.add(by_v0, x.dv0);
  along.add(by_tau, x.dtau);
  if (x.controlled) {
    along.add(by_target, x.dtarget);
    along.add(by_kp, x.dkp);
    along.add(by_kd, x.dkd);
  }
  if (all)
    for (const RealNumbers* part : {&by_q0, &by_v0, &by_tau, &by_target, &by_kp, &by_kd})
      all->insert(all->end(), part->begin(), part->end());
  return along;
}

TEST(RolloutGradient, IsTheRateOnDualNumbers) {
  for (const std::string& name : robots_for_scalars()) {
    const Model& model = case_named(name).model;
    if (model.nv() == 0 || model.n_loops() > 0) continue;
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint})
      for (const bool controlled : {false, true}) {
        SCOPED_TRACE(name + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
        GradientCase x{model, integrator, controlled};
        const Along along = gradient_along(x, 0);
        const double rate = rate_of_number(x);
        const double kappa = condition(Robot<double>(model).mass_matrix(x.state.q));
        EXPECT_NEAR(along.sum, rate, tolerance<double>(32, kappa * static_cast<double>(x.steps), along.size));
      }
  }
}

/// A third of the joints that have limits come to them too fast, another lies beyond them.
void go_to_limits(GradientCase& x) {
  const auto& m = x.model.view<double>();
  int turn = 0;
  for_each_limited_row(m, [&](int iq, int iv) {
    const auto q = static_cast<std::size_t>(iq), v = static_cast<std::size_t>(iv);
    if (!std::isfinite(m.q_upper[iq]) || ++turn % 3 == 0) return;
    x.q0[q] = m.q_upper[iq] + (turn % 3 == 1 ? -1e-3 : 1e-3);
    x.v0[v] = turn % 3 == 1 ? 2 : 0.01;
  });
}

TEST(RolloutGradient, OfARobotAtItsStopsIsTheRateOnDualNumbers) {
  int robots = 0;
  for (const char* const name : {"arm7", "humanoid", "quadruped"}) {
    const Model model = load(name);
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint})
      for (const bool controlled : {false, true}) {
        SCOPED_TRACE(std::string(name) + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
        GradientCase x{model, integrator, controlled};
        x.limits = true;
        if (integrator == Integrator::implicit_midpoint) x.dt = 2.5e-4;  // else it does not converge
        go_to_limits(x);
        const Along along = gradient_along(x, 2);
        const double rate = rate_of_number(x);
        robots += x.stopped > 0;
        const double kappa = condition(Robot<double>(model).mass_matrix(x.state.q));
        EXPECT_NEAR(along.sum, rate,
                    tolerance<double>(32, kappa * JointStops::hardness * static_cast<double>(x.steps), along.size));
      }
  }
  EXPECT_EQ(robots, 18);
}

TEST(RolloutGradient, HasTheSameBitsWithAnyNumberOfCheckpoints) {
  const Model model = load("humanoid");
  GradientCase x{model, Integrator::rk4, true};
  x.steps = 5;
  RealNumbers once;
  gradient_along(x, 5, &once);
  for (const Index kept : {1, 2, 3, 4, 100}) {
    RealNumbers again;
    gradient_along(x, kept, &again);
    EXPECT_EQ(once, again) << kept;
  }
}

/// Numbers of scratch memory that a gradient over so many steps takes.
Index scratch_of_gradient(const Model& model, Index steps, Index checkpoints, bool limits = false) {
  RealNumbers q0(static_cast<std::size_t>(model.nq())), of_q(static_cast<std::size_t>(model.nv()));
  RolloutArrays<double> a;
  a.q0 = Array<double>::input(q0.data(), 0);
  RolloutGradientArrays<double> g;
  g.of_q = Array<double>::input(of_q.data(), 0);
  g.checkpoints = checkpoints;
  RolloutOptions options;
  options.steps = steps;
  options.limits = limits;
  Workspace<double> work;
  rollout_gradient<double>(model, a, g, Batch<double>(1, 1), work, options);
  return work.size();
}

TEST(RolloutGradient, KeepsToItsMemory) {
  const Model snake = load("snake:30"), longer = load("snake:60");
  const Index few = scratch_of_gradient(snake, 20, 2), more = scratch_of_gradient(snake, 20, 12);
  const Index lanes = 8;  // at most, with padding to whole lines
  const Index with_stops = scratch_of_gradient(snake, 20, 12, true) - scratch_of_gradient(snake, 20, 2, true);
  EXPECT_LE(more - few, 10 * lanes * (snake.nq() + snake.nv() + 1) + 8);
  EXPECT_LE(with_stops, 10 * lanes * (snake.nq() + 4 * snake.nv() + 1) + 8);
  EXPECT_EQ(scratch_of_gradient(snake, 40, 2), few) << "however many steps";
  EXPECT_LT(scratch_of_gradient(longer, 4, 2), 2.1 * static_cast<double>(scratch_of_gradient(snake, 4, 2)))
      << "no matrix";
}

}  // namespace
}  // namespace tandem::test
