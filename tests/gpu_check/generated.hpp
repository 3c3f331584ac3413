// SPDX-License-Identifier: Apache-2.0
/// Kernels compiled for one robot, beside those for every robot.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "robots.hpp"
#include "tandem/detail/core/column.hpp"

namespace tandem::gpu_check {

/// A function of a robot: what compiles it, and whether its kernels give the bits of those for every robot.
struct GeneratedCheck {
  std::string robot, algorithm, precision, served_by;
  double seconds = 0;         ///< to record, compile and load it
  double different_bits = 0;  ///< numbers of other bits than the others', zeros of another sign and NaN apart
  bool passed() const { return different_bits == 0; }
};

/// States a second, arrays on the device.
struct GeneratedRate {
  std::string robot, algorithm, precision;
  Index batch = 0;
  double generated = 0, states_first = 0;  ///< arrays [row][batch], [batch][row]
  double every_robot = 0;                  ///< arrays [row][batch]
  double operations = 0;                   ///< of a robot with limbs, of a state
  double straight = 0, by_limbs = 0;       ///< by kernels of a thread a state, of a warp a limb; 0: not measured
};

struct Generated {
  std::vector<GeneratedCheck> checks;
  std::vector<GeneratedRate> rates;
};

/// Of an arm, a humanoid and a robot with joints of every type, which must stay: compiles them on threads of their own. What
/// comes back waits for them, compares and measures, and prints what it finds; nothing where there is no compiler.
std::function<Generated()> begin_generated(const std::vector<Robot>& robots);

}  // namespace tandem::gpu_check
