// SPDX-License-Identifier: Apache-2.0
/// The rows of all contacts of a robot, in the workspace.
#pragma once
#include "tandem/detail/contact/contact_block.hpp"
#include "tandem/detail/contact/contact_list.hpp"
#include "tandem/detail/passes/articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// An articulated inertia with nothing in it, to which x + this = x even where x is -0.
template <class S>
TANDEM_HD ArticulatedInertia<S> nothing_articulated() {
  const S none(-0.0);
  const Vec3<S> row = {none, none, none};
  return {{none, none, none, none, none, none}, {row, row, row}, {none, none, none, none, none, none}};
}

/// a where the condition holds, b elsewhere: what lanes that do not touch add would turn -0 into 0.
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
TANDEM_HD Force<S> select_all(const Condition& c, const Force<S>& a, const Force<S>& b) {
  return {select_all(c, a.n, b.n), select_all(c, a.f, b.f)};
}
template <class Condition, class S>
TANDEM_HD ArticulatedInertia<S> select_all(const Condition& c, const ArticulatedInertia<S>& a,
                                           const ArticulatedInertia<S>& b) {
  return {select_all(c, a.J, b.J),
          {select_all(c, a.H.row0, b.H.row0), select_all(c, a.H.row1, b.H.row1), select_all(c, a.H.row2, b.H.row2)},
          select_all(c, a.M, b.M)};
}

/// Sums over rows of a step: f^T J step, (J step)^T H J step, and |f|^T |J step|, which says how exact they are.
template <class S>
struct StepSums {
  S force, curvature, size;

  TANDEM_HD void add(const S& f, const S& bent, const S& jd) {
    force = mul_add(f, jd, force);
    curvature = mul_add(bent, jd, curvature);
    size = mul_add(abs(f), abs(jd), size);
  }
};
/// Sums over rows at an iterate: f^T R f, and e^T R e of the errors e of the forces that the last step foresaw.
template <class S>
struct IterateSums {
  S works, unforeseen;
};

template <class S, class M, class Work, class List = ContactList<Work>>
struct ContactRows {
  using Aba = ArticulatedBody;
  using Block = ContactBlock<S, Work>;
  using Column = Work;
  /// What is welded to a link, in rows behind the blocks, where the contacts of the link begin.
  enum WeldedRow { inertia = 0, touched = 21, welded_rows = 22 };
  static constexpr Index rows = Index{Block::rows} + welded_rows;

  const ContactSolverOptions& options;
  const List& list;
  Work w;        ///< `rows` for each contact
  Work bodies;   ///< workspace of the articulated bodies
  Work motions;  ///< [links][18] of links that rows move against each other
  bool keeps_motions;

  TANDEM_HD Block block(int c) const { return {w + Index{Block::rows} * c, list.kinds[c].dim}; }
  TANDEM_HD Work welded(int c) const { return w + Index{Block::rows} * list.n + Index{welded_rows} * c; }

  /// Calls f(block, contact), with the number of rows known at compile time where it is a frequent one, for contacts
  /// that touch in any of the lanes in which `open` is 1.
  template <class F>
  TANDEM_HD void for_each(S open, F&& f) const {
    for (int c = 0; c < list.n; ++c)
      if (const Block of_c = block(c); of_c.touches_in(open))
        of_c.on_dim([&](const Block& b) TANDEM_INLINE { f(b, c); });
  }

  /// Where contacts are, on links that X leads to from the world.
  TANDEM_HD void place(int c, const Transform<S>& X, typename Block::On on) const {
    const Block b = block(c);
    if (on == Block::On::link) b.set_scales(options.coupling, options.impratio, list.kinds[c]);
    b.place(X, list.places + Index{ContactPlace::rows} * c, on);
  }
  TANDEM_HD void prepare(const Block& b, int c, const S* speed, const S* drift, const S* own) const {
    const S distance = list.places[Index{ContactPlace::rows} * c + ContactPlace::distance];
    b.prepare(options.law, options.coupling, options.impratio, list.kinds[c], distance,
              list.last_normal ? S(list.last_normal[c]) : S(0), speed, drift, own);
  }

  /// Calls f(block, contact, how it moves, ...) for the contacts of link i that moves so, or against another link that
  /// has moved before, if wanted(block). `next` is the first contact of links to come.
  template <int n, class Wanted, class F>
  TANDEM_HD void on_link(int i, const Motion<S> (&a_i)[n], int& next, Wanted&& wanted, F&& f) const {
    if (keeps_motions)
      for (int k = 0; k < n; ++k) store(motions + Index{18} * i, 6 * k, a_i[k]);
    for (; next < list.n && list.kinds[next].link == i; ++next) {
      if (!wanted(block(next))) continue;
      block(next).on_dim([&](const Block& b) TANDEM_INLINE {
        S moves[n][most_contact_rows];
        for (int k = 0; k < n; ++k) b.measure(a_i[k], moves[k]);
        if (const int other = list.kinds[next].other; other != 0)
          for (int k = 0; k < n; ++k) {
            S others[most_contact_rows];
            b.measure(load<Motion<S>>(motions + Index{18} * other, 6 * k), others, Block::On::other);
            for (int j = 0; j < b.dim; ++j) moves[k][j] = moves[k][j] - others[j];
          }
        f(b, next, moves);
      });
    }
  }

  /// Keeps J step of a contact and what it changes.
  TANDEM_HD void measure(const Block& b, const S* jd, StepSums<S>& sums) const {
    S bent[most_contact_rows];
    b.kept_zone().bend(jd, bent);
    b.write(Block::along, jd);
    b.write(Block::bent, bent);
    if (b.dim > 1) b.w[Block::turn] = b.turns_at(jd);
    for (int j = 0; j < b.dim; ++j) sums.add(b.get(Block::f, j), bent[j], jd[j]);
  }

  /// Forces and Hessians after a step of length alpha; `first`: where the iteration begins.
  TANDEM_HD void evaluate(bool first, S alpha, S open, IterateSums<S>& sums) const {
    for_each(open, [&](const Block& b, int) TANDEM_INLINE {
      S u[most_contact_rows];
      b.read(Block::x, u);
      const auto z = b.zone(options.coupling, u);
      sums.works = sums.works - z.work(u);
      for (int j = 0; !first && j < b.dim; ++j) {
        const S e = z.f[j] - mul_add(-alpha, b.get(Block::bent, j), b.get(Block::f, j));
        sums.unforeseen = mul_add(e * e, b.get(Block::compliance, j == 0 ? 0 : 1), sums.unforeseen);
      }
      b.keep(z);
    });
  }

  /// Pushes on links, and what is welded to them. Of contacts between two links only what between(block, contact) says
  /// is welded to the first.
  template <class F>
  TANDEM_HD void weld(S open, F&& between) const {
    for (int c = 0; c < list.n;) {
      const int first = c, link = list.kinds[c].link;
      auto added = nothing_articulated<S>();
      S some(0);
      for (; c < list.n && list.kinds[c].link == link; ++c) {
        if (!block(c).touches_in(open)) continue;
        block(c).on_dim([&](const Block& b) TANDEM_INLINE {
          const auto acts = b.acts();
          S f[most_contact_rows];
          b.read(Block::f, f);
          push(link, S(-1) * b.force(f), acts);
          if (const int other = list.kinds[c].other; other != 0) {
            push(other, b.force(f, Block::On::other), acts);
            if (!between(b, c)) return;
          }
          added = select_all(acts, added + b.inertia(), added);
          some = select(acts, S(1), some);
        });
      }
      store(welded(first), inertia, added);
      welded(first)[touched] = some;
    }
  }

  /// f^T J step and (J step)^T H J step, alpha steps ahead.
  TANDEM_HD void slopes(S alpha, S open, Slope<S>& sum) const {
    for_each(open, [&](const Block& b, int) TANDEM_INLINE {
      S u[most_contact_rows], jd[most_contact_rows];
      b.read(Block::x, u);
      b.read(Block::along, jd);
      for (int j = 0; j < b.dim; ++j) u[j] = mul_add(alpha, jd[j], u[j]);
      const auto of_contact = b.slope(options.coupling, u, jd);
      sum = {sum.force + of_contact.force, sum.curvature + of_contact.curvature};
    });
  }

  /// Of the alphas between low and high at which contacts turn round, the first one above low or, not upwards, the
  /// first one below high; low if there is none.
  TANDEM_HD S next_turn(S upwards, S low, S high) const {
    if (options.coupling != Coupling::cone) return low;
    S first = high, last = low;
    for (int c = 0; c < list.n; ++c) {
      if (list.kinds[c].dim == 1) continue;
      const S turn = select(block(c).acts(), S(block(c).w[Block::turn]), low);
      first = select(low < turn, select(turn < first, turn, first), first);
      last = select(turn < high, select(last < turn, turn, last), last);
    }
    return select(S(0) < upwards, select(first < high, first, low), last);
  }

  TANDEM_HD void advance(S alpha, S open) const {
    for_each(open, [&](const Block& b, int) TANDEM_INLINE {
      for (int j = 0; j < b.dim; ++j) {
        const S x = b.get(Block::x, j);
        b.w[Block::x + j] = select(S(0) < open, mul_add(alpha, b.get(Block::along, j), x), x);
      }
    });
  }

  /// Contacts that were free a step before have no normal force that bounds their friction: the first iterate's.
  TANDEM_HD void seed_normals() const {
    if (options.coupling != Coupling::disc) return;
    for_each(S(1), [&](const Block& b, int) TANDEM_INLINE {
      const S N = b.w[Block::normal];
      const S now = half_quadratic(S(b.w[Block::numbers]), b.get(Block::x, 0)).f;
      b.w[Block::normal] = select(S(0) < N, N, now);
    });
  }

  template <class Out>
  TANDEM_HD void report(Out f_contact) const {
    for (int c = 0; c < list.n; ++c) {
      const Block b = block(c);
      for (int j = 0; j < most_contact_rows; ++j)
        f_contact[Index{6} * c + j] = j < b.dim ? b.get(Block::f, j) * b.get(Block::scale, j) : S(0);
    }
  }

 private:
  TANDEM_HD void push(int link, const Force<S>& f, const auto& acts) const {
    const auto was = load<Force<S>>(bodies, Aba::at(link, Aba::F));
    store(bodies, Aba::at(link, Aba::F), select_all(acts, was + f, was));
  }
};

/// Walks with the inward pass from link to link, and with that through the contacts and couplings.
template <class S, class Rows, class Coupled>
struct WeldedContacts {
  const Rows& rows;
  const Coupled& coupled;
  int next;      ///< contacts before this one are on links to come
  bool couples;  ///< whether there are couplings
  TANDEM_HD ArticulatedInertia<S> onto(int i, const ArticulatedInertia<S>& Ia) {
    if (!couples) return of_contacts(i, Ia);
    coupled.eliminate(i + 1);  // which has yielded
    const auto welded = of_contacts(i, Ia);
    return coupled.list().meets[i] ? welded + coupled.own_inertia(i) : welded;
  }

 private:
  TANDEM_HD ArticulatedInertia<S> of_contacts(int i, const ArticulatedInertia<S>& Ia) {
    const auto& kinds = rows.list.kinds;
    if (next == 0 || kinds[next - 1].link != i) return Ia;
    while (next > 0 && kinds[next - 1].link == i) --next;
    const auto of_link = rows.welded(next);
    return select_all(S(0) < S(of_link[Rows::touched]), Ia + load<ArticulatedInertia<S>>(of_link, Rows::inertia), Ia);
  }
};

}  // namespace tandem::inline TANDEM_ISA
