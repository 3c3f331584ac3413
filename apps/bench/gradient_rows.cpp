// SPDX-License-Identifier: Apache-2.0
/// Gradients through time, beside the rollouts that they go back through: of a weighted sum of the last state by the
/// start and the joint forces of every step, with all states kept and with some.
#include "gradient_rows.hpp"
#include "rollout_rows.hpp"
#include "tandem/api/rollout_gradient.hpp"

namespace tandem::bench {
namespace {

/// Weights of the last state, and where the gradient goes.
template <class T>
struct GradientData {
  std::vector<T> weights, by_q0, by_v0, by_tau;

  GradientData(const Model& model, const RolloutSize& size) {
    const auto n = static_cast<std::size_t>(size.instances * model.nv());
    weights.assign(n, T(1));
    by_q0.resize(n);
    by_v0.resize(n);
    by_tau.resize(n * static_cast<std::size_t>(size.steps));
  }
  RolloutGradientArrays<T> arrays(const Model& model, const RolloutSize& size, Index checkpoints) {
    const Index nv = model.nv();
    RolloutGradientArrays<T> g;
    g.of_q = g.of_v = Array<T>::input(weights.data(), nv);
    g.by_q0 = Array<T>::output(by_q0.data(), nv);
    g.by_v0 = Array<T>::output(by_v0.data(), nv);
    g.by_tau = Series<T>::output(by_tau.data(), nv * size.steps, nv);
    g.checkpoints = checkpoints;
    return g;
  }
};

template <class T>
Row gradient_row(const RobotPointer& robot, const RolloutSize& size, const std::shared_ptr<RolloutData<T>>& data,
                 const std::shared_ptr<GradientData<T>>& gradient, const RolloutKind& kind, Index checkpoints) {
  const Model model = robot->model;
  Row row = untimed_rollout_row<T>("rollout_gradient", robot, size, kind);
  row.variant = gradient_variant(variant_of(kind), checkpoints == size.steps ? 0 : checkpoints);
  row.run = timed([=] {
    rollout_gradient<T>(model, data->arrays(model, size), gradient->arrays(model, size, checkpoints),
                        Batch<T>(size.instances, kind.threads), data->work, options_of(size, kind));
  });
  return row;
}

template <class T>
void add(Rows& rows, const RobotPointer& robot, const RolloutSize& size, const std::vector<double>& tau) {
  const auto data = rollout_data<T>(*robot, tau);
  const auto gradient = std::make_shared<GradientData<T>>(robot->model, size);
  for (const Integrator integrator :
       {Integrator::semi_implicit_euler, Integrator::rk4, Integrator::implicit_midpoint})
    for (const bool plain : {true, false}) {
      const RolloutKind kind = {1, integrator, plain};
      rows.push_back(rollout_row(robot, size, data, kind));
      rows.push_back(gradient_row(robot, size, data, gradient, kind, size.steps));
      for (const Index kept : kept_states) rows.push_back(gradient_row(robot, size, data, gradient, kind, kept));
    }
}

}  // namespace

void add_gradient_rows(Rows& rows, const RobotPointer& robot) {
  const RolloutSize size = {instances_of_gradients, 100, 2.5e-4};  // implicit_midpoint converges at stops, too
  const auto tau = rollout_forces(robot->model, size);
  add<double>(rows, robot, size, *tau);
  add<float>(rows, robot, size, *tau);
}

}  // namespace tandem::bench
