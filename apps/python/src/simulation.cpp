// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "bindings.hpp"
#include "found_contacts.hpp"
#include "simulation_batch.hpp"

namespace tandem::python {
namespace {

template <class T>
using Numbers = nb::ndarray<nb::ro, T, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Parameters = std::vector<std::pair<std::string, std::vector<double>>>;

template <class T>
std::span<const T> span_of(const std::optional<Numbers<T>>& numbers) {
  return numbers ? std::span<const T>(numbers->data(), numbers->size()) : std::span<const T>();
}

std::vector<SimulationParameter> parameters_from(const Parameters& given) {
  std::vector<SimulationParameter> parameters;
  for (const auto& [name, values] : given) parameters.push_back({from_name<Parameter>(name), values});
  return parameters;
}

/// Throws Error for a state that no step could mend.
template <class T>
void check_state(const Simulation<T>& simulation) {
  if (!simulation.finite()) throw Error("Simulation: the state has a number that is not finite; set q and v");
}

template <class T>
std::vector<double> energies_of(const Simulation<T>& simulation, double (Simulation<T>::*energy)(Index) const) {
  std::vector<double> energies;
  for (Index b = 0; b < simulation.batch(); ++b) energies.push_back((simulation.*energy)(b));
  return energies;
}

/// Steps on and writes the state before every `every`-th step, and after the last one, into the rows of q and v, and
/// what damping, friction and stops have taken and joint forces have given until then. Stops where a robot alone
/// diverges.
template <class T>
void run(Simulation<T>& simulation, Index steps, Index every, Rows<T> q, Rows<T> v, Rows<double> dissipated,
         Rows<double> work, const std::optional<Numbers<T>>& tau, const std::optional<Numbers<T>>& f_ext, bool alone) {
  const auto record = [&](std::size_t row) {
    std::copy(simulation.q().begin(), simulation.q().end(), q.data() + row * q.shape(1));
    std::copy(simulation.v().begin(), simulation.v().end(), v.data() + row * v.shape(1));
    for (std::size_t b = 0; b < dissipated.shape(1); ++b) {
      dissipated.data()[row * dissipated.shape(1) + b] = simulation.dissipated(static_cast<Index>(b));
      work.data()[row * work.shape(1) + b] = simulation.work(static_cast<Index>(b));
    }
  };
  check_state(simulation);
  const nb::gil_scoped_release others_may_run;
  record(0);
  Index done = 0;
  in_parts(simulation, steps, [&](Index n) {
    for (const Index end = done + n; done < end && !(alone && simulation.divergence());) {
      const Index next = alone ? done + 1 : std::min(end, (done / every + 1) * every);
      simulation.run(next - done, span_of<T>(tau), span_of<T>(f_ext));
      done = next;
      if (done % every == 0 && !(alone && simulation.divergence())) record(static_cast<std::size_t>(done / every));
    }
  });
}

/// Joint, step, time, kind, what went wrong and what may help; None of an instance that is sound.
template <class T>
nb::object divergence(const Simulation<T>& simulation, Index instance) {
  static constexpr const char* kinds[] = {"not_finite", "too_fast", "too_much_energy", "loops_open", "not_converged"};
  const Divergence* d = simulation.divergence(instance);
  if (!d) return nb::none();
  const nb::object joint = d->joint > 0 ? nb::cast(std::string(simulation.model().joint_name(d->joint))) : nb::none();
  return nb::make_tuple(kinds[d->kind], joint, d->step, d->time, d->what, d->advice);
}

/// A new array of these numbers.
nb::object array_of(std::vector<double> numbers) {
  auto own = std::make_unique<std::vector<double>>(std::move(numbers));
  double* const data = own->data();
  const std::size_t n = own->size();
  const nb::capsule owner(own.release(), [](void* v) noexcept { delete static_cast<std::vector<double>*>(v); });
  return nb::cast(nb::ndarray<nb::numpy, double>(data, {n}, owner));
}

template <class T>
void bind(nb::module_& m, const char* name) {
  using S = Simulation<T>;
  using Reals = std::vector<double>;
  nb::class_<S> c(m, name, "Robots of one model in time, as tandem.Simulation and tandem.VectorSimulation use them.");
  bind_batch(c);
  c.def(
       "__init__",
       [](S* self, const Model& model, nb::dict how, std::array<Reals, 3> controller, double excess, Index batch,
          int threads, std::string_view first_guess, const Parameters& parameters) {
         auto options = stepper_options<SimulationOptions>(model, how);
         auto& [target, kp, kd] = controller;
         options.controller = {std::move(target), std::move(kp), std::move(kd)};
         options.excess = excess;
         options.batch = batch;
         options.threads = threads;
         options.first_guess = from_name<FirstGuess>(first_guess);
         options.parameters = parameters_from(parameters);
         new (self) S(model, std::move(options));
       },
       nb::arg("model"), nb::arg("how"), nb::arg("controller"), nb::arg("excess"), nb::arg("batch"),
       nb::arg("threads"), nb::arg("first_guess"), nb::arg("parameters"))
      .def_prop_ro("q", [](nb::handle_t<S> self) { return live(nb::inst_ptr<S>(self)->q(), self); })
      .def_prop_ro("v", [](nb::handle_t<S> self) { return live(nb::inst_ptr<S>(self)->v(), self); })
      .def_prop_ro("steps", &S::steps)
      .def_prop_ro("start", [](const S& self) { return self.start(); })
      .def_prop_rw("time", &S::time, &S::set_time)
      .def_prop_ro("dissipated", [](const S& self) { return energies_of<T>(self, &S::dissipated); })
      .def_prop_ro("stopped", [](const S& self) { return energies_of<T>(self, &S::stopped); })
      .def_prop_ro("work", [](const S& self) { return energies_of<T>(self, &S::work); })
      .def(
          "iterated",
          [](const S& self, Index instance) {
            const Iterated& i = self.iterated(instance);
            return nb::make_tuple(i.solutions, i.steps, i.not_converged, i.saved());
          },
          nb::arg("instance"))
      .def(
          "contact_tally",
          [](const S& self, Index instance) {
            const ContactTally& tally = self.contact_tally(instance);
            return nb::make_tuple(tally.solutions, tally.steps, tally.not_converged, tally.taken);
          },
          nb::arg("instance"))
      .def("contact_tallies",
           [](const S& self) {
             std::vector<std::int64_t> counts[3];
             std::vector<double> taken;
             for (Index b = 0; b < self.batch(); ++b) {
               const ContactTally& tally = self.contact_tally(b);
               counts[0].push_back(tally.solutions);
               counts[1].push_back(tally.steps);
               counts[2].push_back(tally.not_converged);
               taken.push_back(tally.taken);
             }
             return nb::make_tuple(counts[0], counts[1], counts[2], taken);
           })
      .def("contact_forces",
           [](const S& self) {
             Reals forces;
             for (Index b = 0; b < self.batch(); ++b) {
               const auto of_instance = self.contact_forces(b);
               forces.insert(forces.end(), of_instance.begin(), of_instance.end());
             }
             return array_of(std::move(forces));
           })
      .def("found_contacts",
           [](const S& self) {
             std::vector<std::span<const FoundContact>> found;
             for (Index b = 0; b < self.batch(); ++b) found.push_back(self.found_contacts(b));
             return arrays_of(found);
           })
      .def("contact_state",
           [](const S& self) {
             Reals q, v;
             for (Index b = 0; b < self.batch(); ++b) {
               const auto q_of = self.contact_q(b);
               const auto v_of = self.contact_v(b);
               q.insert(q.end(), q_of.begin(), q_of.end());
               v.insert(v.end(), v_of.begin(), v_of.end());
             }
             return nb::make_tuple(array_of(std::move(q)), array_of(std::move(v)));
           })
      .def(
          "contact_force",
          [](const S& self, int link) {
            std::vector<std::array<double, 3>> forces;
            for (Index b = 0; b < self.batch(); ++b) forces.push_back(self.contact_force(link, b));
            return forces;
          },
          nb::arg("link"))
      .def(
          "touches",
          [](const S& self, int link) {
            std::vector<bool> touch;
            for (Index b = 0; b < self.batch(); ++b) touch.push_back(self.touches(link, b));
            return touch;
          },
          nb::arg("link"))
      .def("divergence", &divergence<T>, nb::arg("instance"))
      .def("at_limit", &S::at_limit, nb::arg("joint"), nb::arg("instance"))
      .def("set_parameters",
           [](S& self, const Parameters& parameters) { self.set_parameters(parameters_from(parameters)); })
      .def("snapshot", [](const S& self) { return self.snapshot(); })
      .def("restore", [](S& self, const Reals& numbers) { self.restore(numbers); })
      .def(
          "reset", [](S& self, Index instance) { self.reset(instance); }, nb::arg("instance"))
      .def(
          "reset_to",
          [](S& self, const Numbers<T>& q, const Numbers<T>& v, Index instance) {
            self.reset({q.data(), q.size()}, {v.data(), v.size()}, instance);
          },
          nb::arg("q"), nb::arg("v"), nb::arg("instance"))
      .def(
          "step",
          [](S& self, const std::optional<Numbers<T>>& tau, const std::optional<Numbers<T>>& f_ext) {
            check_state(self);
            const nb::gil_scoped_release others_may_run;
            self.step(span_of<T>(tau), span_of<T>(f_ext));
          },
          nb::arg("tau") = nb::none(), nb::arg("f_ext") = nb::none())
      .def("run", &run<T>, nb::arg("steps"), nb::arg("every"), nb::arg("q"), nb::arg("v"), nb::arg("dissipated"),
           nb::arg("work"), nb::arg("tau"), nb::arg("f_ext"), nb::arg("alone"));
}

}  // namespace

void bind_simulation(nb::module_& m) {
  bind<double>(m, "Simulation64");
  bind<float>(m, "Simulation32");
}

}  // namespace tandem::python
