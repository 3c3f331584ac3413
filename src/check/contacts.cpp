// SPDX-License-Identifier: Apache-2.0
/// Laws of contact, in states in which the robot touches something if a free joint can bring it there.
#include <algorithm>
#include <cmath>

#include "check/pushes.hpp"
#include "check/state.hpp"
#include "core/at.hpp"
#include "tandem/api/contact_dynamics.hpp"
#include "tandem/detail/contact/pair.hpp"
#include "tandem/detail/spatial/load_store.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::check_detail {
namespace {

/// A state that touches, its loops closed, and what contact dynamics finds there, in double.
template <class T>
struct Touching {
  ContactSet set;
  ContactDynamics dynamics;
  bool closed = true;
  Numbers q, v, tau;
  std::vector<Contact> contacts;
  ContactAcceleration found;

  explicit Touching(State<T>& s)
      : set(s.subject.closed, {.leave_out = true, .self_pairs = SelfPairs::listed}),
        dynamics(set, {.tolerance = 1e-15, .most_steps = 100}),
        q(s.q),
        v(s.v),
        tau(scaled(0.01, force_sizes(s.model(), s.q, s.v, s.nothing))) {
    if (s.subject.closed.n_loops() > 0) {
      Workspace<double> work;
      closed = close_loops<double>(s.subject.closed, s.q, q, work, s.v, v) < 1e-13;
    }
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] *= s.a[k];
    lower(s.view());
    contacts = tandem::contacts(set, q);
    found = dynamics(q, v, tau);
  }
  bool touches(const ContactPair& pair, int slot) const { return contacts[at(slot)].distance < pair.softness.margin; }
  template <class F>
  void for_each_slot(F&& f) const {
    for (const ContactPair& pair : set.pairs())
      for (int slot = pair.first_slot; slot < pair.first_slot + pair.slots; ++slot) f(pair, slot);
  }

 private:
  /// Moves a robot on a free joint along the normal of what is nearest in the world, until it is a millimetre deep.
  template <class M>
  void lower(const ModelView<M>& m) {
    if (m.n_links < 2 || m.type[1] != JointType::free) return;
    const auto shapes = contact_shapes(set.model());
    const std::vector<Contact> before = tandem::contacts(set, q);
    const Contact* nearest = nullptr;
    for_each_slot([&](const ContactPair& pair, int slot) {
      const Contact& contact = before[at(slot)];
      if (shapes[at(pair.shape_1)].link != 0 || !std::isfinite(contact.distance)) return;
      if (nearest == nullptr || contact.distance < nearest->distance) nearest = &contact;
    });
    if (nearest == nullptr) return;
    for (std::size_t k = 0; k < 3; ++k) q[k] -= (nearest->distance + 1e-3) * nearest->frame[k];
  }
};

/// A vector along the normal and the tangents of a contact.
Vec3<double> in_world(const Contact& contact, const double* x) {
  const auto axis = [&](int r) { return load<Vec3<double>>(contact.frame.data(), Index{3} * r); };
  return x[0] * axis(0) + x[1] * axis(1) + x[2] * axis(2);
}

/// Whether the solver sees the same points to rounding: which of two faces is nearer may hang on the last bit.
bool is_smooth(const ContactShape& one, const ContactShape& two, const ContactPair& pair) {
  return has_closed_form(one.type, two.type, pair.softness.margin) &&
         (one.type != ShapeType::box || two.type != ShapeType::box);
}

/// How many times the force that a contact takes to hold what touches: digits that it loses.
double hardness_of(const ContactSoftness& softness) {
  const double d = std::clamp(std::max(softness.solimp[0], softness.solimp[1]), 1e-4, 0.9999);
  return 1 / (1 - d);
}

/// Forces of contacts and loop joints as those on the links of the tree.
template <class T>
class LoadsOnLinks {
 public:
  Numbers f_ext;         ///< [n_links, 6] N, N m
  Numbers stiff;         ///< the same, of what hard contacts hold in place, whose digits are lost
  double hardest = 1;    ///< the largest hardness_of
  bool smooth = true;    ///< see is_smooth

  LoadsOnLinks(const State<T>& s, const Touching<T>& touching)
      : f_ext(6 * at(s.model().n_links())),
        stiff(f_ext.size()),
        mass_(s.subject.mass),
        sizes_(link_sizes(s.model(), touching.q, touching.v, touching.found.a)) {
    const auto shapes = contact_shapes(touching.set.model());
    Numbers pose(12 * at(s.model().n_frames()));
    Workspace<double> work;
    forward_kinematics<double>(s.model(), touching.q, pose, work);
    touching.for_each_slot([&](const ContactPair& pair, int slot) {
      if (!touching.touches(pair, slot)) return;
      const ContactShape &one = shapes[at(pair.shape_1)], &two = shapes[at(pair.shape_2)];
      smooth = smooth && is_smooth(one, two, pair);
      const auto& f = touching.found.f_contact[at(slot)];
      const Contact& contact = touching.contacts[at(slot)];
      const Vec3<double> force = in_world(contact, &f[0]), moment = in_world(contact, &f[3]);
      const Vec3<double> point{contact.position[0], contact.position[1], contact.position[2]};
      push_apart(pose, one.link, two.link, point, force, moment, f_ext);
      stiffen(one.link, two.link, pair.softness, norm(force), norm(moment) + norm(point) * norm(force));
    });
    for (int l = 0; l < s.subject.closed.n_loops(); ++l) {
      const LoopJoint loop = s.subject.closed.loop(l);
      const auto& f = touching.found.f_loop[at(l)];
      push_by_loop(pose, loop, f, f_ext);
      stiffen(loop.link_1, loop.link_2, loop.softness, std::hypot(f[0], f[1], f[2]), std::hypot(f[3], f[4], f[5]));
    }
  }

 private:
  void stiffen(int one, int two, const ContactSoftness& softness, double force, double moment) {
    hardest = std::max(hardest, hardness_of(softness));
    const double acceleration = sizes_[at(one)].acceleration + sizes_[at(two)].acceleration;
    const double most = force + hardness_of(softness) * mass_ * acceleration;
    for (const int link : {one, two})
      for (std::size_t r = 0; r < 3; ++r) {
        stiff[6 * at(link) + r] += most;
        stiff[6 * at(link) + 3 + r] += moment + most * sizes_[at(link)].reach;
      }
  }

  double mass_;  ///< kg
  std::vector<LinkSizes> sizes_;
};

/// As forces on the links of the tree, those of contacts and of loop joints explain its acceleration.
template <class T>
void contact_forces_explain_the_acceleration(State<T>& s, CheckVerdict& verdict) {
  const Touching<T> touching(s);
  if (!touching.closed) return verdict.add_note("some random states lead to no closed loops");
  const LoadsOnLinks<T> loads(s, touching);
  if (!loads.smooth) return verdict.add_note("not in states in which two boxes or pairs without a closed form touch");
  const Numbers &q = touching.q, &v = touching.v, &a = touching.found.a;
  Numbers tau(s.nv()), free(s.nv());
  Workspace<double> work;
  inverse_dynamics<double>(s.model(), q, v, a, tau, work, loads.f_ext);
  const Numbers given = sum(sum(touching.tau, touching.found.f_limit), touching.found.f_friction);
  Numbers allowed = sum(force_sizes(s.model(), q, v, a, loads.f_ext), force_sizes(s.model(), q, v, a, loads.stiff));
  // what is at rest is held against how it would move otherwise
  forward_dynamics<double>(s.model(), q, v, touching.tau, free, work);
  const auto norm_of = [&](const Numbers& x) { return std::sqrt(product(x, times(s.matrices->M, x))); };
  const double size = norm_of(a) + norm_of(free);
  for (std::size_t k = 0; k < s.nv(); ++k)
    allowed[k] += loads.hardest * size * std::sqrt(s.matrices->M[k * (s.nv() + 1)]);
  verdict.compare(tau, given, scaled(s.unit, allowed));
}

/// Contacts push along the normal and rub within the cone; what does not touch does neither.
template <class T>
void contacts_push_and_rub_within_the_cone(State<T>& s, CheckVerdict& verdict) {
  const Touching<T> touching(s);
  const auto shapes = contact_shapes(touching.set.model());
  const bool elliptic = contact_settings(touching.set.model()).cone != FrictionCone::pyramidal;
  double most = 0;
  for (const auto& f : touching.found.f_contact) most = std::max(most, std::abs(f[0]));
  touching.for_each_slot([&](const ContactPair& pair, int slot) {
    const auto& f = touching.found.f_contact[at(slot)];
    if (!touching.touches(pair, slot)) {
      if (is_smooth(shapes[at(pair.shape_1)], shapes[at(pair.shape_2)], pair))
        verdict.compare(Numbers(f.begin(), f.end()), Numbers(6, 0), Numbers(6, 0));
      return;
    }
    verdict.compare(std::min(f[0], 0.0), 0, s.unit * most);
    double rubs = 0;
    for (std::size_t k = 1; k < at(pair.condim); ++k) {
      const double share = std::abs(f[k]) / pair.friction[k - 1];
      rubs = elliptic ? std::hypot(rubs, share) : rubs + share;
    }
    verdict.compare(std::max(rubs, f[0]), f[0], 16 * s.unit * most);
  });
}

/// Among others, in lanes, a state has the bits that it has alone.
template <class T>
void a_state_among_others_has_the_bits_of_one_alone(State<T>& s, CheckVerdict& verdict) {
  constexpr std::size_t n = 5;
  const Touching<T> touching(s);
  const auto faster = [&](std::size_t k) { return scaled(1 + static_cast<double>(k), touching.v); };
  Numbers q, v, tau, a(n * s.nv());
  const auto add = [](Numbers& to, const Numbers& more) { to.insert(to.end(), more.begin(), more.end()); };
  for (std::size_t k = 0; k < n; ++k) {
    add(q, touching.q);
    add(v, faster(k));
    add(tau, touching.tau);
  }
  touching.dynamics({.n = n, .threads = 1, .q = q, .v = v, .tau = tau, .a = a});
  for (std::size_t k = 0; k < n; ++k) {
    const auto* const own = a.data() + k * s.nv();
    verdict.compare(Numbers(own, own + s.nv()), touching.dynamics(touching.q, faster(k), touching.tau).a, s.nothing);
  }
}

}  // namespace

std::string no_contacts(const Model& model) {
  if (ContactSet(model, {.leave_out = true}).pairs().empty()) return "no shapes that can touch";
  const ModelBuilder description = describe(model);
  if (!description.tendons().empty() || !description.couplers().empty()) return "the robot has tendons or couplers";
  if (!carried_masses(model).empty()) return "the robot has carried masses";
  return "";
}

template <class T>
std::vector<Property<T>> contact_properties() {
  return {{"contact forces explain the acceleration", Needs::contacts, contact_forces_explain_the_acceleration<T>},
          {"contacts push, with friction within its cone", Needs::contacts, contacts_push_and_rub_within_the_cone<T>},
          {"contacts of a state among others have its bits", Needs::contacts,
           a_state_among_others_has_the_bits_of_one_alone<T>}};
}

template std::vector<Property<double>> contact_properties();
template std::vector<Property<float>> contact_properties();

}  // namespace tandem::check_detail
