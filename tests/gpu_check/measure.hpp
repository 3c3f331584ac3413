// SPDX-License-Identifier: Apache-2.0
/// Times of calls.
#pragma once
#include <algorithm>
#include <chrono>
#include <type_traits>
#include <vector>

#include "tandem/api/cuda.hpp"

namespace tandem::gpu_check {

template <class T>
constexpr const char* precision = std::is_same_v<T, double> ? "double" : "float";

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
  double median = 0, best = 0;  ///< seconds of a call
};

inline Times times_of(std::vector<double> repeats) {
  std::sort(repeats.begin(), repeats.end());
  return {repeats[repeats.size() / 2], repeats.front()};
}

/// Of calls that do not wait: they follow each other for some milliseconds, so that neither the clock nor a launch
/// counts. After two that bring in what the first ones need.
template <class F>
Times device_times(F&& call, int repeats = 7, double of_each = 4e-3) {
  const auto run = [&](int times) {
    for (int n = 0; n < times; ++n) call();
    cuda::synchronise();
  };
  run(2);
  const int times = std::clamp(static_cast<int>(of_each / seconds([&] { run(1); })), 1, 400);
  std::vector<double> all;
  for (int n = 0; n < repeats; ++n) all.push_back(seconds([&] { run(times); }) / times);
  return times_of(std::move(all));
}

/// Of calls that wait.
template <class F>
Times host_times(F&& call, int repeats = 5) {
  call();
  std::vector<double> all;
  for (int n = 0; n < repeats; ++n) all.push_back(seconds(call));
  return times_of(std::move(all));
}

}  // namespace tandem::gpu_check
