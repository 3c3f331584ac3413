// SPDX-License-Identifier: Apache-2.0
#include "check/sizes.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::check_detail {
namespace {

double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

double norm(const Sym3<double>& A) {
  return std::sqrt(A.xx * A.xx + A.yy * A.yy + A.zz * A.zz + 2 * (A.xy * A.xy + A.xz * A.xz + A.yz * A.yz));
}

/// Forces on a link and all that it carries, moments about the link's origin.
struct ForceSizes {
  double moment = 0, force = 0;
};

/// Size of the terms in I a + v x I v.
ForceSizes inertial_forces(const Inertia<double>& I, const LinkSizes& s) {
  const double m = std::abs(I.m), h = norm(I.h), J = norm(I.I);
  const double momentum = m * s.speed + h * s.turn;
  return {J * s.turn_rate + h * s.acceleration + s.turn * (J * s.turn + h * s.speed) + s.speed * momentum,
          m * s.acceleration + h * s.turn_rate + s.turn * momentum};
}

/// Calls f(k, size of what a unit rate turns, size of what it slides) for every degree of freedom k of joint i.
template <class F>
void for_each_row(const ModelView<double>& m, int i, const Numbers& q, F&& f) {
  on_joint_at<double>(m, i, q.data(), [&](auto joint) {
    for (int k = 0; k < decltype(joint)::nv; ++k) {
      const Motion<double> axis = joint.template axis<double>(k);
      f(k, norm(axis.w), norm(axis.v));
    }
  });
}

/// Size of a joint's own motion at rates x.
struct JointSizes {
  double turn = 0, slide = 0;
};
JointSizes joint_sizes(const ModelView<double>& m, int i, const Numbers& q, const Numbers& x) {
  JointSizes s;
  for_each_row(m, i, q, [&](int k, double turns, double slides) {
    const double rate = m.multiplier[i] * x[at(m.v_index[i] + k)];
    s.turn = std::hypot(s.turn, turns * rate);
    s.slide = std::hypot(s.slide, slides * rate);
  });
  return s;
}

double norm(const Numbers& x, std::size_t row) { return std::hypot(x[row], x[row + 1], x[row + 2]); }

/// Origin of link i in the world.
Vec3<double> origin(const Numbers& pose, int i) {
  const std::size_t row = 12 * at(i);
  return {pose[row + 3], pose[row + 7], pose[row + 11]};
}

double distance_to_parent(const ModelView<double>& m, const Numbers& pose, int i) {
  return norm(origin(pose, i) - origin(pose, m.parent[i]));
}

Numbers link_poses(const Model& model, const Numbers& q) {
  Numbers pose(12 * at(model.n_frames()));
  Workspace<double> work;
  forward_kinematics(model, q, pose, work);
  return pose;
}

}  // namespace

std::vector<LinkSizes> link_sizes(const Model& model, const Numbers& q, const Numbers& v, const Numbers& a) {
  const auto& m = model.view<double>();
  Numbers pose(12 * at(m.n_frames)), velocity(6 * at(m.n_frames)), acceleration(6 * at(m.n_frames));
  Workspace<double> work;
  forward_kinematics(model, q, pose, work, {v, a, velocity, acceleration});
  const auto& g = model.gravity();
  const double weight = std::hypot(g[0], g[1], g[2]);
  std::vector<LinkSizes> sizes(at(m.n_links));
  sizes[0].acceleration = weight;
  for (int i = 1; i < m.n_links; ++i) {
    const LinkSizes& p = sizes[at(m.parent[i])];
    LinkSizes& s = sizes[at(i)];
    const JointSizes v_J = joint_sizes(m, i, q, v), a_J = joint_sizes(m, i, q, a);
    const std::size_t linear = 6 * at(i), angular = linear + 3;
    s.reach = std::max(p.reach, norm(origin(pose, i)) + distance_to_parent(m, pose, i));
    s.turn = std::max(p.turn, norm(velocity, angular) + v_J.turn);
    s.speed = std::max({p.speed, norm(velocity, linear) + v_J.slide, s.turn * s.reach});
    s.turn_rate = std::max(p.turn_rate, norm(acceleration, angular) + a_J.turn + s.turn * v_J.turn);
    s.acceleration = std::max(
        {p.acceleration, weight + norm(acceleration, linear) + a_J.slide + s.turn * v_J.slide + s.speed * v_J.turn,
         s.turn_rate * s.reach});
  }
  return sizes;
}

LinkSizes at_frame(const Model& model, const std::vector<LinkSizes>& links, int frame) {
  const auto& m = model.view<double>();
  LinkSizes s = links[at(m.frame_link[frame])];
  const double arm = norm(load<Vec3<double>>(m.frame_placement, Index{12} * frame + 9));
  s.reach += arm;
  s.speed += arm * s.turn;
  s.acceleration += arm * (s.turn_rate + s.turn * s.turn);
  return s;
}

Numbers dof_force_sizes(const Model& model, const Numbers& q, const Numbers& v, const Numbers& a,
                        const Numbers& f_ext) {
  const auto& m = model.view<double>();
  const std::vector<LinkSizes> links = link_sizes(model, q, v, a);
  std::vector<ForceSizes> carried(links.size());
  Numbers sizes(at(m.n_dof));
  const Numbers pose = link_poses(model, q);
  for (int i = m.n_links - 1; i >= 1; --i) {
    ForceSizes& own = carried[at(i)];
    const ForceSizes inertial = inertial_forces(link_inertia<double>(m, i), links[at(i)]);
    own.moment += inertial.moment;
    own.force += inertial.force;
    if (!f_ext.empty()) {
      own.force += norm(load<Vec3<double>>(f_ext, Index{6} * i));
      own.moment += norm(load<Vec3<double>>(f_ext, Index{6} * i + 3));
    }
    for_each_row(m, i, q, [&](int k, double turns, double slides) {
      sizes[at(m.dof_index[i] + k)] = turns * own.moment + slides * own.force;
    });
    ForceSizes& parent = carried[at(m.parent[i])];
    parent.moment += own.moment + distance_to_parent(m, pose, i) * own.force;
    parent.force += own.force;
  }
  return sizes;
}

Numbers force_sizes(const Model& model, const Numbers& q, const Numbers& v, const Numbers& a, const Numbers& f_ext) {
  const auto& m = model.view<double>();
  const Numbers dofs = dof_force_sizes(model, q, v, a, f_ext);
  Numbers sizes(v.size());
  for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k] = std::abs(m.armature[k] * a[k]);
  for (int i = 1; i < m.n_links; ++i)
    for (int k = 0; k < joint_nv(m.type[i]); ++k)
      sizes[at(m.v_index[i] + k)] += std::abs(m.multiplier[i]) * dofs[at(m.dof_index[i] + k)];
  return sizes;
}

MomentumSize momentum_size(const Model& model, const Numbers& q, const Numbers& v) {
  const auto& m = model.view<double>();
  const std::vector<LinkSizes> links = link_sizes(model, q, v, Numbers(v.size()));
  double reach = 0;  // of the centre of mass: no further out than the links
  for (const LinkSizes& s : links) reach = std::max(reach, s.reach);
  MomentumSize size;
  for (int i = 1; i < m.n_links; ++i) {
    const LinkSizes& s = links[at(i)];
    const auto I = link_inertia<double>(m, i);
    const double linear = std::abs(I.m) * s.speed + norm(I.h) * s.turn;
    size.linear += linear;
    size.angular += norm(I.I) * s.turn + norm(I.h) * s.speed + (reach + s.reach) * linear;
  }
  return size;
}

}  // namespace tandem::check_detail
