// SPDX-License-Identifier: Apache-2.0
/// A recorded function divided among teams that work on one state side by side: each has some limbs of the robot, and
/// one of them the trunk besides.
#pragma once
#include "tracing/record.hpp"

namespace tandem {

/// The limb that every link belongs to, or -1 for those of the trunk. Limbs are subtrees, of equal lengths as near as
/// can be, at most so many; one alone, if the robot does not branch.
struct Limbs {
  std::vector<std::int32_t> of_link;
  std::int32_t count = 0;
};
Limbs limbs_of(const ModelView<double>& m, std::int32_t most);

/// What a team does next.
struct TeamStep {
  enum Kind : std::uint8_t {
    compute,  ///< a node, and stores it if it is an output
    share,    ///< puts a node where the other teams find it: in a place between them
    fetch,    ///< takes one from there
    wait      ///< until all teams are here
  };
  Kind kind;
  std::int32_t node = 0, place = 0;

  bool operator==(const TeamStep&) const = default;
};

/// A function divided. What depends on the trunk alone is computed by every team that needs it; what depends on one
/// limb by its team; the rest at a limb by its team, and at the trunk by one that is called first.
struct Teams {
  std::vector<std::vector<TeamStep>> teams;
  std::int32_t places = 0;                  ///< numbers between the teams
  std::int32_t waits = 0;                   ///< of every team
  std::int32_t first = 0;                   ///< the one that has the trunk
  std::size_t operations = 0, longest = 0;  ///< of the function, and of the team that has the most
};

/// The nodes that outputs need are computed in this order.
Teams divided(const RecordedFunction& function, const std::vector<std::int32_t>& order, const ModelView<double>& m,
              const Limbs& limbs);

}  // namespace tandem
