// SPDX-License-Identifier: Apache-2.0
/// The laws that the dynamics of a robot obey, tried on random states.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "tandem/model/model.hpp"

namespace tandem {

/// What became of a law.
enum class Outcome : unsigned char {
  passed,         ///< held in every state
  failed,         ///< did not
  not_applicable  ///< says nothing of this robot
};

/// One law, tried on every state. The numbers are those of the state and row that came nearest to the tolerance, both
/// relative to the largest number of the quantity compared.
struct PropertyResult {
  std::string name;                           ///< of the law
  Outcome outcome = Outcome::not_applicable;  ///< whether it held
  double error = 0;                           ///< what was found
  double tolerance = 0;                       ///< what is allowed
  std::string note;                           ///< why it does not apply, or what a reader should know
};

/// How laws are tried.
struct CheckOptions {
  int states = 10;         ///< random states to try, 1 or more
  std::uint64_t seed = 1;  ///< the same seed tries the same states on every machine
  bool in_float = false;   ///< compute in single precision
};

/// Tries all laws. A tolerance is 16 sqrt(depth) times the precision of the numbers, times the size of the terms that
/// were summed (lever arms included), taken through |M^-1| where a result was solved for; so that ill-conditioned
/// robots are allowed the digits they cost, and no more. Rates are taken with dual numbers, not with differences.
std::vector<PropertyResult> check_model(const Model& model, const CheckOptions& options = {});

}  // namespace tandem
