// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "figures.hpp"

namespace tandem::figures {
namespace {

constexpr Figure all[] = {
    {"forward_links", "[Yang] figure 2, [Yang slides]: forward dynamics over links", forward_links},
    {"forward_robots_10", "[Yang] figure 3a, [Yang slides]: over robots of 10 links", forward_robots_10},
    {"forward_robots_100", "[Yang slides]: over robots of 100 links", forward_robots_100},
    {"forward_robots_200", "[Yang] figure 3b: over robots of 200 links", forward_robots_200},
    {"inverse_links", "[Yang slides]: inverse dynamics over links", inverse_links},
    {"inverse_robots_10", "[Yang slides]: over robots of 10 links", inverse_robots_10},
    {"inverse_robots_100", "[Yang slides]: over robots of 100 links", inverse_robots_100},
    {"scans", "[Yang slides]: elements that scans get through", scans},
    {"load_balancing", "[Critchley] figure 7", load_balancing},
    {"timing", "[Critchley] figure 8", timing},
    {"subsystems", "[Critchley]: errors over the number of subsystems", subsystems},
    {"macroparallel", "[Pond] figures 3.1 to 3.3: stages and speed-ups on a row of processors", macroparallel},
    {"macroparallel_iterations", "[Pond] chapter 3: iterations over the length", macroparallel_iterations},
    {"first_guesses", "[Pond] 3.1.3: iterations from the last solution on", first_guesses},
    {"freezing", "[Pond] 3.2: processors that stop when they have converged", freezing},
    {"schedules", "[Pond] figures 2.8 to 2.16: schedules on the transputer and on this machine", schedules},
    {"energy_drift", "energy of an undamped arm over a million steps, by integrator", energy_drift},
    {"derivative_accuracy", "what float leaves of derivatives and their products", derivative_accuracy},
    {"schedule_runs", "[Pond] p. 46: schedules that are run, predicted and measured", schedule_runs},
};

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

int run(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  if (name == "--list") {
    for (const Figure& figure : all) fmt::print("{:26}{}\n", figure.name, figure.meaning);
    return 0;
  }
  const auto* const found =
      std::find_if(std::begin(all), std::end(all), [&](const Figure& figure) { return figure.name == name; });
  if (found == std::end(all)) {
    fmt::print(stderr, "Usage: tandem_figures NAME [THREADS], or --list for the names\n");
    return 2;
  }
  const int threads = argc > 2 ? std::atoi(argv[2]) : oneapi::tbb::this_task_arena::max_concurrency();
  if (threads < 1) {
    fmt::print(stderr, "tandem_figures: {} threads; 1 or more were expected\n", argv[2]);
    return 2;
  }
  const Pinned pinned;
  found->measure(threads);
  return 0;
}

}  // namespace
}  // namespace tandem::figures

int main(int argc, char** argv) {
  try {
    return tandem::figures::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tandem_figures: {}\n", error.what());
    return 1;
  }
}
