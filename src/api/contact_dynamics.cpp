// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/contact_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "backends/cpu/threads.hpp"
#include "contact_solve.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/detail/contact/mobility.hpp"
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

}  // namespace

ContactDynamics::ContactDynamics(const ContactSet& set, const ContactDynamicsOptions& options)
    : set_(set), options_(options) {
  const Model& model = set_.model();
  const ModelView<double>& m = model.view<double>();
  if (m.n_loops > 0)
    refuse_contacts("robots with closed loops are not computed; ", model.name(), " has ", m.n_loops,
                    m.n_loops == 1 ? " loop" : " loops");
  const auto positive = [](const char* name, double x) {
    if (!(x > 0) || !std::isfinite(x)) refuse_contacts(name, " is ", x, ", expected a positive number");
  };
  positive("tolerance", options.tolerance);
  positive("most_steps", options.most_steps);
  if (options.impratio) positive("impratio", *options.impratio);
  if (options.time_step) positive("time_step", *options.time_step);
  const auto known = [](const auto& value) {
    using E = std::remove_cvref_t<decltype(value)>;
    if (*to_string(value) == '\0')
      refuse_contacts(NamesOf<E>::kind, " is ", static_cast<int>(value), ", not a valid value; expected one of ",
                      comma_separated(NamesOf<E>::table, [](const Named& row) { return row.name; }));
  };
  known(options.law);
  if (options.cone) known(*options.cone);

  auto prepared = std::make_shared<Prepared>();
  const auto described = [](std::span<const ContactSoftness> rows) {
    return std::vector<ContactSoftness>(rows.begin(), rows.end());
  };
  prepared->of_limits =
      softness(options.limit_softness.empty() ? described(limit_softness(model)) : options.limit_softness, model.nv(),
               "limit_softness");
  prepared->of_friction =
      softness(options.friction_softness.empty() ? described(friction_softness(model)) : options.friction_softness,
               model.nv(), "friction_softness");
  const ContactSettings& settings = contact_settings(model);
  ContactSolverOptions& how = prepared->how;
  how.law.law = static_cast<RowLaw>(options_.law);
  how.law.h = options_.time_step.value_or(settings.timestep > 0 ? settings.timestep : 0.002);
  how.coupling = options_.cone.value_or(settings.cone) == FrictionCone::elliptic ? Coupling::cone : Coupling::pyramid;
  how.impratio = options_.impratio.value_or(settings.impratio);
  how.tolerance = options_.tolerance;
  how.most_steps = options_.most_steps;

  const std::vector<double> q = zero_configuration(m);
  std::vector<double> w(at(static_cast<int>(ContactMobility::work_rows(m))));
  prepared->joint_mobility.resize(at(m.nv));
  ContactMobility::of_joints<double>(m, q.data(), prepared->joint_mobility.data(), w.data());
  // of the centre of mass of the body that a shape was described on: fixed joints make it a part of the link
  std::vector<double> found(at(model.n_frames()), -1);
  const auto mobility = [&](const ContactShape& shape) {
    if (shape.link == 0) return 0.0;
    if (double& own = found[at(shape.frame)]; own < 0) {
      const Pose pose = model.frame_placement(shape.frame);
      Vec3<double> point{pose.position[0], pose.position[1], pose.position[2]};
      double* const x[] = {&point.x, &point.y, &point.z};
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t j = 0; j < 3; ++j) *x[k] += pose.rotation[3 * k + j] * shape.com[j];
      own = ContactMobility::of_point<double>(m, q.data(), shape.link, point, w.data());
    }
    return found[at(shape.frame)];
  };
  const auto shapes = contact_shapes(model);
  for (const ContactPair& pair : set_.pairs()) {
    const ContactShape &one = shapes[at(pair.shape_1)], &two = shapes[at(pair.shape_2)];
    if (one.link == two.link) continue;  // an explicit pair of two shapes that do not move against each other
    Prepared::Pair own{{}, pair.first_slot, pair.slots, one.link > two.link};
    ContactKind& kind = own.kind;
    kind.link = std::max(one.link, two.link);
    kind.other = std::min(one.link, two.link);
    kind.dim = pair.condim;
    std::copy(pair.friction.begin(), pair.friction.end(), kind.friction);
    kind.softness = softness(pair.softness);
    std::copy(pair.solreffriction.begin(), pair.solreffriction.end(), kind.solreffriction);
    kind.margin = pair.softness.margin;
    kind.mobility = mobility(one) + mobility(two);
    prepared->pairs.push_back(own);
  }
  std::sort(prepared->pairs.begin(), prepared->pairs.end(), [](const Prepared::Pair& x, const Prepared::Pair& y) {
    return std::pair(x.kind.link, x.first_slot) < std::pair(y.kind.link, y.first_slot);
  });
  prepared_ = std::move(prepared);
}

std::span<const double> ContactDynamics::joint_mobility() const { return prepared_->joint_mobility; }

void solve_contacts(const ContactDynamics& dynamics, const ModelView<double>& m, ContactSolve& state,
                    ContactSolveWork& work) {
  const ContactDynamics::Prepared& prepared = dynamics.prepared();
  const int nv = m.nv, n_slots = dynamics.set().n_slots();
  work.found.resize(at(n_slots));
  find_contacts(dynamics.set(), {state.q, at(m.nq)}, true, work.found, work.finder);
  work.kinds.clear();
  work.places.clear();
  work.slots.clear();
  for (const auto& pair : prepared.pairs)
    for (int slot = pair.first_slot; slot < pair.first_slot + pair.slots; ++slot) {
      const Contact& c = work.found[at(slot)];
      if (!(c.distance < pair.kind.margin)) continue;
      work.slots.push_back(slot);
      work.kinds.push_back(pair.kind);
      work.places.push_back(c.distance);
      work.places.insert(work.places.end(), c.position.begin(), c.position.end());
      for (const double x : c.frame) work.places.push_back(pair.first_moves ? -x : x);
    }
  const int n = static_cast<int>(work.kinds.size());
  const auto n_two = static_cast<int>(
      std::count_if(work.kinds.begin(), work.kinds.end(), [](const ContactKind& kind) { return kind.other != 0; }));
  using OfState = ContactSolver<double, double, double*>;
  work.numbers.resize(static_cast<std::size_t>(OfState::work_rows(m, n, n_two)));
  work.forces.resize(at(6 * n));
  work.rate.resize(at(3 * nv));
  double *const rate = work.rate.data(), *const limit = rate + nv, *const friction = limit + nv;
  const JointSoftness joints{prepared.of_limits.empty() ? nullptr : prepared.of_limits.data(),
                             prepared.of_friction.empty() ? nullptr : prepared.of_friction.data(),
                             prepared.joint_mobility.data(), dynamics.options().limits, dynamics.options().friction};
  const ContactList<double*> list{n, work.kinds.data(), work.places.data(), nullptr, n_two};
  const OfState solver{m, prepared.how, joints, list, work.numbers.data()};
  const auto done = solver.solve(state.q, state.v, state.tau, state.f_ext, state.diagonal, state.warm, limit, friction,
                                 work.forces.data());
  state.converged = done.converged == 1;
  state.steps = static_cast<int>(done.steps);
  const double* a = state.warm;
  if (state.a) {
    if (state.after)
      solver.slow(state.diagonal, state.after, state.a);
    else
      std::copy_n(state.warm, nv, state.a);
    a = state.a;
  }
  if (state.f_limit) std::copy_n(limit, nv, state.f_limit);
  if (state.f_friction) std::copy_n(friction, nv, state.f_friction);
  if (state.f_contact) std::fill_n(state.f_contact, 6 * n_slots, 0.0);
  if (state.pushes) std::fill_n(state.pushes, 3 * n_slots, 0.0);
  for (int c = 0; c < n; ++c) {
    const int slot = work.slots[at(c)];
    const double* const f = work.forces.data() + 6 * c;
    if (state.f_contact) std::copy_n(f, 6, state.f_contact + 6 * slot);
    if (!state.pushes) continue;
    const auto& axes = work.found[at(slot)].frame;
    for (std::size_t k = 0; k < 3; ++k)
      state.pushes[3 * at(slot) + k] = f[0] * axes[k] + f[1] * axes[3 + k] + f[2] * axes[6 + k];
  }
  if (!(state.h > 0)) return;
  LinkPasses::turning_part<double>(m, state.v, rate);
  for (int k = 0; k < nv; ++k) rate[k] = state.v[k] + state.h / 2 * (a[k] + rate[k]);
  state.limit_work = state.friction_work = 0;
  for (int k = 0; k < nv; ++k) {
    state.limit_work += state.h * rate[k] * limit[k];
    state.friction_work += state.h * rate[k] * friction[k];
  }
  state.contact_work = state.h * solver.power(rate, work.forces.data());
}

ContactAcceleration ContactDynamics::operator()(std::span<const double> q, std::span<const double> v,
                                                std::span<const double> tau, std::span<const double> begin) const {
  const auto nv = at(set_.model().nv());
  ContactAcceleration result;
  for (auto* x : {&result.a, &result.f_limit, &result.f_friction}) x->resize(nv);
  result.f_contact.resize(at(set_.n_slots()));
  std::int32_t steps = 0;
  std::uint8_t converged = 0;
  std::vector<double> forces(6 * result.f_contact.size());
  (*this)({.q = q,
           .v = v,
           .tau = tau,
           .begin = begin,
           .a = result.a,
           .f_limit = result.f_limit,
           .f_friction = result.f_friction,
           .f_contact = forces,
           .converged = {&converged, 1},
           .steps = {&steps, 1}});
  for (std::size_t slot = 0; slot < result.f_contact.size(); ++slot)
    std::copy_n(forces.begin() + static_cast<std::ptrdiff_t>(6 * slot), 6, result.f_contact[slot].begin());
  result.converged = converged != 0;
  result.steps = steps;
  return result;
}

void ContactDynamics::operator()(const ContactStates& states) const {
  const Model& model = set_.model();
  const ModelView<double>& m = model.view<double>();
  const auto n = static_cast<std::size_t>(states.n), nq = at(m.nq), nv = at(m.nv), wrenches = 6 * at(m.n_links),
             forces = 6 * at(set_.n_slots());
  if (states.n < 0) refuse_contacts("n is ", states.n, ", expected 0 or more");
  if (states.threads < 0) refuse_contacts("threads is ", states.threads, ", expected 1 or more, or 0 for all cores");
  const auto check = [&](const char* name, std::size_t size, std::size_t rows, bool required, const char* count) {
    if (size == n * rows || (size == 0 && !required)) return;
    if (states.n == 1) refuse_contacts(name, " has ", size, " numbers, expected ", rows, count);
    refuse_contacts(name, " has ", size, " numbers, expected ", n * rows, " for ", n, " states", count);
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
  check("converged", states.converged.size(), 1, false, "");
  check("steps", states.steps.size(), 1, false, "");

  const int team = states.n <= 1 ? 1 : cpu::available_threads(states.threads);
  std::vector<ContactSolveWork> memory(at(std::max(team, 1)));
  cpu::for_each_range(states.n, 1, team, [&](Index first, Index end, int worker) {
    for (Index b = first; b < end; ++b) {
      const auto i = static_cast<std::size_t>(b);
      const auto row = [&](const auto& of, std::size_t rows) { return of.empty() ? nullptr : of.data() + i * rows; };
      double* const a = states.a.data() + i * nv;
      if (states.begin.empty())
        std::fill_n(a, nv, 0.0);
      else
        std::copy_n(states.begin.data() + i * nv, nv, a);
      ContactSolve state{.q = states.q.data() + i * nq,
                         .v = states.v.data() + i * nv,
                         .tau = states.tau.data() + i * nv,
                         .f_ext = row(states.f_ext, wrenches),
                         .warm = a,
                         .f_limit = row(states.f_limit, nv),
                         .f_friction = row(states.f_friction, nv),
                         .f_contact = row(states.f_contact, forces)};
      solve_contacts(*this, m, state, memory[at(worker)]);
      if (!states.converged.empty()) states.converged[i] = state.converged ? 1 : 0;
      if (!states.steps.empty()) states.steps[i] = state.steps;
    }
  });
}

}  // namespace tandem
