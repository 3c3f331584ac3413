// SPDX-License-Identifier: Apache-2.0
/// Random numbers by their place: no state, so that what an instance gets depends on nothing but the seed, its number
/// and what is drawn. The same on every machine.
#pragma once
#include <cstdint>
#include <string_view>

namespace tandem::cli {

/// 64 random bits of a place: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011) with the seed as its key.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t instance, std::uint32_t stream, std::uint32_t row);

/// Within (0, 1), 53 bits.
double random_unit(std::uint64_t seed, std::uint64_t instance, std::uint32_t stream, std::uint32_t row);

/// The standard normal number below which one falls with probability p, by algorithm AS 241 (Wichura 1988): relative
/// error below 1e-15.
double normal_quantile(double p);

/// The exponential function, by operations that every machine rounds alike.
double exponential(double x);

/// Of a name, for the stream of what is called so.
std::uint32_t stream_of(std::string_view name);

}  // namespace tandem::cli
