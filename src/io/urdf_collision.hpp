// SPDX-License-Identifier: Apache-2.0
/// <collision> elements of a link. Invalid elements are contact problems, not problems of the robot, because files that
/// are used for dynamics only often have them.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "tandem/model/builder.hpp"
#include "xml.hpp"

namespace tandem::io {

/// Ellipsoids and capsules as Drake has them.
inline constexpr std::string_view drakes_capsule = "drake:capsule", drakes_ellipsoid = "drake:ellipsoid";

/// Follows the tags from <collision> to its end.
class UrdfCollision {
 public:
  void begin(const XmlElement& element, const std::string& link, Source source);
  void start(const XmlElement& element);
  /// At the end of an element inside, false; at that of <collision>, true: its shape has been added, or a problem.
  bool end(ModelBuilder& description);

 private:
  bool numbers(const XmlElement& element, const char* attribute, std::span<double> out, bool required = true);
  void read_pose(const XmlElement& element);
  void read_form(const XmlElement& element);
  void read_plane(const XmlElement& element);
  void read_parameters(const XmlElement& element);
  /// The first counts.
  void complain(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  ShapeDescription shape_;
  std::string problem_;
  int depth_ = 0;  ///< elements inside <collision> that are open
  bool in_geometry_ = false, has_form_ = false;
  std::unordered_set<std::string> names_;
};

}  // namespace tandem::io
