// SPDX-License-Identifier: Apache-2.0
/// A call of every function of batches, with all arguments by name. Written by tools/register.py.
#pragma once
#include "tandem/api/batches.hpp"

namespace tandem::test {

/// check(name, call) for each: call(model, x, work, frame) with x(name) of an argument.
template <class F>
void for_each_batch_function(F&& check) {
  check("forward_kinematics", [](const Model& m, auto x, auto& work, int) {
    forward_kinematics(m, {.q = x("q"), .v = x("v"), .a = x("a")}, {.pose = x("pose"), .velocity = x("velocity"),
        .acceleration = x("acceleration")}, work);
  });
  check("forward_kinematics_jvp", [](const Model& m, auto x, auto& work, int) {
    forward_kinematics_jvp(m, {.q = x("q"), .dq = x("dq"), .v = x("v"), .a = x("a"), .dv = x("dv"), .da = x("da")},
        {.dpose = x("dpose"), .dvelocity = x("dvelocity"), .dacceleration = x("dacceleration")}, work);
  });
  check("forward_kinematics_vjp", [](const Model& m, auto x, auto& work, int) {
    forward_kinematics_vjp(m, {.q = x("q"), .v = x("v"), .a = x("a"), .pose_bar = x("pose_bar"),
        .velocity_bar = x("velocity_bar"), .acceleration_bar = x("acceleration_bar")}, {.q_bar = x("q_bar"),
        .v_bar = x("v_bar"), .a_bar = x("a_bar")}, work);
  });
  check("jacobian", [](const Model& m, auto x, auto& work, int frame) {
    jacobian(m, {.q = x("q"), .frame = frame}, {.J = x("J")}, work);
  });
  check("forward_kinematics_derivatives", [](const Model& m, auto x, auto& work, int frame) {
    forward_kinematics_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a"), .frame = frame},
        {.dvelocity_dq = x("dvelocity_dq"), .dacceleration_dq = x("dacceleration_dq"),
        .dacceleration_dv = x("dacceleration_dv"), .J = x("J")}, work);
  });
  check("jacobian_time_derivative_product", [](const Model& m, auto x, auto& work, int frame) {
    jacobian_time_derivative_product(m, {.q = x("q"), .v = x("v"), .frame = frame}, {.Jdot_v = x("Jdot_v")}, work);
  });
  check("inverse_dynamics", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")}, {.tau = x("tau")}, work);
  });
  check("bias_forces", [](const Model& m, auto x, auto& work, int) {
    bias_forces(m, {.q = x("q"), .v = x("v"), .f_ext = x("f_ext")}, {.tau = x("tau")}, work);
  });
  check("gravity_forces", [](const Model& m, auto x, auto& work, int) {
    gravity_forces(m, {.q = x("q")}, {.tau = x("tau")}, work);
  });
  check("inverse_dynamics_terms", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_terms(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")}, {.inertial = x("inertial"),
        .coriolis = x("coriolis"), .centrifugal = x("centrifugal"), .gravity = x("gravity"), .external = x("external"),
        .friction = x("friction"), .springs = x("springs")}, work);
  });
  check("interbody_wrenches", [](const Model& m, auto x, auto& work, int) {
    interbody_wrenches(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")}, {.f = x("f")}, work);
  });
  check("inverse_dynamics_regressor", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_regressor(m, {.q = x("q"), .v = x("v"), .a = x("a")}, {.Y = x("Y")}, work);
  });
  check("inverse_dynamics_derivatives", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a"), .f_ext = x("f_ext")},
        {.dtau_dq = x("dtau_dq"), .dtau_dv = x("dtau_dv"), .dtau_da = x("dtau_da")}, work);
  });
  check("inverse_dynamics_jvp", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_jvp(m, {.q = x("q"), .v = x("v"), .a = x("a"), .dq = x("dq"), .dv = x("dv"), .da = x("da"),
        .f_ext = x("f_ext"), .df_ext = x("df_ext"), .dpi = x("dpi")}, {.tau = x("tau"), .dtau = x("dtau")}, work);
  });
  check("inverse_dynamics_vjp", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_vjp(m, {.q = x("q"), .v = x("v"), .a = x("a"), .tau_bar = x("tau_bar"), .f_ext = x("f_ext")},
        {.tau = x("tau"), .q_bar = x("q_bar"), .v_bar = x("v_bar"), .a_bar = x("a_bar"), .f_ext_bar = x("f_ext_bar"),
        .pi_bar = x("pi_bar")}, work);
  });
  check("inverse_dynamics_hvp", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_hvp(m, {.q = x("q"), .v = x("v"), .a = x("a"), .tau_bar = x("tau_bar"), .dq = x("dq"),
        .dv = x("dv"), .da = x("da"), .dtau_bar = x("dtau_bar"), .f_ext = x("f_ext"), .df_ext = x("df_ext")},
        {.dtau = x("dtau"), .dq_bar = x("dq_bar"), .dv_bar = x("dv_bar"), .da_bar = x("da_bar"),
        .df_ext_bar = x("df_ext_bar"), .dpi_bar = x("dpi_bar")}, work);
  });
  check("inverse_dynamics_second_derivatives", [](const Model& m, auto x, auto& work, int) {
    inverse_dynamics_second_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a"), .tau_bar = x("tau_bar"),
        .f_ext = x("f_ext")}, {.d2tau_dqdq = x("d2tau_dqdq"), .d2tau_dvdq = x("d2tau_dvdq"),
        .d2tau_dadq = x("d2tau_dadq"), .d2tau_dvdv = x("d2tau_dvdv")}, work);
  });
  check("mass_matrix", [](const Model& m, auto x, auto& work, int) {
    mass_matrix(m, {.q = x("q")}, {.M = x("M")}, work);
  });
  check("mass_matrix_rate", [](const Model& m, auto x, auto& work, int) {
    mass_matrix_rate(m, {.q = x("q"), .v = x("v")}, {.Mdot = x("Mdot")}, work);
  });
  check("coriolis_matrix", [](const Model& m, auto x, auto& work, int) {
    coriolis_matrix(m, {.q = x("q"), .v = x("v")}, {.C = x("C")}, work);
  });
  check("forward_dynamics", [](const Model& m, auto x, auto& work, int) {
    forward_dynamics(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
        {.a = x("a")}, work);
  });
  check("constraint_wrenches", [](const Model& m, auto x, auto& work, int) {
    constraint_wrenches(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
        {.f_c = x("f_c")}, work);
  });
  check("closed_loop_dynamics", [](const Model& m, auto x, auto& work, int) {
    closed_loop_dynamics(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"), .diagonal = x("diagonal")},
        {.a = x("a"), .f_loop = x("f_loop")}, work);
  });
  check("forward_dynamics_derivatives", [](const Model& m, auto x, auto& work, int) {
    forward_dynamics_derivatives(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .f_ext = x("f_ext"),
        .diagonal = x("diagonal")}, {.da_dq = x("da_dq"), .da_dv = x("da_dv"), .da_dtau = x("da_dtau")}, work);
  });
  check("forward_dynamics_jvp", [](const Model& m, auto x, auto& work, int) {
    forward_dynamics_jvp(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .dq = x("dq"), .dv = x("dv"), .dtau = x("dtau"),
        .f_ext = x("f_ext"), .diagonal = x("diagonal"), .df_ext = x("df_ext"), .dpi = x("dpi")}, {.a = x("a"),
        .da = x("da")}, work);
  });
  check("forward_dynamics_vjp", [](const Model& m, auto x, auto& work, int) {
    forward_dynamics_vjp(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .a_bar = x("a_bar"), .f_ext = x("f_ext"),
        .diagonal = x("diagonal")}, {.a = x("a"), .q_bar = x("q_bar"), .v_bar = x("v_bar"), .tau_bar = x("tau_bar"),
        .f_ext_bar = x("f_ext_bar"), .pi_bar = x("pi_bar")}, work);
  });
  check("forward_dynamics_hvp", [](const Model& m, auto x, auto& work, int) {
    forward_dynamics_hvp(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .a_bar = x("a_bar"), .dq = x("dq"),
        .dv = x("dv"), .dtau = x("dtau"), .da_bar = x("da_bar"), .f_ext = x("f_ext"), .df_ext = x("df_ext"),
        .diagonal = x("diagonal")}, {.da = x("da"), .dq_bar = x("dq_bar"), .dv_bar = x("dv_bar"),
        .dtau_bar = x("dtau_bar"), .df_ext_bar = x("df_ext_bar"), .dpi_bar = x("dpi_bar")}, work);
  });
  check("forward_dynamics_second_derivatives", [](const Model& m, auto x, auto& work, int) {
    forward_dynamics_second_derivatives(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .a_bar = x("a_bar"),
        .f_ext = x("f_ext"), .diagonal = x("diagonal")}, {.d2a_dqdq = x("d2a_dqdq"), .d2a_dvdq = x("d2a_dvdq"),
        .d2a_dtaudq = x("d2a_dtaudq"), .d2a_dvdv = x("d2a_dvdv")}, work);
  });
  check("inverse_mass_matrix", [](const Model& m, auto x, auto& work, int) {
    inverse_mass_matrix(m, {.q = x("q")}, {.Minv = x("Minv")}, work);
  });
  check("inverse_mass_matrix_product", [](const Model& m, auto x, auto& work, int) {
    inverse_mass_matrix_product(m, {.q = x("q"), .x = x("x")}, {.y = x("y")}, work);
  });
  check("operational_space_mobility", [](const Model& m, auto x, auto& work, int frame) {
    operational_space_mobility(m, {.q = x("q"), .frame = frame}, {.mobility = x("mobility")}, work);
  });
  check("energy", [](const Model& m, auto x, auto& work, int) {
    energy(m, {.q = x("q"), .v = x("v")}, {.kinetic = x("kinetic"), .potential = x("potential")}, work);
  });
  check("energy_derivatives", [](const Model& m, auto x, auto& work, int) {
    energy_derivatives(m, {.q = x("q"), .v = x("v")}, {.dkinetic_dq = x("dkinetic_dq"), .dkinetic_dv = x("dkinetic_dv"),
        .dpotential_dq = x("dpotential_dq")}, work);
  });
  check("centre_of_mass", [](const Model& m, auto x, auto& work, int) {
    centre_of_mass(m, {.q = x("q"), .v = x("v")}, {.com = x("com"), .velocity = x("velocity"), .J = x("J")}, work);
  });
  check("centre_of_mass_derivatives", [](const Model& m, auto x, auto& work, int) {
    centre_of_mass_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a")}, {.dvelocity_dq = x("dvelocity_dq"),
        .dacceleration_dq = x("dacceleration_dq"), .dacceleration_dv = x("dacceleration_dv"), .J = x("J"),
        .acceleration = x("acceleration")}, work);
  });
  check("centroidal_momentum", [](const Model& m, auto x, auto& work, int) {
    centroidal_momentum(m, {.q = x("q"), .v = x("v")}, {.h = x("h"), .A = x("A")}, work);
  });
  check("centroidal_momentum_derivatives", [](const Model& m, auto x, auto& work, int) {
    centroidal_momentum_derivatives(m, {.q = x("q"), .v = x("v"), .a = x("a")}, {.dh_dq = x("dh_dq"),
        .dhdot_dq = x("dhdot_dq"), .dhdot_dv = x("dhdot_dv"), .A = x("A"), .hdot = x("hdot")}, work);
  });
  check("passive_forces", [](const Model& m, auto x, auto& work, int) {
    passive_forces(m, {.q = x("q"), .v = x("v")}, {.tau = x("tau")}, work);
  });
  check("passive_forces_derivatives", [](const Model& m, auto x, auto& work, int) {
    passive_forces_derivatives(m, {.q = x("q"), .v = x("v")}, {.dtau_dq = x("dtau_dq"), .dtau_dv = x("dtau_dv")}, work);
  });
  check("integrate", [](const Model& m, auto x, auto& work, int) {
    integrate(m, {.q = x("q"), .u = x("u")}, {.q_next = x("q_next")}, work);
  });
  check("difference", [](const Model& m, auto x, auto& work, int) {
    difference(m, {.q0 = x("q0"), .q1 = x("q1")}, {.u = x("u")}, work);
  });
  check("integrate_rate", [](const Model& m, auto x, auto& work, int) {
    integrate_rate(m, {.u = x("u"), .v = x("v")}, {.rate = x("rate")}, work);
  });
  check("close_loops", [](const Model& m, auto x, auto& work, int) {
    close_loops(m, {.q = x("q"), .v = x("v")}, {.q_closed = x("q_closed"), .v_closed = x("v_closed"),
        .error = x("error")}, work);
  });
  check("step", [](const Model& m, auto x, auto& work, int) {
    step(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .dt = x("dt"), .f_ext = x("f_ext"), .q_target = x("q_target"),
        .kp = x("kp"), .kd = x("kd"), .stops = x("stops")}, {.q_next = x("q_next"), .v_next = x("v_next"),
        .stops_next = x("stops_next"), .step_energies = x("step_energies")}, work);
  });
  check("step_jvp", [](const Model& m, auto x, auto& work, int) {
    step_jvp(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .dt = x("dt"), .dq = x("dq"), .dv = x("dv"),
        .dtau = x("dtau"), .f_ext = x("f_ext"), .q_target = x("q_target"), .kp = x("kp"), .kd = x("kd"),
        .stops = x("stops"), .df_ext = x("df_ext"), .dq_target = x("dq_target"), .dkp = x("dkp"), .dkd = x("dkd"),
        .dimpedance = x("dimpedance")}, {.q_next = x("q_next"), .v_next = x("v_next"), .dq_next = x("dq_next"),
        .dv_next = x("dv_next"), .stops_next = x("stops_next"), .dimpedance_next = x("dimpedance_next")}, work);
  });
  check("step_vjp", [](const Model& m, auto x, auto& work, int) {
    step_vjp(m, {.q = x("q"), .v = x("v"), .tau = x("tau"), .dt = x("dt"), .q_next_bar = x("q_next_bar"),
        .v_next_bar = x("v_next_bar"), .f_ext = x("f_ext"), .q_target = x("q_target"), .kp = x("kp"), .kd = x("kd"),
        .stops = x("stops"), .impedance_next_bar = x("impedance_next_bar")}, {.q_next = x("q_next"),
        .v_next = x("v_next"), .q_bar = x("q_bar"), .v_bar = x("v_bar"), .tau_bar = x("tau_bar"),
        .f_ext_bar = x("f_ext_bar"), .q_target_bar = x("q_target_bar"), .kp_bar = x("kp_bar"), .kd_bar = x("kd_bar"),
        .stops_next = x("stops_next"), .impedance_bar = x("impedance_bar")}, work);
  });
}

}  // namespace tandem::test
