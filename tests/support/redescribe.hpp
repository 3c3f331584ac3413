// SPDX-License-Identifier: Apache-2.0
/// The same robot in other words: siblings in another order, link frames elsewhere, and how states translate.
#pragma once
#include "support/cases.hpp"

namespace tandem::test {

/// The description with its links and joints listed backwards: siblings change places.
ModelBuilder reversed(const ModelBuilder& description);

/// Where the rows of one model's joints are in another model's q and v: joints are found by name.
struct RowMap {
  std::vector<int> q, v;  ///< [nq], [nv]: row k of `from` is row q[k], v[k] of `to`
  RowMap(const Model& from, const Model& to);
  Vector configuration(const Vector& q_from) const;
  Vector rates(const Vector& v_from) const;  ///< velocities, accelerations or forces
  Matrix matrix(const Matrix& M_from) const;
};

/// A description whose link frames have been moved at random, as far as each joint lets them: along and about its axis,
/// and anywhere where it does not matter. The base frame moves as well, and gravity is turned with it.
class MovedFrames {
 public:
  MovedFrames(const Case& c, std::uint64_t seed);

  const Model& model() const { return model_; }
  Vector configuration(const Vector& q) const;
  Vector rates(const Vector& v) const;          ///< velocities and accelerations
  Vector forces_back(const Vector& tau) const;  ///< joint forces of the moved description, in the rows of the case
  Vector external_forces(const Vector& f_ext) const;
  /// The frame of a link of the moved description, seen from the frame that it had.
  const Eigen::Isometry3d& moved(int link) const { return moved_[static_cast<std::size_t>(link)]; }

 private:
  Eigen::Isometry3d draw(const JointDescription* joint, Random& random) const;
  ModelBuilder describe(const Case& c, Random& random);

  const Model& original_;
  std::vector<Eigen::Isometry3d> moved_;  // [n_frames of the original]
  Model model_;
};

Eigen::Isometry3d isometry(const Pose& pose);
Pose pose_of(const Eigen::Isometry3d& X);

}  // namespace tandem::test
