// SPDX-License-Identifier: Apache-2.0
#include "recording/assembled/assemble.hpp"

#include <sys/mman.h>

#include <algorithm>

#include "core/text.hpp"
#include "recording/assembled/write.hpp"
#include "recording/expand_angles.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Pages that are written first and run afterwards, never both at once.
struct AssembledFunction::Memory {
  explicit Memory(std::size_t bytes) : size(bytes) {
    data = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) throw Error(sentence("no memory for ", bytes, " bytes of instructions"));
  }
  ~Memory() { munmap(data, size); }
  void run_only() {
    // where instructions have a cache of their own that does not look at what is written; nothing on x86-64
    __builtin___clear_cache(static_cast<char*>(data), static_cast<char*>(data) + size);
    if (mprotect(data, size, PROT_READ | PROT_EXEC) != 0)
      throw Error("this system does not let a program run what it has assembled");
  }
  void* data;
  std::size_t size;
};

AssembledFunction::AssembledFunction(const RecordedFunction& recorded, Registers registers) {
  const std::vector<Registers> here = registers_here();
  if (std::find(here.begin(), here.end(), registers) == here.end())
    throw Error(recorded.name +
                " cannot be assembled: this processor, or this copy of Tandem, does not have these registers");
  const WithoutAngles expanded = expand_angles(recorded);
  const RecordedFunction& function = expanded.function;
  inputs_ = function.graph.inputs();
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument)) outputs_ += static_cast<std::int32_t>(column.rows.size());
  std::vector<Term> computed_angles;
  for (const Term& angle : expanded.angles) {
    const Node& node = function.graph.nodes()[static_cast<std::size_t>(angle.node)];
    if (node.operation == Operation::input) {
      angles_.push_back(static_cast<std::int32_t>(node.value));
    } else {
      angles_.push_back(inputs_ + outputs_ + static_cast<std::int32_t>(computed_angles.size()));
      computed_angles.push_back(angle);
    }
  }
  const Written written = write_instructions(function, computed_angles, registers);
  bytes_ = written.instructions.size();
  const std::size_t begin = (bytes_ + 63) / 64 * 64;
  memory_ = std::make_unique<Memory>(begin + written.constants.size());
  auto* const first = static_cast<std::byte*>(memory_->data);
  std::copy(written.instructions.begin(), written.instructions.end(), first);
  std::copy(written.constants.begin(), written.constants.end(), first + begin);
  constants_ = first + begin;
  memory_->run_only();
  call_ = reinterpret_cast<void (*)(void*, const void*)>(memory_->data);
  rows_ = written.rows;
  spilled_ = written.spilled;
  width_ = written.bytes_of_row / (function.graph.precision() == Graph::Precision::single_precision ? 4 : 8);
}
AssembledFunction::~AssembledFunction() = default;
AssembledFunction::AssembledFunction(AssembledFunction&&) noexcept = default;
AssembledFunction& AssembledFunction::operator=(AssembledFunction&&) noexcept = default;

}  // namespace tandem
