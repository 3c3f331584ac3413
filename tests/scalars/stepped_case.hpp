// SPDX-License-Identifier: Apache-2.0
/// A step with weights of what comes out and increments of what goes in, for tests of its derivatives.
#pragma once
#include "core/extended.hpp"
#include "core/random.hpp"
#include "scalars/bodies.hpp"
#include "support/property.hpp"

namespace tandem::test {

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
  /// The columns of step_jvp, with what it found.
  Columns<double> jvp() const {
    const Numbers none, of_rows(nv);
    Columns<double> x = {
        q,       v,   tau, {dt},       dq, dv,      dtau,    f_ext,   target,          kp,     kd, stops, df_ext,
        dtarget, dkp, dkd, dimpedance, q,  of_rows, of_rows, of_rows, Numbers(3 * nv), of_rows};
    if (!pushed) x[7] = x[12] = none;
    if (!controlled) x[8] = x[9] = x[10] = x[13] = x[14] = x[15] = none;
    run_in_double("step_jvp", model, options, x);
    return x;
  }
  /// What that found, weighted; `size` is that of the parts.
  double weighted(const Columns<double>& x, double& size) const {
    double sum = 0;
    const auto add = [&](const Numbers& weights, const Numbers& rates) {
      for (std::size_t k = 0; k < nv; ++k) {
        sum += weights[k] * rates[k];
        size += std::abs(weights[k] * rates[k]);
      }
    };
    add(of_q, x[19]);
    add(of_v, x[20]);
    add(of_impedance, x[22]);
    return sum;
  }
  /// What step_vjp found, along the direction; `size` is that of the parts.
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
  /// How fast the displacement from the configuration that step_jvp found and the velocity change, by differences of a
  /// step with more digits, of the fourth order.
  std::vector<long double> differences(const Columns<double>& found) const {
    const long double reach = 2e-5L;
    std::vector<long double> sum(2 * nv);
    for (const auto& [s, weight] : {std::pair{1, 8}, {-1, -8}, {2, -1}, {-2, 1}}) {
      const auto at = ahead(found, static_cast<long double>(s) * reach);
      for (std::size_t k = 0; k < 2 * nv; ++k)
        sum[k] += static_cast<long double>(weight) * at[k].value() / (12 * reach);
    }
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
  using Many = std::vector<Extended>;

  /// The displacement and the velocity after a step from where the direction leads within s.
  Many ahead(const Columns<double>& found, long double s) const {
    const auto& m = model.view<double>();
    const auto added = [&](const Numbers& x, const Numbers& dx) {
      Many sum;
      for (std::size_t k = 0; k < x.size(); ++k)
        sum.emplace_back(static_cast<long double>(x[k]) + s * static_cast<long double>(dx[k]));
      return sum;
    };
    const auto reached = [&](const Numbers& x, const Numbers& dx) {
      const Many from = added(x, Numbers(x.size())), way = added(Numbers(nv), dx);
      Many to(nq);
      Integrate::body<Extended>(m, from.data(), way.data(), to.data(), static_cast<Extended*>(nullptr));
      return to;
    };
    Step step = with_options<Step>(options);
    step.method = Method::articulated_body;
    step.tolerance = 1e-18;
    Many q0 = reached(q, dq), v0 = added(v, dv), tau0 = added(tau, dtau), h = {Extended(static_cast<long double>(dt))};
    Many forces = added(f_ext, df_ext), to = reached(target, dtarget), p = added(kp, dkp), d = added(kd, dkd);
    Many q1(nq), end(2 * nv), work(static_cast<std::size_t>(step.work_rows(m)));
    const auto if_given = [](bool given, Many& x) { return given ? x.data() : nullptr; };
    Extended* const no_stops = nullptr;
    Extended* const nothing = nullptr;
    step.body<Extended>(m, q0.data(), v0.data(), tau0.data(), h.data(), if_given(pushed, forces),
                        if_given(controlled, to), if_given(controlled, p), if_given(controlled, d), no_stops, q1.data(),
                        end.data() + nv, nothing, nothing, work.data());
    const Many begun = added(found[17], Numbers(nq));
    Difference::body<Extended>(m, begun.data(), q1.data(), end.data(), nothing);
    return end;
  }
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

inline Options stepping(Integrator integrator, Switch limits, Switch effort_limits) {
  Options options;
  options.integrator = integrator;
  options.limits = limits;
  options.effort_limits = effort_limits;
  return options;
}
inline constexpr Integrator every_integrator[] = {Integrator::semi_implicit_euler, Integrator::rk4,
                                                  Integrator::implicit_midpoint};

}  // namespace tandem::test
