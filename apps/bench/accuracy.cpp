// SPDX-License-Identifier: Apache-2.0
#include "accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "chain_families.hpp"

namespace tandem::bench {
namespace {

constexpr int largest_cubic = 256;        // links of forward dynamics by the whole mass matrix
constexpr int largest_iterative = 256;    // links of methods that iterate, which need more and more steps
constexpr int largest_mass_matrix = 512;  // links of mass matrices
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

/// Chains of a length: errors of one say little, and of eight the medians still scatter by ten.
int chains_of(int links) { return links <= 1024 ? 64 : links <= 4096 ? 16 : 4; }

/// Errors have no more; the results would be four times as long.
double three_digits(double x) { return std::stod(fmt::format("{:.2e}", x)); }

/// Appends one chain's errors to those of its line.
void add_errors(Line& errors, const Chain& chain, const ComparisonSettings& settings) {
  for (const MethodResult& result : compare_methods(chain.model, settings)) {
    if (!result.refusal.empty()) continue;
    Line& list = errors[result.name];
    if (list.is_null()) list = Line::array();
    list.push_back(std::isfinite(result.error) ? Line(three_digits(result.error)) : Line(nullptr));
  }
}

ComparisonSettings settings_of(const Chain& chain, const std::string& problem, bool in_float,
                               const std::vector<Method>& methods) {
  ComparisonSettings settings;
  settings.in_float = in_float;
  settings.milliseconds = 0;
  settings.counts = false;
  settings.problem = problem;
  settings.state = chain.state;
  settings.wanted = [&, n = chain.model.nv()](const std::string& algorithm, const Options& options) {
    const Method method = options.method;
    const bool cubic = algorithm == "forward_dynamics" &&
                       (method == Method::composite_rigid_body || method == Method::mass_matrix_inversion);
    const bool iterative = method == Method::conjugate_gradient || options.solver == Solver::conjugate_gradient;
    const bool asked = methods.empty() || std::find(methods.begin(), methods.end(), method) != methods.end();
    return asked && method != Method::automatic && !(cubic && n > largest_cubic) &&
           !(iterative && n > largest_iterative);
  };
  return settings;
}

/// A method's errors on the chains of one line; null counts as infinite.
std::vector<double> errors_of(const Line& line, const std::string& method) {
  std::vector<double> result;
  const Line& errors = line.at("errors");
  if (errors.contains(method))
    for (const Line& x : errors.at(method)) result.push_back(x.is_null() ? infinity : x.get<double>());
  return result;
}

std::string cell(double error) {
  if (std::isnan(error)) return "-";
  return error < 10 ? fmt::format("{:.0e}", error) : "fail";
}

bool is_accuracy(const Line& line) { return line.value("kind", "") == "chain_accuracy"; }

/// Methods of lines in the order in which they first come.
std::vector<std::string> methods_in(const std::vector<const Line*>& lines) {
  std::vector<std::string> methods;
  for (const Line* line : lines)
    for (const auto& [method, errors] : line->at("errors").items())
      if (std::find(methods.begin(), methods.end(), method) == methods.end()) methods.push_back(method);
  return methods;
}

void print_table(const std::vector<const Line*>& lines, std::FILE* file) {
  const std::vector<std::string> methods = methods_in(lines);
  std::string head = "| n |", rule = "|---|";
  for (std::string method : methods) {
    std::replace(method.begin(), method.end(), '_', ' ');
    head += " " + method + " |";
    rule += "---|";
  }
  fmt::print(file, "{}\n{}\n", head, rule);
  for (const Line* line : lines) {
    fmt::print(file, "| {} |", line->at("links").get<int>());
    for (const std::string& method : methods) fmt::print(file, " {} |", cell(worst_error(*line, method)));
    fmt::print(file, "\n");
  }
}

}  // namespace

Lines chain_accuracy(const AccuracyGrid& grid) {
  Lines lines;
  for (const Family family : families)
    for (const int n : grid.links) {
      std::vector<Chain> chains;
      for (int k = 0; k < chains_of(n); ++k) chains.push_back(chain_of(family, n, static_cast<std::uint64_t>(k)));
      for (const bool in_float : {false, true})
        for (const std::string& problem : grid.problems) {
          if (problem == "mass_matrix" && n > largest_mass_matrix) continue;
          Line errors = Line::object();
          for (const Chain& chain : chains)
            add_errors(errors, chain, settings_of(chain, problem, in_float, grid.methods));
          lines.push_back({{"kind", "chain_accuracy"},
                           {"family", to_string(family)},
                           {"links", n},
                           {"precision", in_float ? "float" : "double"},
                           {"algorithm", problem},
                           {"errors", errors}});
        }
      fmt::print(stderr, "{}, {} links: done\n", to_string(family), n);
    }
  return lines;
}

Lines ball_joint_accuracy(const std::vector<Method>& methods) {
  Lines lines;
  for (const int n : {1, 4, 32, 256}) {
    Line errors = Line::object();
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const Chain chain = chain_of_ball_joints(n, seed);
      add_errors(errors, chain, settings_of(chain, "forward_dynamics", false, methods));
    }
    lines.push_back({{"kind", "chain_accuracy"},
                     {"family", "ball joints"},
                     {"links", n},
                     {"precision", "double"},
                     {"algorithm", "forward_dynamics"},
                     {"errors", errors}});
  }
  return lines;
}

double worst_error(const Line& line, const std::string& method) {
  const std::vector<double> errors = errors_of(line, method);
  return errors.empty() ? nan : *std::max_element(errors.begin(), errors.end());
}

ErrorRatio scan_over_serial(const Lines& lines, const std::string& precision) {
  ErrorRatio worst{nan, nan, {}};
  const double rounding =
      precision == "float" ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  for (const Line& line : lines) {
    if (!is_accuracy(line) || line.value("precision", "") != precision || line.value("family", "") == "ball joints" ||
        line.value("algorithm", "") != "forward_dynamics")
      continue;
    const std::vector<double> scan = errors_of(line, "scan"), serial = errors_of(line, "articulated_body");
    if (scan.empty() || serial.size() != scan.size()) continue;
    std::vector<double> ratios;
    for (std::size_t k = 0; k < scan.size(); ++k)
      ratios.push_back(std::max(scan[k], rounding) / std::max(serial[k], rounding));
    std::sort(ratios.begin(), ratios.end());
    const std::size_t half = ratios.size() / 2;
    const double median = ratios.size() % 2 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
    if (!(median <= worst.median)) {
      worst.median = median;
      worst.where = fmt::format("{}, {} links", line.value("family", ""), line.value("links", 0));
    }
    if (const double r = ratios[9 * ratios.size() / 10]; !(r <= worst.ninth_decile)) worst.ninth_decile = r;
  }
  return worst;
}

void print_accuracy(const Lines& lines, std::FILE* file) {
  fmt::print(
      file,
      "\nLargest error of {} chains ({} of 4096 links, {} of longer ones): the largest one over the largest number "
      "of the result; of mass matrices, each over the roots of its two diagonal entries.\n",
      chains_of(1), chains_of(4096), chains_of(100000));
  for (const char* problem : {"forward_dynamics", "inverse_dynamics", "mass_matrix"})
    for (const char* precision : {"double", "float"})
      for (const char* family : {"normal", "rope", "mass", "hard", "ball joints"}) {
        std::vector<const Line*> table;
        for (const Line& line : lines)
          if (is_accuracy(line) && line.value("algorithm", "") == problem && line.value("precision", "") == precision &&
              line.value("family", "") == family)
            table.push_back(&line);
        if (table.empty()) continue;
        std::string name = problem;
        std::replace(name.begin(), name.end(), '_', ' ');
        fmt::print(file, "\n**{}, {}, {}**\n\n", name, family, precision);
        print_table(table, file);
      }
  for (const char* precision : {"double", "float"}) {
    const ErrorRatio ratio = scan_over_serial(lines, precision);
    fmt::print(
        file,
        "\nscan over articulated_body, forward dynamics, {}, on the same chain: at most {:.2g} times the error by "
        "the median over chains ({}); one chain in ten has more than {:.2g} times, where that is most.\n",
        precision, ratio.median, ratio.where, ratio.ninth_decile);
  }
}

}  // namespace tandem::bench
