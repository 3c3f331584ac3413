// SPDX-License-Identifier: Apache-2.0
#include "rollout/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli.hpp"

namespace tandem::cli {
namespace {

/// False of anything else than a whole number.
bool read_whole(std::string_view text, Index& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool read_variable(const char* name, Index& number) {
  const char* text = std::getenv(name);
  return text != nullptr && read_whole(text, number);
}

}  // namespace

std::string Shard::name() const { return fmt::format("{} of {}", number, count); }

std::string Shard::path(const std::string& whole) const {
  if (is_all()) return whole;
  const std::filesystem::path path(whole);
  return (path.parent_path() /
          fmt::format("{}.{}-of-{}{}", path.stem().string(), number, count, path.extension().string()))
      .string();
}

Index Shard::first(Index n, Index unit) const {
  const Index units = (n + unit - 1) / unit;  // the first ones have one more where they cannot be divided evenly
  return std::min(n, unit * (units / count * (number - 1) + std::min(number - 1, units % count)));
}

Index Shard::end(Index n, Index unit) const { return number == count ? n : Shard{number + 1, count, 1}.first(n, unit); }

Shard shard_from(const std::string& text) {
  Shard shard;
  if (!text.empty()) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos || !read_whole(std::string_view(text).substr(0, slash), shard.number) ||
        !read_whole(std::string_view(text).substr(slash + 1), shard.count) || shard.number < 1 ||
        shard.number > shard.count)
      throw Error(fmt::format("--shard {}: expected I/N, part I of N, such as 2/4", readable(text)));
    return shard;
  }
  struct Names {
    const char *rank, *size, *beside;
  };
  for (const Names& names : {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"},
                             Names{"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"}}) {
    Index rank = 0, size = 0, beside = 0;
    if (!read_variable(names.rank, rank) || !read_variable(names.size, size) || rank < 0 || rank >= size) continue;
    shard.number = rank + 1;
    shard.count = size;
    if (read_variable(names.beside, beside) && beside > 0)
      shard.beside = static_cast<int>(std::min<Index>(beside, size));
    return shard;
  }
  return shard;
}

Index other_count(const std::string& whole, Index count) {
  const std::filesystem::path path(whole);
  const std::string before = path.stem().string() + ".", after = path.extension().string();
  std::error_code ignored;
  const std::filesystem::path folder = path.parent_path().empty() ? std::filesystem::path(".") : path.parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size()) continue;
    const std::string middle = name.substr(before.size(), name.size() - before.size() - after.size());
    const std::size_t of = middle.find("-of-");
    Index one = 0, all = 0;
    if (of != std::string::npos && read_whole(std::string_view(middle).substr(0, of), one) &&
        read_whole(std::string_view(middle).substr(of + 4), all) && all != count)
      return all;
  }
  return 0;
}

}  // namespace tandem::cli
