// SPDX-License-Identifier: Apache-2.0
/// Contacts of one state after the other, in memory that is used again: for ContactDynamics and simulations.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "tandem/api/contact_dynamics.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/contact/pair.hpp"
#include "tandem/detail/contact/solver.hpp"

namespace tandem {

/// Memory of find_contacts.
struct ContactFinderWork {
  Workspace<double> kinematics;
  std::vector<double> frames;
  std::vector<PlacedShape<double>> shapes;
  std::vector<double> radii;  ///< [shapes] m, of a sphere about the shape's origin that it lies in
};
/// contacts(set, q) into `found` [set.n_slots()]. Nothing is checked. With `near` pairs whose spheres are apart by more
/// than their margin have none.
void find_contacts(const ContactSet& set, std::span<const double> q, bool near, std::span<Contact> found,
                   ContactFinderWork& work);

/// What a ContactDynamics knows before it sees a state.
struct ContactDynamics::Prepared {
  /// Slots of a pair, all of one kind.
  struct Pair {
    ContactKind kind;
    int first_slot, slots;
    bool first_moves;  ///< whether the link is that of shape 1, on which the opposite force acts
  };
  std::vector<Pair> pairs;  ///< in the order of their links
  std::vector<double> joint_mobility;
  std::vector<Softness> of_limits, of_friction;
  ContactSolverOptions how;
};

/// Memory of solve_contacts.
struct ContactSolveWork {
  ContactFinderWork finder;
  std::vector<Contact> found;
  std::vector<const ContactDynamics::Prepared::Pair*> pairs;  ///< of the contacts that push
  std::vector<int> slots;
  std::vector<ContactKind> kinds;
  std::vector<double> places, forces, rate, numbers;
};

/// One state: inputs, and what is found. Null: not given, not wanted.
struct ContactSolve {
  const double *q, *v, *tau;         ///< [nq] rad|m, [nv] rad/s|m/s, [nv] N m|N
  const double* f_ext = nullptr;     ///< [n_links][6] N, N m, as in forward dynamics
  const double* diagonal = nullptr;  ///< [nv] added to the diagonal of the mass matrix
  const double* after = nullptr;     ///< [nv] the same, for accelerations alone: contacts are solved for without
  double* warm;                      ///< [nv] in: where the iteration begins; out: accelerations without `after`
  double* a = nullptr;               ///< [nv] rad/s^2|m/s^2
  double *f_limit = nullptr, *f_friction = nullptr;  ///< [nv] N m|N
  double* f_contact = nullptr;                       ///< [slots][6] N, N m, see ContactAcceleration
  double* pushes = nullptr;                          ///< [slots][3] N: of shape 1 on shape 2, in the world
  double h = 0;           ///< s: energies are those of a step of h from v, at the mean of the old and the new velocity
  double limit_work = 0;  ///< J done by joint limits
  double friction_work = 0;  ///< by dry friction of the joints
  double contact_work = 0;   ///< by contacts
  bool converged = false;
  int steps = 0;
};
/// Solves one state of a robot with the parameters of m. Nothing is checked.
void solve_contacts(const ContactDynamics& dynamics, const ModelView<double>& m, ContactSolve& state,
                    ContactSolveWork& work);

}  // namespace tandem
