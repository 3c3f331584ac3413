// SPDX-License-Identifier: Apache-2.0
/// Operations and numbers of tasks against the tables of [Pond], chapter 2. Where they differ the difference is written
/// down here, and why in docs/papers/pond.md.
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "papers/formulations/task_list.hpp"
#include "support/robots.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test::formulation_counts {
namespace {

/// Multiplications, additions, sines and cosines.
struct Cost {
  std::int64_t M = 0, A = 0, T = 0;
  bool operator==(const Cost&) const = default;
  Cost operator+(const Cost& o) const { return {M + o.M, A + o.A, T + o.T}; }
};
Cost operator*(std::int64_t n, const Cost& c) { return {n * c.M, n * c.A, n * c.T}; }
void PrintTo(const Cost& c, std::ostream* out) { *out << c.M << " M + " << c.A << " A + " << c.T << " T"; }
Cost cost_of(const Operations& o) {
  EXPECT_EQ(o.divisions + o.square_roots, 0);
  return {o.multiplications, o.additions, 2 * o.angles};
}

// table 2.1, and the same of four dimensions
constexpr Cost M1 = {1, 0}, A1 = {0, 1}, MM = {27, 18}, MV = {9, 6}, MA = {0, 9}, VC = {6, 3}, VD = {3, 2}, VO = {9, 0},
               VA = {0, 3}, SM = {9, 0}, SV = {3, 0}, R = {4, 0, 2};
constexpr Cost MM4 = {64, 48}, MV4 = {16, 12}, VD4 = {4, 3}, TR4 = {0, 3};

/// Hinges whose angles are measured from where Denavit and Hartenberg have them: x of every link is normal to its two
/// axes.
Model denavit_hartenberg(int n) {
  ModelBuilder b("hinges");
  Random random(3);
  b.link({.name = "base"});
  for (int i = 0; i < n; ++i) {
    const auto draw = [&] { return random.uniform(-1, 1); };
    const std::string name = "link" + std::to_string(i), parent = i == 0 ? "base" : "link" + std::to_string(i - 1);
    b.link(
        {.name = name, .mass = 1 + 0.1 * i, .com = {draw(), draw(), draw()}, .inertia = {1, 0.1, 0.2, 1.2, 0.1, 1.1}});
    const double half = draw();
    JointDescription joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::revolute;
    joint.parent = parent;
    joint.child = name;
    joint.placement = {{draw(), draw(), draw()}, rotation_from_quaternion(std::sin(half), 0, 0, std::cos(half))};
    joint.axis = {0, 0, 1};
    b.joint(joint);
  }
  return b.build();
}

/// What the thesis says that a task takes, of n links.
using Table = std::function<Cost(const FormulationTask&, int n)>;

Cost newton_euler(const std::string& what) {
  static const std::map<std::string, Cost> table = {
      {"R", R},
      {"w", SV + VA + MV},
      {"wd", 2 * SV + 2 * VA + VC + MV},
      {"pdd", MV + 3 * VC + 2 * VA},
      {"sdd", 3 * VC + 2 * VA},
      {"F", SV},
      {"N", 2 * MV + VC + VA},
      {"f'", MV},
      {"n'", MV},
  };
  return table.at(what);
}

/// Table 2.2
Cost recne(const FormulationTask& t, int n) {
  const std::string what = t.quantity;
  if (what == "f") return t.i < n ? VA : Cost{};
  if (what == "n") return t.i < n ? 2 * VC + 3 * VA : VC + VA;
  return what == "tau" ? VD : newton_euler(what);
}

/// Table 2.3
Cost resne(const FormulationTask& t, int n) {
  const std::string what = t.quantity;
  const bool own = t.i == t.j;
  if (what == "a") return MV;
  if (what == "b") return own ? VC : MV + VC + VA;
  if (what == "s") return VC + VA;
  if (what == "w_k") return own ? SV : SV + VA;
  if (what == "tau_k") return own ? 2 * VD + A1 : 2 * VD + 2 * A1;
  if (what == "tau") return t.i == n ? 2 * VD + A1 : 2 * VD + 2 * A1;
  return newton_euler(what);
}

/// Table 2.4. Ours: the placement of a frame is not restricted to two numbers of Denavit and Hartenberg's four;
/// products of rates are counted.
Cost classle(const FormulationTask& t, int n) {
  const std::string what = t.quantity;
  const int i = t.i, j = t.j, k = t.k;
  if (what == "T") return j - i == 1 ? R + 4 * M1 + 2 * A1 : MM4;
  if (what == "T'") return j == 1 ? MM4 : 2 * MM4;
  if (what == "T''") return k < j ? (k == 1 ? 3 : 4) * MM4 : 2 * MM4;
  if (what == "C") return (n - j + 1) * (2 * MM4 + TR4) + (n - j) * A1;
  if (what == "M") return (n - i + 1) * (2 * MM4 + TR4) + (n - i) * A1;
  if (what == "g") return (n - i + 1) * (MV4 + VD4) + (n - i) * A1;
  if (what == "tau'") return n * M1 + (n - 1) * A1;
  if (what == "tau''") {
    const int terms = n * (n - 1) / 2 - i + 1, rates = n - 1 - (i == 1 ? 0 : 1);
    return terms * M1 + (terms - 1) * A1 + rates * (M1 + A1);
  }
  if (what == "tau'''") return 2 * (n - 1) * M1 + (n - 2) * A1;
  const int summands = 2 + (n > 1 ? 1 : 0) + (n * (n - 1) / 2 - i + 1 > 0 && n > 1 ? 1 : 0);
  return (summands - 1) * A1;
}

/// Table 2.5. Ours: D_n is not D*_n alone, see (2.56) in recle.hpp.
Cost recle(const FormulationTask& t, int n) {
  const std::string what = t.quantity;
  const bool first = t.i == 1;
  if (what == "R") return R;
  if (what == "0R") return MM;
  if (what == "0Rd") return first ? MM + SM : 2 * MM + MA + SM;
  if (what == "0Rdd") return first ? MM + MA + 2 * SM + M1 : 3 * MM + 3 * MA + 3 * SM + 2 * M1;
  if (what == "0Ri") return first ? MM : 2 * MM;
  if (what == "pdd") return MV + VA;
  if (what == "e*") return MV;
  if (what == "e") return t.i < n ? 2 * VA + SV : VA + SV;
  if (what == "D*") return MM + VO + MA;
  if (what == "D") return t.i < n ? MM + VO + 2 * MA : VO + MA;
  if (what == "g*") return MV;
  if (what == "c") return MV + VA;
  if (what == "tau**") return VD;
  if (what == "tau*") return MM + 2 * A1;
  return A1;
}

/// Table 2.6
Cost hybrid(const FormulationTask& t, int n) {
  const std::string what = t.quantity;
  if (what == "jR") return MM;
  if (what == "jp") return t.j - t.i == 1 ? MV : MV + VA;
  if (what == "L") return t.i < n ? MV + VA : MV;
  if (what == "I") return t.i < n ? 3 * MM + 3 * MA : 3 * MM + 2 * MA;
  if (what == "M") return t.i == t.j ? MV + VD : 3 * MV + 2 * VD + 2 * VC + A1;
  if (what == "g") return t.i == 1 ? VC + VD : MV + VC + VD;
  if (what == "tau") return n * M1 + (n + 1) * A1 + VD;
  return recne(t, n);
}

const std::map<Method, Table> tables = {{Method::recne, recne},
                                        {Method::resne, resne},
                                        {Method::classle, classle},
                                        {Method::recle, recle},
                                        {Method::hybrid, hybrid}};

TEST(FormulationCounts, AreThoseOfTheThesis) {
  for (const auto& [method, table] : tables)
    for (int n = 1; n <= 6; ++n) {
      const TaskList list(denavit_hartenberg(n), method);
      for (const FormulationTask& task : list.tasks())
        EXPECT_EQ(cost_of(task.printed), table(task, n)) << to_string(method) << " of " << n << ": " << task.name();
    }
}

Cost total(const TaskList& list, Operations FormulationTask::* which) {
  Cost sum;
  for (const FormulationTask& task : list.tasks()) sum = sum + cost_of(task.*which);
  return sum;
}
std::int64_t flops(const Cost& c) { return c.M + c.A; }

// "30% to 40% lower", page 26; here a little more
TEST(FormulationCounts, BlocksSpareTwoFifthsOfTheOperations) {
  for (int n = 1; n <= 10; ++n) {
    const TaskList whole(denavit_hartenberg(n), Method::classle);
    const TaskList blocks(denavit_hartenberg(n), Method::classle, {.matrices = Matrices::blocks});
    const double spared = 1 - double(flops(total(blocks, &FormulationTask::printed))) /
                                  double(flops(total(whole, &FormulationTask::printed)));
    EXPECT_GT(spared, 0.39) << n;
    EXPECT_LT(spared, 0.44) << n;
    EXPECT_EQ(blocks.size(), whole.size());
  }
}

// "this operator costs about fifty percent more than the two expressions which it replaces", page 18
TEST(FormulationCounts, OmegaCostsMoreWhereItIsWrittenOut) {
  const Model model = denavit_hartenberg(5);
  const TaskList crosses(model, Method::recne), omega(model, Method::recne, {.matrices = Matrices::omega});
  const auto more = [&](Operations FormulationTask::* which) {
    return flops(total(omega, which)) - flops(total(crosses, which));
  };
  const Cost replaced = 2 * (3 * VC + VA), by = MM + MA + 2 * MV;
  EXPECT_EQ(more(&FormulationTask::printed), 5 * (flops(by) - flops(replaced)));
  EXPECT_NEAR(double(flops(by)) / double(flops(replaced)), 1.4, 1e-12);
  EXPECT_LT(more(&FormulationTask::operations), 0);  // and less where zeros are known
}

/// Of the tasks of n = 0, 1, 2 .. the power that they grow by: how often differences are taken until they do not
/// change.
int power_of(std::vector<std::int64_t> sizes) {
  for (int power = 0;; ++power) {
    if (std::ranges::all_of(sizes, [&](std::int64_t x) { return x == sizes.front(); })) return power;
    for (std::size_t k = 0; k + 1 < sizes.size(); ++k) sizes[k] = sizes[k + 1] - sizes[k];
    sizes.pop_back();
  }
}

// "only RECNE and RECLE require a number of tasks which varies linearly with n; all of the other algorithms are
// quadratic, except CLASSLE, which is cubic", page 54. Recursive doubling takes n log n.
TEST(FormulationCounts, NumbersOfTasksGrowAsPage54Says) {
  for (const auto& [method, power] : {std::pair{Method::recne, 1},
                                      {Method::recle, 1},
                                      {Method::resne, 2},
                                      {Method::hybrid, 2},
                                      {Method::classle, 3}}) {
    std::vector<std::int64_t> sizes;
    for (int n = 3; n <= 9; ++n) sizes.push_back(TaskList(denavit_hartenberg(n), method).size());
    EXPECT_EQ(power_of(sizes), power) << to_string(method);
  }
  std::vector<double> per_link;
  for (const int n : {16, 32, 64})
    per_link.push_back(double(TaskList(denavit_hartenberg(n), Method::recneb).size()) / n);
  EXPECT_NEAR(per_link[1] - per_link[0], 6, 0.5);  // six recurrences
  EXPECT_NEAR(per_link[2] - per_link[1], 6, 0.5);
}

/// Operations of chains of 3, 6 and 10 links as docs/papers/pond.md has them: tasks, as they run, written out.
TEST(FormulationCounts, AreThoseOfThePage) {
  std::ifstream page(std::string(TANDEM_SOURCE_DIR) + "/docs/papers/pond.md");
  const std::string text((std::istreambuf_iterator<char>(page)), {});
  const auto row = [](Method method, Matrices matrices) {
    std::string line = std::string("| `") + to_string(method) + "`";
    if (matrices != Matrices::automatic) line += std::string(", `") + to_string(matrices) + "`";
    for (const int n : {3, 6, 10}) {
      const TaskList list(denavit_hartenberg(n), method, {.matrices = matrices});
      line += " | " + std::to_string(list.size());
      for (const auto which : {&FormulationTask::operations, &FormulationTask::printed}) {
        const Cost sum = total(list, which);
        line += " | " + std::to_string(sum.M) + " M + " + std::to_string(sum.A) + " A";
      }
    }
    return line + " |";
  };
  const auto expect_row = [&](Method method, Matrices matrices) {
    const std::string line = row(method, matrices);
    EXPECT_NE(text.find(line + "\n"), text.npos) << line;
  };
  for (const Method method :
       {Method::recne, Method::recneb, Method::resne, Method::classle, Method::recle, Method::hybrid})
    expect_row(method, Matrices::automatic);
  expect_row(Method::recne, Matrices::omega);
  expect_row(Method::classle, Matrices::blocks);
}

}  // namespace
}  // namespace tandem::test::formulation_counts
