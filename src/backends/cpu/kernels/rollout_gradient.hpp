// SPDX-License-Identifier: Apache-2.0
/// Gradients of rollouts in packs: a tile of instances goes through all steps and back before the next one.
#pragma once
#include "rollout.hpp"
#include "tandem/detail/problems/forward_dynamics_derivatives.hpp"
#include "tandem/detail/simulation/rollout_gradient.hpp"

namespace tandem::inline TANDEM_ISA {

template <class T>
RolloutGradientKernel<T> rollout_gradient_kernel();

/// Where the gradient of a tile comes from and goes to.
template <class P>
class TileEnds {
 public:
  using T = typename RealOf<P>::type;

  static Index rows(const RolloutCall<T>& call) { return call.model.nv; }
  TileEnds(const RolloutGradientCall<T>& call, const TileFeed<P>& feed, P* memory)
      : call_(call), feed_(feed), rows_(memory) {}

  /// Goes on to instances b, b + 1, ...
  void take(Index b, int n) {
    b_ = b;
    n_ = n;
    const auto& of_cost = call_.gradient.of_cost;
    weight_ = P(1);
    if (of_cost.data) feed_.bring(of_cost, 1, &weight_);
  }

  template <class Robot>
  void finished(const Robot& robot, const RolloutEnd<P>& end) {
    const RolloutCall<T>& call = call_.rollout;
    feed_.put(robot.q, call.model.nq, call.q);
    feed_.put(robot.column(Robot::velocity), call.model.nv, call.v);
    if (call.law.costs) feed_.put(&end.cost, 1, call.cost);
    RolloutDriver<T>::report(call, end, b_, n_);
  }
  P of_cost() const { return weight_; }
  void of_last(P* by_q, P* by_v) const {
    add(call_.gradient.of_q, by_q);
    add(call_.gradient.of_v, by_v);
  }
  void of_sample(Index k, P* by_q, P* by_v) const {
    add(call_.gradient.of_q_path.at(k), by_q);
    add(call_.gradient.of_v_path.at(k), by_v);
  }
  void of_step(Index step, const P* by_tau, const P* by_target) const {
    put(by_tau, call_.gradient.by_tau.at(step));
    put(by_target, call_.gradient.by_q_target.at(step));
  }
  template <class Gradient>
  void of_start(const Gradient& gradient) const {
    put(gradient.column(Gradient::by_q), call_.gradient.by_q0);
    put(gradient.column(Gradient::by_v), call_.gradient.by_v0);
    put(gradient.column(Gradient::by_kp), call_.gradient.by_kp);
    put(gradient.column(Gradient::by_kd), call_.gradient.by_kd);
  }

 private:
  void add(const Array<T>& from, P* to) const {
    if (!from.data) return;
    const Index nv = call_.rollout.model.nv;
    feed_.bring(from, nv, rows_);
    for (Index k = 0; k < nv; ++k) to[k] = to[k] + rows_[k];
  }
  void put(const P* rows, const Array<T>& to) const { feed_.put(rows, call_.rollout.model.nv, to); }

  const RolloutGradientCall<T>& call_;
  const TileFeed<P>& feed_;
  P* rows_;
  P weight_{1};
  Index b_ = 0;
  int n_ = 0;
};

/// Forward dynamics in a tile, backwards.
template <class P, class M>
class TileBack {
 public:
  using T = typename RealOf<P>::type;
  using Column = typename TileColumn<P>::Type;

  static Index rows(const ModelView<T>& m) { return 3 * Index{m.nv} * m.nv + ForwardDynamicsDerivatives::work_rows(m); }
  TileBack(const ModelView<M>& m, P* memory) : m_(m), matrices_(memory) {}

  void operator()(P* q, P* v, P* tau, P* diagonal, P* by_a, P* by_q, P* by_v, P* by_tau) const {
    const Index n = m_.nv;
    P* const work = matrices_ + 3 * n * n;
    const Column columns[] = {q, v, tau, Column(), diagonal, matrices_, matrices_ + n * n, matrices_ + 2 * n * n};
    const ForwardDynamicsDerivatives algorithm;
    Steps ignored[TileColumn<P>::width];
    lane_bodies_of<ForwardDynamicsDerivatives, T>().template on<M>()(&algorithm, m_, columns, work, ignored);
    times(matrices_, by_a, by_q);
    times(matrices_ + n * n, by_a, by_v);
    times(matrices_ + 2 * n * n, by_a, by_tau);
  }

 private:
  /// to = A^T x
  void times(const P* A, const P* x, P* to) const {
    const Index n = m_.nv;
    for (Index c = 0; c < n; ++c) to[c] = P(0);
    for (Index r = 0; r < n; ++r)
      for (Index c = 0; c < n; ++c) to[c] = mul_add(A[n * r + c], x[r], to[c]);
  }

  const ModelView<M>& m_;
  P* matrices_;
};

template <class T>
struct RolloutGradientDriver {
  using P = FullPack<T>;
  using Base = RolloutDriver<T>;
  static constexpr int lanes = P::width;
  template <class M>
  using Loop = RolloutGradientLoop<P, typename Base::template Robots<M>, TileFeed<P>, TileInverse<T>, TileBack<P, M>,
                                   TileEnds<P>, P*>;

  static Index rows_of_state(const RolloutGradientCall<T>& call) {
    return Loop<T>::state_rows(call.rollout.model) * lanes;
  }
  static Index rows_of_positions(const RolloutGradientCall<T>& call) {
    const auto bytes = call.gradient.checkpoints * static_cast<Index>(sizeof(Index));
    return (bytes + static_cast<Index>(sizeof(P)) - 1) / static_cast<Index>(sizeof(P));
  }
  static Index scratch_size(const RolloutGradientCall<T>& call) {
    const RolloutCall<T>& of = call.rollout;
    Index packs = TileFeed<P>::rows(of) + TileDynamics<T>::rows(of) + Base::rows_of_robot(of) + Base::work_rows(of) +
                  Loop<T>::work_rows(of.model, of.law, call.gradient.checkpoints) + TileEnds<P>::rows(of) +
                  TileBack<P, T>::rows(of.model) + rows_of_positions(call);
    if (of.parameters) packs += rows_of_lane_model<P>(of.model);
    return packs * lanes;
  }

  static void run(const RolloutGradientCall<T>& call, Index begin, Index end, T* scratch) {
    auto* memory = reinterpret_cast<P*>(scratch);
    const RolloutCall<T>& of = call.rollout;
    if (!of.parameters)
      return run_tiles<T>(call, begin, end, memory, [&](Index, int) -> const ModelView<T>& { return of.model; });
    const Options options;
    const Call<T> of_models = {of.model, options, nullptr, nullptr, of.parameters};
    LaneModel<P> model(of_models, memory);
    memory += rows_of_lane_model<P>(of.model);
    run_tiles<P>(call, begin, end, memory, [&](Index b, int n) -> const ModelView<P>& {
      model.take(b, n);
      return model.view();
    });
  }

 private:
  template <class M, class Models>
  static void run_tiles(const RolloutGradientCall<T>& call, Index begin, Index end, P* memory, Models&& models) {
    const RolloutCall<T>& of = call.rollout;
    const auto take = [&](Index rows) { return std::exchange(memory, memory + rows); };
    TileFeed<P> feed(of, take(TileFeed<P>::rows(of)));
    TileDynamics<T> dynamics(of, take(TileDynamics<T>::rows(of)));
    TileEnds<P> ends(call, feed, take(TileEnds<P>::rows(of)));
    P* const of_robot = take(Base::rows_of_robot(of));
    P* const of_loop = take(Loop<M>::work_rows(of.model, of.law, call.gradient.checkpoints));
    P* const of_back = take(TileBack<P, M>::rows(of.model));
    auto* const positions = reinterpret_cast<Index*>(take(rows_of_positions(call)));
    P* const work = take(Base::work_rows(of));
    const TileInverse<T> inverse(of.model, work);
    const StepRules rules = rules_of(of.law);
    for (Index b = begin; b < end; b += lanes) {
      const int n = static_cast<int>(end - b < lanes ? end - b : lanes);
      const ModelView<M>& m = models(b, n);
      feed.take(b, n);
      ends.take(b, n);
      dynamics.take(b, n, m);
      SteppedRobot<P, M, P*> robot(m, rules, of_robot, P(static_cast<T>(of.law.dt)));
      P* const v = robot.column(robot.velocity);
      feed.bring(of.q0, m.nq, robot.q);
      if (of.v0.data)
        feed.bring(of.v0, m.nv, v);
      else
        fill(v, m.nv, P(0));
      typename Base::template Robots<M> robots = {robot, dynamics, work};
      TileBack<P, M> back(m, of_back);
      Loop<M>(of.law, feed, robots, inverse, back, ends, call.gradient.checkpoints, positions, of_loop).run();
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
