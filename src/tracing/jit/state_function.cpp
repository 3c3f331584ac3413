// SPDX-License-Identifier: Apache-2.0
#include "tracing/jit/state_function.hpp"

#include <algorithm>
#include <bit>

#include "tracing/jit/vex.hpp"
#include "tracing/jit/vex_of_one.hpp"
#include "tracing/jit/write.hpp"
#include "tracing/expand_angles.hpp"
#include "tracing/interleave.hpp"
#include "tracing/order.hpp"
#include "tracing/split_angles.hpp"
#include "tandem/detail/core/math.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

constexpr Argument some_numbers = {"", Rows::q, Role::input, "", ""}, results = {"", Rows::q, Role::output, "", ""};

/// Sine and cosine of each of some angles.
RecordedFunction sines_and_cosines(int angles, const Graph& like) {
  RecordedFunction function = {
      "sine and cosine", Graph(like.precision(), like.products()), {{&some_numbers, {}}, {&results, {}}}};
  for (int k = 0; k < angles; ++k) function.columns[0].rows.push_back(function.graph.input());
  for (const Term& angle : function.columns[0].rows)
    for (const Term& t : {function.graph.sine(angle), function.graph.cosine(angle)})
      function.columns[1].rows.push_back(t);
  return expand_angles(function).function;
}

class StateWriter {
 public:
  StateWriter(const RecordedFunction& function, Registers registers)
      : split_(split_angles(function)),
        function_(split_.function),
        many_(registers == Registers::avx512),
        single_(function.graph.precision() == Graph::Precision::single_precision),
        angles_(static_cast<int>(split_.angles.size())),
        packs_((angles_ + width() - 1) / width()),
        scratch_(rows_of_angles()) {
    find_columns();
  }

  void write() {
    const Xbyak::Reg64 saved[] = {code_.rbx, code_.rbp, code_.r12, code_.r13, code_.r14, code_.r15};
    const std::size_t pushed = std::max<std::size_t>(columns_.size(), 7) - 7;
    for (std::size_t k = 0; k < pushed; ++k) code_.push(saved[k]);
    for (std::size_t k = columns_.size(); k-- > 0;)  // the first one last, over the address of all of them
      code_.mov(columns_[k].address, code_.ptr[code_.rdx + 8 * columns_[k].argument]);
    const auto leave_with = [&](int served) {
      code_.mov(code_.eax, served);
      for (std::size_t k = pushed; k-- > 0;) code_.pop(saved[k]);
      code_.vzeroupper();
      code_.ret();
    };
    Xbyak::Label not_served;
    compute_angles();
    check_inputs();
    gather_angles();
    code_.vptest(bad(), bad());
    code_.jnz(not_served, Xbyak::CodeGenerator::T_NEAR);
    write_sines();
    write_state(function_, in_order_for(function_, many_), outputs_);
    leave_with(1);
    code_.L(not_served);
    leave_with(0);
    code_.ready(Xbyak::CodeGenerator::PROTECT_RW);  // finds the way to the label; what runs is a copy
  }

  RunnableCode code() const { return {written(code_), pool_.bytes()}; }
  std::size_t scratch_bytes() const { return scratch_; }
  std::int32_t spilled() const { return spilled_; }

 private:
  struct Column {
    std::size_t argument;
    Xbyak::Reg64 address;
    std::int32_t rows;
    bool input;
  };
  /// Where a number lies: in a column or in the scratch memory.
  struct Place {
    Xbyak::Reg64 base;
    std::size_t byte;
  };

  std::size_t size() const { return single_ ? 4 : 8; }
  /// Of the registers that angles and checks use, as AVX2 has them: the wider ones take longer to wake than a call
  /// takes.
  int width() const { return single_ ? 8 : 4; }
  /// Bytes of scratch memory: the angles, then the sines and the cosines of each pack. What a line keeps there lies
  /// behind.
  std::size_t rows_of_angles() const { return 32 * 3 * static_cast<std::size_t>(packs_); }
  Place lane(int k) const { return {code_.rdi, static_cast<std::size_t>(k) * size()}; }
  Place sine(int k, bool cosine) const {
    const int row = packs_ + 2 * (k / width()) + (cosine ? 1 : 0);
    return {code_.rdi, 32 * static_cast<std::size_t>(row) + static_cast<std::size_t>(k % width()) * size()};
  }
  Xbyak::Ymm bad() const { return code_.ymm15; }  ///< bits are set where a state is not served

  void find_columns() {
    const Xbyak::Reg64 registers[] = {code_.rdx, code_.rax, code_.rcx, code_.r8,  code_.r9, code_.r10,
                                      code_.r11, code_.rbx, code_.rbp, code_.r12, code_.r13, code_.r14, code_.r15};
    for (std::size_t k = 0; k < function_.columns.size(); ++k) {
      const RecordedColumn& column = function_.columns[k];
      if (column.rows.empty()) continue;
      if (columns_.size() == std::size(registers))
        throw Error(function_.name + " has too many arguments to be compiled for single states");
      const Xbyak::Reg64 address = registers[columns_.size()];
      columns_.push_back({k, address, static_cast<std::int32_t>(column.rows.size()), is_input(*column.argument)});
      for (std::size_t row = 0; row < column.rows.size(); ++row)
        (columns_.back().input ? inputs_ : outputs_).push_back({address, row * size()});
    }
  }

  Xbyak::Address at(const Place& place) const { return code_.ptr[place.base + place.byte]; }
  /// In all lanes.
  Xbyak::Address constant(std::uint64_t bits) {
    return code_.ptr[code_.rsi + pool_.place(bits, static_cast<int>(size()), 32)];
  }

  /// `count` numbers that lie side by side, and zeros.
  void load(const Xbyak::Ymm& x, const Place& from, int count) {
    if (count == width()) {
      single_ ? code_.vmovups(x, at(from)) : code_.vmovupd(x, at(from));
      return;
    }
    const std::size_t mask = pool_.place_of_mask(32) + static_cast<std::size_t>(width() - count) * size();
    code_.vmovups(code_.ymm14, code_.ptr[code_.rsi + mask]);
    single_ ? code_.vmaskmovps(x, code_.ymm14, at(from)) : code_.vmaskmovpd(x, code_.ymm14, at(from));
  }

  /// What is no number, less itself, is no number.
  void check_inputs() {
    const Xbyak::Ymm x = code_.ymm0;
    code_.vxorpd(bad(), bad(), bad());
    for (const Column& column : columns_)
      for (std::int32_t row = 0; column.input && row < column.rows; row += width()) {
        load(x, {column.address, static_cast<std::size_t>(row) * size()}, std::min(width(), column.rows - row));
        single_ ? code_.vsubps(x, x, x) : code_.vsubpd(x, x, x);
        code_.vorpd(bad(), bad(), x);
      }
  }

  /// The row that an angle is, or -1 if it is computed.
  std::int32_t input_of(int angle) const {
    const Term& t = split_.angles[static_cast<std::size_t>(angle)];
    const Node& node = function_.graph.nodes()[static_cast<std::size_t>(t.node)];
    return node.operation == Operation::input && !t.minus ? static_cast<std::int32_t>(node.value) : -1;
  }
  const Place& place_of_input(int angle) const { return inputs_[static_cast<std::size_t>(input_of(angle))]; }

  void compute_angles() {
    RecordedColumn computed = {&results, {}};
    std::vector<Place> lanes;
    for (int k = 0; k < angles_; ++k)
      if (input_of(k) < 0) {
        computed.rows.push_back(split_.angles[static_cast<std::size_t>(k)]);
        lanes.push_back(lane(k));
      }
    if (lanes.empty()) return;
    const RecordedFunction part = {function_.name, function_.graph, {computed}};
    write_state(part, as_recorded(part), lanes);
  }

  bool lie_side_by_side(int first, int count) const {
    if (input_of(first) < 0) return false;
    const Place& begin = place_of_input(first);
    for (int k = 1; k < count; ++k)
      if (input_of(first + k) < 0 || place_of_input(first + k).base != begin.base ||
          place_of_input(first + k).byte != begin.byte + static_cast<std::size_t>(k) * size())
        return false;
    return true;
  }

  /// Angles pack by pack to the scratch memory. Those that are large are bad.
  void gather_angles() {
    const Xbyak::Ymm x = code_.ymm0;
    const std::uint64_t largest = single_ ? std::bit_cast<std::uint32_t>(SinCosConstants<float>::largest)
                                          : std::bit_cast<std::uint64_t>(SinCosConstants<double>::largest);
    const std::uint64_t all_but_sign = single_ ? 0x7fffffffu : ~(std::uint64_t{1} << 63);
    constexpr std::uint8_t not_less = 5;
    for (int first = 0; first < angles_; first += width()) {
      const int count = std::min(width(), angles_ - first);
      const Xbyak::Address row = at(lane(first));
      if (lie_side_by_side(first, count)) {
        load(x, place_of_input(first), count);
        code_.vmovaps(row, x);
      } else {
        gather_one_by_one(first, count);
        code_.vmovaps(x, row);
      }
      code_.vandps(x, x, constant(all_but_sign));
      const Xbyak::Address limit = constant(largest);
      single_ ? code_.vcmpps(x, x, limit, not_less) : code_.vcmppd(x, x, limit, not_less);
      code_.vorpd(bad(), bad(), x);
    }
  }
  void gather_one_by_one(int first, int count) {
    const Xbyak::Xmm x = code_.xmm0;
    for (int k = 0; k < width(); ++k) {
      if (k < count && input_of(first + k) < 0) continue;  // is there
      if (k >= count)
        code_.vxorps(x, x, x);
      else
        single_ ? code_.vmovss(x, at(place_of_input(first + k))) : code_.vmovsd(x, at(place_of_input(first + k)));
      single_ ? code_.vmovss(at(lane(first + k)), x) : code_.vmovsd(at(lane(first + k)), x);
    }
  }

  void write_sines() {
    if (packs_ == 0) return;
    const RecordedFunction sines = sines_and_cosines(packs_, function_.graph);
    Vex to(code_, false, single_, &pool_);
    if (write_line(sines, outputs_of(sines), as_recorded(sines), to).spilled > 0)
      throw Error(function_.name + " cannot be compiled: its sines need too many registers");
  }

  void write_state(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                   const std::vector<Place>& outputs) {
    const auto n = static_cast<std::size_t>(function.graph.inputs()), own = n + outputs.size();
    VexOfOne to(code_, many_, single_, &pool_, [&](std::size_t row) {
      const std::size_t beyond = row - inputs_.size();  // of the sines and cosines
      const Place place = row < inputs_.size() ? inputs_[row]
                          : row < n            ? sine(static_cast<int>(beyond / 2), beyond % 2 == 1)
                          : row < own          ? outputs[row - n]
                                               : Place{code_.rdi, rows_of_angles() + (row - own) * size()};
      return place.base + place.byte;
    });
    const WrittenLine line = write_line(function, outputs_of(function), order, to);
    spilled_ += line.spilled;
    scratch_ = std::max(scratch_, rows_of_angles() + (static_cast<std::size_t>(line.rows) - own) * size());
  }

  SplitAngles split_;
  const RecordedFunction& function_;  ///< with sines and cosines as inputs
  bool many_, single_;
  mutable Xbyak::CodeGenerator code_{Xbyak::DEFAULT_MAX_CODE_SIZE, Xbyak::AutoGrow};
  ConstantPool pool_;
  int angles_, packs_;
  std::vector<Column> columns_;
  std::vector<Place> inputs_, outputs_;  ///< row by row, those of inputs without sines and cosines
  std::size_t scratch_;
  std::int32_t spilled_ = 0;
};

}  // namespace

StateFunction::StateFunction(const RecordedFunction& function, Registers registers) {
  const std::vector<Registers> here = registers_here();
  if (!serves_single_states(registers) || std::find(here.begin(), here.end(), registers) == here.end())
    throw Error(function.name + " cannot be compiled for single states: this CPU has no AVX2");
  StateWriter writer(function, registers);
  writer.write();
  code_ = writer.code();
  call_ = reinterpret_cast<bool (*)(void*, const void*, const void* const*)>(code_.entry());
  scratch_bytes_ = writer.scratch_bytes();
  spilled_ = writer.spilled();
}

}  // namespace tandem
