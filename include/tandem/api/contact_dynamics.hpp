// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics with contacts, joint limits and dry friction.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tandem/api/batch.hpp"
#include "tandem/api/contacts.hpp"
#include "tandem/index.hpp"

namespace tandem {

/// Response of contacts, joint limits and friction in a time step, see docs/algorithms/contact_dynamics.md.
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

/// When joint damping and springs act in a step of semi_implicit_euler with contacts.
enum class ContactDamping : unsigned char {
  after,  ///< damping after contacts, springs as at the beginning of the step: MuJoCo's Euler
  within  ///< together with contacts
};
template <>
struct NamesOf<ContactDamping> {
  static constexpr const char* kind = "contact damping";
  static constexpr Named table[] = {{"after",
                                     "damping after contacts, springs as at the beginning of the step: MuJoCo's "
                                     "Euler"},
                                    {"within", "together with contacts"}};
};

/// Options of ContactDynamics. The defaults of optional members are those of the robot's description.
struct ContactDynamicsOptions {
  ContactLaw law = ContactLaw::servo;                ///< response of contacts, limits and friction
  std::optional<FrictionCone> cone{};                ///< friction cone
  std::optional<double> impratio{};                  ///< ratio of frictional to normal impedance
  std::optional<double> time_step{};                 ///< s; 0.002 if the description has none either
  double tolerance = 1e-3;                           ///< of accelerations, in the norm of the mass matrix
  int most_steps = 20;                               ///< limit of Newton steps
  bool limits = true;                                ///< whether limits of joints and tendons act
  bool friction = true;                              ///< whether dry friction of the joints and tendons acts
  bool tendon_springs = true;                        ///< whether springs of tendons act; if not, tau has their forces
  bool tendon_damping = true;                        ///< the same for damping of tendons
  /// On a GPU: contacts at a time that a robot has room for; 0: all slots if these take less than 8 kB, else 48.
  int max_contacts = 0;
  /// On a GPU: rows of contacts between two moving links, 1 to 6 a contact, that a robot has room for at a time; 0: all
  /// if these take less than 8 kB, else 24.
  int max_contact_columns = 0;
  std::vector<ContactSoftness> limit_softness{};     ///< [nv] softness of joint limits; empty: that of the model
  std::vector<ContactSoftness> friction_softness{};  ///< [nv] softness of joint friction; empty: that of the model

  /// Equality of all options.
  bool operator==(const ContactDynamicsOptions&) const = default;
};

/// Accelerations and forces of one state.
struct ContactAcceleration {
  std::vector<double> a{};           ///< [nv] rad/s^2|m/s^2, accelerations
  std::vector<double> f_limit{};     ///< [nv] N m|N, forces of joint limits
  std::vector<double> f_friction{};  ///< [nv] N m|N, dry friction of the joints
  /// [slots] N, N m, wrench of shape 1 on shape 2: force along the normal and both tangents of the contact, then moment
  /// about them; 0 for slots without contact.
  std::vector<std::array<double, 6>> f_contact{};
  /// [n_loops] N, N m, wrenches of loop joints on their second links, as closed_loop_dynamics() has them.
  std::vector<std::array<double, 6>> f_loop{};
  /// [couplers] N m|N, forces of couplers on the joints or tendons that follow.
  std::vector<double> f_coupler{};
  /// Contacts of pairs that the set finds, with their forces.
  std::vector<FoundContact> found{};
  bool converged = false;  ///< whether the tolerance was reached
  int steps = 0;           ///< number of Newton steps
};

/// Inputs and outputs of contact dynamics for a batch of states. Empty inputs are omitted, empty outputs not computed.
struct ContactStates {
  Index n = 1;                          ///< number of states
  int threads = 0;                      ///< 0: all cores
  std::span<const double> q{};          ///< [n][nq] rad|m
  std::span<const double> v{};          ///< [n][nv] rad/s|m/s
  std::span<const double> tau{};        ///< [n][nv] N m|N without dry friction and limits
  std::span<const double> begin{};      ///< [n][nv] rad/s^2|m/s^2, initial guess of a; empty: zeros
  std::span<const double> f_ext{};      ///< [n][n_links][6] N, N m, wrenches as in forward dynamics
  std::span<double> a{};                ///< [n][nv] rad/s^2|m/s^2, required
  std::span<double> f_limit{};          ///< [n][nv] N m|N, forces of joint limits
  std::span<double> f_friction{};       ///< [n][nv] N m|N, dry friction of the joints
  std::span<double> f_contact{};        ///< [n][slots][6] N, N m, as in ContactAcceleration
  std::span<double> f_loop{};           ///< [n][n_loops][6] N, N m, as in ContactAcceleration
  std::span<double> f_coupler{};       ///< [n][couplers] N m|N, as in ContactAcceleration
  std::span<std::vector<FoundContact>> found{};  ///< [n] as in ContactAcceleration
  std::span<std::uint8_t> converged{};  ///< [n] 1 if the tolerance was reached
  std::span<std::int32_t> steps{};      ///< [n] number of Newton steps
  Device device{};                      ///< cuda: a thread per state; arrays are in host memory
  /// [n] on a GPU: contacts beyond the room of the state, whose results are then NaN and not converged; else 0.
  std::span<std::int32_t> dropped{};
  /// Parameters of the model for every state, on the CPU. Softness stays that of the model.
  std::span<const BatchedParameter<double>> parameters{};
};

/// Forward dynamics of one robot with contacts, joint limits and dry friction: MuJoCo's soft contact model, solved by
/// Newton's method on articulated bodies. Springs and dampers hold loop joints and couplers, with their softness.
class ContactDynamics {
 public:
  /// Throws Error if an option is out of range. A set that finds pairs has no cone `disc`, and a robot without mimic
  /// joints, tendons, couplers, loop joints and limits of spherical joints; other ones are an Error.
  explicit ContactDynamics(const ContactSet& set, const ContactDynamicsOptions& options = {});

  const ContactSet& set() const { return set_; }                      ///< pairs that can touch
  const ContactDynamicsOptions& options() const { return options_; }  ///< the given options
  std::span<const double> joint_mobility() const;                     ///< [nv] MuJoCo's dof_invweight0

  /// Accelerations and forces of one state.
  ///
  /// In: q [nq] rad|m, v [nv] rad/s|m/s, tau [nv] N m|N without dry friction and limits; `begin` [nv] rad/s^2|m/s^2,
  /// the initial guess of a, preferably the acceleration of the previous time step; empty: zeros. Throws Error for
  /// wrong sizes.
  ContactAcceleration operator()(std::span<const double> q, std::span<const double> v, std::span<const double> tau,
                                 std::span<const double> begin = {}) const;
  /// The same for a batch of states, on several threads. The results of a state do not depend on the others, and NaN
  /// does not spread to them. Throws Error for wrong sizes.
  void operator()(const ContactStates& states) const;

  struct Prepared;                                         ///< data that does not depend on the state
  const Prepared& prepared() const { return *prepared_; }  ///< for simulations

 private:
  ContactSet set_;
  ContactDynamicsOptions options_;
  std::shared_ptr<const Prepared> prepared_;
};

/// Statistics of contact dynamics in a simulation or rollout.
struct ContactTally {
  std::int64_t solutions = 0;      ///< number of solutions, one per step, four of rk4
  std::int64_t steps = 0;          ///< Newton steps of all solutions
  std::int64_t not_converged = 0;  ///< solutions that did not converge
  double taken = 0;  ///< energy absorbed by contacts, tendons, loop joints and couplers less energy returned by them, J
  std::int64_t dropped = 0;  ///< on a GPU: contacts beyond the room of the robot, which then counts as diverged

  /// Adds those of other steps.
  void add(const ContactTally& more) {
    solutions += more.solutions;
    steps += more.steps;
    not_converged += more.not_converged;
    taken += more.taken;
    dropped += more.dropped;
  }
};

}  // namespace tandem
