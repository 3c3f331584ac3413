// SPDX-License-Identifier: Apache-2.0
#include "links/reference.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tandem/detail/passes/articulated_body.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::test {

namespace {

/// long double with the elementary functions that an algorithm's body asks for.
struct Long {
  long double x = 0;
  Long() = default;
  template <class T>
  explicit Long(T y) : x(static_cast<long double>(y)) {}
};
Long operator+(Long a, Long b) { return Long(a.x + b.x); }
Long operator-(Long a, Long b) { return Long(a.x - b.x); }
Long operator*(Long a, Long b) { return Long(a.x * b.x); }
Long operator/(Long a, Long b) { return Long(a.x / b.x); }
Long operator-(Long a) { return Long(-a.x); }
bool operator==(Long a, Long b) { return a.x == b.x; }
bool operator<(Long a, Long b) { return a.x < b.x; }
Long sqrt(Long a) { return Long(std::sqrt(a.x)); }
Long abs(Long a) { return Long(std::abs(a.x)); }
Long arctangent(Long y, Long x) { return Long(std::atan2(y.x, x.x)); }
SinCos<Long> sincos(Long a) { return {Long(std::sin(a.x)), Long(std::cos(a.x))}; }

template <class A>
Columns outputs_of(const Model& model, const Columns& inputs, const Options& options) {
  const A algorithm = with_options<A>(options);
  const auto& m = model.view<double>();
  constexpr std::size_t n = std::size(A::arguments);
  std::array<std::vector<Long>, n> columns;
  for (std::size_t k = 0; k < n; ++k) {
    const Argument& argument = A::arguments[k];
    if (can_be_asked_for(argument, inputs))
      columns[k].resize(static_cast<std::size_t>(shape(argument.rows, m).count()));
    else if (const auto given = inputs.find(argument.name); given != inputs.end())
      for (const double x : given->second) columns[k].emplace_back(x);
  }
  std::vector<Long> work(static_cast<std::size_t>(algorithm.work_rows(m)));
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    algorithm.template body<Long>(m, (columns[k].empty() ? nullptr : columns[k].data())..., work.data());
  }(std::make_index_sequence<n>());
  Columns results;
  for (std::size_t k = 0; k < n; ++k)
    if (can_be_asked_for(A::arguments[k], inputs)) {
      Vector& result = results[A::arguments[k].name] = Vector(static_cast<Index>(columns[k].size()));
      for (Index row = 0; row < result.size(); ++row)
        result[row] = static_cast<double>(columns[k][static_cast<std::size_t>(row)].x);
    }
  return results;
}

}  // namespace

Columns reference_product(const std::string& name, const Model& model, const Columns& inputs, const Options& options) {
  if (name == ForwardKinematicsJvp::name) return outputs_of<ForwardKinematicsJvp>(model, inputs, options);
  if (name == ForwardKinematicsVjp::name) return outputs_of<ForwardKinematicsVjp>(model, inputs, options);
  if (name == InverseDynamicsJvp::name) return outputs_of<InverseDynamicsJvp>(model, inputs, options);
  if (name == InverseDynamicsVjp::name) return outputs_of<InverseDynamicsVjp>(model, inputs, options);
  if (name == ForwardDynamicsJvp::name) return outputs_of<ForwardDynamicsJvp>(model, inputs, options);
  if (name == ForwardDynamicsVjp::name) return outputs_of<ForwardDynamicsVjp>(model, inputs, options);
  if (name == StepJvp::name) return outputs_of<StepJvp>(model, inputs, options);
  EXPECT_EQ(name, StepVjp::name);
  return outputs_of<StepVjp>(model, inputs, options);
}

Vector reference_acceleration(const Model& model, const State& s, const Vector& f_ext, const Vector& diagonal) {
  const auto& m = model.view<double>();
  const auto column = [](const Vector& x) {
    std::vector<Long> numbers;
    for (Index k = 0; k < x.size(); ++k) numbers.emplace_back(x[k]);
    return numbers;
  };
  auto q = column(s.q), v = column(s.v), tau = column(s.tau), f = column(f_ext), d = column(diagonal);
  std::vector<Long> a(static_cast<std::size_t>(m.nv)), work(static_cast<std::size_t>(ArticulatedBody::work_rows(m)));
  const auto given = [](std::vector<Long>& x) { return x.empty() ? nullptr : x.data(); };
  ArticulatedBody::body<Long>(m, q.data(), v.data(), tau.data(), given(f), given(d), a.data(), work.data());
  Vector result(m.nv);
  for (Index k = 0; k < m.nv; ++k) result[k] = static_cast<double>(a[static_cast<std::size_t>(k)].x);
  return result;
}

}  // namespace tandem::test
