// SPDX-License-Identifier: Apache-2.0
/// Sections of a run. A section is a list of units: comparisons or measurements that stand on their own. Units run in
/// forked processes, so that a kernel which breaks the context of its process, a crash or an endless loop costs one
/// unit.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace tandem::gpu_check {

struct Unit {
  std::string name;
  std::function<void()> run;   ///< writes its rows; throws Error if it fails
  double most_seconds = 60;    ///< after which its process is killed
};

struct Section {
  std::string name;
  double seconds = 60;   ///< units that have not begun by then are left out, and named
  int processes = 1;     ///< that run units side by side: for comparisons, not for rates
  std::vector<Unit> units;
};

/// A comparison failed. Counted for the exit code of the run.
void count_failure();
int failures();

/// Runs the units. With `fork` false all of them in this process, for debuggers and sanitizers. Before the first
/// section of a run.
void run_section(const Section& section, bool fork);

}  // namespace tandem::gpu_check
