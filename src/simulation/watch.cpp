// SPDX-License-Identifier: Apache-2.0
/// Whether a simulation is still within reason: finite, no faster than its steps can follow, with no more energy than
/// anything can have given it. If not: at which joint, and what may help.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/detail/problems/close_loops.hpp"
#include "tandem/detail/problems/energy.hpp"

namespace tandem::simulation_detail {

template <class T>
void Watch<T>::prepare() {
  const auto& m = s.model.template view<T>();
  s.turns.assign(s.nv, 0);
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0)
      for (int k = joint_kind(m.type[i]).lengths; k < joint_nv(m.type[i]); ++k)
        s.turns[static_cast<std::size_t>(m.v_index[i] + k)] = 1;
  // an acceleration of the base in turning does work that is not accounted for
  s.energy_is_watched = std::isfinite(s.options.excess) && m.base_acceleration[0] == T(0) &&
                        m.base_acceleration[1] == T(0) && m.base_acceleration[2] == T(0);
  s.q_seen = s.q_first = s.q;
  s.v_seen = s.v_first = s.v;
}

/// What was watched of an instance counts no more: it begins anew from its state.
template <class T>
void Watch<T>::forget(Index instance) {
  const auto i = static_cast<std::size_t>(instance);
  if (s.watched.empty()) return;  // not yet made
  s.watched[i] = {};
  s.is_diverged[i] = 0;
  if (!s.known.empty()) s.known[i] = 0;
  forget_stops(instance);
}

/// Kinetic and potential energies of n instances.
template <class T>
void Watch<T>::measure(Index from, Index n) {
  const auto i = static_cast<std::size_t>(from);
  const BatchPart part = {from, n};
  measure({s.q.data() + i * s.nq, static_cast<Index>(s.nq), part},
          {s.v.data() + i * s.nv, static_cast<Index>(s.nv), part}, {s.kinetic.data() + i, 1, part},
          {s.potential.data() + i, 1, part});
}
template <class T>
void Watch<T>::measure(const RobotRows<const T>& q, const RobotRows<const T>& v, const RobotRows<T>& kinetic,
                       const RobotRows<T>& potential) {
  static const Algorithm& algorithm = find_algorithm(Energy::name);
  const BatchPart part = kinetic.part();
  const Array<T> arguments[] = {input(q, part), input(v, part), output(kinetic, part), output(potential, part)};
  s.with_parameters(part.first, true, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate<T>(algorithm, s.model, arguments, Batch<T>(part.n, s.options.threads, {}, varied), s.work);
  });
}

/// An instance whose state was set is watched anew from there.
template <class T>
void Watch<T>::look_for_new_state(Index instance) {
  const std::size_t iq = static_cast<std::size_t>(instance) * s.nq, iv = static_cast<std::size_t>(instance) * s.nv;
  bool is_new = false;  // without a way out, for vector instructions
  for (std::size_t k = iq; k < iq + s.nq; ++k) is_new |= s.q[k] != s.q_seen[k];
  for (std::size_t k = iv; k < iv + s.nv; ++k) is_new |= s.v[k] != s.v_seen[k];
  if (is_new) forget(instance);
}

template <class T>
void Watch<T>::look_for_new_states(Index first, Index end) {
  for (Index b = first; b < end; ++b) look_for_new_state(b);
}

/// From the energies of its state on.
template <class T>
void Watch<T>::begin_watching(Index instance, double controller) {
  const auto i = static_cast<std::size_t>(instance);
  s.watched[i] = {.is_fresh = false,
                  .kinetic = double{s.kinetic[i]},
                  .potential = double{s.potential[i]},
                  .controller = controller,
                  .speed = squared_speed(instance)};
}

/// Before a step.
template <class T>
void Watch<T>::begin() {
  s.begin();
  Index fresh = 0, last = 0;
  for (Index b = 0; b < s.batch; ++b) {
    look_for_new_state(b);
    if (!s.watched[static_cast<std::size_t>(b)].is_fresh) continue;
    ++fresh;
    last = b;
    keep(b);
  }
  s.accounts_before = s.accounts;
  std::fill(s.driven.begin(), s.driven.end(), 0.0);
  std::fill(s.stopped_by.begin(), s.stopped_by.end(), 0.0);
  if (fresh == 0) return;
  if (s.energy_is_watched) measure(fresh > 1 ? 0 : last, fresh > 1 ? s.batch : 1);
  if (!s.error.empty()) Drive{s}.distance_to_target(s.q.data());
  for (Index b = 0; b < s.batch; ++b)
    if (s.watched[static_cast<std::size_t>(b)].is_fresh) begin_watching(b, Drive{s}.controller_energy(b));
}

template <class T>
double Watch<T>::squared_speed(Index instance) const {
  double sum = 0;
  const T* v = s.v.data() + static_cast<std::size_t>(instance) * s.nv;
  for (std::size_t k = 0; k < s.nv; ++k) sum += double{v[k]} * double{v[k]};
  return sum;
}

/// The state of an instance is a sound one.
template <class T>
void Watch<T>::keep(Index instance) {
  const std::size_t iq = static_cast<std::size_t>(instance) * s.nq, iv = static_cast<std::size_t>(instance) * s.nv;
  std::copy_n(s.q.begin() + iq, s.nq, s.q_seen.begin() + iq);
  std::copy_n(s.v.begin() + iv, s.nv, s.v_seen.begin() + iv);
}

template <class T>
void Watch<T>::keep(Index first, Index end) {
  for (Index b = first; b < end; ++b) keep(b);
}

/// An instance goes back to its last sound state, and its account to what it was before the step.
template <class T>
void Watch<T>::put_back(Index instance) {
  const auto i = static_cast<std::size_t>(instance);
  std::copy_n(s.q_seen.begin() + i * s.nq, s.nq, s.q.begin() + i * s.nq);
  std::copy_n(s.v_seen.begin() + i * s.nv, s.nv, s.v.begin() + i * s.nv);
  s.accounts[i] = s.accounts_before[i];
  if (!s.known.empty()) s.known[i] = 0;
  forget_stops(instance);
}

/// After a step. Energies are looked at every eighth step of an instance, whatever the others do, and where speeds have
/// doubled since they were.
template <class T>
void Watch<T>::end() {
  const auto is_due = [&](const SimulationAccount& account) { return s.energy_is_watched && is_look(account.steps); };
  const auto due = std::count_if(s.accounts.begin(), s.accounts.end(), is_due);
  const bool together = due > s.batch / 8;  // calls of their own cost some eight times as much
  if (together) measure(0, s.batch);
  s.for_each_instance([&](Index b, std::size_t, std::size_t) {
    const auto i = static_cast<std::size_t>(b);
    const bool look = is_due(s.accounts[i]);
    if (look && !together && !s.is_diverged[i]) measure(b, 1);
    if (!s.is_diverged[i]) {
      Watched& w = s.watched[i];
      w.count(s.driven[i], s.stopped_by[i]);
      if (is_within_reason(b, look)) return keep(b);
      s.is_diverged[i] = 1;
    }
    put_back(b);
  });
}

/// Else it says why not.
template <class T>
bool Watch<T>::is_within_reason(Index instance, bool looked) {
  const auto i = static_cast<std::size_t>(instance);
  const T *q = s.q.data() + i * s.nq, *v = s.v.data() + i * s.nv;
  const auto finite = [](T x) { return std::isfinite(x); };
  const T *q_before = s.q_seen.data() + i * s.nq, *v_before = s.v_seen.data() + i * s.nv;
  if (s.step_status[i] == Status::not_converged && std::all_of(q_before, q_before + s.nq, finite) &&
      std::all_of(v_before, v_before + s.nv, finite)) {
    blame(instance, Divergence::not_converged, fastest(v_before), 0, 0);
    return false;
  }
  if (!std::all_of(q, q + s.nq, finite) || !std::all_of(v, v + s.nv, finite)) {
    blame(instance, Divergence::not_finite, fastest(s.v_seen.data() + i * s.nv), 0, 0);
    return false;
  }
  if (s.model.n_loops() > 0 && !Loops{s}.is_closed(instance)) {
    blame(instance, Divergence::loops_open, fastest(v), double{s.apart[i]}, CloseLoops::usual_tolerance<T>);
    return false;
  }
  const double turn = 2 * std::numbers::pi / s.options.dt;
  for (std::size_t k = 0; k < s.nv; ++k) {
    const double bound = s.options.max_speed > 0 ? s.options.max_speed
                         : s.turns[k]            ? turn
                                                 : std::numeric_limits<double>::infinity();
    if (std::abs(double{v[k]}) <= bound) continue;
    const int row = fastest(v);
    blame(instance, Divergence::too_fast, s.options.max_speed > 0 ? row : static_cast<int>(k),
          std::abs(double{v[s.options.max_speed > 0 ? static_cast<std::size_t>(row) : k]}), bound);
    return false;
  }
  Watched& w = s.watched[i];
  const double speed = squared_speed(instance);
  if (!s.energy_is_watched || (!looked && speed <= 4 * w.speed)) return true;
  if (!looked) measure(instance, 1);
  const double kinetic = s.kinetic[i], potential = s.potential[i];
  if (!has_too_much_energy(w, speed, kinetic, potential)) return true;
  blame(instance, Divergence::too_much_energy, fastest(v), kinetic, w.had(potential));
  return false;
}

/// Whether the kinetic energy of a state is more than an instance can have.
template <class T>
bool Watch<T>::has_too_much_energy(Watched& w, double squared_speed, double kinetic, double potential) const {
  w.speed = squared_speed;
  const double had = w.had(potential);
  const double rounding =
      1e3 * double{std::numeric_limits<T>::epsilon()} * (std::abs(w.potential) + std::abs(potential));
  w.most = std::max(w.most, had);
  const double bound = (1 + s.options.excess) * had + s.options.excess * w.most / 10 + rounding;
  return !(kinetic <= bound || std::isinf(had));
}

/// The row of v with the largest number.
template <class T>
int Watch<T>::fastest(const T* v) const {
  const T* most = std::max_element(v, v + s.nv, [](T x, T y) { return std::abs(x) < std::abs(y); });
  return static_cast<int>(most - v);
}

/// The joint that a row of v belongs to.
template <class T>
int Watch<T>::joint_of(int row) const {
  const auto& m = s.model.template view<T>();
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0 && row >= m.v_index[i] && row < m.v_index[i] + joint_nv(m.type[i])) return i;
  return 0;
}

template <class T>
void Watch<T>::blame(Index instance, Divergence::Kind kind, int row, double value, double bound) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  const int joint = joint_of(row);
  const auto& speeds = kind == Divergence::not_converged ? s.v_seen : s.v;
  const double speed = s.nv > 0 ? double{speeds[i * s.nv + k]} : 0;
  const char* units = s.nv > 0 && s.turns[k] ? " rad/s" : " m/s";
  Divergence& d = s.divergences[i];
  d = {kind, s.steps, s.time(), joint, value, bound, false, {}, {}};
  const std::string at = joint > 0 ? sentence("joint ", in_quotes(s.model.joint_name(joint))) : std::string();
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
                      s.options.max_speed > 0 ? "max_speed" : "a full turn per step");
  else
    d.what = sentence("the kinetic energy is ", rounded_text(value),
                      " J, but initial energy, gravity, springs and drives give "
                      "at most ",
                      rounded_text(bound), " J; fastest is ", at, " at ", rounded_text(speed), units);
  d.advice = advice(instance, d, row);
}

/// A joint, of a robot of some hundred at most, that all by itself would move without resistance; 0 if there is none.
template <class T>
int Watch<T>::massless_joint(std::span<const T> q) {
  constexpr std::size_t most = 300;
  if (s.nv > most) return 0;
  std::vector<T> M(s.nv * s.nv);
  mass_matrix<T>(s.model, q, M, s.work);
  for (std::size_t k = 0; k < s.nv; ++k)
    if (!(M[k * s.nv + k] > T(0))) return joint_of(static_cast<int>(k));
  return 0;
}

/// The inertia that a joint feels in the configurations q while all others are free: what resists a unit force there.
/// One of a robot that has none moves at will; it gets the unit.
template <class T>
double Watch<T>::inertia(Index instance, int row, const T* q) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  s.unit[k] = 1;
  respond(q + i * s.nq, s.unit.data(), instance);
  s.unit[k] = 0;
  const double a = s.response[k];
  return std::isfinite(a) && a > 0 ? 1 / a : 1;
}

/// response: what joint forces do to one instance at rest and without weight in a configuration.
template <class T>
void Watch<T>::respond(const T* q, const T* forces, Index instance) {
  const BatchPart one = {instance, 1};
  Steps{s}.evaluate_forward(
      s.impulses, {{q, 0, one}, {s.still.data(), 0, one}, {forces, 0, one}, {}, {s.response.data(), 0, one}}, false);
}

/// No stop of an instance has been met.
template <class T>
void Watch<T>::forget_stops(Index instance) {
  const auto rows = static_cast<std::ptrdiff_t>(3 * s.nv);
  std::fill_n(s.stops.begin() + static_cast<std::ptrdiff_t>(instance) * rows, rows, T(0));
  Contacts{s}.forget(instance);
}

/// What may help, by what the state was before the step.
template <class T>
std::string Watch<T>::advice(Index instance, Divergence& found, int row) {
  const auto i = static_cast<std::size_t>(instance), k = static_cast<std::size_t>(row);
  const T *q = s.q_seen.data(), *v = s.v_seen.data() + i * s.nv;
  const auto finite = [](T x) { return std::isfinite(x); };
  if (!std::all_of(q + i * s.nq, q + (i + 1) * s.nq, finite) || !std::all_of(v, v + s.nv, finite))
    return "a number that is not finite was set; set q and v";
  const std::string at = found.joint > 0 ? in_quotes(s.model.joint_name(found.joint)) : std::string();
  respond(q + i * s.nq, s.still.data(), instance);
  if (!std::all_of(s.response.begin(), s.response.begin() + static_cast<std::ptrdiff_t>(s.nv), finite)) {
    found.singular = true;
    const int light = massless_joint({q + i * s.nq, s.nq});
    const std::string which = light > 0 ? "joint " + in_quotes(s.model.joint_name(light)) : std::string("a joint");
    return which +
           " moves no inertia, so that the mass matrix is singular: give its links "
           "inertia, or the joint armature";
  }
  if (s.nv == 0) return "";
  const double h = s.options.dt;
  if (s.options.integrator == Integrator::rk4) {
    constexpr std::size_t most = 64;  // joints that are looked at
    double worst = 2.78;  // what rk4 bears of the step times the rate at which a joint forgets, or oscillates
    std::size_t stiffest = s.nv;
    const char* by = "";
    const ModelView<T> m = s.view_of(instance);
    for (std::size_t r = s.nv > most ? k : 0; r < (s.nv > most ? k + 1 : s.nv); ++r) {
      const double felt = inertia(instance, static_cast<int>(r), q);
      const auto look = [&](double rate, const char* what) {
        if (h * rate <= worst) return;
        worst = h * rate;
        stiffest = r;
        by = what;
      };
      if (s.options.losses) look(double{m.damping[r]} / felt, "the damping");
      look(std::sqrt(double{m.stiffness[r]} / felt), "the spring");
      if (!s.controller.acts()) continue;
      look(double{s.controller.kd[i * s.nv + r]} / felt, "the gain kd");
      look(std::sqrt(double{s.controller.kp[i * s.nv + r]} / felt), "the gain kp");
    }
    if (stiffest < s.nv) {
      const int joint = joint_of(static_cast<int>(stiffest));
      return sentence(by, " of joint ", in_quotes(s.model.joint_name(joint)),
                      " is too stiff for rk4 at dt = ", rounded_text(h),
                      " s: use semi_implicit_euler, or rk4 with dt below ", rounded_text(h * 2.5 / worst), " s");
    }
  }
  const Watched& w = s.watched[i];
  if (w.given > 10 * (w.kinetic + w.controller + std::max(0.0, w.potential - double{s.potential[i]})) &&
      found.kind != Divergence::too_much_energy)
    return sentence("driving forces have done work of ", rounded_text(w.given),
                    " J: check their units and signs; if they are right, dt = ", rounded_text(h), " s may be too long");
  const double turned = std::abs(double{v[k]}) * h;
  std::string text = sentence("dt = ", rounded_text(h), " s may be too long");
  if (s.turns[k] && turned > 0.1)
    text += sentence(": joint ", at, " turned by ", rounded_text(turned), " rad in one step");
  if (s.options.integrator == Integrator::semi_implicit_euler)
    text += turned > 1 ? "" : "; rk4 is more accurate if no force is stiff";
  return text;
}

template struct Watch<double>;
template struct Watch<float>;

}  // namespace tandem::simulation_detail
