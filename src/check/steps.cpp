// SPDX-License-Identifier: Apache-2.0
/// Laws of the derivatives of steps through time, and of gradients through many of them.
#include <algorithm>
#include <cmath>

#include "check/stepped.hpp"
#include "core/at.hpp"
#include "tandem/api/rollout_gradient.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/step.hpp"

namespace tandem::check_detail {
namespace {

template <class T>
std::vector<Dual<T>> moving(const std::vector<T>& x, const Numbers& rate) {
  std::vector<Dual<T>> result;
  for (std::size_t k = 0; k < x.size(); ++k) result.emplace_back(x[k], static_cast<T>(rate[k]));
  return result;
}
/// q (+) u dt
template <class T>
std::vector<Dual<T>> moving_by(const ModelView<T>& m, const std::vector<T>& q, const Numbers& u) {
  const std::vector<Dual<T>> start = converted<Dual<T>>(q), way = moving(std::vector<T>(u.size()), u);
  std::vector<Dual<T>> result(q.size());
  run_body<Dual<T>>(Integrate(), m, start.data(), way.data(), result.data());
  return result;
}

/// The state after a step as all that it depends on moves along the direction.
template <class T>
struct MovingStep {
  Numbers dq_next, dv_next;  ///< rates, that of the configuration by increments
  explicit MovingStep(const Stepped<T>& x) {
    const auto& m = x.s.view();
    auto q = moving_by(m, x.q, x.dq), target = moving_by(m, x.target, x.dtarget), v = moving(x.v, x.dv),
         tau = moving(x.tau, x.dtau), kp = moving(x.kp, x.dkp), kd = moving(x.kd, x.dkd),
         f_ext = moving(converted<T>(x.s.f_ext), x.s.f_ext);
    Dual<T> h(x.h);
    std::vector<Dual<T>> q_next(q.size()), v_next(v.size()), way(v.size());
    Dual<T>* const none = nullptr;
    run_body<Dual<T>>(with_options<Step>(x.options()), m, q.data(), v.data(), tau.data(), &h, f_ext.data(),
                      target.data(), kp.data(), kd.data(), none, q_next.data(), v_next.data(), none, none);
    std::vector<Dual<T>> end;
    for (const Dual<T>& x_next : q_next) end.emplace_back(x_next.value);
    run_body<Dual<T>>(Difference(), m, end.data(), q_next.data(), way.data());
    dq_next = rates(way);
    dv_next = rates(v_next);
  }
};

/// Arguments of step or step_vjp with the controller.
template <class T, class Arguments>
Arguments led(const Stepped<T>& x, Arguments arguments) {
  for_each_controller_input([](const Argument&, const auto& from, auto& to) { to = from; }, x.controller(), arguments);
  return arguments;
}

template <class T>
double weighed(const std::vector<T>& by, const Numbers& increments) {
  return product(converted<double>(by), increments);
}

/// The weighted sum of the state afterwards changes along the direction as step_vjp says.
template <class T>
void step_products_are_rates(const Stepped<T>& x, CheckVerdict& verdict) {
  State<T>& s = x.s;
  const std::size_t n = s.nv();
  const std::vector<T> f_ext = converted<T>(s.f_ext);
  std::vector<T> q_next(x.q.size()), v_next(n), q_bar(n), v_bar(n), tau_bar(n), target_bar(n), kp_bar(n), kd_bar(n),
      f_ext_bar(f_ext.size());
  step_vjp<T>(
      s.model(), x.q, x.v, x.tau, x.h, x.by_q, x.by_v, q_next, v_next, q_bar, v_bar, tau_bar, s.work,
      led(x,
          StepWeights<T>{
              .f_ext = f_ext, .f_ext_bar = f_ext_bar, .q_target_bar = target_bar, .kp_bar = kp_bar, .kd_bar = kd_bar}),
      x.options());
  const MovingStep<T> moves(x);
  const double by_weights = weighed(q_bar, x.dq) + weighed(v_bar, x.dv) + weighed(tau_bar, x.dtau) +
                            weighed(target_bar, x.dtarget) + weighed(kp_bar, x.dkp) + weighed(kd_bar, x.dkd) +
                            weighed(f_ext_bar, s.f_ext);
  const double size = size_of_products<T>(x, {converted<double>(v_next), moves.dv_next, converted<double>(tau_bar)});
  const double along = weighed(x.by_q, moves.dq_next) + weighed(x.by_v, moves.dv_next);
  verdict.compare(by_weights, along, s.unit * size);
}

template <class T>
void products_of_steps_agree(State<T>& s, CheckVerdict& verdict) {
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4})
    step_products_are_rates(Stepped<T>(s, integrator, false), verdict);
}

constexpr int steps_of_rollout = 4, most_shorter = 8;

/// How a number that depends on all states of a rollout depends on what it was given.
template <class T>
struct Gradient {
  std::vector<T> by_q, by_v, by_tau, by_target, by_kp, by_kd;
  double kp_terms = 0, kd_terms = 0;  ///< sizes of what is summed up over the steps, the largest
  explicit Gradient(std::size_t n)
      : by_q(n), by_v(n), by_tau(steps_of_rollout * n), by_target(by_tau.size()), by_kp(n), by_kd(n) {}
};

template <class T>
T largest(const std::vector<T>& x) {
  T size(0);
  for (const T value : x) size = std::max(size, std::abs(value));
  return size;
}

template <class T>
Gradient<T> of_rollout(const Stepped<T>& x, Status& status) {
  const State<T>& s = x.s;
  const auto n = static_cast<Index>(s.nv());
  Gradient<T> g(s.nv());
  const std::vector<T> f_ext = converted<T>(s.f_ext);
  std::vector<Push<T>> pushes;
  for (int i = 1; i < s.view().n_links; ++i) pushes.push_back({i, Array<T>::input(&f_ext[6 * at(i)], 0)});
  RolloutArrays<T> arrays;
  arrays.q0 = Array<T>::input(x.q.data(), 0);
  arrays.v0 = Array<T>::input(x.v.data(), 0);
  arrays.tau = Series<T>::input(x.tau.data(), 0, 0);
  set_controller(arrays, x.controller(), s.model());
  arrays.pushes = pushes;
  RolloutGradientArrays<T> gradient;
  gradient.of_q_path = Series<T>::input(x.by_q.data(), 0, 0);
  gradient.of_v_path = Series<T>::input(x.by_v.data(), 0, 0);
  gradient.by_q0 = Array<T>::output(g.by_q.data(), n);
  gradient.by_v0 = Array<T>::output(g.by_v.data(), n);
  gradient.by_tau = Series<T>::output(g.by_tau.data(), n, n);
  gradient.by_q_target = Series<T>::output(g.by_target.data(), n, n);
  gradient.by_kp = Array<T>::output(g.by_kp.data(), n);
  gradient.by_kd = Array<T>::output(g.by_kd.data(), n);
  RolloutOptions options;
  options.dt = double{x.h};
  options.steps = steps_of_rollout;
  options.integrator = x.integrator;
  options.limits = x.limits;
  options.max_speed = std::numeric_limits<double>::infinity();
  options.dynamics.method = Method::articulated_body;
  rollout_gradient<T>(s.model(), arrays, gradient, Batch<T>(1, 1, {&status, 1}), x.s.work, options);
  return g;
}

template <class T>
Gradient<T> of_steps(const Stepped<T>& x) {
  State<T>& s = x.s;
  const std::size_t n = s.nv(), nq = x.q.size();
  const std::vector<T> f_ext = converted<T>(s.f_ext);
  std::vector<std::vector<T>> q = {x.q}, v = {x.v}, stops = {std::vector<T>(3 * n)};
  for (int k = 0; k < steps_of_rollout; ++k) {
    q.emplace_back(nq);
    v.emplace_back(n);
    stops.emplace_back(3 * n);
    Options options = x.options();
    options.method = Method::articulated_body;
    step<T>(s.model(), q[at(k)], v[at(k)], x.tau, x.h, q.back(), v.back(), s.work,
            led(x, StepArguments<T>{.f_ext = f_ext, .stops = stops[at(k)], .stops_next = stops.back()}), options);
  }
  Gradient<T> g(n);
  g.by_q = x.by_q;
  g.by_v = x.by_v;
  std::vector<T> q_next(nq), v_next(n), by_impedance(n), kp_bar(n), kd_bar(n), missing(n);
  const auto add = [](const std::vector<T>& from, std::vector<T>& to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] += from[k];
  };
  for (int k = steps_of_rollout - 1; k >= 0; --k) {
    const auto of_step = [&](std::vector<T>& all) { return std::span(all).subspan(at(k) * n, n); };
    const Gradient<T> after = g;
    const std::vector<T> by_impedance_after = by_impedance;
    step_vjp<T>(s.model(), q[at(k)], v[at(k)], x.tau, x.h, after.by_q, after.by_v, q_next, v_next, g.by_q, g.by_v,
                of_step(g.by_tau), s.work,
                led(x, StepWeights<T>{.f_ext = f_ext,
                                      .stops = stops[at(k)],
                                      .impedance_next_bar = by_impedance_after,
                                      .q_target_bar = of_step(g.by_target),
                                      .kp_bar = kp_bar,
                                      .kd_bar = kd_bar,
                                      .impedance_bar = by_impedance}),
                x.options());
    add(x.by_q, g.by_q);
    add(x.by_v, g.by_v);
    add(kp_bar, g.by_kp);
    add(kd_bar, g.by_kd);
    // forces weigh no more than what they are able to move, less what stops hold
    Numbers weights;
    for (std::size_t i = 0; i < n; ++i)
      weights.push_back(x.h * (std::abs(double{after.by_v[i]}) + x.h * std::abs(double{after.by_q[i]})));
    const Numbers most = s.matrices->scaled.through_inverse(weights);
    difference<T>(s.model(), q[at(k)], x.target, missing, s.work);
    g.kp_terms += largest(most) * double{largest(missing)};
    g.kd_terms += largest(most) * double{largest(v[at(k)])};
  }
  return g;
}

template <class T>
void compare(const std::vector<T>& found, const std::vector<T>& expected, double allowed, CheckVerdict& verdict) {
  verdict.compare(converted<double>(found), converted<double>(expected), Numbers(found.size(), allowed));
}

/// Both go back through the same steps by the same text: in sums over the steps alone their roundings differ.
template <class T>
void gradient_of_rollout_is_product_of_steps(State<T>& s, CheckVerdict& verdict) {
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint})
    for (const bool at_stops : {false, true}) {
      Stepped<T> x(s, integrator, at_stops);
      Status status = Status::ok;
      Gradient<T> found = of_rollout(x, status);
      for (int k = 0; k < most_shorter && status == Status::not_converged; ++k) {
        x.shorten();
        found = of_rollout(x, status);
      }
      if (status == Status::not_converged) {
        verdict.add_note("some steps by implicit_midpoint do not converge");
        continue;
      }
      const Gradient<T> expected = of_steps(x);
      if (integrator == Integrator::implicit_midpoint && !std::isfinite(total(converted<double>(expected.by_q)))) {
        verdict.add_note("some VJPs of steps by implicit_midpoint do not converge");
        continue;
      }
      compare(found.by_q, expected.by_q, s.unit * largest(expected.by_q), verdict);
      compare(found.by_v, expected.by_v, s.unit * largest(expected.by_v), verdict);
      compare(found.by_tau, expected.by_tau, s.unit * largest(expected.by_tau), verdict);
      compare(found.by_target, expected.by_target, s.unit * largest(expected.by_target), verdict);
      compare(found.by_kp, expected.by_kp, s.unit * expected.kp_terms, verdict);
      compare(found.by_kd, expected.by_kd, s.unit * expected.kd_terms, verdict);
    }
}

}  // namespace

template <class T>
std::vector<Property<T>> step_properties() {
  return {
      {"JVP and VJP of a step agree", Needs::invertible, products_of_steps_agree<T>},
      {"gradient of a rollout = products of steps", Needs::invertible, gradient_of_rollout_is_product_of_steps<T>},
  };
}

template std::vector<Property<double>> step_properties();
template std::vector<Property<float>> step_properties();

}  // namespace tandem::check_detail
