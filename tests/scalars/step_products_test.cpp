// SPDX-License-Identifier: Apache-2.0
/// Products of a step's derivatives with weights, against the step on dual numbers.
#include "core/random.hpp"
#include "scalars/bodies.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

/// A step, weights of the state after it, and a direction in which all that it depends on changes.
class SteppedCase {
 public:
  using Numbers = std::vector<double>;
  using Rates = std::vector<Dual>;

  const Model& model;
  Options options;
  bool controlled, pushed;
  Random random{23};
  std::size_t nq = static_cast<std::size_t>(model.nq()), nv = static_cast<std::size_t>(model.nv());
  State state = random_state(model, 3);
  Numbers q{state.q.begin(), state.q.end()}, v{state.v.begin(), state.v.end()}, stops = Numbers(3 * nv);
  double dt = options.integrator == Integrator::semi_implicit_euler ? 5e-3 : 1e-3;
  Numbers tau = numbers(nv), f_ext = numbers(6 * static_cast<std::size_t>(model.n_links())), target = configuration(),
          kp = numbers(nv, 0, 50), kd = numbers(nv, 0, 5);
  Numbers of_q = numbers(nv), of_v = numbers(nv), of_impedance = numbers(nv);
  Numbers dq = numbers(nv), dv = numbers(nv), dtau = numbers(nv), df_ext = numbers(f_ext.size()), dtarget = numbers(nv),
          dkp = numbers(nv), dkd = numbers(nv), dimpedance = numbers(nv);

  SteppedCase(const Model& m, const Options& o, bool is_controlled, bool is_pushed)
      : model(m), options(o), controlled(is_controlled), pushed(is_pushed) {}

  /// The columns of step_vjp, with what it found.
  Columns<double> vjp() const {
    const Numbers none, of_rows(nv);
    Columns<double> x = {q,       v,
                         tau,     {dt},
                         of_q,    of_v,
                         f_ext,   target,
                         kp,      kd,
                         stops,   of_impedance,
                         q,       of_rows,
                         of_rows, of_rows,
                         of_rows, Numbers(f_ext.size()),
                         of_rows, of_rows,
                         of_rows, Numbers(3 * nv),
                         of_rows};
    if (!pushed) x[6] = none;
    if (!controlled) x[7] = x[8] = x[9] = none;
    run_in_double("step_vjp", model, options, x);
    return x;
  }
  /// What it found, along the direction; `size` is that of the parts.
  double along(const Columns<double>& x, double& size) const {
    double sum = 0;
    const auto add = [&](const Numbers& gradient, const Numbers& direction) {
      for (std::size_t k = 0; k < gradient.size(); ++k) {
        sum += gradient[k] * direction[k];
        size += std::abs(gradient[k] * direction[k]);
      }
    };
    add(x[14], dq);
    add(x[15], dv);
    add(x[16], dtau);
    if (pushed) add(x[17], df_ext);
    add(x[18], dtarget);
    add(x[19], dkp);
    add(x[20], dkd);
    add(x[22], impedances());
    return sum;
  }
  /// How fast the weighted sum changes, on dual numbers.
  double rate() const {
    const auto& m = model.view<double>();
    Rates stopped = dual(stops, {});
    for (std::size_t k = 0; k < nv; ++k) stopped[3 * k].rate = impedances()[k];
    Columns<Dual> x = {moved(q, dq), dual(v, dv), dual(tau, dtau), {Dual(dt)},    {}, {}, {}, {},
                       stopped,      Rates(nq),   Rates(nv),       Rates(3 * nv), {}};
    if (pushed) x[4] = dual(f_ext, df_ext);
    if (controlled) x[5] = moved(target, dtarget), x[6] = dual(kp, dkp), x[7] = dual(kd, dkd);
    body_named(dual_bodies(), "step").run(m, options, x);
    Numbers end;
    for (const Dual& each : x[9]) end.push_back(each.value);
    Columns<Dual> gone = {dual(end, {}), x[9], Rates(nv)};
    body_named(dual_bodies(), "difference").run(m, {}, gone);
    double sum = 0;
    for (std::size_t k = 0; k < nv; ++k)
      sum += of_q[k] * gone[2][k].rate + of_v[k] * x[10][k].rate + of_impedance[k] * x[11][3 * k].rate;
    return sum;
  }
  /// Of the mass matrix, once for each time that forward dynamics is solved: each rounds.
  double condition_of_step() const {
    const double times = options.integrator == Integrator::rk4                 ? 4
                         : options.integrator == Integrator::implicit_midpoint ? 5  // or more
                                                                               : 1;
    return times * condition(Robot<double>(model).mass_matrix(state.q));
  }

 private:
  /// Increments of the impedances of stops that act.
  Numbers impedances() const {
    Numbers rates = dimpedance;
    for (std::size_t k = 0; k < nv; ++k) rates[k] *= std::abs(stops[3 * k + 2]);
    return rates;
  }
  Numbers numbers(std::size_t n, double from = -1, double to = 1) {
    Numbers x(n);
    for (double& each : x) each = random.uniform(from, to);
    return x;
  }
  Numbers configuration() const { return random_configurations(model, 5, 1); }
  static Rates dual(const Numbers& x, const Numbers& rates) {
    Rates result;
    for (std::size_t k = 0; k < x.size(); ++k) result.emplace_back(x[k], rates.empty() ? 0 : rates[k]);
    return result;
  }
  Rates moved(const Numbers& from, const Numbers& u) const {
    Columns<Dual> x = {dual(from, {}), dual(Numbers(u.size()), u), Rates(from.size())};
    body_named(dual_bodies(), "integrate").run(model.view<double>(), {}, x);
    return x[2];
  }
};

Options stepping(Integrator integrator, Switch limits, Switch effort_limits) {
  Options options;
  options.integrator = integrator;
  options.limits = limits;
  options.effort_limits = effort_limits;
  return options;
}
constexpr Integrator every_integrator[] = {Integrator::semi_implicit_euler, Integrator::rk4,
                                           Integrator::implicit_midpoint};

TEST(StepProducts, AreTheRateOnDualNumbers) {
  for (const std::string& name : robots_for_scalars()) {
    const Model& model = case_named(name).model;
    if (model.nv() == 0 || model.n_loops() > 0) continue;
    for (const Integrator integrator : every_integrator)
      for (const bool controlled : {false, true})
        for (const Switch effort_limits : {Switch::off, Switch::on}) {
          SCOPED_TRACE(name + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
          const SteppedCase x(model, stepping(integrator, Switch::off, effort_limits), controlled, !controlled);
          double size = 0;
          const double along = x.along(x.vjp(), size);
          EXPECT_NEAR(along, x.rate(), tolerance<double>(32, x.condition_of_step(), size));
        }
  }
}

TEST(StepProducts, OfARobotAtItsStopsAreTheRateOnDualNumbers) {
  int robots = 0;
  for (const char* const name : {"arm7", "humanoid", "quadruped"}) {
    const Model model = load(name);
    for (const Integrator integrator : every_integrator)
      for (const bool controlled : {false, true}) {
        SCOPED_TRACE(std::string(name) + ", " + to_string(integrator) + (controlled ? ", controlled" : ""));
        SteppedCase x(model, stepping(integrator, Switch::on, Switch::off), controlled, true);
        if (integrator == Integrator::implicit_midpoint) x.dt = 2.5e-4;  // else it does not converge
        // a third of the joints that have limits come to them too fast, another lies beyond them
        const auto& m = model.view<double>();
        int turn = 0;
        for_each_limited_row(m, [&](int iq, int iv) {
          const auto row = static_cast<std::size_t>(iq);
          if (!std::isfinite(m.q_upper[iq]) || ++turn % 3 == 0) return;
          x.q[row] = m.q_upper[iq] + (turn % 3 == 1 ? -1e-3 : 1e-3);
          x.v[static_cast<std::size_t>(iv)] = turn % 3 == 1 ? 2 : 0.01;
        });
        for (const bool again : {false, true}) {  // stops that are met, then stops that are held
          const Columns<double> found = x.vjp();
          double size = 0, pressing = 0;
          const double along = x.along(found, size);
          EXPECT_NEAR(along, x.rate(), tolerance<double>(32, x.condition_of_step() * JointStops::hardness, size))
              << again;
          x.q = found[12];
          x.v = found[13];
          x.stops = found[21];
          for (std::size_t k = 2; k < x.stops.size(); k += 3) pressing += std::abs(x.stops[k]);
          robots += pressing > 0;
        }
      }
  }
  EXPECT_EQ(robots, 34);
}

TEST(StepProducts, StepAsTheStepDoes) {
  for (const Integrator integrator : every_integrator) {
    const Model model = load("humanoid");
    SteppedCase x(model, stepping(integrator, Switch::on, Switch::on), true, true);
    const Columns<double> found = x.vjp();
    Columns<double> step = {x.q,
                            x.v,
                            x.tau,
                            {x.dt},
                            x.f_ext,
                            x.target,
                            x.kp,
                            x.kd,
                            x.stops,
                            std::vector<double>(x.nq),
                            std::vector<double>(x.nv),
                            {},
                            {}};
    Options options = x.options;
    options.method = Method::articulated_body;
    run_in_double("step", model, options, step);
    EXPECT_EQ(found[12], step[9]) << to_string(integrator);
    EXPECT_EQ(found[13], step[10]) << to_string(integrator);
  }
}

}  // namespace
}  // namespace tandem::test
