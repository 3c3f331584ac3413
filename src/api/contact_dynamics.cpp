// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/contact_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/detail/contact/mobility.hpp"
#include "tandem/detail/contact/solver.hpp"
#include "tandem/error.hpp"

namespace tandem {

namespace {

template <class... Part>
[[noreturn]] void refuse_contacts(const Part&... parts) {
  throw Error(sentence("ContactDynamics: ", parts...));
}

/// All coordinates 0, quaternions without a turn.
std::vector<double> zero_configuration(const ModelView<double>& m) {
  std::vector<double> q(at(m.nq));
  for (int i = 1; i < m.n_links; ++i) {
    const int quaternion = joint_kind(m.type[i]).quaternion;
    if (quaternion >= 0) q[at(m.q_index[i] + quaternion + 3)] = 1;
  }
  return q;
}

Softness softness(const ContactSoftness& given) {
  Softness s;
  std::copy(given.solref.begin(), given.solref.end(), s.solref);
  std::copy(given.solimp.begin(), given.solimp.end(), s.solimp);
  return s;
}
std::vector<Softness> softness(const std::vector<ContactSoftness>& given, int nv, const char* name) {
  if (!given.empty() && given.size() != at(nv))
    refuse_contacts(name, " has ", given.size(), " entries, expected ", nv, ": this robot has nv = ", nv);
  std::vector<Softness> rows;
  for (const ContactSoftness& s : given) rows.push_back(softness(s));
  return rows;
}

/// A slot that the solver looks at, and whether its link is shape 1, on which the opposite force acts.
struct GivenSlot {
  int link, slot;
  bool first;
  ContactKind kind;
};

}  // namespace

ContactDynamics::ContactDynamics(const ContactSet& set, const ContactDynamicsOptions& options)
    : set_(set), options_(options) {
  const Model& model = set_.model();
  const ModelView<double>& m = model.view<double>();
  if (m.n_loops > 0) refuse_contacts("closed loops have no contacts; ", model.name(), " has ", m.n_loops);
  const auto positive = [](const char* name, double x) {
    if (!(x > 0) || !std::isfinite(x)) refuse_contacts(name, " is ", x, ", expected a positive number");
  };
  positive("tolerance", options.tolerance);
  positive("most_steps", options.most_steps);
  if (options.impratio) positive("impratio", *options.impratio);
  if (options.time_step) positive("time_step", *options.time_step);
  softness(options.limit_softness, model.nv(), "limit_softness");
  softness(options.friction_softness, model.nv(), "friction_softness");

  const std::vector<double> q = zero_configuration(m);
  std::vector<double> w(at(static_cast<int>(ContactMobility::work_rows(m))));
  joint_mobility_.resize(at(m.nv));
  ContactMobility::of_joints<double>(m, q.data(), joint_mobility_.data(), w.data());
  const auto shapes = contact_shapes(model);
  for (const ContactPair& pair : set_.pairs()) {
    const ContactShape &one = shapes[at(pair.shape_1)], &two = shapes[at(pair.shape_2)];
    if (one.link != 0 && two.link != 0)
      refuse_contacts("shapes ", one.name, " and ", two.name,
                      " are both on moving links; use a ContactSet without self_contact");
    const int link = one.link + two.link;
    const auto com = model.mass_properties(link).com;
    pair_mobility_.push_back(ContactMobility::of_point<double>(m, q.data(), link, {com[0], com[1], com[2]}, w.data()));
  }
}

ContactAcceleration ContactDynamics::operator()(std::span<const double> q, std::span<const double> v,
                                                std::span<const double> tau, std::span<const double> begin) const {
  const Model& model = set_.model();
  const ModelView<double>& m = model.view<double>();
  const auto check = [&](const char* name, std::size_t size) {
    if (size != at(m.nv))
      refuse_contacts(name, " has ", size, " numbers, expected ", m.nv, ": this robot has nv = ", m.nv);
  };
  check("v", v.size());
  check("tau", tau.size());
  if (!begin.empty()) check("begin", begin.size());
  const std::vector<Contact> found = contacts(set_, q);
  const ContactSettings& settings = contact_settings(model);

  ContactSolverOptions how;
  how.law.law = static_cast<RowLaw>(options_.law);
  how.law.h = options_.time_step.value_or(settings.timestep > 0 ? settings.timestep : 0.002);
  how.coupling = options_.cone.value_or(settings.cone) == FrictionCone::elliptic ? Coupling::cone : Coupling::pyramid;
  how.impratio = options_.impratio.value_or(settings.impratio);
  how.tolerance = options_.tolerance;
  how.most_steps = options_.most_steps;
  const std::vector<Softness> of_limits = softness(options_.limit_softness, m.nv, "limit_softness");
  const std::vector<Softness> of_friction = softness(options_.friction_softness, m.nv, "friction_softness");
  const JointSoftness joints{of_limits.empty() ? nullptr : of_limits.data(),
                             of_friction.empty() ? nullptr : of_friction.data(), joint_mobility_.data(),
                             options_.limits, options_.friction};

  std::vector<GivenSlot> slots;
  const auto shapes = contact_shapes(model);
  for (std::size_t p = 0; p < set_.pairs().size(); ++p) {
    const ContactPair& pair = set_.pairs()[p];
    const int one = shapes[at(pair.shape_1)].link, two = shapes[at(pair.shape_2)].link;
    ContactKind kind{};
    kind.link = one + two;
    kind.dim = pair.condim;
    std::copy(pair.friction.begin(), pair.friction.end(), kind.friction);
    kind.softness = softness(pair.softness);
    std::copy(pair.solreffriction.begin(), pair.solreffriction.end(), kind.solreffriction);
    kind.margin = pair.softness.margin;
    kind.mobility = pair_mobility_[p];
    for (int k = 0; k < pair.slots; ++k)
      if (found[at(pair.first_slot + k)].distance < kind.margin)
        slots.push_back({kind.link, pair.first_slot + k, one != 0, kind});
  }
  std::sort(slots.begin(), slots.end(), [](const GivenSlot& x, const GivenSlot& y) {
    return std::pair(x.link, x.slot) < std::pair(y.link, y.slot);
  });

  std::vector<ContactKind> kinds;
  std::vector<double> places;
  for (const GivenSlot& slot : slots) {
    const Contact& c = found[at(slot.slot)];
    kinds.push_back(slot.kind);
    places.push_back(c.distance);
    places.insert(places.end(), c.position.begin(), c.position.end());
    for (const double x : c.frame) places.push_back(slot.first ? -x : x);
  }
  const int n = static_cast<int>(kinds.size());
  using OfState = ContactSolver<double, double, double*>;
  std::vector<double> w(at(static_cast<int>(OfState::work_rows(m, n)))), forces(at(6 * n));
  ContactAcceleration result;
  result.a.assign(at(m.nv), 0);
  std::copy(begin.begin(), begin.end(), result.a.begin());
  result.f_limit.resize(at(m.nv));
  result.f_friction.resize(at(m.nv));
  result.f_contact.resize(at(set_.n_slots()));
  const ContactList<double*> list{n, kinds.data(), places.data(), nullptr};
  const double* const none = nullptr;
  const auto done =
      OfState{m, how, joints, list, w.data()}.solve(q.data(), v.data(), tau.data(), none, none, result.a.data(),
                                                   result.f_limit.data(), result.f_friction.data(), forces.data());
  result.converged = done.converged == 1;
  result.steps = static_cast<int>(done.steps);
  for (int c = 0; c < n; ++c) std::copy_n(forces.begin() + 6 * c, 6, result.f_contact[at(slots[at(c)].slot)].begin());
  return result;
}

}  // namespace tandem
