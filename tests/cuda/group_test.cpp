// SPDX-License-Identifier: Apache-2.0
/// Methods that the threads of a group of blocks carry out on a GPU, its blocks and threads on the processor.
#include "backends/cuda/links/group.hpp"
#include "backends/cuda/links/group_methods.hpp"
#include "backends/cuda/links/scan_layout.hpp"
#include "backends/cuda/report.hpp"
#include "cuda/thread_block.hpp"
#include "links/link_call.hpp"
#include "tandem/detail/papers/conjugate_gradient.hpp"

namespace tandem::test {
namespace {

template <class T>
class GroupOnDevice : public ::testing::Test {
  void SetUp() override {
    if (!has_coroutines) GTEST_SKIP() << "the sanitizer of threads does not follow coroutines";
  }
};
TYPED_TEST_SUITE(GroupOnDevice, Reals);

struct Groups {
  int groups = 1, blocks = 1, threads = 32;
  bool backwards = false;
};

/// The only output of a method for several states, [rows][states], the inputs of each in the order of its problem.
template <class A, class T>
Matrix on_groups(const A& method, const Model& model, const std::vector<std::vector<Vector>>& inputs,
                 const Groups& how) {
  const ModelView<T>& m = model.view<T>();
  using Call = cuda::GroupCall<A, T>;
  const auto n = static_cast<Index>(inputs.size());
  Call call = {m, method, {}, n};
  std::vector<std::vector<T>> columns;
  columns.reserve(Call::count);
  Index rows = 0;
  for (std::size_t k = 0; k < Call::count; ++k) {
    const Argument& argument = A::Problem::arguments[k];
    rows = is_input(argument) ? inputs[0][k].size() : shape(argument.rows, m).count();
    auto& column = columns.emplace_back(static_cast<std::size_t>(rows * n), std::numeric_limits<T>::quiet_NaN());
    if (is_input(argument) && inputs[0][k].size() == 0) continue;
    for (Index b = 0; b < n && is_input(argument); ++b)
      for (Index row = 0; row < rows; ++row)
        column[static_cast<std::size_t>(row * n + b)] = static_cast<T>(inputs[static_cast<std::size_t>(b)][k][row]);
    call.arguments[k] = {column.data(), 1, n};
  }
  call.apart = method.work_rows(m);
  std::vector<T> scratch(static_cast<std::size_t>(call.apart * how.groups + 1), std::numeric_limits<T>::quiet_NaN());
  std::vector<unsigned> barriers(static_cast<std::size_t>(how.groups), 0);
  call.scratch = scratch.data();
  call.barriers = barriers.data();
  call.blocks = how.blocks;
  call.groups = how.groups;
  EmulatedThreadBlock::run(
      Index{how.blocks} * how.groups, how.threads, 0, how.backwards,
      [&] { cuda::run_group<EmulatedThreadBlock>(call); }, how.blocks);
  Matrix results(rows, n);
  for (Index row = 0; row < rows; ++row)
    for (Index b = 0; b < n; ++b)
      results(row, b) = static_cast<double>(columns.back()[static_cast<std::size_t>(row * n + b)]);
  return results;
}

constexpr Groups ways[] = {
    {}, {.threads = 64, .backwards = true}, {.blocks = 3}, {.groups = 2, .blocks = 4, .backwards = true}};

/// The body for one thread.
template <class A, class T>
Vector alone(const A& method, const Model& model, const std::vector<Vector>& inputs) {
  const ModelView<T>& m = model.view<T>();
  constexpr std::size_t count = std::size(A::Problem::arguments);
  std::vector<std::vector<T>> columns(count);
  T* data[count] = {};
  for (std::size_t k = 0; k < count; ++k) {
    const Argument& argument = A::Problem::arguments[k];
    if (is_input(argument))
      columns[k].assign(inputs[k].begin(), inputs[k].end());
    else
      columns[k].resize(static_cast<std::size_t>(shape(argument.rows, m).count()));
    data[k] = columns[k].empty() ? nullptr : columns[k].data();
  }
  std::vector<T> work(static_cast<std::size_t>(method.work_rows(m) + 1), std::numeric_limits<T>::quiet_NaN());
  const auto call = [&]<std::size_t... k>(std::index_sequence<k...>) {
    method.template body<T>(SerialExecutor(), m, StridedColumn<T>{data[k]}..., work.data());
  };
  call(std::make_index_sequence<count>());
  return Eigen::Map<const Eigen::VectorX<T>>(columns.back().data(), static_cast<Index>(columns.back().size()))
      .template cast<double>();
}

/// The same bits as one thread has, whatever the groups.
template <class A, class T>
void expect_of_one_thread(const Model& model, const A& method, const std::vector<std::vector<Vector>>& inputs) {
  std::vector<Vector> expected;
  for (const auto& state : inputs) expected.push_back(alone<A, T>(method, model, state));
  for (const Groups& how : ways) {
    const Matrix found = on_groups<A, T>(method, model, inputs, how);
    for (std::size_t b = 0; b < inputs.size(); ++b)
      EXPECT_EQ((found.col(static_cast<Index>(b)) - expected[b]).cwiseAbs().maxCoeff(), 0)
          << model.name() << ", state " << b << ", " << how.groups << " groups of " << how.blocks << " blocks";
  }
}
/// Nearly what evaluate() gives.
template <class A, class T>
void expect_of_groups(const Model& model, const A& method, const std::vector<std::vector<Vector>>& inputs,
                      const std::vector<Vector>& expected, double roundings) {
  for (const Groups& how : ways) {
    const Matrix found = on_groups<A, T>(method, model, inputs, how);
    for (std::size_t b = 0; b < inputs.size(); ++b)
      EXPECT_LE((found.col(static_cast<Index>(b)) - expected[b]).cwiseAbs().maxCoeff(),
                roundings * std::numeric_limits<T>::epsilon() * size_of(expected[b]))
          << model.name() << ", state " << b << ", " << how.groups << " groups of " << how.blocks << " blocks";
  }
}

std::vector<std::vector<Vector>> states_of_forward_dynamics(const Model& model, int n, bool f_ext, bool diagonal) {
  std::vector<std::vector<Vector>> states;
  for (int b = 0; b < n; ++b) {
    const State s = calm_state(model, 7 + static_cast<std::uint64_t>(b));
    states.push_back({s.q, s.v, s.tau, f_ext ? s.f_ext : Vector(), diagonal ? Vector(s.a.cwiseAbs()) : Vector()});
  }
  return states;
}

TYPED_TEST(GroupOnDevice, JoinsByDivideAndConquerAsOneThread) {
  for (const char* spec : {"chain:1", "chain:2", "chain:17", "snake:150", "chain:300"}) {
    const Model model = generate(spec, 3).build();
    expect_of_one_thread<DivideAndConquer, TypeParam>(model, {}, states_of_forward_dynamics(model, 2, true, true));
  }
  const Model model = every_joint(3).build();
  expect_of_one_thread<DivideAndConquer, TypeParam>(model, {}, states_of_forward_dynamics(model, 3, false, false));
}

TYPED_TEST(GroupOnDevice, SolvesForConstraintForcesAsOneThread) {
  for (const Solver solver :
       {Solver::chunked, Solver::cyclic_reduction, Solver::odd_even_elimination, Solver::block_lu}) {
    ConstraintForce method;
    method.solver = solver;
    method.chunk = 4;
    for (const char* spec : {"chain:1", "chain:2", "snake:150"}) {
      SCOPED_TRACE(std::string(to_string(solver)) + " " + spec);
      const Model model = generate(spec, 3).build();
      method.unknowns = 0;
      expect_of_one_thread<ConstraintForce, TypeParam>(model, method, states_of_forward_dynamics(model, 2, true, true));
      method.unknowns = 5;
      expect_of_one_thread<ConstraintForce, TypeParam>(model, method,
                                                       states_of_forward_dynamics(model, 1, false, false));
    }
  }
  const Model model = every_joint(3).build();
  expect_of_one_thread<ConstraintForceOutputs, TypeParam>(model, {}, states_of_forward_dynamics(model, 3, true, false));
}

/// bias_torque is what is left for a robot at rest: as the plan calls it.
TYPED_TEST(GroupOnDevice, TakesTheBiasForATorque) {
  const Model model = generate("chain:12", 3).build(), resting = generate("chain:12", 3).gravity({0, 0, 0}).build();
  Robot<TypeParam> robot(model);
  const State s = calm_state(model, 7);
  const Vector bias = robot.inverse_dynamics(s.q, s.v, Vector::Zero(12), s.f_ext), none = Vector::Zero(12);
  const std::vector<Vector> inputs = {s.q, none, s.tau - bias, Vector(), Vector()};
  const Options as_torque = {.solver = Solver::odd_even_elimination, .right_hand_side = RightHandSide::bias_torque};
  const auto expected = [&](Method method) {
    Options options = as_torque;
    options.method = method;
    if (method != Method::constraint_force) options.solver = Solver::automatic;
    return call_method<TypeParam>("forward_dynamics", model, options, {s.q, s.v, s.tau, s.f_ext, Vector()});
  };
  expect_of_groups<ConstraintForce, TypeParam>(resting, with_options<ConstraintForce>(as_torque), {inputs},
                                               {expected(Method::constraint_force)}, 1e8);
  cuda::HybridOnGroup hybrid;
  hybrid.right_hand_side = RightHandSide::bias_torque;
  std::vector<Vector> of_hybrid = inputs;
  // what the processor finds
  const ModelView<TypeParam>& m = model.template view<TypeParam>();
  std::vector<TypeParam> q(static_cast<std::size_t>(s.q.size()));
  std::transform(s.q.begin(), s.q.end(), q.begin(), [](double x) { return static_cast<TypeParam>(x); });
  std::vector<TypeParam> responses(static_cast<std::size_t>(hybrid.response_rows(m))),
      scratch(static_cast<std::size_t>(hybrid.work_rows(m)));
  const TypeParam* const no_diagonal = nullptr;
  hybrid.find_responses<TypeParam>(m, q.data(), no_diagonal, responses.data(), scratch.data());
  of_hybrid.push_back(
      Eigen::Map<const Eigen::VectorX<TypeParam>>(responses.data(), hybrid.response_rows(m)).template cast<double>());
  expect_of_groups<cuda::HybridOnGroup, TypeParam>(model, hybrid, {of_hybrid},
                                                   {expected(Method::hybrid_articulated_body)}, 1e8);
}

TYPED_TEST(GroupOnDevice, IteratesAsOneThread) {
  const Model model = generate("chain:70", 3).build();
  expect_of_one_thread<ConjugateGradient, TypeParam>(model, {}, states_of_forward_dynamics(model, 2, true, true));
}

TYPED_TEST(GroupOnDevice, EliminatesByTheHybridAlgorithmAsOneThread) {
  const auto states = [](const Model& model) {
    auto all = states_of_forward_dynamics(model, 2, true, true);
    for (auto& inputs : all) inputs.emplace_back();  // the processor has found nothing
    return all;
  };
  cuda::HybridOnGroup method;
  method.chunk = 8;
  for (const char* spec : {"chain:1", "chain:17", "snake:150"}) {
    const Model model = generate(spec, 3).build();
    std::vector<Vector> expected;
    for (const auto& state : states_of_forward_dynamics(model, 2, true, true))
      expected.push_back(alone<HybridArticulatedBody, TypeParam>(method, model, state));
    expect_of_groups<cuda::HybridOnGroup, TypeParam>(model, method, states(model), expected, 0);
  }
  const Model model = every_joint(3).build();
  std::vector<Vector> expected;
  for (const auto& state : states_of_forward_dynamics(model, 2, true, true))
    expected.push_back(alone<HybridArticulatedBody, TypeParam>(method, model, state));
  expect_of_groups<cuda::HybridOnGroup, TypeParam>(model, method, states(model), expected, 0);
}

TYPED_TEST(GroupOnDevice, FillsTheMassMatrixInLogarithmicTimeAsOneThread) {
  for (const char* spec : {"chain:1", "chain:2", "chain:17", "chain:100"}) {
    const Model model = generate(spec, 3).build();
    const State s = random_state(model, 5);
    expect_of_one_thread<LogComposite, TypeParam>(model, {}, {{s.q}});
  }
}

/// tau - bias and M as evaluate() gives them.
TYPED_TEST(GroupOnDevice, InvertsTheMassMatrix) {
  for (const char* spec : {"chain:1", "chain:7", "chain:33"}) {
    const Model model = generate(spec, 3).build();
    Robot<TypeParam> robot(model);
    std::vector<std::vector<Vector>> states;
    std::vector<Vector> expected;
    for (int b = 0; b < 2; ++b) {
      const State s = calm_state(model, 7 + static_cast<std::uint64_t>(b));
      const Matrix M = robot.mass_matrix(s.q);
      const Vector bias = s.a, tau = M * s.v + bias + Vector(s.a.cwiseAbs().cwiseProduct(s.v));
      states.push_back({tau, bias, Vector(s.a.cwiseAbs()), Vector(M.reshaped())});
      expected.push_back(s.v);
    }
    expect_of_groups<cuda::MassMatrixOnGroup, TypeParam>(model, {}, states, expected, 1e7);
  }
}

/// Threads that look at a row each and one that looks at all.
TYPED_TEST(GroupOnDevice, WatchersOfAStateSeeWhatOneSees) {
  using T = TypeParam;
  const Model model = generate("chain:40", 3).build();
  const ModelView<T>& m = model.template view<T>();
  for (const int bad : {-1, 0, 39}) {
    std::vector<T> q(40, T(0.1)), a(40, T(1));
    cuda::Watched<T> watched;
    watched.count = 2;
    watched.arguments[0] = ForwardDynamics::arguments[0];
    watched.arguments[1] = ForwardDynamics::arguments[5];
    watched.arrays[0] = {q.data(), 0};
    watched.arrays[1] = {a.data(), 0};
    watched.inverts_mass_matrix = true;
    std::int32_t steps = bad == 39 ? -8 : 7;
    watched.iterations = &steps;
    if (bad == 0) a[5] = std::numeric_limits<T>::infinity();
    Status status[2] = {};
    for (const Index threads : {1, 32}) {
      std::uint8_t bits = 0xff;
      for (const bool inputs : {true, false}) {
        bool in = false, out = false, outside = false;
        for (Index thread = 0; thread < threads; ++thread) {
          const auto seen = cuda::watch_rows(watched, m, inputs, 0, thread, threads);
          in |= seen.bad_input(0), out |= seen.bad_output(0), outside |= seen.outside(0);
        }
        cuda::report(watched, inputs, in, outside, out, &bits, &status[threads > 1], 0);
      }
    }
    EXPECT_EQ(status[0], status[1]);
    if (bad >= 0) {
      EXPECT_EQ(status[1], bad == 0 ? Status::singular : Status::not_converged);
    }
  }
}

TYPED_TEST(GroupOnDevice, HasTheFormsOfInverseDynamics) {
  for (const ScanSchedule schedule : {ScanSchedule::tree, ScanSchedule::hillis_steele})
    for (const Form form : {Form::body, Form::world_orientation})
      for (const Model& model : {generate("chain:1", 3).build(), generate("snake:150", 3).build(),
                                 with_legs(60, 12, JointType::spherical), fork(40)}) {
        const ModelView<TypeParam>& m = model.template view<TypeParam>();
        if (!is_chain(m) && form == Form::world_orientation) continue;
        InverseDynamicsScan method;
        method.form = form;
        method.chunk = 4;
        method.scan_schedule = schedule;
        ScanCut cut = method.cut(m);
        cut.lanes = 1;
        const cuda::OwnedPlan<TypeParam> plan(m, cut);
        const State s = calm_state(model, 7);
        const Vector expected = call_method<TypeParam>(
            "inverse_dynamics", model, {.method = Method::scan, .form = form, .chunk = 4, .scan_schedule = schedule},
            {s.q, s.v, s.a, s.f_ext});
        expect_of_groups<cuda::InverseDynamicsOnGroup, TypeParam>(
            model, {method, plan.plan, InverseDynamicsScan::rows<TypeParam>(plan.plan)}, {{s.q, s.v, s.a, s.f_ext}},
            {expected}, 300);
      }
}

}  // namespace
}  // namespace tandem::test
