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

/// Pairs of links that rows couple, and those that elimination couples besides: if articulated bodies are made from the
/// last link to the first, all partners of a link, and its parent, are pairs after it has yielded. Integers are an
/// array, or have operator[] as these do.
template <class Integers = const int*>
struct LinkCouplings {
  int n = 0;           ///< pairs
  Integers first{};    ///< [n_links + 1] where the pairs of a link begin
  Integers partner{};  ///< [n] of every pair the link of the lower number, of a link from the highest one on
  Integers meets{};    ///< [n_links] 1 of links to whose inertia rows between links add, besides contacts of their own

  /// The pair of links i and j < i, which is one of the list.
  TANDEM_HD int pair(int i, int j) const {
    int k = first[i];
    while (partner[k] != j) ++k;
    return k;
  }
};

template <class Column>
using RowNumber = std::remove_cvref_t<decltype(std::declval<Column>()[0])>;

/// All contacts of a robot, in the order of their links: the same ones for all lanes, whichever of them touch. Kinds
/// and Links are arrays, or have operator[] as these do.
template <class Column, class Kinds = const ContactKind*, class Links = const Transform<RowNumber<Column>>*,
          class Couplings = LinkCouplings<>>
struct ContactList {
  int n = 0;
  Kinds kinds{};         ///< [n]
  Column places{};       ///< [n][ContactPlace::rows]
  Column last_normal{};  ///< [n] normal force of the step before, N, of `disc`; 0 of a contact that was free
  int n_columns = 0;     ///< of H, of those between two links
  Links links{};         ///< [n_links] from the world; null: not known
  Couplings couplings{};  ///< of contacts between two links and of loop joints
  /// Whether contacts between two links are no couplings, but iterated, see ContactGradients.
  bool iterates = false;
};

}  // namespace tandem::inline TANDEM_ISA
