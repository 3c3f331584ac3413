// SPDX-License-Identifier: Apache-2.0
/// What a block of rows pushes with, from x = J a - reference: minus the gradient f of its cost, and the Hessian H of
/// it. Rows of a contact with friction are scaled, u_j = mu_j x_j: what bounds friction is then the same in all
/// directions.
#pragma once
#include <initializer_list>

#include "tandem/detail/contact/kinds.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

inline constexpr int most_contact_rows = 6, most_hessian_numbers = 21;

/// Force and Hessian of a block of up to six rows.
template <class S>
struct Zone {
  int rows = 0;
  S f[most_contact_rows], H[most_hessian_numbers];  ///< H by its lower triangle, row by row

  /// Where H_ij stands, j <= i.
  TANDEM_HD static constexpr int at(int i, int j) { return i * (i + 1) / 2 + j; }
  TANDEM_HD const S& h(int i, int j) const { return H[j <= i ? at(i, j) : at(j, i)]; }

  TANDEM_HD static Zone free(int rows) {
    Zone z;
    z.rows = rows;
    for (int j = 0; j < rows; ++j) z.f[j] = S(0);
    for (int k = 0; k < at(rows, 0); ++k) z.H[k] = S(0);
    return z;
  }
  /// Nothing pushes where the condition does not hold.
  template <class Condition>
  TANDEM_HD void keep_where(const Condition& condition) {
    for (int j = 0; j < rows; ++j) f[j] = select(condition, f[j], S(0));
    for (int k = 0; k < at(rows, 0); ++k) H[k] = select(condition, H[k], S(0));
  }

  /// f^T y
  TANDEM_HD S work(const S* y) const {
    S sum = f[0] * y[0];
    for (int j = 1; j < rows; ++j) sum = mul_add(f[j], y[j], sum);
    return sum;
  }
  /// H y
  TANDEM_HD void bend(const S* y, S* out) const {
    for (int i = 0; i < rows; ++i) {
      out[i] = h(i, 0) * y[0];
      for (int j = 1; j < rows; ++j) out[i] = mul_add(h(i, j), y[j], out[i]);
    }
  }
};

/// What one row pushes with, and its curvature.
template <class S>
struct RowPush {
  S f, h;
};
/// A row that pushes and never pulls: limits, contacts without friction.
template <class S>
TANDEM_HD RowPush<S> half_quadratic(const S& D, const S& x) {
  const auto pushes = x < S(0);
  return {select(pushes, -D * x, S(0)), select(pushes, D, S(0))};
}
/// A row that pushes with `most` at most, either way: friction (the cost is Huber's).
template <class S>
TANDEM_HD RowPush<S> bounded_quadratic(const S& D, const S& most, const S& x) {
  const S f = -D * x;
  const auto sticks = abs(f) < most;
  return {select(sticks, f, select(x < S(0), most, -most)), select(sticks, D, S(0))};
}

/// Along a direction y: f^T y and y^T H y.
template <class S>
struct Slope {
  S force, curvature;
};

/// Numbers of a contact that its cost depends on.
template <class S>
struct ContactNumbers {
  S D;          ///< of the normal row; of an edge of a pyramid
  S stiffness;  ///< D_j / mu_j^2, the same for all j: of scaled rows
  S mu;         ///< of the cone: mu_1 / sqrt(impratio)
  S edge;       ///< of the cone between its zones: stiffness / (1 + mu^2)
  S normal;     ///< of `disc`: what bounds friction, N
};

/// Where u lies in the elliptic cone [MuJoCo, Computation, Friction cones]: with N = u_0, T = |u_t|,
///
///     free                  mu T <= N
///     all quadratic         mu N + T <= 0:  cost stiffness / 2 |u|^2
///     between               cost edge / 2 (N - mu T)^2
///
/// by squares, which take no root.
template <class S>
struct OnCone {
  using Condition = decltype(S(0) < S(0));
  S N, TT, mm;
  Condition acts, between;

  TANDEM_HD OnCone(int dim, const S& mu, const S* u) : N(u[0]), TT(u[1] * u[1]), mm(mu * mu) {
    for (int j = 2; j < dim; ++j) TT = mul_add(u[j], u[j], TT);
    const S signed_square = N * abs(N);
    acts = signed_square < mm * TT;
    between = -(mm * signed_square) < TT;
  }
  /// Whether any lane is between.
  TANDEM_HD bool some_between() const { return any(S(0) < select(acts, select(between, S(1), S(0)), S(0))); }
  /// 1 / T, where it is between.
  TANDEM_HD S inverse() const { return S(1) / sqrt(select(TT == S(0), S(1), TT)); }
};

/// Between, with t = u_t / T,
///
///     f = -edge (N - mu T) (1, -mu t)
///     H = edge [[1, -mu t^T], [-mu t, mu^2 t t^T + (mu^2 - mu N / T) (1 - t t^T)]]
template <class S>
TANDEM_HD Zone<S> cone_zone(int dim, const ContactNumbers<S>& of, const S* u) {
  auto z = Zone<S>::free(dim);
  const OnCone<S> at(dim, of.mu, u);
  for (int j = 0; j < dim; ++j) {
    z.f[j] = -of.stiffness * u[j];
    z.H[z.at(j, j)] = of.stiffness;
  }
  if (at.some_between()) {
    const S inverse = at.inverse(), T = at.TT * inverse, turn = of.mu * at.N * inverse;
    const S push = of.edge * mul_add(of.mu, T, -at.N), slip = -of.mu * of.edge;
    const S across = of.edge * (at.mm - turn), along = of.edge * turn;  // H_t = across + along t t^T
    z.f[0] = select(at.between, push, z.f[0]);
    z.H[0] = select(at.between, of.edge, z.H[0]);
    for (int i = 1; i < dim; ++i) {
      const S t = u[i] * inverse;
      z.f[i] = select(at.between, -push * of.mu * t, z.f[i]);
      z.H[z.at(i, 0)] = select(at.between, slip * t, S(0));
      for (int j = 1; j <= i; ++j) {
        S& h = z.H[z.at(i, j)];
        h = select(at.between, mul_add(along * t, u[j] * inverse, i == j ? across : S(0)), h);
      }
    }
  }
  z.keep_where(at.acts);
  return z;
}
template <class S>
TANDEM_HD Slope<S> cone_slope(int dim, const ContactNumbers<S>& of, const S* u, const S* y) {
  const OnCone<S> at(dim, of.mu, u);
  S along = u[1] * y[1], all = y[1] * y[1];
  for (int j = 2; j < dim; ++j) {
    along = mul_add(u[j], y[j], along);
    all = mul_add(y[j], y[j], all);
  }
  S force = -of.stiffness * mul_add(at.N, y[0], along), curvature = of.stiffness * mul_add(y[0], y[0], all);
  if (at.some_between()) {
    const S inverse = at.inverse(), T = at.TT * inverse;
    along = along * inverse;
    const S depth = mul_add(of.mu, T, -at.N), rise = mul_add(-of.mu, along, y[0]);
    const S across = at.mm - of.mu * at.N * inverse, turned = mul_add(-along, along, all);
    const S bent = across * select(turned < S(0), S(0), turned);
    force = select(at.between, of.edge * depth * rise, force);
    curvature = select(at.between, of.edge * mul_add(rise, rise, bent), curvature);
  }
  return {select(at.acts, force, S(0)), select(at.acts, curvature, S(0))};
}

/// MuJoCo's pyramid: 2 (dim - 1) rows u_0 +- u_j that push, all with the same D. f is their sum.
template <class S>
TANDEM_HD Zone<S> pyramid_zone(int dim, const ContactNumbers<S>& of, const S* u) {
  auto z = Zone<S>::free(dim);
  for (int j = 1; j < dim; ++j) {
    const auto one = half_quadratic(of.D, u[0] + u[j]), other = half_quadratic(of.D, u[0] - u[j]);
    z.f[0] = z.f[0] + (one.f + other.f);
    z.f[j] = one.f - other.f;
    z.H[0] = z.H[0] + (one.h + other.h);
    z.H[z.at(j, 0)] = one.h - other.h;
    z.H[z.at(j, j)] = one.h + other.h;
  }
  return z;
}
template <class S>
TANDEM_HD Slope<S> pyramid_slope(int dim, const ContactNumbers<S>& of, const S* u, const S* y) {
  S force(0), curvature(0);
  for (int j = 1; j < dim; ++j)
    for (const bool up : {true, false}) {
      const S x = up ? u[0] + u[j] : u[0] - u[j], moves = up ? y[0] + y[j] : y[0] - y[j];
      const S pushed = select(x < S(0), moves, S(0));
      force = mul_add(x, pushed, force);
      curvature = mul_add(moves, pushed, curvature);
    }
  return {-of.D * force, of.D * curvature};
}

/// The disc: the normal row by itself; friction elastic, or bounded by |f_t| = N with the normal force N of the step
/// before. As the stiffness is the same for all tangents, it then points against u_t: no equation is left to solve.
template <class S>
TANDEM_HD Zone<S> disc_zone(int dim, const ContactNumbers<S>& of, const S* u) {
  auto z = Zone<S>::free(dim);
  const auto normal_row = half_quadratic(of.D, u[0]);
  z.f[0] = normal_row.f;
  z.H[0] = normal_row.h;
  S squared = u[1] * u[1];
  for (int j = 2; j < dim; ++j) squared = mul_add(u[j], u[j], squared);
  const S L = sqrt(squared);
  const auto slides = of.normal < of.stiffness * L;
  const S inverse = S(1) / select(slides, L, S(1)), bound = of.normal * inverse;
  for (int i = 1; i < dim; ++i) {
    z.f[i] = select(slides, -bound * u[i], -of.stiffness * u[i]);
    for (int j = 1; j <= i; ++j) {
      const S across = mul_add(-(u[i] * inverse), u[j] * inverse, S(i == j ? 1 : 0));
      z.H[z.at(i, j)] = select(slides, bound * across, i == j ? of.stiffness : S(0));
    }
  }
  return z;
}

/// Without friction.
template <class S>
TANDEM_HD Zone<S> normal_zone(const ContactNumbers<S>& of, const S* u) {
  auto z = Zone<S>::free(1);
  const auto row = half_quadratic(of.D, u[0]);
  z.f[0] = row.f;
  z.H[0] = row.h;
  return z;
}

template <class S>
TANDEM_HD Zone<S> contact_zone(Coupling coupling, int dim, const ContactNumbers<S>& of, const S* u) {
  if (dim == 1) return normal_zone(of, u);
  if (coupling == Coupling::pyramid) return pyramid_zone(dim, of, u);
  if (coupling == Coupling::disc) return disc_zone(dim, of, u);
  return cone_zone(dim, of, u);
}
/// Those of a contact without its Hessian, where that can be left out.
template <class S>
TANDEM_HD Slope<S> contact_slope(Coupling coupling, int dim, const ContactNumbers<S>& of, const S* u, const S* y) {
  if (dim > 1 && coupling == Coupling::pyramid) return pyramid_slope(dim, of, u, y);
  if (dim > 1 && coupling == Coupling::cone) return cone_slope(dim, of, u, y);
  const auto z = contact_zone(coupling, dim, of, u);
  S bent[most_contact_rows];
  z.bend(y, bent);
  S curvature = bent[0] * y[0];
  for (int j = 1; j < dim; ++j) curvature = mul_add(bent[j], y[j], curvature);
  return {z.work(y), curvature};
}

}  // namespace tandem::inline TANDEM_ISA
