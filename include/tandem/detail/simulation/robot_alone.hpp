// SPDX-License-Identifier: Apache-2.0
/// A robot, or as many as there are lanes, that a kernel steps: accelerations are found by a body.
#pragma once
#include "tandem/detail/problems/energy.hpp"
#include "tandem/detail/simulation/stepped_robot.hpp"

namespace tandem::inline TANDEM_ISA {

/// What resists a unit force that causes the acceleration a. A joint that moves at will gets the unit.
template <class S>
TANDEM_HD S felt_inertia(const S& a) {
  const S resists = select(S(0) < a, S(1) / a, S(1));
  return select(S(0) < resists, resists, S(1));
}

/// One robot whose accelerations are found by a body.
template <class Column, class Robot, class Dynamics, class Work>
struct RobotAlone {
  using S = typename Robot::Number;
  Robot& robot;
  const Dynamics& dynamics;
  Work work;
  static constexpr bool only_explicit = OnlyExplicit<Dynamics>;
  static constexpr bool closes_loops = requires { Dynamics::closes_loops; };

  template <class F>
  TANDEM_HD void for_each(F&& f) {
    f(robot);
  }
  /// Explicit forces add zeros to the diagonal.
  TANDEM_HD void accelerate(bool at_stage, bool) {
    forward(robot.m, at_stage ? robot.q_stage : robot.q, robot.column(at_stage ? robot.v_stage : robot.velocity),
            robot.column(robot.tau), robot.column(robot.diagonal), robot.column(robot.acceleration));
  }
  TANDEM_HD void respond() {
    forward(robot.m.without_gravity(), robot.q, robot.column(robot.still), robot.column(robot.tau),
            robot.column(robot.diagonal), robot.column(robot.acceleration));
  }
  TANDEM_PASS S inertia(Robot&, int row) {
    const Work still = robot.column(robot.still), unit = robot.column(robot.unit),
               response = robot.column(robot.response);
    unit[row] = S(1);
    forward(robot.m.without_gravity(), robot.q, still, unit, still, response);
    unit[row] = S(0);
    return felt_inertia(S(response[row]));
  }
  /// Leads the state back onto its closed loops; 1 in lanes that got there.
  TANDEM_HD S close_loops() const {
    return dynamics.close_loops(as_column<Column>(robot.q), as_column<Column>(robot.column(robot.velocity)));
  }
  TANDEM_PASS void energy(Robot&, Work q, Work v, S& kinetic, S& potential) {
    Energy::body<S>(robot.m, as_column<Column>(q), as_column<Column>(v), as_column<Column>(&kinetic),
                    as_column<Column>(&potential), work);
  }

 private:
  template <class Model>
  TANDEM_HD void forward(const Model& m, Work q, Work v, Work tau, Work diagonal, Work a) {
    dynamics.template body<S>(m, as_column<Column>(q), as_column<Column>(v), as_column<Column>(tau), Column{},
                              as_column<Column>(diagonal), as_column<Column>(a), work);
  }
};
template <class Column, class Robot, class Dynamics, class Work>
TANDEM_HD RobotAlone<Column, Robot, Dynamics, Work> robot_alone(Robot& robot, const Dynamics& dynamics, Work work) {
  return {robot, dynamics, work};
}

}  // namespace tandem::inline TANDEM_ISA
