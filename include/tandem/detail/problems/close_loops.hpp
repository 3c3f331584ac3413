// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/passes/loop_system.hpp"
#include "tandem/detail/problems/integrate.hpp"

namespace tandem::inline TANDEM_ISA {

/// A state near (q, v) whose loops are closed: frames of loop joints meet in the directions that these hold, and stay
/// there. Which one depends on the steps: q_closed is the nearest one, as M measures it, to first order in e only;
/// v_closed is the nearest.
///
///     e(q_closed) = 0,    J(q_closed) v_closed = 0
///
/// Method    Newton's, along the robot's inertia: q (+) u with u = -M^-1 J^T x, J M^-1 J^T x = e, see LoopSystem. No
///           joint moves by more than half a rad or m in a step; one that does not bring the frames nearer is not
///           taken, and a quarter of it is tried. The velocity loses the least kinetic energy: v - M^-1 J^T x, J M^-1
///           J^T x = J v
/// In        q [nq] rad|m   v [nv] rad/s|m/s, or none
/// Out       q_closed [nq] rad|m, quaternions normalised   v_closed [nv] rad/s|m/s   error []: root of the sum of
///           squares of what is left of e, m and rad
/// Gives     the steps, and whether the error came below the tolerance, of every lane: those that have ended wait
///           unchanged for the others
/// Joints    limits are not kept; armature counts
/// Work      as closed_loop_dynamics, and nq + nv rows and one for every degree of freedom
/// Cost      a step: as closed_loop_dynamics; a closed configuration none
/// Errors    a start from which no step leads nearer does not converge, such as straight chains whose ends are to meet
struct CloseLoops {
  static constexpr const char* name = "close_loops";
  static constexpr const char* summary = "nearby state with closed loops";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      {"q_closed", Rows::q, Role::output, "rad|m", "configuration with closed loops", "", Limit::position, "q"},
      {"v_closed", Rows::v, Role::optional_output, "rad/s|m/s", "velocity that keeps them closed", "v", Limit::velocity,
       "v"},
      {"error", Rows::scalar, Role::optional_output, "m, rad",
       "largest distance and angle between frames of loop joints"},
  };
  static constexpr bool inverts_mass_matrix = true, is_without_device_kernels = true;
  template <class R>
  static constexpr double usual_tolerance = std::is_same_v<R, float> ? 1e-5 : 1e-12;
  double tolerance = 0;    ///< of the error; 0: 1e-12 in double, 1e-5 in float
  int max_iterations = 0;  ///< 0: 50

  template <class S>
  struct Outcome {
    S steps, closed;  ///< of every lane; 1 or 0
  };

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return m.n_loops == 0 ? 0 : LoopSystem::work_rows(m) + m.nq + m.nv + m.n_dof;
  }

  template <class S, class M, class Q, class V, class Qc, class Vc, class E, class Work>
  TANDEM_HD Outcome<S> body(const ModelView<M>& m, Q q, V v, Qc q_closed, Vc v_closed, E error, Work w) const {
    using R = typename RealOf<S>::type;
    const S most_error(static_cast<R>(tolerance > 0 ? tolerance : usual_tolerance<R>));
    const S still(0);
    Integrate::body<S>(m, q, in_every_row(still), q_closed, w);  // with quaternions of length 1
    if (v_closed)
      for (Index k = 0; k < m.nv; ++k) v_closed[k] = S(v[k]);
    S steps(0), size(0);
    if constexpr (CanBranch<S>) {  // numbers that are recorded have no loops
      if (m.n_loops > 0) {
        steps = close<S>(m, q_closed, most_error, size, w);
        if (v_closed) project<S>(m, q_closed, v_closed, w);
      }
    }
    const S left = select(size == S(0), S(0), sqrt(size));
    if (error) error[0] = left;
    return {steps, select(most_error < left, S(0), select(left == left, S(1), S(0)))};
  }

  /// The iteration on q. Returns the steps, and in `size` the square of the error.
  template <class S, class M, class Qc, class Work>
  TANDEM_PASS S close(const ModelView<M>& m, Qc q, const S& most_error, S& size, Work w) const {
    using R = typename RealOf<S>::type;
    const int most = max_iterations > 0 ? max_iterations : 50;
    const S bound = most_error * most_error, hopeless(static_cast<R>(1e-6));
    const auto q_next = w + LoopSystem::work_rows(m), u = q_next + m.nq;
    S steps(0), share(1);
    size = look<S>(m, q, w);
    S going = select(bound < size, S(1), S(0));
    for (int step = 0; step < most && any(S(0) < going); ++step) {
      steps = steps + going;
      factorise<S>(m, q, w);
      fill(u, m.nv, S(0));
      LoopSystem::solve<S, Qc>(m, q, Qc{}, as_column<Qc>(u), w);
      S largest(static_cast<R>(0.5));
      for (Index k = 0; k < m.nv; ++k) largest = select(largest < abs(S(u[k])), abs(S(u[k])), largest);
      const S scale = share * S(static_cast<R>(0.5)) / largest;
      for (Index k = 0; k < m.nv; ++k) u[k] = scale * S(u[k]);
      Integrate::body<S>(m, q, u, q_next, w);
      const S size_next = look<S>(m, q_next, w);

      const S nearer = select(size_next < size, going, S(0));
      const auto taken = S(0) < nearer;
      for (Index k = 0; k < m.nq; ++k) q[k] = select(taken, S(q_next[k]), S(q[k]));
      size = select(taken, size_next, size);
      share =
          select(taken, select(S(static_cast<R>(0.25)) < share, S(1), S(4) * share), S(static_cast<R>(0.25)) * share);
      look<S>(m, q, w);  // what the next step is to undo
      going = select(hopeless < share, select(bound < size, going, S(0)), S(0));
    }
    return steps;
  }

  /// v_closed = v - M^-1 J^T x at the configuration q.
  template <class S, class M, class Qc, class Vc, class Work>
  TANDEM_PASS static void project(const ModelView<M>& m, Qc q, Vc v, Work w) {
    factorise<S>(m, q, w);
    const auto x = w + LoopSystem::at(m, LoopSystem::forces);
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      S rate[6], ignored[6];
      const S unaccelerated(0);
      loop_rates<S>(m, loop, q, loop_transform<S>(m, loop, q), v, in_every_row(unaccelerated),
                    rate, ignored);
      LoopSystem::for_each_held(m, loop, row, [&](Index k, int r) TANDEM_INLINE { x[k] = -rate[r]; });
    }
    LoopSystem::solve<S, Qc>(m, q, Qc{}, v, w);
  }

  /// Articulated inertias at the configuration q.
  template <class S, class M, class Q, class Work>
  TANDEM_HD static void factorise(const ModelView<M>& m, Q q, Work w) {
    const auto none = w + (LoopSystem::work_rows(m) + m.nq + m.nv);
    fill(none, m.n_dof, S(0));
    ArticulatedBody::factorise<S>(m, q, as_column<Q>(none), w);
  }

  /// The right-hand sides -e at the configuration q, and the sum of their squares.
  template <class S, class M, class Q, class Work>
  TANDEM_PASS static S look(const ModelView<M>& m, Q q, Work w) {
    const auto x = w + LoopSystem::at(m, LoopSystem::forces);
    S size(0);
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      S e[6];
      loop_error<S>(m, loop, loop_transform<S>(m, loop, q), e);
      LoopSystem::for_each_held(m, loop, row, [&](Index k, int r) TANDEM_INLINE {
        x[k] = -e[r];
        size = mul_add(e[r], e[r], size);
      });
    }
    return size;
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[CloseLoops]
after = "IntegrateRate"
compiled_with = "ClosedLoopDynamics"

[CloseLoops.cpp]
returns = "error"

[CloseLoops.python]
summary = "Find a nearby configuration with closed loops, and the part of ``v`` that keeps them closed."
text = '''
Newton's method: each step is the shortest one that closes the loops to first order, in the metric of the mass
matrix. If the gaps are large, the sum of the steps is not the shortest displacement, and another choice of the loop
joint gives another result. The velocity is the nearest to ``v`` in this metric. If no step reduces the error, the
iteration does not converge, which ``status`` reports. Joint limits are ignored. ``q_closed`` and ``v_closed`` may
be ``q`` and ``v`` themselves.
'''
example = '''
>>> bars = tandem.load("four_bar")
>>> q, error = tandem.close_loops(bars, [0.3, 0.0, 0.0], error=True)
>>> bool(error < 1e-12)
True
'''

[CloseLoops.python.notes]
tolerance = "; 0: 1e-12 in double, 1e-5 in float"
max_iterations = "; 0: 50"

[CloseLoops.python.flags]
error = ["error", "whether to return the largest distance and angle between frames of loop joints"]
*/
