// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/engines/join_tree.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/recursion/joint_mobility.hpp"
#include "tandem/detail/spatial/body_mobility.hpp"

namespace tandem::inline TANDEM_ISA {

/// A run of links seen through two handles: its first link, and its last one as the next joint sees it. Forces on the
/// handles accelerate both:
///
///     a_1 = P11 f_1 + P12 f_2 + b_1,   a_2 = P12^T f_1 + P22 f_2 + b_2                       [Critchley] (15), (16)
template <class S>
struct HandleMobility {
  static constexpr Index rows = 2 * symmetric_rows<6> + 36 + 12;
  Matrix6<S> P11, P12, P22;
  Vector6<S> b1, b2;

  template <class Work>
  TANDEM_HD static HandleMobility load(const Work& w, Index row) {
    return {load_packed<S, 6>(w, row), load_matrix<S, 6, 6>(w, row + 21), load_packed<S, 6>(w, row + 57),
            load_matrix<S, 6, 1>(w, row + 78), load_matrix<S, 6, 1>(w, row + 84)};
  }
  template <class Work>
  TANDEM_HD void store_at(Work w, Index row) const {
    store_packed(w, row, P11);
    store(w, row + 21, P12);
    store_packed(w, row + 57, P22);
    store(w, row + 78, b1);
    store(w, row + 84, b2);
  }
};

/// Forward dynamics of a chain by divide and conquer (DCA): runs of links, seen through two handles each, are joined two by
/// two along a binary tree; then the forces across the joints are found from the root of the tree to its leaves.
///
/// Method    [Critchley] (12) - (42), after Featherstone 1999. Up, at joint i between a run P and the run Q behind it,
///           with Wm, K and s of JointMobility:
///               V = P22_P + P11_Q,  f = Wm (b1_Q - b2_P - c_i) + K s            (26) without outer forces
///               P11 = P11_P + P12_P Wm P12_P^T   P12 = -P12_P Wm P12_Q   P22 = P22_Q + P12_Q^T Wm P12_Q      (31) - (36)
///               b_1 = b1_P - P12_P f             b_2 = b2_Q + P12_Q^T f
///           down: f_i = Wm r + K s with r = P12_Q f_2 + b1_Q - P12_P^T f_1 - b2_P - c_i,  qdd_i            (23), (26)
///           Velocities come down the same tree, as (6) - (11) place the links.
///           Changed from the paper: signs and subsystems of (32), (34) - (36) as derived; joint forces and rotors; whole
///           accelerations in place of their parts that depend on qdd, which saves a pass; Wm as a negative square.
/// In, Out   those of ForwardDynamics; the wrenches across all joints, by the way, are in the workspace: wrench()
/// Frames    a run's first handle is its first link's frame, the second one that of the next link behind the run
/// Joints    of every type with armature; no mimic joints, no branches. Every link needs mass and a regular inertia
/// Work      24 rows per link and 90 for each of at most 2 n places in the tree
/// Cost      O(n), several times the articulated-body algorithm's operations (docs/operation_counts.md); 4 ceil(log2 n) steps
///           that wait for each other
/// Errors    none; a singular robot gives infinities or NaN. Accuracy suffers from links of very unequal mass
struct DivideAndConquer {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::divide_and_conquer;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    for (int i = 2; i < m.n_links; ++i)
      if (m.parent[i] != i - 1)
        return "its links branch, and the tree of runs is one of a chain; divide_and_conquer_efficient and scan do";
    if (m.n_mimic != 0) return "it has mimic joints; articulated_body and composite_rigid_body do";
    for (int i = 1; i < m.n_links; ++i)
      if (!has_inverse(link_inertia<M>(m, i)))
        return "a link has no mass or an inertia that cannot be inverted; articulated_body, "
               "divide_and_conquer_efficient and "
               "scan do";
    return nullptr;
  }

  enum Field { X = 0, V = 12, F = 18, rows_per_link = 24 };
  // of a place in the tree, before its mobilities: its last link from the link before the run, how fast that is when the
  // run's base rests, and how fast the base is
  enum RunField { XR = 0, VR = 12, VB = 18 };
  TANDEM_HD static constexpr Index at(int link, Field f) { return Index{rows_per_link} * link + f; }
  template <class M>
  TANDEM_HD static Index place(const ModelView<M>& m, Index place) {
    return Index{rows_per_link} * (m.n_links + 1) + HandleMobility<double>::rows * place;
  }
  /// The run of joints first .. end - 1, from 0.
  template <class M>
  TANDEM_HD static Index place(const ModelView<M>& m, Index first, Index end) {
    return place(m, tree(m).place(first, end));
  }
  template <class M>
  TANDEM_HD static JoinTree tree(const ModelView<M>& m) {
    return {Index{m.n_links} - 1};
  }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return place(m, tree(m).places());
  }

  template <class S, class Engine, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD void body(const Engine& engine, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a,
                      Work w) const {
    if (m.n_links < 2) return;
    move<S>(engine, m, q, v, w);
    engine.for_each(m.n_links - 1,
                    [&](Index k) TANDEM_INLINE { single_link<S>(m, static_cast<int>(k) + 1, f_ext, w); });
    const auto mobility = [&](Index first, Index end)
                              TANDEM_INLINE { return HandleMobility<S>::load(w, place(m, first, end)); };
    tree(m).upward(engine, [&](const Join& j) TANDEM_INLINE {
      assemble(m, static_cast<int>(j.middle) + 1, mobility(j.first, j.middle), mobility(j.middle, j.end), v, tau,
               diagonal, w)
          .store_at(w, place(m, j.first, j.end));
    });
    hang_on_base<S>(m, v, tau, diagonal, a, w);
    tree(m).downward(engine, [&](const Join& j) TANDEM_INLINE {
      open<S>(m, static_cast<int>(j.first) + 1, static_cast<int>(j.middle) + 1, static_cast<int>(j.end) + 1,
              mobility(j.first, j.middle), mobility(j.middle, j.end), v, tau, diagonal, a, w);
    });
  }

  /// The wrench on link i across joint i, in the frame of link i, after a call with workspace w.
  template <class S, class Work>
  TANDEM_HD static Force<S> wrench(int i, const Work& w) {
    return load<Force<S>>(w, at(i, F));
  }

 private:
  /// Where each link is and how it moves.
  template <class S, class Engine, class M, class Q, class Qd, class Work>
  TANDEM_HD static void move(const Engine& engine, const ModelView<M>& m, Q q, Qd v, Work w) {
    engine.for_each(m.n_links - 1, [&](Index k) TANDEM_INLINE {
      const int i = static_cast<int>(k) + 1;
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        const auto X_ip = joint_transform<S>(joint, m, i, q);
        store(w, at(i, X), X_ip);
        store(w, place(m, k) + XR, X_ip);
        store(w, place(m, k) + VR, Motion<S>::zero() + joint_motion<S>(joint, m, i, v));
      });
    });
    tree(m).upward(engine, [&](const Join& j) TANDEM_INLINE {
      const Index P = place(m, j.first, j.middle), Q_ = place(m, j.middle, j.end), run = place(m, j.first, j.end);
      const auto X_P = load<Transform<S>>(w, P + XR), X_Q = load<Transform<S>>(w, Q_ + XR);
      store(w, run + XR, X_Q * X_P);
      store(w, run + VR, X_Q * load<Motion<S>>(w, P + VR) + load<Motion<S>>(w, Q_ + VR));
    });
    store(w, place(m, tree(m).root()) + VB, Motion<S>::zero());
    tree(m).downward(engine, [&](const Join& j) TANDEM_INLINE {
      const Index P = place(m, j.first, j.middle), Q_ = place(m, j.middle, j.end);
      const auto v_base = load<Motion<S>>(w, place(m, j.first, j.end) + VB);
      store(w, P + VB, v_base);
      store(w, Q_ + VB, load<Transform<S>>(w, P + XR) * v_base + load<Motion<S>>(w, P + VR));
    });
    engine.for_each(m.n_links - 1, [&](Index k) TANDEM_INLINE {
      const auto v_p = load<Motion<S>>(w, place(m, k) + VB), v_J = load<Motion<S>>(w, place(m, k) + VR);
      store(w, at(static_cast<int>(k) + 1, V), load<Transform<S>>(w, place(m, k) + XR) * v_p + v_J);
    });
  }

  /// A leaf of the tree: P11 = I^-1, P12 = I^-1 X^T, P22 = X I^-1 X^T, b_1 = -I^-1 p, b_2 = X b_1.            (12) - (16)
  template <class S, class M, class Fx, class Work>
  TANDEM_HD static void single_link(const ModelView<M>& m, int i, Fx f_ext, Work w) {
    const auto v_i = load<Motion<S>>(w, at(i, V));
    const auto I_i = link_inertia<S>(m, i);
    auto p_i = cross(v_i, I_i * v_i);
    if (f_ext) p_i = p_i - external_force<S>(m, i, f_ext);
    HandleMobility<S> e;
    invert_spd(matrix6(I_i).e, e.P11.e);
    e.b1 = -(e.P11 * vector6(p_i));
    if (i + 1 < m.n_links) {
      const auto X = load<Transform<S>>(w, at(i + 1, Field::X));
      const auto XP = X * e.P11;
      e.P12 = transpose(XP);
      e.P22 = symmetrised(X * e.P12);
      e.b2 = vector6(X * as_motion(e.b1));
    } else {
      e.P12 = e.P22 = e.P11;
      e.b2 = e.b1;
    }
    e.store_at(w, place(m, i - 1));
  }

  /// f(joint, D, tau, c) of joint i.
  template <class S, class Joint, class M, class Qd, class Tau, class D, class Work, class F_>
  TANDEM_HD static auto at_joint(Joint joint, const ModelView<M>& m, int i, Qd v, Tau tau, D diagonal, Work w, F_&& f) {
    S D_i[Joint::nv], tau_i[Joint::nv];
    rotor_inertia(m, i, diagonal, D_i);
    for (int k = 0; k < Joint::nv; ++k) tau_i[k] = S(tau[m.v_index[i] + k]);
    return f(D_i, tau_i, vector6(cross(load<Motion<S>>(w, at(i, V)), joint_motion<S>(joint, m, i, v))));
  }

  /// Two runs become one at joint i.                                                                        (31) - (36)
  template <class S, class M, class Qd, class Tau, class D, class Work>
  TANDEM_HD static HandleMobility<S> assemble(const ModelView<M>& m, int i, const HandleMobility<S>& P,
                                              const HandleMobility<S>& Q, Qd v, Tau tau, D diagonal, Work w) {
    HandleMobility<S> e = {P.P11, Matrix6<S>::zero(), Q.P22, P.b1, Q.b2};
    on_joint_and_rotor(m, i, diagonal, [&](auto joint, auto rotor) TANDEM_INLINE {
      at_joint<S>(
          joint, m, i, v, tau, diagonal, w, [&](const auto& D_i, const auto& tau_i, const auto& c) TANDEM_INLINE {
            const JointMobility<S, decltype(joint), rotor.value> mobility(P.P22 + Q.P11, D_i);
            if constexpr (mobility.rows > 0) {
              const auto T_P = mobility.lower(transpose(P.P12)), T_Q = mobility.lower(Q.P12);  // F^T P12^T, F^T P12
              e.P11 = symmetric_transpose_mul_add(-T_P, T_P, P.P11);
              e.P12 = transpose_mul(T_P, T_Q);
              e.P22 = symmetric_transpose_mul_add(-T_Q, T_Q, Q.P22);
            }
            S qdd[mobility.d];  // of these two runs alone
            const auto f = mobility.force(tau_i, Q.b1 - P.b2 - c, qdd);
            e.b1 = mul_add(-P.P12, f, P.b1);
            e.b2 = transpose_mul_add(Q.P12, f, Q.b2);
          });
    });
    return e;
  }

  /// Force across joint i and its acceleration, from the mobility V of what it joins and the motion r apart.   (20), (26)
  template <class S, class M, class Qd, class Tau, class D, class A, class Work>
  TANDEM_HD static void solve(const ModelView<M>& m, int i, const Matrix6<S>& V, const Vector6<S>& r, Qd v, Tau tau,
                              D diagonal, A a, Work w) {
    on_joint_and_rotor(m, i, diagonal, [&](auto joint, auto rotor) TANDEM_INLINE {
      at_joint<S>(joint, m, i, v, tau, diagonal, w,
                  [&](const auto& D_i, const auto& tau_i, const auto& c) TANDEM_INLINE {
                    const JointMobility<S, decltype(joint), rotor.value> mobility(V, D_i);
                    S qdd[mobility.d];
                    const auto f = mobility.force(tau_i, r - c, qdd);
                    for (int k = 0; k < mobility.d; ++k) a[m.v_index[i] + k] = qdd[k];
                    store(w, at(i, F), as_force(f));
                  });
    });
  }

  /// The whole chain hangs by its first handle from the base, and nothing pulls at the second.
  template <class S, class M, class Qd, class Tau, class D, class A, class Work>
  TANDEM_HD static void hang_on_base(const ModelView<M>& m, Qd v, Tau tau, D diagonal, A a, Work w) {
    const auto chain = HandleMobility<S>::load(w, place(m, tree(m).root()));
    const auto a_base = load<Transform<S>>(w, at(1, X)) * base_acceleration<S>(m);
    store(w, at(m.n_links, F), Force<S>::zero());
    solve<S>(m, 1, chain.P11, chain.b1 - vector6(a_base), v, tau, diagonal, a, w);
  }

  /// The runs first .. i - 1 and i .. end - 1 part again at joint i.
  template <class S, class M, class Qd, class Tau, class D, class A, class Work>
  TANDEM_HD static void open(const ModelView<M>& m, int first, int i, int end, const HandleMobility<S>& P,
                             const HandleMobility<S>& Q, Qd v, Tau tau, D diagonal, A a, Work w) {
    const auto f_1 = vector6(load<Force<S>>(w, at(first, F))), f_2 = -vector6(load<Force<S>>(w, at(end, F)));
    const auto a_Q = mul_add(Q.P12, f_2, Q.b1), a_P = transpose_mul_add(P.P12, f_1, P.b2);
    solve<S>(m, i, P.P22 + Q.P11, a_Q - a_P, v, tau, diagonal, a, w);
  }
};

}  // namespace tandem::inline TANDEM_ISA
