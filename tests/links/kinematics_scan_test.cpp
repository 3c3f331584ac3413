// SPDX-License-Identifier: Apache-2.0
/// Products with derivatives of kinematics as scans: the answers of the serial text, however the chain is cut, in every
/// reference.
#include "links/product_calls.hpp"

namespace tandem::test {
namespace {

constexpr const char* kinematics_products[] = {"forward_kinematics_jvp", "forward_kinematics_vjp"};
constexpr Reference references[] = {Reference::local, Reference::world, Reference::local_world_aligned};

/// A chain with fixed links among its joints, and with frames on the base and on links here and there, described from
/// the tip.
Model chain_with_frames(const std::vector<JointType>& types, int links) {
  RobotMaker make("chain_with_frames", 3);
  make.link("base");
  std::string parent = "base";
  std::vector<std::string> names = {parent};
  for (int k = 0; k < links; ++k) {
    const std::string link = "link" + std::to_string(k);
    make.add(types[static_cast<std::size_t>(k) % types.size()], parent, link);
    names.push_back(parent = link);
    if (k % 5 != 2) continue;
    make.add(JointType::fixed, parent, "cover" + std::to_string(k));
    parent = "cover" + std::to_string(k);
  }
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    for (int k = 0; k < static_cast<int>(name->size()) % 3; ++k)
      make.builder().frame({.name = *name + "_mark" + std::to_string(k), .link = *name, .placement = make.pose(0.3)});
  return make.builder().build();
}

/// Within 16 times the error of the serial text against extended precision, or 32 sqrt(n) units of the last place of
/// the largest number.
template <class T>
void check_results(const std::string& name, const Model& model, const Columns& inputs, Reference reference,
                   const Columns& results) {
  const Columns expected = reference_product(name, model, inputs, {.reference = reference});
  const Columns serial =
      outputs_of<T>(name, model, {.reference = reference, .method = Method::recursive_newton_euler}, inputs);
  for (const auto& [output, numbers] : expected) {
    const double rounding =
        32 * (1 + std::sqrt(model.n_links())) * std::numeric_limits<T>::epsilon() * largest(numbers);
    const double serial_error = largest(serial.at(output) - numbers);
    EXPECT_LE(largest(results.at(output) - numbers), std::max(16 * serial_error, rounding))
        << output << " of " << largest(numbers) << ", serial: " << serial_error;
  }
}
template <class T>
void check(const std::string& name, const Model& model, const Columns& inputs, Options options) {
  options.method = Method::scan;
  SCOPED_TRACE(name + ", " + model.name() + ", " + to_string(options.reference) + ", chunks " +
               std::to_string(options.chunks) + " of " + std::to_string(options.chunk));
  check_results<T>(name, model, inputs, options.reference, outputs_of<T>(name, model, options, inputs));
}
template <class T>
void check(const std::string& name, const Model& model, Options options = {}, bool all = true) {
  for (const Reference reference : references) {
    options.reference = reference;
    check<T>(name, model, inputs_of(name, model, calm_state(model, 6), all), options);
  }
}

template <class T>
class KinematicsScans : public ::testing::Test {};
TYPED_TEST_SUITE(KinematicsScans, Reals);

TYPED_TEST(KinematicsScans, AgreeOnChainsOfEveryLength) {
  for (const char* name : kinematics_products)
    for (const int n : {1, 2, 3, 8, 9, 16, 33, 64, 100, 300}) {
      const Model model = generate("chain:" + std::to_string(n), 5).build();
      for (const bool all : {true, false}) check<TypeParam>(name, model, {}, all);
    }
}

TYPED_TEST(KinematicsScans, AgreeHoweverTheChainIsCut) {
  const Model model = chain_with_frames({JointType::revolute, JointType::prismatic}, 300);
  for (const char* name : kinematics_products)
    for (const int size : {1, 2, 5, 9, 64, 1000}) {
      check<TypeParam>(name, model, {.chunk = size});
      check<TypeParam>(name, model, {.chunks = size});
    }
}

TYPED_TEST(KinematicsScans, AgreeForEveryJointType) {
  for (const char* name : kinematics_products) {
    int served = 0;
    for (const Model& model : models_of_all_kinds({"rope:1", "rope:40", "rope:20:bending", "snake:1", "snake:60"})) {
      if (refusal(find_algorithm(name), model, {.method = Method::scan})) continue;
      ++served;
      for (const int chunk : {0, 1, 3}) check<TypeParam>(name, model, {.chunk = chunk});
    }
    EXPECT_GE(served, 7);
  }
}

/// Frames of every link and of the base, which fixed links and further frames ride on.
TYPED_TEST(KinematicsScans, HaveAllFrames) {
  for (const auto& types : {std::vector{JointType::revolute}, {JointType::spherical}, {JointType::universal}})
    for (const int n : {1, 20, 200}) {
      const Model model = chain_with_frames(types, n);
      ASSERT_GT(model.n_frames(), model.n_links() + n / 3);
      for (const char* name : kinematics_products) check<TypeParam>(name, model);
    }
}

TYPED_TEST(KinematicsScans, KeepTheirDigitsOnLongChains) {
  for (const char* name : kinematics_products)
    for (const char* spec : {"chain:1500", "rope:500", "rope:500:bending"})
      check<TypeParam>(name, generate(spec, 11).build());
}

/// What is left out is zero, or not wanted.
TYPED_TEST(KinematicsScans, TakeAnyOfWhatMayBeLeftOut) {
  const Model model = chain_with_frames({JointType::revolute, JointType::helical}, 150);
  for (const char* name : kinematics_products) {
    const Columns all = inputs_of(name, model, calm_state(model, 7));
    for (const std::vector<std::string>& missing : {std::vector<std::string>{"a"},
                                                    {"a", "da"},
                                                    {"v", "a"},
                                                    {"dv"},
                                                    {"da"},
                                                    {"dv", "da"},
                                                    {"pose_bar"},
                                                    {"velocity_bar"},
                                                    {"acceleration_bar"},
                                                    {"velocity_bar", "acceleration_bar"},
                                                    {"pose_bar", "acceleration_bar"},
                                                    {"v", "a", "pose_bar"},
                                                    {"pose_bar", "velocity_bar", "acceleration_bar"}}) {
      Columns given = all;
      for (const std::string& column : missing) given.erase(column);
      for (const Reference reference : references) check<TypeParam>(name, model, given, {.reference = reference});
    }
  }
}

/// The derivatives by what goes in, times increments of it, are the weighted increments of what comes out; also where
/// links are not kept from pass to pass.
TEST(KinematicsScan, OneWayIsTheTransposeOfTheOther) {
  for (const char* spec : {"chain:1000", "rope:2000", "snake:300", "chain:100000"})
    for (const Reference reference : references) {
      SCOPED_TRACE(std::string(spec) + ", " + to_string(reference));
      const Model model = generate(spec, 17).build();
      const State s = calm_state(model, 18);
      const Options options = {.reference = reference, .method = Method::scan};
      const Columns forth = inputs_of("forward_kinematics_jvp", model, s),
                    back = inputs_of("forward_kinematics_vjp", model, s);
      const Columns along = outputs_of<double>("forward_kinematics_jvp", model, options, forth, 2);
      const Columns weighted = outputs_of<double>("forward_kinematics_vjp", model, options, back, 2);
      double forwards = 0, backwards = 0, size = 0;
      const auto add = [&](double& sum, const Vector& x, const Vector& y) {
        sum += x.dot(y);
        size += x.cwiseProduct(y).cwiseAbs().sum();
      };
      for (const std::string column : {"pose", "velocity", "acceleration"})
        add(forwards, along.at("d" + column), back.at(column + "_bar"));
      for (const std::string column : {"q", "v", "a"})
        add(backwards, forth.at("d" + column), weighted.at(column + "_bar"));
      EXPECT_NEAR(forwards, backwards, 32 * std::sqrt(model.n_links()) * std::numeric_limits<double>::epsilon() * size);
    }
}

TYPED_TEST(KinematicsScans, GiveTheSameBitsOnAnyNumberOfThreads) {
  for (const Model& model : {generate("chain:1503", 13).build(), generate("rope:1100", 13).build(),
                             chain_with_frames({JointType::revolute}, 1100)})
    for (const char* name : kinematics_products) {
      const Columns inputs = inputs_of(name, model, calm_state(model, 14));
      const Options options = {.method = Method::scan, .chunk = 10};
      const Columns one = outputs_of<TypeParam>(name, model, options, inputs, 1);
      EXPECT_TRUE(one == outputs_of<TypeParam>(name, model, options, inputs, 7)) << name << ", " << model.name();
    }
}

TYPED_TEST(KinematicsScans, AgreeWithoutLanes) {
  for (const Model& model : {generate("rope:300", 13).build(), chain_with_frames({JointType::revolute}, 303)}) {
    int products_seen = 0;
    for_each_product(
        [&]<class A>() {
          if (std::ranges::none_of(kinematics_products,
                                   [](std::string_view name) { return name == A::Problem::name; }))
            return;
          ++products_seen;
          SCOPED_TRACE(std::string(A::Problem::name) + ", " + model.name());
          const Columns inputs = inputs_of(A::Problem::name, model, calm_state(model, 14));
          for (const Reference reference : references)
            check_results<TypeParam>(
                A::Problem::name, model, inputs, reference,
                outputs_without_lanes<A, TypeParam>(model, {.reference = reference, .chunk = 10}, inputs));
        },
        LinkMethods{});
    EXPECT_EQ(products_seen, 2);
  }
}

/// State after state as one at a time.
TYPED_TEST(KinematicsScans, TakeSeveralStates) {
  constexpr int states = 3;
  const Model model = chain_with_frames({JointType::revolute}, 100);
  const Options options = {.reference = Reference::world, .method = Method::scan};
  for (const char* name : kinematics_products) {
    const Algorithm& algorithm = find_algorithm(name);
    std::vector<Columns> inputs, expected;
    for (int k = 0; k < states; ++k) {
      inputs.push_back(inputs_of(name, model, calm_state(model, static_cast<std::uint64_t>(20 + k))));
      expected.push_back(outputs_of<TypeParam>(name, model, options, inputs.back()));
    }
    std::vector<std::vector<TypeParam>> columns;
    std::vector<Array<TypeParam>> arrays;
    for (const Argument& argument : algorithm.arguments) {
      auto& column = columns.emplace_back();
      for (const Columns& of : is_input(argument) ? inputs : expected)
        for (const double x : of.at(argument.name))
          column.push_back(is_input(argument) ? static_cast<TypeParam>(x) : 0);
      arrays.push_back({column.data(), static_cast<Index>(column.size()) / states});
    }
    Workspace<TypeParam> work;
    evaluate<TypeParam>(algorithm, model, arrays, Batch<TypeParam>(states, 2), work, options);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Argument& argument = algorithm.arguments[k];
      if (is_input(argument)) continue;
      std::size_t row = 0;
      for (const Columns& of : expected)
        for (const double x : of.at(argument.name))
          ASSERT_EQ(static_cast<double>(columns[k][row++]), x) << name << ", " << argument.name;
    }
  }
}

TEST(KinematicsScan, RefusesBranchesAndMimicJoints) {
  for (const char* name : kinematics_products) {
    const Algorithm& algorithm = find_algorithm(name);
    for (const Model& model : {star(3, 1).build(), mimic_chain(2).build()}) {
      const char* reason = refusal(algorithm, model, {.method = Method::scan});
      ASSERT_NE(reason, nullptr) << name;
      EXPECT_NE(std::string(reason).find("recursive_newton_euler"), std::string::npos) << reason;
    }
    EXPECT_EQ(refusal(algorithm, generate("snake:5").build(), {.method = Method::scan}), nullptr);
  }
}

}  // namespace
}  // namespace tandem::test
