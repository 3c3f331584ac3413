// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "files/hdf5.hpp"

namespace tandem::cli {
namespace {

// endings that promise something else than lines of numbers
constexpr std::string_view other_formats[] = {
    ".npy",   ".npz",  ".mat",   ".pkl",  ".pickle", ".pt",  ".pth",  ".safetensors", ".parquet", ".feather",
    ".arrow", ".json", ".jsonl", ".yaml", ".yml",    ".xml", ".urdf", ".xls",         ".xlsx",    ".ods",
    ".hdf",   ".h4",   ".he5",   ".nc",   ".zarr",   ".bag", ".mcap", ".db3",         ".bin",     ".zip",
    ".gz",    ".bz2",  ".xz",    ".zst",  ".png",    ".svg", ".pdf",  ".mp4",         ".gif"};

/// In small letters.
std::string ending_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

bool is_hdf5_name(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == ".h5" || ending == ".hdf5";
}

void check_table_name(const std::string& path) {
  const std::string ending = ending_of(path);
  if (std::find(std::begin(other_formats), std::end(other_formats), ending) != std::end(other_formats))
    throw Error(fmt::format("--out {}: {} files are not supported; expected a name that ends in .csv, .h5 or .hdf5",
                            path, ending));
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
