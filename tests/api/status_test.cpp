// SPDX-License-Identifier: Apache-2.0
/// What a state's status says, word by word; quaternions of any length.
#include <gmock/gmock.h>

#include "support/property.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

template <class T>
class Statuses : public ::testing::Test {};
TYPED_TEST_SUITE(Statuses, Reals);

template <class T>
constexpr T huge_number = std::is_same_v<T, float> ? T(1e30) : T(1e200);
template <class T>
constexpr T tiny_number = std::is_same_v<T, float> ? T(1e-41) : T(1e-310);

/// The statuses of a batch of states that begin alike: neutral, with the number 0.25 for all else.
template <class T>
struct StatusCall {
  StatusCall(const char* name, const Model& m, Index n = 1) : algorithm(find_algorithm(name)), model(m), batch(n) {
    for (const Argument& argument : algorithm.arguments) {
      const Index rows = shape(argument.rows, m.view<T>()).count();
      auto& numbers = memory.emplace_back();
      for (Index b = 0; b < n; ++b)
        for (Index k = 0; k < rows; ++k)
          numbers.push_back(argument.rows == Rows::q
                                ? static_cast<T>(neutral_configuration(m)[static_cast<std::size_t>(k)])
                                : T(0.25));
      arrays.push_back(is_optional(argument) ? Array<T>{} : Array<T>{numbers.data(), rows});
    }
  }
  std::vector<T>& of(std::string_view name) {
    for (std::size_t k = 0; k < memory.size(); ++k)
      if (algorithm.arguments[k].name == name) return memory[k];
    throw std::logic_error("no such argument");
  }
  std::vector<Status> run(std::span<const BatchedParameter<T>> parameters = {}, const Options& options = {}) {
    std::vector<Status> status(static_cast<std::size_t>(batch));
    evaluate<T>(algorithm, model, arrays, {batch, 1, status, parameters}, work, options);
    return status;
  }
  const Algorithm& algorithm;
  Model model;
  Index batch;
  std::vector<std::vector<T>> memory;
  std::vector<Array<T>> arrays;
  Workspace<T> work;
};

/// Two links on hinges, as heavy as one likes.
Model double_pendulum(double mass, double inertia) {
  ModelBuilder builder("pendulum");
  builder.link({.name = "base"});
  for (const auto& [parent, link] : {std::pair{"base", "upper"}, {"upper", "lower"}}) {
    builder.link({.name = link, .mass = mass, .com = {0, 0, -0.5}, .inertia = {inertia, 0, 0, inertia, 0, inertia}});
    builder.joint({.name = std::string(link) + "_hinge",
                   .type = JointType::revolute,
                   .parent = parent,
                   .child = link,
                   .placement = {.position = {0, 0, -1}},
                   .axis = {0, 1, 0}});
  }
  return builder.build();
}

TYPED_TEST(Statuses, OverflowIsNotCalledSingular) {
  using T = TypeParam;
  const Model& arm = case_named("arm7").model;
  for (const char* name : {"forward_dynamics", "constraint_wrenches", "inverse_dynamics", "energy"}) {
    StatusCall<T> call(name, arm, 3);
    call.of("v")[8] = huge_number<T>;
    EXPECT_THAT(call.run(), testing::ElementsAre(Status::ok, Status::overflow, Status::ok)) << name;
  }
  StatusCall<T> product("inverse_mass_matrix_product", arm);
  product.of(product.algorithm.arguments[1].name)[2] = std::numeric_limits<T>::max();
  EXPECT_EQ(product.run()[0], Status::overflow);
  StatusCall<T> by_scan("forward_dynamics", generate("chain:64", 3).build());
  by_scan.of("v")[8] = huge_number<T>;
  EXPECT_EQ(by_scan.run({}, {.method = Method::scan})[0], Status::overflow);
}

TYPED_TEST(Statuses, NumbersOfTheRobotMayBeTooLargeOrTooSmall) {
  using T = TypeParam;
  const double large = 0.9 * static_cast<double>(std::numeric_limits<T>::max());
  const double small = static_cast<double>(tiny_number<T>);
  const Model heavy = double_pendulum(large, large / 2), light = double_pendulum(small, small);
  EXPECT_EQ(StatusCall<T>("forward_dynamics", heavy).run()[0], Status::overflow);
  EXPECT_EQ(StatusCall<T>("forward_dynamics", light).run()[0], Status::underflow);
  const Model usual = double_pendulum(1, 1);
  EXPECT_EQ(StatusCall<T>("forward_dynamics", usual).run()[0], Status::ok);

  std::vector<T> mass(6, T(1)), inertia(36, T(0));
  for (const Index k : {0, 3, 5, 6, 9, 11, 12, 15, 17, 18, 21, 23, 24, 27, 29, 30, 33, 35})
    inertia[static_cast<std::size_t>(k)] = T(1);
  for (const Index k : {4, 5}) mass[static_cast<std::size_t>(k)] = tiny_number<T>;
  for (Index k = 18; k < 36; ++k) inertia[static_cast<std::size_t>(k)] *= tiny_number<T>;
  const BatchedParameter<T> varied[] = {{Parameter::mass, {mass.data(), 3}},
                                        {Parameter::inertia, {inertia.data(), 18}}};
  StatusCall<T> call("forward_dynamics", usual, 2);
  EXPECT_THAT(call.run(varied), testing::ElementsAre(Status::ok, Status::underflow));
  mass[4] = std::numeric_limits<T>::quiet_NaN();
  EXPECT_THAT(call.run(varied), testing::ElementsAre(Status::ok, Status::non_finite));
  mass[4] = mass[5] = T(0);
  for (Index k = 18; k < 36; ++k) inertia[static_cast<std::size_t>(k)] = T(0);
  EXPECT_THAT(call.run(varied), testing::ElementsAre(Status::ok, Status::singular));
  call.of("v")[3] = huge_number<T>;
  EXPECT_THAT(call.run(varied), testing::ElementsAre(Status::ok, Status::singular)) << "even so";
}

TYPED_TEST(Statuses, SlidesMayGoTooFar) {
  using T = TypeParam;
  ModelBuilder builder("crane");
  builder.link({.name = "base"});
  builder.link({.name = "boom", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  builder.link({.name = "load", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  builder.joint({.name = "swing", .type = JointType::continuous, .parent = "base", .child = "boom", .axis = {0, 0, 1}});
  builder.joint({.name = "slide", .type = JointType::prismatic, .parent = "boom", .child = "load", .axis = {1, 0, 0}});
  const Model crane = builder.build();
  StatusCall<T> call("forward_dynamics", crane);
  call.of("q")[1] = huge_number<T>;
  EXPECT_EQ(call.run()[0], Status::overflow);
}

TYPED_TEST(Statuses, AZeroQuaternionIsNoRotation) {
  using T = TypeParam;
  for (const char* robot : {"humanoid", "rope:3"}) {
    const Model model = load(robot);
    for (const char* name :
         {"forward_dynamics", "inverse_dynamics", "forward_kinematics", "mass_matrix", "difference"}) {
      StatusCall<T> call(name, model, 2);
      auto& q = call.of(std::string_view(name) == "difference" ? "q1" : "q");
      const int first = model.view<T>().q_index[1] + joint_kind(model.joint_type(1)).quaternion;
      std::fill_n(q.begin() + model.nq() + first, 4, T(0));
      EXPECT_THAT(call.run(), testing::ElementsAre(Status::ok, Status::zero_quaternion)) << robot << " " << name;
    }
  }
}

/// The same rotation, whatever the length of its quaternion: the same bits for powers of two.
TYPED_TEST(Statuses, QuaternionsOfAnyLengthAreRotations) {
  using T = TypeParam;
  const bool in_float = std::is_same_v<T, float>;
  for (const char* robot : {"humanoid", "rope:20", "every_joint"}) {
    const Model model = std::string_view(robot) == "every_joint" ? case_named(robot).model : load(robot);
    for (const Algorithm& algorithm : algorithms()) {
      const bool has_q = algorithm.arguments[0].rows == Rows::q;
      if (!has_q) continue;
      constexpr Index n = 9;
      StatusCall<T> call(algorithm.name, model, n), other(algorithm.name, model, n);
      const auto scale = [&](StatusCall<T>& to, auto factor) {
        for (std::size_t a = 0; a < to.memory.size(); ++a) {
          if (algorithm.arguments[a].rows != Rows::q || !is_input(algorithm.arguments[a])) continue;
          for (Index b = 0; b < n; ++b) {
            const auto q = random_configuration(model, static_cast<std::uint64_t>(b + 20 * static_cast<Index>(a)));
            T* row = to.memory[a].data() + b * model.nq();
            std::copy(q.begin(), q.end(), row);
            for (int i = 1; i < model.n_links(); ++i)
              if (const int k = joint_kind(model.joint_type(i)).quaternion; k >= 0 && !model.is_mimic(i))
                for (int c = 0; c < 4; ++c)
                  row[model.view<T>().q_index[i] + k + c] =
                      factor(q[static_cast<std::size_t>(model.view<T>().q_index[i] + k + c)]);
          }
        }
      };
      scale(call, [](double x) { return static_cast<T>(x); });
      const auto expected_status = call.run();
      for (const int power :
           in_float ? std::vector{-110, -70, -3, 40, 70, 120} : std::vector{-1000, -520, -3, 300, 520, 1020}) {
        scale(other, [&](double x) { return std::ldexp(static_cast<T>(x), power); });
        EXPECT_EQ(other.run(), expected_status) << robot << " " << algorithm.name << " 2^" << power;
        for (std::size_t a = 0; a < call.memory.size(); ++a) {
          if (is_input(algorithm.arguments[a])) continue;
          const T tolerance =
              std::string_view(algorithm.name) == "difference" ? 8 * std::numeric_limits<T>::epsilon() : 0;
          for (std::size_t k = 0; k < call.memory[a].size(); ++k)
            ASSERT_NEAR(call.memory[a][k], other.memory[a][k], tolerance)
                << robot << " " << algorithm.name << " 2^" << power << " " << k;
        }
      }
    }
  }
}

/// A state has one result, in whatever company, on however many threads, by whatever door.
TYPED_TEST(Statuses, AutomaticGivesTheSameBitsInEveryBatchOnAnyNumberOfThreads) {
  using T = TypeParam;
  for (const char* robot : {"chain:97", "chain:128", "chain:200", "chain:300", "rope:97", "rope:150"}) {
    const Model model = generate(robot, 3).build();
    for (const char* name : {"inverse_dynamics", "mass_matrix", "forward_dynamics"}) {
      if (std::string_view(name) == "mass_matrix" && model.nv() > 300) continue;
      constexpr Index most = 40;
      StatusCall<T> call(name, model, most);
      for (Index b = 0; b < most; ++b) {
        const auto q = random_configuration(model, static_cast<std::uint64_t>(b));
        std::copy(q.begin(), q.end(), call.of("q").begin() + b * model.nq());
      }
      const auto output = static_cast<std::size_t>(call.algorithm.arguments.size() - 1);
      auto& results = call.memory[output];
      const auto of = [&](Index batch, int threads) {
        std::fill(results.begin(), results.end(), T(7));
        evaluate<T>(call.algorithm, model, call.arrays, {batch, threads}, call.work);
        return results;
      };
      const std::vector<T> expected = of(most, 1);
      for (const Index batch : {1, 2, 8, 17, 40})
        for (const int threads : {1, 2, 4})
          EXPECT_TRUE(same_bits(of(batch, threads).data(), expected.data(),
                                expected.size() / most * static_cast<std::size_t>(batch)))
              << robot << " " << name << ", " << batch << " states, " << threads << " threads";
      const Plan<T> plan(model, call.algorithm);
      evaluate(plan, call.arrays, 3, call.work);
      EXPECT_TRUE(same_bits(results.data(), expected.data(), expected.size() / most * 3)) << robot << " " << name;
    }
  }
}

}  // namespace
}  // namespace tandem::test
