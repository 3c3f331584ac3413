// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics of a robot that touches a fixed environment.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tandem/api/contacts.hpp"

namespace tandem {

/// How contacts, joint limits and friction respond in a time step, see docs/algorithms/contact_dynamics.md.
enum class ContactLaw : std::uint8_t {
  servo,           ///< spring and damper at the beginning of the step
  servo_implicit,  ///< spring and damper at the end of the step
  stop             ///< nearly rigid, without rebound
};
template <>
struct NamesOf<ContactLaw> {
  static constexpr const char* kind = "contact law";
  static constexpr Named table[] = {{"servo", "spring and damper at the beginning of the step"},
                                    {"servo_implicit", "spring and damper at the end of the step"},
                                    {"stop", "nearly rigid, without rebound"}};
};

/// Options of a ContactDynamics. Those left out are what the description of the robot says.
struct ContactDynamicsOptions {
  ContactLaw law = ContactLaw::servo;                ///< how rows respond
  std::optional<FrictionCone> cone{};                ///< how friction is bounded
  std::optional<double> impratio{};                  ///< how much stiffer friction is than the normal
  std::optional<double> time_step{};                 ///< s; 0.002 if the description has none either
  double tolerance = 1e-3;                           ///< of accelerations, in the norm of the mass matrix
  int most_steps = 20;                               ///< Newton steps
  bool limits = true;                                ///< whether joint limits push
  bool friction = true;                              ///< whether joints have their dry friction
  std::vector<ContactSoftness> limit_softness{};     ///< [nv] of joint limits; empty: MuJoCo's default
  std::vector<ContactSoftness> friction_softness{};  ///< [nv] of joint friction; empty: MuJoCo's default
};

/// How a robot accelerates, and the forces of what it touches.
struct ContactAcceleration {
  std::vector<double> a{};           ///< [nv] rad/s^2|m/s^2
  std::vector<double> f_limit{};     ///< [nv] N m|N of joint limits
  std::vector<double> f_friction{};  ///< [nv] N m|N of dry friction of the joints
  /// [slots] N, N m: the force of shape 1 on shape 2 along the normal and both tangents of the contact, then the
  /// moments about
  /// them; 0 of slots that do not touch
  std::vector<std::array<double, 6>> f_contact{};
  bool converged = false;  ///< whether the tolerance was reached
  int steps = 0;           ///< Newton steps
};

/// Forward dynamics of one robot with contacts, joint limits and dry friction: MuJoCo's soft contact model, solved by
/// Newton's method on articulated bodies.
class ContactDynamics {
 public:
  /// Throws Error if two moving links can touch (ContactOptions::self_contact), the robot has closed loops, or an
  /// option is
  /// not a number that it can be.
  explicit ContactDynamics(const ContactSet& set, const ContactDynamicsOptions& options = {});

  const ContactSet& set() const { return set_; }                              ///< what can touch
  const ContactDynamicsOptions& options() const { return options_; }          ///< as given
  std::span<const double> joint_mobility() const { return joint_mobility_; }  ///< [nv] MuJoCo's dof_invweight0

  /// In: q [nq] rad|m, v [nv] rad/s|m/s; tau [nv] N m|N without dry friction and limits; `begin` [nv], where the iteration
  /// begins, best the acceleration of the previous time step, or none: at rest. Throws Error for sizes.
  ContactAcceleration operator()(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                 std::span<const double> begin = {}) const;

 private:
  ContactSet set_;
  ContactDynamicsOptions options_;
  std::vector<double> joint_mobility_, pair_mobility_;
};

}  // namespace tandem
