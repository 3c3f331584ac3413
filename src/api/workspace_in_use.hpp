// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/api/workspace.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Marks a workspace as in use by one call. Plain loads and stores, which cost next to nothing, unlike an exchange: of
/// two calls that come at the very same moment both get in, but the mark of one of them is gone when it ends, and it
/// says so.
template <class T>
class WorkspaceInUse {
 public:
  /// Throws Error if another call is under way.
  explicit WorkspaceInUse(Workspace<T>& work) : user_(work.user_) {
    if (user_.load(std::memory_order_relaxed)) refuse();
    user_.store(this, std::memory_order_relaxed);
  }
  WorkspaceInUse(const WorkspaceInUse&) = delete;
  WorkspaceInUse& operator=(const WorkspaceInUse&) = delete;
  ~WorkspaceInUse() {
    if (is_mine()) user_.store(nullptr, std::memory_order_release);
  }
  /// Throws Error if another call came meanwhile: the results may be wrong.
  void end() const {
    if (!is_mine()) refuse();
  }

 private:
  bool is_mine() const { return user_.load(std::memory_order_relaxed) == this; }
  [[noreturn]] __attribute__((noinline, cold)) static void refuse() {
    throw Error("the workspace is in use by another call; use one workspace per thread");
  }

  std::atomic<const void*>& user_;
};

}  // namespace tandem
