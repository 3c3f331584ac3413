// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/runnable_code.hpp"

#include <sys/mman.h>

#include <cstring>

#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem {

RunnableCode::RunnableCode(std::span<const std::byte> instructions, std::span<const std::byte> constants)
    : bytes_(instructions.size()) {
  const std::size_t begin = (bytes_ + 63) / 64 * 64, size = begin + constants.size();
  void* const pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw Error(sentence("cannot allocate ", size, " bytes for machine code"));
  memory_ = {pages, {size}};
  std::memcpy(pages, instructions.data(), bytes_);  // they have no addresses of their own
  std::byte* const behind = static_cast<std::byte*>(pages) + begin;
  if (!constants.empty()) std::memcpy(behind, constants.data(), constants.size());
  constants_ = behind;
  // where instructions have a cache of their own that does not look at what is written; nothing on x86-64
  __builtin___clear_cache(static_cast<char*>(pages), static_cast<char*>(pages) + size);
  if (mprotect(pages, size, PROT_READ | PROT_EXEC) != 0)
    throw Error("this system does not allow programs to run generated code");
}

void RunnableCode::Unmap::operator()(void* pages) const { munmap(pages, size); }

}  // namespace tandem
