// SPDX-License-Identifier: Apache-2.0
/// Contacts of a simulation: accelerations by contact dynamics, in which joint limits and dry friction are rows beside
/// those of contacts.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "api/contact_solve.hpp"
#include "api/parameters.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/threads.hpp"
#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// What contacts of all instances are solved with, and what was found in the last step.
template <class T>
struct Simulation<T>::Contacts {
  Contacts(ContactDynamics of, bool damps_after) : dynamics(std::move(of)), after(damps_after) {}

  ContactDynamics dynamics;
  bool after;                            ///< whether joint damping acts after contacts are solved
  std::vector<T> warm;                   ///< [batch][nv] where the next iteration begins
  std::vector<double> forces;            ///< [batch][slots][6]
  std::vector<double> pushes;            ///< [batch][slots][3] of shape 1 on shape 2, in the world
  std::vector<std::int32_t> touching;    ///< [batch][1 + slots] how many slots push, and which
  std::vector<T> limit_forces;           ///< [batch][nv]
  std::vector<T> works;                  ///< [batch][3] of a step: of limits, friction and contacts, J
  std::vector<std::int32_t> steps;       ///< [batch] of a step
  std::vector<std::uint8_t> converged;   ///< [batch] of a step

  std::shared_ptr<ContactStages> stages;  ///< of rk4; else null
};

namespace simulation_detail {

/// Whether two models have the same joints and links in the same places.
inline bool same_geometry(const Model& one, const Model& two) {
  if (one.shared_data() == two.shared_data()) return true;
  if (one.nq() != two.nq() || one.nv() != two.nv() || one.n_frames() != two.n_frames()) return false;
  for (int i = 1; i < one.n_links(); ++i)
    if (one.joint_name(i) != two.joint_name(i) || one.joint_type(i) != two.joint_type(i)) return false;
  const std::vector<double> q = start_configuration(one).q;
  std::vector<double> frames_1(12 * static_cast<std::size_t>(one.n_frames())), frames_2(frames_1.size());
  Workspace<double> work;
  forward_kinematics<double>(one, q, frames_1, work);
  forward_kinematics<double>(two, q, frames_2, work);
  return frames_1 == frames_2;
}

/// Where a robot starts that touches something: where its file puts it, which is not in the floor.
inline StartConfiguration start_on_ground(const Model& model) {
  for (const char* name : {"home", "qpos0"})
    if (const int named = model.find_configuration(name); named >= 0) {
      const auto q = model.configuration(named);
      return {{q.begin(), q.end()}, sentence("configuration ", in_quotes(name), " of the model")};
    }
  return start_configuration(model);
}

}  // namespace simulation_detail

/// Throws Error for what contacts do not serve.
template <class T>
void Simulation<T>::prepare_contacts() {
  if (!options_.contacts) return;
  const auto refuse = [](const auto&... parts) { throw Error(sentence("simulation: contacts ", parts...)); };
  if (options_.integrator == Integrator::implicit_midpoint)
    refuse("are simulated by semi_implicit_euler and rk4; integrator is ", to_string(options_.integrator));
  const Method method = options_.dynamics.method;
  if (method != Method::automatic && method != Method::articulated_body)
    refuse("are solved by articulated_body; method is ", to_string(method));
  if (options_.specialise == Specialise::on || options_.specialise == Specialise::wait)
    refuse("are not compiled for a robot; specialise is ", to_string(options_.specialise), ", use off");
  if (options_.first_guess != FirstGuess::zero)
    refuse("are solved from the last acceleration; first_guess is ", to_string(options_.first_guess), ", use zero");
  if (!simulation_detail::same_geometry(model_, options_.contacts->model()))
    refuse("are those of another robot, ", options_.contacts->model().name(),
           "; make the ContactSet from the model that is simulated");
  if (given_.n_loops() != options_.contacts->model().n_loops())
    refuse("are those of a robot with ", options_.contacts->model().n_loops(), " loop joints; ", given_.name(), " has ",
           given_.n_loops(), ": make the ContactSet from the model that is simulated");
  ContactDynamicsOptions how = options_.contact_dynamics;
  if (how.time_step && *how.time_step != options_.dt)
    refuse("have the time step ", *how.time_step, " s, and the simulation ", options_.dt, " s; leave it out");
  how.time_step = options_.dt;
  how.limits = how.limits && options_.limits;
  how.friction = how.friction && options_.losses;
  how.tendon_damping = how.tendon_damping && options_.losses;
  const bool is_rk4 = options_.integrator == Integrator::rk4;
  if (is_rk4 && options_.contact_damping)
    refuse("have joint damping in every stage of rk4; leave contact_damping out");
  const bool after =
      !is_rk4 && options_.contact_damping.value_or(contact_settings(options_.contacts->model()).integrator == "Euler"
                                            ? ContactDamping::after
                                            : ContactDamping::within) == ContactDamping::after;
  contacts_ = std::make_shared<Contacts>(ContactDynamics(*options_.contacts, how), after && options_.losses);
  options_.specialise = Specialise::off;
}

template <class T>
void Simulation<T>::make_room_for_contacts() {
  if (!contacts_) return;
  Contacts& c = *contacts_;
  const auto n = static_cast<std::size_t>(batch_), slots = static_cast<std::size_t>(c.dynamics.set().n_slots());
  c.warm.resize(n * nv_);
  c.limit_forces.resize(n * nv_);
  c.forces.resize(6 * n * slots);
  c.pushes.resize(3 * n * slots);
  c.touching.resize(n * (1 + slots));
  c.works.resize(3 * n);
  c.steps.resize(n);
  c.converged.resize(n);
  prepare_contact_stages();
}

template <class T>
ContactCall<T> Simulation<T>::contact_call() {
  if (!contacts_) return {};
  Contacts& c = *contacts_;
  return {.problem = &c.dynamics.prepared().problem,
          .tiles = &c.dynamics.prepared().template tiles<T>(),
          .damps_after = c.after,
          .h = options_.dt,
          .accounts = !c.stages,
          .warm = c.warm.data(),
          .f_limit = c.limit_forces.data(),
          .f_friction = c.stages ? c.stages->friction.data() : nullptr,
          .forces = c.forces.data(),
          .pushes = c.pushes.data(),
          .touching = c.touching.data()};
}

/// Accelerations of all instances, as the step asks for them: again where a controller is clipped, so that what is
/// found last counts.
template <class T>
void Simulation<T>::solve_contacts(const Columns& columns) {
  const BatchPart whole = {0, batch_};
  Contacts& c = *contacts_;
  const ContactKernel<T>& kernel = cpu::in_use().contacts.template in<T>();
  const Index tiles = (batch_ + kernel.lanes - 1) / kernel.lanes;
  with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    std::optional<ParametersOfModel<T>> parameters;
    if (!varied.empty()) parameters.emplace(model_, varied, batch_);
    const ContactStatesCall<T> call{.model = model_.template view<T>(),
                                    .parameters = parameters ? &parameters->arrays() : nullptr,
                                    .q = input(columns.q, whole),
                                    .v = input(columns.v, whole),
                                    .tau = input(columns.tau, whole),
                                    .f_ext = {},
                                    .diagonal = input(columns.diagonal, whole),
                                    .a = output(columns.a, whole),
                                    .contacts = contact_call(),
                                    .works = c.works.data(),
                                    .steps = c.steps.data(),
                                    .converged = c.converged.data()};
    cpu::for_each_range(tiles, 1, tiles <= 1 ? 1 : cpu::available_threads(options_.threads),
                        [&](Index first, Index end, int) {
                          kernel.run(call, first * kernel.lanes, std::min(end * kernel.lanes, batch_));
                        });
  });
}

/// After a step, what limits, friction and contacts have taken in it.
template <class T>
void Simulation<T>::add_contact_energies() {
  if (!contacts_ || contacts_->stages) return;
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    T *const e = energies_.data() + 4 * i, *const works = contacts_->works.data() + 3 * i;
    e[0] -= works[0] + works[1] + works[2];
    e[1] -= works[0];
  }
}

/// One more solution, of an instance, by which contacts have taken so much, J.
template <class T>
void Simulation<T>::count_contact_solution(std::size_t i, double taken) {
  accounts_[i].count_contacts(taken, contacts_->steps[i], contacts_->converged[i] != 0);
}

/// After a step: what contacts have taken, and which limits push.
template <class T>
void Simulation<T>::end_contacts() {
  if (!contacts_) return;
  for (std::size_t i = 0; i < accounts_.size(); ++i) {
    if (contacts_->stages) {
      count_contact_solution(i, contacts_->stages->taken[i]);
      stopped_by_[i] += contacts_->stages->taken[i];
    } else {
      const T taken = -contacts_->works[3 * i + 2];
      count_contact_solution(i, double{taken});
      stopped_by_[i] = double{energies_[4 * i + 1] + taken};
    }
    const T* const f = contacts_->limit_forces.data() + i * nv_;
    T* const stops = stops_.data() + 3 * i * nv_;
    for (std::size_t k = 0; k < nv_; ++k) {
      stops[nv_ + k] = f[k];
      stops[2 * nv_ + k] = f[k] < T(0) ? T(1) : T(0) < f[k] ? T(-1) : T(0);
    }
  }
}

/// Nothing is known of what an instance touched.
template <class T>
void Simulation<T>::forget_contacts(Index instance) {
  if (!contacts_) return;
  const auto i = static_cast<std::size_t>(instance), slots = contacts_->forces.size() / (6 * accounts_.size());
  const auto clear = [i](auto& of, std::size_t rows) {
    std::fill_n(of.begin() + static_cast<std::ptrdiff_t>(i * rows), rows, 0);
  };
  clear(contacts_->warm, nv_);
  clear(contacts_->limit_forces, nv_);
  clear(contacts_->forces, 6 * slots);
  clear(contacts_->pushes, 3 * slots);
  clear(contacts_->touching, 1 + slots);
  if (contacts_->stages) forget_contact_stages(instance);
}

/// The same of instance `from` in another simulation.
template <class T>
void Simulation<T>::carry_contacts(std::size_t from, Simulation& other, std::size_t to) const {
  if (!contacts_) return;
  const auto rows = [&](const auto& own, auto& theirs) {
    const std::size_t n = own.size() / accounts_.size();
    std::copy_n(own.data() + from * n, n, theirs.data() + to * n);
  };
  rows(contacts_->warm, other.contacts_->warm);
  rows(contacts_->limit_forces, other.contacts_->limit_forces);
  rows(contacts_->forces, other.contacts_->forces);
  rows(contacts_->pushes, other.contacts_->pushes);
  rows(contacts_->touching, other.contacts_->touching);
  if (!contacts_->stages) return;
  rows(contacts_->stages->q, other.contacts_->stages->q);
  rows(contacts_->stages->v, other.contacts_->stages->v);
}

template <class T>
const ContactSet& Simulation<T>::contact_set() const {
  if (!contacts_) throw Error("simulation: there are no contacts; give SimulationOptions::contacts");
  return contacts_->dynamics.set();
}

template <class T>
std::span<const double> Simulation<T>::contact_forces(Index instance) const {
  const auto rows = 6 * static_cast<std::size_t>(contact_set().n_slots());
  at(accounts_, instance);
  return std::span<const double>(contacts_->forces).subspan(static_cast<std::size_t>(instance) * rows, rows);
}

template <class T>
std::array<double, 3> Simulation<T>::contact_force(int link, Index instance) const {
  const ContactSet& set = contact_set();
  at(accounts_, instance);
  if (link < 0 || link >= model_.n_links())
    throw Error(sentence("simulation: there is no link ", link, ", expected 0 to ", model_.n_links() - 1));
  const auto shapes = contact_shapes(set.model());
  const double* const pushes =
      contacts_->pushes.data() + 3 * static_cast<std::size_t>(instance) * static_cast<std::size_t>(set.n_slots());
  std::array<double, 3> sum{};
  for (const ContactPair& pair : set.pairs()) {
    const bool is_first = shapes[static_cast<std::size_t>(pair.shape_1)].link == link,
               is_second = shapes[static_cast<std::size_t>(pair.shape_2)].link == link;
    if (is_first == is_second) continue;
    for (int slot = pair.first_slot; slot < pair.first_slot + pair.slots; ++slot)
      for (std::size_t k = 0; k < 3; ++k)
        sum[k] += (is_second ? 1 : -1) * pushes[3 * static_cast<std::size_t>(slot) + k];
  }
  return sum;
}

template <class T>
bool Simulation<T>::touches(int link, Index instance) const {
  const ContactSet& set = contact_set();
  if (link < 0 || link >= model_.n_links())
    throw Error(sentence("simulation: there is no link ", link, ", expected 0 to ", model_.n_links() - 1));
  const auto shapes = contact_shapes(set.model());
  const auto forces = contact_forces(instance);
  for (const ContactPair& pair : set.pairs()) {
    if (shapes[static_cast<std::size_t>(pair.shape_1)].link != link &&
        shapes[static_cast<std::size_t>(pair.shape_2)].link != link)
      continue;
    for (int slot = pair.first_slot; slot < pair.first_slot + pair.slots; ++slot)
      if (forces[6 * static_cast<std::size_t>(slot)] > 0) return true;
  }
  return false;
}

}  // namespace tandem
