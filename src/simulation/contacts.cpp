// SPDX-License-Identifier: Apache-2.0
/// Contacts of a simulation: accelerations by contact dynamics, in which joint limits and dry friction are rows beside
/// those of contacts.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "api/parameters.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/threads.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

/// Throws Error for what contacts do not serve.
template <class T>
void Contacts<T>::prepare() {
  if (s.options.contacts && s.options.first_guess != FirstGuess::zero)
    throw Error(sentence("simulation: contacts are solved from the last acceleration; first_guess is ",
                         to_string(s.options.first_guess), ", use zero"));
  std::optional<ContactDynamics> none;
  const bool has_controller = s.options.controller.acts();
  if (auto contacts = step_contacts("simulation", s.given, Lanes{s}.options(0), has_controller, none)) {
    s.contacts.emplace(std::move(*contacts));
    s.options.specialise = Specialise::off;
  }
}

template <class T>
void Contacts<T>::make_room() {
  if (!s.contacts) return;
  auto& c = *s.contacts;
  const auto n = static_cast<std::size_t>(s.batch),
             slots = static_cast<std::size_t>(s.contacts->how.dynamics.set().n_slots());
  c.limit_forces.resize(n * s.nv);
  c.warm.resize(n * s.nv);
  c.forces.resize(6 * n * slots);
  c.pushes.resize(3 * n * slots);
  c.normals.resize(has_disc(c.how.dynamics.set(), c.how.dynamics.options()) ? n * slots : 0);
  c.touching.resize(n * (1 + slots));
  const auto shapes = contact_shapes(s.model);
  c.links.clear();
  for (const ContactPair& pair : c.how.dynamics.set().pairs())
    c.links.resize(c.links.size() + at(pair.slots), {shapes[at(pair.shape_1)].link, shapes[at(pair.shape_2)].link});
  c.found.resize(n);
  c.works.resize(3 * n);
  c.works_of_solution.resize(3 * n);
  c.tallies.resize(n);
  c.steps.resize(n);
  c.converged.resize(n);
  if (!c.how.has_stages) return;
  c.q_stage.resize(n * s.nq);
  c.v_stage.resize(n * s.nv);
}

/// Before a step: the normal forces of the last one.
template <class T>
void Contacts<T>::take_normals() {
  if (!s.contacts) return;
  std::vector<T>& normals = s.contacts->normals;
  for (std::size_t k = 0; k < normals.size(); ++k) normals[k] = static_cast<T>(s.contacts->forces[6 * k]);
}

template <class T>
ContactCall<T> Contacts<T>::call(FoundPushes* found) {
  if (!s.contacts) return {};
  auto& c = *s.contacts;
  ContactCall<T> result = c.how.template call<T>();
  result.accounts = true;
  result.warm = Array<T>::output(s.stops.data(), static_cast<Index>(3 * s.nv));
  result.f_limit = c.limit_forces.data();
  result.normals = c.normals.empty() ? nullptr : c.normals.data();
  result.forces = c.forces.data();
  result.pushes = c.pushes.data();
  result.touching = c.touching.data();
  result.found = found;
  if (!c.how.has_stages) return result;
  result.q_stage = c.q_stage.data();
  result.v_stage = c.v_stage.data();
  return result;
}

/// Accelerations of all instances, as the step asks for them in a stage of rk4, or again where a controller is clipped,
/// so that what is found last counts.
template <class T>
void Contacts<T>::solve(const Columns<T>& columns, int stage) {
  const BatchPart whole = {0, s.batch};
  auto& c = *s.contacts;
  if (stage == 0) take_normals();
  for (std::size_t i = 0; !c.how.has_stages && i < s.accounts.size(); ++i) {
    T *const warm = s.stops.data() + 3 * i * s.nv, *const begin = c.warm.data() + i * s.nv;
    std::copy_n(stage == 0 ? warm : begin, s.nv, stage == 0 ? begin : warm);
  }
  FoundLists found(c.found);
  const ContactKernel<T>& kernel = cpu::in_use().contacts.template in<T>();
  const Index tiles = (s.batch + kernel.lanes - 1) / kernel.lanes;
  s.with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    std::optional<ParametersOfModel<T>> parameters;
    if (!varied.empty()) parameters.emplace(s.model, varied, s.batch);
    ContactStatesCall<T> states{.model = s.model.template view<T>(),
                                .parameters = parameters ? &parameters->arrays() : nullptr,
                                .q = input(columns.q, whole),
                                .v = input(columns.v, whole),
                                .tau = input(columns.tau, whole),
                                .f_ext = {},
                                .diagonal = input(columns.diagonal, whole),
                                .a = output(columns.a, whole),
                                .contacts = call(&found),
                                .works = c.works_of_solution.data(),
                                .steps = c.steps.data(),
                                .converged = c.converged.data()};
    states.contacts.stage = stage;
    cpu::for_each_range(tiles, 1, tiles <= 1 ? 1 : cpu::available_threads(s.options.threads),
                        [&](Index first, Index end, int) {
                          kernel.run(states, first * kernel.lanes, std::min(end * kernel.lanes, s.batch));
                        });
  });
  for (Index b = 0; b < s.batch; ++b) {
    const auto i = static_cast<std::size_t>(b);
    const T* const works = c.works_of_solution.data() + 3 * i;
    if (!c.how.has_stages || stage == 0) {
      c.tallies[i] = {};
      std::fill_n(c.works.data() + 3 * i, 3, T(0));
    }
    for (std::size_t k = 0; k < 3; ++k) c.works[3 * i + k] += works[k];
    c.tallies[i].add({1, c.steps[i], c.converged[i] ? 0 : 1, 0});
    if (!c.how.has_stages) continue;
    std::copy_n(columns.q.of(b), s.nq, c.q_stage.data() + i * s.nq);
    std::copy_n(columns.v.of(b), s.nv, c.v_stage.data() + i * s.nv);
  }
}

/// After a step, what limits, friction and contacts have taken in it.
template <class T>
void Contacts<T>::add_energies() {
  for (std::size_t i = 0; s.contacts && i < s.accounts.size(); ++i) {
    T *const e = s.energies.data() + 4 * i, *const works = s.contacts->works.data() + 3 * i;
    e[0] -= works[0] + works[1] + works[2];
    e[1] -= works[0];
  }
}

/// After a step: what contacts have taken, and which limits push.
template <class T>
void Contacts<T>::end() {
  for (std::size_t i = 0; s.contacts && i < s.accounts.size(); ++i) {
    const T taken = -s.contacts->works[3 * i + 2];
    s.contacts->tallies[i].taken = double{taken};
    s.accounts[i].contacts.add(s.contacts->tallies[i]);
    s.stopped_by[i] = double{s.energies[4 * i + 1] + taken};
    const T* const f = s.contacts->limit_forces.data() + i * s.nv;
    T* const stops = s.stops.data() + 3 * i * s.nv;
    for (std::size_t k = 0; k < s.nv; ++k) {
      stops[s.nv + k] = f[k];
      stops[2 * s.nv + k] = f[k] < T(0) ? T(1) : T(0) < f[k] ? T(-1) : T(0);
    }
  }
}

/// Nothing is known of what an instance touched.
template <class T>
void Contacts<T>::forget(Index instance) {
  if (!s.contacts) return;
  const auto i = static_cast<std::size_t>(instance), slots = s.contacts->forces.size() / (6 * s.accounts.size());
  std::fill_n(s.contacts->limit_forces.begin() + static_cast<std::ptrdiff_t>(i * s.nv), s.nv, T(0));
  std::int32_t* const touching = s.contacts->touching.data() + i * (1 + slots);
  for (std::int32_t k = 1; k <= touching[0]; ++k) {  // all others are 0
    const std::size_t slot = i * slots + static_cast<std::size_t>(touching[k]);
    std::fill_n(s.contacts->forces.data() + 6 * slot, 6, 0.0);
    std::fill_n(s.contacts->pushes.data() + 3 * slot, 3, 0.0);
    touching[k] = 0;
  }
  touching[0] = 0;
  s.contacts->found[i].clear();
  if (!s.contacts->how.has_stages) return;
  std::copy_n(s.q.data() + i * s.nq, s.nq, s.contacts->q_stage.data() + i * s.nq);
  std::copy_n(s.v.data() + i * s.nv, s.nv, s.contacts->v_stage.data() + i * s.nv);
}

/// What contacts have of an instance, to another simulation.
template <class T>
void Contacts<T>::carry(const InstanceCopy& copy, SimulationState<T>& other) const {
  if (!s.contacts) return;
  const ContactState<T>& own = *s.contacts;
  ContactState<T>& theirs = *other.contacts;
  copy(own.limit_forces, theirs.limit_forces);
  copy(own.forces, theirs.forces);
  copy(own.pushes, theirs.pushes);
  copy(own.touching, theirs.touching);
  copy(own.found, theirs.found);
  copy(own.q_stage, theirs.q_stage);
  copy(own.v_stage, theirs.v_stage);
}

template struct Contacts<double>;
template struct Contacts<float>;

}  // namespace tandem::simulation_detail
