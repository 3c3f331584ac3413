// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/earliest_pairs.hpp"

#include <algorithm>
#include <functional>

namespace tandem {

EarliestPairs::EarliestPairs(const Workload& work, const Placement& placement, bool list_order,
                             const std::vector<Index>* where)
    : work_(work), placement_(placement), list_order_(list_order), where_(where), ready_(work.time.size()) {
  while (leaves_ < at(work.network.size())) leaves_ *= 2;
  best_.resize(leaves_);
  winners_.assign(2 * leaves_, -1);
  heaps_.reserve(at(work.network.size()));
  std::vector<double> levels = work.level;
  std::sort(levels.begin(), levels.end(), std::greater<>());
  for (const double level : work.level)
    level_rank_.push_back(static_cast<std::uint64_t>(
        std::lower_bound(levels.begin(), levels.end(), level, std::greater<>()) - levels.begin()));
  look_at_new_processors();
}

bool EarliestPairs::comes_before(const Pair& a, const Pair& b) const {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.task != b.task) return ready_[at(a.task)].rank < ready_[at(b.task)].rank;
  return a.processor < b.processor;
}

void EarliestPairs::look_at_new_processors() {
  const auto look = where_ ? at(work_.network.size()) : at(placement_.worth_a_look());
  while (heaps_.size() < look) {
    const auto q = static_cast<Index>(heaps_.size());
    heaps_.emplace_back();
    if (where_) continue;
    for (std::size_t k = 0; k < ready_.size(); ++k) {
      if (ready_[k].bringing.empty()) continue;
      ready_[k].bringing.push_back(placement_.bringing(static_cast<Index>(k), q));
      push(static_cast<Index>(k), q);
    }
  }
}

void EarliestPairs::push(Index task, Index q) {
  Heaps& heaps = heaps_[at(q)];
  const double needs_done = ready_[at(task)].needs_done, takes = bringing(task, q);
  const bool is_open = needs_done <= placement_.end(q);
  std::vector<Entry>& heap = is_open ? heaps.open : heaps.later;
  if (heap.size() > 2 * ready_now_ + 64) {
    std::erase_if(heap, [&](const Entry& entry) { return is_void(entry, q); });
    std::make_heap(heap.begin(), heap.end(), is_below);
  }
  heap.push_back({is_open ? takes : needs_done + takes, takes, ready_[at(task)].rank, task});
  std::push_heap(heap.begin(), heap.end(), is_below);
  stale_.push_back(q);
}

void EarliestPairs::add(Index task) {
  Ready& ready = ready_[at(task)];
  ++ready_now_;
  ready.needs_done = placement_.needs_done(task);
  ready.rank = list_order_ ? static_cast<std::uint64_t>(task) : level_rank_[at(task)] << 32 | turns_++;
  if (where_) {
    const Index q = (*where_)[at(task)];
    ready.bringing = {placement_.bringing(task, q)};
    push(task, q);
    return;
  }
  ready.bringing = placement_.bringing_to_first(heaps_.size(), task);
  for (std::size_t q = 0; q < heaps_.size(); ++q) push(task, static_cast<Index>(q));
}

void EarliestPairs::remove(Index task) {
  --ready_now_;
  ready_[at(task)].bringing.clear();
  if (where_) return stale_.push_back((*where_)[at(task)]);
  for (std::size_t q = 0; q < heaps_.size(); ++q)
    if (best_[q].task == task) stale_.push_back(static_cast<Index>(q));
}

void EarliestPairs::arrived(Index task, Index q) {
  const auto renew = [&](Index reader, Index to) {
    if (at(to) >= heaps_.size()) return;
    const double takes = placement_.bringing(reader, to);
    if (takes == bringing(reader, to)) return;
    bringing(reader, to) = takes;
    push(reader, to);
  };
  const bool is_full = work_.network.is_full();
  for (const Index reader : work_.readers[at(task)]) {
    if (ready_[at(reader)].bringing.empty()) continue;
    if (where_ && (!is_full || (*where_)[at(reader)] == q)) renew(reader, (*where_)[at(reader)]);
    if (where_) continue;
    if (is_full)
      renew(reader, q);
    else
      for (Index to = 0; to < work_.network.size(); ++to) renew(reader, to);
  }
}

EarliestPairs::Pair EarliestPairs::best_of(Index q) {
  Heaps& heaps = heaps_[at(q)];
  const auto pop = [&](std::vector<Entry>& heap) {
    std::pop_heap(heap.begin(), heap.end(), is_below);
    heap.pop_back();
  };
  const double end = placement_.end(q);
  while (!heaps.later.empty()) {
    const Entry top = heaps.later.front();
    if (is_void(top, q)) {
      pop(heaps.later);
    } else if (ready_[at(top.task)].needs_done <= end) {
      pop(heaps.later);
      heaps.open.push_back({top.bringing, top.bringing, top.rank, top.task});
      std::push_heap(heaps.open.begin(), heaps.open.end(), is_below);
    } else {
      break;
    }
  }
  while (!heaps.open.empty() && is_void(heaps.open.front(), q)) pop(heaps.open);
  Pair best;
  if (!heaps.later.empty()) best = {heaps.later.front().task, q, heaps.later.front().key};
  if (!heaps.open.empty()) {
    const Pair other = {heaps.open.front().task, q, end + heaps.open.front().bringing};
    if (best.task < 0 || comes_before(other, best)) best = other;
  }
  return best;
}

void EarliestPairs::play(Index q) {
  best_[at(q)] = best_of(q);
  std::size_t node = leaves_ + at(q);
  winners_[node] = best_[at(q)].task < 0 ? -1 : q;
  while (node > 1) {
    node /= 2;
    const Index a = winners_[2 * node], b = winners_[2 * node + 1];
    winners_[node] = a < 0 ? b : b < 0 ? a : comes_before(best_[at(b)], best_[at(a)]) ? b : a;
  }
}

EarliestPairs::Pair EarliestPairs::first() {
  look_at_new_processors();
  std::sort(stale_.begin(), stale_.end());
  stale_.erase(std::unique(stale_.begin(), stale_.end()), stale_.end());
  for (const Index q : stale_) play(q);
  stale_.clear();
  return best_[at(winners_[1])];
}

}  // namespace tandem
