// SPDX-License-Identifier: Apache-2.0
/// Reading and writing URDF (Unified Robot Description Format).
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <string>
#include <string_view>

#include "tandem/model/builder.hpp"

namespace tandem {

// What is read: links with their inertials, joints of the types revolute, continuous, prismatic, fixed,
// floating, planar and spherical (which Bullet and MuJoCo read as well), their origins (xyz with rpy or
// quat_xyzw), axes, limits, dynamics and mimics; shapes of <collision>: box, sphere, cylinder, capsule, ellipsoid (as
// Drake has it) and plane. Visual, transmission and vendor elements are ignored; meshes are never opened: a ContactSet
// reports those of <collision>, and invalid elements of it.
//
// Screws, universal and ball joints are read as Drake writes them: <drake:joint type="screw"> with a
// <drake:screw_thread_pitch value="..."/> in metres along the axis each turn, type="universal", which turns
// about x of the joint's frame and then about the turned y, type="ball".
//
// Where files differ from the letter of the format:
// - a revolute or prismatic joint without <limit> is unlimited, with a warning;
// - a limit of 1e300 or more means none;
// - a link "world" that is a parent but not described is taken as the world, with a warning;
// - an element that should stand once counts the first time, with a warning;
// - `$(optenv NAME value)` is taken as the value, with a warning; other remains of xacro are a problem;
// - the XML declaration may be malformed, and text that is not UTF-8 is read as Latin-1, with a warning.
//
// What URDF has no words for stands in <tandem> elements, which other readers pass over: in a joint
// <tandem armature="..." stiffness="..." rest="..."/>, in the robot <tandem gravity="x y z"/>, in <collision>
// <tandem friction="..." condim="..." .../>, with the names of ShapeDescription.

/// Reads a URDF file of up to 1 GiB. Throws ModelError with every problem found: file, line, element, what
/// was expected.
Model load_urdf(const std::string& path, const BuildOptions& options = {});

/// The same from text; `name` stands for the file in messages.
Model parse_urdf(std::string_view text, const BuildOptions& options = {}, const std::string& name = "<string>");

/// What a URDF file says, before it is checked and built: a description that can be edited. Throws ModelError for a file that
/// cannot be read to its end; other problems are inside the builder, and build() reports them.
ModelBuilder read_urdf_file(const std::string& path);

/// The same from text, of which problems are always inside the builder. Throws Error for text without any element, such as
/// the name of a file.
ModelBuilder read_urdf(std::string_view text, const std::string& name = "<string>");

/// URDF text of a description. Every number is the shortest that reads back exactly; rotations go through roll, pitch,
/// yaw and come back to within rounding. Spherical joints, which most readers do not know, become three continuous
/// joints through massless links; helical and universal joints are written as Drake's; added frames become empty links
/// on fixed joints. Named configurations, meshes, explicit pairs, excludes and contact settings are left out, and a
/// comment says so. Throws Error for a name that XML cannot hold.
std::string write_urdf(const ModelBuilder& description);

}  // namespace tandem
