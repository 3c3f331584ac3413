// SPDX-License-Identifier: Apache-2.0
/// Bodies on sliding joints, whose mobility MuJoCo takes to be 1 / mass.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/at.hpp"
#include "tandem/detail/joint/joint.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// Links that slide on the base without turning, along axes of their frame, which are principal axes in the centre of
/// mass, and carry nothing. To these MuJoCo gives the mobility 1 / mass in every direction, and to their joints,
/// whatever their armature; moments do not move them [MuJoCo 4.0: body_simple, body_invweight0, dof_invweight0].
class SimpleSliders {
 public:
  explicit SimpleSliders(const Model& model) : m_(model.view<double>()), mobility_(at(m_.n_links)) {
    std::vector<bool> carries(at(m_.n_links));
    for (int i = 1; i < m_.n_links; ++i) carries[at(m_.parent[i])] = true;
    for (int frame = m_.n_links; frame < m_.n_frames; ++frame)
      if (!model.fixed_joint_name(frame).empty()) carries[at(model.frame_link(frame))] = true;
    for (int i = 1; i < m_.n_links; ++i)
      if (!carries[at(i)] && slides(model, i) && is_in_principal_axes(i)) mobility_[at(i)] = 1 / inertia_of(i)[0];
  }

  bool contains(int link) const { return mobility_[at(link)] > 0; }
  double mobility(int link) const { return mobility_[at(link)]; }
  /// Puts the mobilities of their joints in their rows.
  void replace_joints(double* of_joints) const {
    for (int i = 1; i < m_.n_links; ++i)
      for (int k = i; contains(i) && k != 0; k = m_.parent[k]) of_joints[v_row(m_, k)] = mobility(i);
  }

 private:
  const double* inertia_of(int link) const { return m_.inertia + 10 * std::int64_t{link}; }

  /// Joints of one body are those of links without mass between it and the base.
  bool slides(const Model& model, int link) const {
    for (int i = link; i != 0; i = m_.parent[i]) {
      if (m_.type[i] != JointType::prismatic || m_.mimics[i] != 0) return false;
      if (i != link && inertia_of(i)[0] > 0) return false;
      const auto [x, y, z] = model.joint_axis(i);
      if (std::max({std::abs(x), std::abs(y), std::abs(z)}) < 1 - 1e-9) return false;
    }
    return inertia_of(link)[0] > 0;
  }
  bool is_in_principal_axes(int link) const {
    const double* const I = inertia_of(link);
    const Transform<double> X = frame_transform<double>(m_, link);
    const Vec3<double> h = load<Vec3<double>>(I, 1);
    if (norm(h - I[0] * X.r) > 1e-9 * I[0] || norm(X.r) > 1e-9) return false;
    const auto J = congruence(transpose(X.E), load<Sym3<double>>(I, 4));
    return std::max({std::abs(J.xy), std::abs(J.xz), std::abs(J.yz)}) <= 1e-9 * (J.xx + J.yy + J.zz);
  }

  const ModelView<double>& m_;
  std::vector<double> mobility_;  ///< [n_links] 1/kg; 0: other links
};

}  // namespace tandem
