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

// What is read of a model that MuJoCo has compiled: bodies with their masses, wherever these come from; hinges, slides,
// balls and free joints, as many of a body as it has, with reference positions, limits, armature, damping, springs and
// dry friction; sites as frames; gravity; keyframes as named configurations; connect and weld constraints as joints
// that close loops, linear joint constraints as joints that follow others; actuators on hinges and slides whose force
// is linear in control, position and velocity (motors, position and velocity servos, general ones), with their limits,
// and the controls of keyframes; shapes with the parameters of their contacts, explicit pairs, excludes and contact
// options, which change nothing yet: contacts have no forces. What of contacts is not read, such as meshes that are
// missing, a ContactSet reports. All that moves a robot besides is a warning each, which names the element; the control
// of an actuator that is left out keeps its place.
//
// A body whose joints do not turn about its own origin, or that has several, is a link on a fixed joint: its frame is the body's
// own. The links that carry it are called "body:joint".

/// What is read of a compiled model, under MuJoCo's names and in its order: rows of mjModel's arrays one after the other. Arrays
/// that a version of MuJoCo does not have stay empty.
struct MujocoModel {
  std::string names;                         ///< all names, a zero byte after each; the model's own comes first
  std::vector<int> name_bodyadr;             ///< where the names of bodies begin
  std::vector<int> name_jntadr;              ///< where the names of joints begin
  std::vector<int> name_siteadr;             ///< where the names of sites begin
  std::vector<int> name_eqadr;               ///< where the names of constraints begin
  std::vector<int> name_tendonadr;           ///< where the names of tendons begin
  std::vector<int> name_actuatoradr;         ///< where the names of actuators begin
  std::vector<int> name_keyadr;              ///< where the names of keyframes begin
  std::vector<int> name_pairadr;             ///< where the names of contact pairs begin
  std::vector<int> name_flexadr;             ///< where the names of flexes begin
  std::vector<int> name_textadr;             ///< where the names of custom texts begin
  std::vector<int> name_numericadr;          ///< where the names of custom numbers begin
  std::vector<double> qpos0;                 ///< [nq] configuration of the described robot
  std::vector<double> qpos_spring;           ///< [nq] where springs are slack
  std::vector<int> body_parentid;            ///< [nbody] the parent body
  std::vector<int> body_jntnum;              ///< [nbody] number of its joints
  std::vector<int> body_jntadr;              ///< [nbody] the first of them
  std::vector<int> body_mocapid;             ///< [nbody] -1: not moved from outside
  std::vector<int> body_plugin;              ///< [nbody] -1: no plugin
  std::vector<double> body_pos;              ///< [nbody, 3] position in the parent, m
  std::vector<double> body_quat;             ///< [nbody, 4] orientation there, w x y z
  std::vector<double> body_ipos;             ///< [nbody, 3] centre of mass, m
  std::vector<double> body_iquat;            ///< [nbody, 4] principal axes, w x y z
  std::vector<double> body_mass;             ///< [nbody] kg
  std::vector<double> body_inertia;          ///< [nbody, 3] principal moments, kg m^2
  std::vector<double> body_gravcomp;         ///< [nbody] share of its weight that is held
  std::vector<int> jnt_type;                 ///< [njnt] 0 free, 1 ball, 2 slide, 3 hinge
  std::vector<int> jnt_qposadr;              ///< [njnt] first row in q
  std::vector<int> jnt_dofadr;               ///< [njnt] first row in v
  std::vector<int> jnt_limited;              ///< [njnt] whether it has limits
  std::vector<int> jnt_actfrclimited;        ///< [njnt] whether the force on it has
  std::vector<double> jnt_pos;               ///< [njnt, 3] its point, in the body's frame, m
  std::vector<double> jnt_axis;              ///< [njnt, 3] its direction there
  std::vector<double> jnt_stiffness;         ///< [njnt] N m/rad or N/m
  std::vector<double> jnt_stiffnesspoly;     ///< [njnt, 2] of higher powers
  std::vector<double> jnt_springyield;       ///< [njnt] where the spring yields; 0: nowhere
  std::vector<double> jnt_range;             ///< [njnt, 2] limits, rad or m
  std::vector<double> jnt_actfrcrange;       ///< [njnt, 2] limits of the force on it, N m or N
  std::vector<double> jnt_solref;            ///< [njnt, 2] stiffness and damping of its limits
  std::vector<double> jnt_solimp;            ///< [njnt, 5] their impedance
  std::vector<double> jnt_margin;            ///< [njnt] where they begin to push, rad or m
  std::vector<double> dof_solref;            ///< [nv, 2] stiffness and damping of dry friction
  std::vector<double> dof_solimp;            ///< [nv, 5] its impedance
  std::vector<double> dof_frictionloss;      ///< [nv] N m or N
  std::vector<double> dof_armature;          ///< [nv] kg m^2 or kg
  std::vector<double> dof_damping;           ///< [nv] N m s/rad or N s/m
  std::vector<double> dof_dampingpoly;       ///< [nv, 2] of higher powers
  std::vector<int> site_bodyid;              ///< [nsite] the body of the site
  std::vector<double> site_pos;              ///< [nsite, 3] position there, m
  std::vector<double> site_quat;             ///< [nsite, 4] orientation there, w x y z
  std::vector<int> name_geomadr;             ///< where the names of shapes begin
  std::vector<int> name_meshadr;             ///< where the names of meshes begin
  std::vector<int> name_excludeadr;          ///< where the names of excludes begin
  std::vector<int> geom_bodyid;              ///< [ngeom] the body that the shape is on
  std::vector<int> geom_type;                ///< [ngeom] 0 plane, 1 height field, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh, 8 sdf
  std::vector<int> geom_contype;             ///< [ngeom] what it touches
  std::vector<int> geom_conaffinity;         ///< [ngeom] what touches it
  std::vector<int> geom_condim;              ///< [ngeom] dimensions of its contacts
  std::vector<int> geom_priority;            ///< [ngeom] whose parameters count
  std::vector<int> geom_dataid;              ///< [ngeom] its mesh
  std::vector<double> geom_pos;              ///< [ngeom, 3] position in the body, m
  std::vector<double> geom_quat;             ///< [ngeom, 4] orientation there, w x y z
  std::vector<double> geom_size;             ///< [ngeom, 3] m
  std::vector<double> geom_friction;         ///< [ngeom, 3] sliding, torsional, rolling
  std::vector<double> geom_solmix;           ///< [ngeom] weight of its softness
  std::vector<double> geom_solref;           ///< [ngeom, 2] stiffness and damping
  std::vector<double> geom_solimp;           ///< [ngeom, 5] impedance
  std::vector<double> geom_margin;           ///< [ngeom] m
  std::vector<double> geom_gap;              ///< [ngeom] m
  std::vector<double> geom_surfacevel;       ///< [ngeom, 6] velocity of its surface
  std::vector<double> geom_adhesion;         ///< [ngeom] adhesive force
  std::vector<std::string> geom_unread;      ///< [ngeom] what of its form was left out, such as a mesh; or no entries
  std::vector<int> mesh_vertadr;             ///< [nmesh] its first vertex
  std::vector<int> mesh_vertnum;             ///< [nmesh] how many it has
  std::vector<int> mesh_graphadr;            ///< [nmesh] where its hull begins; -1: it has none
  std::vector<int> mesh_graph;               ///< hulls: number of vertices, of faces, an address each vertex, vertices, ...
  std::vector<double> mesh_vert;             ///< [nmeshvert, 3] vertices, m
  std::vector<int> pair_dim;                 ///< [npair] dimensions of its contacts
  std::vector<int> pair_geom1;               ///< [npair] the one shape
  std::vector<int> pair_geom2;               ///< [npair] the other
  std::vector<double> pair_solref;           ///< [npair, 2] stiffness and damping
  std::vector<double> pair_solreffriction;   ///< [npair, 2] those of friction
  std::vector<double> pair_solimp;           ///< [npair, 5] impedance
  std::vector<double> pair_margin;           ///< [npair] m
  std::vector<double> pair_gap;              ///< [npair] m
  std::vector<double> pair_friction;         ///< [npair, 5] two sliding, torsional, two rolling
  std::vector<double> pair_adhesion;         ///< [npair] adhesive force
  std::vector<int> exclude_signature;        ///< [nexclude] the one body times 2^16 plus the other
  std::vector<int> eq_type;                  ///< [neq] 0 connect, 1 weld, 2 joint, others
  std::vector<int> eq_obj1id;                ///< [neq] the one body, site or joint
  std::vector<int> eq_obj2id;                ///< [neq] the other
  std::vector<int> eq_objtype;               ///< [neq] 6: of sites
  std::vector<int> eq_active0;               ///< [neq] whether it holds
  std::vector<double> eq_data;               ///< [neq, as many as the version has] anchors, poses, coefficients
  std::vector<int> actuator_trntype;         ///< [nactuator] what it pushes on; 0: a joint
  std::vector<int> actuator_dyntype;         ///< [nactuator] 0: no dynamics
  std::vector<int> actuator_gaintype;        ///< [nactuator] 0: a fixed gain
  std::vector<int> actuator_biastype;        ///< [nactuator] 0: no force of its own
  std::vector<int> actuator_trnid;           ///< [nactuator, 2] the joint
  std::vector<int> actuator_ctrladr;         ///< [nactuator] its first control; empty: of its own index
  std::vector<int> actuator_ctrlnum;         ///< [nactuator] how many controls; empty: one
  std::vector<int> actuator_group;           ///< [nactuator] its group
  std::vector<int> actuator_plugin;          ///< [nactuator] -1: no plugin
  std::vector<double> actuator_delay;        ///< [nactuator] of the control, s
  std::vector<int> actuator_outadr;          ///< [nactuator] its force; empty: likewise
  std::vector<int> actuator_forcelimited;    ///< [nactuator] whether the force has limits
  std::vector<int> actuator_ctrllimited;     ///< [nu] whether the control has
  std::vector<double> actuator_gainprm;      ///< [nactuator, n] gain, by length, by its rate
  std::vector<double> actuator_biasprm;      ///< [nactuator, n] the same of the bias
  std::vector<double> actuator_gear;         ///< [forces, 6] the gear first
  std::vector<double> actuator_forcerange;   ///< [nactuator, 2] limits of the force
  std::vector<double> actuator_ctrlrange;    ///< [nu, 2] limits of the control
  std::vector<double> actuator_armature;     ///< [nactuator] rotor inertia, before the gear
  std::vector<double> actuator_damping;      ///< [nactuator] damping, before the gear
  std::vector<double> actuator_dampingpoly;  ///< [nactuator, 2] of higher powers
  std::vector<double> key_qpos;              ///< [nkey, nq] configurations
  std::vector<double> key_qvel;              ///< [nkey, nv] velocities
  std::vector<double> key_ctrl;              ///< [nkey, nu] controls
  std::vector<int> numeric_adr;              ///< [nnumeric] where each begins
  std::vector<int> numeric_size;             ///< [nnumeric] how many there are
  std::vector<double> numeric_data;          ///< the numbers
  std::vector<int> text_adr;                 ///< [ntext] where each begins
  std::vector<int> text_size;                ///< [ntext] how long each is
  std::string text_data;                     ///< the texts

  std::array<double, 3> gravity{0, 0, -9.81};  ///< m/s^2
  double density = 0;                          ///< of the medium, kg/m^3
  double viscosity = 0;                        ///< of the medium, kg/(m s)
  bool springs = true;                         ///< whether springs are enabled
  bool damping = true;                         ///< whether damping is
  bool falls = true;                           ///< whether gravity is
  bool actuation = true;                       ///< whether actuators are
  bool clamps = true;                          ///< whether controls are clipped to their ranges
  int disabled_actuators = 0;                  ///< groups of actuators that are not enabled, a bit each
  int sensors = 0;                             ///< how many there are
  int cone = 0;                                ///< 0 pyramidal, 1 elliptic
  int integrator = 0;                          ///< 0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete
  double impratio = 1;                         ///< how much stiffer friction is than the normal
  double timestep = 0;                         ///< s
  bool contacts = true;                        ///< whether contacts are enabled
  bool filter_parent = true;                   ///< whether a body and the one that carries it do not touch
  bool overrides = false;                      ///< whether options override the parameters of contacts
  bool margins_add = true;                     ///< whether margins of two shapes add, as from version 4 on
};

/// True for text whose first element is MJCF's `mujoco`, or `mujocoinclude`.
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
/// planar joints, free joints that are not attached to the base, other loops, links that joints move and that have no mass or inertia, more
/// than 496 links in a row, which MuJoCo's parser does not take.
std::string write_mjcf(const ModelBuilder& description);

/// What a compiled model says, as a description. `name` stands for the file in messages. Throws ModelError for arrays that do not fit
/// each other.
ModelBuilder read_mujoco(const MujocoModel& model, const std::string& name = "<mujoco>");

}  // namespace tandem
