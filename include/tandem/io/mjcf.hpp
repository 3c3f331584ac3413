// SPDX-License-Identifier: Apache-2.0
/// Reading MJCF (MuJoCo's format) through MuJoCo's own compiler, and writing it.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tandem/model/builder.hpp"

namespace tandem {

// What is read of a model that MuJoCo has compiled: bodies with their masses, wherever these come from; hinges, slides, balls and
// free joints, as many of a body as it has, with reference positions, limits, armature, damping, springs and dry friction; sites as
// frames; gravity; keyframes as named configurations; connect and weld constraints as joints that close loops, linear joint
// constraints as joints that follow others; force limits of joints and of motors that push on one. All that moves a robot besides
// is a warning each, which names the element.
//
// A body whose joints do not turn about its own origin, or that has several, is a link on a fixed joint: its frame is the body's
// own. The links that carry it are called "body:joint".

/// What is read of a compiled model, under MuJoCo's names and in its order: rows of mjModel's arrays one after the other. Arrays
/// that a version of MuJoCo does not have stay empty.
struct MujocoModel {
  std::string names;  ///< all names, a zero byte after each; the model's own comes first

  /// Where the names of elements of each kind begin.
  std::vector<int> name_bodyadr, name_jntadr, name_siteadr, name_eqadr, name_tendonadr, name_actuatoradr, name_keyadr,
      name_geomadr, name_pairadr, name_flexadr, name_textadr, name_numericadr;

  std::vector<double> qpos0, qpos_spring;  ///< [nq]

  std::vector<int> body_parentid, body_jntnum, body_jntadr, body_mocapid, body_plugin;  ///< [nbody]
  std::vector<double> body_pos, body_quat, body_ipos, body_iquat;                       ///< [nbody, 3 or 4]
  std::vector<double> body_mass, body_inertia, body_gravcomp;                           ///< [nbody, 1 or 3]

  std::vector<int> jnt_type, jnt_qposadr, jnt_dofadr, jnt_limited, jnt_actfrclimited;  ///< [njnt]
  std::vector<double> jnt_pos, jnt_axis;                                               ///< [njnt, 3]
  std::vector<double> jnt_stiffness, jnt_stiffnesspoly, jnt_springyield;               ///< [njnt, 1 or more]
  std::vector<double> jnt_range, jnt_actfrcrange;                                      ///< [njnt, 2]

  std::vector<double> dof_frictionloss, dof_armature, dof_damping, dof_dampingpoly;  ///< [nv, 1 or more]

  std::vector<int> site_bodyid;                     ///< [nsite]
  std::vector<double> site_pos, site_quat;          ///< [nsite, 3 or 4]
  std::vector<int> geom_bodyid;                     ///< [ngeom]
  std::vector<int> geom_contype, geom_conaffinity;  ///< [ngeom]

  std::vector<int> eq_type, eq_obj1id, eq_obj2id, eq_objtype, eq_active0;  ///< [neq]
  std::vector<double> eq_data;                                             ///< [neq, as many as the version has]

  std::vector<int> actuator_trntype, actuator_dyntype, actuator_gaintype, actuator_biastype;     ///< [nactuator]
  std::vector<int> actuator_trnid;                                                               ///< [nactuator, 2]
  std::vector<int> actuator_ctrladr, actuator_outadr;                                            ///< [nactuator]
  std::vector<int> actuator_forcelimited, actuator_ctrllimited;                                  ///< [nactuator], [nu]
  std::vector<double> actuator_gainprm, actuator_gear, actuator_forcerange, actuator_ctrlrange;  ///< rows of each
  std::vector<double> actuator_armature, actuator_damping, actuator_dampingpoly;  ///< [nactuator, 1 or more]

  std::vector<double> key_qpos, key_qvel;  ///< [nkey, nq], [nkey, nv]

  std::vector<int> numeric_adr, numeric_size;  ///< [nnumeric]
  std::vector<double> numeric_data;            ///< [nnumericdata]
  std::vector<int> text_adr, text_size;        ///< [ntext]
  std::string text_data;                       ///< [ntextdata]

  std::array<double, 3> gravity{0, 0, -9.81}, wind{};  ///< of the options
  double density = 0, viscosity = 0;                   ///< of the medium
  bool springs = true, damping = true, falls = true;   ///< flags: whether springs, damping and gravity are enabled
  int sensors = 0;                                     ///< how many there are
};

/// True for text whose first element is MJCF's <mujoco>, or <mujocoinclude>.
bool is_mjcf(std::string_view text);

/// Whether this library reads MJCF: it was compiled beside MuJoCo's headers, and a library of the same version can be opened: that of
/// the environment variable TANDEM_MUJOCO (a file, or its folder), the one that CMake found, or the loader's.
bool reads_mjcf();

/// Reads an MJCF file, and those that it includes. Shapes that give no body its inertia are left out, so that their meshes may be
/// missing. Throws ModelError with MuJoCo's words, file, line and element; Error that says how to get MuJoCo if there is none.
Model load_mjcf(const std::string& path, const BuildOptions& options = {});
/// The same from text, which includes files from the current folder; `name` stands for the file in messages.
Model parse_mjcf(std::string_view text, const BuildOptions& options = {}, const std::string& name = "<string>");
/// What an MJCF file says, before it is checked and built: a description that can be edited.
ModelBuilder read_mjcf_file(const std::string& path);
/// The same from text.
ModelBuilder read_mjcf(std::string_view text, const std::string& name = "<string>");

/// MJCF text of a description; no MuJoCo is needed. Every number is the shortest that reads back exactly; rotations go through
/// quaternions, inertias through principal axes, and come back to within rounding. Links without mass in a row become joints of one
/// body; frames become sites, named configurations keyframes, joints that follow others and fixed, spherical and revolute loops constraints;
/// limits of velocities are kept in custom fields. Throws ModelError that lists what MuJoCo has no word for: helical, universal and
/// planar joints, free joints that do not hang from the base, other loops, links that joints move and that have no mass or inertia.
std::string write_mjcf(const ModelBuilder& description);

/// What a compiled model says, as a description. `name` stands for the file in messages.
ModelBuilder read_mujoco(const MujocoModel& model, const std::string& name = "<mujoco>");

}  // namespace tandem
