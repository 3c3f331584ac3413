// SPDX-License-Identifier: Apache-2.0
/// Chains whose accuracy is known to differ: what methods that divide a chain are judged by.
#pragma once
#include <cstdint>

#include "tandem/api/compare.hpp"

namespace tandem::bench {

/// Kinds of chains, all of links of about 1 m:
///     normal  coiled at random, one joint in four prismatic, masses of 0.5 to 2 kg
///     rope    slender and nearly straight, revolute joints about two axes in turn, |q| < 0.1
///     mass    normal with masses of 1 g to 1 t
///     hard    rope with such masses and |q| < 0.001, which is nearly singular; one joint in ten prismatic
enum class Family { normal, rope, mass, hard };
inline constexpr Family families[] = {Family::normal, Family::rope, Family::mass, Family::hard};
const char* to_string(Family family);

struct Chain {
  Model model;
  ComparisonState state;
};

/// A chain of n links on a base that accelerates besides gravity, moving at random, with a wrench on its last link. All
/// numbers of the description can be held in float.
Chain chain_of(Family family, int n, std::uint64_t seed);

/// n links on ball joints, each made of three revolute joints about crossed axes with two links without mass between.
Chain chain_of_ball_joints(int n, std::uint64_t seed);

}  // namespace tandem::bench
