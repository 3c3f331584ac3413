// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/spatial/inertia.hpp"

namespace tandem::inline TANDEM_ISA {

/// What makes moving bodies resist a change of their velocities beyond their inertia: moments of the velocities x' of
/// their points of mass dm, which lie at x from the origin and move by x' more than it does. A turn p of all of them
/// takes forces p x x' dm: twice those are what Coriolis forces change by.
///
///     P = sum x' dm        N = sum x' x^T dm
///
/// Twelve numbers for one body as for many, about any origin: the 6x6 matrix that [Singh 2022] has in
/// their place is [B 0; -P~ 0] about an origin that moves along, B = tr(N) - N.
template <class S>
struct VelocityMoments {
  Vec3<S> P;  ///< kg m/s
  Mat3<S> N;  ///< kg m^2/s
  TANDEM_HD static constexpr VelocityMoments zero() { return {Vec3<S>::zero(), Mat3<S>::zero()}; }

  /// sum x x (p x x') dm and sum p x x' dm.
  TANDEM_HD Force<S> of_turn(const Vec3<S>& p) const { return {trace() * p - N * p, cross(p, P)}; }
  /// The p that this, times p, is what the force of a turn p does along the motion s.
  TANDEM_HD Vec3<S> along(const Motion<S>& s) const { return along(s.w) + cross(P, s.v); }
  TANDEM_HD Vec3<S> along(const Vec3<S>& turn) const { return trace() * turn - transpose_mul(N, turn); }
  /// sum x x x' dm and sum x' dm: the momentum of these velocities about the origin.
  TANDEM_HD Force<S> momentum() const {
    return {{N.row2.y - N.row1.z, N.row0.z - N.row2.x, N.row1.x - N.row0.y}, P};
  }

 private:
  TANDEM_HD S trace() const { return N.row0.x + N.row1.y + N.row2.z; }
};

template <class S>
TANDEM_HD constexpr VelocityMoments<S> operator+(const VelocityMoments<S>& a, const VelocityMoments<S>& b) {
  return {a.P + b.P, a.N + b.N};
}

/// Of a rigid body that turns by w about the origin: x' = w x x. With its second moments J = tr(I) / 2 - I, N = w~ J.
template <class S>
TANDEM_HD constexpr VelocityMoments<S> velocity_moments(const Inertia<S>& body, const Vec3<S>& w) {
  const Sym3<S>& I = body.I;
  const S half = S(0.5) * (I.xx + I.yy + I.zz);
  return {cross(w, body.h), cross(w, full(Sym3<S>{half - I.xx, half - I.yy, half - I.zz, -I.xy, -I.xz, -I.yz}))};
}

/// The same bodies about an origin that lies by r before this one and moves by u slower; `shifted` is their inertia
/// there.
template <class S>
TANDEM_HD constexpr VelocityMoments<S> shift(const VelocityMoments<S>& m, const Inertia<S>& shifted, const Vec3<S>& r,
                                             const Vec3<S>& u) {
  return {mul_add(shifted.m, u, m.P), minus_outer(minus_outer(m.N, -m.P, r), -u, shifted.h)};
}

}  // namespace tandem::inline TANDEM_ISA
