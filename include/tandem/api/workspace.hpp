// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "tandem/index.hpp"
#include "tandem/model/memory.hpp"

namespace tandem {

template <class T>
class Kept;
template <class T>
class WorkspaceInUse;

/// Memory of one thread that is reused between calls: scratch memory, which grows on demand,
/// and plans of the last few models and options, for calls without a Plan. Calls
/// do not allocate once both exist. A workspace that was moved from is empty and can be used. Concurrent calls
/// need one workspace each, otherwise they throw Error. T is double or float, the precision of the
/// call.
template <class T>
class Workspace {
 public:
  Workspace() = default;
  /// The other one is empty afterwards.
  Workspace(Workspace&& other) noexcept : memory_(std::move(other.memory_)), kept_(std::move(other.kept_)) {}
  /// The same.
  Workspace& operator=(Workspace&& other) noexcept {
    memory_ = std::move(other.memory_);
    kept_ = std::move(other.kept_);
    return *this;
  }

  /// At least `rows` numbers, aligned to 64 bytes; earlier contents are lost.
  T* reserve(Index rows) {
    if (rows > size()) {
      release();
      memory_ = {static_cast<T*>(allocate_lines(static_cast<std::size_t>(rows) * sizeof(T))), {rows}};
    }
    return memory_.get();
  }
  /// Releases the scratch memory; cached plans are kept.
  void release() { memory_.reset(); }
  /// Capacity in numbers.
  Index size() const { return memory_ ? memory_.get_deleter().size : 0; }
  T* data() { return memory_.get(); }  ///< the scratch memory, or null

 private:
  template <class U>
  friend Kept<U>& kept(Workspace<U>& work);
  friend class WorkspaceInUse<T>;
  struct Free {
    Index size = 0;
    void operator()(T* p) const { free_lines(p); }
  };
  std::unique_ptr<T[], Free> memory_;
  std::shared_ptr<Kept<T>> kept_;
  std::atomic<const void*> user_ = nullptr;  ///< the call that is under way
};

}  // namespace tandem
