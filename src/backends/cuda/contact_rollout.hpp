// SPDX-License-Identifier: Apache-2.0
/// Rollouts with contacts on a GPU, one thread an instance: what a thread does.
#pragma once
#include "backends/cuda/contact.hpp"
#include "backends/cuda/rollout.hpp"

namespace tandem::cuda {

/// Ends an instance that has more contacts than its thread has room for.
template <class T, class M>
struct ContactFeed : ThreadFeed<T> {
  static constexpr bool is_watchable = true;
  ThreadContacts<T, M>& contacts;

  TANDEM_HD bool is_watched() const { return true; }
  template <class Robots, class Drive>
  TANDEM_HD T watched(Robots&, const Drive&, T alive, bool is_first) const {
    if (is_first) return alive;
    if (contacts.has_dropped()) return T(0);
    if (T(0) < alive) contacts.keep();
    return alive;
  }
};

template <class T, class M>
struct ContactForward {
  using Column = FarColumn<T>;
  static constexpr bool only_explicit = true;
  ThreadContacts<T, M>& contacts;
  template <class S>
  TANDEM_HD void body(const ModelView<M>&, Column q, Column v, Column tau, Column, Column diagonal, Column a,
                      Column) const {
    contacts.accelerate(q, v, tau, Column{}, diagonal, a);
  }
};

/// Rows of scratch memory of a thread.
template <class T, class M>
TANDEM_HD Index contact_rollout_rows(const DeviceRollout<T>& call, const DeviceContacts<T>& contacts,
                                     const ModelView<M>& m) {
  using Contacts = ThreadContacts<T, M>;
  const Index of_contacts = Contacts::work_rows(contacts, m), others = WorkOf<InverseDynamics, Energy>::work_rows(m);
  return SteppedRobot<T, M, FarColumn<T>>::work_rows(m, call.law) + m.nq + 6 * Index{m.nv} +
         Contacts::own_rows(contacts, m) + (call.n_pushes > 0 ? 6 * Index{m.n_links} : 0) +
         (of_contacts < others ? others : of_contacts);
}

/// Instance b, as roll_out has it. Contact dynamics has the limits and the friction of the joints.
template <class T, class M>
TANDEM_HD void roll_out_touching(const DeviceRollout<T>& call, const DeviceContacts<T>& given, const ModelView<M>& m,
                                 const ModelView<M>& nominal, Index b, FarColumn<T> w) {
  using Column = FarColumn<T>;
  using Robot = SteppedRobot<T, M, Column>;
  const Index nv = m.nv;
  ModelView<M> without_friction = m;
  without_friction.friction = reinterpret_cast<const M*>(given.no_friction);
  Robot robot(without_friction, call.law, w, T(call.law.dt));
  const Column of_loop = w + Robot::work_rows(m, call.law), of_contacts = of_loop + (m.nq + 6 * nv),
               f_ext = of_contacts + ThreadContacts<T, M>::own_rows(given, m);
  const Column work = call.n_pushes > 0 ? f_ext + 6 * Index{m.n_links} : f_ext;
  ThreadContacts<T, M> contacts(given, m, of_contacts, work);
  contacts.begin(far_column_of(call.stops, b));
  ContactFeed<T, M> feed = {{call, b, f_ext, m.n_links, m.nq, m.nv}, contacts};
  const ThreadInverse<T, M> inverse(nominal, work);
  const ContactForward<T, M> dynamics = {contacts};
  const auto ended = run_steps(call, robot, dynamics, feed, inverse, of_loop, work, b);
  const bool goes_on = ended.began != T(0) && ended.diverged == T(0) && call.law.steps > 0;
  if (goes_on) {
    contacts.give_forces(b);
    for (Index k = 0; k < nv; ++k) {  // pushes and sides of joint limits, as stops have them
      const T push = contacts.limit_forces()[k];
      robot.stops.rows[nv + k] = push;
      robot.stops.rows[2 * nv + k] = push < T(0) ? T(1) : T(0) < push ? T(-1) : T(0);
    }
  }
  if (call.law.steps > 0)
    for (Index k = 0; k < nv; ++k) robot.stops.rows[k] = contacts.kept_acceleration()[k];
  give_end(call, robot, ended, b);
  if (given.tally) given.tally[b] = contacts.tally();
}

/// Rows of scratch memory of a thread, for states.
template <class T, class M>
TANDEM_HD Index contact_state_rows(const DeviceContacts<T>& contacts, const ModelView<M>& m) {
  return ThreadContacts<T, M>::own_rows(contacts, m) + ThreadContacts<T, M>::work_rows(contacts, m);
}

/// Contact dynamics of state b.
template <class T, class M>
TANDEM_HD void solve_touching(const DeviceContacts<T>& given, const ModelView<M>& m, Index b, FarColumn<T> w) {
  const DeviceContactStates<T>& states = given.states;
  const auto of = [&](const Array<T>& array) { return far_column_of(array, b); };
  const FarColumn<T> a = of(states.a);
  ThreadContacts<T, M> contacts(given, m, w, w + ThreadContacts<T, M>::own_rows(given, m));
  contacts.begin(a);
  contacts.accelerate(of(states.q), of(states.v), of(states.tau), of(states.f_ext), {}, a,
                      states.f_loop ? states.f_loop + 6 * Index{given.joints.loops.n} * b : nullptr,
                      states.f_coupler ? states.f_coupler + Index{given.joints.couplers.n} * b : nullptr);
  const bool dropped = contacts.has_dropped();
  if (!dropped) {
    contacts.keep();
    contacts.give_forces(b);
  }
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  for (Index k = 0; k < m.nv; ++k) {
    if (dropped) a[k] = nan;
    if (states.f_limit) states.f_limit[m.nv * b + k] = dropped ? nan : contacts.limit_forces()[k];
    if (states.f_friction) states.f_friction[m.nv * b + k] = dropped ? nan : contacts.friction_forces()[k];
  }
  const ContactTally& tally = contacts.tally();
  states.converged[b] = !dropped && tally.not_converged == 0 ? 1 : 0;
  states.steps[b] = static_cast<std::int32_t>(tally.steps);
  states.dropped[b] = static_cast<std::int32_t>(tally.dropped);
}

/// For models of all instances and models that differ.
template <class T>
TANDEM_HD void run_contact_rollout_thread(const DeviceRollout<T>& call, const DeviceContacts<T>& contacts,
                                          const ModelView<InWarp<T>>& m, const Scratch<T>& scratch,
                                          const Variation<T>& variation, Index t) {
  for_each_instance<Models::varied>(
      call.batch, m, scratch, variation, t,
      [&](const auto& own, const auto& nominal, Index b, FarColumn<T> work) TANDEM_INLINE {
        if (contacts.states.q.data)
          solve_touching(contacts, own, b, work);
        else
          roll_out_touching(call, contacts, own, nominal, b, work);
      });
}

}  // namespace tandem::cuda
