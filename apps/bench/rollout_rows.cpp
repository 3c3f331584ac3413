// SPDX-License-Identifier: Apache-2.0
/// Rollouts: ours, with their states in lanes for all steps, beside a call of forward dynamics for as many states.
#include "rollout_rows.hpp"

#include "threads.hpp"

namespace tandem::bench {
namespace {

template <class T>
void add(Rows& rows, const RobotPointer& robot, const RolloutSize& size, const std::vector<double>& tau) {
  const auto data = rollout_data<T>(*robot, tau);
  const std::shared_ptr<BatchData<T>> of_states = data_of<T>(*robot, size.instances, false);
  for (const int threads : thread_counts()) {
    for (const bool plain : {true, false})
      rows.push_back(rollout_row(robot, size, data, {threads, Integrator::semi_implicit_euler, plain}));
    rows.push_back(rollout_row(robot, size, data, {threads, Integrator::rk4, true}));
    rows.push_back(row_of<T>(
        robot, {"forward_dynamics", size.instances, threads, instruction_set(), false, Specialise::wait}, of_states));
  }
}

}  // namespace

RolloutSize rollout_size(const Model& model) { return {model.nv() > 10 ? 10'000 : 100'000, 100, 1e-3}; }

std::shared_ptr<const std::vector<double>> rollout_forces(const Model& model, const RolloutSize& size) {
  auto forces = std::make_shared<std::vector<double>>();
  const auto n = static_cast<std::size_t>(size.instances * size.steps * model.nv());
  forces->reserve(n);
  std::uint64_t state = 1;  // small ones, any will do
  for (std::size_t k = 0; k < n; ++k) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    forces->push_back(static_cast<double>(state >> 40) * 0x1p-24 - 0.5);
  }
  return forces;
}

void add_tandem_rollout_rows(Rows& rows, const RobotPointer& robot, const RolloutSize& size,
                             const std::vector<double>& tau) {
  add<double>(rows, robot, size, tau);
  add<float>(rows, robot, size, tau);
}

}  // namespace tandem::bench
