// SPDX-License-Identifier: Apache-2.0
/// Steps through time that the laws of steps are tried on: what drives a robot in them, and how large the terms are
/// that they sum up.
#pragma once
#include <span>

#include "check/state.hpp"
#include "tandem/controller.hpp"

namespace tandem::check_detail {

/// What a robot is driven by in a step from the state of the checks, and a direction in which all of that changes. The
/// controller leads as hard as the robot's inertia resists.
template <class T>
struct Stepped {
  Stepped(State<T>& state, Integrator integrator, bool at_stops);

  State<T>& s;
  Integrator integrator;
  bool limits;                               ///< whether it begins at position limits, of which stops act
  T h;                                       ///< s
  std::vector<T> q, v, tau, target, kp, kd;  ///< at the start, and in the step; besides, f_ext of the state
  std::vector<T> by_q, by_v;                 ///< weights of the state afterwards
  Numbers dq, dv, dtau, dtarget, dkp, dkd;   ///< the direction; f_ext changes by as much as it is

  Options options() const;
  Controller<std::span<const T>> controller() const { return {target, kp, kd}; }
  /// Shortens the step, for an iteration that does not converge.
  void shorten() { h /= 4; }

 private:
  void go_to_limits();
};

/// What a step has found, by which the size of its terms is known.
struct Found {
  Numbers v_next;   ///< [nv]
  Numbers dv_next;  ///< [nv] change of v_next along the direction
  Numbers tau_bar;  ///< [nv]
};

/// How far rounding may move the weighted sum of the state after a step along the direction, in units of `unit`. Of
/// steps without stops.
template <class T>
double size_of_products(const Stepped<T>& step, const Found& found);

}  // namespace tandem::check_detail
