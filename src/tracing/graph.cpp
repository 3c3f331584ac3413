// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <bit>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "tandem/detail/core/math.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

Term with_sign(Term t, bool minus) { return {t.node, t.minus != minus}; }
Term unsigned_term(Term t) { return {t.node, false}; }

}  // namespace

Graph::Graph(Precision precision, Products products, std::size_t most)
    : precision_(precision), products_(products), most_(most) {
  constant(0);
}

std::size_t Graph::Hash::operator()(const Key& key) const {
  std::uint64_t hash = static_cast<std::uint64_t>(key.operation) + std::bit_cast<std::uint64_t>(key.value);
  for (const Term& t : key.operand) {
    hash = (hash ^ (static_cast<std::uint64_t>(t.node) * 2 + t.minus)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return static_cast<std::size_t>(hash);
}

Term Graph::node(Operation operation, Term a, Term b, Term c, Term d, double value) {
  const Key key = {operation, {a, b, c, d}, value};
  const auto [place, is_new] = known_nodes_.try_emplace(key, static_cast<std::int32_t>(nodes_.size()));
  if (is_new && nodes_.size() >= most_) throw Error(sentence("more than ", most_, " operations"));
  if (is_new) nodes_.push_back({operation, step_, {a, b, c, d}, value});
  return {place->second, false};
}

Term Graph::constant(double value) {
  const double number = rounded(value);
  const bool minus = number < 0;
  return with_sign(node(Operation::constant, {}, {}, {}, {}, minus ? -number : number + 0.0), minus);
}

Term Graph::input() {
  // its number tells it from the others
  return node(Operation::input, {}, {}, {}, {}, static_cast<double>(inputs_++));
}

Term Graph::add(Term a, Term b) {
  if (is_known(a) && is_known(b)) return constant(value(a) + value(b));
  if (is_known(a) && value(a) == 0) return b;
  if (is_known(b) && value(b) == 0) return a;
  sort(a, b);
  // a + b, a - b, or minus one of these
  const bool minus = a.minus;
  return with_sign(node(Operation::add, unsigned_term(a), with_sign(b, minus)), minus);
}

void Graph::sort(Term& a, Term& b) const {
  if (std::pair(is_known(b), b.node) < std::pair(is_known(a), a.node)) std::swap(a, b);
}

Term Graph::multiply(Term a, Term b) {
  if (is_known(a) && is_known(b)) return constant(value(a) * value(b));
  if (is_known(b)) std::swap(a, b);
  if (is_known(a)) {
    const double known = std::abs(value(a));
    if (known == 0) return constant(0);
    if (known == 1) return with_sign(b, a.minus);
  }
  const bool minus = a.minus != b.minus;
  sort(a, b);
  return with_sign(node(Operation::multiply, unsigned_term(a), unsigned_term(b)), minus);
}

Term Graph::multiply_add(Term a, Term b, Term c) {
  if (products_ == Products::rounded) return add(multiply(a, b), c);
  if (is_known(c) && value(c) == 0) return multiply(a, b);
  if (is_known(b)) std::swap(a, b);
  if (is_known(a)) {
    const double known = std::abs(value(a));
    if (known == 0) return c;
    if (known == 1) return add(with_sign(b, a.minus), c);
    if (is_known(b)) {
      if (is_known(c)) return constant(fused(value(a), value(b), value(c)));
      const double product = rounded(value(a) * value(b));
      if (fused(value(a), value(b), -product) == 0) return add(constant(product), c);
    }
  }
  const bool minus = a.minus != b.minus;
  sort(a, b);
  // a b + c, a b - c, or minus one of these
  return with_sign(node(Operation::multiply_add, unsigned_term(a), unsigned_term(b), with_sign(c, minus)), minus);
}

Term Graph::divide(Term a, Term b) {
  if (is_known(a) && is_known(b)) return constant(value(a) / value(b));
  if (is_known(a) && value(a) == 0) return constant(0);
  if (is_known(b) && std::abs(value(b)) == 1) return with_sign(a, b.minus);
  return with_sign(node(Operation::divide, unsigned_term(a), unsigned_term(b)), a.minus != b.minus);
}

double Graph::fused(double a, double b, double c) const {
  if (precision_ == Precision::double_precision) return std::fma(a, b, c);
  return std::fma(static_cast<float>(a), static_cast<float>(b), static_cast<float>(c));
}

Term Graph::square_root(Term a) {
  return is_known(a) ? constant(std::sqrt(value(a))) : node(Operation::square_root, a);
}

Term Graph::absolute(Term a) {
  return is_known(a) ? constant(std::abs(value(a))) : node(Operation::absolute, unsigned_term(a));
}

Term Graph::sine(Term angle) {
  if (is_known(angle))
    return constant(precision_ == Precision::double_precision ? tandem::sincos(value(angle)).sin
                                                              : tandem::sincos(static_cast<float>(value(angle))).sin);
  return with_sign(node(Operation::sine, unsigned_term(angle)), angle.minus);
}

Term Graph::cosine(Term angle) {
  if (is_known(angle))
    return constant(precision_ == Precision::double_precision ? tandem::sincos(value(angle)).cos
                                                              : tandem::sincos(static_cast<float>(value(angle))).cos);
  return node(Operation::cosine, unsigned_term(angle));
}

Term Graph::select(Operation condition, Term a, Term b, Term x, Term y) {
  if (x == y) return x;
  if (is_known(a) && is_known(b) && condition != Operation::select_bit) {
    const bool holds = condition == Operation::select_less ? value(a) < value(b) : value(a) == value(b);
    return holds ? x : y;
  }
  const bool minus = x.minus && y.minus;
  if (a.minus && b.minus && condition != Operation::select_bit) {  // -a < -b where b < a
    a = unsigned_term(a);
    b = unsigned_term(b);
    if (condition == Operation::select_less) std::swap(a, b);
  }
  return with_sign(node(condition, a, b, with_sign(x, minus), with_sign(y, minus)), minus);
}

Term Graph::repeat(const Node& node, const Term (&operand)[4]) {
  switch (node.operation) {
    case Operation::input: return input();
    case Operation::constant: return constant(node.value);
    case Operation::add: return add(operand[0], operand[1]);
    case Operation::multiply: return multiply(operand[0], operand[1]);
    case Operation::multiply_add: return multiply_add(operand[0], operand[1], operand[2]);
    case Operation::divide: return divide(operand[0], operand[1]);
    case Operation::square_root: return square_root(operand[0]);
    case Operation::absolute: return absolute(operand[0]);
    case Operation::sine: return sine(operand[0]);
    case Operation::cosine: return cosine(operand[0]);
    case Operation::select_less:
    case Operation::select_equal:
    case Operation::select_bit: return select(node.operation, operand[0], operand[1], operand[2], operand[3]);
  }
  return {};
}

}  // namespace tandem
