// SPDX-License-Identifier: Apache-2.0
/// One joint for the types that are rare: helical, universal and planar joints.
#pragma once
#include <type_traits>

#include "tandem/detail/joint/joint_types.hpp"

namespace tandem::inline TANDEM_ISA {

template <class F, class... Args>
TANDEM_STEP auto called(F f, Args... args) {
  return f(args...);
}
template <class F, class... Args>
TANDEM_PURE_STEP auto called_pure(F f, Args... args) {
  return f(args...);
}
/// f(args...) as a function that is called. It takes values and returns one: what a pass carries from link to link
/// stays in registers, and pointers of the model are not read again.
template <class S, class F, class... Args>
TANDEM_HD auto call(F f, const Args&... args) {
  if constexpr (is_plain_number<S>)
    return called_pure<F, Args...>(f, args...);
  else
    return called<F, Args...>(f, args...);
}

/// Rows of a general joint in q or in v.
template <class S>
struct GeneralRows {
  S x[3];
  template <class Column>
  TANDEM_HD static GeneralRows of(const Column& c, int n) {
    GeneralRows rows = {{S(0), S(0), S(0)}};
    for (int k = 0; k < n; ++k) rows.x[k] = S(c[k]);
    return rows;
  }
  template <class Column>
  TANDEM_HD void put(Column c, int n) const {
    for (int k = 0; k < n; ++k) c[k] = x[k];
  }
};

/// Calls f with a type of joint that a general joint stands for, for what needs neither axes nor numbers of the joint.
template <class F>
TANDEM_HD decltype(auto) on_general_type(JointType type, F&& f) {
  switch (type) {
    case JointType::universal: return f(Universal{});
    case JointType::planar: return f(PlanarJoint{});
    default: return f(Coordinates<1>{});
  }
}

/// A joint whose type is known at run time: its axes S_k are up to three motions in link coordinates. Bodies are
/// compiled once for it instead of once for every type. It has the members of a joint type (joint_types.hpp), but nq
/// and nv as numbers; arrays for its rows have most_nq and most_nv elements.
template <class R>
struct GeneralJoint {
  static constexpr bool has_angular = true, has_linear = true;

  JointType type;
  int nq = 1, nv = 1;
  int first = 0;  ///< where this is one stage of a joint: its axis among those of the whole
  R slides;       ///< m per rad, if helical
  Motion<R> axes[3];
  Transform<R> X_ip;  ///< at a configuration

  TANDEM_HD static constexpr int rows_of(JointType t) {
    return t == JointType::planar ? 3 : t == JointType::universal ? 2 : 1;
  }
  /// Joint i with the axes that do not depend on its configuration; at the configuration with rows q; from the
  /// transform that keep_transform left in rows of w.
  template <class M>
  TANDEM_HD static GeneralJoint of(const ModelView<M>& m, int i) {
    GeneralJoint joint;
    joint.type = m.type[i];
    joint.slides = R(m.slides[i]);
    const R one(1), none(0);
    const Vec3<R> x = {one, none, none}, y = {none, one, none}, z = {none, none, one}, zero = Vec3<R>::zero();
    joint.nq = joint.nv = rows_of(joint.type);
    switch (joint.type) {
      case JointType::universal: joint.axes[1] = {y, zero}; break;
      case JointType::planar:
        joint.axes[0] = {zero, x};
        joint.axes[1] = {zero, y};
        joint.axes[2] = {z, zero};
        break;
      default: joint.axes[0] = {z, {none, none, joint.slides}};
    }
    return joint;
  }
  template <class M>
  TANDEM_HD static GeneralJoint at(const ModelView<M>& m, int i, const GeneralRows<R>& q) {
    GeneralJoint joint = of(m, i);
    const auto X_T = load<Transform<R>>(m.placement, Index{12} * i);
    joint.X_ip = call<R>(
        [](JointType t, R slide, Transform<R> X, GeneralRows<R> at) {
          switch (t) {
            case JointType::universal: return UniversalJoint<R>::at(&at.x[0]).transform(X);
            case JointType::planar: return PlanarJoint::transform(X, &at.x[0]);
            default: return AxialJoint<R>(R(1), slide).transform(X, &at.x[0]);
          }
        },
        joint.type, joint.slides, X_T, q);
    joint.turn_first_axis(X_T.E.row0);
    return joint;
  }
  template <class M, class Work>
  TANDEM_HD static GeneralJoint kept(const ModelView<M>& m, int i, const Work& w, Index row) {
    GeneralJoint joint = of(m, i);
    if (joint.type == JointType::universal) {
      joint.X_ip.E = load<Mat3<R>>(w, row);
      joint.turn_first_axis(load<Vec3<R>>(m.placement, Index{12} * i));
    }
    return joint;
  }

  template <class S, class V>
  TANDEM_HD GeneralMotion<S> motion(const V& v) const {
    GeneralMotion<S> moved = {S(v[0]) * axes[0], Vec3<S>::zero(), false};
    for (int k = 1; k < nv; ++k) moved.v_J = mul_add(S(v[k]), axes[k], moved.v_J);
    if (stages() > 1) {
      moved.drift = S(v[0]) * S(v[1]) * cross(axes[0].w, axes[1].w);
      moved.drifts = true;
    }
    return moved;
  }
  template <class S>
  TANDEM_HD const Motion<S>& axis(int k) const {
    return axes[k];
  }
  TANDEM_HD R along(int k, const Force<R>& f) const { return dot(axes[k], f); }
  template <class A>
  TANDEM_HD Force<R> column(int k, const A& inertia) const {
    return inertia * axes[k];
  }
  TANDEM_HD Force<R> wrench(const R (&tau)[3]) const {
    auto f = Force<R>::zero();
    for (int k = 0; k < nv; ++k) {
      if (is_angular(k))
        f.n = mul_add(tau[k], axes[k].w, f.n);
      else
        f.f = mul_add(tau[k], axes[k].v, f.f);
    }
    return f;
  }
  /// Whether it turns about axis k.
  TANDEM_HD bool is_angular(int k) const { return type != JointType::planar || k == 2; }

  template <class S, class Q, class U, class Out>
  TANDEM_HD void integrate(const Q& q, const U& u, Out out) const {
    call<S>(
        [](JointType t, GeneralRows<S> a, GeneralRows<S> b) {
          on_general_type(t, [&](auto joint) TANDEM_INLINE { joint.template integrate<S>(&a.x[0], &b.x[0], &a.x[0]); });
          return a;
        },
        type, GeneralRows<S>::of(q, nq), GeneralRows<S>::of(u, nv))
        .put(out, nq);
  }
  template <class S, class Q0, class Q1, class Out>
  TANDEM_HD void difference(const Q0& q0, const Q1& q1, Out out) const {
    call<S>(
        [](JointType t, GeneralRows<S> a, GeneralRows<S> b) {
          GeneralRows<S> c = a;
          on_general_type(t,
                          [&](auto joint) TANDEM_INLINE { joint.template difference<S>(&a.x[0], &b.x[0], &c.x[0]); });
          return c;
        },
        type, GeneralRows<S>::of(q0, nq), GeneralRows<S>::of(q1, nq))
        .put(out, nv);
  }
  template <class S, class U, class V, class Out>
  TANDEM_HD void rate(const U& u, const V& v, Out out) const {
    call<S>(
        [](JointType t, GeneralRows<S> a, GeneralRows<S> b) {
          GeneralRows<S> c = b;
          on_general_type(t, [&](auto joint) TANDEM_INLINE { joint.template rate<S>(&a.x[0], &b.x[0], &c.x[0]); });
          return c;
        },
        type, GeneralRows<S>::of(u, nv), GeneralRows<S>::of(v, nv))
        .put(out, nv);
  }

  // Stages: axes that move along with the link together. A universal joint is two revolute joints in series, without a
  // body between them: two stages.
  TANDEM_HD constexpr int stages() const { return type == JointType::universal && nv == 2 ? 2 : 1; }
  TANDEM_HD constexpr GeneralJoint stage(int s) const {
    GeneralJoint part = *this;
    if (stages() == 1) return part;
    part.axes[0] = axes[s];
    part.first = s;
    part.nv = 1;
    return part;
  }

 private:
  /// The first axis of a universal joint is fixed in the parent: x of the joint's frame, a row of the placement. In the
  /// link it is across the second one, y.
  TANDEM_HD void turn_first_axis(const Vec3<R>& x_in_parent) {
    if (type != JointType::universal) return;
    axes[0] = {{dot(X_ip.E.row0, x_in_parent), R(0), dot(X_ip.E.row2, x_in_parent)}, Vec3<R>::zero()};
  }
};

/// Rows of a joint in q and in v, at most.
template <class Joint>
inline constexpr int most_nq = Joint::nq;
template <class Joint>
inline constexpr int most_nv = Joint::nv;
template <class R>
inline constexpr int most_nq<GeneralJoint<R>> = 3;
template <class R>
inline constexpr int most_nv<GeneralJoint<R>> = 3;

// The stages of any joint: one, unless it is a general joint. A stage is a joint whose rows begin at first_axis among
// those of the whole.
template <class Joint>
TANDEM_HD constexpr int stages(const Joint&) {
  return 1;
}
template <class R>
TANDEM_HD constexpr int stages(const GeneralJoint<R>& joint) {
  return joint.stages();
}
template <class Joint>
TANDEM_HD constexpr const Joint& stage(const Joint& joint, int) {
  return joint;
}
template <class R>
TANDEM_HD constexpr GeneralJoint<R> stage(const GeneralJoint<R>& joint, int s) {
  return joint.stage(s);
}
template <class Joint>
TANDEM_HD constexpr int first_axis(const Joint&) {
  return 0;
}
template <class R>
TANDEM_HD constexpr int first_axis(const GeneralJoint<R>& joint) {
  return joint.first;
}
/// Stages of a joint, at most.
template <class Joint>
inline constexpr int most_stages = 1;
template <class R>
inline constexpr int most_stages<GeneralJoint<R>> = 2;

template <class S, class R, class Rest, class Q, class Out>
TANDEM_HD void stretch(const GeneralJoint<R>& general, const Rest& q_rest, const Q& q, Out out) {
  call<S>(
      [](JointType t, GeneralRows<S> a, GeneralRows<S> b) {
        GeneralRows<S> c = a;
        on_general_type(t, [&](auto joint) TANDEM_INLINE { stretch<S>(joint, &a.x[0], &b.x[0], &c.x[0]); });
        return c;
      },
      general.type, GeneralRows<S>::of(q_rest, general.nq), GeneralRows<S>::of(q, general.nq))
      .put(out, general.nv);
}
template <class S, class R, class Stretch, class V, class Out>
TANDEM_HD void stretch_rate(const GeneralJoint<R>& general, const Stretch& stretched, const V& v, Out out) {
  if (general.type == JointType::planar)
    stretch_rate<S>(PlanarJoint{}, stretched, v, out);
  else
    for (int k = 0; k < general.nv; ++k) out[k] = S(v[k]);
}

}  // namespace tandem::inline TANDEM_ISA
