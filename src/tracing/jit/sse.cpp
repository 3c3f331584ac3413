// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/x86.hpp"

namespace tandem {
namespace {

/// SSE2, which every x86-64 has: instructions of two operands, the first of which they write over.
class Sse final : public Instructions {
 public:
  explicit Sse(bool single)
      : Instructions({.registers = 15,
                      .bytes_of_row = 16,
                      .bytes_of_constant = 16,
                      .operands_in_memory = true,
                      .writes_over_an_operand = true,
                      .fuses = false,
                      .fused_over_factor = false,
                      .fused_minus_sum = false},
                     single) {}

  void load(int x, const Operand& from) override { to_.movaps(Xmm(x), memory(from)); }
  void store(std::int32_t row, int x) override { to_.movaps(memory(Operand::row(row)), Xmm(x)); }
  void copy(int x, int y) override {
    if (x != y) to_.movaps(Xmm(x), Xmm(y));
  }

  void add(int x, int a, const Operand& b) override {
    both_ways(x, a, b, [&](const Xmm& to, const auto& o) { single() ? to_.addps(to, o) : to_.addpd(to, o); });
  }
  void multiply(int x, int a, const Operand& b) override {
    both_ways(x, a, b, [&](const Xmm& to, const auto& o) { single() ? to_.mulps(to, o) : to_.mulpd(to, o); });
  }
  void subtract(int x, int a, const Operand& b) override {
    one_way(x, a, b, [&](const Xmm& to, const auto& o) { single() ? to_.subps(to, o) : to_.subpd(to, o); });
  }
  void divide(int x, int a, const Operand& b) override {
    one_way(x, a, b, [&](const Xmm& to, const auto& o) { single() ? to_.divps(to, o) : to_.divpd(to, o); });
  }
  void square_root(int x, int a) override { single() ? to_.sqrtps(Xmm(x), Xmm(a)) : to_.sqrtpd(Xmm(x), Xmm(a)); }
  void absolute(int x, int a) override {
    copy(x, a);
    to_.andps(Xmm(x), memory(all_but_sign()));
  }
  void negate(int x, int a) override {
    copy(x, a);
    to_.xorps(Xmm(x), memory(sign_bit()));
  }

  void fused_over_sum(Product, int, int, const Operand&) override {}  // there is none: the form says so
  void fused_over_factor(Product, int, int, const Operand&) override {}

  void compare(Comparison comparison, int condition, int a, int b) override {
    const std::uint8_t which = comparison == Comparison::less ? 1 : 0;  // ordered
    copy(condition, a);
    single() ? to_.cmpps(Xmm(condition), Xmm(b), which) : to_.cmppd(Xmm(condition), Xmm(b), which);
  }
  /// The bit goes to the sign of a word of 32 bits, from there to the whole word; in double the lower word stands for
  /// both.
  void test_bit(int condition, int a, int bit, bool of_next) override {
    copy(condition, a);
    if (of_next) to_.paddd(Xmm(condition), memory(constant_of_bits(1)));
    to_.pslld(Xmm(condition), 31 - bit);
    to_.psrad(Xmm(condition), 31);
    if (!single()) to_.pshufd(Xmm(condition), Xmm(condition), 0xA0);
  }
  /// By way of the bits in which yes and no differ.
  void blend(int x, int condition, int yes, int no) override {
    if (x == no) {
      to_.xorps(Xmm(x), Xmm(yes));
      to_.andnps(Xmm(condition), Xmm(x));
      to_.xorps(Xmm(condition), Xmm(yes));
    } else {
      copy(x, yes);
      to_.xorps(Xmm(x), Xmm(no));
      to_.andps(Xmm(condition), Xmm(x));
      to_.xorps(Xmm(condition), Xmm(no));
    }
    to_.movaps(Xmm(x), Xmm(condition));
  }

  std::vector<std::byte> finish() override {
    to_.ret();
    return written(to_);
  }

 private:
  using Xmm = Xbyak::Xmm;

  Xbyak::Address memory(const Operand& place) const {
    if (place.where == Operand::Where::in_row) return to_.ptr[to_.rdi + 16 * place.at];
    return to_.ptr[to_.rsi + place.at];
  }
  template <class F>
  void with(const Operand& b, int x, F&& f) {
    if (b.is_register())
      f(Xmm(x), Xmm(b.reg()));
    else
      f(Xmm(x), memory(b));
  }
  /// x = a op b, where the order does not matter
  template <class F>
  void both_ways(int x, int a, const Operand& b, F&& f) {
    if (b.is_register() && x == b.reg()) return f(Xmm(x), Xmm(a));
    copy(x, a);
    with(b, x, f);
  }
  template <class F>
  void one_way(int x, int a, const Operand& b, F&& f) {
    if (b.is_register() && x == b.reg() && x != a) {
      copy(spare(), b.reg());
      copy(x, a);
      return f(Xmm(x), Xmm(spare()));
    }
    copy(x, a);
    with(b, x, f);
  }

  Xbyak::CodeGenerator to_{Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow};
};

}  // namespace

std::unique_ptr<Instructions> sse_instructions(bool single) { return std::make_unique<Sse>(single); }

}  // namespace tandem
