// SPDX-License-Identifier: Apache-2.0
#include "rollout/force_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "cli.hpp"
#include "files/csv.hpp"

namespace tandem::cli {
namespace {

void add_to_hash(std::uint64_t& hash, const std::vector<double>& numbers) {
  for (const double x : numbers) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3u;
    hash ^= hash >> 29;
  }
}

void check_forces(const std::string& path, const std::vector<double>& numbers) {
  for (const double x : numbers)
    if (!std::isfinite(x)) throw Error(fmt::format("--controls {}: a torque is not finite", path));
}

}  // namespace

ForceTable::ForceTable(const std::string& path, const Model& model, Index instances, std::int64_t steps)
    : steps_(steps), nv_(static_cast<std::size_t>(model.nv())), hash_(0xcbf29ce484222325u) {
  if (!std::filesystem::exists(path))
    throw Error(
        fmt::format("--controls {}: expected none, gravity, pd, pd+gravity, or a file with a line of joint torques "
                    "tau0,tau1,... for every step",
                    readable(path)));
  if (is_hdf5_file(path))
    read_hdf5(path, model, instances);
  else
    read_csv(path, model);
  if (!file_) {
    check_forces(path, shared_);
    add_to_hash(hash_, shared_);
    return;
  }
  std::vector<double> forces;
  for (Index b = 0; b < instances; ++b) {
    read(b, 1, forces);
    check_forces(path, forces);
    add_to_hash(hash_, forces);
  }
}

void ForceTable::read_csv(const std::string& path, const Model& model) {
  CsvReader file(path);
  std::vector<std::size_t> columns;
  for (std::size_t k = 0; k < nv_; ++k) {
    const auto found = std::ranges::find(file.header(), fmt::format("tau{}", k));
    if (found == file.header().end())
      throw Error(fmt::format("{}:1: missing column tau{}; {} has {} joint torques: tau0, tau1, ...", path, k,
                              model.name(), nv_));
    columns.push_back(static_cast<std::size_t>(found - file.header().begin()));
  }
  std::vector<double> line(file.header().size());
  std::int64_t lines = 0;
  for (; file.next(line); ++lines)
    for (const std::size_t column : columns) shared_.push_back(line[column]);
  if (lines != steps_)
    throw Error(fmt::format("{}: {} lines of joint torques, expected one for each of {} steps", path, lines, steps_));
}

void ForceTable::read_hdf5(const std::string& path, const Model& model, Index instances) {
  auto file = std::make_unique<Hdf5Reader>(path, "");
  if (!file->has("tau")) throw Error(fmt::format("{}: missing dataset tau", path));
  dataset_ = file->open("tau");
  const std::vector<Index>& sizes = dataset_.sizes;
  if (sizes == std::vector<Index>{steps_, model.nv()}) {
    shared_.resize(static_cast<std::size_t>(steps_) * nv_);
    file->read(dataset_, 0, steps_, shared_.data());
  } else if (sizes == std::vector<Index>{instances, steps_, model.nv()}) {
    file_ = std::move(file);
  } else {
    throw Error(fmt::format(
        "{}: dataset tau has the shape [{}]; expected [{}, {}], one row per step for all instances, or [{}, "
        "{}, {}]",
        path, fmt::join(sizes, ", "), steps_, nv_, instances, steps_, nv_));
  }
}

void ForceTable::read(Index first, Index count, std::vector<double>& forces) const {
  if (!file_) {
    forces = shared_;
    return;
  }
  forces.resize(static_cast<std::size_t>(count * steps_) * nv_);
  file_->read(dataset_, first, count, forces.data());
}

}  // namespace tandem::cli
