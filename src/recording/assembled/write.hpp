// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <xbyak/xbyak.h>

#include <cstddef>
#include <vector>

#include "recording/assembled/assemble.hpp"

namespace tandem {

/// What the instructions of a function need besides themselves.
struct Written {
  std::vector<std::byte> constants;
  std::int32_t rows;  ///< of a tile
  std::int32_t spilled;
  int bytes_of_row;
};

/// Instructions of a function of (tile, constants), the angles of which are written out. Further terms go to rows behind the
/// outputs.
Written write_instructions(const RecordedFunction& function, const std::vector<Term>& further, Registers registers,
                           Xbyak::CodeGenerator& to);

}  // namespace tandem
