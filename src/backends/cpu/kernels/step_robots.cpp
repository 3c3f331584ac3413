// SPDX-License-Identifier: Apache-2.0
/// The text of a step for robots whose accelerations are found elsewhere, all of them in one call.
#include "backends/cpu/step_robots.hpp"

#include <cstddef>
#include <new>

#include "run.hpp"
#include "tandem/detail/problems/step.hpp"

namespace tandem::inline TANDEM_ISA {

StepKernels step_kernels();

namespace {

template <class T>
using Robot = SteppedRobot<T, T, T*>;

/// Numbers that a robot takes: itself, and its columns behind it.
template <class T>
constexpr Index rows_of_robot = (sizeof(Robot<T>) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) *
                                (alignof(std::max_align_t) / sizeof(T));
template <class T>
Index rows_of_each(const ModelView<T>& m, const StepRules& rules) {
  constexpr Index line = alignof(std::max_align_t) / sizeof(T);
  return rows_of_robot<T> + (stepped_rows(m, rules) + line - 1) / line * line;
}

/// What of them a step goes through, see simulation/step.hpp.
template <class T>
struct Robots {
  RobotsToStep<T>& host;
  Robot<T>* first;
  Index stride;       // numbers from one to the next
  Index current = 0;  // which one is looked at
  double time = 0;

  Robot<T>& at(Index b) const { return *reinterpret_cast<Robot<T>*>(reinterpret_cast<T*>(first) + b * stride); }
  template <class F>
  void for_each(F&& f) {
    for (current = 0; current < host.batch; ++current) f(at(current));
  }
  /// Rows of the robots of a part: which(robot) says where those of a robot lie.
  template <class F>
  RobotRows<T> rows(BatchPart part, F&& which) const {
    return {which(at(part.first)), stride, part};
  }
  RobotRows<T> column(BatchPart part, typename Robot<T>::Column c) const {
    return rows(part, [c](const Robot<T>& r) { return r.column(c); });
  }
  RobotRows<T> configurations(BatchPart part, bool at_stage) const {
    return rows(part, [at_stage](const Robot<T>& r) { return at_stage ? r.q_stage : r.q; });
  }

  void accelerate(bool at_stage, bool implicit) {
    using R = Robot<T>;
    const BatchPart all = {0, host.batch};
    host.accelerate(configurations(all, at_stage), column(all, at_stage ? R::v_stage : R::velocity),
                    column(all, R::tau), implicit ? column(all, R::diagonal) : RobotRows<T>(),
                    column(all, R::acceleration), time);
  }
  void respond() {
    using R = Robot<T>;
    const BatchPart all = {0, host.batch};
    host.respond(configurations(all, false), column(all, R::tau), column(all, R::diagonal),
                 column(all, R::acceleration));
  }
  T inertia(Robot<T>& r, int row) {
    const BatchPart one = {current, 1};
    T* const unit = r.column(r.unit);
    unit[row] = T(1);
    host.respond(configurations(one, false), column(one, r.unit), {}, column(one, r.response));
    unit[row] = T(0);
    return felt_inertia(r.column(r.response)[row]);
  }
  void energy(Robot<T>&, T* q, T* v, T& kinetic, T& potential) { host.energy(current, q, v, kinetic, potential); }
};

template <class T>
struct HostDrive {
  Robots<T>& robots;

  /// Asked of one robot after the other, where it is or at a stage.
  void operator()(Robot<T>& r, T* q, T*, const T& time) {
    RobotsToStep<T>& host = robots.host;
    const bool at_stage = q != r.q;
    T *const given = r.column(r.given), *const held = r.column(r.response);
    for (int k = 0; k < r.m.nv; ++k) given[k] = host.tau ? host.tau.of(robots.current)[k] : T(0);
    if (host.compensates) {
      const BatchPart one = {robots.current, 1};  // the others may not be at that stage yet
      host.compensate(robots.configurations(one, at_stage), robots.column(one, r.response));
      for (int k = 0; k < r.m.nv; ++k) given[k] += held[k];
    }
    if (host.has_wrenches) host.push(robots.current, q, r.column(r.pushed));
    robots.time = static_cast<double>(time) / static_cast<double>(r.h);
  }
  bool has_wrenches() const { return robots.host.has_wrenches; }
  bool has_target() const { return robots.host.controller.acts(); }
  const T* target() const { return robots.host.controller.q_target.of(robots.current); }
  const T* kp() const { return robots.host.controller.kp.of(robots.current); }
  const T* kd() const { return robots.host.controller.kd.of(robots.current); }
};

template <class T>
Index scratch_of(const ModelView<T>& m, const StepRules& rules, Index batch) {
  return batch * rows_of_each(m, rules);
}

template <class T>
void run_step(RobotsToStep<T>& host) {
  if (host.batch == 0) return;
  const StepRules& rules = host.rules;
  const Index stride = rows_of_each(host.models[0], rules);
  for (Index b = 0; b < host.batch; ++b) {
    T* const place = host.scratch + b * stride;
    auto& robot = *new (place) Robot<T>(host.models[b], rules, place + rows_of_robot<T>, host.h);
    begin(robot, host.q.of(b), host.v.of(b));
    if (host.stops) robot.copy(host.stops.of(b), robot.stops.rows, 3 * Index{robot.m.nv});
  }
  Robots<T> robots = {host, reinterpret_cast<Robot<T>*>(host.scratch), stride};
  HostDrive<T> drive = {robots};
  StepOutcome<T> outcome;
  step(robots, drive, rules, outcome);
  robots.for_each([&](Robot<T>& robot) {
    const Index b = robots.current;
    end(robot, host.q.of(b), host.v.of(b));
    if (host.stops) robot.copy(robot.stops.rows, host.stops.of(b), 3 * Index{robot.m.nv});
    store(host.energies.of(b), 0, robot.energies);
    host.converged[b] = T(0) < robot.failed ? Status::not_converged : Status::ok;
  });
}

}  // namespace

StepKernels step_kernels() {
  return {{&scratch_of<double>, &run_step<double>}, {&scratch_of<float>, &run_step<float>}};
}

}  // namespace tandem::inline TANDEM_ISA
