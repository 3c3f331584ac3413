// SPDX-License-Identifier: Apache-2.0
/// The associative operators of rigid-body dynamics: what a run of links does, from what its two parts do. `P` is the
/// inner part, nearer to the base, `Q` the outer one; none commutes but the sums. Elements are trivially copyable and
/// consist of numbers of type S, operators are empty, so that both fit executors/scan.hpp.
///
///     operator        element                      P then Q                                             products, sums
///     Product         X                            X_Q X_P                                                     36, 27
///                     E                            E_Q E_P                                                     27, 18
///     Affine          X, b:    x -> X x + b        X_Q X_P,  X_Q b_P + b_Q                                      60, 51
///     Jet             X, v, a                      X_Q X_P,  X_Q v_P + v_Q,  X_Q a_P + (X_Q v_P) x v_Q + a_Q   102, 93
///     WorldJet        w, dw                        w_P + w_Q,  dw_P + dw_Q + w_P x w_Q                           6, 12
///     Inward          X, b:    b + X^T (..)        X_Q X_P,  b_P + X_P^T b_Q                                    60, 51
///     Sum             x                            x_P + x_Q                                                      0, 3
///     RotatingBase    E, w:    x -> E (x + w)      E_Q E_P,  w_P + E_P^T w_Q                                    36, 27
///
/// X is the change of frame from the inner to the outer end of a run. [Yang] (2a)-(2d) writes the recursions of inverse
/// dynamics with dense 6x6 matrices, 252 products a combination of affine maps. New against it: Jet, which carries
/// velocity and acceleration in one scan (the second-order jet of a rigid motion), and WorldJet, the same for rotations
/// alone.
#pragma once
#include "tandem/detail/spatial/inertia.hpp"
#include "tandem/detail/spatial/joint_motion.hpp"

namespace tandem::inline TANDEM_ISA {

/// Changes of frame, Transform<S>, or turns of frames, Mat3<S>: what the outer end sees of a frame given at the inner
/// end.
template <class T>
struct Product {
  TANDEM_HD static T identity() { return T::identity(); }
  TANDEM_HD T operator()(const T& P, const T& Q) const { return Q * P; }
};

/// x -> X x + b on motions: velocities; or accelerations, once the velocities are known.
template <class S>
struct AffineRun {
  Transform<S> X;
  Motion<S> b;
};
template <class S>
struct Affine {
  TANDEM_HD static AffineRun<S> identity() { return {Transform<S>::identity(), Motion<S>::zero()}; }
  /// The outer part a joint: b is any of the motions that joints allow.
  template <class B>
  TANDEM_HD static AffineRun<S> append(const AffineRun<S>& P, const Transform<S>& X, const B& b) {
    return {X * P.X, X * P.b + b};
  }
  TANDEM_HD AffineRun<S> operator()(const AffineRun<S>& P, const AffineRun<S>& Q) const { return append(P, Q.X, Q.b); }
};

/// How the outer end of a run moves against the inner end: velocity and acceleration, in coordinates of the outer end.
/// An inner end that itself moves with v_0 and a_0 gives the outer end X v_0 + v and X a_0 + (X v_0) x v + a.
template <class S>
struct JetRun {
  Transform<S> X;
  Motion<S> v, a;
};
template <class S>
struct Jet {
  TANDEM_HD static JetRun<S> identity() { return {Transform<S>::identity(), Motion<S>::zero(), Motion<S>::zero()}; }
  /// The outer part a joint: S v and S a.
  template <class V>
  TANDEM_HD static JetRun<S> append(const JetRun<S>& P, const Transform<S>& X, const V& v, const V& a) {
    const Motion<S> v_in = X * P.v;
    return {X * P.X, v_in + v, X * P.a + velocity_product(v_in, v) + a};
  }
  TANDEM_HD JetRun<S> operator()(const JetRun<S>& P, const JetRun<S>& Q) const { return append(P, Q.X, Q.v, Q.a); }
};

/// How far a run turns the faster: angular velocity and acceleration of its outer end against its inner end, world
/// axes.
template <class S>
struct WorldJetRun {
  Vec3<S> w, dw;
};
template <class S>
struct WorldJet {
  TANDEM_HD static WorldJetRun<S> identity() { return {Vec3<S>::zero(), Vec3<S>::zero()}; }
  TANDEM_HD WorldJetRun<S> operator()(const WorldJetRun<S>& P, const WorldJetRun<S>& Q) const {
    return {P.w + Q.w, add_cross(P.dw + Q.dw, P.w, Q.w)};
  }
};

/// What a run brings to its inner end: b is a Force, or the Inertia of the links with all joints locked. Suffix scans.
template <class S, template <class> class B>
struct InwardRun {
  Transform<S> X;
  B<S> b;
};
template <class S, template <class> class B>
struct Inward {
  TANDEM_HD static InwardRun<S, B> identity() { return {Transform<S>::identity(), B<S>::zero()}; }
  TANDEM_HD InwardRun<S, B> operator()(const InwardRun<S, B>& P, const InwardRun<S, B>& Q) const {
    return {Q.X * P.X, P.b + transpose_mul(P.X, Q.b)};
  }
};

/// How a run turns: its outer end stands along the axes that E turns into and turns by w, along the axes of its inner
/// end, faster than that one. Down the tree of joins comes how the inner end itself turns, along its own axes
/// (executors/runs.hpp).
template <class S>
struct RotatingRun {
  Mat3<S> E;
  Vec3<S> w;
};
template <class S>
struct RotatingBase {
  using Element = RotatingRun<S>;
  using Port = Vec3<S>;
  struct Kept {};

  TANDEM_HD void join(const Element& P, const Element& Q, bool, Kept&, Element& whole) const {
    whole = {Q.E * P.E, P.w + transpose_mul(P.E, Q.w)};
  }
  TANDEM_HD void part(const Port& w, const Kept&, const Element& P, const Element&, bool, Port& w_P, Port& w_Q) const {
    w_Q = P.E * (w + P.w);
    w_P = w;
  }
};

/// Vectors that share their axes.
template <class S>
struct Sum {
  TANDEM_HD static Vec3<S> identity() { return Vec3<S>::zero(); }
  TANDEM_HD Vec3<S> operator()(const Vec3<S>& P, const Vec3<S>& Q) const { return P + Q; }
};

}  // namespace tandem::inline TANDEM_ISA
