// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli.hpp"
#include "program.hpp"

namespace tandem::cli {

void check_plot_name(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".png" && ending != ".pdf" && ending != ".svg")
    throw Error(fmt::format("--plot {}: expected a name that ends in .png, .pdf or .svg", path));
}

void draw(const std::string& kind, const std::string& json, const std::string& path) {
  const TemporaryFile input = temporary_file();
  if (std::fwrite(json.data(), 1, json.size(), input.get()) != json.size() || std::fflush(input.get()) != 0)
    throw RunError(fmt::format("{}: the chart's data cannot be written", path));
  const Ended ended = run_program({python_interpreter(), "-m", "tandem._view.charts", kind, path}, input.get(), nullptr);
  if (ended.found && ended.code == done) return;
  throw RunError(
      fmt::format("{} was not drawn: charts are drawn by the Python package tandem with Matplotlib, which {} {}; "
                  "TANDEM_PYTHON names another interpreter",
                  path, python_interpreter(), ended.found ? "did not do" : "would run, but there is no such program"));
}

}  // namespace tandem::cli
