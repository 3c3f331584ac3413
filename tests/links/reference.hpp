// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "support/cases.hpp"

namespace tandem::test {

/// Forward dynamics by the articulated-body algorithm in extended precision.
Vector reference_acceleration(const Model& model, const State& s, const Vector& f_ext, const Vector& diagonal);

}  // namespace tandem::test
