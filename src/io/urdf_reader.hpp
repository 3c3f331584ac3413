// SPDX-License-Identifier: Apache-2.0
/// From the tags of a URDF to the links and joints that they describe.
#pragma once
#include <bitset>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tandem/model/builder.hpp"
#include "xml.hpp"

namespace tandem::io {

/// What was read, and whether the text could be read to its end.
struct UrdfReading {
  ModelBuilder description;
  bool complete = true;
};

UrdfReading read_urdf_text(std::string_view text, const std::string& name);

/// Follows the tags of one URDF. Knows only where it is: at the document, in the robot, in a link, its
/// inertial, or a joint; everything else is passed over with all it holds. Reports what only a reader can
/// see; missing names and all that concerns the robot as a whole are left to ModelBuilder::build.
class UrdfReader {
 public:
  explicit UrdfReader(std::string file) : file_(std::move(file)) {}

  bool start(const XmlElement& element);  ///< false: this is no URDF, stop
  void end();
  UrdfReading finish(XmlOutcome outcome);

 private:
  enum class Inside { document, robot, link, inertial, joint };
  /// Children that matter and stand only once, per place.
  enum class Child { inertial, origin, mass, inertia, parent, child, axis, limit, dynamics, mimic, tandem, count };

  bool start_document(const XmlElement& element);
  void start_in_robot(const XmlElement& element, std::string_view name);
  void start_in_link(const XmlElement& element, std::string_view name);
  void start_in_inertial(const XmlElement& element, std::string_view name);
  void start_in_joint(const XmlElement& element, std::string_view name);
  void start_link(const XmlElement& element);
  void start_joint(const XmlElement& element);
  void end_link();
  void end_inertial();
  void end_joint();

  void read_pose(const XmlElement& element, std::string_view what, Pose& out);
  void read_mass(const XmlElement& element);
  void read_inertia(const XmlElement& element);
  void read_limit(const XmlElement& element);
  void read_dynamics(const XmlElement& element);
  void read_mimic(const XmlElement& element);
  void read_tandem(const XmlElement& element);

  /// Numbers of an attribute, or its text. False, with `out` unchanged, if it is absent or wrong; the latter
  /// is a problem.
  bool read(const XmlElement& element, std::string_view what, std::string_view attribute, std::span<double> out);
  bool read(const XmlElement& element, std::string_view what, std::string_view attribute, double& out);
  bool read(const XmlElement& element, std::string_view what, std::string_view attribute, std::string& out);
  /// The same, but absence is a problem too.
  void require(const XmlElement& element, std::string_view what, std::string_view attribute, std::span<double> out);
  void require(const XmlElement& element, std::string_view what, std::string_view attribute, double& out);

  bool first(Child child, const XmlElement& element);
  void pass_over(const XmlElement& element, std::string_view name);
  void note_xacro(int line, const std::string& what);
  void add_world();

  Source at(int line) const { return {file_, line, element_}; }
  void problem(int line, std::string message);
  void warning(int line, std::string message);

  std::string file_;
  ModelBuilder description_{""};
  Inside inside_ = Inside::document;
  bool stopped_ = false;
  int passed_over_ = 0;  ///< depth inside an element that is passed over, 0 outside
  std::string prefix_;   ///< namespace prefix of the root element, with its colon
  std::string element_;  ///< the link or joint at hand, as messages name it
  LinkDescription link_;
  JointDescription joint_;
  Pose inertial_;                                             ///< of the frame in which the inertia at hand is given
  int inertial_line_ = 0;                                     ///< where it begins
  std::bitset<static_cast<std::size_t>(Child::count)> seen_;  ///< in the link or joint at hand
  std::bitset<static_cast<std::size_t>(Child::count)> seen_inertial_;  ///< in its inertial
  std::set<std::string, std::less<>> unknown_;                         ///< names of elements already warned of
  std::optional<XmlNote> xacro_;                                       ///< the first trace of unexpanded xacro
  int xacro_count_ = 0;
};

}  // namespace tandem::io
