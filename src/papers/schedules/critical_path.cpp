// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/critical_path.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

double ceil_lg(Index n) { return n > 1 ? std::ceil(std::log2(static_cast<double>(n))) : 0; }

const char* name_of(Growth growth) { return NamesOf<Growth>::table[static_cast<std::size_t>(growth)].meaning; }

/// The sums that a path may be, those of fewer terms first.
using Growths = std::vector<Growth>;
const std::vector<Growths>& shapes() {
  using G = Growth;
  static const std::vector<Growths> all = {{G::constant},
                                           {G::links, G::constant},
                                           {G::lg, G::constant},
                                           {G::links, G::lg, G::constant},
                                           {G::lg, G::lg_of_next, G::constant},
                                           {G::pairs, G::links, G::constant},
                                           {G::pairs, G::links, G::lg, G::constant},
                                           {G::pairs, G::links, G::lg_of_before, G::constant}};
  return all;
}

/// Numbers that go into a formula, without assignments.
constexpr double TaskCost::* parts_of_cost[] = {&TaskCost::multiplications, &TaskCost::additions,
                                                &TaskCost::trigonometric};

/// The sum of this shape that gives the costs of these numbers of links, as many as it has terms; nothing if there is
/// none, or it is no sum of whole numbers.
std::optional<CostFormula> through(const Growths& shape, const std::vector<Index>& links,
                                   const std::vector<TaskCost>& costs) {
  const std::size_t n = shape.size(), sides = std::size(parts_of_cost);
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + sides));
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) rows[r][c] = growth_of(shape[c], links[r]);
    for (std::size_t s = 0; s < sides; ++s) rows[r][n + s] = costs[at(links[r] - 1)].*parts_of_cost[s];
  }
  for (std::size_t c = 0; c < n; ++c) {
    const auto pivot = std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(c), rows.end(),
                                        [&](const auto& a, const auto& b) { return std::abs(a[c]) < std::abs(b[c]); });
    if (std::abs((*pivot)[c]) < 1e-9) return {};
    std::swap(*pivot, rows[c]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double share = rows[r][c] / rows[c][c];
      for (std::size_t k = c; k < n + sides; ++k) rows[r][k] -= share * rows[c][k];
    }
  }
  CostFormula formula;
  for (std::size_t c = 0; c < n; ++c) {
    TaskCost each;
    for (std::size_t s = 0; s < sides; ++s) {
      const double x = rows[c][n + s] / rows[c][c];
      if (std::abs(x - std::round(x)) > 1e-6) return {};
      each.*parts_of_cost[s] = std::round(x);
    }
    formula.terms.push_back({shape[c], each});
  }
  return formula;
}

/// Calls f with every choice of `count` of these.
template <class F>
void for_each_choice(const std::vector<Index>& of, std::size_t count, F&& f) {
  std::vector<std::size_t> chosen(count);
  for (std::size_t k = 0; k < count; ++k) chosen[k] = k;
  while (count <= of.size()) {
    std::vector<Index> links;
    for (const std::size_t k : chosen) links.push_back(of[k]);
    f(links);
    std::size_t k = count;
    while (k > 0 && chosen[k - 1] == of.size() - count + k - 1) --k;
    if (k == 0) return;
    for (++chosen[k - 1]; k < count; ++k) chosen[k] = chosen[k - 1] + 1;
  }
}

/// The formula that holds for most of these numbers of links beyond those that it was made from, the shorter one if two
/// do.
PathFormula best_formula(const std::vector<Index>& left, const std::vector<TaskCost>& costs) {
  PathFormula best;
  std::size_t most_beyond = 0;
  for (const Growths& shape : shapes()) {
    std::optional<CostFormula> last;
    for_each_choice(left, shape.size(), [&](const std::vector<Index>& chosen) {
      const auto formula = through(shape, chosen, costs);
      if (!formula || formula == last) return;
      last = formula;
      std::vector<Index> holds;
      for (const Index n : left)
        if (formula->of(n) == costs[at(n - 1)]) holds.push_back(n);
      const std::size_t beyond = holds.size() - std::min(holds.size(), shape.size());
      if (!best.links.empty() && beyond <= most_beyond) return;
      most_beyond = beyond;
      best = {*formula, std::move(holds)};
    });
  }
  std::erase_if(best.cost.terms, [](const CostFormula::Term& term) { return term.each == TaskCost(); });
  return best;
}

}  // namespace

double growth_of(Growth growth, Index links) {
  if (links < 1) throw Error(sentence("formula of critical paths: expected 1 link or more, not ", links));
  const auto n = static_cast<double>(links);
  switch (growth) {
    case Growth::constant: return 1;
    case Growth::links: return n;
    case Growth::pairs: return n * (n - 1) / 2;
    case Growth::lg: return ceil_lg(links);
    case Growth::lg_of_next: return ceil_lg(links + 1);
    case Growth::lg_of_before: return ceil_lg(links - 1);
  }
  return 0;
}

TaskCost CostFormula::of(Index links) const {
  TaskCost sum;
  for (const Term& term : terms) sum += growth_of(term.growth, links) * term.each;
  return sum;
}

std::string to_string(const CostFormula& formula) {
  static constexpr const char* units[] = {" M", " A", " T"};
  std::string all;
  for (std::size_t s = 0; s < std::size(parts_of_cost); ++s) {
    std::string sum;
    int terms = 0;
    for (const CostFormula::Term& term : formula.terms) {
      const double x = term.each.*parts_of_cost[s];
      if (x == 0) continue;
      const std::string name = name_of(term.growth), size = sentence(std::abs(x));
      const std::string product = name.empty() ? size : std::abs(x) == 1 ? name : size + " " + name;
      sum += terms++ == 0 ? (x < 0 ? "-" : "") + product : (x < 0 ? " - " : " + ") + product;
    }
    if (terms == 0) continue;
    if (terms > 1 || sum.find(' ') != std::string::npos) sum = "(" + sum + ")";
    all += (all.empty() ? "" : " + ") + sum + units[s];
  }
  return all.empty() ? "0" : all;
}

std::string to_string(const PathFormula& formula) {
  std::string counted;
  for (std::size_t k = 0; k < formula.links.size();) {
    std::size_t end = k + 1;
    while (end < formula.links.size() && formula.links[end] == formula.links[end - 1] + 1) ++end;
    counted += sentence(counted.empty() ? "" : ", ", formula.links[k]);
    if (end - k > 2)
      counted += sentence(" .. ", formula.links[end - 1]);
    else
      end = k + 1;
    k = end;
  }
  return sentence(to_string(formula.cost), " for n = ", counted);
}

std::vector<PathFormula> critical_path_formulas(Method formulation, TasksOf tasks, Index most) {
  if (most < 6 || most > 64) throw Error(sentence("formulas of critical paths: expected 6 to 64 links, not ", most));
  MachineModel machine = transputer();
  machine.assignment = 0;
  std::vector<TaskCost> costs;
  std::vector<Index> left;
  for (Index n = 1; n <= most; ++n) {
    const TaskGraph graph =
        tasks == TasksOf::thesis ? printed_graph(formulation, n) : formulation_graph(formulation, n);
    costs.push_back(critical_path(graph, machine).cost);
    costs.back().assignments = 0;
    left.push_back(n);
  }
  std::vector<PathFormula> pieces;
  while (!left.empty()) {
    pieces.push_back(best_formula(left, costs));
    std::erase_if(left, [&](Index n) {
      const auto& found = pieces.back().links;
      return std::find(found.begin(), found.end(), n) != found.end();
    });
  }
  return pieces;
}

CostFormula printed_critical_path(Method formulation, Index links) {
  using G = Growth;
  const auto sum = [](std::vector<CostFormula::Term> terms) { return CostFormula{std::move(terms)}; };
  if (links < 1) throw Error(sentence("table 2.7: expected 1 link or more, not ", links));
  switch (formulation) {
    case Method::recne: return sum({{G::links, {48, 42}}, {G::constant, {49, 32, 2}}});
    case Method::recneb: return sum({{G::lg, {27, 24}}, {G::lg_of_next, {0, 9}}, {G::constant, {116, 84, 2}}});
    case Method::resne: return sum({{G::links, {27, 21}}, {G::constant, {52, links > 1 ? 36.0 : 35.0, 2}}});
    case Method::hybrid: return sum({{G::links, {82, 82}}, {G::constant, {37, 14, 2}}});
    case Method::recle: return sum({{G::links, {146, 117}}, {G::constant, {-24, -33, 2}}});
    case Method::classle: break;
    default: formulation_from_name(to_string(formulation));  // throws
  }
  if (links <= 3 || links == 5 || links == 9)
    return sum({{G::links, {129, 101}}, {G::lg, {64, 48}}, {G::constant, {70, 49, 2}}});
  return sum({{G::pairs, {1, 1}}, {G::links, {128, 100}}, {G::lg_of_before, {64, 48}}, {G::constant, {70, 45, 2}}});
}

std::vector<Phase> recneb_phases() {
  // [Pond] table 2.1
  constexpr TaskCost MM = {27, 18}, MV = {9, 6}, VC = {6, 3}, VD = {3, 2}, VA = {0, 3}, SV = {3};
  const auto once = [](const TaskCost& cost) { return CostFormula{{{Growth::constant, cost}}}; };
  const auto doubled = [](const TaskCost& cost, Growth growth) { return CostFormula{{{growth, cost}}}; };
  return {{"rotations of the joints", once({4, 0, 2})},
          {"rotations to the base, doubled", doubled(MM, Growth::lg)},
          {"axes times velocities", once(MV + SV)},
          {"angular velocities, doubled", doubled(VA, Growth::lg_of_next)},
          {"parts of angular accelerations", once(MV + SV + VC + VA)},
          {"angular accelerations, doubled", doubled(VA, Growth::lg_of_next)},
          {"parts of the origins' accelerations", once(MV + 3 * VC + VA)},
          {"the origins' accelerations, doubled", doubled(VA, Growth::lg_of_next)},
          {"accelerations of centres of mass", once(MV + 3 * VC + 2 * VA)},
          {"forces of links", once(SV)},
          {"forces, doubled", doubled(VA, Growth::lg)},
          {"moments of links", once(MV + 2 * VC + 4 * VA)},
          {"moments, doubled", doubled(VA, Growth::lg)},
          {"torques, with a viscous one", once(VD + TaskCost{1, 1})}};
}

CostFormula hashimoto_critical_path() { return {{{Growth::links, {33, 27}}, {Growth::constant, {105, 91}}}}; }

double lower_bound(double k1, double k2, Index links, Index processors) {
  if (links < 1 || processors < 1)
    throw Error(sentence("lower bound: expected 1 link and 1 processor or more, not ", links, " and ", processors));
  return k1 * static_cast<double>((links + processors - 1) / processors) + k2 * ceil_lg(processors);
}

LowerBoundConstants fit_lower_bound(const std::vector<LowerBoundTimes>& times) {
  if (times.empty()) throw Error("lower bound: expected times for the fit");
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  for (const LowerBoundTimes& t : times) {
    if (!(t.time > 0)) throw Error(sentence("lower bound: expected positive times, not ", t.time));
    const double a = lower_bound(1, 0, t.links, t.processors) / t.time,
                 b = lower_bound(0, 1, t.links, t.processors) / t.time;
    aa += a * a, ab += a * b, bb += b * b, a1 += a, b1 += b;
  }
  // where a constant would be negative it is 0
  LowerBoundConstants k = {aa > 0 ? a1 / aa : 0, 0, 0};
  if (const double determinant = aa * bb - ab * ab; determinant > 1e-12 * aa * bb) {
    const double k1 = (a1 * bb - b1 * ab) / determinant, k2 = (b1 * aa - a1 * ab) / determinant;
    if (k1 >= 0 && k2 >= 0)
      k = {k1, k2, 0};
    else if (k1 < 0)
      k = {0, b1 / bb, 0};
  }
  for (const LowerBoundTimes& t : times) {
    const double off = lower_bound(k.k1, k.k2, t.links, t.processors) / t.time - 1;
    k.misfit += off * off / static_cast<double>(times.size());
  }
  k.misfit = std::sqrt(k.misfit);
  return k;
}

}  // namespace tandem
