// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/spatial/rates.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics: the joint torques for acceleration a in state (q, v).
///
///     tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i
///
/// Method    recursive Newton-Euler in link coordinates, [RBDA] table 5.1; changed: gravity enters as the acceleration
///           of the base, and accelerations are those that an observer measures, which spares the linear velocities
///           (rates.hpp)
/// In        q [nq] rad|m   v [nv] rad/s|m/s   a [nv] rad/s^2|m/s^2   f_ext [n_links, 6] N, N m on the links, or none
/// Out       tau [nv] N m|N
/// Frames    f_ext at each link's origin along its own axes, linear part first
/// Joints    armature counts; damping, friction and springs do not (see passive_forces.hpp)
/// Work      27 rows per link   Cost O(n_links)
/// Errors    none; a NaN stays in its own instance
struct InverseDynamics {
  static constexpr const char* name = "inverse_dynamics";
  static constexpr const char* alias = "rnea";
  static constexpr const char* summary = "joint torques for an acceleration";
  static constexpr Argument arguments[] = {
      argument::q, argument::v, argument::a, argument::f_ext, argument::output(argument::tau, "a"),
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  static constexpr Method methods[] = {Method::automatic, Method::recursive_newton_euler};

  /// What a link keeps from the outward pass to the inward one.
  template <class S, template <class> class Wrench = Force>
  struct Link {
    Transform<S> X;  ///< X_ip as keep_transform leaves it
    Wrench<S> f;     ///< what the link takes, and its later children
  };
  /// Links that branch also keep how they move, in memory that others do not touch.
  template <class S>
  using Branch = CarriedRates<S>;

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return (rows_of<Link<double>> + rows_of<Branch<double>>)*m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Qdd, class Fx, class Tau, class Work>
  TANDEM_PASS static void body(const ModelView<M>& m, Q q, Qd v, Qdd a, Fx f_ext, Tau tau, Work w) {
    recursion<S, Force>(
        m, q, w, base_rates<S>(m),
        [&](auto joint, int i, const auto& X_ip, const Rates<S>& p) TANDEM_INLINE {
          return moved(X_ip * p, joint_motion<S>(joint, m, i, v), joint_motion<S>(joint, m, i, a));
        },
        [&](int i, const Rates<S>& rates) TANDEM_INLINE {
          const auto f_i = link_inertia<S>(m, i) * rates;
          return f_ext ? f_i - external_force<S>(m, i, f_ext) : f_i;
        },
        [&]() TANDEM_INLINE {
          if constexpr (joint_set<M> == JointSet::any) {  // else no two joints share a row
            for (int k = 0; k < m.nv; ++k) tau[k] = S(m.armature[k]) * S(a[k]);
          }
        },
        [&](auto joint, int i, const Force<S>& f_i) TANDEM_INLINE { take_share(joint, m, i, f_i, a, tau); });
  }

  /// The passes, over Rates and Force or over these with tangents (RatesTangent and ForceTangent):
  ///
  ///     rates_i = move(joint, i, X_ip, rates_p)     f_i = force(i, rates_i)
  ///     take_share(joint, i, f_i)                   f_p += X_ip^T f_i
  ///
  /// turn_back() is called between the passes.
  template <class S, template <class> class Wrench, class M, class Q, class Work, class Motions, class Move,
            class WrenchOf, class TurnBack, class TakeShare>
  TANDEM_HD static void recursion(const ModelView<M>& m, Q q, Work w, const Motions& base, const Move& move,
                                  const WrenchOf& force, const TurnBack& turn_back, const TakeShare& take_share) {
    using Link = InverseDynamics::Link<S, Wrench>;
    auto rates = base;
    const auto links = records<Link>(w);
    const auto moving = records<decltype(carried(base))>(w + rows_of<Link, S> * m.n_links);

    // outward: how each link moves, and the force that takes
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      if (p == 0)
        rates = base;
      else if (p != i - 1)
        rates = rates_of(moving.load(p));
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = link_transform<S>(joint, m, i, q);
        rates = move(joint, i, X_ip, rates);
        const auto f_i = force(i, rates);
        keep_transform(joint, X_ip, w, links.row(i, &Link::X));
        links.store(i, &Link::f, f_i);
      });
      if (branches(m, i)) moving.store(i, carried(rates));
    }

    // inward: the joint takes its share, the rest goes to the parent
    turn_back();
    auto f_p = Wrench<S>::zero();
    for (int i = m.n_links - 1; i >= 1; --i) {
      const int p = m.parent[i];
      auto f_i = links.load(i, &Link::f);
      if (m.last_child[i] != 0) f_i = f_i + f_p;
      on_kept_joint_kind<S>(m, i, w, links.row(i, &Link::X), [&](auto joint) TANDEM_INLINE {
        take_share(joint, i, f_i);
        if (p != 0) f_p = transpose_mul(recall_transform<S>(joint, m, i, w, links.row(i, &Link::X)), f_i);
      });
      if (p != 0 && p != i - 1) links.store(p, &Link::f, links.load(p, &Link::f) + f_p);
    }
  }
  /// The share of joint i in the force on link i. Where joints share rows, tau holds what their rotors take.
  template <class S, class Joint, class M, class Qdd, class Tau>
  TANDEM_HD static void take_share(Joint joint, const ModelView<M>& m, int i, const Force<S>& f_i, Qdd a, Tau tau) {
    if constexpr (joint_set<M> == JointSet::any) {
      add_joint_force(joint, m, i, f_i, tau);
    } else {
      for (int k = 0; k < Joint::nv; ++k) {
        const int row = v_row(m, i) + k;
        tau[row] = joint.along(k, f_i) + S(m.armature[row]) * S(a[row]);
      }
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseDynamics]
after = "JacobianTimeDerivativeProduct"
cuda_apart = true
ignores_loops = true

[InverseDynamics.python]
summary = "Inverse dynamics: joint torques for the acceleration ``a`` in state (``q``, ``v``)."
text = '''
    tau = M(q) a + c(q, v) + tau_g(q) - sum_i J_i^T f_ext,i

Armature is included; damping, friction and springs are not, see :func:`passive_forces`. The default method is
recursive Newton-Euler, [RBDA] table 5.1.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q = tandem.random_configuration(arm, seed=1)
>>> v = a = np.zeros(arm.nv)
>>> np.array_equal(tandem.inverse_dynamics(arm, q, v, a), tandem.gravity_forces(arm, q))
True
'''
*/
