// SPDX-License-Identifier: Apache-2.0
/// <collision> elements of a link. Invalid elements are contact problems, not problems of the robot, because files that
/// are used for dynamics only often have them.
#pragma once
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tandem/io/meshes.hpp"
#include "tandem/model/builder.hpp"
#include "xml.hpp"

namespace tandem::io {

/// Ellipsoids and capsules as Drake has them.
inline constexpr std::string_view drakes_capsule = "drake:capsule", drakes_ellipsoid = "drake:ellipsoid";

/// The meshes that a URDF names, each read once.
class UrdfMeshes {
 public:
  /// `urdf`: the file that names them.
  UrdfMeshes(std::string urdf, MeshOptions options) : urdf_(std::move(urdf)), options_(std::move(options)) {}

  struct Found {
    std::vector<std::array<double, 3>> corners;  ///< of the convex hull, m
    std::string problem;                         ///< why there are none
  };
  const Found& find(const std::string& name);

 private:
  std::vector<std::array<double, 3>> corners_of(const std::string& name) const;

  std::string urdf_;
  MeshOptions options_;
  std::map<std::string, Found, std::less<>> found_;
};

/// Follows the tags from <collision> to its end.
class UrdfCollision {
 public:
  explicit UrdfCollision(UrdfMeshes meshes) : meshes_(std::move(meshes)) {}

  void begin(const XmlElement& element, const std::string& link, Source source);
  void start(const XmlElement& element);
  /// At the end of an element inside, false; at that of <collision>, true: its shape has been added, or a problem.
  bool end(ModelBuilder& description);

 private:
  bool numbers(const XmlElement& element, const char* attribute, std::span<double> out, bool required = true);
  void read_pose(const XmlElement& element);
  void read_form(const XmlElement& element);
  void read_plane(const XmlElement& element);
  void read_mesh(const XmlElement& element);
  void read_parameters(const XmlElement& element);
  /// The first counts.
  void complain(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  UrdfMeshes meshes_;
  ShapeDescription shape_;
  std::string problem_;
  int depth_ = 0;  ///< elements inside <collision> that are open
  bool in_geometry_ = false, has_form_ = false;
  std::unordered_set<std::string> names_;
};

}  // namespace tandem::io
