// SPDX-License-Identifier: Apache-2.0
/// What messages take here.
#pragma once
#include <utility>
#include <vector>

#include "tandem/api/machine_model.hpp"

namespace tandem {

/// The parts of a message, as a machine has them.
struct MessageTimes {
  LineTime send, travel, receive;
};

/// Us that messages of so many numbers took: (x, us).
using TimedSizes = std::vector<std::pair<double, double>>;

/// The lines of what keeps the sender, and the receiver of messages that are there; of messages from end to end, the
/// rest travels.
MessageTimes message_times_of(const TimedSizes& send, const TimedSizes& receive, TimedSizes whole);

/// Two ends that can talk. Both run the same text, each its own part; `first` tells which.
struct Ends {
  virtual ~Ends() = default;
  virtual void send(int box, const double* numbers, Index size) = 0;
  virtual void receive(int box, double* numbers, Index size) = 0;
};

/// What one end finds out with the help of the other, which plays `second`. Times us; the fewest of several attempts.
MessageTimes play_first(Ends& ends);
void play_second(Ends& ends);

/// Between two threads, or two processes that have memory in common. Throws Error if there is none.
MessageTimes message_times_of_threads();
MessageTimes message_times_of_processes();

/// The line through points that is off by least, none of its numbers negative.
LineTime fitted_line(const TimedSizes& points);

}  // namespace tandem
