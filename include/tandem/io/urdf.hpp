// SPDX-License-Identifier: Apache-2.0
/// Reading and writing URDF (Unified Robot Description Format).
#pragma once
#include <string>
#include <string_view>

#include "tandem/model/builder.hpp"

namespace tandem {

/// Reads a URDF file. Throws ModelError with every problem found: file, line, element, what was expected.
/// Visual, collision, transmission and vendor elements are passed over; meshes are never opened.
Model load_urdf(const std::string& path, const BuildOptions& options = {});

/// The same from text; `name` stands for the file in messages.
Model parse_urdf(std::string_view text, const BuildOptions& options = {}, const std::string& name = "<string>");

/// What a URDF says, before it is checked and built (problems found while reading are inside the builder).
ModelBuilder read_urdf(std::string_view text, const std::string& name = "<string>");

/// URDF text of a description, with 17 significant digits. Spherical joints, which URDF does not have, become three
/// continuous joints through massless links.
std::string write_urdf(const ModelBuilder& description);

}  // namespace tandem
