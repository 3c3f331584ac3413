// SPDX-License-Identifier: Apache-2.0
/// Models that differ from state to state, and what becomes of states, as threads of the GPU do it, run on the
/// processor.
#include "api/parameters.hpp"
#include "backends/cuda/instance.hpp"
#include "backends/cuda/replication.hpp"
#include "backends/cuda/report.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

template <class T>
class ThreadsOfAGpu : public ::testing::Test {};
TYPED_TEST_SUITE(ThreadsOfAGpu, Reals);

constexpr Index n_varied = 37, row_distance = 64;  // states; numbers of a row of scratch memory, whole warps

/// Arguments of inverse dynamics [row][state], and parameters near those of the model.
template <class T>
struct VariedStates {
  explicit VariedStates(const Model& model) : parameters(n_parameters) {
    const Index nq = model.nq(), nv = model.nv();
    for (auto* of : {&v, &a, &tau}) of->resize(static_cast<std::size_t>(nv * n_varied));
    q.resize(static_cast<std::size_t>(nq * n_varied));
    const LinkNumbers<T> links(model);
    for (Index b = 0; b < n_varied; ++b) {
      const State s = random_state(model, 500 + static_cast<std::uint64_t>(b));
      for (Index k = 0; k < nq; ++k) q[at(k, b)] = static_cast<T>(s.q[k]);
      for (Index k = 0; k < nv; ++k) v[at(k, b)] = static_cast<T>(s.v[k]), a[at(k, b)] = static_cast<T>(s.a[k]);
    }
    const std::vector<T>* const of_links[] = {&links.mass, &links.com, &links.inertia};
    for (int p = 0; p < n_parameters; ++p) {
      const Index rows = shape(tandem::parameters()[static_cast<std::size_t>(p)].rows, model.view<T>()).count();
      parameters[static_cast<std::size_t>(p)].resize(static_cast<std::size_t>(rows * n_varied));
      for (Index row = 0; row < rows; ++row)
        for (Index b = 0; b < n_varied; ++b) {
          const T near = p < 3 ? (*of_links[p])[static_cast<std::size_t>(row)] : T(0.5);
          parameters[static_cast<std::size_t>(p)][at(row, b)] = near * (T(1) + T(b) / T(100));
        }
    }
  }
  static std::size_t at(Index row, Index b) { return static_cast<std::size_t>(row * n_varied + b); }
  std::vector<Array<T>> arguments() {
    return {{q.data(), 1, n_varied}, {v.data(), 1, n_varied}, {a.data(), 1, n_varied}, {}, {tau.data(), 1, n_varied}};
  }
  /// All parameters but the centres of mass, for which the model's stand.
  std::vector<BatchedParameter<T>> given() {
    std::vector<BatchedParameter<T>> all;
    for (int p = 0; p < n_parameters; ++p)
      if (static_cast<Parameter>(p) != Parameter::com)
        all.push_back({static_cast<Parameter>(p), {parameters[static_cast<std::size_t>(p)].data(), 1, n_varied}});
    return all;
  }
  std::vector<T> q, v, a, tau;
  std::vector<std::vector<T>> parameters;
};

TYPED_TEST(ThreadsOfAGpu, GiveEveryStateAModelOfItsOwn) {
  using T = TypeParam;
  using V = cuda::Varied<InverseDynamics>;
  for (const char* name : {"chain:7", "every_joint", "tree:24+floating", "mimic_branches"}) {
    SCOPED_TRACE(name);
    const Model& model = case_named(name).model;
    const auto& m = model.view<T>();
    VariedStates<T> states(model);
    const auto given = states.given();
    Workspace<T> workspace;
    evaluate<T>(find_algorithm("inverse_dynamics"), model, states.arguments(), {n_varied, 1, {}, given}, workspace);
    const std::vector<T> expected = std::exchange(states.tau, std::vector<T>(states.tau.size()));

    const ParametersOfModel<T> parameters(model, given, n_varied);
    const cuda::Replication<T> replication(model);
    const T* const numbers = replication.numbers().data();
    const Index rows = InverseDynamics::work_rows(m);
    std::vector<T> work(static_cast<std::size_t>((rows + cuda::own_rows(m)) * row_distance));
    const auto variation = replication.variation(parameters.arrays(), numbers, work.data() + rows * row_distance);
    const auto view = known_as<cuda::InWarp<T>>(replication.view(m, numbers));
    cuda::Arguments<InverseDynamics, T> arguments;
    std::ranges::copy(states.arguments(), arguments.array);
    for (Index t = 0; t < 5; ++t)  // some with several states to work on
      cuda::run_thread<V>({}, view, arguments, n_varied, cuda::Scratch<T>{work.data(), row_distance, 5}, variation,
                          nullptr, t);
    T largest = 0;
    for (const T x : expected) largest = std::max(largest, std::abs(x));
    const T bound = T(1000) * std::numeric_limits<T>::epsilon() * largest;
    for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(states.tau[k], expected[k], bound) << k;
  }
}

TYPED_TEST(ThreadsOfAGpu, TellWhatBecomesOfStates) {
  using T = TypeParam;
  const Model& model = case_named("humanoid").model;
  VariedStates<T> states(model);
  states.v[VariedStates<T>::at(3, 4)] = std::numeric_limits<T>::quiet_NaN();
  states.q[VariedStates<T>::at(model.nq() - 1, 5)] = T(100);  // beyond its limits
  states.a[VariedStates<T>::at(2, 6)] = std::numeric_limits<T>::infinity();
  Workspace<T> workspace;
  std::vector<Status> expected(n_varied), status(n_varied);
  evaluate<T>(find_algorithm("inverse_dynamics"), model, states.arguments(), {n_varied, 1, expected}, workspace);
  EXPECT_EQ(expected[4], Status::non_finite);
  EXPECT_EQ(expected[5], Status::limit);

  cuda::Watched<T> watched;
  for (const Array<T>& array : states.arguments()) {
    watched.arguments[watched.count] = InverseDynamics::arguments[watched.count];
    watched.arrays[watched.count++] = array;
  }
  std::vector<std::uint8_t> bits(n_varied);
  for (const bool inputs : {true, false})
    for (Index b = 0; b < n_varied; ++b)
      cuda::watch_state(watched, model.view<T>(), inputs, bits.data(), status.data(), b);
  EXPECT_EQ(status, expected);
}

}  // namespace
}  // namespace tandem::test
