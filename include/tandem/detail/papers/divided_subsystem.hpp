// SPDX-License-Identifier: Apache-2.0
/// Subsystems of many links for divide and conquer, each worked through by the serial O(n) recursion: the efficient
/// divide and conquer algorithm as [Critchley] prints it.
#pragma once
#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/papers/divided_robot.hpp"
#include "tandem/detail/passes/joint_response.hpp"

namespace tandem::inline TANDEM_ISA {

/// What a link within such a subsystem keeps.
template <class S>
struct LinkWithin {
  ArticulatedInertia<S> IA;
  Force<S> pA;     ///< in whose place comes its acceleration
  Force<S> p;      ///< of the link alone
  Transform<S> X;  ///< as keep_transform has it
};
/// Rows of scratch memory for those links; of a degree of freedom a row of U, K, G and u.
template <class M>
TANDEM_HD Index rows_of_subsystems(const ModelView<M>& m) {
  return rows_of<LinkWithin<double>> * Index{m.n_links} + 19 * Index{m.nv};
}

/// The links first .. end - 1, of which all but the first hang from another of them. Handle 0 is the first link; a
/// subsystem that is a run has a handle 1 besides, its last link as the next joint, `end`, sees it.
///
/// Sweep 1, inward, with K = (S^T U + D)^-1, U = IA S, D the rotor's inertia, and pA with the IA c of the joint:
///
///     IA_p += X^T (IA - U K U^T) X    pA_p += X^T (pA + U K u)    u = tau - S^T pA                       (44) - (47)
///     E_p = X^T (1 - U K S^T) E       E = X_end^T at the last link                                       (55) - (58)
///     P_00 = IA^-1,  P_01 = IA^-1 E,  b_0 = -IA^-1 pA      at the first link                        (50), (51), (59)
///
/// Sweep 2, outward: joint i as it is seen from link i, from which the links before it hang with the axes -S, -c and
/// -tau, their IA, pA and E = 1 at the first link,
///
///     IA_i = I_i + (J - U K U^T),  J = X^-T IA X^-1,  U = J S  ...                                       (60) - (69)
///     P_11 = X IA^-1 X^T,  P_10 = X IA^-1 E,  b_1 = -X IA^-1 pA,  X = X_end     at the last link           (70), (71)
///
/// P_01 is the mean of both sweeps'. Outward then, with the forces f_0, f_1 on the handles and a = P_00 f_0 + P_01 f_1
/// + b_0:
///
///     a' = X a_p,  qdd = K (u + G^T f_1 - U^T a'),  a = a' + c + S qdd,    G = E^T S                     (49), (57)
///
/// New against the paper: joint forces, rotors, branches in subsystems that nothing hangs from, whole accelerations.
/// Its second sweep takes -X^-1 S as axes; along those of the outer link they are unit axes again.
template <class S, class M, class Position, class Qd, class Tau, class Fx, class D, class A>
struct DividedSubsystems : DividedRobot<S, M, Position, Qd, Tau, D, A, S*> {
  using Robot = DividedRobot<S, M, Position, Qd, Tau, D, A, S*>;
  using Robot::a, Robot::diagonal, Robot::links, Robot::m, Robot::q, Robot::tau, Robot::v;
  using Link = DividedLink<S>;

  using Within = LinkWithin<S>;

  Fx f_ext;
  S* memory;  ///< scratch memory of the links of subsystems of several

  TANDEM_HD DividedSubsystems(const Robot& robot, Fx pushes, S* rows) : Robot(robot), f_ext(pushes), memory(rows) {}

  /// Link i, not the first one. At the end of a run of links of which it is one it makes the run longer.
  TANDEM_HD void place(int i, AffineRun<S>* run) const {
    on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      const auto X = link_transform<S>(joint, m, i, q);
      keep_transform(joint, X, memory, X_row(i));
      if (run) *run = {X * run->X, X * run->b + joint_motion<S>(joint, m, i, v)};
    });
  }
  /// How it moves, from how the link does that it hangs from.
  TANDEM_HD void move_on(int i) const {
    on_link(i, [&](auto joint, const auto& X) TANDEM_INLINE {
      links.store(i, &Link::v, X * links.load(m.parent[i], &Link::v) + joint_motion<S>(joint, m, i, v));
    });
  }

  /// Sweep 1 over a subsystem that nothing hangs from.
  TANDEM_HD void gather(int first, int end, Matrix6<S>& P_00, Vector6<S>& b_0) const {
    Matrix6<S> E;
    gather<false>(first, end, E, P_00, b_0);
  }
  /// Both sweeps over a run.
  TANDEM_HD void gather(int first, int end, Matrix6<S>& P_00, Matrix6<S>& P_01, Matrix6<S>& P_11, Vector6<S>& b_0,
                        Vector6<S>& b_1) const {
    Matrix6<S> E;
    gather<true>(first, end, E, P_00, b_0);
    P_01 = P_00 * E;
    const auto X = links.load(end, &Link::X);
    auto I = articulated(link_inertia<S>(m, first));
    auto p = within().load(first, &Within::p);
    E = Matrix6<S>::identity();
    for (int i = first + 1; i < end; ++i) add_outward(i, I, p, E);
    Matrix6<S> P;
    Vector6<S> b;
    yield(I, p, P, b);
    const auto XP = X * P;
    P_11 = symmetrised(X * transpose(XP));
    b_1 = vector6(X * as_motion(b));
    const auto P_10 = XP * E;
    P_01 = Matrix6<S>::of([&](int k, int l) TANDEM_INLINE { return S(0.5) * (P_01.e[k][l] + P_10.e[l][k]); });
  }

  /// Outward through a subsystem; f_1 on handle 1, if there is one.
  template <bool pushed>
  TANDEM_HD void accelerate(int first, int end, const Vector6<S>& a_first, const Vector6<S>& f_1) const {
    keep_acceleration(first, as_motion(a_first));
    for (int i = first + 1; i < end; ++i)
      on_link(i, [&](auto joint, const auto& X) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        const KeptResponse<S, d, const S*> r = {memory, response_row(i)};
        S u[d], qdd[d];
        for (int k = 0; k < d; ++k) {
          u[k] = r.u(k);
          for (int l = 0; pushed && l < 6; ++l)
            u[k] = mul_add(memory[response_row(i) + r.count + 6 * k + l], f_1.e[l][0], u[k]);
        }
        const auto moved = X * as_motion(vector6(within().load(m.parent[i], &Within::pA)));
        tandem::accelerate(r, u, moved, qdd);
        for (int k = 0; k < d; ++k) a[m.v_index[i] + k] = qdd[k];
        keep_acceleration(i, moved + drift(joint, i) + joint.template motion<S>(&qdd[0]));
      });
  }

 private:
  TANDEM_HD Records<Within, S*> within() const { return {memory}; }
  TANDEM_HD Index X_row(int i) const { return within().row(i, &Within::X); }
  TANDEM_HD Index response_row(int i) const { return within().rows * m.n_links + 19 * Index{m.v_index[i]}; }
  TANDEM_HD void keep_acceleration(int i, const Motion<S>& a_i) const {
    within().store(i, &Within::pA, as_force(vector6(a_i)));
  }
  /// Calls f(joint, X) of a link that was placed.
  template <class F>
  TANDEM_HD void on_link(int i, F&& f) const {
    on_joint_at<S>(m, i, q,
                   [&](auto joint) TANDEM_INLINE { f(joint, recall_transform<S>(joint, m, i, memory, X_row(i))); });
  }
  /// X^-T A X^-1 and X^-T f: what is known before the joint, as it is seen behind it.
  template <class R>
  TANDEM_HD static ArticulatedInertia<S> seen_from(const Transform<S, R>& X, const ArticulatedInertia<S>& I) {
    const auto [J, H, M_] = shift_origin(I, -X.r);
    return {congruence_back(X.E, J), congruence_back(X.E, H), congruence_back(X.E, M_)};
  }
  template <class R>
  TANDEM_HD static Force<S> seen_from(const Transform<S, R>& X, const Force<S>& f) {
    return {X.E * add_cross(f.n, f.f, X.r), X.E * f.f};
  }

  /// The force that takes link i along without acceleration, less the outer one.
  TANDEM_HD Force<S> bias(int i) const {
    const auto v_i = links.load(i, &Link::v);
    const auto p_i = cross(v_i, link_inertia<S>(m, i) * v_i);
    return f_ext ? p_i - external_force<S>(m, i, f_ext) : p_i;
  }
  /// c of joint i
  template <class Joint>
  TANDEM_HD auto drift(const Joint& joint, int i) const {
    return velocity_product(links.load(i, &Link::v), joint_motion<S>(joint, m, i, v));
  }
  TANDEM_HD static void yield(const ArticulatedInertia<S>& I, const Force<S>& p, Matrix6<S>& P, Vector6<S>& b) {
    invert_spd(matrix6(full(I.J), I.H, transpose(I.H), full(I.M)).e, P.e);
    b = -(P * vector6(p));
  }
  TANDEM_HD static Force<S> column(const Matrix6<S>& E, int k) {
    return {{E.e[0][k], E.e[1][k], E.e[2][k]}, {E.e[3][k], E.e[4][k], E.e[5][k]}};
  }
  TANDEM_HD static void set_column(Matrix6<S>& E, int k, const Force<S>& f) {
    const auto x = vector6(f);
    for (int l = 0; l < 6; ++l) E.e[l][k] = x.e[l][0];
  }

  template <bool transmits>
  TANDEM_HD void gather(int first, int end, [[maybe_unused]] Matrix6<S>& E, Matrix6<S>& P_00, Vector6<S>& b_0) const {
    for (int i = first; i < end; ++i) {
      const auto p = bias(i);
      within().store(i, &Within::IA, articulated(link_inertia<S>(m, i)));
      within().store(i, &Within::pA, p);
      within().store(i, &Within::p, p);
    }
    if constexpr (transmits) {
      const auto X = links.load(end, &Link::X);
      const auto unit = Matrix6<S>::identity();
      for (int k = 0; k < 6; ++k) set_column(E, k, transpose_mul(X, column(unit, k)));
    }
    for (int i = end - 1; i > first; --i)
      on_link(i, [&](auto joint, const auto& X) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        JointResponse<S, d> r;
        S rotor[d], tau_i[d];
        rotor_inertia(m, i, diagonal, rotor);
        for (int k = 0; k < d; ++k) tau_i[k] = S(tau[m.v_index[i] + k]);
        const auto IA = within().load(i, &Within::IA);
        const auto pA = within().load(i, &Within::pA) + IA * drift(joint, i);
        yield_to(joint, IA, rotor, r);
        push(joint, tau_i, pA, r);
        const Index kept = response_row(i);
        store(memory, kept, r);
        const int p = m.parent[i];
        within().store(p, &Within::IA, within().load(p, &Within::IA) + transpose_mul(X, beyond(joint, r, rotor, IA)));
        within().store(p, &Within::pA,
                       within().load(p, &Within::pA) + transpose_mul(X, beyond(joint, r, rotor, tau_i, pA)));
        if constexpr (transmits)
          for (int k = 0; k < 6; ++k) {
            S G[d], KG[d];
            set_column(E, k, transpose_mul(X, transmit(joint, r, column(E, k), G, KG)));
            for (int l = 0; l < d; ++l) memory[kept + KeptResponse<S, d, S*>::count + 6 * l + k] = G[l];
          }
      });
    yield(within().load(first, &Within::IA), within().load(first, &Within::pA), P_00, b_0);
  }

  /// Sweep 2 through joint i and on to its link.
  TANDEM_HD void add_outward(int i, ArticulatedInertia<S>& I, Force<S>& p, Matrix6<S>& E) const {
    on_link(i, [&](auto joint, const auto& X) TANDEM_INLINE {
      constexpr int d = decltype(joint)::nv;
      JointResponse<S, d> r;
      S rotor[d], minus_tau[d];
      rotor_inertia(m, i, diagonal, rotor);
      for (int k = 0; k < d; ++k) minus_tau[k] = -S(tau[m.v_index[i] + k]);
      const auto J = seen_from(X, I);
      const auto pJ = seen_from(X, p) - J * drift(joint, i);
      yield_to(joint, J, rotor, r);
      push(joint, minus_tau, pJ, r);
      I = beyond(joint, r, rotor, J) + link_inertia<S>(m, i);
      p = within().load(i, &Within::p) + beyond(joint, r, rotor, minus_tau, pJ);
      for (int k = 0; k < 6; ++k) {
        S G[d], KG[d];
        set_column(E, k, transmit(joint, r, seen_from(X, column(E, k)), G, KG));
      }
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
