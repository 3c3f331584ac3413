// SPDX-License-Identifier: Apache-2.0
#include "links/reference.hpp"

#include <cmath>

#include "tandem/detail/methods/articulated_body.hpp"

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
SinCos<Long> sincos(Long a) { return {Long(std::sin(a.x)), Long(std::cos(a.x))}; }

}  // namespace

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
