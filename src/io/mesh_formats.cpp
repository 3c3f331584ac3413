// SPDX-License-Identifier: Apache-2.0
#include "mesh_formats.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/at.hpp"
#include "core/text.hpp"
#include "numbers.hpp"
#include "tandem/error.hpp"

namespace tandem::io {
namespace {

constexpr std::size_t stl_head = 84, stl_triangle = 50;  // bytes

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// The words of a text, a line at a time.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// Goes to the next line that has words; false at the end.
  bool next() {
    while (!rest_.empty()) {
      ++number_;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      word_ = word();
      if (!word_.empty()) return true;
    }
    return false;
  }
  std::string_view first() const { return word_; }
  /// The next word of the line; empty at its end.
  std::string_view word() {
    const auto begin = std::ranges::find_if_not(line_, is_blank);
    const auto end = std::find_if(begin, line_.end(), is_blank);
    const std::string_view found(begin, end);
    line_ = {end, line_.end()};
    return found;
  }
  std::array<double, 3> point() {
    std::array<double, 3> p{};
    for (double& x : p) {
      const std::string_view given = word();
      if (const auto complaint = read_reals(given, {&x, 1})) refuse(first(), ": ", *complaint);
      if (!std::isfinite(x)) refuse(first(), ": a coordinate is ", in_quotes(given), ", expected a finite number");
    }
    return p;
  }
  template <class... Part>
  [[noreturn]] void refuse(const Part&... parts) const {
    throw Error(sentence("line ", number_, ": ", parts...));
  }

 private:
  std::string_view rest_, line_, word_;
  std::size_t number_ = 0;
};

template <class T>
T little_endian(const char* bytes) {
  std::array<char, sizeof(T)> own{};
  std::memcpy(own.data(), bytes, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) std::ranges::reverse(own);
  return std::bit_cast<T>(own);
}

Vertices read_binary_stl(std::string_view content, std::size_t triangles) {
  Vertices all;
  all.reserve(3 * triangles);
  for (std::size_t t = 0; t < triangles; ++t) {
    const char* corner = content.data() + stl_head + t * stl_triangle + 12;  // after the normal
    for (int k = 0; k < 3; ++k, corner += 12) {
      const std::array<double, 3> p{little_endian<float>(corner), little_endian<float>(corner + 4),
                                    little_endian<float>(corner + 8)};
      if (!std::ranges::all_of(p, [](double x) { return std::isfinite(x); }))
        throw Error(sentence("triangle ", t + 1, " has a coordinate that is not finite"));
      all.push_back(p);
    }
  }
  return all;
}

/// Its solids one after the other. Names of solids may be any text.
Vertices read_text_stl(std::string_view content) {
  Vertices all;
  Lines lines(content);
  bool open = false;
  while (lines.next()) {
    const std::string_view first = lines.first();
    if (first == "vertex") {
      all.push_back(lines.point());
    } else if (first == "endloop") {
      if (all.size() % 3 != 0) lines.refuse("a loop ends that has not three vertices");
    } else if (first == "solid" || first == "endsolid") {
      open = first == "solid";
    } else if (first != "facet" && first != "outer" && first != "endfacet" && first != "color") {
      lines.refuse(in_quotes(first), " is no word of STL, expected facet, vertex or endsolid");
    }
  }
  if (open || all.size() % 3 != 0) throw Error("the file ends before endsolid");
  return all;
}

/// Index of a vertex, "7", "7/1" or "-1/2/3", from 0 on.
std::size_t obj_index(const Lines& lines, std::string_view word, std::size_t n) {
  const std::string_view digits = word.substr(0, word.find('/'));
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size())
    lines.refuse(in_quotes(word), " is no index of a vertex");
  const auto count = static_cast<std::int64_t>(n);
  if (index == 0 || index > count || index < -count)
    lines.refuse("vertex ", index, " is used, and there are ", n, " so far");
  return static_cast<std::size_t>(index > 0 ? index - 1 : count + index);
}

}  // namespace

Vertices read_stl(std::string_view content) {
  const std::size_t n = content.size() < stl_head ? 0 : little_endian<std::uint32_t>(content.data() + 80);
  const bool fits = content.size() >= stl_head && content.size() == stl_head + n * stl_triangle;
  const std::size_t word = std::min(content.find_first_not_of(" \t\r\n"), content.size());
  if (!fits && content.substr(word).starts_with("solid") && content.find('\0') == content.npos)
    return read_text_stl(content);
  if (content.size() < stl_head) throw Error(sentence("is no STL: it has ", content.size(), " bytes"));
  if (!fits)
    throw Error(sentence("has ", content.size(), " bytes, expected ", stl_head + n * stl_triangle,
                         " for a binary STL of ", n, " triangles, or a text that begins with solid"));
  return read_binary_stl(content, n);
}

Vertices read_obj(std::string_view content) {
  if (content.find('\0') != content.npos) throw Error("is no OBJ: it is not a text");
  Vertices all;
  std::vector<bool> used;
  bool has_faces = false;
  Lines lines(content);
  while (lines.next()) {
    const std::string_view first = lines.first();
    if (first == "v") {
      all.push_back(lines.point());
      used.push_back(false);
    } else if (first == "f" || first == "l" || first == "p") {
      has_faces = true;
      for (std::string_view word = lines.word(); !word.empty() && word[0] != '#'; word = lines.word()) {
        if (word == "\\") {  // the next line goes on
          if (!lines.next()) lines.refuse("the file ends within a face");
          word = lines.first();
        }
        used[obj_index(lines, word, all.size())] = true;
      }
    }
  }
  if (!has_faces) return all;
  Vertices kept;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (used[k]) kept.push_back(all[k]);
  return kept;
}

std::string mesh_format(std::string_view path) {
  const std::size_t point = path.rfind('.'), slash = path.rfind('/');
  if (point == path.npos || (slash != path.npos && slash > point)) return {};
  std::string format(path.substr(point + 1));
  for (char& c : format)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return format;
}

}  // namespace tandem::io
