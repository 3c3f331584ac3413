// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/joint/joint.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::inline TANDEM_ISA {

/// The power of the force that a body takes, which its ten inertial numbers make linear: s . (I a + v x* I v) for a
/// motion s of its frame is the sum of each of them times one of these.
template <class S>
struct PowerOfInertia {
  S m;
  Vec3<S> h;
  S xx, xy, yy, xz, yz, zz;
};

/// With f = m a + Omega h and n = I dw + w x I w + h x a, s_v . f + s_w . n sorted by m, h and I.
template <class S>
TANDEM_HD PowerOfInertia<S> power_of_inertia(const Rates<S>& body, const Motion<S>& s) {
  const Vec3<S>&w = body.angular.w, &dw = body.angular.dw;
  const Vec3<S> u = cross(s.w, w);  // s_w . w x I w = u . I w
  const auto product = [&](S Vec3<S>::* i, S Vec3<S>::* j)
                           TANDEM_INLINE { return sum_of_products(s.w.*i, dw.*j, u.*i, w.*j); };
  using V = Vec3<S>;
  return {dot(s.v, body.a),
          transpose_mul(body.angular.Omega, s.v) + cross(body.a, s.w),
          product(&V::x, &V::x),
          product(&V::x, &V::y) + product(&V::y, &V::x),
          product(&V::y, &V::y),
          product(&V::x, &V::z) + product(&V::z, &V::x),
          product(&V::y, &V::z) + product(&V::z, &V::y),
          product(&V::z, &V::z)};
}

/// Regressor of inverse dynamics: joint forces are linear in the inertial parameters of the links.
///
///     tau = Y(q, v, a) pi + armature a
///
/// Method    each column is inverse dynamics [RBDA] table 5.1 of a robot with one parameter alone; here outward, link
///           by link: how the link moves gives what its parameters take, and the walk from it to the base brings the
///           axis of every joint on the way to the link.
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2
/// Out       Y [nv, 10 n_joints]: link i has the columns 10 (i - 1) .. 10 i - 1, of m, m cx, m cy, m cz, Ixx, Ixy, Iyy,
///           Ixz, Iyz, Izz. The base has none, as it does not move
/// Frames    parameters along the axes of the link's frame, moments about its origin: kg, kg m, kg m^2
/// Joints    a mimic joint's share is in the row of the joint that it follows
/// Work      21 rows per link     Cost O(n_links depth), and 10 nv n_joints zeros
/// Errors    none; a NaN stays in its own instance
struct InverseDynamicsRegressor {
  static constexpr const char* name = "inverse_dynamics_regressor";
  static constexpr const char* summary = "regressor: the matrix of the inertial parameters in inverse dynamics";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::a,
      {"Y", Rows::regressor, Role::output, "N m|N per kg, kg m, kg m^2", "tau = Y pi + armature a"},
  };

  /// What is kept of a link for those that hang from it.
  template <class S>
  struct Link {
    Transform<S> X_ip;
    CarriedRates<S> rates;
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return rows_of<Link<double>> * m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Y_, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Y_ Y, Work w) {
    const Index columns = Index{10} * (m.n_links - 1);
    fill(Y, columns * m.nv, S(0));
    const auto base = base_rates<S>(m);
    const auto links = records<Link<S>>(w);
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      auto rates = p == 0 ? base : rates_of(links.load(p, &Link<S>::rates));
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = joint_transform<S>(joint, m, i, q);
        rates = moved(X_ip * rates, joint_motion<S>(joint, m, i, v), joint_motion<S>(joint, m, i, a));
        links.store(i, {X_ip, carried(rates)});
      });

      // along the axes that the parameters are given in, X_fj leading there from the joints on the way to the base
      auto X_fj = frame_transform<S>(m, i);
      const auto body = rates_of(X_fj * rates);
      for (int j = i; j != 0; j = m.parent[j])
        on_joint_kind_at<S>(m, j, q, [&](auto joint) TANDEM_INLINE {
          for (int k = 0; k < joint.nv; ++k) {
            const auto s = S(m.multiplier[j]) * (X_fj * joint.template axis<S>(k));
            add(Y, columns * (m.v_index[j] + k) + Index{10} * (i - 1), power_of_inertia(body, s));
          }
          X_fj = X_fj * links.load(j, &Link<S>::X_ip);
        });
    }
  }

  template <class S, class Y_>
  TANDEM_HD static void add(Y_ Y, Index first, const PowerOfInertia<S>& p) {
    const S numbers[] = {p.m, p.h.x, p.h.y, p.h.z, p.xx, p.xy, p.yy, p.xz, p.yz, p.zz};
    for (int k = 0; k < 10; ++k) Y[first + k] = S(Y[first + k]) + numbers[k];
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamicsRegressor]
after = "InterbodyWrenches"
compiled_with = "PassiveForces"
ignores_loops = true

[InverseDynamicsRegressor.python]
summary = "Regressor: the matrix of the inertial parameters in :func:`inverse_dynamics`."
text = '''
    tau = Y(q, v, a) pi + armature a

``pi`` has ten parameters for each moving link, in Pinocchio's order: m, m cx, m cy, m cz, Ixx, Ixy, Iyy, Ixz, Iyz,
Izz, along the axes of the link's frame, moments about its origin; link i has the columns 10 (i - 1) to 10 i - 1.
:attr:`Model.inertial_parameters` are those of the robot. The base has none, as it does not move. Armature, damping
and friction are not included; their columns are ``a``, ``v`` and ``sign(v)`` on the diagonal.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v, a = tandem.random_configuration(arm, seed=1), np.ones(arm.nv), np.ones(arm.nv)
>>> Y = tandem.inverse_dynamics_regressor(arm, q, v, a)
>>> Y.shape
(7, 70)
>>> np.allclose(Y @ arm.inertial_parameters + arm.armature * a, tandem.inverse_dynamics(arm, q, v, a))
True
'''
*/
