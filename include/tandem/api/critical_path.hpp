// SPDX-License-Identifier: Apache-2.0
/// Critical paths of the formulations of inverse dynamics as formulas in the number of links, [Pond] table 2.7.
///
///     for (const PathFormula& piece : critical_path_formulas(Method::resne))
///       to_string(piece);        // "(27 n + 52) M + (21 n + 36) A + 2 T for n = 2 .. 10"
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <string>
#include <vector>

#include "tandem/api/schedule.hpp"

namespace tandem {

/// Functions of the number of links n; lg is the logarithm to base 2, rounded up.
enum class Growth : unsigned char {
  constant,     ///< 1
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
/// Value of the function for a number of links. Throws Error if links < 1.
double growth_of(Growth growth, Index links);

/// Operation count as a formula in the number of links: a sum of terms.
struct CostFormula {
  /// A term: a function of the number of links times a cost.
  struct Term {
    Growth growth = Growth::constant;  ///< function of the number of links
    TaskCost each;                     ///< its coefficient

    bool operator==(const Term&) const = default;  ///< equality of both members
  };
  std::vector<Term> terms;  ///< terms with distinct functions

  TaskCost of(Index links) const;                       ///< value for a number of links
  bool operator==(const CostFormula&) const = default;  ///< equality term by term
};
/// Text such as "(27 n + 52) M + (21 n + 36) A + 2 T", without assignments.
std::string to_string(const CostFormula& formula);

/// A formula and the numbers of links for which it holds.
struct PathFormula {
  CostFormula cost;          ///< cost of the critical path
  std::vector<Index> links;  ///< numbers of links, ascending
};
/// Text of the formula followed by "for n = 2 .. 10" or "for n = 4, 6 .. 8, 10".
std::string to_string(const PathFormula& formula);

/// Sources of the tasks of a formulation.
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

/// Critical paths of chains of 1 .. `most` links as formulas. The result is the smallest set of formulas that gives
/// every path exactly. Paths are compared by the operation times of the transputer, without assignments, as in the
/// thesis. Throws Error unless 6 <= most <= 64.
std::vector<PathFormula> critical_path_formulas(Method formulation, TasksOf tasks = TasksOf::thesis, Index most = 10);

/// The printed formula of [Pond] table 2.7 for a number of links. The row of recneb is not a path, see recneb_phases().
CostFormula printed_critical_path(Method formulation, Index links);

/// All tasks of one kind, which end before those of the next kind begin.
struct Phase {
  std::string what;  ///< kind of the tasks, such as "base orientations, doubled"
  CostFormula cost;  ///< cost of the longest task of the kind, times its repetitions
};
/// Terms of row recneb of table 2.7: the longest task of every kind in sequence, with viscous friction in every joint.
/// The critical path is shorter, because a task does not depend on all tasks of the previous kind.
std::vector<Phase> recneb_phases();

/// Critical path of resne by Hashimoto and Kimura [1989], [Pond] p. 41: (33 M + 27 A) n + 105 M + 91 A. It is the sum
/// of the longest task of every kind, with a recursion for gravity.
CostFormula hashimoto_critical_path();

/// Lower bound of the time of inverse dynamics of n links on p processors, k1 ceil(n / p) + k2 lg p, Lee and Chang
/// [1986], [Pond] p. 41. Throws Error for fewer than one link or processor.
double lower_bound(double k1, double k2, Index links, Index processors);
/// A measured or scheduled time.
struct LowerBoundTimes {
  Index links = 1;       ///< number of links of the chain
  Index processors = 1;  ///< number of processors
  double time = 0;       ///< time in any unit, above 0
};
/// Constants of lower_bound().
struct LowerBoundConstants {
  double k1 = 0;      ///< in the unit of the times
  double k2 = 0;      ///< in the unit of the times
  double misfit = 0;  ///< root mean square of the relative differences
};
/// Non-negative constants k1 and k2 with the smallest relative differences between the bound and the times, by least
/// squares. Throws Error if there are no times, or one is not above 0.
LowerBoundConstants fit_lower_bound(const std::vector<LowerBoundTimes>& times);

}  // namespace tandem
