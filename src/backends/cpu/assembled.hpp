// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <utility>

#include "backends/cpu/call.hpp"
#include "tracing/jit/state_function.hpp"

namespace tandem {

/// What a plan holds of an algorithm that was assembled for its robot.
template <class T>
struct Assembled {
  AssembledFunction function;
  std::span<const Argument> arguments;             ///< of the algorithm
  std::vector<unsigned char> given;                ///< which of them the function takes
  std::vector<Index> rows = {};                    ///< of each of these, 0 of others
  std::vector<std::int32_t> quaternion_rows = {};  ///< of a tile, where one begins
  std::vector<Parameter> parameters = {};          ///< of the model that it takes, behind the other inputs
  bool inverts_mass_matrix = false;
  std::size_t operations = 0;
  std::optional<StateFunction> state = {};  ///< the same for one state, where there is one
  /// Outputs that may lie where inputs do, and rows of inputs at which quaternions begin, by their arguments' places.
  std::vector<std::pair<std::size_t, std::size_t>> may_be_one = {};
  std::vector<std::pair<std::size_t, Index>> quaternions = {};
  const Kernel<T>* kernel = nullptr;  ///< that runs it
  const Kernel<T>* ordinary =
      nullptr;  ///< for states that the function does not serve: large angles, what is no number

  /// Of scratch memory, for the tile.
  Index numbers() const { return Index{function.rows()} * function.width(); }
};

}  // namespace tandem
