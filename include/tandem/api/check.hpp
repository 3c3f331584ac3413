// SPDX-License-Identifier: Apache-2.0
/// Checks of invariants of mechanics on random states of a robot.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/model/model.hpp"

namespace tandem {

/// Outcome of a check.
enum class Outcome : unsigned char {
  passed,         ///< holds in every state
  failed,         ///< does not hold
  not_applicable  ///< does not apply to this robot
};

/// One check over all states. The numbers are those of the state and row closest to the tolerance, both
/// relative to the largest number of the quantity compared.
struct PropertyResult {
  std::string name;                           ///< of the invariant
  Outcome outcome = Outcome::not_applicable;  ///< outcome
  double error = 0;                           ///< error found
  double tolerance = 0;                       ///< allowed error
  std::string note;                           ///< why it does not apply, or a remark
};

/// Options of checks.
struct CheckOptions {
  int states = 10;         ///< number of random states, 1 or more
  std::uint64_t seed = 1;  ///< seed of the states, which are the same on every machine
  bool in_float = false;   ///< compute in single precision
};

/// Check all invariants. The tolerance is 16 sqrt(depth) times the machine epsilon, times the size of the summed terms
/// (including lever arms), multiplied by |M^-1| for solutions of linear systems, so that ill-conditioned
/// robots have larger tolerances. Rates are computed with dual numbers.
std::vector<PropertyResult> check_model(const Model& model, const CheckOptions& options = {});

}  // namespace tandem
