// SPDX-License-Identifier: Apache-2.0
/// Parameters that differ from state to state, by methods that divide each robot: what those give that do not.
#include "links/link_call.hpp"

namespace tandem::test {
namespace {

constexpr Index n_states = 3;

/// States of a robot side by side, each with masses, inertias, rotors and gravity of its own.
template <class T>
class Varied {
 public:
  explicit Varied(const Model& model) : model_(model) {
    const Index links = model.n_links(), nv = model.nv();
    Random random(3);
    for (Index b = 0; b < n_states; ++b) {
      states_.push_back(calm_state(model, 20 + static_cast<std::uint64_t>(b)));
      for (Index i = 0; i < links; ++i) numbers_[0].push_back(static_cast<T>(random.uniform(0.5, 2)));
      for (Index i = 0; i < 3 * links; ++i) numbers_[1].push_back(static_cast<T>(random.uniform(-0.1, 0.1)));
      for (Index i = 0; i < links; ++i)
        for (const double x : {0.3, 0.01, -0.02, 0.4, 0.03, 0.5})
          numbers_[2].push_back(static_cast<T>(x * random.uniform(0.9, 1.1)));
      for (Index k = 0; k < nv; ++k) numbers_[3].push_back(static_cast<T>(random.uniform(0.05, 0.2)));
      for (int k = 0; k < 3; ++k) numbers_[4].push_back(static_cast<T>(random.uniform(-10, 10)));
    }
    const Parameter which[] = {Parameter::mass, Parameter::com, Parameter::inertia, Parameter::armature,
                               Parameter::gravity};
    for (std::size_t k = 0; k < std::size(which); ++k)
      parameters_.push_back(
          {which[k], Array<T>::input(numbers_[k].data(), static_cast<Index>(numbers_[k].size()) / n_states)});
  }

  /// The only output, a column for every state.
  Matrix run(const char* name, const Options& options, int threads = 1, bool alone = false) {
    const Algorithm& algorithm = find_algorithm(name);
    std::vector<std::vector<T>> memory;
    for (const Argument& argument : algorithm.arguments) {
      const Index rows = is_optional(argument) ? 0 : shape(argument.rows, model_.view<T>()).count();
      auto& x = memory.emplace_back(static_cast<std::size_t>(rows * n_states), T(0));
      const std::string_view of = argument.name;
      for (Index b = 0; b < n_states && is_input(argument) && rows > 0; ++b) {
        const State& s = states_[static_cast<std::size_t>(b)];
        const Vector& from = of == "q" ? s.q : of == "v" ? s.v : of == "a" ? s.a : s.tau;
        for (Index row = 0; row < rows; ++row) x[static_cast<std::size_t>(b * rows + row)] = static_cast<T>(from[row]);
      }
    }
    Workspace<T> work;
    const auto rows = static_cast<Index>(memory.back().size()) / n_states;
    for (Index first = 0; first < n_states; first += alone ? 1 : n_states) {
      std::vector<Array<T>> arrays;
      for (auto& x : memory) {
        const auto stride = static_cast<Index>(x.size()) / n_states;
        arrays.push_back({x.empty() ? nullptr : x.data() + first * stride, stride});
      }
      std::vector<BatchedParameter<T>> varied = parameters_;
      for (auto& p : varied) p.values.data += first * p.values.stride;
      std::vector<Status> status(static_cast<std::size_t>(alone ? 1 : n_states), Status::singular);
      evaluate<T>(algorithm, model_, arrays, Batch<T>(alone ? 1 : n_states, threads, status, varied), work, options);
      for (const Status one : status) EXPECT_TRUE(one == Status::ok || one == Status::limit);
    }
    Matrix results(rows, n_states);
    for (Index k = 0; k < rows * n_states; ++k)
      results(k % rows, k / rows) = static_cast<double>(memory.back()[static_cast<std::size_t>(k)]);
    return results;
  }

 private:
  const Model& model_;
  std::vector<State> states_;
  std::vector<T> numbers_[5];
  std::vector<BatchedParameter<T>> parameters_;
};

template <class T>
class ParametersOfStates : public ::testing::Test {};
TYPED_TEST_SUITE(ParametersOfStates, BothReals);

TYPED_TEST(ParametersOfStates, GoIntoMethodsThatDivideARobot) {
  for (const Model& model : {generate("chain:40", 3).build(), generate("snake:20", 3).build(), fork(8)}) {
    Varied<TypeParam> varied(model);
    for (const char* problem : {"inverse_dynamics", "mass_matrix", "forward_dynamics"}) {
      const Algorithm& algorithm = find_algorithm(problem);
      const Matrix expected = varied.run(problem, {.method = algorithm.methods[1]});
      int divided = 0;
      for (const Method method : methods_of(algorithm)) {
        Options options = {.method = method};
        if (refusal(algorithm, model, options)) continue;
        if (std::find(algorithm.methods.begin(), algorithm.methods.end(), method) != algorithm.methods.end()) continue;
        SCOPED_TRACE(model.name() + ", " + problem + ", " + to_string(method));
        ++divided;
        const Matrix one = varied.run(problem, options);
        // forward dynamics is worse conditioned, by some methods more than by others
        const double digits = std::string_view(problem) == "forward_dynamics" ? 1e6 : 1e3;
        EXPECT_LE((one - expected).cwiseAbs().maxCoeff(),
                  digits * std::numeric_limits<TypeParam>::epsilon() * size_of(expected));
        EXPECT_TRUE(varied.run(problem, options, 4) == one) << "other bits on more threads";
        EXPECT_TRUE(varied.run(problem, options, 1, true) == one) << "other bits of states that come alone";
      }
      EXPECT_GE(divided, 1) << model.name() << ", " << problem;
    }
  }
}

}  // namespace
}  // namespace tandem::test
