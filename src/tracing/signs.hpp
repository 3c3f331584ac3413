// SPDX-License-Identifier: Apache-2.0
/// Signs that are not known yet, and equations between products of them.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace tandem {

/// A product of unknown signs: sums over the field of two elements, in which an equation is solved by elimination.
struct SignProduct {
  std::vector<std::uint64_t> unknowns;  ///< a bit for each
  bool minus = false;

  bool has(std::size_t unknown) const {
    return unknown / 64 < unknowns.size() && (unknowns[unknown / 64] >> unknown % 64 & 1) != 0;
  }
  SignProduct& operator*=(const SignProduct& other) {
    if (unknowns.size() < other.unknowns.size()) unknowns.resize(other.unknowns.size());
    for (std::size_t k = 0; k < other.unknowns.size(); ++k) unknowns[k] ^= other.unknowns[k];
    minus = minus != other.minus;
    return *this;
  }
  friend SignProduct operator*(SignProduct a, const SignProduct& b) { return a *= b; }
  friend SignProduct operator*(SignProduct a, bool changes) {
    a.minus = a.minus != changes;
    return a;
  }
};

/// Unknown signs and what is known about their products.
class Signs {
 public:
  /// Dear ones are plus unless something else has to be.
  SignProduct unknown(bool dear) {
    SignProduct one;
    const std::size_t number = dear_.size();
    dear_.push_back(dear);
    one.unknowns.resize(number / 64 + 1);
    one.unknowns[number / 64] = std::uint64_t{1} << number % 64;
    return one;
  }
  /// Whether two products can be equal, given all that was said before; from now on they are.
  bool equal(const SignProduct& a, const SignProduct& b) {
    SignProduct plus = a * b;
    for (const Row& row : rows_)
      if (plus.has(row.solves)) plus *= row.product;
    const std::optional<std::size_t> solves = one_of(plus);
    if (!solves) return !plus.minus;
    for (Row& row : rows_)
      if (row.product.has(*solves)) row.product *= plus;
    rows_.push_back({*solves, plus});
    return true;
  }
  /// True if minus: where nothing was said, plus.
  bool value(SignProduct product) const {
    for (const Row& row : rows_)
      if (product.has(row.solves)) product *= row.product;
    return product.minus;
  }

 private:
  /// A product that is plus, in which no other row's sign occurs that is solved for.
  struct Row {
    std::size_t solves;
    SignProduct product;
  };
  std::optional<std::size_t> one_of(const SignProduct& product) const {
    std::optional<std::size_t> found;
    for (std::size_t k = 0; k < dear_.size(); ++k)
      if (product.has(k) && (!found || (dear_[*found] && !dear_[k]))) found = k;
    return found;
  }

  std::vector<bool> dear_;
  std::vector<Row> rows_;
};

}  // namespace tandem
