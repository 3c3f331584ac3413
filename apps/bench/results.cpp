// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <thread>

#include "rivals.hpp"
#include "tandem/error.hpp"
#include "tandem/version.hpp"

namespace tandem::bench {
namespace {

/// First line of a program's output, or nothing.
std::string answer_of(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  char text[256] = "";
  if (!pipe || !std::fgets(text, sizeof text, pipe.get())) return {};
  std::string line = text;
  while (!line.empty() && line.back() == '\n') line.pop_back();
  return line;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
  return "unknown";
}

/// Linear between the two nearest; the times are in order.
double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool fits(const Line& line, const Key& key) {
  const auto is = [&](const char* field, const std::string& wanted) {
    return wanted.empty() || line.value(field, "") == (wanted == "-" ? "" : wanted);
  };
  return line.value("kind", "") == "time" && is("algorithm", key.algorithm) && is("robot", key.robot) &&
         is("library", key.library) && is("precision", key.precision) && is("instruction_set", key.instruction_set) &&
         is("layout", key.layout) && is("variant", key.variant) &&
         (key.batch == 0 || line.value("batch", std::int64_t{0}) == key.batch) &&
         (key.threads == 0 || line.value("threads", 0) == key.threads);
}

/// Four digits: more is noise.
double rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 3);
  return unit < 1 ? std::round(x / unit) / std::round(1 / unit) : std::round(x / unit) * unit;
}

}  // namespace

Line context() {
  const std::time_t now = std::time(nullptr);
  return {{"date", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now))},
          {"tandem", TANDEM_VERSION},
          {"commit", answer_of("git -C '" TANDEM_BENCH_SOURCE "' describe --always --dirty 2>/dev/null")},
          {"compiler", TANDEM_BENCH_COMPILER},
          {"flags", TANDEM_BENCH_FLAGS},
          {"flags_of_rivals", TANDEM_BENCH_FLAGS_OF_RIVALS},
          {"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"pinocchio", pinocchio_version()},
          {"mujoco", mujoco_version()}};
}

Line line_of(const Row& row, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const double median = quantile(times, 0.5);
  Line line = {{"kind", "time"},
               {"algorithm", row.algorithm},
               {"robot", row.robot},
               {"library", row.library},
               {"variant", row.variant},
               {"precision", row.precision},
               {"instruction_set", row.instruction_set},
               {"layout", row.layout},
               {"batch", row.batch},
               {"threads", row.threads},
               {"repetitions", times.size()},
               {"ns_per_state",
                {{"fastest", rounded(times.front())},
                 {"p10", rounded(quantile(times, 0.1))},
                 {"median", rounded(median)},
                 {"p90", rounded(quantile(times, 0.9))}}},
               {"states_per_second", rounded(1e9 / median)}};
  if (row.flops > 0) line.update({{"flops_per_state", row.flops}, {"gflops", rounded(row.flops / median)}});
  if (row.bytes > 0) line.update({{"bytes_per_state", row.bytes}, {"gbytes_per_second", rounded(row.bytes / median)}});
  return line;
}

void add_shares(Lines& lines) {
  for (Line& line : lines) {
    if (line.value("kind", "") != "time" || line.value("library", "") == "limit") continue;
    const int threads = line.value("threads", 1);
    const Line* peak = fastest(lines, {.algorithm = "fused_multiply_add",
                                       .library = "limit",
                                       .precision = line.value("precision", ""),
                                       .instruction_set = line.value("instruction_set", "")});
    const Line* copy = fastest(lines, {.algorithm = "copy", .library = "limit", .threads = threads});
    if (peak && line.contains("gflops"))
      line["share_of_fma_peak"] = rounded(line["gflops"].get<double>() / ((*peak)["gflops"].get<double>() * threads));
    if (copy && line.contains("gbytes_per_second"))
      line["share_of_bandwidth"] =
          rounded(line["gbytes_per_second"].get<double>() / (*copy)["gbytes_per_second"].get<double>());
  }
}

void write(const std::string& path, const Lines& lines) {
  std::ofstream file(path);
  for (const Line& line : lines) file << line.dump() << '\n';
  file.close();
  if (!file) throw Error("cannot write " + path);
}

Lines read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error("cannot read " + path);
  Lines lines;
  std::size_t number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    if (text.empty()) continue;
    Line line = Line::parse(text, nullptr, false);
    if (!line.is_object()) throw Error(fmt::format("{}:{}: expected a JSON object on every line", path, number));
    lines.push_back(std::move(line));
  }
  return lines;
}

const Line* fastest(const Lines& lines, const Key& key, const char* by) {
  const Line* best = nullptr;
  for (const Line& line : lines)
    if (fits(line, key) && (!best || time_of(line, by) < time_of(*best, by))) best = &line;
  return best;
}

double time_of(const Line& line, const char* which) { return line.at("ns_per_state").at(which).get<double>(); }

}  // namespace tandem::bench
