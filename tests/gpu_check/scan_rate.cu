// SPDX-License-Identifier: Apache-2.0
#include "scan_rate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <type_traits>

#include "backends/cuda/links/group.cuh"
#include "backends/cuda/links/run_groups.hpp"
#include "results.hpp"
#include "sections.hpp"
#include "tandem/arguments.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::gpu_check {
namespace {

template <class T>
struct Number {
  T x;
};
template <class T>
struct Plus {
  TANDEM_HD Number<T> operator()(const Number<T>& a, const Number<T>& b) const { return {a.x + b.x}; }
  TANDEM_HD Number<T> identity() const { return {T(0)}; }
};

/// In chunks of so many elements for a thread, as methods do it.
template <class Op>
struct ScanOnGroup {
  struct Problem {
    static constexpr const char* name = "scan";
    static constexpr Argument arguments[] = {{"x", Rows::scalar, Role::input, "", "elements"},
                                             {"y", Rows::scalar, Role::output, "", "prefixes"}};
  };
  using Element = ElementOf<Op>;
  Index n;
  static constexpr Index chunk = 16;

  template <class T>
  Index work_rows(const ModelView<T>&) const {
    return rows_of<Element> * chunks_of(n, chunk);
  }
  template <class T, class Executor>
  TANDEM_HD void body(const Executor& executor, const ModelView<T>&, StridedColumn<T> x, StridedColumn<T> y,
      T* w) const {
    const auto elements = records<Element>(x.data), prefixes = records<Element>(y.data);
    scan_chunked<Scan::inclusive_prefix>(
        executor, Op(), n, chunk, [&](Index i) TANDEM_INLINE { return elements.load(i); }, prefixes,
            records<Element>(w));
  }
};

template <template <class> class Op, class T>
void measure(Index n, const char* of, const std::vector<T>& element, T expected) {
  const std::size_t rows = element.size();
  std::vector<T> host;
  for (Index i = 0; i < n; ++i) host.insert(host.end(), element.begin(), element.end());
  cuda::Memory x(Place::device), y(Place::device);
  const std::size_t bytes = host.size() * sizeof(T);
  cuda::copy_to_device(x.reserve(bytes), host.data(), bytes);
  y.reserve(bytes);
  const Array<T> arguments[] = {{static_cast<T*>(x.data()), 0, 1, Place::device},
                                {static_cast<T*>(y.data()), 0, 1, Place::device}};
  cuda::Workspace work;
  const ModelView<T> none{};
  const auto run = [&] {
    cuda::run_on_groups(ScanOnGroup<Op<T>>{n}, none, none, arguments, 1, (n + 2047) / 2048, nullptr, work, nullptr);
  };
  for (int k = 0; k < 3; ++k) run();
  cuda::synchronise();
  std::vector<double> repeats(21);
  for (double& seconds : repeats) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 5; ++k) run();
    cuda::synchronise();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / 5;
  }
  std::sort(repeats.begin(), repeats.end());
  cuda::copy_to_host(host.data(), y.data(), bytes);
  cuda::synchronise();
  const double last = static_cast<double>(host[host.size() - rows]), wanted = static_cast<double>(expected);
  const char* const precision = std::is_same_v<T, double> ? "double" : "float";
  const double seconds = repeats[10], in_10_ms = 1e-2 * static_cast<double>(n) / seconds;
  const bool passed = std::fabs(last - wanted) <= 1e-3 * std::fabs(wanted);
  std::printf("scan of %-6s %9lld elements %7s  %10.1f us  %8.1f million in 10 ms%s\n", of, static_cast<long long>(n),
              precision, 1e6 * seconds, 1e-6 * in_10_ms, passed ? "" : "  FAILED");
  write_row("scans", Row().add("elements", static_cast<double>(n)).add("of", of).add("precision", precision)
                         .add("seconds", seconds).add("elements_in_10_ms", in_10_ms).add("passed", passed));
  if (!passed) count_failure();
}

template <class T>
using Poses = Product<Transform<T>>;

}  // namespace

void measure_scans() {
  const auto add = [&]<class T>(T one, Index n) {
    measure<Plus, T>(n, "sums", {one}, static_cast<T>(n));
    // a rigid motion along x: E is 1
    if (n <= 1000000) measure<Poses, T>(n, "poses", {1, 0, 0, 0, 1, 0, 0, 0, 1, T(0.001), 0, 0}, one);
  };
  for (const Index n : {1000, 100000, 1000000, 10000000}) {
    add(1.0f, n);
    add(1.0, n);
  }
}

}  // namespace tandem::gpu_check
