// SPDX-License-Identifier: Apache-2.0
/// Contacts of links, with what does not move or with other links, as given to the solver.
#pragma once
#include <type_traits>
#include <utility>

#include "tandem/detail/contact/kinds.hpp"
#include "tandem/detail/spatial/transform.hpp"

namespace tandem::inline TANDEM_ISA {

/// Columns of H of a contact between two links, at most.
TANDEM_HD int columns_of(const ContactKind& kind) { return kind.other == 0 ? 0 : kind.dim; }

template <class Column>
using RowNumber = std::remove_cvref_t<decltype(std::declval<Column>()[0])>;

/// All contacts of a robot, in the order of their links: the same ones for all lanes, whichever of them touch. Kinds
/// and Links are arrays, or have operator[] as these do.
template <class Column, class Kinds = const ContactKind*, class Links = const Transform<RowNumber<Column>>*>
struct ContactList {
  int n = 0;
  Kinds kinds{};         ///< [n]
  Column places{};       ///< [n][ContactPlace::rows]
  Column last_normal{};  ///< [n] normal force of the step before, N, of `disc`; 0 of a contact that was free
  int n_columns = 0;     ///< of H, of those between two links
  Links links{};         ///< [n_links] from the world; null: not known
};

}  // namespace tandem::inline TANDEM_ISA
