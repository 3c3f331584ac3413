// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/text.hpp"

namespace tandem::model_detail {

namespace {

constexpr std::size_t first_slots = 16;
constexpr std::size_t most_suggestions = 3;
constexpr std::size_t longest_word = 64;  // letters of a word for which similar ones are sought

std::uint32_t hash_of(std::string_view name) { return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name)); }

}  // namespace

void Names::reserve(std::size_t names) {
  ends_.reserve(names);
  std::size_t slots = first_slots;
  while (slots < 2 * names) slots *= 2;
  if (slots > slots_.size()) grow(slots);
}

int Names::add(std::string_view name) {
  if (2 * ends_.size() >= slots_.size()) grow(std::max(first_slots, 2 * slots_.size()));
  const int index = size();
  characters_ += name;
  ends_.push_back(characters_.size());
  characters_ += '\0';
  const std::uint32_t hash = hash_of(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.index < 0) slot = {index, hash};
  return slot.index;
}

int Names::find(std::string_view name) const {
  return slots_.empty() ? -1 : slots_[slot_of(name, hash_of(name))].index;
}

/// The slot that holds the name, or the free one where it belongs.
std::size_t Names::slot_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t k = hash & mask;
  while (slots_[k].index >= 0 && (slots_[k].hash != hash || (*this)[slots_[k].index] != name)) k = (k + 1) & mask;
  return k;
}

void Names::grow(std::size_t slots) {
  const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots));
  const std::size_t mask = slots - 1;
  for (const Slot& slot : old) {
    if (slot.index < 0) continue;
    std::size_t k = slot.hash & mask;
    while (slots_[k].index >= 0) k = (k + 1) & mask;
    slots_[k] = slot;
  }
}

int edit_distance(std::string_view a, std::string_view b, int limit) {
  const int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());
  if (std::abs(n - m) > limit) return limit + 1;
  std::vector<int> row(b.size() + 1);  // distances from the first i letters of a to every beginning of b
  for (int j = 0; j <= m; ++j) row[static_cast<std::size_t>(j)] = j;
  for (int i = 1; i <= n; ++i) {
    int diagonal = row[0], smallest = row[0] = i;
    for (std::size_t j = 1; j < row.size(); ++j) {
      const int exchange = diagonal + (a[static_cast<std::size_t>(i - 1)] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({exchange, row[j] + 1, row[j - 1] + 1});
      smallest = std::min(smallest, row[j]);
    }
    if (smallest > limit) return limit + 1;
  }
  return std::min(row.back(), limit + 1);
}

Nearest::Nearest(std::string_view word)
    : word_(word.substr(0, longest_word)),
      limit_(word.size() < 2 || word.size() > longest_word ? -1 : 1 + static_cast<int>(word.size()) / 4) {}

void Nearest::offer(std::string_view name) {
  const int limit = best_.size() < most_suggestions ? limit_ : best_.back().distance - 1;
  if (limit < 0) return;
  const int distance = edit_distance(word_, name, limit);
  const bool known = std::any_of(best_.begin(), best_.end(), [&](const Candidate& c) { return c.name == name; });
  if (distance > limit || known) return;
  const auto place =
      std::find_if(best_.begin(), best_.end(), [&](const Candidate& c) { return c.distance > distance; });
  best_.insert(place, {distance, std::string(name)});
  if (best_.size() > most_suggestions) best_.pop_back();
}

std::string Nearest::suggestion() const {
  std::string text;
  for (std::size_t i = 0; i < best_.size(); ++i) {
    text += i == 0 ? "; did you mean " : i + 1 == best_.size() ? " or " : ", ";
    text += in_quotes(best_[i].name);
  }
  return text.empty() ? text : text + "?";
}

std::string suggestion(std::string_view word, std::initializer_list<std::pair<const Names*, int>> lists) {
  Nearest nearest(word);
  for (const auto& [names, count] : lists)
    for (int i = 0; i < count; ++i) nearest.offer((*names)[i]);
  return nearest.suggestion();
}

}  // namespace tandem::model_detail
