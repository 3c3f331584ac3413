// SPDX-License-Identifier: Apache-2.0
#include "prepared.hpp"

#include <functional>
#include <map>
#include <mutex>

namespace tandem::cpu {
namespace {

/// A model, and the function that prepares for it: methods of one name in several algorithms prepare different things.
template <class T>
struct Key {
  std::weak_ptr<const void> model;
  decltype(Kernel<T>::prepare) prepare;
  bool operator<(const Key& other) const {
    return prepare != other.prepare ? std::less<>()(prepare, other.prepare) : model.owner_before(other.model);
  }
};
struct Entry {
  int chunk, chunks;  ///< the options that decide how a robot is cut
  double load_ratio;
  std::shared_ptr<const void> data;
};

}  // namespace

template <class T>
std::shared_ptr<const void> prepared(const Kernel<T>& kernel, const Model& model, const Options& options) {
  if (!kernel.prepare) return nullptr;
  static std::mutex mutex;
  static std::map<Key<T>, Entry> entries;

  const std::lock_guard lock(mutex);
  const Key<T> key = {model.shared_data(), kernel.prepare};
  auto found = entries.find(key);
  if (found == entries.end()) {
    std::erase_if(entries, [](const auto& entry) { return entry.first.model.expired(); });
    found = entries.try_emplace(key).first;
  } else if (found->second.chunk == options.chunk && found->second.chunks == options.chunks &&
             found->second.load_ratio == options.load_ratio && found->second.data) {
    return found->second.data;
  }
  found->second = {options.chunk, options.chunks, options.load_ratio, kernel.prepare(model.view<T>(), options)};
  return found->second.data;
}

template std::shared_ptr<const void> prepared(const Kernel<double>&, const Model&, const Options&);
template std::shared_ptr<const void> prepared(const Kernel<float>&, const Model&, const Options&);

}  // namespace tandem::cpu
