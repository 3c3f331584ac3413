// SPDX-License-Identifier: Apache-2.0
/// The accelerations of a step, and the impacts before it: what depends on each other through them is solved for in
/// passes.
#pragma once
#include "tandem/detail/simulation/stepped_robot.hpp"

namespace tandem::inline TANDEM_ISA {

/// What a drive gives in a state.
template <class Drive, class Robot, class Work, class S>
TANDEM_HD void ask(Drive& drive, Robot& robot, Work q, Work v, const S& time) {
  drive(robot, q, v, time);
  if (robot.rules.effort_limits && !drive.has_target()) robot.clip_given();
}

/// Where the forces of a step are taken: at the state, or at the stage that the stage columns hold; and how far ahead,
/// see SteppedRobot::forces.
enum class StepAt : unsigned char {
  start,   ///< the state
  stage,   ///< the stage, all forces as they are
  middle,  ///< the stage, reached from the state with its own velocity: that of implicit_midpoint
};

/// Classical accelerations (see FreeFlight), with forces after so many steps as far as the integrator is implicit. Dry
/// friction is solved for with them, over the whole step; so are stops, or they push as they were found to.
template <class S, class Robots, class Drive>
TANDEM_PASS void accelerate(Robots& robots, Drive& drive, StepAt at, double reaches, bool implicit, bool solves_stops) {
  robots.for_each([&](auto& robot) TANDEM_INLINE {
    if (drive.has_target()) robot.release_controller();
  });
  const bool at_stage = at != StepAt::start, displaced = at == StepAt::middle;
  for (int pass = 0;; ++pass) {
    bool stopped = false, rubs = false;
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      const auto v = robot.column(robot.velocity), v_at = at_stage ? robot.column(robot.v_stage) : v;
      const S reach = S(reaches) * robot.h;
      robot.forces(drive, at_stage ? robot.q_stage : robot.q,
                   robot.look_ahead(v_at, displaced ? robot.column(robot.begun) : v_at, reach), reach, displaced);
      rubs = rubs || robot.friction.some();
      if (!robot.stops.some()) return;
      stopped = true;
      if (solves_stops)
        robot.stops.add_implicit(v, robot.column(robot.tau), robot.column(robot.diagonal), robot.h, S(1));
      else
        robot.stops.add_found(robot.column(robot.tau));
    });
    robots.accelerate(at_stage, implicit || rubs || (solves_stops && stopped));
    bool again = false;
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      const auto a = robot.column(robot.acceleration);
      if constexpr (CanBranch<S>)  // friction is along axes that turn with the body: before w x v is added
        if (robot.friction.some()) again |= robot.friction.revise(robot.column(robot.velocity), a, robot.h, pass);
      if (robot.flies)
        FreeFlight::make_classical<S>(robot.m, robot.column(at_stage ? robot.v_stage : robot.velocity), a);
    });
    if constexpr (CanBranch<S>) {
      robots.for_each([&](auto& robot) TANDEM_INLINE {
        const auto v = robot.column(robot.velocity);
        const auto v_at = at == StepAt::stage ? robot.column(robot.v_stage) : displaced ? robot.column(robot.begun) : v;
        if (drive.has_target()) again |= robot.clip_controller(drive, v_at, S(reaches) * robot.h, displaced);
        if (solves_stops && robot.stops.some())
          again |= robot.stops.revise(v, robot.column(robot.acceleration), robot.h, pass, S(1),
                                      [&](int row) TANDEM_INLINE { return robots.inertia(robot, row); });
      });
    }
    if (!again) return;
  }
}

/// Joints beyond their limits are led back, after the step: by their positions alone, so that no motion comes of it.
/// What that changes of the robot's energy is the stops' work.
template <class S, class Robots>
TANDEM_PASS void lead_back(Robots& robots) {
  if constexpr (CanBranch<S>) {
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      auto& stops = robot.stops;
      if (!stops.some() || !any(S(0) < stops.look_beyond(robot.q, robot.h))) return;
      const auto energy = [&]() TANDEM_INLINE {
        S kinetic(0), potential(0);
        if (robot.rules.accounts && any(S(0) < stops.far))
          robots.energy(robot, robot.q, robot.column(robot.velocity), kinetic, potential);
        return kinetic + potential;
      };
      const S before = energy(), pushed = stops.lead_back(robot.q, robot.h), change = energy() - before;
      if (!robot.rules.accounts) return;
      const S given = select(S(0) < stops.far, change, pushed);
      robot.energies.dissipated = robot.energies.dissipated - given;
      robot.energies.stopped = robot.energies.stopped - given;
    });
  }
}

/// Robots with a joint that comes to its limit faster than a force could hold it lose that speed at once: an impulse
/// where they are, which changes the velocities of all their joints, and whose work is known exactly.
template <class S, class Robots>
TANDEM_PASS void impact(Robots& robots) {
  if constexpr (CanBranch<S>) {
    bool found = false;
    robots.for_each([&](auto& robot) TANDEM_INLINE {
      robot.hit = S(0);
      if (!robot.stops.some()) return;
      robot.hit = robot.stops.look(robot.q, robot.column(robot.velocity), robot.h,
                                   [&](int row) TANDEM_INLINE { return robots.inertia(robot, row); });
      found |= any(S(0) < robot.hit);
    });
    if (!found) return;
    for (int pass = 0, again = 1; again != 0; ++pass) {
      robots.for_each([&](auto& robot) TANDEM_INLINE {
        const auto tau = robot.column(robot.tau), diagonal = robot.column(robot.diagonal);
        fill(tau, robot.m.nv, S(0));
        fill(diagonal, robot.m.nv, S(0));
        robot.stops.add_implicit(robot.column(robot.velocity), tau, diagonal, robot.h, robot.hit);
      });
      robots.respond();
      again = 0;
      robots.for_each([&](auto& robot) TANDEM_INLINE {
        if (any(S(0) < robot.hit) &&
            robot.stops.revise(robot.column(robot.velocity), robot.column(robot.acceleration), robot.h, pass, robot.hit,
                               [&](int row) TANDEM_INLINE { return robots.inertia(robot, row); }))
          again = 1;
      });
    }
    robots.for_each([&](auto& robot) TANDEM_INLINE { robot.take_impact(); });
  }
}

}  // namespace tandem::inline TANDEM_ISA
