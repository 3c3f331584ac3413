// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <string>

namespace tandem::python {
namespace {

nb::dict dictionary_from(const Algorithm& algorithm, nb::handle given) {
  if (PyDict_Check(given.ptr())) return nb::borrow<nb::dict>(given);
  nb::dict result;
  if (!nb::hasattr(given, "keys") || PyDict_Update(result.ptr(), given.ptr()) != 0) {
    PyErr_Clear();
    throw Error(std::string(algorithm.name) + ": parameters is a " +
                nb::cast<std::string>(given.type().attr("__name__")) + ", expected a dictionary of arrays by name");
  }
  return result;
}

Parameter parameter_named(const Algorithm& algorithm, nb::handle name) {
  if (!PyUnicode_Check(name.ptr())) throw Error(std::string(algorithm.name) + ": the names of parameters must be text");
  try {
    return from_name<Parameter>(nb::cast<std::string>(name));
  } catch (const Error& e) {
    throw Error(std::string(algorithm.name) + ": " + e.what());
  }
}

}  // namespace

ParameterArguments::ParameterArguments(const Algorithm& algorithm, const Model& model, nb::handle given,
                                       GpuArrays* gpu) {
  for (const auto& [name, values] : dictionary_from(algorithm, given)) {
    const Parameter parameter = parameter_named(algorithm, name);
    Entry& entry = entries.at(size++);
    entry.parameter = parameter;
    const Argument& argument = parameters()[static_cast<std::size_t>(entry.parameter)];
    entry.shape = shape(argument.rows, model.view<double>());
    entry.values.hold(values, algorithm.name, argument.name, ArrayArgument::Kind::parameter, gpu);
  }
}

}  // namespace tandem::python
