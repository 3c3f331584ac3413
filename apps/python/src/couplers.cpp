// SPDX-License-Identifier: Apache-2.0
/// Couplers of a model, to read, and of a description.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "description.hpp"
#include "softness.hpp"
#include "tandem/model/couplers.hpp"
#include "tandem/model/tendons.hpp"
#include "values.hpp"

namespace tandem::python {
namespace {

struct NamedCoupler {
  Model model;
  Coupler coupler;
  std::string name(int k) const {
    if (coupler.element == CoupledElement::joint) return std::string(model.joint_name(k));
    return tendons(model)[static_cast<std::size_t>(k)].name;
  }
};

ModelBuilder& add_coupler(ModelBuilder& self, const std::string& name, const std::string& first,
                           const std::optional<std::string>& second, std::string_view element, nb::any polynomial,
                           nb::any softness) {
  const std::string what = "coupler \"" + name + "\"";
  return self.coupler({.name = name,
                        .element = from_name<CoupledElement>(element),
                        .first = first,
                        .second = second.value_or(""),
                        .polynomial = numbers<5>(polynomial, what + ": polynomial"),
                        .softness = softness_from(softness, 0, what + ": softness"),
                        .source = {}});
}

constexpr const char* class_doc = R"(A coupler: a joint or fixed tendon that follows another one by a polynomial.

The position of a joint, or the length of a tendon, is x_1 = p_0 + p_1 x_2 + p_2 x_2^2 + p_3 x_2^3 + p_4 x_2^4. A spring
and a damper hold it in simulations with contacts and in contact dynamics.)";

constexpr const char* add_doc = R"(Adds a coupler of joints or fixed tendons, see tandem.types.Coupler.

first: name of the joint or tendon that follows; second: name of the one that is followed; None: first is held at p_0.
element: "joint" or "tendon"; polynomial: p_0 to p_4, rad|m; softness: solref (2) and solimp (5).)";

}  // namespace

void bind_couplers(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<NamedCoupler>(m, "Coupler", class_doc)
      .def_prop_ro(
          "name", [](const NamedCoupler& c) { return c.coupler.name; }, "Its name.")
      .def_prop_ro(
          "element", [](const NamedCoupler& c) { return to_string(c.coupler.element); }, "\"joint\" or \"tendon\".")
      .def_prop_ro(
          "first", [](const NamedCoupler& c) { return c.name(c.coupler.first); },
          "Name of the joint or tendon that follows.")
      .def_prop_ro(
          "second",
          [](const NamedCoupler& c) -> std::optional<std::string> {
            if (c.coupler.second < 0) return std::nullopt;
            return c.name(c.coupler.second);
          },
          "Name of the one that is followed; None: there is none.")
      .def_prop_ro(
          "polynomial", [](const NamedCoupler& c) { return tuple_of(c.coupler.polynomial); },
          nb::sig("def polynomial(self) -> tuple[float, float, float, float, float]"), "p_0 to p_4, rad|m.")
      .def_prop_ro(
          "softness", [](const NamedCoupler& c) { return numbers_of(c.coupler.softness); },
          nb::sig("def softness(self) -> tuple[float, ...]"), "solref (2) and solimp (5).")
      .def("__repr__", [](const NamedCoupler& c) {
        const std::string second = c.coupler.second < 0 ? "" : " to \"" + c.name(c.coupler.second) + "\"";
        return "<tandem.Coupler \"" + c.coupler.name + "\" of " + to_string(c.coupler.element) + " \"" +
               c.name(c.coupler.first) + "\"" + second + ">";
      });
  auto model = nb::borrow<nb::class_<Model>>(m.attr("Model"));
  model.def_prop_ro(
      "couplers",
      [](const Model& x) {
        std::vector<NamedCoupler> all;
        for (const Coupler& coupler : couplers(x)) all.push_back({x, coupler});
        return all;
      },
      "Couplers of joints and tendons, in the order of the description.");
  auto builder = nb::borrow<nb::class_<ModelBuilder>>(m.attr("ModelBuilder"));
  builder
      .def("coupler", &add_coupler, "name"_a, "first"_a, "second"_a = nb::none(), nb::kw_only(),
           "element"_a = "joint", "polynomial"_a = nb::make_tuple(0.0, 1.0, 0.0, 0.0, 0.0),
           "softness"_a = numbers_of(ContactSoftness{}), nb::rv_policy::none, add_doc)
      .def_prop_ro(
          "coupler_names", [](const ModelBuilder& b) { return names_of(b.couplers()); },
          "Names of the couplers, in the order of insertion.")
      .def("remove_coupler", &ModelBuilder::remove_coupler, "name"_a, nb::rv_policy::none, "Remove a coupler.")
      .def("couple_mimic_joints", &ModelBuilder::couple_mimic_joints, nb::rv_policy::none,
           "Make every mimic joint independent, and couple it to the joint that it followed.\n\n"
           "With contacts it then follows by a spring and a damper, as under MuJoCo's joint constraint; without "
           "contacts it does not follow.");
}

}  // namespace tandem::python
