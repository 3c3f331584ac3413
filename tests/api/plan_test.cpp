// SPDX-License-Identifier: Apache-2.0
/// Plans: what they hold, who may share them, and what calls without one keep.
#include <gmock/gmock.h>

#include <thread>

#include "support/allocations.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

template <class T>
class Plans : public ::testing::Test {};
TYPED_TEST_SUITE(Plans, BothReals);

/// Forward dynamics of `batch` states drawn at random.
template <class T>
struct ForwardDynamicsCall {
  explicit ForwardDynamicsCall(const Model& model, Index n = 1) : batch(n), nq(model.nq()), nv(model.nv()) {
    for (Index b = 0; b < n; ++b) {
      for (const double x : random_configuration(model, static_cast<std::uint64_t>(b))) q.push_back(static_cast<T>(x));
      for (Index k = 0; k < nv; ++k) {
        v.push_back(static_cast<T>(0.01 * static_cast<double>((7 * b + 3 * k) % 11)));
        tau.push_back(static_cast<T>(0.1 * static_cast<double>((5 * b + k) % 13)));
      }
    }
    a.resize(v.size());
  }
  std::vector<Array<T>> arrays(Index first = 0) {
    return {Array<T>::input(q.data() + first * nq, nq),
            Array<T>::input(v.data() + first * nv, nv),
            Array<T>::input(tau.data() + first * nv, nv),
            {},
            {},
            Array<T>::output(a.data() + first * nv, nv)};
  }
  std::vector<T> by(const Plan<T>& plan, Workspace<T>& work, int threads = 1) {
    std::fill(a.begin(), a.end(), std::numeric_limits<T>::quiet_NaN());
    evaluate(plan, arrays(), {batch, threads}, work);
    return a;
  }
  std::vector<T> by(const Model& model, const Options& options, Workspace<T>& work, int threads = 1) {
    std::fill(a.begin(), a.end(), std::numeric_limits<T>::quiet_NaN());
    evaluate<T>(find_algorithm("forward_dynamics"), model, arrays(), {batch, threads}, work, options);
    return a;
  }
  Index batch, nq, nv;
  std::vector<T> q, v, tau, a;
};

const Algorithm& forward() { return find_algorithm("forward_dynamics"); }

TYPED_TEST(Plans, GiveTheBitsOfCallsWithoutOneForEveryMethodBatchAndNumberOfThreads) {
  for (const char* name : {"chain:40", "rope:40", "tree:24"}) {
    const Model model = generate(name, 3).build();
    for (const Method method : methods_of(forward())) {
      const Options options = {.method = method};
      if (refusal(forward(), model, options)) continue;
      SCOPED_TRACE(std::string(name) + ", " + to_string(method));
      const Plan<TypeParam> plan(model, forward(), options);
      Workspace<TypeParam> work;
      for (const Index batch : {1, 3, 20})
        for (const int threads : {1, 4}) {
          ForwardDynamicsCall<TypeParam> call(model, batch);
          const auto expected = call.by(model, plan.options(), work, threads);
          call.by(plan, work, threads);
          EXPECT_TRUE(same_bits(call.a.data(), expected.data(), expected.size()))
              << batch << " states, " << threads << " threads";
        }
    }
  }
}

TYPED_TEST(Plans, DecideTheMethodWhenTheyAreMade) {
  const Model model = generate("chain:4096", 3).build();
  const Plan<TypeParam> plan(model, forward());
  EXPECT_EQ(plan.options(), choose_method<TypeParam>(forward(), model, {}).options);
  EXPECT_NE(plan.options().method, Method::automatic);
  const Plan<TypeParam> short_one(generate("chain:7", 3).build(), forward());
  EXPECT_EQ(short_one.options().method, Method::articulated_body);
  EXPECT_EQ(Plan<TypeParam>(model, find_algorithm("energy")).options().method, Method::automatic)
      << "there is one only";
}

TYPED_TEST(Plans, OutliveTheirModelAndServeCopiesAndThreads) {
  std::optional<Plan<TypeParam>> first;
  Model model = generate("chain:300", 3).build();
  ForwardDynamicsCall<TypeParam> call(model, 4);
  Workspace<TypeParam> work;
  const Options options = {.method = Method::scan, .chunk = 16};
  const auto expected = call.by(model, options, work);
  first.emplace(model, forward(), options);
  const Plan<TypeParam> copy = *first;
  first.reset();
  model = generate("chain:2", 3).build();
  std::vector<std::vector<TypeParam>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&result, &copy, call]() mutable {
      Workspace<TypeParam> own;
      for (int n = 0; n < 5; ++n) result = call.by(copy, own);
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, expected);
}

TYPED_TEST(Plans, CallsThatTakeTurnsBuildNothingAgain) {
  const Model model = generate("chain:300", 3).build(), other = generate("chain:200", 4).build();
  ForwardDynamicsCall<TypeParam> call(model), other_call(other);
  Workspace<TypeParam> work;
  const Algorithm& algorithm = forward();
  const auto all = [&] {
    for (const int chunk : {16, 32}) {
      call.by(model, {.method = Method::scan, .chunk = chunk}, work);
      other_call.by(other, {.method = Method::scan, .chunk = chunk}, work);
    }
  };
  all();
  std::vector<Array<TypeParam>> arrays = call.arrays(), other_arrays = other_call.arrays();
  const std::size_t before = allocations();
  for (const int chunk : {16, 32}) {
    evaluate<TypeParam>(algorithm, model, arrays, {1, 1}, work, {.method = Method::scan, .chunk = chunk});
    evaluate<TypeParam>(algorithm, other, other_arrays, {1, 1}, work, {.method = Method::scan, .chunk = chunk});
  }
  EXPECT_EQ(allocations(), before);
}

TYPED_TEST(Plans, WhatIsKeptIsNeverTakenForAnotherModel) {
  Workspace<TypeParam> work, fresh;
  const Options options = {.method = Method::scan, .chunk = 16};
  for (int n = 0; n < 12; ++n) {  // models come and go, and may have the same addresses
    const Model model = generate("chain:" + std::to_string(100 + n % 5), static_cast<std::uint64_t>(n)).build();
    ForwardDynamicsCall<TypeParam> call(model);
    const auto kept = call.by(model, options, work);
    fresh = {};
    EXPECT_EQ(kept, call.by(model, options, fresh));
  }
}

TYPED_TEST(Plans, SayWhatIsWrongWhenTheyAreMade) {
  const Model arm = generate("chain:7", 3).build(), tree = generate("tree:24", 3).build();
  const auto error = [](const Model& model, const Algorithm& algorithm, const Options& options) {
    return error_of([&] { Plan<TypeParam>(model, algorithm, options); });
  };
  EXPECT_THAT(error(arm, forward(), {.method = Method::log_composite}), HasSubstr("has no method log_composite"));
  EXPECT_THAT(error(arm, forward(), {.chunk = 8}), HasSubstr("does not use the option chunk"));
  EXPECT_THAT(error(arm, forward(), {.frame = 1}), HasSubstr("does not use the option frame"));
  EXPECT_THAT(error(arm, find_algorithm("forward_kinematics"), {.frame = 1}),
              HasSubstr("does not use the option frame"));
  EXPECT_THAT(error(tree, forward(), {.method = Method::constraint_force}), HasSubstr("does not support"));
  EXPECT_THAT(error(arm, find_algorithm("jacobian"), {.frame = 99}), HasSubstr("frame 99 does not exist"));
  EXPECT_THAT(error(arm, Algorithm{}, {}), HasSubstr("not an algorithm of this library"));
}

TYPED_TEST(Plans, TakeParametersAndStatus) {
  const Model& model = case_named("arm7").model;
  const Plan<TypeParam> plan(model, forward());
  ForwardDynamicsCall<TypeParam> call(model, 3);
  call.q[0] = std::numeric_limits<TypeParam>::quiet_NaN();
  Workspace<TypeParam> work;
  const TypeParam gravity[] = {0, 0, 0, 1, 2, 3, 0, 0, -9};
  const BatchedParameter<TypeParam> varied[] = {{Parameter::gravity, Array<TypeParam>::input(gravity, 3)}};
  Status status[3] = {}, expected_status[3] = {};
  evaluate<TypeParam>(forward(), model, call.arrays(), {3, 1, expected_status, varied}, work);
  const auto expected = call.a;
  evaluate(plan, call.arrays(), {3, 1, status, varied}, work);
  EXPECT_TRUE(same_bits(call.a.data(), expected.data(), expected.size()));
  EXPECT_TRUE(std::equal(std::begin(status), std::end(status), expected_status));
  EXPECT_EQ(status[0], Status::non_finite);
  EXPECT_NE(status[1], Status::non_finite);
}

TYPED_TEST(Plans, ArraysThatLieElsewhereAndOptionsOfOtherDevicesAreRefused) {
  const Model& model = case_named("arm7").model;
  ForwardDynamicsCall<TypeParam> call(model);
  Workspace<TypeParam> work;
  auto arrays = call.arrays();
  arrays[1].place = Place::device;
  EXPECT_THAT(error_of([&] { evaluate(Plan<TypeParam>(model, forward()), arrays, 1, work); }),
              HasSubstr("forward_dynamics: argument v is in device memory, but the call runs on the CPU"));
  const auto on_gpu = [&](const Batch<TypeParam>& batch) {
    return error_of([&] { evaluate<TypeParam>(forward(), model, call.arrays(), batch, work, {}, {Device::cuda}); });
  };
  EXPECT_THAT(on_gpu({1, 2}), HasSubstr("threads requires"));
  Batch<TypeParam> batch = 1;
  batch.stream = reinterpret_cast<Stream>(&batch);
  EXPECT_THAT(error_of([&] { evaluate<TypeParam>(forward(), model, call.arrays(), batch, work); }),
              HasSubstr("stream requires"));
}

TYPED_TEST(Plans, WithoutAGpuEveryWayToOneSaysWhatIsMissing) {
  if (cuda::is_available()) GTEST_SKIP() << "there is a GPU here";
  const Model& model = case_named("arm7").model;
  ForwardDynamicsCall<TypeParam> call(model);
  Workspace<TypeParam> work;
  const Device gpu = {Device::cuda};
  EXPECT_EQ(error_of([&] { Plan<TypeParam>(model, forward(), {}, gpu); }), cuda::why_unavailable());
  EXPECT_EQ(error_of([&] { evaluate<TypeParam>(forward(), model, call.arrays(), 1, work, {}, gpu); }),
            cuda::why_unavailable());
}

TYPED_TEST(Plans, AWorkspaceThatWasMovedFromIsEmptyAndCanBeUsed) {
  const Model model = generate("chain:300", 3).build();
  ForwardDynamicsCall<TypeParam> call(model, 2);
  Workspace<TypeParam> work;
  const Options options = {.method = Method::scan};
  const auto expected = call.by(model, options, work);
  Workspace<TypeParam> second = std::move(work);
  EXPECT_EQ(work.size(), 0);
  EXPECT_EQ(work.data(), nullptr);
  EXPECT_EQ(call.by(model, options, work), expected);
  second = std::move(work);
  EXPECT_EQ(work.size(), 0);
  EXPECT_EQ(call.by(model, options, second), expected);
  EXPECT_EQ(call.by(model, {}, work), call.by(model, {}, second));
  second.release();
  EXPECT_EQ(second.size(), 0);
  EXPECT_EQ(call.by(model, options, second), expected);
}

}  // namespace
}  // namespace tandem::test
