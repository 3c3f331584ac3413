// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace tandem::cli {

/// "1 234 567" for people.
std::string grouped(double count);

/// "0:07", "12:34:56".
std::string clock_text(double seconds);

/// A bar with rate and time left on standard error, if that is a terminal and the run takes longer than a moment;
/// nothing otherwise.
class Progress {
 public:
  /// `describe`: says in words how far the run has come, from what update() was told and the seconds so far. Without a
  /// total above 0 there is no bar.
  using Describe = std::function<std::string(std::int64_t done, double seconds)>;
  Progress(std::int64_t total, Describe describe);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Draws a few times a second, however often it is called.
  void update(std::int64_t done) {
    done_ = done;
    if (on_terminal_ && done >= next_look_) look();
  }
  /// Leaves the bar as it stands and goes to a new line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  void draw();

  std::int64_t total_;
  Describe describe_;
  bool on_terminal_, drawn_ = false;
  std::int64_t done_ = 0, next_look_ = 0, stride_ = 1;
  Clock::time_point start_, last_look_, last_draw_;
};

}  // namespace tandem::cli
