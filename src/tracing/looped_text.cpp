// SPDX-License-Identifier: Apache-2.0
#include "tracing/looped_text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "tracing/at.hpp"
#include "tracing/limbs.hpp"
#include "tracing/order.hpp"
#include "tracing/text_writer.hpp"

namespace tandem {
namespace {

/// What the function of a limb reads and writes.
constexpr Argument imports = {"in", Rows::scalar, Role::input, "", ""};
constexpr Argument numbers = {"numbers", Rows::scalar, Role::input, "", ""};
constexpr Argument earlier = {"own", Rows::scalar, Role::input, "", ""};
constexpr Argument results = {"own", Rows::scalar, Role::output, "", ""};

/// One round of limbs that are built alike, as a function of a limb.
struct Round {
  RecordedFunction function;
  std::vector<std::int32_t> imports;    ///< entries of the table, in the order in which the function reads them
  std::vector<std::int32_t> constants;  ///< likewise, those that differ from limb to limb
};

/// Limbs built alike, and which of their places are needed elsewhere or in another round.
struct Group {
  EqualLimbs limbs;
  std::vector<std::int32_t> result_of;  ///< by place: the entry of `own`, or -1
  std::int32_t results = 0;
};

bool is_one_number(const EqualLimbs& limbs, std::int32_t entry) {
  return std::all_of(limbs.constants.begin(), limbs.constants.end(), [&](const std::vector<double>& of_limb) {
    return of_limb[at(entry)] == limbs.constants.front()[at(entry)];
  });
}

Round round_of(const Group& group, std::int32_t number, const RecordedFunction& whole, const std::string& name) {
  const EqualLimbs& limbs = group.limbs;
  Round round = {{name, Graph(whole.graph.precision(), whole.graph.products()), {}}, {}, {}};
  std::map<std::int32_t, std::size_t> of_import, of_constant;
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < limbs.pattern.size(); ++place) {
    if (limbs.rounds[place] != number) continue;
    places.push_back(place);
    const EqualLimbs::Step& step = limbs.pattern[place];
    for (int i = 0; i < operand_count(step.operation); ++i) {
      const PatternOperand& operand = step.operands[i];
      if (operand.of == PatternOperand::Of::import && of_import.try_emplace(operand.at, round.imports.size()).second)
        round.imports.push_back(operand.at);
      if (operand.of == PatternOperand::Of::constant && !is_one_number(limbs, operand.at) &&
          of_constant.try_emplace(operand.at, round.constants.size()).second)
        round.constants.push_back(operand.at);
    }
  }
  Graph& graph = round.function.graph;
  const auto inputs = [&](const Argument& argument, std::size_t count) {
    RecordedColumn column = {&argument, {}};
    for (std::size_t k = 0; k < count; ++k) column.rows.push_back(graph.input());
    round.function.columns.push_back(column);
    return column.rows;
  };
  const auto in = inputs(imports, round.imports.size()), own_numbers = inputs(numbers, round.constants.size()),
             before = inputs(earlier, at(group.results));
  std::vector<Term> there(limbs.pattern.size());
  RecordedColumn out = {&results, std::vector<Term>(at(group.results), graph.constant(0))};
  for (const std::size_t place : places) {
    const EqualLimbs::Step& step = limbs.pattern[place];
    Term operands[4];
    for (int i = 0; i < operand_count(step.operation); ++i) {
      const PatternOperand& operand = step.operands[i];
      Term& term = operands[i];
      switch (operand.of) {
        case PatternOperand::Of::own:
          term = limbs.rounds[at(operand.at)] == number ? there[at(operand.at)]
                                                        : before[at(group.result_of[at(operand.at)])];
          break;
        case PatternOperand::Of::import: term = in[of_import.at(operand.at)]; break;
        case PatternOperand::Of::constant:
          term = is_one_number(limbs, operand.at) ? graph.constant(limbs.constants.front()[at(operand.at)])
                                                  : own_numbers[of_constant.at(operand.at)];
          break;
      }
      if (operand.minus) term = -term;
    }
    there[place] = graph.repeat({step.operation}, operands);
    if (group.result_of[place] >= 0) out.rows[at(group.result_of[place])] = there[place];
  }
  round.function.columns.push_back(out);
  return round;
}

/// The function of a limb.
class LimbWriter : TextWriter {
 public:
  using TextWriter::TextWriter;
  std::string write() {
    const bool c = language_ == Language::c;
    text_ = c ? "static void " : "template <class S>\nvoid ";
    const std::string type = c ? real() : "S", constant = c ? real() : "double";
    text_ += function_.name + "(const " + type + "* in, const " + constant + "* numbers, " + type + "* own) {\n";
    if (function_.columns[0].rows.empty()) line("(void)in;");
    if (function_.columns[1].rows.empty()) line("(void)numbers;");
    for (const std::int32_t k : as_recorded(function_)) statement(k);
    return text_ + "}\n";
  }

 private:
  std::string loaded(const Place& place) override {
    const std::string number = TextWriter::loaded(place);
    return language_ == Language::cpp && place.column == numbers.name ? "S(" + number + ")" : number;
  }
};

/// The whole function: what is computed elsewhere line by line, and calls for limbs as soon as all is there that they
/// need.
class LoopedWriter : TextWriter {
 public:
  LoopedWriter(const RecordedFunction& function, Language language, std::vector<Group> groups, const std::string& name)
      : TextWriter(function, language),
        groups_(std::move(groups)),
        name_(name),
        state_(function.graph.nodes().size()),
        owners_(state_.size(), {-1, 0, 0}) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const EqualLimbs& limbs = groups_[g].limbs;
      for (std::size_t limb = 0; limb < limbs.nodes.size(); ++limb)
        for (std::size_t place = 0; place < limbs.pattern.size(); ++place)
          owners_[at(limbs.nodes[limb][place].node)] = {static_cast<std::int32_t>(g), limb, place};
    }
    find_results();
  }

  /// Nothing if limbs wait for each other.
  std::optional<std::string> write(const std::string& comment) {
    text_ = function_head(function_, language_, name_);
    for (std::size_t g = 0; g < groups_.size(); ++g)
      line(type() + " own" + std::to_string(g) + "[" + std::to_string(groups_[g].limbs.nodes.size()) + "][" +
           std::to_string(groups_[g].results) + "];");
    for (const std::int32_t k : depth_first(function_)) need(k);
    if (waits_for_itself_) return {};
    known_outputs();
    return before_ + comment + text_ + "}\n";
  }

 private:
  struct Owner {
    std::int32_t group;
    std::size_t limb, place;
  };
  enum class State : std::uint8_t { missing, begun, there };

  std::string type() const { return language_ == Language::c ? real() : "S"; }
  std::int32_t round(const Owner& owner) const { return groups_[at(owner.group)].limbs.rounds[owner.place]; }

  void find_results() {
    for (Group& group : groups_) group.result_of.assign(group.limbs.pattern.size(), -1);
    const auto is_read = [&](std::int32_t k) {
      if (owners_[at(k)].group < 0) return;
      Group& group = groups_[at(owners_[at(k)].group)];
      std::int32_t& result = group.result_of[owners_[at(k)].place];
      if (result < 0) result = group.results++;
    };
    for (const std::int32_t k : as_recorded(function_))
      for (int i = 0; i < operand_count(node(k).operation); ++i) {
        const Owner &reader = owners_[at(k)], &read = owners_[at(node(k).operand[i].node)];
        const bool stays =
            read.group >= 0 && reader.group == read.group && reader.limb == read.limb && round(reader) == round(read);
        if (!stays) is_read(node(k).operand[i].node);
      }
    for (const RecordedColumn& column : function_.columns)
      if (!is_input(*column.argument))
        for (const Term& t : column.rows) is_read(t.node);
  }

  void need(std::int32_t k) {
    if (state_[at(k)] == State::there || node(k).operation == Operation::constant) return;
    if (owners_[at(k)].group >= 0) return need_round(owners_[at(k)]);
    for (int i = 0; i < operand_count(node(k).operation); ++i) need(node(k).operand[i].node);
    statement(k);
    state_[at(k)] = State::there;
  }

  void need_round(const Owner& owner) {
    const Group& group = groups_[at(owner.group)];
    const EqualLimbs& limbs = group.limbs;
    const std::int32_t number = round(owner);
    State& state = rounds_[{owner.group, number}];
    if (state == State::begun) waits_for_itself_ = true;
    if (state != State::missing) return;
    state = State::begun;
    const std::string id = std::to_string(owner.group) + "_" + std::to_string(number), function = name_ + "_limb" + id;
    const std::string size = std::to_string(limbs.nodes.size()), of_group = std::to_string(owner.group);
    const Round own = round_of(group, number, function_, function);
    for (std::size_t place = 0; place < limbs.pattern.size(); ++place)
      if (limbs.rounds[place] == number)
        for (int i = 0; i < operand_count(limbs.pattern[place].operation); ++i) {
          const PatternOperand& operand = limbs.pattern[place].operands[i];
          for (std::size_t limb = 0; limb < limbs.nodes.size(); ++limb) {
            if (operand.of == PatternOperand::Of::import) need(limbs.imports[limb][at(operand.at)].node);
            if (operand.of == PatternOperand::Of::own && limbs.rounds[at(operand.at)] != number)
              need_round({owner.group, limb, at(operand.at)});
          }
        }
    before_ += LimbWriter(own.function, language_).write() + "\n";
    table(limbs, own, id);
    if (!own.imports.empty()) {
      line(type() + " in" + id + "[" + size + "][" + std::to_string(own.imports.size()) + "];");
      for (std::size_t limb = 0; limb < limbs.nodes.size(); ++limb)
        for (std::size_t k = 0; k < own.imports.size(); ++k)
          line("in" + id + "[" + std::to_string(limb) + "][" + std::to_string(k) +
               "] = " + term(limbs.imports[limb][at(own.imports[k])]) + ";");
    }
    const auto column = [&](const char* what, bool any) { return any ? what + id + "[limb]" : std::string("0"); };
    line("for (int limb = 0; limb < " + size + "; ++limb)");
    line("  " + function + "(" + column("in", !own.imports.empty()) + ", " + column("numbers", !own.constants.empty()) +
         ", own" + of_group + "[limb]);");
    for (std::size_t place = 0; place < limbs.pattern.size(); ++place)
      for (std::size_t limb = 0; limb < limbs.nodes.size() && limbs.rounds[place] == number; ++limb) {
        const Term& t = limbs.nodes[limb][place];
        state_[at(t.node)] = State::there;
        if (group.result_of[place] < 0) continue;
        const std::string own_result =
            "own" + of_group + "[" + std::to_string(limb) + "][" + std::to_string(group.result_of[place]) + "]";
        if (is_read_outside(t.node))
          define(t.node, (t.minus ? "-" : "") + own_result);
        else
          store_outputs(t.node, own_result, t.minus);
      }
    rounds_[{owner.group, number}] = State::there;
  }

  /// By what is computed line by line, or as an import of limbs.
  bool is_read_outside(std::int32_t k) {
    if (outside_.empty()) {
      for (const std::int32_t reader : as_recorded(function_))
        for (int i = 0; i < operand_count(node(reader).operation); ++i) {
          const Owner &own = owners_[at(node(reader).operand[i].node)], &other = owners_[at(reader)];
          if (own.group != other.group || own.limb != other.limb) outside_.insert(node(reader).operand[i].node);
        }
    }
    return outside_.contains(k);
  }

  void table(const EqualLimbs& limbs, const Round& own, const std::string& id) {
    if (own.constants.empty()) return;
    const std::string kind = language_ == Language::c ? real() : "double";
    line("static const " + kind + " numbers" + id + "[" + std::to_string(limbs.nodes.size()) + "][" +
         std::to_string(own.constants.size()) + "] = {");
    for (std::size_t limb = 0; limb < limbs.nodes.size(); ++limb) {
      std::string row = "    {";
      for (std::size_t k = 0; k < own.constants.size(); ++k)
        row += (k > 0 ? ", " : "") + literal(limbs.constants[limb][at(own.constants[k])]);
      line(row + (limb + 1 < limbs.nodes.size() ? "}," : "}};"));
    }
  }

  std::vector<Group> groups_;
  std::string name_, before_;
  std::vector<State> state_;
  std::vector<Owner> owners_;
  std::map<std::pair<std::int32_t, std::int32_t>, State> rounds_;
  std::set<std::int32_t> outside_;
  bool waits_for_itself_ = false;
};

}  // namespace

std::string looped_text(const RecordedFunction& function, const ModelView<double>& m, Language language,
                        const std::string& name, const std::string& comment) {
  std::vector<Group> groups;
  for (EqualLimbs& limbs : equal_limbs(function, m)) {
    // a line fewer for each further limb and place, a line more for what goes in
    const std::size_t more = limbs.imports.front().size() * limbs.nodes.size();
    if ((limbs.nodes.size() - 1) * limbs.pattern.size() > 2 * more) groups.push_back({std::move(limbs), {}});
  }
  for (; !groups.empty(); groups.pop_back())
    if (const auto text = LoopedWriter(function, language, groups, name).write(comment)) return *text;
  return comment + function_text(function, language, name);
}

}  // namespace tandem
