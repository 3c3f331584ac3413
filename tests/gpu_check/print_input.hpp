// SPDX-License-Identifier: Apache-2.0
/// The arguments of a state whose comparison failed, to be pasted into a test.
#pragma once
#include <cstdio>
#include <string>

#include "call.hpp"

namespace tandem::gpu_check {

/// Robots of more rows have too long a state to be printed.
inline constexpr Index most_printed_rows = 80;

inline void print_column(const char* name, const std::vector<double>& values) {
  std::printf("  %s = [", name);
  for (std::size_t k = 0; k < values.size(); ++k) std::printf("%s%.17g", k ? ", " : "", values[k]);
  std::printf("]\n");
}

template <class A, class T>
void print_input(const std::string& robot, const Call<A, T>& call, Index b) {
  std::printf("input of %s, %s, state %lld:\n", A::name, robot.c_str(), static_cast<long long>(b));
  for (std::size_t k = 0; k < call.count(); ++k) {
    if (!call.given(k)) continue;
    if (call.rows(k) > most_printed_rows)
      std::printf("  %s: %lld rows, draws of Call\n", A::arguments[k].name, static_cast<long long>(call.rows(k)));
    else
      print_column(A::arguments[k].name, call.column(A::arguments[k].name, b));
  }
}

}  // namespace tandem::gpu_check
