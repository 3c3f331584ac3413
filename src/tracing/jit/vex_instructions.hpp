// SPDX-License-Identifier: Apache-2.0
/// What instructions of AVX2 and AVX-512 on all lanes (vex.hpp) and on the lowest one (vex_of_one.hpp) share.
#pragma once
#include <array>
#include <variant>

#include "tracing/jit/x86.hpp"

namespace tandem {

/// An operand of Xbyak: a register or memory.
class XbyakOperand {
 public:
  XbyakOperand(const Xbyak::Xmm& x) : place_(x) {}
  XbyakOperand(const Xbyak::Address& x) : place_(x) {}
  operator const Xbyak::Operand&() const {
    return std::visit([](const auto& x) -> const Xbyak::Operand& { return x; }, place_);
  }
  const Xbyak::Address& memory() const { return std::get<Xbyak::Address>(place_); }

 private:
  std::variant<Xbyak::Xmm, Xbyak::Address> place_;
};

/// The instructions for one kind of numbers, those of Product in its order.
struct VexNames {
  using Code = Xbyak::CodeGenerator;
  using Binary = void (Code::*)(const Xbyak::Xmm&, const Xbyak::Operand&, const Xbyak::Operand&);
  using Fused = void (Code::*)(const Xbyak::Xmm&, const Xbyak::Xmm&, const Xbyak::Operand&);
  Binary add, subtract, multiply, divide;
  std::array<Fused, 3> over_sum, over_factor;
  void (Code::*compare)(const Xbyak::Xmm&, const Xbyak::Xmm&, const Xbyak::Operand&, std::uint8_t);
  void (Code::*compare_to_mask)(const Xbyak::Opmask&, const Xbyak::Xmm&, const Xbyak::Operand&, std::uint8_t);
};

#define TANDEM_VEX(kind)                                                                                    \
  {&VexNames::Code::vadd##kind,                                                                             \
   &VexNames::Code::vsub##kind,                                                                             \
   &VexNames::Code::vmul##kind,                                                                             \
   &VexNames::Code::vdiv##kind,                                                                             \
   {&VexNames::Code::vfmadd231##kind, &VexNames::Code::vfmsub231##kind, &VexNames::Code::vfnmadd231##kind}, \
   {&VexNames::Code::vfmadd213##kind, &VexNames::Code::vfmsub213##kind, &VexNames::Code::vfnmadd213##kind}, \
   &VexNames::Code::vcmp##kind,                                                                             \
   &VexNames::Code::vcmp##kind}
/// Of all lanes in double and float, and of one.
inline const VexNames vex_packed[] = {TANDEM_VEX(pd), TANDEM_VEX(ps)};
inline const VexNames vex_scalar[] = {TANDEM_VEX(sd), TANDEM_VEX(ss)};
#undef TANDEM_VEX

class VexInstructions : public Instructions {
 public:
  /// Appends to `to`; `masks`: those of AVX-512.
  VexInstructions(Xbyak::CodeGenerator& to, const InstructionForm& form, const VexNames* names, bool masks, bool single,
                  ConstantPool* pool)
      : Instructions(form, single, pool), to_(to), masks_(masks), names_(names[single ? 1 : 0]) {}

  void copy(int x, int y) override { single() ? to_.vmovaps(reg(x), reg(y)) : to_.vmovapd(reg(x), reg(y)); }

  void add(int x, int a, const Operand& b) override { (to_.*names_.add)(reg(x), reg(a), operand(b)); }
  void subtract(int x, int a, const Operand& b) override { (to_.*names_.subtract)(reg(x), reg(a), operand(b)); }
  void multiply(int x, int a, const Operand& b) override { (to_.*names_.multiply)(reg(x), reg(a), operand(b)); }
  void divide(int x, int a, const Operand& b) override { (to_.*names_.divide)(reg(x), reg(a), operand(b)); }
  void absolute(int x, int a) override {
    const XbyakOperand bits = operand(all_but_sign());
    single() ? to_.vandps(reg(x), reg(a), bits) : to_.vandpd(reg(x), reg(a), bits);
  }
  void negate(int x, int a) override {
    const XbyakOperand bits = operand(sign_bit());
    single() ? to_.vxorps(reg(x), reg(a), bits) : to_.vxorpd(reg(x), reg(a), bits);
  }

  void fused_over_sum(Product kind, int sum, int a, const Operand& b) override {
    (to_.*names_.over_sum[static_cast<std::size_t>(kind)])(reg(sum), reg(a), operand(b));
  }
  void fused_over_factor(Product kind, int factor, int b, const Operand& c) override {
    (to_.*names_.over_factor[static_cast<std::size_t>(kind)])(reg(factor), reg(b), operand(c));
  }

  /// Conditions stand in k1 or, with AVX2, in a register whose signs tell.
  void compare(Comparison comparison, int condition, int a, int b) override {
    const std::uint8_t which = comparison == Comparison::less ? 1 : 0;  // ordered
    if (masks_)
      (to_.*names_.compare_to_mask)(to_.k1, reg(a), reg(b), which);
    else
      (to_.*names_.compare)(reg(condition), reg(a), reg(b), which);
  }
  void blend(int x, int condition, int yes, int no) override {
    if (masks_)
      single() ? to_.vblendmps(reg(x) | to_.k1, reg(no), reg(yes)) : to_.vblendmpd(reg(x) | to_.k1, reg(no), reg(yes));
    else
      single() ? to_.vblendvps(reg(x), reg(no), reg(yes), reg(condition))
               : to_.vblendvpd(reg(x), reg(no), reg(yes), reg(condition));
  }

 protected:
  virtual Xbyak::Xmm reg(int k) const = 0;
  virtual Xbyak::Address row_at(std::size_t row) const = 0;
  virtual Xbyak::Address constant_at(std::size_t byte) const { return to_.ptr[to_.rsi + byte]; }
  XbyakOperand operand(const Operand& place) const {
    switch (place.where) {
      case Operand::Where::in_register: return reg(place.reg());
      case Operand::Where::in_row: return row_at(place.at);
      default: return constant_at(place.at);
    }
  }

  Xbyak::CodeGenerator& to_;
  bool masks_;

 private:
  const VexNames& names_;
};

}  // namespace tandem
