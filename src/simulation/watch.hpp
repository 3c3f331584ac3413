// SPDX-License-Identifier: Apache-2.0
/// Whether a simulation is still within reason: finite, no faster than its steps can follow, with no more energy than
/// anything can have given it. If not: at which joint, and what may help.
#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/detail/problems/energy.hpp"

namespace tandem {

template <class T>
void Simulation<T>::prepare_watch() {
  const auto& m = model_.view<T>();
  turns_.assign(nv_, 0);
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0)
      for (int k = joint_kind(m.type[i]).lengths; k < joint_nv(m.type[i]); ++k)
        turns_[static_cast<std::size_t>(m.v_index[i] + k)] = 1;
  // an acceleration of the base in turning does work that is not accounted for
  energy_is_watched_ = std::isfinite(options_.excess) && m.base_acceleration[0] == T(0) &&
                       m.base_acceleration[1] == T(0) && m.base_acceleration[2] == T(0);
  q_seen_ = q_first_ = q_;
  v_seen_ = v_first_ = v_;
}

/// What was watched of an instance counts no more: it begins anew from its state.
template <class T>
void Simulation<T>::forget(Index instance) {
  const auto i = static_cast<std::size_t>(instance);
  if (watched_.empty()) return;  // not yet made
  watched_[i] = {};
  is_diverged_[i] = 0;
  if (!known_.empty()) known_[i] = 0;
  forget_stops(instance);
}

/// Kinetic and potential energies of n instances.
template <class T>
void Simulation<T>::measure(Index from, Index n) {
  const auto i = static_cast<std::size_t>(from);
  const BatchPart part = {from, n};
  measure({q_.data() + i * nq_, static_cast<Index>(nq_), part}, {v_.data() + i * nv_, static_cast<Index>(nv_), part},
          {kinetic_.data() + i, 1, part}, {potential_.data() + i, 1, part});
}
template <class T>
void Simulation<T>::measure(const RobotRows<const T>& q, const RobotRows<const T>& v, const RobotRows<T>& kinetic,
                            const RobotRows<T>& potential) {
  static const Algorithm& algorithm = find_algorithm(Energy::name);
  const BatchPart part = kinetic.part();
  const Array<T> arguments[] = {input(q, part), input(v, part), output(kinetic, part), output(potential, part)};
  with_parameters(part.first, true, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate<T>(algorithm, model_, arguments, Batch<T>(part.n, options_.threads, {}, varied), work_);
  });
}

/// An instance whose state was set is watched anew from there.
template <class T>
void Simulation<T>::look_for_new_state(Index instance) {
  const std::size_t iq = static_cast<std::size_t>(instance) * nq_, iv = static_cast<std::size_t>(instance) * nv_;
  bool is_new = false;  // without a way out, for vector instructions
  for (std::size_t k = iq; k < iq + nq_; ++k) is_new |= q_[k] != q_seen_[k];
  for (std::size_t k = iv; k < iv + nv_; ++k) is_new |= v_[k] != v_seen_[k];
  if (is_new) forget(instance);
}

/// From the energies of its state on.
template <class T>
void Simulation<T>::begin_watching(Index instance, double controller) {
  const auto i = static_cast<std::size_t>(instance);
  watched_[i] = {.is_fresh = false,
                 .kinetic = double{kinetic_[i]},
                 .potential = double{potential_[i]},
                 .controller = controller,
                 .speed = squared_speed(instance)};
}

/// Before a step.
template <class T>
void Simulation<T>::begin_watch() {
  begin();
  Index fresh = 0, last = 0;
  for (Index b = 0; b < batch_; ++b) {
    look_for_new_state(b);
    if (!watched_[static_cast<std::size_t>(b)].is_fresh) continue;
    ++fresh;
    last = b;
    keep(b);
  }
  accounts_before_ = accounts_;
  std::fill(driven_.begin(), driven_.end(), 0.0);
  std::fill(stopped_by_.begin(), stopped_by_.end(), 0.0);
  if (fresh == 0) return;
  if (energy_is_watched_) measure(fresh > 1 ? 0 : last, fresh > 1 ? batch_ : 1);
  if (!error_.empty()) distance_to_target(q_.data());
  for (Index b = 0; b < batch_; ++b)
    if (watched_[static_cast<std::size_t>(b)].is_fresh) begin_watching(b, controller_energy(b));
}

template <class T>
double Simulation<T>::squared_speed(Index instance) const {
  double sum = 0;
  const T* v = v_.data() + static_cast<std::size_t>(instance) * nv_;
  for (std::size_t k = 0; k < nv_; ++k) sum += double{v[k]} * double{v[k]};
  return sum;
}

/// The state of an instance is a sound one.
template <class T>
void Simulation<T>::keep(Index instance) {
  const std::size_t iq = static_cast<std::size_t>(instance) * nq_, iv = static_cast<std::size_t>(instance) * nv_;
  std::copy_n(q_.begin() + iq, nq_, q_seen_.begin() + iq);
  std::copy_n(v_.begin() + iv, nv_, v_seen_.begin() + iv);
}

/// An instance goes back to its last sound state, and its account to what it was before the step.
template <class T>
void Simulation<T>::put_back(Index instance) {
  const auto i = static_cast<std::size_t>(instance);
  std::copy_n(q_seen_.begin() + i * nq_, nq_, q_.begin() + i * nq_);
  std::copy_n(v_seen_.begin() + i * nv_, nv_, v_.begin() + i * nv_);
  accounts_[i] = accounts_before_[i];
  if (!known_.empty()) known_[i] = 0;
  forget_stops(instance);
}

/// After a step. Energies are looked at every eighth step of an instance, whatever the others do, and where speeds have
/// doubled since they were.
template <class T>
void Simulation<T>::end_watch() {
  const auto is_due = [&](const Account& account) { return energy_is_watched_ && is_look(account.steps); };
  const auto due = std::count_if(accounts_.begin(), accounts_.end(), is_due);
  const bool together = due > batch_ / 8;  // calls of their own cost some eight times as much
  if (together) measure(0, batch_);
  for_each_instance([&](Index b, std::size_t, std::size_t) {
    const auto i = static_cast<std::size_t>(b);
    const bool look = is_due(accounts_[i]);
    if (look && !together && !is_diverged_[i]) measure(b, 1);
    if (!is_diverged_[i]) {
      Watched& w = watched_[i];
      w.count(driven_[i], stopped_by_[i]);
      if (is_within_reason(b, look)) return keep(b);
      is_diverged_[i] = 1;
    }
    put_back(b);
  });
}

/// Else it says why not.
template <class T>
bool Simulation<T>::is_within_reason(Index instance, bool looked) {
  const auto i = static_cast<std::size_t>(instance);
  const T *q = q_.data() + i * nq_, *v = v_.data() + i * nv_;
  const auto finite = [](T x) { return std::isfinite(x); };
  const T *q_before = q_seen_.data() + i * nq_, *v_before = v_seen_.data() + i * nv_;
  if (step_status_[i] == Status::not_converged && std::all_of(q_before, q_before + nq_, finite) &&
      std::all_of(v_before, v_before + nv_, finite)) {
    blame(instance, Divergence::not_converged, fastest(v_before), 0, 0);
    return false;
  }
  if (!std::all_of(q, q + nq_, finite) || !std::all_of(v, v + nv_, finite)) {
    blame(instance, Divergence::not_finite, fastest(v_seen_.data() + i * nv_), 0, 0);
    return false;
  }
  if (model_.n_loops() > 0 && !is_closed(instance)) {
    blame(instance, Divergence::loops_open, fastest(v), double{apart_[i]}, CloseLoops::usual_tolerance<T>);
    return false;
  }
  const double turn = 2 * std::numbers::pi / options_.dt;
  for (std::size_t k = 0; k < nv_; ++k) {
    const double bound = options_.max_speed > 0 ? options_.max_speed
                         : turns_[k]            ? turn
                                                : std::numeric_limits<double>::infinity();
    if (std::abs(double{v[k]}) <= bound) continue;
    const int row = fastest(v);
    blame(instance, Divergence::too_fast, options_.max_speed > 0 ? row : static_cast<int>(k),
          std::abs(double{v[options_.max_speed > 0 ? static_cast<std::size_t>(row) : k]}), bound);
    return false;
  }
  Watched& w = watched_[i];
  const double speed = squared_speed(instance);
  if (!energy_is_watched_ || (!looked && speed <= 4 * w.speed)) return true;
  if (!looked) measure(instance, 1);
  const double kinetic = kinetic_[i], potential = potential_[i];
  if (!has_too_much_energy(w, speed, kinetic, potential)) return true;
  blame(instance, Divergence::too_much_energy, fastest(v), kinetic, w.had(potential));
  return false;
}

/// Whether the kinetic energy of a state is more than an instance can have.
template <class T>
bool Simulation<T>::has_too_much_energy(Watched& w, double squared_speed, double kinetic, double potential) const {
  w.speed = squared_speed;
  const double had = w.had(potential);
  const double rounding =
      1e3 * double{std::numeric_limits<T>::epsilon()} * (std::abs(w.potential) + std::abs(potential));
  w.most = std::max(w.most, had);
  const double bound = (1 + options_.excess) * had + options_.excess * w.most / 10 + rounding;
  return !(kinetic <= bound || std::isinf(had));
}

/// The row of v with the largest number.
template <class T>
int Simulation<T>::fastest(const T* v) const {
  const T* most = std::max_element(v, v + nv_, [](T x, T y) { return std::abs(x) < std::abs(y); });
  return static_cast<int>(most - v);
}

/// The joint that a row of v belongs to.
template <class T>
int Simulation<T>::joint_of(int row) const {
  const auto& m = model_.view<T>();
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0 && row >= m.v_index[i] && row < m.v_index[i] + joint_nv(m.type[i])) return i;
  return 0;
}

template <class T>
void Simulation<T>::blame(Index instance, Divergence::Kind kind, int row, double value, double bound) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  const int joint = joint_of(row);
  const auto& speeds = kind == Divergence::not_converged ? v_seen_ : v_;
  const double speed = nv_ > 0 ? double{speeds[i * nv_ + k]} : 0;
  const char* units = nv_ > 0 && turns_[k] ? " rad/s" : " m/s";
  Divergence& d = divergences_[i];
  d = {kind, steps_, time(), joint, value, bound, false, {}, {}};
  const std::string at = joint > 0 ? sentence("joint ", in_quotes(model_.joint_name(joint))) : std::string();
  if (kind == Divergence::not_finite)
    d.what = "the state is no longer finite";
  else if (kind == Divergence::not_converged)
    d.what = sentence("implicit_midpoint did not converge; fastest is ", at, " at ", rounded_text(speed), units);
  else if (kind == Divergence::loops_open)
    d.what = sentence("loops opened: frames of loop joints are ", rounded_text(value),
                      " m and rad apart, and close_loops does not converge; fastest is ", at, " at ",
                      rounded_text(speed), units);
  else if (kind == Divergence::too_fast)
    d.what = sentence(at, " moves at ", rounded_text(speed), units, ", above ", rounded_text(bound), units, ", ",
                      options_.max_speed > 0 ? "max_speed" : "a full turn per step");
  else
    d.what = sentence("the kinetic energy is ", rounded_text(value),
                      " J, but initial energy, gravity, springs and drives give "
                      "at most ",
                      rounded_text(bound), " J; fastest is ", at, " at ", rounded_text(speed), units);
  d.advice = advice(instance, d, row);
}

/// A joint, of a robot of some hundred at most, that all by itself would move without resistance; 0 if there is none.
template <class T>
int Simulation<T>::massless_joint(std::span<const T> q) {
  constexpr std::size_t most = 300;
  if (nv_ > most) return 0;
  std::vector<T> M(nv_ * nv_);
  mass_matrix<T>(model_, q, M, work_);
  for (std::size_t k = 0; k < nv_; ++k)
    if (!(M[k * nv_ + k] > T(0))) return joint_of(static_cast<int>(k));
  return 0;
}

/// What may help, by what the state was before the step.
template <class T>
std::string Simulation<T>::advice(Index instance, Divergence& found, int row) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  const T *q = q_seen_.data(), *v = v_seen_.data() + i * nv_;
  const auto finite = [](T x) { return std::isfinite(x); };
  if (!std::all_of(q + i * nq_, q + (i + 1) * nq_, finite) || !std::all_of(v, v + nv_, finite))
    return "a number that is not finite was set; set q and v";
  const std::string at = found.joint > 0 ? in_quotes(model_.joint_name(found.joint)) : std::string();
  respond(q + i * nq_, still_.data(), instance);
  if (!std::all_of(response_.begin(), response_.begin() + static_cast<std::ptrdiff_t>(nv_), finite)) {
    found.singular = true;
    const int light = massless_joint({q + i * nq_, nq_});
    const std::string which = light > 0 ? "joint " + in_quotes(model_.joint_name(light)) : std::string("a joint");
    return which +
           " moves no inertia, so that the mass matrix is singular: give its links "
           "inertia, or the joint armature";
  }
  if (nv_ == 0) return "";
  const double h = options_.dt;
  if (options_.integrator == Integrator::rk4) {
    constexpr std::size_t most = 64;  // joints that are looked at
    double worst = 2.78;  // what rk4 bears of the step times the rate at which a joint forgets, or oscillates
    std::size_t stiffest = nv_;
    const char* by = "";
    const ModelView<T> m = view_of(instance);
    for (std::size_t r = nv_ > most ? k : 0; r < (nv_ > most ? k + 1 : nv_); ++r) {
      const double felt = inertia(instance, static_cast<int>(r), q);
      const auto look = [&](double rate, const char* what) {
        if (h * rate <= worst) return;
        worst = h * rate;
        stiffest = r;
        by = what;
      };
      if (options_.losses) look(double{m.damping[r]} / felt, "the damping");
      look(std::sqrt(double{m.stiffness[r]} / felt), "the spring");
      if (kp_.empty()) continue;
      look(double{kd_[i * nv_ + r]} / felt, "the gain kd");
      look(std::sqrt(double{kp_[i * nv_ + r]} / felt), "the gain kp");
    }
    if (stiffest < nv_) {
      const int joint = joint_of(static_cast<int>(stiffest));
      return sentence(by, " of joint ", in_quotes(model_.joint_name(joint)),
                      " is too stiff for rk4 at dt = ", rounded_text(h),
                      " s: use semi_implicit_euler, or rk4 with dt below ", rounded_text(h * 2.5 / worst), " s");
    }
  }
  const Watched& w = watched_[i];
  if (w.given > 10 * (w.kinetic + w.controller + std::max(0.0, w.potential - double{potential_[i]})) &&
      found.kind != Divergence::too_much_energy)
    return sentence("driving forces have done work of ", rounded_text(w.given),
                    " J: check their units and signs; if they are right, dt = ", rounded_text(h), " s may be too long");
  const double turned = std::abs(double{v[k]}) * h;
  std::string text = sentence("dt = ", rounded_text(h), " s may be too long");
  if (turns_[k] && turned > 0.1)
    text += sentence(": joint ", at, " turned by ", rounded_text(turned), " rad in one step");
  if (options_.integrator == Integrator::semi_implicit_euler)
    text += turned > 1 ? "" : "; rk4 is more accurate if no force is stiff";
  return text;
}

template <class T>
const Divergence* Simulation<T>::divergence(Index instance) const {
  return at(is_diverged_, instance) ? &divergences_[static_cast<std::size_t>(instance)] : nullptr;
}

}  // namespace tandem
