// SPDX-License-Identifier: Apache-2.0
/// What a block of rows pushes with, from x = J a - reference: minus the gradient f of its cost, and the Hessian H of
/// it. Costs are
/// convex, and H = B B^T is kept by its columns: positive by construction, and a contact is welded to its link column
/// by
/// column.
#pragma once
#include "tandem/detail/contact/kinds.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::inline TANDEM_ISA {

inline constexpr int most_contact_rows = 6, most_zone_columns = 10;

/// Force and Hessian of a block of up to six rows.
template <class S>
struct Zone {
  int rows = 0, columns = 0;
  S f[most_contact_rows], B[most_zone_columns][most_contact_rows];

  /// f^T y
  TANDEM_HD S work(const S* y) const { return product(f, y); }
  /// y^T H y
  TANDEM_HD S curvature(const S* y) const {
    S sum(0);
    for (int c = 0; c < columns; ++c) {
      const S b = product(B[c], y);
      sum = mul_add(b, b, sum);
    }
    return sum;
  }
  /// push = f + H y
  TANDEM_HD void push(const S* y, S* push) const {
    for (int j = 0; j < rows; ++j) push[j] = f[j];
    for (int c = 0; c < columns; ++c) {
      const S b = product(B[c], y);
      for (int j = 0; j < rows; ++j) push[j] = mul_add(b, B[c][j], push[j]);
    }
  }

  /// Nothing pushes, of a block with so many columns.
  TANDEM_HD static Zone free(int rows, int columns) {
    Zone z;
    z.rows = rows;
    z.columns = columns;
    for (int j = 0; j < rows; ++j) z.f[j] = S(0);
    for (int c = 0; c < columns; ++c)
      for (int j = 0; j < rows; ++j) z.B[c][j] = S(0);
    return z;
  }
  /// Only where the condition holds.
  template <class Condition>
  TANDEM_HD void keep_where(const Condition& condition) {
    for (int j = 0; j < rows; ++j) f[j] = select(condition, f[j], S(0));
    for (int c = 0; c < columns; ++c)
      for (int j = 0; j < rows; ++j) B[c][j] = select(condition, B[c][j], S(0));
  }

 private:
  TANDEM_HD S product(const S* a, const S* b) const {
    S sum = a[0] * b[0];
    for (int j = 1; j < rows; ++j) sum = mul_add(a[j], b[j], sum);
    return sum;
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

/// Columns normal to a unit vector t with n numbers, normal to each other: those of the Householder reflection that
/// turns the
/// first axis into t or -t, but its first.
template <class S>
struct NormalTo {
  const S* t;
  int n;
  S first, scale;  ///< v = t with `first` in its first row; the reflection is 1 - scale v v^T

  TANDEM_HD NormalTo(const S* t_, int n_) : t(t_), n(n_) {
    first = select(t[0] < S(0), t[0] - S(1), t[0] + S(1));
    scale = S(1) / abs(first);  // 2 / v^T v with v^T v = 2 + 2 |t_0|
  }
  /// Row j of column k, k = 1 .. n - 1.
  TANDEM_HD S at(int j, int k) const {
    const S v = j == 0 ? first : t[j];
    return mul_add(-scale * v, t[k], S(j == k ? 1 : 0));
  }
};

/// A direction in n dimensions; where there is none, the first axis.
template <class S>
struct Direction {
  S length, t[most_contact_rows];

  TANDEM_HD Direction(const S* u, int n) {
    S squared = u[0] * u[0];
    for (int j = 1; j < n; ++j) squared = mul_add(u[j], u[j], squared);
    const auto none = squared == S(0);
    length = sqrt(squared);
    const S inverse = S(1) / select(none, S(1), length);
    for (int j = 0; j < n; ++j) t[j] = select(none, S(j == 0 ? 1 : 0), u[j] * inverse);
  }
};

/// The elliptic cone [MuJoCo, Computation, Friction cones]: with u = (mu x_0, mu_j x_j), N = u_0, T = |u_t|,
///
///     free                  mu T <= N
///     all quadratic         mu N + T <= 0
///     between               cost Dm / 2 (N - mu T)^2,  Dm = D_0 / (mu^2 (1 + mu^2))
///
/// In the last one H = Dm S [[1, -mu t^T], [-mu t, mu^2 t t^T + (mu^2 - mu N / T)(1 - t t^T)]] S, S = diag(mu, mu_j),
/// t = u_t / T:
/// columns s S (1, -mu t) and s S (0, sqrt(mu^2 - mu N / T) t_k), t_k normal to t. mu is mu_1 / sqrt(impratio).
template <class S>
TANDEM_HD Zone<S> cone_zone(int dim, const S* D, const S* mu, const S& Dm, const S* roots, const S* x) {
  auto z = Zone<S>::free(dim, dim);
  const int n = dim - 1;
  S u[most_contact_rows];
  for (int j = 0; j < dim; ++j) u[j] = mu[j] * x[j];
  const Direction<S> slip(u + 1, n);
  const S N = u[0], T = slip.length, m = mu[0], mm = m * m;
  const S s = sqrt(Dm), depth = mul_add(m, T, -N);
  const S across = mm - m * N / select(T == S(0), S(1), T), wide = sqrt(select(across < S(0), S(0), across));
  const auto between = S(0) < mul_add(m, N, T);

  const S f_0 = Dm * depth * m;
  z.f[0] = select(between, f_0, -D[0] * x[0]);
  for (int j = 1; j < dim; ++j) z.f[j] = select(between, -f_0 * slip.t[j - 1] * mu[j], -D[j] * x[j]);

  const NormalTo<S> normal(slip.t, n);
  for (int c = 0; c < dim; ++c)
    for (int j = 0; j < dim; ++j) {
      S tangent(c == 0 ? 1 : 0);  // between, the last column is empty
      if (j > 0) tangent = c == 0 ? -m * slip.t[j - 1] : c < n ? wide * normal.at(j - 1, c) : S(0);
      z.B[c][j] = select(between, s * mu[j] * tangent, j == c ? roots[j] : S(0));
    }
  z.keep_where(S(0) < depth);
  return z;
}
/// Dm = D_0 / (mu^2 (1 + mu^2))
template <class S>
TANDEM_HD S cone_stiffness(const S& D_0, const S& mu) {
  const S mm = mu * mu;
  return D_0 / (mm * (S(1) + mm));
}
template <class S>
TANDEM_HD Zone<S> cone_zone(int dim, const S* D, const S* mu, const S* x) {
  S roots[most_contact_rows];
  for (int j = 0; j < dim; ++j) roots[j] = sqrt(D[j]);
  return cone_zone(dim, D, mu, cone_stiffness(D[0], mu[0]), roots, x);
}

/// Along a direction y: f^T y and y^T H y.
template <class S>
struct Slope {
  S force, curvature;
};
/// Those of the cone, without the columns of H.
template <class S>
TANDEM_HD Slope<S> cone_slope(int dim, const S* D, const S* mu, const S& Dm, const S* x, const S* y) {
  const S m = mu[0], N = m * x[0], w_0 = m * y[0];
  S squared(0), along(0), all(0), pushed = -(D[0] * x[0]) * y[0], stiff = D[0] * y[0] * y[0];
  for (int j = 1; j < dim; ++j) {
    const S u = mu[j] * x[j], w = mu[j] * y[j], Dy = D[j] * y[j];
    squared = mul_add(u, u, squared);
    along = mul_add(u, w, along);
    all = mul_add(w, w, all);
    pushed = mul_add(-x[j], Dy, pushed);
    stiff = mul_add(y[j], Dy, stiff);
  }
  const auto straight = squared == S(0);
  const S T = sqrt(squared), inverse = S(1) / select(straight, S(1), T);
  along = along * inverse;
  const S depth = mul_add(m, T, -N), rise = mul_add(-m, along, w_0);
  const S across = m * m - m * N * inverse, turned = mul_add(-along, along, all);
  const S bent = select(across < S(0), S(0), across) * select(turned < S(0), S(0), turned);
  const auto between = S(0) < mul_add(m, N, T), acts = S(0) < depth;
  return {select(acts, select(between, Dm * depth * rise, pushed), S(0)),
          select(acts, select(between, Dm * mul_add(rise, rise, bent), stiff), S(0))};
}

/// MuJoCo's pyramid: 2 (dim - 1) rows (1, +-mu_j in row j) x that push, all with the same D. f is their sum.
template <class S>
TANDEM_HD Zone<S> pyramid_zone(int dim, const S& D, const S* mu, const S* x) {
  auto z = Zone<S>::free(dim, 2 * (dim - 1));
  const S root = sqrt(D);
  for (int c = 0; c < z.columns; ++c) {
    const int j = 1 + c / 2;
    const S side = c % 2 == 0 ? mu[j] : -mu[j], along = mul_add(side, x[j], x[0]);
    const auto pushes = along < S(0);
    const S f = half_quadratic(D, along).f;
    z.f[0] = z.f[0] + f;
    z.f[j] = mul_add(side, f, z.f[j]);
    z.B[c][0] = select(pushes, root, S(0));
    z.B[c][j] = select(pushes, root * side, S(0));
  }
  return z;
}

template <class S>
TANDEM_HD Slope<S> pyramid_slope(int dim, const S& D, const S* mu, const S* x, const S* y) {
  S force(0), curvature(0);
  for (int c = 0; c < 2 * (dim - 1); ++c) {
    const int j = 1 + c / 2;
    const S side = c % 2 == 0 ? mu[j] : -mu[j], along = mul_add(side, x[j], x[0]), moves = mul_add(side, y[j], y[0]);
    const auto row = half_quadratic(D, along);
    force = mul_add(row.f, moves, force);
    curvature = mul_add(row.h * moves, moves, curvature);
  }
  return {force, curvature};
}

/// The disc: the normal row by itself; friction elastic, or bounded by |f_t / mu| = N with the normal force N of the
/// step before.
/// As D_j / mu_j^2 is the same for all tangents, it then points against mu x_t: no equation is left to solve.
template <class S>
TANDEM_HD Zone<S> disc_zone(int dim, const S* D, const S* mu, const S& N, const S* x) {
  auto z = Zone<S>::free(dim, dim);
  const auto normal_row = half_quadratic(D[0], x[0]);
  z.f[0] = normal_row.f;
  z.B[0][0] = sqrt(normal_row.h);

  const int n = dim - 1;
  S u[most_contact_rows];
  for (int j = 0; j < n; ++j) u[j] = mu[j + 1] * x[j + 1];
  const Direction<S> slip(u, n);
  const S elastic = D[1] / (mu[1] * mu[1]), L = slip.length;
  const auto slides = N < elastic * L;
  const S root = sqrt(N / select(L == S(0), S(1), L));
  const NormalTo<S> normal(slip.t, n);
  for (int j = 1; j < dim; ++j) {
    z.f[j] = select(slides, -N * mu[j] * slip.t[j - 1], -D[j] * x[j]);
    for (int c = 1; c < dim; ++c) {
      const S across = c == 1 ? S(0) : root * mu[j] * normal.at(j - 1, c - 1);
      z.B[c][j] = select(slides, across, j == c ? sqrt(D[j]) : S(0));
    }
  }
  return z;
}

/// Without friction.
template <class S>
TANDEM_HD Zone<S> normal_zone(const S& D, const S& x) {
  auto z = Zone<S>::free(1, 1);
  const auto row = half_quadratic(D, x);
  z.f[0] = row.f;
  z.B[0][0] = sqrt(row.h);
  return z;
}

template <class S>
TANDEM_HD Zone<S> contact_zone(Coupling coupling, int dim, const S* D, const S* mu, const S& last_normal, const S* x) {
  if (dim == 1) return normal_zone(D[0], x[0]);
  if (coupling == Coupling::pyramid) return pyramid_zone(dim, D[0], mu, x);
  if (coupling == Coupling::disc) return disc_zone(dim, D, mu, last_normal, x);
  return cone_zone(dim, D, mu, x);
}

}  // namespace tandem::inline TANDEM_ISA
