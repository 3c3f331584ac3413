// SPDX-License-Identifier: Apache-2.0
/// What figures of the papers show, measured on the machine at hand: a line of JSON for every point, on standard
/// output. scripts/figures runs them, each by its name, and draws.
#pragma once
#include <string_view>

#include "tandem/tandem.hpp"

namespace tandem::figures {

/// A figure's measurements.
struct Figure {
  std::string_view name, meaning;
  void (*measure)(int threads);
};

/// Microseconds of a call of forward or inverse dynamics for `group` states at once, best of many; the states vary from
/// call to call.
double measure(std::string_view algorithm, const Model& model, const Options& options, int threads, Index group = 1);

/// chain:LINKS, the same one in every figure.
Model chain(int links);

/// Lets the calling thread, and those that it starts, run on every core again.
void leave_core();

/// A method as a figure names it.
struct Way {
  const char* name;
  Options options;
};

// [Yang], [Yang slides]
void forward_links(int threads);
void forward_robots_10(int threads);
void forward_robots_100(int threads);
void forward_robots_200(int threads);
void inverse_links(int threads);
void inverse_robots_10(int threads);
void inverse_robots_100(int threads);
void scans(int threads);
// [Critchley]
void load_balancing(int threads);
void timing(int threads);
void subsystems(int threads);
// [Pond], chapter 3
void macroparallel(int threads);
void macroparallel_iterations(int threads);
void first_guesses(int threads);
void freezing(int threads);
// simulations
void energy_drift(int threads);
// derivatives
void derivative_accuracy(int threads);
// [Pond], chapter 2
void schedules(int threads);
void schedule_runs(int threads);

}  // namespace tandem::figures
