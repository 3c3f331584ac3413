// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <variant>

#include "tracing/jit/x86.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Instructions of AVX2 with FMA, or AVX-512, on the lowest number of each register, and rows of memory that may lie
/// anywhere.
class VexOfOne final : public Instructions {
 public:
  /// `where` is the address of a row; `many`: with the 32 registers of AVX-512.
  VexOfOne(Xbyak::CodeGenerator& to, bool many, bool single, ConstantPool* pool,
           std::function<Xbyak::RegExp(std::size_t)> where)
      : Instructions(form_of(many, single), single, pool), to_(to), many_(many), where_(std::move(where)) {}

  void load(int x, const Operand& from) override {
    const XbyakOperand m(*this, from);
    single() ? to_.vmovss(reg(x), m.memory()) : to_.vmovsd(reg(x), m.memory());
  }
  void store(std::int32_t row, int x) override {
    const Xbyak::Address m = to_.ptr[where_(static_cast<std::size_t>(row))];
    single() ? to_.vmovss(m, reg(x)) : to_.vmovsd(m, reg(x));
  }
  void copy(int x, int y) override { single() ? to_.vmovaps(reg(x), reg(y)) : to_.vmovapd(reg(x), reg(y)); }

  void add(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vaddss(reg(x), reg(a), o) : to_.vaddsd(reg(x), reg(a), o);
  }
  void subtract(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vsubss(reg(x), reg(a), o) : to_.vsubsd(reg(x), reg(a), o);
  }
  void multiply(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vmulss(reg(x), reg(a), o) : to_.vmulsd(reg(x), reg(a), o);
  }
  void divide(int x, int a, const Operand& b) override {
    const XbyakOperand o(*this, b);
    single() ? to_.vdivss(reg(x), reg(a), o) : to_.vdivsd(reg(x), reg(a), o);
  }
  void square_root(int x, int a) override {
    single() ? to_.vsqrtss(reg(x), reg(a), reg(a)) : to_.vsqrtsd(reg(x), reg(a), reg(a));
  }
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
        single() ? to_.vfmadd231ss(reg(sum), reg(a), o) : to_.vfmadd231sd(reg(sum), reg(a), o);
        break;
      case Product::minus_sum:
        single() ? to_.vfmsub231ss(reg(sum), reg(a), o) : to_.vfmsub231sd(reg(sum), reg(a), o);
        break;
      case Product::from_sum:
        single() ? to_.vfnmadd231ss(reg(sum), reg(a), o) : to_.vfnmadd231sd(reg(sum), reg(a), o);
        break;
    }
  }
  void fused_over_factor(Product kind, int factor, int b, const Operand& c) override {
    const XbyakOperand o(*this, c);
    switch (kind) {
      case Product::plus_sum:
        single() ? to_.vfmadd213ss(reg(factor), reg(b), o) : to_.vfmadd213sd(reg(factor), reg(b), o);
        break;
      case Product::minus_sum:
        single() ? to_.vfmsub213ss(reg(factor), reg(b), o) : to_.vfmsub213sd(reg(factor), reg(b), o);
        break;
      case Product::from_sum:
        single() ? to_.vfnmadd213ss(reg(factor), reg(b), o) : to_.vfnmadd213sd(reg(factor), reg(b), o);
        break;
    }
  }

  /// Conditions stand in k1 or, with AVX2, in a register whose sign tells.
  void compare(Comparison comparison, int condition, int a, int b) override {
    const std::uint8_t which = comparison == Comparison::less ? 1 : 0;  // ordered
    if (many_)
      single() ? to_.vcmpss(to_.k1, reg(a), reg(b), which) : to_.vcmpsd(to_.k1, reg(a), reg(b), which);
    else
      single() ? to_.vcmpss(reg(condition), reg(a), reg(b), which) : to_.vcmpsd(reg(condition), reg(a), reg(b), which);
  }
  void test_bit(int, int, int, bool) override { throw Error("tests of bits are not supported in single states"); }
  void blend(int x, int condition, int yes, int no) override {
    if (many_)
      single() ? to_.vblendmps(reg(x) | to_.k1, reg(no), reg(yes)) : to_.vblendmpd(reg(x) | to_.k1, reg(no), reg(yes));
    else
      single() ? to_.vblendvps(reg(x), reg(no), reg(yes), reg(condition))
               : to_.vblendvpd(reg(x), reg(no), reg(yes), reg(condition));
  }

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

  class XbyakOperand {
   public:
    XbyakOperand(const VexOfOne& of, const Operand& place) : place_(of.reg(0)) {
      switch (place.where) {
        case Operand::Where::in_register: place_ = of.reg(place.reg()); break;
        case Operand::Where::in_row: place_ = of.to_.ptr[of.where_(place.at)]; break;
        case Operand::Where::in_pool: place_ = of.to_.ptr[of.to_.rsi + place.at]; break;
      }
    }
    operator const Xbyak::Operand&() const {
      return std::visit([](const auto& x) -> const Xbyak::Operand& { return x; }, place_);
    }
    const Xbyak::Address& memory() const { return std::get<Xbyak::Address>(place_); }

   private:
    std::variant<Xbyak::Xmm, Xbyak::Address> place_;
  };

  static Xbyak::Xmm reg(int k) { return Xbyak::Xmm(k); }

  Xbyak::CodeGenerator& to_;
  bool many_;
  std::function<Xbyak::RegExp(std::size_t)> where_;
};

}  // namespace tandem
