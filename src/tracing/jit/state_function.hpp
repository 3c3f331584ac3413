// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as instructions for one state at a time.
#pragma once
#include "tracing/jit/assemble.hpp"
#include "tracing/jit/runnable_code.hpp"

namespace tandem {

/// Those of whose instructions there are functions of one state.
constexpr bool serves_single_states(Registers registers) {
  return registers == Registers::avx512 || registers == Registers::avx2;
}

/// A function of one state, which reads and writes numbers where they lie: side by side in each column. Sines and
/// cosines are computed first, several at a time; all else one number an instruction.
class StateFunction {
 public:
  /// With as many registers as those of the kind are. Throws Error as AssembledFunction does, and for an angle that
  /// depends on functions of another angle.
  StateFunction(const RecordedFunction& function, Registers registers);

  /// `columns`: of every argument, in order, null where it was not recorded. No output may lie where an input does.
  /// False, and nothing is written, of a state that the function does not serve: an input is no number, or an angle is
  /// too large for the arithmetic of moderate ones.
#if defined(__clang__)
  [[clang::no_sanitize("function")]]
#endif
  bool operator()(const void* const* columns, void* scratch) const {
    return call_(scratch, code_.constants(), columns);
  }

  std::size_t scratch_bytes() const { return scratch_bytes_; }  ///< aligned to 64
  std::size_t bytes() const { return code_.bytes(); }           ///< of its instructions
  std::int32_t spilled() const { return spilled_; }             ///< numbers that did not stay in registers

 private:
  RunnableCode code_;
  bool (*call_)(void* scratch, const void* constants, const void* const* columns) = nullptr;
  std::size_t scratch_bytes_ = 0;
  std::int32_t spilled_ = 0;
};

}  // namespace tandem
