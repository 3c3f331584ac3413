// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "tracing/jit/vex_instructions.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Instructions of AVX2 with FMA, or AVX-512, on the lowest number of each register, and rows of memory that may lie
/// anywhere.
class VexOfOne final : public VexInstructions {
 public:
  /// `where` is the address of a row; `many`: with the 32 registers of AVX-512.
  VexOfOne(Xbyak::CodeGenerator& to, bool many, bool single, ConstantPool* pool,
           std::function<Xbyak::RegExp(std::size_t)> where)
      : VexInstructions(to, form_of(many, single), vex_scalar, many, single, pool), where_(std::move(where)) {}

  void load(int x, const Operand& from) override {
    const XbyakOperand m = operand(from);
    single() ? to_.vmovss(reg(x), m.memory()) : to_.vmovsd(reg(x), m.memory());
  }
  void store(std::int32_t row, int x) override {
    const Xbyak::Address m = row_at(static_cast<std::size_t>(row));
    single() ? to_.vmovss(m, reg(x)) : to_.vmovsd(m, reg(x));
  }
  void square_root(int x, int a) override {
    single() ? to_.vsqrtss(reg(x), reg(a), reg(a)) : to_.vsqrtsd(reg(x), reg(a), reg(a));
  }
  void test_bit(int, int, int, bool) override { throw Error("tests of bits are not supported in single states"); }

  std::vector<std::byte> finish() override { return written(to_); }

 private:
  static InstructionForm form_of(bool many, bool single) {
    return {.registers = many ? 31 : 15,
            .bytes_of_row = single ? 4 : 8,
            .bytes_of_constant = 16,  // of which masks are read whole
            .operands_in_memory = true,
            .writes_over_an_operand = false,
            .fuses = true,
            .fused_over_factor = true,
            .fused_minus_sum = true};
  }

  Xbyak::Address row_at(std::size_t row) const override { return to_.ptr[where_(row)]; }
  Xbyak::Xmm reg(int k) const override { return Xbyak::Xmm(k); }

  std::function<Xbyak::RegExp(std::size_t)> where_;
};

}  // namespace tandem
