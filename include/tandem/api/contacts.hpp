// SPDX-License-Identifier: Apache-2.0
/// Contacts between the shapes of a robot.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <limits>
#include <span>
#include <vector>

#include "tandem/model/contact.hpp"

namespace tandem {

/// The contact in a slot of a ContactSet, in base axes.
struct Contact {
  /// Distance of the surfaces, m; below 0: they overlap; infinite: no contact.
  double distance = std::numeric_limits<double>::infinity();
  std::array<double, 3> position{};  ///< midpoint between the surfaces, m
  std::array<double, 9> frame{};     ///< rows: the normal, from shape 1 to shape 2, and two tangents
};

/// Contacts in the configuration q [nq]: [set.n_slots()] in the order of the slots, including shapes that are far
/// apart. Contact forces act if the distance is below the margin of the pair; `gap` is the additional distance at which
/// MuJoCo detects contacts. Contacts are those of MuJoCo where MuJoCo has a closed form; for a mesh on a plane, the
/// lowest vertex and up to three others. Throws Error for a q of wrong size.
std::vector<Contact> contacts(const ContactSet& set, std::span<const double> q);

/// A contact of two shapes of moving links that a ContactSet finds, see SelfPairs.
struct FoundContact {
  int shape_1 = 0;    ///< index of the shape with the lower type, for equal types the lower index
  int shape_2 = 0;    ///< index of the other shape; the normal points to it
  int slot = 0;       ///< which contact of the two shapes
  Contact contact{};  ///< where it is; the distance is below the margin
  /// N, N m, wrench of shape 1 on shape 2, as in ContactAcceleration; 0 where contacts alone are computed
  std::array<double, 6> force{};
};

/// Contacts of found pairs in the configuration q [nq], whose distance is below their margin: by links, then by shapes.
/// Empty if the set lists all pairs. Throws Error for a q of wrong size.
std::vector<FoundContact> found_contacts(const ContactSet& set, std::span<const double> q);

}  // namespace tandem
