// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/simulation.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/passive_forces.hpp"
#include "tandem/error.hpp"

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

/// x += factor * y
template <class T>
void add(std::vector<T>& x, T factor, const std::vector<T>& y) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += factor * y[k];
}

template <class T>
bool all_finite(const std::vector<T>& x) {
  return std::all_of(x.begin(), x.end(), [](T value) { return std::isfinite(value); });
}

}  // namespace

template <class T>
Simulation<T>::Simulation(Model model, SimulationOptions options)
    : model_(std::move(model)),
      options_(std::move(options)),
      dynamics_(model_, find_algorithm(ForwardDynamics::name), options_.dynamics) {
  if (!(std::isfinite(options_.dt) && options_.dt > 0))
    throw Error(sentence("simulation: dt is ", options_.dt, ", expected a finite number above 0"));
  const auto nq = static_cast<std::size_t>(model_.nq()), nv = static_cast<std::size_t>(model_.nv());
  const std::vector<double> neutral = neutral_configuration(model_);
  q_.assign(neutral.begin(), neutral.end());
  for (std::vector<T>* x : {&v_, &a_, &tau_, &diagonal_, &loss_, &u_}) x->resize(nv);
  if (options_.integrator == Integrator::rk4) {
    q_stage_.resize(nq);
    for (std::vector<T>* x : {&v_stage_, &rate_, &u_sum_, &a_sum_}) x->resize(nv);
  }
  if (const PdController& c = options_.controller; !c.q_target.empty()) {
    check_controller(model_, c);
    q_target_.assign(c.q_target.begin(), c.q_target.end());
    kp_.assign(c.kp.begin(), c.kp.end());
    kd_.assign(c.kd.begin(), c.kd.end());
    error_.resize(nv);
    clipped_.resize(nv);
    for (std::size_t k = 0; k < nv; ++k)
      if (model_.view<T>().tau_limit[k] == T(0)) kp_[k] = kd_[k] = 0;
  }
  const T* stiffness = model_.view<T>().stiffness;
  has_springs_ = std::any_of(stiffness, stiffness + nv, [](T k) { return k != T(0); });
  if (has_springs_) stretch_.resize(nv);
}

/// tau_: all forces on the joints, springs and the controller taken where their joints would be after a time
/// h at the present velocity. diagonal_: what the velocity still to be gained within h takes off them, per
/// acceleration.
template <class T>
void Simulation<T>::forces(const std::vector<T>& q, const std::vector<T>& v, std::span<const T> tau, T h) {
  const auto& m = model_.view<T>();
  if (has_springs_) {
    for_each_independent_joint(
        m, [&](auto joint, int iq, int iv) { stretch<T>(joint, m.q_rest + iq, q.data() + iq, stretch_.data() + iv); });
  }
  if (!error_.empty()) difference<T>(model_, q, q_target_, error_, work_);
  for (std::size_t k = 0; k < v.size(); ++k) {
    const int row = static_cast<int>(k);
    T force = tau.empty() ? T(0) : tau[k], K = 0;
    T D = options_.losses ? PassiveForces::loss_coefficient(m, row, v[k]) : T(0);
    loss_[k] = D;
    if (has_springs_) {
      K = m.stiffness[k];
      force = PassiveForces::spring_force(m, row, stretch_[k], force);
    }
    if (!error_.empty()) {
      if (clipped_[k] != T(0)) {
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
}

/// What the controller pushes row k with when it moves at a speed for a time h.
template <class T>
T Simulation<T>::controller_push(std::size_t k, T speed, T h) const {
  return kp_[k] * (error_[k] - h * speed) - kd_[k] * speed;
}

/// Finds the rows in which the controller, after a time h under the acceleration a_, pushes harder than its
/// joint allows, and holds them at the limit. False if there is none that was not held before.
template <class T>
bool Simulation<T>::clip_controller(const std::vector<T>& v, T h) {
  bool found = false;
  const T* limits = model_.view<T>().tau_limit;
  for (std::size_t k = 0; k < error_.size(); ++k) {
    if (clipped_[k] != T(0)) continue;
    const T push = controller_push(k, v[k] + h * a_[k], h);
    if (!(std::abs(push) > limits[k])) continue;
    clipped_[k] = std::copysign(limits[k], push);
    found = true;
  }
  return found;
}

/// a_: the acceleration in state (q, v), forces taken at the end of a time h as far as the method is
/// implicit.
template <class T>
void Simulation<T>::accelerate(const std::vector<T>& q, const std::vector<T>& v, std::span<const T> tau, T h) {
  std::fill(clipped_.begin(), clipped_.end(), T(0));
  do {
    forces(q, v, tau, h);
    const Array<T> arguments[] = {Array<T>::input(q.data(), 0),         Array<T>::input(v.data(), 0),
                                  Array<T>::input(tau_.data(), 0),      {},
                                  {h > 0 ? diagonal_.data() : nullptr}, {a_.data()}};
    evaluate(dynamics_, arguments, 1, work_);
  } while (clip_controller(v, h));
}

/// Adds the power of losses and of what drives the joints, for a time `weight`. The forces are those after a time h under
/// the acceleration a_, as far as the method is implicit; the velocity is the mean one of that time.
template <class T>
void Simulation<T>::account(const std::vector<T>& v, std::span<const T> tau, T h, T weight) {
  double lost = 0, driven = 0;
  for (std::size_t k = 0; k < v.size(); ++k) {
    const T speed = v[k] + h * a_[k], mean = v[k] + h / 2 * a_[k];
    lost += double{mean} * double{loss_[k] * speed};
    T push = tau.empty() ? T(0) : tau[k];
    if (!error_.empty()) push += clipped_[k] != T(0) ? clipped_[k] : controller_push(k, speed, h);
    driven += double{mean} * double{push};
  }
  dissipated_ += double{weight} * lost;
  work_done_ += double{weight} * driven;
}

template <class T>
void Simulation<T>::step(std::span<const T> tau) {
  if (!tau.empty() && tau.size() != v_.size())
    throw Error(sentence("simulation: tau has ", tau.size(), " numbers, expected ", v_.size()));
  if (options_.integrator == Integrator::rk4)
    step_rk4(tau);
  else
    step_semi_implicit(tau);
  ++steps_;
}

template <class T>
void Simulation<T>::step_semi_implicit(std::span<const T> tau) {
  const T h = static_cast<T>(options_.dt);
  accelerate(q_, v_, tau, h);
  account(v_, tau, h, h);
  add(v_, h, a_);
  for (std::size_t k = 0; k < v_.size(); ++k) u_[k] = h * v_[k];
  integrate<T>(model_, q_, u_, q_, work_);
}

/// The classical stages for v and for the displacement u with q(t) = q (+) u(t); its rate is
/// integrate_rate(u, v).
template <class T>
void Simulation<T>::step_rk4(std::span<const T> tau) {
  const T h = static_cast<T>(options_.dt);
  accelerate(q_, v_, tau, T(0));
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
    integrate<T>(model_, q_, u_, q_stage_, work_);
    accelerate(q_stage_, v_stage_, tau, T(0));
    account(v_stage_, tau, T(0), weight);
    integrate_rate<T>(model_, u_, v_stage_, rate_, work_);
    add(u_sum_, weight, rate_);
    add(a_sum_, weight, a_);
  }
  add(v_, T(1), a_sum_);
  integrate<T>(model_, q_, u_sum_, q_, work_);
}

template <class T>
bool Simulation<T>::finite() const {
  return all_finite(q_) && all_finite(v_);
}

template class Simulation<double>;
template class Simulation<float>;

}  // namespace tandem
