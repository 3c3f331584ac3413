// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include "tracing/jit/x86.hpp"

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
class Vex : public Instructions {
 public:
  /// Appends to `to`.
  Vex(Xbyak::CodeGenerator& to, bool wide, bool single, ConstantPool* pool = nullptr)
      : Instructions(form_of_vex(wide, single), single, pool), to_(to), wide_(wide) {}

  void load(int x, const Operand& from) override {
    if (wide_ && from.where == Operand::Where::in_pool) {
      single() ? to_.vbroadcastss(reg(x), to_.ptr[to_.rsi + from.at])
               : to_.vbroadcastsd(Xbyak::Zmm(x), to_.ptr[to_.rsi + from.at]);
      return;
    }
    const XbyakOperand m(*this, from);
    single() ? to_.vmovaps(reg(x), m) : to_.vmovapd(reg(x), m);
  }
  void store(std::int32_t row, int x) override {
    const Xbyak::Address m = in_row(static_cast<std::size_t>(row));
    single() ? to_.vmovaps(m, reg(x)) : to_.vmovapd(m, reg(x));
  }
  void copy(int x, int y) override { single() ? to_.vmovaps(reg(x), reg(y)) : to_.vmovapd(reg(x), reg(y)); }

  void add(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vaddps(reg(x), reg(a), o) : to_.vaddpd(reg(x), reg(a), o);
  }
  void subtract(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vsubps(reg(x), reg(a), o) : to_.vsubpd(reg(x), reg(a), o);
  }
  void multiply(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vmulps(reg(x), reg(a), o) : to_.vmulpd(reg(x), reg(a), o);
  }
  void divide(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vdivps(reg(x), reg(a), o) : to_.vdivpd(reg(x), reg(a), o);
  }
  void square_root(int x, int a) override { single() ? to_.vsqrtps(reg(x), reg(a)) : to_.vsqrtpd(reg(x), reg(a)); }
  void absolute(int x, int a) override {
    const XbyakOperand o(*this, all_but_sign());
    single() ? to_.vandps(reg(x), reg(a), o) : to_.vandpd(reg(x), reg(a), o);
  }
  void negate(int x, int a) override {
    const XbyakOperand o(*this, sign_bit());
    single() ? to_.vxorps(reg(x), reg(a), o) : to_.vxorpd(reg(x), reg(a), o);
  }

  void fused_over_sum(Product kind, int sum, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    switch (kind) {
      case Product::plus_sum:
        single() ? to_.vfmadd231ps(reg(sum), reg(a), o) : to_.vfmadd231pd(reg(sum), reg(a), o);
        break;
      case Product::minus_sum:
        single() ? to_.vfmsub231ps(reg(sum), reg(a), o) : to_.vfmsub231pd(reg(sum), reg(a), o);
        break;
      case Product::from_sum:
        single() ? to_.vfnmadd231ps(reg(sum), reg(a), o) : to_.vfnmadd231pd(reg(sum), reg(a), o);
        break;
    }
  }
  void fused_over_factor(Product kind, int factor, int b, const Operand& c) override {
    const XbyakOperand o(*this, c);
    switch (kind) {
      case Product::plus_sum:
        single() ? to_.vfmadd213ps(reg(factor), reg(b), o) : to_.vfmadd213pd(reg(factor), reg(b), o);
        break;
      case Product::minus_sum:
        single() ? to_.vfmsub213ps(reg(factor), reg(b), o) : to_.vfmsub213pd(reg(factor), reg(b), o);
        break;
      case Product::from_sum:
        single() ? to_.vfnmadd213ps(reg(factor), reg(b), o) : to_.vfnmadd213pd(reg(factor), reg(b), o);
        break;
    }
  }

  /// Conditions stand in k1 or, with AVX2, in a register whose signs tell.
  void compare(Comparison comparison, int condition, int a, int b) override {
    const std::uint8_t which = comparison == Comparison::less ? 1 : 0;  // ordered
    if (wide_)
      single() ? to_.vcmpps(to_.k1, reg(a), reg(b), which) : to_.vcmppd(to_.k1, reg(a), reg(b), which);
    else
      single() ? to_.vcmpps(reg(condition), reg(a), reg(b), which) : to_.vcmppd(reg(condition), reg(a), reg(b), which);
  }
  void test_bit(int condition, int a, int bit, bool of_next) override {
    const Xbyak::Xmm to = reg(condition);
    Xbyak::Xmm from = reg(a);
    if (of_next) {
      const XbyakOperand one(*this, constant_of_bits(1));
      single() ? to_.vpaddd(to, from, one) : to_.vpaddq(to, from, one);
      from = to;
    }
    if (wide_) {
      const XbyakOperand mask(*this, constant_of_bits(std::uint64_t{1} << bit));
      single() ? to_.vptestmd(to_.k1, from, mask) : to_.vptestmq(to_.k1, from, mask);
    } else {
      single() ? to_.vpslld(to, from, static_cast<std::uint8_t>(31 - bit))
               : to_.vpsllq(to, from, static_cast<std::uint8_t>(63 - bit));
    }
  }
  void blend(int x, int condition, int yes, int no) override {
    if (wide_)
      single() ? to_.vblendmps(reg(x) | to_.k1, reg(no), reg(yes)) : to_.vblendmpd(reg(x) | to_.k1, reg(no), reg(yes));
    else
      single() ? to_.vblendvps(reg(x), reg(no), reg(yes), reg(condition))
               : to_.vblendvpd(reg(x), reg(no), reg(yes), reg(condition));
  }

  std::vector<std::byte> finish() override {
    to_.vzeroupper();
    to_.ret();
    return written(to_);
  }

 private:
  /// An operand of Xbyak: a register or memory, where with AVX-512 a number of the pool stands for all lanes.
  class XbyakOperand {
   public:
    XbyakOperand(const Vex& of, const Operand& place) : place_(of.reg(0)) {
      switch (place.where) {
        case Operand::Where::in_register: place_ = of.reg(place.reg()); break;
        case Operand::Where::in_row: place_ = of.in_row(place.at); break;
        case Operand::Where::in_pool:
          place_ = of.wide_ ? of.to_.ptr_b[of.to_.rsi + place.at] : of.to_.ptr[of.to_.rsi + place.at];
          break;
      }
    }
    operator const Xbyak::Operand&() const {
      return std::visit([](const auto& x) -> const Xbyak::Operand& { return x; }, place_);
    }

   private:
    std::variant<Xbyak::Xmm, Xbyak::Address> place_;
  };

  Xbyak::Address in_row(std::size_t row) const { return to_.ptr[to_.rdi + row * (wide_ ? 64 : 32)]; }
  Xbyak::Xmm reg(int k) const { return wide_ ? Xbyak::Xmm(Xbyak::Zmm(k)) : Xbyak::Xmm(Xbyak::Ymm(k)); }

  Xbyak::CodeGenerator& to_;
  bool wide_;
};

}  // namespace tandem
