// SPDX-License-Identifier: Apache-2.0
/// The rows of one contact.
#pragma once
#include "tandem/detail/contact/laws.hpp"
#include "tandem/detail/contact/zones.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"
#include "tandem/detail/spatial/load_store.hpp"

namespace tandem::inline TANDEM_ISA {

/// The block of a contact, in rows of the workspace: how it is measured on its links, its numbers, and what the
/// iteration finds. All rows are scaled, see zones.hpp.
template <class S, class Work>
struct ContactBlock {
  enum Row {
    point = 0,
    axes = 3,    // of rows 0 to 2, times their scales
    turns = 12,  // scales of rows 3 to 5 over those of rows 0 to 2, which have the same axes
    scale = 15,
    numbers = 21,     // ContactNumbers
    compliance = 26,  // of the normal, of the tangents
    touches = 28,
    x = 29,
    along = 35,  // J step
    f = 41,
    bent = 47,  // H J step
    H = 53,
    turn = 74,         // alpha at which friction turns round along the step
    other_point = 75,  // on the other link
    other_axes = 78,
    rows = 87
  };
  static constexpr int normal = numbers + 4;
  Work w;
  int dim;

  TANDEM_HD S get(Row first, int j) const { return S(w[first + j]); }
  TANDEM_HD void read(Row first, S (&out)[most_contact_rows]) const {
    for (int j = 0; j < dim; ++j) out[j] = S(w[first + j]);
  }
  TANDEM_HD void write(Row first, const S* in) const {
    for (int j = 0; j < dim; ++j) w[first + j] = in[j];
  }
  TANDEM_HD auto acts() const { return S(0) < S(w[touches]); }
  /// Whether it touches in any lane in which `open` is 1.
  TANDEM_HD bool touches_in(const S& open) const { return any(S(0) < S(w[touches]) * open); }

  /// Where the rows of a link begin, or of the other one, which is pushed the other way.
  enum class On : int { link = point, other = other_point };
  TANDEM_HD Vec3<S> axis(int j, On on = On::link) const {
    return load<Vec3<S>>(w, static_cast<int>(on) + (axes - point) + 3 * j);
  }
  TANDEM_HD Vec3<S> at_point(On on = On::link) const { return load<Vec3<S>>(w, static_cast<int>(on)); }

  /// W^T a: how the contact moves as a link does, along and about its axes.
  TANDEM_HD void measure(const Motion<S>& a, S (&out)[most_contact_rows], On on = On::link) const {
    const Vec3<S> moves = add_cross(a.v, a.w, at_point(on));
    for (int j = 0; j < dim; ++j)
      out[j] = j < 3 ? dot(axis(j, on), moves) : get(turns, j - 3) * dot(axis(j - 3, on), a.w);
  }
  /// W f: the force on a link, about its origin.
  TANDEM_HD Force<S> force(const S* f_j, On on = On::link) const {
    auto sum = Force<S>::zero();
    for (int j = 0; j < dim; ++j) {
      if (j < 3)
        sum.f = mul_add(f_j[j], axis(j, on), sum.f);
      else
        sum.n = mul_add(f_j[j] * get(turns, j - 3), axis(j - 3, on), sum.n);
    }
    sum.n = add_cross(sum.n, at_point(on), sum.f);
    return sum;
  }
  /// Column j of W: the force on a link, about its origin, of a unit along or about an axis.
  TANDEM_HD Force<S> direction(int j, On on) const {
    if (j >= 3) return {get(turns, j - 3) * axis(j - 3, on), Vec3<S>::zero()};
    return {cross(at_point(on), axis(j, on)), axis(j, on)};
  }
  /// W H W^T: an inertia that is welded to a link at the contact.
  TANDEM_HD ArticulatedInertia<S> inertia(On on = On::link) const {
    const auto z = kept_zone();
    const auto h = [&](int i, int j) TANDEM_INLINE { return i < dim && j < dim ? z.h(i, j) : S(0); };
    const Mat3<S> E = {axis(0, on), axis(1, on), axis(2, on)};
    const Vec3<S> p = at_point(on);
    const auto M = congruence(E, Sym3<S>{h(0, 0), h(1, 1), h(2, 2), h(0, 1), h(0, 2), h(1, 2)});
    if (dim <= 3) {
      const Mat3<S> A = cross(p, full(M));
      return {minus_skew_of(A, p), A, M};
    }
    const auto t = [&](int i, int j) TANDEM_INLINE {  // moments, times forces or moments
      const S of_i = i + 3 < dim ? get(turns, i) : S(0), of_j = j < 3 || j >= dim ? S(1) : get(turns, j - 3);
      return of_i * of_j * h(i + 3, j);
    };
    const ArticulatedInertia<S> about = {
        congruence(E, Sym3<S>{t(0, 3), t(1, 4), t(2, 5), t(0, 4), t(0, 5), t(1, 5)}),
        congruence(E, Mat3<S>{{t(0, 0), t(0, 1), t(0, 2)}, {t(1, 0), t(1, 1), t(1, 2)}, {t(2, 0), t(2, 1), t(2, 2)}}),
        M};
    return shift_origin(about, p);
  }

  /// Where the contact is, on a link that X leads to from the world.
  template <class R, class Place>
  TANDEM_HD void place(const Transform<S, R>& X, const Place& at, On on = On::link) const {
    const int first = static_cast<int>(on), turned = first + (axes - point);
    store(w, first, X.E * (load<Vec3<S>>(at, ContactPlace::point) - X.r));
    for (int j = 0; j < 3; ++j) {
      const S times = j < dim ? get(scale, j) : S(1);
      store(w, turned + 3 * j, times * (X.E * load<Vec3<S>>(at, ContactPlace::axes + 3 * j)));
    }
  }
  /// Scales of the rows, before they are placed.
  TANDEM_HD void set_scales(Coupling coupling, double impratio, const ContactKind& kind) const {
    for (int j = 0; j < dim; ++j) {
      w[scale + j] = S(scale_of(coupling, impratio, kind, j));
      if (j >= 3)
        w[turns + (j - 3)] = S(scale_of(coupling, impratio, kind, j) / scale_of(coupling, impratio, kind, j - 3));
    }
  }
  TANDEM_HD double scale_of(Coupling coupling, double impratio, const ContactKind& kind, int j) const {
    if (j > 0) return kind.friction[j - 1];
    return dim > 1 && coupling == Coupling::cone ? kind.friction[0] / std::sqrt(impratio) : 1;
  }

  /// Numbers, and x = J a - reference, of a contact at distance `distance` that moves with `v`, and accelerates with
  /// `drift` besides what the rows of a say.
  TANDEM_HD void prepare(const LawOptions& options, Coupling coupling, double impratio, const ContactKind& kind,
                         const S& distance, const S& last_normal, const S* v, const S* drift, const S* a) const {
    const auto near = distance - S(kind.margin) < S(0);
    const S r = select(near, distance - S(kind.margin), S(0));
    w[touches] = select(near, S(1), S(0));
    const double mu_1 = kind.friction[0], mm = mu_1 * mu_1 / impratio;
    const bool edges = dim > 1 && coupling == Coupling::pyramid;
    const double mobility = edges ? kind.mobility * (1 + mu_1 * mu_1) : kind.mobility;
    const bool own = kind.solreffriction[0] != 0 || kind.solreffriction[1] != 0;
    for (int j = 0; j < dim; ++j) {
      const double s = scale_of(coupling, impratio, kind, j);
      const S v_j = v[j] * S(1 / s);
      S reference;
      if (j == 0) {
        const auto row = Laws::bound(options, kind.softness, r, v_j, mobility, edges ? 2 * mm : 1);
        reference = row.reference;
        const S stiffness = dim == 1 || edges ? row.D : row.D * S(1 / mm);
        store(w, numbers,
              ContactNumbers<S>{row.D, stiffness, S(std::sqrt(mm)), stiffness * S(1 / (1 + mm)), last_normal});
        const S of_normal = S(1) / row.D, of_tangents = dim == 1 || edges ? of_normal : of_normal * S(mm);
        w[compliance] = coupling == Coupling::disc ? of_normal : of_tangents;
        w[compliance + 1] = of_tangents;
      } else {
        reference =
            edges ? along_edges(options, kind.softness, r, v_j)
                  : Laws::braked(options, own ? kind.solreffriction : kind.softness.solref, kind.softness.solimp, v_j);
      }
      w[x + j] = mul_add(S(-s), reference, a[j] + drift[j]);
      w[f + j] = S(0);
    }
  }

  TANDEM_HD Zone<S> zone(Coupling coupling, const S* u) const {
    auto z = contact_zone(coupling, dim, load<ContactNumbers<S>>(w, numbers), u);
    z.keep_where(acts());
    return z;
  }
  /// f and H as they were kept.
  TANDEM_HD Zone<S> kept_zone() const {
    Zone<S> z;
    z.rows = dim;
    for (int j = 0; j < dim; ++j) z.f[j] = S(w[f + j]);
    for (int k = 0; k < z.at(dim, 0); ++k) z.H[k] = S(w[H + k]);
    return z;
  }
  TANDEM_HD void keep(const Zone<S>& z) const {
    write(f, z.f);
    for (int k = 0; k < z.at(dim, 0); ++k) w[H + k] = z.H[k];
  }
  /// Where on the way along y the tangents are shortest.
  TANDEM_HD S turns_at(const S* y) const {
    S product(0), squared(0);
    for (int j = 1; j < dim; ++j) {
      product = mul_add(get(x, j), y[j], product);
      squared = mul_add(y[j], y[j], squared);
    }
    return -product / select(squared == S(0), S(1), squared);
  }
  /// f^T y and y^T H y at another u.
  TANDEM_HD Slope<S> slope(Coupling coupling, const S* u, const S* y) const {
    const auto found = contact_slope(coupling, dim, load<ContactNumbers<S>>(w, numbers), u, y);
    return {select(acts(), found.force, S(0)), select(acts(), found.curvature, S(0))};
  }

  /// Calls f(block); the most frequent kinds of contacts have a number of rows known at compile time.
  template <class F>
  TANDEM_HD void on_dim(F&& call) const {
    if (dim == 3)
      call(ContactBlock{w, 3});
    else if (dim == 6)
      call(ContactBlock{w, 6});
    else
      call(*this);
  }

 private:
  /// -A p~ of A = p~ M: the rotational block of a mass block M at p, about the origin.
  TANDEM_HD static Sym3<S> minus_skew_of(const Mat3<S>& A, const Vec3<S>& p) {
    const Vec3<S>&a = A.row0, &b = A.row1, &c = A.row2;
    return {difference_of_products(p.y, a.z, p.z, a.y), difference_of_products(p.z, b.x, p.x, b.z),
            difference_of_products(p.x, c.y, p.y, c.x), difference_of_products(p.z, a.x, p.x, a.z),
            difference_of_products(p.x, a.y, p.y, a.x), difference_of_products(p.x, b.y, p.y, b.x)};
  }

  /// Edges of a pyramid are servos in every direction: those of the tangents are what is left when the normal's is
  /// taken off.
  TANDEM_HD static S along_edges(const LawOptions& options, const Softness& of, const S& r, const S& v) {
    if (options.law == RowLaw::stop) return S(-1 / options.h) * v;
    const auto g = Laws::gains(of.solref, of.solimp, options.h);
    if (options.law == RowLaw::servo) return S(-g.b) * v;
    const S d = Laws::impedance(of.solimp, r);
    return -mul_add(S(options.h * g.k), d, S(g.b)) * v / Laws::stiffening(options, g, d);
  }
};

}  // namespace tandem::inline TANDEM_ISA
