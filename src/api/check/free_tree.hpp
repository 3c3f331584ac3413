// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "api/check/sizes.hpp"

namespace tandem::check_detail {

/// A robot whose mimic joints swing freely. Articulated-body dynamics goes through it and then holds the mimic joints
/// to those they follow; the free motion may be far larger than the robot's own, which costs digits.
class FreeTree {
 public:
  FreeTree(const Model& model, const Numbers& q);

  /// [nv] how far rounding errors may move the acceleration that is found under tau: errors as large as the terms of
  /// the robot's own motion (dof_sizes, from dof_force_sizes), of the free motion, and of the motions that every
  /// holding force causes for itself. Zeros if the free tree is singular: nothing right can come out of it.
  Numbers acceleration_errors(const Numbers& v, const Numbers& tau, const Numbers& f_ext,
                              const Numbers& dof_sizes) const;

 private:
  struct Holding;
  Numbers free_acceleration(const Numbers& v, const Numbers& tau, const Numbers& f_ext) const;
  bool hold(const Numbers& inverse, const Numbers& free_a, Holding& h) const;
  Numbers left_of(const Numbers& errors, const Holding& h) const;
  /// Row of C for mimic joint i, times x: how fast it slips from the joint that it follows.
  double slip(int i, const double* x) const;

  const Model& model_;
  ModelView<double> view_;
  std::vector<std::int32_t> q_index_, no_mimics_;
  std::vector<int> mimics_;      ///< mimic joints that are held
  std::vector<int> weightless_;  ///< mimic joints that move nothing with inertia: they do not swing
  Numbers multiplier_, offset_, armature_, q_;
};

}  // namespace tandem::check_detail
