// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "hdf5.hpp"

namespace tandem::cli {

bool is_hdf5_name(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".h5" || ending == ".hdf5";
}

/// The signature stands at the beginning, or behind a block of the user's own of 512, 1024, 2048, ... bytes. What comes
/// out of a pipe is left alone, as it could not be read again.
bool is_hdf5_file(const std::string& path) {
  if (is_hdf5_name(path)) return true;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  char bytes[8];
  for (std::streamoff at = 0; file.seekg(at) && file.read(bytes, sizeof bytes);
       at = std::max<std::streamoff>(512, 2 * at))
    if (std::memcmp(bytes, "\x89HDF\r\n\x1a\n", sizeof bytes) == 0) return true;
  return false;
}

std::string batch_shape(const std::vector<Index>& sizes) {
  return sizes.empty() ? "[batch]" : fmt::format("[batch, {}]", fmt::join(sizes, ", "));
}

}  // namespace tandem::cli
