// SPDX-License-Identifier: Apache-2.0
/// What straight lines are made of: the instructions of one precision on one kind of registers. The writer of lines
/// (write.cpp), the order and the registers' use exist once; each processor's printer stands behind this.
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tracing/jit/assemble.hpp"

namespace tandem {

/// Where a number is: in a register, in a row of the tile, or at a byte of the pool of constants.
struct Operand {
  enum class Where : std::uint8_t { in_register, in_row, in_pool };
  Where where;
  std::size_t at;

  static Operand reg(int k) { return {Where::in_register, static_cast<std::size_t>(k)}; }
  static Operand row(std::int32_t r) { return {Where::in_row, static_cast<std::size_t>(r)}; }
  static Operand pool(std::size_t byte) { return {Where::in_pool, byte}; }
  bool is_register() const { return where == Where::in_register; }
  int reg() const { return static_cast<int>(at); }
};

/// What the writer asks of a kind of registers.
struct InstructionForm {
  int registers;            ///< that numbers may stay in; one more, of this number, lasts within an operation
  int bytes_of_row;         ///< of the tile: a number of each state
  int bytes_of_constant;    ///< in the pool: as many copies as a load needs
  bool operands_in_memory;  ///< the last operand may be read where it lies
  bool
      /// sums, differences, products and quotients write over their first operand, or are copied
      writes_over_an_operand;
  bool fuses;                  ///< there is a multiply-add of one rounding
  bool fused_over_factor;      ///< it can write over a factor, too
  bool fused_minus_sum;        ///< and subtract what is summed up; else there are but sum + a b and sum - a b
};

/// Numbers that instructions read, behind them in memory.
class ConstantPool {
 public:
  /// Where a number of so many bytes, by its bits, fills as many, side by side and aligned to all of them.
  std::size_t place(std::uint64_t bits, int size, int bytes) {
    const auto [place, is_new] = places_.try_emplace({bits, bytes}, 0);
    if (!is_new) return place->second;
    place->second = next(bytes);
    const auto* first = reinterpret_cast<const std::byte*>(&bits);
    for (int k = 0; k < bytes; k += size) bytes_.insert(bytes_.end(), first, first + size);
    return place->second;
  }
  /// Where as many bytes begin whose bits are all set, as many zeros behind them.
  std::size_t place_of_mask(int bytes) {
    const auto [place, is_new] = places_.try_emplace({0, -bytes}, 0);
    if (!is_new) return place->second;
    place->second = next(bytes);
    bytes_.insert(bytes_.end(), static_cast<std::size_t>(bytes), std::byte{0xff});
    bytes_.insert(bytes_.end(), static_cast<std::size_t>(bytes), std::byte{0});
    return place->second;
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::size_t next(int aligned_to) {
    const auto line = static_cast<std::size_t>(aligned_to);
    bytes_.resize((bytes_.size() + line - 1) / line * line);
    return bytes_.size();
  }

  std::map<std::pair<std::uint64_t, int>, std::size_t> places_;
  std::vector<std::byte> bytes_;
};

/// Appends instructions of a function of (tile, constants). Registers are numbered; `x` is where results go, the same
/// register as an operand or another. Every constant, and every number of the pool, is in all lanes of its register.
class Instructions {
 public:
  /// Constants go to a pool of its own, or to one that it shares with others.
  Instructions(const InstructionForm& form, bool single, ConstantPool* pool = nullptr)
      : form_(form), single_(single), pool_(pool ? *pool : own_pool_) {}
  virtual ~Instructions() = default;
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;

  const InstructionForm& form() const { return form_; }
  int spare() const { return form_.registers; }

  virtual void load(int x, const Operand& from) = 0;  ///< from a row or the pool
  virtual void store(std::int32_t row, int x) = 0;
  virtual void copy(int x, int y) = 0;

  virtual void add(int x, int a, const Operand& b) = 0;
  virtual void subtract(int x, int a, const Operand& b) = 0;
  virtual void multiply(int x, int a, const Operand& b) = 0;
  virtual void divide(int x, int a, const Operand& b) = 0;
  virtual void square_root(int x, int a) = 0;
  virtual void absolute(int x, int a) = 0;
  virtual void negate(int x, int a) = 0;

  enum class Product : std::uint8_t { plus_sum, minus_sum, from_sum };  ///< a b + c, a b - c, c - a b
  /// sum = of a, b and sum
  virtual void fused_over_sum(Product kind, int sum, int a, const Operand& b) = 0;
  /// factor = of factor, b and c
  virtual void fused_over_factor(Product kind, int factor, int b, const Operand& c) = 0;

  /// Conditions: in `condition`, the spare register, or in a register of the processor for these. False beside NaN.
  enum class Comparison : std::uint8_t { equal, less };
  virtual void compare(Comparison comparison, int condition, int a, int b) = 0;
  /// Whether a bit, 0 or 1, of the integer of a's bits is set, or of the next integer.
  virtual void test_bit(int condition, int a, int bit, bool of_next) = 0;
  /// x = condition ? yes : no, after which the condition is lost
  virtual void blend(int x, int condition, int yes, int no) = 0;

  /// The instructions, from the first to the one that returns.
  virtual std::vector<std::byte> finish() = 0;

  /// Where a number is in the pool, which the function's second argument points to.
  Operand constant(double x) {
    if (!single_) return constant_of_bits(bits_of<std::uint64_t>(x));
    return constant_of_bits(bits_of<std::uint32_t>(static_cast<float>(x)));
  }
  const std::vector<std::byte>& constants() const { return pool_.bytes(); }

 protected:
  bool single() const { return single_; }
  Operand constant_of_bits(std::uint64_t bits) {
    return Operand::pool(pool_.place(bits, single_ ? 4 : 8, form_.bytes_of_constant));
  }
  Operand sign_bit() { return constant_of_bits(single_ ? std::uint64_t{1} << 31 : std::uint64_t{1} << 63); }
  Operand all_but_sign() { return constant_of_bits(single_ ? 0x7fffffffu : ~(std::uint64_t{1} << 63)); }

 private:
  template <class Integer, class T>
  static Integer bits_of(T x) {
    Integer bits = 0;
    static_assert(sizeof bits == sizeof x);
    std::memcpy(&bits, &x, sizeof x);
    return bits;
  }

  InstructionForm form_;
  bool single_;
  ConstantPool own_pool_;
  ConstantPool& pool_;
};

/// Throws Error where this copy of the library has no printer for these registers.
std::unique_ptr<Instructions> instructions_of(Registers registers, bool single);

}  // namespace tandem
