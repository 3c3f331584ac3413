// SPDX-License-Identifier: Apache-2.0
/// Tools for another processor, where they are installed.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tandem::test {

/// The first of these that can be run, or nothing.
inline std::string tool(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::system((name + " --version > /dev/null 2>&1").c_str()) == 0) return name;
  return "";
}

/// A folder of this test's own, emptied; true if a command that is run in it succeeds.
class Workplace {
 public:
  Workplace() : folder_(std::filesystem::path(::testing::TempDir()) / ("tandem_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~Workplace() { std::filesystem::remove_all(folder_); }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  bool run(const std::string& command) const {
    return std::system(("cd '" + folder_.string() + "' && " + command).c_str()) == 0;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace tandem::test
