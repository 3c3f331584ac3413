// SPDX-License-Identifier: Apache-2.0
/// What rows of rollouts are made of: which steps, what they read and write, and the call that is timed.
#pragma once
#include <limits>
#include <string>

#include "batch_row.hpp"
#include "rollouts.hpp"
#include "tandem/api/rollout.hpp"

namespace tandem::bench {

RolloutSize rollout_size(const Model& model);
/// [instances][steps][nv] joint forces.
std::shared_ptr<const std::vector<double>> rollout_forces(const Model& model, const RolloutSize& size);

void add_tandem_rollout_rows(Rows& rows, const RobotPointer& robot, const RolloutSize& size,
                             const std::vector<double>& tau);

/// Steps on so many threads; without stops at position limits, damping and friction, or with them.
struct RolloutKind {
  int threads = 1;
  Integrator integrator = Integrator::semi_implicit_euler;
  bool plain = true;
};
inline std::string variant_of(const RolloutKind& kind) {
  const std::string acts = kind.plain ? "" : "stops and losses";
  if (kind.integrator == Integrator::semi_implicit_euler) return acts;
  return to_string(kind.integrator) + (acts.empty() ? acts : ", " + acts);
}
inline RolloutOptions options_of(const RolloutSize& size, const RolloutKind& kind) {
  RolloutOptions options;
  options.dt = size.dt;
  options.steps = size.steps;
  options.integrator = kind.integrator;
  options.limits = options.losses = !kind.plain;
  options.max_speed = std::numeric_limits<double>::infinity();
  return options;
}

/// What is read and written, shared by rows that run one after another.
template <class T>
struct RolloutData {
  std::vector<T> q0, v0, tau, q, v;
  Workspace<T> work;

  /// Joint forces of every step.
  RolloutArrays<T> arrays(const Model& model, const RolloutSize& size) {
    const Index nq = model.nq(), nv = model.nv();
    RolloutArrays<T> a;
    a.q0 = Array<T>::input(q0.data(), nq);
    a.v0 = Array<T>::input(v0.data(), nv);
    a.tau = Series<T>::input(tau.data(), nv * size.steps, nv);
    a.q = Array<T>::output(q.data(), nq);
    a.v = Array<T>::output(v.data(), nv);
    return a;
  }
};
template <class T>
std::shared_ptr<RolloutData<T>> rollout_data(const Robot& robot, const std::vector<double>& tau) {
  const auto in = [](const std::vector<double>& numbers) { return std::vector<T>(numbers.begin(), numbers.end()); };
  const PlainState& s = robot.plain->batch;
  return std::make_shared<RolloutData<T>>(RolloutData<T>{in(s.q), in(s.v), in(tau), in(s.q), in(s.v), {}});
}

/// A row that says what it does, but for the call.
template <class T>
Row untimed_rollout_row(const char* algorithm, const RobotPointer& robot, const RolloutSize& size,
                        const RolloutKind& kind) {
  Row row{algorithm, robot->plain->name, "tandem", variant_of(kind)};
  row.precision = std::is_same_v<T, float> ? "float" : "double";
  row.instruction_set = instruction_set();
  row.batch = size.instances * size.steps;
  row.threads = kind.threads;
  return row;
}
template <class T>
Row rollout_row(const RobotPointer& robot, const RolloutSize& size, const std::shared_ptr<RolloutData<T>>& data,
                const RolloutKind& kind) {
  const Model model = robot->model;
  Row row = untimed_rollout_row<T>("rollout", robot, size, kind);
  row.run = timed([=] {
    rollout<T>(model, data->arrays(model, size), Batch<T>(size.instances, kind.threads), data->work,
               options_of(size, kind));
  });
  return row;
}

}  // namespace tandem::bench
