// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/contact_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

#include "contact_solve.hpp"
#include "core/at.hpp"
#include "core/text.hpp"
#include "simple_sliders.hpp"
#include "tandem/detail/contact/mobility.hpp"
#include "tandem/detail/contact/tendon_rows.hpp"
#include "tandem/detail/passes/loop_motion.hpp"
#include "tandem/error.hpp"
#include "tandem/model/couplers.hpp"
#include "tandem/model/tendons.hpp"

namespace tandem {

namespace {

using Mobility = ContactMobility<double, double, double*>;

template <class... Part>
[[noreturn]] void refuse_contacts(const Part&... parts) {
  throw Error(sentence("ContactDynamics: ", parts...));
}

/// Where MuJoCo measures mobilities: configuration "qpos0" of a model from MJCF whose references are not 0, else all
/// coordinates 0, quaternions without a turn.
std::vector<double> own_configuration(const Model& model) {
  const ModelView<double>& m = model.view<double>();
  if (const int named = model.find_configuration("qpos0"); named >= 0) {
    const auto q = model.configuration(named);
    return {q.begin(), q.end()};
  }
  std::vector<double> q(at(m.nq));
  for (int i = 1; i < m.n_links; ++i) {
    const int quaternion = joint_kind(m.type[i]).quaternion;
    if (quaternion >= 0) q[at(m.q_index[i] + quaternion + 3)] = 1;
  }
  return q;
}

/// Whether one number of a solref is a time constant or damping ratio, the other one a stiffness or damping.
bool has_two_formats(const std::array<double, 2>& solref) { return (solref[0] > 0) != (solref[1] > 0); }

/// The default takes the place of a solref in two formats, as in MuJoCo.
Softness softness(const ContactSoftness& given) {
  Softness s;
  if (!has_two_formats(given.solref)) std::copy(given.solref.begin(), given.solref.end(), s.solref);
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

double radius_of(const ContactShape& shape) {
  const auto& [x, y, z] = shape.size;
  switch (shape.type) {
    case ShapeType::plane: return std::numeric_limits<double>::infinity();
    case ShapeType::sphere: return x;
    case ShapeType::capsule: return x + y;
    case ShapeType::ellipsoid: return std::max({x, y, z});
    case ShapeType::cylinder: return std::hypot(x, y);
    case ShapeType::box: return std::hypot(x, y, z);
    default: break;  // a mesh
  }
  double most = 0;
  for (const auto& p : shape.vertices) most = std::max(most, std::hypot(p[0], p[1], p[2]));
  return most;
}

/// Which shapes have the same parameters of contacts: their numbers, and one shape of each.
std::vector<int> find_materials(std::span<const ContactShape> shapes, std::vector<int>& of_shapes) {
  const auto parameters = [](const ContactShape& s) {
    return std::tuple(s.condim, s.friction, s.priority, s.solmix, s.softness.solref, s.softness.solimp,
                      s.softness.margin, s.softness.gap);
  };
  std::map<decltype(parameters(shapes[0])), int> numbers;
  std::vector<int> first;
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    const auto [found, is_new] = numbers.try_emplace(parameters(shapes[k]), static_cast<int>(first.size()));
    if (is_new) first.push_back(static_cast<int>(k));
    of_shapes.push_back(found->second);
  }
  return first;
}

/// A shape in the frame that its link has inside the model.
LinkShape on_link(const ModelView<double>& m, const ContactShape& shape) {
  LinkShape of;
  of.type = shape.type;
  of.link = shape.link;
  const double *const E = m.frame_placement + Index{12} * shape.frame, *const r = E + 9;
  const auto& R = shape.placement.rotation;
  const auto& p = shape.placement.position;
  for (int row = 0; row < 3; ++row) {
    of.p[row] = r[row];
    for (int k = 0; k < 3; ++k) {
      of.p[row] += E[3 * k + row] * p[at(k)];
      for (int column = 0; column < 3; ++column) of.R[3 * row + column] += E[3 * k + row] * R[at(3 * k + column)];
    }
  }
  std::copy(shape.size.begin(), shape.size.end(), of.size);
  of.radius = radius_of(shape);
  of.n_vertices = static_cast<int>(shape.vertices.size());
  of.vertices = shape.vertices.empty() ? nullptr : shape.vertices.front().data();
  for (const auto& vertex : shape.vertices)
    for (int k = 0; k < 3; ++k) of.size[k] = std::max(of.size[k], std::abs(vertex[at(k)]));
  return of;
}

/// A joint by its row, or by that of the joint that it follows.
TendonPart part_of(const Model& model, int joint, double coefficient, double& offset) {
  const MimicRule rule = model.mimic_rule(joint);
  offset += coefficient * (rule.joint ? rule.offset : 0);
  return {model.q_index(joint), model.v_index(joint), coefficient * (rule.joint ? rule.multiplier : 1)};
}

/// Limits of the angles of spherical joints, behind the tendons.
void place_angle_limits(const Model& model, ContactDynamics::Prepared& prepared) {
  for (const AngleLimit& limit : angle_limits(model)) {
    TendonKind& kind = prepared.tendon_kinds.emplace_back();
    kind.first = static_cast<int>(prepared.tendon_parts.size());
    kind.ball_q = model.q_index(limit.joint);
    kind.ball_v = model.v_index(limit.joint);
    kind.lower = -std::numeric_limits<double>::infinity();
    kind.upper = limit.upper;
    if (!prepared.of_limits.empty()) kind.of_limits = prepared.of_limits[at(kind.ball_v)];
    if (!prepared.limit_margins.empty()) kind.margin = prepared.limit_margins[at(kind.ball_v)];
    kind.mobility = prepared.joint_mobility[at(kind.ball_v)];
  }
}

/// Tendons by rows of joints that do not follow others.
void place_tendons(const Model& model, const double* q, ContactDynamics::Prepared& prepared) {
  const ModelView<double>& m = model.view<double>();
  std::vector<double> w(static_cast<std::size_t>(ArticulatedBody::work_rows(m)) + 2 * at(m.nv));
  for (const Tendon& tendon : tendons(model)) {
    TendonKind& kind = prepared.tendon_kinds.emplace_back();
    kind.first = static_cast<int>(prepared.tendon_parts.size());
    kind.count = static_cast<int>(tendon.joints.size());
    for (const Tendon::Part& part : tendon.joints)
      prepared.tendon_parts.push_back(part_of(model, part.joint, part.coefficient, kind.offset));
    kind.lower = tendon.lower;
    kind.upper = tendon.upper;
    kind.margin = tendon.limit_softness.margin;
    kind.friction = tendon.friction;
    kind.stiffness = tendon.stiffness;
    kind.damping = tendon.damping;
    std::copy(tendon.rest.begin(), tendon.rest.end(), kind.rest);
    kind.of_limits = softness(tendon.limit_softness);
    kind.of_friction = softness(tendon.friction_softness);
    kind.mobility = tendon_mobility<double>(m, q, kind, prepared.tendon_parts.data(), w.data());
  }
}

void place_couplers(const Model& model, ContactDynamics::Prepared& prepared) {
  for (const Coupler& coupler : couplers(model)) {
    CouplerKind& kind = prepared.coupler_kinds.emplace_back();
    kind.softness = softness(coupler.softness);
    std::copy(coupler.polynomial.begin(), coupler.polynomial.end(), kind.polynomial);
    kind.mobility = 0;
    for (int end = 0; end < 2; ++end) {
      const int element = end == 0 ? coupler.first : coupler.second;
      kind.first[end] = static_cast<int>(prepared.coupler_parts.size());
      if (element < 0) continue;
      if (coupler.element == CoupledElement::joint) {
        prepared.coupler_parts.push_back(part_of(model, element, 1, kind.offset[end]));
        kind.mobility += prepared.joint_mobility[at(model.v_index(element))];
      } else {
        const TendonKind& tendon = prepared.tendon_kinds[at(element)];
        const auto first = prepared.tendon_parts.begin() + tendon.first;
        prepared.coupler_parts.insert(prepared.coupler_parts.end(), first, first + tendon.count);
        kind.offset[end] = tendon.offset;
        kind.mobility += tendon.mobility;
      }
      kind.count[end] = static_cast<int>(prepared.coupler_parts.size()) - kind.first[end];
    }
  }
}

/// Of the centres of mass of the links as they are described, as for shapes.
void place_loops(const Model& model, const Mobility& mobility, const SimpleSliders& sliders,
                 ContactDynamics::Prepared& prepared) {
  const ModelView<double>& m = model.view<double>();
  for (int l = 0; l < model.n_loops(); ++l) {
    const LoopJoint loop = model.loop(l);
    LoopKind& kind = prepared.loop_kinds.emplace_back();
    kind.held = m.loop_held[l];
    kind.torque_scale = loop.torque_scale;
    kind.softness = softness(loop.softness);
    std::copy_n(m.loop_turn + Index{9} * l, 9, kind.turned);
    kind.mobility[0] = kind.mobility[1] = 0;
    for (int end = 0; end < 2; ++end) {
      const int link = m.loop_link[2 * l + end];
      (end == 0 ? kind.link_1 : kind.link_2) = link;
      double* const frame = end == 0 ? kind.frame_1 : kind.frame_2;
      store(frame, 0, loop_frame<double>(m, l, end));
      if (link == 0) continue;
      const auto& [x, y, z] = loop.com[at(end)];
      const Vec3<double> point = {x, y, z};
      kind.mobility[0] += sliders.contains(link) ? sliders.mobility(link) : mobility.of_point(link, point);
      kind.mobility[1] += sliders.contains(link) ? 0 : mobility.of_turn(link);
    }
  }
}

/// What a set that finds pairs does not serve.
void check_found(const Model& model, Coupling coupling) {
  const char* const what = coupling == Coupling::disc            ? "the friction cone disc"
                           : model.n_loops() > 0                 ? "loop joints"
                           : !couplers(model).empty()            ? "couplers"
                           : !tendons(model).empty()             ? "tendons"
                           : !angle_limits(model).empty()        ? "limits of spherical joints"
                           : model.view<double>().n_mimic > 0    ? "mimic joints"
                                                                 : nullptr;
  if (what == nullptr) return;
  refuse_contacts(what, coupling == Coupling::disc ? " needs" : " need",
                  " listed pairs; this ContactSet finds them in every state. self_pairs = listed lists up to 10^6, and "
                  "self_contact = false leaves them out");
}

}  // namespace

double reach_of(const ContactShape& shape) { return radius_of(shape) + std::max(shape.softness.margin, 0.0); }

ContactDynamics::ContactDynamics(const ContactSet& set, const ContactDynamicsOptions& options)
    : set_(set), options_(options) {
  const Model& model = set_.model();
  const ModelView<double>& m = model.view<double>();
  const auto positive = [](const char* name, double x) {
    if (!(x > 0) || !std::isfinite(x)) refuse_contacts(name, " is ", x, ", expected a positive number");
  };
  positive("tolerance", options.tolerance);
  positive("most_steps", options.most_steps);
  const auto not_negative = [](const char* name, int x) {
    if (x < 0) refuse_contacts(name, " is ", x, ", expected 1 or more, or 0 for the default");
  };
  not_negative("max_contacts", options.max_contacts);
  not_negative("max_contact_columns", options.max_contact_columns);
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

  auto prepared = std::make_shared<Prepared>(model);
  const auto described = [](std::span<const ContactSoftness> rows) {
    return std::vector<ContactSoftness>(rows.begin(), rows.end());
  };
  prepared->of_limits =
      softness(options.limit_softness.empty() ? described(limit_softness(model)) : options.limit_softness, model.nv(),
               "limit_softness");
  prepared->of_friction =
      softness(options.friction_softness.empty() ? described(friction_softness(model)) : options.friction_softness,
               model.nv(), "friction_softness");
  for (const ContactSoftness& row : limit_softness(model)) prepared->limit_margins.push_back(row.margin);
  const ContactSettings& settings = contact_settings(model);
  ContactSolverOptions& how = prepared->problem.how;
  how.law.law = static_cast<RowLaw>(options_.law);
  how.law.h = options_.time_step.value_or(settings.timestep > 0 ? settings.timestep : 0.002);
  switch (options_.cone.value_or(settings.cone)) {
    case FrictionCone::pyramidal: how.coupling = Coupling::pyramid; break;
    case FrictionCone::elliptic: how.coupling = Coupling::cone; break;
    case FrictionCone::disc: how.coupling = Coupling::disc; break;
  }
  how.impratio = options_.impratio.value_or(settings.impratio);
  how.tolerance = options_.tolerance;
  how.most_steps = options_.most_steps;

  const std::vector<double> q = own_configuration(model);
  std::vector<double> w(static_cast<std::size_t>(Mobility::work_rows(m)));
  const Mobility at_start{m, w.data()};
  prepared->joint_mobility.resize(at(m.nv));
  at_start.find(q.data(), prepared->joint_mobility.data());
  const SimpleSliders sliders(model);
  sliders.replace_joints(prepared->joint_mobility.data());
  // of the centre of mass of the body that a shape was described on: fixed joints make it a part of the link
  std::vector<double> found(at(model.n_frames()), -1), turns(found);
  const auto mobility = [&](const ContactShape& shape) {
    if (shape.link == 0) return 0.0;
    if (sliders.contains(shape.link)) return sliders.mobility(shape.link);
    if (double& own = found[at(shape.frame)]; own < 0) {
      const Pose pose = model.frame_placement(shape.frame);
      Vec3<double> point{pose.position[0], pose.position[1], pose.position[2]};
      double* const x[] = {&point.x, &point.y, &point.z};
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t j = 0; j < 3; ++j) *x[k] += pose.rotation[3 * k + j] * shape.com[j];
      own = at_start.of_point(shape.link, point);
      turns[at(shape.frame)] = at_start.of_turn(shape.link);
    }
    // the centre of mass of a wheel on a fixed axle does not move: a contact without any softness has no solution
    constexpr double least = 1e-6;
    const double radius = radius_of(shape);
    return std::max(found[at(shape.frame)], least * turns[at(shape.frame)] * radius * radius);
  };
  const auto shapes = contact_shapes(model);
  const auto kind_of = [](const ContactPair& pair) {
    ContactKind kind;
    kind.dim = pair.condim;
    std::copy(pair.friction.begin(), pair.friction.end(), kind.friction);
    kind.softness = softness(pair.softness);
    if (!has_two_formats(pair.solreffriction))
      std::copy(pair.solreffriction.begin(), pair.solreffriction.end(), kind.solreffriction);
    kind.margin = pair.softness.margin;
    return kind;
  };
  for (const ContactPair& pair : set_.pairs()) {
    const ContactShape &one = shapes[at(pair.shape_1)], &two = shapes[at(pair.shape_2)];
    if (one.link == two.link) continue;  // an explicit pair of two shapes that do not move against each other
    LinkPair own{kind_of(pair), pair.shape_1, pair.shape_2, pair.first_slot, pair.slots, one.link > two.link};
    ContactKind& kind = own.kind;
    kind.link = std::max(one.link, two.link);
    kind.other = std::min(one.link, two.link);
    kind.mobility = mobility(one) + mobility(two);
    prepared->pairs.push_back(own);
  }
  std::sort(prepared->pairs.begin(), prepared->pairs.end(), [](const LinkPair& x, const LinkPair& y) {
    return std::pair(x.kind.link, x.first_slot) < std::pair(y.kind.link, y.first_slot);
  });
  for (const ContactShape& shape : shapes) prepared->shapes.push_back(on_link(m, shape));
  if (set_.finds_pairs()) {
    check_found(model, how.coupling);
    const std::vector<int> of_materials = find_materials(shapes, prepared->material);
    constexpr std::size_t most_materials = 1000;  // a kind of contact for every two of them
    if (of_materials.size() > most_materials)
      refuse_contacts("shapes have ", of_materials.size(), " different parameters of contacts, expected at most ",
                      most_materials, " where pairs are found in every state");
    for (const int one : of_materials)
      for (const int two : of_materials) prepared->kinds.push_back(kind_of(set_.found_pair(one, two)));
    for (const ContactShape& shape : shapes) {
      prepared->reach.push_back(reach_of(shape));
      prepared->mobility.push_back(mobility(shape));
    }
    prepared->finder = set_;
    prepared->found = {&*prepared->finder, prepared->reach, prepared->mobility, prepared->material,
                       static_cast<int>(of_materials.size()), prepared->kinds};
    prepared->problem.found = &prepared->found;
  }
  const auto of = [](const std::vector<Softness>& rows) { return rows.empty() ? nullptr : rows.data(); };
  prepared->problem.shapes = prepared->shapes;
  prepared->problem.pairs = prepared->pairs;
  prepared->problem.n_slots = set_.n_slots();
  prepared->problem.most_contacts = options_.max_contacts;
  prepared->problem.most_columns = options_.max_contact_columns;
  place_tendons(model, q.data(), *prepared);
  place_angle_limits(model, *prepared);
  place_couplers(model, *prepared);
  place_loops(model, at_start, sliders, *prepared);
  for (const auto& [link, mass, p] : carried_masses(model))
    prepared->carried_kinds.push_back({link, mass, {p[0], p[1], p[2]}});
  const auto count = [](const auto& kinds) { return static_cast<int>(kinds.size()); };
  prepared->problem.joints = {
      .limit = of(prepared->of_limits),
      .friction = of(prepared->of_friction),
      .mobility = prepared->joint_mobility.data(),
      .limits = options_.limits,
      .friction_acts = options_.friction,
      .tendons = {count(prepared->tendon_kinds), prepared->tendon_kinds.data(), prepared->tendon_parts.data(),
                  options_.tendon_springs, options_.tendon_damping},
      .couplers = {count(prepared->coupler_kinds), prepared->coupler_kinds.data(), prepared->coupler_parts.data()},
      .loops = {count(prepared->loop_kinds), prepared->loop_kinds.data(), m.n_held},
      .carried = {count(prepared->carried_kinds), prepared->carried_kinds.data()},
      .margin = prepared->limit_margins.empty() ? nullptr : prepared->limit_margins.data()};
  prepared_ = std::move(prepared);
}

std::span<const double> ContactDynamics::joint_mobility() const { return prepared_->joint_mobility; }

}  // namespace tandem
