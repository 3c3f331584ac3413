// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace tandem::cli {

/// "1 234 567" for people.
std::string grouped(double count);

/// "0:07", "12:34:56".
std::string clock_text(double seconds);

/// A bar with rate and time left on standard error, if that is a terminal; nothing otherwise.
class Progress {
 public:
  /// `seconds_per_step`: of simulated time.
  Progress(std::int64_t steps, double seconds_per_step);
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws a few times a second, however often it is called.
  void update(std::int64_t done) {
    if (on_terminal_ && done >= next_look_) look(done);
  }
  /// Takes the bar away.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void look(std::int64_t done);
  void draw(std::int64_t done, double elapsed);

  std::int64_t steps_;
  double seconds_per_step_;
  bool on_terminal_, drawn_ = false;
  std::int64_t next_look_ = 0, stride_ = 1;
  Clock::time_point start_, last_look_, last_draw_;
};

}  // namespace tandem::cli
