// SPDX-License-Identifier: Apache-2.0
/// Fixed tendons of a model.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tandem/model/model.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {

/// A fixed tendon, see TendonDescription.
struct Tendon {
  /// The part of a joint in its length.
  struct Part {
    int joint = 0;           ///< index of the joint
    double coefficient = 1;  ///< m/rad of angles, 1 of lengths
  };
  std::string name{};                                       ///< unique name
  std::vector<Part> joints{};                               ///< its joints
  double lower = -std::numeric_limits<double>::infinity();  ///< lower limit of the length, m
  double upper = std::numeric_limits<double>::infinity();   ///< upper limit of the length, m
  double friction = 0;                                      ///< dry friction, N
  double stiffness = 0;                                     ///< stiffness of its spring, N/m
  double damping = 0;                                       ///< viscous, N s/m
  std::array<double, 2> rest{0, 0};                         ///< lengths between which the spring is slack, m
  ContactSoftness limit_softness{};                         ///< softness of the limits; they act from their margin on
  ContactSoftness friction_softness{};                      ///< softness of the friction
};

/// The fixed tendons of a robot, in the order of the description. The span is valid as long as a copy of the model
/// exists.
std::span<const Tendon> tendons(const Model& model);

/// Lengths of the tendons of a robot in the configuration q [nq], m. Throws Error for a wrong size.
std::vector<double> tendon_lengths(const Model& model, std::span<const double> q);

}  // namespace tandem
