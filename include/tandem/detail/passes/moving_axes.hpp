// SPDX-License-Identifier: Apache-2.0
/// How the axes of joints move, which is what derivatives of the dynamics are made of.
#pragma once
#include <type_traits>

#include "tandem/detail/joint/axes.hpp"
#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::inline TANDEM_ISA {

/// The motion S that a unit rate of a coordinate gives to its link, and how that changes as the link before it moves
/// with v and a, along world axes, about the link's origin and measured from a frame that moves along with that:
///
///     carried = v x S      accelerated = a x S + v x carried      turned = carried + dS/dt
///
/// A coordinate's increment dq adds S dq to how a link is placed, carried dq to its velocity and accelerated dq to its
/// acceleration; an increment of its rate adds S and, to the acceleration, turned. [Singh 2022] has them about one
/// origin.
template <class S>
struct AxisMotion {
  Motion<S> axis, carried, accelerated, turned;
};

/// Which numbers of it differ from zero: turning about an axis through the origin has only `accelerated.v` that is
/// linear, sliding nothing that is angular.
enum class AxisKind : unsigned char { turns, slides, both };

/// Power of a force on a motion of that kind.
template <AxisKind kind, class S>
TANDEM_HD S along(const Motion<S>& s, const Force<S>& f) {
  if constexpr (kind == AxisKind::turns) return dot(s.w, f.n);
  if constexpr (kind == AxisKind::slides) return dot(s.v, f.f);
  if constexpr (kind == AxisKind::both) return dot(s, f);
}

struct MovingAxes {
  /// How a link is placed and moves. Positions and velocities are from those of the first link on the way from the
  /// base, so that a robot that is far away or fast loses no digits.
  template <class S>
  struct Link {
    Transform<S> X_iw;
    Vec3<S> u;              ///< velocity of the origin
    CarriedRates<S> rates;  ///< along world axes
  };

  template <class M>
  TANDEM_HD static Index axes_row(const ModelView<M>& m) {
    return rows_of<Link<double>> * m.n_links;
  }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return axes_row(m) + rows_of<AxisMotion<double>> * m.n_dof;
  }
  template <class S, class M, class Work>
  TANDEM_HD static auto links(const ModelView<M>&, Work w) {
    return records<Link<S>>(w);
  }
  template <class S, class M, class Work>
  TANDEM_HD static auto axes(const ModelView<M>& m, Work w) {
    return records<AxisMotion<S>>(w + axes_row(m));
  }

  /// Calls f with the kind of the axis of degree of freedom k, of joint i, as a constant.
  template <class M, class F>
  TANDEM_HD static void on_kind(const ModelView<M>& m, int i, int k, F&& f) {
    if constexpr (joint_set<M> == JointSet::hinges) return f(std::integral_constant<AxisKind, AxisKind::turns>{});
    const int axis = m.dof_axis[k];
    if (axis >= 3 && axis < 6) return f(std::integral_constant<AxisKind, AxisKind::slides>{});
    switch (m.type[i]) {
      case JointType::helical:
      case JointType::planar:
      case JointType::free:
        return f(std::integral_constant<AxisKind, AxisKind::both>{});
      [[likely]] default:
        return f(std::integral_constant<AxisKind, AxisKind::turns>{});
    }
  }
  /// One beyond the last degree of freedom of joint i.
  template <class M>
  TANDEM_HD static int end_of_dofs(const ModelView<M>& m, int i) {
    return i + 1 < m.n_links ? first_dof(m, i + 1) : m.n_dof;
  }
  /// Whether each coordinate of joint i is a joint of its own, the next one hanging from it: else an increment of one
  /// moves all axes of the joint along with the link.
  template <class M>
  TANDEM_HD static bool in_series(const ModelView<M>& m, int i) {
    return joint_set<M> == JointSet::any && m.type[i] == JointType::universal;
  }

  /// Outward. v and a may be left out: zeros. With `coriolis` what is called `turned` is twice dS/dt.
  template <class S, bool coriolis = false, class M, class Q, class Qd, class Qdd, class Work>
  TANDEM_PASS static void place_and_move(const ModelView<M>& m, Q q, Qd v, Qdd a, Work w) {
    from_base<S, coriolis, false>(m, base_acceleration<S>(m), q, v, a, w);
  }
  /// The same with positions and velocities as they are in the world, the base at rest and nothing having weight.
  template <class S, class M, class Q, class Qd, class Qdd, class Work>
  TANDEM_PASS static void place_and_move_in_world(const ModelView<M>& m, Q q, Qd v, Qdd a, Work w) {
    from_base<S, false, true>(m, Motion<S>::zero(), q, v, a, w);
  }

 private:
  template <class S, bool coriolis, bool in_world, class M, class Q, class Qd, class Qdd, class Work>
  TANDEM_HD static void from_base(const ModelView<M>& m, const Motion<S>& a_0, Q q, Qd v, Qdd a, Work w) {
    const auto kept = links<S>(m, w);
    const Link<S> base = {Transform<S>::identity(), Vec3<S>::zero(), {Vec3<S>::zero(), a_0.w, a_0.v}};
    auto link = base;
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0)
        link = base;
      else if (p != i - 1)
        link = kept.load(p);
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        const auto r = transpose_mul(link.X_iw.E, X_ip.r);
        link.X_iw.E = X_ip.E * link.X_iw.E;
        move<S, coriolis, in_world>(joint, m, i, v, a, r, link, w);
      });
      kept.store(i, link);
    }
  }
  /// From the motion of its parent to that of link i, whose axes are known and whose origin is r from the parent's.
  template <class S, bool coriolis, bool in_world, class Joint, class M, class Qd, class Qdd, class Work>
  TANDEM_HD static void move(Joint joint, const ModelView<M>& m, int i, Qd v, Qdd a, const Vec3<S>& r, Link<S>& link,
                             Work w) {
    constexpr int d = most_nv<Joint>;
    const auto axis = axes<S>(m, w);
    const int dof = first_dof(m, i);
    S v_k[d], a_k[d];
    for (int k = 0; k < joint.nv; ++k) {
      v_k[k] = rate_of<S>(m, i, k, v);
      a_k[k] = rate_of<S>(m, i, k, a);
    }
    const auto& E = link.X_iw.E;
    auto parent = angular_rates(link.rates.w, link.rates.dw);
    const Vec3<S> a_p = mul_add(parent.Omega, r, link.rates.a);  // of the parent's point at the link's origin
    const bool first = !in_world && m.parent[i] == 0;  // others are counted from it
    if (first) {
      link.X_iw.r = link.u = Vec3<S>::zero();
    } else {
      link.X_iw.r = link.X_iw.r + r;
      link.u = add_cross(link.u, parent.w, r);
    }
    link.rates.a = a_p;
    for (int part = 0; part < stages(joint); ++part) {
      const auto some = stage(joint, part);
      const int first_k = first_axis(some);
      const JointAxes<S, Joint> all = {some, E};
      const auto v_J = motion_along(all, &v_k[first_k]), a_J = motion_along(all, &a_k[first_k]);
      const Vec3<S> w_p = parent.w, w_i = Joint::has_angular ? w_p + v_J.w : w_p, both = w_p + w_i,
                    sum = coriolis ? w_i + w_i : both;
      for (int k = 0; k < some.nv; ++k) {
        const auto s = all.add(k, S(1), Motion<S>::zero());
        if constexpr (!Joint::has_linear)
          axis.store(dof + first_k + k, turning(parent, a_p, sum, s.w));
        else if constexpr (!Joint::has_angular)
          axis.store(dof + first_k + k, sliding(parent, sum, s.v));
        else
          axis.store(dof + first_k + k, moving<coriolis>(parent, a_p, sum, v_J.v, s));
      }
      link.rates.w = w_i;
      link.rates.dw = parent.dw;
      if constexpr (Joint::has_angular) link.rates.dw = add_cross(parent.dw + a_J.w, w_p, v_J.w);
      if constexpr (Joint::has_linear) {
        link.rates.a = add_cross(a_p + a_J.v, both, v_J.v);
        if (!first) link.u = link.u + v_J.v;
      }
      if (part + 1 < stages(joint)) parent = angular_rates(link.rates.w, link.rates.dw);
    }
  }
  /// Of coordinate k of joint i, zero if x is left out.
  template <class S, class M, class Column>
  TANDEM_HD static S rate_of(const ModelView<M>& m, int i, int k, const Column& x) {
    if (!x) return S(0);
    const S rate = S(x[v_row(m, i) + k]);
    return has_mimic_joints(m) ? S(m.multiplier[i]) * rate : rate;
  }

  // From the motion of the link before the axis: its rates, how its point at the link's origin accelerates, and the sum
  // of both links' angular velocities.
  template <class S>
  TANDEM_HD static AxisMotion<S> turning(const AngularRates<S>& parent, const Vec3<S>& a_p, const Vec3<S>& both,
                                         const Vec3<S>& z) {
    const auto zero = Vec3<S>::zero();
    return {{z, zero}, {cross(parent.w, z), zero}, {parent.Omega * z, cross(a_p, z)}, {cross(both, z), zero}};
  }
  template <class S>
  TANDEM_HD static AxisMotion<S> sliding(const AngularRates<S>& parent, const Vec3<S>& both, const Vec3<S>& z) {
    const auto zero = Vec3<S>::zero();
    return {{zero, z}, {zero, cross(parent.w, z)}, {zero, parent.Omega * z}, {zero, cross(both, z)}};
  }
  /// Where the joint slides with s, against which the link before it moves by -s.
  template <bool coriolis, class S>
  TANDEM_HD static AxisMotion<S> moving(const AngularRates<S>& parent, const Vec3<S>& a_p, const Vec3<S>& both,
                                        const Vec3<S>& s, const Motion<S>& axis) {
    const Vec3<S>&p = axis.w, &d = axis.v, w_x_p = cross(parent.w, p), p_x_s = cross(p, s);
    return {axis,
            {w_x_p, add_cross(p_x_s, parent.w, d)},
            {parent.Omega * p, mul_add(parent.Omega, d, add_cross(cross(a_p, p), w_x_p + w_x_p, s))},
            {cross(both, p), coriolis ? cross(both, d) : add_cross(p_x_s, both, d)}};
  }
};

}  // namespace tandem::inline TANDEM_ISA
