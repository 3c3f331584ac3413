// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cpu/call.hpp"
#include "recording/assembled/assemble.hpp"

namespace tandem {

/// What a plan holds of an algorithm that was assembled for its robot.
template <class T>
struct Assembled {
  AssembledFunction function;
  std::span<const Argument> arguments;  ///< of the algorithm
  std::vector<bool> given;              ///< which of them the function takes
  bool inverts_mass_matrix = false;
  std::size_t operations = 0;
  const Kernel<T>* kernel = nullptr;  ///< that runs it
  const Kernel<T>* ordinary =
      nullptr;  ///< for states that the function does not serve: large angles, what is no number
};

}  // namespace tandem
