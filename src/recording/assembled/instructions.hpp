// SPDX-License-Identifier: Apache-2.0
/// What straight lines are made of: the instructions of one precision on one kind of registers. The writer of lines (write.cpp),
/// the order and the registers' use exist once; each processor's printer stands behind this.
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "recording/assembled/assemble.hpp"

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
      writes_over_an_operand;  ///< sums, differences, products and quotients write over their first operand, or are copied
  bool fuses;                  ///< there is a multiply-add of one rounding
  bool fused_over_factor;      ///< it can write over a factor, too
  bool fused_minus_sum;        ///< and subtract what is summed up; else there are but sum + a b and sum - a b
};

/// Appends instructions of a function of (tile, constants). Registers are numbered; `x` is where results go, the same register
/// as an operand or another. Every constant, and every number of the pool, is in all lanes of its register.
class Instructions {
 public:
  Instructions(const InstructionForm& form, bool single) : form_(form), single_(single) {}
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
  const std::vector<std::byte>& constants() const { return constants_; }

 protected:
  bool single() const { return single_; }
  Operand constant_of_bits(std::uint64_t bits) {
    const auto [place, is_new] = pool_.try_emplace(bits, constants_.size());
    const std::size_t size = single_ ? 4 : 8,
                      end = constants_.size() + static_cast<std::size_t>(form_.bytes_of_constant);
    const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
    if (is_new)
      while (constants_.size() < end) constants_.insert(constants_.end(), bytes, bytes + size);
    return Operand::pool(place->second);
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
  std::map<std::uint64_t, std::size_t> pool_;
  std::vector<std::byte> constants_;
};

/// Throws Error where this copy of the library has no printer for these registers.
std::unique_ptr<Instructions> instructions_of(Registers registers, bool single);

}  // namespace tandem
