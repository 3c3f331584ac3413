// SPDX-License-Identifier: Apache-2.0
/// What is read of MuJoCo's mjModel, of the version that its headers are of.
#pragma once
#include <mujoco/mujoco.h>

#include "core/at.hpp"
#include "tandem/io/mjcf.hpp"

#ifndef mjNPOLY  // of versions that have no polynomials
#define mjNPOLY 0
#endif

namespace tandem::io {

/// A template, so that what a version does not have is not compiled.
template <class Theirs>
MujocoModel arrays_of(const Theirs& m) {
  MujocoModel ours;
  const auto take = [](auto& mine, const auto* theirs, auto n, int width = 1) {
    mine.assign(theirs, theirs + at(n) * at(width));
  };
  ours.names.assign(m.names, at(m.nnames));
  take(ours.name_bodyadr, m.name_bodyadr, m.nbody);
  take(ours.name_jntadr, m.name_jntadr, m.njnt);
  take(ours.name_siteadr, m.name_siteadr, m.nsite);
  take(ours.name_eqadr, m.name_eqadr, m.neq);
  take(ours.name_tendonadr, m.name_tendonadr, m.ntendon);
  take(ours.name_keyadr, m.name_keyadr, m.nkey);
  take(ours.name_pairadr, m.name_pairadr, m.npair);
  take(ours.name_flexadr, m.name_flexadr, m.nflex);
  take(ours.name_textadr, m.name_textadr, m.ntext);
  take(ours.name_numericadr, m.name_numericadr, m.nnumeric);
  take(ours.qpos0, m.qpos0, m.nq);
  take(ours.qpos_spring, m.qpos_spring, m.nq);
  take(ours.body_parentid, m.body_parentid, m.nbody);
  take(ours.body_jntnum, m.body_jntnum, m.nbody);
  take(ours.body_jntadr, m.body_jntadr, m.nbody);
  take(ours.body_mocapid, m.body_mocapid, m.nbody);
  take(ours.body_plugin, m.body_plugin, m.nbody);
  take(ours.body_pos, m.body_pos, m.nbody, 3);
  take(ours.body_quat, m.body_quat, m.nbody, 4);
  take(ours.body_ipos, m.body_ipos, m.nbody, 3);
  take(ours.body_iquat, m.body_iquat, m.nbody, 4);
  take(ours.body_mass, m.body_mass, m.nbody);
  take(ours.body_inertia, m.body_inertia, m.nbody, 3);
  take(ours.body_gravcomp, m.body_gravcomp, m.nbody);
  take(ours.jnt_type, m.jnt_type, m.njnt);
  take(ours.jnt_qposadr, m.jnt_qposadr, m.njnt);
  take(ours.jnt_dofadr, m.jnt_dofadr, m.njnt);
  take(ours.jnt_limited, m.jnt_limited, m.njnt);
  take(ours.jnt_actfrclimited, m.jnt_actfrclimited, m.njnt);
  take(ours.jnt_pos, m.jnt_pos, m.njnt, 3);
  take(ours.jnt_axis, m.jnt_axis, m.njnt, 3);
  take(ours.jnt_stiffness, m.jnt_stiffness, m.njnt);
  if constexpr (requires { m.jnt_stiffnesspoly; }) take(ours.jnt_stiffnesspoly, m.jnt_stiffnesspoly, m.njnt, mjNPOLY);
  if constexpr (requires { m.jnt_springyield; }) take(ours.jnt_springyield, m.jnt_springyield, m.njnt);
  take(ours.jnt_range, m.jnt_range, m.njnt, 2);
  take(ours.jnt_actfrcrange, m.jnt_actfrcrange, m.njnt, 2);
  take(ours.jnt_solref, m.jnt_solref, m.njnt, mjNREF);
  take(ours.jnt_solimp, m.jnt_solimp, m.njnt, mjNIMP);
  take(ours.jnt_margin, m.jnt_margin, m.njnt);
  take(ours.dof_solref, m.dof_solref, m.nv, mjNREF);
  take(ours.dof_solimp, m.dof_solimp, m.nv, mjNIMP);
  take(ours.dof_frictionloss, m.dof_frictionloss, m.nv);
  take(ours.dof_armature, m.dof_armature, m.nv);
  take(ours.dof_damping, m.dof_damping, m.nv);
  if constexpr (requires { m.dof_dampingpoly; }) take(ours.dof_dampingpoly, m.dof_dampingpoly, m.nv, mjNPOLY);
  take(ours.site_bodyid, m.site_bodyid, m.nsite);
  take(ours.site_pos, m.site_pos, m.nsite, 3);
  take(ours.site_quat, m.site_quat, m.nsite, 4);
  take(ours.name_geomadr, m.name_geomadr, m.ngeom);
  take(ours.name_meshadr, m.name_meshadr, m.nmesh);
  take(ours.name_excludeadr, m.name_excludeadr, m.nexclude);
  take(ours.geom_bodyid, m.geom_bodyid, m.ngeom);
  take(ours.geom_type, m.geom_type, m.ngeom);
  take(ours.geom_contype, m.geom_contype, m.ngeom);
  take(ours.geom_conaffinity, m.geom_conaffinity, m.ngeom);
  take(ours.geom_condim, m.geom_condim, m.ngeom);
  take(ours.geom_priority, m.geom_priority, m.ngeom);
  take(ours.geom_dataid, m.geom_dataid, m.ngeom);
  take(ours.geom_pos, m.geom_pos, m.ngeom, 3);
  take(ours.geom_quat, m.geom_quat, m.ngeom, 4);
  take(ours.geom_size, m.geom_size, m.ngeom, 3);
  take(ours.geom_friction, m.geom_friction, m.ngeom, 3);
  take(ours.geom_solmix, m.geom_solmix, m.ngeom);
  take(ours.geom_solref, m.geom_solref, m.ngeom, mjNREF);
  take(ours.geom_solimp, m.geom_solimp, m.ngeom, mjNIMP);
  take(ours.geom_margin, m.geom_margin, m.ngeom);
  take(ours.geom_gap, m.geom_gap, m.ngeom);
  if constexpr (requires { m.geom_surfacevel; }) take(ours.geom_surfacevel, m.geom_surfacevel, m.ngeom, 6);
  if constexpr (requires { m.geom_adhesion; }) take(ours.geom_adhesion, m.geom_adhesion, m.ngeom);
  take(ours.mesh_vertadr, m.mesh_vertadr, m.nmesh);
  take(ours.mesh_vertnum, m.mesh_vertnum, m.nmesh);
  take(ours.mesh_graphadr, m.mesh_graphadr, m.nmesh);
  take(ours.mesh_graph, m.mesh_graph, m.nmeshgraph);
  take(ours.mesh_vert, m.mesh_vert, m.nmeshvert, 3);
  take(ours.pair_dim, m.pair_dim, m.npair);
  take(ours.pair_geom1, m.pair_geom1, m.npair);
  take(ours.pair_geom2, m.pair_geom2, m.npair);
  take(ours.pair_solref, m.pair_solref, m.npair, mjNREF);
  take(ours.pair_solreffriction, m.pair_solreffriction, m.npair, mjNREF);
  take(ours.pair_solimp, m.pair_solimp, m.npair, mjNIMP);
  take(ours.pair_margin, m.pair_margin, m.npair);
  take(ours.pair_gap, m.pair_gap, m.npair);
  take(ours.pair_friction, m.pair_friction, m.npair, 5);
  if constexpr (requires { m.pair_adhesion; }) take(ours.pair_adhesion, m.pair_adhesion, m.npair);
  take(ours.exclude_signature, m.exclude_signature, m.nexclude);
  take(ours.eq_type, m.eq_type, m.neq);
  take(ours.eq_obj1id, m.eq_obj1id, m.neq);
  take(ours.eq_obj2id, m.eq_obj2id, m.neq);
  take(ours.eq_objtype, m.eq_objtype, m.neq);
  take(ours.eq_active0, m.eq_active0, m.neq);
  take(ours.eq_data, m.eq_data, m.neq, mjNEQDATA);
  take(ours.eq_solref, m.eq_solref, m.neq, mjNREF);
  take(ours.eq_solimp, m.eq_solimp, m.neq, mjNIMP);
  take(ours.tendon_adr, m.tendon_adr, m.ntendon);
  take(ours.tendon_num, m.tendon_num, m.ntendon);
  take(ours.tendon_limited, m.tendon_limited, m.ntendon);
  take(ours.wrap_type, m.wrap_type, m.nwrap);
  take(ours.wrap_objid, m.wrap_objid, m.nwrap);
  take(ours.tendon_range, m.tendon_range, m.ntendon, 2);
  take(ours.tendon_margin, m.tendon_margin, m.ntendon);
  take(ours.tendon_stiffness, m.tendon_stiffness, m.ntendon);
  if constexpr (requires { m.tendon_stiffnesspoly; })
    take(ours.tendon_stiffnesspoly, m.tendon_stiffnesspoly, m.ntendon, mjNPOLY);
  take(ours.tendon_damping, m.tendon_damping, m.ntendon);
  if constexpr (requires { m.tendon_dampingpoly; })
    take(ours.tendon_dampingpoly, m.tendon_dampingpoly, m.ntendon, mjNPOLY);
  if constexpr (requires { m.tendon_armature; }) take(ours.tendon_armature, m.tendon_armature, m.ntendon);
  take(ours.tendon_frictionloss, m.tendon_frictionloss, m.ntendon);
  take(ours.tendon_lengthspring, m.tendon_lengthspring, m.ntendon, 2);
  take(ours.tendon_solref_lim, m.tendon_solref_lim, m.ntendon, mjNREF);
  take(ours.tendon_solimp_lim, m.tendon_solimp_lim, m.ntendon, mjNIMP);
  take(ours.tendon_solref_fri, m.tendon_solref_fri, m.ntendon, mjNREF);
  take(ours.tendon_solimp_fri, m.tendon_solimp_fri, m.ntendon, mjNIMP);
  take(ours.wrap_prm, m.wrap_prm, m.nwrap);
  const auto take_actuators = [&](auto actuators, auto outputs) {
    take(ours.name_actuatoradr, m.name_actuatoradr, actuators);
    take(ours.actuator_trntype, m.actuator_trntype, actuators);
    take(ours.actuator_dyntype, m.actuator_dyntype, actuators);
    take(ours.actuator_dynprm, m.actuator_dynprm, actuators, mjNDYN);
    take(ours.actuator_actlimited, m.actuator_actlimited, actuators);
    take(ours.actuator_actrange, m.actuator_actrange, actuators, 2);
    take(ours.actuator_actearly, m.actuator_actearly, actuators);
    take(ours.actuator_gaintype, m.actuator_gaintype, actuators);
    take(ours.actuator_biastype, m.actuator_biastype, actuators);
    take(ours.actuator_trnid, m.actuator_trnid, actuators, 2);
    take(ours.actuator_forcelimited, m.actuator_forcelimited, actuators);
    take(ours.actuator_forcerange, m.actuator_forcerange, actuators, 2);
    take(ours.actuator_gainprm, m.actuator_gainprm, actuators, mjNGAIN);
    take(ours.actuator_biasprm, m.actuator_biasprm, actuators, mjNBIAS);
    take(ours.actuator_group, m.actuator_group, actuators);
    take(ours.actuator_plugin, m.actuator_plugin, actuators);
    if constexpr (requires { m.actuator_delay; }) take(ours.actuator_delay, m.actuator_delay, actuators);
    if constexpr (requires { m.actuator_ctrlnum; }) take(ours.actuator_ctrlnum, m.actuator_ctrlnum, actuators);
    take(ours.actuator_gear, m.actuator_gear, outputs, 6);
    take(ours.actuator_ctrllimited, m.actuator_ctrllimited, m.nu);
    take(ours.actuator_ctrlrange, m.actuator_ctrlrange, m.nu, 2);
    if constexpr (requires { m.actuator_armature; }) take(ours.actuator_armature, m.actuator_armature, actuators);
    if constexpr (requires { m.actuator_damping; }) take(ours.actuator_damping, m.actuator_damping, actuators);
    if constexpr (requires { m.actuator_dampingpoly; })
      take(ours.actuator_dampingpoly, m.actuator_dampingpoly, actuators, mjNPOLY);
    if constexpr (requires { m.actuator_ctrladr; }) take(ours.actuator_ctrladr, m.actuator_ctrladr, actuators);
    if constexpr (requires { m.actuator_outadr; }) take(ours.actuator_outadr, m.actuator_outadr, actuators);
  };
  if constexpr (requires { m.nactuator; })
    take_actuators(m.nactuator, m.nout);
  else
    take_actuators(m.nu, m.nu);
  take(ours.key_qpos, m.key_qpos, m.nkey, static_cast<int>(m.nq));
  take(ours.key_qvel, m.key_qvel, m.nkey, static_cast<int>(m.nv));
  take(ours.key_ctrl, m.key_ctrl, m.nkey, static_cast<int>(m.nu));
  take(ours.key_act, m.key_act, m.nkey, static_cast<int>(m.na));
  take(ours.numeric_adr, m.numeric_adr, m.nnumeric);
  take(ours.numeric_size, m.numeric_size, m.nnumeric);
  take(ours.numeric_data, m.numeric_data, m.nnumericdata);
  take(ours.text_adr, m.text_adr, m.ntext);
  take(ours.text_size, m.text_size, m.ntext);
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
  ours.contacts = (m.opt.disableflags & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT)) == 0;
  ours.filter_parent = (m.opt.disableflags & mjDSBL_FILTERPARENT) == 0;
  ours.overrides = (m.opt.enableflags & mjENBL_OVERRIDE) != 0;
  ours.margins_add = mjVERSION_HEADER >= 4000000;
  return ours;
}

}  // namespace tandem::io
