// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/write.hpp"

#include <utility>

#include "tracing/jit/instructions.hpp"
#include "tracing/jit/registers.hpp"
#include "tracing/interleave.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using Product = Instructions::Product;
using Comparison = Instructions::Comparison;

/// Writes a function down, operation by operation. Where the processor can, inputs, numbers that made room and numbers
/// of the robot are read where they lie in memory if they are needed once.
class InstructionWriter {
 public:
  InstructionWriter(const RecordedFunction& function, const std::vector<Term>& outputs, std::vector<std::int32_t> order,
                    Instructions& to)
      : function_(function),
        nodes_(function.graph.nodes()),
        to_(to),
        form_(to.form()),
        order_(std::move(order)),
        file_(form_.registers, uses()),
        slot_(nodes_.size(), -1),
        negated_(nodes_.size()),
        outputs_of_(nodes_.size()),
        rows_(function.graph.inputs()) {
    for (const Term& t : outputs) outputs_of_[static_cast<std::size_t>(t.node)].push_back({rows_++, t.minus});
    first_own_row_ = rows_;
  }

  void write() {
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (nodes_[k].operation == Operation::input) slot_[k] = static_cast<std::int32_t>(nodes_[k].value);
    for (place_ = 0; place_ < static_cast<std::int32_t>(order_.size()); ++place_) {
      const std::int32_t k = order_[static_cast<std::size_t>(place_)];
      if (nodes_[static_cast<std::size_t>(k)].operation != Operation::input) {
        compute(k);
        store_outputs(k);
        if (file_.dies(k, place_)) file_.release(k);
        give_rows_back(nodes_[static_cast<std::size_t>(k)]);
      } else {
        store_outputs(k);
      }
      file_.unlock_all();
    }
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (nodes_[k].operation == Operation::constant) store_outputs(static_cast<std::int32_t>(k));
  }

  std::int32_t rows() const { return rows_; }
  std::int32_t spilled() const { return spilled_; }

 private:
  struct Output {
    std::int32_t row;
    bool minus;
  };

  std::vector<std::vector<std::int32_t>> uses() const {
    std::vector<std::vector<std::int32_t>> result(nodes_.size());
    for (std::size_t place = 0; place < order_.size(); ++place) {
      const Node& node = nodes_[static_cast<std::size_t>(order_[place])];
      for (int k = 0; k < operand_count(node.operation); ++k)
        result[static_cast<std::size_t>(node.operand[k].node)].push_back(static_cast<std::int32_t>(place));
    }
    return result;
  }

  bool is_constant(std::int32_t k) const {
    return nodes_[static_cast<std::size_t>(k)].operation == Operation::constant;
  }
  Operand in_memory(std::int32_t k) {
    const auto i = static_cast<std::size_t>(k);
    return is_constant(k) ? to_.constant(nodes_[i].value) : Operand::row(slot_[i]);
  }
  bool in_register(std::int32_t k) const { return file_.of(k) != RegisterFile::none; }

  /// Numbers may lie in registers and in the tile with the other sign, where that saves an instruction.
  Term as_it_lies(const Term& t) const { return {t.node, t.minus != negated_[static_cast<std::size_t>(t.node)]}; }
  void lies_negated(std::int32_t k, bool minus) { negated_[static_cast<std::size_t>(k)] = minus; }

  /// A register for a number that is to be computed or read.
  int room(std::int32_t k, std::int32_t place) {
    const auto [r, evicted] = file_.take(k, place);
    if (evicted != RegisterFile::none && !is_constant(evicted) && slot_[static_cast<std::size_t>(evicted)] < 0) {
      slot_[static_cast<std::size_t>(evicted)] = row_to_work_in();
      ++spilled_;
      to_.store(slot_[static_cast<std::size_t>(evicted)], r);
    }
    return r;
  }
  /// The row that was used last of those that are free: it is in the cache.
  std::int32_t row_to_work_in() {
    if (free_rows_.empty()) return rows_++;
    const std::int32_t row = free_rows_.back();
    free_rows_.pop_back();
    return row;
  }
  /// Of operands that nothing uses any more.
  void give_rows_back(const Node& node) {
    for (int i = 0; i < operand_count(node.operation); ++i) {
      const std::int32_t k = node.operand[i].node;
      std::int32_t& slot = slot_[static_cast<std::size_t>(k)];
      if (slot < first_own_row_ || !file_.dies(k, place_)) continue;
      free_rows_.push_back(slot);
      slot = -1;
    }
  }
  /// A number as an operand that must be a register.
  int loaded(std::int32_t k) {
    if (!in_register(k)) to_.load(room(k, place_), in_memory(k));
    file_.lock(k);
    return file_.of(k);
  }
  /// As one that may lie in memory: read from there if it is not used again soon.
  Operand any(std::int32_t k) {
    if (!in_register(k) && form_.operands_in_memory && (is_constant(k) || file_.dies(k, place_))) return in_memory(k);
    return Operand::reg(loaded(k));
  }
  /// The register that the result goes to, perhaps that of an operand. Only after all operands are there.
  int result(std::int32_t k) {
    file_.unlock_all();
    return room(k, place_ + 1);
  }
  /// That of the first operand, where the instruction writes over it.
  int result_over(std::int32_t first, std::int32_t k) {
    if (!form_.writes_over_an_operand || !can_be_overwritten(first)) return result(k);
    file_.hand_over(first, k);
    return file_.of(k);
  }
  /// One that is none of the operands'.
  int own_result(std::int32_t k) { return room(k, place_); }
  bool can_be_overwritten(std::int32_t k) { return in_register(k) && !is_constant(k) && file_.dies(k, place_); }
  /// Of two whose order does not matter, the second is to come first: it is in a register, or leaves one.
  bool swaps(std::int32_t a, std::int32_t b) {
    if (form_.writes_over_an_operand && in_register(a) && in_register(b))
      return !can_be_overwritten(a) && can_be_overwritten(b);
    return !in_register(a) && in_register(b);
  }

  void compute(std::int32_t k) {
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    Term t[4];
    for (int i = 0; i < operand_count(node.operation); ++i) t[i] = as_it_lies(node.operand[i]);
    switch (node.operation) {
      case Operation::add: add(k, t[0], t[1]); break;
      case Operation::multiply: {
        const bool swap = swaps(t[0].node, t[1].node);
        const std::int32_t first = t[swap ? 1 : 0].node;
        const int a = loaded(first);
        const Operand b = any(t[swap ? 0 : 1].node);
        to_.multiply(result_over(first, k), a, b);
        lies_negated(k, t[0].minus != t[1].minus);
        break;
      }
      case Operation::multiply_add: multiply_add(k, t[0], t[1], t[2]); break;
      case Operation::divide: {
        const int a = loaded(t[0].node);
        const Operand b = any(t[1].node);
        to_.divide(result_over(t[0].node, k), a, b);
        lies_negated(k, t[0].minus != t[1].minus);
        break;
      }
      case Operation::square_root: {
        int a = loaded(t[0].node);
        if (t[0].minus) {
          to_.negate(to_.spare(), a);
          a = to_.spare();
        }
        to_.square_root(result(k), a);
        break;
      }
      case Operation::absolute: {
        const int a = loaded(t[0].node);
        to_.absolute(result_over(t[0].node, k), a);
        break;
      }
      case Operation::select_less: select(k, t, Comparison::less); break;
      case Operation::select_equal: select(k, t, Comparison::equal); break;
      case Operation::select_bit: select_bit(k, t); break;
      case Operation::input:
      case Operation::constant: break;
      case Operation::sine:
      case Operation::cosine: throw Error(function_.name + " cannot be compiled: it needs a function of an angle");
    }
  }

  /// a + b, a - b, or minus one of these
  void add(std::int32_t k, Term a, Term b) {
    const bool minus = a.minus != b.minus;
    lies_negated(k, a.minus);
    if (!minus && swaps(a.node, b.node)) std::swap(a, b);
    const int first = loaded(a.node);
    const Operand second = any(b.node);
    const int to = result_over(a.node, k);
    minus ? to_.subtract(to, first, second) : to_.add(to, first, second);
  }

  /// a b + c, or another of these with its sign. The instruction writes over one of its operands: one that is not
  /// needed any more, or a copy.
  void multiply_add(std::int32_t k, Term s, Term t, const Term& c) {
    if (!form_.fuses) throw Error(function_.name + " was traced for CPUs with fused multiply-add");
    const bool minus = s.minus != t.minus;
    Product kind = Product::plus_sum;
    if (minus != c.minus) kind = !minus && form_.fused_minus_sum ? Product::minus_sum : Product::from_sum;
    lies_negated(k, kind == Product::minus_sum ? false : c.minus);
    std::int32_t a = s.node, b = t.node;
    if (!in_register(a) && in_register(b)) std::swap(a, b);
    if (can_be_overwritten(c.node) && c.node != a && c.node != b) {
      file_.lock(c.node);
      const int first = loaded(a);
      const Operand second = any(b);
      const int sum = file_.of(c.node);
      file_.hand_over(c.node, k);
      to_.fused_over_sum(kind, sum, first, second);
      return;
    }
    for (const auto& [over, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (!form_.fused_over_factor || !can_be_overwritten(over) || over == other || over == c.node) continue;
      file_.lock(over);
      const int second = loaded(other);
      const Operand third = any(c.node);
      const int factor = file_.of(over);
      file_.hand_over(over, k);
      to_.fused_over_factor(kind, factor, second, third);
      return;
    }
    file_.lock(c.node);
    const int first = loaded(a);
    const Operand second = any(b);
    const int to = own_result(k);
    if (in_register(c.node))
      to_.copy(to, file_.of(c.node));
    else
      to_.load(to, in_memory(c.node));
    to_.fused_over_sum(kind, to, first, second);
  }

  void select(std::int32_t k, Term* t, Comparison comparison) {
    if (t[0].minus && t[1].minus) {  // -a < -b where b < a
      if (comparison == Comparison::less) std::swap(t[0], t[1]);
      t[0].minus = t[1].minus = false;
    }
    int operand[2] = {loaded(t[0].node), loaded(t[1].node)};
    const auto [yes, no, to] = prepare_blend(k, t);
    for (int i = 0; i < 2; ++i)
      if (t[i].minus) {
        to_.negate(to, operand[i]);
        operand[i] = to;
      }
    to_.compare(comparison, to_.spare(), operand[0], operand[1]);
    blend(k, t, yes, no, to);
  }
  void select_bit(std::int32_t k, Term* t) {
    const int which = static_cast<int>(function_.graph.value(t[1]));
    int a = loaded(t[0].node);
    const auto [yes, no, to] = prepare_blend(k, t);
    if (t[0].minus) {
      to_.negate(to, a);
      a = to;
    }
    to_.test_bit(to_.spare(), a, which % 4 == 2 ? 1 : 0, which >= 4);
    blend(k, t, yes, no, to);
  }
  struct Blend {
    int yes, no, to;
  };
  Blend prepare_blend(std::int32_t k, const Term* t) {
    const int yes = loaded(t[2].node), no = loaded(t[3].node);
    return {yes, no, own_result(k)};
  }
  /// By the condition in the spare register or one for these, so that what is negated goes to the result's.
  void blend(std::int32_t k, const Term* t, int yes, int no, int to) {
    lies_negated(k, t[2].minus && t[3].minus);
    const bool one_alone = t[2].minus != t[3].minus;
    if (one_alone) to_.negate(to, t[2].minus ? yes : no);
    to_.blend(to, to_.spare(), one_alone && t[2].minus ? to : yes, one_alone && t[3].minus ? to : no);
  }

  void store_outputs(std::int32_t k) {
    for (const Output& output : outputs_of_[static_cast<std::size_t>(k)]) {
      const bool minus = as_it_lies({k, output.minus}).minus;
      int from = to_.spare();
      if (in_register(k))
        from = file_.of(k);
      else
        to_.load(from, in_memory(k));
      if (minus) to_.negate(to_.spare(), from);
      to_.store(output.row, minus ? to_.spare() : from);
    }
  }

  const RecordedFunction& function_;
  const std::vector<Node>& nodes_;
  Instructions& to_;
  const InstructionForm& form_;
  std::vector<std::int32_t> order_;
  RegisterFile file_;
  std::vector<std::int32_t> slot_;       ///< row of the tile in which a number lies, -1 if in none
  std::vector<std::int32_t> free_rows_;  ///< rows to work in that nothing lies in
  std::int32_t first_own_row_ = 0;
  std::vector<bool> negated_;
  std::vector<std::vector<Output>> outputs_of_;
  std::int32_t rows_, spilled_ = 0, place_ = 0;
};

}  // namespace

std::vector<Term> outputs_of(const RecordedFunction& function) {
  std::vector<Term> outputs;
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument)) outputs.insert(outputs.end(), column.rows.begin(), column.rows.end());
  return outputs;
}

WrittenLine write_line(const RecordedFunction& function, const std::vector<Term>& outputs,
                       std::vector<std::int32_t> order, Instructions& to) {
  InstructionWriter writer(function, outputs, std::move(order), to);
  writer.write();
  return {writer.rows(), writer.spilled()};
}

Written write_instructions(const RecordedFunction& function, const std::vector<Term>& further, Registers registers) {
  const bool single = function.graph.precision() == Graph::Precision::single_precision;
  const std::unique_ptr<Instructions> to = instructions_of(registers, single);
  std::vector<Term> outputs = outputs_of(function);
  outputs.insert(outputs.end(), further.begin(), further.end());
  const WrittenLine line = write_line(function, outputs, in_order_for(function, registers == Registers::avx512), *to);
  std::vector<std::byte> instructions = to->finish();
  return {std::move(instructions), to->constants(), line.rows, line.spilled, to->form().bytes_of_row};
}

}  // namespace tandem
