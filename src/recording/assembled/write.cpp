// SPDX-License-Identifier: Apache-2.0
#include "recording/assembled/write.hpp"

#include <cmath>
#include <cstring>
#include <map>

#include "recording/assembled/instructions.hpp"
#include "recording/assembled/registers.hpp"
#include "recording/order.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using Register = Instructions::Register;
using Memory = Instructions::Memory;
using Source = Instructions::Source;

/// Writes a function down, operation by operation. Inputs, numbers that made room and numbers of the robot are read where they
/// lie in memory if they are needed once.
class InstructionWriter {
 public:
  /// Further terms go to rows behind the outputs.
  InstructionWriter(const RecordedFunction& function, const std::vector<Term>& further, Registers registers,
                    Xbyak::CodeGenerator& to)
      : function_(function),
        nodes_(function.graph.nodes()),
        wide_(registers == Registers::avx512),
        single_(function.graph.precision() == Graph::Precision::single_precision),
        to_(to, wide_, single_),
        order_(depth_first(function)),
        // one is kept for what lasts within an operation
        file_(wide_ ? 31 : 15, uses()),
        slot_(nodes_.size(), -1) {
    outputs_of_.resize(nodes_.size());
    std::int32_t row = function.graph.inputs();
    for (const RecordedColumn& column : function.columns)
      if (!is_input(*column.argument))
        for (const Term& t : column.rows) outputs_of_[static_cast<std::size_t>(t.node)].push_back({row++, t.minus});
    for (const Term& t : further) outputs_of_[static_cast<std::size_t>(t.node)].push_back({row++, t.minus});
    rows_ = row;
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
      } else {
        store_outputs(k);
      }
      file_.unlock_all();
    }
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (nodes_[k].operation == Operation::constant) store_outputs(static_cast<std::int32_t>(k));
    to_.end();
  }

  std::int32_t rows() const { return rows_; }
  std::int32_t spilled() const { return spilled_; }
  int bytes_of_row() const { return wide_ ? 64 : 32; }
  std::vector<std::byte> constants() const { return constants_; }

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

  Register reg(std::int32_t r) const { return to_.reg(r); }
  Register spare() const { return reg(wide_ ? 31 : 15); }
  Memory row(std::int32_t r) const {
    return to_.in_tile(static_cast<std::size_t>(r) * static_cast<std::size_t>(bytes_of_row()));
  }

  /// Where a number is in the pool: once with AVX-512, which spreads it over the lanes, else in all lanes.
  std::size_t place_in_pool(std::uint64_t bits) {
    const auto [place, is_new] = pool_.try_emplace(bits, constants_.size());
    const std::size_t size = single_ ? 4 : 8;
    if (is_new)
      for (std::size_t lane = 0; lane < (wide_ ? 1 : 32 / size); ++lane) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
        constants_.insert(constants_.end(), bytes, bytes + size);
      }
    return place->second;
  }
  Memory pooled(std::uint64_t bits) { return to_.in_pool(place_in_pool(bits)); }
  std::uint64_t bits_of_number(double x) const {
    std::uint64_t bits = 0;
    if (single_) {
      const auto number = static_cast<float>(x);
      std::memcpy(&bits, &number, sizeof number);
    } else {
      std::memcpy(&bits, &x, sizeof x);
    }
    return bits;
  }
  Memory sign() { return pooled(single_ ? std::uint64_t{0x80000000u} : std::uint64_t{1} << 63); }
  Memory all_but_sign() { return pooled(single_ ? std::uint64_t{0x7fffffffu} : ~(std::uint64_t{1} << 63)); }

  bool is_constant(std::int32_t k) const {
    return nodes_[static_cast<std::size_t>(k)].operation == Operation::constant;
  }
  std::uint64_t bits_of(std::int32_t k) const { return bits_of_number(nodes_[static_cast<std::size_t>(k)].value); }
  Memory in_memory(std::int32_t k) {
    return is_constant(k) ? pooled(bits_of(k)) : row(slot_[static_cast<std::size_t>(k)]);
  }
  bool in_register(std::int32_t k) const { return file_.of(k) != RegisterFile::none; }

  /// A register for a number that is to be computed or read.
  Register room(std::int32_t k, std::int32_t place) {
    const auto [r, evicted] = file_.take(k, place);
    if (evicted != RegisterFile::none && slot_[static_cast<std::size_t>(evicted)] < 0) {
      slot_[static_cast<std::size_t>(evicted)] = rows_++;
      ++spilled_;
      to_.store(row(slot_[static_cast<std::size_t>(evicted)]), reg(r));
    }
    return reg(r);
  }
  void read(std::int32_t k, const Register& to) {
    if (is_constant(k))
      to_.load_from_pool(to, place_in_pool(bits_of(k)));
    else
      to_.load(to, in_memory(k));
  }
  /// A number as an operand that must be a register.
  Register loaded(std::int32_t k) {
    if (!in_register(k)) read(k, room(k, place_));
    file_.lock(k);
    return reg(file_.of(k));
  }
  /// As one that may lie in memory: read from there if it is not used again soon.
  Source any(std::int32_t k) {
    if (in_register(k)) {
      file_.lock(k);
      return reg(file_.of(k));
    }
    if (is_constant(k) || file_.dies(k, place_)) return in_memory(k);
    return loaded(k);
  }
  /// With its sign, in a register; what is negated goes to the spare one.
  Register with_sign(const Term& t) {
    const Register x = loaded(t.node);
    if (!t.minus) return x;
    to_.exclusive_or(spare(), x, sign());
    return spare();
  }
  /// The register that the result goes to, perhaps that of an operand. Only after all operands are there.
  Register result(std::int32_t k) {
    file_.unlock_all();
    return room(k, place_ + 1);
  }
  /// One that is none of the operands'.
  Register own_result(std::int32_t k) { return room(k, place_); }
  bool can_be_overwritten(std::int32_t k) { return in_register(k) && !is_constant(k) && file_.dies(k, place_); }

  void compute(std::int32_t k) {
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    const Term* const t = node.operand;
    switch (node.operation) {
      case Operation::add: add(k, t[0].node, t[1].node, t[1].minus); break;
      case Operation::multiply: {
        const bool swap = !in_register(t[0].node) && in_register(t[1].node);
        const Register a = loaded(t[swap ? 1 : 0].node);
        const Source b = any(t[swap ? 0 : 1].node);
        to_.multiply(result(k), a, b);
        break;
      }
      case Operation::multiply_add: multiply_add(k, t[0].node, t[1].node, t[2]); break;
      case Operation::divide: {
        const Register a = loaded(t[0].node);
        const Source b = any(t[1].node);
        to_.divide(result(k), a, b);
        break;
      }
      case Operation::square_root: {
        const Register a = with_sign(t[0]);
        to_.square_root(result(k), a);
        break;
      }
      case Operation::absolute: {
        const Register a = loaded(t[0].node);
        to_.conjunction(result(k), a, all_but_sign());
        break;
      }
      case Operation::select_less: select(k, t, Instructions::less); break;
      case Operation::select_equal: select(k, t, Instructions::equal); break;
      case Operation::select_bit: select_bit(k, t); break;
      case Operation::input:
      case Operation::constant: break;
      case Operation::sine:
      case Operation::cosine:
      case Operation::arctangent: throw Error(function_.name + " cannot be assembled: it needs a function of an angle");
    }
  }

  void add(std::int32_t k, std::int32_t a, std::int32_t b, bool minus) {
    if (!minus && !in_register(a) && in_register(b)) std::swap(a, b);
    const Register first = loaded(a);
    const Source second = any(b);
    const Register to = result(k);
    minus ? to_.subtract(to, first, second) : to_.add(to, first, second);
  }

  /// a b + c. The instruction writes over one of its operands: one that is not needed any more, or a copy.
  void multiply_add(std::int32_t k, std::int32_t a, std::int32_t b, const Term& c) {
    if (!in_register(a) && in_register(b)) std::swap(a, b);
    if (can_be_overwritten(c.node) && c.node != a && c.node != b) {
      file_.lock(c.node);
      const Register first = loaded(a);
      const Source second = any(b);
      const Register sum = reg(file_.of(c.node));
      file_.hand_over(c.node, k);
      to_.over_sum(c.minus, sum, first, second);
      return;
    }
    for (const auto& [over, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (!can_be_overwritten(over) || over == other || over == c.node) continue;
      file_.lock(over);
      const Register second = loaded(other);
      const Source third = any(c.node);
      const Register factor = reg(file_.of(over));
      file_.hand_over(over, k);
      to_.over_factor(c.minus, factor, second, third);
      return;
    }
    file_.lock(c.node);
    const Register first = loaded(a);
    const Source second = any(b);
    const Register to = own_result(k);
    if (in_register(c.node))
      to_.copy(to, reg(file_.of(c.node)));
    else
      read(c.node, to);
    to_.over_sum(c.minus, to, first, second);
  }

  void select(std::int32_t k, const Term* t, Instructions::Comparison comparison) {
    const Register a = with_sign(t[0]), b = with_sign(t[1]);  // one of them at most is negated
    to_.compare(comparison, spare(), a, b);
    blend(k, t[2], t[3]);
  }
  void select_bit(std::int32_t k, const Term* t) {
    const int which = static_cast<int>(function_.graph.value(t[1])), bit = which % 4 == 2 ? 1 : 0;
    to_.test_bit(bit, which >= 4, spare(), loaded(t[0].node), pooled(1), pooled(std::uint64_t{1} << bit));
    blend(k, t[2], t[3]);
  }
  /// By the condition in k1 or in the spare register, so that what is negated, one at most, goes to the result's.
  void blend(std::int32_t k, const Term& x, const Term& y) {
    const Register yes = loaded(x.node), no = loaded(y.node), to = own_result(k);
    if (x.minus || y.minus) to_.exclusive_or(to, x.minus ? yes : no, sign());
    to_.blend(to, spare(), x.minus ? to : yes, y.minus ? to : no);
  }

  void store_outputs(std::int32_t k) {
    for (const Output& output : outputs_of_[static_cast<std::size_t>(k)]) {
      if (in_register(k) && !output.minus) {
        to_.store(row(output.row), reg(file_.of(k)));
        continue;
      }
      if (in_register(k))
        to_.exclusive_or(spare(), reg(file_.of(k)), sign());
      else {
        read(k, spare());
        if (output.minus) to_.exclusive_or(spare(), spare(), sign());
      }
      to_.store(row(output.row), spare());
    }
  }

  const RecordedFunction& function_;
  const std::vector<Node>& nodes_;
  bool wide_, single_;
  Instructions to_;
  std::vector<std::int32_t> order_;
  RegisterFile file_;
  std::vector<std::int32_t> slot_;  ///< row of the tile in which a number lies, -1 if in none
  std::vector<std::vector<Output>> outputs_of_;
  std::map<std::uint64_t, std::size_t> pool_;
  std::vector<std::byte> constants_;
  std::int32_t rows_ = 0, spilled_ = 0, place_ = 0;
};

}  // namespace

Written write_instructions(const RecordedFunction& function, const std::vector<Term>& further, Registers registers,
                           Xbyak::CodeGenerator& to) {
  InstructionWriter writer(function, further, registers, to);
  writer.write();
  return {writer.constants(), writer.rows(), writer.spilled(), writer.bytes_of_row()};
}

}  // namespace tandem
