// SPDX-License-Identifier: Apache-2.0
/// What is known of a model's joints when an algorithm is compiled.
#pragma once
#include "tandem/detail/core/config.hpp"
#include "tandem/index.hpp"
#include "tandem/model/view.hpp"
#include "tandem/names.hpp"

namespace tandem::inline TANDEM_ISA {

/// Joints that a model has, and no others. Only in `any` may joints follow others.
enum class JointSet : unsigned char {
  hinges,  ///< turn about an axis: revolute and continuous ones
  common,  ///< hinges, slides, free joints
  any
};

/// A number of a model whose joints are of a set: ModelView<Known<float, JointSet::hinges>> is a model of hinges.
/// Bodies that run on it have no code for other joints.
template <class R, JointSet joints>
struct Known {
  R value;
  Known() = default;
  TANDEM_HD constexpr Known(R x) : value(x) {}
  TANDEM_HD constexpr operator R() const { return value; }
};

/// The set of a model, by the type of its numbers.
template <class M>
inline constexpr JointSet joint_set = JointSet::any;
template <class R, JointSet joints>
inline constexpr JointSet joint_set<Known<R, joints>> = joints;

/// Whether a model's joints are of a set.
template <class M>
bool is_of(JointSet set, const ModelView<M>& m) {
  if (set == JointSet::any) return true;
  if (m.n_mimic != 0) return false;
  for (int i = 1; i < m.n_links; ++i) {
    const JointType t = m.type[i];
    const bool hinge = t == JointType::revolute || t == JointType::continuous;
    const bool common = hinge || t == JointType::prismatic || t == JointType::free;
    if (set == JointSet::hinges ? !hinge || m.q_index[i] != i - 1 : !common) return false;
  }
  return true;
}

/// The same arrays, read as numbers of another kind: those that say what is known, which must be so, see is_of.
template <class K, class R>
ModelView<K> known_as(const ModelView<R>& m) {
  ModelView<K> known;
  static_cast<ModelCounts&>(known) = m;
  for (int k = 0; k < 6; ++k) known.base_acceleration[k] = m.base_acceleration[k];
  for_each_field_of_both(m, known, [&](auto from, auto to, std::int64_t, const char*) {
    known.*to = reinterpret_cast<std::remove_reference_t<decltype(known.*to)>>(m.*from);
  });
  return known;
}

template <class M>
TANDEM_HD bool has_mimic_joints(const ModelView<M>& m) {
  if constexpr (joint_set<M> == JointSet::any)
    return m.n_mimic != 0;
  else
    return false;
}

// Where joints and what follows them lie in q, in v and among the degrees of freedom.
template <class M>
TANDEM_HD int q_row(const ModelView<M>& m, int i) {
  if constexpr (joint_set<M> == JointSet::hinges)
    return i - 1;
  else
    return m.q_index[i];
}
template <class M>
TANDEM_HD int v_row(const ModelView<M>& m, int i) {
  if constexpr (joint_set<M> == JointSet::hinges)
    return i - 1;
  else
    return m.v_index[i];
}
template <class M>
TANDEM_HD int first_dof(const ModelView<M>& m, int i) {
  if constexpr (joint_set<M> == JointSet::any)
    return m.dof_index[i];
  else
    return v_row(m, i);
}
template <class M>
TANDEM_HD int link_of_dof(const ModelView<M>& m, int dof) {
  if constexpr (joint_set<M> == JointSet::hinges)
    return dof + 1;
  else
    return m.dof_link[dof];
}
template <class M>
TANDEM_HD int axis_of_dof(const ModelView<M>& m, int dof) {
  if constexpr (joint_set<M> == JointSet::hinges)
    return 2;
  else
    return m.dof_axis[dof];
}
template <class M>
TANDEM_HD bool has_own_axes(const ModelView<M>& m) {
  if constexpr (joint_set<M> == JointSet::any)
    return m.n_own_axes != 0;
  else
    return false;
}

}  // namespace tandem::inline TANDEM_ISA
