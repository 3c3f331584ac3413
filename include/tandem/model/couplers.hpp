// SPDX-License-Identifier: Apache-2.0
/// Couplers of joints and of fixed tendons, in descriptions and in models.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/model/model.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {

/// Elements that a coupler connects.
enum class CoupledElement : std::uint8_t {
  joint,  ///< joints with one degree of freedom
  tendon  ///< fixed tendons
};
template <>
struct NamesOf<CoupledElement> {
  static constexpr const char* kind = "coupled element";
  static constexpr Named table[] = {{"joint", "joints with one degree of freedom"}, {"tendon", "fixed tendons"}};
};

/// A coupler: the position x_1 of a joint, or the length of a fixed tendon, that follows another one by a polynomial
/// [MuJoCo, Modeling, equality/joint and equality/tendon],
///
///     x_1 = p_0 + p_1 x_2 + p_2 x_2^2 + p_3 x_2^3 + p_4 x_2^4
///
/// or that is held at p_0. A spring and a damper hold it in contact dynamics and in simulations with contacts. See also
/// mimic joints, which follow exactly.
struct CouplerDescription {
  std::string name{};                                 ///< unique name
  CoupledElement element = CoupledElement::joint;     ///< what it connects
  std::string first{};                                ///< name of the joint or tendon that follows
  std::string second{};                               ///< name of the one that is followed; empty: none
  std::array<double, 5> polynomial{{0, 1, 0, 0, 0}};  ///< p_0 to p_4, rad|m
  ContactSoftness softness{};                         ///< its softness
  Source source{};                                    ///< origin of the description
};

/// A coupler of a model, see CouplerDescription.
struct Coupler {
  std::string name{};                                 ///< unique name
  CoupledElement element = CoupledElement::joint;     ///< what it connects
  int first = 0;                                      ///< index of the joint or tendon that follows
  int second = -1;                                    ///< index of the one that is followed; -1: none
  std::array<double, 5> polynomial{{0, 1, 0, 0, 0}};  ///< p_0 to p_4, rad|m
  ContactSoftness softness{};                         ///< its softness
};

/// The couplers of a robot, in the order of the description. The span is valid as long as a copy of the model exists.
std::span<const Coupler> couplers(const Model& model);

}  // namespace tandem
