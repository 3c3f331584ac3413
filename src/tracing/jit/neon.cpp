// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/instructions.hpp"
#include "tracing/jit/neon_words.hpp"

namespace tandem::neon {
namespace {

/// AArch64's vectors of 16 bytes. Built everywhere, run there: words need no processor.
class Neon final : public Instructions {
 public:
  explicit Neon(bool single)
      : Instructions({.registers = 31,
                      .bytes_of_row = 16,
                      .bytes_of_constant = 16,
                      .operands_in_memory = false,
                      .writes_over_an_operand = false,
                      .fuses = true,
                      .fused_over_factor = false,
                      .fused_minus_sum = false},
                     single) {}

  void load(int x, const Operand& from) override {
    const bool in_row = from.where == Operand::Where::in_row;
    const int base = in_row ? tile : pool;
    const auto k = static_cast<Word>(in_row ? from.at : from.at / 16);
    put(k < 4096 ? ldr(reg(x), base, k) : ldr_at(reg(x), base, offset(k)));
  }
  void store(std::int32_t row, int x) override {
    const auto k = static_cast<Word>(row);
    put(k < 4096 ? str(reg(x), tile, k) : str_at(reg(x), tile, offset(k)));
  }
  void copy(int x, int y) override {
    if (x != y) put(three(orr, reg(x), reg(y), reg(y)));
  }

  void add(int x, int a, const Operand& b) override { arithmetic(fadd, x, a, b.reg()); }
  void subtract(int x, int a, const Operand& b) override { arithmetic(fsub, x, a, b.reg()); }
  void multiply(int x, int a, const Operand& b) override { arithmetic(fmul, x, a, b.reg()); }
  void divide(int x, int a, const Operand& b) override { arithmetic(fdiv, x, a, b.reg()); }
  void square_root(int x, int a) override { put(two(root_of.of(single()), reg(x), reg(a))); }
  void absolute(int x, int a) override { put(two(absolute_of.of(single()), reg(x), reg(a))); }
  void negate(int x, int a) override { put(two(minus_of.of(single()), reg(x), reg(a))); }

  void fused_over_sum(Product kind, int sum, int a, const Operand& b) override {
    arithmetic(kind == Product::from_sum ? fmls : fmla, sum, a, b.reg());
  }
  void fused_over_factor(Product, int, int, const Operand&) override {}  // there is none: the form says so

  void compare(Comparison comparison, int condition, int a, int b) override {
    if (comparison == Comparison::less)
      arithmetic(fcmgt, condition, b, a);
    else
      arithmetic(fcmeq, condition, a, b);
  }
  /// The bit goes to the sign of its lane, from there to the whole lane. All ones are minus one.
  void test_bit(int condition, int a, int bit, bool of_next) override {
    int from = a;
    if (of_next) {
      arithmetic(cmeq, condition, condition, condition);
      arithmetic(sub, condition, a, condition);
      from = condition;
    }
    const int highest = single() ? 31 : 63;
    put(shl(single(), reg(condition), reg(from), highest - bit));
    put(sshr(single(), reg(condition), reg(condition), highest));
  }
  void blend(int x, int condition, int yes, int no) override {
    if (x == yes) {
      put(three(insert_if_not, reg(x), reg(no), reg(condition)));
    } else {
      copy(x, no);
      put(three(insert_if, reg(x), reg(yes), reg(condition)));
    }
  }

  /// The lower halves of v8 to v15 are the caller's.
  std::vector<std::byte> finish() override {
    std::vector<Word> all;
    if (touches_the_callers_) {
      all = {stp_first(8, 9), stp(10, 11, 2), stp(12, 13, 4), stp(14, 15, 6)};
      words_.insert(words_.end(), {ldp(14, 15, 6), ldp(12, 13, 4), ldp(10, 11, 2), ldp_last(8, 9)});
    }
    words_.push_back(ret);
    all.insert(all.end(), words_.begin(), words_.end());
    std::vector<std::byte> bytes;  // instructions lie in memory with the lowest byte first, whatever numbers do
    for (const Word word : all)
      for (int k = 0; k < 4; ++k) bytes.push_back(static_cast<std::byte>(word >> 8 * k & 0xff));
    return bytes;
  }

 private:
  static constexpr int tile = 0, pool = 1, scratch = 9;  // x0, x1: the arguments

  /// Those that must be given back as they were are taken last.
  int reg(int k) {
    const int own = k < 8 ? k : k < 23 ? k + 8 : k < 31 ? k - 15 : 31;
    touches_the_callers_ = touches_the_callers_ || (own >= 8 && own < 16);
    return own;
  }
  void put(Word word) { words_.push_back(word); }
  void arithmetic(const ByLane& op, int x, int a, int b) { put(three(op.of(single()), reg(x), reg(a), reg(b))); }
  /// A register with 16 k.
  int offset(Word k) {
    put(movz(scratch, 16 * k & 0xffff));
    if (16 * k > 0xffff) put(movk_above(scratch, 16 * k >> 16));
    return scratch;
  }

  std::vector<Word> words_;
  bool touches_the_callers_ = false;
};

}  // namespace
}  // namespace tandem::neon

namespace tandem {

std::unique_ptr<Instructions> neon_instructions(bool single) { return std::make_unique<neon::Neon>(single); }

}  // namespace tandem
