// SPDX-License-Identifier: Apache-2.0
/// Convex hulls of meshes, and how URDF's meshes are read.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tandem/error.hpp"

namespace tandem {

/// Reading of the meshes of collision shapes in URDF.
struct MeshOptions {
  /// Whether mesh files are read. If false, shapes with meshes are contact problems.
  bool read = true;
  /// Folders in which the packages of package:// names are searched first.
  std::vector<std::string> packages{};
  /// Reads files of other formats than STL and OBJ: returns the vertices, m, of the file with a path, or throws
  /// std::exception with the reason. Empty: these formats are contact problems.
  std::function<std::vector<std::array<double, 3>>(const std::string& path)> other_formats{};
};

/// The corners of the convex hull of points, in the order in which they are given: no point is farther outside the hull
/// of those returned than 1e-7 of the largest extent. Flat sets, sets on a line and single points have hulls, too.
/// Throws Error for points that are not finite, or none. [Barber, Dobkin and Huhdanpaa, The Quickhull Algorithm for
/// Convex Hulls, 1996]
std::vector<std::array<double, 3>> convex_hull(std::span<const std::array<double, 3>> points);

}  // namespace tandem
