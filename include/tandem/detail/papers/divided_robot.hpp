// SPDX-License-Identifier: Apache-2.0
/// What divide and conquer does at a joint and at a link, however the robot is taken apart.
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/passes/joint_mobility.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/spatial/body_mobility.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// What is kept of a joint and its link.
template <class S>
struct DividedLink {
  Transform<S> X;
  Motion<S> v;
  Force<S> f;  ///< across the joint
};

/// What is kept of a loop joint.
template <class S>
struct DividedLoop {
  Transform<S> X_21;
  Motion<S> c;  ///< how its frames part without accelerations, and what leads them together again
};

/// Rows for how a joint yields: enough for all but those of six degrees of freedom with rotors, which hold nothing and
/// are found again for little.
inline constexpr Index kept_rows_of_joint = 33;

/// A call of divide and conquer: the model, the columns, and what is kept of the links.
template <class S, class M, class Position, class Qd, class Tau, class D, class A, class Work>
struct DividedRobot {
  const ModelView<M>& m;
  Position q;
  Qd v;
  Tau tau;
  D diagonal;
  A a;
  Records<DividedLink<S>, Work> links;
  Work joints;  ///< what joints keep of how they yield, kept_rows_of_joint each

  /// Where link i is and how it moves, from the link before it.
  TANDEM_HD AffineRun<S> step(int i) const {
    return on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      return AffineRun<S>{joint_transform<S>(joint, m, i, q), Motion<S>::zero() + joint_motion<S>(joint, m, i, v)};
    });
  }

  /// How link i yields to forces, P = I^-1, and how it accelerates without any, b = -I^-1 p.                (12), (13)
  template <class Fx>
  TANDEM_HD void free_link(int i, Fx f_ext, Matrix6<S>& P, Vector6<S>& b) const {
    const auto v_i = links.load(i, &DividedLink<S>::v);
    const auto I_i = link_inertia<S>(m, i);
    auto p_i = cross(v_i, I_i * v_i);
    if (f_ext) p_i = p_i - external_force<S>(m, i, f_ext);
    invert_spd(matrix6(I_i).e, P.e);
    b = -(P * vector6(p_i));
  }

  /// Calls f(mobility, tau, c) of joint i between bodies that together have the mobility V(). With `again` it is found
  /// as it was the first time.
  template <bool again, class F, class Mobility>
  TANDEM_HD void at_joint(int i, const Mobility& V, F&& f) const {
    on_joint_and_rotor<S>(m, i, q, diagonal, [&](auto joint, auto rotor) TANDEM_INLINE {
      using Yields = JointMobility<S, decltype(joint), rotor.value>;
      constexpr int d = decltype(joint)::nv;
      S tau_i[d];
      for (int k = 0; k < d; ++k) tau_i[k] = S(tau[m.v_index[i] + k]);
      const auto c = vector6(Motion<S>::zero() +
                             velocity_product(links.load(i, &DividedLink<S>::v), joint_motion<S>(joint, m, i, v)));
      constexpr bool fits = Yields::kept_rows <= kept_rows_of_joint;
      if constexpr (again && fits) {
        f(Yields(joint, joints + kept_rows_of_joint * i), tau_i, c);
      } else {
        S D_i[d];
        rotor_inertia(m, i, diagonal, D_i);
        const Yields yields(joint, V(), D_i);
        if constexpr (fits) yields.store_at(joints + kept_rows_of_joint * i);
        f(yields, tau_i, c);
      }
    });
  }

  /// Force across joint i and its acceleration, from the mobility V() of what it joins and the motion r apart. (20),
  /// (26)
  template <bool again, class Mobility>
  TANDEM_CALLED void solve(int i, const Mobility& V, const Vector6<S>& r) const {
    at_joint<again>(i, V, [&]<class Joint>(const Joint& joint, const auto& tau_i, const auto& c) TANDEM_INLINE {
      S qdd[Joint::d];
      const auto f = joint.force(tau_i, r - c, qdd);
      for (int k = 0; k < Joint::d; ++k) a[m.v_index[i] + k] = qdd[k];
      links.store(i, &DividedLink<S>::f, as_force(f));
    });
  }
  /// The same where joint i hangs from the base, from how the subsystem behind it yields at its first handle.      (29)
  TANDEM_HD void solve_at_base(int i, const Matrix6<S>& P11, const Vector6<S>& b_1) const {
    solve<false>(
        i, [&]() TANDEM_INLINE { return P11; },
        b_1 - vector6(links.load(i, &DividedLink<S>::X) * base_acceleration<S>(m)));
  }
};

}  // namespace tandem::inline TANDEM_ISA
