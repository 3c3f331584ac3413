// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as tools/register.py generates all functions into one header.
/// The algorithms as functions of a batch of states, with named arguments, from the tables of the
/// algorithms.
///
///     std::vector<double> q(1000 * arm.nq()), v(1000 * arm.nv()), tau(v.size()), a(v.size());
///     forward_dynamics(arm, {.q = q, .v = v, .tau = tau}, {.a = a}, work, {.threads = 4});
///
/// An argument is a contiguous container of numbers, one state after another, or one state for all; an Array with
/// strides; or an Eigen vector or matrix (tandem/eigen.hpp). The outputs determine the number of states. Throws Error
/// that names an argument of wrong size, and as evaluate() does. T is double or float, as the workspace. In place of a
/// model there may be a plan, whose options hold.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <type_traits>

#include "tandem/api/evaluate.hpp"
#include "tandem/api/layout.hpp"

// clang-format off
namespace tandem {

/// Inputs of forward_kinematics.
template <class T>
struct ForwardKinematicsIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration; may be left out
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of forward_kinematics.
template <class T>
struct ForwardKinematicsOut {
  Output<T> pose = {};  ///< [n_frames, 3, 4] m: rotation and position of every frame in the world; rows of [R | p]
  /// [n_frames, 6] m/s, rad/s: velocity of every frame; linear first; needs v; may be left out
  Output<T> velocity = {};
  /// [n_frames, 6] m/s^2, rad/s^2: acceleration of every frame; linear first; needs v a; may be left out
  Output<T> acceleration = {};
};
/// For a batch or one state: pose, velocity and acceleration of every link and frame. See forward_kinematics in
/// tandem/api/functions.hpp.
template <class T>
void forward_kinematics(const Model& model, const std::type_identity_t<ForwardKinematicsIn<T>>& in,
                        const std::type_identity_t<ForwardKinematicsOut<T>>& out, Workspace<T>& work,
                        const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), out.pose.layout(), out.velocity.layout(), out.acceleration.layout()};
  evaluate_layouts<T>(0, model, arguments, work, how, {.reference = in.reference});
}

/// Inputs of forward_kinematics_derivatives.
template <class T>
struct ForwardKinematicsDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  int frame = -1;  ///< index of the frame, Model::frame_index
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of forward_kinematics_derivatives.
template <class T>
struct ForwardKinematicsDerivativesOut {
  /// [6, nv] m/s, rad/s per rad|m: derivative of the frame's velocity by configuration; linear first
  Output<T> dvelocity_dq = {};
  /// [6, nv] m/s^2, rad/s^2 per rad|m: its acceleration by configuration; linear first
  Output<T> dacceleration_dq = {};
  Output<T> dacceleration_dv = {};  ///< [6, nv] m/s^2, rad/s^2 per rad/s|m/s: by velocity; linear first
  Output<T> J = {};  ///< [6, nv] m/rad|1, rad/rad|rad/m: its Jacobian; linear first; may be left out
};
/// For a batch or one state: derivatives of a frame's velocity and acceleration. See forward_kinematics_derivatives in
/// tandem/api/functions.hpp.
template <class T>
void forward_kinematics_derivatives(const Model& model,
                                    const std::type_identity_t<ForwardKinematicsDerivativesIn<T>>& in,
                                    const std::type_identity_t<ForwardKinematicsDerivativesOut<T>>& out,
                                    Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), out.dvelocity_dq.layout(), out.dacceleration_dq.layout(),
      out.dacceleration_dv.layout(), out.J.layout()};
  evaluate_layouts<T>(1, model, arguments, work, how, {.frame = in.frame, .reference = in.reference});
}

/// Inputs of forward_kinematics_jvp.
template <class T>
struct ForwardKinematicsJvpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> dq = {};  ///< [nv] rad|m: tangent of q
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration; may be left out
  Input<T> dv = {};  ///< [nv] rad/s|m/s: tangent of v; may be left out
  Input<T> da = {};  ///< [nv] rad/s^2|m/s^2: tangent of a; may be left out
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of forward_kinematics_jvp.
template <class T>
struct ForwardKinematicsJvpOut {
  Output<T> dpose = {};  ///< [n_frames, 3, 4] m: tangent of pose; rows of [R | p]
  Output<T> dvelocity = {};  ///< [n_frames, 6] m/s, rad/s: tangent of velocity; linear first; needs v; may be left out
  /// [n_frames, 6] m/s^2, rad/s^2: tangent of acceleration; linear first; needs v a; may be left out
  Output<T> dacceleration = {};
};
/// For a batch or one state: JVP of forward kinematics. See forward_kinematics_jvp in tandem/api/functions.hpp.
template <class T>
void forward_kinematics_jvp(const Model& model, const std::type_identity_t<ForwardKinematicsJvpIn<T>>& in,
                            const std::type_identity_t<ForwardKinematicsJvpOut<T>>& out, Workspace<T>& work,
                            const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.dq.layout(), in.v.layout(), in.a.layout(), in.dv.layout(), in.da.layout(), out.dpose.layout(),
      out.dvelocity.layout(), out.dacceleration.layout()};
  evaluate_layouts<T>(2, model, arguments, work, how, {.reference = in.reference});
}

/// Inputs of forward_kinematics_vjp.
template <class T>
struct ForwardKinematicsVjpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration; may be left out
  Input<T> pose_bar = {};  ///< [n_frames, 3, 4] 1/m: cotangent of pose; rows of [R | p]; may be left out
  Input<T> velocity_bar = {};  ///< [n_frames, 6] s/m, s/rad: cotangent of velocity; linear first; may be left out
  /// [n_frames, 6] s^2/m, s^2/rad: cotangent of acceleration; linear first; may be left out
  Input<T> acceleration_bar = {};
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of forward_kinematics_vjp.
template <class T>
struct ForwardKinematicsVjpOut {
  Output<T> q_bar = {};  ///< [nv] 1/rad|1/m: cotangent of q
  Output<T> v_bar = {};  ///< [nv] s/rad|s/m: cotangent of v; needs v; may be left out
  Output<T> a_bar = {};  ///< [nv] s^2/rad|s^2/m: cotangent of a; needs v a; may be left out
};
/// For a batch or one state: VJP of forward kinematics. See forward_kinematics_vjp in tandem/api/functions.hpp.
template <class T>
void forward_kinematics_vjp(const Model& model, const std::type_identity_t<ForwardKinematicsVjpIn<T>>& in,
                            const std::type_identity_t<ForwardKinematicsVjpOut<T>>& out, Workspace<T>& work,
                            const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.pose_bar.layout(), in.velocity_bar.layout(),
      in.acceleration_bar.layout(), out.q_bar.layout(), out.v_bar.layout(), out.a_bar.layout()};
  evaluate_layouts<T>(3, model, arguments, work, how, {.reference = in.reference});
}

/// Inputs of jacobian.
template <class T>
struct JacobianIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  int frame = -1;  ///< index of the frame, Model::frame_index
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of jacobian.
template <class T>
struct JacobianOut {
  Output<T> J = {};  ///< [6, nv] m/rad|1, rad/rad|rad/m: Jacobian of the frame; linear first
};
/// For a batch or one state: Jacobian of a frame. See jacobian in tandem/api/functions.hpp.
template <class T>
void jacobian(const Model& model, const std::type_identity_t<JacobianIn<T>>& in,
              const std::type_identity_t<JacobianOut<T>>& out, Workspace<T>& work,
              const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), out.J.layout()};
  evaluate_layouts<T>(4, model, arguments, work, how, {.frame = in.frame, .reference = in.reference});
}

/// Inputs of jacobian_time_derivative_product.
template <class T>
struct JacobianTimeDerivativeProductIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  int frame = -1;  ///< index of the frame, Model::frame_index
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of jacobian_time_derivative_product.
template <class T>
struct JacobianTimeDerivativeProductOut {
  Output<T> Jdot_v = {};  ///< [6] m/s^2, rad/s^2: dJ/dt v of the frame; linear first
};
/// For a batch or one state: time derivative of a frame's Jacobian times the velocity. See
/// jacobian_time_derivative_product in tandem/api/functions.hpp.
template <class T>
void jacobian_time_derivative_product(const Model& model,
                                      const std::type_identity_t<JacobianTimeDerivativeProductIn<T>>& in,
                                      const std::type_identity_t<JacobianTimeDerivativeProductOut<T>>& out,
                                      Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.Jdot_v.layout()};
  evaluate_layouts<T>(5, model, arguments, work, how, {.frame = in.frame, .reference = in.reference});
}

/// Inputs of inverse_dynamics.
template <class T>
struct InverseDynamicsIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of inverse_dynamics.
template <class T>
struct InverseDynamicsOut {
  Output<T> tau = {};  ///< [nv] N m|N: joint torques
};
/// For a batch or one state: joint torques for an acceleration. See inverse_dynamics in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics(const M& model, const std::type_identity_t<InverseDynamicsIn<T>>& in,
                      const std::type_identity_t<InverseDynamicsOut<T>>& out, Workspace<T>& work,
                      const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), in.a.layout(), in.f_ext.layout(), out.tau.layout()};
  evaluate_layouts<T>(6, model, arguments, work, how);
}

/// Inputs of bias_forces.
template <class T>
struct BiasForcesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of bias_forces.
template <class T>
struct BiasForcesOut {
  Output<T> tau = {};  ///< [nv] N m|N: joint torques
};
/// For a batch or one state: Coriolis, centrifugal and gravity forces. See bias_forces in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void bias_forces(const M& model, const std::type_identity_t<BiasForcesIn<T>>& in,
                 const std::type_identity_t<BiasForcesOut<T>>& out, Workspace<T>& work,
                 const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), in.f_ext.layout(), out.tau.layout()};
  evaluate_layouts<T>(7, model, arguments, work, how);
}

/// Inputs of gravity_forces.
template <class T>
struct GravityForcesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
};
/// Outputs of gravity_forces.
template <class T>
struct GravityForcesOut {
  Output<T> tau = {};  ///< [nv] N m|N: joint torques
};
/// For a batch or one state: joint torques that compensate gravity. See gravity_forces in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void gravity_forces(const M& model, const std::type_identity_t<GravityForcesIn<T>>& in,
                    const std::type_identity_t<GravityForcesOut<T>>& out, Workspace<T>& work,
                    const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), out.tau.layout()};
  evaluate_layouts<T>(8, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_terms.
template <class T>
struct InverseDynamicsTermsIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of inverse_dynamics_terms.
template <class T>
struct InverseDynamicsTermsOut {
  Output<T> inertial = {};  ///< [nv] N m|N: M a
  Output<T> coriolis = {};  ///< [nv] N m|N: Coriolis torques: products of different velocities
  Output<T> centrifugal = {};  ///< [nv] N m|N: centrifugal torques: squares of velocities
  Output<T> gravity = {};  ///< [nv] N m|N: gravity torques
  Output<T> external = {};  ///< [nv] N m|N: torques that balance f_ext
  Output<T> friction = {};  ///< [nv] N m|N: torques that balance friction and damping
  Output<T> springs = {};  ///< [nv] N m|N: torques that balance springs
};
/// For a batch or one state: terms of inverse dynamics. See inverse_dynamics_terms in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_terms(const M& model, const std::type_identity_t<InverseDynamicsTermsIn<T>>& in,
                            const std::type_identity_t<InverseDynamicsTermsOut<T>>& out, Workspace<T>& work,
                            const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.f_ext.layout(), out.inertial.layout(), out.coriolis.layout(),
      out.centrifugal.layout(), out.gravity.layout(), out.external.layout(), out.friction.layout(),
      out.springs.layout()};
  evaluate_layouts<T>(9, model, arguments, work, how);
}

/// Inputs of interbody_wrenches.
template <class T>
struct InterbodyWrenchesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of interbody_wrenches.
template <class T>
struct InterbodyWrenchesOut {
  /// [n_links, 6] N, N m: wrench on every link from its parent; linear first, at the link's origin, its axes
  Output<T> f = {};
};
/// For a batch or one state: wrenches that joints transmit between links. See interbody_wrenches in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void interbody_wrenches(const M& model, const std::type_identity_t<InterbodyWrenchesIn<T>>& in,
                        const std::type_identity_t<InterbodyWrenchesOut<T>>& out, Workspace<T>& work,
                        const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), in.a.layout(), in.f_ext.layout(), out.f.layout()};
  evaluate_layouts<T>(10, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_regressor.
template <class T>
struct InverseDynamicsRegressorIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
};
/// Outputs of inverse_dynamics_regressor.
template <class T>
struct InverseDynamicsRegressorOut {
  /// [nv, 10 n_joints] N m|N per kg, kg m, kg m^2: tau = Y pi + armature a; for every link m, m cx, m cy, m cz, Ixx,
  /// Ixy, Iyy, Ixz, Iyz, Izz
  Output<T> Y = {};
};
/// For a batch or one state: regressor: the matrix of the inertial parameters in inverse dynamics. See
/// inverse_dynamics_regressor in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_regressor(const M& model, const std::type_identity_t<InverseDynamicsRegressorIn<T>>& in,
                                const std::type_identity_t<InverseDynamicsRegressorOut<T>>& out, Workspace<T>& work,
                                const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), in.a.layout(), out.Y.layout()};
  evaluate_layouts<T>(11, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_derivatives.
template <class T>
struct InverseDynamicsDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration; may be left out
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of inverse_dynamics_derivatives.
template <class T>
struct InverseDynamicsDerivativesOut {
  Output<T> dtau_dq = {};  ///< [nv, nv] N m|N per rad|m: derivative of the joint torques by configuration; row-major
  Output<T> dtau_dv = {};  ///< [nv, nv] N m|N per rad/s|m/s: by velocity; row-major
  Output<T> dtau_da = {};  ///< [nv, nv] kg m^2|kg: by acceleration: the mass matrix; row-major; may be left out
};
/// For a batch or one state: derivatives of joint torques by configuration, velocity and acceleration. See
/// inverse_dynamics_derivatives in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_derivatives(const M& model, const std::type_identity_t<InverseDynamicsDerivativesIn<T>>& in,
                                  const std::type_identity_t<InverseDynamicsDerivativesOut<T>>& out, Workspace<T>& work,
                                  const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.f_ext.layout(), out.dtau_dq.layout(), out.dtau_dv.layout(),
      out.dtau_da.layout()};
  evaluate_layouts<T>(12, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_jvp.
template <class T>
struct InverseDynamicsJvpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  Input<T> dq = {};  ///< [nv] rad|m: tangent of q
  Input<T> dv = {};  ///< [nv] rad/s|m/s: tangent of v
  Input<T> da = {};  ///< [nv] rad/s^2|m/s^2: tangent of a
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  /// [n_links, 6] N, N m: tangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Input<T> df_ext = {};
  /// [10 n_joints] kg, kg m, kg m^2: tangent of the inertial parameters; for every link m, m cx, m cy, m cz, Ixx, Ixy,
  /// Iyy, Ixz, Iyz, Izz; may be left out
  Input<T> dpi = {};
};
/// Outputs of inverse_dynamics_jvp.
template <class T>
struct InverseDynamicsJvpOut {
  Output<T> tau = {};  ///< [nv] N m|N: joint torques
  Output<T> dtau = {};  ///< [nv] N m|N: tangent of tau
};
/// For a batch or one state: JVP of inverse dynamics. See inverse_dynamics_jvp in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_jvp(const M& model, const std::type_identity_t<InverseDynamicsJvpIn<T>>& in,
                          const std::type_identity_t<InverseDynamicsJvpOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.dq.layout(), in.dv.layout(), in.da.layout(), in.f_ext.layout(),
      in.df_ext.layout(), in.dpi.layout(), out.tau.layout(), out.dtau.layout()};
  evaluate_layouts<T>(13, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_vjp.
template <class T>
struct InverseDynamicsVjpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  Input<T> tau_bar = {};  ///< [nv] 1/(N m)|1/N: cotangent of tau
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of inverse_dynamics_vjp.
template <class T>
struct InverseDynamicsVjpOut {
  Output<T> tau = {};  ///< [nv] N m|N: joint torques
  Output<T> q_bar = {};  ///< [nv] 1/rad|1/m: cotangent of q
  Output<T> v_bar = {};  ///< [nv] s/rad|s/m: cotangent of v
  Output<T> a_bar = {};  ///< [nv] s^2/rad|s^2/m: cotangent of a
  /// [n_links, 6] 1/N, 1/(N m): cotangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Output<T> f_ext_bar = {};
  /// [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2): cotangent of the inertial parameters; for every link m, m cx, m cy, m
  /// cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz; may be left out
  Output<T> pi_bar = {};
};
/// For a batch or one state: VJP of inverse dynamics. See inverse_dynamics_vjp in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_vjp(const M& model, const std::type_identity_t<InverseDynamicsVjpIn<T>>& in,
                          const std::type_identity_t<InverseDynamicsVjpOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.tau_bar.layout(), in.f_ext.layout(), out.tau.layout(),
      out.q_bar.layout(), out.v_bar.layout(), out.a_bar.layout(), out.f_ext_bar.layout(), out.pi_bar.layout()};
  evaluate_layouts<T>(14, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_hvp.
template <class T>
struct InverseDynamicsHvpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  Input<T> tau_bar = {};  ///< [nv] 1/(N m)|1/N: cotangent of tau
  Input<T> dq = {};  ///< [nv] rad|m: tangent of q
  Input<T> dv = {};  ///< [nv] rad/s|m/s: tangent of v
  Input<T> da = {};  ///< [nv] rad/s^2|m/s^2: tangent of a
  Input<T> dtau_bar = {};  ///< [nv] 1/(N m)|1/N: tangent of tau_bar; may be left out
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  /// [n_links, 6] N, N m: tangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Input<T> df_ext = {};
};
/// Outputs of inverse_dynamics_hvp.
template <class T>
struct InverseDynamicsHvpOut {
  Output<T> dtau = {};  ///< [nv] N m|N: tangent of tau
  Output<T> dq_bar = {};  ///< [nv] 1/rad|1/m: tangent of q_bar
  Output<T> dv_bar = {};  ///< [nv] s/rad|s/m: tangent of v_bar
  Output<T> da_bar = {};  ///< [nv] s^2/rad|s^2/m: tangent of a_bar
  /// [n_links, 6] 1/N, 1/(N m): tangent of f_ext_bar; linear first, at the link's origin, its axes; may be left out
  Output<T> df_ext_bar = {};
  /// [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2): tangent of pi_bar; for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy,
  /// Ixz, Iyz, Izz; may be left out
  Output<T> dpi_bar = {};
};
/// For a batch or one state: JVP of the VJP of inverse dynamics: Hessian-vector products. See inverse_dynamics_hvp in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_hvp(const M& model, const std::type_identity_t<InverseDynamicsHvpIn<T>>& in,
                          const std::type_identity_t<InverseDynamicsHvpOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.tau_bar.layout(), in.dq.layout(), in.dv.layout(), in.da.layout(),
      in.dtau_bar.layout(), in.f_ext.layout(), in.df_ext.layout(), out.dtau.layout(), out.dq_bar.layout(),
      out.dv_bar.layout(), out.da_bar.layout(), out.df_ext_bar.layout(), out.dpi_bar.layout()};
  evaluate_layouts<T>(15, model, arguments, work, how);
}

/// Inputs of inverse_dynamics_second_derivatives.
template <class T>
struct InverseDynamicsSecondDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  Input<T> tau_bar = {};  ///< [nv] 1/(N m)|1/N: cotangent of tau
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
};
/// Outputs of inverse_dynamics_second_derivatives.
template <class T>
struct InverseDynamicsSecondDerivativesOut {
  Output<T> d2tau_dqdq = {};  ///< [nv, nv] : second derivative by configuration; row-major
  Output<T> d2tau_dvdq = {};  ///< [nv, nv] : second derivative by velocity and configuration; row-major
  Output<T> d2tau_dadq = {};  ///< [nv, nv] : second derivative by acceleration and configuration; row-major
  Output<T> d2tau_dvdv = {};  ///< [nv, nv] : second derivative by velocity; row-major
};
/// For a batch or one state: second derivatives of tau_bar . inverse_dynamics. See inverse_dynamics_second_derivatives
/// in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_dynamics_second_derivatives(const M& model,
                                         const std::type_identity_t<InverseDynamicsSecondDerivativesIn<T>>& in,
                                         const std::type_identity_t<InverseDynamicsSecondDerivativesOut<T>>& out,
                                         Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), in.tau_bar.layout(), in.f_ext.layout(), out.d2tau_dqdq.layout(),
      out.d2tau_dvdq.layout(), out.d2tau_dadq.layout(), out.d2tau_dvdv.layout()};
  evaluate_layouts<T>(16, model, arguments, work, how);
}

/// Inputs of mass_matrix.
template <class T>
struct MassMatrixIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
};
/// Outputs of mass_matrix.
template <class T>
struct MassMatrixOut {
  Output<T> M = {};  ///< [nv, nv] kg m^2|kg: mass matrix
};
/// For a batch or one state: joint-space inertia matrix. See mass_matrix in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void mass_matrix(const M& model, const std::type_identity_t<MassMatrixIn<T>>& in,
                 const std::type_identity_t<MassMatrixOut<T>>& out, Workspace<T>& work,
                 const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), out.M.layout()};
  evaluate_layouts<T>(17, model, arguments, work, how);
}

/// Inputs of mass_matrix_rate.
template <class T>
struct MassMatrixRateIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
};
/// Outputs of mass_matrix_rate.
template <class T>
struct MassMatrixRateOut {
  Output<T> Mdot = {};  ///< [nv, nv] kg m^2/s|kg/s: time derivative of the mass matrix
};
/// For a batch or one state: time derivative of the mass matrix. See mass_matrix_rate in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void mass_matrix_rate(const M& model, const std::type_identity_t<MassMatrixRateIn<T>>& in,
                      const std::type_identity_t<MassMatrixRateOut<T>>& out, Workspace<T>& work,
                      const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.Mdot.layout()};
  evaluate_layouts<T>(18, model, arguments, work, how);
}

/// Inputs of coriolis_matrix.
template <class T>
struct CoriolisMatrixIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
};
/// Outputs of coriolis_matrix.
template <class T>
struct CoriolisMatrixOut {
  Output<T> C = {};  ///< [nv, nv] N m|N per rad/s|m/s: Coriolis matrix, dM/dt - 2 C is skew-symmetric; row-major
};
/// For a batch or one state: matrix of Coriolis and centrifugal forces. See coriolis_matrix in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void coriolis_matrix(const M& model, const std::type_identity_t<CoriolisMatrixIn<T>>& in,
                     const std::type_identity_t<CoriolisMatrixOut<T>>& out, Workspace<T>& work,
                     const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.C.layout()};
  evaluate_layouts<T>(19, model, arguments, work, how);
}

/// Inputs of forward_dynamics.
template <class T>
struct ForwardDynamicsIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of forward_dynamics.
template <class T>
struct ForwardDynamicsOut {
  Output<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
};
/// For a batch or one state: acceleration due to joint torques. See forward_dynamics in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void forward_dynamics(const M& model, const std::type_identity_t<ForwardDynamicsIn<T>>& in,
                      const std::type_identity_t<ForwardDynamicsOut<T>>& out, Workspace<T>& work,
                      const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.f_ext.layout(), in.diagonal.layout(), out.a.layout()};
  evaluate_layouts<T>(20, model, arguments, work, how);
}

/// Inputs of forward_dynamics_derivatives.
template <class T>
struct ForwardDynamicsDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of forward_dynamics_derivatives.
template <class T>
struct ForwardDynamicsDerivativesOut {
  /// [nv, nv] rad/s^2|m/s^2 per rad|m: derivative of the accelerations by configuration; row-major
  Output<T> da_dq = {};
  Output<T> da_dv = {};  ///< [nv, nv] rad/s^2|m/s^2 per rad/s|m/s: by velocity; row-major
  /// [nv, nv] 1/(kg m^2)|1/kg: by joint torques: the inverse of the mass matrix; may be left out
  Output<T> da_dtau = {};
};
/// For a batch or one state: derivatives of accelerations by configuration, velocity and joint torques. See
/// forward_dynamics_derivatives in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void forward_dynamics_derivatives(const M& model, const std::type_identity_t<ForwardDynamicsDerivativesIn<T>>& in,
                                  const std::type_identity_t<ForwardDynamicsDerivativesOut<T>>& out, Workspace<T>& work,
                                  const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.f_ext.layout(), in.diagonal.layout(), out.da_dq.layout(),
      out.da_dv.layout(), out.da_dtau.layout()};
  evaluate_layouts<T>(21, model, arguments, work, how);
}

/// Inputs of forward_dynamics_jvp.
template <class T>
struct ForwardDynamicsJvpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> dq = {};  ///< [nv] rad|m: tangent of q
  Input<T> dv = {};  ///< [nv] rad/s|m/s: tangent of v
  Input<T> dtau = {};  ///< [nv] N m|N: tangent of tau
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
  /// [n_links, 6] N, N m: tangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Input<T> df_ext = {};
  /// [10 n_joints] kg, kg m, kg m^2: tangent of the inertial parameters; for every link m, m cx, m cy, m cz, Ixx, Ixy,
  /// Iyy, Ixz, Iyz, Izz; may be left out
  Input<T> dpi = {};
};
/// Outputs of forward_dynamics_jvp.
template <class T>
struct ForwardDynamicsJvpOut {
  Output<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  Output<T> da = {};  ///< [nv] rad/s^2|m/s^2: tangent of a
};
/// For a batch or one state: JVP of forward dynamics. See forward_dynamics_jvp in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void forward_dynamics_jvp(const M& model, const std::type_identity_t<ForwardDynamicsJvpIn<T>>& in,
                          const std::type_identity_t<ForwardDynamicsJvpOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.dq.layout(), in.dv.layout(), in.dtau.layout(),
      in.f_ext.layout(), in.diagonal.layout(), in.df_ext.layout(), in.dpi.layout(), out.a.layout(), out.da.layout()};
  evaluate_layouts<T>(22, model, arguments, work, how);
}

/// Inputs of forward_dynamics_vjp.
template <class T>
struct ForwardDynamicsVjpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> a_bar = {};  ///< [nv] s^2/rad|s^2/m: cotangent of a
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of forward_dynamics_vjp.
template <class T>
struct ForwardDynamicsVjpOut {
  Output<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  Output<T> q_bar = {};  ///< [nv] 1/rad|1/m: cotangent of q
  Output<T> v_bar = {};  ///< [nv] s/rad|s/m: cotangent of v
  Output<T> tau_bar = {};  ///< [nv] 1/(N m)|1/N: cotangent of tau
  /// [n_links, 6] 1/N, 1/(N m): cotangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Output<T> f_ext_bar = {};
  /// [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2): cotangent of the inertial parameters; for every link m, m cx, m cy, m
  /// cz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz; may be left out
  Output<T> pi_bar = {};
};
/// For a batch or one state: VJP of forward dynamics. See forward_dynamics_vjp in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void forward_dynamics_vjp(const M& model, const std::type_identity_t<ForwardDynamicsVjpIn<T>>& in,
                          const std::type_identity_t<ForwardDynamicsVjpOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.a_bar.layout(), in.f_ext.layout(), in.diagonal.layout(),
      out.a.layout(), out.q_bar.layout(), out.v_bar.layout(), out.tau_bar.layout(), out.f_ext_bar.layout(),
      out.pi_bar.layout()};
  evaluate_layouts<T>(23, model, arguments, work, how);
}

/// Inputs of forward_dynamics_hvp.
template <class T>
struct ForwardDynamicsHvpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> a_bar = {};  ///< [nv] s^2/rad|s^2/m: cotangent of a
  Input<T> dq = {};  ///< [nv] rad|m: tangent of q
  Input<T> dv = {};  ///< [nv] rad/s|m/s: tangent of v
  Input<T> dtau = {};  ///< [nv] N m|N: tangent of tau
  Input<T> da_bar = {};  ///< [nv] s^2/rad|s^2/m: tangent of a_bar; may be left out
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  /// [n_links, 6] N, N m: tangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Input<T> df_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of forward_dynamics_hvp.
template <class T>
struct ForwardDynamicsHvpOut {
  Output<T> da = {};  ///< [nv] rad/s^2|m/s^2: tangent of a
  Output<T> dq_bar = {};  ///< [nv] 1/rad|1/m: tangent of q_bar
  Output<T> dv_bar = {};  ///< [nv] s/rad|s/m: tangent of v_bar
  Output<T> dtau_bar = {};  ///< [nv] 1/(N m)|1/N: tangent of tau_bar
  /// [n_links, 6] 1/N, 1/(N m): tangent of f_ext_bar; linear first, at the link's origin, its axes; may be left out
  Output<T> df_ext_bar = {};
  /// [10 n_joints] 1/kg, 1/(kg m), 1/(kg m^2): tangent of pi_bar; for every link m, m cx, m cy, m cz, Ixx, Ixy, Iyy,
  /// Ixz, Iyz, Izz; may be left out
  Output<T> dpi_bar = {};
};
/// For a batch or one state: JVP of the VJP of forward dynamics: Hessian-vector products. See forward_dynamics_hvp in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void forward_dynamics_hvp(const M& model, const std::type_identity_t<ForwardDynamicsHvpIn<T>>& in,
                          const std::type_identity_t<ForwardDynamicsHvpOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.a_bar.layout(), in.dq.layout(), in.dv.layout(),
      in.dtau.layout(), in.da_bar.layout(), in.f_ext.layout(), in.df_ext.layout(), in.diagonal.layout(),
      out.da.layout(), out.dq_bar.layout(), out.dv_bar.layout(), out.dtau_bar.layout(), out.df_ext_bar.layout(),
      out.dpi_bar.layout()};
  evaluate_layouts<T>(24, model, arguments, work, how);
}

/// Inputs of forward_dynamics_second_derivatives.
template <class T>
struct ForwardDynamicsSecondDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> a_bar = {};  ///< [nv] s^2/rad|s^2/m: cotangent of a
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of forward_dynamics_second_derivatives.
template <class T>
struct ForwardDynamicsSecondDerivativesOut {
  Output<T> d2a_dqdq = {};  ///< [nv, nv] : second derivative by configuration; row-major
  Output<T> d2a_dvdq = {};  ///< [nv, nv] : second derivative by velocity and configuration; row-major
  Output<T> d2a_dtaudq = {};  ///< [nv, nv] : second derivative by joint torques and configuration; row-major
  Output<T> d2a_dvdv = {};  ///< [nv, nv] : second derivative by velocity; row-major
};
/// For a batch or one state: second derivatives of a_bar . forward_dynamics. See forward_dynamics_second_derivatives in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void forward_dynamics_second_derivatives(const M& model,
                                         const std::type_identity_t<ForwardDynamicsSecondDerivativesIn<T>>& in,
                                         const std::type_identity_t<ForwardDynamicsSecondDerivativesOut<T>>& out,
                                         Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.a_bar.layout(), in.f_ext.layout(), in.diagonal.layout(),
      out.d2a_dqdq.layout(), out.d2a_dvdq.layout(), out.d2a_dtaudq.layout(), out.d2a_dvdv.layout()};
  evaluate_layouts<T>(25, model, arguments, work, how);
}

/// Inputs of constraint_wrenches.
template <class T>
struct ConstraintWrenchesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of constraint_wrenches.
template <class T>
struct ConstraintWrenchesOut {
  /// [n_links, 6] N, N m: wrench on every link from its parent, without components along the joint; linear first, at
  /// the link's origin, its axes
  Output<T> f_c = {};
};
/// For a batch or one state: constraint wrenches of the joints under joint torques. See constraint_wrenches in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void constraint_wrenches(const M& model, const std::type_identity_t<ConstraintWrenchesIn<T>>& in,
                         const std::type_identity_t<ConstraintWrenchesOut<T>>& out, Workspace<T>& work,
                         const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.f_ext.layout(), in.diagonal.layout(), out.f_c.layout()};
  evaluate_layouts<T>(26, model, arguments, work, how);
}

/// Inputs of closed_loop_dynamics.
template <class T>
struct ClosedLoopDynamicsIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> diagonal = {};  ///< [nv] kg m^2|kg: added to the diagonal of the mass matrix; may be left out
};
/// Outputs of closed_loop_dynamics.
template <class T>
struct ClosedLoopDynamicsOut {
  Output<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration
  /// [n_loops, 6] N, N m: wrenches of the loop joints on their second links; linear first, at the origin of frame 2,
  /// the axes of frame 1; may be left out
  Output<T> f_loop = {};
};
/// For a batch or one state: acceleration and loop forces due to joint torques. See closed_loop_dynamics in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void closed_loop_dynamics(const M& model, const std::type_identity_t<ClosedLoopDynamicsIn<T>>& in,
                          const std::type_identity_t<ClosedLoopDynamicsOut<T>>& out, Workspace<T>& work,
                          const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.f_ext.layout(), in.diagonal.layout(), out.a.layout(),
      out.f_loop.layout()};
  evaluate_layouts<T>(27, model, arguments, work, how);
}

/// Inputs of inverse_mass_matrix_product.
template <class T>
struct InverseMassMatrixProductIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> x = {};  ///< [nv] N m|N: vector to multiply, in joint torques
};
/// Outputs of inverse_mass_matrix_product.
template <class T>
struct InverseMassMatrixProductOut {
  Output<T> y = {};  ///< [nv] rad/s^2|m/s^2: M^-1 x, a joint acceleration
};
/// For a batch or one state: inverse of the mass matrix times a vector, without forming the matrix. See
/// inverse_mass_matrix_product in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_mass_matrix_product(const M& model, const std::type_identity_t<InverseMassMatrixProductIn<T>>& in,
                                 const std::type_identity_t<InverseMassMatrixProductOut<T>>& out, Workspace<T>& work,
                                 const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.x.layout(), out.y.layout()};
  evaluate_layouts<T>(28, model, arguments, work, how);
}

/// Inputs of inverse_mass_matrix.
template <class T>
struct InverseMassMatrixIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
};
/// Outputs of inverse_mass_matrix.
template <class T>
struct InverseMassMatrixOut {
  Output<T> Minv = {};  ///< [nv, nv] 1/(kg m^2)|1/kg: inverse of the mass matrix
};
/// For a batch or one state: inverse of the mass matrix. See inverse_mass_matrix in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void inverse_mass_matrix(const M& model, const std::type_identity_t<InverseMassMatrixIn<T>>& in,
                         const std::type_identity_t<InverseMassMatrixOut<T>>& out, Workspace<T>& work,
                         const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), out.Minv.layout()};
  evaluate_layouts<T>(29, model, arguments, work, how);
}

/// Inputs of operational_space_mobility.
template <class T>
struct OperationalSpaceMobilityIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  int frame = -1;  ///< index of the frame, Model::frame_index
  Reference reference = Reference::local;  ///< axes and point of motions, Jacobians and mobilities
};
/// Outputs of operational_space_mobility.
template <class T>
struct OperationalSpaceMobilityOut {
  Output<T> mobility = {};  ///< [6, 6] 1/kg, 1/(kg m), 1/(kg m^2): J M^-1 J^T of the frame; linear first
};
/// For a batch or one state: acceleration of a frame per wrench on it: J M^-1 J^T. See operational_space_mobility in
/// tandem/api/functions.hpp.
template <class T>
void operational_space_mobility(const Model& model, const std::type_identity_t<OperationalSpaceMobilityIn<T>>& in,
                                const std::type_identity_t<OperationalSpaceMobilityOut<T>>& out, Workspace<T>& work,
                                const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), out.mobility.layout()};
  evaluate_layouts<T>(30, model, arguments, work, how, {.frame = in.frame, .reference = in.reference});
}

/// Inputs of energy.
template <class T>
struct EnergyIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
};
/// Outputs of energy.
template <class T>
struct EnergyOut {
  Output<T> kinetic = {};  ///< [] J: kinetic energy
  Output<T> potential = {};  ///< [] J: potential energy of weight and springs
};
/// For a batch or one state: kinetic and potential energy. See energy in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void energy(const M& model, const std::type_identity_t<EnergyIn<T>>& in, const std::type_identity_t<EnergyOut<T>>& out,
            Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.kinetic.layout(), out.potential.layout()};
  evaluate_layouts<T>(31, model, arguments, work, how);
}

/// Inputs of energy_derivatives.
template <class T>
struct EnergyDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
};
/// Outputs of energy_derivatives.
template <class T>
struct EnergyDerivativesOut {
  Output<T> dkinetic_dq = {};  ///< [nv] J per rad|m: derivative of the kinetic energy by configuration
  Output<T> dkinetic_dv = {};  ///< [nv] J per rad/s|m/s: by velocity: the momentum of every joint, M v
  Output<T> dpotential_dq = {};  ///< [nv] J per rad|m: derivative of the potential energy by configuration
};
/// For a batch or one state: derivatives of kinetic and potential energy. See energy_derivatives in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void energy_derivatives(const M& model, const std::type_identity_t<EnergyDerivativesIn<T>>& in,
                        const std::type_identity_t<EnergyDerivativesOut<T>>& out, Workspace<T>& work,
                        const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), out.dkinetic_dq.layout(), out.dkinetic_dv.layout(), out.dpotential_dq.layout()};
  evaluate_layouts<T>(32, model, arguments, work, how);
}

/// Inputs of centre_of_mass.
template <class T>
struct CentreOfMassIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
};
/// Outputs of centre_of_mass.
template <class T>
struct CentreOfMassOut {
  Output<T> com = {};  ///< [3] m: centre of mass of the moving links in the world
  Output<T> velocity = {};  ///< [3] m/s: its velocity; needs v; may be left out
  Output<T> J = {};  ///< [3, nv] m/rad|1: its Jacobian; may be left out
};
/// For a batch or one state: centre of mass, its velocity and its Jacobian. See centre_of_mass in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void centre_of_mass(const M& model, const std::type_identity_t<CentreOfMassIn<T>>& in,
                    const std::type_identity_t<CentreOfMassOut<T>>& out, Workspace<T>& work,
                    const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.com.layout(), out.velocity.layout(), out.J.layout()};
  evaluate_layouts<T>(33, model, arguments, work, how);
}

/// Inputs of centre_of_mass_derivatives.
template <class T>
struct CentreOfMassDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration; may be left out
};
/// Outputs of centre_of_mass_derivatives.
template <class T>
struct CentreOfMassDerivativesOut {
  Output<T> dvelocity_dq = {};  ///< [3, nv] m/s per rad|m: derivative of its velocity by configuration
  Output<T> dacceleration_dq = {};  ///< [3, nv] m/s^2 per rad|m: its acceleration by configuration
  Output<T> dacceleration_dv = {};  ///< [3, nv] m/s^2 per rad/s|m/s: by velocity
  /// [3, nv] m/rad|1: its Jacobian: velocity by velocity, acceleration by acceleration; may be left out
  Output<T> J = {};
  Output<T> acceleration = {};  ///< [3] m/s^2: acceleration of the centre of mass; may be left out
};
/// For a batch or one state: derivatives of the velocity and acceleration of the centre of mass. See
/// centre_of_mass_derivatives in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void centre_of_mass_derivatives(const M& model, const std::type_identity_t<CentreOfMassDerivativesIn<T>>& in,
                                const std::type_identity_t<CentreOfMassDerivativesOut<T>>& out, Workspace<T>& work,
                                const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), out.dvelocity_dq.layout(), out.dacceleration_dq.layout(),
      out.dacceleration_dv.layout(), out.J.layout(), out.acceleration.layout()};
  evaluate_layouts<T>(34, model, arguments, work, how);
}

/// Inputs of centroidal_momentum.
template <class T>
struct CentroidalMomentumIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
};
/// Outputs of centroidal_momentum.
template <class T>
struct CentroidalMomentumOut {
  Output<T> h = {};  ///< [6] kg m/s, kg m^2/s: centroidal momentum; linear first
  Output<T> A = {};  ///< [6, nv] kg m|kg, kg m^2|kg m: centroidal momentum matrix; linear first; may be left out
};
/// For a batch or one state: centroidal momentum and its matrix. See centroidal_momentum in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void centroidal_momentum(const M& model, const std::type_identity_t<CentroidalMomentumIn<T>>& in,
                         const std::type_identity_t<CentroidalMomentumOut<T>>& out, Workspace<T>& work,
                         const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.h.layout(), out.A.layout()};
  evaluate_layouts<T>(35, model, arguments, work, how);
}

/// Inputs of centroidal_momentum_derivatives.
template <class T>
struct CentroidalMomentumDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
  Input<T> a = {};  ///< [nv] rad/s^2|m/s^2: acceleration; may be left out
};
/// Outputs of centroidal_momentum_derivatives.
template <class T>
struct CentroidalMomentumDerivativesOut {
  /// [6, nv] kg m/s, kg m^2/s per rad|m: derivative of the momentum by configuration; linear first
  Output<T> dh_dq = {};
  Output<T> dhdot_dq = {};  ///< [6, nv] N, N m per rad|m: its rate by configuration; linear first
  Output<T> dhdot_dv = {};  ///< [6, nv] N, N m per rad/s|m/s: by velocity; linear first
  Output<T> A = {};  ///< [6, nv] kg m|kg, kg m^2|kg m: centroidal momentum matrix; linear first; may be left out
  Output<T> hdot = {};  ///< [6] N, N m: rate of the momentum; linear first; may be left out
};
/// For a batch or one state: derivatives of the centroidal momentum and its rate. See centroidal_momentum_derivatives
/// in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void centroidal_momentum_derivatives(const M& model, const std::type_identity_t<CentroidalMomentumDerivativesIn<T>>& in,
                                     const std::type_identity_t<CentroidalMomentumDerivativesOut<T>>& out,
                                     Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.a.layout(), out.dh_dq.layout(), out.dhdot_dq.layout(), out.dhdot_dv.layout(),
      out.A.layout(), out.hdot.layout()};
  evaluate_layouts<T>(36, model, arguments, work, how);
}

/// Inputs of passive_forces.
template <class T>
struct PassiveForcesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
};
/// Outputs of passive_forces.
template <class T>
struct PassiveForcesOut {
  Output<T> tau = {};  ///< [nv] N m|N: joint torques of springs, damping and friction
};
/// For a batch or one state: joint torques of springs, damping and friction. See passive_forces in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void passive_forces(const M& model, const std::type_identity_t<PassiveForcesIn<T>>& in,
                    const std::type_identity_t<PassiveForcesOut<T>>& out, Workspace<T>& work,
                    const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.tau.layout()};
  evaluate_layouts<T>(37, model, arguments, work, how);
}

/// Inputs of passive_forces_derivatives.
template <class T>
struct PassiveForcesDerivativesIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
};
/// Outputs of passive_forces_derivatives.
template <class T>
struct PassiveForcesDerivativesOut {
  Output<T> dtau_dq = {};  ///< [nv, nv] N m|N per rad|m: derivative of the joint torques by configuration; row-major
  Output<T> dtau_dv = {};  ///< [nv, nv] N m|N per rad/s|m/s: by velocity; row-major
};
/// For a batch or one state: derivatives of the torques of springs, damping and friction. See
/// passive_forces_derivatives in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void passive_forces_derivatives(const M& model, const std::type_identity_t<PassiveForcesDerivativesIn<T>>& in,
                                const std::type_identity_t<PassiveForcesDerivativesOut<T>>& out, Workspace<T>& work,
                                const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.v.layout(), out.dtau_dq.layout(), out.dtau_dv.layout()};
  evaluate_layouts<T>(38, model, arguments, work, how);
}

/// Inputs of integrate.
template <class T>
struct IntegrateIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> u = {};  ///< [nv] rad|m: velocity times time
};
/// Outputs of integrate.
template <class T>
struct IntegrateOut {
  Output<T> q_next = {};  ///< [nq] rad|m: configuration reached
};
/// For a batch or one state: configuration reached with a constant velocity in unit time. See integrate in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void integrate(const M& model, const std::type_identity_t<IntegrateIn<T>>& in,
               const std::type_identity_t<IntegrateOut<T>>& out, Workspace<T>& work,
               const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q.layout(), in.u.layout(), out.q_next.layout()};
  evaluate_layouts<T>(39, model, arguments, work, how);
}

/// Inputs of difference.
template <class T>
struct DifferenceIn {
  Input<T> q0 = {};  ///< [nq] rad|m: configuration to start from
  Input<T> q1 = {};  ///< [nq] rad|m: configuration to reach
};
/// Outputs of difference.
template <class T>
struct DifferenceOut {
  Output<T> u = {};  ///< [nv] rad|m: velocity times time
};
/// For a batch or one state: constant velocity from one configuration to another in unit time. See difference in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void difference(const M& model, const std::type_identity_t<DifferenceIn<T>>& in,
                const std::type_identity_t<DifferenceOut<T>>& out, Workspace<T>& work,
                const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.q0.layout(), in.q1.layout(), out.u.layout()};
  evaluate_layouts<T>(40, model, arguments, work, how);
}

/// Inputs of integrate_rate.
template <class T>
struct IntegrateRateIn {
  Input<T> u = {};  ///< [nv] rad|m: displacement so far
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
};
/// Outputs of integrate_rate.
template <class T>
struct IntegrateRateOut {
  Output<T> rate = {};  ///< [nv] rad/s|m/s: rate of the displacement
};
/// For a batch or one state: rate of a displacement on the configuration manifold. See integrate_rate in
/// tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void integrate_rate(const M& model, const std::type_identity_t<IntegrateRateIn<T>>& in,
                    const std::type_identity_t<IntegrateRateOut<T>>& out, Workspace<T>& work,
                    const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {in.u.layout(), in.v.layout(), out.rate.layout()};
  evaluate_layouts<T>(41, model, arguments, work, how);
}

/// Inputs of close_loops.
template <class T>
struct CloseLoopsIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity; may be left out
};
/// Outputs of close_loops.
template <class T>
struct CloseLoopsOut {
  Output<T> q_closed = {};  ///< [nq] rad|m: configuration with closed loops
  Output<T> v_closed = {};  ///< [nv] rad/s|m/s: velocity that keeps them closed; needs v; may be left out
  Output<T> error = {};  ///< [] m, rad: largest distance and angle between frames of loop joints; may be left out
};
/// For a batch or one state: nearby state with closed loops. See close_loops in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void close_loops(const M& model, const std::type_identity_t<CloseLoopsIn<T>>& in,
                 const std::type_identity_t<CloseLoopsOut<T>>& out, Workspace<T>& work,
                 const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), out.q_closed.layout(), out.v_closed.layout(), out.error.layout()};
  evaluate_layouts<T>(42, model, arguments, work, how);
}

/// Inputs of step.
template <class T>
struct StepIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> dt = {};  ///< [] s: length of a step
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> q_target = {};  ///< [nq] rad|m: target of a controller kp (q_target - q) - kd v; may be left out
  Input<T> kp = {};  ///< [nv] N m/rad|N/m: its position gain, 0 if omitted; may be left out
  Input<T> kd = {};  ///< [nv] N m s/rad|N s/m: its velocity gain, 0 if omitted; may be left out
  /// [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states before; impedance, force and side (1 upper, -1 lower, 0
  /// inactive) of every joint limit; may be left out
  Input<T> stops = {};
};
/// Outputs of step.
template <class T>
struct StepOut {
  Output<T> q_next = {};  ///< [nq] rad|m: next configuration
  Output<T> v_next = {};  ///< [nv] rad/s|m/s: next velocity
  /// [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states afterwards; impedance, force and side (1 upper, -1 lower, 0
  /// inactive) of every joint limit; may be left out
  Output<T> stops_next = {};
  /// [4] J: energy balance of the steps; dissipated, of this by joint limits, work of tau and f_ext, work of the
  /// controller; may be left out
  Output<T> step_energies = {};
};
/// For a batch or one state: state after one or more time steps. See step in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void step(const M& model, const std::type_identity_t<StepIn<T>>& in, const std::type_identity_t<StepOut<T>>& out,
          Workspace<T>& work, const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.dt.layout(), in.f_ext.layout(), in.q_target.layout(),
      in.kp.layout(), in.kd.layout(), in.stops.layout(), out.q_next.layout(), out.v_next.layout(),
      out.stops_next.layout(), out.step_energies.layout()};
  evaluate_layouts<T>(43, model, arguments, work, how);
}

/// Inputs of step_jvp.
template <class T>
struct StepJvpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> dt = {};  ///< [] s: length of a step
  Input<T> dq = {};  ///< [nv] rad|m: tangent of q
  Input<T> dv = {};  ///< [nv] rad/s|m/s: tangent of v
  Input<T> dtau = {};  ///< [nv] N m|N: tangent of tau
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> q_target = {};  ///< [nq] rad|m: target of a controller kp (q_target - q) - kd v; may be left out
  Input<T> kp = {};  ///< [nv] N m/rad|N/m: its position gain, 0 if omitted; may be left out
  Input<T> kd = {};  ///< [nv] N m s/rad|N s/m: its velocity gain, 0 if omitted; may be left out
  /// [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states before; impedance, force and side (1 upper, -1 lower, 0
  /// inactive) of every joint limit; may be left out
  Input<T> stops = {};
  /// [n_links, 6] N, N m: tangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Input<T> df_ext = {};
  Input<T> dq_target = {};  ///< [nv] rad|m: tangent of q_target; may be left out
  Input<T> dkp = {};  ///< [nv] N m/rad|N/m: tangent of kp; may be left out
  Input<T> dkd = {};  ///< [nv] N m s/rad|N s/m: tangent of kd; may be left out
  Input<T> dimpedance = {};  ///< [nv] N m s/rad|N s/m: tangent of the impedances in stops; may be left out
};
/// Outputs of step_jvp.
template <class T>
struct StepJvpOut {
  Output<T> q_next = {};  ///< [nq] rad|m: next configuration
  Output<T> v_next = {};  ///< [nv] rad/s|m/s: next velocity
  Output<T> dq_next = {};  ///< [nv] rad|m: tangent of q_next
  Output<T> dv_next = {};  ///< [nv] rad/s|m/s: tangent of v_next
  /// [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states afterwards; impedance, force and side (1 upper, -1 lower, 0
  /// inactive) of every joint limit; may be left out
  Output<T> stops_next = {};
  Output<T> dimpedance_next = {};  ///< [nv] N m s/rad|N s/m: tangent of the impedances in stops_next; may be left out
};
/// For a batch or one state: JVP of a step. See step_jvp in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void step_jvp(const M& model, const std::type_identity_t<StepJvpIn<T>>& in,
              const std::type_identity_t<StepJvpOut<T>>& out, Workspace<T>& work,
              const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.dt.layout(), in.dq.layout(), in.dv.layout(), in.dtau.layout(),
      in.f_ext.layout(), in.q_target.layout(), in.kp.layout(), in.kd.layout(), in.stops.layout(), in.df_ext.layout(),
      in.dq_target.layout(), in.dkp.layout(), in.dkd.layout(), in.dimpedance.layout(), out.q_next.layout(),
      out.v_next.layout(), out.dq_next.layout(), out.dv_next.layout(), out.stops_next.layout(),
      out.dimpedance_next.layout()};
  evaluate_layouts<T>(44, model, arguments, work, how);
}

/// Inputs of step_vjp.
template <class T>
struct StepVjpIn {
  Input<T> q = {};  ///< [nq] rad|m: configuration
  Input<T> v = {};  ///< [nv] rad/s|m/s: velocity
  Input<T> tau = {};  ///< [nv] N m|N: joint torques
  Input<T> dt = {};  ///< [] s: length of a step
  Input<T> q_next_bar = {};  ///< [nv] 1/rad|1/m: cotangent of q_next
  Input<T> v_next_bar = {};  ///< [nv] s/rad|s/m: cotangent of v_next
  /// [n_links, 6] N, N m: external wrenches on the links; linear first, at the link's origin, its axes; may be left out
  Input<T> f_ext = {};
  Input<T> q_target = {};  ///< [nq] rad|m: target of a controller kp (q_target - q) - kd v; may be left out
  Input<T> kp = {};  ///< [nv] N m/rad|N/m: its position gain, 0 if omitted; may be left out
  Input<T> kd = {};  ///< [nv] N m s/rad|N s/m: its velocity gain, 0 if omitted; may be left out
  /// [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states before; impedance, force and side (1 upper, -1 lower, 0
  /// inactive) of every joint limit; may be left out
  Input<T> stops = {};
  /// [nv] rad/(N m s)|m/(N s): cotangent of the impedances in stops_next; may be left out
  Input<T> impedance_next_bar = {};
};
/// Outputs of step_vjp.
template <class T>
struct StepVjpOut {
  Output<T> q_next = {};  ///< [nq] rad|m: next configuration
  Output<T> v_next = {};  ///< [nv] rad/s|m/s: next velocity
  Output<T> q_bar = {};  ///< [nv] 1/rad|1/m: cotangent of q
  Output<T> v_bar = {};  ///< [nv] s/rad|s/m: cotangent of v
  Output<T> tau_bar = {};  ///< [nv] 1/(N m)|1/N: cotangent of tau
  /// [n_links, 6] 1/N, 1/(N m): cotangent of f_ext; linear first, at the link's origin, its axes; may be left out
  Output<T> f_ext_bar = {};
  Output<T> q_target_bar = {};  ///< [nv] 1/rad|1/m: cotangent of q_target; may be left out
  Output<T> kp_bar = {};  ///< [nv] rad/(N m)|m/N: cotangent of kp; may be left out
  Output<T> kd_bar = {};  ///< [nv] rad/(N m s)|m/(N s): cotangent of kd; may be left out
  /// [nv, 3] N m s/rad|N s/m, N m|N: joint-limit states afterwards; impedance, force and side (1 upper, -1 lower, 0
  /// inactive) of every joint limit; may be left out
  Output<T> stops_next = {};
  Output<T> impedance_bar = {};  ///< [nv] rad/(N m s)|m/(N s): cotangent of the impedances in stops; may be left out
};
/// For a batch or one state: VJP of a step. See step_vjp in tandem/api/functions.hpp.
template <class T, ModelOrPlan<T> M>
void step_vjp(const M& model, const std::type_identity_t<StepVjpIn<T>>& in,
              const std::type_identity_t<StepVjpOut<T>>& out, Workspace<T>& work,
              const std::type_identity_t<BatchOptions<T>>& how = {}) {
  const Layout<T> arguments[] = {
      in.q.layout(), in.v.layout(), in.tau.layout(), in.dt.layout(), in.q_next_bar.layout(), in.v_next_bar.layout(),
      in.f_ext.layout(), in.q_target.layout(), in.kp.layout(), in.kd.layout(), in.stops.layout(),
      in.impedance_next_bar.layout(), out.q_next.layout(), out.v_next.layout(), out.q_bar.layout(), out.v_bar.layout(),
      out.tau_bar.layout(), out.f_ext_bar.layout(), out.q_target_bar.layout(), out.kp_bar.layout(), out.kd_bar.layout(),
      out.stops_next.layout(), out.impedance_bar.layout()};
  evaluate_layouts<T>(45, model, arguments, work, how);
}

}  // namespace tandem
