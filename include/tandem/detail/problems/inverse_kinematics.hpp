// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <limits>

#include "tandem/detail/solve/small_cholesky.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/jacobian.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse kinematics: a configuration, within the limits, that brings a frame to a pose.
///
///     minimise |W e(q)|,   e = [R^T (p_t - p); log(R^T R_t)]   along the frame's own axes, q_lower <= q <= q_upper
///
/// Method    damped Gauss-Newton (Levenberg-Marquardt): u = J^T (J J^T + lambda)^-1 e with weighted J and e, six rows
///           whatever the robot, q (+) u cut off at the limits. Columns of joints that stand at a limit and would leave
///           it are left out. lambda = mu |e|^2: a step that does not bring the frame nearer is not taken, and mu
///           grows; after one that is, it shrinks. A step that takes less than a thousandth of |e|^2 is the last one:
///           there is a minimum, and lanes wait
/// In        q0 [nq] rad|m, where the search starts, at the nearest limit if outside; target [3, 4]: [R_t | p_t] in the
///           world; weights [6] or none: of the linear part, 1/m, then of the angular one, 1/rad, one each by itself. A
///           weight of 0 leaves a direction free: 1 1 1 0 0 0 asks for the position alone
/// Out       q [nq] rad|m   error []: |W e|, which has no unit
/// Gives     the steps, and whether the error came below the tolerance, of every lane: those that have ended wait
///           unchanged for the others
/// Work      nq + 13 nv rows     Cost O(depth + nv) a step
/// Errors    what is not finite does not converge, in its own lane
struct InverseKinematics {
  static constexpr const char* name = "inverse_kinematics";
  static constexpr Argument arguments[] = {
      {"q0", Rows::q, Role::input, "rad|m", "initial guess"},
      {"target", Rows::frame_pose, Role::input, "m", "pose to reach in the world, rows of [R | p]"},
      {"weights", Rows::motion, Role::optional_input, "1/m, 1/rad", "weights of the error along the axes of the frame"},
      {"q", Rows::q, Role::output, "rad|m", "configuration found"},
      {"error", Rows::scalar, Role::output, "1", "remaining weighted distance"},
  };
  static constexpr bool has_lanes = true;  ///< compiled for packs of states, too
  int frame = 0;
  double tolerance = 0;    ///< of the error; 0: 1e-8 in double, 1e-4 in float
  int max_iterations = 0;  ///< 0: 100

  template <class S>
  struct Outcome {
    S steps, converged;  ///< of every lane; 1 or 0
  };

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return m.nq + 13 * Index{m.nv};
  }

  template <class S, class M, class Q0, class Pose, class Weights, class Q, class Error, class Work>
  TANDEM_HD Outcome<S> body(const ModelView<M>& m, Q0 q0, Pose target, Weights weights, Q q, Error error,
                            Work w) const {
    using R = typename RealOf<S>::type;
    constexpr bool in_double = std::numeric_limits<R>::digits > 24;
    const S reached(static_cast<R>(tolerance > 0 ? tolerance : in_double ? 1e-8 : 1e-4));
    const int most = max_iterations > 0 ? max_iterations : 100;
    const S rounding(static_cast<R>(in_double ? 0x1p-46 : 0x1p-17));  // 64 roundings of 1
    const S hopeless(static_cast<R>(in_double ? 1e8 : 1e6)), least(static_cast<R>(1e-6));

    const Index n = m.nv;
    const auto q_next = w;
    const auto u = q_next + m.nq;
    auto J = u + n, J_next = J + 6 * n;
    const auto goal = load_goal<S>(target);
    S weight[6];
    for (int k = 0; k < 6; ++k) weight[k] = weights ? S(weights[k]) : S(1);

    for (Index k = 0; k < m.nq; ++k) q[k] = within(S(q0[k]), S(m.q_lower[k]), S(m.q_upper[k]));
    S e[6], e_next[6];
    S size = look<S>(m, q, goal, weight, J, e), mu(static_cast<R>(0.1)), steps(0);
    S going = running(reached * reached, size);
    for (int step = 0; step < most && any(S(0) < going); ++step) {
      steps = steps + going;
      take_step(m, q, J, e, mu * size, rounding, u);
      Integrate::body<S>(m, q, u, q_next, w);
      for (Index k = 0; k < m.nq; ++k) q_next[k] = within(S(q_next[k]), S(m.q_lower[k]), S(m.q_upper[k]));
      const S size_next = look<S>(m, q_next, goal, weight, J_next, e_next);

      // lanes that came nearer go on from there; those that came hardly nearer have come to an end
      const S nearer = select(size_next < size, going, S(0));
      const auto taken = S(0) < nearer;
      for (Index k = 0; k < m.nq; ++k) q[k] = select(taken, S(q_next[k]), S(q[k]));
      for (Index k = 0; k < 6 * n; ++k) J[k] = select(taken, S(J_next[k]), S(J[k]));
      for (int k = 0; k < 6; ++k) e[k] = select(taken, e_next[k], e[k]);
      const S enough = select(size_next < S(static_cast<R>(0.999)) * size, S(1), S(1) - nearer);
      size = select(taken, size_next, size);
      const S eased = S(static_cast<R>(0.25)) * mu;
      mu = select(taken, select(eased < least, least, eased), S(4) * mu);
      going = select(mu < hopeless, going * enough * running(reached * reached, size), S(0));
    }
    const S left = sqrt(size);
    error[0] = left;
    return {steps, select(left < reached, S(1), select(left == reached, S(1), S(0)))};
  }

  /// How the target stands in the world: axes as rows, as in X_fw, and origin.
  template <class S, class Pose>
  TANDEM_HD static Transform<S> load_goal(Pose target) {
    const auto x = [&](int k) TANDEM_INLINE { return S(target[k]); };
    return {{{x(0), x(4), x(8)}, {x(1), x(5), x(9)}, {x(2), x(6), x(10)}}, {x(3), x(7), x(11)}};
  }

  template <class S>
  TANDEM_HD static S within(const S& x, const S& lower, const S& upper) {
    const S above = select(x < lower, lower, x);
    return select(upper < above, upper, above);
  }

  /// 1 while the error is larger than the tolerance, both squared; 0 of NaN.
  template <class S>
  TANDEM_HD static S running(const S& tolerance, const S& size) {
    return select(tolerance < size, S(1), S(0));
  }

  /// The weighted Jacobian and error at q, and the square of the latter.
  template <class S, class M, class Q, class J_>
  TANDEM_HD S look(const ModelView<M>& m, Q q, const Transform<S>& goal, const S (&weight)[6], J_ J, S (&e)[6]) const {
    const auto X_fw = Jacobian::local_columns<S>(m, frame, q, J);
    const auto away = X_fw.E * (goal.r - X_fw.r);
    const auto turn = logarithm(quaternion_of(X_fw.E * transpose(goal.E)));
    const S raw[6] = {away.x, away.y, away.z, turn.x, turn.y, turn.z};
    S sum(0);
    for (int r = 0; r < 6; ++r) {
      e[r] = weight[r] * raw[r];
      sum = mul_add(e[r], e[r], sum);
      for (Index k = 0; k < m.nv; ++k) J[m.nv * r + k] = weight[r] * S(J[m.nv * r + k]);
    }
    return sum;
  }

  /// u = J^T (J J^T + lambda)^-1 e over the joints that are free to move so.
  template <class S, class M, class Q, class J_, class U>
  TANDEM_HD static void take_step(const ModelView<M>& m, Q q, J_ J, const S (&e)[6], const S& damping,
                                  const S& rounding, U u) {
    const Index n = m.nv;
    for_each_independent_joint<S>(m, [&](auto joint, int iq, int iv) TANDEM_INLINE {
      for (int k = 0; k < joint.nv; ++k) {
        u[iv + k] = S(1);
        if (joint.nv == 1) {
          S pull(0);
          for (int r = 0; r < 6; ++r) pull = mul_add(S(J[n * r + iv]), e[r], pull);
          const S x = q[iq];
          const S down = select(pull < S(0), S(1), S(0)), up = select(S(0) < pull, S(1), S(0));
          const S low = select(S(m.q_lower[iq]) < x, S(0), down), high = select(x < S(m.q_upper[iq]), S(0), up);
          u[iv] = S(1) - low - high;
        }
      }
    });
    S A[6][6];
    S trace(0);
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c <= r; ++c) {
        S sum(0);
        for (Index k = 0; k < n; ++k) sum = mul_add(S(u[k]) * S(J[n * r + k]), S(J[n * c + k]), sum);
        A[r][c] = sum;
        if (r == c) trace = trace + sum;
      }
    const S lambda = mul_add(rounding, trace, damping);
    for (int r = 0; r < 6; ++r) A[r][r] = A[r][r] + lambda;
    Matrix<S, 6, 1> y;
    for (int r = 0; r < 6; ++r) y.e[r][0] = e[r];
    y = cholesky(A).solve(y);
    for (Index k = 0; k < n; ++k) {
      S sum(0);
      for (int r = 0; r < 6; ++r) sum = mul_add(S(J[n * r + k]), y.e[r][0], sum);
      u[k] = S(u[k]) * sum;
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[InverseKinematics]
beside = true
*/
