// SPDX-License-Identifier: Apache-2.0
/// The options of tandem rollout, and what a file says of them.
#pragma once
#include <cstdint>
#include <string>

#include "cli.hpp"
#include "files/growing_hdf5.hpp"
#include "method_options.hpp"
#include "rollout/task.hpp"

namespace tandem::cli {

struct RolloutCommand {
  RobotOptions robot;
  std::int64_t instances = 0, steps = 0, every = 1, at_once = 0;
  double dt = 0, max_speed = 0;
  std::string out, integrator = "semi-implicit-euler", precision = "double", controls = "none", device = "cpu",
              contacts = "auto";
  std::string q0, v0 = "zero", target, kp, kd, randomize, shard, cost, goal, gradient;
  bool last = false, statistics = false, resume = false, lossless = false, no_limits = false, keep_shards = false,
       dry_run = false;
  int threads = 0;
  MethodOptions method;
};

/// All that the numbers of a file depend on. Not the chunks, the threads and the machine: these change nothing but how
/// soon the numbers are there.
GrowingHdf5::Texts texts_of(const RolloutCommand& options, const RolloutTask& task);

/// What instances go through, as the options say. Throws Error for options that do not belong together.
RolloutTask task_of(const RolloutCommand& options);

}  // namespace tandem::cli
