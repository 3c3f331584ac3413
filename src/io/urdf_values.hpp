// SPDX-License-Identifier: Apache-2.0
/// From the attributes of one URDF to values, with a word about those that are none.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tandem/model/builder.hpp"
#include "xml.hpp"

namespace tandem::io {

inline constexpr std::size_t most_remarks = 10'000;  // problems, and warnings, of one file

class UrdfValues {
 public:
  explicit UrdfValues(std::string file) : file_(std::move(file)) {}

 protected:
  /// Numbers of an attribute, or its text. False, with `out` unchanged, if it is absent or wrong; the latter is a
  /// problem.
  bool read(const XmlElement& element, std::string_view attribute, std::span<double> out);
  bool read(const XmlElement& element, std::string_view attribute, double& out) {
    return read(element, attribute, std::span(&out, 1));
  }
  bool read(const XmlElement& element, std::string_view attribute, std::string& out);
  /// The same, but absence is a problem too.
  void require(const XmlElement& element, std::string_view attribute, std::span<double> out);
  void require(const XmlElement& element, std::string_view attribute, double& out) {
    require(element, attribute, std::span(&out, 1));
  }
  void read_pose(const XmlElement& element, Pose& out);

  Source at(int line) const { return {file_, line, element_}; }
  void problem(int line, std::string message);
  void warning(int line, std::string message);
  void note_xacro(int line, const std::string& what);

  std::string file_;
  ModelBuilder description_{""};
  std::string element_;           ///< the link or joint at hand, as messages name it
  std::string_view of_;           ///< the element inside it whose attributes are read; empty: itself
  std::optional<XmlNote> xacro_;  ///< the first trace of unexpanded xacro
  int xacro_count_ = 0;

 private:
  std::string label(std::string_view attribute) const;
};

}  // namespace tandem::io
