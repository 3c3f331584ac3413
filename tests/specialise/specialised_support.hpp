// SPDX-License-Identifier: Apache-2.0
/// Plans and states to compare what is assembled for a robot with what serves every robot.
#pragma once
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "api/specialise.hpp"
#include "tracing/jit/assemble.hpp"
#include "tracing/record.hpp"
#include "support/errors.hpp"
#include "support/many.hpp"
#include "support/property.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {

template <class T>
class SpecialisedCase : public ::testing::Test {
  void SetUp() override {
    if (registers_here().empty()) GTEST_SKIP() << "no assembler";
  }
};

/// States of one robot as [batch][row] or [row][batch], what is needed given and nothing else.
template <class T>
struct States {
  States(const Algorithm& a, const Model& m, Index n, bool rows_apart) : algorithm(a), size(n) {
    for (const Argument& argument : a.arguments) {
      const Index rows = shape(argument.rows, m.view<T>()).count();
      auto& column = columns.emplace_back(is_optional(argument) ? 0 : static_cast<std::size_t>(rows * n));
      arrays.push_back({column.data(), rows_apart ? 1 : rows, rows_apart ? n : 1});
      if (is_optional(argument)) arrays.back() = {};
      for (Index b = 0; b < n && is_input(argument); ++b) {
        const State s =
            random_state(m, static_cast<std::uint64_t>(b) + (argument.name == std::string_view("q1") ? 500 : 0));
        const Vector& values = argument.rows == Rows::q ? s.q : argument.name == std::string_view("v") ? s.v : s.tau;
        for (Index row = 0; row < rows && !column.empty(); ++row)
          at(arrays.size() - 1, b, row) = static_cast<T>(argument.name == std::string_view("dt") ? 1e-3 : values[row]);
      }
    }
    status.resize(static_cast<std::size_t>(n));
  }
  T& at(std::size_t argument, Index b, Index row) {
    const Array<T>& array = arrays[argument];
    return array.data[b * array.stride + row * array.row_stride];
  }
  /// The last row of an argument.
  T& last(std::size_t argument, Index b) {
    return at(argument, b, static_cast<Index>(columns[argument].size()) / size - 1);
  }
  /// The outputs of a state, its status behind them.
  std::vector<T> result(Index b, const Model& m) {
    std::vector<T> numbers;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (!is_input(algorithm.arguments[k]) && !columns[k].empty())
        for (Index row = 0; row < shape(algorithm.arguments[k].rows, m.view<T>()).count(); ++row)
          numbers.push_back(at(k, b, row));
    numbers.push_back(static_cast<T>(static_cast<int>(status[static_cast<std::size_t>(b)])));
    return numbers;
  }
  /// An optional argument, too.
  void give(std::size_t k, const Model& m) {
    const Index rows = shape(algorithm.arguments[k].rows, m.view<T>()).count();
    columns[k].resize(static_cast<std::size_t>(rows * size));
    arrays[k] = {columns[k].data(), rows, 1};
    if (is_input(algorithm.arguments[k]))
      for (std::size_t i = 0; i < columns[k].size(); ++i) columns[k][i] = static_cast<T>(1 + i % 7) / T(4);
  }
  /// An output is asked for without what it is computed from.
  bool lacks_an_input() const {
    for (std::size_t k = 0; k < arrays.size(); ++k)
      for (const char input : std::string_view(algorithm.arguments[k].needs))
        for (std::size_t i = 0; i < arrays.size() && arrays[k].data; ++i)
          if (algorithm.arguments[i].name == std::string_view(&input, 1) && !arrays[i].data) return true;
    return false;
  }
  void run(const Plan<T>& plan, int threads = 1, std::span<const BatchedParameter<T>> parameters = {}) {
    Workspace<T> work;
    Batch<T> batch(size, threads, status, parameters);
    evaluate(plan, arrays, batch, work);
  }

  const Algorithm& algorithm;
  Index size;
  std::vector<std::vector<T>> columns;
  std::vector<Array<T>> arrays;
  std::vector<Status> status;
};

/// Equal as numbers, NaN beside NaN: a zero may have another sign.
template <class T>
bool equal(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](T x, T y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

/// f(algorithm, model, plan that is not specialised, plan that is) for all that can be assembled.
template <class T, class F>
void for_each_pair(F&& f) {
  for (const char* name : {"arm6", "every_joint", "mimic_branches", "humanoid"}) {
    const Model model = name == std::string_view("arm6") ? load(name) : case_named(name).model;
    for (const Algorithm& algorithm : algorithms()) {
      if (!can_be_printed(algorithm)) continue;
      // which takes a minute each where sanitizers watch; smaller robots go the same ways
      if (sanitized && model.nv() > 30 && std::string_view(algorithm.name).ends_with("_derivatives")) continue;
      SCOPED_TRACE(std::string(algorithm.name) + ", " + name);
      const auto plan = [&](Specialise specialise) { return Plan<T>(model, algorithm, {}, {}, specialise); };
      const Plan<T> ordinary = plan(Specialise::off), specialised = plan(Specialise::wait);
      EXPECT_FALSE(ordinary.specialised());
      EXPECT_TRUE(specialised.specialised());
      f(algorithm, model, ordinary, specialised);
    }
  }
}

/// Until what is on its way is there. False if that takes half a minute.
template <class F>
bool comes_true(F&& f) {
  for (int k = 0; k < 30000 && !f(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return f();
}

}  // namespace tandem::test
