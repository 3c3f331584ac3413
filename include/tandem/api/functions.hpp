// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as all functions are documented in one header.
/// The algorithms as functions of one state. Calls do not allocate once the workspace has its final size, except once
/// after some thousand calls, when a thread starts to compile a kernel for the robot (see Plan). For batches of states
/// and named arguments see tandem/api/batches.hpp.
///
///     Workspace<double> work;
///     forward_dynamics(model, q, v, tau, a, work);     // a <- acceleration; any contiguous containers of double
///
/// Units are SI and radians, `rad|m` is rad for an angle and m for a length. Matrices are row-major. Spatial vectors
/// are linear first. Optional inputs may be empty. An output of wrong size throws Error with both sizes; NaN and
/// infinities do not affect other states. Keys of sources are those of docs/notation.md; see tandem/detail/problems and
/// tandem/detail/derivatives for the algorithms.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// An input: a contiguous container of T, double or float as the workspace.
template <class T>
using In = std::span<const std::type_identity_t<T>>;
/// An output: a contiguous container of the right size.
template <class T>
using Out = std::span<std::type_identity_t<T>>;
// From here to the next line like this: written by tools/register.py.
/// Motions requested of forward_kinematics in addition to poses; empty ones are not computed.
template <class T>
struct FrameMotions {
  std::span<const T> v = {};               ///< [nv] rad/s|m/s, for velocities and accelerations
  std::span<const T> a = {};               ///< [nv] rad/s^2|m/s^2, for accelerations
  std::span<T> velocity = {};              ///< [n_frames, 6] m/s, rad/s of every frame; needs v
  std::span<T> acceleration = {};          ///< [n_frames, 6] m/s^2, rad/s^2 of every frame; needs v and a
  Reference reference = Reference::local;  ///< along which axes, and of which point
};

/// Forward kinematics: pose of every frame; optionally velocity and acceleration. [RBDA] section 4.2.
///
/// In: q [nq] rad|m. Out: pose [n_frames, 3, 4], rows of [R | p]: R is the rotation from the frame to the world, p [m]
/// is its origin in the world. FrameMotions requests velocities and accelerations; an acceleration is the time
/// derivative of the velocity's six numbers, spatial in `local` and `world`, that of the frame's origin in
/// `local_world_aligned`. Gravity is not included. Throws Error for wrong sizes, and if motions are requested without
/// the required v and a.
template <class T>
void forward_kinematics(const Model& model, In<T> q, Out<T> pose, Workspace<T>& work,
                        const FrameMotions<T>& motions = {});

/// Further inputs and outputs of forward_kinematics_jvp. Empty outputs are not computed, empty tangents are zeros.
template <class T>
struct FrameIncrements {
  std::span<const T> v = {};               ///< [nv] rad/s|m/s, for velocities and accelerations
  std::span<const T> a = {};               ///< [nv] rad/s^2|m/s^2, for accelerations
  std::span<const T> dv = {};              ///< [nv] tangent of v
  std::span<const T> da = {};              ///< [nv] tangent of a
  std::span<T> dvelocity = {};             ///< [n_frames, 6] tangent of velocity; needs v
  std::span<T> dacceleration = {};         ///< [n_frames, 6] tangent of acceleration; needs v and a
  Reference reference = Reference::local;  ///< along which axes, and of which point
};

/// JVP of forward kinematics.
///
/// In: q [nq] rad|m; dq [nv], its tangent, of integrate; FrameIncrements. Out: dpose [n_frames, 3, 4], tangent of pose.
/// Throws Error as forward_kinematics does.
template <class T>
void forward_kinematics_jvp(const Model& model, In<T> q, In<T> dq, Out<T> dpose, Workspace<T>& work,
                            const FrameIncrements<T>& motions = {});

/// Cotangents of the results of forward_kinematics; empty ones are zeros.
template <class T>
struct FrameWeights {
  std::span<const T> v = {};                 ///< [nv] rad/s|m/s
  std::span<const T> a = {};                 ///< [nv] rad/s^2|m/s^2
  std::span<const T> pose_bar = {};          ///< [n_frames, 3, 4] cotangent of pose
  std::span<const T> velocity_bar = {};      ///< [n_frames, 6] cotangent of velocity
  std::span<const T> acceleration_bar = {};  ///< [n_frames, 6] cotangent of acceleration
  std::span<T> v_bar = {};                   ///< [nv] cotangent of v; needs v
  std::span<T> a_bar = {};                   ///< [nv] cotangent of a; needs v and a
  Reference reference = Reference::local;    ///< along which axes, and of which point
};

/// VJP of forward kinematics.
///
/// In: q [nq] rad|m, FrameWeights. Out: q_bar [nv], in the cotangent space of integrate. Throws Error for wrong sizes,
/// and if cotangents are requested without the required v and a.
template <class T>
void forward_kinematics_vjp(const Model& model, In<T> q, Out<T> q_bar, Workspace<T>& work,
                            const FrameWeights<T>& weights);

/// Jacobian of a frame: its velocity is J v.
///
/// In: q [nq] rad|m; the frame by its index; `reference`: axes and reference point of the velocity. Out: J [6, nv],
/// linear first: m/rad|1, rad/rad|rad/m. Throws Error for wrong sizes and a frame that does not exist.
template <class T>
void jacobian(const Model& model, In<T> q, int frame, Reference reference, Out<T> J, Workspace<T>& work);

/// Derivatives of the velocity and acceleration of a frame by configuration, velocity and acceleration. [Carpentier
/// 2018].
///
///     velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
///     acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2; frame and `reference` as for jacobian. Out: [6, nv] each,
/// linear first, derivatives of the results of forward_kinematics; J, the Jacobian, or none. dq is in the tangent space
/// of integrate. Throws Error for wrong sizes and a frame that does not exist.
template <class T>
void forward_kinematics_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, int frame, Reference reference,
                                    Out<T> dvelocity_dq, Out<T> dacceleration_dq, Out<T> dacceleration_dv,
                                    Workspace<T>& work, Out<T> J = {});

/// Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s; frame and `reference` as for jacobian. Out: Jdot_v [6] m/s^2, rad/s^2, the
/// derivative of the six numbers J v of that reference without J a. Throws Error for wrong sizes and a frame that does
/// not exist.
template <class T>
void jacobian_time_derivative_product(const Model& model, In<T> q, In<T> v, int frame, Reference reference,
                                      Out<T> Jdot_v, Workspace<T>& work);

/// Inverse dynamics: the joint torques for acceleration a in state (q, v). [RBDA] table 5.1.
///
///     tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2; f_ext [n_links, 6] N, N m on the links, each at its link's
/// origin along its own axes, or none. Out: tau [nv] N m|N. Armature is included; damping, friction and springs are not
/// (passive_forces). `options`: method and its options. Throws Error for wrong sizes, options that the method does not
/// use, and a method that does not support the model.
template <class T>
void inverse_dynamics(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> tau, Workspace<T>& work, In<T> f_ext = {},
                      const Options& options = {});

/// Bias torques c(q, v) + tau_g(q): Coriolis, centrifugal and gravity torques, inverse dynamics with a = 0, [RBDA]
/// table 5.1.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, f_ext as for inverse_dynamics or none (J^T f_ext is subtracted). Out: tau [nv] N
/// m|N. Throws Error for wrong sizes.
template <class T>
void bias_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work, In<T> f_ext = {});

/// Gravity torques tau_g(q): the joint torques that compensate gravity. [RBDA] table 5.1 with v = 0, a = 0.
///
/// In: q [nq] rad|m. Out: tau [nv] N m|N. Throws Error for wrong sizes.
template <class T>
void gravity_forces(const Model& model, In<T> q, Out<T> tau, Workspace<T>& work);

/// Terms of inverse dynamics. [Pond] (2.35) - (2.39), (2.69).
///
///     inertial + coriolis + centrifugal + gravity + external + friction + springs
///         = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)
///
/// In: q, v, a and f_ext as for inverse_dynamics. Out, [nv] N m|N each: M a; products of different velocities and
/// squares of velocities; gravity; f_ext; damping and dry friction; springs. Throws Error for wrong sizes.
template <class T>
void inverse_dynamics_terms(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> inertial, Out<T> coriolis,
                            Out<T> centrifugal, Out<T> gravity, Out<T> external, Out<T> friction, Out<T> springs,
                            Workspace<T>& work, In<T> f_ext = {});

/// Interbody wrenches: the wrench that every joint transmits, including constraint and joint torque, if the robot in
/// state (q, v) accelerates by a. [RBDA] table 5.1.
///
/// In: q, v, a and f_ext as for inverse_dynamics. Out: f [n_links, 6] N, N m: row i the wrench from the parent of link
/// i on link i, at that link's origin along its own axes; row 0 the wrench from the world on the base due to its
/// children and f_ext, without the weight of the base. Throws Error for wrong sizes.
template <class T>
void interbody_wrenches(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> f, Workspace<T>& work, In<T> f_ext = {});

/// Regressor of inverse dynamics: the matrix Y with tau = Y(q, v, a) pi + armature a. Each column is inverse dynamics,
/// [RBDA] table 5.1, of a robot with one non-zero parameter.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, a [nv] rad/s^2|m/s^2. Out: Y [nv, 10 n_joints], ten columns for each moving
/// link, N m|N per kg, kg m, kg m^2, for the parameters pi that inertial_parameters gives. Throws Error for wrong
/// sizes.
template <class T>
void inverse_dynamics_regressor(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> Y, Workspace<T>& work);

/// Derivatives of inverse dynamics by configuration, velocity and acceleration. [Singh 2022], [Carpentier 2018].
///
///     tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ...
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s and a [nv] rad/s^2|m/s^2, or none: zeros; f_ext as for inverse_dynamics, constant
/// in the frames of the links. Without a these are derivatives of bias_forces, without v and a of gravity_forces. Out:
/// dtau_dq [nv, nv] N m|N per rad|m and dtau_dv [nv, nv] N m|N per rad/s|m/s, one row per joint torque, one column per
/// coordinate; dq is in the tangent space of integrate; dtau_da [nv, nv] kg m^2|kg, the mass matrix, or none. Armature
/// is in dtau_da; damping, friction and springs are not included. Throws Error for wrong sizes.
template <class T>
void inverse_dynamics_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dtau_dq, Out<T> dtau_dv,
                                  Workspace<T>& work, In<T> f_ext = {}, Out<T> dtau_da = {});

/// JVP of inverse dynamics in O(n), without matrices, and the joint torques.
///
///     dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi
///
/// In: q, v, a and f_ext as for inverse_dynamics; dq, dv, da [nv] tangents, dq of integrate; df_ext [n_links, 6] N, N m
/// and dpi [10 n_joints] kg, kg m, kg m^2, tangents of f_ext and inertial_parameters, or none: zeros. Out: tau and dtau
/// [nv] N m|N. Throws Error for wrong sizes.
template <class T>
void inverse_dynamics_jvp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> dq, In<T> dv, In<T> da, Out<T> tau,
                          Out<T> dtau, Workspace<T>& work, In<T> f_ext = {}, In<T> df_ext = {}, In<T> dpi = {});

/// VJP of inverse dynamics, the gradient of tau_bar . inverse_dynamics, in O(n), without matrices, and the joint
/// torques.
///
///     q_bar = dtau_dq^T tau_bar   v_bar = dtau_dv^T tau_bar
///     a_bar = M tau_bar   f_ext_bar = -J tau_bar   pi_bar = Y^T tau_bar
///
/// In: q, v, a and f_ext as for inverse_dynamics; tau_bar [nv] cotangent of tau. Out: tau [nv] N m|N; q_bar, v_bar,
/// a_bar [nv], q_bar in the cotangent space of integrate; f_ext_bar [n_links, 6] and pi_bar [10 n_joints], of
/// inertial_parameters, or none. Throws Error for wrong sizes.
template <class T>
void inverse_dynamics_vjp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar, Out<T> tau, Out<T> q_bar,
                          Out<T> v_bar, Out<T> a_bar, Workspace<T>& work, In<T> f_ext = {}, Out<T> f_ext_bar = {},
                          Out<T> pi_bar = {});

/// JVP of inverse_dynamics_vjp: Hessian-vector products of tau_bar . inverse_dynamics in O(n), without matrices; and
/// dtau of inverse_dynamics_jvp.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)
///     and similarly dv_bar, da_bar, ...
///
/// In: q, v, a and f_ext as for inverse_dynamics; tau_bar [nv] cotangent of tau; dq, dv, da [nv] tangents, dq of
/// integrate; dtau_bar [nv] and df_ext [n_links, 6] N, N m, tangents of tau_bar and f_ext, or none: zeros. Out: dtau
/// [nv] N m|N; dq_bar, dv_bar, da_bar [nv]; df_ext_bar [n_links, 6] and dpi_bar [10 n_joints], or none. q_bar is along
/// axes that move with the links, so that dq_bar is not symmetric in dq for spherical, planar and free joints. Throws
/// Error for wrong sizes.
template <class T>
void inverse_dynamics_hvp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar, In<T> dq, In<T> dv, In<T> da,
                          Out<T> dtau, Out<T> dq_bar, Out<T> dv_bar, Out<T> da_bar, Workspace<T>& work,
                          In<T> dtau_bar = {}, In<T> f_ext = {}, In<T> df_ext = {}, Out<T> df_ext_bar = {},
                          Out<T> dpi_bar = {});

/// Second derivatives of tau_bar . inverse_dynamics as matrices, in O(n^2), with q_bar, v_bar, a_bar of
/// inverse_dynamics_vjp:
///
///     d2tau_dqdq[j, k] = d/ds q_bar_j(q (+) s e_k)
///     similarly d2tau_dvdq, d2tau_dadq of v_bar, a_bar   d2tau_dvdv = dv_bar/dv
///
/// The other blocks are transposes, or zero: joint torques are linear in accelerations. A unit cotangent tau_bar = e_i
/// gives the second derivatives of tau_i; a batch of them gives the whole tensor.
///
/// In: as inverse_dynamics_vjp. Out: each [nv, nv]. Throws Error for wrong sizes.
template <class T>
void inverse_dynamics_second_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar,
                                         Out<T> d2tau_dqdq, Out<T> d2tau_dvdq, Out<T> d2tau_dadq, Out<T> d2tau_dvdv,
                                         Workspace<T>& work, In<T> f_ext = {});

/// Mass matrix, the joint-space inertia: tau = M(q) a for a robot at rest without gravity. [RBDA] table 6.2.
///
/// In: q [nq] rad|m. Out: M [nv, nv] kg m^2|kg, symmetric, both triangles, armature on the diagonal. `options`: method
/// and its options. Throws Error as inverse_dynamics does.
template <class T>
void mass_matrix(const Model& model, In<T> q, Out<T> M, Workspace<T>& work, const Options& options = {});

/// Rate of the mass matrix, dM/dt, at velocity v.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s. Out: Mdot [nv, nv] kg m^2/s|kg/s, symmetric, both triangles. Throws Error for
/// wrong sizes.
template <class T>
void mass_matrix_rate(const Model& model, In<T> q, In<T> v, Out<T> Mdot, Workspace<T>& work);

/// Coriolis matrix: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric. [Echeandia, Wensing
/// 2021].
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s. Out: C [nv, nv] N m|N per rad/s|m/s, one row per joint torque. Throws Error for
/// wrong sizes.
template <class T>
void coriolis_matrix(const Model& model, In<T> q, In<T> v, Out<T> C, Workspace<T>& work);

/// Forward dynamics: the acceleration due to joint torques tau in state (q, v). [RBDA] table 7.1, or the mass matrix
/// and a factorisation, sections 6.2 and 6.5; other methods by `options`.
///
///     a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, tau [nv] N m|N; f_ext as for inverse_dynamics or none; diagonal [nv] kg m^2|kg,
/// added to the diagonal of M (time step times damping: implicit damping), or none. Out: a [nv] rad/s^2|m/s^2. Armature
/// is included; damping, friction and springs are not (passive_forces). A singular M gives infinities or NaN. Throws
/// Error as inverse_dynamics does.
template <class T>
void forward_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work, In<T> f_ext = {},
                      In<T> diagonal = {}, const Options& options = {});

/// Constraint wrenches of every joint under joint torques tau in state (q, v). Forward dynamics, then [RBDA] table 5.1.
///
/// In: as for forward_dynamics. Out: f_c [n_links, 6] N, N m: row i the wrench from the parent of link i on link i
/// without its part along the axes of joint i, S_i^T f_c,i = 0, at the link's origin along its own axes; row 0 as in
/// interbody_wrenches. Throws Error as forward_dynamics does.
template <class T>
void constraint_wrenches(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> f_c, Workspace<T>& work,
                         In<T> f_ext = {}, In<T> diagonal = {}, const Options& options = {});

/// Forward dynamics of a robot with closed loops, with the loop forces; forward_dynamics gives the same accelerations
/// without the forces. [RBDA] chapter 8, stabilised as in [Baumgarte 1972].
///
/// In: as for forward_dynamics; options: `stabilisation` s [1/s]: gaps decay with the time constant 1/s. Out: a [nv]
/// rad/s^2|m/s^2, f_loop [n_loops, 6] N, N m or none: the wrench of each loop joint on its second link, at the origin
/// of the frame there, along the axes of frame 1. If several loops constrain the same direction, the distribution of
/// its force is arbitrary. For a robot without loops it is forward dynamics. Throws Error as forward_dynamics does.
template <class T>
void closed_loop_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work,
                          Out<T> f_loop = {}, In<T> f_ext = {}, In<T> diagonal = {}, const Options& options = {});

/// Derivatives of forward dynamics by configuration, velocity and joint torques. [Carpentier 2018].
///
///     a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, tau [nv] N m|N; f_ext and `diagonal` as for forward_dynamics, or none. Out:
/// da_dq [nv, nv] rad/s^2|m/s^2 per rad|m and da_dv [nv, nv] rad/s^2|m/s^2 per rad/s|m/s, one row per acceleration, one
/// column per coordinate; dq is in the tangent space of integrate; da_dtau [nv, nv] 1/(kg m^2)|1/kg, the inverse of the
/// mass matrix, or none. With closed loops all are those of the acceleration that keeps them closed, and da_dtau is no
/// inverse. A robot whose M has no inverse gives infinities or NaN. Throws Error for wrong sizes.
template <class T>
void forward_dynamics_derivatives(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> da_dq, Out<T> da_dv,
                                  Workspace<T>& work, In<T> f_ext = {}, In<T> diagonal = {}, Out<T> da_dtau = {});

/// JVP of forward dynamics in O(n), without matrices, and the accelerations.
///
///     da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)
///
/// In: q, v, tau, f_ext and diagonal as for forward_dynamics; dq, dv, dtau [nv] tangents, dq of integrate; df_ext
/// [n_links, 6] N, N m and dpi [10 n_joints] kg, kg m, kg m^2, tangents of f_ext and inertial_parameters, or none:
/// zeros. Out: a and da [nv] rad/s^2|m/s^2; with closed loops of the acceleration that keeps them closed. Throws Error
/// for wrong sizes.
template <class T>
void forward_dynamics_jvp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> dq, In<T> dv, In<T> dtau, Out<T> a,
                          Out<T> da, Workspace<T>& work, In<T> f_ext = {}, In<T> diagonal = {}, In<T> df_ext = {},
                          In<T> dpi = {});

/// VJP of forward dynamics, the gradient of a_bar . forward_dynamics, in O(n), without matrices, and the accelerations.
///
///     tau_bar = M^-1 a_bar   q_bar = -dtau_dq^T tau_bar   v_bar = -dtau_dv^T tau_bar
///     f_ext_bar = J tau_bar   pi_bar = -Y^T tau_bar
///
/// In: q, v, tau, f_ext and diagonal as for forward_dynamics; a_bar [nv] cotangent of a. Out: a [nv] rad/s^2|m/s^2;
/// q_bar, v_bar, tau_bar [nv], q_bar in the cotangent space of integrate; f_ext_bar [n_links, 6] and pi_bar [10
/// n_joints], of inertial_parameters, or none. With closed loops all are of the acceleration that keeps them closed.
/// Throws Error for wrong sizes.
template <class T>
void forward_dynamics_vjp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, Out<T> a, Out<T> q_bar,
                          Out<T> v_bar, Out<T> tau_bar, Workspace<T>& work, In<T> f_ext = {}, In<T> diagonal = {},
                          Out<T> f_ext_bar = {}, Out<T> pi_bar = {});

/// JVP of forward_dynamics_vjp: Hessian-vector products of a_bar . forward_dynamics in O(n), without matrices; and da
/// of forward_dynamics_jvp.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)
///     and similarly dv_bar, dtau_bar, ...
///
/// In: q, v, tau, f_ext and diagonal as for forward_dynamics; a_bar [nv] cotangent of a; dq, dv, dtau [nv] tangents, dq
/// of integrate; da_bar [nv] and df_ext [n_links, 6] N, N m, tangents of a_bar and f_ext, or none: zeros. Out: da [nv]
/// rad/s^2|m/s^2; dq_bar, dv_bar, dtau_bar [nv]; df_ext_bar [n_links, 6] and dpi_bar [10 n_joints], or none. As for
/// inverse_dynamics_hvp dq_bar is not symmetric in dq for spherical, planar and free joints. Throws Error for wrong
/// sizes, and for robots with closed loops.
template <class T>
void forward_dynamics_hvp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, In<T> dq, In<T> dv,
                          In<T> dtau, Out<T> da, Out<T> dq_bar, Out<T> dv_bar, Out<T> dtau_bar, Workspace<T>& work,
                          In<T> da_bar = {}, In<T> f_ext = {}, In<T> df_ext = {}, In<T> diagonal = {},
                          Out<T> df_ext_bar = {}, Out<T> dpi_bar = {});

/// Second derivatives of a_bar . forward_dynamics as matrices, in O(n^2), with q_bar, v_bar, tau_bar of
/// forward_dynamics_vjp:
///
///     d2a_dqdq[j, k] = d/ds q_bar_j(q (+) s e_k)
///     similarly d2a_dvdq, d2a_dtaudq of v_bar, tau_bar   d2a_dvdv = dv_bar/dv
///
/// The other blocks are transposes, or zero: accelerations are linear in joint torques. A unit cotangent a_bar = e_i
/// gives the second derivatives of a_i; a batch of them gives the whole tensor.
///
/// In: as forward_dynamics_vjp. Out: each [nv, nv]. Throws Error for wrong sizes, and for robots with closed loops.
template <class T>
void forward_dynamics_second_derivatives(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, Out<T> d2a_dqdq,
                                         Out<T> d2a_dvdq, Out<T> d2a_dtaudq, Out<T> d2a_dvdv, Workspace<T>& work,
                                         In<T> f_ext = {}, In<T> diagonal = {});

/// Inverse of the mass matrix, by articulated bodies. [Rodriguez, Jain, Kreutz-Delgado 1992].
///
/// In: q [nq] rad|m. Out: Minv [nv, nv] 1/(kg m^2)|1/kg, symmetric, both triangles. A robot whose M has no inverse
/// gives infinities or NaN. Throws Error for wrong sizes.
template <class T>
void inverse_mass_matrix(const Model& model, In<T> q, Out<T> Minv, Workspace<T>& work);

/// Inverse of the mass matrix times a vector, M(q)^-1 x, without forming M. [RBDA] section 7.3.
///
/// In: q [nq] rad|m, x [nv] N m|N. Out: y [nv] rad/s^2|m/s^2. A singular M gives infinities or NaN. Throws Error for
/// wrong sizes.
template <class T>
void inverse_mass_matrix_product(const Model& model, In<T> q, In<T> x, Out<T> y, Workspace<T>& work);

/// Operational-space mobility of a frame: its acceleration per wrench on it, J M^-1 J^T. [Rodriguez, Jain,
/// Kreutz-Delgado 1992].
///
/// In: q [nq] rad|m; frame and `reference` as for jacobian. Out: mobility [6, 6] 1/kg, 1/(kg m), 1/(kg m^2), linear
/// first, symmetric; singular if the frame cannot move in some direction. Throws Error for wrong sizes and a frame that
/// does not exist.
template <class T>
void operational_space_mobility(const Model& model, In<T> q, int frame, Reference reference, Out<T> mobility,
                                Workspace<T>& work);

/// Kinetic energy of the moving links and their rotors, and potential energy of weight and joint springs.
///
///     kinetic = 1/2 v^T M(q) v,   potential = -sum_i m_i g . p_com,i + 1/2 sum_k stiffness_k stretch_k^2
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s. Out: both in J; the weight's is zero at the world's origin. Throws Error for
/// wrong sizes.
template <class T>
void energy(const Model& model, In<T> q, In<T> v, T& kinetic, T& potential, Workspace<T>& work);

/// Derivatives of the kinetic energy by configuration and velocity, and of the potential energy by configuration.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s or none: zeros. Out: [nv] each: dkinetic_dq J per rad|m, dkinetic_dv J per
/// rad/s|m/s, which is M v, and dpotential_dq J per rad|m: gravity_forces minus the torques of springs. dq is in the
/// tangent space of integrate. Throws Error for wrong sizes.
template <class T>
void energy_derivatives(const Model& model, In<T> q, In<T> v, Out<T> dkinetic_dq, Out<T> dkinetic_dv,
                        Out<T> dpotential_dq, Workspace<T>& work);

/// Center of mass of the moving links; optionally its velocity and Jacobian, velocity = J v.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s for the velocity. Out: com [3] m, velocity [3] m/s or none, J [3, nv] m/rad|1 or
/// none; world axes. NaN for a robot without moving mass. Throws Error for wrong sizes, and if the velocity is
/// requested without v.
template <class T>
void centre_of_mass(const Model& model, In<T> q, Out<T> com, Workspace<T>& work, In<T> v = {}, Out<T> velocity = {},
                    Out<T> J = {});

/// Derivatives of the velocity and acceleration of the center of mass, along world axes.
///
///     velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
///     acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s and a [nv] rad/s^2|m/s^2, or none: zeros. Out: [3, nv] each; J, the Jacobian, or
/// none; acceleration [3] m/s^2 or none. dq is in the tangent space of integrate. NaN for a robot without moving mass.
/// Throws Error for wrong sizes.
template <class T>
void centre_of_mass_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dvelocity_dq,
                                Out<T> dacceleration_dq, Out<T> dacceleration_dv, Workspace<T>& work, Out<T> J = {},
                                Out<T> acceleration = {});

/// Linear and angular momentum of the moving links about their centre of mass, h = A(q) v. [Orin 2013] eq. 27.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s. Out: h [6] kg m/s, kg m^2/s, linear first, world axes; A [6, nv] or none, the
/// centroidal momentum matrix. Throws Error for wrong sizes.
template <class T>
void centroidal_momentum(const Model& model, In<T> q, In<T> v, Out<T> h, Workspace<T>& work, Out<T> A = {});

/// Derivatives of the centroidal momentum of the moving links and of its rate, along world axes.
///
///     h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
///     hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s and a [nv] rad/s^2|m/s^2, or none: zeros. Out: [6, nv] each, linear first; A, the
/// centroidal momentum matrix, or none; hdot [6] N, N m without gravity, or none. dq is in the tangent space of
/// integrate. Without moving mass they are about the world's origin. Throws Error for wrong sizes.
template <class T>
void centroidal_momentum_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dh_dq, Out<T> dhdot_dq,
                                     Out<T> dhdot_dv, Workspace<T>& work, Out<T> A = {}, Out<T> hdot = {});

/// Passive joint torques of springs, viscous damping and dry friction.
///
///     tau = -stiffness (q - q_rest) - damping v - friction sign(v)
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s. Out: tau [nv] N m|N. Friction is linear in v below 1e-3 rad/s|m/s, so that it is
/// continuous at rest. Throws Error for wrong sizes.
template <class T>
void passive_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work);

/// Derivatives of passive_forces by configuration and velocity.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s or none: zeros. Out: dtau_dq [nv, nv] N m|N per rad|m, dq in the tangent space of
/// integrate, and dtau_dv [nv, nv] N m|N per rad/s|m/s, diagonal: one row per joint torque. Throws Error for wrong
/// sizes.
template <class T>
void passive_forces_derivatives(const Model& model, In<T> q, In<T> v, Out<T> dtau_dq, Out<T> dtau_dv,
                                Workspace<T>& work);

/// The configuration reached from q with the constant velocity u in unit time, q (+) u; quaternions stay normalised.
///
/// In: q [nq] rad|m, u [nv] rad|m, velocity times time. Out: q_next [nq] rad|m, which may be q itself. Throws Error for
/// wrong sizes.
template <class T>
void integrate(const Model& model, In<T> q, In<T> u, Out<T> q_next, Workspace<T>& work);

/// The constant velocity from q0 to q1 in unit time along the shortest path: q0 (+) u = q1. Angles of joints that
/// rotate about one axis are subtracted, including full turns.
///
/// In: q0 and q1 [nq] rad|m. Out: u [nv] rad|m. Throws Error for wrong sizes.
template <class T>
void difference(const Model& model, In<T> q0, In<T> q1, Out<T> u, Workspace<T>& work);

/// The rate du/dt of q(t) = q0 (+) u(t) that moves with velocity v: what Runge-Kutta methods on manifolds integrate,
/// exact to third order in u. [Munthe-Kaas 1998].
///
/// In: u [nv] rad|m, the displacement so far, v [nv] rad/s|m/s. Out: rate [nv] rad/s|m/s. Throws Error for wrong sizes.
template <class T>
void integrate_rate(const Model& model, In<T> u, In<T> v, Out<T> rate, Workspace<T>& work);

/// A nearby configuration with closed loops (to first order in the gaps the nearest one in the metric of the mass
/// matrix) and the part of a velocity that keeps them closed. Newton's method in the metric of the mass matrix.
///
/// In: q [nq] rad|m, the initial guess, and v [nv] rad/s|m/s or none; options: `tolerance` of the error,
/// `max_iterations`. Out: q_closed [nq] rad|m, v_closed [nv] rad/s|m/s or none, which may be q and v themselves.
/// Returns the error: the largest distance and angle of the frames of loop joints, m and rad; above 1e-12 in double,
/// 1e-5 in float the iteration did not converge, as from a guess from which no step reduces the error. Throws Error for
/// wrong sizes.
template <class T>
T close_loops(const Model& model, In<T> q, Out<T> q_closed, Workspace<T>& work, In<T> v = {}, Out<T> v_closed = {},
              const Options& options = {});

/// Further inputs and outputs of step; empty ones are not used.
template <class T>
struct StepArguments {
  std::span<const T> f_ext = {};     ///< [n_links, 6] N, N m: external wrenches on the links
  std::span<const T> q_target = {};  ///< [nq] rad|m: target of a controller kp (q_target - q) - kd v
  std::span<const T> kp = {};        ///< [nv] N m/rad|N/m: its position gain, 0 if omitted
  std::span<const T> kd = {};        ///< [nv] N m s/rad|N s/m: its velocity gain, 0 if omitted
  std::span<const T> stops = {};     ///< [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states before
  std::span<T> stops_next = {};      ///< [nv, 3] impedance, force, side (1 upper, -1 lower, 0 inactive) of joint limits
  std::span<T> step_energies = {};   ///< [4] J: dissipated, by joint limits, work of tau and f_ext, of the controller
};

/// Time steps: the state after `steps` steps of dt with constant joint torques.
///
/// In: q [nq] rad|m, v [nv] rad/s|m/s, tau [nv] N m|N in addition to springs, damping and friction, dt s, and
/// StepArguments; options: `integrator`, `steps`, `limits`, `losses`, `method` of forward dynamics, and of
/// implicit_midpoint `tolerance` and `max_iterations`. Out: q_next [nq] and v_next [nv], which may be q and v. See
/// Simulation for the equations; it also closes loops, detects divergence and divides long robots. Contacts do not act;
/// they do in Simulation and rollout. Throws Error for wrong sizes, for a gain without a target, and for robots with
/// closed loops.
template <class T>
void step(const Model& model, In<T> q, In<T> v, In<T> tau, std::type_identity_t<T> dt, Out<T> q_next, Out<T> v_next,
          Workspace<T>& work, const StepArguments<T>& more = {}, const Options& options = {});

/// Further inputs and outputs of step_jvp; empty ones are not used. See StepArguments for the inputs; empty tangents
/// are zeros.
template <class T>
struct StepIncrements {
  std::span<const T> f_ext = {};       ///< [n_links, 6] N, N m: external wrenches on the links
  std::span<const T> q_target = {};    ///< [nq] rad|m: target of a controller kp (q_target - q) - kd v
  std::span<const T> kp = {};          ///< [nv] N m/rad|N/m: its position gain, 0 if omitted
  std::span<const T> kd = {};          ///< [nv] N m s/rad|N s/m: its velocity gain, 0 if omitted
  std::span<const T> stops = {};       ///< [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states before
  std::span<const T> df_ext = {};      ///< [n_links, 6] N, N m: tangent of f_ext
  std::span<const T> dq_target = {};   ///< [nv] rad|m: tangent of q_target
  std::span<const T> dkp = {};         ///< [nv] N m/rad|N/m: tangent of kp
  std::span<const T> dkd = {};         ///< [nv] N m s/rad|N s/m: tangent of kd
  std::span<const T> dimpedance = {};  ///< [nv] N m s/rad|N s/m: tangent of the impedances in stops
  std::span<T> stops_next = {};        ///< [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states afterwards
  std::span<T> dimpedance_next = {};   ///< [nv] N m s/rad|N s/m: tangent of the impedances in stops_next
};

/// JVP of one step by all its inputs, in O(n), without matrices, and the next state.
///
///     dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...)   and similarly dv_next
///
/// In: q, v, tau, dt as for step; dq, dv, dtau [nv], dq of integrate; StepIncrements; options: those of step without
/// `steps` and `method`. Out: q_next [nq] and v_next [nv]; dq_next, dv_next [nv], dq_next of integrate. Active joint
/// limits, effort limits and slipping friction are those of the step. Throws Error for wrong sizes, for a gain without
/// a target, and for robots with closed loops.
template <class T>
void step_jvp(const Model& model, In<T> q, In<T> v, In<T> tau, std::type_identity_t<T> dt, In<T> dq, In<T> dv,
              In<T> dtau, Out<T> q_next, Out<T> v_next, Out<T> dq_next, Out<T> dv_next, Workspace<T>& work,
              const StepIncrements<T>& more = {}, const Options& options = {});

/// Further inputs and outputs of step_vjp; empty ones are not used. See StepArguments for the inputs.
template <class T>
struct StepWeights {
  std::span<const T> f_ext = {};               ///< [n_links, 6] N, N m: external wrenches on the links
  std::span<const T> q_target = {};            ///< [nq] rad|m: target of a controller kp (q_target - q) - kd v
  std::span<const T> kp = {};                  ///< [nv] N m/rad|N/m: its position gain, 0 if omitted
  std::span<const T> kd = {};                  ///< [nv] N m s/rad|N s/m: its velocity gain, 0 if omitted
  std::span<const T> stops = {};               ///< [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states before
  std::span<const T> impedance_next_bar = {};  ///< [nv] rad/(N m s)|m/(N s): cotangent of the impedances in stops_next
  std::span<T> f_ext_bar = {};                 ///< [n_links, 6] 1/N, 1/(N m): cotangent of f_ext
  std::span<T> q_target_bar = {};              ///< [nv] 1/rad|1/m: cotangent of q_target
  std::span<T> kp_bar = {};                    ///< [nv] rad/(N m)|m/N: cotangent of kp
  std::span<T> kd_bar = {};                    ///< [nv] rad/(N m s)|m/(N s): cotangent of kd
  std::span<T> stops_next = {};                ///< [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states afterwards
  std::span<T> impedance_bar = {};             ///< [nv] rad/(N m s)|m/(N s): cotangent of the impedances in stops
};

/// VJP of one step, the gradient of q_next_bar . q_next + v_next_bar . v_next, in O(n), without matrices, and the next
/// state.
///
///     q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar   and similarly v_bar, tau_bar, ...
///
/// In: q, v, tau, dt as for step; q_next_bar [nv] in the cotangent space of integrate, v_next_bar [nv]; StepWeights;
/// options: those of step without `steps` and `method`. Out: q_next [nq] and v_next [nv]; q_bar, v_bar, tau_bar [nv],
/// q_bar in the cotangent space of integrate. Active joint limits, effort limits and slipping friction are those of the
/// step. Throws Error for wrong sizes, for a gain without a target, and for robots with closed loops. Many steps:
/// rollout_gradient.
template <class T>
void step_vjp(const Model& model, In<T> q, In<T> v, In<T> tau, std::type_identity_t<T> dt, In<T> q_next_bar,
              In<T> v_next_bar, Out<T> q_next, Out<T> v_next, Out<T> q_bar, Out<T> v_bar, Out<T> tau_bar,
              Workspace<T>& work, const StepWeights<T>& more = {}, const Options& options = {});
// To here: written by tools/register.py.
/// The inertial parameters pi of inverse_dynamics_regressor: [10 n_joints], for each moving link including merged links
/// m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz along its axes, moments about its origin; kg, kg m, kg m^2.
std::vector<double> inertial_parameters(const Model& model);

/// Values of a parameter that may differ between states: for instance masses [n_links], including merged links.
std::vector<double> parameter_values(const Model& model, Parameter parameter);

/// The neutral configuration [nq]: positions are zero, rotations the identity.
std::vector<double> neutral_configuration(const Model& model);

/// A configuration and its description.
struct StartConfiguration {
  std::vector<double> q;  ///< [nq]
  std::string what;       ///< "configuration \"home\" of the model", "neutral configuration" ...
};
/// The default start of simulations: the named configuration "home" of the model, else "neutral", else the neutral
/// configuration with joints outside their position limits moved to the limit. Robots with loops start in the neutral
/// configuration, because joints at their limits may open loops.
StartConfiguration start_configuration(const Model& model);
/// A random configuration [nq]: each coordinate is uniform in its random_range (tandem/api/random_range.hpp), and
/// rotations are uniform. The same seed gives the same numbers on every machine.
std::vector<double> random_configuration(const Model& model, std::uint64_t seed);
/// A batch of random configurations: [batch][nq]. Row k is that of the seed `seed` + k 2^32, so that batches of
/// different seeds, which are below 2^32, have no row in common. Throws Error for a seed of 2^32 or more, and a batch
/// below 0.
std::vector<double> random_configurations(const Model& model, std::uint64_t seed, Index batch);

}  // namespace tandem
