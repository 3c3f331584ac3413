// SPDX-License-Identifier: Apache-2.0
/// What an algorithm computes for one robot, as a graph of operations on numbers.
#pragma once
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace tandem {

enum class Operation : std::uint8_t {
  input,
  constant,
  add,
  multiply,
  multiply_add,  ///< a b + c, rounded as mul_add rounds it
  divide,
  square_root,
  absolute,
  sine,
  cosine,
  select_less,   ///< a < b ? x : y
  select_equal,  ///< a == b ? x : y
  select_bit     ///< bit b of the integer of the bits of a, or of the next integer, is set ? x : y
};

/// How many operands an operation has.
constexpr int operand_count(Operation operation) {
  switch (operation) {
    case Operation::input:
    case Operation::constant: return 0;
    case Operation::square_root:
    case Operation::absolute:
    case Operation::sine:
    case Operation::cosine: return 1;
    case Operation::add:
    case Operation::multiply:
    case Operation::divide: return 2;
    case Operation::multiply_add: return 3;
    case Operation::select_less:
    case Operation::select_equal:
    case Operation::select_bit: return 4;
  }
  return 0;
}

/// A node of a graph, or minus what it stands for: a change of sign is no operation.
struct Term {
  std::int32_t node = 0;
  bool minus = false;

  Term operator-() const { return {node, !minus}; }
  bool operator==(const Term&) const = default;
};

struct Node {
  Operation operation;
  std::int32_t step = 0;  ///< of the recorded text, see Graph::begin_step
  Term operand[4] = {};
  double value = 0;  ///< of a constant, not negative; else unused
};

/// Grows by one operation at a time, from operands that are there. What is known is computed at once, and nothing is
/// computed twice: equal operations on equal operands are one node. Signs are moved to where they cost nothing, out of
/// products and quotients and into sums.
///
/// Known numbers are rounded to the precision that the graph is for, and what is left out or put in another order
/// changes no bit, but for the sign of a zero; and 0 x is 0 whatever x is, so that a NaN which is multiplied by a zero
/// of the robot is lost.
class Graph {
 public:
  enum class Precision : std::uint8_t { double_precision, single_precision };
  enum class Products : std::uint8_t { fused, rounded };
  /// Products that are added are rounded first where processors have no fused multiply-add, or are not to use it. The
  /// node after `most` is an Error.
  explicit Graph(Precision precision, Products products = Products::fused,
                 std::size_t most = std::numeric_limits<std::size_t>::max());

  Term constant(double value);
  Term input();  ///< the next one
  Term add(Term a, Term b);
  Term multiply(Term a, Term b);
  Term multiply_add(Term a, Term b, Term c);
  Term divide(Term a, Term b);
  Term square_root(Term a);
  Term absolute(Term a);
  Term sine(Term angle);
  Term cosine(Term angle);
  /// Of select_less and select_equal; of select_bit, whose b is known: mask + 4 if it is the next integer that is
  /// meant.
  Term select(Operation condition, Term a, Term b, Term x, Term y);

  /// The operation of a node of another graph, on operands of this one.
  Term repeat(const Node& node, const Term (&operand)[4]);

  /// Nodes that follow belong to a new step of the recorded text: what is done at one link in one pass.
  void begin_step(std::int32_t link) {
    ++step_;
    link_of_step_.push_back(link);
  }

  Precision precision() const { return precision_; }
  Products products() const { return products_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  std::int32_t inputs() const { return inputs_; }
  std::int32_t steps() const { return step_ + 1; }
  std::int32_t link_of_step(std::int32_t step) const { return link_of_step_[static_cast<std::size_t>(step)]; }
  bool is_known(Term t) const { return nodes_[static_cast<std::size_t>(t.node)].operation == Operation::constant; }
  double value(Term t) const {
    const double value = nodes_[static_cast<std::size_t>(t.node)].value;
    return t.minus ? -value : value;
  }

 private:
  struct Key {
    Operation operation;
    Term operand[4];
    double value;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key&) const;
  };

  /// Operands that may change places: as they came, those that are known last.
  void sort(Term& a, Term& b) const;
  Term node(Operation operation, Term a = {}, Term b = {}, Term c = {}, Term d = {}, double value = 0);
  double fused(double a, double b, double c) const;
  double rounded(double x) const {
    return precision_ == Precision::single_precision ? static_cast<double>(static_cast<float>(x)) : x;
  }

  Precision precision_;
  Products products_;
  std::size_t most_;
  std::vector<Node> nodes_;
  std::unordered_map<Key, std::int32_t, Hash> known_nodes_;
  std::int32_t inputs_ = 0, step_ = 0;
  std::vector<std::int32_t> link_of_step_ = {0};  ///< what comes before the first step is at the base
};

}  // namespace tandem
