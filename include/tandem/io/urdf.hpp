// SPDX-License-Identifier: Apache-2.0
/// Reading and writing URDF (Unified Robot Description Format).
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <string>
#include <string_view>

#include "tandem/io/meshes.hpp"
#include "tandem/model/builder.hpp"

namespace tandem {

// Supported elements: links with their inertials; joints of the types revolute, continuous, prismatic, fixed, floating,
// planar and spherical (as in Bullet and MuJoCo), with origins (xyz with rpy or quat_xyzw), axes, limits, dynamics and
// mimics; shapes of <collision>: box, sphere, cylinder, capsule, ellipsoid (as in Drake), plane, and meshes in STL and
// OBJ files, of which the convex hull is read. Visual, transmission and vendor elements are ignored. A mesh that is not
// found or cannot be read does not keep a robot from loading: a ContactSet reports it, and invalid elements of
// <collision>.
//
// Screw, universal and ball joints are those of Drake: <drake:joint type="screw"> with <drake:screw_thread_pitch
// value="..."/>, m per turn; type="universal", rotation about x of the joint's frame and then about the rotated y;
// type="ball".
//
// Deviations from the format:
// - a revolute or prismatic joint without <limit> is unlimited, with a warning;
// - a limit of 1e300 or more means unlimited;
// - a link "world" that is a parent but not described is the world, with a warning;
// - of duplicate elements the first is used, with a warning;
// - `$(optenv NAME value)` is replaced by the value, with a warning; other xacro expressions are a problem;
// - the XML declaration may be malformed, and text that is not UTF-8 is read as Latin-1, with a warning.
//
// Extensions of URDF are attributes of <tandem> elements, which other readers ignore: in a joint <tandem armature="..."
// stiffness="..." rest="..."/>, in the robot <tandem gravity="x y z"/>, in <collision> <tandem friction="..."
// condim="..." .../>, with the names of ShapeDescription.

/// Load a robot from a URDF file of up to 1 GiB. Throws ModelError that lists all problems with file, line, element and
/// the expected value.
Model load_urdf(const std::string& path, const BuildOptions& options = {}, const MeshOptions& meshes = {});

/// Load a robot from URDF text. Messages use `name` for the file; if there is such a file, paths of meshes are relative
/// to its folder, otherwise to the current one.
Model parse_urdf(std::string_view text, const BuildOptions& options = {}, const std::string& name = "<string>",
                 const MeshOptions& meshes = {});

/// Read the description of a URDF file, for editing. Throws ModelError if the file cannot be read to its end; other
/// problems are reported by build().
ModelBuilder read_urdf_file(const std::string& path, const MeshOptions& meshes = {});

/// Read the description of URDF text, for editing. All problems are reported by build(). Throws Error for text without
/// any element, such as the name of a file.
ModelBuilder read_urdf(std::string_view text, const std::string& name = "<string>", const MeshOptions& meshes = {});

/// URDF text of a description. Numbers are the shortest that read back exactly; rotations are written as roll, pitch,
/// yaw, and read back to within rounding.
///
/// Spherical joints, which most readers do not support, become three continuous joints with massless links. Helical and
/// universal joints are written as in Drake, and added frames as empty links on fixed joints. Named configurations,
/// meshes, explicit pairs, excludes and contact settings are omitted, with a comment in the file. Throws Error for a
/// name that is not valid in XML.
std::string write_urdf(const ModelBuilder& description);

}  // namespace tandem
