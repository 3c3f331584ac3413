// SPDX-License-Identifier: Apache-2.0
#include "film.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace tandem::cli {
namespace {

constexpr double shortest = 4, longest = 30;     // s of film, unless told otherwise
constexpr std::int64_t frames_of_picture = 400;  // of which a few are drawn, all shape its curves
constexpr std::int64_t most_frames = 1'000'000;

bool is_film(const std::string& path) { return path.ends_with(".mp4") || path.ends_with(".gif"); }

}  // namespace

void FilmOptions::add_to(Command& command) {
  command.option("--render", path, "picture (.png, .pdf, .svg) or video (.mp4, .gif) to write", {.type = "FILE"});
  command.option("--fps", fps, "frames per second of a video", {.type = "N", .shows_default = true});
  command.option("--duration", duration, "duration of a video, s (that of the motion, within 4 and 30)", {.type = "T"});
  command.option("--size", size, "size of the picture or video in pixels (1280x720)", {.type = "WxH"});
  command.option("--view", view, "projection: xy, xz, yz or 3d (a plane if the motion is nearly planar, else 3d)",
                 {.type = "NAME"});
}

void FilmOptions::check() const {
  if (!wanted()) {
    if (duration != 0 || !size.empty() || !view.empty() || fps != FilmOptions().fps)
      throw Error("--fps, --duration, --size and --view need --render FILE");
    return;
  }
  if (!(std::isfinite(fps) && fps > 0 && fps <= 1000)) throw Error("--fps: expected a positive number up to 1000");
  if (!(std::isfinite(duration) && duration >= 0 && duration * fps <= static_cast<double>(most_frames)))
    throw Error("--duration: expected a non-negative number and at most a million frames");
  std::vector<std::string> words = {python_interpreter(), "-m", "tandem.render", "--check", path};
  if (!size.empty()) words.insert(words.end(), {"--size", size});
  if (!view.empty()) words.insert(words.end(), {"--view", view});
  check_python_package(words, "--render", "films are drawn", "film");
}

Film::Film(const FilmOptions& options, const RobotOptions& robot, std::int64_t steps, double time)
    : options_(options), robot_(robot), steps_(steps), file_(temporary_file()) {
  if (options_.duration == 0) options_.duration = std::clamp(time, shortest, longest);
  frames_ = is_film(options_.path) ? std::llround(options_.duration * options_.fps) + 1 : frames_of_picture;
  frames_ = std::clamp<std::int64_t>(frames_, 1, steps_ + 1);
}

std::int64_t Film::next_step() const {
  if (added_ >= frames_) return steps_ + 1;
  if (frames_ == 1) return 0;
  return std::llround(static_cast<double>(added_) * static_cast<double>(steps_) / static_cast<double>(frames_ - 1));
}

template <class T>
void Film::add(double t, std::span<const double, 4> energies, std::span<const T> q) {
  std::vector<double> row = {t};
  row.insert(row.end(), energies.begin(), energies.end());
  row.insert(row.end(), q.begin(), q.end());
  if (std::fwrite(row.data(), sizeof(double), row.size(), file_.get()) != row.size())
    throw RunError(fmt::format("cannot write the frames of the video: {}", std::strerror(errno)));
  ++added_;
}

template void Film::add(double, std::span<const double, 4>, std::span<const double>);
template void Film::add(double, std::span<const double, 4>, std::span<const float>);

void Film::draw() const {
  std::vector<std::string> words = {python_interpreter(), "-m", "tandem.render", options_.path, robot_.robot,
                                    "--states",           "-"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {fmt::format("{}={}", option, value)});
  };
  if (robot_.floating) words.emplace_back("--floating");
  add("--gravity", robot_.gravity);
  add("--seed", std::to_string(robot_.seed));
  add("--size", options_.size);
  add("--view", options_.view);
  add("--fps", fmt::format("{}", options_.fps));
  add("--duration", fmt::format("{}", options_.duration));
  if (std::fflush(file_.get()) != 0)
    throw RunError(fmt::format("cannot write the frames of the video: {}", std::strerror(errno)));
  const Ended ended = run_program(words, file_.get(), nullptr);
  if (!ended.found || ended.code != done)
    throw RunError(
        fmt::format("{} was not drawn: {} -m tandem.render ended with code {}", options_.path, words[0], ended.code));
}

}  // namespace tandem::cli
