// SPDX-License-Identifier: Apache-2.0
/// Which of the library's instruction sets rows run with.
#pragma once
#include <string>
#include <vector>

namespace tandem::bench {

/// Those that the library was compiled for and this processor has, the one it uses by itself first.
std::vector<std::string> instruction_sets_measured();

/// Makes the library use one of them as long as it lives.
class Forced {
 public:
  explicit Forced(const std::string& instruction_set);
  ~Forced();
  Forced(const Forced&) = delete;
  Forced& operator=(const Forced&) = delete;

 private:
  std::string before_;
};

}  // namespace tandem::bench
