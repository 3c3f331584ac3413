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
  const Ended ended =
      run_program({python_interpreter(), "-m", "tandem._view.charts", kind, path}, input.get(), nullptr);
  if (ended.found && ended.code == done) return;
  throw RunError(fmt::format(
      "{} was not drawn: charts need the Python package tandem with Matplotlib, which {} {}; "
      "TANDEM_PYTHON selects another interpreter",
      path, python_interpreter(), ended.found ? "could not import" : "was to import, but this program does not exist"));
}

}  // namespace tandem::cli
