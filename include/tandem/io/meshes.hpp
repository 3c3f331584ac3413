// SPDX-License-Identifier: Apache-2.0
/// Files of meshes, of which collision shapes have the convex hulls.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <array>
#include <string>
#include <vector>

#include "tandem/error.hpp"
#include "tandem/model/meshes.hpp"

namespace tandem {

/// Path of the mesh that a URDF file names. Paths are relative to the folder of `urdf`; package:// (and model://) names
/// are searched in `packages`, in the folders of ROS_PACKAGE_PATH and AMENT_PREFIX_PATH, then in the folder of `urdf`
/// and those above it. Throws Error with the places that were searched.
std::string find_mesh_file(const std::string& name, const std::string& urdf, const std::vector<std::string>& packages);

/// The corners of the convex hull of a mesh file: STL, binary or text, or OBJ, told by the end of the name; of an OBJ
/// file all that its faces use. Throws Error for files that cannot be read, with the line or the size.
std::vector<std::array<double, 3>> read_mesh_file(const std::string& path);

}  // namespace tandem
