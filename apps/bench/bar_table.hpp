// SPDX-License-Identifier: Apache-2.0
/// What a suite is meant to reach beside what it reached, as a table in Markdown.
#pragma once
#include <cstdio>
#include <optional>

#include "own_rows.hpp"

namespace tandem::bench {

/// A measured figure, and what it is made of.
struct Figure {
  double value = 0;
  std::string from = {};
  double undisturbed = 0;  ///< by the fastest repetitions rather than the medians; 0 where that is not known
};
using MaybeFigure = std::optional<Figure>;

/// Robots that others publish figures of.
inline constexpr const char* published_arm = "iiwa14";
inline constexpr const char* published_humanoid = "g1_29dof_rev_1_0";

class BarTable {
 public:
  /// Keys that name no batch are of rows with this one.
  BarTable(const Lines& lines, std::FILE* file, std::int64_t batch) : lines_(lines), file_(file), batch_(batch) {}

  /// Our row, one thread unless the key says otherwise.
  Key ours(const char* algorithm, const std::string& robot, const char* precision, Key key = {}) const;
  /// The fastest of a rival's rows.
  Key rival(const char* algorithm, const std::string& robot, const char* library) const;

  /// The line with the best median, or another time; null if there is none.
  const Line* line(const Key& key, const char* by = "median") const { return fastest(lines_, key, by); }

  /// How many times as many states a second as a rival.
  MaybeFigure times_as_fast(const Key& us, const Key& them) const;

  enum class Better { larger, smaller };
  void add(const std::string& what, double bar, Better better, const char* unit, const MaybeFigure& measured);
  void finish() const;
  const Lines& lines() const { return lines_; }

  /// The one that the library used by itself: that of the rows with other batches than the one compared.
  std::string default_instruction_set() const;

 private:
  const Lines& lines_;
  std::FILE* file_;
  std::int64_t batch_;
  int bars_ = 0, measured_ = 0, reached_ = 0;
};

/// Says so if other work took the cores away meanwhile.
void print_disturbance(const Lines& lines, std::FILE* file);

}  // namespace tandem::bench
