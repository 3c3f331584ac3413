// SPDX-License-Identifier: Apache-2.0
/// Longest paths through the tasks of formulations as formulas in the number of links, [Pond] table 2.7.
///
///     for (const PathFormula& piece : critical_path_formulas(Method::resne))
///       to_string(piece);        // "(27 n + 52) M + (21 n + 36) A + 2 T for n = 2 .. 10"
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <string>
#include <vector>

#include "tandem/api/schedule.hpp"

namespace tandem {

/// How something grows with the number of links, n; lg is the logarithm to the base 2, rounded up.
enum class Growth : unsigned char {
  constant,
  links,        ///< n
  pairs,        ///< n (n - 1) / 2
  lg,           ///< lg n
  lg_of_next,   ///< lg (n + 1)
  lg_of_before  ///< lg (n - 1)
};
template <>
struct NamesOf<Growth> {
  static constexpr const char* kind = "growth";
  static constexpr Named table[] = {{"constant", ""},
                                    {"links", "n"},
                                    {"pairs", "n (n - 1) / 2"},
                                    {"lg", "lg n"},
                                    {"lg_of_next", "lg (n + 1)"},
                                    {"lg_of_before", "lg (n - 1)"}};
};
/// What it is of so many links. Throws Error for none.
double growth_of(Growth growth, Index links);

/// Operations of so many links: a sum of what grows with them.
struct CostFormula {
  /// A summand.
  struct Term {
    Growth growth = Growth::constant;  ///< how it grows
    TaskCost each;                     ///< what is taken so many times

    bool operator==(const Term&) const = default;  ///< in both
  };
  std::vector<Term> terms;  ///< each growth once

  TaskCost of(Index links) const;                       ///< for so many links
  bool operator==(const CostFormula&) const = default;  ///< term by term
};
/// "(27 n + 52) M + (21 n + 36) A + 2 T", without assignments.
std::string to_string(const CostFormula& formula);

/// A formula, and for which numbers of links it holds.
struct PathFormula {
  CostFormula cost;          ///< of the longest path
  std::vector<Index> links;  ///< of those for which it was looked for, in order
};
/// With "for n = 2 .. 10" or "for n = 4, 6 .. 8, 10".
std::string to_string(const PathFormula& formula);

/// Whose tasks a formulation is taken to have.
enum class TasksOf : unsigned char {
  thesis,   ///< tasks of [Pond] tables 2.1 to 2.6
  library,  ///< tasks as implemented
};
template <>
struct NamesOf<TasksOf> {
  static constexpr const char* kind = "source of tasks";
  static constexpr Named table[] = {{"thesis", "tasks of [Pond] tables 2.1 to 2.6"},
                                    {"library", "tasks as implemented"}};
};

/// The longest paths of 1 .. `most` links as formulas: as few as there are that give every one of them exactly, found
/// from the paths of the graphs themselves. Which path is the longest is decided by the transputer's times without
/// assignments, as in the thesis. Throws Error for fewer than 6 links, and for more than graphs are made of in
/// reasonable time, 64.
std::vector<PathFormula> critical_path_formulas(Method formulation, TasksOf tasks = TasksOf::thesis, Index most = 10);

/// The row of [Pond] table 2.7 that holds for so many links, as it is printed. Of recneb it is no path: see
/// recneb_phases.
CostFormula printed_critical_path(Method formulation, Index links);

/// A kind of tasks that is worked through before the next one.
struct Phase {
  std::string what;  ///< "base orientations, doubled"
  CostFormula cost;  ///< of the longest task of the kind, as often as it is repeated
};
/// What row recneb of table 2.7 is the sum of: the longest task of every kind, one kind after the other, with a viscous
/// force in every joint. No way through the data is as long, as a task need not wait for all of the kind before.
std::vector<Phase> recneb_phases();

/// The row of Hashimoto and Kimura [1989] for resne, [Pond] p. 41: (33 M + 27 A) n + 105 M + 91 A. The longest task of
/// every kind, one after the other, with a recursion for gravity.
CostFormula hashimoto_critical_path();

/// What inverse dynamics of n links on p processors can at best grow like, k1 ceil(n / p) + k2 lg p, Lee and Chang
/// [1986], [Pond] p. 41. Throws Error for fewer than one link or processor.
double lower_bound(double k1, double k2, Index links, Index processors);
/// The constants k1, k2 of 0 or more with which the bound comes closest to times measured or scheduled, relative to
/// these, by least squares.
struct LowerBoundTimes {
  Index links = 1;       ///< of the chain
  Index processors = 1;  ///< that it was scheduled on
  double time = 0;       ///< that took
};
/// k1 and k2.
struct LowerBoundConstants {
  double k1 = 0;      ///< in the unit of the times
  double k2 = 0;      ///< the same
  double misfit = 0;  ///< root of the mean squared relative difference
};
/// Throws Error for no times, and times that are not above 0.
LowerBoundConstants fit_lower_bound(const std::vector<LowerBoundTimes>& times);

}  // namespace tandem
