// SPDX-License-Identifier: Apache-2.0
/// The robot of [Pond] chapter 2: its frames, and what of its links does not change.
///
/// Frame Sigma_i is fixed to link i at the end that carries joint i + 1, which turns about its z or slides along it. A
/// model's frame L_i is fixed to link i, too, with z along joint i. So Sigma_{i-1} is L_i where q_i = 0, but for a turn
/// about z: x of Sigma_i is that of L_i wherever a model's frames allow it, x normal to both axes, as Denavit and
/// Hartenberg have it. With the placement Z_i X_i Z'_i of joint i in L_{i-1}, turns about its z, about x, and about the
/// parent's z (zxz of the view),
///
///     v in Sigma_i = X_{i+1} Z'_{i+1} v in L_i         L_i = Sigma_{i-1} turned by q_i and Z_i, or moved by q_i
///     (i-1)R_i = Rz(q_i + zero_i) Rx(twist_i)^T        ip^_i = X_{i+1} Z'_{i+1} (r_{i+1} + q_i e_z if joint i slides)
///
/// Sigma_0 is the whole placement of joint 1 in the base, and Sigma_n is L_n turned so that joint n has zero_n = 0.
#pragma once
#include "tandem/detail/joint/joint.hpp"

namespace tandem::inline TANDEM_ISA {

/// What does not change of link i, along the axes of Sigma_i.
template <class R>
struct LinkConstants {
  SinCos<R> zero, twist;   ///< what joint i turns by where q_i = 0; from its axis to the next one
  Mat3<R> rotation;        ///< (i-1)R_i where q_i = 0
  Vec3<R> p, s, ps;        ///< p^_i where q_i = 0; s^_i, to the centre of mass; their sum
  Vec3<R> origin;          ///< p^_i along the axes before joint i turns; if it slides, along those of Sigma_{i-1}
  R m, M;                  ///< mass of link i, and of links i .. n
  Vec3<R> ms, moment;      ///< m s^_i; m s^_i + M p^_i, where p^_i does not change
  Sym3<R> J;               ///< inertia about the centre of mass
  Sym3<R> G;               ///< second moments of the mass about the origin of Sigma_i: integral of r r^T
  Mat3<R> compound;        ///< inertia about that origin, and M p~^_i p~^_i where p^_i does not change
  Transform<R> described;  ///< from Sigma_i to the described frame of link i; of link 0: from the base to Sigma_0
};

/// Whether zero_i is not 0: then the thesis would measure q_i from elsewhere.
template <class M>
TANDEM_HD bool turns_zero(const ModelView<M>& m, int i) {
  if (i + 1 >= m.n_links) return false;
  const bool own = i > 1 && (any(m.zxz[Index{6} * i] != M(0)) || any(m.zxz[Index{6} * i + 1] != M(1)));
  return own || m.zxz_first[i + 1] != 0;
}

/// Writes LinkConstants of links 0 .. n to a column of numbers S.
template <class S, class M, class Out>
TANDEM_HD void find_link_constants(const ModelView<M>& m, Out out) {
  using C = LinkConstants<M>;
  const auto put = [&](int i, const C& c) {
    const M* const numbers = reinterpret_cast<const M*>(&c);
    for (Index k = 0; k < rows_of<C>; ++k) out[rows_of<C> * i + k] = S(numbers[k]);
  };
  const int n = m.n_links - 1;
  const auto none = Mat3<M>::identity();
  const auto turn = [&](int i, int which) {
    return SinCos<M>{m.zxz[Index{6} * i + 2 * which], m.zxz[Index{6} * i + 2 * which + 1]};
  };
  C base = {};
  base.described = n > 0 ? load<Transform<M>>(m.placement, 12) : Transform<M>::identity();
  put(0, base);
  M M_beyond = M(0);
  for (int i = n; i >= 1; --i) {
    C c = {};
    const SinCos<M> own = i == 1 ? SinCos<M>{M(0), M(1)} : turn(i, 0);  // Sigma_0 is turned already
    SinCos<M> parents = {M(0), M(1)};
    if (i == n)
      parents = inverse(own);
    else if (m.zxz_first[i + 1])
      parents = turn(i + 1, 2);
    c.twist = i < n ? turn(i + 1, 1) : SinCos<M>{M(0), M(1)};
    c.zero = {sum_of_products(own.sin, parents.cos, own.cos, parents.sin),
              difference_of_products(own.cos, parents.cos, own.sin, parents.sin)};
    if (!turns_zero(m, i)) c.zero = {M(0), M(1)};
    c.rotation = transpose(rotated_x(c.twist, rotated_z(c.zero, none)));

    const Mat3<M> E = rotated_x(c.twist, rotated_z(parents, none));  // from L_i to Sigma_i
    const Vec3<M> r = i < n ? load<Vec3<M>>(m.placement, Index{12} * (i + 1) + 9) : Vec3<M>::zero();
    const Inertia<M> body = load<Inertia<M>>(m.inertia, Index{10} * i);
    const Vec3<M> com = (body.m == M(0) ? M(0) : M(1) / body.m) * body.h;
    const Sym3<M> J = body.I - minus_skew_product(com, body.h);
    const bool slides = m.type[i] == JointType::prismatic;
    c.p = E * r;
    c.origin = slides ? c.rotation * c.p : rotated_z(parents, r);
    c.s = E * (com - r);
    c.ps = E * com;
    c.m = body.m;
    c.M = M_beyond = M_beyond + body.m;
    c.ms = c.m * c.s;
    c.moment = slides ? c.ms : c.ms + c.M * c.p;
    c.J = symmetric_mul_transpose(E * full(J), E);
    const M half_trace = M(0.5) * (c.J.xx + c.J.yy + c.J.zz);
    c.G = Sym3<M>{half_trace - c.J.xx, half_trace - c.J.yy, half_trace - c.J.zz, -c.J.xy, -c.J.xz, -c.J.yz} +
          Sym3<M>{c.s.x * c.ms.x, c.s.y * c.ms.y, c.s.z * c.ms.z, c.s.x * c.ms.y, c.s.x * c.ms.z, c.s.y * c.ms.z};
    const Sym3<M> about_origin = c.J + minus_skew_product(c.s, c.ms);
    c.compound = full(slides ? about_origin : about_origin - minus_skew_product(c.p, c.M * c.p));
    c.described = frame_transform<M>(m, i) * inverse(Transform<M>{E, r});
    put(i, c);
  }
}

}  // namespace tandem::inline TANDEM_ISA
