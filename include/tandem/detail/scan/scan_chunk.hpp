// SPDX-License-Identifier: Apache-2.0
/// The passes of the scan form over one chunk, joint after joint; or over as many chunks as S has lanes, in lockstep.
#pragma once
#include <type_traits>

#include "tandem/detail/solve/small_cholesky.hpp"
#include "tandem/detail/scan/lone_chunk.hpp"
#include "tandem/detail/scan/transmission.hpp"
#include "tandem/detail/joint/axes.hpp"
#include "tandem/detail/passes/joint_response.hpp"
#include "tandem/detail/scan/two_handle.hpp"
#include "tandem/detail/spatial/rates.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

// All vectors of a chunk stand along the axes of its base, the link before its first joint, each link's about the
// link's own origin. What moves from link to link then only shifts by the lever r, and accelerations are classical:
// those of the material points at the origins.
//
// What goes through a block once is a function of its own: the state of all of them together exceeds a processor's
// registers.

// A chunk is reached through a type Lane (lone_chunk.hpp) that has besides
//   rows()                       where things lie in the chunk's scratch memory
//   begin_PASS(k, n)             called before joints k .. k + n - 1 are looked at; end_PASS(k, n) after; v_of_block(k)
//                                is v(k) in the first pass, which keeps v for the second if that comes soon
//   rotated_inertia(k, E) v(k) tau(k, j) armature(k, j)
//                                numbers of joint or link k; the inertia along the axes that E turns into the link's
//   carries(k) axes(k) inertia_of_branches(k) bias_of_branches(k)
//                                whether other branches hang from link k, its axes, and what they bring in link
//                                coordinates
//   mark(k, E, w) note(k, g) keep(k, a)
//                                axes and turning of link k, its drift g, its acceleration a + g: for the branches
//   write(k, j, x)               acceleration of joint k

// Accelerations are written relative to how the links of a block would accelerate if their joints kept their speeds and
// the link before the block did not accelerate. Inside a block velocities then show in the bias forces only. Longer
// blocks would add up accelerations that later cancel.

/// Rows of a chunk in scratch memory. What a joint keeps of its response takes the place of what only its bias force
/// needs.
struct ScanRows {
  enum Field { r = 0, I = 3, axes = 13 };
  int dof;  ///< most degrees of freedom of a joint

  TANDEM_HD constexpr int per_joint() const { return dof == 1 ? 23 : axes + 9 + 12 * dof + dof * dof + dof; }
  TANDEM_HD constexpr Index of_chunk(int steps) const {
    return Index{per_joint()} * steps + 9 * ((steps + scan_block - 1) / scan_block);
  }
  TANDEM_HD constexpr Index joint(int k) const { return Index{per_joint()} * k; }
  /// [3] how the link before a block turns if the base does not; [6] how the last link of the block accelerates if the
  /// joints of the block keep their speeds
  TANDEM_HD constexpr Index turn(int steps, int block) const { return Index{per_joint()} * steps + 9 * block; }
  TANDEM_HD constexpr Index drift(int steps, int block) const { return turn(steps, block) + 3; }
  /// [dof] for the lane, until the joint yields.
  TANDEM_HD constexpr Index of_lane(int k) const { return joint(k + 1) - dof; }
};

/// How a joint with d degrees of freedom yields. With one, only the z axis is kept beyond the first pass, and the other
/// axes where outer forces ask for them.
template <class S, int d>
struct ScanResponse {
  static constexpr Index z = ScanRows::axes, U = d == 1 ? ScanRows::I : ScanRows::axes + 9,
                         G = d == 1 ? z + 3 : U + 6 * d + d * d + d, xy = G;
};

template <class Lane>
struct ScanChunk {
  using S = typename Lane::S;
  Lane& lane;
  S* const w = lane.w;

  TANDEM_HD Index at(int k, int field) const { return lane.rows().joint(k) + field; }
  /// The axes of link k; of a joint with one degree of freedom the z axis, and the others until the joint yields.
  template <int d>
  TANDEM_HD Mat3<S> axes(int k) const {
    using R = ScanResponse<S, d>;
    if constexpr (d > 1) return load<Mat3<S>>(w, at(k, ScanRows::axes));
    return {load<Vec3<S>>(w, at(k, R::xy)), load<Vec3<S>>(w, at(k, R::xy + 3)), load<Vec3<S>>(w, at(k, R::z))};
  }
  TANDEM_HD Vec3<S> lever(int k) const { return load<Vec3<S>>(w, at(k, ScanRows::r)); }
  template <int d>
  TANDEM_HD KeptResponse<S, d, const S*> response(int k) const {
    return {w, at(k, ScanResponse<S, d>::U)};
  }
  template <class F>
  TANDEM_HD void on_axes(int k, F&& f) const {
    lane.on_joint(
        k, [&](auto joint) TANDEM_INLINE { f(JointAxes<S, decltype(joint)>{joint, axes<decltype(joint)::nv>(k)}); });
  }
  /// Outward: where the links are, and how they turn, from the chunk's base; at the end the axes of the last link, and
  /// how it turns if the base does not. Without `keep` only where the chunk ends; `mark` says whether branches have yet
  /// to know where they hang.
  TANDEM_HD RotatingRun<S> place(bool keep, bool mark) const {
    Carried E = Mat3<S>::identity();
    Carried turn = Vec3<S>::zero();
    outward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      lane.begin_place(begin, n, keep);
      if (keep) store(w, lane.rows().turn(lane.steps, begin / scan_block), *turn);
      for (int k = begin; k < begin + n; ++k)
        lane.on_joint(k, [&](auto joint) TANDEM_INLINE {
          using Joint = decltype(joint);
          const Transform<S> X_T = lane.placement(k);
          const Transform<S> X = lane.transform(joint, k, {X_T.E * *E, transpose_mul(*E, X_T.r)});
          E = X.E;
          turn = *turn + motion_along(JointAxes<S, Joint>{joint, X.E}, lane.v_of_block(k)).w;
          if (keep) keep_place<Joint>(k, X);
          if (mark && lane.carries(k)) [[unlikely]]
            lane.mark(k, *E, *turn);
        });
    });
    return {*E, *turn};
  }

  /// Inward: the chunk as one run, its base turning with w_0. With `ends` nothing hangs from the chunk, and only J and
  /// eta are found.
  template <bool ends>
  TANDEM_HD TwoHandle<S> gather(const Vec3<S>& w_0) const {
    auto e = TwoHandle<S>::identity();
    [[maybe_unused]] auto beyond = Transmission<S>::identity();
    inward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      lane.begin_gather(begin, n);
      Force<S> p[scan_block];
      const Motion<S> g = drift(begin, n, w_0, p);
      store(w, lane.rows().drift(lane.steps, begin / scan_block), g);
      e.eta = e.eta + e.J * g;
      yield_all(begin, n, p, e.J, e.eta);
      if constexpr (!ends && Lane::alone) {
        beyond.add_through(g);
        transmit(begin, n, beyond);
      } else if constexpr (!ends) {
        e.b = e.b + through(e.A, g);
        transmit<0>(begin, n, e);
        transmit<3>(begin, n, e);
        add_mobility(begin, n, e.C);
      }
    });
    if constexpr (!ends && Lane::alone) beyond.put_into(e);
    return e;
  }

  /// How a run at rest is pushed by its joints.
  struct Push {
    Motion<S> b;
    Force<S> eta;
  };
  /// Inward after gather: the same joints yield to other forces, at rest. Not for links that carry branches.
  template <bool ends>
  TANDEM_HD Push gather_push() const {
    Push e = {Motion<S>::zero(), Force<S>::zero()};
    inward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      lane.begin_gather(begin, n);
      store(w, lane.rows().drift(lane.steps, begin / scan_block), Motion<S>::zero());
      for (int k = begin + n - 1; k >= begin; --k)
        on_axes(k, [&](const auto& axes) TANDEM_INLINE {
          constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
          using R = ScanResponse<S, d>;
          auto r = load<JointResponse<S, d>>(w, at(k, R::U));
          S rotor[d], tau[d];
          for (int j = 0; j < d; ++j) {
            rotor[j] = lane.armature(k, j);
            tau[j] = lane.tau(k, j);
          }
          push(axes, tau, e.eta, r);
          r.store_force_part(w, at(k, R::U));
          if constexpr (!ends)
            for (int j = 0; j < d; ++j)
              e.b = mul_add(row_of_K(r, j, r.u_k), load<Motion<S>>(w, at(k, R::G + 6 * j)), e.b);
          e.eta = shift_origin(beyond(axes, r, rotor, tau, e.eta), lever(k));
        });
    });
    return e;
  }

  /// Outward: the acceleration of every joint, from that of the base and the wrench handed on at the end.
  template <bool ends>
  TANDEM_HD void accelerate(Motion<S> a, const Force<S>& f_2) const {
    outward_blocks(lane.steps, [&](int begin, int n) TANDEM_INLINE {
      lane.begin_accelerate(begin, n);
      for (int k = begin; k < begin + n; ++k) {
        on_axes(k, [&](const auto& axes) TANDEM_INLINE {
          constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
          using R = ScanResponse<S, d>;
          a = shift_origin(a, lever(k));
          const auto r = response<d>(k);
          S u[d], rate[d];
          for (int j = 0; j < d; ++j) {
            u[j] = r.u(j);
            if constexpr (!ends) u[j] = u[j] - dot(load<Motion<S>>(w, at(k, R::G + 6 * j)), f_2);
          }
          tandem::accelerate(r, u, a, rate);
          for (int j = 0; j < d; ++j) lane.write(k, j, rate[j]);
          for (int j = 0; j < d; ++j) a = axes.add(j, rate[j], a);
        });
        if (lane.carries(k)) [[unlikely]]
          lane.keep(k, a);
      }
      a = a + load<Motion<S>>(w, lane.rows().drift(lane.steps, begin / scan_block));
      lane.end_accelerate(begin, n);
    });
  }

 private:
  template <class Joint>
  TANDEM_HD void keep_place(int k, const Transform<S>& X) const {
    using R = ScanResponse<S, Joint::nv>;
    store(w, at(k, ScanRows::r), X.r);
    store(w, at(k, ScanRows::I), lane.rotated_inertia(k, X.E));
    if constexpr (Joint::nv > 1) {
      store(w, at(k, ScanRows::axes), X.E);
    } else {
      store(w, at(k, R::z), X.E.row2);
      if (lane.feels()) {
        store(w, at(k, R::xy), X.E.row0);
        store(w, at(k, R::xy + 3), X.E.row1);
      }
    }
  }
  /// A g
  TANDEM_HD static Motion<S> through(const Force<S> (&A)[6], const Motion<S>& g) {
    return {{dot(g, A[0]), dot(g, A[1]), dot(g, A[2])}, {dot(g, A[3]), dot(g, A[4]), dot(g, A[5])}};
  }

  /// Outward over a block: how its links accelerate if the joints keep their speeds, and which forces that takes of
  /// each.
  TANDEM_PASS Motion<S> drift(int begin, int n, const Vec3<S>& w_0, Force<S>* p) const {
    auto g = Motion<S>::zero();
    auto w_p = w_0 + load<Vec3<S>>(w, lane.rows().turn(lane.steps, begin / scan_block));
    auto t = angular_rates(w_p, g.w);
    for (int k = begin; k < begin + n; ++k) {
      on_axes(k, [&](const auto& axes) TANDEM_INLINE {
        using Joint = decltype(axes.joint);
        const Motion<S> v_J = motion_along(axes, lane.v(k));
        const Vec3<S> w_k = w_p + v_J.w;
        g.v = mul_add(t.Omega, lever(k), g.v);
        if constexpr (Joint::has_linear) g.v = add_cross(g.v, w_p + w_k, v_J.v);
        if constexpr (Joint::has_angular) {
          g.w = add_cross(g.w, w_p, v_J.w);
          if constexpr (Joint::axes_turn) g.w = g.w + drift_along(axes, lane.v(k));
          t = angular_rates(w_k, g.w);
        }
        w_p = w_k;
      });
      p[k - begin] = inertial_force(load<Inertia<S>>(w, at(k, ScanRows::I)), t, g.v);
      if (lane.carries(k)) [[unlikely]] {
        const auto g_k = g;
        p[k - begin] = p[k - begin] + brought(k, g_k);
      }
    }
    if (lane.feels())
      for (int k = begin; k < begin + n; ++k)
        on_axes(k,
                [&](const auto& axes) TANDEM_INLINE { p[k - begin] = p[k - begin] - rotated(axes.E, lane.force(k)); });
    return g;
  }
  TANDEM_HD static Force<S> rotated(const Mat3<S>& E, const Force<S>& f) {
    return {transpose_mul(E, f.n), transpose_mul(E, f.f)};
  }
  /// What the branches that hang from link k resist with while it drifts, and what they weigh.
  TANDEM_PASS Force<S> brought(int k, const Motion<S>& g) const {
    lane.note(k, g);
    return rotated(lane.axes(k), lane.bias_of_branches(k)) + weight_of_branches(k) * g;
  }
  TANDEM_PASS ArticulatedInertia<S> weight_of_branches(int k) const {
    return congruence(lane.axes(k), lane.inertia_of_branches(k));
  }

  /// Inward over a block: each joint yields to what hangs from it.
  TANDEM_PASS void yield_all(int begin, int n, const Force<S>* p, ArticulatedInertia<S>& J_out,
                             Force<S>& eta_out) const {
    Carried J = J_out;
    Carried eta = eta_out;
    for (int k = begin + n - 1; k >= begin; --k)
      on_axes(k, [&](const auto& axes) TANDEM_INLINE {
        constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
        using R = ScanResponse<S, d>;
        auto IA = *J + load<Inertia<S>>(w, at(k, ScanRows::I));
        if (lane.carries(k)) [[unlikely]]
          IA = IA + weight_of_branches(k);
        auto pA = *eta + p[k - begin];
        JointResponse<S, d> r;
        S rotor[d], tau[d];
        for (int j = 0; j < d; ++j) {
          rotor[j] = lane.armature(k, j);
          tau[j] = lane.tau(k, j);
        }
        yield_to(axes, IA, rotor, r);
        push(axes, tau, pA, r);
        store(w, at(k, R::U), r);
        IA = beyond(axes, r, rotor, IA);
        pA = beyond(axes, r, rotor, tau, pA);
        J = shift_origin(IA, lever(k));
        eta = shift_origin(pA, lever(k));
      });
    J_out = *J;
    eta_out = *eta;
  }

  /// Inward over a block, all rows of A side by side:  G = A S,  b += G K u,  C += G K G^T,  A <- (A - G K U^T) X.
  TANDEM_PASS void transmit(int begin, int n, Transmission<S>& out) const {
    using Row = Six<S>;
    auto t = out;
    for (int k = begin + n - 1; k >= begin; --k)
      on_axes(k, [&](const auto& axes) TANDEM_INLINE {
        constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
        using R = ScanResponse<S, d>;
        const auto joint = axes.joint;
        const JointAxes<Row, std::remove_cv_t<decltype(joint)>> z = {
            joint, {six_times(axes.E.row0), six_times(axes.E.row1), six_times(axes.E.row2)}};
        const KeptResponse<Row, d, const S*> r = {w, at(k, R::U)};
        Row G[d], KG[d];
        t.A = tandem::transmit(z, r, t.A, G, KG);
        for (int j = 0; j < d; ++j) {
          for (int i = 0; i < 6; ++i) w[at(k, R::G + 6 * j + i)] = G[j][i];
          t.b = mul_add(r.u(j), KG[j], t.b);
          t.add_mobility(G[j], KG[j]);
        }
        t.A = shift_origin(t.A, six_times(lever(k)));
      });
    out = t;
  }

  /// Inward over a block: rows i, i + 1, i + 2 of A, b and G.
  template <int i>
  TANDEM_PASS void transmit(int begin, int n, TwoHandle<S>& e) const {
    Force<S> f[3] = {e.A[i], e.A[i + 1], e.A[i + 2]};
    Vec3<S>& b_out = i == 0 ? e.b.w : e.b.v;
    S b[3] = {b_out.x, b_out.y, b_out.z};
    for (int k = begin + n - 1; k >= begin; --k)
      on_axes(k, [&](const auto& axes) TANDEM_INLINE {
        constexpr int d = std::remove_cvref_t<decltype(axes)>::d;
        using R = ScanResponse<S, d>;
        const auto r = response<d>(k);
        for (int c = 0; c < 3; ++c) {
          S G[d], KG[d];
          f[c] = tandem::transmit(axes, r, f[c], G, KG);
          for (int j = 0; j < d; ++j) {
            w[at(k, R::G + 6 * j + i + c)] = G[j];
            b[c] = mul_add(KG[j], r.u(j), b[c]);
          }
          f[c] = shift_origin(f[c], lever(k));
        }
      });
    for (int c = 0; c < 3; ++c) e.A[i + c] = f[c];
    b_out = {b[0], b[1], b[2]};
  }

  /// Inward over a block: C = sum of G K G^T.
  TANDEM_PASS void add_mobility(int begin, int n, Mobility<S>& C_out) const {
    auto C = C_out;
    for_each_dof(begin, n, [&](const auto& G, const auto& KG) TANDEM_INLINE {
      C = {plus_symmetric_outer(C.J, G.n, KG.n), plus_outer(C.H, G.n, KG.f), plus_symmetric_outer(C.M, G.f, KG.f)};
    });
    C_out = C;
  }
  /// Calls f with every column of G and of G K.
  template <class F>
  TANDEM_HD void for_each_dof(int begin, int n, F&& f) const {
    for (int k = begin + n - 1; k >= begin; --k)
      lane.on_joint(k, [&](auto joint) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        using R = ScanResponse<S, d>;
        const auto r = response<d>(k);
        for (int j = 0; j < d; ++j) {
          Force<S> KG = r.K(j, 0) * load<Force<S>>(w, at(k, R::G));
          for (int l = 1; l < d; ++l) KG = mul_add(r.K(j, l), load<Force<S>>(w, at(k, R::G + 6 * l)), KG);
          f(load<Force<S>>(w, at(k, R::G + 6 * j)), KG);
        }
      });
  }
  TANDEM_HD static Sym3<S> plus_symmetric_outer(const Sym3<S>& A, const Vec3<S>& a, const Vec3<S>& b) {
    return {mul_add(a.x, b.x, A.xx), mul_add(a.y, b.y, A.yy), mul_add(a.z, b.z, A.zz),
            mul_add(a.x, b.y, A.xy), mul_add(a.x, b.z, A.xz), mul_add(a.y, b.z, A.yz)};
  }
  TANDEM_HD static Mat3<S> plus_outer(const Mat3<S>& A, const Vec3<S>& a, const Vec3<S>& b) {
    return {mul_add(a.x, b, A.row0), mul_add(a.y, b, A.row1), mul_add(a.z, b, A.row2)};
  }
};

}  // namespace tandem::inline TANDEM_ISA
