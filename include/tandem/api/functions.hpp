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
/// are linear first; tandem/api/batches.hpp describes every argument. Optional inputs may be empty. Throws Error for
/// arguments of wrong size, frames that do not exist, options that the method does not use, and robots that it does not
/// support; NaN and infinities do not affect other states. Keys of sources are those of docs/notation.md; see
/// tandem/detail/problems and tandem/detail/derivatives for the algorithms.
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

/// Pose and, if v and a are given, velocity and acceleration of every link and frame.
///
/// The acceleration is the time derivative of the velocity's six numbers: spatial in "local" and "world", that of the
/// frame's origin in "local_world_aligned". Gravity is not included. [RBDA] section 4.2.
///
/// In: q [nq] rad|m. Out: pose [n_frames, 3, 4] m.
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

/// JVP of poses and, if v and a are given, of velocities and accelerations of all frames.
///
/// Tangents of all results of forward_kinematics: dpose is that of [R | p]. dq is in the tangent space of integrate.
/// Time and memory are O(n), without Jacobians.
///
/// In: q [nq] rad|m; dq [nv] rad|m, as for integrate. Out: dpose [n_frames, 3, 4] m.
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

/// VJP of poses and, with v and a, of velocities and accelerations of all frames.
///
/// Cotangents belong to all results of forward_kinematics, pose_bar to [R | p]. Time and memory are O(n). q_bar is in
/// the cotangent space of integrate.
///
/// In: q [nq] rad|m. Out: q_bar [nv] 1/rad|1/m.
template <class T>
void forward_kinematics_vjp(const Model& model, In<T> q, Out<T> q_bar, Workspace<T>& work,
                            const FrameWeights<T>& weights);

/// Jacobian of a frame: its velocity is J v.
///
/// In: q [nq] rad|m. Out: J [6, nv] m/rad|1, rad/rad|rad/m.
template <class T>
void jacobian(const Model& model, In<T> q, int frame, Reference reference, Out<T> J, Workspace<T>& work);

/// Derivatives of a frame's velocity and acceleration by configuration, velocity and acceleration.
///
///     velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
///     acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...
///
/// Derivatives of the results of forward_kinematics for this reference [Carpentier 2018]. The pose moves by J dq. dq is
/// in the tangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2. Out: dvelocity_dq [6, nv] m/s, rad/s per rad|m;
/// dacceleration_dq [6, nv] m/s^2, rad/s^2 per rad|m; dacceleration_dv [6, nv] m/s^2, rad/s^2 per rad/s|m/s; J [6, nv]
/// m/rad|1, rad/rad|rad/m or none.
template <class T>
void forward_kinematics_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, int frame, Reference reference,
                                    Out<T> dvelocity_dq, Out<T> dacceleration_dq, Out<T> dacceleration_dv,
                                    Workspace<T>& work, Out<T> J = {});

/// Time derivative of a frame's Jacobian times the velocity: the frame's acceleration is J a + dJ/dt v.
///
/// That is the derivative of the six numbers J v of this reference, without J a.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s. Out: Jdot_v [6] m/s^2, rad/s^2.
template <class T>
void jacobian_time_derivative_product(const Model& model, In<T> q, In<T> v, int frame, Reference reference,
                                      Out<T> Jdot_v, Workspace<T>& work);

/// Inverse dynamics: joint torques for the acceleration a in state (q, v).
///
///     tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i
///
/// Armature is included; damping, friction and springs are not, see passive_forces. The default method is recursive
/// Newton-Euler, [RBDA] table 5.1.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; f_ext [n_links, 6] N, N m or none. Out: tau [nv] N m|N.
/// Options: method, form, chunk, chunks, scan_schedule, matrices.
template <class T>
void inverse_dynamics(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> tau, Workspace<T>& work, In<T> f_ext = {},
                      const Options& options = {});

/// Coriolis, centrifugal and gravity forces c(q, v) + tau_g(q): the joint torques for a = 0.
///
/// Inverse dynamics without acceleration, [RBDA] table 5.1.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; f_ext [n_links, 6] N, N m or none, J^T f_ext is subtracted. Out: tau [nv] N m|N.
template <class T>
void bias_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work, In<T> f_ext = {});

/// Joint torques that compensate gravity.
///
/// [RBDA] table 5.1 with v = 0, a = 0.
///
/// In: q [nq] rad|m. Out: tau [nv] N m|N.
template <class T>
void gravity_forces(const Model& model, In<T> q, Out<T> tau, Workspace<T>& work);

/// Terms of inverse dynamics.
///
///     inertial + coriolis + centrifugal + gravity + external + friction + springs
///         = inverse_dynamics(q, v, a, f_ext) - passive_forces(q, v)
///
/// Coriolis torques are due to products of different velocities, centrifugal torques due to squares. [Pond] (2.35) -
/// (2.39), (2.69).
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; f_ext [n_links, 6] N, N m or none. Out: inertial [nv] N
/// m|N; coriolis [nv] N m|N; centrifugal [nv] N m|N; gravity [nv] N m|N; external [nv] N m|N; friction [nv] N m|N;
/// springs [nv] N m|N.
template <class T>
void inverse_dynamics_terms(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> inertial, Out<T> coriolis,
                            Out<T> centrifugal, Out<T> gravity, Out<T> external, Out<T> friction, Out<T> springs,
                            Workspace<T>& work, In<T> f_ext = {});

/// Wrenches that joints transmit between links at the acceleration a.
///
/// Row i is the wrench on link i from its parent, including constraint and joint torque. Row 0 is the wrench from the
/// world on the base, due to its children and f_ext, without the weight of the base. After forward dynamics, pass its
/// acceleration. [RBDA] table 5.1.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; f_ext [n_links, 6] N, N m or none. Out: f [n_links, 6] N,
/// N m.
template <class T>
void interbody_wrenches(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> f, Workspace<T>& work, In<T> f_ext = {});

/// Regressor: the matrix of the inertial parameters in inverse_dynamics.
///
///     tau = Y(q, v, a) pi + armature a
///
/// pi has ten parameters for each moving link, in Pinocchio's order: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz,
/// along the axes of the link's frame, moments about its origin; link i has the columns 10 (i - 1) to 10 i - 1.
/// Model.inertial_parameters are those of the robot. The base has none, as it does not move. Armature, damping and
/// friction are not included; their columns are a, v and sign(v) on the diagonal.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2. Out: Y [nv, 10 n_joints] N m|N per kg, kg m, kg m^2.
template <class T>
void inverse_dynamics_regressor(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> Y, Workspace<T>& work);

/// Derivatives of inverse_dynamics by configuration, velocity and acceleration.
///
///     tau(q (+) dq, v + dv, a + da) = tau + dtau_dq dq + dtau_dv dv + dtau_da da + ...
///
/// After [Singh 2022], [Carpentier 2018]. dq is in the tangent space of integrate, as in Pinocchio: it has nv elements,
/// for spherical, planar and free joints along the axes of the child. Without a these are the derivatives of
/// bias_forces, without v and a those of gravity_forces. Damping, friction and springs are not included. Mimic joints
/// follow their sources.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s, or none: zeros; a [nv] rad/s^2|m/s^2, or none: zeros; f_ext [n_links, 6] N, N m
/// or none, constant in the frames of the links. Out: dtau_dq [nv, nv] N m|N per rad|m; dtau_dv [nv, nv] N m|N per
/// rad/s|m/s; dtau_da [nv, nv] kg m^2|kg or none, armature included.
template <class T>
void inverse_dynamics_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dtau_dq, Out<T> dtau_dv,
                                  Workspace<T>& work, In<T> f_ext = {}, Out<T> dtau_da = {});

/// JVP of inverse_dynamics without matrices.
///
///     dtau = dtau_dq dq + dtau_dv dv + M da - sum_i J_i^T df_ext,i + Y dpi
///
/// with the matrices of inverse_dynamics_derivatives, jacobian and inverse_dynamics_regressor, in time and memory O(n).
/// dq is in the tangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; dq [nv] rad|m, as for integrate; dv [nv] rad/s|m/s; da
/// [nv] rad/s^2|m/s^2; f_ext [n_links, 6] N, N m or none; df_ext [n_links, 6] N, N m, or none: zeros; dpi [10 n_joints]
/// kg, kg m, kg m^2, or none: zeros. Out: tau [nv] N m|N; dtau [nv] N m|N.
template <class T>
void inverse_dynamics_jvp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> dq, In<T> dv, In<T> da, Out<T> tau,
                          Out<T> dtau, Workspace<T>& work, In<T> f_ext = {}, In<T> df_ext = {}, In<T> dpi = {});

/// VJP of inverse_dynamics without matrices.
///
///     q_bar = dtau_dq^T tau_bar, v_bar = dtau_dv^T tau_bar, a_bar = M tau_bar
///     f_ext_bar = -J tau_bar, pi_bar = Y^T tau_bar
///
/// are the gradient of tau_bar . tau, in time and memory O(n). q_bar is in the cotangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; tau_bar [nv] 1/(N m)|1/N; f_ext [n_links, 6] N, N m or
/// none. Out: tau [nv] N m|N; q_bar [nv] 1/rad|1/m; v_bar [nv] s/rad|s/m; a_bar [nv] s^2/rad|s^2/m; f_ext_bar [n_links,
/// 6] 1/N, 1/(N m) or none; pi_bar [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2) or none, of Model.inertial_parameters.
template <class T>
void inverse_dynamics_vjp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar, Out<T> tau, Out<T> q_bar,
                          Out<T> v_bar, Out<T> a_bar, Workspace<T>& work, In<T> f_ext = {}, Out<T> f_ext_bar = {},
                          Out<T> pi_bar = {});

/// JVP of inverse_dynamics_vjp: Hessian-vector products without matrices.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, a + s da, tau_bar + s dtau_bar, f_ext + s df_ext)
///
/// and similarly dv_bar, da_bar, ...; dtau is that of inverse_dynamics_jvp. Time and memory are O(n), about three times
/// those of the VJP. dq is in the tangent space of integrate. Axes move with the links, so that for spherical, planar
/// and free joints dq_bar is not symmetric in dq: see the page on second derivatives.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; tau_bar [nv] 1/(N m)|1/N; dq [nv] rad|m, as for integrate;
/// dv [nv] rad/s|m/s; da [nv] rad/s^2|m/s^2; dtau_bar [nv] 1/(N m)|1/N or none; f_ext [n_links, 6] N, N m or none;
/// df_ext [n_links, 6] N, N m or none. Out: dtau [nv] N m|N; dq_bar [nv] 1/rad|1/m; dv_bar [nv] s/rad|s/m; da_bar [nv]
/// s^2/rad|s^2/m; df_ext_bar [n_links, 6] 1/N, 1/(N m) or none; dpi_bar [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2) or
/// none, of Model.inertial_parameters.
template <class T>
void inverse_dynamics_hvp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar, In<T> dq, In<T> dv, In<T> da,
                          Out<T> dtau, Out<T> dq_bar, Out<T> dv_bar, Out<T> da_bar, Workspace<T>& work,
                          In<T> dtau_bar = {}, In<T> f_ext = {}, In<T> df_ext = {}, Out<T> df_ext_bar = {},
                          Out<T> dpi_bar = {});

/// Second derivatives of tau_bar . inverse_dynamics as matrices.
///
///     d2tau_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2tau_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
///     d2tau_dadq[j, k] = d/ds a_bar[j](q (+) s e_k), d2tau_dvdv[j, k] = d v_bar[j] / d v[k]
///
/// with q_bar, v_bar, a_bar of inverse_dynamics_vjp. The other blocks are transposes, or zero: joint torques are linear
/// in accelerations. A unit cotangent tau_bar = e_i gives the second derivatives of tau_i, a batch of them the whole
/// tensor of second derivatives. d2tau_dqdq is symmetric for joints with one degree of freedom.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; a [nv] rad/s^2|m/s^2; tau_bar [nv] 1/(N m)|1/N; f_ext [n_links, 6] N, N m or
/// none. Out: d2tau_dqdq [nv, nv]; d2tau_dvdq [nv, nv]; d2tau_dadq [nv, nv]; d2tau_dvdv [nv, nv].
template <class T>
void inverse_dynamics_second_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar,
                                         Out<T> d2tau_dqdq, Out<T> d2tau_dvdq, Out<T> d2tau_dadq, Out<T> d2tau_dvdv,
                                         Workspace<T>& work, In<T> f_ext = {});

/// Joint-space inertia: tau = M(q) a for a robot at rest without gravity.
///
/// The default method is composite rigid bodies, [RBDA] table 6.2.
///
/// In: q [nq] rad|m. Out: M [nv, nv] kg m^2|kg, symmetric, armature is on its diagonal. Options: method, chunk.
template <class T>
void mass_matrix(const Model& model, In<T> q, Out<T> M, Workspace<T>& work, const Options& options = {});

/// Time derivative of the mass matrix, dM/dt, at velocity v.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s. Out: Mdot [nv, nv] kg m^2/s|kg/s, symmetric.
template <class T>
void mass_matrix_rate(const Model& model, In<T> q, In<T> v, Out<T> Mdot, Workspace<T>& work);

/// Coriolis matrix: C v are the Coriolis and centrifugal forces, and dM/dt - 2 C is skew-symmetric.
///
///     C(q, v) v = bias_forces(q, v) - gravity_forces(q), C + C^T = dM/dt
///
/// After [Echeandia, Wensing 2021]. For joints with one degree of freedom it is that of Christoffel symbols.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s. Out: C [nv, nv] N m|N per rad/s|m/s.
template <class T>
void coriolis_matrix(const Model& model, In<T> q, In<T> v, Out<T> C, Workspace<T>& work);

/// Forward dynamics: acceleration due to the joint torques tau in state (q, v).
///
///     a = (M(q) + diag(diagonal))^-1 (tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i)
///
/// Armature is included; damping, friction and springs are not, see passive_forces. A singular mass matrix gives
/// infinities or NaN in this state. The default method is articulated bodies, [RBDA] table 7.1.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; f_ext [n_links, 6] N, N m or none; diagonal [nv] kg m^2|kg or
/// none, time step times damping makes damping implicit. Out: a [nv] rad/s^2|m/s^2. Options: method, solver,
/// right_hand_side, form, chunk, chunks, load_ratio, tolerance, max_iterations.
template <class T>
void forward_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work, In<T> f_ext = {},
                      In<T> diagonal = {}, const Options& options = {});

/// Constraint wrenches of the joints under the joint torques tau.
///
/// Row i is the wrench on link i from its parent without its components along the axes of joint i: the result of
/// interbody_wrenches for the acceleration of forward_dynamics, minus the joint torques. Row 0 is the total wrench that
/// holds the base. Method "constraint_force" solves for these wrenches.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; f_ext [n_links, 6] N, N m or none; diagonal [nv] kg m^2|kg or
/// none. Out: f_c [n_links, 6] N, N m. Options: method, solver, chunk, tolerance, max_iterations.
template <class T>
void constraint_wrenches(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> f_c, Workspace<T>& work,
                         In<T> f_ext = {}, In<T> diagonal = {}, const Options& options = {});

/// Forward dynamics with closed loops: acceleration due to the joint torques tau, and loop forces.
///
///     (M(q) + diag(diagonal)) a = tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i + J^T x,  J a + dJ/dt v = 0
///
/// forward_dynamics of a robot with loops gives the same acceleration. Forward dynamics of the tree by articulated
/// bodies, then the forces in the constrained directions of the loop joints; redundant directions carry none. [RBDA]
/// chapter 8. Gaps do not decay without stabilisation, after [Baumgarte 1972]: see close_loops.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; f_ext [n_links, 6] N, N m or none; diagonal [nv] kg m^2|kg or
/// none, time step times damping makes damping implicit. Out: a [nv] rad/s^2|m/s^2; f_loop [n_loops, 6] N, N m or none,
/// wrench of each loop joint on its second link, and the opposite on the first. Options: method, stabilisation.
template <class T>
void closed_loop_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work,
                          Out<T> f_loop = {}, In<T> f_ext = {}, In<T> diagonal = {}, const Options& options = {});

/// Derivatives of forward_dynamics by configuration, velocity and joint torques.
///
///     a(q (+) dq, v + dv, tau + dtau) = a + da_dq dq + da_dv dv + da_dtau dtau + ...
///     da_dq = -M^-1 dtau_dq, da_dv = -M^-1 dtau_dv, da_dtau = M^-1
///
/// After [Carpentier 2018], with the derivatives of inverse_dynamics_derivatives at the acceleration due to tau and
/// with its conventions. Damping, friction and springs are not included. With closed loops they are those of the
/// acceleration that keeps the loops closed, and the third matrix is not the inverse of the mass matrix.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; f_ext [n_links, 6] N, N m or none; diagonal [nv] kg m^2|kg or
/// none. Out: da_dq [nv, nv] rad/s^2|m/s^2 per rad|m; da_dv [nv, nv] rad/s^2|m/s^2 per rad/s|m/s; da_dtau [nv, nv]
/// 1/(kg m^2)|1/kg or none, symmetric.
template <class T>
void forward_dynamics_derivatives(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> da_dq, Out<T> da_dv,
                                  Workspace<T>& work, In<T> f_ext = {}, In<T> diagonal = {}, Out<T> da_dtau = {});

/// JVP of forward_dynamics without matrices.
///
///     da = M^-1 (dtau - dtau_dq dq - dtau_dv dv + sum_i J_i^T df_ext,i - Y dpi)
///
/// with the matrices of inverse_dynamics_derivatives at the acceleration due to tau, in time and memory O(n). With
/// closed loops it is that of the acceleration that keeps the loops closed.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; dq [nv] rad|m, as for integrate; dv [nv] rad/s|m/s; dtau [nv] N
/// m|N; f_ext [n_links, 6] N, N m or none; diagonal [nv] kg m^2|kg or none; df_ext [n_links, 6] N, N m, or none: zeros;
/// dpi [10 n_joints] kg, kg m, kg m^2, or none: zeros. Out: a [nv] rad/s^2|m/s^2; da [nv] rad/s^2|m/s^2.
template <class T>
void forward_dynamics_jvp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> dq, In<T> dv, In<T> dtau, Out<T> a,
                          Out<T> da, Workspace<T>& work, In<T> f_ext = {}, In<T> diagonal = {}, In<T> df_ext = {},
                          In<T> dpi = {});

/// VJP of forward_dynamics without matrices.
///
///     tau_bar = M^-1 a_bar, q_bar = -dtau_dq^T tau_bar, v_bar = -dtau_dv^T tau_bar
///     f_ext_bar = J tau_bar, pi_bar = -Y^T tau_bar
///
/// are the gradient of a_bar . a, in time and memory O(n). q_bar is in the cotangent space of integrate. With closed
/// loops they are those of the acceleration that keeps the loops closed.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; a_bar [nv] s^2/rad|s^2/m; f_ext [n_links, 6] N, N m or none;
/// diagonal [nv] kg m^2|kg or none. Out: a [nv] rad/s^2|m/s^2; q_bar [nv] 1/rad|1/m; v_bar [nv] s/rad|s/m; tau_bar [nv]
/// 1/(N m)|1/N; f_ext_bar [n_links, 6] 1/N, 1/(N m) or none; pi_bar [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2) or none,
/// of Model.inertial_parameters.
template <class T>
void forward_dynamics_vjp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, Out<T> a, Out<T> q_bar,
                          Out<T> v_bar, Out<T> tau_bar, Workspace<T>& work, In<T> f_ext = {}, In<T> diagonal = {},
                          Out<T> f_ext_bar = {}, Out<T> pi_bar = {});

/// JVP of forward_dynamics_vjp: Hessian-vector products without matrices.
///
///     dq_bar = d/ds q_bar(q (+) s dq, v + s dv, tau + s dtau, a_bar + s da_bar, f_ext + s df_ext)
///
/// and similarly dv_bar, dtau_bar, ...; da is that of forward_dynamics_jvp. Time and memory are O(n), about three times
/// those of the VJP. dq is in the tangent space of integrate. Axes move with the links, so that for spherical, planar
/// and free joints dq_bar is not symmetric in dq: see the page on second derivatives. Closed loops are not supported.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; a_bar [nv] s^2/rad|s^2/m; dq [nv] rad|m, as for integrate; dv
/// [nv] rad/s|m/s; dtau [nv] N m|N; da_bar [nv] s^2/rad|s^2/m or none; f_ext [n_links, 6] N, N m or none; df_ext
/// [n_links, 6] N, N m or none; diagonal [nv] kg m^2|kg or none. Out: da [nv] rad/s^2|m/s^2; dq_bar [nv] 1/rad|1/m;
/// dv_bar [nv] s/rad|s/m; dtau_bar [nv] 1/(N m)|1/N; df_ext_bar [n_links, 6] 1/N, 1/(N m) or none; dpi_bar [10
/// n_joints] 1/kg, 1/(kg m), 1/(kg m^2) or none, of Model.inertial_parameters.
template <class T>
void forward_dynamics_hvp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, In<T> dq, In<T> dv,
                          In<T> dtau, Out<T> da, Out<T> dq_bar, Out<T> dv_bar, Out<T> dtau_bar, Workspace<T>& work,
                          In<T> da_bar = {}, In<T> f_ext = {}, In<T> df_ext = {}, In<T> diagonal = {},
                          Out<T> df_ext_bar = {}, Out<T> dpi_bar = {});

/// Second derivatives of a_bar . forward_dynamics as matrices.
///
///     d2a_dqdq[j, k] = d/ds q_bar[j](q (+) s e_k), d2a_dvdq[j, k] = d/ds v_bar[j](q (+) s e_k)
///     d2a_dtaudq[j, k] = d/ds tau_bar[j](q (+) s e_k), d2a_dvdv[j, k] = d v_bar[j] / d v[k]
///
/// with q_bar, v_bar, tau_bar of forward_dynamics_vjp. The other blocks are transposes, or zero: accelerations are
/// linear in joint torques. A unit cotangent a_bar = e_i gives the second derivatives of a_i, a batch of them the whole
/// tensor of second derivatives. d2a_dqdq is symmetric for joints with one degree of freedom. Closed loops are not
/// supported.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; a_bar [nv] s^2/rad|s^2/m; f_ext [n_links, 6] N, N m or none;
/// diagonal [nv] kg m^2|kg or none. Out: d2a_dqdq [nv, nv]; d2a_dvdq [nv, nv]; d2a_dtaudq [nv, nv]; d2a_dvdv [nv, nv].
template <class T>
void forward_dynamics_second_derivatives(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, Out<T> d2a_dqdq,
                                         Out<T> d2a_dvdq, Out<T> d2a_dtaudq, Out<T> d2a_dvdv, Workspace<T>& work,
                                         In<T> f_ext = {}, In<T> diagonal = {});

/// Inverse of the mass matrix: the accelerations per unit joint torque.
///
/// By the factors of the articulated-body method [Rodriguez, Jain, Kreutz-Delgado 1992], without the mass matrix. For
/// products with a few vectors inverse_mass_matrix_product is faster. A singular mass matrix gives infinities or NaN.
///
/// In: q [nq] rad|m. Out: Minv [nv, nv] 1/(kg m^2)|1/kg, symmetric.
template <class T>
void inverse_mass_matrix(const Model& model, In<T> q, Out<T> Minv, Workspace<T>& work);

/// Product M(q)^-1 x without forming M.
///
/// For one q and a batch of x, all that depends only on q is computed once: many vectors cost a fraction of as many
/// calls. A singular mass matrix gives infinities or NaN. [RBDA] section 7.3.
///
/// In: q [nq] rad|m; x [nv] N m|N. Out: y [nv] rad/s^2|m/s^2.
template <class T>
void inverse_mass_matrix_product(const Model& model, In<T> q, In<T> x, Out<T> y, Workspace<T>& work);

/// Inverse operational-space inertia J M^-1 J^T: acceleration of a frame per wrench on it.
///
/// In time proportional to the number of links, without J and M. [Rodriguez, Jain, Kreutz-Delgado 1992].
///
/// In: q [nq] rad|m. Out: mobility [6, 6] 1/kg, 1/(kg m), 1/(kg m^2), symmetric, singular if the frame cannot move in
/// some direction.
template <class T>
void operational_space_mobility(const Model& model, In<T> q, int frame, Reference reference, Out<T> mobility,
                                Workspace<T>& work);

/// Kinetic and potential energy.
///
///     kinetic = 1/2 v^T M(q) v,   potential = -sum_i m_i g . p_com,i + 1/2 sum_k stiffness_k stretch_k^2
///
/// Of the moving links and their rotors; potential is that of weight, zero at the world's origin, and of joint springs.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s. Out: kinetic [] J; potential [] J.
template <class T>
void energy(const Model& model, In<T> q, In<T> v, T& kinetic, T& potential, Workspace<T>& work);

/// Derivatives of kinetic and potential energy by configuration and velocity.
///
///     kinetic(q (+) dq, v + dv) = kinetic + dkinetic_dq . dq + dkinetic_dv . dv + ..., dkinetic_dv = M(q) v
///     potential(q (+) dq) = potential + dpotential_dq . dq + ...
///
/// Without springs dpotential_dq is gravity_forces. dq is in the tangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s or none. Out: dkinetic_dq [nv] J per rad|m; dkinetic_dv [nv] J per rad/s|m/s;
/// dpotential_dq [nv] J per rad|m.
template <class T>
void energy_derivatives(const Model& model, In<T> q, In<T> v, Out<T> dkinetic_dq, Out<T> dkinetic_dv,
                        Out<T> dpotential_dq, Workspace<T>& work);

/// Center of mass of the moving links in the world, its velocity and its Jacobian.
///
/// NaN for a robot whose moving links have no mass.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s or none. Out: com [3] m; velocity [3] m/s or none; J [3, nv] m/rad|1 or none,
/// velocity = J v, world axes.
template <class T>
void centre_of_mass(const Model& model, In<T> q, Out<T> com, Workspace<T>& work, In<T> v = {}, Out<T> velocity = {},
                    Out<T> J = {});

/// Derivatives of velocity and acceleration of the center of mass by configuration, velocity and acceleration.
///
///     velocity(q (+) dq, v + dv) = velocity + dvelocity_dq dq + J dv + ...
///     acceleration(q (+) dq, v + dv, a + da) = acceleration + dacceleration_dq dq + dacceleration_dv dv + J da + ...
///
/// NaN without moving mass. World axes; the acceleration does not include gravity. The center of mass moves by J dq,
/// with dq in the tangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s or none; a [nv] rad/s^2|m/s^2 or none. Out: dvelocity_dq [3, nv] m/s per rad|m;
/// dacceleration_dq [3, nv] m/s^2 per rad|m; dacceleration_dv [3, nv] m/s^2 per rad/s|m/s; J [3, nv] m/rad|1 or none;
/// acceleration [3] m/s^2 or none.
template <class T>
void centre_of_mass_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dvelocity_dq,
                                Out<T> dacceleration_dq, Out<T> dacceleration_dv, Workspace<T>& work, Out<T> J = {},
                                Out<T> acceleration = {});

/// Linear and angular momentum of the moving links about their centre of mass, world axes: h = A(q) v.
///
/// [Orin 2013] eq. 27.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s. Out: h [6] kg m/s, kg m^2/s; A [6, nv] kg m|kg, kg m^2|kg m or none.
template <class T>
void centroidal_momentum(const Model& model, In<T> q, In<T> v, Out<T> h, Workspace<T>& work, Out<T> A = {});

/// Derivatives of the centroidal momentum and its rate by configuration, velocity and acceleration.
///
///     h(q (+) dq, v + dv) = h + dh_dq dq + A dv + ...
///     hdot(q (+) dq, v + dv, a + da) = hdot + dhdot_dq dq + dhdot_dv dv + A da + ...
///
/// World axes, about the moving center of mass; without moving mass about the world's origin. The rate does not include
/// gravity. dq is in the tangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s or none; a [nv] rad/s^2|m/s^2 or none. Out: dh_dq [6, nv] kg m/s, kg m^2/s per
/// rad|m; dhdot_dq [6, nv] N, N m per rad|m; dhdot_dv [6, nv] N, N m per rad/s|m/s; A [6, nv] kg m|kg, kg m^2|kg m or
/// none; hdot [6] N, N m or none.
template <class T>
void centroidal_momentum_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dh_dq, Out<T> dhdot_dq,
                                     Out<T> dhdot_dv, Workspace<T>& work, Out<T> A = {}, Out<T> hdot = {});

/// Joint torques of springs, damping and friction, to be added to tau.
///
///     tau = -stiffness (q - q_rest) - damping v - friction sign(v)
///
/// Friction is linear in v below a slip speed of 1e-3 rad/s or m/s.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s. Out: tau [nv] N m|N.
template <class T>
void passive_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work);

/// Derivatives of passive_forces by configuration and velocity.
///
///     tau(q (+) dq, v + dv) = tau + dtau_dq dq + dtau_dv dv + ...
///
/// To be added to the derivatives of the driving torques. dtau_dv is diagonal; at the slip speed, where friction has a
/// kink, it is that of faster motion. dq is in the tangent space of integrate.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s or none. Out: dtau_dq [nv, nv] N m|N per rad|m; dtau_dv [nv, nv] N m|N per
/// rad/s|m/s.
template <class T>
void passive_forces_derivatives(const Model& model, In<T> q, In<T> v, Out<T> dtau_dq, Out<T> dtau_dv,
                                Workspace<T>& work);

/// Configuration reached from q with a constant velocity in unit time, on the configuration manifold.
///
/// In: q [nq] rad|m; u [nv] rad|m. Out: q_next [nq] rad|m, quaternions are normalised. It may be q itself.
template <class T>
void integrate(const Model& model, In<T> q, In<T> u, Out<T> q_next, Workspace<T>& work);

/// Constant velocity from q0 to q1 in unit time along the shortest path.
///
/// Inverse of integrate. Angles of revolute joints are subtracted, including full turns.
///
/// In: q0 [nq] rad|m; q1 [nq] rad|m. Out: u [nv] rad|m.
template <class T>
void difference(const Model& model, In<T> q0, In<T> q1, Out<T> u, Workspace<T>& work);

/// Rate of a displacement: du/dt while integrate(q, u) moves with velocity v.
///
/// Runge-Kutta methods on manifolds need it, [Munthe-Kaas 1998]. Exact to third order in u.
///
/// In: u [nv] rad|m; v [nv] rad/s|m/s. Out: rate [nv] rad/s|m/s.
template <class T>
void integrate_rate(const Model& model, In<T> u, In<T> v, Out<T> rate, Workspace<T>& work);

/// Find a nearby configuration with closed loops, and the part of v that keeps them closed.
///
/// Newton's method: each step is the shortest one that closes the loops to first order, in the metric of the mass
/// matrix. If the gaps are large, the sum of the steps is not the shortest displacement, and another choice of the loop
/// joint gives another result. The velocity is the nearest to v in this metric. If no step reduces the error, the
/// iteration does not converge, which status reports. Joint limits are ignored. q_closed and v_closed may be q and v
/// themselves.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s or none. Out: q_closed [nq] rad|m; v_closed [nv] rad/s|m/s or none; error [] m,
/// rad. Options: tolerance, max_iterations.
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

/// State after one or more time steps of dt.
///
///     (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,  v += h a,  q = q (+) h v
///
/// with h = dt, or similarly by rk4 or implicit_midpoint, which conserves energy. The linear velocity of free and
/// planar joints is integrated along fixed axes, so that a spinning body moves along a straight line. D has joint
/// damping, kd and friction, K has stiffness and kp: a controller kp (q_target - q) - kd v, clipped to effort limits.
/// Joint limits act; contacts do not: Simulation, rollout and, in Python, contact_step have them. The forces are
/// constant in all steps. Simulation uses the same step, stores the joint-limit states, closes loops and detects
/// divergence. A gain without a target is an error, as are closed loops. stops has the impedance, force and side of
/// every joint limit: 1 at the upper limit, -1 at the lower, 0 inactive.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; dt [] s. Out: q_next [nq] rad|m; v_next [nv] rad/s|m/s. Options:
/// method, tolerance, max_iterations, integrator, steps, limits, losses, effort_limits.
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

/// JVP of a step by all its inputs, without matrices.
///
///     dq_next = d/ds q_next(q (+) s dq, v + s dv, tau + s dtau, ...), and similarly dv_next
///
/// in time and memory O(n), for every integrator, with dq and dq_next in the tangent space of integrate. They are the
/// derivatives of the computed step up to rounding. Active effort limits, slipping friction and active joint limits are
/// those of the step: the derivative jumps where they change. dimpedance is the tangent of the impedances in stops,
/// dimpedance_next of those in stops_next. The adjoint is step_vjp. Errors are those of step.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; dt [] s; dq [nv] rad|m; dv [nv] rad/s|m/s; dtau [nv] N m|N. Out:
/// q_next [nq] rad|m; v_next [nv] rad/s|m/s; dq_next [nv] rad|m; dv_next [nv] rad/s|m/s. Options: method, chunk,
/// chunks, tolerance, max_iterations, integrator, limits, losses, effort_limits.
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

/// VJP of a step by all its inputs, without matrices.
///
///     q_bar = (dq_next/dq)^T q_next_bar + (dv_next/dq)^T v_next_bar, and similarly v_bar, tau_bar, ...
///
/// in time and memory O(n), for every integrator; cotangents of configurations are in the cotangent space of integrate.
/// They are exact for the computed step up to rounding. Active effort limits, slipping friction and active joint limits
/// are those of the step: the derivative jumps where they change. A joint limit that becomes active in one step acts in
/// later steps with the impedance in stops: impedance_bar is its cotangent, impedance_next_bar that of the next step.
/// For many steps: rollout_gradient. Errors are those of step.
///
/// In: q [nq] rad|m; v [nv] rad/s|m/s; tau [nv] N m|N; dt [] s; q_next_bar [nv] 1/rad|1/m; v_next_bar [nv] s/rad|s/m.
/// Out: q_next [nq] rad|m; v_next [nv] rad/s|m/s; q_bar [nv] 1/rad|1/m; v_bar [nv] s/rad|s/m; tau_bar [nv] 1/(N m)|1/N.
/// Options: method, chunk, chunks, tolerance, max_iterations, integrator, limits, losses, effort_limits.
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
