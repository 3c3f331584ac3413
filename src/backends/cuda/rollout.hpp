// SPDX-License-Identifier: Apache-2.0
/// Rollouts on a GPU, one thread an instance: what a thread does. Nothing in it is CUDA's, so that tests run it on the
/// processor, thread after thread.
#pragma once
#include "backends/cuda/column.hpp"
#include "backends/cuda/plan.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "backends/cuda/variants.hpp"
#include "backends/cuda/variation.hpp"
#include "tandem/api/rollout.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/simulation/rollout.hpp"

namespace tandem::cuda {

/// A rollout, all its arrays on the device; passed to the kernel by value.
template <class T>
struct DeviceRollout {
  RolloutLaw law;
  Method method = Method::automatic;
  Series<T> inputs[n_rollout_inputs];
  FrameCost<T> frames[most_rollout_frames];
  Push<T> pushes[most_rollout_pushes];
  int n_pushes = 0;
  const T* most_speed = nullptr;  ///< [nv]
  Array<T> q0, v0, stops, q, v, cost;
  Series<T> q_path, v_path;
  Status* status = nullptr;
  std::int32_t* steps = nullptr;
  Index batch = 0;
};

/// What the loop is given: users' arrays as they lie.
template <class T>
struct ThreadFeed {
  static constexpr bool has_functions = false;
  using Column = FarColumn<T>;
  const DeviceRollout<T>& call;
  Index b;
  Column f_ext;  ///< [n_links, 6], if there are pushes
  Index n_links, nq, nv;
  Index step = 0;

  TANDEM_HD void begin(Index now) { step = now; }
  TANDEM_HD Column input(RolloutInput which) const {
    return far_column_of(call.inputs[static_cast<int>(which)].at(step), b);
  }
  TANDEM_HD T most_speed(Index row) const { return call.most_speed[row]; }
  TANDEM_HD bool has_pushes() const { return call.n_pushes > 0; }
  TANDEM_HD Column pushes(Index now) const {
    bool any_here = false;
    for (int k = 0; k < call.n_pushes; ++k)
      any_here = any_here || (call.pushes[k].first <= now && now < call.pushes[k].end);
    if (!any_here) return {};
    fill(f_ext, Index{6} * n_links, T(0));
    for (int k = 0; k < call.n_pushes; ++k) {
      const Push<T>& push = call.pushes[k];
      if (now < push.first || now >= push.end) continue;
      const Column wrench = far_column_of(push.wrench, b);
      for (int i = 0; i < 6; ++i) f_ext[6 * push.link + i] = f_ext[6 * push.link + i] + wrench[i];
    }
    return f_ext;
  }
  TANDEM_HD int frame(int k) const { return call.frames[k].frame; }
  TANDEM_HD Column frame_target(int k) const { return far_column_of(call.frames[k].target.at(step), b); }
  TANDEM_HD Column frame_weight(int k) const { return far_column_of(call.frames[k].weight, b); }
  TANDEM_HD Column final_frame_weight(int k) const { return far_column_of(call.frames[k].final_weight, b); }
  TANDEM_HD void sample(Index k, Column q, Column v) const {
    bring(q, call.q_path.at(k), b, nq);
    bring(v, call.v_path.at(k), b, nv);
  }

  /// To an array, if it is there.
  TANDEM_HD static void bring(Column from, const Array<T>& to, Index b, Index rows) {
    if (!to.data) return;
    const Column there = far_column_of(to, b);
    for (Index k = 0; k < rows; ++k) there[k] = from[k];
  }
};

/// Inverse dynamics of the model that all instances have.
template <class T, class M>
struct ThreadInverse {
  using Column = FarColumn<T>;
  const ModelView<M>& heavy;
  ModelView<M> weightless;
  Column work;

  TANDEM_HD ThreadInverse(const ModelView<M>& m, Column w) : heavy(m), weightless(m.without_gravity()), work(w) {}
  TANDEM_HD void operator()(Column q, Column v, Column a, Column f_ext, bool weighs, Column tau) const {
    InverseDynamics().template body<T>(weighs ? heavy : weightless, q, v, a, f_ext, tau, work);
  }
};

/// Forward dynamics of a thread: `ByMethod` of what the call says, else that which is compiled for the joints of the
/// model.
template <class Dynamics, class T>
TANDEM_HD Dynamics dynamics_of([[maybe_unused]] const DeviceRollout<T>& call) {
  if constexpr (std::is_same_v<Dynamics, ForwardDynamics>)
    return ForwardDynamics{call.method};
  else
    return {};
}

/// Rows of scratch memory of a thread.
template <class T, class M>
TANDEM_HD Index rollout_rows(const DeviceRollout<T>& call, const ModelView<M>& m) {
  const Index forward = ForwardDynamics{call.method}.work_rows(m),
              others = WorkOf<InverseDynamics, Energy>::work_rows(m);
  return SteppedRobot<T, M, FarColumn<T>>::work_rows(m, call.law) + m.nq + 3 * Index{m.nv} +
         (call.n_pushes > 0 ? 6 * Index{m.n_links} : 0) + (forward < others ? others : forward);
}

/// All steps of instance b with a robot that has columns of its own.
template <class T, class M, class Robot, class Dynamics, class Feed>
TANDEM_HD RolloutEnd<T> run_steps(const DeviceRollout<T>& call, Robot& robot, const Dynamics& dynamics, Feed& feed,
                                  const ThreadInverse<T, M>& inverse, FarColumn<T> of_loop, FarColumn<T> work,
                                  Index b) {
  using Column = FarColumn<T>;
  auto robots = robot_alone<Column>(robot, dynamics, work);
  const T still(0);
  if (call.v0.data)
    begin(robot, far_column_of(call.q0, b), far_column_of(call.v0, b));
  else
    begin(robot, far_column_of(call.q0, b), in_every_row(still));
  const Column stops = far_column_of(call.stops, b);
  for (Index k = 0; stops && k < 3 * Index{robot.m.nv}; ++k) robot.stops.rows[k] = stops[k];
  return RolloutLoop<T, decltype(robots), Feed, ThreadInverse<T, M>, Column>(call.law, feed, robots, inverse, of_loop)
      .run();
}

/// Writes where instance b ended.
template <class T, class Robot>
TANDEM_HD void give_end(const DeviceRollout<T>& call, const Robot& robot, const RolloutEnd<T>& ended, Index b) {
  const Index nq = robot.m.nq, nv = robot.m.nv;
  ThreadFeed<T>::bring(robot.q, call.q, b, nq);
  ThreadFeed<T>::bring(robot.column(robot.velocity), call.v, b, nv);
  ThreadFeed<T>::bring(robot.stops.rows, call.stops, b, 3 * nv);
  if (call.law.costs) call.cost.data[b * call.cost.stride] = ended.cost;
  if (call.steps) call.steps[b] = static_cast<std::int32_t>(ended.steps);
  if (call.status)
    call.status[b] = ended.began == T(0)       ? Status::non_finite
                     : ended.converged == T(0) ? Status::not_converged
                     : ended.diverged != T(0)  ? Status::diverged
                                               : Status::ok;
}

/// Instance b, of a model m; `nominal` is the one that controls know.
template <class Dynamics, class T, class M>
TANDEM_HD void roll_out(const DeviceRollout<T>& call, const ModelView<M>& m, const ModelView<M>& nominal, Index b,
                        FarColumn<T> w) {
  using Column = FarColumn<T>;
  using Robot = SteppedRobot<T, M, Column>;
  Robot robot(m, call.law, w, T(call.law.dt));
  const Column of_loop = w + Robot::work_rows(m, call.law), f_ext = of_loop + (m.nq + 3 * Index{m.nv});
  const Column work = call.n_pushes > 0 ? f_ext + 6 * Index{m.n_links} : f_ext;
  ThreadFeed<T> feed = {call, b, f_ext, m.n_links, m.nq, m.nv};
  const ThreadInverse<T, M> inverse(nominal, work);
  const auto ended = run_steps(call, robot, dynamics_of<Dynamics>(call), feed, inverse, of_loop, work, b);
  give_end(call, robot, ended, b);
}

/// Thread t works with column t of the scratch memory on the instances t, t + columns, ...: calls f(model, the one that
/// controls know, instance, column).
template <Models models, class T, class M, class F>
TANDEM_HD void for_each_instance(Index batch, const ModelView<M>& m, const Scratch<T>& scratch,
                                 [[maybe_unused]] const Variation<T>& variation, Index t, F&& f) {
  if (t >= scratch.columns) return;
  const FarColumn<T> work(scratch.data + t, scratch.stride);
  if constexpr (models == Models::varied) {
    ThreadModel<T> model(m, variation, t);
    const auto nominal = model.view();
    for (Index b = t; b < batch; b += scratch.columns) {
      model.take(b);
      f(model.view(), nominal, b, work);
    }
  } else {
    for (Index b = t; b < batch; b += scratch.columns) f(m, m, b, work);
  }
}

template <Models models, class Dynamics, class T, class M>
TANDEM_HD void run_rollout_thread(const DeviceRollout<T>& call, const ModelView<M>& m, const Scratch<T>& scratch,
                                  const Variation<T>& variation, Index t) {
  for_each_instance<models>(call.batch, m, scratch, variation, t,
                            [&](const auto& own, const auto& nominal, Index b, FarColumn<T> work)
                                TANDEM_INLINE { roll_out<Dynamics>(call, own, nominal, b, work); });
}

}  // namespace tandem::cuda
