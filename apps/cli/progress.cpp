// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli.hpp"
#include "terminal.hpp"

namespace tandem::cli {

std::string grouped(double count) {
  std::string digits = fmt::format("{:.0f}", count);
  for (std::size_t k = digits.size(); k > 3; k -= 3) digits.insert(k - 3, 1, ' ');
  return digits;
}

std::string clock_text(double seconds) {
  if (!(seconds < 360'000)) return "long";
  const auto s = static_cast<long>(std::lround(seconds));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

Progress::Progress(std::int64_t total, Describe describe)
    : total_(total),
      describe_(std::move(describe)),
      on_terminal_(total > 0 && errors_go_to_a_terminal()),
      start_(Clock::now()),
      last_look_(start_),
      last_draw_(start_) {}

/// The clock is asked every few milliseconds, the bar drawn ten times a second.
void Progress::look() {
  const auto now = Clock::now();
  const double since_look = std::chrono::duration<double>(now - last_look_).count();
  if (since_look < 2e-3) stride_ *= 2;
  if (since_look > 2e-2) stride_ = std::max<std::int64_t>(1, stride_ / 2);
  next_look_ = done_ + stride_;
  last_look_ = now;
  if (std::chrono::duration<double>(now - last_draw_).count() < 0.1) return;
  last_draw_ = now;
  draw();
}

void Progress::draw() {
  drawn_ = true;
  const double part = std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string left = done_ < total_ ? clock_text(seconds * (1 - part) / part) + " left" : "";
  const std::string text = fmt::format(" {:3.0f} %  {}  {}", 100 * part, describe_(done_, seconds), left);
  const std::size_t columns = terminal_width();
  std::string line;
  if (columns > text.size() + 14) {
    const std::size_t room = std::min<std::size_t>(40, columns - text.size() - 3);
    const auto filled = static_cast<std::size_t>(part * static_cast<double>(room));
    line = fmt::format("[{:#<{}}{:.<{}}]", "", filled, "", room - filled);
  }
  tell(fmt::format("\r{}{}\033[K", line, text.substr(0, columns > 1 ? columns - 1 : 1)));
  std::fflush(stderr);
}

void Progress::finish() {
  if (!drawn_ || !on_terminal_) return;
  draw();
  tell("\n");
  on_terminal_ = false;
}

}  // namespace tandem::cli
