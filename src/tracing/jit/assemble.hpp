// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as instructions of this processor, assembled at run time.
#pragma once
#include <string>
#include <vector>

#include "tracing/jit/runnable_code.hpp"
#include "tracing/record.hpp"

namespace tandem {

/// What the numbers of a call lie in: vector registers of so many bytes, as many states side by side as they hold.
enum class Registers : std::uint8_t { avx512, avx2, sse2, neon };

/// Those that this processor has, the widest first; none where the library was built without an assembler.
std::vector<Registers> registers_here();

/// Whether the library's arithmetic on them adds products with one rounding, as what is assembled is to.
constexpr bool fuses_products(Registers registers) {
#if defined(TANDEM_STRICT)
  return false;
#else
  return registers != Registers::sse2;
#endif
}

/// A function of a tile of states. The tile has a row for each input, then one for each output, in the order of the
/// columns, then rows of its own to work in; a row is a number of each state.
class AssembledFunction {
 public:
  /// Throws Error for an operation that has no instruction (functions of angles are written out; a multiply-add with
  /// SSE2), or where there is no assembler.
  AssembledFunction(const RecordedFunction& function, Registers registers);

  /// Aligned to 64 bytes, rows() * width() numbers of the precision that was recorded.
  // there is no type before its instructions, where clang's sanitizer would look for one
#if defined(__clang__)
  [[clang::no_sanitize("function")]]
#endif
  void operator()(void* tile) const {
    call_(tile, code_.constants());
  }

  int width() const { return width_; }               ///< states of a tile
  std::int32_t inputs() const { return inputs_; }    ///< rows
  std::int32_t outputs() const { return outputs_; }  ///< rows
  std::int32_t rows() const { return rows_; }        ///< of all
  const std::vector<std::int32_t>& angles() const {
    return angles_;
  }  ///< rows whose numbers must be moderate, after the call
  std::size_t bytes() const { return code_.bytes(); }  ///< of its instructions
  std::int32_t spilled() const { return spilled_; }    ///< numbers that did not stay in registers

 private:
  RunnableCode code_;
  void (*call_)(void* tile, const void* constants) = nullptr;
  std::vector<std::int32_t> angles_;
  std::int32_t inputs_ = 0, outputs_ = 0, rows_ = 0, spilled_ = 0;
  int width_ = 0;
};

}  // namespace tandem
