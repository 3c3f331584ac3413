// SPDX-License-Identifier: Apache-2.0
/// The serial O(n) recursions inside a subsystem: outward where its links are, inward how they yield, outward how they
/// accelerate. docs/algorithms/divide_and_conquer_efficient.md
#pragma once
#include "tandem/detail/blocks/six.hpp"
#include "tandem/detail/blocks/small_cholesky.hpp"
#include "tandem/detail/chunks/scan_chunk.hpp"
#include "tandem/detail/chunks/subsystems.hpp"
#include "tandem/detail/joint/axes.hpp"
#include "tandem/detail/recursion/two_handle.hpp"

namespace tandem::inline TANDEM_ISA {

/// Rows of links, joints and links that branch in scratch memory.
struct SubsystemRows {
  // of a link, along the axes of its subsystem's base: its axes (rows), its origin from its parent's, its angular velocity
  // less that of the base, and the acceleration left when its joint keeps its speed
  enum Field { E = 0, R = 9, W = 12, C = 15, rows_per_link = 21 };
  // of a link that branches: what its later children bring, then its acceleration
  enum BranchField { IA = 0, PA = 21, A = 0, rows_per_branch = 27 };
  // of a joint with d degrees of freedom: U K [d][6], G K [d][6], K (u - U^T c) [d]
  static constexpr int rows_per_dof = 13;
  std::int32_t n_links;

  template <class M>
  TANDEM_HD explicit SubsystemRows(const ModelView<M>& m) : n_links(m.n_links) {}
  TANDEM_HD Index at(int link, Field f) const { return Index{rows_per_link} * link + f; }
  TANDEM_HD Index at_joint(int dof) const { return at(n_links, E) + Index{rows_per_dof} * dof; }
  TANDEM_HD Index at_branch(int n_dof, int link, BranchField f) const {
    return at_joint(n_dof) + Index{rows_per_branch} * link + f;
  }
  TANDEM_HD Index count(int n_dof) const { return at_branch(n_dof, n_links, IA); }
};

/// What a link on the way to handle 2 has to do with it: a_2 = A a - C f_2 + b, by the columns of A and C.
template <class S>
struct Transmission {
  Six<S> A[6], C[6], b;

  /// From the last link, handle 2 along its axes E.
  TANDEM_HD explicit Transmission(const Mat3<S>& E) {
    b = Six<S>::zero();
    for (int c = 0; c < 6; ++c) A[c] = C[c] = Six<S>::zero();
    for (int k = 0; k < 3; ++k)
      for (int half = 0; half < 6; half += 3) {
        A[half].set(half + k, row_of(E, k).x);
        A[half + 1].set(half + k, row_of(E, k).y);
        A[half + 2].set(half + k, row_of(E, k).z);
      }
  }

  /// Inward through a joint: G = A S, C += G K G^T, A <- (A - G K U^T) X, b += (A - G K U^T) c + G K u. Keeps G K.
  template <int d, class Axes, class Work>
  TANDEM_HD void pass(const Axes& axes, const Vec3<S>& r, const Motion<S>& c, const Force<S> (&U)[d],
                      const S (&K)[d][d], const S (&u)[d], Work w, Index row) {
    Six<S> G[d];
    for (int k = 0; k < d; ++k) {
      const Vec3<S>& z = axes.axis(k);
      const int first = axes.is_angular(k) ? 0 : 3;
      G[k] = mul_add(z.x, A[first], mul_add(z.y, A[first + 1], z.z * A[first + 2]));
    }
    for (int k = 0; k < d; ++k) {
      Six<S> GK = K[0][k] * G[0];
      for (int l = 1; l < d; ++l) GK = mul_add(K[l][k], G[l], GK);
      for (int j = 0; j < 6; ++j) w[row + 6 * k + j] = GK[j];
      for (int j = 0; j < 6; ++j) C[j] = mul_add(G[k][j], GK, C[j]);
      const S minus_U[6] = {-U[k].n.x, -U[k].n.y, -U[k].n.z, -U[k].f.x, -U[k].f.y, -U[k].f.z};
      for (int j = 0; j < 6; ++j) A[j] = mul_add(minus_U[j], GK, A[j]);
      b = mul_add(u[k], GK, b);
    }
    const auto b_w = mul_add(c.w.x, A[0], mul_add(c.w.y, A[1], mul_add(c.w.z, A[2], b)));
    b = mul_add(c.v.x, A[3], mul_add(c.v.y, A[4], mul_add(c.v.z, A[5], b_w)));
    // every row of A is a force, n += r x f
    A[0] = mul_add(r.y, A[5], mul_add(-r.z, A[4], A[0]));
    A[1] = mul_add(r.z, A[3], mul_add(-r.x, A[5], A[1]));
    A[2] = mul_add(r.x, A[4], mul_add(-r.y, A[3], A[2]));
  }

  TANDEM_HD void put_into(TwoHandle<S>& e) const {
    for (int j = 0; j < 6; ++j) e.A[j] = {{A[0][j], A[1][j], A[2][j]}, {A[3][j], A[4][j], A[5][j]}};
    e.C = {{C[0][0], C[1][1], C[2][2], C[0][1], C[0][2], C[1][2]},
           {{C[3][0], C[4][0], C[5][0]}, {C[3][1], C[4][1], C[5][1]}, {C[3][2], C[4][2], C[5][2]}},
           {C[3][3], C[4][4], C[5][5], C[3][4], C[3][5], C[4][5]}};
    e.b = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
  }
};

/// One subsystem. All its vectors stand along the axes of its base, the link that it hangs from, each link's about the link's
/// own origin: from link to link they only shift. Accelerations are classical ones, of material points.
template <class S, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
struct SubsystemPasses {
  using Rows = SubsystemRows;
  const ModelView<M>& m;
  const Q& q;
  const Qd& v;
  const Tau& tau;
  const Fx& f_ext;
  const D& diagonal;
  const A& a_out;
  const Work& w;
  Rows rows;

  TANDEM_HD Index at(int i, Rows::Field f) const { return rows.at(i, f); }
  TANDEM_HD Index at_branch(int i, Rows::BranchField f) const { return rows.at_branch(m.n_dof, i, f); }
  TANDEM_HD bool hangs_from_base(const Subsystem& s, int i) const { return i == s.first || m.parent[i] == 0; }
  template <class F>
  TANDEM_HD void on_axes(int i, const Mat3<S>& E, F&& f) const {
    on_joint(m.type[i], [&](auto joint) TANDEM_INLINE { f(JointAxes<S, decltype(joint)>{joint, E}); });
  }
  /// Velocity of link i against its parent.
  template <class Axes>
  TANDEM_HD Motion<S> rate(const Axes& axes, int i) const {
    auto v_J = axes.add(0, S(v[m.v_index[i]]), Motion<S>::zero());
    for (int k = 1; k < Axes::d; ++k) v_J = axes.add(k, S(v[m.v_index[i] + k]), v_J);
    return v_J;
  }

  /// Outward: where the links are, and how they turn while the base does not.
  TANDEM_PASS void place(const Subsystem& s) const {
    auto E = Mat3<S>::identity();
    auto turn = Vec3<S>::zero();
    s.outward([&](int i) TANDEM_INLINE {
      const int p = m.parent[i];
      if (hangs_from_base(s, i)) {
        E = Mat3<S>::identity();
        turn = Vec3<S>::zero();
      } else if (p != i - 1) {
        E = load_mat3<S>(w, at(p, Rows::E));
        turn = load_vec3<S>(w, at(p, Rows::W));
      }
      on_joint(m.type[i], [&](auto joint) TANDEM_INLINE {
        const auto X_T = load_transform<S>(m.placement, Index{12} * i);
        const auto X = joint.transform(Transform<S>{X_T.E * E, transpose_mul(E, X_T.r)}, q + m.q_index[i]);
        E = X.E;
        turn = turn + rate(JointAxes<S, decltype(joint)>{joint, E}, i).w;
        store(w, at(i, Rows::E), E);
        store(w, at(i, Rows::R), X.r);
        store(w, at(i, Rows::W), turn);
      });
    });
  }

  /// How the subsystem that hangs from the last link turns, along that link's axes.
  TANDEM_HD Vec3<S> angular_velocity_beyond(const Subsystem& s, const Vec3<S>& w_0) const {
    return load_mat3<S>(w, at(s.last, Rows::E)) * (w_0 + load_vec3<S>(w, at(s.last, Rows::W)));
  }

  /// What link i would accelerate by if its joint kept its speed and its parent did not accelerate.
  template <class Axes>
  TANDEM_HD Motion<S> velocity_product(const Axes& axes, int i, const Vec3<S>& w_i, const Vec3<S>& r) const {
    using Joint = decltype(axes.joint);
    const auto v_J = rate(axes, i);
    const Vec3<S> w_p = has_angular<Joint> ? w_i - v_J.w : w_i;
    Motion<S> c = {Vec3<S>::zero(), cross(w_p, cross(w_p, r))};
    if constexpr (has_angular<Joint>) c.w = cross(w_p, v_J.w);
    if constexpr (has_linear<Joint>) c.v = add_cross(c.v, w_p + w_i, v_J.v);
    return c;
  }
  /// The force that keeps a turning link going, less the outer force on it.
  TANDEM_HD Force<S> bias_force(int i, const Mat3<S>& E, const Inertia<S>& I, const Vec3<S>& w_i) const {
    const Force<S> p = {cross(w_i, I.I * w_i), cross(w_i, cross(w_i, I.h))};
    if (!f_ext) return p;
    const auto f = external_force<S>(m, i, f_ext);
    return p - Force<S>{transpose_mul(E, f.n), transpose_mul(E, f.f)};
  }

  /// Inward: each joint yields to what hangs from it; the subsystem as a run. Forces on the last link come through as rows
  /// of A, G = A S, and the mobility of that link gathers as C += G K G^T: no second sweep.
  template <bool terminal>
  TANDEM_PASS TwoHandle<S> yield(const Subsystem& s, const Vec3<S>& w_0) const {
    auto e = TwoHandle<S>::identity();
    auto Ia_p = e.J;  // what a link brings to its parent, which on a chain is the next in turn
    auto pa_p = Force<S>::zero();
    int path = s.last;
    Transmission<S> beyond(terminal ? Mat3<S>::identity() : load_mat3<S>(w, at(s.last, Rows::E)));
    if constexpr (!terminal) {
      if (branches(m, s.last)) {
        store(w, at_branch(s.last, Rows::IA), e.J);
        store(w, at_branch(s.last, Rows::PA), pa_p);
      }
    }
    s.inward([&](int i) TANDEM_INLINE {
      const int p = m.parent[i];
      const bool carries = m.last_child[i] != 0 && (terminal || i + 1 != s.next);
      const bool hangs = hangs_from_base(s, i), last = m.last_child[p] == i && (terminal || p != s.last);
      const auto E = load_mat3<S>(w, at(i, Rows::E));
      const auto r = load_vec3<S>(w, at(i, Rows::R));
      const Vec3<S> w_i = w_0 + load_vec3<S>(w, at(i, Rows::W));
      on_axes(i, E, [&](const auto& axes) TANDEM_INLINE {
        constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
        const Index row = rows.at_joint(m.dof_index[i]);
        const auto I = congruence(E, link_inertia<S>(m, i));
        auto Ia = carries ? Ia_p + I : articulated(I);
        auto pa = bias_force(i, E, I, w_i);
        if (carries) pa = pa + pa_p;
        if (branches(m, i)) {
          Ia = Ia + load_articulated_inertia<S>(w, at_branch(i, Rows::IA));
          pa = pa + load_force<S>(w, at_branch(i, Rows::PA));
        }
        const auto c = velocity_product(axes, i, w_i, r);
        store(w, at(i, Rows::C), c);

        Force<S> U[d], UK[d];
        S STU[d][d], K[d][d], u[d];
        for (int k = 0; k < d; ++k) {
          U[k] = axes.column(k, Ia);
          for (int l = 0; l <= k; ++l) STU[k][l] = axes.along(l, U[k]);
          const int at_k = m.v_index[i] + k;
          STU[k][k] = STU[k][k] + S(m.armature[at_k]);
          if (diagonal) STU[k][k] = STU[k][k] + S(diagonal[at_k]);
          u[k] = S(tau[at_k]) - axes.along(k, pa);
        }
        invert_spd(STU, K);
        for (int k = 0; k < d; ++k) {
          UK[k] = K[k][0] * U[0];
          for (int l = 1; l < d; ++l) UK[k] = mul_add(K[k][l], U[l], UK[k]);
          store(w, row + 6 * k, UK[k]);
        }
        S rest[d];
        for (int k = 0; k < d; ++k) rest[k] = u[k] - dot(c, U[k]);
        for (int k = 0; k < d; ++k) {
          S Ku = K[k][0] * rest[0];
          for (int l = 1; l < d; ++l) Ku = mul_add(K[k][l], rest[l], Ku);
          w[row + 12 * d + k] = Ku;
        }
        if constexpr (!terminal) {
          if (i == path) {  // before U and u are used up: a_2 = A a - C f_2 + b through joint i
            beyond.pass(axes, r, c, U, K, u, w, row + 6 * d);
            path = p;
          } else {
            for (int k = 0; k < 6 * d; ++k) w[row + 6 * d + k] = S(0);
          }
        }
        if (hangs && i != s.first) return;
        for (int k = 0; k < d; ++k) {
          Ia = minus_product(Ia, U[k], UK[k]);
          pa = mul_add(u[k], UK[k], pa);
        }
        pa_p = shifted(pa + Ia * c, r);
        Ia_p = shifted(Ia, r);
      });
      if (hangs || p == i - 1) return;
      const Index row = at_branch(p, Rows::IA);
      store(w, row, last ? Ia_p : load_articulated_inertia<S>(w, row) + Ia_p);
      store(w, row + Rows::PA, last ? pa_p : load_force<S>(w, row + Rows::PA) + pa_p);
    });
    if constexpr (!terminal) beyond.put_into(e);
    e.J = Ia_p;
    e.eta = pa_p;
    return e;
  }

  /// Outward: the acceleration of every joint from that of the base and the force handed on at the last link.
  template <bool terminal>
  TANDEM_PASS void accelerate(const Subsystem& s, const Motion<S>& a_0, const Force<S>& f_2) const {
    auto a = a_0;
    s.outward([&](int i) TANDEM_INLINE {
      const int p = m.parent[i];
      if (hangs_from_base(s, i))
        a = a_0;
      else if (p != i - 1)
        a = load_motion<S>(w, at_branch(p, Rows::A));
      a = shifted(a, load_vec3<S>(w, at(i, Rows::R)));
      on_axes(i, load_mat3<S>(w, at(i, Rows::E)), [&](const auto& axes) TANDEM_INLINE {
        constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
        const Index row = rows.at_joint(m.dof_index[i]);
        S qdd[d];
        for (int k = 0; k < d; ++k) {
          qdd[k] = S(w[row + 12 * d + k]);
          if constexpr (!terminal) qdd[k] = qdd[k] - dot(load_motion<S>(w, row + 6 * (d + k)), f_2);
          const auto UK = load_force<S>(w, row + 6 * k);
          qdd[k] = (qdd[k] - dot(a.w, UK.n)) - dot(a.v, UK.f);
          a_out[m.v_index[i] + k] = qdd[k];
        }
        a = a + load_motion<S>(w, at(i, Rows::C));
        for (int k = 0; k < d; ++k) a = axes.add(k, qdd[k], a);
      });
      if (branches(m, i)) store(w, at_branch(i, Rows::A), a);
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
