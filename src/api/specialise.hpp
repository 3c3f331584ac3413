// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cpu/assembled.hpp"
#include "tandem/api/plan.hpp"

namespace tandem {

/// An algorithm assembled for a robot, with the arguments that a call needs and no more, beside the way that serves any call.
/// Null where it may not pay and `automatic` leaves it so: robots of many links, text that is too long for the processor's cache.
/// Results have the bits of the ordinary way, but for the sign of a zero. Throws Error, where `always` was asked for, that
/// says why it cannot be done.
template <class T>
std::shared_ptr<const Assembled<T>> specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                                                const Way<T>& ordinary, Specialise specialise);

/// Numbers of scratch memory for calls of it.
template <class T>
Index scratch_of(const Assembled<T>& assembled);

}  // namespace tandem
