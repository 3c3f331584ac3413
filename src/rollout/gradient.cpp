// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/rollout_gradient.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/parameters.hpp"
#include "backends/cpu/rollout.hpp"
#include "backends/cpu/threads.hpp"
#include "call.hpp"
#include "check.hpp"

namespace tandem {
namespace {

/// How many states are kept where nobody says.
constexpr Index usual_bytes = Index{8} << 20, fewest_kept = 32;

template <class T>
Index states_to_keep(const RolloutGradientCall<T>& call, const RolloutGradientKernel<T>& kernel) {
  const Index steps = std::max<Index>(call.rollout.law.steps, 1), asked = call.gradient.checkpoints;
  if (asked > 0) return std::min(asked, steps);
  const Index bytes = kernel.rows_of_state(call) * static_cast<Index>(sizeof(T));
  return std::clamp(usual_bytes / std::max<Index>(bytes, 1), std::min(fewest_kept, steps), steps);
}

}  // namespace

template <class T>
void rollout_gradient(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
                      const std::type_identity_t<RolloutGradientArrays<T>>& gradient,
                      const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const RolloutOptions& options) {
  check_rollout_gradient(model, arrays, gradient, batch, options);
  if (model.n_loops() > 0)
    throw Error(sentence("rollout_gradient: ", element("robot", model.name()),
                         " has closed loops, and gradients do not go back through what closes them after every step; "
                         "differences of rollout do, forward_dynamics_vjp gives those of accelerations"));
  const Options dynamics = dynamics_of(model, options);
  const WorkspaceInUse<T> use(work);
  const std::vector<T> most_speed = most_speeds<T>(model, options);
  RolloutGradientCall<T> call = {call_of<T>(model, arrays, batch, options, dynamics.method, most_speed), gradient};
  std::optional<ParametersOfModel<T>> parameters;
  if (!batch.parameters.empty()) {
    parameters.emplace(model, batch.parameters, batch.size);
    call.rollout.parameters = &parameters->arrays();
  }
  std::optional<ParametersOfModel<T>> numbers;
  if (call.by_links()) call.numbers = &numbers.emplace(model, batch.parameters, batch.size).arrays();
  const RolloutLines<T> lines(model, call.rollout, dynamics, options.specialise, work);
  call.rollout.line = lines.for_states(batch.size * options.steps);
  const RolloutGradientKernel<T>& kernel = cpu::in_use().rollout.template gradient_in<T>();
  call.gradient.checkpoints = states_to_keep(call, kernel);
  const Index lanes = kernel.lanes, tiles = (batch.size + lanes - 1) / lanes;
  const int threads = tiles <= 1 ? 1 : cpu::available_threads(batch.threads);
  constexpr Index line = 64 / sizeof(T);
  const Index apart = (kernel.scratch_size(call) + line - 1) / line * line;
  T* const memory = work.reserve(apart * threads);
  cpu::for_each_range(tiles, 1, threads, [&](Index begin, Index end, int worker) {
    kernel.run(call, begin * lanes, std::min(end * lanes, batch.size), memory + worker * apart);
  });
  use.end();
}

template void rollout_gradient(const Model&, const RolloutArrays<double>&, const RolloutGradientArrays<double>&,
                               const Batch<double>&, Workspace<double>&, const RolloutOptions&);
template void rollout_gradient(const Model&, const RolloutArrays<float>&, const RolloutGradientArrays<float>&,
                               const Batch<float>&, Workspace<float>&, const RolloutOptions&);

}  // namespace tandem
