// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::cli {

void Table::print(std::FILE* file, std::size_t most) const {
  const std::size_t shown = std::min(most, rows_.size());
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width(column.title));
  for (std::size_t r = 0; r < shown; ++r)
    for (std::size_t c = 0; c < columns_.size(); ++c) widths[c] = std::max(widths[c], width(rows_[r][c]));

  const auto print_row = [&](const auto& text_of) {
    std::string line;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string& text = text_of(c);
      const std::string blanks(widths[c] - width(text), ' ');
      line += "  " + (columns_[c].align == Align::left ? text + blanks : blanks + text);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    fmt::print(file, "{}\n", line);
  };
  print_row([&](std::size_t c) -> const std::string& { return columns_[c].title; });
  for (std::size_t r = 0; r < shown; ++r) print_row([&](std::size_t c) -> const std::string& { return rows_[r][c]; });
  if (shown < rows_.size()) fmt::print(file, "  ... and {} more (--all shows them)\n", rows_.size() - shown);
}

std::string brief(double x) { return x == 0 ? "0" : fmt::format("{:.6g}", x); }

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace tandem::cli
