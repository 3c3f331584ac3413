// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tandem::cli {

/// Throws Error unless it is the name of a picture.
void check_plot_name(const std::string& path);

/// Draws a chart of the Python module tandem._view.charts, of that kind and from those data (JSON), to a file. Throws
/// RunError that says what is missing.
void draw(const std::string& kind, const std::string& json, const std::string& path);

}  // namespace tandem::cli
