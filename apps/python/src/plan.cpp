// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string_view.h>

#include "call.hpp"

namespace tandem::python {
namespace {

template <class F>
auto look(const AnyPlan& plan, F&& f) {
  return std::visit(f, plan);
}

AnyPlan make_plan(const Model& model, std::string_view name, nb::dict given, nb::handle device, bool in_float,
                  std::string_view specialise) {
  const Algorithm& algorithm = find_algorithm(name);
  const Options options = options_from(algorithm, model, given);
  const Device where = device_from(algorithm, device);
  const auto how = from_name<Specialise>(specialise);
  const nb::gil_scoped_release meanwhile;
  if (in_float) return Plan<float>(model, algorithm, options, where, how);
  return Plan<double>(model, algorithm, options, where, how);
}

}  // namespace

void bind_plan(nb::module_& m) {
  nb::class_<AnyPlan>(m, "Plan", "A plan in one precision, as tandem.Plan uses it.")
      .def(
          "__init__",
          [](AnyPlan* self, const Model& model, std::string_view algorithm, nb::dict options, nb::any device,
             bool in_float, std::string_view specialise) {
            new (self) AnyPlan(make_plan(model, algorithm, options, device, in_float, specialise));
          },
          nb::arg("model"), nb::arg("algorithm"), nb::arg("options"), nb::arg("device"), nb::arg("in_float"),
          nb::arg("specialise") = "auto")
      .def(
          "evaluate",
          [](const AnyPlan& plan, nb::typed<nb::tuple, nb::any, nb::ellipsis> arguments, nb::any threads,
             nb::any status, nb::any parameters) {
            return nb::borrow<nb::any>(run_call(plan, arguments, {threads, status, parameters, {}}));
          },
          nb::arg("arguments"), nb::arg("threads").none() = 0, nb::arg("status").none() = nb::none(),
          nb::arg("parameters").none() = nb::none(), "As tandem._core.evaluate.")
      .def_prop_ro(
          "algorithm", [](const AnyPlan& plan) { return look(plan, [](const auto& p) { return &p.algorithm(); }); },
          nb::rv_policy::reference)
      .def_prop_ro("model", [](const AnyPlan& plan) { return look(plan, [](const auto& p) { return p.model(); }); })
      .def_prop_ro(
          "method",
          [](const AnyPlan& plan) { return look(plan, [](const auto& p) { return to_string(p.options().method); }); },
          "The selected method.")
      .def_prop_ro("device",
                   [](const AnyPlan& plan) {
                     return look(plan, [](const auto& p) { return p.device().kind == Device::cpu ? "cpu" : "cuda"; });
                   })
      .def_prop_ro(
          "specialised", [](const AnyPlan& plan) { return look(plan, [](const auto& p) { return p.specialised(); }); },
          "Whether the kernel compiled for the robot is ready.")
      .def_prop_ro(
          "served_by", [](const AnyPlan& plan) { return look(plan, [](const auto& p) { return p.served_by(); }); },
          "Description of the kernel that calls use.")
      .def_prop_ro("dtype", [](const AnyPlan& plan) { return plan.index() == 0 ? "float64" : "float32"; });
}

}  // namespace tandem::python
