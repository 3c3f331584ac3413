// SPDX-License-Identifier: Apache-2.0
/// Calls that cannot go well say so: arrays in each other's way, a workspace for two threads, values that are none.
#include <gmock/gmock.h>

#include <thread>

#include "api/overlap.hpp"
#include "api/workspace_in_use.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The answer by going through all numbers.
bool overlap_one_by_one(const std::vector<Index>& a, const std::vector<Index>& b, Index size_a, Index size_b) {
  for (const Index x : a)
    for (const Index y : b)
      if (x < y + size_b && y < x + size_a) return true;
  return false;
}

TEST(Overlap, IsExact) {
  struct Placed {
    Lattice layout;
    std::vector<Index> numbers;
  };
  const auto lattice = [](Index first, Index size, Index stride, Index states, Index row_stride, Index rows) {
    Placed l = {Lattice(first, size, stride * size, states, row_stride * size, rows), {}};
    for (Index b = 0; b < states; ++b)
      for (Index k = 0; k < rows; ++k) l.numbers.push_back(first + (b * stride + k * row_stride) * size);
    return l;
  };
  std::uint64_t seed = 1;
  const auto draw = [&](Index low, Index high) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<Index>((seed >> 33) % static_cast<std::uint64_t>(high - low + 1));
  };
  int met = 0;
  for (int n = 0; n < 60000; ++n) {
    const Index size = n % 3 == 0 ? 4 : 8, other = n % 5 == 0 ? 1 : size;
    const bool same = n % 2 == 0;
    const Index stride = draw(-9, 9), row_stride = draw(-5, 5);
    const Placed a = lattice(1000 + size * draw(0, 40), size, stride, draw(0, 5), row_stride, draw(0, 5));
    const Placed b = lattice(1000 + size * draw(0, 40), other, same ? stride : draw(-9, 9), draw(0, 5),
                             same ? row_stride : draw(-5, 5), draw(0, 5));
    const bool expected = overlap_one_by_one(a.numbers, b.numbers, size, other);
    met += expected;
    ASSERT_EQ(overlap(a.layout, b.layout), expected) << n;
    ASSERT_EQ(overlap(b.layout, a.layout), expected) << n;
    std::vector<Index> sorted = a.numbers;
    std::sort(sorted.begin(), sorted.end());
    ASSERT_EQ(a.layout.overlaps_itself(), std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) << n;
  }
  EXPECT_GT(met, 5000);
  EXPECT_LT(met, 50000);
}

template <class T>
class Robust : public ::testing::Test {};
TYPED_TEST_SUITE(Robust, Reals);

/// Arrays of an algorithm for a batch: all its arguments, one after the other in one memory.
template <class T>
struct Calls {
  Calls(const char* name, const Model& m, Index n) : algorithm(find_algorithm(name)), model(m), batch(n) {
    Index sum = 0;
    for (const Argument& argument : algorithm.arguments) sum += n * shape(argument.rows, m.view<T>()).count();
    memory.assign(static_cast<std::size_t>(2 * sum), T(0.25));
    T* next = memory.data();
    for (const Argument& argument : algorithm.arguments) {
      const Index rows = shape(argument.rows, m.view<T>()).count();
      arrays.push_back({next, rows});
      next += n * rows;
    }
  }
  std::string error(Batch<T> b) {
    return error_of([&] { evaluate<T>(algorithm, model, arrays, b, work); });
  }
  std::string error() { return error(Batch<T>(batch)); }
  const Algorithm& algorithm;
  const Model& model;
  Index batch;
  std::vector<T> memory;
  std::vector<Array<T>> arrays;
  Workspace<T> work;
};

TYPED_TEST(Robust, OutputsMayNotLieWhereInputsOrOtherOutputsDo) {
  const Model& model = case_named("arm7").model;
  for (const Algorithm& algorithm : algorithms())
    for (const Index batch : {1, 5}) {
      EXPECT_EQ(Calls<TypeParam>(algorithm.name, model, batch).error(), "no error") << algorithm.name;
      for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
        for (std::size_t i = 0; i < algorithm.arguments.size(); ++i) {
          const Argument &output = algorithm.arguments[k], &other = algorithm.arguments[i];
          const auto none = [&](const Argument& a) { return shape(a.rows, model.view<TypeParam>()).count() == 0; };
          if (is_input(output) || i == k || none(output) || none(other)) continue;
          Calls<TypeParam> calls(algorithm.name, model, batch);
          calls.arrays[k].data = calls.arrays[i].data;
          const bool fits = std::string_view(output.may_be) == other.name;
          const std::string error = calls.error();
          if (!fits) {
            EXPECT_THAT(error, AllOf(HasSubstr("share memory"), HasSubstr(output.name), HasSubstr(other.name)))
                << algorithm.name;
            continue;
          }
          EXPECT_EQ(error, "no error");
          ++calls.arrays[k].data;
          EXPECT_THAT(calls.error(), HasSubstr("share memory")) << "by a part";
        }
    }
}

/// Joint forces and accelerations may share their memory, whatever the method.
TYPED_TEST(Robust, WhatMayShareAnArrayGivesTheSameBits) {
  const Model model = generate("chain:40", 3).build();
  for (const Algorithm& algorithm : algorithms())
    for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
      for (std::size_t i = 0; i < algorithm.arguments.size(); ++i) {
        if (algorithm.arguments[k].may_be != std::string_view(algorithm.arguments[i].name)) continue;
        std::vector<Method> methods = methods_of(algorithm);
        if (methods.empty()) methods = {Method::automatic};
        for (const Method method : methods)
          for (const Index batch : {1, 20}) {
            const Options options = {.method = method};
            if (refusal(algorithm, model, options)) continue;
            Calls<TypeParam> calls(algorithm.name, model, batch);
            for (std::size_t n = 0; n < calls.memory.size(); ++n)  // above zero, as the length of a step is
              calls.memory[n] = static_cast<TypeParam>(0.01 * static_cast<double>(1 + n % 37));
            const auto run = [&] {
              evaluate<TypeParam>(algorithm, model, calls.arrays, {batch, 1}, calls.work, options);
            };
            run();
            const auto n =
                static_cast<std::size_t>(batch * shape(algorithm.arguments[k].rows, model.view<TypeParam>()).count());
            const std::vector<TypeParam> expected(calls.arrays[k].data, calls.arrays[k].data + n);
            calls.arrays[k] = calls.arrays[i];
            run();
            EXPECT_TRUE(same_bits(calls.arrays[k].data, expected.data(), n))
                << algorithm.name << " by " << to_string(method) << ", " << batch << " states";
          }
      }
}

TYPED_TEST(Robust, ColumnsOfOneTableDoNotOverlap) {
  const Model& model = case_named("arm7").model;
  constexpr Index batch = 9, width = 40;
  Calls<TypeParam> calls("inverse_dynamics", model, batch);
  std::vector<TypeParam> expected(batch * 7), table(batch * width, TypeParam(0.25));
  calls.arrays[3] = {};
  calls.arrays[4] = {expected.data(), 7};
  ASSERT_EQ(calls.error(), "no error");
  for (const bool by_rows : {false, true}) {
    Index next = 0;
    for (const std::size_t k : {0, 1, 2, 4}) {
      calls.arrays[k] = by_rows ? Array<TypeParam>{table.data() + next * batch, 1, batch}
                                : Array<TypeParam>{table.data() + next, width, 1};
      next += 7;
    }
    ASSERT_EQ(calls.error(), "no error");
    for (Index b = 0; b < batch; ++b)
      for (Index k = 0; k < 7; ++k)
        EXPECT_EQ(calls.arrays[4].data[b * calls.arrays[4].stride + k * calls.arrays[4].row_stride],
                  expected[static_cast<std::size_t>(b * 7 + k)]);
    calls.arrays[4].data -= by_rows ? batch : 1;
    EXPECT_EQ(calls.error(), "inverse_dynamics: tau and a share memory; every output needs its own array");
    std::fill(table.begin(), table.end(), TypeParam(0.25));
  }
}

TYPED_TEST(Robust, OutputsHaveOneNumberForEachResult) {
  const Model& model = case_named("arm7").model;
  Calls<TypeParam> calls("gravity_forces", model, 4);
  calls.arrays[1].stride = 0;
  EXPECT_EQ(calls.error(), "gravity_forces: tau has numbers that share memory with each other");
  calls.arrays[1].stride = 6;
  EXPECT_THAT(calls.error(), HasSubstr("share memory with each other"));
  calls.arrays[1].stride = -7;
  calls.arrays[1].data += 21;
  EXPECT_EQ(calls.error(), "no error");
  calls.arrays[0].stride = 0;
  EXPECT_EQ(calls.error(), "no error") << "one state may stand for all";
}

TYPED_TEST(Robust, StatusAndIterationsLieApart) {
  const Model& model = case_named("arm7").model;
  Calls<TypeParam> calls("gravity_forces", model, 4);
  Batch<TypeParam> batch(4);
  for (const std::size_t k : {0, 1}) {
    batch.status = {reinterpret_cast<Status*>(calls.arrays[k].data) + 3, 4};
    EXPECT_EQ(calls.error(batch), std::string("gravity_forces: status and ") + (k == 0 ? "q" : "tau") +
                                      " share memory; every output needs its own array");
  }
  std::int32_t steps[8];
  batch.status = {reinterpret_cast<Status*>(steps + 3), 4};
  batch.iterations = {steps, 4};
  EXPECT_THAT(calls.error(batch), HasSubstr("status and iterations share memory"));
  batch.iterations = {steps + 4, 4};
  EXPECT_EQ(calls.error(batch), "no error");
  batch.iterations = {reinterpret_cast<std::int32_t*>(calls.arrays[1].data), 4};
  EXPECT_THAT(calls.error(batch), HasSubstr("iterations and tau share memory"));
}

TYPED_TEST(Robust, FunctionsOfOneStateLookToo) {
  const Model& model = case_named("arm7").model;
  std::vector<TypeParam> x(7, TypeParam(0.25)), q = x, com(3);
  Workspace<TypeParam> work;
  EXPECT_EQ(error_of([&] { inverse_dynamics<TypeParam>(model, q, x, x, x, work); }),
            "inverse_dynamics: tau and v share memory; every output needs its own array");
  EXPECT_THAT(error_of([&] { centre_of_mass<TypeParam>(model, q, com, work, x, com); }),
              HasSubstr("velocity and com share memory"));
  EXPECT_EQ(error_of([&] { integrate<TypeParam>(model, q, x, q, work); }), "no error");
}

TYPED_TEST(Robust, AWorkspaceServesOneCallAtATime) {
  const Model& model = case_named("arm7").model;
  Calls<TypeParam> calls("gravity_forces", model, 1);
  const Plan<TypeParam> plan(model, calls.algorithm);
  {
    const WorkspaceInUse<TypeParam> use(calls.work);
    EXPECT_THAT(calls.error(), HasSubstr("use one workspace per thread"));
    EXPECT_THAT(error_of([&] { evaluate(plan, calls.arrays, 1, calls.work); }), HasSubstr("is in use"));
    std::vector<TypeParam> q(7), tau(7);
    EXPECT_THAT(error_of([&] { gravity_forces<TypeParam>(model, q, tau, calls.work); }), HasSubstr("is in use"));
    EXPECT_EQ(error_of([&] { use.end(); }), "no error");
  }
  EXPECT_EQ(calls.error(), "no error");
  calls.arrays[0] = {};
  EXPECT_THAT(calls.error(), HasSubstr("is missing")) << "an error frees it";
  calls.arrays[0] = {calls.memory.data(), 7};
  EXPECT_EQ(calls.error(), "no error");
}

TYPED_TEST(Robust, ACallInAnotherThreadIsTold) {
  const Model& model = case_named("arm7").model;
  Calls<TypeParam> calls("gravity_forces", model, 1);
  std::string told;
  {
    const WorkspaceInUse<TypeParam> use(calls.work);
    std::thread([&] { told = calls.error(); }).join();
  }
  EXPECT_THAT(told, HasSubstr("is in use"));
  std::thread([&] { told = calls.error(); }).join();
  EXPECT_EQ(told, "no error");
}

TYPED_TEST(Robust, ValuesThatAreNoneAreRefused) {
  const Model& model = case_named("arm7").model;
  Calls<TypeParam> calls("forward_dynamics", model, 1);
  const auto error = [&](const Options& options, const Device& device = {}) {
    return error_of([&] { evaluate<TypeParam>(calls.algorithm, model, calls.arrays, 1, calls.work, options, device); });
  };
  Options options;
  options.method = static_cast<Method>(200);
  EXPECT_THAT(error(options),
              HasSubstr("forward_dynamics: method is 200, not a valid value; expected one of automatic, "));
  EXPECT_THAT(error_of([&] { Plan<TypeParam>(model, calls.algorithm, options); }), HasSubstr("method is 200"));
  EXPECT_THAT(error_of([&] { refusal(calls.algorithm, model, options); }), HasSubstr("method is 200"));
  EXPECT_THAT(error_of([&] { choose_method<TypeParam>(calls.algorithm, model, options); }), HasSubstr("method is 200"));
  options = {};
  options.method = Method::constraint_force;
  options.solver = static_cast<Solver>(6);
  EXPECT_THAT(error(options), HasSubstr("solver is 6, not a valid value"));
  options.solver = {};
  options.right_hand_side = static_cast<RightHandSide>(3);
  EXPECT_THAT(error(options), HasSubstr("right_hand_side is 3, not a valid value"));
  options = {};
  options.form = static_cast<Form>(77);
  EXPECT_THAT(error(options), HasSubstr("form is 77, not a valid value"));
  const auto elsewhere = static_cast<Device::Kind>(9);
  EXPECT_EQ(error({}, {elsewhere}), "device kind 9 is not valid; expected cpu or cuda");
  EXPECT_THAT(error_of([&] { Plan<TypeParam>(model, calls.algorithm, {}, {elsewhere}); }), HasSubstr("device kind 9"));
  calls.arrays[1].place = static_cast<Place>(5);
  EXPECT_THAT(error({}), HasSubstr("argument v is in device memory"));
  calls.arrays[1].place = Place::host;

  const TypeParam numbers[7] = {};
  BatchedParameter<TypeParam> varied[] = {{static_cast<Parameter>(50), {const_cast<TypeParam*>(numbers), 0}}};
  EXPECT_THAT(calls.error({1, 1, {}, varied}), HasSubstr("parameter 50 does not exist"));

  const auto reference = static_cast<Reference>(8);
  std::vector<TypeParam> q(7), J(42), pose(static_cast<std::size_t>(12 * model.n_frames()));
  EXPECT_THAT(error_of([&] { jacobian<TypeParam>(model, q, 0, reference, J, calls.work); }),
              HasSubstr("reference is 8, not a valid value; expected one of local, world, local_world_aligned"));
  FrameMotions<TypeParam> motions;
  motions.reference = reference;
  EXPECT_THAT(error_of([&] { forward_kinematics<TypeParam>(model, q, pose, calls.work, motions); }),
              HasSubstr("reference is 8"));
}

TYPED_TEST(Robust, NegativeParametersAreRefused) {
  const Model& model = case_named("arm7").model;
  Calls<TypeParam> calls("forward_dynamics", model, 2);
  for (const Parameter parameter :
       {Parameter::mass, Parameter::armature, Parameter::damping, Parameter::friction, Parameter::stiffness}) {
    const Index rows = parameter == Parameter::mass ? model.n_links() : model.nv();
    std::vector<TypeParam> values(static_cast<std::size_t>(2 * rows), TypeParam(1));
    const BatchedParameter<TypeParam> varied[] = {{parameter, {values.data(), rows}}};
    EXPECT_EQ(calls.error({2, 1, {}, varied}), "no error");
    values[static_cast<std::size_t>(rows + 2)] = TypeParam(-0.5);
    EXPECT_EQ(calls.error({2, 1, {}, varied}),
              std::string("parameter ") + to_string(parameter) + " has -0.5 at state 1, row 2, expected 0 or more");
  }
}

TYPED_TEST(Robust, PlansThatWereMovedFromStayWhatTheyWere) {
  const Model model = generate("chain:300", 3).build();
  Calls<TypeParam> calls("forward_dynamics", model, 1);
  Plan<TypeParam> first(model, calls.algorithm, {.method = Method::scan});
  evaluate(first, calls.arrays, 1, calls.work);
  const std::vector<TypeParam> expected = calls.memory;
  Plan<TypeParam> second = std::move(first);
  for (const auto* plan : {&first, &second}) {
    evaluate(*plan, calls.arrays, 1, calls.work);
    EXPECT_EQ(calls.memory, expected);
    EXPECT_EQ(plan->model().n_links(), 301);
  }
  first = Plan<TypeParam>(generate("chain:2", 3).build(), find_algorithm("energy"));
  evaluate(second, calls.arrays, 1, calls.work);
  EXPECT_EQ(calls.memory, expected);
}

TYPED_TEST(Robust, ASimulationThatWasMovedFromSaysSo) {
  Simulation<TypeParam> first(case_named("arm7").model);
  first.step();
  Simulation<TypeParam> second = std::move(first);
  second.step();
  EXPECT_EQ(second.steps(), 2);
  EXPECT_THAT(error_of([&] { first.step(); }), HasSubstr("moved from"));
  first = Simulation<TypeParam>(case_named("humanoid").model);
  first.step();
  EXPECT_EQ(first.steps(), 1);
  SimulationOptions options;
  options.integrator = static_cast<Integrator>(4);
  EXPECT_THAT(error_of([&] { Simulation<TypeParam>(case_named("arm7").model, options); }),
              HasSubstr("integrator is 4, not a valid value; expected one of semi_implicit_euler, rk4"));
}

}  // namespace
}  // namespace tandem::test
