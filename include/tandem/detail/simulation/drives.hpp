// SPDX-License-Identifier: Apache-2.0
/// What drives the joints of a robot that is stepped, see step.hpp.
#pragma once
#include "tandem/controller.hpp"
#include "tandem/detail/problems/bias_forces.hpp"
#include "tandem/detail/simulation/stepped_robot.hpp"

namespace tandem::inline TANDEM_ISA {

/// Joint forces and wrenches on the links from columns, and a PD controller, each of which may be left out (null).
/// Wrenches lie as in forward dynamics, and stay along the axes of their links.
template <class Column, class Work>
struct ColumnDrive {
  Column tau, f_ext;              ///< [nv] N m|N, [n_links, 6] N, N m
  Controller<Column> controller;  ///< [nq], [nv], [nv]
  Work work;                      ///< of BiasForces, if there are wrenches

  template <class Robot>
  TANDEM_HD void operator()(Robot& robot, Work q, Work, const typename Robot::Number&) const {
    using S = typename Robot::Number;
    const auto given = robot.column(robot.given), pushed = robot.column(robot.pushed);
    for (int k = 0; k < robot.m.nv; ++k) given[k] = tau ? S(tau[k]) : S(0);
    if (!f_ext) return;
    BiasForces::body<S>(robot.m.without_gravity(), as_column<Column>(q), as_column<Column>(robot.column(robot.still)),
                        f_ext, as_column<Column>(pushed), work);
    for (int k = 0; k < robot.m.nv; ++k) pushed[k] = -S(pushed[k]);
  }
  TANDEM_HD bool has_wrenches() const { return static_cast<bool>(f_ext); }
  TANDEM_HD bool has_target() const { return controller.acts(); }
  TANDEM_HD Column target() const { return controller.q_target; }
  TANDEM_HD Column kp() const { return controller.kp; }
  TANDEM_HD Column kd() const { return controller.kd; }
};

}  // namespace tandem::inline TANDEM_ISA
