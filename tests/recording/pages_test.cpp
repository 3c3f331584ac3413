// SPDX-License-Identifier: Apache-2.0
/// Pages of memory that hold what was assembled: written first, run afterwards, never both at once.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "tracing/jit/runnable_code.hpp"

namespace tandem::test {
namespace {

/// What the pages around an address allow, as /proc/self/maps has it: "r-xp". Checks of all pages that none allows
/// both.
std::string allowed_at(const void* address) {
  std::ifstream maps("/proc/self/maps");
  std::string found;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    std::string allowed;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> allowed;
    EXPECT_FALSE(allowed.find('w') != std::string::npos && allowed.find('x') != std::string::npos) << line;
    const auto here = reinterpret_cast<std::uintptr_t>(address);
    if (begin <= here && here < end) found = allowed;
  }
  return found;
}

TEST(Pages, OfInstructionsAreNeverWritableAndExecutableAtOnce) {
  if (!std::ifstream("/proc/self/maps")) GTEST_SKIP() << "no /proc";
  const std::byte instructions[100] = {}, constants[5000] = {};
  const RunnableCode code(instructions, constants);
  EXPECT_EQ(allowed_at(code.entry()), "r-xp");
  EXPECT_EQ(allowed_at(code.constants() + sizeof constants - 1), "r-xp");
}

}  // namespace
}  // namespace tandem::test
