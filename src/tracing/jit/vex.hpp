// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tracing/jit/vex_instructions.hpp"

namespace tandem {

inline InstructionForm form_of_vex(bool wide, bool single) {
  const int row = wide ? 64 : 32;
  return {.registers = wide ? 31 : 15,
          .bytes_of_row = row,
          .bytes_of_constant = !wide    ? row
                               : single ? 4
                                        : 8,  // AVX-512 spreads one over the lanes
          .operands_in_memory = true,
          .writes_over_an_operand = false,
          .fuses = true,
          .fused_over_factor = true,
          .fused_minus_sum = true};
}

/// AVX2 with FMA, or AVX-512.
class Vex : public VexInstructions {
 public:
  /// Appends to `to`.
  Vex(Xbyak::CodeGenerator& to, bool wide, bool single, ConstantPool* pool = nullptr)
      : VexInstructions(to, form_of_vex(wide, single), vex_packed, wide, single, pool) {}

  void load(int x, const Operand& from) override {
    if (masks_ && from.where == Operand::Where::in_pool) {
      single() ? to_.vbroadcastss(reg(x), to_.ptr[to_.rsi + from.at])
               : to_.vbroadcastsd(Xbyak::Zmm(x), to_.ptr[to_.rsi + from.at]);
      return;
    }
    const XbyakOperand m = operand(from);
    single() ? to_.vmovaps(reg(x), m) : to_.vmovapd(reg(x), m);
  }
  void store(std::int32_t row, int x) override {
    const Xbyak::Address m = row_at(static_cast<std::size_t>(row));
    single() ? to_.vmovaps(m, reg(x)) : to_.vmovapd(m, reg(x));
  }
  void square_root(int x, int a) override { single() ? to_.vsqrtps(reg(x), reg(a)) : to_.vsqrtpd(reg(x), reg(a)); }
  void test_bit(int condition, int a, int bit, bool of_next) override {
    const Xbyak::Xmm to = reg(condition);
    Xbyak::Xmm from = reg(a);
    if (of_next) {
      const XbyakOperand one = operand(constant_of_bits(1));
      single() ? to_.vpaddd(to, from, one) : to_.vpaddq(to, from, one);
      from = to;
    }
    if (masks_) {
      const XbyakOperand mask = operand(constant_of_bits(std::uint64_t{1} << bit));
      single() ? to_.vptestmd(to_.k1, from, mask) : to_.vptestmq(to_.k1, from, mask);
    } else {
      single() ? to_.vpslld(to, from, static_cast<std::uint8_t>(31 - bit))
               : to_.vpsllq(to, from, static_cast<std::uint8_t>(63 - bit));
    }
  }

  std::vector<std::byte> finish() override {
    to_.vzeroupper();
    to_.ret();
    return written(to_);
  }

 private:
  Xbyak::Address row_at(std::size_t row) const override { return to_.ptr[to_.rdi + row * (masks_ ? 64 : 32)]; }
  /// With AVX-512 a number of the pool stands for all lanes.
  Xbyak::Address constant_at(std::size_t byte) const override {
    return masks_ ? to_.ptr_b[to_.rsi + byte] : to_.ptr[to_.rsi + byte];
  }
  Xbyak::Xmm reg(int k) const override { return masks_ ? Xbyak::Xmm(Xbyak::Zmm(k)) : Xbyak::Xmm(Xbyak::Ymm(k)); }
};

}  // namespace tandem
