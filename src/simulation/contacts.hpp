// SPDX-License-Identifier: Apache-2.0
/// Contacts of a simulation: accelerations by contact dynamics, in which joint limits and dry friction are rows beside
/// those of contacts.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "api/parameters.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/threads.hpp"
#include "core/text.hpp"
#include "rollout/contacts.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// What contacts of all instances are solved with, and what was found in the last step.
template <class T>
struct Simulation<T>::Contacts {
  StepContacts how;
  std::vector<double> forces;           ///< [batch][slots][6]
  std::vector<T> normals;               ///< [batch][slots] N of the step before, of the cone disc; else empty
  std::vector<double> pushes;           ///< [batch][slots][3] of shape 1 on shape 2, in the world
  std::vector<std::int32_t> touching;   ///< [batch][1 + slots] how many slots push, and which
  std::vector<T> limit_forces;          ///< [batch][nv]
  std::vector<T> works;                 ///< [batch][3] of a step: of limits, friction and contacts, J
  std::vector<ContactTally> tallies;    ///< [batch] of a step
  std::vector<T> q_stage, v_stage;      ///< [batch][nq], [batch][nv] last stage of rk4; else empty
  std::vector<T> warm;                  ///< [batch][nv] where the solutions of a step of semi_implicit_euler begin
  std::vector<T> works_of_solution;     ///< [batch][3]
  std::vector<std::int32_t> steps;      ///< [batch] of a solution
  std::vector<std::uint8_t> converged;  ///< [batch] of a solution
};

namespace simulation_detail {

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
  if (options_.contacts && options_.first_guess != FirstGuess::zero)
    throw Error(sentence("simulation: contacts are solved from the last acceleration; first_guess is ",
                         to_string(options_.first_guess), ", use zero"));
  std::optional<ContactDynamics> none;
  const bool has_controller = !options_.controller.q_target.empty();
  if (auto contacts = step_contacts("simulation", given_, rollout_options(0), has_controller, none)) {
    contacts_ = std::make_shared<Contacts>(std::move(*contacts));
    options_.specialise = Specialise::off;
  }
}

template <class T>
void Simulation<T>::make_room_for_contacts() {
  if (!contacts_) return;
  Contacts& c = *contacts_;
  const auto n = static_cast<std::size_t>(batch_), slots = static_cast<std::size_t>(contact_set().n_slots());
  c.limit_forces.resize(n * nv_);
  c.warm.resize(n * nv_);
  c.forces.resize(6 * n * slots);
  c.pushes.resize(3 * n * slots);
  c.normals.resize(has_disc(contact_set(), c.how.dynamics.options()) ? n * slots : 0);
  c.touching.resize(n * (1 + slots));
  c.works.resize(3 * n);
  c.works_of_solution.resize(3 * n);
  c.tallies.resize(n);
  c.steps.resize(n);
  c.converged.resize(n);
  if (!c.how.has_stages) return;
  c.q_stage.resize(n * nq_);
  c.v_stage.resize(n * nv_);
}

/// Before a step: the normal forces of the last one.
template <class T>
void Simulation<T>::take_normals() {
  if (!contacts_) return;
  std::vector<T>& normals = contacts_->normals;
  for (std::size_t k = 0; k < normals.size(); ++k) normals[k] = static_cast<T>(contacts_->forces[6 * k]);
}

template <class T>
ContactCall<T> Simulation<T>::contact_call() {
  if (!contacts_) return {};
  Contacts& c = *contacts_;
  ContactCall<T> call = c.how.template call<T>();
  call.accounts = true;
  call.warm = Array<T>::output(stops_.data(), static_cast<Index>(3 * nv_));
  call.f_limit = c.limit_forces.data();
  call.normals = c.normals.empty() ? nullptr : c.normals.data();
  call.forces = c.forces.data();
  call.pushes = c.pushes.data();
  call.touching = c.touching.data();
  if (!c.how.has_stages) return call;
  call.q_stage = c.q_stage.data();
  call.v_stage = c.v_stage.data();
  return call;
}

/// Accelerations of all instances, as the step asks for them in a stage of rk4, or again where a controller is clipped,
/// so that what is found last counts.
template <class T>
void Simulation<T>::solve_contacts(const Columns& columns, int stage) {
  const BatchPart whole = {0, batch_};
  Contacts& c = *contacts_;
  if (stage == 0) take_normals();
  for (std::size_t i = 0; !c.how.has_stages && i < accounts_.size(); ++i) {
    T *const warm = stops_.data() + 3 * i * nv_, *const begin = c.warm.data() + i * nv_;
    std::copy_n(stage == 0 ? warm : begin, nv_, stage == 0 ? begin : warm);
  }
  const ContactKernel<T>& kernel = cpu::in_use().contacts.template in<T>();
  const Index tiles = (batch_ + kernel.lanes - 1) / kernel.lanes;
  with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    std::optional<ParametersOfModel<T>> parameters;
    if (!varied.empty()) parameters.emplace(model_, varied, batch_);
    ContactStatesCall<T> call{.model = model_.template view<T>(),
                              .parameters = parameters ? &parameters->arrays() : nullptr,
                              .q = input(columns.q, whole),
                              .v = input(columns.v, whole),
                              .tau = input(columns.tau, whole),
                              .f_ext = {},
                              .diagonal = input(columns.diagonal, whole),
                              .a = output(columns.a, whole),
                              .contacts = contact_call(),
                              .works = c.works_of_solution.data(),
                              .steps = c.steps.data(),
                              .converged = c.converged.data()};
    call.contacts.stage = stage;
    cpu::for_each_range(tiles, 1, tiles <= 1 ? 1 : cpu::available_threads(options_.threads),
                        [&](Index first, Index end, int) {
                          kernel.run(call, first * kernel.lanes, std::min(end * kernel.lanes, batch_));
                        });
  });
  for (Index b = 0; b < batch_; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const T* const works = c.works_of_solution.data() + 3 * i;
    if (!c.how.has_stages || stage == 0) {
      c.tallies[i] = {};
      std::fill_n(c.works.data() + 3 * i, 3, T(0));
    }
    for (std::size_t k = 0; k < 3; ++k) c.works[3 * i + k] += works[k];
    c.tallies[i].add({1, c.steps[i], c.converged[i] ? 0 : 1, 0});
    if (!c.how.has_stages) continue;
    std::copy_n(columns.q.of(b), nq_, c.q_stage.data() + i * nq_);
    std::copy_n(columns.v.of(b), nv_, c.v_stage.data() + i * nv_);
  }
}

/// After a step, what limits, friction and contacts have taken in it.
template <class T>
void Simulation<T>::add_contact_energies() {
  for (std::size_t i = 0; contacts_ && i < accounts_.size(); ++i) {
    T *const e = energies_.data() + 4 * i, *const works = contacts_->works.data() + 3 * i;
    e[0] -= works[0] + works[1] + works[2];
    e[1] -= works[0];
  }
}

/// After a step: what contacts have taken, and which limits push.
template <class T>
void Simulation<T>::end_contacts() {
  for (std::size_t i = 0; contacts_ && i < accounts_.size(); ++i) {
    const T taken = -contacts_->works[3 * i + 2];
    contacts_->tallies[i].taken = double{taken};
    accounts_[i].contacts.add(contacts_->tallies[i]);
    stopped_by_[i] = double{energies_[4 * i + 1] + taken};
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
  std::fill_n(contacts_->limit_forces.begin() + static_cast<std::ptrdiff_t>(i * nv_), nv_, T(0));
  std::int32_t* const touching = contacts_->touching.data() + i * (1 + slots);
  for (std::int32_t k = 1; k <= touching[0]; ++k) {  // all others are 0
    const std::size_t slot = i * slots + static_cast<std::size_t>(touching[k]);
    std::fill_n(contacts_->forces.data() + 6 * slot, 6, 0.0);
    std::fill_n(contacts_->pushes.data() + 3 * slot, 3, 0.0);
    touching[k] = 0;
  }
  touching[0] = 0;
  if (!contacts_->how.has_stages) return;
  std::copy_n(q_.data() + i * nq_, nq_, contacts_->q_stage.data() + i * nq_);
  std::copy_n(v_.data() + i * nv_, nv_, contacts_->v_stage.data() + i * nv_);
}

/// The same of instance `from` in another simulation.
template <class T>
void Simulation<T>::carry_contacts(std::size_t from, Simulation& other, std::size_t to) const {
  if (!contacts_) return;
  const auto rows = [&](const auto& own, auto& theirs) {
    const std::size_t n = own.size() / accounts_.size();
    std::copy_n(own.data() + from * n, n, theirs.data() + to * n);
  };
  rows(contacts_->limit_forces, other.contacts_->limit_forces);
  rows(contacts_->forces, other.contacts_->forces);
  rows(contacts_->pushes, other.contacts_->pushes);
  rows(contacts_->touching, other.contacts_->touching);
  rows(contacts_->q_stage, other.contacts_->q_stage);
  rows(contacts_->v_stage, other.contacts_->v_stage);
}

template <class T>
const ContactSet& Simulation<T>::contact_set() const {
  if (!contacts_) throw Error("simulation: there are no contacts; give SimulationOptions::contacts");
  return contacts_->how.dynamics.set();
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

/// Rows of an instance in numbers of the last stage of rk4.
template <class T>
std::span<const T> Simulation<T>::stage_of(std::vector<T> Contacts::* of, Index instance) const {
  contact_set();
  at(accounts_, instance);
  if (!contacts_->how.has_stages)
    throw Error(sentence("simulation: the state of the last stage is kept by rk4; integrator is ",
                         to_string(options_.integrator)));
  const std::size_t rows = ((*contacts_).*of).size() / accounts_.size();
  return std::span<const T>((*contacts_).*of).subspan(static_cast<std::size_t>(instance) * rows, rows);
}
template <class T>
std::span<const T> Simulation<T>::contact_q(Index instance) const {
  return stage_of(&Contacts::q_stage, instance);
}
template <class T>
std::span<const T> Simulation<T>::contact_v(Index instance) const {
  return stage_of(&Contacts::v_stage, instance);
}

}  // namespace tandem
