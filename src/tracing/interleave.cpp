// SPDX-License-Identifier: Apache-2.0
#include "tracing/interleave.hpp"

#include "tracing/at.hpp"
#include "tracing/order.hpp"

namespace tandem {
namespace {

/// Cycles from when an operation begins until others can read it, about what processors of today take.
int latency(Operation operation) {
  switch (operation) {
    case Operation::input:
    case Operation::constant: return 0;
    case Operation::divide: return 14;
    case Operation::square_root: return 19;
    case Operation::select_less:
    case Operation::select_equal:
    case Operation::select_bit: return 6;
    default: return 4;
  }
}

}  // namespace

std::vector<std::int32_t> interleaved(const RecordedFunction& function, const std::vector<std::int32_t>& order,
                                      int window) {
  constexpr int begin_at_a_time = 2;
  const auto& nodes = function.graph.nodes();
  constexpr std::int64_t not_begun = INT64_MAX;
  std::vector<std::int64_t> done(nodes.size(), 0);
  for (const std::int32_t k : order)
    if (operand_count(nodes[at(k)].operation) > 0) done[at(k)] = not_begun;
  // what is left of the order, as a list; the last entry stands for its beginning
  std::vector<std::size_t> next(order.size() + 1);
  for (std::size_t place = 0; place < order.size(); ++place) next[place] = place + 1;
  const std::size_t before_first = order.size(), end = order.size();
  next[before_first] = 0;
  std::vector<std::int32_t> result;
  for (std::int64_t cycle = 0; next[before_first] != end; ++cycle) {
    int begun = 0;
    std::size_t before = before_first;
    for (int seen = 0; seen < window && begun < begin_at_a_time && next[before] != end; ++seen) {
      const std::int32_t k = order[next[before]];
      const Node& node = nodes[at(k)];
      bool ready = true;
      for (int i = 0; i < operand_count(node.operation); ++i) ready &= done[at(node.operand[i].node)] <= cycle;
      if (!ready) {
        before = next[before];
        continue;
      }
      done[at(k)] = cycle + latency(node.operation);
      begun += operand_count(node.operation) > 0;
      result.push_back(k);
      next[before] = next[next[before]];
    }
  }
  return result;
}

std::vector<std::int32_t> in_order_for(const RecordedFunction& function, bool many_registers) {
  std::vector<std::int32_t> order = depth_first(function);
  return many_registers ? interleaved(function, order, 128) : order;
}

}  // namespace tandem
