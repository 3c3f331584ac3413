// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "tandem/index.hpp"
#include "tandem/model/memory.hpp"

namespace tandem {

/// Scratch memory of one thread, reused from call to call. Calls never allocate once it is large enough; a call that
/// needs more than it holds lets it grow first. T is double or float and decides the precision of the call.
template <class T>
class Workspace {
 public:
  Workspace() = default;

  /// At least `rows` numbers, aligned to 64 bytes; what was there before is lost.
  T* reserve(Index rows) {
    if (rows > size_) {
      memory_.reset();
      size_ = 0;
      memory_.reset(static_cast<T*>(allocate_lines(static_cast<std::size_t>(rows) * sizeof(T))));
      size_ = rows;
    }
    return memory_.get();
  }
  Index size() const { return size_; }
  T* data() { return memory_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { free_lines(p); }
  };
  std::unique_ptr<T[], Free> memory_;
  Index size_ = 0;
};

}  // namespace tandem
