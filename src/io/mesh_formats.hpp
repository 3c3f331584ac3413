// SPDX-License-Identifier: Apache-2.0
/// Vertices of meshes in the formats that the library reads by itself.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::io {

using Vertices = std::vector<std::array<double, 3>>;

/// Of an STL file, binary or text, each as often as triangles have it. Throws Error with what is wrong, and where.
Vertices read_stl(std::string_view content);
/// Of an OBJ file, those that faces, lines or points use; all if there are none of these. Throws Error.
Vertices read_obj(std::string_view content);

/// "stl": what follows the last point of a name, in small letters.
std::string mesh_format(std::string_view path);

}  // namespace tandem::io
