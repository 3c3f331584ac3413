// SPDX-License-Identifier: Apache-2.0
/// What methods that divide one robot are meant to reach, and what they reached in a run.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "accuracy.hpp"
#include "bar_table.hpp"
#include "tables.hpp"

namespace tandem::bench {
namespace {

using enum BarTable::Better;

/// Forward dynamics of a chain of n links.
Key forward(const BarTable& table, int n, const char* precision, const char* method, int threads = 1) {
  return table.ours("forward_dynamics", fmt::format("chain:{}", n), precision, {.threads = threads, .variant = method});
}

void add_scan(BarTable& table) {
  const auto add = [&](int n, const char* precision, double bar, int threads = 1) {
    table.add(fmt::format("forward dynamics, scan, {} links, {}, {}: times articulated_body", n, precision,
                          threads == 1 ? "one core" : "2 threads"),
              bar, larger, "",
              table.times_as_fast(forward(table, n, precision, "scan", threads),
                                  forward(table, n, precision, "articulated_body")));
  };
  add(4096, "double", 4);
  add(4096, "float", 7);
  add(256, "double", 3);
  add(256, "float", 3.3);
  for (const char* precision : {"double", "float"})
    for (const int n : {4096, 16384, 100000})
      table.add(fmt::format("forward dynamics, scan, {} links, {}: 2 threads against one", n, precision), 1.8, larger,
                "", table.times_as_fast(forward(table, n, precision, "scan", 2), forward(table, n, precision, "scan")));
  add(1000000, "double", 4, 2);
  MaybeFigure memory;
  for (const Line& line : table.lines())
    if (line.value("kind", "") == "memory")
      memory = {line.value("bytes_per_link", 0.0),
                fmt::format("{}: what a first call adds; scratch memory alone {:.0f} B, the state {:.0f} B, the model "
                            "itself {:.0f} B",
                            line.value("robot", ""), line.value("workspace_bytes_per_link", 0.0),
                            line.value("state_bytes_per_link", 0.0), line.value("model_bytes_per_link", 0.0))};
  table.add("forward dynamics, scan, double, 2 threads: memory a link", 2000, smaller, " B", memory);
  table.add("forward dynamics, divide_and_conquer_efficient, 1024 links, double, 2 threads: times articulated_body",
            1.2, larger, "",
            table.times_as_fast(forward(table, 1024, "double", "divide_and_conquer_efficient", 2),
                                forward(table, 1024, "double", "articulated_body")));
  table.add("inverse dynamics, scan, 4096 links, double, one core: times recursive_newton_euler", 3, larger, "",
            table.times_as_fast(
                table.ours("inverse_dynamics", "chain:4096", "double", {.variant = "scan"}),
                table.ours("inverse_dynamics", "chain:4096", "double", {.variant = "recursive_newton_euler"})));
}

/// How many times as long as the function its products with derivatives take.
void add_products(BarTable& table) {
  for (const char* function : {"forward_dynamics", "inverse_dynamics"})
    for (const char* precision : {"double", "float"}) {
      const auto of = [&](const std::string& algorithm) {
        return table.ours(algorithm.c_str(), "chain:100000", precision, {.variant = "scan"});
      };
      const std::string name = function;
      table.add(fmt::format("{}_vjp, scan, 100000 links, {}, one core: times {}", name, precision, name), 3, smaller,
                "", table.times_as_fast(of(name), of(name + "_vjp")));
    }
}

/// Lengths of the chains that were measured, in order.
std::vector<int> lengths(const Lines& lines) {
  std::map<int, bool> found;
  for (const Line& line : lines) {
    const std::string robot = line.value("robot", "");
    if (robot.starts_with("chain:")) found[std::atoi(robot.c_str() + 6)] = true;
  }
  std::vector<int> result;
  for (const auto& [n, _] : found) result.push_back(n);
  return result;
}

/// The shortest chain from which on the scan form is never slower, up to those whose numbers leave the caches; longer
/// ones have a bar of their own.
void add_break_even(BarTable& table) {
  for (const char* precision : {"double", "float"}) {
    MaybeFigure figure;
    std::string ratios;
    for (const int n : lengths(table.lines())) {
      const auto ratio =
          table.times_as_fast(forward(table, n, precision, "scan"), forward(table, n, precision, "articulated_body"));
      if (!ratio || n > 16384) continue;
      if (n <= 256) ratios += fmt::format("{}{:.2g} at {}", ratios.empty() ? "" : ", ", ratio->value, n);
      if (ratio->value < 1)
        figure.reset();
      else if (!figure)
        figure = {static_cast<double>(n), {}};
    }
    if (figure) figure->from = "times articulated_body: " + ratios;
    table.add(
        fmt::format("forward dynamics, {}, one core: links from which up to 16384 scan is faster than articulated_body",
                    precision),
        64, smaller, "", figure);
  }
}

/// Longer by how much automatic takes than the best method of the same run.
void add_automatic(BarTable& table) {
  for (const char* precision : {"double", "float"})
    for (const int threads : {1, 2}) {
      MaybeFigure worst;
      for (const int n : lengths(table.lines())) {
        const Line* automatic = table.line(forward(table, n, precision, "automatic", threads));
        const Line* best = nullptr;
        for (const char* method : {"articulated_body", "scan", "divide_and_conquer_efficient"})
          for (const int on : {1, threads})
            if (const Line* line = table.line(forward(table, n, precision, method, on)))
              if (!best || time_of(*line) < time_of(*best)) best = line;
        if (!automatic || !best) continue;
        const double ratio = time_of(*automatic) / time_of(*best);
        if (!worst || ratio > worst->value)
          worst = {ratio,
                   fmt::format("{} links: {:.4g} against {:.4g} ns, {} on {} threads", n, time_of(*automatic),
                               time_of(*best), best->value("variant", ""), best->value("threads", 1)),
                   time_of(*automatic, "fastest") / time_of(*best, "fastest")};
      }
      table.add(
          fmt::format("forward dynamics, automatic, {}, {} threads: longest over the best method", precision, threads),
          1.15, smaller, "", worst);
    }
}

void add_accuracy_of_links(BarTable& table) {
  for (const char* precision : {"double", "float"}) {
    const ErrorRatio ratio = scan_over_serial(table.lines(), precision);
    MaybeFigure figure;
    if (!std::isnan(ratio.median))
      figure = {ratio.median, fmt::format("{}; one chain in ten, at worst: {:.2g}", ratio.where, ratio.ninth_decile)};
    table.add(fmt::format("forward dynamics, {}: error of scan over that of articulated_body on the same chain, median "
                          "over chains, at worst over families and lengths",
                          precision),
              4, smaller, "", figure);
  }
  MaybeFigure balls;
  for (const Line& line : table.lines())
    if (line.value("family", "") == "ball joints") {
      const double error = worst_error(line, "scan");
      if (!balls || !(error <= balls->value))
        balls = {error, fmt::format("{} ball joints; articulated_body {:.1e}", line.value("links", 0),
                                    worst_error(line, "articulated_body"))};
    }
  table.add("forward dynamics, scan, double, three revolutes as a ball joint, massless links between: error", 1e-12,
            smaller, "", balls);
}

void add_rivals(BarTable& table) {
  for (const auto& [precision, bar] : {std::pair("double", 500), std::pair("float", 1000)})
    table.add(fmt::format("forward dynamics, 1000 links, {}, one core: times MuJoCo", precision), bar, larger, "",
              table.times_as_fast(table.ours("forward_dynamics", "chain:1000", precision),
                                  table.rival("forward_dynamics", "chain:1000", "mujoco")));
  table.add("mass matrix, 1000 links, double, one core: times MuJoCo's CRB", 3, larger, "",
            table.times_as_fast(table.ours("mass_matrix", "chain:1000", "double"),
                                table.rival("mass_matrix", "chain:1000", "mujoco")));
  for (const int n : {16, 64, 256})
    table.add(fmt::format("forward dynamics, {} links, double, one core, best method: times the fastest Pinocchio", n),
              1, larger, "",
              table.times_as_fast(table.ours("forward_dynamics", fmt::format("chain:{}", n), "double"),
                                  table.rival("forward_dynamics", fmt::format("chain:{}", n), "pinocchio")));
}

}  // namespace

void print_links_bars(const Lines& lines, std::FILE* file) {
  BarTable table(lines, file, 1);
  fmt::print(file,
             "\nOne chain at a time; medians of one run with the rivals, in parentheses by the fastest repetition of "
             "each.\n\n| bar | wanted | measured | from | |\n|---|---|---|---|---|\n");
  add_scan(table);
  add_products(table);
  add_break_even(table);
  add_automatic(table);
  add_accuracy_of_links(table);
  add_rivals(table);
  table.finish();
  print_disturbance(lines, file);
}

}  // namespace tandem::bench
