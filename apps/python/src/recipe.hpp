// SPDX-License-Identifier: Apache-2.0
/// What models were made from, so that they can be made again: in another process, from a pickle.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bindings.hpp"

namespace tandem::python {

/// Everything it takes to make a model again, with the same bits.
struct Recipe {
  enum Kind : int { named, urdf, description };
  Kind kind = named;
  std::string text;  ///< a name that load() knows; URDF; or to_bytes() of a ModelBuilder
  std::string name;  ///< of the file that the URDF or MJCF stood in
  bool floating = false;
  std::uint64_t seed = 0;
  std::string meshes{};  ///< of URDF with meshes: to_bytes() of what was read, as files of meshes may be others later
};

/// Notes what a model was made from, for as long as it or a copy of it lives.
Model noted(Model model, Recipe recipe);
/// Makes a model and notes that. `meshes` is for URDF whose meshes have not been read.
Model made_from(Recipe recipe, const MeshOptions& meshes = {});

/// How meshes are read that the library does not read by itself: by packages of Python. `packages`: str or os.PathLike.
MeshOptions mesh_options(nb::handle packages, bool read);

/// The model itself. Warns, in Python, of joints for which forward dynamics has no result.
Model told_of(Model model);

/// What a model, or the one that it is a copy of under another gravity, was made from. Throws Error if nobody knows.
const Recipe& recipe_of(const Model& model);

/// tandem::load. A file is read here, once, as it may be another one later.
Model load_and_note(const std::string& robot, bool floating, std::uint64_t seed, const MeshOptions& meshes);

/// What a file says, read by the package mujoco, if it is one of MJCF.
std::optional<ModelBuilder> read_if_mjcf(const std::string& path);

/// A description as bytes, every number as it is, and back. Throws Error for bytes that are none.
std::string to_bytes(const ModelBuilder& builder);
ModelBuilder builder_from_bytes(std::string_view bytes);

inline std::string_view content_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

}  // namespace tandem::python
