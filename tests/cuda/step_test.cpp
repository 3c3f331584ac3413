// SPDX-License-Identifier: Apache-2.0
/// Steps and their derivatives as threads of the GPU do them, run on the processor, against those in lanes.
#include "backends/cuda/report.hpp"
#include "cuda/threads.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

constexpr Index n_stepped = 9, stepping_threads = 4, columns_apart = 32;

/// States on their way, [row][robot]: driven, pushed, led to a target.
template <class Body, class T>
struct Stepped {
  static constexpr std::size_t n = std::size(Body::arguments);
  std::vector<T> numbers[n];
  Array<T> arrays[n];
  std::vector<Status> status = std::vector<Status>(n_stepped);
  std::vector<std::int32_t> iterations = std::vector<std::int32_t>(n_stepped);

  explicit Stepped(const Model& model) {
    for (std::size_t k = 0; k < n; ++k) {
      const Argument& argument = Body::arguments[k];
      const Index rows = shape(argument.rows, model.view<T>()).count();
      for (Index row = 0; row < rows; ++row)
        for (Index b = 0; b < n_stepped; ++b)
          numbers[k].push_back(static_cast<T>(value_of(argument, k, random_state(model, 40 + std::uint64_t(b)), row)));
      arrays[k] = {numbers[k].data(), 1, n_stepped};
    }
  }
  std::vector<T>& of(std::string_view name) {
    for (std::size_t k = 0; k < n; ++k)
      if (name == Body::arguments[k].name) return numbers[k];
    throw std::out_of_range(std::string(name));
  }

  void in_lanes(const Model& model, const Options& options) {
    Workspace<T> work;
    Batch<T> batch(n_stepped, 1, status);
    batch.iterations = iterations;
    evaluate<T>(find_algorithm(Body::name), model, arrays, batch, work, options);
  }
  void by_threads(const Model& model, const Options& options) {
    using V = cuda::Varied<Body>;
    const auto& m = model.view<T>();
    const Body body = with_options<Body>(options);
    cuda::Arguments<Body, T> arguments;
    std::ranges::copy(arrays, arguments.array);
    cuda::Watched<T> watched;
    watched.iterations = iterations.data();
    watched.inverts_mass_matrix = true;
    for (; watched.count < static_cast<int>(n); ++watched.count) {
      watched.arguments[watched.count] = Body::arguments[watched.count];
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
  /// The body state by state, on numbers that lie side by side.
  void side_by_side(const Model& model, const Options& options) {
    const auto& m = model.view<T>();
    const Body body = with_options<Body>(options);
    std::vector<T> work(static_cast<std::size_t>(body.work_rows(m)));
    for (std::size_t b = 0; b < n_stepped; ++b) {
      std::vector<T> columns[n];
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t at = b; at < numbers[k].size(); at += n_stepped) columns[k].push_back(numbers[k][at]);
      [&]<std::size_t... k>(std::index_sequence<k...>) { body.template body<T>(m, columns[k].data()..., work.data()); }
      (std::make_index_sequence<n>());
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t row = 0; row < columns[k].size(); ++row) numbers[k][row * n_stepped + b] = columns[k][row];
    }
  }
};

/// The largest condition number of the mass matrix in the states that are stepped, which enlarges roundings.
double condition_of(const Model& model) {
  double kappa = 1;
  for (Index b = 0; b < n_stepped; ++b)
    kappa = std::max(kappa, condition(Robot<double>(model).mass_matrix(random_state(model, 40 + std::uint64_t(b)).q)));
  return kappa;
}

/// Products are fused there and not here: a rounding each, of hundreds a step; kappa is what enlarges them.
template <class T>
void expect_stepped(const std::vector<T>& found, const std::vector<T>& expected, double kappa = 100) {
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(double{found[k]}, double{expected[k]},
                32 * kappa * double{std::numeric_limits<T>::epsilon()} *
                    (1 + std::abs(double{expected[k]})));
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
      Stepped<Step, T> there(model), alone(model), here(model);
      there.by_threads(model, options);
      alone.side_by_side(model, options);
      here.in_lanes(model, options);
      EXPECT_EQ(there.of("q_next"), alone.of("q_next"));
      EXPECT_EQ(there.of("v_next"), alone.of("v_next"));
      const double kappa = name == std::string_view("tree:24+floating") ? condition_of(model) : 100;  // 640
      expect_stepped(there.of("q_next"), here.of("q_next"), kappa);
      expect_stepped(there.of("v_next"), here.of("v_next"), kappa);
      EXPECT_EQ(there.status, here.status);
      EXPECT_EQ(there.iterations, here.iterations);
      EXPECT_EQ(here.iterations[0] > 0, integrator == Integrator::implicit_midpoint);
    }
}

template <class Body, class T>
void expect_derivatives() {
  for (const char* name : {"chain:7", "every_joint", "tree:24+floating", "mimic_branches"})
    for (const Integrator integrator :
         {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint}) {
      SCOPED_TRACE(std::string(name) + ", " + to_string(integrator));
      const Model& model = case_named(name).model;
      const Options options = {.tolerance = 1e-4, .integrator = integrator};
      Stepped<Body, T> there(model), alone(model), lanes(model);
      there.by_threads(model, options);
      alone.side_by_side(model, options);
      lanes.in_lanes(model, options);
      for (std::size_t k = 0; k < there.n; ++k)
        EXPECT_EQ(there.numbers[k], alone.numbers[k]) << Body::arguments[k].name;
      expect_stepped(there.of("q_next"), lanes.of("q_next"));
      EXPECT_EQ(there.status, lanes.status);
      EXPECT_EQ(there.iterations, lanes.iterations);
      EXPECT_EQ(lanes.iterations[0] > 0, integrator == Integrator::implicit_midpoint);
    }
}
TYPED_TEST(StepThreads, GiveDerivativesOfSteps) {
  expect_derivatives<StepVjp, TypeParam>();
  expect_derivatives<StepJvp, TypeParam>();
}

TYPED_TEST(StepThreads, SayWhereAnIterationEndedTooEarly) {
  const Model& model = case_named("chain:7").model;
  const Options options = {.max_iterations = 1, .integrator = Integrator::implicit_midpoint, .steps = 3};
  Stepped<Step, TypeParam> there(model), here(model);
  there.by_threads(model, options);
  here.in_lanes(model, options);
  EXPECT_EQ(there.status, std::vector<Status>(n_stepped, Status::not_converged));
  EXPECT_EQ(here.status, there.status);
  EXPECT_EQ(there.iterations, std::vector<std::int32_t>(n_stepped, -1 - 3));
  EXPECT_EQ(here.iterations, std::vector<std::int32_t>(n_stepped, 3));
}

}  // namespace
}  // namespace tandem::test
