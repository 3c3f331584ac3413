// SPDX-License-Identifier: Apache-2.0
/// Steps as threads of the GPU do them, run on the processor, against those in lanes.
#include "backends/cuda/instance.hpp"
#include "backends/cuda/replication.hpp"
#include "backends/cuda/report.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

constexpr Index n_stepped = 9, stepping_threads = 4, columns_apart = 32;

/// States on their way, [row][robot]: driven, pushed, led to a target.
template <class T>
struct Stepped {
  static constexpr std::size_t n = std::size(Step::arguments);
  std::vector<T> numbers[n];
  Array<T> arrays[n];
  std::vector<Status> status = std::vector<Status>(n_stepped);
  std::vector<std::int32_t> iterations = std::vector<std::int32_t>(n_stepped);

  explicit Stepped(const Model& model) {
    for (std::size_t k = 0; k < n; ++k) {
      const Argument& argument = Step::arguments[k];
      const Index rows = shape(argument.rows, model.view<T>()).count();
      for (Index row = 0; row < rows; ++row)
        for (Index b = 0; b < n_stepped; ++b)
          numbers[k].push_back(static_cast<T>(value(argument, random_state(model, 40 + std::uint64_t(b)), row)));
      arrays[k] = {numbers[k].data(), 1, n_stepped};
    }
  }
  static double value(const Argument& argument, const State& s, Index row) {
    const std::string_view name = argument.name;
    if (name == "q" || name == "q_target") return s.q[row];
    if (name == "v") return s.v[row];
    if (name == "tau") return s.tau[row];
    if (name == "f_ext") return s.f_ext[row];
    if (name == "dt") return 1e-3;
    return name == "kp" || name == "kd" ? std::abs(s.tau[row]) : 0;
  }
  std::vector<T>& of(std::string_view name) {
    for (std::size_t k = 0; k < n; ++k)
      if (name == Step::arguments[k].name) return numbers[k];
    throw std::out_of_range(std::string(name));
  }

  void in_lanes(const Model& model, const Options& options) {
    Workspace<T> work;
    Batch<T> batch(n_stepped, 1, status);
    batch.iterations = iterations;
    evaluate<T>(find_algorithm("step"), model, arrays, batch, work, options);
  }
  void by_threads(const Model& model, const Options& options) {
    using V = cuda::Varied<Step>;
    const auto& m = model.view<T>();
    const Step body = with_options<Step>(options);
    cuda::Arguments<Step, T> arguments;
    std::ranges::copy(arrays, arguments.array);
    cuda::Watched<T> watched;
    watched.iterations = iterations.data();
    watched.inverts_mass_matrix = true;
    for (; watched.count < static_cast<int>(n); ++watched.count) {
      watched.arguments[watched.count] = Step::arguments[watched.count];
      watched.arrays[watched.count] = arrays[watched.count];
    }
    std::vector<std::uint8_t> bits(n_stepped);
    const auto watch = [&](bool inputs) {
      for (Index b = 0; b < n_stepped; ++b) cuda::watch_state(watched, m, inputs, bits.data(), status.data(), b);
    };
    const cuda::Replication<T> replication(model);
    const auto view = known_as<cuda::InWarp<T>>(replication.view(m, replication.numbers().data()));
    std::vector<T> work(static_cast<std::size_t>(body.work_rows(m) * columns_apart),
                        std::numeric_limits<T>::quiet_NaN());
    watch(true);
    for (Index t = 0; t < stepping_threads + 2; ++t)
      cuda::run_thread<V>(body, view, arguments, n_stepped,
                          cuda::Scratch<T>{work.data(), columns_apart, stepping_threads}, {}, iterations.data(), t);
    watch(false);
  }
};

/// Products are fused there and not here: a rounding each, of hundreds a step.
template <class T>
void expect_stepped(const std::vector<T>& found, const std::vector<T>& expected) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(double{found[k]}, double{expected[k]},
                32 * 100 * double{std::numeric_limits<T>::epsilon()} * (1 + std::abs(double{expected[k]})));
}

template <class T>
class StepThreads : public ::testing::Test {};
TYPED_TEST_SUITE(StepThreads, Reals);

TYPED_TEST(StepThreads, DoWhatLanesDo) {
  using T = TypeParam;
  for (const char* name : {"chain:7", "every_joint", "tree:24+floating", "mimic_branches"})
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint}) {
      SCOPED_TRACE(std::string(name) + ", " + to_string(integrator));
      const Model& model = case_named(name).model;
      const Options options = {.tolerance = 1e-4, .integrator = integrator, .steps = 3};
      Stepped<T> there(model), here(model);
      there.by_threads(model, options);
      here.in_lanes(model, options);
      expect_stepped(there.of("q_next"), here.of("q_next"));
      expect_stepped(there.of("v_next"), here.of("v_next"));
      EXPECT_EQ(there.status, here.status);
      EXPECT_EQ(there.iterations, here.iterations);
      EXPECT_EQ(here.iterations[0] > 0, integrator == Integrator::implicit_midpoint);
    }
}

TYPED_TEST(StepThreads, SayWhereAnIterationEndedTooEarly) {
  const Model& model = case_named("chain:7").model;
  const Options options = {.max_iterations = 1, .integrator = Integrator::implicit_midpoint, .steps = 3};
  Stepped<TypeParam> there(model), here(model);
  there.by_threads(model, options);
  here.in_lanes(model, options);
  EXPECT_EQ(there.status, std::vector<Status>(n_stepped, Status::not_converged));
  EXPECT_EQ(here.status, there.status);
  EXPECT_EQ(there.iterations, std::vector<std::int32_t>(n_stepped, -1 - 3));
  EXPECT_EQ(here.iterations, std::vector<std::int32_t>(n_stepped, 3));
}

}  // namespace
}  // namespace tandem::test
