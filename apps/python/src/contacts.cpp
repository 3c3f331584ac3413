// SPDX-License-Identifier: Apache-2.0
/// Pairs of shapes that can touch, and where they do.
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "found_contacts.hpp"
#include "shapes.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

struct OnePair {
  Model model;
  ContactPair pair;
  const ContactShape& shape(int k) const { return contact_shapes(model)[static_cast<std::size_t>(k)]; }
};

using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewRows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

/// Rows of q, and of distances, positions and frames.
void fill(const ContactSet& set, const Rows& q, const NewRows& distance, const NewRows& position,
          const NewRows& frame) {
  for (std::size_t row = 0; row < q.shape(0); ++row) {
    const std::vector<Contact> all = contacts(set, {q.data() + row * q.shape(1), q.shape(1)});
    double* d = distance.data() + row * distance.shape(1);
    double* p = position.data() + row * position.shape(1);
    double* f = frame.data() + row * frame.shape(1);
    for (const Contact& contact : all) {
      *d++ = contact.distance;
      p = std::ranges::copy(contact.position, p).out;
      f = std::ranges::copy(contact.frame, f).out;
    }
  }
}

using Shared = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Rows of 7 numbers: solref, then solimp.
std::vector<ContactSoftness> softness_rows(const std::vector<double>& numbers) {
  std::vector<ContactSoftness> rows(numbers.size() / 7);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(7 * k), 2, rows[k].solref.begin());
    std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(7 * k + 2), 5, rows[k].solimp.begin());
  }
  return rows;
}

/// Rows of states, all of as many rows as q.
nb::tuple solve(const ContactDynamics& dynamics, std::string_view device, int threads, const Shared& q, const Shared& v,
           const Shared& tau, const std::optional<Shared>& begin, const std::optional<Shared>& f_ext, const NewRows& a,
           const NewRows& f_limit, const NewRows& f_friction, const NewRows& f_contact, const NewRows& f_loop,
           const NewRows& f_coupler, const Flags& converged, const Counts& steps, const Counts& dropped,
           const std::vector<std::pair<std::string, Shared>>& parameters) {
  std::vector<BatchedParameter<double>> varied;
  for (const auto& [name, values] : parameters)
    varied.push_back({from_name<Parameter>(name),
                      Array<double>::input(values.data(), static_cast<Index>(values.shape(1)))});
  const auto given = [](const Shared& x) { return std::span<const double>(x.data(), x.size()); };
  const auto out = [](const NewRows& x) { return std::span<double>(x.data(), x.size()); };
  std::vector<std::vector<FoundContact>> found(dynamics.set().finds_pairs() ? q.shape(0) : 0);
  std::optional<nb::gil_scoped_release> others_may_run(std::in_place);
  dynamics({.n = static_cast<Index>(q.shape(0)),
            .threads = threads,
            .q = given(q),
            .v = given(v),
            .tau = given(tau),
            .begin = begin ? given(*begin) : std::span<const double>(),
            .f_ext = f_ext ? given(*f_ext) : std::span<const double>(),
            .a = out(a),
            .f_limit = out(f_limit),
            .f_friction = out(f_friction),
            .f_contact = out(f_contact),
            .f_loop = out(f_loop),
            .f_coupler = out(f_coupler),
            .found = found,
            .converged = {converged.data(), converged.size()},
            .steps = {steps.data(), steps.size()},
            .device = {device == "cuda" ? Device::cuda : Device::cpu},
            .dropped = {dropped.data(), dropped.size()},
            .parameters = varied});
  others_may_run.reset();
  return arrays_of(std::vector<std::span<const FoundContact>>(found.begin(), found.end()));
}

std::string pair_repr(const OnePair& p) {
  return "<tandem.ContactPair \"" + p.shape(p.pair.shape_1).name + "\" with \"" + p.shape(p.pair.shape_2).name +
         "\": " + std::to_string(p.pair.slots) + (p.pair.slots == 1 ? " slot>" : " slots>");
}

constexpr const char* pair_doc = R"(Two shapes of a robot that can touch, with the parameters of their contacts.

Parameters are combined from those of the two shapes as in MuJoCo, or are those of an explicit pair.)";

constexpr const char* set_doc = R"(The pairs of shapes of a robot that can touch, by the rules of MuJoCo.

The rules are: contype of one shape and conaffinity of the other have a common bit; the shapes are on links that move
relative to each other; the links are not a link and its moving parent; no exclude names the links. Explicit pairs are
added regardless of these rules. Every pair has one slot for each contact that it can have at a time, and a contact
keeps its slot as long as it lasts.

model: the robot. self_contact: whether pairs of two moving links are included. leave_out: whether unsupported pairs are
left out; otherwise they are an Error. self_pairs: how pairs of two moving links are known. "listed": all are listed, with
slots of their own, up to 10^6. "found": in every state those that are near each other are found; they have no slots, and
their contacts are tandem.contact.FoundContacts. "automatic": listed if there are no more than 10^6.)";

}  // namespace

void bind_contacts(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<OnePair>(m, "ContactPair", pair_doc)
      .def_prop_ro(
          "name", [](const OnePair& p) { return p.pair.name; }, "Of an explicit pair; else empty.")
      .def_prop_ro(
          "shape_1", [](const OnePair& p) { return p.shape(p.pair.shape_1).name; },
          "Name of shape 1; normals point from it to shape 2.")
      .def_prop_ro(
          "shape_2", [](const OnePair& p) { return p.shape(p.pair.shape_2).name; }, "Name of the other.")
      .def_prop_ro(
          "link_1", [](const OnePair& p) { return std::string(p.model.link_name(p.shape(p.pair.shape_1).link)); },
          "Name of the link of shape 1.")
      .def_prop_ro(
          "link_2", [](const OnePair& p) { return std::string(p.model.link_name(p.shape(p.pair.shape_2).link)); },
          "Name of the link of shape 2.")
      .def_prop_ro(
          "first_slot", [](const OnePair& p) { return p.pair.first_slot; }, "Its first slot.")
      .def_prop_ro(
          "slots", [](const OnePair& p) { return p.pair.slots; }, "How many slots it has.")
      .def_prop_ro(
          "condim", [](const OnePair& p) { return p.pair.condim; }, "Dimensions of a contact: 1, 3, 4 or 6.")
      .def_prop_ro(
          "friction", [](const OnePair& p) { return tuple_of(p.pair.friction); },
          nb::sig("def friction(self) -> tuple[float, float, float, float, float]"),
          "Two sliding; torsional and two rolling, m.")
      .def_prop_ro(
          "solref", [](const OnePair& p) { return tuple_of(p.pair.softness.solref); },
          nb::sig("def solref(self) -> tuple[float, float]"),
          "Time constant [s] and damping ratio, or, if negative, stiffness and damping.")
      .def_prop_ro(
          "solreffriction", [](const OnePair& p) { return tuple_of(p.pair.solreffriction); },
          nb::sig("def solreffriction(self) -> tuple[float, float]"), "solref of friction; (0, 0): that of the normal.")
      .def_prop_ro(
          "solimp", [](const OnePair& p) { return tuple_of(p.pair.softness.solimp); },
          nb::sig("def solimp(self) -> tuple[float, float, float, float, float]"),
          "Impedance at zero depth and at full width, width [m], midpoint, power.")
      .def_prop_ro(
          "margin", [](const OnePair& p) { return p.pair.softness.margin; },
          "Distance below which contact forces act, m.")
      .def_prop_ro(
          "gap", [](const OnePair& p) { return p.pair.softness.gap; },
          "Distance at which a contact is detected before its force begins, m.")
      .def("__repr__", &pair_repr);
  nb::class_<ContactSet>(m, "ContactSet", set_doc)
      .def(
          "__init__",
          [](ContactSet* set, const Model& model, bool self_contact, bool leave_out, std::string_view self_pairs) {
            new (set) ContactSet(model, {.self_contact = self_contact,
                                         .leave_out = leave_out,
                                         .self_pairs = from_name<SelfPairs>(self_pairs)});
          },
          "model"_a, nb::kw_only(), "self_contact"_a = true, "leave_out"_a = false, "self_pairs"_a = "automatic")
      .def_prop_ro(
          "model", [](const ContactSet& s) { return s.model(); }, "The robot.")
      .def_prop_ro(
          "pairs",
          [](const ContactSet& s) {
            std::vector<OnePair> all;
            for (const ContactPair& pair : s.pairs()) all.push_back({s.model(), pair});
            return all;
          },
          "The supported pairs: explicit ones, then the others in the order of their shapes.")
      .def_prop_ro("n_slots", &ContactSet::n_slots, "Slots of all pairs.")
      .def_prop_ro("finds_pairs", &ContactSet::finds_pairs,
                   "Whether pairs of two moving links are found in every state.")
      .def_prop_ro(
          "slot_pairs",
          [](const ContactSet& s) {
            auto all = std::make_unique<std::vector<std::int32_t>>();
            for (std::size_t k = 0; k < s.pairs().size(); ++k)
              all->insert(all->end(), static_cast<std::size_t>(s.pairs()[k].slots), static_cast<std::int32_t>(k));
            std::int32_t* const data = all->data();
            const std::size_t n = all->size();
            const nb::capsule owner(all.release(),
                                    [](void* v) noexcept { delete static_cast<std::vector<std::int32_t>*>(v); });
            return nb::ndarray<nb::numpy, const std::int32_t>(data, {n}, owner);
          },
          nb::rv_policy::automatic, "[n_slots] Index of the pair that a slot belongs to.")
      .def_prop_ro(
          "problems", [](const ContactSet& s) { return s.problems(); },
          "Unsupported pairs and shapes, one sentence for each kind; empty if there are none.")
      .def("__getstate__",
           [](const ContactSet& s) {
             const ContactOptions& options = s.options();
             return nb::make_tuple(s.model(), options.self_contact, options.leave_out,
                                   std::string(to_string(options.self_pairs)));
           })
      .def("__setstate__",
           [](ContactSet& s, const nb::tuple& state) {
             new (&s) ContactSet(nb::cast<const Model&>(state[0]), {.self_contact = nb::cast<bool>(state[1]),
                                                                    .leave_out = nb::cast<bool>(state[2]),
                                                                    .self_pairs = from_name<SelfPairs>(
                                                                        nb::cast<std::string>(state[3]))});
           })
      .def("__repr__", [](const ContactSet& s) {
        return "<tandem.ContactSet of \"" + s.model().name() + "\": " + std::to_string(s.pairs().size()) + " pairs, " +
               std::to_string(s.n_slots()) + " slots" + (s.finds_pairs() ? ", others found>" : ">");
      });
  nb::class_<ContactDynamics>(m, "ContactDynamics", "Contact dynamics as tandem.contact.ContactDynamics has it.")
      .def(
          "__init__",
          [](ContactDynamics* self, const ContactSet& set, std::string_view law, std::optional<std::string> cone,
             std::optional<double> impratio, std::optional<double> time_step, double tolerance, int most_steps,
             bool limits, bool friction, bool tendon_springs, const std::vector<double>& limit_softness,
             const std::vector<double>& friction_softness, int max_contacts, int max_contact_columns) {
            ContactDynamicsOptions options;
            options.law = from_name<ContactLaw>(law);
            if (cone) options.cone = from_name<FrictionCone>(*cone);
            options.impratio = impratio;
            options.time_step = time_step;
            options.tolerance = tolerance;
            options.most_steps = most_steps;
            options.limits = limits;
            options.friction = friction;
            options.tendon_springs = options.tendon_damping = tendon_springs;
            options.limit_softness = softness_rows(limit_softness);
            options.friction_softness = softness_rows(friction_softness);
            options.max_contacts = max_contacts;
            options.max_contact_columns = max_contact_columns;
            new (self) ContactDynamics(set, options);
          },
          "set"_a, "law"_a, "cone"_a.none(), "impratio"_a.none(), "time_step"_a.none(), "tolerance"_a, "most_steps"_a,
          "limits"_a, "friction"_a, "tendon_springs"_a, "limit_softness"_a, "friction_softness"_a,
          "max_contacts"_a, "max_contact_columns"_a)
      .def_prop_ro(
          "set", [](const ContactDynamics& d) { return d.set(); }, "What can touch.")
      .def("solve", &solve, "device"_a, "threads"_a, "q"_a, "v"_a, "tau"_a, "begin"_a.none(), "f_ext"_a.none(), "a"_a,
           "f_limit"_a, "f_friction"_a, "f_contact"_a, "f_loop"_a, "f_coupler"_a, "converged"_a, "steps"_a, "dropped"_a,
           "parameters"_a, "Rows of states into rows of results.");
  m.def(
      "found_contacts",
      [](const ContactSet& set, const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& q) {
        const std::vector<FoundContact> found = found_contacts(set, {q.data(), q.shape(0)});
        const std::span<const FoundContact> one[] = {found};
        return arrays_of(one);
      },
      "set"_a, "q"_a, "Columns of tandem.contact.FoundContacts.");
  m.def("fill_contacts", &fill, "set"_a, "q"_a, "distance"_a, "position"_a, "frame"_a,
        "Rows of all; fills all but q.");
}

}  // namespace tandem::python
