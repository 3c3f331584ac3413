// SPDX-License-Identifier: Apache-2.0
/// What is read of MuJoCo's mjModel, of the version that its headers are of.
#pragma once
#include <mujoco/mujoco.h>

#include <array>

#include "core/at.hpp"
#include "tandem/io/mjcf.hpp"
#include "tandem/io/mujoco_arrays.hpp"

#ifndef mjNPOLY  // of versions that have no polynomials
#define mjNPOLY 0
#endif

namespace tandem::io {

/// A template, so that arrays that a version does not have are not compiled.
template <class Theirs>
MujocoModel arrays_of(const Theirs& m) {
  MujocoModel ours;
  const auto [n_actuators, n_outputs] = [&] {
    if constexpr (requires { m.nactuator; })
      return std::array{m.nactuator, m.nout};
    else
      return std::array{m.nu, m.nu};
  }();
#define TANDEM_TAKE(name, rows, columns) \
  if constexpr (requires { m.name; }) ours.name.assign(m.name, m.name + at(rows) * at(columns));
  TANDEM_MUJOCO_ARRAYS(TANDEM_TAKE)
#undef TANDEM_TAKE
  ours.names.assign(m.names, at(m.nnames));
  ours.text_data.assign(m.text_data, at(m.ntextdata));
  for (std::size_t k = 0; k < 3; ++k) {
    ours.gravity[k] = m.opt.gravity[k];
  }
  ours.density = m.opt.density;
  ours.viscosity = m.opt.viscosity;
  ours.falls = (m.opt.disableflags & mjDSBL_GRAVITY) == 0;
  ours.actuation = (m.opt.disableflags & mjDSBL_ACTUATION) == 0;
  ours.clamps = (m.opt.disableflags & mjDSBL_CLAMPCTRL) == 0;
  ours.disabled_actuators = m.opt.disableactuator;
  ours.sensors = static_cast<int>(m.nsensor);
  ours.cone = m.opt.cone;
  ours.integrator = m.opt.integrator;
  ours.impratio = m.opt.impratio;
  ours.timestep = m.opt.timestep;
  const auto enabled = [&](int bit) { return (m.opt.disableflags & (bit | mjDSBL_CONSTRAINT)) == 0; };
  ours.contacts = enabled(mjDSBL_CONTACT);
  ours.friction = enabled(mjDSBL_FRICTIONLOSS);
  ours.limits = enabled(mjDSBL_LIMIT);
  ours.equalities = enabled(mjDSBL_EQUALITY);
  ours.noslip_iterations = m.opt.noslip_iterations;
  ours.short_time_constants = (m.opt.disableflags & mjDSBL_REFSAFE) != 0;
  ours.explicit_damping = (m.opt.disableflags & mjDSBL_EULERDAMP) != 0;
  ours.filter_parent = (m.opt.disableflags & mjDSBL_FILTERPARENT) == 0;
  ours.overrides = (m.opt.enableflags & mjENBL_OVERRIDE) != 0;
  ours.margins_add = mjVERSION_HEADER >= 4000000;
#if mjVERSION_HEADER >= 4000000
  ours.exact_diagonal = (m.opt.enableflags & mjENBL_DIAGEXACT) != 0;
#endif
  return ours;
}

}  // namespace tandem::io
