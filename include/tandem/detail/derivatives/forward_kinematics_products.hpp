// SPDX-License-Identifier: Apache-2.0
/// What the products of derivatives of kinematics share: how links are placed and move.
#pragma once
#include <type_traits>

#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/problems/forward_kinematics.hpp"

namespace tandem::inline TANDEM_ISA {

/// How much of kinematics a product is of.
enum class Kinematics : unsigned char { pose, velocity, acceleration };
template <Kinematics of>
using KinematicsConstant = std::integral_constant<Kinematics, of>;

/// What columns of velocities and accelerations ask for.
template <class Vel, class Acc>
TANDEM_HD Kinematics kinematics_of(Vel velocity, Acc acceleration) {
  return acceleration ? Kinematics::acceleration : velocity ? Kinematics::velocity : Kinematics::pose;
}
/// Calls f(constant) with what columns of velocities and accelerations ask for; the latter need the former.
template <class Vel, class Acc, class F>
TANDEM_HD void on_kinematics(Vel velocity, Acc acceleration, F&& f) {
  if (acceleration)
    f(KinematicsConstant<Kinematics::acceleration>());
  else if (velocity)
    f(KinematicsConstant<Kinematics::velocity>());
  else
    f(KinematicsConstant<Kinematics::pose>());
}

/// Columns with rows of every frame.
template <class Pose, class Velocity = Pose, class Acceleration = Velocity>
struct FrameColumns {
  Pose pose;
  Velocity velocity;
  Acceleration acceleration;
};
template <class Pose, class Velocity, class Acceleration>
FrameColumns(Pose, Velocity, Acceleration) -> FrameColumns<Pose, Velocity, Acceleration>;

struct KinematicsProducts {
  /// A link: its place, its velocity and its spatial acceleration along its axes.
  template <class S>
  struct Link {
    Transform<S> X;  ///< X_ip as keep_transform leaves it
    Transform<S> X_iw;
    Motion<S> v, a;
  };
  /// Outward: all links.
  template <class S, Kinematics of, class M, class Q, class Qd, class Qdd, class Work>
  TANDEM_PASS static void place_and_move(const ModelView<M>& m, Q q, Qd v, Qdd a, Work w) {
    const auto links = records<Link<S>>(w);
    start_at_base(links);
    for (int i = 1; i < m.n_links; ++i)
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        keep_transform(joint, X_ip, w, links.row(i, &Link<S>::X));
        place_and_move<of>(joint, m, i, X_ip, v, a, links);
      });
  }
  template <class Record, class Work>
  TANDEM_HD static void start_at_base(const Records<Record, Work>& links) {
    using S = NumberOf<Record>;
    links.store(0, &Record::X_iw, Transform<S>::identity());
    links.store(0, &Record::v, Motion<S>::zero());
    links.store(0, &Record::a, Motion<S>::zero());
  }
  /// Link i, of which the joint has X_ip; returns the motion before the joint.
  template <Kinematics of, class Joint, class M, class X, class Qd, class Qdd, class Record, class Work>
  TANDEM_HD static auto place_and_move(const Joint& joint, const ModelView<M>& m, int i, const X& X_ip, Qd v, Qdd a,
                                       const Records<Record, Work>& links) {
    using S = NumberOf<Record>;
    const int p = m.parent[i];
    links.store(i, &Record::X_iw, X_ip * links.load(p, &Record::X_iw));
    Before<S> before = {Motion<S>::zero(), Motion<S>::zero()};
    if constexpr (of != Kinematics::pose) {
      before.v = X_ip * links.load(p, &Record::v);
      const auto v_J = joint_motion<S>(joint, m, i, v);
      const Motion<S> v_i = before.v + v_J;
      links.store(i, &Record::v, v_i);
      if constexpr (of == Kinematics::acceleration) {
        before.a = X_ip * links.load(p, &Record::a);
        links.store(i, &Record::a, before.a + joint_motion<S>(joint, m, i, a) + velocity_product(v_i, v_J));
      }
    }
    return before;
  }
  /// The motion of the parent, along the axes of a link.
  template <class S>
  struct Before {
    Motion<S> v, a;
  };

  /// A link as frames that ride on it see it.
  template <Kinematics of, class Record, class Work, class S = NumberOf<Record>>
  TANDEM_HD static ForwardKinematics::Link<S> carrier(const Records<Record, Work>& links, int i) {
    ForwardKinematics::Link<S> at = {links.load(i, &Record::X_iw), Motion<S>::zero(), Motion<S>::zero()};
    if constexpr (of != Kinematics::pose) at.v = links.load(i, &Record::v);
    if constexpr (of == Kinematics::acceleration) at.a = links.load(i, &Record::a);
    return at;
  }

  /// One axis, or all axes of a joint that turn along with its link: the motions that it adds to the link before it.
  template <class S, class JointMotion = Motion<S>>
  struct JointState {
    Motion<S> v_before, a_before;
    JointMotion v_J;
    TANDEM_HD Motion<S> v() const { return v_before + v_J; }
    /// The link behind, where a_J is what the joint accelerates by.
    TANDEM_HD Motion<S> a(const JointMotion& a_J) const { return a_before + a_J + cross(v(), v_J); }
  };
  /// How a link is displaced, and how its velocity and acceleration change, along axes that are displaced with it.
  template <class S>
  struct Change {
    Motion<S> place, v, a;
    TANDEM_HD static Change zero() { return {Motion<S>::zero(), Motion<S>::zero(), Motion<S>::zero()}; }
    /// Outward across a joint, whose increments add the motions s, dv_J and da_J.
    template <class JointMotion>
    TANDEM_HD void pass(bool accelerating, const JointState<S, JointMotion>& j, const JointMotion& s,
                        const JointMotion& dv_J, const JointMotion& da_J) {
      place = place + s;
      v = v + cross(j.v_before, s) + dv_J;
      if (accelerating) a = a + cross(j.a_before, s) + da_J + cross(v, j.v_J) + cross(j.v(), dv_J);
    }
  };
  /// The transpose: forces of which the power on these changes is what the weighted sum changes by.
  template <class S>
  struct Weights {
    Force<S> place, v, a;
    struct ByJoint {
      Force<S> q, v;  ///< by the joint's increments, along its axes; by that of its acceleration: a
    };
    TANDEM_HD static Weights zero() { return {Force<S>::zero(), Force<S>::zero(), Force<S>::zero()}; }
    TANDEM_HD friend Weights operator+(const Weights& x, const Weights& y) {
      return {x.place + y.place, x.v + y.v, x.a + y.a};
    }
    /// Inward across a joint.
    template <class JointMotion>
    TANDEM_HD ByJoint pass(bool accelerating, const JointState<S, JointMotion>& j) {
      if (accelerating) v = v + cross(j.v_J, a);
      ByJoint by = {place - cross(j.v_before, v), v};
      if (accelerating) {
        by.q = by.q - cross(j.a_before, a);
        by.v = by.v - cross(j.v(), a);
      }
      return by;
    }
  };
  /// Calls f(stage of the joint, how it is passed) outward or inward.
  template <bool accelerating, class S, class Joint, class M, class Qd, class Qdd, class F>
  TANDEM_HD static void for_each_stage(const Joint& joint, const ModelView<M>& m, int i, Before<S> before, Qd v, Qdd a,
                                       bool outward, F&& f) {
    auto& [v_p, a_p] = before;
    JointState<S> at[most_stages<Joint>];
    for (int s = 0; s < stages(joint); ++s) {
      const auto axes = stage(joint, s);
      at[s] = {v_p, a_p, along<S>(axes, m, i, v)};
      if (s + 1 == stages(joint)) break;
      if constexpr (accelerating) a_p = at[s].a(along<S>(axes, m, i, a));
      v_p = at[s].v();
    }
    for (int k = 0; k < stages(joint); ++k) {
      const int s = outward ? k : stages(joint) - 1 - k;
      f(stage(joint, s), at[s]);
    }
  }
  /// S x
  template <class S, class Joint, class M, class Column>
  TANDEM_HD static Motion<S> along(const Joint& joint, const ModelView<M>& m, int i, const Column& x) {
    return Motion<S>::zero() + joint_motion<S>(joint, m, i, x);
  }
  /// The part of a frame's displacement that the axes of a reference do not share.
  template <class S>
  TANDEM_HD static Motion<S> displaced(Reference reference, const Motion<S>& place) {
    if (reference == Reference::local) return Motion<S>::zero();
    return reference == Reference::world ? place : Motion<S>{place.w, Vec3<S>::zero()};
  }
};

}  // namespace tandem::inline TANDEM_ISA
