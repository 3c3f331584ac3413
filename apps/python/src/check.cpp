// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/check.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "bindings.hpp"

namespace tandem::python {
namespace {

/// Name, outcome, error, tolerance and note of a law.
using Row = std::tuple<std::string, std::string, double, double, std::string>;

std::vector<Row> check(const Model& model, int states, std::uint64_t seed, bool in_float) {
  static constexpr const char* outcomes[] = {"passed", "failed", "not applicable"};
  const nb::gil_scoped_release others_may_run;
  std::vector<Row> rows;
  for (const PropertyResult& r : check_model(model, {.states = states, .seed = seed, .in_float = in_float}))
    rows.emplace_back(r.name, outcomes[static_cast<int>(r.outcome)], r.error, r.tolerance, r.note);
  return rows;
}

}  // namespace

void bind_check(nb::module_& m) {
  m.def("check_model", &check, nb::arg("model"), nb::arg("states"), nb::arg("seed"), nb::arg("in_float"));
}

}  // namespace tandem::python
