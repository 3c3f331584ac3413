// SPDX-License-Identifier: Apache-2.0
/// Scans by every schedule against their definition.
#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "blocks/executors.hpp"
#include "support/dense.hpp"
#include "support/fenced.hpp"
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/solve/small_matrix.hpp"

namespace tandem::test {
namespace {  // a copy for each file: those of long tests are optimised, the others are not

struct Sum {
  long operator()(long a, long b) const { return a + b; }
  long identity() const { return 0; }
};
struct Concatenate {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
  std::string identity() const { return {}; }
};
template <class S, int m>
struct Product {
  using T = tandem::Matrix<S, m, m>;
  T operator()(const T& inner, const T& outer) const { return outer * inner; }
  T identity() const { return T::identity(); }
};
template <class S>
struct Chain {
  Transform<S> operator()(const Transform<S>& inner, const Transform<S>& outer) const { return outer * inner; }
  Transform<S> identity() const { return Transform<S>::identity(); }
};

/// An element of a row that is cut into segments.
template <class T>
struct SegmentElement {
  T value;
  bool cut;  ///< prefix scans: first of its segment; suffix scans: last of it
};

/// Makes any operator stop at the ends of segments, in every schedule. `kind` is that of the scan. An exclusive scan
/// leaves at the element with the cut what the segment before it combines to; its own result is the identity.
template <Scan kind, class Op>
struct Segmented {
  using T = SegmentElement<ElementOf<Op>>;
  Op op;
  T operator()(const T& inner, const T& outer) const {
    const T& later = is_suffix(kind) ? inner : outer;
    return {later.cut ? later.value : op(inner.value, outer.value), inner.cut || outer.cut};
  }
  T identity() const { return {op.identity(), false}; }
};

template <class T>
using Row = std::vector<T>;

/// One element after the other, as in a chunk.
template <Scan kind, class Op, class Load, class Results>
void scan_serial(const Op& op, Index n, const Load& load, const Results& results) {
  if (n > 0) scan_range(InScanOrder<kind, Op>{op, n}, 0, n, load, results);
}

/// The definition, written down once more.
template <Scan kind, class Op>
Row<ElementOf<Op>> by_definition(const Op& op, const Row<ElementOf<Op>>& x) {
  Row<ElementOf<Op>> y(x.size());
  auto sum = op.identity();
  const std::size_t n = x.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = is_suffix(kind) ? n - 1 - k : k;
    const auto next = is_suffix(kind) ? op(x[i], sum) : op(sum, x[i]);
    y[i] = is_exclusive(kind) ? sum : next;
    sum = next;
  }
  return y;
}

/// Calls check(what, results) for every schedule, on one thread and on several, in place and from one array into
/// another.
template <Scan kind, class Op>
void for_each_schedule(const Op& op, const Row<ElementOf<Op>>& x,
                       const std::function<void(const std::string&, const Row<ElementOf<Op>>&)>& check) {
  using T = ElementOf<Op>;
  const Index n = static_cast<Index>(x.size());
  const auto run = [&](const auto& executor, const std::string& name, auto&& scan) {
    Row<T> in = x, out(x.size());
    scan(executor, ArraySlots<T>{in.data()}, ArraySlots<T>{out.data()});
    check(name, out);
    scan(executor, ArraySlots<T>{in.data()}, ArraySlots<T>{in.data()});
    check("in place on " + name, in);
  };
  const auto run_on_all = [&](const auto& executor, const std::string& name) {
    run(executor, name + ", tree", [&](const auto& e, auto in, auto out) {
      for (Index i = 0; i < n; ++i) out.store(i, T(in.load(i)));
      scan_on<kind>(e, op, n, out);
    });
    Row<T> spare(x.size());
    run(executor, name + ", Hillis-Steele", [&](const auto& e, auto in, auto out) {
      for (Index i = 0; i < n; ++i) out.store(i, T(in.load(i)));
      scan_hillis_steele<kind>(e, op, n, out, ArraySlots<T>{spare.data()});
    });
    for (const Index chunk : {1, 2, 7, 64}) {
      Row<T> totals(static_cast<std::size_t>(chunks_of(n, chunk)));
      run(executor, name + ", chunks of " + std::to_string(chunk), [&](const auto& e, auto in, auto out) {
        scan_chunked<kind>(
            e, op, n, chunk, [&](Index i) { return in.load(i); }, out, ArraySlots<T>{totals.data()});
      });
    }
  };
  run(alone, "one thread, one by one", [&](const auto&, auto in, auto out) {
    scan_serial<kind>(
        op, n, [&](Index i) { return in.load(i); }, out);
  });
  run_on_all(alone, "one thread");
  run_on_all(TestedExecutor{}, "threads");
}

template <class F>
void for_each_kind(F&& f) {
  f.template operator()<Scan::inclusive_prefix>();
  f.template operator()<Scan::exclusive_prefix>();
  f.template operator()<Scan::inclusive_suffix>();
  f.template operator()<Scan::exclusive_suffix>();
}

void check_integers(const Row<int>& all) {
  for (const int n : all) {
    Row<long> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<long>(i * i % 101) - 40;
    for_each_kind([&]<Scan kind>() {
      const Row<long> expected = by_definition<kind>(Sum{}, x);
      for_each_schedule<kind>(Sum{}, x, [&](const std::string& name, const Row<long>& y) {
        EXPECT_TRUE(y == expected) << n << " elements, " << name;
      });
    });
  }
}

/// Up to rounding, and with the same bits on any executor.
template <class Op>
void check_numbers(const Op& op, const Row<int>& all, const std::function<ElementOf<Op>()>& make) {
  using T = ElementOf<Op>;
  constexpr std::size_t rows = sizeof(T) / sizeof(double);
  for (const int n : all) {
    Row<T> x(static_cast<std::size_t>(n));
    for (T& element : x) element = make();
    for_each_kind([&]<Scan kind>() {
      const auto expected = by_definition<kind>(op, x);
      std::map<std::string, Row<T>> seen;  // by schedule: the same bits from every executor
      for_each_schedule<kind>(op, x, [&](const std::string& name, const Row<T>& y) {
        double error = 0, scale = 1;
        for (std::size_t i = 0; i < y.size(); ++i) {
          double a[rows], b[rows];
          std::memcpy(a, &y[i], sizeof(T));
          std::memcpy(b, &expected[i], sizeof(T));
          for (std::size_t k = 0; k < rows; ++k) {
            error = std::max(error, std::abs(a[k] - b[k]));
            scale = std::max(scale, std::abs(b[k]));
          }
        }
        EXPECT_LE(error, 16 * std::numeric_limits<double>::epsilon() * std::sqrt(n) * scale)
            << n << " elements, " << name;
        const auto& first = seen.emplace(name.substr(name.find(',')), y).first->second;
        EXPECT_TRUE(same_bits(y.data(), first.data(), y.size())) << name;
      });
    });
  }
}

}  // namespace
}  // namespace tandem::test
