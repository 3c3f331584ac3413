// SPDX-License-Identifier: Apache-2.0
/// Pictures and films of a simulation. The frames are kept here; the Python package tandem draws them.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "cli.hpp"
#include "program.hpp"

namespace tandem::cli {

/// What the options say of a film.
struct FilmOptions {
  std::string path, size, view;  ///< empty: the renderer's choice
  double fps = 25;
  double duration = 0;  ///< s of film; 0: as long as the motion, within 4 to 30 s

  void add_to(Command& command);
  bool wanted() const { return !path.empty(); }
  /// Throws Error for bad options, and if this machine cannot draw such a file.
  void check() const;
};

/// The frames of a run, a state each, evenly spaced in time.
class Film {
 public:
  /// `steps` of the run, `time` of the motion, s.
  Film(const FilmOptions& options, const RobotOptions& robot, std::int64_t steps, double time);

  /// The step whose state is the next frame, or the number of steps + 1 if there is no further one.
  std::int64_t next_step() const;
  /// Energies: kinetic, potential, dissipated, work.
  template <class T>
  void add(double t, std::span<const double, 4> energies, std::span<const T> q);
  /// Draws what was added. Throws RunError if that fails.
  void draw() const;

 private:
  FilmOptions options_;
  RobotOptions robot_;
  std::int64_t steps_, frames_, added_ = 0;
  TemporaryFile file_;
};

}  // namespace tandem::cli
