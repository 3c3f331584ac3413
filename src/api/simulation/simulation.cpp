// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "api/automatic.hpp"
#include "core/text.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/passive_forces.hpp"
#include "tandem/error.hpp"

// what of it has files of its own
#include "drive.hpp"
#include "iterate.hpp"
#include "loops.hpp"
#include "parameters.hpp"
#include "part.hpp"
#include "state.hpp"
#include "stops.hpp"
#include "watch.hpp"

namespace tandem {
namespace {

SimulationOptions checked(SimulationOptions options) {
  const auto check = [](const char* name, double x, bool good, const char* expected) {
    if (!good) throw Error(sentence("simulation: ", name, " is ", x, ", expected ", expected));
  };
  check("dt", options.dt, std::isfinite(options.dt) && options.dt > 0, "a finite number above 0");
  check("excess", options.excess, options.excess >= 0, "0 or more, or infinity: unwatched");
  check("max_speed", options.max_speed, options.max_speed >= 0,
        "a speed above 0, infinity: unwatched, or 0: a full turn in a step");
  if (*to_string(options.integrator) == '\0')
    throw Error(sentence("simulation: integrator is ", static_cast<int>(options.integrator),
                         ", which is none; there are ",
                         comma_separated(NamesOf<Integrator>::table, [](const Named& row) { return row.name; })));
  if (options.batch < 1) throw Error(sentence("simulation: batch is ", options.batch, ", expected 1 or more"));
  if (options.threads < 0)
    throw Error(sentence("simulation: threads is ", options.threads, ", expected 1 or more, or 0 for all cores"));
  return options;
}

/// What forward dynamics is told: methods that divide a robot take no parameters for every state.
Options dynamics_of(const Model& model, const SimulationOptions& options) {
  Options dynamics = options.dynamics;
  if (!options.parameters.empty() && dynamics.method == Method::automatic)
    dynamics.method = own_method(find_algorithm(ForwardDynamics::name), model);
  return dynamics;
}

/// Impulses are rare and small: by a method that goes over the links one after the other, and lays nothing out.
Options one_by_one(const Model& model) { return {.method = own_method(find_algorithm(ForwardDynamics::name), model)}; }

/// x += factor * y
template <class T>
void add(std::vector<T>& x, T factor, const std::vector<T>& y) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += factor * y[k];
}

}  // namespace

template <class T>
Simulation<T>::Simulation(Model model, SimulationOptions options)
    : model_(std::move(model)),
      weightless_(model_.with_gravity({0, 0, 0}).with_base_acceleration({0, 0, 0, 0, 0, 0})),
      options_(checked(std::move(options))),
      batch_(options_.batch),
      nq_(static_cast<std::size_t>(model_.nq())),
      nv_(static_cast<std::size_t>(model_.nv())),
      dynamics_(model_, find_algorithm(ForwardDynamics::name), dynamics_of(model_, options_), {}, options_.specialise),
      impulses_(weightless_, find_algorithm(ForwardDynamics::name), one_by_one(model_)) {
  for (std::vector<T>* x : {&unit_, &response_}) x->resize(nv_);
  prepare_guess();
  prepare_stops();
  make_room();
  const std::vector<double> neutral = neutral_configuration(model_);
  for_each_instance([&](Index, std::size_t iq, std::size_t) {
    std::copy(neutral.begin(), neutral.end(), q_.begin() + static_cast<std::ptrdiff_t>(iq));
  });
  prepare_controller();
  set_parameters(std::move(options_.parameters));
  prepare_watch();
}

/// All that there is of every instance, for as many as there are.
template <class T>
void Simulation<T>::make_room() {
  const auto n = static_cast<std::size_t>(batch_);
  const auto room = [](std::size_t size, std::initializer_list<std::vector<T>*> of) {
    for (std::vector<T>* x : of) x->resize(size);
  };
  const auto rooms = [n](auto&... x) { (x.resize(n), ...); };
  room(n * nq_, {&q_, &q_seen_});
  room(n * nv_, {&v_, &v_seen_, &a_, &tau_, &diagonal_, &loss_, &u_, &still_});
  if (options_.integrator == Integrator::rk4) {
    room(n * nq_, {&q_stage_});
    room(n * nv_, {&v_stage_, &rate_, &u_sum_, &a_sum_});
  }
  if (!options_.controller.q_target.empty()) {
    room(n * nq_, {&q_target_, &q_target_seen_});
    room(n * nv_, {&kp_, &kd_, &kp_seen_, &kd_seen_, &error_, &clipped_});
    is_clipped_.resize(n * nv_);
  }
  if (has_springs_) stretch_.resize(n * nv_);
  if (iterates_) rooms(converged_, iterations_);
  stops_.resize(n * limited_.size());
  rooms(accounts_, kinetic_, potential_, watched_, divergences_, is_diverged_, hit_, driven_, stopped_by_);
}

/// The accelerations of n instances from the one numbered `from`, whose first numbers are given.
template <class T>
void Simulation<T>::evaluate_forward(const Plan<T>& plan, const T* q, const T* v, const T* tau, const T* diagonal, T* a,
                                     Index from, Index n, bool gravity) {
  const auto rows = static_cast<Index>(nv_);
  const Array<T> arguments[] = {
      Array<T>::input(q, static_cast<Index>(nq_)),     Array<T>::input(v, rows), Array<T>::input(tau, rows), {},
      {const_cast<T*>(diagonal), diagonal ? rows : 0}, Array<T>::output(a, rows)};
  with_parameters(from, gravity, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate(plan, arguments, Batch<T>(n, options_.threads, {}, varied), work_);
  });
}

/// tau_: all forces on the joints, springs and the controller taken where their joints would be after a time
/// h at the present velocity. diagonal_: what the velocity still to be gained within h takes off them, per
/// acceleration. Stops are taken at the end of the step or, where they have been solved for, push as found.
template <class T>
void Simulation<T>::forces(const T* q, const T* v, std::span<const T> tau, T h, bool solve_stops) {
  const std::size_t tau_stride = tau.size() > nv_ ? nv_ : 0;
  if (!error_.empty()) distance_to_target(q);
  implicit_ = h > T(0);
  for_each_instance([&](Index b, std::size_t iq, std::size_t iv) {
    const auto& m = view_of(b);
    T* stretched = has_springs_ ? stretch_.data() + iv : nullptr;
    if (has_springs_)
      for_each_independent_joint(
          m, [&](auto joint, int jq, int jv) { stretch<T>(joint, m.q_rest + jq, q + iq + jq, stretched + jv); });
    for (std::size_t k = iv; k < iv + nv_; ++k) {
      const std::size_t row = k - iv;
      T force = tau.empty() ? T(0) : tau[static_cast<std::size_t>(b) * tau_stride + row], K = 0;
      if (!pushed_.empty()) force += pushed_[k];
      T D = options_.losses ? PassiveForces::loss_coefficient(m, static_cast<int>(row), v[k]) : T(0);
      loss_[k] = D;
      if (has_springs_) {
        K = m.stiffness[row];
        force = PassiveForces::spring_force(m, static_cast<int>(row), stretched[row], force);
      }
      if (!error_.empty()) {
        if (is_clipped_[k]) {
          force += clipped_[k];
        } else {
          D += kd_[k];
          K += kp_[k];
          force += kp_[k] * error_[k];
        }
      }
      tau_[k] = force - (D + h * K) * v[k];
      diagonal_[k] = h * (D + h * K);
    }
    add_stops(b, v + iv, tau_.data() + iv, diagonal_.data() + iv, solve_stops);
  });
}

/// The joint forces that wrenches on the links amount to.
template <class T>
void Simulation<T>::external_forces(const T* q, std::span<const T> f_ext) {
  if (f_ext.empty()) {
    pushed_.clear();
    return;
  }
  static const Algorithm& algorithm = find_algorithm(InverseDynamics::name);
  const auto rows = static_cast<Index>(nv_), wrenches = Index{6} * model_.n_links();
  pushed_.assign(v_.size(), T(0));
  const Array<T> arguments[] = {
      Array<T>::input(q, static_cast<Index>(nq_)), Array<T>::input(still_.data(), rows),
      Array<T>::input(still_.data(), rows),
      Array<T>::input(f_ext.data(), static_cast<Index>(f_ext.size()) > wrenches ? wrenches : 0),
      Array<T>::output(pushed_.data(), rows)};
  evaluate<T>(algorithm, weightless_, arguments, Batch<T>(batch_, options_.threads), work_);
  for (T& push : pushed_) push = -push;
}

/// a_: the acceleration in state (q, v), forces taken at the end of a time h as far as the method is
/// implicit. Stops are solved for with the acceleration, over a whole step, or push as they were found to.
template <class T>
void Simulation<T>::accelerate(const std::vector<T>& q, const std::vector<T>& v, std::span<const T> tau, T h,
                               bool solve_stops) {
  std::fill(is_clipped_.begin(), is_clipped_.end(), char(0));
  for (int pass = 0;; ++pass) {
    forces(q.data(), v.data(), tau, h, solve_stops);
    solve(q.data(), v.data());
    bool again = clip_controller(v.data(), tau, h);
    if (solve_stops) again |= revise_stops(v.data(), a_.data(), static_cast<T>(options_.dt), pass);
    if (!again) return;
  }
}

/// Adds the power of losses and of what drives the joints, for a time `weight`. The forces are those after a time h under
/// the acceleration a_, as far as the method is implicit; the velocity is the mean one of that time.
template <class T>
void Simulation<T>::account(const std::vector<T>& v, std::span<const T> tau, T h, T weight) {
  const std::size_t tau_stride = tau.size() > nv_ ? nv_ : 0;
  for_each_instance([&](Index b, std::size_t, std::size_t iv) {
    const auto i = static_cast<std::size_t>(b);
    double lost = 0, driven = 0, controlled = 0;
    for (std::size_t k = iv; k < iv + nv_; ++k) {
      const T speed = v[k] + h * a_[k], mean = v[k] + h / 2 * a_[k];
      lost += double{mean} * double{loss_[k] * speed};
      T push = tau.empty() ? T(0) : tau[i * tau_stride + k - iv];
      if (!pushed_.empty()) push += pushed_[k];
      driven += double{mean} * double{push};
      if (error_.empty()) continue;
      push = is_clipped_[k] ? clipped_[k] : controller_push(k, speed, h);
      controlled += double{mean} * double{push};
    }
    const double stopped = -double{weight} * power_of_stops(b, v.data() + iv, a_.data() + iv, h);
    accounts_[i].dissipated += double{weight} * lost + stopped;
    accounts_[i].stopped += stopped;
    accounts_[i].work += double{weight} * (driven + controlled);
    driven_[i] += double{weight} * driven;
    stopped_by_[i] += stopped;
  });
}

template <class T>
void Simulation<T>::step(std::span<const T> tau, std::span<const T> f_ext) {
  at(accounts_, 0);
  simulation_detail::stride_of("tau", tau, nv_, batch_);
  simulation_detail::stride_of("f_ext", f_ext, std::size_t{6} * static_cast<std::size_t>(model_.n_links()), batch_);
  begin_parameters();
  begin_controller();
  begin_loops();
  begin_watch();
  const std::span<const T> driven = drive(tau);
  if (options_.integrator == Integrator::rk4)
    step_rk4(driven, f_ext);
  else
    step_semi_implicit(driven, f_ext);
  ++steps_;
  for (Account& account : accounts_) ++account.steps;
  if (model_.n_loops() > 0) close_loops();
  end_watch();
}

template <class T>
void Simulation<T>::step_semi_implicit(std::span<const T> tau, std::span<const T> f_ext) {
  const T h = static_cast<T>(options_.dt);
  external_forces(q_.data(), f_ext);
  impact();
  accelerate(q_, v_, tau, h, true);
  account(v_, tau, h, h);
  add(v_, h, a_);
  for (std::size_t k = 0; k < v_.size(); ++k) u_[k] = h * v_[k];
  move(q_, u_, q_);
}

/// The classical stages for v and for the displacement u with q(t) = q (+) u(t); its rate is
/// integrate_rate(u, v).
template <class T>
void Simulation<T>::step_rk4(std::span<const T> tau, std::span<const T> f_ext) {
  const T h = static_cast<T>(options_.dt);
  external_forces(q_.data(), f_ext);
  impact();
  accelerate(q_, v_, tau, T(0), true);
  account(v_, tau, T(0), h / 6);
  rate_ = v_;
  std::fill(u_sum_.begin(), u_sum_.end(), T(0));
  std::fill(a_sum_.begin(), a_sum_.end(), T(0));
  add(u_sum_, h / 6, rate_);
  add(a_sum_, h / 6, a_);
  for (const auto& [reach, weight] : {std::pair{h / 2, h / 3}, {h / 2, h / 3}, {h, h / 6}}) {
    v_stage_ = v_;
    add(v_stage_, reach, a_);
    for (std::size_t k = 0; k < u_.size(); ++k) u_[k] = reach * rate_[k];
    move(q_, u_, q_stage_);
    external_forces(q_stage_.data(), f_ext);
    stage_ = reach < h ? 0.5 : 1;
    accelerate(q_stage_, v_stage_, tau, T(0), false);
    account(v_stage_, tau, T(0), weight);
    rate_of(u_, v_stage_);
    add(u_sum_, weight, rate_);
    add(a_sum_, weight, a_);
  }
  stage_ = 0;
  add(v_, T(1), a_sum_);
  move(q_, u_sum_, q_);
}

/// to = from (+) u
template <class T>
void Simulation<T>::move(const std::vector<T>& from, const std::vector<T>& u, std::vector<T>& to) {
  if (batch_ == 1) return integrate<T>(model_, from, u, to, work_);
  static const Algorithm& algorithm = find_algorithm(Integrate::name);
  const Array<T> arguments[] = {Array<T>::input(from.data(), static_cast<Index>(nq_)),
                                Array<T>::input(u.data(), static_cast<Index>(nv_)),
                                Array<T>::output(to.data(), static_cast<Index>(nq_))};
  evaluate<T>(algorithm, model_, arguments, Batch<T>(batch_, options_.threads), work_);
}

/// rate_: how the displacement u changes at the velocity v.
template <class T>
void Simulation<T>::rate_of(const std::vector<T>& u, const std::vector<T>& v) {
  if (batch_ == 1) return integrate_rate<T>(model_, u, v, rate_, work_);
  static const Algorithm& algorithm = find_algorithm(IntegrateRate::name);
  const auto rows = static_cast<Index>(nv_);
  const Array<T> arguments[] = {Array<T>::input(u.data(), rows), Array<T>::input(v.data(), rows),
                                Array<T>::output(rate_.data(), rows)};
  evaluate<T>(algorithm, model_, arguments, Batch<T>(batch_, options_.threads), work_);
}

template class Simulation<double>;
template class Simulation<float>;

}  // namespace tandem
