// SPDX-License-Identifier: Apache-2.0
/// Rollouts with functions of yours inlined into the loop: a controller, a cost. They see numbers S, a robot's or as
/// many robots' as S has lanes.
#pragma once
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/simulation/rollout.hpp"

namespace tandem::inline TANDEM_ISA {

/// A cost that nobody asks for.
struct NoCost {
  template <class S>
  TANDEM_HD S operator()(Index, const S*, const S*, const S*) const {
    return S(0);
  }
  template <class S>
  TANDEM_HD S operator()(const S*, const S*) const {
    return S(0);
  }
};

/// Nothing but functions.
template <class S, class Control, class Cost>
struct FunctionFeed {
  static constexpr bool has_functions = true;
  Control& control_of;
  Cost& cost_of;
  const S* speeds;  ///< [nv] of what is within reason

  TANDEM_HD void begin(Index) {}
  TANDEM_HD S* input(RolloutInput) const { return nullptr; }
  TANDEM_HD bool has_pushes() const { return false; }
  TANDEM_HD S* pushes(Index) const { return nullptr; }
  TANDEM_HD int frame(int) const { return 0; }
  TANDEM_HD S* frame_target(int) const { return nullptr; }
  TANDEM_HD S* frame_weight(int) const { return nullptr; }
  TANDEM_HD S* final_frame_weight(int) const { return nullptr; }
  TANDEM_HD S most_speed(Index row) const { return speeds[row]; }
  TANDEM_HD void sample(Index, const S*, const S*) const {}
  TANDEM_HD void control(Index step, const S* q, const S* v, S* tau) { control_of(step, q, v, tau); }
  TANDEM_HD S cost(Index step, const S* q, const S* v, const S* tau) { return cost_of(step, q, v, tau); }
  TANDEM_HD S final_cost(const S* q, const S* v) { return cost_of(q, v); }
};

/// One robot, or as many as S has lanes, through law.steps steps, with control(step, q, v, tau) for their joint forces:
/// `tau` has zeros, or what holds the robot against its weight if the law has that. cost(step, q, v, tau) is what a
/// second costs before a step, cost(q, v) what the last state does; these are asked where law.costs is set.
///
/// In, out   q [nq] rad|m, v [nv] rad/s|m/s: the state
/// Work      rollout_with_rows(m, law), columns of which are those of the functions
/// Gives     see RolloutEnd; a robot that diverges, because a number is not finite or a joint turns by more than a full
///           turn in a step, keeps the state before that step
template <class M>
TANDEM_HD Index rollout_with_rows(const ModelView<M>& m, const RolloutLaw& law) {
  const Index forward = ForwardDynamics().work_rows(m), others = WorkOf<InverseDynamics, Energy>::work_rows(m);
  return SteppedRobot<M, M, M*>::work_rows(m, law) + Index{m.nq} + 4 * Index{m.nv} +
         (forward < others ? others : forward);
}
template <class S, class M, class Control, class Cost = NoCost>
TANDEM_HD RolloutEnd<S> rollout_with(const ModelView<M>& m, const RolloutLaw& law, S* q, S* v, S* work,
                                     Control&& control, Cost&& cost = Cost()) {
  using Robot = SteppedRobot<S, M, S*>;
  Robot robot(m, law, work, S(law.dt));
  S* const speeds = work + Robot::work_rows(m, law);
  S* const of_loop = speeds + m.nv;
  S* const rest = of_loop + Index{m.nq} + 3 * Index{m.nv};
  fill(speeds, m.nv, S(largest_speed<typename RealOf<S>::type>));
  for (int i = 1; i < m.n_links; ++i)
    for (int k = joint_kind(m.type[i]).lengths; m.mimics[i] == 0 && k < joint_nv(m.type[i]); ++k)
      speeds[m.v_index[i] + k] = S(6.283185307179586 / law.dt);
  const auto weightless = m.without_gravity();
  const auto inverse = [&](S* q_of, S* v_of, S* a, S* f_ext, bool weighs, S* tau) TANDEM_INLINE {
    InverseDynamics().template body<S>(weighs ? m : weightless, q_of, v_of, a, f_ext, tau, rest);
  };
  FunctionFeed<S, std::remove_reference_t<Control>, std::remove_reference_t<Cost>> feed = {control, cost, speeds};
  const ForwardDynamics dynamics;
  auto robots = robot_alone<S*>(robot, dynamics, rest);
  begin(robot, q, v);
  RolloutLoop<S, decltype(robots), decltype(feed), decltype(inverse), S*> loop(law, feed, robots, inverse, of_loop);
  const RolloutEnd<S> ended = loop.run();
  end(robot, q, v);
  return ended;
}

}  // namespace tandem::inline TANDEM_ISA
