// SPDX-License-Identifier: Apache-2.0
/// Rollouts in packs: a tile of as many instances as a vector register has lanes goes through all steps before the next
/// one.
#pragma once
#include <algorithm>
#include <optional>

#include "backends/cpu/rollout.hpp"
#include "lane_body.hpp"
#include "lane_model.hpp"
#include "passes.hpp"
#include "run_assembled.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tile_contacts.hpp"
#include "tile_loops.hpp"
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

  bool is_watched() const { return call_.watch; }
  /// The energies of the step are taken from the robot. Lanes behind the last instance do as it does.
  template <class Robots, class Drive>
  P watched(Robots& robots, const Drive& drive, P alive, bool is_first) const {
    RolloutWatch<T>& watch = *call_.watch;
    auto& robot = robots.robot;
    P *const q = robot.q, *const v = robot.column(robot.velocity);
    P speed(0), kinetic(0), potential(0), controller(0), taken(0), steps(0), converged(1);
    for (int k = 0; k < robot.m.nv; ++k) speed = speed + v[k] * v[k];
    const auto numbers = [](P& x) { return reinterpret_cast<T*>(&x); };
    auto& e = robot.energies;
    if (contacts && !is_first) {
      e.dissipated = e.dissipated - (contacts->limit_work + contacts->friction_work + contacts->contact_work);
      e.stopped = e.stopped - contacts->limit_work;
      taken = -contacts->contact_work;
      steps = contacts->steps;
      converged = contacts->converged;
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
                                 contacts ? numbers(taken) : nullptr,
                                 contacts ? numbers(steps) : nullptr,
                                 contacts ? numbers(converged) : nullptr};
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
    for (int k = n_; k < P::width; ++k) tile.alive[k] = tile.alive[n_ - 1];
    if (contacts && !is_first) contacts->keep(alive);
    e = {P(0), P(0), P(0), P(0)};
    return alive;
  }

  TileContacts<T>* contacts = nullptr;  ///< or null

  void bring(const Array<T>& from, Index rows, P* to) const {
    gather(from.data + b_ * from.stride, from.stride, from.row_stride, rows, n_, to);
  }
  void put(const P* rows, Index count, const Array<T>& to) const {
    if (to.data) scatter(rows, count, n_, to.data + b_ * to.stride, to.stride, to.row_stride);
  }

 private:
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

/// Forward dynamics in a tile: by what was assembled for the robot, if that is there, else, and where that does not
/// serve, by the body that is compiled with its kernels; of robots with closed loops lane by lane.
template <class T>
class TileDynamics {
 public:
  using P = FullPack<T>;
  using Column = typename TileColumn<P>::Type;
  static constexpr bool closes_loops = true;

  /// Rows of packs that it needs.
  static Index rows(const RolloutCall<T>& call) {
    return TileLoops<T>::rows(call) + (call.line ? Index{call.line->function.rows()} : 0);
  }

  TileDynamics(const RolloutCall<T>& call, P* memory)
      : call_(call), algorithm_{call.method}, loops_(call, memory), tile_(memory + TileLoops<T>::rows(call)) {}

  /// Goes on to instances b, b + 1, ..., of a model.
  void take(Index b, int n, const ModelView<P>& m) {
    model_ = &m;
    if (contacts) contacts->take(*call_.contacts, b, n);
    loops_.take(b, n);
    if (!call_.line || !call_.parameters) return;
    const Call<T> call = {call_.model, options_, nullptr, nullptr, call_.parameters, 1, call_.line};
    AssembledDriver<T>::gather_parameters(call, b, n, tile_);
  }

  template <class S>
  void body(const ModelView<P>& m, Column q, Column v, Column tau, Column, Column diagonal, Column a, P* work) const {
    if (contacts) return contacts->accelerate(*model_, q, v, tau, Column(), diagonal, a);
    if (m.n_loops > 0) return loops_.accelerate(&m == model_, q, v, tau, diagonal, a);
    if (call_.line && &m == model_ && assembled(q, v, tau, diagonal, a)) return;
    const Column columns[] = {q, v, tau, Column(), diagonal, a};
    Steps ignored[TileColumn<P>::width];
    lane_body_of<ForwardDynamics, T>()(&algorithm_, m, columns, work, ignored);
  }

  P close_loops(Column q, Column v) const { return loops_.close(q, v); }

  TileContacts<T>* contacts = nullptr;  ///< or null

 private:
  /// False if it does not serve every lane.
  bool assembled(Column q, Column v, Column tau, Column diagonal, Column a) const {
    const Index nq = call_.model.nq, nv = call_.model.nv;
    P* const in = tile_;
    for (Index k = 0; k < nq; ++k) in[k] = q[k];
    for (Index k = 0; k < nv; ++k) {
      in[nq + k] = v[k];
      in[nq + nv + k] = tau[k];
      in[nq + 2 * nv + k] = diagonal[k];
    }
    call_.line->function(tile_);
    if (any(AssembledDriver<T>::unserved(*call_.line, tile_))) return false;
    const P* const out = tile_ + call_.line->function.inputs();
    for (Index k = 0; k < nv; ++k) a[k] = out[k];
    return true;
  }

  const RolloutCall<T>& call_;
  ForwardDynamics algorithm_;
  Options options_;
  TileLoops<T> loops_;
  P* tile_;
  const ModelView<P>* model_ = nullptr;  ///< that the states are of, apart from those without weight
};

/// Inverse dynamics in a tile, of the model as it is, without parameters of instances.
template <class T>
class TileInverse {
 public:
  using P = FullPack<T>;
  using Column = typename TileColumn<P>::Type;

  TileInverse(const ModelView<P>& m, P* work) : heavy_(m), weightless_(m.without_gravity()), work_(work) {}
  void operator()(P* q, P* v, P* a, P* f_ext, bool weighs, P* tau) const {
    const InverseDynamics algorithm;
    const Column columns[] = {q, v, a, f_ext ? Column(f_ext) : Column(), tau};
    Steps ignored[TileColumn<P>::width];
    lane_body_of<InverseDynamics, T>()(&algorithm, weighs ? heavy_ : weightless_, columns, work_, ignored);
  }

 private:
  const ModelView<P>& heavy_;
  ModelView<P> weightless_;
  P* work_;
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
    return SteppedRobot<T, T, T*>::work_rows(call.model, rules_of(call.law));
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
    StepRules rules = rules_of(call.law);
    rules.accounts = call.watch;
    TileDynamics<T> dynamics(call, memory);
    memory += TileDynamics<T>::rows(call);
    P* const of_loop = memory + rows_of_robot(call);
    P* const work = of_loop + Loop::work_rows(call.model);
    const TileInverse<T> inverse(as_it_is ? as_it_is->view() : m, work);
    auto* const contacts = call.contacts ? static_cast<TileContacts<T>*>(call.contacts->tiles->take()) : nullptr;
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
      if (contacts && call.law.steps > 0) {
        const P alive = ended.began - ended.diverged;
        contacts->give(alive);
        put_limits(alive, contacts->limit_forces(), m.nv, robot.stops.rows + m.nv);
      }
      feed.put(robot.q, m.nq, call.q);
      feed.put(v, m.nv, call.v);
      feed.put(robot.stops.rows, kept, call.stops);
      if (call.law.costs) feed.put(&ended.cost, 1, call.cost);
      report(call, ended, b, n);
      if (call.watch) call.watch->end(b, b + n);
    }
    if (contacts) call.contacts->tiles->give(contacts);
  }

  /// Pushes and sides of joint limits, as stops have them.
  static void put_limits(const P& alive, const P* pushes, int nv, P* rows) {
    for (int k = 0; k < nv; ++k) {
      const P side = select(pushes[k] < P(0), P(1), select(P(0) < pushes[k], P(-1), P(0)));
      rows[k] = select(P(0) < alive, pushes[k], rows[k]);
      rows[nv + k] = select(P(0) < alive, side, rows[nv + k]);
    }
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
