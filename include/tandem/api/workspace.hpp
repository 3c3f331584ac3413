// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>
#include <memory>

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
  struct Free {
    Index size = 0;
    void operator()(T* p) const { free_lines(p); }
  };
  std::unique_ptr<T[], Free> memory_;
  std::shared_ptr<Kept<T>> kept_;
};

}  // namespace tandem
