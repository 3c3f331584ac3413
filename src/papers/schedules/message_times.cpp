// SPDX-License-Identifier: Apache-2.0
#include "papers/schedules/message_times.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#ifndef _WIN32
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#ifdef __linux__
#include <sched.h>
#endif

#include "papers/schedules/mailbox.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// How messages are tried: sizes as tasks have them, many in a row, again and again.
struct Trial {
  static constexpr Index sizes[] = {1, 3, 9, 16, 32};
  static constexpr int row = 16;        // messages that are sent before any is received
  static constexpr int attempts = 100;  // of which the fastest tenth counts
  static constexpr int turns = 20;      // there and back
  static constexpr int back = row;      // the box that the second end answers in
  static constexpr int boxes = row + 1;
  static constexpr Index most = 32;
};

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

/// The time that a tenth of the attempts fall short of: not the luckiest one, nor one that was interrupted.
double tenth(std::vector<double> times) {
  const auto place = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 10);
  std::nth_element(times.begin(), place, times.end());
  return *place;
}

/// Two cores, one for each end: threads that take turns on one would be measured as slow messages. Where there are none
/// to choose, the system decides.
class TwoCores {
 public:
#ifdef __linux__
  TwoCores() {
    CPU_ZERO(&before_);
    known_ = sched_getaffinity(0, sizeof before_, &before_) == 0 && CPU_COUNT(&before_) > 1;
  }
  ~TwoCores() {
    if (known_) sched_setaffinity(0, sizeof before_, &before_);
  }
  /// The calling thread, or process, stays on the first or the second one.
  void take(int which) const {
    if (!known_) return;
    std::size_t core = 0;
    for (int left = which; !CPU_ISSET(core, &before_) || left-- > 0;) ++core;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
  }

 private:
  cpu_set_t before_;
  bool known_;
#else
  void take(int) const {}
#endif
};

/// Mailboxes that both ends have, each of them with a count of its own of the rounds.
class Shared final : public Ends {
 public:
  static std::size_t bytes() { return Trial::boxes * Mailbox::size(Trial::most); }
  explicit Shared(std::byte* memory) {
    for (std::size_t k = 0; k < Trial::boxes; ++k)
      boxes_.emplace_back(memory + k * Mailbox::size(Trial::most), Trial::most);
    rounds_.resize(Trial::boxes);
  }
  void send(int box, const double* numbers, Index size) override { at(box).send(numbers, ++round(box), size); }
  void receive(int box, double* numbers, Index size) override { at(box).receive(numbers, ++round(box), size); }

 private:
  Mailbox& at(int box) { return boxes_[static_cast<std::size_t>(box)]; }
  std::uint64_t& round(int box) { return rounds_[static_cast<std::size_t>(box)]; }
  std::vector<Mailbox> boxes_;
  std::vector<std::uint64_t> rounds_;
};

}  // namespace

LineTime fitted_line(const TimedSizes& points) {
  double n = 0, x_sum = 0, y_sum = 0, xx = 0, xy = 0;
  for (const auto& [x, y] : points) n += 1, x_sum += x, y_sum += y, xx += x * x, xy += x * y;
  const double each = std::max(0.0, (n * xy - x_sum * y_sum) / (n * xx - x_sum * x_sum));
  return {std::max(0.0, (y_sum - each * x_sum) / n), each};
}

MessageTimes message_times_of(const TimedSizes& send, const TimedSizes& receive, TimedSizes whole) {
  MessageTimes times = {fitted_line(send), {}, fitted_line(receive)};
  for (auto& [x, us] : whole) us = std::max(0.0, us - times.send.of(x) - times.receive.of(x));
  times.travel = fitted_line(whole);
  return times;
}

MessageTimes play_first(Ends& ends) {
  using Clock = std::chrono::steady_clock;
  double numbers[Trial::most] = {};
  TimedSizes send, receive, whole;
  for (const Index size : Trial::sizes) {
    std::vector<double> sends, receives, wholes;
    for (int attempt = 0; attempt < Trial::attempts; ++attempt) {
      auto begin = Clock::now();
      for (int k = 0; k < Trial::row; ++k) ends.send(k, numbers, size);
      sends.push_back(since(begin) / Trial::row);
      ends.receive(Trial::back, numbers, 1);  // when all have come, how long it took to take them
      receives.push_back(numbers[0] / Trial::row);
      begin = Clock::now();
      for (int turn = 0; turn < Trial::turns; ++turn) {
        ends.send(0, numbers, size);
        ends.receive(Trial::back, numbers, size);
      }
      wholes.push_back(since(begin) / (2 * Trial::turns));
    }
    const double x = static_cast<double>(size);
    send.emplace_back(x, tenth(sends));
    receive.emplace_back(x, tenth(receives));
    whole.emplace_back(x, tenth(wholes));
  }
  return message_times_of(send, receive, std::move(whole));
}

void play_second(Ends& ends) {
  double numbers[Trial::most] = {};
  for (const Index size : Trial::sizes)
    for (int attempt = 0; attempt < Trial::attempts; ++attempt) {
      ends.receive(Trial::row - 1, numbers, size);  // the last one to be sent: all are there
      const auto begin = std::chrono::steady_clock::now();
      for (int k = 0; k < Trial::row - 1; ++k) ends.receive(k, numbers, size);
      numbers[0] = since(begin) * Trial::row / (Trial::row - 1);
      ends.send(Trial::back, numbers, 1);
      for (int turn = 0; turn < Trial::turns; ++turn) {
        ends.receive(0, numbers, size);
        ends.send(Trial::back, numbers, size);
      }
    }
}

MessageTimes message_times_of_threads() {
  const LineMemory memory(Shared::bytes());
  Shared first(memory.at(0)), second = first;
  const TwoCores cores;
  std::thread other([&] {
    cores.take(1);
    play_second(second);
  });
  cores.take(0);
  const MessageTimes times = play_first(first);
  other.join();
  return times;
}

MessageTimes message_times_of_processes() {
#ifdef _WIN32
  throw Error("messages between processes are not measured on Windows");
#else
  void* const memory = mmap(nullptr, Shared::bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("cannot allocate shared memory for two processes");
  Shared ends(static_cast<std::byte*>(memory));
  const TwoCores cores;
  const pid_t child = fork();
  if (child == 0) {
    cores.take(1);
    play_second(ends);
    _exit(0);
  }
  MessageTimes times;
  if (child > 0) {
    cores.take(0);
    times = play_first(ends);
    waitpid(child, nullptr, 0);
  }
  munmap(memory, Shared::bytes());
  if (child < 0) throw Error("a second process cannot be started");
  return times;
#endif
}

}  // namespace tandem
