// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/passes/loop_system.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics of a robot with closed loops: the acceleration that joint forces tau cause in state (q, v), and the
/// forces with which loop joints hold their frames to each other.
///
///     (M(q) + diag(diagonal)) a = tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i + J^T x,
///     J a + dJ/dt v = -2 s J v - s^2 e(q)
///
/// where e(q) is how far the frames of the loop joints are apart in the directions that these hold, J v its rate, and s
/// the option `stabilisation`: what is open closes with the time constant 1/s, without overshoot. [Baumgarte 1972]
///
/// Method    articulated_body: forward dynamics of the tree by articulated bodies, then the forces x of the directions
///           held, see LoopSystem. Directions that others hold already carry no force; the acceleration does not
///           depend on which of them do
/// In        q [nq] rad|m   v [nv] rad/s|m/s   tau [nv] N m|N   f_ext [n_links, 6] N, N m on the links, or none
///           diagonal [nv] kg m^2|kg added to the diagonal of M, or none
/// Out       a [nv] rad/s^2|m/s^2
///           f_loop [n_loops, 6] N, N m: with what each loop joint pushes link 2, at the origin of its frame there;
///           link 1 is pushed back
/// Frames    f_loop along the axes of frame 1, linear part first; f_ext as in forward dynamics
/// Joints    armature counts; damping, friction and springs do not
/// Work      as articulated_body, and for h directions held 2 h nv + h^2 + h rows
/// Cost      forward dynamics and a pass outwards, h forces along the way of both links to the base, h^2 nv / 2 + h^3 /
///           6. A robot without loops: forward dynamics
/// Errors    none; a state whose loops are open stays so without `stabilisation`, see close_loops.hpp
struct ClosedLoopDynamics {
  static constexpr const char* name = "closed_loop_dynamics";
  static constexpr const char* summary = "acceleration and loop forces due to joint torques";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::v,
      argument::tau,
      argument::f_ext,
      argument::diagonal,
      argument::output(argument::a, "tau"),
      {"f_loop", Rows::loop_force, Role::optional_output, "N, N m",
       "wrenches of the loop joints on their second links"},
  };
  static constexpr bool inverts_mass_matrix = true, is_without_device_kernels = true;
  static constexpr Method methods[] = {Method::automatic, Method::articulated_body};
  Method method = Method::automatic;
  double stabilisation = 0;  ///< 1/s

  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return LoopSystem::work_rows(m);
  }

  template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Loop, class Work>
  TANDEM_PASS void body(const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a, Loop f_loop,
                        Work w) const {
    ArticulatedBody::body<S>(m, q, v, tau, f_ext, diagonal, a, w);
    if (m.n_loops == 0) return;
    const S s(static_cast<typename RealOf<S>::type>(stabilisation));
    const auto x = w + LoopSystem::at(m, LoopSystem::forces);
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      const auto X_21 = loop_transform<S>(m, loop, q);
      S e[6], rate[6], acceleration[6];
      loop_error<S>(m, loop, X_21, e);
      loop_rates<S>(m, loop, q, X_21, v, a, rate, acceleration);
      LoopSystem::for_each_held(m, loop, row, [&](Index k, int r) TANDEM_INLINE {
        x[k] = -(acceleration[r] + s * mul_add(s, e[r], S(2) * rate[r]));
      });
    }
    LoopSystem::solve<S, A>(m, q, diagonal, a, w);
    if (f_loop) store_forces<S>(m, f_loop, w);
  }

  /// Along the axes of frame 1 as it is described.
  template <class S, class M, class Loop, class Work>
  TANDEM_HD static void store_forces(const ModelView<M>& m, Loop f_loop, Work w) {
    const auto x = w + LoopSystem::at(m, LoopSystem::forces);
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      S held[6] = {S(0), S(0), S(0), S(0), S(0), S(0)};
      LoopSystem::for_each_held(m, loop, row, [&](Index k, int r) TANDEM_INLINE { held[r] = x[k]; });
      const auto turn = load<Mat3<S>>(m.loop_turn, Index{9} * loop);
      store(f_loop, Index{6} * loop, transpose_mul(turn, Vec3<S>{held[0], held[1], held[2]}));
      store(f_loop, Index{6} * loop + 3, transpose_mul(turn, Vec3<S>{held[3], held[4], held[5]}));
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[ClosedLoopDynamics]
after = "ConstraintWrenches"
compiled_with = "ConstraintWrenches"

[ClosedLoopDynamics.cpp]
order = "q v tau a work f_loop f_ext diagonal"

[ClosedLoopDynamics.python]
summary = "Forward dynamics with closed loops: acceleration due to the joint torques ``tau``, and loop forces."
text = '''
    (M(q) + diag(diagonal)) a = tau - c(q, v) - tau_g(q) + sum_i J_i^T f_ext,i + J^T x,  J a + dJ/dt v = 0

:func:`forward_dynamics` of a robot with loops gives the same acceleration. Forward dynamics of the tree by
articulated bodies, then the forces in the constrained directions of the loop joints; redundant directions carry
none. [RBDA] chapter 8. Gaps do not decay without ``stabilisation``, after [Baumgarte 1972]: see :func:`close_loops`.
'''
example = '''
>>> bars = tandem.load("four_bar")
>>> q, v = tandem.neutral_configuration(bars), np.zeros(bars.nv)
>>> a, f_loop = tandem.closed_loop_dynamics(bars, q, v, v, forces=True)
>>> f_loop.shape
(1, 6)
'''

[ClosedLoopDynamics.python.notes]
diagonal = "; time step times damping makes damping implicit"
f_loop = "; wrench of each loop joint on its second link, and the opposite on the first"
stabilisation = "; 0: none"

[ClosedLoopDynamics.python.flags]
f_loop = ["forces", "whether to return the forces of the loop joints"]
*/
