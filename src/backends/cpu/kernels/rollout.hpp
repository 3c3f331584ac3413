// SPDX-License-Identifier: Apache-2.0
/// Rollouts in packs: a tile of as many instances as a vector register has lanes goes through all steps before the next
/// one.
#pragma once
#include <algorithm>
#include <optional>

#include "backends/cpu/rollout.hpp"
#include "lane_model.hpp"
#include "passes.hpp"
#include "tile_dynamics.hpp"
#include "transpose.hpp"

namespace tandem::inline TANDEM_ISA {

/// What the loop is given: users' arrays, brought into rows of packs where they are needed, those that stay the same
/// once.
template <class P>
class TileFeed {
 public:
  using T = typename RealOf<P>::type;
  static constexpr bool has_functions = false, is_watchable = true;

  /// Rows of packs that it needs.
  static Index rows(const RolloutCall<T>& call) {
    Index sum = 0;
    for (int k = 0; k < n_rollout_inputs; ++k)
      if (call.inputs[k].data) sum += rows_of_input(static_cast<RolloutInput>(k), call.model);
    if (!call.pushes.empty() || call.f_ext.data) sum += 6 * Index{call.model.n_links} + 6;
    return sum + 24 * static_cast<Index>(call.frames.size());
  }

  TileFeed(const RolloutCall<T>& call, P* memory) : call_(call) {
    for (int k = 0; k < n_rollout_inputs; ++k) {
      if (!call.inputs[k].data) continue;
      rows_[k] = memory;
      if (call.inputs[k].step_stride != 0) varying_[n_varying_++] = k;
      memory += rows_of_input(static_cast<RolloutInput>(k), call.model);
    }
    frames_ = memory;
    memory += 24 * static_cast<Index>(call.frames.size());
    f_ext_ = memory;
  }

  /// Goes on to instances b, b + 1, ...
  void take(Index b, int n) {
    b_ = b;
    n_ = n;
    for (int k = 0; k < n_rollout_inputs; ++k)
      if (rows_[k] && call_.inputs[k].step_stride == 0) load(k, 0);
    if (call_.f_ext.data) bring(call_.f_ext, 6 * Index{call_.model.n_links}, f_ext_);
    for (std::size_t k = 0; k < call_.frames.size(); ++k) {
      const FrameCost<T>& f = call_.frames[k];
      P* const own = frames_ + 24 * k;
      if (f.target.step_stride == 0) bring(f.target.at(0), 12, own);
      if (f.weight.data) bring(f.weight, 6, own + 12);
      if (f.final_weight.data) bring(f.final_weight, 6, own + 18);
    }
  }

  void begin(Index step) {
    for (int i = 0; i < n_varying_; ++i) {
      const int k = varying_[i];
      if (step >= call_.law.first + call_.law.steps && rollout_inputs[k].time != InTime::states) continue;
      load(k, step);
      prefetch(k, step + 2);
    }
    for (std::size_t k = 0; k < call_.frames.size(); ++k)
      if (call_.frames[k].target.step_stride != 0) bring(call_.frames[k].target.at(step), 12, frames_ + 24 * k);
  }

  P* input(RolloutInput which) const { return rows_[static_cast<std::size_t>(which)]; }
  T most_speed(Index row) const { return call_.most_speed[row]; }

  bool has_pushes() const { return !call_.pushes.empty() || call_.f_ext.data; }
  /// Wrenches on the links, or null if there are none in this step.
  P* pushes(Index step) {
    if (call_.f_ext.data) return f_ext_;
    bool any_here = false;
    for (const Push<T>& push : call_.pushes) any_here |= push.first <= step && step < push.end;
    if (!any_here) return nullptr;
    const Index rows = 6 * Index{call_.model.n_links};
    fill(f_ext_, rows, P(0));
    for (const Push<T>& push : call_.pushes) {
      if (step < push.first || step >= push.end) continue;
      P* const wrench = f_ext_ + rows;
      bring(push.wrench, 6, wrench);
      for (int k = 0; k < 6; ++k) f_ext_[6 * push.link + k] = f_ext_[6 * push.link + k] + wrench[k];
    }
    return f_ext_;
  }

  int frame(int k) const { return call_.frames[static_cast<std::size_t>(k)].frame; }
  P* frame_target(int k) const { return frames_ + 24 * k; }
  P* frame_weight(int k) const {
    return call_.frames[static_cast<std::size_t>(k)].weight.data ? frames_ + 24 * k + 12 : nullptr;
  }
  P* final_frame_weight(int k) const {
    return call_.frames[static_cast<std::size_t>(k)].final_weight.data ? frames_ + 24 * k + 18 : nullptr;
  }

  void sample(Index k, const P* q, const P* v) const {
    put(q, call_.model.nq, call_.q_path.at(k));
    put(v, call_.model.nv, call_.v_path.at(k));
  }

  bool is_watched() const { return call_.watch || contacts; }
  /// Lanes behind the last instance do as it does.
  template <class Robots, class Drive>
  P watched(Robots& robots, const Drive& drive, P alive, bool is_first) const {
    if (call_.watch) look(*call_.watch, robots, drive, alive, is_first);
    for (int k = n_; k < P::width; ++k) alive.lanes[k] = alive.lanes[n_ - 1];
    if (contacts && !is_first) contacts->keep(alive);
    return alive;
  }

  TileContacts<P>* contacts = nullptr;  ///< or null

  void bring(const Array<T>& from, Index rows, P* to) const {
    gather(from.data + b_ * from.stride, from.stride, from.row_stride, rows, n_, to);
  }
  void put(const P* rows, Index count, const Array<T>& to) const {
    if (to.data) scatter(rows, count, n_, to.data + b_ * to.stride, to.stride, to.row_stride);
  }

 private:
  /// The energies of the step are taken from the robot.
  template <class Robots, class Drive>
  void look(RolloutWatch<T>& watch, Robots& robots, const Drive& drive, P& alive, bool is_first) const {
    auto& robot = robots.robot;
    P *const q = robot.q, *const v = robot.column(robot.velocity);
    P speed(0), kinetic(0), potential(0), controller(0), taken(0);
    ContactTally tallies[P::width];
    for (int k = 0; k < robot.m.nv; ++k) speed = speed + v[k] * v[k];
    const auto numbers = [](P& x) { return reinterpret_cast<T*>(&x); };
    auto& e = robot.energies;
    if (contacts && !is_first) {
      e.dissipated = e.dissipated - (contacts->limit_work + contacts->friction_work + contacts->contact_work);
      e.stopped = e.stopped - contacts->limit_work;
      taken = -contacts->contact_work;
      for (int k = 0; k < n_; ++k) tallies[k] = contacts->tally(k);
    }
    P resisted = e.stopped + taken;
    const WatchedTile<T> tile = {b_,
                                 n_,
                                 numbers(alive),
                                 numbers(speed),
                                 numbers(kinetic),
                                 numbers(potential),
                                 numbers(controller),
                                 numbers(e.dissipated),
                                 numbers(e.stopped),
                                 numbers(e.work),
                                 numbers(e.controlled),
                                 numbers(resisted),
                                 contacts ? tallies : nullptr};
    if (watch.needs_energies(tile, is_first)) robots.energy(robot, q, v, kinetic, potential);
    if (is_first) {
      if (drive.has_target()) {
        robot.distance_to_target(drive, q);
        const P* const errors = robot.column(robot.error);
        for (int k = 0; k < robot.m.nv; ++k)
          controller = controller + robot.gain(drive.kp(), k) / P(2) * errors[k] * errors[k];
      }
      watch.before_first(tile);
    } else {
      watch.after_step(tile);
    }
    e = {P(0), P(0), P(0), P(0)};
  }

  void load(int k, Index step) {
    bring(call_.inputs[k].at(step), rows_of_input(static_cast<RolloutInput>(k), call_.model), rows_[k]);
  }

  /// What lies far apart for every instance, as the processor does not see it coming.
  void prefetch(int k, Index step) const {
    const Series<T>& series = call_.inputs[k];
    if (step >= call_.law.first + call_.law.steps || series.stride == 0 || series.row_stride != 1) return;
    const T* const first = series.data + b_ * series.stride + step * series.step_stride;
    for (int i = 0; i < n_; ++i) __builtin_prefetch(first + i * series.stride);
  }

  const RolloutCall<T>& call_;
  P* rows_[n_rollout_inputs] = {};
  int varying_[n_rollout_inputs] = {}, n_varying_ = 0;  ///< those that differ from step to step
  P *frames_, *f_ext_;
  Index b_ = 0;
  int n_ = 0;
};

template <class T>
RolloutKernel<T> rollout_kernel();

template <class T>
struct RolloutDriver {
  using P = FullPack<T>;
  static constexpr int lanes = P::width;
  using Column = typename TileColumn<P>::Type;
  using Robots = RobotAlone<Column, SteppedRobot<P, P, P*>, TileDynamics<T>, P*>;
  using Loop = RolloutLoop<P, Robots, TileFeed<P>, TileInverse<T>, P*>;

  static Index work_rows(const RolloutCall<T>& call) {
    const Index forward = ForwardDynamics{call.method}.work_rows(call.model);
    return std::max({forward, InverseDynamics::work_rows(call.model), Energy::work_rows(call.model)});
  }
  static Index rows_of_robot(const RolloutCall<T>& call) {
    return SteppedRobot<T, T, T*>::work_rows(call.model, call.law);
  }
  static Index scratch_size(const RolloutCall<T>& call) {
    const Index packs = TileFeed<P>::rows(call) + TileDynamics<T>::rows(call) + rows_of_robot(call) +
                        Loop::work_rows(call.model) + work_rows(call) +
                        (call.parameters ? 2 : 1) * rows_of_lane_model<P>(call.model) +
                        (call.contacts ? Index{call.model.nv} : Index{0});
    return packs * lanes;
  }

  static void run(const RolloutCall<T>& call, Index begin, Index end, T* scratch) {
    auto* memory = reinterpret_cast<P*>(scratch);
    TileFeed<P> feed(call, memory);
    memory += TileFeed<P>::rows(call);
    LaneModel<P> model(call.model, call.parameters, memory);
    memory += rows_of_lane_model<P>(call.model);
    std::optional<LaneModel<P>> as_it_is;  // if instances differ from it
    if (call.parameters) {
      as_it_is.emplace(call.model, nullptr, memory);
      memory += rows_of_lane_model<P>(call.model);
    }
    const ModelView<P>& m = model.view();
    StepRules rules = call.law;
    rules.accounts = call.watch;
    TileDynamics<T> dynamics(call, memory);
    memory += TileDynamics<T>::rows(call);
    P* const of_loop = memory + rows_of_robot(call);
    P* const work = of_loop + Loop::work_rows(call.model);
    const TileInverse<T> inverse(as_it_is ? as_it_is->view() : m, work);
    auto* const pooled = call.contacts ? static_cast<PooledContacts<T>*>(call.contacts->tiles->take()) : nullptr;
    TileContacts<P>* const contacts = pooled ? &pooled->in_lanes() : nullptr;
    feed.contacts = dynamics.contacts = contacts;
    ModelView<P> without_friction;  // which contact dynamics has
    P* const no_friction = work + work_rows(call);
    if (contacts) fill(no_friction, m.nv, P(0));
    for (Index b = begin; b < end; b += lanes) {
      const int n = static_cast<int>(end - b < lanes ? end - b : lanes);
      if (call.watch) call.watch->begin(b, b + n);
      model.take(b, n);
      feed.take(b, n);
      dynamics.take(b, n, m);
      if (contacts) {
        without_friction = m;
        without_friction.friction = no_friction;
      }
      SteppedRobot<P, P, P*> robot(contacts ? without_friction : m, rules, memory, P(static_cast<T>(call.law.dt)));
      P* const v = robot.column(robot.velocity);
      feed.bring(call.q0, m.nq, robot.q);
      if (call.v0.data)
        feed.bring(call.v0, m.nv, v);
      else
        fill(v, m.nv, P(0));
      const Index kept = 3 * Index{m.nv};
      if (call.stops.data) feed.bring(call.stops, kept, robot.stops.rows);
      Robots robots = {robot, dynamics, work};
      const RolloutEnd<P> ended = Loop(call.law, feed, robots, inverse, of_loop).run();
      const P alive = ended.began - ended.diverged;
      if (contacts && call.law.steps > 0) {
        put_limits(alive, contacts->limit_forces(), m.nv, robot.stops.rows + m.nv);
        put_stage(*call.contacts, alive, robot, b, n);
      }
      feed.put(robot.q, m.nq, call.q);
      feed.put(v, m.nv, call.v);
      feed.put(robot.stops.rows, kept, call.stops);
      if (contacts && call.law.steps > 0) contacts->give(alive);
      if (call.law.costs) feed.put(&ended.cost, 1, call.cost);
      report(call, ended, b, n);
      if (call.watch) call.watch->end(b, b + n);
    }
    if (pooled) call.contacts->tiles->give(pooled);
  }

  /// Pushes and sides of joint limits, as stops have them.
  static void put_limits(const P& alive, const P* pushes, int nv, P* rows) {
    for (int k = 0; k < nv; ++k) {
      const P side = select(pushes[k] < P(0), P(1), select(P(0) < pushes[k], P(-1), P(0)));
      rows[k] = select(P(0) < alive, pushes[k], rows[k]);
      rows[nv + k] = select(P(0) < alive, side, rows[nv + k]);
    }
  }

  /// The last stage of rk4, in which contact forces act.
  static void put_stage(const ContactCall<T>& call, const P& alive, const SteppedRobot<P, P, P*>& robot, Index b,
                        int n) {
    if (!call.q_stage) return;
    const auto put = [&](const P* rows, Index count, T* to) {
      for (int lane = 0; lane < n; ++lane)
        for (Index k = 0; k < count && alive.lanes[lane] > T(0); ++k) to[(b + lane) * count + k] = rows[k].lanes[lane];
    };
    put(robot.q_stage, robot.m.nq, call.q_stage);
    put(robot.column(robot.v_stage), robot.m.nv, call.v_stage);
  }

  /// Says what has become of instances b .. b + n - 1.
  static void report(const RolloutCall<T>& call, const RolloutEnd<P>& end, Index b, int n) {
    for (int k = 0; k < n; ++k) {
      if (call.steps) call.steps[b + k] = static_cast<std::int32_t>(end.steps.lanes[k]);
      if (call.status)
        call.status[b + k] = end.began.lanes[k] == T(0)       ? Status::non_finite
                             : end.converged.lanes[k] == T(0) ? Status::not_converged
                             : end.diverged.lanes[k] != T(0)  ? Status::diverged
                                                              : Status::ok;
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
