// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.hpp"

namespace tandem::python {
namespace {

template <class T>
using Vector = nb::ndarray<nb::ro, T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Energies = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using State = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;

template <class T>
std::span<const T> span_of(const std::optional<Vector<T>>& tau) {
  return tau ? std::span<const T>(tau->data(), tau->size()) : std::span<const T>();
}

/// Throws Error for a state that no step could mend.
template <class T>
void check_state(const Simulation<T>& simulation) {
  if (!simulation.finite()) throw Error("Simulation: the state has a number that is not finite; set q and v first");
}

/// Steps on and writes the state before every `every`-th step, and after the last one, into the rows of q and v, and what
/// damping and friction have taken and joint forces have given until then. Returns how many steps were done: fewer than asked for if the state is no longer finite.
template <class T>
Index run(Simulation<T>& simulation, Index steps, Index every, Rows<T> q, Rows<T> v, Energies dissipated, Energies work,
          const std::optional<Vector<T>>& tau) {
  constexpr Index steps_between_signals = 16;
  const auto record = [&](std::size_t row) {
    std::copy(simulation.q().begin(), simulation.q().end(), q.data() + row * q.shape(1));
    std::copy(simulation.v().begin(), simulation.v().end(), v.data() + row * v.shape(1));
    dissipated.data()[row] = simulation.dissipated();
    work.data()[row] = simulation.work();
  };
  check_state(simulation);
  const nb::gil_scoped_release others_may_run;
  record(0);
  for (Index k = 1; k <= steps; ++k) {
    simulation.step(span_of<T>(tau));
    if (!simulation.finite()) return k;
    if (k % every == 0) record(static_cast<std::size_t>(k / every));
    if (k % steps_between_signals != 0) continue;
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  return steps;
}

template <class T>
void bind(nb::module_& m, const char* name) {
  using S = Simulation<T>;
  using Numbers = std::vector<double>;
  nb::class_<S>(m, name, "One robot in time, as tandem.Simulation uses it.")
      .def(
          "__init__",
          [](S* self, const Model& model, double dt, std::string_view integrator, Numbers q_target, Numbers kp,
             Numbers kd, nb::dict dynamics) {
            new (self) S(model, {.dt = dt,
                                 .integrator = from_name<Integrator>(integrator),
                                 .controller = {std::move(q_target), std::move(kp), std::move(kd)},
                                 .dynamics = options_from(find_algorithm("forward_dynamics"), model, dynamics)});
          },
          nb::arg("model"), nb::arg("dt"), nb::arg("integrator"), nb::arg("q_target"), nb::arg("kp"), nb::arg("kd"),
          nb::arg("dynamics"))
      .def_prop_ro("q",
                   [](nb::handle_t<S> self) {
                     const auto q = nb::inst_ptr<S>(self)->q();
                     return State<T>(q.data(), {q.size()}, self);
                   })
      .def_prop_ro("v",
                   [](nb::handle_t<S> self) {
                     const auto v = nb::inst_ptr<S>(self)->v();
                     return State<T>(v.data(), {v.size()}, self);
                   })
      .def_prop_ro("steps", &S::steps)
      .def_prop_ro("dissipated", &S::dissipated)
      .def_prop_ro("work", &S::work)
      .def_prop_ro("finite", &S::finite)
      .def(
          "step",
          [](S& self, const std::optional<Vector<T>>& tau) {
            check_state(self);
            std::vector<T> before(self.q().begin(), self.q().end());
            const nb::gil_scoped_release others_may_run;
            self.step(span_of<T>(tau));
            return self.finite() ? std::optional<std::vector<T>>() : std::move(before);
          },
          nb::arg("tau") = nb::none(), "Returns q from before the step if the state is no longer finite.")
      .def("run", &run<T>, nb::arg("steps"), nb::arg("every"), nb::arg("q"), nb::arg("v"), nb::arg("dissipated"),
           nb::arg("work"), nb::arg("tau") = nb::none());
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind<double>(m, "Simulation64");
  bind<float>(m, "Simulation32");
}

}  // namespace tandem::python
