// SPDX-License-Identifier: Apache-2.0
/// How processors in a row talk: with their two neighbours only. Written once, for threads and for processes.
#pragma once
#include <algorithm>
#include <array>

#include "tandem/index.hpp"

namespace tandem::macroparallel {

/// Where a neighbour is.
enum class Side : unsigned char { base, tip };
constexpr Side opposite(Side side) { return side == Side::base ? Side::tip : Side::base; }

/// Numbers of the longest message: what two bodies tell each other of the joint between them.
inline constexpr int longest_message = 6 + 6 * 6;

/// A processor's place, and its links to its neighbours. A message is received by one who knows its length. Sending may
/// wait until the neighbour receives.
class Row {
 public:
  virtual ~Row() = default;
  virtual int place() const = 0;
  virtual int size() const = 0;
  virtual void send(Side to, const double* numbers, int n) = 0;
  virtual void receive(Side from, double* numbers, int n) = 0;

  bool has(Side side) const { return side == Side::base ? place() > 0 : place() + 1 < size(); }
};

/// Those of a row that still take part, and how they talk.
struct Talk {
  Row& row;
  int first = 0, last = row.size() - 1;  ///< that take part in the iteration, as far as is known here
  Index messages = 0;

  explicit Talk(Row& in) : row(in) {}

  int place() const { return row.place(); }
  bool takes_part(Side side) const { return side == Side::base ? place() > first : place() < last; }

  void send(Side to, const double* numbers, int n) {
    row.send(to, numbers, n);
    ++messages;
  }

  /// What every processor has for one of its neighbours goes there. Even ones send first, so that none waits for one
  /// that waits for it.
  void shift(Side to, const double* out, double* in, int n) {
    const auto give = [&] {
      if (row.has(to)) send(to, out, n);
    };
    const auto take = [&] {
      if (row.has(opposite(to))) row.receive(opposite(to), in, n);
    };
    if (place() % 2 == 0) {
      give();
      take();
    } else {
      take();
      give();
    }
  }

  /// Both ways, [Pond] p. 76: even ones send to the tip, to the base, and receive; odd ones receive what is sent first,
  /// and then send. From neighbours that take part no more, nothing comes.
  void exchange(const double* to_base, const double* to_tip, double* from_base, double* from_tip, int n) {
    const bool base = takes_part(Side::base), tip = takes_part(Side::tip);
    if (place() % 2 == 0) {
      if (tip) send(Side::tip, to_tip, n);
      if (base) send(Side::base, to_base, n);
      if (tip) row.receive(Side::tip, from_tip, n);
      if (base) row.receive(Side::base, from_base, n);
    } else {
      if (base) row.receive(Side::base, from_base, n);
      if (tip) row.receive(Side::tip, from_tip, n);
      if (base) send(Side::base, to_base, n);
      if (tip) send(Side::tip, to_tip, n);
    }
  }

  /// The one that sums: in the middle of those that take part.
  int middle() const { return (first + last) / 2; }

  /// Sums from both ends to the middle and back, [Pond] p. 78.
  template <int k>
  void sum(std::array<double, k>& numbers) {
    std::array<double, k> other;
    const auto add = [&](Side from) {
      row.receive(from, other.data(), k);
      for (int j = 0; j < k; ++j) numbers[j] += other[j];
    };
    const int m = middle();
    const Side inward = place() < m ? Side::tip : Side::base, outward = opposite(inward);
    if (place() == m) {
      if (takes_part(Side::base)) add(Side::base);
      if (takes_part(Side::tip)) add(Side::tip);
      if (takes_part(Side::base)) send(Side::base, numbers.data(), k);
      if (takes_part(Side::tip)) send(Side::tip, numbers.data(), k);
      return;
    }
    if (takes_part(outward)) add(outward);
    send(inward, numbers.data(), k);
    row.receive(inward, numbers.data(), k);
    if (takes_part(outward)) send(outward, numbers.data(), k);
  }
};

/// The sums of a row whose processors stop when they have converged, each as soon as all between it and the nearer end
/// have: [Pond] p. 77 - 79. Behind the sums goes the number of the last processor that has stopped, in front of the
/// base and behind the tip at first. One whose neighbour has stopped goes on with what that one sent last.
template <int k>
class FreezingSums {
 public:
  static constexpr int kinds = 2;  ///< sums of a step, each of which has its own last message

  /// `keeps`: what one that has stopped said last; else it adds nothing.
  FreezingSums(Talk& talk, bool keeps) : talk_(talk), keeps_(keeps), first_(talk.first), last_(talk.last) {}

  /// False if this processor, having converged, takes part no more: the sum is then not what it gets.
  bool sum(int kind, std::array<double, k>& numbers, bool converged) {
    using Message = std::array<double, k + 2>;
    const int here = talk_.place(), m = (first_ + last_) / 2;
    Message message;
    // adds what comes from a side; gives the last one there that has stopped
    const auto add = [&](Side from) {
      std::array<double, k>& kept = kept_[kind][static_cast<int>(from)];
      int stopped = from == Side::base ? here - 1 : here + 1;
      if (talk_.takes_part(from)) {
        talk_.row.receive(from, message.data(), k + 1);
        std::copy_n(message.begin(), k, kept.begin());
        stopped = static_cast<int>(message[k]);
        if (from == Side::base)
          talk_.first = stopped + 1;
        else
          talk_.last = stopped - 1;
      } else if (!keeps_)
        kept = {};
      for (int j = 0; j < k; ++j) numbers[j] += kept[j];
      return stopped;
    };
    const auto tell = [&](Side to, int n) {
      if (talk_.takes_part(to)) talk_.send(to, message.data(), n);
    };
    const auto write = [&](int low, int high) {
      std::copy(numbers.begin(), numbers.end(), message.begin());
      message[k] = low;
      message[k + 1] = high;
    };
    if (here == m) {
      const int low = add(Side::base), high = add(Side::tip);
      write(low, high);
      tell(Side::base, k + 2);
      tell(Side::tip, k + 2);
      first_ = low + 1;
      last_ = high - 1;
      return !(converged && first_ == here && last_ == here);
    }
    const Side inward = here < m ? Side::tip : Side::base, outward = opposite(inward);
    int stopped = add(outward);
    // a neighbour that it has just turned to has to have heard all kinds of sums once
    bool* const told = told_[static_cast<int>(inward)];
    told[kind] = true;
    const bool stops = converged && !talk_.takes_part(outward) && told[0] && told[1];
    if (stops) stopped = here;
    write(stopped, stopped);
    talk_.send(inward, message.data(), k + 1);
    if (stops) return false;
    talk_.row.receive(inward, message.data(), k + 2);
    tell(outward, k + 2);
    std::copy_n(message.begin(), k, numbers.begin());
    first_ = static_cast<int>(message[k]) + 1;
    last_ = static_cast<int>(message[k + 1]) - 1;
    return true;
  }

 private:
  Talk& talk_;
  bool keeps_;
  int first_,
      last_;  ///< that take part, as the middle told all of them; a neighbour that has stopped since is the talk's
  std::array<double, k> kept_[kinds][2] = {};
  bool told_[2][kinds] = {};
};

}  // namespace tandem::macroparallel
