// SPDX-License-Identifier: Apache-2.0
#include "files/csv.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli.hpp"
#include "terminal.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t longest_line = std::size_t{1} << 28;

std::string_view trimmed(std::string_view field) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!field.empty() && blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && blank(field.back())) field.remove_suffix(1);
  return field;
}

/// Calls f(field) for every field of a line. Commas inside double quotes do not separate.
template <class F>
void for_each_field(std::string_view line, F&& f) {
  for (;;) {
    bool quoted = false;
    std::size_t end = 0;
    for (; end < line.size() && (quoted || line[end] != ','); ++end)
      if (line[end] == '"') quoted = !quoted;
    f(trimmed(line.substr(0, end)));
    if (end == line.size()) return;
    line.remove_prefix(end + 1);
  }
}

/// The text of a field without its quotes; doubled quotes inside stand for one.
std::string unquoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  std::string text;
  for (std::size_t k = 1; k + 1 < field.size(); ++k) {
    text += field[k];
    if (field[k] == '"' && field[k + 1] == '"') ++k;
  }
  return text;
}

}  // namespace

CsvReader::CsvReader(const std::string& path) : name_(path == "-" ? "<standard input>" : path), buffer_(1 << 16) {
  if (path == "-" && input_is_a_terminal()) throw Error("no input: give a file with --in, or use a pipe");
  file_ = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (!file_) throw Error(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  std::string_view line;
  if (!read_line(line)) throw Error(fmt::format("{}: the file is empty, expected a line with column names", name_));
  if (line.substr(0, 4) == "\x89HDF") throw Error(name_ + ": HDF5 cannot be read from a pipe; use --in");
  if (line.substr(0, 6) == "\x93NUMPY")
    throw Error(name_ + ": NumPy files are not supported; expected CSV or HDF5 (np.savetxt, h5py)");
  if (line.substr(0, 3) == "\xEF\xBB\xBF") line.remove_prefix(3);
  split_header(line);
}

CsvReader::~CsvReader() {
  if (file_ && file_ != stdin) std::fclose(file_);
}

void CsvReader::split_header(std::string_view line) {
  line = trimmed(line);
  if (!line.empty() && line.front() == '#') line = trimmed(line.substr(1));
  if (line.empty()) return;
  for_each_field(line, [&](std::string_view field) { header_.push_back(unquoted(field)); });
}

/// Reads more behind what is in the buffer.
bool CsvReader::fill() {
  if (at_end_) return false;
  if (begin_ > 0) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) {
    if (buffer_.size() >= longest_line)
      throw Error(fmt::format("{}:{}: the line is longer than {} characters", name_, line_ + 1, longest_line));
    buffer_.resize(2 * buffer_.size());
  }
  // what a pipe has by now, rather than waiting for a whole buffer
  ssize_t n = 0;
  do n = ::read(::fileno(file_), buffer_.data() + end_, buffer_.size() - end_);
  while (n < 0 && errno == EINTR);
  if (n < 0) throw Error(fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
  at_end_ = n == 0;
  read_ += n;
  end_ += static_cast<std::size_t>(n);
  return n > 0;
}

/// The next line without its end; it stays valid until the next call.
bool CsvReader::read_line(std::string_view& line) {
  std::size_t searched = begin_;
  const char* found = nullptr;
  for (;;) {
    found = static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (found) break;
    searched = end_ - begin_;
    if (!fill()) break;
  }
  if (!found && begin_ == end_) return false;
  const char* begin = buffer_.data() + begin_;
  const char* end = found ? found : buffer_.data() + end_;
  begin_ = found ? static_cast<std::size_t>(found - buffer_.data()) + 1 : end_;
  ++line_;
  line = {begin, static_cast<std::size_t>(end - begin)};
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return true;
}

/// Empty lines are allowed at the end only. A file without columns has nothing but empty lines, one per state.
bool CsvReader::skip_empty_lines(std::string_view& line) {
  if (header_.empty() || !trimmed(line).empty()) return true;
  const long long first = line_;
  while (read_line(line))
    if (!trimmed(line).empty())
      throw Error(fmt::format("{}:{}: the line is empty, expected {} fields", name_, first, header_.size()));
  return false;
}

bool CsvReader::next(std::span<double> numbers) {
  std::string_view line;
  if (!read_line(line) || !skip_empty_lines(line)) return false;
  if (header_.empty()) {
    if (trimmed(line).empty()) return true;
    throw Error(where() + ": expected an empty line, as the header names no column");
  }
  std::size_t column = 0;
  for_each_field(line, [&](std::string_view field) {
    if (column < numbers.size()) numbers[column] = number(field, column);
    ++column;
  });
  if (column != numbers.size())
    throw Error(fmt::format("{}: {} field{}, expected {} as in the first line", where(), column, column == 1 ? "" : "s",
                            numbers.size()));
  return true;
}

double CsvReader::number(std::string_view field, std::size_t column) const {
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
  double value = 0;
  if (!read_number(field, value))
    throw Error(
        fmt::format("{}: column {} is \"{}\", expected a number", where(), readable(header_[column]), readable(field)));
  return value;
}

std::int64_t CsvReader::size() const {
  struct ::stat status{};
  return ::fstat(::fileno(file_), &status) == 0 && S_ISREG(status.st_mode) ? status.st_size : 0;
}

std::string CsvReader::where() const { return fmt::format("{}:{}", name_, line_); }

std::string csv_field(std::string_view name) {
  if (name.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(name);
  std::string field = "\"";
  for (const char c : name) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + '"';
}

std::string csv_header(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) {
    if (!line.empty()) line += ',';
    line += csv_field(name);
  }
  return line + '\n';
}

}  // namespace tandem::cli
