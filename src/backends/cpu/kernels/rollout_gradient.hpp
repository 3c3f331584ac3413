// SPDX-License-Identifier: Apache-2.0
/// Gradients of rollouts in packs: a tile of instances goes through all steps and back before the next one.
#pragma once
#include <initializer_list>

#include "rollout.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"
#include "tandem/detail/simulation/energy_by_links.hpp"
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
  void of_start(const Gradient& gradient) {
    put(gradient.column(Gradient::by_q), call_.gradient.by_q0);
    put(gradient.column(Gradient::by_v), call_.gradient.by_v0);
    put(gradient.column(Gradient::by_kp), call_.gradient.by_kp);
    put(gradient.column(Gradient::by_kd), call_.gradient.by_kd);
    if (call_.rollout.model.nv == 0) return;
    const P by_v = gradient.column(Gradient::by_v)[0];
    lost_ = by_v - by_v;
    for (const BatchedParameter<T>& p : call_.gradient.by_parameters) switch (p.parameter) {
        case Parameter::armature: put(gradient.column(Gradient::by_armature), p.values); break;
        case Parameter::damping: put(gradient.column(Gradient::by_damping), p.values); break;
        case Parameter::friction: put(gradient.column(Gradient::by_friction), p.values); break;
        case Parameter::stiffness: put(gradient.column(Gradient::by_stiffness), p.values); break;
        default: break;
      }
  }
  /// By the ten numbers of every link, m, m c and the inertia about its origin, and by gravity; `rows` has 10 n_links
  /// for them.
  void of_links(const P* by_ten, const P* by_gravity, P* rows) const {
    const Index n = call_.rollout.model.n_links;
    for (const BatchedParameter<T>& p : call_.gradient.by_parameters) {
      if (p.parameter == Parameter::gravity) {
        for (int k = 0; k < 3; ++k) rows[k] = by_gravity[k] + lost_;
        feed_.put(rows, 3, p.values);
      }
      const Index width = p.parameter == Parameter::mass ? 1 : p.parameter == Parameter::com ? 3 : 6;
      if (p.parameter != Parameter::mass && p.parameter != Parameter::com && p.parameter != Parameter::inertia)
        continue;
      fill(rows, width * n, lost_);
      for (Index i = 1; i < n; ++i) of_link(p.parameter, i, by_ten + 10 * (i - 1), rows + width * i);
      feed_.put(rows, width * n, p.values);
    }
  }

 private:
  /// I = I_c + m (c.c - c c^T), h = m c
  void of_link(Parameter parameter, Index i, const P* by, P* rows) const {
    const P m = number(Parameter::mass, call_.numbers->link_mass, i);
    P c[3];
    for (int k = 0; k < 3; ++k) c[k] = number(Parameter::com, call_.numbers->link_com, 3 * i + k);
    const P &xx = by[4], &xy = by[5], &yy = by[6], &xz = by[7], &yz = by[8], &zz = by[9];
    const P turned[3] = {(yy + zz) * c[0] - P(0.5) * (xy * c[1] + xz * c[2]),
                         (xx + zz) * c[1] - P(0.5) * (xy * c[0] + yz * c[2]),
                         (xx + yy) * c[2] - P(0.5) * (xz * c[0] + yz * c[1])};
    if (parameter == Parameter::mass) {
      P sum = by[0];
      for (int k = 0; k < 3; ++k) sum = sum + c[k] * (by[1 + k] + turned[k]);
      rows[0] = rows[0] + sum;
    } else if (parameter == Parameter::com) {
      for (int k = 0; k < 3; ++k) rows[k] = rows[k] + m * (by[1 + k] + P(2) * turned[k]);
    } else {
      const P in_order[] = {xx, xy, xz, yy, yz, zz};
      for (int k = 0; k < 6; ++k) rows[k] = rows[k] + in_order[k];
    }
  }
  /// Of the instances, or of the model.
  P number(Parameter parameter, const T* of_model, Index row) const {
    const Array<T>& given = call_.numbers->values[static_cast<int>(parameter)];
    P x(of_model[row]);
    if (given.data) feed_.bring({given.data + row * given.row_stride, given.stride}, 1, &x);
    return x;
  }
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
  P weight_{1}, lost_{0};
  Index b_ = 0;
  int n_ = 0;
};

/// Dynamics in a tile, backwards.
template <class P>
class TileAdjoint {
 public:
  using T = typename RealOf<P>::type;
  using Column = typename TileColumn<P>::Type;

  static Index rows(const RolloutGradientCall<T>& call) {
    const ModelView<T>& m = call.rollout.model;
    return 3 * Index{m.nv} + 3 + (call.by_links() ? 20 * Index{m.n_links} : 0) +
           std::max({ForwardDynamicsVjp::work_rows(m), InverseDynamicsVjp::work_rows(m), InverseDynamics::work_rows(m),
                     EnergyByLinks::work_rows(m)});
  }
  TileAdjoint(const RolloutGradientCall<T>& call, const ModelView<P>& m, const ModelView<P>& as_it_is, P* memory)
      : m_(m),
        as_it_is_(as_it_is),
        weightless_(m.without_gravity()),
        a_(memory),
        ignored_(a_ + m.nv),
        zeros_(ignored_ + m.nv),
        by_gravity_(zeros_ + m.nv),
        by_ten_(call.by_links() ? by_gravity_ + 3 : nullptr),
        work_(by_gravity_ + 3 + (call.by_links() ? 20 * Index{m.n_links} : 0)),
        needs_gravity_(call.by_gravity()) {
    fill(zeros_, m.nv, P(0));
    fill(by_gravity_, 3, P(0));
    if (by_ten_) fill(by_ten_, 10 * Index{m.n_links}, P(0));
  }

  /// Forward dynamics, see StepGradient.
  void operator()(P* q, P* v, P* tau, P* diagonal, P* by_a, P* by_q, P* by_v, P* by_tau, bool sums) const {
    const Index ten = 10 * Index{m_.n_links};
    const Column of_links = by_ten_ && sums ? Column(by_ten_ + ten) : Column();
    run<ForwardDynamicsVjp>(m_, {q, v, tau, by_a, Column(), diagonal, a_, by_q, by_v, by_tau, Column(), of_links});
    if (of_links)
      for (Index k = 0; k < ten - 10; ++k) by_ten_[k] = by_ten_[k] + by_ten_[ten + k];
    if (needs_gravity_ && sums) add_gravity(q, by_tau);
  }

  /// Of a robot at rest without weight, see StepGradient.
  void respond(P* q, P* tau, P* diagonal, P* by_a, P* a, P* by_q, P* by_tau, bool sums) const {
    const Index ten = 10 * Index{m_.n_links};
    const Column of_links = by_ten_ && sums ? Column(by_ten_ + ten) : Column();
    run<ForwardDynamicsVjp>(
        weightless_, {q, zeros_, tau, by_a, Column(), diagonal, a, by_q, ignored_, by_tau, Column(), of_links});
    if (of_links)
      for (Index k = 0; k < ten - 10; ++k) by_ten_[k] = by_ten_[k] + by_ten_[ten + k];
  }

  /// Derivatives of the kinetic energy v.M v / 2 by q and v, and of the potential energy of the weight by q.
  void energy(P* q, P* v, P* by_q, P* by_v, P* of_q) const {
    run<InverseDynamicsVjp>(weightless_, {q, zeros_, v, v, Column(), ignored_, by_q, a_, by_v, Column(), Column()});
    for (Index k = 0; k < m_.nv; ++k) by_q[k] = P(0.5) * by_q[k];
    run<InverseDynamics>(m_, {q, zeros_, zeros_, Column(), of_q});
  }

  /// Adds up how all energy, so weighted, depends on the links and on gravity.
  void energy_by_links(P* q, P* v, const P& weight) const {
    if (!by_ten_ && !needs_gravity_) return;
    EnergyByLinks::add<P>(m_, q, v, weight, by_ten_, needs_gravity_ ? by_gravity_ : nullptr, work_);
  }

  /// Inverse dynamics of the model as it is, with weight or without.
  void inverse(P* q, P* v, P* a, P* by_tau, P* f_ext, bool weighs, P* by_q, P* by_v, P* by_a) const {
    const InverseDynamicsVjp algorithm{};
    const Column forces = f_ext ? Column(f_ext) : Column();
    const Column columns[] = {q, v, a, by_tau, forces, ignored_, by_q, by_v, by_a, Column(), Column()};
    const ModelView<P> m = weighs ? as_it_is_ : as_it_is_.without_gravity();
    Steps ignored[TileColumn<P>::width];
    lane_body_of<InverseDynamicsVjp, T>()(&algorithm, m, columns, work_, ignored);
  }

  P* by_ten() const { return by_ten_; }          ///< by ten numbers of every moving link, and as much memory behind it
  P* by_gravity() const { return by_gravity_; }  ///< three numbers
  P* scratch() const { return by_ten_ ? by_ten_ + 10 * Index{m_.n_links} : a_; }  ///< as many, or three

 private:
  /// What weight along each axis does to the joints.
  void add_gravity(P* q, const P* by_tau) const {
    auto m = weightless_;
    for (int axis = 0; axis < 3; ++axis) {
      m.base_acceleration[3 + axis] = P(1);
      run<InverseDynamics>(m, {q, zeros_, zeros_, Column(), ignored_});
      m.base_acceleration[3 + axis] = P(0);
      for (Index k = 0; k < m.nv; ++k) by_gravity_[axis] = mul_add(by_tau[k], ignored_[k], by_gravity_[axis]);
    }
  }
  template <class A>
  void run(const ModelView<P>& m, std::initializer_list<Column> columns) const {
    const A algorithm{};
    Steps ignored[TileColumn<P>::width];
    lane_body_of<A, T>()(&algorithm, m, columns.begin(), work_, ignored);
  }

  const ModelView<P>& m_;
  const ModelView<P>& as_it_is_;  ///< without parameters of instances
  ModelView<P> weightless_;
  P *a_, *ignored_, *zeros_, *by_gravity_, *by_ten_, *work_;
  bool needs_gravity_;
};

template <class T>
struct RolloutGradientDriver {
  using P = FullPack<T>;
  using Base = RolloutDriver<T>;
  static constexpr int lanes = P::width;
  using Loop =
      RolloutGradientLoop<P, typename Base::Robots, TileFeed<P>, TileInverse<T>, TileAdjoint<P>, TileEnds<P>, P*>;

  static Index rows_of_state(const RolloutGradientCall<T>& call) {
    return Loop::state_rows(call.rollout.model, call.rollout.law) * lanes;
  }
  static Index rows_of_positions(const RolloutGradientCall<T>& call) {
    const auto bytes = call.gradient.checkpoints * static_cast<Index>(sizeof(Index));
    return (bytes + static_cast<Index>(sizeof(P)) - 1) / static_cast<Index>(sizeof(P));
  }
  static Index scratch_size(const RolloutGradientCall<T>& call) {
    const RolloutCall<T>& of = call.rollout;
    const Index packs = TileFeed<P>::rows(of) + TileDynamics<T>::rows(of) + Base::rows_of_robot(of) +
                        Base::work_rows(of) + Loop::work_rows(of.model, of.law, call.gradient.checkpoints) +
                        TileEnds<P>::rows(of) + TileAdjoint<P>::rows(call) + rows_of_positions(call) +
                        2 * rows_of_lane_model<P>(of.model);
    return packs * lanes;
  }

  static void run(const RolloutGradientCall<T>& call, Index begin, Index end, T* scratch) {
    auto* memory = reinterpret_cast<P*>(scratch);
    const RolloutCall<T>& of = call.rollout;
    const auto take = [&](Index rows) { return std::exchange(memory, memory + rows); };
    LaneModel<P> model(of.model, of.parameters, take(rows_of_lane_model<P>(of.model)));
    const LaneModel<P> as_it_is(of.model, nullptr, take(rows_of_lane_model<P>(of.model)));
    const ModelView<P>& m = model.view();
    TileFeed<P> feed(of, take(TileFeed<P>::rows(of)));
    TileDynamics<T> dynamics(of, take(TileDynamics<T>::rows(of)));
    TileEnds<P> ends(call, feed, take(TileEnds<P>::rows(of)));
    P* const of_robot = take(Base::rows_of_robot(of));
    P* const of_loop = take(Loop::work_rows(of.model, of.law, call.gradient.checkpoints));
    P* const of_back = take(TileAdjoint<P>::rows(call));
    auto* const positions = reinterpret_cast<Index*>(take(rows_of_positions(call)));
    P* const work = take(Base::work_rows(of));
    const TileInverse<T> inverse(as_it_is.view(), work);
    for (Index b = begin; b < end; b += lanes) {
      const int n = static_cast<int>(end - b < lanes ? end - b : lanes);
      model.take(b, n);
      feed.take(b, n);
      ends.take(b, n);
      dynamics.take(b, n, m);
      SteppedRobot<P, P, P*> robot(m, of.law, of_robot, P(static_cast<T>(of.law.dt)));
      P* const v = robot.column(robot.velocity);
      feed.bring(of.q0, m.nq, robot.q);
      if (of.v0.data)
        feed.bring(of.v0, m.nv, v);
      else
        fill(v, m.nv, P(0));
      typename Base::Robots robots = {robot, dynamics, work};
      TileAdjoint<P> back(call, m, as_it_is.view(), of_back);
      Loop(of.law, feed, robots, inverse, back, ends, call.gradient.checkpoints, positions, of_loop).run();
      ends.of_links(back.by_ten(), back.by_gravity(), back.scratch());
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
