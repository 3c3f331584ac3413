// SPDX-License-Identifier: Apache-2.0
/// What a description has of contacts, as MJCF.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "mjcf_poses.hpp"
#include "tandem/model/builder.hpp"
#include "xml_text.hpp"

namespace tandem::io {

/// Where an element stands, as far as it is not where its parent is.
inline void write_place(XmlText& xml, const Pose& pose) {
  if (pose.position != Pose{}.position) xml.attribute("pos", pose.position);
  if (pose.rotation != Pose{}.rotation) xml.attribute("quat", wxyz_from_rotation(pose.rotation));
}

/// The names of the bodies that were written for links.
using BodiesOfLinks = std::unordered_map<std::string, std::string>;

/// Writes the shapes of a description, its pairs and its contact options, each where MJCF has them.
class MjcfShapeWriter {
 public:
  MjcfShapeWriter(const ModelBuilder& description, XmlText& xml) : d_(description), xml_(xml) {}

  void write_options();  ///< with gravity
  void write_meshes();
  void write_shapes(const std::string& link);
  void write_pairs(const BodiesOfLinks& bodies);
  /// What MJCF cannot say of contacts, as texts that the reader knows.
  std::vector<std::string> left_out(const BodiesOfLinks& bodies) const;
  bool has_some_on(const std::string& link) const;

 private:
  void write_parameters(const ContactSoftness& softness);
  bool is_written(const std::string& shape, const BodiesOfLinks& bodies) const;

  const ModelBuilder& d_;
  XmlText& xml_;
};

}  // namespace tandem::io
