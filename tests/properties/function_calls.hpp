// SPDX-License-Identifier: Apache-2.0
/// A call of every function of one state, with all arguments. Written by tools/register.py.
#pragma once
#include "tandem/api/functions.hpp"

namespace tandem::test {

/// check(name, call) for each: call(model, x, out, work) with x(name) of inputs and out(name) of outputs.
template <class T, class F>
void for_each_function(F&& check) {
  check("forward_kinematics", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto pose = out("pose"), velocity = out("velocity"), acceleration = out("acceleration");
    forward_kinematics<T>(m, x("q"), pose, work, {.v = x("v"), .a = x("a"), .velocity = velocity,
        .acceleration = acceleration});
  });
  check("forward_kinematics_jvp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dpose = out("dpose"), dvelocity = out("dvelocity"), dacceleration = out("dacceleration");
    forward_kinematics_jvp<T>(m, x("q"), x("dq"), dpose, work, {.v = x("v"), .a = x("a"), .dv = x("dv"), .da = x("da"),
        .dvelocity = dvelocity, .dacceleration = dacceleration});
  });
  check("forward_kinematics_vjp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto q_bar = out("q_bar"), v_bar = out("v_bar"), a_bar = out("a_bar");
    forward_kinematics_vjp<T>(m, x("q"), q_bar, work, {.v = x("v"), .a = x("a"), .pose_bar = x("pose_bar"),
        .velocity_bar = x("velocity_bar"), .acceleration_bar = x("acceleration_bar"), .v_bar = v_bar, .a_bar = a_bar});
  });
  check("jacobian", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto J = out("J");
    jacobian<T>(m, x("q"), m.n_frames() - 1, Reference::local, J, work);
  });
  check("forward_kinematics_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dvelocity_dq = out("dvelocity_dq"), dacceleration_dq = out("dacceleration_dq"),
               dacceleration_dv = out("dacceleration_dv"), J = out("J");
    forward_kinematics_derivatives<T>(m, x("q"), x("v"), x("a"), m.n_frames() - 1, Reference::local, dvelocity_dq,
        dacceleration_dq, dacceleration_dv, work, J);
  });
  check("jacobian_time_derivative_product", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto Jdot_v = out("Jdot_v");
    jacobian_time_derivative_product<T>(m, x("q"), x("v"), m.n_frames() - 1, Reference::local, Jdot_v, work);
  });
  check("inverse_dynamics", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto tau = out("tau");
    inverse_dynamics<T>(m, x("q"), x("v"), x("a"), tau, work, x("f_ext"));
  });
  check("bias_forces", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto tau = out("tau");
    bias_forces<T>(m, x("q"), x("v"), tau, work, x("f_ext"));
  });
  check("gravity_forces", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto tau = out("tau");
    gravity_forces<T>(m, x("q"), tau, work);
  });
  check("inverse_dynamics_terms", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto inertial = out("inertial"), coriolis = out("coriolis"), centrifugal = out("centrifugal"),
               gravity = out("gravity"), external = out("external"), friction = out("friction"),
               springs = out("springs");
    inverse_dynamics_terms<T>(m, x("q"), x("v"), x("a"), inertial, coriolis, centrifugal, gravity, external, friction,
        springs, work, x("f_ext"));
  });
  check("interbody_wrenches", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto f = out("f");
    interbody_wrenches<T>(m, x("q"), x("v"), x("a"), f, work, x("f_ext"));
  });
  check("inverse_dynamics_regressor", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto Y = out("Y");
    inverse_dynamics_regressor<T>(m, x("q"), x("v"), x("a"), Y, work);
  });
  check("inverse_dynamics_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dtau_dq = out("dtau_dq"), dtau_dv = out("dtau_dv"), dtau_da = out("dtau_da");
    inverse_dynamics_derivatives<T>(m, x("q"), x("v"), x("a"), dtau_dq, dtau_dv, work, x("f_ext"), dtau_da);
  });
  check("inverse_dynamics_jvp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto tau = out("tau"), dtau = out("dtau");
    inverse_dynamics_jvp<T>(m, x("q"), x("v"), x("a"), x("dq"), x("dv"), x("da"), tau, dtau, work, x("f_ext"),
        x("df_ext"), x("dpi"));
  });
  check("inverse_dynamics_vjp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto tau = out("tau"), q_bar = out("q_bar"), v_bar = out("v_bar"), a_bar = out("a_bar"),
               f_ext_bar = out("f_ext_bar"), pi_bar = out("pi_bar");
    inverse_dynamics_vjp<T>(m, x("q"), x("v"), x("a"), x("tau_bar"), tau, q_bar, v_bar, a_bar, work, x("f_ext"),
        f_ext_bar, pi_bar);
  });
  check("inverse_dynamics_hvp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dtau = out("dtau"), dq_bar = out("dq_bar"), dv_bar = out("dv_bar"), da_bar = out("da_bar"),
               df_ext_bar = out("df_ext_bar"), dpi_bar = out("dpi_bar");
    inverse_dynamics_hvp<T>(m, x("q"), x("v"), x("a"), x("tau_bar"), x("dq"), x("dv"), x("da"), dtau, dq_bar, dv_bar,
        da_bar, work, x("dtau_bar"), x("f_ext"), x("df_ext"), df_ext_bar, dpi_bar);
  });
  check("inverse_dynamics_second_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto d2tau_dqdq = out("d2tau_dqdq"), d2tau_dvdq = out("d2tau_dvdq"), d2tau_dadq = out("d2tau_dadq"),
               d2tau_dvdv = out("d2tau_dvdv");
    inverse_dynamics_second_derivatives<T>(m, x("q"), x("v"), x("a"), x("tau_bar"), d2tau_dqdq, d2tau_dvdq, d2tau_dadq,
        d2tau_dvdv, work, x("f_ext"));
  });
  check("mass_matrix", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto M = out("M");
    mass_matrix<T>(m, x("q"), M, work);
  });
  check("mass_matrix_rate", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto Mdot = out("Mdot");
    mass_matrix_rate<T>(m, x("q"), x("v"), Mdot, work);
  });
  check("coriolis_matrix", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto C = out("C");
    coriolis_matrix<T>(m, x("q"), x("v"), C, work);
  });
  check("forward_dynamics", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto a = out("a");
    forward_dynamics<T>(m, x("q"), x("v"), x("tau"), a, work, x("f_ext"), x("diagonal"));
  });
  check("constraint_wrenches", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto f_c = out("f_c");
    constraint_wrenches<T>(m, x("q"), x("v"), x("tau"), f_c, work, x("f_ext"), x("diagonal"));
  });
  check("closed_loop_dynamics", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto a = out("a"), f_loop = out("f_loop");
    closed_loop_dynamics<T>(m, x("q"), x("v"), x("tau"), a, work, f_loop, x("f_ext"), x("diagonal"));
  });
  check("forward_dynamics_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto da_dq = out("da_dq"), da_dv = out("da_dv"), da_dtau = out("da_dtau");
    forward_dynamics_derivatives<T>(m, x("q"), x("v"), x("tau"), da_dq, da_dv, work, x("f_ext"), x("diagonal"),
        da_dtau);
  });
  check("forward_dynamics_jvp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto a = out("a"), da = out("da");
    forward_dynamics_jvp<T>(m, x("q"), x("v"), x("tau"), x("dq"), x("dv"), x("dtau"), a, da, work, x("f_ext"),
        x("diagonal"), x("df_ext"), x("dpi"));
  });
  check("forward_dynamics_vjp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto a = out("a"), q_bar = out("q_bar"), v_bar = out("v_bar"), tau_bar = out("tau_bar"),
               f_ext_bar = out("f_ext_bar"), pi_bar = out("pi_bar");
    forward_dynamics_vjp<T>(m, x("q"), x("v"), x("tau"), x("a_bar"), a, q_bar, v_bar, tau_bar, work, x("f_ext"),
        x("diagonal"), f_ext_bar, pi_bar);
  });
  check("forward_dynamics_hvp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto da = out("da"), dq_bar = out("dq_bar"), dv_bar = out("dv_bar"), dtau_bar = out("dtau_bar"),
               df_ext_bar = out("df_ext_bar"), dpi_bar = out("dpi_bar");
    forward_dynamics_hvp<T>(m, x("q"), x("v"), x("tau"), x("a_bar"), x("dq"), x("dv"), x("dtau"), da, dq_bar, dv_bar,
        dtau_bar, work, x("da_bar"), x("f_ext"), x("df_ext"), x("diagonal"), df_ext_bar, dpi_bar);
  });
  check("forward_dynamics_second_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto d2a_dqdq = out("d2a_dqdq"), d2a_dvdq = out("d2a_dvdq"), d2a_dtaudq = out("d2a_dtaudq"),
               d2a_dvdv = out("d2a_dvdv");
    forward_dynamics_second_derivatives<T>(m, x("q"), x("v"), x("tau"), x("a_bar"), d2a_dqdq, d2a_dvdq, d2a_dtaudq,
        d2a_dvdv, work, x("f_ext"), x("diagonal"));
  });
  check("inverse_mass_matrix", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto Minv = out("Minv");
    inverse_mass_matrix<T>(m, x("q"), Minv, work);
  });
  check("inverse_mass_matrix_product", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto y = out("y");
    inverse_mass_matrix_product<T>(m, x("q"), x("x"), y, work);
  });
  check("operational_space_mobility", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto mobility = out("mobility");
    operational_space_mobility<T>(m, x("q"), m.n_frames() - 1, Reference::local, mobility, work);
  });
  check("energy", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto kinetic = out("kinetic"), potential = out("potential");
    energy<T>(m, x("q"), x("v"), kinetic[0], potential[0], work);
  });
  check("energy_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dkinetic_dq = out("dkinetic_dq"), dkinetic_dv = out("dkinetic_dv"), dpotential_dq = out("dpotential_dq");
    energy_derivatives<T>(m, x("q"), x("v"), dkinetic_dq, dkinetic_dv, dpotential_dq, work);
  });
  check("centre_of_mass", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto com = out("com"), velocity = out("velocity"), J = out("J");
    centre_of_mass<T>(m, x("q"), com, work, x("v"), velocity, J);
  });
  check("centre_of_mass_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dvelocity_dq = out("dvelocity_dq"), dacceleration_dq = out("dacceleration_dq"),
               dacceleration_dv = out("dacceleration_dv"), J = out("J"), acceleration = out("acceleration");
    centre_of_mass_derivatives<T>(m, x("q"), x("v"), x("a"), dvelocity_dq, dacceleration_dq, dacceleration_dv, work, J,
        acceleration);
  });
  check("centroidal_momentum", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto h = out("h"), A = out("A");
    centroidal_momentum<T>(m, x("q"), x("v"), h, work, A);
  });
  check("centroidal_momentum_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dh_dq = out("dh_dq"), dhdot_dq = out("dhdot_dq"), dhdot_dv = out("dhdot_dv"), A = out("A"),
               hdot = out("hdot");
    centroidal_momentum_derivatives<T>(m, x("q"), x("v"), x("a"), dh_dq, dhdot_dq, dhdot_dv, work, A, hdot);
  });
  check("passive_forces", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto tau = out("tau");
    passive_forces<T>(m, x("q"), x("v"), tau, work);
  });
  check("passive_forces_derivatives", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto dtau_dq = out("dtau_dq"), dtau_dv = out("dtau_dv");
    passive_forces_derivatives<T>(m, x("q"), x("v"), dtau_dq, dtau_dv, work);
  });
  check("integrate", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto q_next = out("q_next");
    integrate<T>(m, x("q"), x("u"), q_next, work);
  });
  check("difference", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto u = out("u");
    difference<T>(m, x("q0"), x("q1"), u, work);
  });
  check("integrate_rate", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto rate = out("rate");
    integrate_rate<T>(m, x("u"), x("v"), rate, work);
  });
  check("close_loops", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto q_closed = out("q_closed"), v_closed = out("v_closed"), error = out("error");
    error[0] = close_loops<T>(m, x("q"), q_closed, work, x("v"), v_closed);
  });
  check("step", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto q_next = out("q_next"), v_next = out("v_next"), stops_next = out("stops_next"),
               step_energies = out("step_energies");
    step<T>(m, x("q"), x("v"), x("tau"), x("dt")[0], q_next, v_next, work, {.f_ext = x("f_ext"),
        .q_target = x("q_target"), .kp = x("kp"), .kd = x("kd"), .stops = x("stops"), .stops_next = stops_next,
        .step_energies = step_energies});
  });
  check("step_jvp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto q_next = out("q_next"), v_next = out("v_next"), dq_next = out("dq_next"), dv_next = out("dv_next"),
               stops_next = out("stops_next"), dimpedance_next = out("dimpedance_next");
    step_jvp<T>(m, x("q"), x("v"), x("tau"), x("dt")[0], x("dq"), x("dv"), x("dtau"), q_next, v_next, dq_next, dv_next,
        work, {.f_ext = x("f_ext"), .q_target = x("q_target"), .kp = x("kp"), .kd = x("kd"), .stops = x("stops"),
        .df_ext = x("df_ext"), .dq_target = x("dq_target"), .dkp = x("dkp"), .dkd = x("dkd"),
        .dimpedance = x("dimpedance"), .stops_next = stops_next, .dimpedance_next = dimpedance_next});
  });
  check("step_vjp", [](const Model& m, auto& x, auto& out, Workspace<T>& work) {
    const auto q_next = out("q_next"), v_next = out("v_next"), q_bar = out("q_bar"), v_bar = out("v_bar"),
               tau_bar = out("tau_bar"), f_ext_bar = out("f_ext_bar"), q_target_bar = out("q_target_bar"),
               kp_bar = out("kp_bar"), kd_bar = out("kd_bar"), stops_next = out("stops_next"),
               impedance_bar = out("impedance_bar");
    step_vjp<T>(m, x("q"), x("v"), x("tau"), x("dt")[0], x("q_next_bar"), x("v_next_bar"), q_next, v_next, q_bar, v_bar,
        tau_bar, work, {.f_ext = x("f_ext"), .q_target = x("q_target"), .kp = x("kp"), .kd = x("kd"),
        .stops = x("stops"), .impedance_next_bar = x("impedance_next_bar"), .f_ext_bar = f_ext_bar,
        .q_target_bar = q_target_bar, .kp_bar = kp_bar, .kd_bar = kd_bar, .stops_next = stops_next,
        .impedance_bar = impedance_bar});
  });
}

}  // namespace tandem::test
