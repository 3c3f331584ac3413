// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::model_detail {

/// A list of names in one buffer, found by hashing. Frugal, as robots can have millions of links: about 20
/// bytes a name besides its characters.
class Names {
 public:
  void reserve(std::size_t names);

  /// Appends a name. Returns the index of the first one that reads the same: its own if it is new.
  int add(std::string_view name);
  /// Index of the first name that reads so, or -1.
  int find(std::string_view name) const;

  int size() const { return static_cast<int>(ends_.size()); }
  std::string_view operator[](int i) const {
    const auto k = static_cast<std::size_t>(i);
    const std::uint64_t begin = k == 0 ? 0 : ends_[k - 1] + 1;
    return std::string_view(characters_).substr(begin, ends_[k] - begin);
  }

 private:
  /// Open addressing: a free slot has index -1. The hash beside the index spares most looks at the names.
  struct Slot {
    std::int32_t index = -1;
    std::uint32_t hash = 0;
  };
  std::size_t slot_of(std::string_view name, std::uint32_t hash) const;
  void grow(std::size_t slots);

  std::string characters_;  ///< a zero byte after every name
  std::vector<std::uint64_t> ends_;
  std::vector<Slot> slots_;  ///< as many as a power of two
};

/// Number of letters to insert, drop or exchange to turn one word into the other, but at most `limit` + 1.
int edit_distance(std::string_view a, std::string_view b, int limit);

/// Gathers the names that are most like a word.
class Nearest {
 public:
  explicit Nearest(std::string_view word);
  void offer(std::string_view name);
  /// `; did you mean "elbow" or "elbow_2"?`, or nothing if no name is like the word.
  std::string suggestion() const;

 private:
  struct Candidate {
    int distance;
    std::string name;
  };
  std::string_view word_;
  int limit_;
  std::vector<Candidate> best_;
};

/// The suggestion from lists of names, from the first `count` of each.
std::string suggestion(std::string_view word, std::initializer_list<std::pair<const Names*, int>> lists);

}  // namespace tandem::model_detail
