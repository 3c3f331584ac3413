// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tracing/record.hpp"

namespace tandem {

/// The same function with sines and cosines written out as the arithmetic of sincos_of_moderate, for targets that have
/// no other. It holds where the angles are below `largest` of their precision.
struct WithoutAngles {
  RecordedFunction function;
  std::vector<Term> angles;  ///< whose sines and cosines were written out
};
WithoutAngles expand_angles(const RecordedFunction& function);

}  // namespace tandem
