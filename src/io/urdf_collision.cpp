// SPDX-License-Identifier: Apache-2.0
#include "urdf_collision.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "mesh_formats.hpp"
#include "numbers.hpp"

namespace tandem::io {

std::vector<std::array<double, 3>> UrdfMeshes::corners_of(const std::string& name) const {
  if (!options_.read) throw Error("meshes are not to be read");
  const std::string path = find_mesh_file(name, urdf_, options_.packages), format = mesh_format(path);
  if (format == "stl" || format == "obj" || !options_.other_formats) return read_mesh_file(path);
  return convex_hull(options_.other_formats(path));
}

const UrdfMeshes::Found& UrdfMeshes::find(const std::string& name) {
  const auto [place, is_new] = found_.try_emplace(name);
  Found& found = place->second;
  if (is_new) try {
      found.corners = corners_of(name);
    } catch (const std::exception& error) {  // of whatever reads other formats, too
      found.problem = error.what();
      if (found.problem.empty()) found.problem = "its reader fails";
    }
  return found;
}

void UrdfCollision::begin(const XmlElement& element, const std::string& link, Source source) {
  shape_ = {};
  problem_.clear();
  depth_ = 0;
  in_geometry_ = has_form_ = false;
  const char* given = element.find("name");
  const std::string wanted = given != nullptr && *given != '\0' ? given : link + "_collision";
  shape_.name = wanted;
  for (int k = 2; !names_.insert(shape_.name).second; ++k) shape_.name = wanted + "_" + std::to_string(k);
  shape_.link = link;
  shape_.source = std::move(source);
}

bool UrdfCollision::numbers(const XmlElement& element, const char* attribute, std::span<double> out, bool required) {
  const char* text = element.find(attribute);
  if (text == nullptr) {
    if (required) complain(sentence(element.name, ": attribute ", attribute, " is missing"));
    return false;
  }
  if (const auto complaint = read_reals(text, out)) {
    complain(sentence(element.name, " ", attribute, "=", in_quotes(text), ": ", *complaint));
    return false;
  }
  return true;
}

void UrdfCollision::read_pose(const XmlElement& element) {
  std::array<double, 3> rpy{};
  std::array<double, 4> quaternion{};
  numbers(element, "xyz", shape_.placement.position, false);
  if (numbers(element, "rpy", rpy, false)) shape_.placement.rotation = rotation_from_rpy(rpy[0], rpy[1], rpy[2]);
  if (numbers(element, "quat_xyzw", quaternion, false) &&
      std::ranges::any_of(quaternion, [](double x) { return x != 0; }))
    shape_.placement.rotation = rotation_from_quaternion(quaternion[0], quaternion[1], quaternion[2], quaternion[3]);
}

/// A normal that is not z, as Bullet has it, turns the plane.
void UrdfCollision::read_plane(const XmlElement& element) {
  std::array<double, 3> n{0, 0, 1};
  numbers(element, "normal", n, false);
  const double across = std::hypot(n[0], n[1]), length = std::hypot(across, n[2]);
  if (!(length > 0)) return complain("plane: the normal is zero");
  const double yaw = std::atan2(n[1], n[0]), pitch = std::atan2(across, n[2]);
  if (across > 0) shape_.placement = shape_.placement * Pose{{}, rotation_from_rpy(0, pitch, yaw)};
}

void UrdfCollision::read_mesh(const XmlElement& element) {
  shape_.type = ShapeType::mesh;
  std::array<double, 3> scale{1, 1, 1};
  numbers(element, "scale", scale, false);
  for (const double x : scale)
    if (x == 0 || !std::isfinite(x))
      complain(sentence("mesh scale has the number ", x, ", expected a finite one, not 0"));
  const char* file = element.find("filename");
  if (file == nullptr) complain("mesh: attribute filename is missing");
  if (!problem_.empty()) return;
  const UrdfMeshes::Found& found = meshes_.find(file);
  if (!found.problem.empty())
    shape_.unread = sentence("the mesh ", in_quotes(file), " of URDF is not read: ", found.problem);
  shape_.vertices = found.corners;
  for (auto& corner : shape_.vertices)
    for (std::size_t k = 0; k < 3; ++k) {
      corner[k] *= scale[k];
      if (!std::isfinite(corner[k])) return complain("mesh scale leads to a vertex that is not finite");
    }
}

void UrdfCollision::read_form(const XmlElement& element) {
  const std::string_view name = element.name;
  auto& size = shape_.size;
  has_form_ = true;
  const auto radius_and_length = [&](ShapeType type) {
    shape_.type = type;
    numbers(element, "radius", std::span(size).first(1));
    if (numbers(element, "length", std::span(size).subspan(1, 1))) size[1] /= 2;
  };
  if (name == "box") {
    shape_.type = ShapeType::box;
    if (numbers(element, "size", size))
      for (double& x : size) x /= 2;
  } else if (name == "sphere") {
    shape_.type = ShapeType::sphere;
    numbers(element, "radius", std::span(size).first(1));
  } else if (name == "cylinder") {
    radius_and_length(ShapeType::cylinder);
  } else if (name == "capsule" || name == drakes_capsule) {
    radius_and_length(ShapeType::capsule);
  } else if (name == "ellipsoid" || name == drakes_ellipsoid) {
    shape_.type = ShapeType::ellipsoid;
    numbers(element, "a", std::span(size).first(1));
    numbers(element, "b", std::span(size).subspan(1, 1));
    numbers(element, "c", std::span(size).subspan(2, 1));
  } else if (name == "plane") {
    shape_.type = ShapeType::plane;
    read_plane(element);
  } else if (name == "mesh") {
    read_mesh(element);
  } else {
    complain(sentence("geometry <", name, "> is not read"));
  }
  const int n = size_count(shape_.type);
  for (int k = 0; k < n && problem_.empty(); ++k)
    if (!(size[static_cast<std::size_t>(k)] > 0))
      complain(sentence(name, " has the size ", size[static_cast<std::size_t>(k)], ", expected one above 0"));
}

void UrdfCollision::read_parameters(const XmlElement& element) {
  const auto integer = [&](const char* attribute, int& out) {
    double x = out;
    if (!numbers(element, attribute, {&x, 1}, false)) return;
    if (x != std::floor(x) || std::abs(x) > 2147483647)
      return complain(sentence("tandem ", attribute, " is ", x, ", expected an integer"));
    out = static_cast<int>(x);
  };
  integer("condim", shape_.condim);
  integer("contype", shape_.contype);
  integer("conaffinity", shape_.conaffinity);
  integer("priority", shape_.priority);
  numbers(element, "friction", shape_.friction, false);
  numbers(element, "solmix", {&shape_.solmix, 1}, false);
  numbers(element, "solref", shape_.softness.solref, false);
  numbers(element, "solimp", shape_.softness.solimp, false);
  numbers(element, "margin", {&shape_.softness.margin, 1}, false);
  numbers(element, "gap", {&shape_.softness.gap, 1}, false);
  if (shape_.condim != 1 && shape_.condim != 3 && shape_.condim != 4 && shape_.condim != 6)
    complain(sentence("tandem condim is ", shape_.condim, ", expected 1, 3, 4 or 6"));
  for (const double x : {shape_.friction[0], shape_.friction[1], shape_.friction[2], shape_.solmix})
    if (x < 0) complain("tandem friction and solmix are expected to be 0 or more");
}

void UrdfCollision::start(const XmlElement& element) {
  ++depth_;
  if (depth_ == 1) {
    in_geometry_ = element.name == "geometry";
    if (element.name == "origin") read_pose(element);
    if (element.name == "tandem") read_parameters(element);
  } else if (depth_ == 2 && in_geometry_) {
    if (has_form_) return complain("has several forms, expected one");
    read_form(element);
  }
}

bool UrdfCollision::end(ModelBuilder& description) {
  if (depth_-- > 0) return false;
  if (!has_form_) complain("has no <geometry> with a form");
  if (shape_.link.empty()) complain("its link has no name");
  const ContactSoftness& soft = shape_.softness;
  const auto is_finite = [](const auto& numbers) {
    return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
  };
  if (!is_finite(shape_.placement.position) || !is_finite(shape_.placement.rotation) || !is_finite(shape_.size) ||
      !is_finite(shape_.friction) || !is_finite(soft.solref) || !is_finite(soft.solimp) ||
      !is_finite(std::array{soft.margin, soft.gap, shape_.solmix}))
    complain("has a number that is not finite");
  if (problem_.empty())
    description.shape(std::move(shape_));
  else
    description.contact_problem(shape_.source, sentence("collision ", in_quotes(shape_.name), ": ", problem_));
  return true;
}

}  // namespace tandem::io
