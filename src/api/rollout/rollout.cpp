// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/rollout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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
#include "check.hpp"
#include "core/text.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// How fast every row of v may be.
template <class T>
std::vector<T> most_speeds(const Model& model, const RolloutOptions& options) {
  const auto& m = model.view<T>();
  std::vector<T> most(static_cast<std::size_t>(m.nv), std::numeric_limits<T>::infinity());
  if (options.max_speed > 0) {
    std::ranges::fill(most, static_cast<T>(options.max_speed));
    return most;
  }
  for (int i = 1; i < m.n_links; ++i)
    for (int k = joint_kind(m.type[i]).lengths; m.mimics[i] == 0 && k < joint_nv(m.type[i]); ++k)
      most[static_cast<std::size_t>(m.v_index[i] + k)] = static_cast<T>(2 * std::numbers::pi / options.dt);
  return most;
}

template <class T>
RolloutLaw law_of(const RolloutArrays<T>& arrays, const RolloutOptions& options) {
  RolloutLaw law;
  law.dt = options.dt;
  law.first = options.first_step;
  law.steps = options.steps;
  law.every = options.every;
  law.integrator = options.integrator;
  law.losses = options.losses;
  law.limits = options.limits;
  law.computed_torque = arrays.q_target.data && options.tracking == Tracking::computed_torque;
  law.gravity_compensation = options.gravity_compensation;
  law.effort_limits = options.effort_limits;
  law.samples = arrays.q_path.data || arrays.v_path.data;
  law.costs = arrays.cost.data;
  law.frames = static_cast<int>(arrays.costs.frames.size());
  return law;
}

template <class T>
void fill_inputs(RolloutCall<T>& call, const RolloutArrays<T>& a) {
  const auto constant = [](const Array<T>& x) { return Series<T>{x.data, x.stride, 0, x.row_stride, x.place}; };
  const RolloutCost<T>& c = a.costs;
  const Series<T> all[] = {a.tau,
                           a.q_target,
                           a.v_target,
                           a.a_target,
                           constant(a.kp),
                           constant(a.kd),
                           c.q_reference,
                           c.v_reference,
                           constant(c.q_weight),
                           constant(c.v_weight),
                           constant(c.effort_weight),
                           constant(c.final_q_weight),
                           constant(c.final_v_weight)};
  static_assert(std::size(all) == n_rollout_inputs);
  std::ranges::copy(all, call.inputs);
}

/// Instances that are worth waking a thread for are so few that every tile is.
template <class T>
void run_on_processor(const RolloutCall<T>& call, Index batch, int wanted, Workspace<T>& work) {
  const RolloutKernel<T>& kernel = cpu::in_use().rollout.template in<T>();
  constexpr Index line = 64 / sizeof(T);
  const Index apart = (kernel.scratch_size(call) + line - 1) / line * line, lanes = kernel.lanes;
  const Index tiles = (batch + lanes - 1) / lanes;
  const int threads = tiles <= 1 ? 1 : cpu::available_threads(wanted);
  T* const memory = work.reserve(apart * threads);
  cpu::for_each_range(tiles, 1, threads, [&](Index begin, Index end, int worker) {
    kernel.run(call, begin * lanes, std::min(end * lanes, batch), memory + worker * apart);
  });
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
  if (device.kind == Device::cuda) throw Error("rollout: device is cuda, and this version rolls out on the processor");
  const WorkspaceInUse<T> use(work);
  const std::vector<T> most_speed = most_speeds<T>(model, options);
  RolloutCall<T> call = {model.view<T>(), law_of(arrays, options)};
  call.method = dynamics.method;
  fill_inputs(call, arrays);
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
  if (batch.parameters.empty()) {
    run_on_processor(call, batch.size, batch.threads, work);
  } else {
    const ParametersOfModel<T> parameters(model, batch.parameters, batch.size);
    call.parameters = &parameters.arrays();
    run_on_processor(call, batch.size, batch.threads, work);
  }
  use.end();
}

template void rollout(const Model&, const RolloutArrays<double>&, const Batch<double>&, Workspace<double>&,
                      const RolloutOptions&, const Device&);
template void rollout(const Model&, const RolloutArrays<float>&, const Batch<float>&, Workspace<float>&,
                      const RolloutOptions&, const Device&);

}  // namespace tandem
