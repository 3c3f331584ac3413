// SPDX-License-Identifier: Apache-2.0
/// The vector instructions that straight lines are made of, in one precision and one width of registers.
#pragma once
#include <xbyak/xbyak.h>

#include <cstdint>
#include <variant>

namespace tandem {

class Instructions {
 public:
  using Register = Xbyak::Xmm;
  using Memory = Xbyak::Address;

  /// Where an operand is: in a register or in memory.
  class Source {
   public:
    Source(const Register& r) : place_(r) {}
    Source(const Memory& m) : place_(m) {}
    const Xbyak::Operand& operand() const {
      return std::visit([](const auto& x) -> const Xbyak::Operand& { return x; }, place_);
    }

   private:
    std::variant<Register, Memory> place_;
  };

  Instructions(Xbyak::CodeGenerator& to, bool wide, bool single) : to_(to), wide_(wide), single_(single) {}

  Register reg(int k) const { return wide_ ? Register(Xbyak::Zmm(k)) : Register(Xbyak::Ymm(k)); }
  /// Of the tile; and of the pool, where with AVX-512 one number stands for all lanes.
  Memory in_tile(std::size_t byte) const { return to_.ptr[to_.rdi + byte]; }
  Memory in_pool(std::size_t byte) const { return wide_ ? to_.ptr_b[to_.rsi + byte] : to_.ptr[to_.rsi + byte]; }

  void load(const Register& x, const Memory& m) const { single_ ? to_.vmovaps(x, m) : to_.vmovapd(x, m); }
  void copy(const Register& x, const Register& y) const { single_ ? to_.vmovaps(x, y) : to_.vmovapd(x, y); }
  void store(const Memory& m, const Register& x) const { single_ ? to_.vmovaps(m, x) : to_.vmovapd(m, x); }
  void load_from_pool(const Register& x, std::size_t byte) const {
    if (!wide_) return load(x, in_pool(byte));
    single_ ? to_.vbroadcastss(x, to_.ptr[to_.rsi + byte])
            : to_.vbroadcastsd(Xbyak::Zmm(x.getIdx()), to_.ptr[to_.rsi + byte]);
  }

  void add(const Register& x, const Register& a, const Source& b) const {
    single_ ? to_.vaddps(x, a, b.operand()) : to_.vaddpd(x, a, b.operand());
  }
  void subtract(const Register& x, const Register& a, const Source& b) const {
    single_ ? to_.vsubps(x, a, b.operand()) : to_.vsubpd(x, a, b.operand());
  }
  void multiply(const Register& x, const Register& a, const Source& b) const {
    single_ ? to_.vmulps(x, a, b.operand()) : to_.vmulpd(x, a, b.operand());
  }
  void divide(const Register& x, const Register& a, const Source& b) const {
    single_ ? to_.vdivps(x, a, b.operand()) : to_.vdivpd(x, a, b.operand());
  }
  void square_root(const Register& x, const Register& a) const { single_ ? to_.vsqrtps(x, a) : to_.vsqrtpd(x, a); }
  void conjunction(const Register& x, const Register& a, const Source& b) const {
    single_ ? to_.vandps(x, a, b.operand()) : to_.vandpd(x, a, b.operand());
  }
  void exclusive_or(const Register& x, const Register& a, const Source& b) const {
    single_ ? to_.vxorps(x, a, b.operand()) : to_.vxorpd(x, a, b.operand());
  }

  /// sum = a b +- sum
  void over_sum(bool minus, const Register& sum, const Register& a, const Source& b) const {
    const Xbyak::Operand& o = b.operand();
    if (minus)
      single_ ? to_.vfmsub231ps(sum, a, o) : to_.vfmsub231pd(sum, a, o);
    else
      single_ ? to_.vfmadd231ps(sum, a, o) : to_.vfmadd231pd(sum, a, o);
  }
  /// factor = factor b +- c
  void over_factor(bool minus, const Register& factor, const Register& b, const Source& c) const {
    const Xbyak::Operand& o = c.operand();
    if (minus)
      single_ ? to_.vfmsub213ps(factor, b, o) : to_.vfmsub213pd(factor, b, o);
    else
      single_ ? to_.vfmadd213ps(factor, b, o) : to_.vfmadd213pd(factor, b, o);
  }

  /// Conditions stand in k1 or, with AVX2, in a register whose signs tell.
  enum Comparison : std::uint8_t { equal = 0, less = 1 };  // ordered: false beside NaN
  void compare(Comparison c, const Register& condition, const Register& a, const Register& b) const {
    if (wide_)
      single_ ? to_.vcmpps(to_.k1, a, b, c) : to_.vcmppd(to_.k1, a, b, c);
    else
      single_ ? to_.vcmpps(condition, a, b, c) : to_.vcmppd(condition, a, b, c);
  }
  /// Whether a bit of the integer of a's bits is set, or of the next integer; `pool` has the numbers 1 and 1 << bit.
  void test_bit(int bit, bool of_next, const Register& condition, Register a, const Memory& one,
                const Memory& mask) const {
    if (of_next) {
      single_ ? to_.vpaddd(condition, a, one) : to_.vpaddq(condition, a, one);
      a = condition;
    }
    if (wide_)
      single_ ? to_.vptestmd(to_.k1, a, mask) : to_.vptestmq(to_.k1, a, mask);
    else
      single_ ? to_.vpslld(condition, a, static_cast<std::uint8_t>(31 - bit))
              : to_.vpsllq(condition, a, static_cast<std::uint8_t>(63 - bit));
  }
  /// x = condition ? yes : no
  void blend(const Register& x, const Register& condition, const Register& yes, const Register& no) const {
    if (wide_)
      single_ ? to_.vblendmps(x | to_.k1, no, yes) : to_.vblendmpd(x | to_.k1, no, yes);
    else
      single_ ? to_.vblendvps(x, no, yes, condition) : to_.vblendvpd(x, no, yes, condition);
  }

  void end() const {
    to_.vzeroupper();
    to_.ret();
  }

 private:
  Xbyak::CodeGenerator& to_;
  bool wide_, single_;
};

}  // namespace tandem
