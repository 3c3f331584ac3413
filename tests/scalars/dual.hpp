// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/core/dual.hpp"

namespace tandem::test {
/// Dual numbers in double.
using Dual = tandem::Dual<double>;
}  // namespace tandem::test
