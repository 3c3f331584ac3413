// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/rollout.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "api/algorithms.hpp"
#include "api/automatic.hpp"
#include "api/methods.hpp"
#include "api/parameters.hpp"
#include "api/plan.hpp"
#include "api/specialise.hpp"
#include "api/workspace_in_use.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cpu/rollout.hpp"
#include "backends/cpu/threads.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "check.hpp"
#include "core/text.hpp"
#include "law.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// What may have been assembled for the robot, for the calls of a rollout.
template <class T>
class RolloutLines {
 public:
  RolloutLines(const Model& model, const RolloutCall<T>& call, const Options& dynamics, Specialise how,
               Workspace<T>& work)
      : model_(model), options_(dynamics) {
    const Algorithm& algorithm = find_algorithm(ForwardDynamics::name);
    way_ = how == Specialise::automatic ? kept(work).own_way(algorithm, model, dynamics)
                                        : asked_for(algorithm, model, dynamics, how, kept(work).of_rollout);
    static T there{};
    arguments_ = {Array<T>{&there}, Array<T>{&there}, Array<T>{&there}, {}, Array<T>{&there}, Array<T>{&there}};
    parameters_ = call.parameters;
  }
  bool any() const { return way_.specialised != nullptr; }
  /// Null while there is none. It is made in the background once there are enough states.
  const Assembled<T>* for_states(Index states) const {
    if (!way_.specialised) return nullptr;
    const Call<T> call = {model_.template view<T>(), options_, arguments_.data(), nullptr, parameters_};
    return way_.specialised->line_for(model_, call, states);
  }

 private:
  /// Made once for the calls of a workspace that ask the same.
  static const Way<T>& asked_for(const Algorithm& algorithm, const Model& model, const Options& options,
                                 Specialise how, typename Kept<T>::AskedFor& last) {
    const auto& acceleration = model.view<double>().base_acceleration;
    const bool same = last.model.lock() == model.shared_data() && last.options == options && last.specialise == how &&
                      last.instruction_set == &cpu::in_use() &&
                      std::equal(last.base_acceleration.begin(), last.base_acceleration.end(), acceleration);
    if (same) return last.way;
    last = {model.shared_data(), options, how, &cpu::in_use(), {}, way_of<T>(algorithm, model, options, {}, how)};
    std::copy_n(acceleration, 6, last.base_acceleration.begin());
    return last.way;
  }

  const Model& model_;
  const Options& options_;
  Way<T> way_;
  std::array<Array<T>, std::size(ForwardDynamics::arguments)> arguments_;
  const ParameterArrays<T>* parameters_;
};

/// Tiles are long enough for each to be worth a thread. While a line is on its way a batch is worked on in parts.
template <class T>
void run_on_processor(RolloutCall<T>& call, const RolloutLines<T>& lines, Index batch, int wanted, Workspace<T>& work) {
  const RolloutKernel<T>& kernel = cpu::in_use().rollout.template in<T>();
  const Index lanes = kernel.lanes, tiles = (batch + lanes - 1) / lanes;
  const int threads = tiles <= 1 ? 1 : cpu::available_threads(wanted);
  for (Index first = 0; first < tiles;) {
    call.line = lines.for_states(first == 0 ? batch * call.law.steps : 0);
    const Index most = call.line || !lines.any() ? tiles : std::max<Index>(Index{8} * threads, tiles / 16);
    const Index n = std::min(tiles - first, most);
    constexpr Index line = 64 / sizeof(T);
    const Index apart = (kernel.scratch_size(call) + line - 1) / line * line;
    T* const memory = work.reserve(apart * threads);
    cpu::for_each_range(n, 1, threads, [&](Index begin, Index end, int worker) {
      kernel.run(call, (first + begin) * lanes, std::min((first + end) * lanes, batch), memory + worker * apart);
    });
    first += n;
  }
}

/// What forward dynamics is told. Throws Error for a method that divides the robot or iterates: states that stay where they
/// are for all steps are stepped one after the other, or side by side.
Options dynamics_of(const Model& model, const RolloutOptions& options) {
  const Algorithm& algorithm = find_algorithm(ForwardDynamics::name);
  if (model.n_loops() > 0)
    throw Error(sentence("rollout: ", element("robot", model.name()),
                         " has closed loops, which rollouts do not close; Simulation does, for batches, too"));
  Options dynamics = options.dynamics;
  check_options(algorithm, model, dynamics);
  if (!is_own(algorithm, dynamics.method)) {
    link_method(algorithm, model, dynamics);  // which says if there is something else wrong with it
    throw Error(
        sentence("rollout: method ", to_string(dynamics.method),
                 " divides the robot or iterates, and a rollout keeps its states in lanes; articulated_body and "
                 "composite_rigid_body serve, and Simulation steps by any method"));
  }
  link_method(algorithm, model, dynamics);
  if (dynamics.method == Method::automatic) dynamics.method = own_method(algorithm, model);
  return dynamics;
}

}  // namespace

template <class T>
void rollout(const Model& model, const std::type_identity_t<RolloutArrays<T>>& arrays,
             const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const RolloutOptions& options,
             const Device& device) {
  check_kind(device);
  check_rollout(model, arrays, batch, options, device);
  const Options dynamics = dynamics_of(model, options);
  const WorkspaceInUse<T> use(work);
  const std::vector<T> most_speed = most_speeds<T>(model, options);
  RolloutCall<T> call = {model.view<T>(), law_of(arrays, options)};
  call.method = dynamics.method;
  fill_inputs(call.inputs, arrays);
  call.frames = arrays.costs.frames;
  call.pushes = arrays.pushes;
  call.most_speed = most_speed.data();
  call.q0 = arrays.q0;
  call.v0 = arrays.v0;
  call.stops = arrays.stops;
  call.q = arrays.q;
  call.v = arrays.v;
  call.q_path = arrays.q_path;
  call.v_path = arrays.v_path;
  call.cost = arrays.cost;
  call.status = batch.status.empty() ? nullptr : batch.status.data();
  call.steps = batch.iterations.empty() ? nullptr : batch.iterations.data();
  std::optional<ParametersOfModel<T>> parameters;
  if (!batch.parameters.empty()) {
    parameters.emplace(model, batch.parameters, batch.size);
    call.parameters = &parameters->arrays();
  }
  if (device.kind == Device::cuda) {
    cuda::roll_out(model, numbered(device).ordinal, call, batch.size, batch.status_place, batch.stream,
                   kept(work).on_gpu);
    return use.end();
  }
  const RolloutLines<T> lines(model, call, dynamics, options.specialise, work);
  run_on_processor(call, lines, batch.size, batch.threads, work);
  use.end();
}

template void rollout(const Model&, const RolloutArrays<double>&, const Batch<double>&, Workspace<double>&,
                      const RolloutOptions&, const Device&);
template void rollout(const Model&, const RolloutArrays<float>&, const Batch<float>&, Workspace<float>&,
                      const RolloutOptions&, const Device&);

}  // namespace tandem
