// SPDX-License-Identifier: Apache-2.0
/// The functions of one state against evaluate(), their errors, and that none of them allocates twice.
#include <gmock/gmock.h>

#include "function_calls.hpp"
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
  /// Of inputs that are not listed above: numbers between -1 and 1, made once.
  std::vector<T>& operator[](std::string_view name) {
    for (auto& [key, column] : columns)
      if (key == name) return column;
    for (const Algorithm& algorithm : algorithms())
      for (const Argument& argument : algorithm.arguments)
        if (is_input(argument) && name == argument.name) {
          const Vector x = Vector::LinSpaced(shape(argument.rows, model.view<T>()).count(), -1, 1);
          columns.emplace_back(name, std::vector<T>(x.data(), x.data() + x.size()));
          return columns.back().second;
        }
    throw Error("no algorithm has the input " + std::string(name));
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
  const Algorithm& called = find_algorithm(algorithm);
  const std::vector<T> expected = x.evaluated(algorithm);
  std::vector<T> outputs(expected.size(), std::numeric_limits<T>::quiet_NaN());
  const auto in = [&](std::string_view name) -> const std::vector<T>& { return x[name]; };
  const auto out = [&](std::string_view name) {
    std::size_t first = 0;
    for (const Argument& argument : called.arguments) {
      if (is_input(argument)) continue;
      const auto rows = static_cast<std::size_t>(shape(argument.rows, x.model.template view<T>()).count());
      if (name == argument.name) return std::span<T>(outputs).subspan(first, rows);
      first += rows;
    }
    ADD_FAILURE() << algorithm << " has no output " << name;
    return std::span<T>();
  };
  function(in, out);
  EXPECT_TRUE(same_bits(outputs.data(), expected.data(), expected.size())) << algorithm;
  const std::size_t before = allocations();
  function(in, out);
  EXPECT_EQ(allocations(), before) << algorithm << " allocates in its second call";
}

TYPED_TEST(Functions, HaveTheBitsOfEvaluateAndAllocateOnce) {
  using T = TypeParam;
  for (const char* name : {"every_joint", "mimic_branches", "humanoid", "chain:30"}) {
    if (few_cases && name == std::string_view("humanoid")) break;
    SCOPED_TRACE(name);
    Arguments<T> x(case_named(name));
    const Model& m = x.model;
    for_each_function<T>([&](const char* algorithm, auto call) {
      check_function(x, algorithm, [&](auto& in, auto& out) { call(m, in, out, x.work); });
    });
    const auto &q = x["q"], &v = x["v"], &tau = x["tau"], &f_ext = x["f_ext"], &diagonal = x["diagonal"];
    for (const Method method : {Method::articulated_body, Method::composite_rigid_body}) {
      x.method = method;
      check_function(x, "forward_dynamics", [&](auto&, auto& out) {
        forward_dynamics<T>(m, q, v, tau, out("a"), x.work, f_ext, diagonal, {.method = method});
      });
      check_function(x, "constraint_wrenches", [&](auto&, auto& out) {
        constraint_wrenches<T>(m, q, v, tau, out("f_c"), x.work, f_ext, diagonal, {.method = method});
      });
    }
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
              HasSubstr("does not use the option chunk"));
  const auto told = [&](const Options& options) {
    return error_of([&] { forward_dynamics<T>(model, seven, seven, seven, seven, work, {}, {}, options); });
  };
  const auto scan = [&](Options options) {
    options.method = Method::scan;
    return told(options);
  };
  EXPECT_EQ(told({.frame = 2}), "forward_dynamics: method automatic does not use the option frame");
  EXPECT_EQ(told({.reference = Reference::world, .method = Method::articulated_body}),
            "forward_dynamics: method articulated_body does not use the option reference");
  EXPECT_EQ(scan({.frame = 2}), "forward_dynamics: method scan does not use the option frame");
  const auto energy_with = [&](const Options& options) {
    std::vector<T> numbers(2);
    const std::vector<Array<T>> arguments = {{seven.data()}, {seven.data()}, {&numbers[0]}, {&numbers[1]}};
    return error_of([&] { evaluate<T>(find_algorithm("energy"), model, arguments, 1, work, options); });
  };
  EXPECT_EQ(energy_with({.frame = 2}), "energy does not use the option frame");
  EXPECT_EQ(energy_with({.reference = Reference::world}), "energy does not use the option reference");
  EXPECT_EQ(energy_with({.chunk = 2}), "energy does not use the option chunk");
  EXPECT_THAT(scan({.chunk = -3}), HasSubstr("forward_dynamics: chunk is -3, expected 0 or more"));
  EXPECT_THAT(scan({.chunks = -1}), HasSubstr("chunks is -1"));
  EXPECT_THAT(scan({.load_ratio = 2}), HasSubstr("method scan does not use the option load_ratio"));
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
