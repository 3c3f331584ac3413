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

/// What one thread needs for its calls, reused from call to call: scratch memory, which a call that needs more than there
/// is lets grow first, and what calls without a Plan of their own have made for the last few models and options. Calls
/// never allocate once both are there. A workspace that was moved from is empty and can be used. Two calls at the same time
/// need two of them: one that finds a workspace in use throws Error. T is double or float and decides the precision of the
/// call.
template <class T>
class Workspace {
 public:
  Workspace() = default;
  /// The other one is empty then.
  Workspace(Workspace&& other) noexcept : memory_(std::move(other.memory_)), kept_(std::move(other.kept_)) {}
  /// The same.
  Workspace& operator=(Workspace&& other) noexcept {
    memory_ = std::move(other.memory_);
    kept_ = std::move(other.kept_);
    return *this;
  }

  /// At least `rows` numbers, aligned to 64 bytes; what was there before is lost.
  T* reserve(Index rows) {
    if (rows > size()) {
      release();
      memory_ = {static_cast<T*>(allocate_lines(static_cast<std::size_t>(rows) * sizeof(T))), {rows}};
    }
    return memory_.get();
  }
  /// Gives the scratch memory back. What was made for models stays.
  void release() { memory_.reset(); }
  /// How many numbers there is room for.
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
