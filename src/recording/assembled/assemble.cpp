// SPDX-License-Identifier: Apache-2.0
#include "recording/assembled/assemble.hpp"

#include <sys/mman.h>

#include <cstring>

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
    if (mprotect(data, size, PROT_READ | PROT_EXEC) != 0)
      throw Error("this system does not let a program run what it has assembled");
  }
  void* data;
  std::size_t size;
};

std::vector<Registers> registers_here() {
  std::vector<Registers> here;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) here.push_back(Registers::avx512);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) here.push_back(Registers::avx2);
  return here;
}

AssembledFunction::AssembledFunction(const RecordedFunction& recorded, Registers registers) {
  const WithoutAngles expanded = expand_angles(recorded);
  const RecordedFunction& function = expanded.function;
  Xbyak::CodeGenerator code(Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow);
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
  const Written written = write_instructions(function, computed_angles, registers, code);
  bytes_ = code.getSize();
  const std::size_t begin = (bytes_ + 63) / 64 * 64;
  memory_ = std::make_unique<Memory>(begin + written.constants.size());
  std::memcpy(memory_->data, code.getCode(), bytes_);  // it has no addresses of its own
  constants_ = static_cast<std::byte*>(memory_->data) + begin;
  if (!written.constants.empty())
    std::memcpy(static_cast<std::byte*>(memory_->data) + begin, written.constants.data(), written.constants.size());
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
