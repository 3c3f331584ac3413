// SPDX-License-Identifier: Apache-2.0
/// [Yang slides]: "millions of scans in 10 ms". Scans of plain sums, and of the motions that inverse dynamics scans
/// over, by the naive schedule, up and down a tree, and in chunks.
#include <fmt/format.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "figures.hpp"
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::figures {
namespace {

struct TbbExecutor {
  template <class F>
  void for_each(Index n, F&& f) const {
    if (n < 256) {
      for (Index i = 0; i < n; ++i) f(i);
      return;
    }
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<Index>(0, n, 128), [&](const auto& part) {
      for (Index i = part.begin(); i < part.end(); ++i) f(i);
    });
  }
};

struct SumOfNumbers {
  double operator()(double a, double b) const { return a + b; }
  double identity() const { return 0; }
};

double of(double, Index i) { return static_cast<double>(i % 7); }
AffineRun<double> of(const AffineRun<double>&, Index i) {
  const double c = 0.8, s = i % 2 ? 0.6 : -0.6;
  auto run = Affine<double>::identity();
  run.X.E = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
  run.X.r = {0.1, 0, 0};
  run.b = {{0, 0, 0.01}, {0, 0.01, 0}};
  return run;
}

template <class Op>
void of_elements(const char* what, const Op& op, Index most, int threads) {
  using T = ElementOf<Op>;
  using Clock = std::chrono::steady_clock;
  constexpr Index chunk = 1024;
  std::vector<T> in(static_cast<std::size_t>(most)), x(in), spare(in);
  for (Index i = 0; i < most; ++i) in[static_cast<std::size_t>(i)] = of(T(), i);
  const auto row = [&](const char* schedule, Index n, auto&& scan) {
    double best = 1e30;
    const auto start = Clock::now();
    for (int round = 0; round < 3 || Clock::now() - start < std::chrono::milliseconds(150); ++round) {
      std::copy_n(in.begin(), n, x.begin());
      const auto begin = Clock::now();
      scan();
      best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    fmt::print(R"({{"figure":"scans","element":"{}","schedule":"{}","n":{},"threads":{},"us":{:.3f}}})"
               "\n",
               what, schedule, n, threads, 1e6 * best);
  };
  const auto by = [&](const auto& executor) {
    const ArraySlots<T> slots{x.data()}, other{spare.data()};
    for (Index n = 1024; n <= most; n *= 4) {
      row("naive", n, [&] { scan_hillis_steele<Scan::inclusive_prefix>(executor, op, n, slots, other); });
      row("tree", n, [&] { scan_tree<Scan::exclusive_prefix>(executor, op, n, slots); });
      row("chunks", n, [&] {
        scan_chunked<Scan::inclusive_prefix>(
            executor, op, n, chunk, [&](Index i) { return x[static_cast<std::size_t>(i)]; }, slots, other);
      });
    }
  };
  if (threads == 1)
    by(SerialExecutor());
  else
    oneapi::tbb::task_arena(threads).execute([&] { by(TbbExecutor()); });
}

}  // namespace

void scans(int most_threads) {
  for (const int threads : {1, most_threads}) {
    of_elements("sums", SumOfNumbers(), Index{1} << 24, threads);
    of_elements("motions", Affine<double>(), Index{1} << 20, threads);
    if (most_threads == 1) break;
  }
}

}  // namespace tandem::figures
