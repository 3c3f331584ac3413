// SPDX-License-Identifier: Apache-2.0
/// What edits of a description and of a model share.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text.hpp"
#include "names.hpp"
#include "tandem/error.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::model_detail {

/// The one of that name, or null.
template <class T>
const T* find(const std::vector<T>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}

/// The one of that name. Throws Error that suggests the nearest.
template <class T>
const T& existing(const ModelBuilder& robot, const std::vector<T>& all, const char* kind, std::string_view name) {
  if (const T* found = find(all, name)) return *found;
  Nearest nearest(name);
  for (const T& other : all) nearest.offer(other.name);
  throw Error(sentence(element("robot", robot.name()), " has no ", element(kind, name), nearest.suggestion()));
}

/// The same to be written to.
template <class T>
T& mine(std::vector<T>& all, const T& found) {
  return all[static_cast<std::size_t>(&found - all.data())];
}

/// Throws Error if another one has the name that one is to have.
template <class T>
void refuse_taken(const std::vector<T>& all, const char* kind, std::string_view name, const std::string& other) {
  if (other.empty()) throw Error(sentence(element(kind, name), " cannot be renamed to an empty name"));
  if (other != name && find(all, other))
    throw Error(sentence(element(kind, name), " cannot be named ", in_quotes(other), ": a ", kind, " has this name"));
}

/// A reference to what had another name.
inline void lead_on(std::string& reference, std::string_view from, const std::string& to) {
  if (reference == from) reference = to;
}

/// The fixed joint that a joint is while its position is q, its rows of a configuration. Throws Error for a q that has
/// another size, is not finite or has a quaternion of zeros; ModelError for a joint that could not be built.
JointDescription locked(const JointDescription& joint, std::span<const double> q);

/// Whether limits forbid a position, and what is said then.
bool lies_outside(const JointDescription& joint, std::span<const double> q);
std::string locked_outside(const JointDescription& joint, double q);

}  // namespace tandem::model_detail
