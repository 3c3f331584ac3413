// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "figures.hpp"

namespace tandem::figures {
namespace {

/// States of one robot, all different.
struct States {
  std::vector<double> q, v, f, out;
  Index n;
  States(const Model& model, Index count) : n(count) {
    for (Index b = 0; b < n; ++b) {
      const auto q_b = random_configuration(model, static_cast<std::uint64_t>(b) + 1);
      q.insert(q.end(), q_b.begin(), q_b.end());
    }
    v.resize(static_cast<std::size_t>(n * model.nv()));
    f.resize(v.size());
    out.resize(v.size());
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = 0.1 * static_cast<double>(k % 7) - 0.3;
      f[k] = 0.2 * static_cast<double>(k % 5) - 0.4;
    }
  }
};

}  // namespace

Model chain(int links) { return load("chain:" + std::to_string(links), {}, 1); }

void leave_core() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (std::size_t k = 0; k < CPU_SETSIZE; ++k) CPU_SET(k, &cores);
  sched_setaffinity(0, sizeof cores, &cores);
}

double measure(std::string_view name, const Model& model, const Options& options, int threads, Index group) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const Algorithm& algorithm = find_algorithm(std::string(name));
  States s(model, std::max<Index>(group, 4));
  Workspace<double> work;
  Index next = 0;
  const auto call = [&] {
    const Index b = group > 1 ? 0 : next++ % s.n;
    // q, v, then a or tau, what pushes from outside, and in forward dynamics a diagonal
    std::vector<Array<double>> arguments(algorithm.arguments.size());
    arguments[0] = Array<double>::input(s.q.data() + b * model.nq(), model.nq());
    arguments[1] = Array<double>::input(s.v.data() + b * model.nv(), model.nv());
    arguments[2] = Array<double>::input(s.f.data() + b * model.nv(), model.nv());
    arguments.back() = Array<double>::output(s.out.data() + b * model.nv(), model.nv());
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

}  // namespace tandem::figures
