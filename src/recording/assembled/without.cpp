// SPDX-License-Identifier: Apache-2.0
/// In place of assemble.cpp where there is no assembler.
#include "recording/assembled/assemble.hpp"
#include "tandem/error.hpp"

namespace tandem {

struct AssembledFunction::Memory {};

std::vector<Registers> registers_here() { return {}; }

AssembledFunction::AssembledFunction(const RecordedFunction& recorded, Registers) {
  throw Error(recorded.name + " cannot be assembled: this copy of Tandem was built without Xbyak");
}
AssembledFunction::~AssembledFunction() = default;
AssembledFunction::AssembledFunction(AssembledFunction&&) noexcept = default;
AssembledFunction& AssembledFunction::operator=(AssembledFunction&&) noexcept = default;

}  // namespace tandem
