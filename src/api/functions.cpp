// SPDX-License-Identifier: Apache-2.0
// Written by tools/register.py. Over 400 lines, as every function is defined once.
#include "tandem/api/functions.hpp"

#include "call_function.hpp"

namespace tandem {

using of_one_state::call;

template <class T>
void forward_kinematics(const Model& model, In<T> q, Out<T> pose, Workspace<T>& work, const FrameMotions<T>& motions) {
  call<ForwardKinematics>(model, work, {q, motions.v, motions.a, pose, motions.velocity,
                                        motions.acceleration}, {.reference = motions.reference});
}

template <class T>
void forward_kinematics_jvp(const Model& model, In<T> q, In<T> dq, Out<T> dpose, Workspace<T>& work,
                            const FrameIncrements<T>& motions) {
  call<ForwardKinematicsJvp>(model, work, {q, dq, motions.v, motions.a, motions.dv, motions.da, dpose,
                                           motions.dvelocity, motions.dacceleration}, {.reference = motions.reference});
}

template <class T>
void forward_kinematics_vjp(const Model& model, In<T> q, Out<T> q_bar, Workspace<T>& work,
                            const FrameWeights<T>& weights) {
  call<ForwardKinematicsVjp>(model, work, {q, weights.v, weights.a, weights.pose_bar, weights.velocity_bar,
                                           weights.acceleration_bar, q_bar, weights.v_bar,
                                           weights.a_bar}, {.reference = weights.reference});
}

template <class T>
void jacobian(const Model& model, In<T> q, int frame, Reference reference, Out<T> J, Workspace<T>& work) {
  call<Jacobian>(model, work, {q, J}, {.frame = frame, .reference = reference});
}

template <class T>
void forward_kinematics_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, int frame, Reference reference,
                                    Out<T> dvelocity_dq, Out<T> dacceleration_dq, Out<T> dacceleration_dv,
                                    Workspace<T>& work, Out<T> J) {
  call<ForwardKinematicsDerivatives>(model, work, {q, v, a, dvelocity_dq, dacceleration_dq, dacceleration_dv,
                                                   J}, {.frame = frame, .reference = reference});
}

template <class T>
void jacobian_time_derivative_product(const Model& model, In<T> q, In<T> v, int frame, Reference reference,
                                      Out<T> Jdot_v, Workspace<T>& work) {
  call<JacobianTimeDerivativeProduct>(model, work, {q, v, Jdot_v}, {.frame = frame, .reference = reference});
}

template <class T>
void inverse_dynamics(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> tau, Workspace<T>& work, In<T> f_ext,
                      const Options& options) {
  call<InverseDynamics>(model, work, {q, v, a, f_ext, tau}, options);
}

template <class T>
void bias_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work, In<T> f_ext) {
  call<BiasForces>(model, work, {q, v, f_ext, tau});
}

template <class T>
void gravity_forces(const Model& model, In<T> q, Out<T> tau, Workspace<T>& work) {
  call<GravityForces>(model, work, {q, tau});
}

template <class T>
void inverse_dynamics_terms(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> inertial, Out<T> coriolis,
                            Out<T> centrifugal, Out<T> gravity, Out<T> external, Out<T> friction, Out<T> springs,
                            Workspace<T>& work, In<T> f_ext) {
  call<InverseDynamicsTerms>(model, work, {q, v, a, f_ext, inertial, coriolis, centrifugal, gravity, external, friction,
                                           springs});
}

template <class T>
void interbody_wrenches(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> f, Workspace<T>& work, In<T> f_ext) {
  call<InterbodyWrenches>(model, work, {q, v, a, f_ext, f});
}

template <class T>
void inverse_dynamics_regressor(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> Y, Workspace<T>& work) {
  call<InverseDynamicsRegressor>(model, work, {q, v, a, Y});
}

template <class T>
void inverse_dynamics_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dtau_dq, Out<T> dtau_dv,
                                  Workspace<T>& work, In<T> f_ext, Out<T> dtau_da) {
  call<InverseDynamicsDerivatives>(model, work, {q, v, a, f_ext, dtau_dq, dtau_dv, dtau_da});
}

template <class T>
void inverse_dynamics_jvp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> dq, In<T> dv, In<T> da, Out<T> tau,
                          Out<T> dtau, Workspace<T>& work, In<T> f_ext, In<T> df_ext, In<T> dpi) {
  call<InverseDynamicsJvp>(model, work, {q, v, a, dq, dv, da, f_ext, df_ext, dpi, tau, dtau});
}

template <class T>
void inverse_dynamics_vjp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar, Out<T> tau, Out<T> q_bar,
                          Out<T> v_bar, Out<T> a_bar, Workspace<T>& work, In<T> f_ext, Out<T> f_ext_bar,
                          Out<T> pi_bar) {
  call<InverseDynamicsVjp>(model, work, {q, v, a, tau_bar, f_ext, tau, q_bar, v_bar, a_bar, f_ext_bar, pi_bar});
}

template <class T>
void inverse_dynamics_hvp(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar, In<T> dq, In<T> dv, In<T> da,
                          Out<T> dtau, Out<T> dq_bar, Out<T> dv_bar, Out<T> da_bar, Workspace<T>& work, In<T> dtau_bar,
                          In<T> f_ext, In<T> df_ext, Out<T> df_ext_bar, Out<T> dpi_bar) {
  call<InverseDynamicsHvp>(model, work, {q, v, a, tau_bar, dq, dv, da, dtau_bar, f_ext, df_ext, dtau, dq_bar, dv_bar,
                                         da_bar, df_ext_bar, dpi_bar});
}

template <class T>
void inverse_dynamics_second_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, In<T> tau_bar,
                                         Out<T> d2tau_dqdq, Out<T> d2tau_dvdq, Out<T> d2tau_dadq, Out<T> d2tau_dvdv,
                                         Workspace<T>& work, In<T> f_ext) {
  call<InverseDynamicsSecondDerivatives>(model, work, {q, v, a, tau_bar, f_ext, d2tau_dqdq, d2tau_dvdq, d2tau_dadq,
                                                       d2tau_dvdv});
}

template <class T>
void mass_matrix(const Model& model, In<T> q, Out<T> M, Workspace<T>& work, const Options& options) {
  call<MassMatrix>(model, work, {q, M}, options);
}

template <class T>
void mass_matrix_rate(const Model& model, In<T> q, In<T> v, Out<T> Mdot, Workspace<T>& work) {
  call<MassMatrixRate>(model, work, {q, v, Mdot});
}

template <class T>
void coriolis_matrix(const Model& model, In<T> q, In<T> v, Out<T> C, Workspace<T>& work) {
  call<CoriolisMatrix>(model, work, {q, v, C});
}

template <class T>
void forward_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work, In<T> f_ext,
                      In<T> diagonal, const Options& options) {
  call<ForwardDynamics>(model, work, {q, v, tau, f_ext, diagonal, a}, options);
}

template <class T>
void constraint_wrenches(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> f_c, Workspace<T>& work, In<T> f_ext,
                         In<T> diagonal, const Options& options) {
  call<ConstraintWrenches>(model, work, {q, v, tau, f_ext, diagonal, f_c}, options);
}

template <class T>
void closed_loop_dynamics(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> a, Workspace<T>& work, Out<T> f_loop,
                          In<T> f_ext, In<T> diagonal, const Options& options) {
  call<ClosedLoopDynamics>(model, work, {q, v, tau, f_ext, diagonal, a, f_loop}, options);
}

template <class T>
void forward_dynamics_derivatives(const Model& model, In<T> q, In<T> v, In<T> tau, Out<T> da_dq, Out<T> da_dv,
                                  Workspace<T>& work, In<T> f_ext, In<T> diagonal, Out<T> da_dtau) {
  call<ForwardDynamicsDerivatives>(model, work, {q, v, tau, f_ext, diagonal, da_dq, da_dv, da_dtau});
}

template <class T>
void forward_dynamics_jvp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> dq, In<T> dv, In<T> dtau, Out<T> a,
                          Out<T> da, Workspace<T>& work, In<T> f_ext, In<T> diagonal, In<T> df_ext, In<T> dpi) {
  call<ForwardDynamicsJvp>(model, work, {q, v, tau, dq, dv, dtau, f_ext, diagonal, df_ext, dpi, a, da});
}

template <class T>
void forward_dynamics_vjp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, Out<T> a, Out<T> q_bar,
                          Out<T> v_bar, Out<T> tau_bar, Workspace<T>& work, In<T> f_ext, In<T> diagonal,
                          Out<T> f_ext_bar, Out<T> pi_bar) {
  call<ForwardDynamicsVjp>(model, work, {q, v, tau, a_bar, f_ext, diagonal, a, q_bar, v_bar, tau_bar, f_ext_bar,
                                         pi_bar});
}

template <class T>
void forward_dynamics_hvp(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, In<T> dq, In<T> dv,
                          In<T> dtau, Out<T> da, Out<T> dq_bar, Out<T> dv_bar, Out<T> dtau_bar, Workspace<T>& work,
                          In<T> da_bar, In<T> f_ext, In<T> df_ext, In<T> diagonal, Out<T> df_ext_bar, Out<T> dpi_bar) {
  call<ForwardDynamicsHvp>(model, work, {q, v, tau, a_bar, dq, dv, dtau, da_bar, f_ext, df_ext, diagonal, da, dq_bar,
                                         dv_bar, dtau_bar, df_ext_bar, dpi_bar});
}

template <class T>
void forward_dynamics_second_derivatives(const Model& model, In<T> q, In<T> v, In<T> tau, In<T> a_bar, Out<T> d2a_dqdq,
                                         Out<T> d2a_dvdq, Out<T> d2a_dtaudq, Out<T> d2a_dvdv, Workspace<T>& work,
                                         In<T> f_ext, In<T> diagonal) {
  call<ForwardDynamicsSecondDerivatives>(model, work, {q, v, tau, a_bar, f_ext, diagonal, d2a_dqdq, d2a_dvdq,
                                                       d2a_dtaudq, d2a_dvdv});
}

template <class T>
void inverse_mass_matrix(const Model& model, In<T> q, Out<T> Minv, Workspace<T>& work) {
  call<InverseMassMatrix>(model, work, {q, Minv});
}

template <class T>
void inverse_mass_matrix_product(const Model& model, In<T> q, In<T> x, Out<T> y, Workspace<T>& work) {
  call<InverseMassMatrixProduct>(model, work, {q, x, y});
}

template <class T>
void operational_space_mobility(const Model& model, In<T> q, int frame, Reference reference, Out<T> mobility,
                                Workspace<T>& work) {
  call<OperationalSpaceMobility>(model, work, {q, mobility}, {.frame = frame, .reference = reference});
}

template <class T>
void energy(const Model& model, In<T> q, In<T> v, T& kinetic, T& potential, Workspace<T>& work) {
  call<Energy>(model, work, {q, v, kinetic, potential});
}

template <class T>
void energy_derivatives(const Model& model, In<T> q, In<T> v, Out<T> dkinetic_dq, Out<T> dkinetic_dv,
                        Out<T> dpotential_dq, Workspace<T>& work) {
  call<EnergyDerivatives>(model, work, {q, v, dkinetic_dq, dkinetic_dv, dpotential_dq});
}

template <class T>
void centre_of_mass(const Model& model, In<T> q, Out<T> com, Workspace<T>& work, In<T> v, Out<T> velocity, Out<T> J) {
  call<CentreOfMass>(model, work, {q, v, com, velocity, J});
}

template <class T>
void centre_of_mass_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dvelocity_dq,
                                Out<T> dacceleration_dq, Out<T> dacceleration_dv, Workspace<T>& work, Out<T> J,
                                Out<T> acceleration) {
  call<CentreOfMassDerivatives>(model, work, {q, v, a, dvelocity_dq, dacceleration_dq, dacceleration_dv, J,
                                              acceleration});
}

template <class T>
void centroidal_momentum(const Model& model, In<T> q, In<T> v, Out<T> h, Workspace<T>& work, Out<T> A) {
  call<CentroidalMomentum>(model, work, {q, v, h, A});
}

template <class T>
void centroidal_momentum_derivatives(const Model& model, In<T> q, In<T> v, In<T> a, Out<T> dh_dq, Out<T> dhdot_dq,
                                     Out<T> dhdot_dv, Workspace<T>& work, Out<T> A, Out<T> hdot) {
  call<CentroidalMomentumDerivatives>(model, work, {q, v, a, dh_dq, dhdot_dq, dhdot_dv, A, hdot});
}

template <class T>
void passive_forces(const Model& model, In<T> q, In<T> v, Out<T> tau, Workspace<T>& work) {
  call<PassiveForces>(model, work, {q, v, tau});
}

template <class T>
void passive_forces_derivatives(const Model& model, In<T> q, In<T> v, Out<T> dtau_dq, Out<T> dtau_dv,
                                Workspace<T>& work) {
  call<PassiveForcesDerivatives>(model, work, {q, v, dtau_dq, dtau_dv});
}

template <class T>
void integrate(const Model& model, In<T> q, In<T> u, Out<T> q_next, Workspace<T>& work) {
  call<Integrate>(model, work, {q, u, q_next});
}

template <class T>
void difference(const Model& model, In<T> q0, In<T> q1, Out<T> u, Workspace<T>& work) {
  call<Difference>(model, work, {q0, q1, u});
}

template <class T>
void integrate_rate(const Model& model, In<T> u, In<T> v, Out<T> rate, Workspace<T>& work) {
  call<IntegrateRate>(model, work, {u, v, rate});
}

template <class T>
T close_loops(const Model& model, In<T> q, Out<T> q_closed, Workspace<T>& work, In<T> v, Out<T> v_closed,
              const Options& options) {
  T error{};
  call<CloseLoops>(model, work, {q, v, q_closed, v_closed, error}, options);
  return error;
}

template <class T>
void step(const Model& model, In<T> q, In<T> v, In<T> tau, std::type_identity_t<T> dt, Out<T> q_next, Out<T> v_next,
          Workspace<T>& work, const StepArguments<T>& more, const Options& options) {
  call<Step>(model, work, {q, v, tau, dt, more.f_ext, more.q_target, more.kp, more.kd, more.stops, q_next, v_next,
                           more.stops_next, more.step_energies}, options);
}

template <class T>
void step_jvp(const Model& model, In<T> q, In<T> v, In<T> tau, std::type_identity_t<T> dt, In<T> dq, In<T> dv,
              In<T> dtau, Out<T> q_next, Out<T> v_next, Out<T> dq_next, Out<T> dv_next, Workspace<T>& work,
              const StepIncrements<T>& more, const Options& options) {
  call<StepJvp>(model, work, {q, v, tau, dt, dq, dv, dtau, more.f_ext, more.q_target, more.kp, more.kd, more.stops,
                              more.df_ext, more.dq_target, more.dkp, more.dkd, more.dimpedance, q_next, v_next, dq_next,
                              dv_next, more.stops_next, more.dimpedance_next}, options);
}

template <class T>
void step_vjp(const Model& model, In<T> q, In<T> v, In<T> tau, std::type_identity_t<T> dt, In<T> q_next_bar,
              In<T> v_next_bar, Out<T> q_next, Out<T> v_next, Out<T> q_bar, Out<T> v_bar, Out<T> tau_bar,
              Workspace<T>& work, const StepWeights<T>& more, const Options& options) {
  call<StepVjp>(model, work, {q, v, tau, dt, q_next_bar, v_next_bar, more.f_ext, more.q_target, more.kp, more.kd,
                              more.stops, more.impedance_next_bar, q_next, v_next, q_bar, v_bar, tau_bar,
                              more.f_ext_bar, more.q_target_bar, more.kp_bar, more.kd_bar, more.stops_next,
                              more.impedance_bar}, options);
}

#define TANDEM_IN_BOTH_PRECISIONS(function)             \
  template decltype(function<double>) function<double>; \
  template decltype(function<float>) function<float>
TANDEM_IN_BOTH_PRECISIONS(forward_kinematics);
TANDEM_IN_BOTH_PRECISIONS(forward_kinematics_jvp);
TANDEM_IN_BOTH_PRECISIONS(forward_kinematics_vjp);
TANDEM_IN_BOTH_PRECISIONS(jacobian);
TANDEM_IN_BOTH_PRECISIONS(forward_kinematics_derivatives);
TANDEM_IN_BOTH_PRECISIONS(jacobian_time_derivative_product);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics);
TANDEM_IN_BOTH_PRECISIONS(bias_forces);
TANDEM_IN_BOTH_PRECISIONS(gravity_forces);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_terms);
TANDEM_IN_BOTH_PRECISIONS(interbody_wrenches);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_regressor);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_derivatives);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_jvp);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_vjp);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_hvp);
TANDEM_IN_BOTH_PRECISIONS(inverse_dynamics_second_derivatives);
TANDEM_IN_BOTH_PRECISIONS(mass_matrix);
TANDEM_IN_BOTH_PRECISIONS(mass_matrix_rate);
TANDEM_IN_BOTH_PRECISIONS(coriolis_matrix);
TANDEM_IN_BOTH_PRECISIONS(forward_dynamics);
TANDEM_IN_BOTH_PRECISIONS(constraint_wrenches);
TANDEM_IN_BOTH_PRECISIONS(closed_loop_dynamics);
TANDEM_IN_BOTH_PRECISIONS(forward_dynamics_derivatives);
TANDEM_IN_BOTH_PRECISIONS(forward_dynamics_jvp);
TANDEM_IN_BOTH_PRECISIONS(forward_dynamics_vjp);
TANDEM_IN_BOTH_PRECISIONS(forward_dynamics_hvp);
TANDEM_IN_BOTH_PRECISIONS(forward_dynamics_second_derivatives);
TANDEM_IN_BOTH_PRECISIONS(inverse_mass_matrix);
TANDEM_IN_BOTH_PRECISIONS(inverse_mass_matrix_product);
TANDEM_IN_BOTH_PRECISIONS(operational_space_mobility);
TANDEM_IN_BOTH_PRECISIONS(energy);
TANDEM_IN_BOTH_PRECISIONS(energy_derivatives);
TANDEM_IN_BOTH_PRECISIONS(centre_of_mass);
TANDEM_IN_BOTH_PRECISIONS(centre_of_mass_derivatives);
TANDEM_IN_BOTH_PRECISIONS(centroidal_momentum);
TANDEM_IN_BOTH_PRECISIONS(centroidal_momentum_derivatives);
TANDEM_IN_BOTH_PRECISIONS(passive_forces);
TANDEM_IN_BOTH_PRECISIONS(passive_forces_derivatives);
TANDEM_IN_BOTH_PRECISIONS(integrate);
TANDEM_IN_BOTH_PRECISIONS(difference);
TANDEM_IN_BOTH_PRECISIONS(integrate_rate);
TANDEM_IN_BOTH_PRECISIONS(close_loops);
TANDEM_IN_BOTH_PRECISIONS(step);
TANDEM_IN_BOTH_PRECISIONS(step_jvp);
TANDEM_IN_BOTH_PRECISIONS(step_vjp);

}  // namespace tandem
