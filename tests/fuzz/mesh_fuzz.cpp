// SPDX-License-Identifier: Apache-2.0
/// libFuzzer target: any bytes as a mesh file, and as points. What is read is finite; no point is outside the hull by
/// more than its tolerance; the hull of the corners is the same set.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "io/mesh_formats.hpp"
#include "tandem/error.hpp"
#include "tandem/model/meshes.hpp"

namespace {

using Points = std::vector<std::array<double, 3>>;

constexpr std::size_t longest_input = 64 * 1024, most_points = 2000;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

double farthest(const Points& points, const std::array<double, 3>& d) {
  double most = -HUGE_VAL;
  for (const auto& p : points) most = std::max(most, d[0] * p[0] + d[1] * p[1] + d[2] * p[2]);
  return most;
}

void check_hull(Points points) {
  if (points.size() > most_points) points.resize(most_points);
  double size = 0, extent = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double low = points[0][k], high = low;
    for (const auto& p : points) {
      require(std::isfinite(p[k]), "what is read is finite");
      low = std::min(low, p[k]);
      high = std::max(high, p[k]);
    }
    size = std::max({size, std::abs(low), std::abs(high)});
    extent = std::max(extent, high - low);
  }
  const Points corners = tandem::convex_hull(points);
  require(!corners.empty() && corners.size() <= points.size(), "a hull has some of the points");
  if (size > 1e150) return;
  for (int k = 0; k < 60; ++k) {
    const double z = -1 + (2 * k + 1) / 60.0, r = std::sqrt(1 - z * z);
    const std::array<double, 3> d{r * std::cos(2.4 * k), r * std::sin(2.4 * k), z};
    require(farthest(points, d) - farthest(corners, d) <= 1e-7 * extent + 1e-14 * size, "no point is outside the hull");
  }
  require(tandem::convex_hull(corners).size() <= corners.size(), "the hull of a hull has no more corners");
}

/// Numbers of 2 bytes, so that many points are in one plane.
Points points_of(const std::uint8_t* data, std::size_t size) {
  Points points;
  for (std::size_t k = 0; k + 6 <= size; k += 6) {
    std::array<std::int16_t, 3> own{};
    std::memcpy(own.data(), data + k, 6);
    points.push_back({double(own[0]), double(own[1]), double(own[2])});
  }
  return points;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > longest_input) return -1;
  const std::string_view content(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    const Points points = data[0] % 3 == 0   ? tandem::io::read_stl(content)
                          : data[0] % 3 == 1 ? tandem::io::read_obj(content)
                                             : points_of(data + 1, size - 1);
    if (!points.empty()) check_hull(points);
  } catch (const tandem::Error& error) {
    require(!std::string(error.what()).empty(), "every refusal gives a reason");
  }
  return 0;
}
