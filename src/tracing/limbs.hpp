// SPDX-License-Identifier: Apache-2.0
/// Limbs that are built alike, found in the graph of a recorded function: the legs of a quadruped, the arms of a
/// humanoid. What one of them computes is the pattern; the others compute the same with other numbers.
#pragma once
#include <vector>

#include "tracing/record.hpp"

namespace tandem {

/// Subtrees of a robot that hang from one link, have as many links, joints of the same types and the same shape. They
/// are the largest such subtrees: there are none inside of others. Links of a subtree are numbered one after the other.
struct AlikeLimbs {
  std::vector<std::int32_t> first_links;
  std::int32_t links;  ///< of each
};
std::vector<AlikeLimbs> alike_limbs(const ModelView<double>& m);

/// An operand in a pattern, with a sign of its own.
struct PatternOperand {
  enum class Of : std::uint8_t {
    own,       ///< what the pattern computes at a place
    import,    ///< what comes from elsewhere: inputs, other links, other limbs
    constant,  ///< a number of each limb
  };
  Of of;
  std::int32_t at;  ///< the place, or the entry of the table
  bool minus;
};

/// A part of a function that limbs have in common: straight lines of the same operations, one for each limb. With the
/// tables `imports` and `constants` a loop over limbs, or a warp for each, computes all of them: every operation has
/// the bits that the graph gives it, but for signs, which `nodes` tells.
struct EqualLimbs {
  struct Step {
    Operation operation;
    PatternOperand operands[4];
  };
  std::vector<std::int32_t> first_links;       ///< of the limbs, a column each in what follows
  std::vector<Step> pattern;                   ///< operands come before what reads them
  std::vector<std::vector<Term>> nodes;        ///< [limb][place] of the pattern: what of the graph it computes there
  std::vector<std::vector<Term>> imports;      ///< [limb][entry]
  std::vector<std::vector<double>> constants;  ///< [limb][entry]
  /// The rounds in which places are computed, in their order: those of round 0 wait for inputs alone, or for what does
  /// not wait for any of these limbs; those of round 1 for what comes from elsewhere when round 0 is there, and so on.
  /// Between two rounds is what has to be computed elsewhere. Numbers of rounds may be left out.
  std::vector<std::int32_t> rounds;
};

/// Limbs that are alike in joints and in the operations that are left when their numbers are known: zeros and ones of
/// the robot stand at the same places, and mirrored ones differ in signs of numbers. Of limbs of which only some are
/// equal, these. The function is one that was recorded for this model.
std::vector<EqualLimbs> equal_limbs(const RecordedFunction& function, const ModelView<double>& m);

}  // namespace tandem
