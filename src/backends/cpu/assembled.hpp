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
      nullptr;                 ///< for states that the function does not serve: large angles, what is no number
  Index ordinary_scratch = 0;  ///< numbers

  /// True if a call gives just the arguments that the function was recorded with, and asks for nothing that it does not do.
  /// Inputs that all states share are left to the ordinary way, which may compute what depends on them once.
  bool serves(const Call<T>& call, Index states) const {
    if (call.parameters || call.iterations) return false;
    for (std::size_t k = 0; k < given.size(); ++k) {
      const Array<T>& array = call.arguments[k];
      if ((array.data != nullptr) != given[k] ||
          (given[k] && is_input(arguments[k]) && array.stride == 0 && states > 1))
        return false;
    }
    return true;
  }
};

}  // namespace tandem
