// SPDX-License-Identifier: Apache-2.0
/// [Pond] chapter 3: iterations over the length of chains, first guesses of simulations, and a chain on a row of
/// processors, stage by stage, whole and with parts left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "figures.hpp"
#include "tandem/api/macroparallel.hpp"

namespace tandem::figures {
namespace {

struct State {
  std::vector<double> q, v, tau, a;
  State(const Model& model, std::uint64_t seed)
      : q(random_configuration(model, seed)), v(static_cast<std::size_t>(model.nv())), tau(v.size()), a(v.size()) {
    for (std::size_t k = 0; k < v.size(); ++k) {
      v[k] = 0.1 * static_cast<double>(k % 7) - 0.3;
      tau[k] = 0.2 * static_cast<double>(k % 5) - 0.4;
    }
  }
};

/// A chain on a row: one line for a part of the work, the least of many calls. Rows are made anew a few times: two
/// threads that were put on one core stay there.
class Timer {
 public:
  Timer(const Model& model, int processors, Index iterations)
      : model_(model), state_(model, 1), processors_(processors), iterations_(iterations) {}

  void time(const char* part, LeftOut left_out) {
    MacroparallelReport best;
    best.seconds = 1e9;
    for (int row = 0; row < (processors_ > 1 ? 5 : 1); ++row) best = faster(best, least(left_out));
    print(part, best.seconds);
    if (left_out != LeftOut::nothing) return;
    static constexpr const char* stages[] = {"I", "II", "III", "IV", "V"};
    for (std::size_t k = 0; k < best.stage.size(); ++k) print(stages[k], best.stage[k]);
  }

 private:
  static const MacroparallelReport& faster(const MacroparallelReport& a, const MacroparallelReport& b) {
    return a.seconds < b.seconds ? a : b;
  }
  MacroparallelReport least(LeftOut left_out) {
    MacroparallelOptions options;
    options.processors = processors_;
    options.fixed_iterations = iterations_;
    options.left_out = left_out;
    Macroparallel row(model_, options);
    MacroparallelReport best;
    best.seconds = 1e9;
    double spent = 0;
    for (int k = 0; k < 20 || (k < 20000 && spent < 0.03); ++k) {
      const MacroparallelReport r = row.forward_dynamics(state_.q, state_.v, state_.tau, {}, state_.a);
      spent += r.seconds;
      best = faster(best, r);
    }
    return best;
  }
  void print(const char* part, double seconds) const {
    fmt::print(R"({{"figure":"macroparallel","links":{},"processors":{},"iterations":{},"part":"{}","us":{:.3f}}})"
               "\n",
               model_.n_links() - 1, processors_, iterations_, part, 1e6 * seconds);
  }
  const Model& model_;
  State state_;
  int processors_;
  Index iterations_;
};

}  // namespace

/// Figures 3.1 to 3.3: as many iterations for every length, as the thesis has them.
void macroparallel(int most_threads) {
  leave_core();
  constexpr Index iterations = 25;  // what a chain of ten needs to a tolerance of 1e-6
  const auto lengths = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256};
  for (const int links : lengths) {
    const Model model = chain(links);
    for (int processors = 1; processors <= std::min(links, most_threads); ++processors) {
      Timer timer(model, processors, iterations);
      timer.time("all", LeftOut::nothing);
      timer.time("without velocities", LeftOut::velocities);
      timer.time("without sums", LeftOut::sums);
    }
    Timer(model, 1, 5).time("all", LeftOut::nothing);  // what a step takes is the difference
  }
  for (const int links : lengths)
    fmt::print(R"({{"figure":"macroparallel","links":{},"processors":1,"iterations":0,"part":"recursive","us":{:.3f}}})"
               "\n",
               links, measure("forward_dynamics", chain(links), {.method = Method::articulated_body}, 1));
}

/// Steps of J-PPCG(2) over the length, means over states, on as many processors as there are bodies.
void macroparallel_iterations(int) {
  for (const char* robot : {"chain", "snake", "rope", "rope, straight"})
    for (const int links : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 32, 64, 128, 256, 512}) {
      const std::string_view name = robot;
      const bool straight = name.ends_with("straight");
      const Model model = load(fmt::format("{}:{}", name.substr(0, name.find(',')), links), {}, 1);
      for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        constexpr int states = 8;
        double sum = 0;
        for (int seed = 1; seed <= states; ++seed) {
          State s(model, static_cast<std::uint64_t>(seed));
          const double calm = 1 / std::max(1.0, std::sqrt(links / 10.0));
          for (double& x : s.v) x *= calm;
          if (straight) s.q = neutral_configuration(model);
          Macroparallel row(model, {.processors = 1, .tolerance = tolerance});
          sum += static_cast<double>(row.forward_dynamics(s.q, s.v, s.tau, {}, s.a).iterations);
        }
        fmt::print(
            R"({{"figure":"macroparallel_iterations","robot":"{}","links":{},"tolerance":{:.0e},"iterations":{:.2f}}})"
            "\n",
            robot, links, tolerance, sum / states);
      }
    }
}

/// Processors that stop when they have converged, a body each, [Pond] 3.2: errors beside the direct method.
void freezing(int) {
  leave_core();
  for (const int links : {8, 16, 32, 64}) {
    const Model model = chain(links);
    for (int seed = 1; seed <= 8; ++seed) {
      State s(model, static_cast<std::uint64_t>(seed));
      std::vector<double> direct(s.a.size());
      Workspace<double> work;
      const auto rows = static_cast<Index>(model.nv());
      const Array<double> arguments[] = {Array<double>::input(s.q.data(), model.nq()),
                                         Array<double>::input(s.v.data(), rows),
                                         Array<double>::input(s.tau.data(), rows),
                                         {},
                                         {},
                                         Array<double>::output(direct.data(), rows)};
      evaluate<double>(find_algorithm("forward_dynamics"), model, arguments, Batch<double>(1, 1), work,
                       {.method = Method::articulated_body});
      for (const Named& how : NamesOf<Freezing>::table) {
        Macroparallel row(
            model,
            {.processors = links, .tolerance = 1e-6, .max_iterations = 400, .freezing = from_name<Freezing>(how.name)});
        const MacroparallelReport done = row.forward_dynamics(s.q, s.v, s.tau, {}, s.a);
        double off = 0, size = 0;
        for (std::size_t k = 0; k < s.a.size(); ++k) {
          off += (s.a[k] - direct[k]) * (s.a[k] - direct[k]);
          size += direct[k] * direct[k];
        }
        const double error = std::sqrt(off / size);
        fmt::print(
            R"({{"figure":"freezing","links":{},"seed":{},"freezing":"{}","iterations":{},"converged":{},"early":{},"error":{:.2e}}})"
            "\n",
            links, seed, how.name, done.iterations, done.converged, done.stopped_early,
            std::isfinite(error) ? error : 1e99);
      }
    }
  }
}

/// Steps a solution of simulations that begin at zero, at the last solution, or on a line through the last two.
void first_guesses(int) {
  for (const char* robot : {"chain:10", "rope:10", "rope:64"})
    for (const double dt : {1e-2, 1e-3, 1e-4})
      for (const double tolerance : {1e-3, 1e-6})
        for (const Named& guess : NamesOf<FirstGuess>::table) {
          const Model model = load(robot, {}, 1);
          SimulationOptions options = {.dt = dt, .losses = false};
          options.dynamics = {.method = Method::conjugate_gradient, .tolerance = tolerance};
          options.first_guess = from_name<FirstGuess>(guess.name);
          options.threads = 1;
          Simulation<double> s(model, options);
          const auto q = random_configuration(model, 7);
          std::copy(q.begin(), q.end(), s.q().begin());
          int steps = 0;
          while (steps < 200 && !s.divergence()) {
            s.step();
            ++steps;
          }
          const Iterated& i = s.iterated();
          fmt::print(
              R"({{"figure":"first_guesses","robot":"{}","dt":{:.0e},"tolerance":{:.0e},"guess":"{}","solutions":{},"iterations":{:.2f}}})"
              "\n",
              robot, dt, tolerance, guess.name, i.solutions,
              static_cast<double>(i.steps) / static_cast<double>(std::max<std::int64_t>(i.solutions, 1)));
        }
}

}  // namespace tandem::figures
