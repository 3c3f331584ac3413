// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics of a robot that touches its surroundings and itself.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/api/contacts.hpp"
#include "tandem/index.hpp"

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

/// When joint damping acts in a step with contacts.
enum class ContactDamping : unsigned char {
  after,  ///< after contacts are solved, as in MuJoCo's Euler
  within  ///< together with contacts
};
template <>
struct NamesOf<ContactDamping> {
  static constexpr const char* kind = "contact damping";
  static constexpr Named table[] = {{"after", "after contacts are solved, as in MuJoCo's Euler"},
                                    {"within", "together with contacts"}};
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
  std::vector<ContactSoftness> limit_softness{};     ///< [nv] of joint limits; empty: those of the model
  std::vector<ContactSoftness> friction_softness{};  ///< [nv] of joint friction; empty: those of the model
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

/// States of one robot, one after the other, and where their results go. Empty spans: not given, not wanted.
struct ContactStates {
  Index n = 1;                          ///< number of states
  int threads = 0;                      ///< 0: all cores
  std::span<const double> q{};          ///< [n][nq] rad|m
  std::span<const double> v{};          ///< [n][nv] rad/s|m/s
  std::span<const double> tau{};        ///< [n][nv] N m|N without dry friction and limits
  std::span<const double> begin{};      ///< [n][nv] where the iteration begins; empty: at rest
  std::span<const double> f_ext{};      ///< [n][n_links][6] N, N m, wrenches as in forward dynamics
  std::span<double> a{};                ///< [n][nv] rad/s^2|m/s^2, required
  std::span<double> f_limit{};          ///< [n][nv] N m|N of joint limits
  std::span<double> f_friction{};       ///< [n][nv] N m|N of dry friction of the joints
  std::span<double> f_contact{};        ///< [n][slots][6] N, N m, as in ContactAcceleration
  std::span<std::uint8_t> converged{};  ///< [n] 1 where the tolerance was reached
  std::span<std::int32_t> steps{};      ///< [n] Newton steps
};

/// Forward dynamics of one robot with contacts, joint limits and dry friction: MuJoCo's soft contact model, solved by
/// Newton's method on articulated bodies.
class ContactDynamics {
 public:
  /// Throws Error if the robot has closed loops, or an option is not a number that it can be.
  explicit ContactDynamics(const ContactSet& set, const ContactDynamicsOptions& options = {});

  const ContactSet& set() const { return set_; }                      ///< what can touch
  const ContactDynamicsOptions& options() const { return options_; }  ///< as given
  std::span<const double> joint_mobility() const;                     ///< [nv] MuJoCo's dof_invweight0

  /// In: q [nq] rad|m, v [nv] rad/s|m/s; tau [nv] N m|N without dry friction and limits; `begin` [nv], where the iteration
  /// begins, best the acceleration of the previous time step, or none: at rest. Throws Error for sizes.
  ContactAcceleration operator()(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                 std::span<const double> begin = {}) const;
  /// The same for many states, which are shared by threads. Results of a state do not depend on the others; NaN stays
  /// in its state. Throws Error for sizes.
  void operator()(const ContactStates& states) const;

  struct Prepared;                                         ///< what it knows before it sees a state
  const Prepared& prepared() const { return *prepared_; }  ///< for simulations

 private:
  ContactSet set_;
  ContactDynamicsOptions options_;
  std::shared_ptr<const Prepared> prepared_;
};

/// Statistics of contact dynamics in a simulation.
struct ContactTally {
  std::int64_t solutions = 0;      ///< one per step
  std::int64_t steps = 0;          ///< Newton steps in all solutions
  std::int64_t not_converged = 0;  ///< solutions that did not converge
  double taken = 0;                ///< J dissipated by contacts, less what they gave
};

}  // namespace tandem
