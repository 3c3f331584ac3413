// SPDX-License-Identifier: Apache-2.0
/// Configurations on dual numbers: their coordinates, and the rates of these that belong to an increment of
/// `integrate`.
#pragma once
#include "tandem/detail/core/dual_column.hpp"
#include "tandem/detail/problems/integrate.hpp"

namespace tandem::inline TANDEM_ISA {

/// dq/dt of a joint that is at q and moves with v: what `integrate` adds to first order. Coordinates change by their
/// rates;
template <class S, class Joint, class Q, class V, class Out>
TANDEM_HD void coordinate_rates(Joint, const Q&, const V& v, Out out) {
  for (int k = 0; k < Joint::nq; ++k) out[k] = S(v[k]);
}
/// places by a velocity along the child's axes,
template <class S, class Q, class V, class Out>
TANDEM_HD void coordinate_rates(PlanarJoint, const Q& q, const V& v, Out out) {
  const auto [s, c] = sincos(S(q[2]));
  out[0] = difference_of_products(c, S(v[0]), s, S(v[1]));
  out[1] = sum_of_products(s, S(v[0]), c, S(v[1]));
  out[2] = S(v[2]);
}
/// quaternions by half of themselves times the angular velocity.
template <class S>
TANDEM_HD Quaternion<S> rate_of(const Quaternion<S>& a, const Vec3<S>& w) {
  const S half(0.5);
  return a * Quaternion<S>{half * w.x, half * w.y, half * w.z, S(0)};
}
template <class S, class Q, class V, class Out>
TANDEM_HD void coordinate_rates(SphericalJoint, const Q& q, const V& v, Out out) {
  store(out, 0, rate_of(load<Quaternion<S>>(q, 0), load<Vec3<S>>(v, 0)));
}
template <class S, class Q, class V, class Out>
TANDEM_HD void coordinate_rates(FreeJoint, const Q& q, const V& v, Out out) {
  const auto a = load<Quaternion<S>>(q, 3);
  store(out, 0, rotation(a) * load<Vec3<S>>(v, 0));
  store(out, 3, rate_of(a, load<Vec3<S>>(v, 3)));
}

/// The other way: the velocity v that changes the coordinates q at such rates. Coordinates change by it;
template <class S, class Joint, class Q, class Rates, class Out>
TANDEM_HD void velocity_of_rates(Joint, const Q&, const Rates& rates, Out v) {
  for (int k = 0; k < Joint::nv; ++k) v[k] = S(rates[k]);
}
/// places along the child's axes,
template <class S, class Q, class Rates, class Out>
TANDEM_HD void velocity_of_rates(PlanarJoint, const Q& q, const Rates& rates, Out v) {
  const auto [s, c] = sincos(S(q[2]));
  v[0] = sum_of_products(c, S(rates[0]), s, S(rates[1]));
  v[1] = difference_of_products(c, S(rates[1]), s, S(rates[0]));
  v[2] = S(rates[2]);
}
/// quaternions of unit length by an angular velocity.
template <class S>
TANDEM_HD Vec3<S> turn_of(const Quaternion<S>& a, const Quaternion<S>& rate) {
  const auto half = conjugate(a) * rate;
  return S(2) * Vec3<S>{half.x, half.y, half.z};
}
template <class S, class Q, class Rates, class Out>
TANDEM_HD void velocity_of_rates(SphericalJoint, const Q& q, const Rates& rates, Out v) {
  store(v, 0, turn_of(load<Quaternion<S>>(q, 0), load<Quaternion<S>>(rates, 0)));
}
template <class S, class Q, class Rates, class Out>
TANDEM_HD void velocity_of_rates(FreeJoint, const Q& q, const Rates& rates, Out v) {
  const auto a = load<Quaternion<S>>(q, 3);
  store(v, 0, transpose_mul(rotation(a), load<Vec3<S>>(rates, 0)));
  store(v, 3, turn_of(a, load<Quaternion<S>>(rates, 3)));
}

// Of the types that a general joint stands for, only planar joints have other coordinates than rates.
template <class S, class R, class Q, class V, class Out>
TANDEM_HD void coordinate_rates(const GeneralJoint<R>& joint, const Q& q, const V& v, Out out) {
  if (joint.type == JointType::planar) return coordinate_rates<S>(PlanarJoint{}, q, v, out);
  for (int k = 0; k < joint.nq; ++k) out[k] = S(v[k]);
}
template <class S, class R, class Q, class Rates, class Out>
TANDEM_HD void velocity_of_rates(const GeneralJoint<R>& joint, const Q& q, const Rates& rates, Out v) {
  if (joint.type == JointType::planar) return velocity_of_rates<S>(PlanarJoint{}, q, rates, v);
  for (int k = 0; k < joint.nv; ++k) v[k] = S(rates[k]);
}

/// q (+) v dt: values as they are in q, with their rates.
template <class S, class M, class Q, class V, class Duals>
TANDEM_HD void moving_configuration(const ModelView<M>& m, Q q, V v, Duals moving) {
  for_each_independent_joint<S>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
    S rates[most_nq<decltype(joint)>];
    coordinate_rates<S>(joint, q + iq, v + iv, &rates[0]);
    join<S>(q + iq, &rates[0], joint.nq, moving + iq);
  });
}
/// v of a configuration that moves so, quaternions of unit length.
template <class S, class M, class Duals, class V>
TANDEM_HD void take_velocity(const ModelView<M>& m, Duals moving, V v) {
  for_each_independent_joint<S>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
    constexpr int most = most_nq<decltype(joint)>;
    S q[most], rates[most];
    take_values<S>(moving + iq, joint.nq, &q[0]);
    take_rates<S>(moving + iq, joint.nq, &rates[0]);
    velocity_of_rates<S>(joint, &q[0], &rates[0], v + iv);
  });
}

}  // namespace tandem::inline TANDEM_ISA
