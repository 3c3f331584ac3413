// SPDX-License-Identifier: Apache-2.0
/// Rollouts: ours, with their states in lanes for all steps, beside a call of forward dynamics for as many states.
#include <string>

#include "batch_row.hpp"
#include "rollout_rows.hpp"
#include "threads.hpp"

namespace tandem::bench {
namespace {

/// What is read and written, shared by rows that run one after another.
template <class T>
struct RolloutData {
  std::vector<T> q0, v0, tau, q, v;
  Workspace<T> work;
};

template <class T>
std::vector<T> in(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// The joint forces act in every step; stops, damping and friction as the variant says.
template <class T>
Row rollout_row(const RobotPointer& robot, const RolloutSize& size, const std::shared_ptr<RolloutData<T>>& data,
                int threads, bool plain, Integrator integrator) {
  const Model model = robot->model;
  Row row{"rollout", robot->plain->name, "tandem", plain ? "" : "stops and losses"};
  if (integrator != Integrator::semi_implicit_euler) row.variant += to_string(integrator);
  row.precision = std::is_same_v<T, float> ? "float" : "double";
  row.instruction_set = instruction_set();
  row.batch = size.instances * size.steps;
  row.threads = threads;
  row.run = timed([=] {
    const Index nq = model.nq(), nv = model.nv();
    RolloutArrays<T> arrays;
    arrays.q0 = Array<T>::input(data->q0.data(), nq);
    arrays.v0 = Array<T>::input(data->v0.data(), nv);
    arrays.tau = Series<T>::input(data->tau.data(), nv * size.steps, nv);
    arrays.q = Array<T>::output(data->q.data(), nq);
    arrays.v = Array<T>::output(data->v.data(), nv);
    RolloutOptions options;
    options.dt = size.dt;
    options.steps = size.steps;
    options.integrator = integrator;
    options.limits = options.losses = !plain;
    options.max_speed = std::numeric_limits<double>::infinity();
    rollout<T>(model, arrays, Batch<T>(size.instances, threads), data->work, options);
  });
  return row;
}

template <class T>
void add(Rows& rows, const RobotPointer& robot, const RolloutSize& size, const std::vector<double>& tau) {
  const auto data = std::make_shared<RolloutData<T>>();
  const PlainState& s = robot->plain->batch;
  *data = {in<T>(s.q), in<T>(s.v), in<T>(tau), in<T>(s.q), in<T>(s.v), {}};
  const std::shared_ptr<BatchData<T>> of_states = data_of<T>(*robot, size.instances, false);
  for (const int threads : thread_counts()) {
    for (const bool plain : {true, false})
      rows.push_back(rollout_row(robot, size, data, threads, plain, Integrator::semi_implicit_euler));
    rows.push_back(rollout_row(robot, size, data, threads, true, Integrator::rk4));
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
