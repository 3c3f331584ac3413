// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <fmt/core.h>

#include <map>

#include "tandem/error.hpp"

namespace tandem::bench {
namespace {

/// Collects the times of every repetition instead of printing them.
class Collector : public benchmark::BenchmarkReporter {
 public:
  std::map<std::string, std::vector<double>> seconds_a_call;

  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration && run.iterations > 0)
        seconds_a_call[run.run_name.function_name].push_back(run.real_accumulated_time /
                                                             static_cast<double>(run.iterations));
  }
};

}  // namespace

Lines measure(const Rows& rows, const Settings& settings, const std::function<int(const Row&)>& repetitions) {
  const double seconds = static_cast<double>(rows.size()) * settings.repetitions * settings.least_milliseconds * 1.5e-3;
  fmt::print(stderr, "{} rows, {} repetitions each in random order: about {:.0f} minutes or more\n", rows.size(),
             settings.repetitions, seconds / 60 + 0.5);
  char program[] = "tandem_bench", interleaved[] = "--benchmark_enable_random_interleaving=true";
  char* arguments[] = {program, interleaved};
  int count = 2;
  benchmark::Initialize(&count, arguments);
  for (std::size_t k = 0; k < rows.size(); ++k)
    benchmark::RegisterBenchmark(std::to_string(k).c_str(), rows[k].run)
        ->MinTime(settings.least_milliseconds * 1e-3)
        ->Repetitions(repetitions ? repetitions(rows[k]) : settings.repetitions)
        ->UseRealTime();
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  benchmark::ClearRegisteredBenchmarks();

  Lines lines;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<double> nanoseconds = collector.seconds_a_call[std::to_string(k)];
    if (nanoseconds.empty()) throw Error("a row was not measured: " + rows[k].algorithm + ", " + rows[k].library);
    for (double& x : nanoseconds) x *= 1e9 / static_cast<double>(rows[k].batch);
    lines.push_back(line_of(rows[k], std::move(nanoseconds)));
  }
  return lines;
}

}  // namespace tandem::bench
