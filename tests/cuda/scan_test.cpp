// SPDX-License-Identifier: Apache-2.0
/// The scan form of forward dynamics as the GPU runs it, its blocks and threads one after the other on the processor.
#include "backends/cuda/links/composite_blocks.hpp"
#include "backends/cuda/links/inverse_blocks.hpp"
#include "backends/cuda/links/scan_blocks.hpp"
#include "backends/cuda/links/scan_kernels.hpp"
#include "cuda/thread_block.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

using cuda::LaneKind;
using cuda::ScanStep;

template <class T>
class ScanOnDevice : public ::testing::Test {
  void SetUp() override {
    if (!has_coroutines) GTEST_SKIP() << "the sanitizer of threads does not follow coroutines";
  }
};
TYPED_TEST_SUITE(ScanOnDevice, Reals);

template <class T, LaneKind kind>
void run_step(ScanStep step, const cuda::ScanCallOnDevice<T>& call, const cuda::Launch& launch, Index states,
              bool backwards) {
  using ThreadBlock = EmulatedThreadBlock;
  const Index blocks = launch.count * states;
  const auto run = [&](std::size_t memory, auto&& block) {
    ThreadBlock::run(blocks, call.shape.threads, memory, backwards, block);
  };
  switch (step) {
    case ScanStep::place:
      return run(cuda::place_memory(call.shape), [&] { cuda::place<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::turn: return ThreadBlock::run(states, 64, 0, backwards, [&] { cuda::turn<ThreadBlock, T>(call); });
    case ScanStep::gather:
      return run(cuda::gather_memory<T, kind>(call.shape), [&] { cuda::gather<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::accelerate:
      return run(cuda::accelerate_memory(call.shape), [&] { cuda::accelerate<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::move:
      return run(cuda::inverse_memory(call.shape), [&] { cuda::move<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::start: return ThreadBlock::run(states, 64, 0, backwards, [&] { cuda::start<ThreadBlock, T>(call); });
    case ScanStep::settle:
      return ThreadBlock::run(states, 64, 0, backwards, [&] { cuda::settle<ThreadBlock, T>(call); });
    case ScanStep::push:
      return run(cuda::inverse_memory(call.shape), [&] { cuda::push<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::pose:
      return run(cuda::composite_memory(call.shape), [&] { cuda::pose<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::hang:
      return run(cuda::composite_memory(call.shape), [&] { cuda::hang<ThreadBlock, T>(call, launch); });
    case ScanStep::axes: return run(0, [&] { cuda::axes<ThreadBlock, T, kind>(call, launch); });
    case ScanStep::pairs: {
      const Index pairs = cuda::blocks_of_pairs(call.m.nv);
      return ThreadBlock::run(pairs * states, cuda::columns_at_once, cuda::pairs_memory<T>(), backwards,
                              [&] { cuda::pairs<ThreadBlock, T>(call, pairs); });
    }
    case ScanStep::torque: return run(0, [&] { cuda::torque<ThreadBlock, T, kind>(call, launch); });
  }
}

struct Inputs {
  bool f_ext = false, diagonal = false;
  bool backwards = false;  ///< the blocks of a kernel run from the last to the first
  cuda::Task task = cuda::Task::forward;
  int states = 2;
  cuda::ScanCutOnDevice cut = {4, 0, 32, 64};
};

/// Accelerations of several states at a time, or torques, [nv][states].
template <class T>
Matrix results(const Model& model, const std::vector<State>& states, const Inputs& inputs) {
  const ModelView<T>& m = model.view<T>();
  cuda::ScanLayout<T> layout(m, inputs.cut);
  cuda::ScanCallOnDevice<T> call = {};
  call.m = m;
  call.shape = layout.counts();
  layout.for_each_array(
      [&](auto field, const auto& array) { call.shape.*field = array.empty() ? nullptr : array.data(); });
  const auto n = static_cast<Index>(states.size());
  std::vector<std::vector<T>> columns;
  const auto column = [&](Index rows, auto&& of) {
    auto& to = columns.emplace_back(static_cast<std::size_t>(rows * n), std::numeric_limits<T>::quiet_NaN());
    for (Index b = 0; b < n; ++b)
      for (Index row = 0; row < rows; ++row)
        to[static_cast<std::size_t>(row * n + b)] = static_cast<T>(of(states[static_cast<std::size_t>(b)])[row]);
    return Array<T>{to.data(), 1, n};
  };
  columns.reserve(6);
  call.q = column(m.nq, [](const State& s) { return s.q; });
  call.v = column(m.nv, [](const State& s) { return s.v; });
  if (inputs.f_ext) call.f_ext = column(6 * m.n_links, [](const State& s) { return s.f_ext; });
  if (inputs.diagonal) call.diagonal = column(m.nv, [](const State& s) { return Vector(s.a.cwiseAbs()); });
  const bool inverse = inputs.task == cuda::Task::inverse;
  (inverse ? call.a : call.tau) = column(m.nv, [&](const State& s) { return inverse ? s.a : s.tau; });
  const Index rows = inputs.task == cuda::Task::mass ? Index{m.nv} * m.nv : Index{m.nv};
  (inputs.task == cuda::Task::mass ? call.M
   : inverse                       ? call.tau
                                   : call.a) =
      column(rows, [&](const State&) { return Vector::Constant(rows, std::numeric_limits<double>::quiet_NaN()); });
  Arena size;
  cuda::ScanScratch<T>(size, call.shape, inputs.task);
  const Index line = 64, apart = (size.rows<char>() + line - 1) / line * line;
  std::vector<std::byte> memory(static_cast<std::size_t>(apart * n + line), std::byte{0xff});
  Arena arena(memory.data());
  call.scratch = cuda::ScanScratch<T>(arena, call.shape, inputs.task);
  call.scratch.apart = apart;
  std::vector<unsigned> counters(static_cast<std::size_t>(call.shape.counters() * n + 1), 0);
  call.scratch.counters = counters.data();
  cuda::for_each_launch(layout, inputs.task, [&](ScanStep step, const cuda::Launch& launch) {
    switch (launch.kind) {
      case LaneKind::revolute: return run_step<T, LaneKind::revolute>(step, call, launch, n, inputs.backwards);
      case LaneKind::one_dof: return run_step<T, LaneKind::one_dof>(step, call, launch, n, inputs.backwards);
      case LaneKind::spherical: return run_step<T, LaneKind::spherical>(step, call, launch, n, inputs.backwards);
      case LaneKind::any: return run_step<T, LaneKind::any>(step, call, launch, n, inputs.backwards);
    }
  });
  for (const unsigned counter : counters) EXPECT_EQ(counter, 0u) << "the next call would not find it at 0";
  Matrix a(rows, n);
  for (Index row = 0; row < rows; ++row)
    for (Index b = 0; b < n; ++b)
      a(row, b) = static_cast<double>(columns.back()[static_cast<std::size_t>(row * n + b)]);
  return a;
}

/// The largest error over the largest number, against the processor in double.
template <class T>
void check(const Model& model, const Inputs& inputs, double roundings) {
  std::vector<State> states;
  for (int b = 0; b < inputs.states; ++b) {
    states.push_back(random_state(model, 4 + static_cast<std::uint64_t>(b)));
    states.back().v *= 0.1;
  }
  const Matrix a = results<T>(model, states, inputs);
  for (std::size_t b = 0; b < states.size(); ++b) {
    const State& s = states[b];
    Robot<double> robot(model);
    const Vector none, f_ext = inputs.f_ext ? s.f_ext : Vector::Zero(s.f_ext.size());
    const Vector expected = inputs.task == cuda::Task::mass ? Vector(robot.mass_matrix(s.q).reshaped())
                            : inputs.task == cuda::Task::inverse
                                ? robot.inverse_dynamics(s.q, s.v, s.a, f_ext)
                                : robot.forward_dynamics(s.q, s.v, s.tau, Method::automatic, f_ext,
                                                         inputs.diagonal ? Vector(s.a.cwiseAbs()) : none);
    const double scale = std::max(expected.cwiseAbs().maxCoeff(), 1e-30);
    const double error = (a.col(static_cast<Index>(b)) - expected).cwiseAbs().maxCoeff() / scale;
    EXPECT_LE(error, roundings * std::numeric_limits<T>::epsilon()) << model.name() << ", state " << b;
  }
}

TYPED_TEST(ScanOnDevice, AgreesOnChainsOfEveryLength) {
  for (const int n : {1, 2, 5, 17, 40, 129})
    for (const char* kind : {"chain:", "snake:", "rope:"}) {
      SCOPED_TRACE(kind + std::to_string(n));
      check<TypeParam>(generate(kind + std::to_string(n), 3).build(), {}, 2000);
    }
}

TYPED_TEST(ScanOnDevice, AgreesWithGroupsOfGroups) {
  check<TypeParam>(generate("chain:1100", 3).build(), {.states = 1, .cut = {2, 0, 32, 32}}, 4000);
}

TYPED_TEST(ScanOnDevice, AgreesWhateverBlockComesLast) {
  check<TypeParam>(generate("chain:200", 3).build(), {.backwards = true, .cut = {2, 0, 32, 32}}, 4000);
}

TYPED_TEST(ScanOnDevice, AgreesHoweverTheChainIsCut) {
  using Cut = cuda::ScanCutOnDevice;
  for (const char* spec : {"chain:97", "snake:60", "rope:33"})
    for (const Cut& cut : {Cut{1, 0, 32, 32}, {3, 0, 64, 96}, {200, 0, 32, 32}, {0, 1, 32, 32}, {0, 9, 32, 128}}) {
      SCOPED_TRACE(std::string(spec) + " chunk " + std::to_string(cut.chunk) + " chunks " + std::to_string(cut.chunks));
      check<TypeParam>(generate(spec, 3).build(), {.f_ext = true, .diagonal = true, .states = 1, .cut = cut}, 4000);
    }
}

TYPED_TEST(ScanOnDevice, AgreesOnEveryCaseWithoutMimicJoints) {
  for (const Case& c : cases()) {
    const auto& m = c.model.template view<double>();
    if (m.nv == 0 || m.n_mimic > 0 || m.n_links > 100) continue;
    SCOPED_TRACE(c.name);
    const auto cut = cuda::cut_for(m.n_links - 1, false);
    check<TypeParam>(c.model, {.f_ext = true, .cut = cut}, 1e4);
    if (c.name == "unequal_masses") continue;  // shorter chunks would lose digits
    check<TypeParam>(c.model, {.diagonal = true, .cut = {3, 0, 32, 32}}, 1e4);
  }
}

/// Paths on several levels that share blocks.
TYPED_TEST(ScanOnDevice, AgreesOnTrees) {
  for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::spherical})
    for (const int legs : {1, 12}) {
      SCOPED_TRACE(std::string(to_string(type)) + ", " + std::to_string(legs) + " legs");
      check<TypeParam>(with_legs(60, legs, type), {.f_ext = true, .backwards = legs > 1, .cut = {2, 0, 32, 64}}, 4000);
    }
}

/// The torques and mass matrices of trees: a path of many blocks with legs, all of whose joints are of one type or of
/// all.
TYPED_TEST(ScanOnDevice, GivesTorquesAndMassMatricesOfTrees) {
  using Cut = cuda::ScanCutOnDevice;
  for (const auto task : {cuda::Task::inverse, cuda::Task::mass})
    for (const Cut& cut : {Cut{2, 0, 32, 64}, Cut{1, 0, 32, 32}, Cut{7, 0, 64, 64}, Cut{0, 1, 32, 32}}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(task)) + ", chunk " + std::to_string(cut.chunk));
      for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::spherical})
        check<TypeParam>(with_legs(60, 12, type), {.f_ext = true, .task = task, .cut = cut}, 4000);
      check<TypeParam>(with_legs(90, 1, JointType::revolute), {.backwards = true, .task = task, .cut = cut}, 4000);
    }
  for (const Case& c : cases()) {
    const auto& m = c.model.template view<double>();
    if (m.nv == 0 || m.n_mimic > 0 || m.n_links > 60) continue;
    SCOPED_TRACE(c.name);
    for (const auto task : {cuda::Task::inverse, cuda::Task::mass})
      check<TypeParam>(c.model, {.f_ext = true, .task = task, .states = 1, .cut = {3, 0, 32, 32}}, 4000);
  }
}

/// divide_and_conquer_efficient is the scan with the heaviest path alone cut, into as many subsystems as are wanted.
TYPED_TEST(ScanOnDevice, JoinsSubsystems) {
  using Cut = cuda::ScanCutOnDevice;
  for (const Cut& cut : {Cut{0, 2, 32, 32, 1.4, true}, Cut{0, 7, 32, 64, 1, true}, Cut{0, 40, 32, 32, 1, true}}) {
    SCOPED_TRACE(cut.chunks);
    check<TypeParam>(generate("snake:129", 3).build(), {.f_ext = true, .cut = cut}, 4000);
    check<TypeParam>(with_legs(60, 12, JointType::prismatic), {.diagonal = true, .backwards = true, .cut = cut}, 4000);
    check<TypeParam>(every_joint(3).build(), {.cut = cut}, 1e4);
  }
}

TYPED_TEST(ScanOnDevice, GivesTheForcesOfInverseDynamics) {
  for (const char* spec : {"chain:1", "chain:17", "snake:129", "rope:33"}) {
    SCOPED_TRACE(spec);
    check<TypeParam>(generate(spec, 3).build(), {.task = cuda::Task::inverse, .cut = {3, 0, 32, 64}}, 2000);
    check<TypeParam>(generate(spec, 3).build(), {.f_ext = true, .task = cuda::Task::inverse, .cut = {40, 0, 64, 64}},
                     2000);
  }
  check<TypeParam>(every_joint(3).build(), {.f_ext = true, .task = cuda::Task::inverse, .cut = {2, 0, 32, 32}}, 2000);
  check<TypeParam>(generate("chain:400", 3).build({.floating = true}),
                   {.backwards = true, .task = cuda::Task::inverse, .cut = {2, 0, 32, 32}}, 4000);
}

TYPED_TEST(ScanOnDevice, GivesTheMassMatrix) {
  constexpr auto task = cuda::Task::mass;
  for (const char* spec : {"chain:1", "chain:17", "snake:150", "rope:33"}) {
    SCOPED_TRACE(spec);
    check<TypeParam>(generate(spec, 3).build(), {.task = task, .cut = {3, 0, 32, 64}}, 2000);
  }
  check<TypeParam>(every_joint(3).build(), {.task = task, .cut = {2, 0, 32, 32}}, 2000);
  check<TypeParam>(generate("chain:200", 3).build({.floating = true}),
                   {.backwards = true, .task = task, .states = 1, .cut = {2, 0, 32, 32}}, 2000);
}

}  // namespace
}  // namespace tandem::test
