// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/threads.hpp"
#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/problems/inverse_kinematics.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class... Part>
[[noreturn]] void refuse(const Part&... parts) {
  throw Error(sentence(InverseKinematics::name, ": ", parts...));
}

constexpr std::size_t n_arguments = std::size(InverseKinematics::arguments);
enum : std::size_t { start, target, weights, found, error };

template <class T>
using Arrays = std::array<Array<T>, n_arguments>;

template <class T>
T& entry(const Array<T>& a, Index state, Index row) {
  return a.data[state * a.stride + row * a.row_stride];
}

template <class T>
void check(const Model& model, int frame, const Arrays<T>& arrays, const Batch<T>& batch,
           const PoseSearchOptions& options) {
  if (frame < 0 || frame >= model.n_frames())
    refuse("frame ", frame, " does not exist; ", model.name(), " has the frames 0 to ", model.n_frames() - 1);
  if (model.n_loops() > 0)
    refuse(model.name(),
           " has closed loops, which inverse_kinematics does not support; use the tree (Model::without_loops, "
           "ModelBuilder::remove_loop) and then close_loops");
  for (const std::size_t k : {start, target, found}) {
    const Argument& argument = InverseKinematics::arguments[k];
    if (!arrays[k].data && shape(argument.rows, model.view<T>()).count() > 0)
      refuse("argument ", argument.name, " is missing");
  }
  for (const Array<T>& a : arrays)
    if (a.data && a.place != Place::host) refuse("arrays are in device memory, but the search runs on the CPU");
  if (batch.size < 0) refuse("batch.size is ", batch.size, ", expected 0 or more");
  if (batch.threads < 0) refuse("threads is ", batch.threads, ", expected 1 or more, or 0 for all cores");
  if (!batch.parameters.empty()) refuse("parameters are not supported: poses do not depend on them");
  if (batch.stream) refuse("stream requires device=\"cuda\"");
  const auto check_size = [&](const char* name, std::size_t entries) {
    if (entries != 0 && static_cast<Index>(entries) != batch.size)
      refuse(name, " has ", entries, " entries, expected ", batch.size);
  };
  check_size("status", batch.status.size());
  check_size("iterations", batch.iterations.size());
  if (!(options.tolerance >= 0)) refuse("tolerance is ", options.tolerance, ", expected 0 or more");
  if (options.max_iterations < 0) refuse("max_iterations is ", options.max_iterations, ", expected 0 or more");
  if (options.restarts < 0) refuse("restarts is ", options.restarts, ", expected 0 or more");
}

/// Throws Error for a target whose axes are not at right angles and of unit length; NaN is for the state's status to
/// tell.
template <class T>
void check_target(const Array<T>& poses, Index state) {
  const auto R = [&](int row, int column) { return double{entry(poses, state, 4 * row + column)}; };
  double off = R(0, 0) * (R(1, 1) * R(2, 2) - R(1, 2) * R(2, 1)) + R(0, 1) * (R(1, 2) * R(2, 0) - R(1, 0) * R(2, 2)) +
               R(0, 2) * (R(1, 0) * R(2, 1) - R(1, 1) * R(2, 0)) - 1;
  off = std::abs(off);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
      off = std::max(off, std::abs(R(0, i) * R(0, j) + R(1, i) * R(1, j) + R(2, i) * R(2, j) - (i == j)));
  if (off > 1e-3)
    refuse("target of state ", state, " is not a pose: the first three columns are not a rotation, error ", off);
}

/// All states once, spread over the threads in whole tiles.
template <class T>
void search(const Model& model, const Options& options, const Arrays<T>& arrays, Index n, int threads, Status* status,
            std::int32_t* steps, Workspace<T>& work) {
  const Kernel<T>& kernel = cpu::in_precision<T>(cpu::in_use().inverse_kinematics);
  Call<T> call = {model.view<T>(), options, arrays.data(), status};
  call.iterations = steps;
  constexpr Index line = 64 / sizeof(T);
  const Index apart = (kernel.scratch_size(call) + line - 1) / line * line, lanes = kernel.lanes;
  const Index tiles = (n + lanes - 1) / lanes;
  const int team = tiles <= 1 ? 1 : cpu::available_threads(threads);
  T* const memory = work.reserve(apart * team);
  cpu::for_each_range(tiles, 1, team, [&](Index begin, Index end, int worker) {
    kernel.run(call, begin * lanes, std::min(end * lanes, n), memory + worker * apart);
  });
}

/// Some states of a batch, side by side.
template <class T>
struct Again {
  std::vector<T> numbers[n_arguments];
  std::vector<Status> status;
  std::vector<std::int32_t> steps;
  Arrays<T> arrays;

  Again(const Model& model, const Arrays<T>& all, const std::vector<Index>& states, const std::vector<double>& q0)
      : status(states.size()), steps(states.size()) {
    for (std::size_t k = 0; k < n_arguments; ++k) {
      if (!all[k].data && k != error) continue;
      const Index rows = shape(InverseKinematics::arguments[k].rows, model.view<T>()).count();
      numbers[k].resize(static_cast<std::size_t>(rows) * states.size());
      arrays[k] = {numbers[k].data(), rows};
      if (!is_input(InverseKinematics::arguments[k])) continue;
      for (std::size_t b = 0; b < states.size(); ++b)
        for (Index row = 0; row < rows; ++row)
          entry(arrays[k], static_cast<Index>(b), row) =
              k == start ? static_cast<T>(q0[static_cast<std::size_t>(row)]) : entry(all[k], states[b], row);
    }
  }
};

}  // namespace

std::span<const Argument> pose_search_arguments() { return InverseKinematics::arguments; }

template <class T>
void inverse_kinematics(const Model& model, int frame, const PoseSearch<T>& given,
                        const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work,
                        const PoseSearchOptions& options) {
  Arrays<T> arrays = {given.q0, given.target, given.weights, given.q, given.error};
  check(model, frame, arrays, batch, options);
  const Index n = batch.size;
  for (Index b = 0; b < (given.target.stride == 0 ? std::min<Index>(n, 1) : n); ++b) check_target(given.target, b);
  Options told;
  told.frame = frame;
  told.tolerance = options.tolerance;
  told.max_iterations = options.max_iterations;

  std::vector<T> left;  // errors and statuses, if nobody else keeps them
  std::vector<Status> states;
  if (!given.error.data) {
    left.resize(static_cast<std::size_t>(std::max<Index>(n, 1)));
    arrays[error] = {left.data(), 1};
  }
  if (batch.status.empty()) states.resize(static_cast<std::size_t>(n));
  Status* const status = batch.status.empty() ? states.data() : batch.status.data();
  std::int32_t* const steps = batch.iterations.empty() ? nullptr : batch.iterations.data();
  search(model, told, arrays, n, batch.threads, status, steps, work);

  std::vector<Index> lost;
  for (int turn = 1; turn <= options.restarts; ++turn) {
    lost.clear();
    for (Index b = 0; b < n; ++b)
      if (status[b] == Status::not_converged) lost.push_back(b);
    if (lost.empty()) return;
    Again<T> again(model, arrays, lost, random_configuration(model, static_cast<std::uint64_t>(turn)));
    const auto count = static_cast<Index>(lost.size());
    search(model, told, again.arrays, count, batch.threads, again.status.data(), again.steps.data(), work);
    for (Index k = 0; k < count; ++k) {
      const Index b = lost[static_cast<std::size_t>(k)];
      if (steps) steps[b] += again.steps[static_cast<std::size_t>(k)];
      if (!(entry(again.arrays[error], k, 0) < entry(arrays[error], b, 0))) continue;
      status[b] = again.status[static_cast<std::size_t>(k)];
      entry(arrays[error], b, 0) = entry(again.arrays[error], k, 0);
      for (Index row = 0; row < model.nq(); ++row) entry(arrays[found], b, row) = entry(again.arrays[found], k, row);
    }
  }
}

template void inverse_kinematics(const Model&, int, const PoseSearch<double>&, const Batch<double>&, Workspace<double>&,
                                 const PoseSearchOptions&);
template void inverse_kinematics(const Model&, int, const PoseSearch<float>&, const Batch<float>&, Workspace<float>&,
                                 const PoseSearchOptions&);

}  // namespace tandem
