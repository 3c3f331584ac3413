// SPDX-License-Identifier: Apache-2.0
/// The functions of one state against evaluate(), their errors, and that none of them allocates twice.
/// Over 400 lines, as every function is called once.
#include <gmock/gmock.h>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

template <class T>
class Functions : public ::testing::Test {};
TYPED_TEST_SUITE(Functions, BothReals);

/// Arguments of every function by name, as plain vectors.
template <class T>
struct Arguments {
  Model model;
  Method method = Method::automatic;
  std::vector<std::pair<std::string, std::vector<T>>> columns;
  Workspace<T> work;
  std::vector<std::string> called;  ///< algorithms that a function was seen of

  explicit Arguments(const Case& c) : model(c.model) {
    const State s = random_state(model, 9);
    const auto put = [&](const char* name, const Vector& x) {
      columns.emplace_back(name, std::vector<T>(x.data(), x.data() + x.size()));
    };
    put("q", s.q);
    put("q0", s.q);
    put("q1", random_state(model, 10).q);
    put("v", s.v);
    put("u", s.v);
    put("a", s.a);
    put("x", s.tau);
    put("f_ext", s.f_ext);
    put("tau", s.tau);
    put("diagonal", s.v.cwiseAbs());
    put("dt", Vector::Constant(1, 1e-3));
    put("q_target", random_state(model, 12).q);
    put("kp", s.v.cwiseAbs());
    put("kd", s.v.cwiseAbs());
    put("stops", Vector::Zero(3 * model.nv()));
    for (const char* name : {"dq", "dv", "da", "dtau", "a_bar", "tau_bar", "da_bar", "dtau_bar", "q_next_bar",
                             "v_next_bar", "impedance_next_bar", "dq_target", "dkp", "dkd", "dimpedance"})
      put(name, s.v);
    put("df_ext", s.f_ext);
    put("pose_bar", Vector::LinSpaced(12 * model.n_frames(), -1, 1));
    for (const char* name : {"velocity_bar", "acceleration_bar"})
      put(name, Vector::LinSpaced(6 * model.n_frames(), -1, 1));
    put("dpi", Vector::Constant(10 * model.n_joints(), 0.1));
  }
  std::vector<T>& operator[](const std::string& name) {
    for (auto& [key, column] : columns)
      if (key == name) return column;
    columns.emplace_back(name, std::vector<T>());
    return columns.back().second;
  }
  /// The same by evaluate(): outputs of the algorithm, one behind the other.
  std::vector<T> evaluated(const char* algorithm) {
    const Algorithm& a = find_algorithm(algorithm);
    std::vector<std::vector<T>> numbers;
    std::vector<Array<T>> arrays;
    for (const Argument& argument : a.arguments) {
      const bool input = argument.role == Role::input || argument.role == Role::optional_input;
      const auto rows = static_cast<std::size_t>(shape(argument.rows, model.view<T>()).count());
      numbers.push_back(input ? (*this)[argument.name] : std::vector<T>(rows));
      arrays.push_back(Array<T>::output(numbers.back().data(), 0));
    }
    Options options = own_options(a, model)[0];
    if (!a.methods.empty()) options.method = method;
    evaluate<T>(a, model, arrays, 1, work, options);
    std::vector<T> result;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      if (a.arguments[k].role == Role::output || a.arguments[k].role == Role::optional_output)
        result.insert(result.end(), numbers[k].begin(), numbers[k].end());
    return result;
  }
};

/// Runs a function twice into outputs cut from one vector: the bits of evaluate(), and no allocation the second time.
template <class T, class F>
void check_function(Arguments<T>& x, const char* algorithm, F&& function) {
  x.called.emplace_back(algorithm);
  const std::vector<T> expected = x.evaluated(algorithm);
  std::vector<T> outputs(expected.size(), std::numeric_limits<T>::quiet_NaN());
  std::size_t used = 0;
  const auto out = [&](Index rows) {
    const std::span<T> part(outputs.data() + used, static_cast<std::size_t>(rows));
    used += part.size();
    return part;
  };
  function(out);
  EXPECT_EQ(used, outputs.size()) << algorithm;
  EXPECT_TRUE(same_bits(outputs.data(), expected.data(), expected.size())) << algorithm;
  used = 0;
  const std::size_t before = allocations();
  function(out);
  EXPECT_EQ(allocations(), before) << algorithm << " allocates in its second call";
}

TYPED_TEST(Functions, HaveTheBitsOfEvaluateAndAllocateOnce) {
  using T = TypeParam;
  for (const char* name : {"every_joint", "mimic_branches", "humanoid", "chain:30"}) {
    if (few_cases && name == std::string_view("humanoid")) break;
    SCOPED_TRACE(name);
    Arguments<T> x(case_named(name));
    const Model& m = x.model;
    const Index nq = m.nq(), nv = m.nv(), frames = m.n_frames();
    const int frame = m.n_frames() - 1;
    const auto &q = x["q"], &v = x["v"], &a = x["a"], &tau = x["tau"], &f_ext = x["f_ext"];
    auto& work = x.work;
    check_function(x, "forward_kinematics", [&](auto& out) {
      const auto pose = out(12 * frames);
      const auto velocity = out(6 * frames), acceleration = out(6 * frames);
      forward_kinematics<T>(m, q, pose, work, {.v = v, .a = a, .velocity = velocity, .acceleration = acceleration});
    });
    check_function(x, "forward_kinematics_derivatives", [&](auto& out) {
      const auto by_q = out(6 * nv), a_by_q = out(6 * nv), a_by_v = out(6 * nv), J = out(6 * nv);
      forward_kinematics_derivatives<T>(m, q, v, a, frame, Reference::local, by_q, a_by_q, a_by_v, work, J);
    });
    check_function(x, "forward_kinematics_jvp", [&](auto& out) {
      const auto dpose = out(12 * frames);
      const auto dvelocity = out(6 * frames), dacceleration = out(6 * frames);
      forward_kinematics_jvp<T>(
          m, q, x["dq"], dpose, work,
          {.v = v, .a = a, .dv = x["dv"], .da = x["da"], .dvelocity = dvelocity, .dacceleration = dacceleration});
    });
    const auto &pose_bar = x["pose_bar"], &velocity_bar = x["velocity_bar"], &acceleration_bar = x["acceleration_bar"];
    check_function(x, "forward_kinematics_vjp", [&](auto& out) {
      const auto q_bar = out(nv), v_bar = out(nv), a_bar = out(nv);
      forward_kinematics_vjp<T>(m, q, q_bar, work,
                                {.v = v,
                                 .a = a,
                                 .pose_bar = pose_bar,
                                 .velocity_bar = velocity_bar,
                                 .acceleration_bar = acceleration_bar,
                                 .v_bar = v_bar,
                                 .a_bar = a_bar});
    });
    check_function(x, "jacobian", [&](auto& out) { jacobian<T>(m, q, frame, Reference::local, out(6 * nv), work); });
    check_function(x, "jacobian_time_derivative_product", [&](auto& out) {
      jacobian_time_derivative_product<T>(m, q, v, frame, Reference::local, out(6), work);
    });
    check_function(x, "inverse_dynamics", [&](auto& out) { inverse_dynamics<T>(m, q, v, a, out(nv), work, f_ext); });
    check_function(x, "bias_forces", [&](auto& out) { bias_forces<T>(m, q, v, out(nv), work, f_ext); });
    check_function(x, "gravity_forces", [&](auto& out) { gravity_forces<T>(m, q, out(nv), work); });
    check_function(x, "inverse_dynamics_terms", [&](auto& out) {
      const auto inertial = out(nv), coriolis = out(nv), centrifugal = out(nv), gravity = out(nv), external = out(nv),
                 friction = out(nv), springs = out(nv);
      inverse_dynamics_terms<T>(m, q, v, a, inertial, coriolis, centrifugal, gravity, external, friction, springs, work,
                                f_ext);
    });
    check_function(x, "interbody_wrenches",
                   [&](auto& out) { interbody_wrenches<T>(m, q, v, a, out(6 * m.n_links()), work, f_ext); });
    check_function(x, "inverse_dynamics_regressor",
                   [&](auto& out) { inverse_dynamics_regressor<T>(m, q, v, a, out(10 * nv * m.n_joints()), work); });
    check_function(x, "inverse_dynamics_derivatives", [&](auto& out) {
      const auto dtau_dq = out(nv * nv), dtau_dv = out(nv * nv), dtau_da = out(nv * nv);
      inverse_dynamics_derivatives<T>(m, q, v, a, dtau_dq, dtau_dv, work, f_ext, dtau_da);
    });
    const auto &dq = x["dq"], &dv = x["dv"], &df_ext = x["df_ext"], &dpi = x["dpi"];
    check_function(x, "inverse_dynamics_jvp", [&](auto& out) {
      const auto value = out(nv), increment = out(nv);
      inverse_dynamics_jvp<T>(m, q, v, a, dq, dv, x["da"], value, increment, work, f_ext, df_ext, dpi);
    });
    check_function(x, "inverse_dynamics_vjp", [&](auto& out) {
      const auto value = out(nv), q_bar = out(nv), v_bar = out(nv), a_bar = out(nv), f_ext_bar = out(6 * m.n_links()),
                 pi_bar = out(10 * m.n_joints());
      inverse_dynamics_vjp<T>(m, q, v, a, x["tau_bar"], value, q_bar, v_bar, a_bar, work, f_ext, f_ext_bar, pi_bar);
    });
    check_function(x, "inverse_dynamics_hvp", [&](auto& out) {
      const auto value = out(nv), q_bar = out(nv), v_bar = out(nv), a_bar = out(nv), f_ext_bar = out(6 * m.n_links()),
                 pi_bar = out(10 * m.n_joints());
      inverse_dynamics_hvp<T>(m, q, v, a, x["tau_bar"], x["dq"], x["dv"], x["da"], value, q_bar, v_bar, a_bar, work,
                              x["dtau_bar"], f_ext, x["df_ext"], f_ext_bar, pi_bar);
    });
    check_function(x, "inverse_dynamics_second_derivatives", [&](auto& out) {
      const auto qq = out(nv * nv), vq = out(nv * nv), aq = out(nv * nv), vv = out(nv * nv);
      inverse_dynamics_second_derivatives<T>(m, q, v, a, x["tau_bar"], qq, vq, aq, vv, work, f_ext);
    });
    check_function(x, "mass_matrix", [&](auto& out) { mass_matrix<T>(m, q, out(nv * nv), work); });
    check_function(x, "mass_matrix_rate", [&](auto& out) { mass_matrix_rate<T>(m, q, v, out(nv * nv), work); });
    check_function(x, "coriolis_matrix", [&](auto& out) { coriolis_matrix<T>(m, q, v, out(nv * nv), work); });
    for (const Method method : {Method::automatic, Method::articulated_body, Method::composite_rigid_body}) {
      x.method = method;
      check_function(x, "forward_dynamics", [&](auto& out) {
        forward_dynamics<T>(m, q, v, tau, out(nv), work, f_ext, x["diagonal"], {.method = method});
      });
      check_function(x, "constraint_wrenches", [&](auto& out) {
        constraint_wrenches<T>(m, q, v, tau, out(6 * m.n_links()), work, f_ext, x["diagonal"], {.method = method});
      });
    }
    x.method = Method::automatic;
    check_function(x, "closed_loop_dynamics", [&](auto& out) {
      const auto a_out = out(nv), f_loop = out(6 * m.n_loops());
      closed_loop_dynamics<T>(m, q, v, tau, a_out, work, f_loop, f_ext, x["diagonal"]);
    });
    check_function(x, "forward_dynamics_derivatives", [&](auto& out) {
      const auto da_dq = out(nv * nv), da_dv = out(nv * nv), da_dtau = out(nv * nv);
      forward_dynamics_derivatives<T>(m, q, v, tau, da_dq, da_dv, work, f_ext, x["diagonal"], da_dtau);
    });
    check_function(x, "forward_dynamics_jvp", [&](auto& out) {
      const auto value = out(nv), increment = out(nv);
      forward_dynamics_jvp<T>(m, q, v, tau, dq, dv, x["dtau"], value, increment, work, f_ext, x["diagonal"], df_ext,
                              dpi);
    });
    check_function(x, "forward_dynamics_vjp", [&](auto& out) {
      const auto value = out(nv), q_bar = out(nv), v_bar = out(nv), tau_bar = out(nv), f_ext_bar = out(6 * m.n_links()),
                 pi_bar = out(10 * m.n_joints());
      forward_dynamics_vjp<T>(m, q, v, tau, x["a_bar"], value, q_bar, v_bar, tau_bar, work, f_ext, x["diagonal"],
                              f_ext_bar, pi_bar);
    });
    check_function(x, "forward_dynamics_hvp", [&](auto& out) {
      const auto value = out(nv), q_bar = out(nv), v_bar = out(nv), tau_bar = out(nv), f_ext_bar = out(6 * m.n_links()),
                 pi_bar = out(10 * m.n_joints());
      forward_dynamics_hvp<T>(m, q, v, tau, x["a_bar"], x["dq"], x["dv"], x["dtau"], value, q_bar, v_bar, tau_bar, work,
                              x["da_bar"], f_ext, x["df_ext"], x["diagonal"], f_ext_bar, pi_bar);
    });
    check_function(x, "forward_dynamics_second_derivatives", [&](auto& out) {
      const auto qq = out(nv * nv), vq = out(nv * nv), tauq = out(nv * nv), vv = out(nv * nv);
      forward_dynamics_second_derivatives<T>(m, q, v, tau, x["a_bar"], qq, vq, tauq, vv, work, f_ext, x["diagonal"]);
    });
    check_function(x, "inverse_mass_matrix", [&](auto& out) { inverse_mass_matrix<T>(m, q, out(nv * nv), work); });
    check_function(x, "inverse_mass_matrix_product",
                   [&](auto& out) { inverse_mass_matrix_product<T>(m, q, x["x"], out(nv), work); });
    check_function(x, "operational_space_mobility",
                   [&](auto& out) { operational_space_mobility<T>(m, q, frame, Reference::local, out(36), work); });
    check_function(x, "energy", [&](auto& out) {
      const auto kinetic = out(1), potential = out(1);
      energy<T>(m, q, v, kinetic[0], potential[0], work);
    });
    check_function(x, "energy_derivatives", [&](auto& out) {
      const auto kinetic_by_q = out(nv), kinetic_by_v = out(nv), potential_by_q = out(nv);
      energy_derivatives<T>(m, q, v, kinetic_by_q, kinetic_by_v, potential_by_q, work);
    });
    check_function(x, "centre_of_mass_derivatives", [&](auto& out) {
      const auto by_q = out(3 * nv), a_by_q = out(3 * nv), a_by_v = out(3 * nv), J = out(3 * nv), acceleration = out(3);
      centre_of_mass_derivatives<T>(m, q, v, a, by_q, a_by_q, a_by_v, work, J, acceleration);
    });
    check_function(x, "centroidal_momentum_derivatives", [&](auto& out) {
      const auto by_q = out(6 * nv), rate_by_q = out(6 * nv), rate_by_v = out(6 * nv), A = out(6 * nv), hdot = out(6);
      centroidal_momentum_derivatives<T>(m, q, v, a, by_q, rate_by_q, rate_by_v, work, A, hdot);
    });
    check_function(x, "passive_forces_derivatives", [&](auto& out) {
      const auto by_q = out(nv * nv), by_v = out(nv * nv);
      passive_forces_derivatives<T>(m, q, v, by_q, by_v, work);
    });
    check_function(x, "centre_of_mass", [&](auto& out) {
      const auto com = out(3), velocity = out(3), J = out(3 * nv);
      centre_of_mass<T>(m, q, com, work, v, velocity, J);
    });
    check_function(x, "centroidal_momentum", [&](auto& out) {
      const auto h = out(6), A = out(6 * nv);
      centroidal_momentum<T>(m, q, v, h, work, A);
    });
    check_function(x, "passive_forces", [&](auto& out) { passive_forces<T>(m, q, v, out(nv), work); });
    check_function(x, "integrate", [&](auto& out) { integrate<T>(m, q, x["u"], out(nq), work); });
    check_function(x, "difference", [&](auto& out) { difference<T>(m, x["q0"], x["q1"], out(nv), work); });
    check_function(x, "integrate_rate", [&](auto& out) { integrate_rate<T>(m, x["u"], v, out(nv), work); });
    check_function(x, "close_loops", [&](auto& out) {
      const auto q_closed = out(nq), v_closed = out(nv);
      out(1)[0] = close_loops<T>(m, q, q_closed, work, v, v_closed);
    });
    check_function(x, "step", [&](auto& out) {
      const auto q_next = out(nq), v_next = out(nv), stops_next = out(3 * nv), step_energies = out(4);
      step<T>(m, q, v, tau, x["dt"][0], q_next, v_next, work,
              {.f_ext = f_ext,
               .q_target = x["q_target"],
               .kp = x["kp"],
               .kd = x["kd"],
               .stops = x["stops"],
               .stops_next = stops_next,
               .step_energies = step_energies});
    });
    const std::vector<T>&of_target = x["dq_target"], &of_impedance = x["dimpedance"];  // long names, which take memory to say
    check_function(x, "step_jvp", [&](auto& out) {
      const auto q_next = out(nq), v_next = out(nv), dq_next = out(nv), dv_next = out(nv), stops_next = out(3 * nv),
                 dimpedance_next = out(nv);
      step_jvp<T>(m, q, v, tau, x["dt"][0], x["dq"], x["dv"], x["dtau"], q_next, v_next, dq_next, dv_next, work,
                  {.f_ext = f_ext,
                   .q_target = x["q_target"],
                   .kp = x["kp"],
                   .kd = x["kd"],
                   .stops = x["stops"],
                   .df_ext = x["df_ext"],
                   .dq_target = of_target,
                   .dkp = x["dkp"],
                   .dkd = x["dkd"],
                   .dimpedance = of_impedance,
                   .stops_next = stops_next,
                   .dimpedance_next = dimpedance_next});
    });
    const std::vector<T>& of_impedances = x["impedance_next_bar"];  // a long name, which takes memory to say
    check_function(x, "step_vjp", [&](auto& out) {
      const auto q_next = out(nq), v_next = out(nv), q_bar = out(nv), v_bar = out(nv), tau_bar = out(nv),
                 f_ext_bar = out(6 * m.n_links()), q_target_bar = out(nv), kp_bar = out(nv), kd_bar = out(nv),
                 stops_next = out(3 * nv), impedance_bar = out(nv);
      step_vjp<T>(m, q, v, tau, x["dt"][0], x["q_next_bar"], x["v_next_bar"], q_next, v_next, q_bar, v_bar, tau_bar, work,
                  {.f_ext = f_ext,
                   .q_target = x["q_target"],
                   .kp = x["kp"],
                   .kd = x["kd"],
                   .stops = x["stops"],
                   .impedance_next_bar = of_impedances,
                   .f_ext_bar = f_ext_bar,
                   .q_target_bar = q_target_bar,
                   .kp_bar = kp_bar,
                   .kd_bar = kd_bar,
                   .stops_next = stops_next,
                   .impedance_bar = impedance_bar});
    });
    for (const Algorithm& algorithm : algorithms())
      EXPECT_TRUE(std::ranges::count(x.called, algorithm.name)) << algorithm.name << " has no function here";
  }
}

TYPED_TEST(Functions, AStepOfASimulationAllocatesNothing) {
  for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4}) {
    Simulation<TypeParam> simulation(case_named("passive").model, {.integrator = integrator});
    simulation.step();
    const std::size_t before = allocations();
    for (int k = 0; k < 5; ++k) simulation.step();
    EXPECT_EQ(allocations(), before) << to_string(integrator);
    EXPECT_TRUE(simulation.finite());
  }
}

TYPED_TEST(Functions, AWrongSizeIsNamedWithWhatWasExpected) {
  using T = TypeParam;
  using ::testing::HasSubstr;
  const Model model = case_named("chain:7").model;
  Workspace<T> work;
  std::vector<T> seven(7), six(6), long_forces(7 * 6);
  EXPECT_THAT(error_of([&] { inverse_dynamics<T>(model, six, seven, seven, seven, work); }),
              AllOf(HasSubstr("inverse_dynamics"), HasSubstr("q has 6 numbers"), HasSubstr("expected 7")));
  EXPECT_THAT(error_of([&] { inverse_dynamics<T>(model, seven, seven, seven, six, work); }), HasSubstr("tau"));
  EXPECT_THAT(error_of([&] { inverse_dynamics<T>(model, seven, seven, seven, seven, work, long_forces); }),
              AllOf(HasSubstr("f_ext has 42 numbers"), HasSubstr("48"), HasSubstr("[8, 6]")));
  EXPECT_THAT(error_of([&] { mass_matrix<T>(model, seven, seven, work); }), HasSubstr("[7, 7]"));
  EXPECT_THAT(error_of([&] { forward_kinematics<T>(model, seven, seven, work); }), HasSubstr("pose"));
}

TYPED_TEST(Functions, WhatIsMissingOrUnknownIsNamed) {
  using T = TypeParam;
  using ::testing::HasSubstr;
  const Model model = case_named("chain:7").model;
  Workspace<T> work;
  std::vector<T> seven(7), pose(static_cast<std::size_t>(12 * model.n_frames())),
      motions(static_cast<std::size_t>(6 * model.n_frames())), J(42), six(6);
  EXPECT_THAT(error_of([&] { forward_kinematics<T>(model, seven, pose, work, {.velocity = motions}); }),
              HasSubstr("velocity needs the argument v"));
  EXPECT_THAT(error_of([&] { forward_kinematics<T>(model, seven, pose, work, {.v = seven, .acceleration = motions}); }),
              HasSubstr("acceleration needs the argument"));
  EXPECT_THAT(
      error_of([&] { centre_of_mass<T>(model, seven, std::span(six).first(3), work, {}, std::span(six).last(3)); }),
      HasSubstr("velocity needs the argument v"));
  for (const int frame : {-1, model.n_frames()}) {
    EXPECT_THAT(error_of([&] { jacobian<T>(model, seven, frame, Reference::local, J, work); }),
                AllOf(HasSubstr("frame " + std::to_string(frame)), HasSubstr("0 to 7")));
    EXPECT_THAT(
        error_of([&] { jacobian_time_derivative_product<T>(model, seven, seven, frame, Reference::local, six, work); }),
        HasSubstr("does not exist"));
  }
  const std::vector<Array<T>> nothing(5);
  EXPECT_THAT(error_of([&] { evaluate<T>(find_algorithm("rnea"), model, nothing, 1, work); }),
              HasSubstr("argument q is missing"));
  EXPECT_THAT(error_of([&] { evaluate<T>(find_algorithm("aba"), model, nothing, 1, work); }),
              HasSubstr("5 arguments given, expected 6"));
  EXPECT_THAT(error_of([&] { forward_dynamics<T>(model, seven, seven, seven, seven, work, {}, {}, {.chunk = 3}); }),
              HasSubstr("does not read the option chunk"));
  const auto told = [&](const Options& options) {
    return error_of([&] { forward_dynamics<T>(model, seven, seven, seven, seven, work, {}, {}, options); });
  };
  const auto scan = [&](Options options) {
    options.method = Method::scan;
    return told(options);
  };
  EXPECT_EQ(told({.frame = 2}), "forward_dynamics: method automatic does not read the option frame");
  EXPECT_EQ(told({.reference = Reference::world, .method = Method::articulated_body}),
            "forward_dynamics: method articulated_body does not read the option reference");
  EXPECT_EQ(scan({.frame = 2}), "forward_dynamics: method scan does not read the option frame");
  const auto energy_with = [&](const Options& options) {
    std::vector<T> numbers(2);
    const std::vector<Array<T>> arguments = {{seven.data()}, {seven.data()}, {&numbers[0]}, {&numbers[1]}};
    return error_of([&] { evaluate<T>(find_algorithm("energy"), model, arguments, 1, work, options); });
  };
  EXPECT_EQ(energy_with({.frame = 2}), "energy does not read the option frame");
  EXPECT_EQ(energy_with({.reference = Reference::world}), "energy does not read the option reference");
  EXPECT_EQ(energy_with({.chunk = 2}), "energy does not read the option chunk");
  EXPECT_THAT(scan({.chunk = -3}), HasSubstr("forward_dynamics: chunk is -3, expected 0 or more"));
  EXPECT_THAT(scan({.chunks = -1}), HasSubstr("chunks is -1"));
  EXPECT_THAT(scan({.load_ratio = 2}), HasSubstr("method scan does not read the option load_ratio"));
  EXPECT_THAT(scan({.load_ratio = std::nan("")}), HasSubstr("load_ratio is nan"));
  EXPECT_THAT(error_of([] { find_algorithm("inverse_kinematics"); }), HasSubstr("inverse_dynamics"));
  EXPECT_THAT(error_of([] { from_name<Reference>("body"); }), HasSubstr("local_world_aligned"));
  EXPECT_THAT(error_of([] { from_name<Method>("newton"); }), HasSubstr("articulated_body"));
}

TEST(Names, AlgorithmsReferencesAndMethodsAreFoundByTheirNames) {
  for (const Algorithm& algorithm : algorithms()) {
    std::string dashed = algorithm.name;
    std::replace(dashed.begin(), dashed.end(), '_', '-');
    EXPECT_EQ(&find_algorithm(algorithm.name), &algorithm);
    EXPECT_EQ(&find_algorithm(dashed), &algorithm);
  }
  EXPECT_STREQ(find_algorithm("rnea").name, "inverse_dynamics");
  EXPECT_STREQ(find_algorithm("crba").name, "mass_matrix");
  EXPECT_STREQ(find_algorithm("aba").name, "forward_dynamics");
  for (const Reference r : {Reference::local, Reference::world, Reference::local_world_aligned})
    EXPECT_EQ(from_name<Reference>(to_string(r)), r);
  for (const char* name : {"inverse_dynamics", "mass_matrix", "forward_dynamics"})
    for (const Method m : methods_of(find_algorithm(name))) EXPECT_EQ(from_name<Method>(to_string(m)), m);
  EXPECT_EQ(from_name<Method>("rnea"), Method::recursive_newton_euler);
  EXPECT_EQ(from_name<Method>("dcae"), Method::divide_and_conquer_efficient);
}

TEST(Names, EveryOptionIsReadByWhatHasAMemberOfItsName) {
  const auto read = [](const char* algorithm, Method method) {
    std::string names;
    const unsigned bits = options_of(find_algorithm(algorithm), method);
    for_each_option([&](const auto& option) {
      if (!option.is_of_problem() && (bits & option.bit)) names += std::string(option.name) + " ";
    });
    return names;
  };
  EXPECT_EQ(read("forward_dynamics", Method::articulated_body), "method ");
  EXPECT_EQ(read("forward_dynamics", Method::divide_and_conquer_efficient), "method chunks load_ratio ");
  EXPECT_EQ(read("forward_dynamics", Method::hybrid_articulated_body), "method right_hand_side chunk ");
  EXPECT_EQ(read("inverse_dynamics", Method::scan), "method form chunk chunks scan_schedule ");
  EXPECT_EQ(read("mass_matrix", Method::scan), "");  // there is none
  EXPECT_TRUE(find_algorithm("jacobian").reads("frame") && find_algorithm("jacobian").reads("reference"));
  EXPECT_FALSE(find_algorithm("energy").reads("frame") || find_algorithm("jacobian").reads("method"));
}

}  // namespace
}  // namespace tandem::test
