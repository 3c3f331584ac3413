// SPDX-License-Identifier: Apache-2.0
/// [Yang] figures 2, 3a, 3b and the six plots of [Yang slides]: every method as the paper has it, as it stands here by
/// itself, and the fastest there is.
#include <fmt/format.h>

#include "figures.hpp"

namespace tandem::figures {
namespace {

constexpr RightHandSide bias = RightHandSide::bias_torque;

/// JSIIA, ABIA and CFA of the paper, each followed by ours; then what neither has.
constexpr Way forward_ways[] = {
    {"JSIIA", {.method = Method::mass_matrix_inversion, .form = Form::body}},
    {"JSIIA here", {.method = Method::mass_matrix_inversion}},
    {"ABIA", {.method = Method::hybrid_articulated_body, .right_hand_side = bias}},
    {"ABIA here", {.method = Method::hybrid_articulated_body}},
    {"CFA", {.method = Method::constraint_force, .solver = Solver::odd_even_elimination, .right_hand_side = bias}},
    {"CFA here", {.method = Method::constraint_force}},
    {"articulated_body", {.method = Method::articulated_body}},
    {"scan", {.method = Method::scan}},
};

/// Three scans over links, by Blelloch and by the naive scan of the slides; then ours, and the serial recursion.
constexpr Way inverse_ways[] = {
    {"three scans, naive",
     {.method = Method::scan, .form = Form::body, .chunk = 1, .scan_schedule = ScanSchedule::hillis_steele}},
    {"three scans, tree", {.method = Method::scan, .form = Form::body, .chunk = 1}},
    {"recursive_newton_euler", {.method = Method::recursive_newton_euler}},
    {"scan", {.method = Method::scan}},
};

constexpr double long_time = 1e5;  // microseconds; what takes longer is not measured on more links or robots

/// False if it takes too long to go on.
bool row(const char* figure, const Way& way, int links, Index robots, int threads, double us) {
  fmt::print(R"({{"figure":"{}","method":"{}","links":{},"robots":{},"threads":{},"us":{:.3f}}})"
             "\n",
             figure, way.name, links, robots, threads, us);
  std::fflush(stdout);
  return us < long_time;
}

template <std::size_t n>
void over_links(const char* figure, const char* algorithm, const Way (&ways)[n], int most_threads) {
  for (const Way& way : ways)
    for (const int threads : {1, most_threads}) {
      bool go_on = true;
      for (int decade = 1; decade <= 1'000'000 && go_on; decade *= 10)
        for (const int links : {decade, 2 * decade, 5 * decade}) {
          if (links == 1 || links > 1'000'000 || !go_on) continue;
          const Model model = chain(links);
          go_on = row(figure, way, links, 1, threads, measure(algorithm, model, way.options, threads));
        }
      if (most_threads == 1) break;
    }
}

template <std::size_t n>
void over_robots(const char* figure, const char* algorithm, const Way (&ways)[n], int links, int threads) {
  const Model model = chain(links);
  for (const Way& way : ways)
    for (Index robots = 1; robots <= 4096; robots *= 4)
      if (!row(figure, way, links, robots, threads, measure(algorithm, model, way.options, threads, robots))) break;
}

}  // namespace

void forward_links(int threads) { over_links("forward_links", "forward_dynamics", forward_ways, threads); }
void inverse_links(int threads) { over_links("inverse_links", "inverse_dynamics", inverse_ways, threads); }
void forward_robots_10(int threads) { over_robots("forward_robots_10", "forward_dynamics", forward_ways, 10, threads); }
void forward_robots_100(int threads) {
  over_robots("forward_robots_100", "forward_dynamics", forward_ways, 100, threads);
}
void forward_robots_200(int threads) {
  over_robots("forward_robots_200", "forward_dynamics", forward_ways, 200, threads);
}
void inverse_robots_10(int threads) { over_robots("inverse_robots_10", "inverse_dynamics", inverse_ways, 10, threads); }
void inverse_robots_100(int threads) {
  over_robots("inverse_robots_100", "inverse_dynamics", inverse_ways, 100, threads);
}

}  // namespace tandem::figures
