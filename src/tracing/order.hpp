// SPDX-License-Identifier: Apache-2.0
/// In which order the nodes of a graph are computed.
#pragma once
#include "tracing/record.hpp"

namespace tandem {

/// The nodes that outputs need, constants apart, each after its operands. Depth first: of the steps of the recorded
/// text, one goes next as soon as a step that is begun waits for nothing else, so that a limb goes out and comes back
/// before the next limb begins, and only what lies on the way to the base waits.
std::vector<std::int32_t> depth_first(const RecordedFunction& function);

/// The nodes that outputs need, as they were recorded.
std::vector<std::int32_t> as_recorded(const RecordedFunction& function);

/// The most numbers that wait to be used at a time, inputs from when they are first used.
std::int32_t most_alive(const RecordedFunction& function, const std::vector<std::int32_t>& order);

}  // namespace tandem
