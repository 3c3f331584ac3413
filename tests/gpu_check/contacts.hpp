// SPDX-License-Identifier: Apache-2.0
/// Rollouts with contacts: the kernel against its text on the processor, and steps a second.
#pragma once
#include <vector>

#include "sections.hpp"

namespace tandem::gpu_check {

/// A humanoid and a robot with joints of every type, on a floor, whose links touch each other; instances that differ,
/// and some with more contacts than they have room for.
void add_contact_checks(std::vector<Unit>& units);
/// Steps a second of a humanoid on a floor, arrays on the device, without contacts of its links and with them.
void add_contact_rates(std::vector<Unit>& units);

}  // namespace tandem::gpu_check
