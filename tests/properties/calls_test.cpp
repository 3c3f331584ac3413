// SPDX-License-Identifier: Apache-2.0
/// Every algorithm through evaluate(): batches, layouts, the same bits, no allocation, and what one bad state may
/// touch.
#include "support/allocations.hpp"
#include "support/property.hpp"
#include "support/scratch.hpp"
#include "tandem/error.hpp"

namespace tandem::test {
namespace {

template <class T>
class Calls : public ::testing::Test {};
TYPED_TEST_SUITE(Calls, BothReals);

/// The columns of a batch for one algorithm: inputs drawn at random, outputs full of NaN, gaps of sentinels between
/// states.
template <class T>
class Batch {
 public:
  Batch(const Algorithm& algorithm, const Model& model, Index states, Index gap, std::uint64_t seed)
      : algorithm_(algorithm), model_(model), states_(states) {
    for (const Argument& argument : algorithm.arguments) {
      const Index rows = shape(argument.rows, model.view<T>()).count();
      strides_.push_back(rows + gap);
      data_.emplace_back(static_cast<std::size_t>(fence + states * (rows + gap)), sentinel<T>);
    }
    for (Index b = 0; b < states; ++b)
      for (std::size_t k = 0; k < data_.size(); ++k) fill(k, b, seed + static_cast<std::uint64_t>(b));
  }

  void run(Workspace<T>& work, const Options& options = {}) {
    const FencedWorkspace<T> watch(work, scratch_size<T>(algorithm_, model_, options));
    call(work, options);
  }
  /// One state at a time.
  void run_singly(Workspace<T>& work, const Options& options = {}) {
    for (Index b = 0; b < states_; ++b) {
      const FencedWorkspace<T> watch(work, scratch_size<T>(algorithm_, model_, options));
      evaluate<T>(algorithm_, model_, arrays(b), tandem::Batch<T>(1, 1), work, options);
    }
  }
  void call(Workspace<T>& work, const Options& options = {}) {
    evaluate<T>(algorithm_, model_, arrays(0), tandem::Batch<T>(states_, 1), work, options);
  }

  /// Numbers of argument k in state b.
  std::span<T> column(std::size_t k, Index b) {
    const Index rows = shape(algorithm_.arguments[k].rows, model_.view<T>()).count();
    return {data_[k].data() + fence + b * strides_[k], static_cast<std::size_t>(rows)};
  }
  bool is_output(std::size_t k) const {
    const Role role = algorithm_.arguments[k].role;
    return role == Role::output || role == Role::optional_output;
  }
  /// True if state b has the same bits in both, outputs only.
  bool same_outputs(Index b, Batch& other, Index other_b) {
    for (std::size_t k = 0; k < data_.size(); ++k)
      if (is_output(k) && !same_bits(column(k, b).data(), other.column(k, other_b).data(), column(k, b).size()))
        return false;
    return true;
  }
  /// True if every output is a number and every gap and fence is as it was.
  void expect_filled_and_fenced() {
    for (std::size_t k = 0; k < data_.size(); ++k) {
      std::vector<T> rest = data_[k];
      for (Index b = 0; b < states_; ++b) {
        const auto numbers = column(k, b);
        for (const T x : numbers) EXPECT_FALSE(std::isnan(x)) << algorithm_.arguments[k].name << " of state " << b;
        std::fill_n(rest.begin() + (numbers.data() - data_[k].data()), numbers.size(), sentinel<T>);
      }
      EXPECT_EQ(rest, std::vector<T>(rest.size(), sentinel<T>)) << algorithm_.arguments[k].name;
    }
  }
  std::size_t n_arguments() const { return data_.size(); }
  void leave_out(std::size_t k) { left_out_.push_back(k); }

 private:
  static constexpr Index fence = 4;

  std::span<const Array<T>> arrays(Index first) {
    arrays_.clear();
    for (std::size_t k = 0; k < data_.size(); ++k)
      arrays_.push_back(Array<T>::output(column(k, first).data(), strides_[k]));
    for (const std::size_t k : left_out_) arrays_[k].data = nullptr;
    return arrays_;
  }
  void fill(std::size_t k, Index b, std::uint64_t seed) {
    const std::string_view name = algorithm_.arguments[k].name;
    const State s = random_state(model_, seed + (name == "q1" ? 500 : 0));
    const auto numbers = column(k, b);
    const auto put = [&](const Vector& values) {
      for (std::size_t r = 0; r < numbers.size(); ++r) numbers[r] = static_cast<T>(values[static_cast<Index>(r)]);
    };
    if (is_output(k)) {
      std::fill(numbers.begin(), numbers.end(), std::numeric_limits<T>::quiet_NaN());
    } else if (algorithm_.arguments[k].rows == Rows::q) {
      put(s.q);
    } else if (algorithm_.arguments[k].rows == Rows::link_force) {
      put(s.f_ext);
    } else if (algorithm_.arguments[k].rows == Rows::link_parameters) {
      put(parameter_changes(model_));
    } else if (algorithm_.arguments[k].rows == Rows::pose || algorithm_.arguments[k].rows == Rows::frame_motion) {
      put(frame_weights(model_));
    } else if (name == "dt" || name == "stops") {
      std::fill(numbers.begin(), numbers.end(), static_cast<T>(name == "dt" ? 1e-3 : 0));
    } else {
      put(name == "v" ? s.v : name == "diagonal" || name == "kp" || name == "kd" ? Vector(s.v.cwiseAbs()) : s.tau);
    }
  }

  const Algorithm& algorithm_;
  Model model_;
  Index states_;
  std::vector<Index> strides_;
  std::vector<std::vector<T>> data_;
  std::vector<std::size_t> left_out_;
  std::vector<Array<T>> arrays_;
};

/// f(algorithm, options, case) for every algorithm, every method and reference it knows, and cases of every kind.
template <class F>
void for_each_call(F&& f) {
  for (const char* name : {"one_free", "every_joint", "chain:7", "tree:24+floating", "mimic_branches", "fixed_links",
                           "massless_links", "immovable", "humanoid"}) {
    if (few_cases && name == std::string_view("humanoid")) continue;  // the floating tree has what it has
    const Case& c = case_named(name);
    for (const Algorithm& algorithm : algorithms()) {
      if (c.model.nv() == 0 && algorithm.name != std::string_view("forward_kinematics"))
        continue;  // no mass, no number
      for (const Options& options : own_options(algorithm, c.model)) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + name + ", " + to_string(options.reference) + ", " +
                     to_string(options.method));
        f(algorithm, options, c);
      }
    }
  }
}

TYPED_TEST(Calls, ABatchHasTheBitsOfSingleCallsAndOfEveryOtherRun) {
  for_each_call([](const Algorithm& algorithm, const Options& options, const Case& c) {
    Workspace<TypeParam> work, other_work;
    Batch<TypeParam> batch(algorithm, c.model, 5, 3, 1), single(algorithm, c.model, 5, 0, 1),
        again(algorithm, c.model, 7, 1, 1);
    batch.run(work, options);
    batch.expect_filled_and_fenced();
    single.run_singly(other_work, options);
    again.run(work, options);  // the workspace has been used before
    for (Index b = 0; b < 5; ++b) {
      EXPECT_TRUE(batch.same_outputs(b, single, b)) << "state " << b << " alone";
      EXPECT_TRUE(batch.same_outputs(b, again, b)) << "state " << b << " in a larger batch";
    }
  });
}

TYPED_TEST(Calls, ANaNStaysInItsOwnState) {
  for_each_call([](const Algorithm& algorithm, const Options& options, const Case& c) {
    if (c.model.nv() == 0) return;
    Workspace<TypeParam> work;
    Batch<TypeParam> clean(algorithm, c.model, 5, 0, 1);
    clean.run(work, options);
    for (std::size_t k = 0; k < clean.n_arguments(); ++k) {
      if (clean.is_output(k)) continue;
      if (algorithm.arguments[k].name == std::string_view("dt")) continue;  // refused before anything is computed
      Batch<TypeParam> spoiled(algorithm, c.model, 5, 0, 1);
      const auto column = spoiled.column(k, 2);
      std::fill(column.begin(), column.end(), std::numeric_limits<TypeParam>::quiet_NaN());
      spoiled.run(work, options);
      for (const Index b : {0, 1, 3, 4}) EXPECT_TRUE(clean.same_outputs(b, spoiled, b)) << "state " << b;
    }
  });
}

TYPED_TEST(Calls, TheSecondCallAllocatesNothing) {
  for_each_call([](const Algorithm& algorithm, const Options& options, const Case& c) {
    Workspace<TypeParam> work;
    Batch<TypeParam> batch(algorithm, c.model, 3, 0, 1);
    batch.call(work, options);
    const std::size_t before = allocations();
    batch.call(work, options);
    // the list of arguments is the test's own and keeps its memory
    EXPECT_EQ(allocations(), before);
  });
}

TYPED_TEST(Calls, WhatIsLeftOutChangesNothingElse) {
  for_each_call([](const Algorithm& algorithm, const Options& options, const Case& c) {
    Workspace<TypeParam> work;
    Batch<TypeParam> whole(algorithm, c.model, 2, 0, 1);
    whole.run(work, options);
    for (std::size_t k = 0; k < whole.n_arguments(); ++k) {
      if (algorithm.arguments[k].role != Role::optional_output) continue;
      Batch<TypeParam> part(algorithm, c.model, 2, 0, 1);
      part.leave_out(k);
      part.run(work, options);
      for (std::size_t l = 0; l < whole.n_arguments(); ++l)
        EXPECT_TRUE(l == k || same_bits(whole.column(l, 1).data(), part.column(l, 1).data(), whole.column(l, 1).size()))
            << algorithm.arguments[l].name << " without " << algorithm.arguments[k].name;
    }
  });
}

TYPED_TEST(Calls, AnEmptyBatchIsFine) {
  for_each_call([](const Algorithm& algorithm, const Options& options, const Case& c) {
    Workspace<TypeParam> work;
    Batch<TypeParam> batch(algorithm, c.model, 0, 0, 1);
    EXPECT_NO_THROW(batch.call(work, options));
  });
}

/// Joint forces and accelerations may share their memory.
TYPED_TEST(Calls, OutputsMayTakeThePlaceOfForcesAndAccelerations) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const std::vector<TypeParam> q(s.q.data(), s.q.data() + s.q.size()), v(s.v.data(), s.v.data() + s.v.size());
    const auto expect_same = [](const std::vector<TypeParam>& ours, const Vector& expected, const char* what) {
      for (std::size_t k = 0; k < ours.size(); ++k) EXPECT_EQ(ours[k], expected[static_cast<Index>(k)]) << what;
    };
    Workspace<TypeParam> work;
    for (const Method method : {Method::articulated_body, Method::composite_rigid_body}) {
      std::vector<TypeParam> x(s.tau.data(), s.tau.data() + s.tau.size());
      forward_dynamics<TypeParam>(c.model, q, v, x, x, work, {}, {}, {.method = method});
      expect_same(x, robot.forward_dynamics(s.q, s.v, s.tau, method), to_string(method));
    }
    std::vector<TypeParam> x(s.a.data(), s.a.data() + s.a.size());
    inverse_dynamics<TypeParam>(c.model, q, v, x, x, work);
    expect_same(x, robot.inverse_dynamics(s.q, s.v, s.a), "inverse dynamics");
    x.assign(s.tau.data(), s.tau.data() + s.tau.size());
    inverse_mass_matrix_product<TypeParam>(c.model, q, x, x, work);
    expect_same(x, robot.inverse_mass_matrix_product(s.q, s.tau), "M^-1 x");
  });
}

TYPED_TEST(Calls, ARobotThatCannotMoveHasNoRowsAndNoTrouble) {
  for (const Case& c : cases()) {
    if (c.model.nv() > 0) continue;
    Robot<TypeParam> robot(c.model);
    const Vector none;
    EXPECT_EQ(robot.inverse_dynamics(none, none, none).size(), 0);
    EXPECT_EQ(robot.forward_dynamics(none, none, none).size(), 0);
    EXPECT_EQ(robot.mass_matrix(none).size(), 0);
    EXPECT_EQ(robot.energy(none, none).kinetic, 0);
    EXPECT_EQ(robot.forward_kinematics(none, none, none, Reference::world).velocity.norm(), 0);
    EXPECT_EQ(robot.jacobian(none, 0, Reference::local).size(), 0);
    EXPECT_EQ(robot.integrate(none, none).size(), 0);
    // columns without rows need no memory
    Workspace<TypeParam> work;
    std::vector<TypeParam> tau;
    const Array<TypeParam> nothing;
    const std::vector<Array<TypeParam>> columns(5, nothing);
    EXPECT_NO_THROW(evaluate<TypeParam>(find_algorithm("inverse_dynamics"), c.model, columns, 1, work));
  }
}

}  // namespace
}  // namespace tandem::test
