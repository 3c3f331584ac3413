// SPDX-License-Identifier: Apache-2.0
/// Measures what figures of the papers show, on the machine at hand: a line of JSON for every point, on standard output.
/// scripts/figures runs it and draws.
#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem {

namespace {

/// Threads stay where they are: two of them that share a core for a while would be measured as one.
struct Pinned : oneapi::tbb::task_scheduler_observer {
  Pinned() { observe(true); }
  void on_scheduler_entry(bool) override {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    CPU_SET(static_cast<std::size_t>(oneapi::tbb::this_task_arena::current_thread_index()), &cores);
    sched_setaffinity(0, sizeof cores, &cores);
  }
};

/// States of one robot, all different.
struct States {
  std::vector<double> q, v, tau, a;
  Index n;
  States(const Model& model, Index count) : n(count) {
    for (Index b = 0; b < n; ++b) {
      const auto q_b = random_configuration(model, static_cast<std::uint64_t>(b) + 1);
      q.insert(q.end(), q_b.begin(), q_b.end());
    }
    v.resize(static_cast<std::size_t>(n * model.nv()));
    tau.resize(v.size());
    a.resize(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = 0.1 * static_cast<double>(k % 7) - 0.3;
      tau[k] = 0.2 * static_cast<double>(k % 5) - 0.4;
    }
  }
};

/// Microseconds of a call for `group` states at once, best of many; the states vary from call to call.
double measure(const Model& model, const Options& options, int threads, Index group = 1) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  States s(model, std::max<Index>(group, 4));
  Workspace<double> work;
  Index next = 0;
  const auto call = [&] {
    const Index b = group > 1 ? 0 : next++ % s.n;
    const Array<double> arguments[] = {Array<double>::input(s.q.data() + b * model.nq(), model.nq()),
                                       Array<double>::input(s.v.data() + b * model.nv(), model.nv()),
                                       Array<double>::input(s.tau.data() + b * model.nv(), model.nv()),
                                       {},
                                       {},
                                       Array<double>::output(s.a.data() + b * model.nv(), model.nv())};
    evaluate<double>(algorithm, model, std::span<const Array<double>>(arguments), Batch<double>(group, threads), work,
                     options);
  };
  auto start = Clock::now();
  int calls = 0;
  do {
    call();
    ++calls;
  } while (seconds_since(start) < 0.03);
  const int per_round = std::max(1, static_cast<int>(calls * 0.001 / seconds_since(start)));
  double best = 1e30;
  start = Clock::now();
  for (int round = 0; round < 5 || seconds_since(start) < 0.15; ++round) {
    const auto begin = Clock::now();
    for (int k = 0; k < per_round; ++k) call();
    best = std::min(best, seconds_since(begin) / per_round);
    if (seconds_since(start) > 2) break;
  }
  return 1e6 * best;
}

Model chain(int links) { return load("chain:" + std::to_string(links), {}, 1); }

/// [Critchley] figure 7: time over the ratio of the terminal subsystem's length to that of the others.
void load_balancing(int most_threads) {
  for (const int links : {128, 256, 1024}) {
    const Model model = chain(links);
    for (int chunks = 2; chunks <= std::max(2, most_threads); chunks *= 2)
      for (const double ratio : {0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.45, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0}) {
        const Options o{.method = Method::divide_and_conquer_efficient, .chunks = chunks, .load_ratio = ratio};
        fmt::print(R"({{"figure":"load_balancing","links":{},"chunks":{},"threads":{},"ratio":{},"us":{:.3f}}})"
                   "\n",
                   links, chunks, std::min(chunks, most_threads), ratio,
                   measure(model, o, std::min(chunks, most_threads)));
      }
  }
}

/// [Critchley] figure 8: DCA, the serial O(n) algorithm and DCAe.
void timing(int most_threads) {
  const auto row = [](const char* name, int links, int threads, double us) {
    fmt::print(R"({{"figure":"timing","method":"{}","links":{},"threads":{},"us":{:.3f}}})"
               "\n",
               name, links, threads, us);
  };
  for (const int links : {128, 256, 1024}) {
    const Model model = chain(links);
    row("articulated_body", links, 1, measure(model, {.method = Method::articulated_body}, 1));
    for (int threads = 1; threads <= most_threads; threads *= 2) {
      row("divide_and_conquer", links, threads, measure(model, {.method = Method::divide_and_conquer}, threads));
      const Options o{.method = Method::divide_and_conquer_efficient, .chunks = threads};
      row("divide_and_conquer_efficient", links, threads, measure(model, o, threads));
    }
  }
}

/// [Yang] figure 2: time over the number of links; figure 3: time over the number of independent robots. All methods that
/// there are, each as long as it stays below a tenth of a second.
void methods(int most_threads) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  constexpr double long_time = 1e5;
  for (const Method method : methods_of(algorithm)) {
    if (method == Method::automatic) continue;
    const auto row = [&](const char* figure, int links, Index robots, int threads, double us) {
      fmt::print(R"({{"figure":"{}","method":"{}","links":{},"robots":{},"threads":{},"us":{:.3f}}})"
                 "\n",
                 figure, to_string(method), links, robots, threads, us);
      return us < long_time;
    };
    for (const int threads : {1, most_threads})
      for (int links = 8; links <= 16384; links *= 2) {
        const Model model = chain(links);
        if (refusal(algorithm, model, {.method = method})) break;
        if (!row("links", links, 1, threads, measure(model, {.method = method}, threads))) break;
      }
    for (const int links : {10, 200}) {
      const Model model = chain(links);
      if (refusal(algorithm, model, {.method = method})) continue;
      for (Index robots = 1; robots <= 1024; robots *= 4)
        if (!row("robots", links, robots, most_threads, measure(model, {.method = method}, most_threads, robots)))
          break;
    }
  }
}

int run(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  const int threads = argc > 2 ? std::atoi(argv[2]) : oneapi::tbb::this_task_arena::max_concurrency();
  const Pinned pinned;
  if (what == "critchley") {
    timing(threads);
    load_balancing(threads);
  } else if (what == "yang") {
    methods(threads);
  } else {
    fmt::print(stderr, "Usage: tandem_figures critchley|yang [THREADS]\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  try {
    return tandem::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tandem_figures: {}\n", error.what());
    return 1;
  }
}
