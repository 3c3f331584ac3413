// SPDX-License-Identifier: Apache-2.0
/// Descriptions of shapes that touch, and of what they are made of.
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

/// How soft a contact is [MuJoCo, Modeling, Solver parameters]: of a shape, or of a pair.
struct ContactSoftness {
  std::array<double, 2> solref{0.02, 1};  ///< time constant [s] and damping ratio; if negative, -stiffness
                                          ///< [1/s^2] and -damping [1/s]
  std::array<double, 5> solimp{0.9, 0.95, 0.001, 0.5, 2};  ///< impedance at no depth and at full width, width [m],
                                                           ///< midpoint, power
  double margin = 0;                                       ///< the shape is thicker by this much, m
  double gap = 0;                                          ///< contacts are found this much before they push, m

  /// Whether all of them are the same.
  bool operator==(const ContactSoftness&) const = default;
};

/// A shape that touches others, and is attached to a link. Parameters are MuJoCo's, under its names.
struct ShapeDescription {
  std::string name{};                                ///< of which there is one
  std::string link{};                                ///< name of the link that it is attached to
  ShapeType type = ShapeType::sphere;                ///< what it is
  Pose placement{};                                  ///< in the link's frame
  std::array<double, 3> size{};                      ///< see ShapeType, m; numbers that a type does not have are 0
  std::vector<std::array<double, 3>> vertices{};     ///< of a mesh: the corners of its convex hull, m
  std::string unread{};                              ///< why its form is not known; empty: it is
  int condim = 3;                                    ///< dimensions of a contact: 1 (no friction), 3, 4 or 6
  std::array<double, 3> friction{1, 0.005, 0.0001};  ///< sliding; torsional, m; rolling, m
  int contype = 1;                                   ///< bits: it touches shapes whose conaffinity has one of them
  int conaffinity = 1;                               ///< bits
  int priority = 0;                                  ///< the parameters of the shape with the higher one count
  double solmix = 1;                                 ///< its weight where softness is averaged
  ContactSoftness softness{};                        ///< how soft its contacts are
  Source source{};                                   ///< where it is described
};

/// Two shapes that touch whatever their links and their bits say, with parameters of their own.
struct ContactPairDescription {
  std::string name{};                                           ///< of which there is one
  std::string shape_1{};                                        ///< name of the one shape
  std::string shape_2{};                                        ///< name of the other
  int condim = 3;                                               ///< dimensions of a contact: 1 (no friction), 3, 4 or 6
  std::array<double, 5> friction{1, 1, 0.005, 0.0001, 0.0001};  ///< two sliding; torsional, two rolling, m
  std::array<double, 2> solreffriction{0, 0};                   ///< solref of friction; {0, 0}: that of the normal
  ContactSoftness softness{};                                   ///< how soft its contacts are
  Source source{};                                              ///< where it is described
};

/// Two links whose shapes do not touch each other.
struct ContactExcludeDescription {
  std::string name{};    ///< may be empty
  std::string link_1{};  ///< name of the one link
  std::string link_2{};  ///< name of the other
  Source source{};       ///< where it is described
};

/// How the friction of a contact is bounded.
enum class FrictionCone : std::uint8_t {
  pyramidal,  ///< by a pyramid
  elliptic    ///< by a cone
};
template <>
struct NamesOf<FrictionCone> {
  static constexpr const char* kind = "friction cone";
  static constexpr Named table[] = {{"pyramidal", "by a pyramid"}, {"elliptic", "by a cone"}};
};

/// What a description says of contacts as a whole.
struct ContactSettings {
  FrictionCone cone = FrictionCone::elliptic;  ///< how friction is bounded
  double impratio = 1;                         ///< how much stiffer friction is than the normal
  double timestep = 0;                         ///< step for which the parameters were chosen, s; 0: not known
  std::string integrator{};   ///< integrator for which they were chosen, as MuJoCo calls it; empty: not known
  bool enabled = true;        ///< whether anything touches
  bool filter_parent = true;  ///< whether shapes on a link and on the moving link that carries it pass
                              ///< through each other

  /// Whether all of them are the same.
  bool operator==(const ContactSettings&) const = default;
};

}  // namespace tandem
