// SPDX-License-Identifier: Apache-2.0
/// Products with derivatives as scans: the answers of the serial text, however the chain is cut.
#include "links/product_calls.hpp"

namespace tandem::test {
namespace {

constexpr const char* products[] = {"inverse_dynamics_jvp",
                                    "inverse_dynamics_vjp",
                                    "forward_dynamics_jvp",
                                    "forward_dynamics_vjp",
                                    "step_jvp",
                                    "step_vjp"};

/// Accelerations that a product finds, and those or the joint forces that it finds from a vector: of `of`, times `per`,
/// they are a solution.
struct Solutions {
  Vector accelerations, others;
  std::string of;
  double per = 1;
};
Solutions solutions_of(const std::string& name, const Columns& inputs, const Columns& outputs) {
  if (name == "forward_dynamics_jvp") return {outputs.at("a"), outputs.at("da"), "dtau"};
  if (name == "forward_dynamics_vjp") return {outputs.at("a"), outputs.at("tau_bar"), "a_bar"};
  const double h = inputs.at("dt")[0];
  const Vector a = (outputs.at("v_next") - inputs.at("v")) / h;
  if (name == "step_jvp") return {a, (outputs.at("dv_next") - inputs.at("dv")) / h, "dtau"};
  return {a, outputs.at("tau_bar"), "v_next_bar", h};
}

/// What is added to the diagonal of the mass matrix where a product solves: given, or of an implicit step of what damps
/// and draws.
Vector diagonal_of(const std::string& name, const Model& model, const Columns& inputs, const Options& options) {
  const auto given = [&](const char* column) {
    const auto found = inputs.find(column);
    return found == inputs.end() ? Vector(Vector::Zero(model.nv())) : found->second;
  };
  if (!name.starts_with("step")) return given("diagonal");
  Vector diagonal = Vector::Zero(model.nv());
  if (options.integrator != Integrator::semi_implicit_euler) return diagonal;
  const auto& m = model.view<double>();
  const double h = inputs.at("dt")[0];
  const Vector v = given("v"), kp = given("kp"), kd = given("kd");
  for (int k = 0; k < m.nv; ++k)
    diagonal[k] = h * (PassiveForces::loss_coefficient(m, k, v[k]) + kd[k] + h * (m.stiffness[k] + kp[k]));
  return diagonal;
}

/// How far outputs change, over a small number h, when the accelerations and the solutions for vectors change by h
/// times the largest of them, up or down at random. Solutions of a chain in chunks are that exact, not more: links far
/// out feel the rounding of those before them.
Columns conditions(const std::string& name, const Model& model, const Columns& inputs, const Columns& outputs,
                   const Options& options) {
  constexpr double h = 1e-7;
  Columns result;
  const Solutions found = solutions_of(name, inputs, outputs);
  const Vector diagonal = diagonal_of(name, model, inputs, options);
  Options serial = options;
  serial.method = Method::automatic;
  serial.chunk = serial.chunks = 0;
  Random random(21);
  const auto forces = [&](const Vector& solution) {  // that change it so: M times the change, and diagonal
    Columns given = {{"q", inputs.at("q")}, {"v", 0 * solution}, {"a", 0 * solution}};
    Vector& change = given["tau_bar"] = solution;
    for (double& x : change) x = (random.uniform(-1, 1) < 0 ? -h : h) * largest(solution);
    return Vector(outputs_of<double>("inverse_dynamics_vjp", model, {}, given).at("a_bar") +
                  diagonal.cwiseProduct(change));
  };
  for (int sample = 0; sample < 3; ++sample) {
    Columns moved = inputs;
    moved["tau"] += forces(found.accelerations);
    moved[found.of] += forces(found.others) / found.per;
    for (const auto& [output, numbers] : outputs_of<double>(name, model, serial, moved)) {
      double& worst = result.try_emplace(output, Vector::Zero(1)).first->second[0];
      worst = std::max(worst, largest(numbers - outputs.at(output)) / h);
    }
  }
  return result;
}

/// Within 16 times the error of the serial text against extended precision, or 32 sqrt(n) units of the last place of
/// the largest number, times what solutions that are rounded make of it.
template <class T>
void check_results(const std::string& name, const Model& model, const Columns& inputs, const Columns& results,
                   const Options& options) {
  Options serial_options = options;
  serial_options.method = Method::automatic;
  serial_options.chunk = serial_options.chunks = 0;
  const Columns expected = reference_product(name, model, inputs, serial_options);
  const Columns serial = outputs_of<T>(name, model, serial_options, inputs);
  Columns sensitive;
  if (!name.starts_with("inverse")) sensitive = conditions(name, model, inputs, expected, options);
  for (const auto& [output, numbers] : expected) {
    const double condition = std::max(largest(numbers), sensitive.empty() ? 0 : sensitive.at(output)[0]);
    const double rounding = 32 * (1 + std::sqrt(model.n_links())) * std::numeric_limits<T>::epsilon() * condition;
    const double serial_error = largest(serial.at(output) - numbers);
    EXPECT_LE(largest(results.at(output) - numbers), std::max(16 * serial_error, rounding))
        << output << ", serial: " << serial_error;
  }
}
template <class T>
void check(const std::string& name, const Model& model, const State& s, Options options = {}, bool all = true) {
  SCOPED_TRACE(name + ", " + model.name() + ", chunks " + std::to_string(options.chunks) + " of " +
               std::to_string(options.chunk));
  const Columns inputs = inputs_of(name, model, s, all);
  options.method = Method::scan;
  check_results<T>(name, model, inputs, outputs_of<T>(name, model, options, inputs), options);
}

template <class T>
class ProductScans : public ::testing::Test {};
TYPED_TEST_SUITE(ProductScans, Reals);

TYPED_TEST(ProductScans, AgreeOnChainsOfEveryLength) {
  for (const char* name : products)
    for (const int n : {1, 2, 3, 8, 9, 16, 33, 64, 100, 300}) {
      const Model model = generate("chain:" + std::to_string(n), 5).build();
      for (const bool all : {true, false}) check<TypeParam>(name, model, calm_state(model, 6), {}, all);
    }
}

/// Also with nothing on the diagonal and no wrenches.
TYPED_TEST(ProductScans, AgreeHoweverTheChainIsCut) {
  const Model model = generate("chain:300", 7).build();
  for (const char* name : products)
    for (const int size : {1, 2, 5, 9, 64, 1000})
      for (const bool all : {true, false}) {
        check<TypeParam>(name, model, calm_state(model, 8), {.chunk = size}, all);
        check<TypeParam>(name, model, calm_state(model, 8), {.chunks = size}, all);
      }
}

TYPED_TEST(ProductScans, AgreeForEveryJointType) {
  for (const char* name : products) {
    int served = 0;
    for (const Model& model : models_of_all_kinds({"rope:1", "rope:40", "rope:20:bending", "snake:1", "snake:60"})) {
      if (refusal(find_algorithm(name), model, {.method = Method::scan})) continue;
      ++served;
      for (const int chunk : {0, 1, 3}) {
        if (chunk != 0 && model.name() == "unequal_masses") continue;  // cut behind light links, it loses digits
        check<TypeParam>(name, model, calm_state(model, 10), {.chunk = chunk});
      }
    }
    EXPECT_GE(served, 7);
  }
}

TYPED_TEST(ProductScans, KeepTheirDigitsOnLongChains) {
  for (const char* name : products)
    for (const char* spec : {"chain:1500", "rope:500", "rope:500:bending"}) {
      const Model model = generate(spec, 11).build();
      check<TypeParam>(name, model, calm_state(model, 12));
    }
}

/// The sum over all inputs of increment times derivative is the weighted sum of the outputs' increments; also where
/// links are not kept from pass to pass.
TEST(ProductScan, OneWayIsTheTransposeOfTheOther) {
  for (const char* spec : {"chain:1000", "rope:2000", "snake:300", "chain:100000"}) {
    SCOPED_TRACE(spec);
    const Model model = generate(spec, 17).build();
    const State s = calm_state(model, 18);
    const Columns forth = inputs_of("inverse_dynamics_jvp", model, s),
                  back = inputs_of("inverse_dynamics_vjp", model, s);
    const Columns along = outputs_of<double>("inverse_dynamics_jvp", model, {.method = Method::scan}, forth, 2);
    const Columns weighted = outputs_of<double>("inverse_dynamics_vjp", model, {.method = Method::scan}, back, 2);
    const double expected = back.at("tau_bar").dot(along.at("dtau"));
    double sum = 0, size = std::abs(expected);
    for (const std::string column : {"q", "v", "a", "f_ext", "pi"}) {
      const Vector terms = forth.at("d" + column).cwiseProduct(weighted.at(column + "_bar"));
      sum += terms.sum();
      size += terms.cwiseAbs().sum();
    }
    EXPECT_NEAR(sum, expected, 32 * std::sqrt(model.n_links()) * std::numeric_limits<double>::epsilon() * size);
  }
}

TYPED_TEST(ProductScans, GiveTheSameBitsOnAnyNumberOfThreads) {
  for (const char* spec : {"chain:1003", "rope:300"})
    for (const char* name : products) {
      const Model model = generate(spec, 13).build();
      const Columns inputs = inputs_of(name, model, calm_state(model, 14));
      const Options options = {.method = Method::scan, .chunk = 10};
      const Columns one = outputs_of<TypeParam>(name, model, options, inputs, 1);
      EXPECT_TRUE(one == outputs_of<TypeParam>(name, model, options, inputs, 7)) << name << ", " << spec;
    }
}

/// To rounding, and not to the last bit: lanes turn inertias as a least principal moment and two vectors
/// (PreparedScan), which is cheap, a chunk alone turns them as matrices. That is all they differ in.
TYPED_TEST(ProductScans, AgreeWithoutLanes) {
  for (const char* spec : {"chain:1003", "rope:300"}) {
    const Model model = generate(spec, 13).build();
    const State s = calm_state(model, 14);
    int products_seen = 0;
    for_each_product(
        [&]<class A>() {
          if (std::ranges::none_of(products, [](std::string_view name) { return name == A::Problem::name; })) return;
          ++products_seen;
          SCOPED_TRACE(std::string(A::Problem::name) + ", " + spec);
          const Columns inputs = inputs_of(A::Problem::name, model, s);
          check_results<TypeParam>(A::Problem::name, model, inputs,
                                   outputs_without_lanes<A, TypeParam>(model, {.chunk = 10}, inputs), {});
        },
        LinkMethods{});
    EXPECT_EQ(products_seen, 6);
  }
}

TYPED_TEST(ProductScans, OfStepsInStagesAgree) {
  for (const char* name : {"step_jvp", "step_vjp"})
    for (const bool all : {true, false})
      check<TypeParam>(name, generate("chain:300", 7).build(), calm_state(generate("chain:300", 7).build(), 8),
                       {.integrator = Integrator::rk4}, all);
}

TEST(ProductScan, OfStepsThatIterateIsRefused) {
  for (const char* name : {"step_jvp", "step_vjp"}) {
    const char* reason = refusal(find_algorithm(name), generate("chain:5").build(),
                                 {.method = Method::scan, .integrator = Integrator::implicit_midpoint});
    ASSERT_NE(reason, nullptr) << name;
    EXPECT_NE(std::string(reason).find("articulated_body"), std::string::npos) << reason;
  }
}

TEST(ProductScan, RefusesBranchesAndMimicJoints) {
  for (const char* name : products) {
    const Algorithm& algorithm = find_algorithm(name);
    const std::string serial = std::string(name).starts_with("inverse") ? "recursive_newton_euler" : "articulated_body";
    for (const Model& model : {star(3, 1).build(), mimic_chain(2).build()}) {
      const char* reason = refusal(algorithm, model, {.method = Method::scan});
      ASSERT_NE(reason, nullptr) << name;
      EXPECT_NE(std::string(reason).find(serial), std::string::npos) << reason;
    }
    EXPECT_EQ(refusal(algorithm, generate("snake:5").build(), {.method = Method::scan}), nullptr);
  }
}

}  // namespace
}  // namespace tandem::test
