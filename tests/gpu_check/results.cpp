// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "tandem/error.hpp"

namespace tandem::gpu_check {
namespace {

int file = -1;

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  return result + '"';
}

}  // namespace

Row& Row::raw(const char* name, const std::string& value) {
  text_ += (text_.empty() ? "" : ", ") + quoted(name) + ": " + value;
  return *this;
}
Row& Row::add(const char* name, std::string_view value) { return raw(name, quoted(value)); }
Row& Row::add(const char* name, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return raw(name, value - value == 0 ? text : "null");
}
Row& Row::add(const char* name, bool value) { return raw(name, value ? "true" : "false"); }

void open_results(const std::string& name) {
  file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) throw Error("cannot write " + name);
}

void write_row(const char* kind, const Row& row) {
  std::string line = row.text();
  line = "{\"kind\": " + quoted(kind) + (line == "{}" ? "" : ", ") + line.substr(1) + "\n";
  // at once: rows of other processes come before it or after it
  if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw Error("cannot write the results");
}

}  // namespace tandem::gpu_check
