// SPDX-License-Identifier: Apache-2.0
/// Fixed tendons of a model, to read, and of a description.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "description.hpp"
#include "softness.hpp"
#include "tandem/model/tendons.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

struct NamedTendon {
  Model model;
  Tendon tendon;
};

ModelBuilder& add_tendon(ModelBuilder& self, const std::string& name, const nb::dict& joints, double lower,
                         double upper, double friction, double stiffness, double damping, nb::any rest, double margin,
                         nb::any limit_softness, nb::any friction_softness) {
  const std::string what = "tendon \"" + name + "\"";
  TendonDescription tendon;
  tendon.name = name;
  for (const auto& [joint, coefficient] : joints) {
    TendonJoint part;
    if (!nb::try_cast(joint, part.joint) || !nb::try_cast(coefficient, part.coefficient))
      throw Error(what + ": joints has " + nb::cast<std::string>(nb::repr(joint)) + ": " +
                  nb::cast<std::string>(nb::repr(coefficient)) + ", expected the name of a joint and its coefficient");
    tendon.joints.push_back(std::move(part));
  }
  tendon.lower = lower;
  tendon.upper = upper;
  tendon.friction = friction;
  tendon.stiffness = stiffness;
  tendon.damping = damping;
  tendon.rest = numbers<2>(rest, what + ": rest");
  tendon.limit_softness = softness_from(limit_softness, margin, what + ": limit_softness");
  tendon.friction_softness = softness_from(friction_softness, 0, what + ": friction_softness");
  return self.tendon(std::move(tendon));
}

constexpr const char* class_doc = R"(A fixed tendon: joints coupled by the sum of their positions, its length.

The length is the sum over its joints of coefficient times position. Limits, dry friction, and a spring with a
damper of the force stiffness * (clip(length, rest[0], rest[1]) - length) - damping * rate act on the joints, times
their coefficients, in simulations with contacts and in contact dynamics.)";

constexpr const char* add_doc = R"(Adds a fixed tendon on joints with one degree of freedom, see tandem.types.Tendon.

joints: coefficients [m/rad of angles, 1 of lengths] by names of joints; lower, upper [m]: limits of the length;
friction [N]; stiffness [N/m]; damping [N s/m]; rest [m]: lengths between which the spring is slack; margin [m]:
distance at which limits become active; limit_softness, friction_softness: solref (2) and solimp (5).)";

}  // namespace

void bind_tendons(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<NamedTendon>(m, "Tendon", class_doc)
      .def_prop_ro(
          "name", [](const NamedTendon& t) { return t.tendon.name; }, "Its name.")
      .def_prop_ro(
          "joints",
          [](const NamedTendon& t) {
            nb::dict all;
            for (const Tendon::Part& part : t.tendon.joints) {
              const std::string name(t.model.joint_name(part.joint));
              all[name.c_str()] = part.coefficient;
            }
            return all;
          },
          nb::sig("def joints(self) -> dict[str, float]"), "Coefficients by the names of its joints, m/rad or 1.")
      .def_prop_ro(
          "limits", [](const NamedTendon& t) { return nb::make_tuple(t.tendon.lower, t.tendon.upper); },
          nb::sig("def limits(self) -> tuple[float, float]"), "Limits of its length, m.")
      .def_prop_ro(
          "friction", [](const NamedTendon& t) { return t.tendon.friction; }, "Dry friction, N.")
      .def_prop_ro(
          "stiffness", [](const NamedTendon& t) { return t.tendon.stiffness; }, "Stiffness of its spring, N/m.")
      .def_prop_ro(
          "damping", [](const NamedTendon& t) { return t.tendon.damping; }, "Viscous damping, N s/m.")
      .def_prop_ro(
          "rest", [](const NamedTendon& t) { return tuple_of(t.tendon.rest); },
          nb::sig("def rest(self) -> tuple[float, float]"), "Lengths between which its spring is slack, m.")
      .def_prop_ro(
          "margin", [](const NamedTendon& t) { return t.tendon.limit_softness.margin; },
          "Distance at which its limits become active, m.")
      .def_prop_ro(
          "limit_softness", [](const NamedTendon& t) { return numbers_of(t.tendon.limit_softness); },
          nb::sig("def limit_softness(self) -> tuple[float, ...]"), "solref (2) and solimp (5) of its limits.")
      .def_prop_ro(
          "friction_softness", [](const NamedTendon& t) { return numbers_of(t.tendon.friction_softness); },
          nb::sig("def friction_softness(self) -> tuple[float, ...]"), "solref (2) and solimp (5) of its friction.")
      .def("__repr__", [](const NamedTendon& t) {
        return "<tandem.Tendon \"" + t.tendon.name + "\" on " + std::to_string(t.tendon.joints.size()) + " joints>";
      });
  auto model = nb::borrow<nb::class_<Model>>(m.attr("Model"));
  model
      .def_prop_ro(
          "tendons",
          [](const Model& x) {
            std::vector<NamedTendon> all;
            for (const Tendon& tendon : tendons(x)) all.push_back({x, tendon});
            return all;
          },
          "Fixed tendons, in the order of the description.")
      .def(
          "tendon_lengths",
          [](const Model& x, const std::vector<double>& q) { return new_array<NewValues>(tendon_lengths(x, q)); },
          "q"_a, nb::rv_policy::automatic, "[tendons] Lengths of the fixed tendons in a configuration q [nq], m.");
  auto builder = nb::borrow<nb::class_<ModelBuilder>>(m.attr("ModelBuilder"));
  const auto usual = numbers_of(ContactSoftness{});
  builder
      .def("tendon", &add_tendon, "name"_a, "joints"_a, nb::kw_only(), "lower"_a = -unlimited, "upper"_a = unlimited,
           "friction"_a = 0.0, "stiffness"_a = 0.0, "damping"_a = 0.0, "rest"_a = nb::make_tuple(0.0, 0.0),
           "margin"_a = 0.0, "limit_softness"_a = usual, "friction_softness"_a = usual, nb::rv_policy::none, add_doc)
      .def_prop_ro(
          "tendon_names", [](const ModelBuilder& b) { return names_of(b.tendons()); },
          "Names of the tendons, in the order of insertion.")
      .def("remove_tendon", &ModelBuilder::remove_tendon, "name"_a, nb::rv_policy::none, "Remove a tendon.");
}

}  // namespace tandem::python
