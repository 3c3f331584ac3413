// SPDX-License-Identifier: Apache-2.0
/// What surrounds the kernels: scratch memory, layouts, refusals; and, where there is a GPU, the kernels.
#include <gmock/gmock.h>

#include <functional>

#include "backends/cuda/staging.hpp"
#include "backends/cuda/plan.hpp"
#include "backends/cuda/transposition.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST(Plan, GivesEveryStateAColumnWhereThereIsRoom) {
  EXPECT_EQ(cuda::columns_for(1, 100, 8, 800), 1);
  EXPECT_EQ(cuda::columns_for(31, 100, 8, std::size_t{31} * 800), 31);
  EXPECT_EQ(cuda::columns_for(33, 100, 8, std::size_t{64} * 800), 33) << "rows of 33 columns are 64 apart";
}

TEST(Plan, NeedsNoMoreMemoryThanThereIs) {
  for (const Index wanted : {1, 2, 31, 32, 33, 1000, 100000})
    for (const Index rows : {1, 7, 417})
      for (const std::size_t most : {4096u, 65536u, 1000001u}) {
        const Index columns = cuda::columns_for(wanted, rows, 8, most);
        EXPECT_GE(columns, 1);
        EXPECT_LE(columns, wanted);
        EXPECT_LE(cuda::scratch_bytes(columns, rows, 8), most) << wanted << " " << rows << " " << most;
      }
}

TEST(Plan, SaysWhatAStateNeedsWhereThereIsNoRoomForOne) {
  EXPECT_THAT(error_of([] { cuda::columns_for(10, 1000, 8, 7999); }), HasSubstr("8000 bytes"));
}

TEST(Plan, CountsBeyondThirtyTwoBits) {
  // a rope of a million links on the articulated-body algorithm
  EXPECT_EQ(cuda::scratch_bytes(1000, 58'000'000, 8), std::size_t{1024} * 58'000'000 * 8);
}

/// Strides of arrays [batch][row], [row][batch] with a gap, [batch][row] with gaps, one state for all.
std::vector<std::pair<Index, Index>> some_strides(Index rows, Index all) {
  return {{rows, 1}, {1, all}, {2 * rows, 2}, {rows + 1, 1}, {0, 1}};
}

TEST(StagedArray, BringsPiecesOfAnyStridesThereAndBack) {
  const Index rows = 45, states = 70, first = 3, all = first + states + 2;
  std::vector<double> numbers(static_cast<std::size_t>(2 * rows * all));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k);
  for (const auto& [stride, row_stride] : some_strides(rows, all)) {
    const Array<double> array = {numbers.data(), stride, row_stride};
    cuda::StagedArray<double> p = {array, rows, cuda::arrangement_of(array, rows), false, 0};
    std::vector<double> piece(static_cast<std::size_t>(rows * states));
    cuda::pack(p, first, states, piece.data());
    const Array<double> there = p.there(piece.data(), states);
    for (Index k = 0; k < rows; ++k)
      for (Index b = 0; b < states; ++b)
        ASSERT_EQ(there.data[b * there.stride + k * there.row_stride],
                  numbers[static_cast<std::size_t>((first + b) * stride + k * row_stride)]);
    if (stride == 0) continue;
    std::vector<double> back(numbers.size(), -1);
    p.host.data = back.data();
    cuda::unpack(p, first, states, piece.data());
    std::vector<bool> written(back.size());
    for (Index k = 0; k < rows; ++k)
      for (Index b = first; b < first + states; ++b)
        written[static_cast<std::size_t>(b * stride + k * row_stride)] = true;
    for (std::size_t k = 0; k < back.size(); ++k) ASSERT_EQ(back[k], written[k] ? numbers[k] : -1);
  }
}

TEST(StagedArray, SeveralThreadsCopyAllParts) {
  for (const Index n : {0, 1, 7, 8, 1000}) {
    std::vector<int> times(static_cast<std::size_t>(n));
    cuda::in_parts(n, 8, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) ++times[static_cast<std::size_t>(k)];
    });
    EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(n), 1));
  }
}

/// What the blocks of a grid do, one after the other: in each all threads the first half, then all the second.
void run_blocks(const cuda::Transposition<double>& turn) {
  using Transposition = cuda::Transposition<double>;
  for (Index row = 0; row < Transposition::squares(turn.rows); ++row)
    for (Index state = 0; state < Transposition::squares(turn.states); ++state) {
      std::vector<double> square(Transposition::side * Transposition::pitch, std::numeric_limits<double>::quiet_NaN());
      for (int y = 0; y < Transposition::lines; ++y)
        for (int x = 0; x < Transposition::side; ++x) turn.take(row, state, x, y, square.data());
      for (int y = 0; y < Transposition::lines; ++y)
        for (int x = 0; x < Transposition::side; ++x) turn.give(row, state, x, y, square.data());
    }
}

TEST(Transposition, BringsNumbersFromAnyStridesToAnyOther) {
  const Index rows = 45, states = 70;
  std::vector<double> numbers(static_cast<std::size_t>(2 * rows * (states + 1)));
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = static_cast<double>(k);
  for (const auto& [stride, row_stride] : some_strides(rows, states + 1))
    for (const auto& [stride_to, row_stride_to] : some_strides(rows, states + 1)) {
      if (stride_to == 0) continue;
      std::vector<double> to(numbers.size(), -1);
      run_blocks({{numbers.data(), stride, row_stride}, {to.data(), stride_to, row_stride_to}, rows, states});
      double sum = 0;
      for (Index k = 0; k < rows; ++k)
        for (Index b = 0; b < states; ++b) {
          double& moved = to[static_cast<std::size_t>(b * stride_to + k * row_stride_to)];
          ASSERT_EQ(moved, numbers[static_cast<std::size_t>(b * stride + k * row_stride)]);
          moved = -1;
        }
      for (const double x : to) sum += x + 1;
      ASSERT_EQ(sum, 0) << "numbers were written elsewhere";
    }
}

/// Arguments of inverse dynamics of one state, on the host.
struct OneState {
  explicit OneState(const Model& model)
      : q(random_configuration(model, 1)), x(static_cast<std::size_t>(model.nv()), 0.5), tau(x.size()) {
    arguments = {Array<double>::input(q.data(), 0), Array<double>::input(x.data(), 0),
                 Array<double>::input(x.data(), 0), Array<double>{}, Array<double>::output(tau.data(), 0)};
  }
  std::vector<double> q, x, tau;
  std::vector<Array<double>> arguments;
};

TEST(WithoutAGpu, EveryCallSaysWhatIsMissing) {
  if (cuda::is_available()) GTEST_SKIP() << "there is a GPU here";
  const std::string missing = cuda::why_unavailable();
  EXPECT_THAT(missing, AnyOf(HasSubstr("without CUDA"), HasSubstr("no driver"), HasSubstr("no device"),
                             HasSubstr("driver supports CUDA")));
  const Model& model = case_named("chain:7").model;
  OneState state(model);
  Workspace<double> work;
  const auto call = [&] {
    evaluate<double>(find_algorithm("inverse_dynamics"), model, state.arguments, 1, work, {}, {Device::cuda});
  };
  EXPECT_EQ(error_of(call), missing);
  EXPECT_EQ(error_of([] { cuda::device(); }), missing);
  EXPECT_EQ(error_of([] { cuda::device_number(); }), missing);
}

TEST(WithAGpu, GivesTheNumbersOfTheProcessor) {
  if (!cuda::is_available()) GTEST_SKIP() << cuda::why_unavailable();
  for (const char* name : {"chain:7", "tree:24+floating", "rope:10", "mimic_branches", "humanoid"}) {
    const Model& model = case_named(name).model;
    OneState state(model);
    Workspace<double> work;
    evaluate<double>(find_algorithm("inverse_dynamics"), model, state.arguments, 1, work);
    const std::vector<double> expected = state.tau;
    std::fill(state.tau.begin(), state.tau.end(), std::numeric_limits<double>::quiet_NaN());
    const Plan<double> plan(model, find_algorithm("inverse_dynamics"), {}, {Device::cuda});
    evaluate(plan, state.arguments, 1, work);
    const Vector q = Eigen::Map<const Vector>(state.q.data(), model.nq());
    const Vector x = Eigen::Map<const Vector>(state.x.data(), model.nv());
    expect_near(Eigen::Map<const Vector>(state.tau.data(), model.nv()),
                Eigen::Map<const Vector>(expected.data(), model.nv()),
                tolerance<double>(8, 1, scales(model, q, x, x).force), name);
  }
}

TEST(WithAGpu, TakesArraysOfTheHostAndItsOwnInOneCall) {
  if (!cuda::is_available()) GTEST_SKIP() << cuda::why_unavailable();
  const Model& model = case_named("chain:7").model;
  const Index states = 100;
  std::vector<double> q, x(static_cast<std::size_t>(states * model.nv()), 0.5), tau(x.size()), other(x.size());
  for (Index b = 0; b < states; ++b)
    for (const double angle : random_configuration(model, static_cast<std::uint64_t>(b))) q.push_back(angle);
  const Plan<double> plan(model, find_algorithm("inverse_dynamics"), {}, {Device::cuda});
  std::vector<Array<double>> arguments = {Array<double>::input(q.data(), model.nq()),
                                          Array<double>::input(x.data(), model.nv()),
                                          Array<double>::input(x.data(), model.nv()),
                                          {},
                                          Array<double>::output(tau.data(), model.nv())};
  Workspace<double> work;
  evaluate(plan, arguments, states, work);
  const cuda::DeviceArray<double> q_there{std::span<const double>(q)}, tau_there(tau.size());
  cuda::memory_of(work).most_staging = 3000;  // in several pieces
  arguments[0] = q_there.array(model.nq());
  evaluate(plan, arguments, states, work);
  arguments[4] = tau_there.array(model.nv());
  evaluate(plan, arguments, states, work);
  cuda::synchronise();
  tau_there.copy_to(other);
  EXPECT_EQ(tau, other);
}

TEST(WithAGpu, DividesARobotByScan) {
  if (!cuda::is_available()) GTEST_SKIP() << cuda::why_unavailable();
  for (const char* name : {"chain:30", "rope:10", "humanoid", "every_joint"}) {
    const Model& model = case_named(name).model;
    OneState state(model);
    Workspace<double> work;
    // q, v, tau, no outer forces, no diagonal, a
    std::vector<Array<double>> arguments = {state.arguments[0], state.arguments[1], state.arguments[2], {}, {},
                                            state.arguments[4]};
    evaluate<double>(find_algorithm("forward_dynamics"), model, arguments, 1, work);
    const Vector expected = Eigen::Map<const Vector>(state.tau.data(), model.nv());
    std::fill(state.tau.begin(), state.tau.end(), std::numeric_limits<double>::quiet_NaN());
    evaluate<double>(find_algorithm("forward_dynamics"), model, arguments, 1, work, {.method = Method::scan},
                     {Device::cuda});
    expect_near(Eigen::Map<const Vector>(state.tau.data(), model.nv()), expected,
                1e4 * std::numeric_limits<double>::epsilon() * expected.cwiseAbs().maxCoeff(), name);
  }
}

TEST(WithAGpu, DividesARobotByEveryMethod) {
  if (!cuda::is_available()) GTEST_SKIP() << cuda::why_unavailable();
  const Model& model = case_named("chain:30").model;
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  OneState state(model);
  Workspace<double> work;
  std::vector<Array<double>> arguments = {state.arguments[0], state.arguments[1], state.arguments[2], {}, {},
                                          state.arguments[4]};
  evaluate<double>(algorithm, model, arguments, 1, work);
  const Vector expected = Eigen::Map<const Vector>(state.tau.data(), model.nv());
  for (const Method method : methods_of(algorithm)) {
    std::fill(state.tau.begin(), state.tau.end(), std::numeric_limits<double>::quiet_NaN());
    Status status = Status::overflow;
    std::int32_t steps = -1;
    Batch<double> batch(1, 0, {&status, 1});
    batch.iterations = {&steps, 1};
    evaluate<double>(algorithm, model, arguments, batch, work, {.method = method}, {Device::cuda});
    expect_near(Eigen::Map<const Vector>(state.tau.data(), model.nv()), expected, 1e-6 * expected.cwiseAbs().maxCoeff(),
                std::string(to_string(method)));
    EXPECT_TRUE(status == Status::ok || status == Status::limit) << to_string(method);
    EXPECT_EQ(steps > 0, method == Method::conjugate_gradient) << to_string(method);
  }
}

TEST(WithAGpu, ADividedRobotTakesNoParametersPerState) {
  if (!cuda::is_available()) GTEST_SKIP() << cuda::why_unavailable();
  const Model& model = case_named("chain:30").model;
  OneState state(model);
  Workspace<double> work;
  std::vector<double> gravity = {0, 0, -1};
  const BatchedParameter<double> varied = {Parameter::gravity, {gravity.data(), 0}};
  const std::vector<Array<double>> arguments = {state.arguments[0], state.arguments[1], state.arguments[2], {}, {},
                                                state.arguments[4]};
  EXPECT_THAT(
      error_of([&] {
        evaluate<double>(find_algorithm("forward_dynamics"), model, arguments, {1, 0, {}, {&varied, 1}}, work,
                         {.method = Method::divide_and_conquer}, {Device::cuda});
      }),
      AllOf(HasSubstr("divide_and_conquer"), HasSubstr("does not support parameters per state on a GPU"),
            HasSubstr("articulated_body")));
}

}  // namespace
}  // namespace tandem::test
