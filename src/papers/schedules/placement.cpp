// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/placement.hpp"

#include <algorithm>

#include "core/at.hpp"

namespace tandem {
Workload::Workload(const TaskGraph& all_tasks, const MachineModel& on, Network among)
    : graph(all_tasks),
      machine(on),
      network(among),
      readers(tandem::readers(all_tasks)),
      level(all_tasks.tasks.size()) {
  for (const Task& task : graph.tasks) {
    time.push_back(machine.time(task.cost));
    message.push_back(machine.message(static_cast<double>(task.outputs)));
  }
  const std::vector<Index> order = in_order(graph);
  for (auto k = order.rbegin(); k != order.rend(); ++k) {
    double behind = 0;
    for (const Index reader : readers[at(*k)]) behind = std::max(behind, level[at(reader)]);
    level[at(*k)] = time[at(*k)] + behind;
  }
}

Placement::Placement(const Workload& work, const PlacementRules& rules)
    : work_(&work), rules_(rules), slots_(at(work.network.size())), copies_(work.graph.tasks.size()) {}

double Placement::end(Index q) const {
  const std::vector<Slot>& slots = slots_[at(q)];
  return slots.empty() ? 0 : slots.back().end;
}

double Placement::needs_done(Index task) const {
  double done = 0;
  for (const Index needed : work_->graph.tasks[at(task)].needs) done = std::max(done, copies(needed).front().time);
  return done;
}

const Placement::Copy* Placement::copy_at(Index task, Index q) const {
  for (const Copy& copy : copies(task))
    if (copy.processor == q) return &copy;
  return nullptr;
}

const Placement::Copy& Placement::nearest(Index task, Index q) const {
  const std::vector<Copy>& all = copies(task);
  if (work_->network.is_full()) return all.front();
  return *std::min_element(all.begin(), all.end(), [&](const Copy& a, const Copy& b) {
    return work_->network.distance(a.processor, q) < work_->network.distance(b.processor, q);
  });
}

bool Placement::is_cheaper_again(Index task, Index q) const {
  if (!rules_.duplicates || work_->time[at(task)] >= work_->message[at(task)]) return false;
  const std::vector<Index>& needs = work_->graph.tasks[at(task)].needs;
  return std::all_of(needs.begin(), needs.end(), [&](Index needed) { return copy_at(needed, q) != nullptr; });
}

double Placement::bringing(Index task, Index q) const {
  const MachineModel& machine = work_->machine;
  double sum = 0, longest = 0;
  for (const Index needed : work_->graph.tasks[at(task)].needs) {
    if (copy_at(needed, q)) continue;
    if (is_cheaper_again(needed, q)) {
      sum += work_->time[at(needed)];
      continue;
    }
    const double steps = static_cast<double>(work_->network.distance(nearest(needed, q).processor, q));
    if (machine.meets) {
      sum += steps * work_->message[at(needed)];
    } else {  // messages travel at the same time
      const double kept = machine.receive.of(static_cast<double>(work_->graph.tasks[at(needed)].outputs));
      sum += kept;
      longest = std::max(longest, steps * work_->message[at(needed)] - kept);
    }
  }
  return sum + longest;
}

std::vector<double> Placement::bringing_to_first(std::size_t processors, Index task) const {
  std::vector<double> sum(processors);
  if (!work_->network.is_full() || !work_->machine.meets || rules_.duplicates) {
    for (std::size_t q = 0; q < processors; ++q) sum[q] = bringing(task, static_cast<Index>(q));
    return sum;
  }
  // the terms of bringing() in its order, a needed task after the other
  std::vector<char> is_there(at(work_->network.size()));
  for (const Index needed : work_->graph.tasks[at(task)].needs) {
    for (const Copy& copy : copies(needed)) is_there[at(copy.processor)] = 1;
    const double message = work_->message[at(needed)];
    for (std::size_t q = 0; q < processors; ++q) sum[q] += is_there[q] ? 0 : message;
    for (const Copy& copy : copies(needed)) is_there[at(copy.processor)] = 0;
  }
  return sum;
}

Index Placement::worth_a_look() const {
  const Index all = work_->network.size();
  return work_->network.is_full() ? std::min(all, used_ + 1) : all;
}

double Placement::gap(Index a, Index b, double from, double takes) const {
  // the first time from which on neither does anything for so long, but for what roundings make of times that are the
  // same
  constexpr double hair = 1e-9;
  for (bool moved = true; moved;) {
    moved = false;
    for (const Index q : {a, b}) {
      const std::vector<Slot>& slots = slots_[at(q)];
      auto slot = std::partition_point(slots.begin(), slots.end(), [&](const Slot& s) { return s.end <= from + hair; });
      for (; slot != slots.end() && slot->begin < from + takes - hair; ++slot)
        if (slot->end > from + hair) from = slot->end, moved = true;
    }
  }
  return from;
}

void Placement::put(Index q, const Slot& slot) {
  std::vector<Slot>& slots = slots_[at(q)];
  slots.insert(std::upper_bound(slots.begin(), slots.end(), slot,
                                [](const Slot& a, const Slot& b) {
                                  return a.begin < b.begin || (a.begin == b.begin && a.end < b.end);
                                }),
               slot);
  if (changes_) changes_->busy.push_back(q);
  used_ = std::max(used_, q + 1);
  length_ = std::max(length_, slot.end);
}

void Placement::note(Index task, Index q, double time) {
  copies_[at(task)].push_back({q, time});
  if (changes_) changes_->arrived.emplace_back(task, q);
}

double Placement::pass_on(Index task, Index from, Index to, double ready) {
  const MachineModel& machine = work_->machine;
  const double size = static_cast<double>(work_->graph.tasks[at(task)].outputs), send = machine.send.of(size);
  if (machine.meets) {
    const double begin = rules_.into_gaps ? gap(from, to, ready, send) : std::max({ready, end(from), end(to)});
    put(from, {SlotKind::send, task, to, begin, begin + send});
    put(to, {SlotKind::receive, task, from, begin, begin + send});
    return begin + send;
  }
  const double begin = rules_.into_gaps ? gap(from, from, ready, send) : std::max(ready, end(from));
  put(from, {SlotKind::send, task, to, begin, begin + send});
  const double arrives = begin + send + machine.travel.of(size), receive = machine.receive.of(size);
  const double taken = rules_.into_gaps ? gap(to, to, arrives, receive) : std::max(arrives, end(to));
  put(to, {SlotKind::receive, task, from, taken, taken + receive});
  return taken + receive;
}

void Placement::deliver(Index task, Index q) {
  const Copy source = nearest(task, q);
  double ready = source.time;
  for (Index here = source.processor; here != q;) {
    const Index next = work_->network.step(here, q);
    ready = pass_on(task, here, next, ready);
    note(task, next, ready);
    here = next;
  }
}

void Placement::run(Index task, Index q) {
  double begin = end(q);
  for (const Index needed : work_->graph.tasks[at(task)].needs) begin = std::max(begin, copy_at(needed, q)->time);
  const double done = begin + work_->time[at(task)];
  put(q, {SlotKind::task, task, -1, begin, done});
  note(task, q, done);
}

void Placement::place(Index task, Index q, Changes* changes) {
  if (changes) *changes = {};
  changes_ = changes;
  std::vector<Index> missing;
  for (const Index needed : work_->graph.tasks[at(task)].needs)
    if (!copy_at(needed, q)) missing.push_back(needed);
  std::sort(missing.begin(), missing.end(), [&](Index a, Index b) {
    const double done_a = copies(a).front().time, done_b = copies(b).front().time;
    return done_a < done_b || (done_a == done_b && a < b);
  });
  for (const Index needed : missing) {
    if (copy_at(needed, q)) continue;  // it came on the way of another
    if (is_cheaper_again(needed, q))
      run(needed, q);
    else
      deliver(needed, q);
  }
  run(task, q);
  decisions_.emplace_back(task, q);
  changes_ = nullptr;
}

Schedule Placement::finish() && {
  Schedule schedule;
  schedule.processors = std::move(slots_);
  schedule.length = length_;
  return schedule;
}

ReadyTasks::ReadyTasks(const Workload& work) : work_(&work) {
  for (std::size_t k = 0; k < work.graph.tasks.size(); ++k) {
    missing_.push_back(work.graph.tasks[k].needs.size());
    if (missing_.back() == 0) ready_.push_back(static_cast<Index>(k));
  }
}

std::size_t ReadyTasks::take(Index task) {
  ready_.erase(std::find(ready_.begin(), ready_.end(), task));
  const std::size_t before = ready_.size();
  for (const Index reader : work_->readers[at(task)])
    if (--missing_[at(reader)] == 0) ready_.push_back(reader);
  return ready_.size() - before;
}

}  // namespace tandem
