// SPDX-License-Identifier: Apache-2.0
/// Descriptions of collision shapes and the parameters of their contacts.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/model/pose.hpp"
#include "tandem/model/shape_types.hpp"
#include "tandem/names.hpp"

namespace tandem {

/// Softness of the contacts of a shape or pair [MuJoCo, Modeling, Solver parameters].
struct ContactSoftness {
  std::array<double, 2> solref{0.02, 1};  ///< time constant [s] and damping ratio; if negative, -stiffness
                                          ///< [1/s^2] and -damping [1/s]
  std::array<double, 5> solimp{0.9, 0.95, 0.001, 0.5, 2};  ///< impedance at zero depth and at full width, width [m],
                                                           ///< midpoint, power
  double margin = 0;                                       ///< added thickness of the shape, m
  double gap = 0;  ///< distance at which a contact is detected before its force begins, m

  /// Equality of all parameters.
  bool operator==(const ContactSoftness&) const = default;
};

/// A collision shape on a link. Parameters have the meanings and names of MuJoCo.
struct ShapeDescription {
  std::string name{};                                ///< unique name
  std::string link{};                                ///< name of its link
  ShapeType type = ShapeType::sphere;                ///< type
  Pose placement{};                                  ///< pose in the link's frame
  std::array<double, 3> size{};                      ///< see ShapeType, m; unused numbers are 0
  std::vector<std::array<double, 3>> vertices{};     ///< mesh: vertices of its convex hull, m
  std::string unread{};                              ///< why its geometry is unknown; empty: it is known
  int condim = 3;                                    ///< dimensions of a contact: 1 (no friction), 3, 4 or 6
  std::array<double, 3> friction{1, 0.005, 0.0001};  ///< sliding; torsional, m; rolling, m
  int contype = 1;                                   ///< bits, see ContactSet
  int conaffinity = 1;                               ///< bits, see ContactSet
  int priority = 0;                                  ///< of a pair, the shape with higher priority sets the parameters
  double solmix = 1;                                 ///< weight for averaging the softness of a pair
  ContactSoftness softness{};                        ///< softness of its contacts
  Source source{};                                   ///< origin of the description
};

/// An explicit contact pair: two shapes that can touch regardless of their links and bits, with their own parameters.
struct ContactPairDescription {
  std::string name{};                                           ///< unique name
  std::string shape_1{};                                        ///< name of the first shape
  std::string shape_2{};                                        ///< name of the second shape
  int condim = 3;                                               ///< dimensions of a contact: 1 (no friction), 3, 4 or 6
  std::array<double, 5> friction{1, 1, 0.005, 0.0001, 0.0001};  ///< two sliding; torsional, two rolling, m
  std::array<double, 2> solreffriction{0, 0};                   ///< solref of friction; {0, 0}: that of the normal
  ContactSoftness softness{};                                   ///< softness of its contacts
  Source source{};                                              ///< origin of the description
};

/// Excludes contacts between the shapes of two links.
struct ContactExcludeDescription {
  std::string name{};    ///< may be empty
  std::string link_1{};  ///< name of the first link
  std::string link_2{};  ///< name of the second link
  Source source{};       ///< origin of the description
};

/// Friction cones.
enum class FrictionCone : std::uint8_t {
  pyramidal,  ///< by a pyramid
  elliptic,   ///< by a cone
  disc        ///< by the normal force of the step before
};
template <>
struct NamesOf<FrictionCone> {
  static constexpr const char* kind = "friction cone";
  static constexpr Named table[] = {{"pyramidal", "by a pyramid"},
                                    {"elliptic", "by a cone"},
                                    {"disc", "by the normal force of the step before"}};
};

/// Options of contacts in a description.
struct ContactSettings {
  FrictionCone cone = FrictionCone::elliptic;  ///< friction cone
  double impratio = 1;                         ///< ratio of frictional to normal impedance
  double timestep = 0;                         ///< time step for which the parameters were chosen, s; 0: unknown
  std::string integrator{};   ///< integrator for which they were chosen, by its name in MuJoCo; empty: unknown
  bool enabled = true;        ///< whether contacts are enabled
  bool filter_parent = true;  ///< whether contacts between a link and its moving parent are excluded

  /// Equality of all options.
  bool operator==(const ContactSettings&) const = default;
};

}  // namespace tandem
