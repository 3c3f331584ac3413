// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as source text.
#pragma once
#include <string>

#include "tracing/record.hpp"
#include "tandem/api/source_text.hpp"

namespace tandem {

/// A function of straight lines, without a loop or an array, every number of the robot written in it. `name` is an
/// identifier.
///
/// cpp   template <class S, class... Column> void name(q, v, ..., tau): a column is anything with column[row], S float,
/// double
///       or a pack of them
/// c     void name(const float* q, ..., float* tau), or double
/// cuda  extern "C" __global__ void name(In q, ..., Out tau, unsigned batch): a thread a state, see cuda_text.hpp
std::string function_text(const RecordedFunction& function, Language language, const std::string& name);

/// What stands before the functions of a file, once: helpers of the language.
std::string prelude_text(Language language, Graph::Precision precision);

}  // namespace tandem
