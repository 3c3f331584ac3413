// SPDX-License-Identifier: Apache-2.0
#include "limbs.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>

#include "tracing/at.hpp"
#include "tracing/limb_nodes.hpp"
#include "tracing/order.hpp"
#include "tracing/signs.hpp"

namespace tandem {
namespace {

/// The second limb beside the first, whose signs all are plus.
struct Pairing {
  std::vector<bool> swapped;                     ///< by place: its first two operands
  std::vector<std::array<SignProduct, 4>> uses;  ///< signs of numbers and imports
  std::vector<SignProduct> results;
  Signs signs;
};

class Pairs {
 public:
  Pairs(const Graph& graph, const std::vector<std::int32_t>& owners, const std::vector<std::int32_t>& places)
      : graph_(graph), owners_(owners), places_(places) {}

  /// Nothing if they compute something else.
  std::optional<Pairing> pair(const std::vector<std::int32_t>& first, const std::vector<std::int32_t>& second) const {
    if (first.size() != second.size()) return {};
    Pairing result;
    result.swapped.resize(first.size());
    result.uses.resize(first.size());
    for (std::size_t place = 0; place < first.size(); ++place)
      if (!place_pairs(result, place, first[place], second[place])) return {};
    return result;
  }

 private:
  const Node& node(std::int32_t k) const { return graph_.nodes()[at(k)]; }
  /// Own operands at the same place, numbers beside numbers, imports beside imports.
  bool same_kind(std::int32_t a, std::int32_t limb_of_a, std::int32_t b, std::int32_t limb_of_b) const {
    const bool own = owners_[at(a)] == limb_of_a;
    if (own != (owners_[at(b)] == limb_of_b)) return false;
    if (own) return places_[at(a)] == places_[at(b)];
    return (node(a).operation == Operation::constant) == (node(b).operation == Operation::constant);
  }

  bool place_pairs(Pairing& result, std::size_t place, std::int32_t a, std::int32_t b) const {
    const Node &first = node(a), &second = node(b);
    if (first.operation != second.operation) return false;
    const std::int32_t limb_a = owners_[at(a)], limb_b = owners_[at(b)];
    const int count = operand_count(first.operation);
    const auto fits = [&](int i, int k) {
      return same_kind(first.operand[i].node, limb_a, second.operand[k].node, limb_b);
    };
    for (int i = 2; i < count; ++i)
      if (!fits(i, i)) return false;
    bool swap = false;
    if (count == 1 && !fits(0, 0)) return false;
    if (count > 1 && !(fits(0, 0) && fits(1, 1))) {
      const bool order_is_free = first.operation == Operation::add || first.operation == Operation::multiply ||
                                 first.operation == Operation::multiply_add;
      if (!order_is_free || !fits(0, 1) || !fits(1, 0)) return false;
      swap = true;
    }
    result.swapped[place] = swap;
    SignProduct s[4];
    for (int i = 0; i < count; ++i) {
      const Term own = first.operand[i], other = second.operand[i < 2 && swap ? 1 - i : i];
      SignProduct& use = result.uses[place][static_cast<std::size_t>(i)];
      if (owners_[at(own.node)] == limb_a)
        use = result.results[at(places_[at(own.node)])];
      else
        use = result.signs.unknown(node(own.node).operation != Operation::constant);
      s[i] = use * (own.minus != other.minus);
    }
    SignProduct sign;
    if (!sign_of(result.signs, first.operation, s, sign)) return false;
    result.results.push_back(sign);
    return true;
  }

  /// The sign of a result, if there can be one, of operands with these.
  static bool sign_of(Signs& signs, Operation operation, const SignProduct (&s)[4], SignProduct& sign) {
    const SignProduct plus;
    switch (operation) {
      case Operation::add: sign = s[0]; return signs.equal(s[0], s[1]);
      case Operation::multiply:
      case Operation::divide: sign = s[0] * s[1]; return true;
      case Operation::multiply_add: sign = s[2]; return signs.equal(s[0] * s[1], s[2]);
      case Operation::square_root: return signs.equal(s[0], plus);
      case Operation::sine: sign = s[0]; return true;
      case Operation::select_less:
      case Operation::select_equal:
      case Operation::select_bit:
        sign = s[2];
        return signs.equal(s[0], plus) && signs.equal(s[1], plus) && signs.equal(s[2], s[3]);
      case Operation::input:
      case Operation::constant:
      case Operation::absolute:
      case Operation::cosine: return true;
    }
    return false;
  }

  const Graph& graph_;
  const std::vector<std::int32_t>&owners_, &places_;
};

/// How often the way to a node comes out of a limb.
std::vector<std::int32_t> rounds_of(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                                    const std::vector<std::int32_t>& owners) {
  const auto& nodes = function.graph.nodes();
  std::vector<std::int32_t> rounds(nodes.size());
  for (const std::int32_t k : order)
    for (int i = 0; i < operand_count(nodes[at(k)].operation); ++i) {
      const std::int32_t operand = nodes[at(k)].operand[i].node;
      const bool comes_out = owners[at(operand)] != nowhere && owners[at(operand)] != owners[at(k)];
      rounds[at(k)] = std::max(rounds[at(k)], rounds[at(operand)] + (comes_out ? 1 : 0));
    }
  return rounds;
}

/// Columns of terms or numbers, equal ones once.
template <class T>
std::int32_t entry(std::vector<std::vector<T>>& table, const std::vector<T>& column) {
  const auto found = [&](std::size_t k) {
    for (std::size_t limb = 0; limb < table.size(); ++limb)
      if (!(table[limb][k] == column[limb])) return false;
    return true;
  };
  for (std::size_t k = 0; k < table.front().size(); ++k)
    if (found(k)) return static_cast<std::int32_t>(k);
  for (std::size_t limb = 0; limb < table.size(); ++limb) table[limb].push_back(column[limb]);
  return static_cast<std::int32_t>(table.front().size() - 1);
}

class Finder {
 public:
  Finder(const RecordedFunction& function, const ModelView<double>& m, const AlikeLimbs& group)
      : function_(function),
        group_(group),
        order_(as_recorded(function)),
        all_owners_(limbs_of_nodes(function, m, order_, group)),
        places_(all_owners_.size(), nowhere),
        inputs_(inputs_of_limbs(function, m, group)) {}

  std::vector<EqualLimbs> find() {
    // limbs like the first one, then those of the rest that are like its first one, and so on
    std::vector<EqualLimbs> result;
    std::vector<std::size_t> rest(group_.first_links.size());
    for (std::size_t limb = 0; limb < rest.size(); ++limb) rest[limb] = limb;
    while (rest.size() > 1) {
      std::vector<std::size_t> equal = {rest.front()}, others;
      for (std::size_t k = 1; k < rest.size(); ++k) {
        lay_out({rest.front(), rest[k]});
        (paired(rest.front(), rest[k]) ? equal : others).push_back(rest[k]);
      }
      lay_out(equal);
      if (equal.size() > 1 && !lists_[equal.front()].empty() &&
          std::all_of(equal.begin(), equal.end(), [&](std::size_t limb) { return paired(equal.front(), limb); }))
        result.push_back(pattern_of(equal));
      rest = others;
    }
    return result;
  }

 private:
  const Node& node(std::int32_t k) const { return function_.graph.nodes()[at(k)]; }

  std::optional<Pairing> paired(std::size_t first, std::size_t second) const {
    return Pairs(function_.graph, owners_, places_).pair(lists_[first], lists_[second]);
  }

  /// The nodes of these limbs in the order of the first one's, round after round; other limbs are as much elsewhere as
  /// the trunk is. What one limb has more than another, as sums that go from limb to limb, is left to the trunk.
  void lay_out(const std::vector<std::size_t>& limbs) {
    owners_ = all_owners_;
    for (std::int32_t& owner : owners_)
      if (owner != nowhere && std::find(limbs.begin(), limbs.end(), at(owner)) == limbs.end()) owner = nowhere;
    // nodes that look alike, in the order of the recording, by limb
    std::map<std::uint64_t, std::vector<std::vector<std::int32_t>>> alike;
    for (bool changed = true; changed;) {
      changed = false;
      alike.clear();
      rounds_ = rounds_of(function_, order_, owners_);
      const std::vector<std::uint64_t> looks = looks_of_nodes();
      for (const std::int32_t k : order_) {
        if (owners_[at(k)] == nowhere) continue;
        auto& by_limb = alike[looks[at(k)]];
        by_limb.resize(group_.first_links.size());
        by_limb[at(owners_[at(k)])].push_back(k);
      }
      for (const auto& [look, by_limb] : alike) {
        const auto& first = by_limb[limbs.front()];
        const auto as_first = [&](std::size_t limb) {
          return std::equal(first.begin(), first.end(), by_limb[limb].begin(), by_limb[limb].end(),
                            [&](std::int32_t a, std::int32_t b) { return rounds_[at(a)] == rounds_[at(b)]; });
        };
        if (std::all_of(limbs.begin(), limbs.end(), as_first)) continue;
        for (const std::size_t limb : limbs)
          for (const std::int32_t k : by_limb[limb]) owners_[at(k)] = nowhere;
        changed = true;
      }
    }
    std::vector<std::pair<std::int32_t, const std::vector<std::vector<std::int32_t>>*>> firsts;
    for (const auto& [look, by_limb] : alike)
      for (const std::int32_t k : by_limb[limbs.front()]) firsts.emplace_back(k, &by_limb);
    std::sort(firsts.begin(), firsts.end(), [&](const auto& a, const auto& b) {
      return std::pair(rounds_[at(a.first)], a.first) < std::pair(rounds_[at(b.first)], b.first);
    });
    lists_.assign(group_.first_links.size(), {});
    for (const auto& [k, by_limb] : firsts) {
      const auto& own = (*by_limb)[limbs.front()];
      const auto which = std::find(own.begin(), own.end(), k) - own.begin();
      for (const std::size_t limb : limbs) {
        const std::int32_t other = (*by_limb)[limb][static_cast<std::size_t>(which)];
        places_[at(other)] = static_cast<std::int32_t>(lists_[limb].size());
        lists_[limb].push_back(other);
      }
    }
  }

  /// The same number for nodes that do the same at the same link of a limb, as far as can be seen by themselves.
  std::vector<std::uint64_t> looks_of_nodes() const {
    std::vector<std::uint64_t> looks(owners_.size());
    for (const std::int32_t k : order_) {
      const std::int32_t limb = owners_[at(k)];
      if (limb == nowhere) continue;
      std::uint64_t of_operands[4] = {};
      for (int i = 0; i < operand_count(node(k).operation); ++i) {
        const Node& operand = node(node(k).operand[i].node);
        std::uint64_t& look = of_operands[i];
        if (owners_[at(node(k).operand[i].node)] == limb)
          look = looks[at(node(k).operand[i].node)];
        else if (operand.operation == Operation::input)
          look = 4 + inputs_[at(limb)][static_cast<std::size_t>(operand.value)];
        else
          look = operand.operation == Operation::constant ? 1 : 2;
      }
      if (of_operands[1] < of_operands[0]) std::swap(of_operands[0], of_operands[1]);
      const std::int32_t link = function_.graph.link_of_step(node(k).step) - group_.first_links[at(limb)];
      std::uint64_t look = static_cast<std::uint64_t>(node(k).operation) + 1;
      const auto mix = [&](std::uint64_t more) {
        look = (look ^ more) * 0x9E3779B97F4A7C15u;
        look ^= look >> 31;
      };
      mix(link >= 0 && link < group_.links ? static_cast<std::uint64_t>(link) : 1u << 31);
      for (const std::uint64_t operand : of_operands) mix(operand);
      looks[at(k)] = look;
    }
    return looks;
  }

  EqualLimbs pattern_of(const std::vector<std::size_t>& equal) const {
    const std::vector<std::int32_t>& first = lists_[equal.front()];
    std::vector<Pairing> pairings;
    for (const std::size_t limb : equal) pairings.push_back(*paired(equal.front(), limb));
    EqualLimbs result;
    result.imports.resize(equal.size());
    result.constants.resize(equal.size());
    for (std::size_t column = 0; column < equal.size(); ++column) {
      result.first_links.push_back(group_.first_links[equal[column]]);
      auto& nodes = result.nodes.emplace_back();
      for (std::size_t place = 0; place < first.size(); ++place)
        nodes.push_back({lists_[equal[column]][place], pairings[column].signs.value(pairings[column].results[place])});
    }
    for (std::size_t place = 0; place < first.size(); ++place) {
      result.rounds.push_back(rounds_[at(first[place])]);
      EqualLimbs::Step step = {node(first[place]).operation, {}};
      for (int i = 0; i < operand_count(step.operation); ++i) {
        const Term operand = node(first[place]).operand[i];
        PatternOperand& to = step.operands[i];
        to.minus = operand.minus;
        if (owners_[at(operand.node)] == owners_[at(first[place])]) {
          to.of = PatternOperand::Of::own;
          to.at = places_[at(operand.node)];
          continue;
        }
        std::vector<Term> terms;
        std::vector<double> numbers;
        for (std::size_t column = 0; column < equal.size(); ++column) {
          const Pairing& pairing = pairings[column];
          const bool swap = i < 2 && pairing.swapped[place];
          const std::int32_t other = node(lists_[equal[column]][place]).operand[swap ? 1 - i : i].node;
          const bool minus = pairing.signs.value(pairing.uses[place][static_cast<std::size_t>(i)]);
          terms.push_back({other, minus});
          numbers.push_back(minus ? -node(other).value : node(other).value);
        }
        const bool known = node(operand.node).operation == Operation::constant;
        to.of = known ? PatternOperand::Of::constant : PatternOperand::Of::import;
        to.at = known ? entry(result.constants, numbers) : entry(result.imports, terms);
      }
      result.pattern.push_back(step);
    }
    return result;
  }

  const RecordedFunction& function_;
  const AlikeLimbs& group_;
  std::vector<std::int32_t> order_, all_owners_, owners_, places_, rounds_;
  std::vector<std::vector<std::uint64_t>> inputs_;
  std::vector<std::vector<std::int32_t>> lists_;  ///< [limb]: its nodes
};

}  // namespace

std::vector<EqualLimbs> equal_limbs(const RecordedFunction& function, const ModelView<double>& m) {
  std::vector<EqualLimbs> result;
  for (const AlikeLimbs& group : alike_limbs(m)) {
    auto found = Finder(function, m, group).find();
    std::move(found.begin(), found.end(), std::back_inserter(result));
  }
  return result;
}

}  // namespace tandem
