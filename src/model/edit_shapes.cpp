// SPDX-License-Identifier: Apache-2.0
/// Changes to the shapes of a description, and the shapes of one that is appended.
#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "edit.hpp"

namespace tandem {

using namespace model_detail;

namespace {

using TakenNames = std::set<std::string, std::less<>>;

/// The name, with as many underscores behind it as it takes to be a new one.
std::string untaken(TakenNames& taken, std::string name) {
  while (!taken.insert(name).second) name += '_';
  return name;
}

template <class T>
TakenNames names_in(const std::vector<T>& all) {
  TakenNames names;
  for (const T& each : all) names.insert(each.name);
  return names;
}

}  // namespace

const ShapeDescription& ModelBuilder::existing_shape(std::string_view name) const {
  return existing(*this, shapes_, "shape", name);
}

void ModelBuilder::forget_contact_pairs() {
  if (contact_pairs_.empty()) return;
  const TakenNames names = names_in(shapes_);
  std::erase_if(contact_pairs_, [&](const ContactPairDescription& pair) {
    return !names.contains(pair.shape_1) || !names.contains(pair.shape_2);
  });
}

ModelBuilder& ModelBuilder::replace_shape(std::string_view name, ShapeDescription shape) {
  ShapeDescription& old = mine(shapes_, existing_shape(name));
  refuse_taken(shapes_, "shape", name, shape.name);
  const std::string before = std::exchange(old, std::move(shape)).name;
  for (ContactPairDescription& pair : contact_pairs_) {
    lead_on(pair.shape_1, before, old.name);
    lead_on(pair.shape_2, before, old.name);
  }
  return *this;
}

ModelBuilder& ModelBuilder::remove_shape(std::string_view name) {
  shapes_.erase(shapes_.begin() + (&existing_shape(name) - shapes_.data()));
  forget_contact_pairs();
  return *this;
}

ModelBuilder& ModelBuilder::remove_contact_pair(std::string_view name) {
  contact_pairs_.erase(contact_pairs_.begin() +
                       (&existing(*this, contact_pairs_, "contact pair", name) - contact_pairs_.data()));
  return *this;
}

ModelBuilder& ModelBuilder::remove_contact_exclude(std::string_view link_1, std::string_view link_2) {
  const auto names_both = [&](const ContactExcludeDescription& exclude) {
    return (exclude.link_1 == link_1 && exclude.link_2 == link_2) ||
           (exclude.link_1 == link_2 && exclude.link_2 == link_1);
  };
  if (std::erase_if(contact_excludes_, names_both) == 0)
    throw Error(sentence(element("robot", name_), " excludes no contacts of ", element("link", link_1), " and ",
                         element("link", link_2)));
  return *this;
}

void ModelBuilder::append_contacts(const ModelBuilder& other, const std::string& prefix) {
  if (!shapes_.empty() && !other.shapes_.empty()) {
    const ContactSettings &mine = contact_settings_, &theirs = other.contact_settings_;
    if (mine.cone != theirs.cone || mine.impratio != theirs.impratio || mine.enabled != theirs.enabled ||
        mine.filter_parent != theirs.filter_parent)
      warning({}, sentence("the contact settings of ", element("robot", other.name_),
                           ", which was appended, are other ones: those of ", element("robot", name_), " count"));
  } else if (shapes_.empty()) {
    contact_settings_ = other.contact_settings_;
  }
  TakenNames shapes = names_in(shapes_), pairs = names_in(contact_pairs_);
  std::unordered_map<std::string, std::string> renamed;
  for (ShapeDescription shape : other.shapes_) {
    const std::string before = std::exchange(shape.name, untaken(shapes, prefix + shape.name));
    renamed[before] = shape.name;
    shape.link = prefix + shape.link;
    shapes_.push_back(std::move(shape));
  }
  for (ContactPairDescription pair : other.contact_pairs_) {
    pair.name = untaken(pairs, prefix + pair.name);
    for (std::string* shape : {&pair.shape_1, &pair.shape_2})
      if (const auto found = renamed.find(*shape); found != renamed.end()) *shape = found->second;
    contact_pairs_.push_back(std::move(pair));
  }
  for (ContactExcludeDescription exclude : other.contact_excludes_) {
    for (std::string* link : {&exclude.link_1, &exclude.link_2}) *link = prefix + *link;
    contact_excludes_.push_back(std::move(exclude));
  }
  contact_problems_.insert(contact_problems_.end(), other.contact_problems_.begin(), other.contact_problems_.end());
}

}  // namespace tandem
