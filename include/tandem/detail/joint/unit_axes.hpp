// SPDX-License-Identifier: Apache-2.0
/// The six axes [angular; linear] of a link's own frame: products with unit motions along them only pick.
#pragma once
#include "tandem/detail/spatial/articulated_inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// Row k of E.
template <class S>
TANDEM_HD constexpr const Vec3<S>& row_of(const Mat3<S>& E, int k) {
  return k == 0 ? E.row0 : k == 1 ? E.row1 : E.row2;
}

/// Row of a force [moment; force].
template <class S>
TANDEM_HD constexpr S component(const Force<S>& f, int row) {
  switch (row) {
    case 0: return f.n.x;
    case 1: return f.n.y;
    case 2: return f.n.z;
    case 3: return f.f.x;
    case 4: return f.f.y;
    default: return f.f.z;
  }
}

/// Unit motion along one of the six axes [angular; linear].
template <class S>
TANDEM_HD constexpr Motion<S> unit_motion(int row) {
  return {{S(row == 0), S(row == 1), S(row == 2)}, {S(row == 3), S(row == 4), S(row == 5)}};
}

/// The same row of a force becomes x.
template <class S>
TANDEM_HD constexpr void set_component(Force<S>& f, int row, const S& x) {
  switch (row) {
    case 0: f.n.x = x; break;
    case 1: f.n.y = x; break;
    case 2: f.n.z = x; break;
    case 3: f.f.x = x; break;
    case 4: f.f.y = x; break;
    default: f.f.z = x;
  }
}

/// A times the unit motion along one of the six axes: a column of A.
template <class S>
TANDEM_HD constexpr Force<S> column(const ArticulatedInertia<S>& A, int row) {
  switch (row) {
    case 0: return {{A.J.xx, A.J.xy, A.J.xz}, A.H.row0};
    case 1: return {{A.J.xy, A.J.yy, A.J.yz}, A.H.row1};
    case 2: return {{A.J.xz, A.J.yz, A.J.zz}, A.H.row2};
    case 3: return {{A.H.row0.x, A.H.row1.x, A.H.row2.x}, {A.M.xx, A.M.xy, A.M.xz}};
    case 4: return {{A.H.row0.y, A.H.row1.y, A.H.row2.y}, {A.M.xy, A.M.yy, A.M.yz}};
    default: return {{A.H.row0.z, A.H.row1.z, A.H.row2.z}, {A.M.xz, A.M.yz, A.M.zz}};
  }
}

/// That column of A, and the row that is the same, become f.
template <class S>
TANDEM_HD constexpr void set_column(ArticulatedInertia<S>& A, int row, const Force<S>& f) {
  Sym3<S>&J = A.J, &M = A.M;
  Vec3<S>&h0 = A.H.row0, &h1 = A.H.row1, &h2 = A.H.row2;
  switch (row) {
    case 0: J.xx = f.n.x, J.xy = f.n.y, J.xz = f.n.z, h0 = f.f; break;
    case 1: J.xy = f.n.x, J.yy = f.n.y, J.yz = f.n.z, h1 = f.f; break;
    case 2: J.xz = f.n.x, J.yz = f.n.y, J.zz = f.n.z, h2 = f.f; break;
    case 3: h0.x = f.n.x, h1.x = f.n.y, h2.x = f.n.z, M.xx = f.f.x, M.xy = f.f.y, M.xz = f.f.z; break;
    case 4: h0.y = f.n.x, h1.y = f.n.y, h2.y = f.n.z, M.xy = f.f.x, M.yy = f.f.y, M.yz = f.f.z; break;
    default: h0.z = f.n.x, h1.z = f.n.y, h2.z = f.n.z, M.xz = f.f.x, M.yz = f.f.y, M.zz = f.f.z;
  }
}

/// I times the unit motion along one of the six axes: momentum [angular; linear].
template <class S>
TANDEM_HD constexpr Force<S> column(const Inertia<S>& I, int row) {
  const S zero(0);
  switch (row) {
    case 0: return {{I.I.xx, I.I.xy, I.I.xz}, {zero, -I.h.z, I.h.y}};
    case 1: return {{I.I.xy, I.I.yy, I.I.yz}, {I.h.z, zero, -I.h.x}};
    case 2: return {{I.I.xz, I.I.yz, I.I.zz}, {-I.h.y, I.h.x, zero}};
    case 3: return {{zero, I.h.z, -I.h.y}, {I.m, zero, zero}};
    case 4: return {{-I.h.z, zero, I.h.x}, {zero, I.m, zero}};
    default: return {{I.h.y, -I.h.x, zero}, {zero, zero, I.m}};
  }
}

/// Axes of a joint that are axes of its link's own frame, `rows` among the six [angular; linear]: products only pick.
template <int... rows>
struct UnitAxes {
  static constexpr int nv = sizeof...(rows);
  static constexpr bool has_angular = ((rows < 3) || ...), has_linear = ((rows >= 3) || ...), axes_turn = false,
                        unit_axes = true;

  TANDEM_HD static constexpr int row(int k) {
    constexpr int all[] = {rows...};
    return all[k];
  }
  TANDEM_HD static constexpr int basis_row(int k) { return row(k); }
  TANDEM_HD static constexpr bool is_angular(int k) { return row(k) < 3; }
  /// Of axis k, along the axes that E turns into those of the link.
  template <class S>
  TANDEM_HD static const Vec3<S>& direction(int k, const Mat3<S>& E) {
    return row_of(E, row(k) % 3);
  }
  /// S_k
  template <class S>
  TANDEM_HD static Motion<S> axis(int k) {
    return unit_motion<S>(row(k));
  }
  /// S_k^T f
  template <class S>
  TANDEM_HD static S along(int k, const Force<S>& f) {
    return component(f, row(k));
  }
  /// The joint's own forces tau, as a wrench f on its link: S^T f = tau.
  template <class S>
  TANDEM_HD static Force<S> wrench(const S (&tau)[nv]) {
    auto f = Force<S>::zero();
    for (int k = 0; k < nv; ++k) set_component(f, row(k), tau[k]);
    return f;
  }
  /// A S_k
  template <class A>
  TANDEM_HD static auto column(int k, const A& inertia) {
    return tandem::column(inertia, row(k));
  }
};

}  // namespace tandem::inline TANDEM_ISA
