// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/thread_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>
#include <tuple>

#include "core/at.hpp"
#include "papers/schedules/mailbox.hpp"

namespace tandem {
namespace {

using Clock = std::chrono::steady_clock;

/// One thing that a thread does.
struct Action {
  SlotKind kind;
  Index task;
  Mailbox* mailbox;  ///< of a message
  double* outputs;
};

class Threads {
 public:
  Threads(const Schedule& schedule, const std::vector<Processor>& processors, int rounds)
      : processors_(processors), size_(static_cast<Index>(schedule.processors.size())), steps_(at(size_)) {
    times_.rounds.assign(static_cast<std::size_t>(rounds), std::vector<double>(at(size_)));
    make_mailboxes(schedule);
    for (Index q = 0; q < size_; ++q)
      for (const Slot& slot : schedule.processors[at(q)]) {
        const bool sends = slot.kind == SlotKind::send;
        Mailbox* const box =
            slot.kind == SlotKind::task
                ? nullptr
                : &mailboxes_[boxes_.at(sends ? Way{slot.task, q, slot.other} : Way{slot.task, slot.other, q})];
        steps_[at(q)].push_back({slot.kind, slot.task, box, processors_[at(q)].outputs(slot.task).data()});
      }
  }

  FinishTimes run() && {
    std::vector<std::thread> others;
    for (Index q = 1; q < size_; ++q) others.emplace_back([this, q] { work(q); });
    work(0);
    for (std::thread& thread : others) thread.join();
    return std::move(times_);
  }

 private:
  using Way = std::tuple<Index, Index, Index>;  ///< task, from, to

  void make_mailboxes(const Schedule& schedule) {
    std::vector<std::pair<std::size_t, Index>> places;  // and numbers
    std::size_t bytes = 0;
    for (Index q = 0; q < size_; ++q)
      for (const Slot& slot : schedule.processors[at(q)]) {
        if (slot.kind != SlotKind::send) continue;
        const auto numbers = static_cast<Index>(processors_[at(q)].outputs(slot.task).size());
        boxes_.emplace(Way{slot.task, q, slot.other}, places.size());
        places.emplace_back(bytes, numbers);
        bytes += Mailbox::size(numbers);
      }
    memory_ = LineMemory(bytes);
    for (const auto& [first, numbers] : places) mailboxes_.emplace_back(memory_.at(first), numbers);
  }

  /// All threads begin a round at the same time, which the last one to come notes.
  void meet(std::uint64_t round) {
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size_) {
      arrived_.store(0, std::memory_order_relaxed);
      begin_ = Clock::now();
      round_.store(round, std::memory_order_release);
    } else {
      for (Spin spin; round_.load(std::memory_order_acquire) != round;) spin.wait();
    }
  }

  void work(Index q) {
    const Processor& processor = processors_[at(q)];
    for (std::size_t k = 0; k < times_.rounds.size(); ++k) {
      const std::uint64_t round = k + 1;
      meet(round);
      for (const Action& step : steps_[at(q)]) switch (step.kind) {
          case SlotKind::task: processor.run(step.task); break;
          case SlotKind::send: step.mailbox->send(step.outputs, round); break;
          case SlotKind::receive: step.mailbox->receive(step.outputs, round); break;
        }
      times_.rounds[k][at(q)] = std::chrono::duration<double, std::micro>(Clock::now() - begin_).count();
    }
  }

  const std::vector<Processor>& processors_;
  Index size_;
  std::vector<std::vector<Action>> steps_;
  std::map<Way, std::size_t> boxes_;
  LineMemory memory_{0};
  std::vector<Mailbox> mailboxes_;
  FinishTimes times_;
  Clock::time_point begin_;
  alignas(64) std::atomic<Index> arrived_{0};
  alignas(64) std::atomic<std::uint64_t> round_{0};
};

}  // namespace

const std::vector<double>& FinishTimes::middle() const {
  std::vector<const std::vector<double>*> sorted;
  for (const auto& round : rounds) sorted.push_back(&round);
  const auto half = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), half, sorted.end(), [](const auto* a, const auto* b) {
    return *std::max_element(a->begin(), a->end()) < *std::max_element(b->begin(), b->end());
  });
  return **half;
}

FinishTimes run_on_threads(const Schedule& schedule, const std::vector<Processor>& processors, int rounds) {
  return Threads(schedule, processors, rounds).run();
}

}  // namespace tandem
