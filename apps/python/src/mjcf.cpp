// SPDX-License-Identifier: Apache-2.0
/// Models that MuJoCo has compiled, from the attributes that its Python classes have: of any version.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"

namespace tandem::python {
namespace {

using Ints = std::vector<int> MujocoModel::*;
using Reals = std::vector<double> MujocoModel::*;
using M = MujocoModel;

constexpr std::pair<const char*, Ints> ints[] = {
    {"name_bodyadr", &M::name_bodyadr},
    {"name_jntadr", &M::name_jntadr},
    {"name_siteadr", &M::name_siteadr},
    {"name_eqadr", &M::name_eqadr},
    {"name_tendonadr", &M::name_tendonadr},
    {"name_actuatoradr", &M::name_actuatoradr},
    {"name_keyadr", &M::name_keyadr},
    {"name_pairadr", &M::name_pairadr},
    {"name_flexadr", &M::name_flexadr},
    {"name_textadr", &M::name_textadr},
    {"name_numericadr", &M::name_numericadr},
    {"body_parentid", &M::body_parentid},
    {"body_jntnum", &M::body_jntnum},
    {"body_jntadr", &M::body_jntadr},
    {"body_mocapid", &M::body_mocapid},
    {"body_plugin", &M::body_plugin},
    {"jnt_type", &M::jnt_type},
    {"jnt_qposadr", &M::jnt_qposadr},
    {"jnt_dofadr", &M::jnt_dofadr},
    {"jnt_limited", &M::jnt_limited},
    {"jnt_actfrclimited", &M::jnt_actfrclimited},
    {"site_bodyid", &M::site_bodyid},
    {"name_geomadr", &M::name_geomadr},
    {"name_meshadr", &M::name_meshadr},
    {"name_excludeadr", &M::name_excludeadr},
    {"geom_bodyid", &M::geom_bodyid},
    {"geom_type", &M::geom_type},
    {"geom_contype", &M::geom_contype},
    {"geom_conaffinity", &M::geom_conaffinity},
    {"geom_condim", &M::geom_condim},
    {"geom_priority", &M::geom_priority},
    {"geom_dataid", &M::geom_dataid},
    {"mesh_vertadr", &M::mesh_vertadr},
    {"mesh_vertnum", &M::mesh_vertnum},
    {"mesh_graphadr", &M::mesh_graphadr},
    {"mesh_graph", &M::mesh_graph},
    {"pair_dim", &M::pair_dim},
    {"pair_geom1", &M::pair_geom1},
    {"pair_geom2", &M::pair_geom2},
    {"exclude_signature", &M::exclude_signature},
    {"eq_type", &M::eq_type},
    {"eq_obj1id", &M::eq_obj1id},
    {"eq_obj2id", &M::eq_obj2id},
    {"eq_objtype", &M::eq_objtype},
    {"eq_active0", &M::eq_active0},
    {"actuator_trntype", &M::actuator_trntype},
    {"actuator_dyntype", &M::actuator_dyntype},
    {"actuator_actlimited", &M::actuator_actlimited},
    {"actuator_actearly", &M::actuator_actearly},
    {"actuator_gaintype", &M::actuator_gaintype},
    {"actuator_biastype", &M::actuator_biastype},
    {"actuator_trnid", &M::actuator_trnid},
    {"actuator_ctrladr", &M::actuator_ctrladr},
    {"actuator_outadr", &M::actuator_outadr},
    {"actuator_ctrlnum", &M::actuator_ctrlnum},
    {"actuator_group", &M::actuator_group},
    {"actuator_plugin", &M::actuator_plugin},
    {"actuator_forcelimited", &M::actuator_forcelimited},
    {"actuator_ctrllimited", &M::actuator_ctrllimited},
    {"numeric_adr", &M::numeric_adr},
    {"numeric_size", &M::numeric_size},
    {"text_adr", &M::text_adr},
    {"tendon_adr", &M::tendon_adr},
    {"tendon_num", &M::tendon_num},
    {"tendon_limited", &M::tendon_limited},
    {"wrap_type", &M::wrap_type},
    {"wrap_objid", &M::wrap_objid},
    {"text_size", &M::text_size},
};
constexpr std::pair<const char*, Reals> reals[] = {
    {"qpos0", &M::qpos0},
    {"qpos_spring", &M::qpos_spring},
    {"body_pos", &M::body_pos},
    {"body_quat", &M::body_quat},
    {"body_ipos", &M::body_ipos},
    {"body_iquat", &M::body_iquat},
    {"body_mass", &M::body_mass},
    {"body_inertia", &M::body_inertia},
    {"body_gravcomp", &M::body_gravcomp},
    {"jnt_pos", &M::jnt_pos},
    {"jnt_axis", &M::jnt_axis},
    {"jnt_stiffness", &M::jnt_stiffness},
    {"jnt_stiffnesspoly", &M::jnt_stiffnesspoly},
    {"jnt_springyield", &M::jnt_springyield},
    {"jnt_range", &M::jnt_range},
    {"jnt_actfrcrange", &M::jnt_actfrcrange},
    {"jnt_solref", &M::jnt_solref},
    {"jnt_solimp", &M::jnt_solimp},
    {"jnt_margin", &M::jnt_margin},
    {"dof_solref", &M::dof_solref},
    {"dof_solimp", &M::dof_solimp},
    {"dof_frictionloss", &M::dof_frictionloss},
    {"dof_armature", &M::dof_armature},
    {"dof_damping", &M::dof_damping},
    {"dof_dampingpoly", &M::dof_dampingpoly},
    {"site_pos", &M::site_pos},
    {"site_quat", &M::site_quat},
    {"eq_data", &M::eq_data},
    {"eq_solref", &M::eq_solref},
    {"eq_solimp", &M::eq_solimp},
    {"geom_pos", &M::geom_pos},
    {"geom_quat", &M::geom_quat},
    {"geom_size", &M::geom_size},
    {"geom_friction", &M::geom_friction},
    {"geom_solmix", &M::geom_solmix},
    {"geom_solref", &M::geom_solref},
    {"geom_solimp", &M::geom_solimp},
    {"geom_margin", &M::geom_margin},
    {"geom_gap", &M::geom_gap},
    {"geom_surfacevel", &M::geom_surfacevel},
    {"geom_adhesion", &M::geom_adhesion},
    {"mesh_vert", &M::mesh_vert},
    {"pair_solref", &M::pair_solref},
    {"pair_solreffriction", &M::pair_solreffriction},
    {"pair_solimp", &M::pair_solimp},
    {"pair_margin", &M::pair_margin},
    {"pair_gap", &M::pair_gap},
    {"pair_friction", &M::pair_friction},
    {"pair_adhesion", &M::pair_adhesion},
    {"actuator_dynprm", &M::actuator_dynprm},
    {"actuator_actrange", &M::actuator_actrange},
    {"actuator_gainprm", &M::actuator_gainprm},
    {"actuator_biasprm", &M::actuator_biasprm},
    {"actuator_delay", &M::actuator_delay},
    {"actuator_gear", &M::actuator_gear},
    {"actuator_forcerange", &M::actuator_forcerange},
    {"actuator_ctrlrange", &M::actuator_ctrlrange},
    {"actuator_armature", &M::actuator_armature},
    {"actuator_damping", &M::actuator_damping},
    {"actuator_dampingpoly", &M::actuator_dampingpoly},
    {"tendon_range", &M::tendon_range},
    {"tendon_margin", &M::tendon_margin},
    {"tendon_stiffness", &M::tendon_stiffness},
    {"tendon_stiffnesspoly", &M::tendon_stiffnesspoly},
    {"tendon_damping", &M::tendon_damping},
    {"tendon_dampingpoly", &M::tendon_dampingpoly},
    {"tendon_armature", &M::tendon_armature},
    {"tendon_frictionloss", &M::tendon_frictionloss},
    {"tendon_lengthspring", &M::tendon_lengthspring},
    {"tendon_solref_lim", &M::tendon_solref_lim},
    {"tendon_solimp_lim", &M::tendon_solimp_lim},
    {"tendon_solref_fri", &M::tendon_solref_fri},
    {"tendon_solimp_fri", &M::tendon_solimp_fri},
    {"wrap_prm", &M::wrap_prm},
    {"key_qpos", &M::key_qpos},
    {"key_qvel", &M::key_qvel},
    {"key_ctrl", &M::key_ctrl},
    {"key_act", &M::key_act},
    {"numeric_data", &M::numeric_data},
};

template <class T>
std::vector<T> rows(nb::handle array, const char* type) {
  return nb::cast<std::vector<T>>(array.attr("ravel")().attr("astype")(type).attr("tolist")());
}

std::string characters(nb::handle bytes) {
  const auto all = nb::cast<nb::bytes>(bytes);
  return {all.c_str(), all.size()};
}

ModelBuilder read(nb::handle theirs, std::array<bool, 9> enabled, const std::string& name,
                  const std::vector<std::string>& told, const std::vector<std::string>& unread) {
  MujocoModel ours;
  const auto given = [&](const char* field) { return nb::getattr(theirs, field, nb::none()); };
  for (const auto& [field, member] : ints)
    if (const nb::object array = given(field); !array.is_none()) ours.*member = rows<int>(array, "int32");
  for (const auto& [field, member] : reals)
    if (const nb::object array = given(field); !array.is_none()) ours.*member = rows<double>(array, "float64");
  ours.names = characters(theirs.attr("names"));
  ours.text_data = characters(theirs.attr("text_data"));
  const nb::object options = theirs.attr("opt");
  const auto three = [&](const char* field) {
    const std::vector<double> all = rows<double>(options.attr(field), "float64");
    return std::array<double, 3>{all.at(0), all.at(1), all.at(2)};
  };
  ours.gravity = three("gravity");
  ours.density = nb::cast<double>(options.attr("density"));
  ours.viscosity = nb::cast<double>(options.attr("viscosity"));
  ours.springs = enabled[0];
  ours.damping = enabled[1];
  ours.falls = enabled[2];
  ours.actuation = enabled[3];
  ours.clamps = enabled[4];
  ours.contacts = enabled[5];
  ours.filter_parent = enabled[6];
  ours.margins_add = enabled[7];
  ours.overrides = enabled[8];
  ours.geom_unread = unread;
  ours.cone = nb::cast<int>(options.attr("cone"));
  ours.integrator = nb::cast<int>(options.attr("integrator"));
  ours.impratio = nb::cast<double>(options.attr("impratio"));
  ours.timestep = nb::cast<double>(options.attr("timestep"));
  ours.disabled_actuators = nb::cast<int>(nb::getattr(options, "disableactuator", nb::int_(0)));
  ours.sensors = nb::cast<int>(theirs.attr("nsensor"));
  ModelBuilder robot = read_mujoco(ours, name);
  for (const std::string& text : told) robot.warning({name, 0, {}}, "MuJoCo: " + text);
  return robot;
}

}  // namespace

void bind_mjcf(nb::module_& m) {
  using namespace nb::literals;
  m.def("read_mujoco", &read, "model"_a, "enabled"_a, "name"_a, "told"_a, "unread"_a,
        "Reads a mujoco.MjModel; flags: springs, damping, gravity, actuation, clipped controls, contacts and the "
        "filter of "
        "parents are enabled, margins add, options override contacts; warnings of MuJoCo; for each shape, why it is "
        "not read.");
}

}  // namespace tandem::python
