// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "tracing/jit/assemble.hpp"

namespace tandem {

/// Instructions of a function of (tile, constants), and what they need besides themselves.
struct Written {
  std::vector<std::byte> instructions;  ///< without addresses of their own
  std::vector<std::byte> constants;
  std::int32_t rows;  ///< of a tile
  std::int32_t spilled;
  int bytes_of_row;
};

/// Of a function whose angles are written out. Further terms go to rows behind the outputs. Throws Error where this
/// copy of the library cannot write for these registers.
Written write_instructions(const RecordedFunction& function, const std::vector<Term>& further, Registers registers);

class Instructions;

/// The outputs of a function, in the order of its columns.
std::vector<Term> outputs_of(const RecordedFunction& function);

struct WrittenLine {
  std::int32_t rows;  ///< one for each input of the graph, then one for each output, then its own
  std::int32_t spilled;
};

/// Appends a line, its operations in this order.
WrittenLine write_line(const RecordedFunction& function, const std::vector<Term>& outputs,
                       std::vector<std::int32_t> order, Instructions& to);

}  // namespace tandem
