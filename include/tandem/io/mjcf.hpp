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

// Supported elements of a compiled model:
// - bodies with their inertial properties, explicit or from shapes;
// - hinge, slide, ball and free joints, any number per body, with reference positions, limits, armature, damping,
//   springs and dry friction;
// - sites (as frames), gravity, and keyframes (as named configurations);
// - connect and weld constraints (as loop joints), linear joint constraints (as mimic joints), other joint constraints
//   and those of fixed tendons (as couplers);
// - actuators on hinges, slides, fixed tendons and sites whose force is linear in control or activation, position and
//   velocity (motors, position and velocity servos, general ones), with activations of first order, limits, and
//   controls of keyframes;
// - fixed tendons;
// - shapes with the parameters of their contacts, explicit pairs, excludes and contact options.
// A ContactSet reports unsupported contact elements, such as missing meshes. Each other element that moves a robot
// causes a warning with its name. An ignored actuator keeps its control.
//
// A body with several joints, or with a joint axis that does not pass through its origin, becomes a link on a fixed
// joint, so that its frame is that of the body. Its massless parents are called "body:joint".

/// The arrays of mjModel that are read, with MuJoCo's names and in row-major order. Arrays that a version of MuJoCo
/// does not have are empty.
struct MujocoModel {
  std::string names;                      ///< all names, a zero byte after each; the model's own comes first
  std::vector<int> name_bodyadr;          ///< where the names of bodies begin
  std::vector<int> name_jntadr;           ///< where the names of joints begin
  std::vector<int> name_siteadr;          ///< where the names of sites begin
  std::vector<int> name_eqadr;            ///< where the names of constraints begin
  std::vector<int> name_tendonadr;        ///< where the names of tendons begin
  std::vector<int> name_actuatoradr;      ///< where the names of actuators begin
  std::vector<int> name_keyadr;           ///< where the names of keyframes begin
  std::vector<int> name_pairadr;          ///< where the names of contact pairs begin
  std::vector<int> name_flexadr;          ///< where the names of flexes begin
  std::vector<int> name_textadr;          ///< where the names of custom texts begin
  std::vector<int> name_numericadr;       ///< where the names of custom numbers begin
  std::vector<double> qpos0;              ///< [nq] configuration of the described robot
  std::vector<double> qpos_spring;        ///< [nq] rest positions of springs
  std::vector<int> body_parentid;         ///< [nbody] the parent body
  std::vector<int> body_jntnum;           ///< [nbody] number of its joints
  std::vector<int> body_jntadr;           ///< [nbody] its first joint
  std::vector<int> body_mocapid;          ///< [nbody] -1: not moved from outside
  std::vector<int> body_plugin;           ///< [nbody] -1: no plugin
  std::vector<double> body_pos;           ///< [nbody, 3] position in the parent, m
  std::vector<double> body_quat;          ///< [nbody, 4] orientation there, w x y z
  std::vector<double> body_ipos;          ///< [nbody, 3] centre of mass, m
  std::vector<double> body_iquat;         ///< [nbody, 4] principal axes, w x y z
  std::vector<double> body_mass;          ///< [nbody] kg
  std::vector<double> body_inertia;       ///< [nbody, 3] principal moments, kg m^2
  std::vector<double> body_gravcomp;      ///< [nbody] gravity compensation, fraction of its weight
  std::vector<int> jnt_type;              ///< [njnt] 0 free, 1 ball, 2 slide, 3 hinge
  std::vector<int> jnt_qposadr;           ///< [njnt] first row in q
  std::vector<int> jnt_dofadr;            ///< [njnt] first row in v
  std::vector<int> jnt_limited;           ///< [njnt] whether it has limits
  std::vector<int> jnt_actfrclimited;     ///< [njnt] whether its actuator force has limits
  std::vector<double> jnt_pos;            ///< [njnt, 3] its position in the body's frame, m
  std::vector<double> jnt_axis;           ///< [njnt, 3] its axis in the body's frame
  std::vector<double> jnt_stiffness;      ///< [njnt] N m/rad or N/m
  std::vector<double> jnt_stiffnesspoly;  ///< [njnt, 2] stiffness of higher powers
  std::vector<double> jnt_springyield;    ///< [njnt] yield point of the spring; 0: none
  std::vector<double> jnt_range;          ///< [njnt, 2] limits, rad or m
  std::vector<double> jnt_actfrcrange;    ///< [njnt, 2] limits of its actuator force, N m or N
  std::vector<double> jnt_solref;         ///< [njnt, 2] stiffness and damping of its limits
  std::vector<double> jnt_solimp;         ///< [njnt, 5] impedance of its limits
  std::vector<double> jnt_margin;         ///< [njnt] distance at which its limits become active, rad or m
  std::vector<double> dof_solref;         ///< [nv, 2] stiffness and damping of dry friction
  std::vector<double> dof_solimp;         ///< [nv, 5] impedance of dry friction
  std::vector<double> dof_frictionloss;   ///< [nv] N m or N
  std::vector<double> dof_armature;       ///< [nv] kg m^2 or kg
  std::vector<double> dof_damping;        ///< [nv] N m s/rad or N s/m
  std::vector<double> dof_dampingpoly;    ///< [nv, 2] damping of higher powers
  std::vector<int> site_bodyid;           ///< [nsite] the body of the site
  std::vector<double> site_pos;           ///< [nsite, 3] position in the body, m
  std::vector<double> site_quat;          ///< [nsite, 4] orientation in the body, w x y z
  std::vector<int> name_geomadr;          ///< where the names of shapes begin
  std::vector<int> name_meshadr;          ///< where the names of meshes begin
  std::vector<int> name_excludeadr;       ///< where the names of excludes begin
  std::vector<int> geom_bodyid;           ///< [ngeom] the body of the shape
  /// [ngeom] 0 plane, 1 height field, 2 sphere, 3 capsule, 4 ellipsoid, 5 cylinder, 6 box, 7 mesh, 8 sdf
  std::vector<int> geom_type;
  std::vector<int> geom_contype;             ///< [ngeom] contact type, bits
  std::vector<int> geom_conaffinity;         ///< [ngeom] contact affinity, bits
  std::vector<int> geom_condim;              ///< [ngeom] dimensions of its contacts
  std::vector<int> geom_priority;            ///< [ngeom] priority of its contact parameters
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
  std::vector<std::string> geom_unread;      ///< [ngeom] omitted geometry, such as a mesh; may have no entries
  std::vector<int> mesh_vertadr;             ///< [nmesh] its first vertex
  std::vector<int> mesh_vertnum;             ///< [nmesh] number of its vertices
  std::vector<int> mesh_graphadr;            ///< [nmesh] address of its convex hull; -1: none
  std::vector<int> mesh_graph;               ///< hulls: number of vertices, of faces, vertex addresses, vertices, ...
  std::vector<double> mesh_vert;             ///< [nmeshvert, 3] vertices, m
  std::vector<int> pair_dim;                 ///< [npair] dimensions of its contacts
  std::vector<int> pair_geom1;               ///< [npair] the first shape
  std::vector<int> pair_geom2;               ///< [npair] the second shape
  std::vector<double> pair_solref;           ///< [npair, 2] stiffness and damping
  std::vector<double> pair_solreffriction;   ///< [npair, 2] stiffness and damping of friction
  std::vector<double> pair_solimp;           ///< [npair, 5] impedance
  std::vector<double> pair_margin;           ///< [npair] m
  std::vector<double> pair_gap;              ///< [npair] m
  std::vector<double> pair_friction;         ///< [npair, 5] two sliding, torsional, two rolling
  std::vector<double> pair_adhesion;         ///< [npair] adhesive force
  std::vector<int> exclude_signature;        ///< [nexclude] first body times 2^16 plus second body
  std::vector<int> eq_type;                  ///< [neq] 0 connect, 1 weld, 2 joint, 3 tendon, others
  std::vector<int> eq_obj1id;                ///< [neq] first body, site, joint or tendon
  std::vector<int> eq_obj2id;                ///< [neq] second body, site, joint or tendon
  std::vector<int> eq_objtype;               ///< [neq] 6: sites
  std::vector<int> eq_active0;               ///< [neq] whether it is active
  std::vector<double> eq_data;               ///< [neq, size of the version] anchors, poses, coefficients
  std::vector<double> eq_solref;             ///< [neq, 2] stiffness and damping
  std::vector<double> eq_solimp;             ///< [neq, 5] impedance
  std::vector<int> actuator_trntype;         ///< [nactuator] transmission; 0: a joint
  std::vector<int> actuator_dyntype;         ///< [nactuator] 0 none, 1 integrator, 2 filter, 3 filterexact
  std::vector<int> actuator_actlimited;      ///< [nactuator] whether the activation has limits
  std::vector<int> actuator_actearly;        ///< [nactuator] whether the next activation acts
  std::vector<double> actuator_actrange;     ///< [nactuator, 2] limits of the activation
  std::vector<double> actuator_dynprm;       ///< [nactuator, size of the version] time constant, ...
  std::vector<int> actuator_gaintype;        ///< [nactuator] 0: a fixed gain
  std::vector<int> actuator_biastype;        ///< [nactuator] 0: no bias force
  std::vector<int> actuator_trnid;           ///< [nactuator, 2] the joint
  std::vector<int> actuator_ctrladr;         ///< [nactuator] its first control; empty: its index
  std::vector<int> actuator_ctrlnum;         ///< [nactuator] number of its controls; empty: one
  std::vector<int> actuator_group;           ///< [nactuator] its group
  std::vector<int> actuator_plugin;          ///< [nactuator] -1: no plugin
  std::vector<double> actuator_delay;        ///< [nactuator] delay of the control, s
  std::vector<int> actuator_outadr;          ///< [nactuator] index of its force; empty: its index
  std::vector<int> actuator_forcelimited;    ///< [nactuator] whether the force has limits
  std::vector<int> actuator_ctrllimited;     ///< [nu] whether the control has limits
  std::vector<double> actuator_gainprm;      ///< [nactuator, n] gain: constant, per length, per rate of length
  std::vector<double> actuator_biasprm;      ///< [nactuator, n] bias: constant, per length, per rate of length
  std::vector<double> actuator_gear;         ///< [forces, 6] gear in the first entry
  std::vector<double> actuator_forcerange;   ///< [nactuator, 2] limits of the force
  std::vector<double> actuator_ctrlrange;    ///< [nu, 2] limits of the control
  std::vector<double> actuator_armature;     ///< [nactuator] rotor inertia on the side of the motor
  std::vector<double> actuator_damping;      ///< [nactuator] damping on the side of the motor
  std::vector<double> actuator_dampingpoly;  ///< [nactuator, 2] damping of higher powers
  std::vector<int> tendon_adr;               ///< [ntendon] the first part of its path
  std::vector<int> tendon_num;               ///< [ntendon] number of its parts
  std::vector<int> tendon_limited;           ///< [ntendon] whether it has limits
  std::vector<int> tendon_actfrclimited;     ///< [ntendon] whether the force of all its actuators is limited
  std::vector<int> wrap_type;                ///< [nwrap] 1 joint: a fixed tendon; others: spatial
  std::vector<int> wrap_objid;               ///< [nwrap] the joint
  std::vector<double> tendon_range;          ///< [ntendon, 2] limits, m
  std::vector<double> tendon_margin;         ///< [ntendon] distance at which its limits become active, m
  std::vector<double> tendon_stiffness;      ///< [ntendon] N/m
  std::vector<double> tendon_stiffnesspoly;  ///< [ntendon, 2] stiffness of higher powers
  std::vector<double> tendon_damping;        ///< [ntendon] N s/m
  std::vector<double> tendon_dampingpoly;    ///< [ntendon, 2] damping of higher powers
  std::vector<double> tendon_armature;       ///< [ntendon] kg
  std::vector<double> tendon_frictionloss;   ///< [ntendon] N
  std::vector<double> tendon_lengthspring;   ///< [ntendon, 2] lengths between which its spring is slack, m
  std::vector<double> tendon_solref_lim;     ///< [ntendon, 2] stiffness and damping of its limits
  std::vector<double> tendon_solimp_lim;     ///< [ntendon, 5] impedance of its limits
  std::vector<double> tendon_solref_fri;     ///< [ntendon, 2] stiffness and damping of its friction
  std::vector<double> tendon_solimp_fri;     ///< [ntendon, 5] impedance of its friction
  std::vector<double> wrap_prm;              ///< [nwrap] coefficient of the joint
  std::vector<double> key_qpos;              ///< [nkey, nq] configurations
  std::vector<double> key_qvel;              ///< [nkey, nv] velocities
  std::vector<double> key_ctrl;              ///< [nkey, nu] controls
  std::vector<double> key_act;               ///< [nkey, na] activations
  std::vector<int> numeric_adr;              ///< [nnumeric] address of its numbers
  std::vector<int> numeric_size;             ///< [nnumeric] number of its numbers
  std::vector<double> numeric_data;          ///< the numbers
  std::vector<int> text_adr;                 ///< [ntext] address of its text
  std::vector<int> text_size;                ///< [ntext] length of its text
  std::string text_data;                     ///< the texts

  std::array<double, 3> gravity{0, 0, -9.81};  ///< m/s^2
  double density = 0;                          ///< density of the medium, kg/m^3
  double viscosity = 0;                        ///< viscosity of the medium, kg/(m s)
  bool springs = true;                         ///< whether springs are enabled
  bool damping = true;                         ///< whether damping is enabled
  bool friction = true;                        ///< whether dry friction of joints and tendons is enabled
  bool limits = true;                          ///< whether limits of joints and tendons are enabled
  bool equalities = true;                      ///< whether equality constraints are enabled
  bool falls = true;                           ///< whether gravity is enabled
  bool actuation = true;                       ///< whether actuators are enabled
  bool clamps = true;                          ///< whether controls are clipped to their ranges
  int disabled_actuators = 0;                  ///< disabled groups of actuators, bits
  int sensors = 0;                             ///< number of sensors
  int cone = 0;                                ///< 0 pyramidal, 1 elliptic
  int integrator = 0;                          ///< 0 Euler, 1 RK4, 2 implicit, 3 implicitfast, 4 discrete
  double impratio = 1;                         ///< ratio of frictional to normal impedance
  double timestep = 0;                         ///< s
  int noslip_iterations = 0;                   ///< iterations against slip after contacts are solved
  bool explicit_damping = false;               ///< whether Euler's damping is explicit
  bool short_time_constants = false;           ///< whether constraints may be faster than two steps
  bool exact_diagonal = false;                 ///< whether impedances are relative to the exact mobility of rows
  bool contacts = true;                        ///< whether contacts are enabled
  bool filter_parent = true;                   ///< whether contacts between a body and its parent are excluded
  bool overrides = false;                      ///< whether options override the parameters of contacts
  bool margins_add = true;                     ///< whether margins of two shapes add, as from version 4 on
};

/// Whether the first element of a text is `mujoco` or `mujocoinclude`.
bool is_mjcf(std::string_view text);

/// Whether this library reads MJCF. It must have been compiled with MuJoCo's headers, and a MuJoCo library of the same
/// version must be available: that of the environment variable TANDEM_MUJOCO (a file or its folder), the one that CMake
/// found, or that of the system's loader.
bool reads_mjcf();

/// Load a robot from an MJCF file and the files that it includes. Meshes that do not contribute to an inertia may be
/// missing. Throws ModelError with the message of MuJoCo, file, line and element, and Error with instructions if MuJoCo
/// is not available.
Model load_mjcf(const std::string& path, const BuildOptions& options = {});
/// Load a robot from MJCF text. Files are included from the current folder; messages use `name` for the file.
Model parse_mjcf(std::string_view text, const BuildOptions& options = {}, const std::string& name = "<string>");
/// Read the description of an MJCF file, for editing; build() checks it.
ModelBuilder read_mjcf_file(const std::string& path);
/// Read the description of MJCF text, for editing.
ModelBuilder read_mjcf(std::string_view text, const std::string& name = "<string>");

/// MJCF text of a description; does not need MuJoCo. Numbers are the shortest that read back exactly; rotations are
/// written as quaternions and inertias by principal axes, and read back to within rounding.
///
/// Consecutive massless links become joints of one body. Frames become sites, named configurations keyframes, and mimic
/// joints and fixed, spherical and revolute loop joints constraints. Velocity limits are stored in custom fields.
/// Throws ModelError that lists elements without an equivalent in MuJoCo: helical, universal and planar joints, free
/// joints that are not attached to the base, other loop joints, moving links without mass or inertia, and chains of
/// more than 496 links, the limit of MuJoCo's parser.
std::string write_mjcf(const ModelBuilder& description);

/// The description of a compiled model. Messages use `name` for the file. Throws ModelError for arrays of inconsistent
/// sizes.
ModelBuilder read_mujoco(const MujocoModel& model, const std::string& name = "<mujoco>");

}  // namespace tandem
