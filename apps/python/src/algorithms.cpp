// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>

#include "call.hpp"

namespace tandem::python {

int frame_from(const Algorithm& algorithm, const Model& model, nb::handle frame) {
  if (PyUnicode_Check(frame.ptr())) return model.frame_index(nb::cast<std::string_view>(frame));
  int index = 0;
  if (!nb::try_cast<int>(frame, index))
    throw nb::type_error((std::string(algorithm.name) + ": frame must be a name or an index").c_str());
  return index;
}

namespace {

template <class T>
T value_as(const Algorithm& algorithm, std::string_view name, nb::handle given, const char* expected) {
  T value{};
  if (!nb::try_cast(given, value))
    throw nb::type_error((std::string(algorithm.name) + ": " + std::string(name) + " must be " + expected).c_str());
  return value;
}

/// True and False, for which there are words, too.
Switch switch_from(const Algorithm& algorithm, std::string_view name, nb::handle given) {
  if (PyBool_Check(given.ptr())) return given.ptr() == Py_True ? Switch::on : Switch::off;
  std::string_view word;
  if (nb::try_cast(given, word) && (word == "on" || word == "off")) return from_name<Switch>(word);
  if (nb::cast<std::string>(given.type().attr("__name__")).starts_with("bool"))  // NumPy's
    return nb::cast<bool>(nb::module_::import_("builtins").attr("bool")(given)) ? Switch::on : Switch::off;
  throw Error(std::string(algorithm.name) + ": " + std::string(name) + " is " + nb::cast<std::string>(nb::repr(given)) +
              ", expected True or False (or 'on' or 'off')");
}

}  // namespace

Options options_from(const Algorithm& algorithm, const Model& model, nb::handle given) {
  if (!PyDict_Check(given.ptr()))
    throw nb::type_error((std::string(algorithm.name) + ": options must be a dict").c_str());
  Options options;
  for (const auto& [key, value] : nb::borrow<nb::dict>(given)) {
    const auto name = value_as<std::string_view>(algorithm, "name of an option", key, "text");
    bool known = false;
    std::string names;
    for_each_option([&](const auto& option) {
      using Value = typename std::remove_cvref_t<decltype(option)>::Value;
      names += (names.empty() ? "" : ", ") + std::string(option.name);
      if (name != option.name) return;
      known = true;
      if constexpr (std::is_same_v<Value, Switch>)
        option.get(options) = switch_from(algorithm, name, value);
      else if constexpr (HasNames<Value>)
        option.get(options) = from_name<Value>(value_as<std::string_view>(algorithm, name, value, "text"));
      else if (name == "frame")
        option.get(options) = static_cast<Value>(frame_from(algorithm, model, value));
      else
        option.get(options) =
            value_as<Value>(algorithm, name, value, std::is_integral_v<Value> ? "an integer" : "a number");
    });
    if (!known)
      throw Error(std::string(algorithm.name) + ": unknown option \"" + std::string(name) + "\"; expected one of " +
                  names);
  }
  return options;
}

namespace {

nb::any evaluate_python(const Algorithm& algorithm, nb::any model,
                        nb::typed<nb::tuple, nb::any, nb::ellipsis> arguments, nb::any options, nb::any threads,
                        nb::any status, nb::any parameters, nb::any device) {
  if (!nb::isinstance<Model>(model)) {
    const auto given = nb::cast<std::string>(model.type().attr("__name__"));
    throw nb::type_error((std::string(algorithm.name) + ": model must be a tandem.Model, not " + given).c_str());
  }
  const Model& m = *nb::inst_ptr<Model>(model);
  return nb::borrow<nb::any>(run_call(algorithm, m, arguments, {threads, status, parameters, device},
                                      options.is_none() ? Options{} : options_from(algorithm, m, options)));
}

const char* role_name(Role role) {
  static constexpr const char* names[] = {"input", "optional_input", "output", "optional_output"};
  return names[static_cast<std::size_t>(role)];
}

nb::dict argument_row(const Argument& a) {
  const RowsKind& rows = NamesOf<Rows>::table[static_cast<std::size_t>(a.rows)];
  nb::dict row;
  row["name"] = a.name;
  row["role"] = role_name(a.role);
  row["sizes"] = rows.sizes;
  row["order"] = rows.order;
  row["units"] = a.units;
  row["meaning"] = a.meaning;
  row["needs"] = a.needs;
  return row;
}

nb::list argument_rows(std::span<const Argument> arguments) {
  nb::list rows;
  for (const Argument& a : arguments) rows.append(argument_row(a));
  return rows;
}

}  // namespace

void bind_algorithms(nb::module_& m) {
  nb::enum_<Status> status(m, "Status", nb::is_arithmetic(),
                           "Status of one state of a batch. An invalid state does not affect the others.");
  for (int k = 0; k < n_statuses; ++k) {
    const Named& row = NamesOf<Status>::table[k];
    std::string name = row.name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::toupper(c); });
    status.value(name.c_str(), static_cast<Status>(k), row.meaning);
  }
  nb::class_<Algorithm>(m, "Algorithm", "One row of the table of algorithms.")
      .def_prop_ro("name", [](const Algorithm& a) { return a.name; })
      .def_prop_ro("summary", [](const Algorithm& a) { return a.summary; })
      .def_prop_ro(
          "arguments",
          [](const Algorithm& algorithm) {
            nb::list rows;
            for (const Argument& a : algorithm.arguments)
              rows.append(nb::make_tuple(a.name, role_name(a.role), a.units, a.meaning));
            return rows;
          },
          "Name, role, units and meaning of each argument.")
      .def_prop_ro(
          "sizes",
          [](const Algorithm& algorithm) {
            nb::list sizes;
            for (const Argument& a : algorithm.arguments)
              sizes.append(NamesOf<Rows>::table[static_cast<std::size_t>(a.rows)].sizes);
            return sizes;
          },
          "Shape of each argument as text: 'nv', 'n_links, 6', '' for a scalar.");
  m.def(
      "algorithms",
      [] {
        std::vector<const Algorithm*> all;
        for (const Algorithm& a : tandem::algorithms()) all.push_back(&a);
        return all;
      },
      nb::rv_policy::reference, "All algorithms.");
  m.def("find_algorithm", &find_algorithm, nb::arg("name"), nb::rv_policy::reference, "An algorithm by its name.");
  // nanobind calls functions of up to eight arguments the fast way
  m.def("evaluate", &evaluate_python, nb::arg("algorithm"), nb::arg("model").none(), nb::arg("arguments"),
        nb::arg("options").none() = nb::none(), nb::arg("threads").none() = 0, nb::arg("status").none() = nb::none(),
        nb::arg("parameters").none() = nb::none(), nb::arg("device").none() = "cpu",
        "Runs an algorithm on one state or a batch. `arguments` follow its table: arrays or None for inputs; "
        "for outputs an array to write to, True for a new one, or None to omit an optional one. `options` "
        "is a dict with the names of :class:`tandem.functions.PlanOptions`.");
  m.def(
      "inverse_kinematics",
      [](const Model& model, nb::any frame, nb::typed<nb::tuple, nb::any, nb::ellipsis> arguments, double tolerance,
         int max_iterations, int restarts, nb::any threads, nb::any reports) {
        static const nb::str& cpu = *new nb::str("cpu");
        return nb::borrow<nb::any>(run_search(model, frame, arguments, {threads, reports, nb::none(), cpu},
                                              {tolerance, max_iterations, restarts}));
      },
      nb::arg("model"), nb::arg("frame"), nb::arg("arguments"), nb::arg("tolerance"), nb::arg("max_iterations"),
      nb::arg("restarts"), nb::arg("threads").none(), nb::arg("reports").none(),
      "As tandem.inverse_kinematics; `arguments` are q0, target, weights, q, error.");
  m.def(
      "parameters", [] { return argument_rows(parameters()); },
      "Name, shape, units and meaning of the parameters of a model that may differ in a batch.");
  m.def("instruction_sets", &instruction_sets,
        "Names of the instruction sets of the library that this CPU supports, the widest last.");
  m.def("instruction_set", &instruction_set, "Name of the instruction set in use.");
  m.def("use_instruction_set", &use_instruction_set, nb::arg("name"),
        "Select one of :func:`instruction_sets`, for measurements; not during calls.");
}

}  // namespace tandem::python
