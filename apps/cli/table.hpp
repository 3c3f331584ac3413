// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <string>
#include <vector>

namespace tandem::cli {

/// Text in aligned columns.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// The first `most` rows and how many are left out, each line behind two blanks.
  void print(std::FILE* file, std::size_t most) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// Shortest text of a number that is easy on the eye: "0.25", "1e-08", "inf".
std::string brief(double x);

/// Characters, not bytes, of UTF-8 text.
std::size_t width(const std::string& text);

}  // namespace tandem::cli
