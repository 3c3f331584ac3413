// SPDX-License-Identifier: Apache-2.0
/// The machine at hand, measured.
#pragma once
#include <functional>
#include <vector>

#include "papers/schedules/message_times.hpp"
#include "papers/schedules/operation_times.hpp"
#include "tandem/api/machine_model.hpp"

namespace tandem {

/// What tasks of the formulations take here, by kinds and all together, on one thread: the fewest us of several
/// attempts.
std::vector<TimedTask> timed_tasks(double milliseconds);

/// The same for states that go together in lanes, times of one state and task on the average.
std::vector<TimedTask> timed_states(double milliseconds);

/// Us that f takes, the middle of many calls in about so many milliseconds.
double middle_time(const std::function<void()>& f, double milliseconds);

}  // namespace tandem
