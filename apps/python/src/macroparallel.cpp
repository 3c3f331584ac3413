// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include "bindings.hpp"
#include "tandem/api/macroparallel.hpp"

namespace tandem::python {
namespace {

using Numbers = nb::ndarray<nb::ro, double, nb::c_contig, nb::device::cpu>;
using Results = nb::ndarray<double, nb::c_contig, nb::device::cpu>;

std::span<const double> span_of(const Numbers& numbers) { return {numbers.data(), numbers.size()}; }

}  // namespace

void bind_macroparallel(nb::module_& m) {
  nb::class_<Macroparallel>(m, "Macroparallel", "A chain on a row of threads, as tandem.papers.Macroparallel uses it.")
      .def(
          "__init__",
          [](Macroparallel* self, const Model& model, int processors) {
            new (self) Macroparallel(model, {.processors = processors});
          },
          nb::arg("model"), nb::arg("processors"))
      .def_prop_ro("processors", &Macroparallel::processors)
      .def(
          "forward_dynamics",
          [](Macroparallel& self, const Numbers& q, const Numbers& v, const Numbers& tau,
             const std::optional<Numbers>& f_ext, const Results& a, double tolerance, Index max_iterations,
             Index fixed_iterations, std::string_view freezing, std::string_view left_out, bool from_last) {
            MacroparallelOptions options;
            options.tolerance = tolerance;
            options.max_iterations = max_iterations;
            options.fixed_iterations = fixed_iterations;
            options.from_last = from_last;
            options.freezing = from_name<Freezing>(freezing);
            options.left_out = from_name<LeftOut>(left_out);
            self.set_options(options);
            MacroparallelReport r;
            {
              const nb::gil_scoped_release others_may_run;
              r = self.forward_dynamics(span_of(q), span_of(v), span_of(tau),
                                        f_ext ? span_of(*f_ext) : std::span<const double>(), {a.data(), a.size()});
            }
            return nb::make_tuple(r.iterations, r.converged, r.seconds,
                                  nb::make_tuple(r.stage[0], r.stage[1], r.stage[2], r.stage[3], r.stage[4]),
                                  r.messages, r.stopped_early);
          },
          nb::arg("q"), nb::arg("v"), nb::arg("tau"), nb::arg("f_ext").none(), nb::arg("a"), nb::arg("tolerance"),
          nb::arg("max_iterations"), nb::arg("fixed_iterations"), nb::arg("freezing"), nb::arg("left_out"),
          nb::arg("from_last"));
}

}  // namespace tandem::python
