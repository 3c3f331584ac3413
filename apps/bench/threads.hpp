// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <thread>
#include <vector>

namespace tandem::bench {

/// The numbers of threads that rows are measured with: one, two and all, each once.
inline std::vector<int> thread_counts() {
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<int> counts = {1};
  if (all >= 2) counts.push_back(2);
  if (all > 2) counts.push_back(all);
  return counts;
}

}  // namespace tandem::bench
