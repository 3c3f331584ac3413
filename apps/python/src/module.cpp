// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"
#include "tandem/version.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // modules keep objects until the process ends
  m.doc() = "The compiled part of Tandem; use the package `tandem`.";
  m.attr("version") = TANDEM_VERSION;
  tandem::python::bind_errors();
  tandem::python::bind_model(m);
  tandem::python::bind_builder(m);
  tandem::python::bind_edits(m);
  tandem::python::bind_actuators(m);
  tandem::python::bind_tendons(m);
  tandem::python::bind_couplers(m);
  tandem::python::bind_shapes(m);
  tandem::python::bind_meshes(m);
  tandem::python::bind_contacts(m);
  tandem::python::bind_mjcf(m);
  tandem::python::bind_algorithms(m);
  tandem::python::bind_plan(m);
  tandem::python::bind_simulation(m);
  tandem::python::bind_rollout(m);
  tandem::python::bind_macroparallel(m);
  tandem::python::bind_check(m);
  tandem::python::bind_schedule(m);
  tandem::python::bind_xla_calls(m);
}
