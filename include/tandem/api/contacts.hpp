// SPDX-License-Identifier: Apache-2.0
/// Where the shapes of a robot touch.
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
  double distance =
      std::numeric_limits<double>::infinity();  ///< of the two surfaces, m; below 0: they overlap; infinite: none
  std::array<double, 3> position{};             ///< half way between the surfaces, m
  std::array<double, 9> frame{};                ///< rows: the normal, from shape 1 to shape 2, and two tangents
};

/// Contacts in the configuration q [nq], [set.n_slots()] in the order of the slots: also of shapes that are far apart. Two
/// shapes push where their distance is below the margin of the pair; gap says how much earlier MuJoCo finds contacts. Contacts
/// are those of MuJoCo where it has a closed form; of a mesh on a plane, the lowest corner and up to three others.
/// Throws Error for a q of another size.
std::vector<Contact> contacts(const ContactSet& set, std::span<const double> q);

}  // namespace tandem
