// SPDX-License-Identifier: Apache-2.0
#include "rollout/file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "cli.hpp"
#include "rollout/costs.hpp"
#include "signals.hpp"

namespace tandem::cli {
namespace {

/// f(part) of each of n parts, on so many threads; 0: all cores.
template <class F>
void for_each_part(Index n, int threads, const F& f) {
  const Index wanted = threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
  const Index workers = std::min<Index>(wanted, n / 16 + 1);
  std::atomic<Index> next = 0;
  const auto work = [&] {
    for (Index part = next++; part < n; part = next++) f(part);
  };
  std::vector<std::thread> others;
  for (Index k = 1; k < workers; ++k) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
}

}  // namespace

template <class T>
GrowingHdf5 RolloutFile<T>::open(const Shard& shard, const std::string& path, Mode mode) const {
  if (mode == Mode::go_on || mode == Mode::read)
    return {path, form(shard, mode), mode == Mode::read ? NewFile::Open::to_read : NewFile::Open::to_go_on};
  return {path, form(shard, mode)};
}

template <class T>
RolloutFile<T>::RolloutFile(const RolloutRecord& record, const Shard& shard, const std::string& path, Mode mode)
    : record_(record),
      task_(record.task),
      first_(record.first(shard)),
      end_(record.end(shard)),
      width_(2 * record.task.model.nv()),
      nq_(static_cast<std::size_t>(task_.model.nq())),
      nv_(static_cast<std::size_t>(task_.model.nv())),
      kept_(static_cast<std::size_t>(task_.kept())),
      file_(open(shard, path, mode)),
      ensemble_(task_.kept(), width_, first_ / members_of_group) {
  const GrowingHdf5::Form names = form(shard, mode);
  for (const auto& d : names.datasets) rows_.push_back(d.name);
  for (const auto& d : names.pieces) pieces_.push_back(d.name);
  if (record_.statistics) find_nominal();
  if (mode == Mode::begin || mode == Mode::join) put_fixed();
  if (!record_.statistics || file_.rows() == 0) return;
  ensemble_.pretend(groups());
  for (std::size_t k = 0; k < ensemble_.parts(); ++k)
    file_.read_piece(dataset("sums"), k, ensemble_.part_to_fill(k).data());
  ensemble_.first_changed();
}

template <class T>
std::size_t RolloutFile<T>::dataset(const char* name) const {
  return static_cast<std::size_t>(std::ranges::find(pieces_, name) - pieces_.begin());
}

/// The motion of the instance in which nothing is random.
template <class T>
void RolloutFile<T>::find_nominal() {
  RolloutTask task = task_;
  task.randomize = Randomize("", task_.model, 0, false);
  RolloutChunk<T> chunk(task);
  nominal_q_.resize(kept_ * nq_);
  nominal_v_.resize(kept_ * nv_);
  chunk.run(
      0, 1,
      [&](Index k, Index moments, const T* q, const T* v) {
        std::copy_n(q, moments * task_.model.nq(), nominal_q_.begin() + k * task_.model.nq());
        std::copy_n(v, moments * task_.model.nv(), nominal_v_.begin() + k * task_.model.nv());
      },
      [](std::int64_t) { return true; });
}

template <class T>
void RolloutFile<T>::put_fixed() {
  std::vector<double> t;
  for (Index k = 0; k < task_.kept(); ++k) t.push_back(static_cast<double>(task_.step_of(k)) * task_.rollout.dt);
  file_.put_piece(dataset("t"), 0, t.data());
  if (!record_.statistics) return;
  file_.put_piece(dataset("nominal_q"), 0, std::vector<double>(nominal_q_.begin(), nominal_q_.end()).data());
  file_.put_piece(dataset("nominal_v"), 0, std::vector<double>(nominal_v_.begin(), nominal_v_.end()).data());
}

template <class T>
void RolloutFile<T>::begin_chunk(Index count) {
  count_ = count;
  const auto n = static_cast<std::size_t>(count);
  if (!record_.statistics) {
    q_.resize(n * kept_ * nq_);
    v_.resize(n * kept_ * nv_);
    return;
  }
  const auto size = static_cast<std::size_t>(ensemble_.moments().size());
  group_moments_.assign((n + members_of_group - 1) / members_of_group, std::vector<double>(kept_ * size));
}

template <class T>
void RolloutFile<T>::look(const RolloutChunk<T>& chunk, Index k, Index moments, const T* q, const T* v) {
  if (record_.statistics) return sum_up(chunk, k, moments, q, v);
  for (std::size_t b = 0; b < static_cast<std::size_t>(count_); ++b)
    for (std::size_t j = 0; j < static_cast<std::size_t>(moments); ++j) {
      const std::size_t from = j * static_cast<std::size_t>(count_) + b,
                        to = b * kept_ + static_cast<std::size_t>(k) + j;
      std::copy_n(q + from * nq_, nq_, q_.data() + to * nq_);
      std::copy_n(v + from * nv_, nv_, v_.data() + to * nv_);
    }
}

/// Every group at every moment by itself, on all threads.
template <class T>
void RolloutFile<T>::sum_up(const RolloutChunk<T>& chunk, Index k, Index moments, const T* q, const T* v) {
  difference_.resize(static_cast<std::size_t>(moments * count_) * nv_);
  for (Index j = 0; j < moments; ++j) {
    const Array<T> arguments[] = {
        Array<T>::input(nominal_q_.data() + static_cast<std::size_t>(k + j) * nq_, 0),
        Array<T>::input(q + j * count_ * task_.model.nq(), task_.model.nq()),
        Array<T>::output(difference_.data() + j * count_ * task_.model.nv(), task_.model.nv())};
    evaluate<T>(find_algorithm("difference"), task_.model, arguments, Batch<T>(count_, task_.threads), work_);
  }
  const auto groups = static_cast<Index>(group_moments_.size());
  for_each_part(moments * groups, task_.threads, [&](Index part) {
    const Index j = part / groups, g = part % groups, begin = g * members_of_group;
    const Index count = std::min(members_of_group, count_ - begin);
    std::vector<double> members(static_cast<std::size_t>(count * width_));
    std::vector<char> sound(static_cast<std::size_t>(count));
    double* row = members.data();
    for (Index b = begin; b < begin + count; ++b) {
      const std::int64_t diverged = chunk.diverged()[static_cast<std::size_t>(b)];
      sound[static_cast<std::size_t>(b - begin)] = diverged == 0 || diverged > task_.step_of(k + j);
      row = std::copy_n(difference_.data() + static_cast<std::size_t>(j * count_ + b) * nv_, nv_, row);
      row = std::copy_n(v + static_cast<std::size_t>(j * count_ + b) * nv_, nv_, row);
    }
    ensemble_.moments().of_group(
        members.data(), sound.data(), count,
        group_moments_[static_cast<std::size_t>(g)].data() + (k + j) * ensemble_.moments().size());
  });
}

template <class T>
void RolloutFile<T>::add(const RolloutChunk<T>& chunk) {
  std::vector<const void*> numbers;
  std::size_t parameter = 0, of_cost = 0;
  for (const std::string& name : rows_) {
    if (name == "q")
      numbers.push_back(q_.data());
    else if (name == "v")
      numbers.push_back(v_.data());
    else if (name == "status")
      numbers.push_back(chunk.status().data());
    else if (name == "diverged_at_step")
      numbers.push_back(chunk.diverged().data());
    else if (name == "q0")
      numbers.push_back(chunk.q0().data());
    else if (name == "v0")
      numbers.push_back(chunk.v0().data());
    else if (name.starts_with("cost"))
      numbers.push_back(chunk.costs().numbers(of_cost++).data());
    else
      numbers.push_back(chunk.parameter(parameter++).data());
  }
  for (std::vector<double>& moments : group_moments_) ensemble_.add_group(std::move(moments));
  if (record_.statistics) put_statistics();
  file_.append(numbers, count_);
}

template <class T>
void RolloutFile<T>::put_statistics() {
  const std::size_t sums = dataset("sums"), all_parts = ensemble_.parts();
  for (std::size_t k = ensemble_.first_changed(); k < all_parts; ++k)
    file_.put_piece(sums, k, ensemble_.part(k).data());
  const auto groups_of_all = (end_ - first_ + members_of_group - 1) / members_of_group;
  for (std::size_t k = all_parts; k < Ensemble::most_parts(first_ / members_of_group, groups_of_all); ++k)
    file_.put_piece(sums, k, nullptr);

  const Moments& moments = ensemble_.moments();
  const auto size = static_cast<std::size_t>(moments.size()), width = static_cast<std::size_t>(width_);
  const std::vector<double> all = ensemble_.all();
  std::vector<std::int64_t> count;
  std::vector<double> mean(width), mean_q(kept_ * nq_), mean_v(kept_ * nv_), covariance(kept_ * width * width);
  Workspace<double> work;
  for (std::size_t k = 0; k < kept_; ++k) {
    count.push_back(static_cast<std::int64_t>(all[k * size]));
    moments.result(all.data() + k * size, mean.data(), covariance.data() + k * width * width);
    const std::vector<double> nominal(nominal_q_.begin() + static_cast<std::ptrdiff_t>(k * nq_),
                                      nominal_q_.begin() + static_cast<std::ptrdiff_t>((k + 1) * nq_));
    integrate<double>(task_.model, nominal, std::span(mean).first(nv_), std::span(mean_q).subspan(k * nq_, nq_), work);
    std::copy_n(mean.data() + nv_, nv_, mean_v.data() + k * nv_);
  }
  file_.put_piece(dataset("count"), 0, count.data());
  file_.put_piece(dataset("mean_q"), 0, mean_q.data());
  file_.put_piece(dataset("mean_v"), 0, mean_v.data());
  file_.put_piece(dataset("covariance"), 0, covariance.data());
}

template <class T>
void RolloutFile<T>::add(const RolloutFile& other) {
  const GrowingHdf5::Form names = form(record_.shard, Mode::read);
  constexpr Index bytes_at_once = Index{1} << 25;
  std::vector<Index> row_bytes;
  Index widest = 1;
  for (const auto& d : names.datasets) {
    Index bytes = static_cast<Index>(bytes_of(d.number));
    for (const Index size : d.sizes) bytes *= size;
    row_bytes.push_back(bytes);
    widest = std::max(widest, bytes);
  }
  if (record_.statistics) {
    ensemble_.add(other.ensemble_);
    put_statistics();
  }
  // with statistics all at once, as they are of all of these
  const Index at_once = record_.statistics ? other.done() : std::max<Index>(1, bytes_at_once / widest);
  std::vector<std::vector<char>> blocks(row_bytes.size());
  for (Index done = 0; done < other.done();) {
    if (StopBySignal::wanted()) throw RunError(fmt::format("interrupted by {}", StopBySignal::name()));
    const Index count = std::min(at_once, other.done() - done);
    std::vector<const void*> numbers;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      blocks[k].resize(static_cast<std::size_t>(count * row_bytes[k]));
      other.file_.read_rows(k, done, count, blocks[k].data());
      numbers.push_back(blocks[k].data());
    }
    file_.append(numbers, count);
    done += count;
  }
}

template <class T>
void RolloutFile<T>::close(const std::string& how) {
  file_.end(how);
  file_.close();
}

template <class T>
void RolloutFile<T>::give_up(const std::string& why) noexcept {
  try {
    file_.end(why);
  } catch (...) {  // then it says that it is running, and what was written is there all the same
  }
}

template class RolloutFile<double>;
template class RolloutFile<float>;

namespace {

/// Whether the file of a part, or of the whole, is there and finished. What lies there may be of another rollout, which
/// is replaced when its part begins; and one who joins the parts may just have removed it.
bool is_finished(const RolloutRecord& record, const Shard& shard) {
  const std::string path = shard.path(record.path);
  try {
    return std::filesystem::exists(path) && run_of(record, shard, path) == "finished";
  } catch (const Error&) {
    return false;
  } catch (const RunError&) {
    if (!std::filesystem::exists(path)) return false;
    throw;
  }
}

}  // namespace

template <class T>
std::string join_shards(const RolloutRecord& record, bool keeps_shards) {
  const Index count = record.shard.count;
  std::vector<Shard> shards;
  std::vector<Index> open;
  for (Index k = 1; k <= count; ++k) {
    shards.push_back({k, count, 1});
    if (record.first(shards.back()) < record.end(shards.back()) && !is_finished(record, shards.back()))
      open.push_back(k);
  }
  if (!open.empty() && is_finished(record, {})) return "";
  if (!open.empty())
    return fmt::format("not finished, or written by another rollout: part{} {} of {}", open.size() > 1 ? "s" : "",
                       fmt::join(open, ", "), count);
  std::optional<NewFile> mine;
  try {
    mine.emplace(shards[0].path(record.path), NewFile::Open::to_go_on);
  } catch (const RunError&) {
    return "another process joins the parts";
  }
  RolloutFile<T> whole(record, {}, record.path, RolloutFile<T>::Mode::join);
  for (const Shard& shard : shards) {
    if (record.first(shard) == record.end(shard)) continue;
    whole.add(RolloutFile<T>(record, shard, shard.path(record.path), RolloutFile<T>::Mode::read));
  }
  whole.close("finished");
  for (const Shard& shard : shards) {
    std::error_code ignored;
    if (!keeps_shards) std::filesystem::remove(shard.path(record.path), ignored);
  }
  return "";
}

template std::string join_shards<double>(const RolloutRecord&, bool);
template std::string join_shards<float>(const RolloutRecord&, bool);

}  // namespace tandem::cli
