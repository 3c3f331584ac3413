// SPDX-License-Identifier: Apache-2.0
#include "recording/assembled/write.hpp"

#include <asmjit/x86.h>
#include <cmath>
#include <cstring>
#include <map>

#include "core/text.hpp"
#include "recording/assembled/registers.hpp"
#include "recording/order.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using namespace asmjit;
using Id = x86::Inst::Id;

/// The instructions of a precision.
struct Instructions {
  Id move, broadcast, add, subtract, multiply, divide, square_root, conjunction, exclusive_or, compare, blend_by_sign,
      blend_by_mask, shift_left, add_integer, test_bits;
  Id add_231, subtract_231, add_213, subtract_213;
};
constexpr Instructions for_double = {Id::kIdVmovapd,     Id::kIdVbroadcastsd, Id::kIdVaddpd,     Id::kIdVsubpd,
                                     Id::kIdVmulpd,      Id::kIdVdivpd,       Id::kIdVsqrtpd,    Id::kIdVandpd,
                                     Id::kIdVxorpd,      Id::kIdVcmppd,       Id::kIdVblendvpd,  Id::kIdVblendmpd,
                                     Id::kIdVpsllq,      Id::kIdVpaddq,       Id::kIdVptestmq,   Id::kIdVfmadd231pd,
                                     Id::kIdVfmsub231pd, Id::kIdVfmadd213pd,  Id::kIdVfmsub213pd};
constexpr Instructions for_float = {Id::kIdVmovaps,     Id::kIdVbroadcastss, Id::kIdVaddps,     Id::kIdVsubps,
                                    Id::kIdVmulps,      Id::kIdVdivps,       Id::kIdVsqrtps,    Id::kIdVandps,
                                    Id::kIdVxorps,      Id::kIdVcmpps,       Id::kIdVblendvps,  Id::kIdVblendmps,
                                    Id::kIdVpslld,      Id::kIdVpaddd,       Id::kIdVptestmd,   Id::kIdVfmadd231ps,
                                    Id::kIdVfmsub231ps, Id::kIdVfmadd213ps,  Id::kIdVfmsub213ps};

/// Writes a function down, operation by operation. Inputs, numbers that made room and numbers of the robot are read where they
/// lie in memory if they are needed once.
class Writer {
 public:
  /// Further terms go to rows behind the outputs.
  Writer(const RecordedFunction& function, const std::vector<Term>& further, Registers registers,
         x86::Assembler& assembler)
      : function_(function),
        nodes_(function.graph.nodes()),
        wide_(registers == Registers::avx512),
        single_(function.graph.precision() == Graph::Precision::single_precision),
        use_(single_ ? for_float : for_double),
        to_(assembler),
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
    to_.emit(Id::kIdVzeroupper);
    to_.ret();
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

  x86::Vec reg(std::int32_t r) const {
    const auto id = static_cast<std::uint32_t>(r);
    return wide_ ? x86::Vec(x86::zmm(id)) : x86::Vec(x86::ymm(id));
  }
  x86::Vec spare() const { return reg(wide_ ? 31 : 15); }
  x86::Mem row(std::int32_t r) const {
    return x86::ptr(x86::rdi, r * bytes_of_row(), static_cast<std::uint32_t>(bytes_of_row()));
  }

  /// Bytes of one number of the pool: with AVX-512 one, which instructions spread over the lanes, else all lanes.
  x86::Mem pooled(std::uint64_t bits) {
    const auto [place, is_new] = pool_.try_emplace(bits, static_cast<std::int32_t>(constants_.size()));
    const std::size_t size = single_ ? 4 : 8;
    if (is_new)
      for (std::size_t lane = 0; lane < (wide_ ? 1 : 32 / size); ++lane) {
        const auto* bytes = reinterpret_cast<const std::byte*>(&bits);
        constants_.insert(constants_.end(), bytes, bytes + size);
      }
    x86::Mem memory = x86::ptr(x86::rsi, place->second, wide_ ? static_cast<std::uint32_t>(size) : 32);
    if (wide_) memory.setBroadcast(single_ ? x86::Mem::Broadcast::k1To16 : x86::Mem::Broadcast::k1To8);
    return memory;
  }
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
  x86::Mem sign() { return pooled(single_ ? std::uint64_t{0x80000000u} : std::uint64_t{1} << 63); }
  x86::Mem all_but_sign() { return pooled(single_ ? std::uint64_t{0x7fffffffu} : ~(std::uint64_t{1} << 63)); }

  bool is_constant(std::int32_t k) const {
    return nodes_[static_cast<std::size_t>(k)].operation == Operation::constant;
  }
  x86::Mem in_memory(std::int32_t k) {
    return is_constant(k) ? pooled(bits_of_number(nodes_[static_cast<std::size_t>(k)].value))
                          : row(slot_[static_cast<std::size_t>(k)]);
  }
  bool in_register(std::int32_t k) const { return file_.of(k) != RegisterFile::none; }

  /// A register for a number that is to be computed or read.
  x86::Vec room(std::int32_t k, std::int32_t place) {
    const auto [r, evicted] = file_.take(k, place);
    if (evicted != RegisterFile::none && slot_[static_cast<std::size_t>(evicted)] < 0) {
      slot_[static_cast<std::size_t>(evicted)] = rows_++;
      ++spilled_;
      to_.emit(use_.move, row(slot_[static_cast<std::size_t>(evicted)]), reg(r));
    }
    return reg(r);
  }
  void read(std::int32_t k, const x86::Vec& to) {
    if (is_constant(k) && wide_) {
      x86::Mem memory = in_memory(k);
      memory.setBroadcast(x86::Mem::Broadcast::kNone);
      to_.emit(use_.broadcast, to, memory);
    } else {
      to_.emit(use_.move, to, in_memory(k));
    }
  }
  /// A number as an operand that must be a register.
  x86::Vec loaded(std::int32_t k) {
    if (!in_register(k)) read(k, room(k, place_));
    file_.lock(k);
    return reg(file_.of(k));
  }
  /// As one that may lie in memory: read from there if it is not used again soon.
  Operand any(std::int32_t k) {
    if (in_register(k)) {
      file_.lock(k);
      return reg(file_.of(k));
    }
    if (is_constant(k) || file_.dies(k, place_)) return in_memory(k);
    return loaded(k);
  }
  /// With its sign, in a register; what is negated goes to the spare one.
  x86::Vec with_sign(const Term& t) {
    const x86::Vec x = loaded(t.node);
    if (!t.minus) return x;
    to_.emit(use_.exclusive_or, spare(), x, sign());
    return spare();
  }
  /// The register that the result goes to, perhaps that of an operand. Only after all operands are there.
  x86::Vec result(std::int32_t k) {
    file_.unlock_all();
    return room(k, place_ + 1);
  }
  /// One that is none of the operands'.
  x86::Vec own_result(std::int32_t k) { return room(k, place_); }
  bool can_be_overwritten(std::int32_t k) { return in_register(k) && !is_constant(k) && file_.dies(k, place_); }

  void compute(std::int32_t k) {
    const Node& node = nodes_[static_cast<std::size_t>(k)];
    const Term* const t = node.operand;
    switch (node.operation) {
      case Operation::add: add(k, t[0].node, t[1].node, t[1].minus); break;
      case Operation::multiply: {
        const bool swap = !in_register(t[0].node) && in_register(t[1].node);
        const x86::Vec a = loaded(t[swap ? 1 : 0].node);
        const Operand b = any(t[swap ? 0 : 1].node);
        to_.emit(use_.multiply, result(k), a, b);
        break;
      }
      case Operation::multiply_add: multiply_add(k, t[0].node, t[1].node, t[2]); break;
      case Operation::divide: {
        const x86::Vec a = loaded(t[0].node);
        const Operand b = any(t[1].node);
        to_.emit(use_.divide, result(k), a, b);
        break;
      }
      case Operation::square_root: {
        const x86::Vec a = with_sign(t[0]);
        to_.emit(use_.square_root, result(k), a);
        break;
      }
      case Operation::absolute: {
        const x86::Vec a = loaded(t[0].node);
        to_.emit(use_.conjunction, result(k), a, all_but_sign());
        break;
      }
      case Operation::select_less: select(k, t, 1); break;   // ordered, less
      case Operation::select_equal: select(k, t, 0); break;  // ordered, equal
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
    const x86::Vec first = loaded(a);
    const Operand second = any(b);
    to_.emit(minus ? use_.subtract : use_.add, result(k), first, second);
  }

  /// a b + c. The instruction writes over one of its operands: one that is not needed any more, or a copy.
  void multiply_add(std::int32_t k, std::int32_t a, std::int32_t b, const Term& c) {
    const Id over_sum = c.minus ? use_.subtract_231 : use_.add_231,
             over_factor = c.minus ? use_.subtract_213 : use_.add_213;
    if (!in_register(a) && in_register(b)) std::swap(a, b);
    if (can_be_overwritten(c.node) && c.node != a && c.node != b) {
      file_.lock(c.node);
      const x86::Vec first = loaded(a);
      const Operand second = any(b);
      const x86::Vec sum = reg(file_.of(c.node));
      file_.hand_over(c.node, k);
      to_.emit(over_sum, sum, first, second);
      return;
    }
    for (const auto& [over, other] : {std::pair(a, b), std::pair(b, a)}) {
      if (!can_be_overwritten(over) || over == other || over == c.node) continue;
      file_.lock(over);
      const x86::Vec second = loaded(other);
      const Operand third = any(c.node);
      const x86::Vec factor = reg(file_.of(over));
      file_.hand_over(over, k);
      to_.emit(over_factor, factor, second, third);
      return;
    }
    file_.lock(c.node);
    const x86::Vec first = loaded(a);
    const Operand second = any(b);
    const x86::Vec to = own_result(k);
    if (in_register(c.node))
      to_.emit(use_.move, to, reg(file_.of(c.node)));
    else
      read(c.node, to);
    to_.emit(over_sum, to, first, second);
  }

  void blend(std::int32_t k, const Term& x, const Term& y) {  // by k1, or by the sign of the spare register
    const x86::Vec own_x = loaded(x.node), own_y = loaded(y.node), to = result(k);
    if (wide_)
      to_.k(x86::k1).emit(use_.blend_by_mask, to, own_y, own_x);
    else
      to_.emit(use_.blend_by_sign, to, own_y, own_x, spare());
  }

  /// x and y have one sign, or one of them is negated before.
  void select(std::int32_t k, const Term* t, int predicate) {
    const x86::Vec a = with_sign(t[0]);
    const x86::Vec b = with_sign(t[1]);
    if (wide_)
      to_.emit(use_.compare, x86::k1, a, b, predicate);
    else
      to_.emit(use_.compare, spare(), a, b, predicate);
    blend_signed(k, t[2], t[3]);
  }
  void blend_signed(std::int32_t k, const Term& x, const Term& y) {
    if (!x.minus && !y.minus) return blend(k, x, y);
    // the condition lasts in k1 or in the spare register, so that the negated number goes to the result's
    const x86::Vec own_x = loaded(x.node), own_y = loaded(y.node), to = own_result(k);
    const auto negate = [&](const x86::Vec& from) { to_.emit(use_.exclusive_or, to, from, sign()); };
    if (x.minus) {
      negate(own_x);
      if (wide_)
        to_.k(x86::k1).emit(use_.blend_by_mask, to, own_y, to);
      else
        to_.emit(use_.blend_by_sign, to, own_y, to, spare());
    } else {
      negate(own_y);
      if (wide_)
        to_.k(x86::k1).emit(use_.blend_by_mask, to, to, own_x);
      else
        to_.emit(use_.blend_by_sign, to, to, own_x, spare());
    }
  }

  void select_bit(std::int32_t k, const Term* t) {
    const int which = static_cast<int>(function_.graph.value(t[1])), bit = which % 4 == 2 ? 1 : 0;
    x86::Vec integer = loaded(t[0].node);
    if (which >= 4) {
      to_.emit(use_.add_integer, spare(), integer, pooled(1));
      integer = spare();
    }
    if (wide_)
      to_.emit(use_.test_bits, x86::k1, integer, pooled(std::uint64_t{1} << bit));
    else
      to_.emit(use_.shift_left, spare(), integer, (single_ ? 31 : 63) - bit);
    blend_signed(k, t[2], t[3]);
  }

  void store_outputs(std::int32_t k) {
    for (const Output& output : outputs_of_[static_cast<std::size_t>(k)]) {
      if (in_register(k) && !output.minus) {
        to_.emit(use_.move, row(output.row), reg(file_.of(k)));
        continue;
      }
      if (in_register(k))
        to_.emit(use_.exclusive_or, spare(), reg(file_.of(k)), sign());
      else {
        read(k, spare());
        if (output.minus) to_.emit(use_.exclusive_or, spare(), spare(), sign());
      }
      to_.emit(use_.move, row(output.row), spare());
    }
  }

  const RecordedFunction& function_;
  const std::vector<Node>& nodes_;
  bool wide_, single_;
  const Instructions& use_;
  x86::Assembler& to_;
  std::vector<std::int32_t> order_;
  RegisterFile file_;
  std::vector<std::int32_t> slot_;  ///< row of the tile in which a number lies, -1 if in none
  std::vector<std::vector<Output>> outputs_of_;
  std::map<std::uint64_t, std::int32_t> pool_;
  std::vector<std::byte> constants_;
  std::int32_t rows_ = 0, spilled_ = 0, place_ = 0;
};

}  // namespace

Written write_instructions(const RecordedFunction& function, const std::vector<Term>& further, Registers registers,
                           asmjit::x86::Assembler& assembler) {
  Writer writer(function, further, registers, assembler);
  writer.write();
  return {writer.constants(), writer.rows(), writer.spilled(), writer.bytes_of_row()};
}

}  // namespace tandem
