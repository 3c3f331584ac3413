// SPDX-License-Identifier: Apache-2.0
/// Contacts of links, with what does not move or with other links, as given to the solver, and the blocks of rows that
/// it makes of them.
#pragma once
#include <type_traits>
#include <utility>

#include "tandem/detail/contact/laws.hpp"
#include "tandem/detail/contact/zones.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"
#include "tandem/detail/spatial/load_store.hpp"

namespace tandem::inline TANDEM_ISA {

/// Columns of H of a contact between two links, at most.
TANDEM_HD int columns_of(const ContactKind& kind, Coupling coupling) {
  return kind.other == 0 ? 0 : kind.dim > 1 && coupling == Coupling::pyramid ? 2 * (kind.dim - 1) : kind.dim;
}

/// All contacts of a robot, in the order of their links: the same ones for all lanes, whichever of them touch.
template <class Column>
struct ContactList {
  int n = 0;
  const ContactKind* kinds = nullptr;  ///< [n]
  Column places{};                     ///< [n][ContactPlace::rows]
  Column last_normal{};  ///< [n] normal force of the step before, N, of `disc`; 0 of a contact that was free
  int n_columns = 0;     ///< of H, of those between two links
  using Number = std::remove_cvref_t<decltype(std::declval<Column>()[0])>;
  const Transform<Number>* links = nullptr;  ///< [n_links] from the world; null: not known
};

/// The block of a contact, in rows of the workspace: how it is measured on its link, and its numbers.
template <class S, class Work>
struct ContactBlock {
  enum Row {
    point = 0,
    axes = 3,
    D = 12,
    mu = 18,
    reference = 24,
    x = 30,
    along = 36,
    normal = 42,
    touches = 43,
    other_point = 44,  // the same on the other link
    other_axes = 47,
    stiffness = 56,  // of the cone
    roots = 57,      // of D
    rows = 63
  };
  Work w;
  int dim;

  TANDEM_HD S get(Row first, int j) const { return S(w[first + j]); }
  TANDEM_HD void read(Row first, S (&out)[most_contact_rows]) const {
    for (int j = 0; j < dim; ++j) out[j] = S(w[first + j]);
  }

  /// Where the rows of a link begin, or of the other one, which is pushed the other way.
  enum class On : int { link = point, other = other_point };
  TANDEM_HD Vec3<S> axis(int j, On on = On::link) const {
    return load<Vec3<S>>(w, static_cast<int>(on) + (axes - point) + 3 * (j % 3));
  }
  TANDEM_HD Vec3<S> at_point(On on) const { return load<Vec3<S>>(w, static_cast<int>(on)); }

  /// W^T a: how the contact moves as a link does, along and about its axes.
  TANDEM_HD void measure(const Motion<S>& a, S (&out)[most_contact_rows], On on = On::link) const {
    const Vec3<S> moves = add_cross(a.v, a.w, at_point(on));
    for (int j = 0; j < dim; ++j) out[j] = dot(axis(j, on), j < 3 ? moves : a.w);
  }
  /// W f: the force on a link, about its origin.
  TANDEM_HD Force<S> force(const S* f, On on = On::link) const {
    auto sum = Force<S>::zero();
    for (int j = 0; j < dim; ++j) {
      if (j < 3)
        sum.f = mul_add(f[j], axis(j, on), sum.f);
      else
        sum.n = mul_add(f[j], axis(j, on), sum.n);
    }
    sum.n = add_cross(sum.n, at_point(on), sum.f);
    return sum;
  }

  /// Where the contact is, on a link that X leads to from the world.
  template <class R, class Place>
  TANDEM_HD void place(const Transform<S, R>& X, const Place& at, On on = On::link) const {
    const int first = static_cast<int>(on), turned = first + (axes - point);
    store(w, first, X.E * (load<Vec3<S>>(at, ContactPlace::point) - X.r));
    for (int j = 0; j < 3; ++j) store(w, turned + 3 * j, X.E * load<Vec3<S>>(at, ContactPlace::axes + 3 * j));
  }

  /// D, mu and the reference, of a contact at distance `distance` that moves with `v`.
  TANDEM_HD void prepare(const LawOptions& options, Coupling coupling, double impratio, const ContactKind& kind,
                         const S& distance, const S* v) const {
    const S r = distance - S(kind.margin);
    w[touches] = select(r < S(0), S(1), S(0));
    const double mu_1 = kind.friction[0], mm = mu_1 * mu_1 / impratio;
    const bool edges = dim > 1 && coupling == Coupling::pyramid;
    const double mobility = edges ? kind.mobility * (1 + mu_1 * mu_1) : kind.mobility;
    const auto row = Laws::bound(options, kind.softness, r, v[0], mobility, edges ? 2 * mm : 1);
    w[D] = row.D;
    w[reference] = row.reference;
    w[mu] = S(std::sqrt(mm));
    const bool own = kind.solreffriction[0] != 0 || kind.solreffriction[1] != 0;
    for (int j = 1; j < dim; ++j) {
      const double mu_j = kind.friction[j - 1];
      w[mu + j] = S(mu_j);
      w[D + j] = row.D * S(impratio * mu_j * mu_j / (mu_1 * mu_1));
      w[reference + j] =
          edges ? along_edges(options, kind.softness, r, v[j])
                : Laws::braked(options, own ? kind.solreffriction : kind.softness.solref, kind.softness.solimp, v[j]);
    }
  }

  /// What zones take of these numbers.
  TANDEM_HD void derive() const {
    for (int j = 0; j < dim; ++j) w[roots + j] = sqrt(get(D, j));
    w[stiffness] = cone_stiffness(get(D, 0), get(mu, 0));
  }

  /// The contact accelerates by `extra` besides what the rows of v say.
  TANDEM_HD void count(const S* extra) const {
    for (int j = 0; j < dim; ++j) w[reference + j] = get(reference, j) - extra[j];
  }
  /// x of a contact that accelerates with a.
  TANDEM_HD void begin(const S* a) const {
    for (int j = 0; j < dim; ++j) w[x + j] = a[j] - get(reference, j);
  }

  TANDEM_HD Zone<S> zone(Coupling coupling, const S* at) const {
    S D_j[most_contact_rows], mu_j[most_contact_rows], roots_j[most_contact_rows];
    read(D, D_j);
    read(mu, mu_j);
    read(roots, roots_j);
    auto z = dim > 1 && coupling == Coupling::cone ? cone_zone(dim, D_j, mu_j, S(w[stiffness]), roots_j, at)
                                                   : contact_zone(coupling, dim, D_j, mu_j, S(w[normal]), at);
    z.keep_where(S(0) < S(w[touches]));
    return z;
  }
  /// Calls f(block, zone); the most frequent kinds of contacts have numbers of rows and columns known at compile time.
  template <class F>
  TANDEM_HD void on_zone(Coupling coupling, F&& f) const {
    S at[most_contact_rows];
    read(x, at);
    if (dim == 3 && coupling == Coupling::cone) {
      const ContactBlock b{w, 3};
      f(b, b.zone(Coupling::cone, at));
    } else if (dim == 3 && coupling == Coupling::pyramid) {
      const ContactBlock b{w, 3};
      f(b, b.zone(Coupling::pyramid, at));
    } else if (dim == 6 && coupling == Coupling::cone) {
      const ContactBlock b{w, 6};
      f(b, b.zone(Coupling::cone, at));
    } else {
      f(*this, zone(coupling, at));
    }
  }
  /// Calls f(block) likewise.
  template <class F>
  TANDEM_HD void on_dim(F&& f) const {
    if (dim == 3)
      f(ContactBlock{w, 3});
    else if (dim == 6)
      f(ContactBlock{w, 6});
    else
      f(*this);
  }
  /// f^T y and y^T H y at another x.
  TANDEM_HD Slope<S> slope(Coupling coupling, const S* at, const S* y) const {
    S D_j[most_contact_rows], mu_j[most_contact_rows];
    read(D, D_j);
    read(mu, mu_j);
    Slope<S> found;
    if (dim == 1) {
      const auto row = half_quadratic(D_j[0], at[0]);
      found = {row.f * y[0], row.h * y[0] * y[0]};
    } else if (coupling == Coupling::pyramid) {
      found = pyramid_slope(dim, D_j[0], mu_j, at, y);
    } else if (coupling == Coupling::disc) {
      const auto z = zone(coupling, at);
      found = {z.work(y), z.curvature(y)};
    } else {
      found = cone_slope(dim, D_j, mu_j, S(w[stiffness]), at, y);
    }
    const auto acts = S(0) < S(w[touches]);
    return {select(acts, found.force, S(0)), select(acts, found.curvature, S(0))};
  }
  TANDEM_HD Zone<S> zone(Coupling coupling) const {
    S at[most_contact_rows];
    read(x, at);
    return zone(coupling, at);
  }

 private:
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

/// An articulated inertia with nothing in it, to which x + this = x even where x is -0.
template <class S>
TANDEM_HD ArticulatedInertia<S> nothing_articulated() {
  const S none(-0.0);
  const Vec3<S> row = {none, none, none};
  return {{none, none, none, none, none, none}, {row, row, row}, {none, none, none, none, none, none}};
}

/// a where the condition holds, b elsewhere.
template <class Condition, class S>
TANDEM_HD Sym3<S> select_all(const Condition& c, const Sym3<S>& a, const Sym3<S>& b) {
  return {select(c, a.xx, b.xx), select(c, a.yy, b.yy), select(c, a.zz, b.zz),
          select(c, a.xy, b.xy), select(c, a.xz, b.xz), select(c, a.yz, b.yz)};
}
template <class Condition, class S>
TANDEM_HD Vec3<S> select_all(const Condition& c, const Vec3<S>& a, const Vec3<S>& b) {
  return {select(c, a.x, b.x), select(c, a.y, b.y), select(c, a.z, b.z)};
}
template <class Condition, class S>
TANDEM_HD ArticulatedInertia<S> select_all(const Condition& c, const ArticulatedInertia<S>& a,
                                           const ArticulatedInertia<S>& b) {
  return {select_all(c, a.J, b.J),
          {select_all(c, a.H.row0, b.H.row0), select_all(c, a.H.row1, b.H.row1), select_all(c, a.H.row2, b.H.row2)},
          select_all(c, a.M, b.M)};
}

}  // namespace tandem::inline TANDEM_ISA
