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
#include "iterate.hpp"
#include "loops.hpp"
#include "state.hpp"
#include "stops.hpp"
#include "watch.hpp"

namespace tandem {
namespace {

void check_controller(const Model& model, const PdController& controller) {
  const auto size = [](const char* name, std::size_t given, int expected) {
    if (given != static_cast<std::size_t>(expected))
      throw Error(sentence("simulation: controller.", name, " has ", given, " numbers, expected ", expected));
  };
  size("q_target", controller.q_target.size(), model.nq());
  for (const double x : controller.q_target)
    if (!std::isfinite(x)) throw Error("simulation: controller.q_target has a number that is not finite");
  const auto gains = [&](const char* name, const std::vector<double>& values) {
    size(name, values.size(), model.nv());
    for (const double x : values)
      if (!(std::isfinite(x) && x >= 0))
        throw Error(sentence("simulation: controller.", name, " has ", x, ", expected finite numbers of 0 or more"));
  };
  gains("kp", controller.kp);
  gains("kd", controller.kd);
}

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

/// Numbers for every instance, or one set for all.
template <class T>
std::size_t stride_of(const char* name, std::span<const T> x, std::size_t rows, Index batch) {
  if (x.empty() || x.size() == rows) return 0;
  if (x.size() == rows * static_cast<std::size_t>(batch)) return rows;
  throw Error(sentence("simulation: ", name, " has ", x.size(), " numbers, expected ", rows,
                       batch > 1 ? sentence(", or ", batch, " times as many") : std::string()));
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
  const auto n = static_cast<std::size_t>(batch_);
  const std::vector<double> neutral = neutral_configuration(model_);
  q_.reserve(n * nq_);
  for (Index b = 0; b < batch_; ++b) q_.insert(q_.end(), neutral.begin(), neutral.end());
  for (std::vector<T>* x : {&v_, &a_, &tau_, &diagonal_, &loss_, &u_, &still_}) x->resize(n * nv_);
  if (options_.integrator == Integrator::rk4) {
    q_stage_.resize(n * nq_);
    for (std::vector<T>* x : {&v_stage_, &rate_, &u_sum_, &a_sum_}) x->resize(n * nv_);
  }
  for (std::vector<T>* x : {&unit_, &response_}) x->resize(nv_);
  accounts_.resize(n);
  prepare_guess();
  prepare_controller();
  set_parameters(std::move(options_.parameters));
  prepare_stops();
  prepare_watch();
}

template <class T>
void Simulation<T>::prepare_controller() {
  const PdController& c = options_.controller;
  if (c.q_target.empty()) return;
  check_controller(model_, c);
  q_target_.assign(c.q_target.begin(), c.q_target.end());
  kp_.assign(c.kp.begin(), c.kp.end());
  kd_.assign(c.kd.begin(), c.kd.end());
  error_.resize(v_.size());
  clipped_.resize(v_.size());
  for (std::size_t k = 0; k < nv_; ++k)
    if (model_.view<T>().tau_limit[k] == T(0)) kp_[k] = kd_[k] = 0;
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
        if (clipped_[k] != T(0)) {
          force += clipped_[k];
        } else {
          D += kd_[row];
          K += kp_[row];
          force += kp_[row] * error_[k];
        }
      }
      tau_[k] = force - (D + h * K) * v[k];
      diagonal_[k] = h * (D + h * K);
    }
    add_stops(b, v + iv, tau_.data() + iv, diagonal_.data() + iv, solve_stops);
  });
}

template <class T>
void Simulation<T>::distance_to_target(const T* q) {
  if (batch_ == 1) return difference<T>(model_, {q, nq_}, q_target_, error_, work_);
  static const Algorithm& algorithm = find_algorithm(Difference::name);
  const Array<T> arguments[] = {Array<T>::input(q, static_cast<Index>(nq_)), Array<T>::input(q_target_.data(), 0),
                                Array<T>::output(error_.data(), static_cast<Index>(nv_))};
  evaluate<T>(algorithm, model_, arguments, Batch<T>(batch_, options_.threads), work_);
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

/// What the controller pushes number k, of a row of v, with when that moves at a speed for a time h.
template <class T>
T Simulation<T>::controller_push(std::size_t k, std::size_t row, T speed, T h) const {
  return kp_[row] * (error_[k] - h * speed) - kd_[row] * speed;
}

/// Finds the rows in which the controller, after a time h under the acceleration a_, pushes harder than its
/// joint allows, and holds them at the limit. False if there is none that was not held before.
template <class T>
bool Simulation<T>::clip_controller(const T* v, T h) {
  bool found = false;
  const T* limits = model_.view<T>().tau_limit;
  for (std::size_t k = 0; k < error_.size(); ++k) {
    if (clipped_[k] != T(0)) continue;
    const std::size_t row = k % nv_;
    const T push = controller_push(k, row, v[k] + h * a_[k], h);
    if (!(std::abs(push) > limits[row])) continue;
    clipped_[k] = std::copysign(limits[row], push);
    found = true;
  }
  return found;
}

/// a_: the acceleration in state (q, v), forces taken at the end of a time h as far as the method is
/// implicit. Stops are solved for with the acceleration, over a whole step, or push as they were found to.
template <class T>
void Simulation<T>::accelerate(const std::vector<T>& q, const std::vector<T>& v, std::span<const T> tau, T h,
                               bool solve_stops) {
  std::fill(clipped_.begin(), clipped_.end(), T(0));
  for (int pass = 0;; ++pass) {
    forces(q.data(), v.data(), tau, h, solve_stops);
    solve(q.data(), v.data());
    bool again = clip_controller(v.data(), h);
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
      push = clipped_[k] != T(0) ? clipped_[k] : controller_push(k, k - iv, speed, h);
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
  stride_of("tau", tau, nv_, batch_);
  stride_of("f_ext", f_ext, std::size_t{6} * static_cast<std::size_t>(model_.n_links()), batch_);
  begin_loops();
  begin_watch();
  if (options_.integrator == Integrator::rk4)
    step_rk4(tau, f_ext);
  else
    step_semi_implicit(tau, f_ext);
  ++steps_;
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
