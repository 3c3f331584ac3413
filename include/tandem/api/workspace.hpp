// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>
#include <utility>

#include "tandem/index.hpp"
#include "tandem/model/memory.hpp"

namespace tandem {

template <class T>
class Kept;

/// What one thread needs for its calls, reused from call to call: scratch memory, which a call that needs more than there
/// is lets grow first, and what calls without a Plan of their own have made for the last few models and options. Calls
/// never allocate once both are there. A workspace that was moved from is empty and can be used. T is double or float and
/// decides the precision of the call.
template <class T>
class Workspace {
 public:
  Workspace() = default;
  Workspace(Workspace&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)), kept_(std::move(other.kept_)) {}
  Workspace& operator=(Workspace&& other) noexcept {
    Workspace moved(std::move(other));
    std::swap(memory_, moved.memory_);
    std::swap(size_, moved.size_);
    std::swap(kept_, moved.kept_);
    return *this;
  }

  /// At least `rows` numbers, aligned to 64 bytes; what was there before is lost.
  T* reserve(Index rows) {
    if (rows > size_) {
      release();
      memory_.reset(static_cast<T*>(allocate_lines(static_cast<std::size_t>(rows) * sizeof(T))));
      size_ = rows;
    }
    return memory_.get();
  }
  /// Gives the scratch memory back. What was made for models stays.
  void release() {
    memory_.reset();
    size_ = 0;
  }
  Index size() const { return size_; }
  T* data() { return memory_.get(); }

 private:
  template <class U>
  friend Kept<U>& kept(Workspace<U>& work);
  struct Free {
    void operator()(T* p) const { free_lines(p); }
  };
  std::unique_ptr<T[], Free> memory_;
  Index size_ = 0;
  std::shared_ptr<Kept<T>> kept_;
};

}  // namespace tandem
