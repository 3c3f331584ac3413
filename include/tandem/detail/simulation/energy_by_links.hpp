// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/forward_kinematics.hpp"
#include "tandem/detail/problems/inverse_dynamics_regressor.hpp"

namespace tandem::inline TANDEM_ISA {

/// How the energy depends on what it is linear in: the ten inertial numbers of every link, m, h = m c and I about its
/// origin, and gravity.
///
///     kinetic = sum_i v_i . I_i v_i / 2,  potential = sum_i a_0 . (m_i p_i + R_i h_i),  a_0: base minus gravity
///
/// v . I v is the power of the force that a body takes to which the motion v is the acceleration: its numbers are those
/// of inverse_dynamics_regressor.
struct EnergyByLinks : WorkOf<ForwardKinematics> {
  /// Adds `weight` times the derivatives to by_ten [10 n_joints], along the axes of the links' frames, and to
  /// by_gravity [3]; either may be null.
  template <class S, class M, class Q, class Qd, class Ten, class Gravity, class Work>
  TANDEM_PASS static void add(const ModelView<M>& m, Q q, Qd v, const S& weight, Ten by_ten, Gravity by_gravity,
                              Work w) {
    const Vec3<S> a_0 = base_acceleration<S>(m).v;
    const S half = S(0.5) * weight;
    auto moment = Vec3<S>::zero();  // sum_i m_i c_i in the world
    ForwardKinematics::for_each_link<S, true, false>(
        m, q, v, Qd{}, w,
        [&](int i, const Transform<S>& X_iw, const Motion<S>& v_i, const Motion<S>&) TANDEM_INLINE {
          if (by_ten) {
            const auto X_fi = frame_transform<S>(m, i);
            const auto X_fw = X_fi * X_iw;
            const Motion<S> y = X_fi * v_i;
            auto by = power_of_inertia(rates_of<S>({Vec3<S>::zero(), y.w, y.v}), half * y);
            by.m = mul_add(weight, dot(a_0, X_fw.r), by.m);
            by.h = by.h + weight * (X_fw.E * a_0);
            InverseDynamicsRegressor::add(by_ten, Index{10} * (i - 1), by);
          }
          if (by_gravity) {
            const auto I_i = link_inertia<S>(m, i);
            moment = moment + transpose_mul_add(X_iw.E, I_i.h, I_i.m * X_iw.r);
          }
          return false;
        });
    if (!by_gravity) return;
    const S along[] = {moment.x, moment.y, moment.z};
    for (int axis = 0; axis < 3; ++axis) by_gravity[axis] = mul_add(-weight, along[axis], S(by_gravity[axis]));
  }
};

}  // namespace tandem::inline TANDEM_ISA
