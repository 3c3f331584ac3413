// SPDX-License-Identifier: Apache-2.0
/// Results as they come: a JSON object a line, in a file that is whole after every line.
#pragma once
#include <string>
#include <string_view>

namespace tandem::gpu_check {

/// One JSON object.
class Row {
 public:
  Row& add(const char* name, std::string_view value);
  Row& add(const char* name, const char* value) { return add(name, std::string_view(value)); }
  Row& add(const char* name, double value);  ///< null if it is no number
  Row& add(const char* name, bool value);
  /// Left out if it is 0: not measured.
  Row& add_measured(const char* name, double value) { return value > 0 ? add(name, value) : *this; }
  std::string text() const { return "{" + text_ + "}"; }

 private:
  Row& raw(const char* name, const std::string& value);
  std::string text_;
};

/// Opens the file, empty. Throws Error if that fails.
void open_results(const std::string& name);
/// Appends a row, with its kind first. Processes that were forked may write to the same file.
void write_row(const char* kind, const Row& row);

}  // namespace tandem::gpu_check
