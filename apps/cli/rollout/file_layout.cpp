// SPDX-License-Identifier: Apache-2.0
// Which datasets the file of a rollout has, and whether a file is of it.
#include <fmt/format.h>

#include <algorithm>

#include "cli.hpp"
#include "rollout/costs.hpp"
#include "rollout/file.hpp"

namespace tandem::cli {
namespace {

constexpr Index chunk_bytes = Index{1} << 20, most_rows_of_chunk = 1024;  // of HDF5
constexpr Index most_piece = Index{1} << 32;                              // bytes, of HDF5, too

std::vector<Index> sizes_of(Rows rows, const Model& model) {
  const Shape s = shape(rows, model.view<double>());
  return {s.sizes, s.sizes + s.rank};
}

Index bytes_of_row(const GrowingHdf5::Dataset& d) {
  Index bytes = static_cast<Index>(bytes_of(d.number));
  for (const Index size : d.sizes) bytes *= size;
  return bytes;
}

void check_size(const GrowingHdf5::Dataset& d, Index bytes) {
  if (bytes >= most_piece)
    throw Error(
        fmt::format("dataset {} would have chunks of {} bytes, and HDF5 allows 4 GiB: store fewer steps by "
                    "--every K or --final",
                    d.name, bytes));
}

/// "0 ok, 1 limit, ..."
std::string meaning_of_status() {
  std::string text = "status of the instance; a diverged one keeps its last valid state:";
  int k = 0;
  for (const Named& status : NamesOf<Status>::table)
    text += fmt::format("{} {} {}", k > 0 ? "," : "", k, status.name), ++k;
  return text;
}

}  // namespace

template <class T>
GrowingHdf5::Form RolloutFile<T>::form(const Shard& shard, Mode mode) const {
  using Dataset = GrowingHdf5::Dataset;
  const Model& m = task_.model;
  const Hdf5Number number = std::is_same_v<T, float> ? Hdf5Number::f32 : Hdf5Number::f64;
  const Index kept = task_.kept(), nq = m.nq(), nv = m.nv(), n = 2 * nv;
  const auto of_moments = [&](Index width) {
    return task_.only_last ? std::vector<Index>{width} : std::vector<Index>{kept, width};
  };
  GrowingHdf5::Form form;
  form.texts = record_.texts;
  if (!shard.is_all()) {
    form.texts.emplace_back("shard", shard.name());
    form.texts.emplace_back("first_instance", std::to_string(first_));
  }
  form.appears_at_end = mode == Mode::join;
  if (!record_.statistics) {
    form.datasets.push_back({"q", "rad|m", "configurations", of_moments(nq), number});
    form.datasets.push_back({"v", "rad/s|m/s", "velocities", of_moments(nv), number});
  }
  form.datasets.push_back({"status", "", meaning_of_status(), {}, Hdf5Number::u8});
  form.datasets.push_back(
      {"diverged_at_step", "", "step that diverged, counted from 1; 0: did not diverge", {}, Hdf5Number::i64});
  const bool has_starts = record_.statistics || task_.only_last;
  if (has_starts && task_.randomize.changes_q())
    form.datasets.push_back({"q0", "rad|m", "initial configurations", {nq}, number});
  if (has_starts && task_.randomize.changes_v())
    form.datasets.push_back({"v0", "rad/s|m/s", "initial velocities", {nv}, number});
  for (const Parameter p : task_.randomize.parameters()) {
    const Argument& a = parameters()[static_cast<std::size_t>(p)];
    form.datasets.push_back({a.name, a.units, a.meaning, sizes_of(a.rows, m)});
  }
  for (const CostDataset& d : cost_datasets(task_))
    form.datasets.push_back({d.name, d.units, d.meaning, d.sizes, number});
  Index row = 1;
  for (const Dataset& d : form.datasets) check_size(d, bytes_of_row(d)), row = std::max(row, bytes_of_row(d));
  form.chunk = std::clamp<Index>(chunk_bytes / row, 1, std::min(most_rows_of_chunk, std::max<Index>(1, end_ - first_)));

  const auto whole = [&](const char* name, const char* units, const char* meaning, std::vector<Index> sizes,
                         Hdf5Number of = Hdf5Number::f64) {
    sizes.insert(sizes.begin(), kept);
    form.pieces.push_back({name, units, meaning, std::move(sizes), of, kept});
  };
  whole("t", "s", "time of the stored states", {});
  if (record_.statistics) {
    whole("count", "", "number of instances that have not diverged, over which means and covariances are taken", {},
          Hdf5Number::i64);
    whole("mean_q", "rad|m", "nominal_q plus the mean displacement from it", {nq});
    whole("mean_v", "rad/s|m/s", "mean velocity", {nv});
    whole("covariance", "", "of displacements from nominal_q and velocities, rows and columns [q; v] of nv each",
          {n, n});
    whole("nominal_q", "rad|m", "configuration of the nominal instance, without randomization", {nq});
    whole("nominal_v", "rad/s|m/s", "velocity of the nominal instance", {nv});
    const Index groups = (end_ - first_ + members_of_group - 1) / members_of_group;
    const auto parts = static_cast<Index>(Ensemble::most_parts(first_ / members_of_group, groups));
    form.pieces.push_back({"sums",
                           "",
                           "counts, means and sums of products of groups of instances, for --resume",
                           {parts, kept, Moments(n).size()}});
  }
  for (const Dataset& d : form.pieces) check_size(d, d.sizes[0] == 0 ? 0 : bytes_of_row(d) / d.sizes[0] * d.piece);
  return form;
}

namespace {

std::string shown(const std::string& name, const std::string& text) {
  return name == "robot_text" ? "another text" : text.empty() ? "none" : readable(text);
}

}  // namespace

std::string run_of(const RolloutRecord& record, const Shard& shard, const std::string& path) {
  const auto found = GrowingHdf5::texts_of(path);
  if (!found || !found->contains("randomize")) throw Error(fmt::format("{}: not a file of tandem rollout", path));
  GrowingHdf5::Texts texts = record.texts;
  if (!shard.is_all()) texts.emplace_back("shard", shard.name());
  std::string differences;
  for (const auto& [name, text] : texts) {
    const auto other = found->find(name);
    if (other != found->end() && other->second == text) continue;
    if (name == "robot_text")
      differences += "\n  robot_text: the description of the robot differs";
    else
      differences += fmt::format("\n  {}: {} in the file, {} now", name,
                                 other == found->end() ? "none" : shown(name, other->second), shown(name, text));
  }
  if (!differences.empty()) throw Error(fmt::format("{} is the file of another rollout:{}", path, differences));
  return found->at("run");
}

template GrowingHdf5::Form RolloutFile<double>::form(const Shard&, Mode) const;
template GrowingHdf5::Form RolloutFile<float>::form(const Shard&, Mode) const;

}  // namespace tandem::cli
