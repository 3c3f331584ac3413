// SPDX-License-Identifier: Apache-2.0
/// Comma-separated values: the lines of a file as names and numbers, and names and numbers as lines.
#pragma once
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cli {

/// Reads a file line by line in bounded memory. "-" is standard input. Takes Unix and Windows line ends, a byte order
/// mark, fields in double quotes, blanks around fields, empty lines at the end. Errors name file, line and column.
class CsvReader {
 public:
  explicit CsvReader(const std::string& path);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  /// Names of the columns, from the first line; a "#" before them is passed over.
  const std::vector<std::string>& header() const { return header_; }
  /// The numbers of the next line, one per column. False at the end.
  bool next(std::span<double> numbers);
  /// Bytes of the file and how many of them have been read; 0 bytes if that is not known before the end.
  std::int64_t size() const;
  std::int64_t position() const { return read_; }
  /// "file:line", of the line read last.
  std::string where() const;

 private:
  bool read_line(std::string_view& line);
  bool fill();
  void split_header(std::string_view line);
  bool skip_empty_lines(std::string_view& line);
  double number(std::string_view field, std::size_t column) const;

  std::string name_;
  std::FILE* file_ = nullptr;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  bool at_end_ = false;
  long long line_ = 0;
  std::int64_t read_ = 0;
  std::vector<std::string> header_;
};

/// A name as a field: in double quotes if it has a comma, a quote or a line end.
std::string csv_field(std::string_view name);

/// Names of the columns as a line.
std::string csv_header(const std::vector<std::string>& names);

}  // namespace tandem::cli
