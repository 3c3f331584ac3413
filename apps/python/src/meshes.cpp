// SPDX-License-Identifier: Apache-2.0
/// Files of meshes, and corners of convex hulls.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <vector>

#include "bindings.hpp"
#include "values.hpp"

namespace tandem::python {

void bind_meshes(nb::module_& m) {
  using namespace nb::literals;
  using Points = std::vector<std::array<double, 3>>;
  const auto array_of = [](const Points& points) {
    std::vector<double> all;
    for (const auto& point : points) all.insert(all.end(), point.begin(), point.end());
    return new_array(std::move(all), {points.size(), 3});
  };
  m.def(
      "convex_hull", [array_of](const Points& points) { return array_of(convex_hull(points)); }, "points"_a,
      nb::rv_policy::automatic);
  m.def(
      "read_mesh_file", [array_of](const std::string& path) { return array_of(read_mesh_file(path)); }, "path"_a,
      nb::rv_policy::automatic);
  m.def("find_mesh_file", &find_mesh_file, "name"_a, "urdf"_a, "packages"_a);
}

}  // namespace tandem::python
