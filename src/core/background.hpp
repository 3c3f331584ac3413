// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <thread>

namespace tandem {

/// Work of a thread of its own, which lasts until the work is done: whoever destroys this before waits. No signal of
/// the program is delivered to the thread. In a process that is forked off meanwhile nothing goes on, and nobody waits.
class Background {
 public:
  Background() = default;
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// Once. False if a thread cannot be started.
  bool start(std::function<void()> work);

 private:
  std::thread thread_;
  long process_ = 0;
};

}  // namespace tandem
