// SPDX-License-Identifier: Apache-2.0
/// rk4 with contacts: contacts, joint limits and dry friction are solved for in each of the four stages, as in MuJoCo.
/// Without contacts the steps are those of step_rk4 in include/tandem/detail/simulation/step.hpp, whose notation this
/// is.
#pragma once
#include <algorithm>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/passive_forces.hpp"
#include "tandem/detail/simulation/free_flight.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Numbers of the stages, of all instances.
template <class T>
struct Simulation<T>::ContactStages {
  std::vector<T> q, v;              ///< [batch][nq], [batch][nv] state of the last stage
  std::vector<T> a;                 ///< [batch][nv] its classical acceleration, linear along the axes at the start
  std::vector<T> rate;              ///< [batch][nv] rate of its displacement
  std::vector<T> given, pushed;     ///< [batch][nv] forces of drives, and of wrenches on the links
  std::vector<T> tau;               ///< [batch][nv] these with springs and damping
  std::vector<T> needed;            ///< [batch][nv] forces that a takes without contacts
  std::vector<T> q_rates, v_rates;  ///< [batch][nv] weighted sums
  std::vector<T> friction;          ///< [batch][nv] of joints
  std::vector<double> taken;        ///< [batch] J by contacts in a step
};

/// Throws Error for what rk4 does not serve with contacts.
template <class T>
void Simulation<T>::prepare_contact_stages() {
  if (!contacts_ || options_.integrator != Integrator::rk4) return;
  if (!options_.controller.q_target.empty())
    throw Error(
        "simulation: a controller with contacts is simulated by semi_implicit_euler; integrator is rk4. Use that "
        "integrator, or give the controller's torques as tau");
  ContactStages& s = *(contacts_->stages = std::make_shared<ContactStages>());
  const auto n = static_cast<std::size_t>(batch_);
  s.q.resize(n * nq_);
  for (std::vector<T>* x : {&s.v, &s.a, &s.rate, &s.given, &s.pushed, &s.tau, &s.needed, &s.q_rates, &s.v_rates})
    x->resize(n * nv_);
  s.friction.resize(n * nv_);
  s.taken.resize(n);
}

/// The state in which the contacts of the last step were found.
template <class T>
void Simulation<T>::forget_contact_stages(Index instance) {
  const auto i = static_cast<std::size_t>(instance);
  std::copy_n(q_.data() + i * nq_, nq_, contacts_->stages->q.data() + i * nq_);
  std::copy_n(v_.data() + i * nv_, nv_, contacts_->stages->v.data() + i * nv_);
}

/// Forces on the joints of all instances in the state of a stage, but for contacts, limits and dry friction.
template <class T>
void Simulation<T>::force_contact_stage(std::span<const T> tau, Host& host) {
  ContactStages& s = *contacts_->stages;
  const BatchPart whole = {0, batch_};
  const auto nq = static_cast<Index>(nq_), nv = static_cast<Index>(nv_);
  std::fill(s.given.begin(), s.given.end(), T(0));
  if (options_.gravity_compensation) compensate({s.q.data(), nq, whole}, {s.given.data(), nv, whole});
  for (Index b = 0; b < batch_; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const ModelView<T>& m = models_[i];
    T *const given = s.given.data() + i * nv_, *const pushed = s.pushed.data() + i * nv_,
             *const sum = s.tau.data() + i * nv_;
    const T *const q = s.q.data() + i * nq_, *const v = s.v.data() + i * nv_;
    for (std::size_t k = 0; k < nv_; ++k) {
      if (!tau.empty()) given[k] += tau[tau.size() > nv_ ? i * nv_ + k : k];
      if (options_.effort_limits) given[k] = std::clamp(given[k], -m.tau_limit[k], m.tau_limit[k]);
      pushed[k] = 0;
    }
    if (host.has_wrenches) host.push(b, q, pushed);
    for_each_stretch<T>(m, q, [&](int row, const T& stretched) {
      const auto k = static_cast<std::size_t>(row);
      const T loss = options_.losses ? m.damping[row] * v[k] : T(0);
      sum[k] = given[k] + pushed[k] + PassiveForces::spring_force(m, row, stretched, -loss);
    });
  }
}

/// Adds what was taken and given in a stage that stands for the time `weight`.
template <class T>
void Simulation<T>::account_contact_stage(T weight) {
  static const Algorithm& algorithm = find_algorithm(InverseDynamics::name);
  ContactStages& s = *contacts_->stages;
  const auto nq = static_cast<Index>(nq_), nv = static_cast<Index>(nv_);
  const Array<T> arguments[] = {Array<T>::input(s.q.data(), nq),
                                Array<T>::input(s.v.data(), nv),
                                Array<T>::input(s.a.data(), nv),
                                {},
                                Array<T>::output(s.needed.data(), nv)};
  with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate<T>(algorithm, model_, arguments, Batch<T>(batch_, options_.threads, {}, varied), work_);
  });
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    const ModelView<T>& m = models_[i];
    T lost(0), taken(0), driven(0);
    double limits = 0, friction = 0;
    for (std::size_t k = 0; k < nv_; ++k) {
      const std::size_t row = i * nv_ + k;
      const T v = s.v[row];
      if (options_.losses) lost += m.damping[k] * v * v;
      taken -= v * (s.needed[row] - s.tau[row]);
      driven += v * (s.given[row] + s.pushed[row]);
      limits -= double{v} * double{contacts_->limit_forces[row]};
      friction -= double{v} * double{s.friction[row]};
    }
    T* const e = energies_.data() + 4 * i;
    e[0] += weight * (lost + taken);
    e[1] += weight * static_cast<T>(limits);
    e[2] += weight * driven;
    s.taken[i] += double{weight} * (double{taken} - limits - friction);
  }
}

/// A step of all instances.
template <class T>
void Simulation<T>::advance_by_contact_stages(std::span<const T> tau, Host& host) {
  ContactStages& s = *contacts_->stages;
  const BatchPart whole = {0, batch_};
  const auto nq = static_cast<Index>(nq_), nv = static_cast<Index>(nv_);
  const T h = static_cast<T>(options_.dt);
  s.q = q_;
  s.v = s.rate = v_;
  std::fill(energies_.begin(), energies_.end(), T(0));
  std::fill(s.taken.begin(), s.taken.end(), 0.0);
  for (auto* x : {&s.q_rates, &s.v_rates}) std::fill(x->begin(), x->end(), T(0));
  std::vector<T> u(nv_);
  for (int stage = 0; stage < 4; ++stage) {
    const T reach = stage == 0 ? T(0) : stage < 3 ? h / T(2) : h;
    const T weight = stage == 0 || stage == 3 ? h / T(6) : h / T(3);
    for (std::size_t i = 0; stage > 0 && i < accounts_.size(); ++i) {
      T* const v = s.v.data() + i * nv_;
      for (std::size_t k = 0; k < nv_; ++k) {
        u[k] = reach * s.rate[i * nv_ + k];
        v[k] = v_[i * nv_ + k] + reach * s.a[i * nv_ + k];
      }
      FreeFlight::move<T>(models_[i], q_.data() + i * nq_, u.data(), s.q.data() + i * nq_);
      FreeFlight::turn<T>(models_[i], u.data(), v);
    }
    force_contact_stage(tau, host);
    solve_contacts(
        {{s.q.data(), nq, whole}, {s.v.data(), nv, whole}, {s.tau.data(), nv, whole}, {}, {s.a.data(), nv, whole}});
    account_contact_stage(weight);
    for (std::size_t i = 0; i < accounts_.size(); ++i) {
      if (stage < 3) count_contact_solution(i, 0);
      T *const a = s.a.data() + i * nv_, *const rate = s.rate.data() + i * nv_;
      const T* const v = s.v.data() + i * nv_;
      for (std::size_t k = 0; k < nv_; ++k) u[k] = stage == 0 ? T(0) : reach * rate[k];
      FreeFlight::make_classical<T>(models_[i], v, a);
      FreeFlight::turn_back<T>(models_[i], u.data(), a);
      FreeFlight::rate<T>(models_[i], u.data(), v, rate);
      for (std::size_t k = 0; k < nv_; ++k) {
        s.q_rates[i * nv_ + k] += weight * rate[k];
        s.v_rates[i * nv_ + k] += weight * a[k];
      }
    }
  }
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    T *const q = q_.data() + i * nq_, *const v = v_.data() + i * nv_;
    const T* const way = s.q_rates.data() + i * nv_;
    for (std::size_t k = 0; k < nv_; ++k) v[k] += s.v_rates[i * nv_ + k];
    FreeFlight::move<T>(models_[i], q, way, q);
    FreeFlight::turn<T>(models_[i], way, v);
  }
}

template <class T>
std::span<const T> Simulation<T>::contact_q(Index instance) const {
  return contact_stage_of(
      instance, [](const ContactStages& s) -> const std::vector<T>& { return s.q; }, nq_);
}
template <class T>
std::span<const T> Simulation<T>::contact_v(Index instance) const {
  return contact_stage_of(
      instance, [](const ContactStages& s) -> const std::vector<T>& { return s.v; }, nv_);
}
template <class T>
template <class F>
std::span<const T> Simulation<T>::contact_stage_of(Index instance, F&& of, std::size_t rows) const {
  contact_set();
  at(accounts_, instance);
  if (!contacts_->stages)
    throw Error(sentence("simulation: the state of the last stage is kept by rk4; integrator is ",
                         to_string(options_.integrator)));
  return std::span<const T>(of(*contacts_->stages)).subspan(static_cast<std::size_t>(instance) * rows, rows);
}

}  // namespace tandem
