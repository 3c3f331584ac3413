// SPDX-License-Identifier: Apache-2.0
/// Task graphs of the formulations of [Pond] 2.2. Costs are those of tables 2.1 to 2.6, counted in vectors and
/// matrices. The thesis tables no assignments: here one for each number of the outputs, and of what stands in
/// parentheses.
#include <algorithm>
#include <unordered_map>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/api/task_graph.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

// [Pond] table 2.1: M matrix, V vector, S scalar, C cross, D dot and O outer product, A sum, TR trace
constexpr TaskCost MM = {27, 18}, MV = {9, 6}, MA = {0, 9}, VC = {6, 3}, VD = {3, 2}, VO = {9}, VA = {0, 3}, SM = {9},
                   SV = {3}, M = {1}, A = {0, 1}, T = {0, 0, 1}, none = {};
// of 4 x 4 matrices
constexpr TaskCost MM4 = {64, 48}, MV4 = {16, 12}, VD4 = {4, 3}, TR4 = {0, 3};

/// "wd3", "a4,2"; "" for what is given, which nobody waits for.
template <class... Number>
std::string named(const char* what, Number... number) {
  std::string all;
  ((all += (all.empty() ? "" : ",") + std::to_string(number)), ...);
  return what + all;
}
const std::string given;

/// Tasks by name, in the order of their list; they may need such as are added later.
class Tasks {
 public:
  explicit Tasks(Method formulation) { graph_.name = to_string(formulation); }

  void add(const std::string& name, Index link, const TaskCost& cost, double assignments, Index outputs,
           std::vector<std::string> needs) {
    numbers_.emplace(name, static_cast<Index>(graph_.tasks.size()));
    graph_.tasks.push_back({name, link, cost + TaskCost{0, 0, 0, assignments}, outputs, {}});
    needs_.push_back(std::move(needs));
  }
  TaskGraph finish() {
    for (std::size_t k = 0; k < graph_.tasks.size(); ++k)
      for (const std::string& name : needs_[k]) {
        if (name.empty()) continue;
        std::vector<Index>& needs = graph_.tasks[k].needs;
        const Index number = numbers_.at(name);
        if (std::find(needs.begin(), needs.end(), number) == needs.end()) needs.push_back(number);
      }
    return std::move(graph_);
  }

 private:
  TaskGraph graph_;
  std::unordered_map<std::string, Index> numbers_;
  std::vector<std::vector<std::string>> needs_;
};

std::string R(Index i) { return named("R", i); }

void add_rotation(Tasks& g, Index i) { g.add(R(i), i, 4 * M + 2 * T, 6, 9, {}); }

/// What is before the first link, and behind the last, is given.
std::string before(const char* what, Index i) { return i > 1 ? named(what, i - 1) : given; }
std::string behind(const char* what, Index i, Index n) { return i < n ? named(what, i + 1) : given; }

/// (2.3) - (2.7), which recne and resne have in common.
void add_accelerations(Tasks& g, Index i, const std::string& w, const std::string& w_before) {
  const auto is = [i](const char* what) { return named(what, i); };
  g.add(is("wd"), i, 2 * SV + 2 * VA + VC + MV, 6, 3, {R(i), w_before, before("wd", i)});
  g.add(is("pdd"), i, MV + 3 * VC + 2 * VA, 6, 3, {R(i), before("pdd", i), w, is("wd")});
  g.add(is("sdd"), i, 3 * VC + 2 * VA, 6, 3, {is("pdd"), w, is("wd")});
  g.add(is("F"), i, SV, 3, 3, {is("sdd")});
  g.add(is("N"), i, 2 * MV + VC + VA, 6, 3, {w, is("wd")});
}

/// Table 2.2. That of the last moment says VC + VA; table 2.7 needs what the others cost, as here.
void add_recne(Tasks& g, Index n, bool torques) {
  for (Index i = 1; i <= n; ++i) {
    const auto is = [i](const char* what) { return named(what, i); };
    add_rotation(g, i);
    g.add(is("w"), i, SV + VA + MV, 6, 3, {R(i), before("w", i)});
    add_accelerations(g, i, is("w"), before("w", i));
    g.add(is("f"), i, i < n ? VA : none, 3, 3, {is("F"), behind("f'", i, n)});
    g.add(is("n"), i, 2 * VC + 3 * VA, 3, 3, {is("N"), behind("n'", i, n), is("F"), behind("f'", i, n)});
    if (i > 1) g.add(is("f'"), i, MV, 3, 3, {R(i), is("f")});
    g.add(is("n'"), i, MV, 3, 3, {R(i), is("n")});
    if (torques) g.add(is("tau"), i, VD, 1, 1, {is("n'")});
  }
}

/// Table 2.3: a^k, b^k and s^k are velocities of link i that a unit of velocity of joint k gives.
void add_resne(Tasks& g, Index n) {
  for (Index i = 1; i <= n; ++i) {
    const auto is = [i](const char* what, Index k) { return named(what, i, k); };
    add_rotation(g, i);
    g.add(is("a", i), i, MV, 3, 3, {R(i)});
    g.add(is("b", i), i, VC, 3, 3, {is("a", i)});
    g.add(is("s", i), i, VC + VA, 3, 3, {is("b", i), is("a", i)});
    g.add(is("w", i), i, SV, 3, 3, {is("a", i)});
    for (Index k = i - 1; k > 0; --k) {
      g.add(is("a", k), i, MV, 3, 3, {R(i), named("a", i - 1, k)});
      g.add(is("b", k), i, MV + VC + VA, 3, 3, {R(i), named("b", i - 1, k), is("a", k)});
      g.add(is("s", k), i, VC + VA, 3, 3, {is("b", k), is("a", k)});
      g.add(is("w", k), i, SV + VA, 3, 3, {is("w", k + 1), is("a", k)});
    }
    add_accelerations(g, i, is("w", 1), i > 1 ? named("w", i - 1, 1) : given);
    for (Index k = 1; k <= i; ++k)
      g.add(named("tau", k, i), i, 2 * VD + (k < i ? 2 : 1) * A, 1, 1,
            {k < i ? named("tau", k, i - 1) : given, named("N", i), named("F", i), is("a", k), is("s", k)});
  }
}

/// Table 2.5.
void add_recle(Tasks& g, Index n) {
  for (Index i = 1; i <= n; ++i) {
    const auto is = [i](const char* what) { return named(what, i); };
    const bool first = i == 1, last = i == n;
    const std::string base = first ? given : i == 2 ? R(1) : named("R0,", i - 1);  // 0R of the link before
    add_rotation(g, i);
    g.add(is("p"), i, MV, 3, 3, {R(i)});
    if (!first) g.add(is("R0,"), i, MM, 9, 9, {base, R(i)});
    g.add(is("Rd"), i, first ? MM + SM : 2 * MM + MA + SM, first ? 9 : 18, 9, {R(i), before("Rd", i), base});
    g.add(is("Rdd"), i, first ? MM + MA + 2 * SM + M : 3 * MM + 3 * MA + 3 * SM + 2 * M, first ? 18 : 27, 9,
          {R(i), before("Rdd", i), before("Rd", i), base});
    g.add(is("Rii"), i, first ? MM : 2 * MM, 9, 9, {R(i), base});
    g.add(is("pdd"), i, MV + VA, 3, 3, {before("pdd", i), is("Rdd")});
    g.add(is("e*"), i, MV, 3, 3, {is("Rdd")});
    g.add(is("e"), i, (last ? 1 : 2) * VA + SV, 3, 3, {behind("e", i, n), is("e*"), is("pdd")});
    g.add(is("D*"), i, MM + VO + MA, 9, 9, {is("pdd"), is("Rdd")});
    g.add(is("D"), i, last ? none : MM + VO + 2 * MA, last ? 0 : 9, 9,
          {behind("R", i, n), behind("D", i, n), behind("p", i, n), behind("e", i, n), is("D*")});
    g.add(is("g*"), i, MV, 3, 3, {is("Rii")});
    g.add(is("c"), i, last ? none : MV + VA, last ? 0 : 3, 3, {behind("R", i, n), behind("c", i, n)});
    g.add(is("tau**"), i, VD, 1, 1, {is("g*"), is("c")});
    g.add(is("tau*"), i, MM + 2 * A, 10, 1, {is("Rii"), is("D")});
    g.add(is("tau"), i, A, 1, 1, {is("tau*"), is("tau**")});
  }
}

/// The link between j and i at which what goes from j to i is put together.
Index middle(Index j, Index i) { return j + (i - j + 1) / 2; }

/// Table 2.6. Table 2.7 needs that L waits for p.
void add_hybrid(Tasks& g, Index n) {
  const auto rotation = [](Index j, Index i) { return i - j == 1 ? R(i) : named("R", j, i); };
  add_recne(g, n, false);
  for (Index d = 2; d <= n; ++d)
    for (Index j = 0; j + d <= n; ++j)
      g.add(named("R", j, j + d), j + d, MM, 9, 9, {rotation(j, middle(j, j + d)), rotation(middle(j, j + d), j + d)});
  for (Index i = 1; i <= n; ++i) {
    const std::string p = named("p", i - 1, i);
    g.add(p, i, MV, 3, 3, {R(i)});
    g.add(named("L", i), i, i < n ? MV + VA : MV, 6, 3, {R(i), behind("L", i, n), p});
    g.add(named("I", i), i, 3 * MM + (i < n ? 3 : 2) * MA, 27, 9, {R(i), behind("I", i, n), p, named("L", i)});
  }
  for (Index d = 2; d <= n; ++d)
    for (Index j = 0; j + d <= n; ++j) {
      const Index i = j + d, k = middle(j, i);
      g.add(named("p", j, i), i, MV + VA, 3, 3, {named("p", j, k), rotation(j, k), named("p", k, i)});
    }
  for (Index i = 1; i <= n; ++i) {
    for (Index j = i; j <= n; ++j)
      g.add(named("M", i, j), i, i == j ? MV + VD : 3 * MV + 2 * VD + 2 * VC + A, i == j ? 1 : 7, 1,
            i == j ? std::vector{named("I", j)}
                   : std::vector{named("I", j), rotation(i - 1, j - 1), named("p", i - 1, j - 1), named("L", j)});
    g.add(named("g", i), i, i == 1 ? VC + VD : MV + VC + VD, 4, 1, {named("L", i), i > 1 ? rotation(0, i - 1) : given});
    std::vector<std::string> needs;
    for (Index j = 1; j <= n; ++j) needs.push_back(named("M", std::min(i, j), std::max(i, j)));
    needs.insert(needs.end(), {named("g", i), named("n'", i)});
    const double all = static_cast<double>(n);
    g.add(named("tau", i), i, all * M + (all + 1) * A + VD, 1, 1, needs);
  }
}

/// Table 2.4: T1 and T2 are first and second derivatives of transforms, C products of velocities, M the mass matrix.
void add_classle(Tasks& g, Index n) {
  const auto transform = [](Index j, Index i) { return j == i ? given : named("T", j, i); };
  for (Index i = 1; i <= n; ++i) g.add(transform(i - 1, i), i, 6 * M + 2 * T, 12, 16, {});
  for (Index d = 2; d <= n; ++d)
    for (Index j = 0; j + d <= n; ++j) {
      const Index i = j + d, k = middle(j, i);
      g.add(transform(j, i), i, MM4, 16, 16, {transform(j, k), transform(k, i)});
    }
  for (Index i = 1; i <= n; ++i)
    for (Index j = 1; j <= i; ++j) {
      g.add(named("T1,", i, j), i, (j == 1 ? 1 : 2) * MM4, 16, 16, {transform(0, j - 1), transform(j - 1, i)});
      for (Index k = 1; k < j; ++k)
        g.add(named("T2,", i, j, k), i, (k == 1 ? 3 : 4) * MM4, 16, 16,
              {transform(0, k - 1), transform(k - 1, j - 1), transform(j - 1, i)});
      g.add(named("T2,", i, j, j), i, (j == 1 ? 1 : 2) * MM4, 16, 16, {transform(0, j - 1), transform(j - 1, i)});
    }
  const auto products = [n](Index from, const auto& name, const auto& other) {
    std::vector<std::string> all;
    for (Index l = from; l <= n; ++l) all.push_back(name(l));
    for (Index l = from; l <= n; ++l) all.push_back(other(l));
    return all;
  };
  const auto first = [](Index j) { return [j](Index l) { return named("T1,", l, j); }; };
  for (Index j = 1; j <= n; ++j)
    for (Index i = 1; i < j; ++i)
      for (Index k = 1; k <= j; ++k) {
        const double m = static_cast<double>(n - j + 1);
        g.add(named("C", i, j, k), j, m * (2 * MM4 + TR4) + (m - 1) * A, 33 * m, 1,
              products(j, [j, k](Index l) { return named("T2,", l, j, k); }, first(i)));
      }
  for (Index i = 1; i <= n; ++i) {
    const double m = static_cast<double>(n - i + 1);
    for (Index j = 1; j <= i; ++j)
      g.add(named("M", i, j), i, m * (2 * MM4 + TR4) + (m - 1) * A, 33 * m, 1, products(i, first(j), first(i)));
    std::vector<std::string> needs;
    for (Index l = i; l <= n; ++l) needs.push_back(first(i)(l));
    g.add(named("g", i), i, m * (MV4 + VD4) + (m - 1) * A, 5 * m, 1, needs);
  }
  for (Index i = 1; i <= n; ++i) {
    const TaskCost minus = i == n ? A : none;  // a sum of which all terms are taken off
    const double all = static_cast<double>(n), pairs = all * (all - 1) / 2 - static_cast<double>(i) + 1;
    std::vector<std::string> sums, needs;
    for (Index j = 1; j <= n; ++j) needs.push_back(named("M", std::max(i, j), std::min(i, j)));
    g.add(named("tau'", i), i, all * M + (all - 1) * A, 1, 1, needs);
    sums.push_back(named("tau'", i));
    if (n > 1 && pairs > 0) {
      needs.clear();
      for (Index j = 1; j < i; ++j)
        for (Index k = 1; k < j; ++k) needs.push_back(named("C", j, i, k));
      for (Index j = i + 1; j <= n; ++j)
        for (Index k = 1; k < j; ++k) needs.push_back(named("C", i, j, k));
      g.add(named("tau''", i), i, pairs * M + std::max(pairs - 1, 0.0) * A + minus, 1, 1, needs);
      sums.push_back(named("tau''", i));
    }
    if (n > 1) {
      needs.clear();
      for (Index j = 1; j < i; ++j) needs.push_back(named("C", j, i, j));
      for (Index j = i + 1; j <= n; ++j) needs.push_back(named("C", i, j, j));
      g.add(named("tau'''", i), i, (all - 1) * M + (all - 2) * A + minus, 1, 1, needs);
      sums.push_back(named("tau'''", i));
    }
    sums.push_back(named("g", i));
    g.add(named("tau", i), i, 3 * A, 1, 1, sums);
  }
}

/// All sums, or products, of leaves from the first one on, in as many steps as their number has binary digits.
std::vector<std::string> add_doubling(Tasks& g, const char* what, std::vector<std::string> leaves, const TaskCost& cost,
                                      Index outputs, const std::vector<Index>& links) {
  for (std::size_t step = 1, level = 1; step < leaves.size(); step *= 2, ++level) {
    std::vector<std::string> sums = leaves;
    for (std::size_t k = step; k < leaves.size(); ++k) {
      sums[k] = named(what, level, k);
      g.add(sums[k], links[k], cost, static_cast<double>(outputs), outputs, {leaves[k - step], leaves[k]});
    }
    leaves = sums;
  }
  return leaves;
}

/// Page 18: everything in the base frame but (2.7); z are joint axes, P and S the vectors to the frame and mass centre.
/// Motions are summed from that of the base on, which is given, forces from the last link inward.
void add_recneb(Tasks& g, Index n) {
  std::vector<Index> outward, inward;
  for (Index i = 0; i <= n; ++i) outward.push_back(i);
  for (Index i = n; i >= 1; --i) inward.push_back(i);
  const std::vector<Index> links(outward.begin() + 1, outward.end());
  const auto all = [](const char* what, const std::vector<Index>& of) {
    std::vector<std::string> names;
    for (const Index i : of) names.push_back(i > 0 ? named(what, i) : given);
    return names;
  };
  for (const Index i : links) add_rotation(g, i);
  std::vector<std::string> R0 = add_doubling(g, "R0,", all("R", links), MM, 9, links);
  R0.insert(R0.begin(), given);
  for (const Index i : links) {
    g.add(named("z", i), i, MV, 3, 3, {R0[at(i - 1)]});
    g.add(named("u", i), i, SV, 3, 3, {named("z", i)});
  }
  const std::vector<std::string> w = add_doubling(g, "w", all("u", outward), VA, 3, outward);
  for (const Index i : links) g.add(named("ud", i), i, 2 * SV + VC + VA, 6, 3, {named("z", i), w[at(i - 1)]});
  const std::vector<std::string> wd = add_doubling(g, "wd", all("ud", outward), VA, 3, outward);
  for (const Index i : links) {
    g.add(named("P", i), i, MV, 3, 3, {R0[at(i)]});
    g.add(named("S", i), i, MV, 3, 3, {R0[at(i)]});
    g.add(named("v", i), i, 3 * VC + VA, 6, 3, {named("P", i), w[at(i)], wd[at(i)]});
  }
  const std::vector<std::string> pdd = add_doubling(g, "pdd", all("v", outward), VA, 3, outward);
  for (const Index i : links) {
    const auto is = [i](const char* what) { return named(what, i); };
    g.add(is("sdd"), i, 3 * VC + 2 * VA, 6, 3, {pdd[at(i)], w[at(i)], wd[at(i)], is("S")});
    g.add(is("F"), i, SV, 3, 3, {is("sdd")});
    g.add(is("w'"), i, MV, 3, 3, {R0[at(i)], w[at(i)]});
    g.add(is("wd'"), i, MV, 3, 3, {R0[at(i)], wd[at(i)]});
    g.add(is("N"), i, 3 * MV + VC + VA, 9, 3, {is("w'"), is("wd'"), R0[at(i)]});
  }
  const std::vector<std::string> f = add_doubling(g, "f", all("F", inward), VA, 3, inward);
  for (const Index i : links)
    g.add(named("m", i), i, i < n ? 2 * VC + 3 * VA : VC + 2 * VA, 6, 3,
          {named("N", i), named("F", i), named("P", i), named("S", i), i < n ? f[at(n - i - 1)] : given});
  const std::vector<std::string> moments = add_doubling(g, "n", all("m", inward), VA, 3, inward);
  for (const Index i : links) g.add(named("tau", i), i, VD, 1, 1, {moments[at(n - i)], named("z", i)});
}

}  // namespace

TaskGraph printed_graph(Method formulation, Index links) {
  if (links < 1) throw Error(sentence("tasks of a formulation: expected 1 link or more, not ", links));
  Tasks g(formulation);
  switch (formulation) {
    case Method::recne: add_recne(g, links, true); break;
    case Method::recneb: add_recneb(g, links); break;
    case Method::resne: add_resne(g, links); break;
    case Method::classle: add_classle(g, links); break;
    case Method::recle: add_recle(g, links); break;
    case Method::hybrid: add_hybrid(g, links); break;
    default: formulation_from_name(to_string(formulation));  // throws
  }
  return g.finish();
}

}  // namespace tandem
