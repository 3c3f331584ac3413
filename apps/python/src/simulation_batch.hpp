// SPDX-License-Identifier: Apache-2.0
/// What tandem.VectorSimulation needs of a simulation: arrays of all instances, steps and resets of some.
#pragma once
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "bindings.hpp"

namespace tandem::python {

using Instances = nb::ndarray<nb::ro, std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using GivenNumbers = nb::ndarray<nb::ro, T, nb::c_contig, nb::device::cpu>;

/// A new array [batch] of f(instance).
template <class X, class T, class F>
nb::ndarray<nb::numpy, X, nb::ndim<1>> of_instances(const Simulation<T>& simulation, F&& f) {
  const auto n = static_cast<std::size_t>(simulation.batch());
  auto* const values = new X[n];
  const nb::capsule owner(values, [](void* x) noexcept { delete[] static_cast<X*>(x); });
  for (std::size_t b = 0; b < n; ++b) values[b] = f(static_cast<Index>(b));
  return {values, {n}, owner};
}

/// Throws Error for numbers [batch][rows] of which one, of an instance from first to end - 1, is not finite.
template <class T>
void check_finite(const char* name, const T* x, Index rows, Index first, Index end) {
  bool found = false;
  for (Index k = first * rows; k < end * rows; ++k) found |= !(std::abs(x[k]) <= std::numeric_limits<T>::max());
  for (Index k = first * rows; found && k < end * rows; ++k)
    if (!std::isfinite(x[k]))
      throw Error("VectorSimulation.step: " + std::string(name) + " has " + std::to_string(x[k]) + " in instance " +
                  std::to_string(k / rows) + ", row " + std::to_string(k % rows) + ", expected finite numbers");
}
template <class T>
void check_states(Simulation<T>& simulation, Index first, Index end) {
  check_finite("q", simulation.q().data(), simulation.model().nq(), first, end);
  check_finite("v", simulation.v().data(), simulation.model().nv(), first, end);
}

/// Calls step(n) for parts of so many steps, so that Ctrl-C ends long calls.
template <class T, class Step>
void in_parts(const Simulation<T>& simulation, Index steps, Step&& step) {
  const Index most = std::clamp<Index>((Index{1} << 18) / simulation.batch(), 1, 64);
  for (Index done = 0; done < steps; done += most) {
    step(std::min(most, steps - done));
    if (done + most >= steps) return;
    const nb::gil_scoped_acquire python;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

/// Steps on, instances that are named or all, under forces [batch][...].
template <class T>
void step_some(Simulation<T>& simulation, const GivenNumbers<T>& tau, const std::optional<GivenNumbers<T>>& f_ext,
               const std::optional<Instances>& named, Index steps) {
  std::vector<Index> instances;
  for (std::size_t k = 0; named && k < named->size(); ++k) instances.push_back(static_cast<Index>(named->data()[k]));
  const std::span<const T> push(tau.data(), tau.size()),
      wrenches = f_ext ? std::span<const T>(f_ext->data(), f_ext->size()) : std::span<const T>();
  const nb::gil_scoped_release others_may_run;
  if (!named) check_states(simulation, 0, simulation.batch());
  for (const Index b : instances) check_states(simulation, b, b + 1);
  // a force that is not finite makes its own instance diverge, which is frozen in the state before
  in_parts(simulation, steps, [&](Index n) {
    if (named)
      simulation.step(push, wrenches, instances, n);
    else
      simulation.run(n, push, wrenches);
  });
}

/// Instance instances[k] begins anew from row k of q and v.
template <class T>
void reset_some(Simulation<T>& simulation, const GivenNumbers<T>& q, const GivenNumbers<T>& v,
                const Instances& instances) {
  const auto nq = static_cast<std::size_t>(simulation.model().nq()),
             nv = static_cast<std::size_t>(simulation.model().nv());
  for (std::size_t k = 0; k < instances.size(); ++k)
    simulation.reset({q.data() + k * nq, nq}, {v.data() + k * nv, nv}, static_cast<Index>(instances.data()[k]));
}

/// A live array of numbers that a simulation owns.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig> live(std::span<T> numbers, nb::handle owner) {
  return {numbers.data(), {numbers.size()}, owner};
}

template <class T>
void bind_batch(nb::class_<Simulation<T>>& c) {
  using S = Simulation<T>;
  using H = nb::handle_t<S>;
  c.def_prop_ro("q_target", [](H self) { return live(nb::inst_ptr<S>(self)->q_target(), self); })
      .def_prop_ro("kp", [](H self) { return live(nb::inst_ptr<S>(self)->kp(), self); })
      .def_prop_ro("kd", [](H self) { return live(nb::inst_ptr<S>(self)->kd(), self); })
      .def_prop_ro("ctrl", [](H self) { return live(nb::inst_ptr<S>(self)->ctrl(), self); })
      .def_prop_ro("act", [](H self) { return live(nb::inst_ptr<S>(self)->act(), self); })
      .def(
          "parameter",
          [](H self, std::string_view name) {
            return live(nb::inst_ptr<S>(self)->parameter(from_name<Parameter>(name)), self);
          },
          nb::arg("name"))
      .def("diverged",
           [](const S& s) { return of_instances<bool>(s, [&](Index b) { return s.divergence(b) != nullptr; }); })
      .def("steps_of_all",
           [](const S& s) { return of_instances<std::int64_t>(s, [&](Index b) { return s.steps_of(b); }); })
      .def(
          "energy_of_all",
          [](const S& s, bool taken) {
            return of_instances<double>(s, [&](Index b) { return taken ? s.dissipated(b) : s.work(b); });
          },
          nb::arg("taken"))
      .def("step_some", &step_some<T>, nb::arg("tau"), nb::arg("f_ext").none(), nb::arg("instances").none(),
           nb::arg("steps"))
      .def("reset_some", &reset_some<T>, nb::arg("q"), nb::arg("v"), nb::arg("instances"));
}

}  // namespace tandem::python
