// SPDX-License-Identifier: Apache-2.0
/// The scan form over one chunk with one pass less: links are placed on the way inward, and nothing is kept but how the
/// joints yield. For whoever computes faster than it reads: a thread of a GPU.
/// docs/algorithms/scan.md
#pragma once
#include "tandem/detail/scan/scan_chunk.hpp"

namespace tandem::inline TANDEM_ISA {

// All vectors of a chunk stand along the axes of its last link, each link's about the link's own origin; joints are
// counted from that end: joint 0 is the chunk's last one. Accelerations are counted, in every block of joints, from
// those that the links would have if their joints kept their speeds and the block's last link did not accelerate.
//
// A chunk is reached through a type Lane with
//   S                                   a number
//   int steps, longest                  joints; of the longest chunk among those that run in lockstep
//   look_inward(j) look_outward(j)      called before numbers of joint j are asked for
//   on_joint(j, f)                      calls f with the kind of joint j
//   transform(joint, j) inertia(j)      of joint and link j, in link coordinates
//   v(j) tau(j, k) armature(j, k)
//   feels() force(j)                    whether there are outer forces, and that on link j, in link coordinates
//   carries(j)                          whether other branches hang from link j, and then
//     mark(j, E, w)                     its axes and turning, of place()
//     inertia_of_branches(j) bias_of_branches(j)
//     note(j, E, g)                     its axes, of gather(), and its drift
//     keep_acceleration(j, a)           its acceleration a + g
//   keep(axes, j, r, response) keep_G(d, j, k, G)  axes(joint, j) lever(j) response<d>(j) G<d>(j, k)
//   keep_drift(block, g) drift(block)   of the link before a block
//   keep_base(E) base()                 the axes of the chunk's base
//   mobility()                          21 numbers to add up C in, mobility().add(at, x), all zero
//   write(j, k, x)                      acceleration of joint j

template <class Lane>
struct InwardChunk {
  using S = typename Lane::S;
  Lane& lane;

  /// Outward: where the last link stands, from the chunk's base, and how it turns if the base does not.
  TANDEM_HD RotatingRun<S> place() const {
    RotatingRun<S> run = {Mat3<S>::identity(), Vec3<S>::zero()};
    for (int j = lane.longest - 1; j >= 0; --j) {
      if (j >= lane.steps) continue;
      lane.look_outward(j);
      lane.on_joint(j, [&](auto joint) TANDEM_INLINE {
        run.E = lane.rotation(joint, j) * run.E;
        if constexpr (decltype(joint)::has_angular)
          run.w = run.w + motion_along(JointAxes<S, decltype(joint)>{joint, run.E}, lane.v(j)).w;
        if (lane.carries(j)) [[unlikely]]
          lane.mark(j, run.E, run.w);
      });
    }
    return run;
  }

  /// Inward: the chunk as one run, its last link turning with w_2, along its own axes. C stays with the lane.
  TANDEM_HD TwoHandle<S> gather(const Vec3<S>& w_2) const {
    auto e = TwoHandle<S>::identity();
    State s = {Mat3<S>::identity(), w_2, Motion<S>::zero()};
    for (int j = 0; j < lane.steps; ++j) {
      lane.look_inward(j);
      lane.on_joint(j, [&](auto joint) TANDEM_INLINE { step(joint, j, s, e); });
      if (j % scan_block == scan_block - 1 || j == lane.steps - 1) {
        // counted from the drift of the link before the block: a_1 - g is what it has besides
        e.eta = e.eta - e.J * s.g;
        e.b = e.b - through(e.A, s.g);
        lane.keep_drift(j / scan_block, s.g);
        s.g = Motion<S>::zero();
      }
    }
    lane.keep_base(s.E);
    return with_base_along(s.E, e);
  }

  /// Outward: the acceleration of every joint, from that of the base and the wrench handed on at the end.
  TANDEM_HD void accelerate(const Motion<S>& a_1, const Force<S>& f_2) const {
    const Mat3<S> E = lane.base();
    Motion<S> a = {transpose_mul(E, a_1.w), transpose_mul(E, a_1.v)};
    for (int j = lane.longest - 1; j >= 0; --j) {
      if (j >= lane.steps) continue;
      lane.look_outward(j);
      if (j % scan_block == scan_block - 1 || j == lane.steps - 1) a = a - lane.drift(j / scan_block);
      lane.on_joint(j, [&](auto joint) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        const auto axes = lane.axes(joint, j);
        a = shift_origin(a, lane.lever(j));
        const auto r = lane.template response<d>(j);
        S u[d], rate[d];
        for (int k = 0; k < d; ++k) u[k] = r.u(k) - dot(lane.template G<d>(j, k), f_2);
        tandem::accelerate(r, u, a, rate);
        for (int k = 0; k < d; ++k) lane.write(j, k, rate[k]);
        for (int k = 0; k < d; ++k) a = axes.add(k, rate[k], a);
      });
      if (lane.carries(j)) [[unlikely]]
        lane.keep_acceleration(j, a);
    }
  }

 private:
  /// What goes inward from link to link besides the run: the link's axes, its turning, its drift.
  struct State {
    Mat3<S> E;
    Vec3<S> w;
    Motion<S> g;
  };
  /// A g
  TANDEM_HD static Motion<S> through(const Force<S> (&A)[6], const Motion<S>& g) {
    return {{dot(g, A[0]), dot(g, A[1]), dot(g, A[2])}, {dot(g, A[3]), dot(g, A[4]), dot(g, A[5])}};
  }
  TANDEM_HD static Force<S> rotated(const Mat3<S>& E, const Force<S>& f) {
    return {transpose_mul(E, f.n), transpose_mul(E, f.f)};
  }

  template <class Joint>
  TANDEM_HD void step(Joint joint, int j, State& s, TwoHandle<S>& e) const {
    constexpr int d = Joint::nv;
    const JointAxes<S, Joint> axes = {joint, s.E};
    // what it takes that the link, and what hangs from it, drifts as it does
    const Inertia<S> I = congruence(s.E, lane.inertia(j));
    auto IA = e.J + I;
    auto pA = e.eta + inertial_force(I, angular_rates(s.w, s.g.w), s.g.v);
    if (lane.carries(j)) [[unlikely]] {
      const auto branches = congruence(s.E, lane.inertia_of_branches(j));
      IA = IA + branches;
      pA = pA + (rotated(s.E, lane.bias_of_branches(j)) + branches * s.g);
      lane.note(j, s.E, s.g);
    }
    if (lane.feels()) [[unlikely]]
      pA = pA - rotated(s.E, lane.force(j));

    const Vec3<S> r = drift_before(joint, j, axes, s);
    JointResponse<S, d> response;
    S rotor[d], tau[d];
    for (int k = 0; k < d; ++k) {
      rotor[k] = lane.armature(j, k);
      tau[k] = lane.tau(j, k);
    }
    yield_to(axes, IA, rotor, response);
    push(axes, tau, pA, response);
    lane.keep(axes, j, r, response);
    e.J = shift_origin(beyond(axes, response, rotor, IA), r);
    e.eta = shift_origin(beyond(axes, response, rotor, tau, pA), r);
    transmit(axes, j, r, response, e);
  }
  /// The state of the link before; its lever to this one.
  template <class Joint, class Axes>
  TANDEM_HD Vec3<S> drift_before(Joint joint, int j, const Axes& axes, State& s) const {
    const Motion<S> v_J = motion_along(axes, lane.v(j));
    const Vec3<S> w_p = s.w - v_J.w;
    if constexpr (Joint::has_linear) s.g.v = s.g.v - cross(w_p + s.w, v_J.v);
    if constexpr (Joint::has_angular) s.g.w = s.g.w - cross(w_p, v_J.w);
    if constexpr (Joint::axes_turn) s.g.w = s.g.w - drift_along(axes, lane.v(j));
    const Transform<S> X = lane.transform(joint, j);
    s.w = w_p;
    s.E = transpose(X.E) * s.E;
    const Vec3<S> r = transpose_mul(s.E, X.r);
    s.g.v = s.g.v - angular_rates(w_p, s.g.w).Omega * r;
    return r;
  }
  /// All rows of A:  G = A S,  b += G K u,  C += G K G^T,  A <- (A - G K U^T) X.
  template <class Axes, int d>
  TANDEM_HD void transmit(const Axes& axes, int j, const Vec3<S>& r, const JointResponse<S, d>& response,
                          TwoHandle<S>& e) const {
    S G[6][d], KG[6][d];
    S b[6] = {e.b.w.x, e.b.w.y, e.b.w.z, e.b.v.x, e.b.v.y, e.b.v.z};
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) {
      e.A[i] = shift_origin(tandem::transmit(axes, response, e.A[i], G[i], KG[i]), r);
      for (int k = 0; k < d; ++k) b[i] = mul_add(KG[i][k], response.u(k), b[i]);
    }
    e.b = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
    for (int k = 0; k < d; ++k)
      lane.template keep_G<d>(j, k, {{G[0][k], G[1][k], G[2][k]}, {G[3][k], G[4][k], G[5][k]}});
    const auto C = lane.mobility();
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) TANDEM_UNROLLED for (int l = i; l < 6; ++l) {
      S x = G[i][0] * KG[l][0];
      for (int k = 1; k < d; ++k) x = mul_add(G[i][k], KG[l][k], x);
      C.add(upper_of_six(i, l), x);
    }
  }

  /// The same run with handle 1 seen along the axes that E turns into.
  TANDEM_HD static TwoHandle<S> with_base_along(const Mat3<S>& E, TwoHandle<S> e) {
    for (Force<S>& row : e.A) row = {E * row.n, E * row.f};
    e.eta = {E * e.eta.n, E * e.eta.f};
    e.J = congruence(transpose(E), e.J);
    return e;
  }

 public:
  /// Where entry (i, l), i <= l, of a symmetric 6x6 matrix stands among 21 numbers.
  TANDEM_HD static constexpr int upper_of_six(int i, int l) { return i * (11 - i) / 2 + l; }
};

}  // namespace tandem::inline TANDEM_ISA
