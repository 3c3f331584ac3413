// SPDX-License-Identifier: Apache-2.0
/// What a thread of the GPU does, done on the host thread after thread: the whole driver but for the launch.
#pragma once
#include <gmock/gmock.h>

#include <cmath>
#include <initializer_list>

#include "backends/cuda/instance.hpp"
#include "backends/cuda/replication.hpp"
#include "support/property.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::test {

inline constexpr Index batch = 37;

/// Argument number k of a state: what the state has of that name, else weights or increments near 1.
inline double value_of(const Argument& argument, std::size_t k, const State& s, Index row) {
  const std::string_view name = argument.name;
  if (!is_input(argument)) return std::numeric_limits<double>::quiet_NaN();
  if (argument.rows == Rows::q) return s.q[row];
  if (name == "v") return s.v[row];
  if (name == "a") return s.a[row];
  if (name == "tau") return s.tau[row];
  if (name == "f_ext") return s.f_ext[row];
  if (name == "dt") return 1e-3;
  if (name == "stops") return 0;
  if (name == "diagonal" || name == "kp" || name == "kd") return std::abs(s.tau[row]);
  return std::sin(1 + 3 * static_cast<double>(k) + static_cast<double>(row) + static_cast<double>(s.seed));
}

/// Arguments [row][state] of random states with room between the rows; what is left out is left out.
template <class A, class T>
class Arrays {
 public:
  Arrays(const Model& model, bool with_optional) : model_(model) {
    for (Index b = 0; b < batch; ++b) states_.push_back(random_state(model, 100 + static_cast<std::uint64_t>(b)));
    for (std::size_t k = 0; k < std::size(A::arguments); ++k) {
      const Argument& argument = A::arguments[k];
      const bool optional = argument.role == Role::optional_input || argument.role == Role::optional_output;
      data_.emplace_back(static_cast<std::size_t>(rows(k) * distance), sentinel<T>);
      given_.push_back(with_optional || !optional);
      for (Index b = 0; b < batch && given_[k]; ++b)
        for (Index row = 0; row < rows(k); ++row)
          at(k, row, b) = static_cast<T>(value_of(argument, k, state(b), row));
    }
  }
  const State& state(Index b) const { return states_[static_cast<std::size_t>(b)]; }

  cuda::Arguments<A, T> arguments() {
    cuda::Arguments<A, T> all;
    for (std::size_t k = 0; k < data_.size(); ++k)
      if (given_[k]) all.array[k] = {data_[k].data(), 1, distance};
    return all;
  }
  /// Columns of the outputs, one below the other.
  Vector output(Index b) {
    std::vector<double> all;
    for (std::size_t k = 0; k < data_.size(); ++k)
      for (Index row = 0; row < rows(k) && !is_input(A::arguments[k]) && given_[k]; ++row)
        all.push_back(static_cast<double>(at(k, row, b)));
    return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
  }
  /// The same of the body on arrays in which the numbers of a state lie side by side.
  Vector side_by_side(Index b) {
    std::vector<std::vector<T>> columns(data_.size());
    for (std::size_t k = 0; k < data_.size(); ++k)
      for (Index row = 0; row < rows(k) && given_[k]; ++row)
        columns[k].push_back(static_cast<T>(value_of(A::arguments[k], k, state(b), row)));
    const auto& m = model_.view<T>();
    std::vector<T> work(static_cast<std::size_t>(A().work_rows(m)), std::numeric_limits<T>::quiet_NaN());
    const auto column = [&](std::size_t k) { return given_[k] ? columns[k].data() : nullptr; };
    [&]<std::size_t... k>(std::index_sequence<k...>) { A().template body<T>(m, column(k)..., work.data()); }
    (std::make_index_sequence<std::size(A::arguments)>());
    std::vector<double> all;
    for (std::size_t k = 0; k < data_.size(); ++k)
      if (!is_input(A::arguments[k])) all.insert(all.end(), columns[k].begin(), columns[k].end());
    return Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size()));
  }
  void expect_gaps_untouched() {
    for (std::size_t k = 0; k < data_.size(); ++k)
      for (Index row = 0; row < rows(k); ++row)
        for (Index b = given_[k] ? batch : 0; b < distance; ++b)
          EXPECT_EQ(at(k, row, b), sentinel<T>) << A::arguments[k].name;
  }
  void expect_inputs_unchanged() {
    for (std::size_t k = 0; k < data_.size(); ++k)
      for (Index b = 0; b < batch && is_input(A::arguments[k]) && given_[k]; ++b)
        for (Index row = 0; row < rows(k); ++row)
          EXPECT_EQ(at(k, row, b), static_cast<T>(value_of(A::arguments[k], k, state(b), row))) << A::arguments[k].name;
  }

 private:
  static constexpr Index distance = batch + 3;

  Index rows(std::size_t k) const { return shape(A::arguments[k].rows, model_.view<T>()).count(); }
  T& at(std::size_t k, Index row, Index b) { return data_[k][static_cast<std::size_t>(row * distance + b)]; }

  const Model& model_;
  std::vector<State> states_;
  std::vector<std::vector<T>> data_;
  std::vector<bool> given_;
};

/// Runs the threads of a grid with this many columns of scratch memory, some of which have several states to work on.
template <class V, class T>
void run_threads(const Model& model, Index columns, Arrays<typename V::Body, T>& arrays) {
  using Number = typename V::template Number<T>;
  const typename V::Body body;
  const auto& m = model.view<T>();
  const Index stride = cuda::row_stride(columns), rows = V::own_rows > 0 ? 0 : body.work_rows(m);
  std::vector<T> work(static_cast<std::size_t>(rows * stride + stride), std::numeric_limits<T>::quiet_NaN());
  std::fill(work.end() - stride, work.end(), sentinel<T>);
  const cuda::Scratch<T> scratch = {work.data(), stride, columns};
  const auto arguments = arrays.arguments();
  const cuda::Replication<T> replication(model);
  const auto view =
      known_as<Number>(V::models == cuda::Models::varied ? replication.view(m, replication.numbers().data()) : m);
  const auto is_clean = [&](Index column) {
    for (Index row = 0; row < rows; ++row)
      if (!std::isnan(work[static_cast<std::size_t>(row * stride + column)])) return false;
    return true;
  };
  const bool far = V::own_rows == 0;
  for (Index t = 0; t < std::max<Index>(64, batch * V::shares + 3); ++t) {
    EXPECT_TRUE(!far || t >= columns || is_clean(t)) << "column of thread " << t << ", written by a thread before it";
    cuda::run_thread<V>(body, view, arguments, batch, scratch, {}, nullptr, t);
    EXPECT_TRUE(!far || t >= columns || m.nv == 0 || !is_clean(t))
        << "column of thread " << t << ", which wrote elsewhere";
  }
  for (Index k = 0; k < stride; ++k) EXPECT_EQ(work[static_cast<std::size_t>(rows * stride + k)], sentinel<T>);
  for (Index k = columns; k < stride; ++k) EXPECT_TRUE(!far || is_clean(k)) << "a column of no thread";
  arrays.expect_gaps_untouched();
  arrays.expect_inputs_unchanged();
}

/// Whether a kernel serves a model.
template <class V, class T>
bool serves(const Model& model) {
  const auto& m = model.view<T>();
  return is_of(V::joints, m) && (V::own_rows == 0 || typename V::Body().work_rows(m) <= V::own_rows);
}

/// f(model, arrays) after runs of a kernel with columns for one state, for a few, and for all of them, which must agree
/// to the bit. Returns the number of models that it serves.
template <class V, class T, class F>
int for_each_run(std::initializer_list<const char*> models, F&& f) {
  using A = typename V::Body;
  int served = 0;
  for (const char* name : models) {
    const Model& model = case_named(name).model;
    if (!serves<V, T>(model)) continue;
    ++served;
    for (const bool with_optional : {false, true}) {
      SCOPED_TRACE(std::string(A::name) + ", " + name + (with_optional ? ", all arguments" : ""));
      Arrays<A, T> arrays(model, with_optional);
      run_threads<V, T>(model, batch * V::shares, arrays);
      for (const Index columns : {1, 5}) {
        Arrays<A, T> others(model, with_optional);
        run_threads<V, T>(model, columns * V::shares, others);
        for (Index b = 0; b < batch; ++b)
          EXPECT_EQ(others.output(b), arrays.output(b)) << "state " << b << " with " << columns << " columns";
      }
      f(model, arrays, with_optional);
    }
  }
  return served;
}
/// The same for all kernels of a body, each of which serves some models.
template <class T, class F, class... V>
void for_each_kernel(cuda::Variants<V...>, std::initializer_list<const char*> models, F&& f) {
  const int served[] = {for_each_run<V, T>(models, f)...};
  EXPECT_THAT(served, ::testing::Each(::testing::Gt(0)));
}
template <class Body, class T, class F>
void for_each_kernel(std::initializer_list<const char*> models, F&& f) {
  for_each_kernel<T>(typename cuda::VariantsOf<Body, T>::type(), models, f);
}
template <class Body, class T, class F>
void for_each_kernel(F&& f) {
  for_each_kernel<Body, T>({"one_free", "every_joint", "chain:7", "chain:30", "rope:10", "tree:24+floating",
                            "mimic_branches", "fixed_links", "massless_links", "immovable", "humanoid"},
                           f);
}

}  // namespace tandem::test
