// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace tandem {

/// Instructions and the numbers behind them, in pages that are written first and run afterwards, never both at once.
class RunnableCode {
 public:
  RunnableCode() = default;
  /// Throws Error where the system gives no such pages.
  RunnableCode(std::span<const std::byte> instructions, std::span<const std::byte> constants);

  void* entry() const { return memory_.get(); }
  const std::byte* constants() const { return constants_; }
  std::size_t bytes() const { return bytes_; }  ///< of instructions

 private:
  struct Unmap {
    std::size_t size;
    void operator()(void* pages) const;
  };
  std::unique_ptr<void, Unmap> memory_;
  const std::byte* constants_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tandem
