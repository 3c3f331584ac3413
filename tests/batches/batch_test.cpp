// SPDX-License-Identifier: Apache-2.0
/// Batches: the same bits at any size, place, layout, number of threads and, without fused multiply-adds, on any
/// instruction set; what bad states do; parameters that differ from state to state.
#include <limits>
#include <thread>

#include "support/errors.hpp"
#include "support/many.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

template <class T>
class Batches : public ::testing::Test {};
TYPED_TEST_SUITE(Batches, BothReals);

/// Restores the instruction set that was in use.
class ChosenSet {
 public:
  explicit ChosenSet(const std::string& name) : before_(instruction_set()) { use_instruction_set(name); }
  ChosenSet(const ChosenSet&) = delete;
  ChosenSet& operator=(const ChosenSet&) = delete;
  ~ChosenSet() { use_instruction_set(before_); }

 private:
  std::string before_;
};

/// Random states and the outputs of an algorithm for them.
template <class T>
class States {
 public:
  States(const Algorithm& algorithm, const Model& model, Index n) : algorithm_(algorithm), model_(model), n_(n) {
    for (const Argument& argument : algorithm.arguments) {
      rows_.push_back(shape(argument.rows, model.view<T>()).count());
      data_.emplace_back(static_cast<std::size_t>(n * rows_.back()), T(-7));
    }
    for (Index b = 0; b < n; ++b) {
      const auto seed = static_cast<std::uint64_t>(b + 1);
      const RandomInputs inputs(model, seed, 1000 + seed);
      for (std::size_t k = 0; k < data_.size(); ++k) {
        const Argument& argument = algorithm.arguments[k];
        if (argument.role == Role::output || argument.role == Role::optional_output) continue;
        const std::string_view name = argument.name;
        const Vector& from = inputs.of(argument);
        for (Index r = 0; r < rows_[k]; ++r)
          at(k, b)[r] = static_cast<T>(name == "dt"      ? 1e-3 * (2 + std::sin(from[0]))
                                       : name == "stops" ? 0
                                       : name == "diagonal" || name == "kp" || name == "kd" ? std::abs(from[r])
                                                                                            : from[r]);
      }
    }
  }

  T* at(std::size_t k, Index b) { return data_[k].data() + b * rows_[k]; }
  Index rows(std::size_t k) const { return rows_[k]; }
  std::size_t find(std::string_view name) const {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      if (name == algorithm_.arguments[k].name) return k;
    ADD_FAILURE() << "no argument " << name;
    return 0;
  }
  bool is_output(std::size_t k) const {
    return algorithm_.arguments[k].role == Role::output || algorithm_.arguments[k].role == Role::optional_output;
  }

  /// All outputs of states begin .. begin + n - 1, one state behind the other.
  std::vector<T> run(Index begin, Index n, const Options& options, int threads = 1, std::span<Status> status = {},
                     std::span<const BatchedParameter<T>> parameters = {}) {
    std::vector<Array<T>> arrays;
    for (std::size_t k = 0; k < data_.size(); ++k) arrays.push_back({at(k, begin), rows_[k], 1});
    evaluate<T>(algorithm_, model_, arrays, Batch<T>(n, threads, status, parameters), work_, options);
    return outputs(begin, n);
  }
  /// The same from and to arrays [row][batch] that begin at an odd place.
  std::vector<T> run_by_rows(const Options& options, int threads = 1) {
    const Index stride = n_ + 3;
    std::vector<std::vector<T>> turned;
    std::vector<Array<T>> arrays;
    for (std::size_t k = 0; k < data_.size(); ++k) {
      turned.emplace_back(static_cast<std::size_t>(rows_[k] * stride + 1), T(-7));
      for (Index b = 0; b < n_; ++b)
        for (Index r = 0; r < rows_[k]; ++r) turned.back()[static_cast<std::size_t>(r * stride + b + 1)] = at(k, b)[r];
    }
    for (auto& column : turned) arrays.push_back({column.data() + 1, 1, stride});
    evaluate<T>(algorithm_, model_, arrays, Batch<T>(n_, threads), work_, options);
    for (std::size_t k = 0; k < data_.size(); ++k)
      for (Index b = 0; b < n_; ++b)
        for (Index r = 0; r < rows_[k]; ++r) at(k, b)[r] = turned[k][static_cast<std::size_t>(r * stride + b + 1)];
    return outputs(0, n_);
  }

 private:
  std::vector<T> outputs(Index begin, Index n) {
    std::vector<T> all;
    for (Index b = begin; b < begin + n; ++b)
      for (std::size_t k = 0; k < data_.size(); ++k)
        if (is_output(k)) all.insert(all.end(), at(k, b), at(k, b) + rows_[k]);
    return all;
  }

  const Algorithm& algorithm_;
  const Model& model_;
  Index n_;
  std::vector<Index> rows_;
  std::vector<std::vector<T>> data_;
  Workspace<T> work_;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

template <class F>
void for_each_call(F&& f) {
  std::vector<const char*> robots = {"every_joint", "mimic_branches"};
  if (!sanitized) robots.insert(robots.end(), {"chain:7", "tree:24+floating", "humanoid"});
  for (const char* name : robots)
    for (const Algorithm& algorithm : algorithms())
      for (const Options& options : own_options(algorithm, case_named(name).model)) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + name + ", " + to_string(options.reference) + ", " +
                     to_string(options.method));
        f(algorithm, case_named(name).model, options);
      }
}

TYPED_TEST(Batches, HaveTheSameBitsAtAnySizePlaceAndLayoutAndOnAnyNumberOfThreads) {
  for (const std::string& set : instruction_sets()) {
    const ChosenSet chosen(set);
    SCOPED_TRACE(set);
    for_each_call([](const Algorithm& algorithm, const Model& model, const Options& options) {
      constexpr Index n = 71;
      States<TypeParam> states(algorithm, model, n);
      const auto singly = [&] {
        std::vector<TypeParam> all;
        for (Index b = 0; b < n; ++b) {
          const auto one = states.run(b, 1, options);
          all.insert(all.end(), one.begin(), one.end());
        }
        return all;
      }();
      EXPECT_TRUE(same(states.run(0, n, options), singly));
      EXPECT_TRUE(same(states.run(0, n, options, 3), singly)) << "three threads";
      EXPECT_TRUE(same(states.run_by_rows(options), singly)) << "[row][batch]";
      const auto per_state = singly.size() / n;
      for (const Index size : {2, 3, 7, 9, 15, 17, 33}) {
        const auto part = states.run(5, size, options);
        EXPECT_TRUE(same_bits(part.data(), singly.data() + 5 * per_state, part.size())) << size << " states";
      }
    });
  }
}

/// Deep robots solve with M column by column, one state several columns side by side, lanes one after the other.
TYPED_TEST(Batches, OfDeepRobotsHaveTheBitsOfOneState) {
  constexpr Index n = 19;
  for (const Model& model : {with_legs(60, 6, JointType::revolute), with_legs(30, 3, JointType::spherical)})
    for (const Algorithm& algorithm : algorithms()) {
      const std::string_view name = algorithm.name;
      if (name != "forward_dynamics_derivatives" && name != "inverse_mass_matrix") continue;
      SCOPED_TRACE(algorithm.name);
      States<TypeParam> states(algorithm, model, n);
      std::vector<TypeParam> singly;
      for (Index b = 0; b < n; ++b) {
        const auto one = states.run(b, 1, Options{});
        singly.insert(singly.end(), one.begin(), one.end());
      }
      EXPECT_TRUE(same(states.run(0, n, Options{}), singly));
    }
}

TYPED_TEST(Batches, HaveTheSameBitsOnEveryInstructionSetWithoutFusedMultiplyAdds) {
#if !defined(TANDEM_STRICT)
  GTEST_SKIP()
      << "instruction sets with and without fused multiply-adds round differently; preset strict compares them";
#endif
  if (instruction_sets().size() == 1)
    GTEST_SKIP() << "this build has one instruction set; there is none to compare with";
  for_each_call([](const Algorithm& algorithm, const Model& model, const Options& options) {
    States<TypeParam> states(algorithm, model, 37);
    std::vector<TypeParam> first;
    for (const std::string& set : instruction_sets()) {
      const ChosenSet chosen(set);
      const auto outputs = states.run(0, 37, options);
      if (first.empty()) first = outputs;
      EXPECT_TRUE(same(outputs, first)) << set;
    }
  });
}

TYPED_TEST(Batches, OnManyThreadsAtOnceFromManyCallers) {
  const Model& model = case_named("humanoid").model;
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  States<TypeParam> reference(algorithm, model, 600);
  const auto expected = reference.run(0, 600, {});
  std::vector<std::thread> callers;
  std::vector<int> right(3);
  for (std::size_t k = 0; k < right.size(); ++k)
    callers.emplace_back([&, k] {
      States<TypeParam> own(algorithm, model, 600);
      for (int repeat = 0; repeat < 3; ++repeat)
        right[k] += same(own.run(0, 600, {}, static_cast<int>(k) + 1), expected);
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(right, std::vector<int>(3, 3));
}

TYPED_TEST(Batches, ABadStateInAnyLaneLeavesItsNeighboursAlone) {
  using T = TypeParam;
  for (const std::string& set : instruction_sets()) {
    const ChosenSet chosen(set);
    SCOPED_TRACE(set);
    for (const char* name : {"every_joint", "humanoid"}) {
      if (sanitized && std::string_view(name) == "humanoid") continue;
      const Model& model = case_named(name).model;
      for (const char* function : {"inverse_dynamics", "forward_dynamics", "mass_matrix"}) {
        const Algorithm& algorithm = find_algorithm(function);
        constexpr Index n = 32;
        States<T> states(algorithm, model, n);
        const auto clean = states.run(0, n, {});
        const auto per_state = clean.size() / n;
        for (const T bad : {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity(), T(1e12)})
          for (Index b = 0; b < n; ++b) {
            std::vector<T> before(states.at(0, b), states.at(0, b) + states.rows(0));
            std::fill_n(states.at(0, b), states.rows(0), bad);
            std::vector<Status> status(static_cast<std::size_t>(n), Status::singular);
            const auto outputs = states.run(0, n, {}, 1, status);
            std::copy(before.begin(), before.end(), states.at(0, b));
            for (Index other = 0; other < n; ++other) {
              const auto begin = static_cast<std::size_t>(other) * per_state;
              if (other != b) {
                EXPECT_TRUE(same_bits(clean.data() + begin, outputs.data() + begin, per_state)) << b << " " << other;
                EXPECT_LE(status[static_cast<std::size_t>(other)], Status::limit);
              } else if (!std::isfinite(bad)) {
                EXPECT_EQ(status[static_cast<std::size_t>(other)], Status::non_finite);
              }
            }
          }
      }
    }
  }
}

TYPED_TEST(Batches, SayWhatBecameOfEveryState) {
  using T = TypeParam;
  ModelBuilder builder("pendulum");
  builder.link({.name = "base"});
  builder.link({.name = "bob", .mass = 2, .inertia = {1, 0, 0, 1, 0, 1}});
  JointDescription joint = {.name = "hinge", .type = JointType::revolute, .parent = "base", .child = "bob"};
  joint.lower = -1;
  joint.upper = 1;
  joint.velocity = 3;
  joint.effort = 10;
  builder.joint(joint);
  const Model model = builder.build();
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  States<T> states(algorithm, model, 7);
  for (Index b = 0; b < 7; ++b)
    for (const char* name : {"q", "v", "tau", "f_ext", "diagonal"})
      std::fill_n(states.at(states.find(name), b), states.rows(states.find(name)), T(0));
  states.at(states.find("q"), 1)[0] = T(1.5);
  states.at(states.find("v"), 2)[0] = T(-4);
  states.at(states.find("tau"), 3)[0] = T(11);
  states.at(states.find("v"), 4)[0] = std::numeric_limits<T>::infinity();
  states.at(states.find("diagonal"), 5)[0] = T(-1);  // cancels the inertia
  std::vector<Status> status(7);
  states.run(0, 7, {}, 1, status);
  EXPECT_EQ(status, (std::vector<Status>{Status::ok, Status::limit, Status::limit, Status::limit, Status::non_finite,
                                         Status::singular, Status::ok}));
}

TYPED_TEST(Batches, ParametersThatAreTheModelsOwnChangeNothingMuch) {
  using T = TypeParam;
  for_each_call([](const Algorithm& algorithm, const Model& model, const Options& options) {
    constexpr Index n = 21;
    States<T> states(algorithm, model, n);
    const auto plain = states.run(0, n, options);
    std::vector<T> gravity;
    for (Index b = 0; b < n; ++b)
      for (const double x : model.gravity()) gravity.push_back(static_cast<T>(x));
    const std::vector<BatchedParameter<T>> parameters = {{Parameter::gravity, Array<T>::input(gravity.data(), 3)}};
    EXPECT_TRUE(same(states.run(0, n, options, 1, {}, parameters), plain));
    EXPECT_TRUE(same(states.run(0, n, options, 2, {}, parameters), plain));
  });
}

/// Each state of a batch with parameters of its own agrees with a robot that was built with them.
TYPED_TEST(Batches, ParametersDifferFromStateToState) {
  using T = TypeParam;
  const Case& c = case_named("tree:24+floating");
  constexpr Index n = 19;
  const Index links = c.model.n_links(), nv = c.model.nv();
  Random random(3);
  std::vector<T> mass, com, inertia, armature, damping, gravity;
  for (Index b = 0; b < n; ++b) {
    for (Index i = 0; i < links; ++i) mass.push_back(static_cast<T>(random.uniform(0.5, 2)));
    for (Index i = 0; i < 3 * links; ++i) com.push_back(static_cast<T>(random.uniform(-0.1, 0.1)));
    for (Index i = 0; i < links; ++i)
      for (const double x : {0.3, 0.01, -0.02, 0.4, 0.03, 0.5})
        inertia.push_back(static_cast<T>(x * random.uniform(0.9, 1.1)));
    for (Index k = 0; k < nv; ++k) armature.push_back(static_cast<T>(random.uniform(0, 0.2)));
    for (Index k = 0; k < nv; ++k) damping.push_back(static_cast<T>(random.uniform(0, 0.2)));
    for (int k = 0; k < 3; ++k) gravity.push_back(static_cast<T>(random.uniform(-10, 10)));
  }
  const std::vector<BatchedParameter<T>> all = {
      {Parameter::mass, Array<T>::input(mass.data(), links)},
      {Parameter::com, Array<T>::input(com.data(), 3 * links)},
      {Parameter::inertia, Array<T>::input(inertia.data(), 6 * links)},
      {Parameter::armature, Array<T>::input(armature.data(), nv)},
      {Parameter::damping, Array<T>::input(damping.data(), nv)},
      {Parameter::gravity, Array<T>::input(gravity.data(), 3)},
  };
  // M a + c = tau, and back, with the same parameters
  States<T> inverse(find_algorithm("inverse_dynamics"), c.model, n),
      forward(find_algorithm("forward_dynamics"), c.model, n);
  const auto tau = inverse.run(0, n, {}, 1, {}, all);
  for (Index b = 0; b < n; ++b) {
    std::copy_n(tau.data() + b * nv, nv, forward.at(forward.find("tau"), b));
    std::fill_n(forward.at(forward.find("diagonal"), b), nv, T(0));
  }
  const auto a = forward.run(0, n, {}, 2, {}, all);
  const double tolerance = 1e4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (Index b = 0; b < n; ++b)
    for (Index k = 0; k < nv; ++k)
      EXPECT_NEAR(a[static_cast<std::size_t>(b * nv + k)], inverse.at(inverse.find("a"), b)[k], 20 * tolerance);
  // a state alone has the same bits
  const auto one = inverse.run(7, 1, {}, 1, {}, [&] {
    static std::vector<BatchedParameter<T>> of_seven;
    of_seven = all;
    for (auto& p : of_seven) p.values.data += 7 * p.values.stride;
    return std::span<const BatchedParameter<T>>(of_seven);
  }());
  EXPECT_TRUE(same_bits(one.data(), tau.data() + 7 * nv, one.size()));
  States<T> energy(find_algorithm("centre_of_mass"), c.model, n);
  const auto plain = energy.run(0, n, {});
  EXPECT_FALSE(same(energy.run(0, n, {}, 1, {}, all), plain));
}

TEST(BatchErrors, NameWhatIsWrong) {
  const Model& model = case_named("chain:7").model;
  States<double> states(find_algorithm("gravity_forces"), model, 3);
  std::vector<Status> two(2);
  EXPECT_EQ(error_of([&] { states.run(0, 3, {}, 1, two); }), "gravity_forces: status has 2 entries, expected 3");
  EXPECT_EQ(error_of([&] { states.run(0, 3, {}, -1); }),
            "gravity_forces: threads is -1, expected 1 or more, or 0 for all cores");
  EXPECT_NE(error_of([] {
              use_instruction_set("mmx");
            }).find("is not an instruction set of this CPU and build; expected one of " + instruction_sets().front()),
            std::string::npos);
  EXPECT_NE(error_of([] { from_name<Parameter>("weight"); }).find("there are mass, com, inertia"), std::string::npos);
  const std::vector<BatchedParameter<double>> empty = {{Parameter::mass, {}}};
  EXPECT_EQ(error_of([&] { states.run(0, 3, {}, 1, {}, empty); }), "parameter mass has no values: its data is null");
}

}  // namespace
}  // namespace tandem::test
