// SPDX-License-Identifier: Apache-2.0
#include "sections.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>

#include "results.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/error.hpp"

namespace tandem::gpu_check {
namespace {

using Clock = std::chrono::steady_clock;
double now() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// What the processes of a run share.
struct Shared {
  static constexpr int most_processes = 16;
  struct Worker {
    std::atomic<int> unit = -1;
    std::atomic<double> since = 0;
  };
  std::atomic<int> next = 0, failed = 0, left_out = 0;
  Worker workers[most_processes];
};
Shared& shared() {
  static Shared* const page = [] {
    void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Error("no memory for the processes of a section");
    return new (memory) Shared;
  }();
  return *page;
}

void report_failure(const Section& section, const Unit& unit, const std::string& why) {
  std::printf("FAILED: %s: %s: %s\n", section.name.c_str(), unit.name.c_str(), why.c_str());
  std::fflush(stdout);
  write_row("failures", Row().add("section", section.name).add("unit", unit.name).add("why", why));
  count_failure();
}

/// False if the device does not answer this process any more.
bool device_answers() {
  try {
    cuda::synchronise();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

/// Takes units until there are none. False if this process cannot go on.
bool work(const Section& section, Shared::Worker& worker, double end) {
  for (int k = shared().next++; k < static_cast<int>(section.units.size()); k = shared().next++) {
    const Unit& unit = section.units[static_cast<std::size_t>(k)];
    if (now() > end) {
      ++shared().left_out;
      write_row("left_out", Row().add("section", section.name).add("unit", unit.name));
      continue;
    }
    worker.since = now();
    worker.unit = k;
    std::string why;
    try {
      unit.run();
    } catch (const std::exception& error) {
      why = error.what();
    }
    worker.unit = -1;
    if (why.empty()) continue;
    report_failure(section, unit, why);
    if (why.find("CUDA") != std::string::npos && !device_answers()) return false;
  }
  return true;
}

pid_t start(const Section& section, Shared::Worker& worker, double end) {
  std::fflush(stdout);
  worker.unit = -1;
  const pid_t child = ::fork();
  if (child < 0) throw Error("cannot fork a process");
  if (child > 0) return child;
  int status = 3;
  try {
    if (work(section, worker, end)) status = 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  std::fflush(stdout);
  ::_exit(status);
}

/// A process that ended otherwise than by itself leaves a unit behind.
void look_after(const Section& section, const Shared::Worker& worker, int status) {
  const int k = worker.unit;
  if (k < 0) return;
  const std::string why = WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                                              : "ended with status " + std::to_string(WEXITSTATUS(status));
  report_failure(section, section.units[static_cast<std::size_t>(k)], why);
}

void run_forked(const Section& section, double end) {
  Shared& all = shared();
  const int count = std::min(section.processes, Shared::most_processes);
  std::vector<pid_t> children(static_cast<std::size_t>(count), 0);
  for (int p = 0; p < count; ++p) children[static_cast<std::size_t>(p)] = start(section, all.workers[p], end);
  for (int running = count; running > 0;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    for (int p = 0; p < count; ++p) {
      pid_t& child = children[static_cast<std::size_t>(p)];
      Shared::Worker& worker = all.workers[p];
      const int unit = worker.unit;
      if (child > 0 && unit >= 0 && now() - worker.since > section.units[static_cast<std::size_t>(unit)].most_seconds)
        ::kill(child, SIGKILL);
      if (ended <= 0 || child != ended) continue;
      look_after(section, worker, status);
      child = 0;
      --running;
      if (all.next < static_cast<int>(section.units.size())) {
        child = start(section, worker, end);
        ++running;
      }
    }
    if (ended <= 0) ::usleep(20'000);
  }
}

}  // namespace

void count_failure() { ++shared().failed; }
int failures() { return shared().failed; }

void run_section(const Section& section, bool fork) {
  Shared& all = shared();
  all.next = 0;
  all.left_out = 0;
  std::printf("\n== %s\n", section.name.c_str());
  std::fflush(stdout);
  const double begin = now(), end = begin + section.seconds;
  if (fork)
    run_forked(section, end);
  else
    work(section, all.workers[0], end);
  const double took = now() - begin;
  std::printf("== %s: %zu units, %.1f s", section.name.c_str(), section.units.size(), took);
  if (all.left_out > 0) std::printf(", %d left out for want of time", all.left_out.load());
  std::printf("\n");
  std::fflush(stdout);
  write_row("sections", Row().add("section", section.name).add("seconds", took).add("left_out", double(all.left_out)));
}

}  // namespace tandem::gpu_check
