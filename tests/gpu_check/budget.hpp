// SPDX-License-Identifier: Apache-2.0
/// Time for measurements: comparisons are always made, rows of rates as long as there is time.
#pragma once
#include <string>
#include <vector>

namespace tandem::gpu_check {

class Budget {
 public:
  /// Of the program; it has begun.
  static Budget& get();

  /// So many seconds from the beginning on for everything; without it there is no end.
  void limit(double seconds) { limit_ = seconds; }
  /// What comes now, with that share of the time that is left.
  void begin(const std::string& section, double share);
  /// Whether there is time for a row; if not, it is noted.
  bool allows(const std::string& row);

  struct Section {
    std::string name;
    double seconds = 0;
  };
  /// How long each took.
  std::vector<Section> sections() const;
  /// Rows that were not measured, by section.
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  struct Begun {
    std::string name;
    double at;
  };
  std::vector<Begun> begun_;
  std::vector<std::string> left_out_;
  double limit_ = 0, end_ = 0;
};

}  // namespace tandem::gpu_check
