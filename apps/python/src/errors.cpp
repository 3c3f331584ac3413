// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "bindings.hpp"

namespace tandem::python {
namespace {

nb::object error_class(const char* name) { return nb::module_::import_("tandem.errors").attr(name); }

nb::object problem_list(const ModelError& error) {
  const nb::object problem = error_class("Problem");
  nb::list result;
  for (const Problem& p : error.problems())
    result.append(problem(text(p.source.file), p.source.line, text(p.source.element), text(p.message)));
  return result;
}

/// Raises the class of tandem/errors.py that stands for the C++ error.
void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const ModelError& e) {
    const nb::object type = error_class("ModelError"), value = type(text(e.what()), problem_list(e));
    PyErr_SetObject(type.ptr(), value.ptr());
  } catch (const Error& e) {
    PyErr_SetObject(error_class("Error").ptr(), text(e.what()).ptr());
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace tandem::python
