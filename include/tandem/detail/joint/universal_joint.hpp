// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/joint/axial_joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// Universal joints: a turn by q0 about x of the parent-side frame, then one by q1 about the turned y, v = dq/dt. What
/// does not ask where it stands.
struct Universal : Coordinates<2> {
  static constexpr int nv = 2;
  static constexpr bool unit_axes = false;
};

/// The same at a configuration. The first axis stands still in the parent, and so turns against the link:
///
///     S = [cos q1  0]      dS/dt v = v0 v1 [-sin q1]  =  v0 v1 S_0 x S_1
///         [   0    1]                      [   0   ]
///         [sin q1  0]                      [ cos q1]
template <class R>
struct UniversalJoint : Universal {
  static constexpr bool has_angular = true, has_linear = false, axes_turn = true;
  SinCos<R> x, y;  ///< of the two angles

  template <class Q>
  TANDEM_HD static UniversalJoint at(const Q& q) {
    return {{}, sincos(R(q[0])), sincos(R(q[1]))};
  }
  template <class Work>
  TANDEM_HD static UniversalJoint kept(const Work& w, Index row) {
    return {{}, load<SinCos<R>>(w, row), load<SinCos<R>>(w, row + 2)};
  }
  template <class Work>
  TANDEM_HD void keep(Work w, Index row) const {
    store(w, row, x);
    store(w, row + 2, y);
  }
  template <class S>
  TANDEM_HD Transform<S> transform(const Transform<S>& X_T) const {
    auto E = rotated_x(SinCos<S>{S(x.sin), S(x.cos)}, X_T.E);
    rotate(SinCos<S>{S(y.sin), S(y.cos)}, E.row2, E.row0);
    return {E, X_T.r};
  }
  template <class S, class Q>
  TANDEM_HD Transform<S> transform(const Transform<S>& X_T, const Q&) const {
    return transform(X_T);
  }

  TANDEM_HD static constexpr int basis_row(int k) { return k; }
  TANDEM_HD static constexpr bool is_angular(int) { return true; }
  /// Of axis k, along the axes that E turns into those of the link.
  template <class S>
  TANDEM_HD Vec3<S> direction(int k, const Mat3<S>& E) const {
    return k == 0 ? mul_add(S(y.cos), E.row0, S(y.sin) * E.row2) : E.row1;
  }
  template <class S, class V>
  TANDEM_HD DriftingAngular<S> motion(const V& v) const {
    const S s(y.sin), c(y.cos), u(v[0]), both = u * S(v[1]);
    return {{{c * u, S(v[1]), s * u}}, {-s * both, S(0), c * both}};
  }
  template <class S>
  TANDEM_HD Motion<S> axis(int k) const {
    return {direction(k, Mat3<S>::identity()), Vec3<S>::zero()};
  }
  template <class S>
  TANDEM_HD S along(int k, const Force<S>& f) const {
    return k == 0 ? sum_of_products(S(y.cos), f.n.x, S(y.sin), f.n.z) : f.n.y;
  }
  template <class S>
  TANDEM_HD Force<S> wrench(const S (&tau)[2]) const {
    return {{S(y.cos) * tau[0], tau[1], S(y.sin) * tau[0]}, Vec3<S>::zero()};
  }
  template <template <class> class A, class S>
  TANDEM_HD Force<S> column(int k, const A<S>& inertia) const {
    if (k != 0) return tandem::column(inertia, 1);
    return mul_add(S(y.cos), tandem::column(inertia, 0), S(y.sin) * tandem::column(inertia, 2));
  }
};

}  // namespace tandem::inline TANDEM_ISA
