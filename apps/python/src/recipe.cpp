// SPDX-License-Identifier: Apache-2.0
#include "recipe.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace tandem::python {
namespace {

/// By the address of what copies of a model share. The address of a model that is gone may be taken again by another.
class Recipes {
 public:
  void note(const Model& model, Recipe recipe) {
    const std::lock_guard lock(mutex_);
    if (entries_.size() >= 2 * alive_) {
      std::erase_if(entries_, [](const auto& entry) { return entry.second.model.expired(); });
      alive_ = entries_.size() + 8;
    }
    const std::shared_ptr<const void> data = model.shared_data();
    entries_[data.get()] = {data, std::make_shared<const Recipe>(std::move(recipe))};
  }

  /// Null if there is none. Stays as long as the model.
  const Recipe* find(const Model& model) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(model.shared_data().get());
    return found == entries_.end() || found->second.model.expired() ? nullptr : found->second.recipe.get();
  }

 private:
  struct Entry {
    std::weak_ptr<const void> model;
    std::shared_ptr<const Recipe> recipe;
  };
  mutable std::mutex mutex_;
  std::unordered_map<const void*, Entry> entries_;
  std::size_t alive_ = 8;
};

Recipes& recipes() {
  static auto* const all = new Recipes;  // models may outlive everything else
  return *all;
}

}  // namespace

namespace {

/// Notes the meshes that are read.
Model urdf_model(Recipe& recipe, const MeshOptions& meshes) {
  const BuildOptions options{.floating = recipe.floating};
  if (!recipe.meshes.empty()) return builder_from_bytes(recipe.meshes).build(options);
  if (recipe.text.find('<') == std::string::npos) return parse_urdf(recipe.text, options, recipe.name);  // throws
  const ModelBuilder read = read_urdf(recipe.text, recipe.name, meshes);
  if (!read.problems().empty()) return parse_urdf(recipe.text, options, recipe.name, {.read = false});  // throws
  if (std::ranges::any_of(read.shapes(), [](const auto& shape) { return shape.type == ShapeType::mesh; }))
    recipe.meshes = to_bytes(read);
  return read.build(options);
}

Model make(Recipe& recipe, const MeshOptions& meshes) {
  switch (recipe.kind) {
    case Recipe::named: return load(recipe.text, {.floating = recipe.floating}, recipe.seed);
    case Recipe::urdf: return urdf_model(recipe, meshes);
    case Recipe::description: return builder_from_bytes(recipe.text).build({.floating = recipe.floating});
  }
  throw Error("the pickled model is of another version of Tandem");
}

}  // namespace

MeshOptions mesh_options(nb::handle packages, bool read) {
  const nb::object reader = nb::module_::import_("tandem._common.mesh_files");
  MeshOptions options;
  options.read = read;
  options.packages = nb::cast<std::vector<std::string>>(reader.attr("folders")(packages));
  options.other_formats = [](const std::string& path) {
    const nb::object found = nb::module_::import_("tandem._common.mesh_files").attr("vertices")(path);
    if (nb::isinstance<nb::str>(found)) throw Error(nb::cast<std::string>(found));
    return nb::cast<std::vector<std::array<double, 3>>>(found);
  };
  return options;
}

Model noted(Model model, Recipe recipe) {
  recipes().note(model, std::move(recipe));
  return model;
}

Model told_of(Model model) {
  const std::vector<std::string> singular = model.singular_joints();
  if (singular.empty()) return model;
  std::string told = model.name() + ": " + singular.front();
  if (singular.size() > 1) told += " (and " + std::to_string(singular.size() - 1) + " more: Model.warnings)";
  const nb::object category = nb::module_::import_("tandem.errors").attr("ModelWarning");
  if (PyErr_WarnEx(category.ptr(), told.c_str(), 1) != 0) throw nb::python_error();
  return model;
}

Model made_from(Recipe recipe, const MeshOptions& meshes) {
  Model model = make(recipe, meshes);
  return noted(std::move(model), std::move(recipe));
}

const Recipe& recipe_of(const Model& model) {
  const Recipe* recipe = recipes().find(model);
  if (!recipe)
    throw Error("model " + model.name() + " cannot be pickled: it was read from a pipe; use Model.from_urdf_string");
  return *recipe;
}

namespace {

ModelBuilder read_mjcf_file(const std::string& path) {
  return nb::cast<ModelBuilder>(nb::module_::import_("tandem.mjcf").attr("_read_file")(path));
}

}  // namespace

std::optional<ModelBuilder> read_if_mjcf(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  std::ifstream file(path, std::ios::binary);
  if (!is_mjcf(std::string(std::istreambuf_iterator<char>(file), {}))) return {};
  return read_mjcf_file(path);
}

Model load_and_note(const std::string& robot, bool floating, std::uint64_t seed, const MeshOptions& meshes) {
  constexpr std::uintmax_t longest = std::uintmax_t{1} << 30;  // of a URDF
  std::error_code error;
  const auto status = std::filesystem::status(robot, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_directory(status))
    return told_of(made_from({.kind = Recipe::named, .text = robot, .name = {}, .floating = floating, .seed = seed}));
  if (std::filesystem::is_regular_file(status) && std::filesystem::file_size(robot, error) <= longest) {
    std::ifstream file(robot, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (is_mjcf(text)) {
      const ModelBuilder mjcf = read_mjcf_file(robot);
      return told_of(noted(mjcf.build({.floating = floating}),
                           {.kind = Recipe::description, .text = to_bytes(mjcf), .name = robot, .floating = floating}));
    }
    if (file.is_open() && !file.bad())
      return told_of(
          made_from({.kind = Recipe::urdf, .text = std::move(text), .name = robot, .floating = floating}, meshes));
  }
  return told_of(load(robot, {.floating = floating}, seed, meshes));
}

}  // namespace tandem::python
