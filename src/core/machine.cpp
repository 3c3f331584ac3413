// SPDX-License-Identifier: Apache-2.0
#include "core/machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

namespace tandem {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string processor_name() {
#if defined(__APPLE__)
  char name[256] = {};
  std::size_t size = sizeof name - 1;
  if (sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0) return name;
#elif defined(_WIN32)
  if (const std::string name = variable("PROCESSOR_IDENTIFIER"); !name.empty()) return name;
#else
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
#endif
  return "unknown processor";
}

std::string settings_folder() {
#if defined(_WIN32)
  return variable("LOCALAPPDATA");
#else
  if (std::string folder = variable("XDG_CONFIG_HOME"); !folder.empty()) return folder;
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.config";
#endif
}

std::string cache_folder() {
  if (std::getenv("TANDEM_CACHE_DIR")) return variable("TANDEM_CACHE_DIR");
#if defined(_WIN32)
  const std::string folder = variable("LOCALAPPDATA");
#else
  std::string folder = variable("XDG_CACHE_HOME");
  if (!folder.starts_with('/')) folder = variable("HOME").empty() ? "" : variable("HOME") + "/.cache";
#endif
  return folder.empty() ? "" : folder + "/tandem";
}

}  // namespace tandem
