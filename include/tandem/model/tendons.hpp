// SPDX-License-Identifier: Apache-2.0
/// Fixed tendons, in descriptions and in models.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/model/model.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {

/// The part of a joint in a fixed tendon.
struct TendonJoint {
  std::string joint{};     ///< name of the joint, which has one degree of freedom
  double coefficient = 1;  ///< m/rad of angles, 1 of lengths
};

/// A fixed tendon: joints that are coupled by the sum of their positions q_k, with a length L of its own
/// [MuJoCo, Modeling, tendon/fixed]:
///
///     L = sum_k coefficient_k q_k
///
/// Limits of L, dry friction, and a spring with a damper of the force
///
///     f = stiffness (clamp(L, rest_0, rest_1) - L) - damping dL/dt,    tau_k = coefficient_k f
///
/// act in contact dynamics and in simulations with contacts.
struct TendonDescription {
  std::string name{};                                       ///< unique name
  std::vector<TendonJoint> joints{};                        ///< its joints
  double lower = -std::numeric_limits<double>::infinity();  ///< lower limit of the length, m
  double upper = std::numeric_limits<double>::infinity();   ///< upper limit of the length, m
  double friction = 0;                                      ///< dry friction, N
  double stiffness = 0;                                     ///< stiffness of its spring, N/m
  double damping = 0;                                       ///< viscous, N s/m
  std::array<double, 2> rest{0, 0};                         ///< lengths between which the spring is slack, m
  ContactSoftness limit_softness{};                         ///< softness of the limits; they act from their margin on
  ContactSoftness friction_softness{};                      ///< softness of the friction
  Source source{};                                          ///< origin of the description
};

/// A fixed tendon of a model, see TendonDescription.
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
