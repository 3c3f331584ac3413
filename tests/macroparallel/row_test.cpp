// SPDX-License-Identifier: Apache-2.0
/// How processors in a row talk, over links without buffers, as transputers have them: who sends waits until it is
/// received.
#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "backends/macroparallel/row.hpp"

namespace tandem::macroparallel {
namespace {

/// One way between two neighbours.
class Link {
 public:
  void send(const double* numbers, int n) {
    std::unique_lock lock(mutex_);
    message_.assign(numbers, numbers + n);
    is_there_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !is_there_; });
  }
  void receive(double* numbers, int n) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_there_; });
    EXPECT_EQ(message_.size(), static_cast<std::size_t>(n));
    std::copy(message_.begin(), message_.end(), numbers);
    is_there_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<double> message_;
  bool is_there_ = false;
};

class LinkedRow final : public Row {
 public:
  LinkedRow(int here, std::vector<Link>& outward, std::vector<Link>& inward)
      : place_(here), outward_(outward), inward_(inward) {}
  int place() const override { return place_; }
  int size() const override { return static_cast<int>(outward_.size()); }
  void send(Side to, const double* numbers, int n) override {
    (to == Side::tip ? outward_[at(0)] : inward_[at(-1)]).send(numbers, n);
  }
  void receive(Side from, double* numbers, int n) override {
    (from == Side::tip ? inward_[at(0)] : outward_[at(-1)]).receive(numbers, n);
  }

 private:
  std::size_t at(int off) const { return static_cast<std::size_t>(place_ + off); }
  int place_;
  std::vector<Link>&outward_, &inward_;
};

/// Calls f(talk) on every processor of a row.
template <class F>
void on_row(int n, F&& f) {
  std::vector<Link> outward(static_cast<std::size_t>(n)), inward(outward.size());
  std::vector<std::thread> threads;
  for (int k = 0; k < n; ++k)
    threads.emplace_back([&, k] {
      LinkedRow row(k, outward, inward);
      Talk talk(row);
      f(talk);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Row, ExchangesWithoutBuffers) {
  for (int n = 1; n <= 7; ++n)
    on_row(n, [&](Talk& talk) {
      const double here = talk.place();
      double base = -1, tip = -1;
      talk.exchange(&here, &here, &base, &tip, 1);
      EXPECT_EQ(base, here - 1);
      EXPECT_EQ(tip, talk.place() + 1 < n ? here + 1 : -1);
      EXPECT_EQ(talk.messages, (talk.place() > 0) + (talk.place() + 1 < n));
    });
}

TEST(Row, ShiftsEitherWay) {
  for (int n = 1; n <= 7; ++n)
    on_row(n, [&](Talk& talk) {
      const double here = talk.place();
      double inward = -1, outward = -1;
      talk.shift(Side::base, &here, &inward, 1);
      talk.shift(Side::tip, &here, &outward, 1);
      EXPECT_EQ(inward, talk.place() + 1 < n ? here + 1 : -1);
      EXPECT_EQ(outward, here - 1);
    });
}

TEST(Row, SumsFromBothEnds) {
  for (int n = 1; n <= 7; ++n)
    on_row(n, [&](Talk& talk) {
      std::array<double, 2> numbers = {1, static_cast<double>(talk.place())};
      talk.sum<2>(numbers);
      EXPECT_EQ(numbers[0], n);
      EXPECT_EQ(numbers[1], n * (n - 1) / 2);
    });
}

/// One after the other, from the base: all that are there sum up what is said, and what those have said last who are
/// not.
TEST(Row, FreezesFromTheEnds) {
  for (const bool keeps : {true, false})
    for (int n = 1; n <= 7; ++n) {
      std::vector<int> rounds(static_cast<std::size_t>(n));
      on_row(n, [&](Talk& talk) {
        FreezingSums<1> sums(talk, keeps);
        const int here = talk.place();
        for (int round = 0;; ++round) {
          const bool converged = round >= here + 2;  // each sum has been formed once
          std::array<double, 1> number = {!keeps && converged ? 0.0 : 1.0};
          if (!sums.sum(round % 2, number, converged)) {
            rounds[static_cast<std::size_t>(here)] = round;
            return;
          }
          EXPECT_EQ(number[0], keeps ? n : n - std::max(0, round - 1));
        }
      });
      const int last = *std::max_element(rounds.begin(), rounds.end());
      EXPECT_TRUE(last == n + 1 || last == n + 2) << "the last one waits for those who turn to it";
      if (n > 3) {
        EXPECT_EQ(rounds[0], 2) << "the first one waits for nobody";
      }
    }
}

}  // namespace
}  // namespace tandem::macroparallel
