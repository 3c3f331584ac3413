// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem {
namespace {

/// Pixels.
struct Page {
  static constexpr double width = 1000, left = 40, row = 26, bar = 20, top = 34, letter = 6.2;
};

std::string pixels(double x) { return text(std::round(x * 100) / 100); }

std::string escaped(const std::string& plain) {
  std::string all;
  for (const char c : plain) all += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return all;
}

/// A step between marks of the axis: 1, 2 or 5 of a power of ten, about eight of them.
double axis_step(double length) {
  const double power = std::pow(10, std::floor(std::log10(length / 8)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (length / (factor * power) <= 9) return factor * power;
  return 10 * power;
}

}  // namespace

std::string gantt_svg(const Schedule& schedule, const TaskGraph& graph, const std::string& title) {
  std::vector<std::size_t> rows;
  for (std::size_t q = 0; q < schedule.processors.size(); ++q)
    if (!schedule.processors[q].empty()) rows.push_back(q);
  const double length = schedule.length > 0 ? schedule.length : 1, scale = Page::width / length;
  const double bottom = Page::top + Page::row * static_cast<double>(rows.size());
  std::string all =
      sentence("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", pixels(Page::width + Page::left + 20),
               "\" height=\"", pixels(bottom + 40), "\" font-family=\"sans-serif\" font-size=\"11\">\n",
               "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"", pixels(Page::left),
               "\" y=\"18\" font-size=\"13\">", escaped(title), "</text>\n");
  for (double t = 0; t <= length * 1.0001; t += axis_step(length)) {
    const std::string x = pixels(Page::left + scale * t);
    all += sentence("<line x1=\"", x, "\" x2=\"", x, "\" y1=\"", pixels(Page::top - 4), "\" y2=\"", pixels(bottom),
                    "\" stroke=\"#dddddd\"/>\n<text x=\"", x, "\" y=\"", pixels(bottom + 16),
                    "\" text-anchor=\"middle\">", pixels(t), "</text>\n");
  }
  all += sentence("<text x=\"", pixels(Page::left + Page::width / 2), "\" y=\"", pixels(bottom + 34),
                  "\" text-anchor=\"middle\">µs</text>\n");
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double y = Page::top + Page::row * static_cast<double>(k);
    all += sentence("<text x=\"", pixels(Page::left - 8), "\" y=\"", pixels(y + 14), "\" text-anchor=\"end\">", rows[k],
                    "</text>\n");
    for (const Slot& slot : schedule.processors[rows[k]]) {
      const bool works = slot.kind == SlotKind::task;
      const std::string& name = graph.tasks[at(slot.task)].name;
      const double wide = scale * (slot.end - slot.begin);
      const std::string hint =
          works ? name : sentence(name, slot.kind == SlotKind::send ? " to " : " from ", slot.other);
      all += sentence("<rect x=\"", pixels(Page::left + scale * slot.begin), "\" y=\"", pixels(y), "\" width=\"",
                      pixels(std::max(wide, 0.3)), "\" height=\"", pixels(Page::bar), "\" fill=\"",
                      works                         ? "#9ecae1"
                      : slot.kind == SlotKind::send ? "#fdae6b"
                                                    : "#fdd0a2",
                      "\" stroke=\"white\" stroke-width=\"0.5\"><title>", escaped(hint), ", ", pixels(slot.begin),
                      " to ", pixels(slot.end), " µs</title></rect>\n");
      if (works && wide > Page::letter * static_cast<double>(name.size()) + 2)
        all += sentence("<text x=\"", pixels(Page::left + scale * slot.begin + wide / 2), "\" y=\"", pixels(y + 14),
                        "\" text-anchor=\"middle\">", escaped(name), "</text>\n");
    }
  }
  return all + "</svg>\n";
}

}  // namespace tandem
