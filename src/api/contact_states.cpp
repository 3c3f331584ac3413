// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <string>

#include "api/parameters.hpp"
#include "api/plan.hpp"
#include "backends/cpu/threads.hpp"
#include "backends/cuda/contact_driver.hpp"
#include "contact_solve.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/detail/contact/pair.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class... Part>
[[noreturn]] void refuse_states(const Part&... parts) {
  throw Error(sentence("ContactDynamics: ", parts...));
}

}  // namespace

void FoundLists::add(Index state, const FoundPush& of) {
  FoundContact& found = lists_[at(state)].emplace_back();
  found.shape_1 = of.shape_1;
  found.shape_2 = of.shape_2;
  found.slot = of.slot;
  found.contact.distance = of.distance;
  std::copy_n(of.position, 3, found.contact.position.begin());
  std::copy_n(of.frame, 9, found.contact.frame.begin());
  std::copy_n(of.force, 6, found.force.begin());
}

void check_pairs_on_gpu(const ContactSet& set, const char* function) {
  if (set.finds_pairs())
    throw Error(sentence(function, ": pairs of two moving links are found in every state, which a GPU does not do; use "
                                   "device cpu, or a ContactSet with self_pairs = listed or self_contact = false"));
  const auto shapes = contact_shapes(set.model());
  for (const ContactPair& pair : set.pairs()) {
    const ContactShape &one = shapes[at(pair.shape_1)], &two = shapes[at(pair.shape_2)];
    if (has_closed_form(one.type, two.type, pair.softness.margin)) continue;
    const char* const within = has_closed_form(one.type, two.type, 0) ? " within a margin" : "";
    throw Error(sentence(function, ": contacts of ", element("shape", one.name), " (", to_string(one.type), ") with ",
                         element("shape", two.name), " (", to_string(two.type), ")", within,
                         " are computed by support functions, which do not run on a GPU; use device cpu, or a "
                         "ContactSet without such pairs"));
  }
}

ContactAcceleration ContactDynamics::operator()(std::span<const double> q, std::span<const double> v,
                                                std::span<const double> tau, std::span<const double> begin) const {
  const auto nv = at(set_.model().nv());
  ContactAcceleration result;
  for (auto* x : {&result.a, &result.f_limit, &result.f_friction}) x->resize(nv);
  result.f_contact.resize(at(set_.n_slots()));
  result.f_loop.resize(prepared_->loop_kinds.size());
  result.f_coupler.resize(prepared_->coupler_kinds.size());
  std::int32_t steps = 0;
  std::uint8_t converged = 0;
  std::vector<double> forces(6 * result.f_contact.size()), of_loops(6 * result.f_loop.size());
  (*this)({.q = q,
           .v = v,
           .tau = tau,
           .begin = begin,
           .a = result.a,
           .f_limit = result.f_limit,
           .f_friction = result.f_friction,
           .f_contact = forces,
           .f_loop = of_loops,
           .f_coupler = result.f_coupler,
           .found = {&result.found, 1},
           .converged = {&converged, 1},
           .steps = {&steps, 1}});
  for (std::size_t slot = 0; slot < result.f_contact.size(); ++slot)
    std::copy_n(forces.begin() + static_cast<std::ptrdiff_t>(6 * slot), 6, result.f_contact[slot].begin());
  for (std::size_t loop = 0; loop < result.f_loop.size(); ++loop)
    std::copy_n(of_loops.begin() + static_cast<std::ptrdiff_t>(6 * loop), 6, result.f_loop[loop].begin());
  result.converged = converged != 0;
  result.steps = steps;
  return result;
}

void ContactDynamics::operator()(const ContactStates& states) const {
  const Model& model = set_.model();
  const ModelView<double>& m = model.view<double>();
  const auto n = static_cast<std::size_t>(states.n), nq = at(m.nq), nv = at(m.nv), wrenches = 6 * at(m.n_links),
             forces = 6 * at(set_.n_slots());
  if (states.n < 0) refuse_states("n is ", states.n, ", expected 0 or more");
  if (states.threads < 0) refuse_states("threads is ", states.threads, ", expected 1 or more, or 0 for all cores");
  const auto check = [&](const char* name, std::size_t size, std::size_t rows, bool required, const char* count) {
    if (size == n * rows || (size == 0 && !required)) return;
    if (states.n == 1) refuse_states(name, " has ", size, " numbers, expected ", rows, count);
    refuse_states(name, " has ", size, " numbers, expected ", n * rows, " for ", n, " states", count);
  };
  const std::string of_nq = sentence(": this robot has nq = ", m.nq), of_nv = sentence(": this robot has nv = ", m.nv);
  check("q", states.q.size(), nq, true, of_nq.c_str());
  check("v", states.v.size(), nv, true, of_nv.c_str());
  check("tau", states.tau.size(), nv, true, of_nv.c_str());
  check("begin", states.begin.size(), nv, false, of_nv.c_str());
  check("f_ext", states.f_ext.size(), wrenches, false, "");
  check("a", states.a.size(), nv, true, of_nv.c_str());
  check("f_limit", states.f_limit.size(), nv, false, of_nv.c_str());
  check("f_friction", states.f_friction.size(), nv, false, of_nv.c_str());
  check("f_contact", states.f_contact.size(), forces, false, "");
  check("f_loop", states.f_loop.size(), 6 * prepared_->loop_kinds.size(), false, "");
  check("f_coupler", states.f_coupler.size(), prepared_->coupler_kinds.size(), false, "");
  check("found", states.found.size(), 1, false, "");
  check("converged", states.converged.size(), 1, false, "");
  check("steps", states.steps.size(), 1, false, "");

  check("dropped", states.dropped.size(), 1, false, "");
  const bool on_gpu = states.device.kind == Device::cuda;
  if (on_gpu) {
    check_kind(states.device);
    if (states.threads != 0) refuse_states("threads requires device cpu");
    check_pairs_on_gpu(set_, "ContactDynamics");
    if (!states.parameters.empty()) refuse_states("parameters require device cpu");
  } else if (options_.max_contacts > 0 || options_.max_contact_columns > 0) {
    refuse_states("max_contacts and max_contact_columns are for device cuda; the CPU has room for all contacts");
  }
  std::fill(states.dropped.begin(), states.dropped.end(), 0);
  if (states.n == 0) return;
  std::optional<ParametersOfModel<double>> parameters;
  if (!states.parameters.empty()) parameters.emplace(model, states.parameters, states.n);
  const auto rows = [](const auto& of, std::size_t n_rows) {
    return of.empty() ? Array<double>() : Array<double>::input(of.data(), static_cast<Index>(n_rows));
  };
  const auto result = [](const auto& of) { return of.empty() ? nullptr : of.data(); };
  for (std::vector<FoundContact>& found : states.found) found.clear();
  FoundLists lists(states.found);
  ContactStatesCall<double> call{.model = m,
                                 .parameters = parameters ? &parameters->arrays() : nullptr,
                                 .q = rows(states.q, nq),
                                 .v = rows(states.v, nv),
                                 .tau = rows(states.tau, nv),
                                 .f_ext = rows(states.f_ext, wrenches),
                                 .diagonal = {},
                                 .a = rows(states.a, nv),
                                 .contacts = {.problem = &prepared_->problem,
                                              .tiles = &prepared_->in_double,
                                              .warm = rows(states.a, nv),
                                              .f_limit = result(states.f_limit),
                                              .f_friction = result(states.f_friction),
                                              .forces = result(states.f_contact),
                                              .f_loop = result(states.f_loop),
                                              .f_coupler = result(states.f_coupler),
                                              .found = states.found.empty() ? nullptr : &lists},
                                 .steps = result(states.steps),
                                 .converged = result(states.converged)};
  if (states.begin.empty())
    std::fill(states.a.begin(), states.a.end(), 0.0);
  else
    std::copy(states.begin.begin(), states.begin.end(), states.a.begin());
  if (on_gpu) {
    std::vector<std::int32_t> dropped(n);
    cuda::Workspace work;
    cuda::solve_contacts(model, numbered(states.device).ordinal, call, states.n, dropped.data(), work);
    if (!states.dropped.empty()) std::copy(dropped.begin(), dropped.end(), states.dropped.begin());
    return;
  }
  const ContactKernel<double>& kernel = cpu::in_use().contacts.in_double;
  const Index tiles = (states.n + kernel.lanes - 1) / kernel.lanes;
  cpu::for_each_range(tiles, 1, tiles <= 1 ? 1 : cpu::available_threads(states.threads),
                      [&](Index first, Index end, int) {
                        kernel.run(call, first * kernel.lanes, std::min(end * kernel.lanes, states.n));
                      });
}

}  // namespace tandem
