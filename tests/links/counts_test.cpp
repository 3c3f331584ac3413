// SPDX-License-Identifier: Apache-2.0
/// What methods cost in arithmetic, alone and on any number of processors: bench/results/counts.jsonl, from which pages
/// and pictures are made.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "compare/counts.hpp"
#include "links/mass_matrix_levels.hpp"
#include "tandem/api/compare.hpp"
#include "tandem/detail/papers/formulations/all.hpp"
#include "tandem/tandem.hpp"

namespace tandem::test {
namespace {

constexpr const char* file = TANDEM_SOURCE_DIR "/bench/results/counts.jsonl";
constexpr const char* file_of_levels = TANDEM_SOURCE_DIR "/bench/results/levels.jsonl";

/// A line for each count: method and options, links of `chain:N`, processors (0: one for all that is independent).
class Counts {
 public:
  void add(const std::string& algorithm, const Options& o, int links, Index processors = 0) {
    const Model& model = chain(links);
    const auto q = random_configuration(model, 1);
    std::vector<double> v(static_cast<std::size_t>(model.nv())), f(v);
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = 0.1 * static_cast<double>(k % 7) - 0.3;
      f[k] = 0.2 * static_cast<double>(k % 5) - 0.4;
    }
    std::vector<std::vector<double>> inputs = {{q.begin(), q.end()}};
    if (algorithm != "mass_matrix") inputs.insert(inputs.end(), {v, f, {}, {}});
    if (algorithm == "forward_dynamics") inputs.resize(5);
    const Work work = work_of(find_algorithm(algorithm), model, inputs, o, processors);
    text_ += fmt::format(
        R"({{"algorithm":"{}","method":"{}","chunks":{},"ratio":{},"links":{},"processors":{},"multiplications":{},"additions":{},"other":{},"depth":{}}})"
        "\n",
        algorithm, name(o), o.chunks, o.load_ratio, links, processors, work.all.multiplications, work.all.additions,
        work.all.divisions + work.all.square_roots, work.depth);
  }
  const std::string& text() const { return text_; }

 private:
  static std::string name(const Options& o) {
    const Options usual;
    std::string name = to_string(o.method);
    if (o.solver != usual.solver) name += std::string(", ") + to_string(o.solver);
    if (o.form != usual.form) name += std::string(", ") + to_string(o.form);
    if (o.scan_schedule != usual.scan_schedule) name += std::string(", ") + to_string(o.scan_schedule);
    if (o.right_hand_side != usual.right_hand_side) name += std::string(", ") + to_string(o.right_hand_side);
    return name;
  }
  const Model& chain(int links) {
    const auto known = chains_.find(links);
    return known != chains_.end() ? known->second
                                  : chains_.emplace(links, load("chain:" + std::to_string(links), {}, 1)).first->second;
  }
  std::map<int, Model> chains_;
  std::string text_;
};

template <class... A>
bool is_formulation(Method method, TypeList<A...>) {
  return ((A::method == method) || ...);
}

/// Every method with every option that it reads, as `tandem compare` has them. Formulations are counted task by task,
/// by formulation_counts_test.cpp.
std::vector<std::pair<std::string, Options>> all_methods() {
  std::vector<std::pair<std::string, Options>> all;
  ComparisonSettings settings;
  settings.wanted = [&](const std::string& algorithm, const Options& o) {
    if (o.method != Method::automatic && !is_formulation(o.method, Formulations{})) all.emplace_back(algorithm, o);
    return false;
  };
  compare_methods(load("chain:2"), settings);
  return all;
}

/// Work that grows faster than the number of links, or of entries: not counted on long chains.
bool is_for_short_chains(const std::string& algorithm, const Options& o) {
  return o.method == Method::mass_matrix_inversion || o.method == Method::conjugate_gradient ||
         o.solver == Solver::conjugate_gradient ||
         (algorithm == "forward_dynamics" && o.method == Method::composite_rigid_body);
}

std::string count() {
  Counts counts;
  const std::string forward_dynamics = "forward_dynamics";
  for (const auto& [algorithm, o] : all_methods()) {
    counts.add(algorithm, o, 64);
    if (is_for_short_chains(algorithm, o)) continue;
    for (const int links : {512, 1024})
      if (links == 1024 || algorithm != "mass_matrix") counts.add(algorithm, o, links);
    if (algorithm == "mass_matrix")
      for (const int links : {16, 256}) counts.add(algorithm, o, links);
  }
  for (Index p = 1; p <= 1024; p *= 2) counts.add(forward_dynamics, {.method = Method::divide_and_conquer}, 1024, p);
  for (int p = 1; p <= 128; p *= 2)
    for (const int tenths : {5, 7, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 25, 30, 40})
      counts.add(forward_dynamics,
                 {.method = Method::divide_and_conquer_efficient, .chunks = p, .load_ratio = 0.1 * tenths}, 1024, p);
  // DCAe as it is printed, and DCA+: the end of the chain alone is worked through by the serial method
  for (int p = 1; p <= 128; p *= 2)
    for (const int tenths : {5, 10, 15, 20, 25, 30, 40})
      counts.add(forward_dynamics,
                 {.method = Method::divide_and_conquer, .chunks = p, .load_ratio = 0.1 * tenths}, 1024, p);
  for (int p = 2; p <= 128; p *= 2)
    for (const int at_tip : {8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 640, 768, 896})
      counts.add(forward_dynamics, {.method = Method::divide_and_conquer, .load_ratio = 1. * at_tip}, 1024, p);
  // so long that the subsystem at the tip, and those between it and the base, can be told apart
  for (const Method method : {Method::divide_and_conquer_efficient, Method::divide_and_conquer})
    for (const int links : {4096, 8192})
      for (const int chunks : {1, 64})
        counts.add(forward_dynamics, {.method = method, .chunks = chunks, .load_ratio = 1}, links);
  return counts.text();
}

/// Mass matrices in as many levels as they take where there is a processor for everything: steps, what is done in all,
/// and how much of it at a time.
std::string count_levels() {
  struct Way {
    const char* name;
    std::vector<Counting> (*find)(const LevelsExecutor&, const Model&, const std::vector<Counting>&);
  };
  std::string text;
  for (const Way& way : {Way{"table 1", by_table_1}, Way{"columns swept", by_swept_columns},
                         Way{"columns doubled", by_doubled_columns}, Way{"table 2", by_table_2}})
    for (int n = 2; n <= 128; n *= 2) {
      const Model model = load("chain:" + std::to_string(n), {}, 1);
      const auto q = random_configuration(model, 1);
      Levels levels;
      Counting::count = {};
      way.find({&levels}, model, counting({q.begin(), q.end()}));
      text += fmt::format(
          R"({{"way":"{}","links":{},"levels":{},"operations":{},"processors":{},"busy":[{}],"flops":{}}})"
          "\n",
          way.name, n, levels.now, levels.sum(0, levels.now), *std::max_element(levels.busy.begin(), levels.busy.end()),
          fmt::join(levels.busy, ","), Counting::count.flops());
    }
  return text;
}

void compare_or_write(const char* path, const std::string& counted) {
  if (std::getenv("TANDEM_WRITE_COUNTS") != nullptr) {
    std::ofstream(path) << counted;
    return;
  }
  std::ifstream committed(path);
  ASSERT_TRUE(committed) << path << " cannot be read";
  std::istringstream now(counted);
  for (std::string then_line, line; std::getline(now, line);) {
    std::getline(committed, then_line);
    ASSERT_EQ(line, then_line)
        << "out of date: `scripts/figures --only counts` writes it, and what is made from it, anew";
  }
}

TEST(CountsSlow, AreThoseOfTheCommittedFile) { compare_or_write(file, count()); }
TEST(CountsSlow, OfLevelsAreThoseOfTheCommittedFile) { compare_or_write(file_of_levels, count_levels()); }

}  // namespace
}  // namespace tandem::test
