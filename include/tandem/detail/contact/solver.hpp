// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as one class has all that a Newton step goes through.
#pragma once
#include "tandem/detail/contact/contact_list.hpp"
#include "tandem/detail/contact/coupler_rows.hpp"
#include "tandem/detail/contact/joint_rows.hpp"
#include "tandem/detail/contact/link_passes.hpp"
#include "tandem/detail/contact/loop_rows.hpp"
#include "tandem/detail/contact/tendon_rows.hpp"

namespace tandem::inline TANDEM_ISA {

/// How it went, one number a lane.
template <class S>
struct ContactSolution {
  S converged;  ///< 1, or 0 after most_steps
  S steps;      ///< Newton steps
};

/// Forward dynamics of a robot that touches what does not move, or itself, with its limits and friction: the
/// acceleration a that minimises
///
///     1/2 |a - a_free|^2_M + sum over blocks of s(J a - reference)
///
/// [MuJoCo, Computation, Constraint model], with the laws of laws.hpp and the costs of zones.hpp.
///
/// Method    Newton's method in the accelerations. As H = B B^T of a contact acts on one link alone,
///
///               (M + J^T H J) y = tau - bias + J^T (f + H J a)
///
///           is forward dynamics of a robot to whose links W H W^T is welded, on which W (f + H J a) pushes, and
///           whose joints have
///           the curvature of their rows beside their armature: articulated bodies, O(links + contacts), with neither
///           M nor H.
///           Contacts between two links, rows of tendons, loop joints and couplers are columns B over the same
///           articulated bodies, with E = J^T B of them,
///
///               y = y_0 - U z,   U = (M + J^T H J of all others)^-1 E,   (1 + E^T U) z = E^T y_0
///
///           Along y - a a line search by slopes: costs as differences would lose half the digits
/// In        q [nq]   v [nv]   tau [nv] N m|N with all passive forces but friction   f_ext, diagonal as in forward
/// dynamics
///           contacts, in the order of their links   a [nv]: where to begin, the acceleration of the step before
/// Out       a [nv] rad/s^2|m/s^2   f_limit, f_friction [nv] N m|N: pushes of limits, friction of joints
///           f_contact [contacts][6] N, N m: along the normal and the tangents, about them; columns may be left out
///           Of loop joints and couplers: see report_held
/// Errors    none; a contact with a NaN in it gives NaN in its own lane
template <class S, class M, class Work>
struct ContactSolver {
  using Aba = ArticulatedBody;
  using Block = ContactBlock<S, Work>;
  using Joints = JointRows<S, M, Work>;
  using Tendons = TendonRows<S, M, Work>;
  using Loops = LoopRows<S, Work>;
  using Couplers = CouplerRows<S, Work>;
  using Link = LinkPasses;
  static constexpr double unit = std::is_same_v<typename RealOf<S>::type, float> ? 0x1p-23 : 0x1p-52;

  const ModelView<M>& m;
  const ContactSolverOptions& options;
  const JointSoftness& softness;
  const ContactList<Work>& contacts;
  Work w;

  /// What is welded to links, in rows after the blocks: an inertia and a push where the contacts of a link begin.
  enum WeldedRow { inertia = 0, touched = 21, welded_rows = 22 };

  TANDEM_HD static Index at_bare(const ModelView<M>& m) { return Aba::work_rows(m); }
  TANDEM_HD static Index at_joints(const ModelView<M>& m) { return at_bare(m) + Index{5} * m.nv; }
  TANDEM_HD static Index at_blocks(const ModelView<M>& m) { return at_joints(m) + Index{Joints::rows} * m.nv; }
  TANDEM_HD static Index at_welded(const ModelView<M>& m, int n) { return at_blocks(m) + Index{Block::rows} * n; }
  TANDEM_HD static Index at_motions(const ModelView<M>& m, int n) {
    return at_welded(m, n) + Index{welded_rows} * n;
  }
  TANDEM_HD static Index column_rows(const ModelView<M>& m, Index k) { return k * (2 * m.n_dof + k + 1) + m.n_dof; }
  /// Columns that contacts between two links, `n_columns` of them, tendons, loop joints and couplers have at most.
  TANDEM_HD static Index most_columns(const JointSoftness& of, int n_columns) {
    return Index{n_columns} + of.tendons.n + of.loops.n_held + of.couplers.n;
  }
  TANDEM_HD Index most_columns() const { return most_columns(softness, contacts.n_columns); }
  TANDEM_HD static Index work_rows(const ModelView<M>& m, const JointSoftness& of, int n_contacts, int n_columns) {
    const Index k = most_columns(of, n_columns);
    return at_motions(m, n_contacts) +
           (k > 0 ? Index{6} * m.n_links + column_rows(m, k) + Index{Tendons::rows} * of.tendons.n +
                        Index{Loops::rows} * of.loops.n + Index{Couplers::rows} * of.couplers.n
                  : 0);
  }
  /// Whether there are columns over joints, which do not begin at two links.
  TANDEM_HD bool joins_joints() const { return softness.tendons.n > 0 || softness.couplers.n > 0; }
  TANDEM_HD bool joins_links() const { return contacts.n_columns > 0 || softness.loops.n > 0; }
  TANDEM_HD Tendons tendons() const { return {m, softness.tendons, columns() + column_rows(m, most_columns())}; }
  TANDEM_HD Loops loops() const { return {softness.loops, tendons().of(softness.tendons.n)}; }
  TANDEM_HD Couplers couplers() const { return {softness.couplers, loops().of(softness.loops.n)}; }
  TANDEM_HD Work motion_of(int link) const { return w + at_motions(m, contacts.n) + Index{6} * link; }
  TANDEM_HD Work columns() const { return motion_of(m.n_links); }
  TANDEM_HD Work column(int k) const { return w + at_bare(m) + Index{k} * m.nv; }
  TANDEM_HD Work bare() const { return column(0); }      ///< tau - bias
  TANDEM_HD Work effort() const { return column(1); }    ///< of a Newton step
  TANDEM_HD Work diagonal() const { return column(2); }  ///< the same, with what was given
  TANDEM_HD Work step() const { return column(3); }
  TANDEM_HD Work a() const { return column(4); }
  TANDEM_HD Joints joints() const { return {m, w + at_joints(m)}; }
  TANDEM_HD Block block(int c) const { return {w + at_blocks(m) + Index{Block::rows} * c, contacts.kinds[c].dim}; }
  TANDEM_HD Work welded(int c) const { return w + at_welded(m, contacts.n) + Index{welded_rows} * c; }

  /// Walks with the inward pass from link to link, and with that through the contacts.
  struct Welded {
    const ContactSolver& solver;
    int next;  ///< contacts before this one are on links to come
    TANDEM_HD ArticulatedInertia<S> onto(int i, const ArticulatedInertia<S>& Ia) {
      const ContactKind* const kinds = solver.contacts.kinds;
      if (next == 0 || kinds[next - 1].link != i) return Ia;
      while (next > 0 && kinds[next - 1].link == i) --next;
      const auto rows = solver.welded(next);
      return select_all(S(0) < S(rows[touched]), Ia + load<ArticulatedInertia<S>>(rows, inertia), Ia);
    }
  };

  /// Calls f(block, contact, how it moves) for all contacts of links that move with a rate, or one against the other,
  /// and g(loop joint, how it moves).
  template <class Rate, class F, class G>
  TANDEM_HD S motions(Rate rate, F&& f, G&& g) const {
    int c = 0;
    S energy(0);
    Link::motions<S>(m, rate, w, [&](int i, const Motion<S>& a_i) TANDEM_INLINE {
      energy = energy + dot(a_i, link_inertia<S>(m, i) * a_i);
      if (joins_links()) store(motion_of(i), 0, a_i);
      for (; c < contacts.n && contacts.kinds[c].link == i; ++c) {
        block(c).on_dim([&](const Block& b) TANDEM_INLINE {
          S moves[most_contact_rows];
          b.measure(a_i, moves);
          if (const int other = contacts.kinds[c].other; other != 0) {
            S others[most_contact_rows];
            b.measure(load<Motion<S>>(motion_of(other), 0), others, Block::On::other);
            for (int j = 0; j < b.dim; ++j) moves[j] = moves[j] - others[j];
          }
          f(b, c, moves);
        });
      }
    });
    const auto of = [&](int link) TANDEM_INLINE {
      return link == 0 ? Motion<S>::zero() : load<Motion<S>>(motion_of(link), 0);
    };
    const auto rows = loops();
    for (int l = 0; l < rows.list.n; ++l) {
      S moves[6];
      rows.measure(l, of(rows.list.kinds[l].link_1), of(rows.list.kinds[l].link_2), moves);
      g(l, moves);
    }
    return energy;
  }
  /// x^T (M + diagonal) x, from the motions of links that it causes and those of rotors.
  template <class Rate, class D>
  TANDEM_HD S with_rotors(S energy, Rate x, D given) const {
    for (int k = 0; k < m.nv; ++k) {
      const S rotor = given ? S(m.armature[k]) + S(given[k]) : S(m.armature[k]);
      energy = mul_add(rotor * S(x[k]), S(x[k]), energy);
    }
    return energy;
  }

  template <class Q, class V, class Tau, class Fx, class D, class A, class FLimit, class FFriction, class FContact>
  TANDEM_HD ContactSolution<S> solve(Q q, V v, Tau tau, Fx f_ext, D given, A warm, FLimit f_limit, FFriction f_friction,
                                     FContact f_contact) const {
    place(m, q, v, f_ext, w);
    return solve_placed(q, v, tau, given, warm, f_limit, f_friction, f_contact);
  }
  /// The two halves of solve: link transforms and bias forces, in rows of the workspace that do not depend on contacts;
  /// and the rest.
  template <class Q, class V, class Fx>
  TANDEM_HD static void place(const ModelView<M>& m, Q q, V v, Fx f_ext, Work w) {
    Aba::place_and_move<S, true>(m, q, v, f_ext, w);
  }
  template <class Q, class V, class Tau, class D, class A, class FLimit, class FFriction, class FContact>
  TANDEM_HD ContactSolution<S> solve_placed(Q q, V v, Tau tau, D given, A warm, FLimit f_limit, FFriction f_friction,
                                            FContact f_contact) const {
    for (int k = 0; k < m.nv; ++k) bare()[k] = S(tau[k]);
    Link::less_bias_forces<S>(m, bare(), w);
    S scale = begin(q, v, warm, given);
    ContactSolution<S> solution{S(0), S(0)};
    S least(0), stale(0);
    for (int n = 0; n < options.most_steps; ++n) {
      const S works = weld(given);
      if (has_mimic_joints(m)) {
        respond_with_mimic(contacts.n);
        if (most_columns() > 0) join();
      } else {
        yield(contacts.n);
        if (joins_links() && !joins_joints()) join_paths();
        Aba::outward<S>(m, step(), w);
        if (joins_joints()) join();
      }
      for (int k = 0; k < m.nv; ++k) step()[k] = S(step()[k]) - S(a()[k]);

      // decrement: step^T (M + J^T H J) step; slope: step^T M (a - a_free), both at the beginning of the search
      S along(0), decrement = with_rotors(measure_step(), step(), given);
      const S mass = decrement;
      const auto [force_along, curved] = slopes(S(0));
      decrement = mass + curved;
      const S slope = force_along - decrement;
      for (int k = 0; k < m.nv; ++k) along = mul_add(S(step()[k]), S(bare()[k]), along);

      const auto open = S(solution.converged) == S(0);
      const S alpha = select(open, search(slope, mass, decrement), S(0));
      advance(alpha, open);
      // a^T M a, by what it was: step^T M a = slope + step^T M a_free
      scale = mul_add(alpha, mul_add(alpha, mass, S(2) * (slope + along)), scale);
      if (n == 0) seed_normals();

      solution.steps = select(open, solution.steps + S(1), solution.steps);
      // what is at rest has no a, but pushes that balance: a hundredth of the tolerance holds for these
      const S moves = mul_add(S(1e-4), abs(works), abs(scale));
      const S limit = S(options.tolerance * options.tolerance) * moves;
      // rounding leaves a decrement that no step brings down
      const S noise = S(1e10 * unit * unit) * (abs(scale) + abs(works));
      const auto worse = S(n == 0 ? 0 : 0.25) * least < decrement;
      stale = n == 0 ? S(0) : select(worse, select(decrement < noise, stale + S(1), S(0)), S(0));
      least = n == 0 ? decrement : select(decrement < least, decrement, least);
      const S small = select(decrement < limit, S(1), select(decrement == limit, S(1), S(0)));  // 0 of NaN
      solution.converged = select(S(1) < stale, S(1), select(open, small, solution.converged));
      if (!any(solution.converged == S(0))) break;
    }
    report(warm, f_limit, f_friction, f_contact);
    return solution;
  }

  /// After solve(): the accelerations a' if joints had `more` [nv] on their diagonal besides, under the same forces,
  ///
  ///     (M + given + more) a' = (M + given) a
  template <class D, class More, class A>
  TANDEM_PASS void slow(D given, More more, A out) const {
    for (int k = 0; k < m.nv; ++k) {
      effort()[k] = S(more[k]) * S(a()[k]);
      diagonal()[k] = given ? S(given[k]) + S(more[k]) : S(more[k]);
    }
    release();
    if (has_mimic_joints(m)) {
      respond_with_mimic(0);
    } else {
      yield(0);
      Aba::outward<S>(m, step(), w);
    }
    for (int k = 0; k < m.nv; ++k) out[k] = S(a()[k]) - S(step()[k]);
  }

  /// After solve(): the wrenches f_loop [loops][6] N, N m, of loop joints on their second links, at the origins of
  /// their frames there, along the described axes of frame 1, linear first; and the forces of couplers, N m|N.
  template <class FLoop, class FCoupler>
  TANDEM_PASS void report_held(FLoop f_loop, FCoupler f_coupler) const {
    for (int l = 0; l < softness.loops.n; ++l) loops().report(l, f_loop);
    for (int c = 0; c < softness.couplers.n; ++c) f_coupler[c] = S(couplers().of(c)[Couplers::force]);
  }

  /// After solve(): W of the forces f_contact [contacts][6], of tendons, loop joints and couplers where the robot moves
  /// with `rate` [nv].
  template <class Rate, class FContact>
  TANDEM_PASS S power(Rate rate, FContact f_contact) const {
    S sum(0);
    const auto of_tendons = tendons();
    for (int t = 0; t < of_tendons.list.n; ++t)
      sum = mul_add(S(of_tendons.of(t)[Tendons::force]), of_tendons.along(t, rate), sum);
    const auto of_couplers = couplers();
    for (int c = 0; c < of_couplers.list.n; ++c)
      sum = mul_add(S(of_couplers.of(c)[Couplers::force]), of_couplers.along(c, rate), sum);
    motions(
        rate,
        [&](const Block& b, int c, const S* speed) TANDEM_INLINE {
          for (int j = 0; j < b.dim; ++j) sum = mul_add(S(f_contact[Index{6} * c + j]), speed[j], sum);
        },
        [&](int l, const S* speed) TANDEM_INLINE {
          loops().for_each_held(l, [&](int j) TANDEM_INLINE {
            sum = mul_add(loops().pull(l, j, S(0)), speed[j], sum);
          });
        });
    return sum;
  }

 private:
  /// Articulated bodies inward, with what is welded to the links of the first n contacts.
  TANDEM_PASS void yield(int n) const {
    Aba::inward_welded<S, true, true>(m, effort(), diagonal(), w, Welded{*this, n});
  }
  TANDEM_PASS void respond_with_mimic(int n) const {
    if constexpr (joint_set<M> == JointSet::any)
      Aba::mimic_welded<S, true, true>(m, effort(), diagonal(), step(), w, Welded{*this, n});
  }

  /// Places, measures and prepares all rows; returns a^T M a of where the iteration begins.
  template <class Q, class V, class A, class D>
  TANDEM_PASS S begin(Q q, V v, A warm, D given) const {
    joints().prepare(options.law, softness, q, v);
    const auto of_tendons = tendons();
    of_tendons.prepare(options.law, softness, q, v);
    for (int t = 0; t < of_tendons.list.n; ++t) of_tendons.spread(t, S(of_tendons.of(t)[Tendons::spring]), bare());
    couplers().prepare(options.law, q, v);
    if (softness.loops.n > 0) place_loops(v);
    if (contacts.links) {
      for (int c = 0; c < contacts.n; ++c) {
        const auto at = contacts.places + Index{ContactPlace::rows} * c;
        block(c).place(contacts.links[contacts.kinds[c].link], at);
        if (const int other = contacts.kinds[c].other; other != 0)
          block(c).place(contacts.links[other], at, Block::On::other);
      }
    } else {
      int c = 0;
      Link::places<S>(m, w, [&](int i, const Transform<S>& X_iw) TANDEM_INLINE {
        for (; c < contacts.n && contacts.kinds[c].link == i; ++c)
          block(c).place(X_iw, contacts.places + Index{ContactPlace::rows} * c);
        for (int k = c; contacts.n_columns > 0 && k < contacts.n; ++k)
          if (contacts.kinds[k].other == i)
            block(k).place(X_iw, contacts.places + Index{ContactPlace::rows} * k, Block::On::other);
      });
    }
    motions(
        v,
        [&](const Block& b, int k, const S* speed) TANDEM_INLINE {
          b.prepare(options.law, options.coupling, options.impratio, contacts.kinds[k],
                    S(contacts.places[Index{ContactPlace::rows} * k + ContactPlace::distance]), speed);
          b.derive();
          b.w[Block::normal] = contacts.last_normal ? S(contacts.last_normal[k]) : S(0);
        },
        [&](int l, const auto& speed) TANDEM_INLINE { loops().prepare(l, options.law, speed); });
    Link::turning_part<S>(m, v, step());
    motions(
        step(), [&](const Block& b, int, const S* drift) TANDEM_INLINE { b.count(drift); }, [](int, const S*) {});
    for (int k = 0; k < m.nv; ++k) {
      const S given_a = warm[k];
      a()[k] = select(abs(given_a) < S(1e30), given_a, S(0));  // NaN and infinities: begin at rest
    }
    const S energy = motions(
        a(), [&](const Block& b, int, const S* own) TANDEM_INLINE { b.begin(own); },
        [&](int l, const S* own) TANDEM_INLINE { loops().begin(l, own); });
    return with_rotors(energy, a(), given);
  }

  /// Where the frames of loop joints are, and how their links accelerate while no joint does.
  template <class V>
  TANDEM_PASS void place_loops(V v) const {
    const auto rows = loops();
    for (int l = 0; l < rows.list.n; ++l) {
      int link[2] = {rows.list.kinds[l].link_1, rows.list.kinds[l].link_2};
      const auto base = carried(base_rates<S>(m));
      if (link[0] == 0) store(rows.of(l), Loops::rates_1, base);
      if (link[1] == 0) store(rows.of(l), Loops::rates_2, base);
      Transform<S> X[2] = {Transform<S>::identity(), Transform<S>::identity()};
      while (link[0] != link[1]) {  // to where the ways to the base meet
        const int end = link[0] > link[1] ? 0 : 1, i = link[end];
        on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
          X[end] = X[end] * (recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X)) * Transform<S>::identity());
        });
        link[end] = m.parent[i];
      }
      rows.place(l, X[0], X[1]);
    }
    Link::rates<S>(m, v, w, [&](int i, const Rates<S>& i_rates) TANDEM_INLINE {
      for (int l = 0; l < rows.list.n; ++l) {
        if (rows.list.kinds[l].link_1 == i) store(rows.of(l), Loops::rates_1, carried(i_rates));
        if (rows.list.kinds[l].link_2 == i) store(rows.of(l), Loops::rates_2, carried(i_rates));
      }
    });
  }

  /// What the step sees: inertia and pushes of contacts on links, curvature and forces of joints. Returns f^T R f: with
  /// a^T M a, how large all that balances is.
  template <class D>
  TANDEM_PASS S weld(D given) const {
    S works(0);
    const auto rows = joints();
    for (int k = 0; k < m.nv; ++k) {
      const S a_k = a()[k];
      if (!rows.some(k)) {
        effort()[k] = S(bare()[k]);
        diagonal()[k] = given ? S(given[k]) : S(0);
        continue;
      }
      const auto push = rows.at(k, a_k);
      const auto acts = rows.acting(k);  // elsewhere as if there were no rows
      effort()[k] = select(acts, S(bare()[k]) + mul_add(push.h, a_k, push.f), S(bare()[k]));
      diagonal()[k] = given ? S(given[k]) + push.h : push.h;
      works = works + push.works;
    }
    const auto of_tendons = tendons();
    for (int t = 0; t < of_tendons.list.n; ++t) {
      const S Ja = of_tendons.along(t, a());
      const auto push = of_tendons.at(t, Ja);
      of_tendons.spread(t, mul_add(push.h, Ja, push.f), effort());
      works = works + push.works;
    }
    const auto of_couplers = couplers();
    for (int c = 0; c < of_couplers.list.n; ++c) {
      const S stiff = of_couplers.of(c)[Couplers::D], f = of_couplers.pull(c, of_couplers.along(c, a()));
      of_couplers.spread(c, stiff * S(of_couplers.of(c)[Couplers::reference]), effort());  // f + H J a
      works = mul_add(f / stiff, f, works);
    }
    for (int c = 0; contacts.n_columns > 0 && c < contacts.n; ++c)
      if (const int other = contacts.kinds[c].other; other != 0)
        store(w, Aba::at(other, Aba::F), Force<S>::zero());  // as where nothing is listed
    for (int l = 0; l < softness.loops.n; ++l)
      for (const int link : {softness.loops.kinds[l].link_1, softness.loops.kinds[l].link_2})
        if (link != 0) store(w, Aba::at(link, Aba::F), Force<S>::zero());
    for (int c = 0; c < contacts.n;) {
      const int first = c, link = contacts.kinds[c].link;
      auto added = nothing_articulated<S>();
      auto pushed = Force<S>::zero();
      S some(0);
      for (; c < contacts.n && contacts.kinds[c].link == link; ++c) {
        block(c).on_zone(options.coupling, [&](const Block& b, const Zone<S>& zone) TANDEM_INLINE {
          S x[most_contact_rows], Ja[most_contact_rows], f[most_contact_rows];
          b.read(Block::x, x);
          for (int j = 0; j < b.dim; ++j) Ja[j] = x[j] + b.get(Block::reference, j);
          zone.push(Ja, f);
          works = works - zone.work(x);
          const auto acts = S(0) < S(b.w[Block::touches]);
          const auto more = pushed - b.force(f);
          pushed = {select_all(acts, more.n, pushed.n), select_all(acts, more.f, pushed.f)};
          if (const int other = contacts.kinds[c].other; other != 0) {
            const Index row = Aba::at(other, Aba::F);
            const auto was = load<Force<S>>(w, row), back = was + b.force(f, Block::On::other);
            store(w, row, Force<S>{select_all(acts, back.n, was.n), select_all(acts, back.f, was.f)});
            return;
          }
          auto with = added;
          for (int k = 0; k < zone.columns; ++k) {
            const auto WB = b.force(zone.B[k]);
            with = minus_product(with, WB, S(-1) * WB);
          }
          added = select_all(acts, with, added);
          some = select(acts, S(1), some);
        });
      }
      store(welded(first), inertia, added);
      welded(first)[touched] = some;
      store(w, Aba::at(link, Aba::F), pushed);
    }
    const auto of_loops = loops();
    for (int l = 0; l < of_loops.list.n; ++l) {
      S f[6];
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        f[j] = of_loops.stiffness(l, j) * of_loops.get(l, Loops::reference, j);  // f + H J a
        works = mul_add(of_loops.pull(l, j, S(0)), -of_loops.get(l, Loops::x, j), works);
      });
      const auto add = [&](int link, const Force<S>& more) TANDEM_INLINE {
        if (link != 0) store(w, Aba::at(link, Aba::F), load<Force<S>>(w, Aba::at(link, Aba::F)) + more);
      };
      add(of_loops.list.kinds[l].link_1, S(-1) * of_loops.force(l, f, Loops::On::first));
      add(of_loops.list.kinds[l].link_2, of_loops.force(l, f, Loops::On::second));
    }
    return works;
  }

  /// Contacts and loop joints push no more on links.
  TANDEM_HD void release() const {
    for (int c = 0; c < contacts.n; ++c) {
      store(w, Aba::at(contacts.kinds[c].link, Aba::F), Force<S>::zero());
      if (const int other = contacts.kinds[c].other; other != 0)
        store(w, Aba::at(other, Aba::F), Force<S>::zero());
    }
    for (int l = 0; l < softness.loops.n; ++l)
      for (const int link : {softness.loops.kinds[l].link_1, softness.loops.kinds[l].link_2})
        if (link != 0) store(w, Aba::at(link, Aba::F), Force<S>::zero());
  }

  /// What columns change in the accelerations y_0 that a Newton step without their
  /// curvature has found: y_0 - U z. The articulated bodies of that step are still there.
  TANDEM_PASS void join() const {
    const Index most = most_columns(), nv = m.nv;
    const auto E = columns(), U = E + most * nv, G = U + most * nv, z = G + most * most;
    release();
    Index n = 0;
    for (int c = 0; c < contacts.n; ++c) {
      const int other = contacts.kinds[c].other;
      if (other == 0) continue;
      const Block b = block(c);
      const auto zone = b.zone(options.coupling);
      for (int k = 0; k < zone.columns; ++k) {
        S acts(0);
        for (int j = 0; j < b.dim; ++j) acts = acts + abs(zone.B[k][j]);
        if (!any(S(0) < acts)) continue;
        store(w, Aba::at(contacts.kinds[c].link, Aba::F), S(-1) * b.force(zone.B[k]));
        store(w, Aba::at(other, Aba::F), b.force(zone.B[k], Block::On::other));
        const auto E_n = E + n * nv, U_n = U + n * nv;
        fill(E_n, nv, S(0));
        Link::less_bias_forces<S>(m, E_n, w);
        Aba::solve<S, false, false>(m, E_n, diagonal(), U_n, w);
        ++n;
      }
    }
    const auto of_loops = loops();
    for (int l = 0; l < of_loops.list.n; ++l)
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        const int one = of_loops.list.kinds[l].link_1, two = of_loops.list.kinds[l].link_2;
        if (one != 0) store(w, Aba::at(one, Aba::F), S(-1) * of_loops.column(l, j, Loops::On::first));
        if (two != 0) store(w, Aba::at(two, Aba::F), of_loops.column(l, j, Loops::On::second));
        const auto E_n = E + n * nv, U_n = U + n * nv;
        fill(E_n, nv, S(0));
        Link::less_bias_forces<S>(m, E_n, w);
        Aba::solve<S, false, false>(m, E_n, diagonal(), U_n, w);
        ++n;
      });
    const auto of_couplers = couplers();
    for (int c = 0; c < of_couplers.list.n; ++c) {
      const auto E_n = E + n * nv, U_n = U + n * nv;
      fill(E_n, nv, S(0));
      of_couplers.spread(c, sqrt(S(of_couplers.of(c)[Couplers::D])), E_n);
      Aba::solve<S, false, false>(m, E_n, diagonal(), U_n, w);
      ++n;
    }
    const auto rows = tendons();
    for (int t = 0; t < rows.list.n; ++t) {
      const S h = rows.at(t, rows.along(t, a())).h;
      if (!any(S(0) < h)) continue;
      const auto E_n = E + n * nv, U_n = U + n * nv;
      fill(E_n, nv, S(0));
      rows.spread(t, sqrt(h), E_n);
      Aba::solve<S, false, false>(m, E_n, diagonal(), U_n, w);
      ++n;
    }
    for (Index j = 0; j < n; ++j) {
      z[j] = dot_of(E + j * nv, step());
      for (Index k = 0; k < n; ++k) G[n * j + k] = dot_of(E + j * nv, U + k * nv) + S(j == k ? 1 : 0);
    }
    solve_spd<S>(G, static_cast<int>(n), z);
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < nv; ++k) step()[k] = mul_add(-S(z[j]), S(U[j * nv + k]), S(step()[k]));
  }
  /// The same before joints accelerate, for robots without mimic joints: forces go from both links to the base alone.
  /// With u = S^T f at every joint on the way, u_j of a column and u_0 of all forces of the step,
  ///
  ///     1 + E^T U = 1 + u_j^T K u_k,   E^T y_0 = u_j^T K u_0,   u_0 -= u_j z_j
  TANDEM_PASS void join_paths() const {
    const Index most = most_columns(), dofs = m.n_dof;
    const auto u = columns(), Ku = u + most * dofs, G = Ku + most * dofs, z = G + most * most, u_0 = z + most;
    Index n = 0;
    Force<S> g[2][most_zone_columns];
    for (int c = 0; c < contacts.n; ++c) {
      const ContactKind& kind = contacts.kinds[c];
      if (kind.other == 0) continue;
      int some = 0;
      block(c).on_zone(options.coupling, [&](const Block& b, const Zone<S>& zone) TANDEM_INLINE {
        for (int k = 0; k < zone.columns; ++k) {
          S acts(0);
          for (int j = 0; j < b.dim; ++j) acts = acts + abs(zone.B[k][j]);
          if (!any(S(0) < acts)) continue;
          g[0][some] = b.force(zone.B[k]);
          g[1][some++] = S(-1) * b.force(zone.B[k], Block::On::other);
        }
      });
      send_from(kind.link, kind.other, some, g, u + n * dofs, Ku + n * dofs);
      n += some;
    }
    const auto of_loops = loops();
    for (int l = 0; l < of_loops.list.n; ++l) {
      int some = 0;
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        g[0][some] = of_loops.column(l, j, Loops::On::first);
        g[1][some++] = S(-1) * of_loops.column(l, j, Loops::On::second);
      });
      send_from(of_loops.list.kinds[l].link_1, of_loops.list.kinds[l].link_2, some, g, u + n * dofs, Ku + n * dofs);
      n += some;
    }
    for_each_u([&](Index dof, Index row) TANDEM_INLINE { u_0[dof] = S(w[row]); });
    const auto product = [&](Work x, Work y) TANDEM_INLINE {
      S sum(0);
      for (Index k = 0; k < dofs; ++k) sum = mul_add(S(x[k]), S(y[k]), sum);
      return sum;
    };
    for (Index j = 0; j < n; ++j) {
      z[j] = product(Ku + j * dofs, u_0);
      for (Index k = 0; k <= j; ++k)
        G[n * j + k] = G[n * k + j] = product(Ku + j * dofs, u + k * dofs) + S(j == k ? 1 : 0);
    }
    solve_spd<S>(G, static_cast<int>(n), z);
    for (Index j = 0; j < n; ++j)
      for (Index k = 0; k < dofs; ++k) u_0[k] = mul_add(-S(z[j]), S(u[j * dofs + k]), S(u_0[k]));
    for_each_u([&](Index dof, Index row) TANDEM_INLINE { w[row] = S(u_0[dof]); });
  }
  /// n forces from two links, g[0] and g[1], to the base.
  TANDEM_PASS void send_from(int one, int two, int n, Force<S> (&g)[2][most_zone_columns], Work u, Work Ku) const {
    fill(u, n * Index{m.n_dof}, S(0));
    fill(Ku, n * Index{m.n_dof}, S(0));
    int link[2] = {one, two};
    while (link[0] != link[1]) {
      const int end = link[0] > link[1] ? 0 : 1;
      send_through(link[end], n, g[end], u, Ku);
      link[end] = m.parent[link[end]];
    }
    for (int k = 0; k < n; ++k) g[0][k] = g[0][k] + g[1][k];
    for (int i = link[0]; i != 0; i = m.parent[i]) send_through(i, n, g[0], u, Ku);
  }
  /// n forces through joint i; u and K u of column k begin in rows k m.n_dof.
  TANDEM_PASS void send_through(int i, int n, Force<S>* g, Work u, Work Ku) const {
    on_kept_joint_kind<S>(m, i, w, Aba::at(i, Aba::X), [&](auto joint) TANDEM_INLINE {
      constexpr int d = most_nv<decltype(joint)>;
      const auto response = kept_response<S>(joint, w, Aba::at_dof(m, m.dof_index[i]));
      const auto X_ip = recall_transform<S>(joint, m, i, w, Aba::at(i, Aba::X));
      for (int k = 0; k < n; ++k) {
        S S_f[d], K_S_f[d];
        g[k] = transpose_mul(X_ip, transmit(joint, response, g[k], S_f, K_S_f));
        const Index row = Index{m.n_dof} * k + m.dof_index[i];
        for (int l = 0; l < joint.nv; ++l) {
          u[row + l] = S_f[l];
          Ku[row + l] = K_S_f[l];
        }
      }
    });
  }
  /// Calls f(degree of freedom, row of the workspace in which articulated bodies keep its u).
  template <class F>
  TANDEM_HD void for_each_u(F&& f) const {
    for (int i = 1; i < m.n_links; ++i) {
      const int n = joint_nv(m.type[i]), first = m.dof_index[i];
      const Index row = Aba::at_dof(m, first) + 6 * n + n * n;
      for (int k = 0; k < n; ++k) f(Index{first} + k, row + k);
    }
  }

  TANDEM_HD S dot_of(Work x, Work y) const {
    S sum(0);
    for (int k = 0; k < m.nv; ++k) sum = mul_add(S(x[k]), S(y[k]), sum);
    return sum;
  }

  /// J step, and the part of step^T M step that links have.
  TANDEM_PASS S measure_step() const {
    return motions(
        step(),
        [&](const Block& b, int, const S* jd) TANDEM_INLINE {
          for (int j = 0; j < b.dim; ++j) b.w[Block::along + j] = jd[j];
        },
        [&](int l, const S* jd) TANDEM_INLINE {
          loops().for_each_held(l, [&](int j) TANDEM_INLINE { loops().of(l)[Loops::along + j] = jd[j]; });
        });
  }

  /// f^T J step and (J step)^T H J step of all rows, alpha steps ahead.
  TANDEM_PASS Slope<S> slopes(const S& alpha) const {
    Slope<S> sum{S(0), S(0)};
    const auto rows = joints();
    for (int k = 0; k < m.nv; ++k) {
      if (!rows.some(k)) continue;
      const S jd = step()[k];
      const auto push = rows.at(k, mul_add(alpha, jd, S(a()[k])));
      sum = {mul_add(push.f, jd, sum.force), mul_add(push.h * jd, jd, sum.curvature)};
    }
    const auto of_tendons = tendons();
    for (int t = 0; t < of_tendons.list.n; ++t) {
      const S jd = of_tendons.along(t, step());
      const auto push = of_tendons.at(t, mul_add(alpha, jd, of_tendons.along(t, a())));
      sum = {mul_add(push.f, jd, sum.force), mul_add(push.h * jd, jd, sum.curvature)};
    }
    const auto of_couplers = couplers();
    for (int c = 0; c < of_couplers.list.n; ++c) {
      const S jd = of_couplers.along(c, step());
      const S f = of_couplers.pull(c, mul_add(alpha, jd, of_couplers.along(c, a())));
      sum = {mul_add(f, jd, sum.force), mul_add(S(of_couplers.of(c)[Couplers::D]) * jd, jd, sum.curvature)};
    }
    const auto of_loops = loops();
    for (int l = 0; l < of_loops.list.n; ++l)
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        const S jd = of_loops.get(l, Loops::along, j);
        sum = {mul_add(of_loops.pull(l, j, alpha), jd, sum.force),
               mul_add(of_loops.stiffness(l, j) * jd, jd, sum.curvature)};
      });
    for (int c = 0; c < contacts.n; ++c)
      block(c).on_dim([&](const Block& b) TANDEM_INLINE {
        S x[most_contact_rows], jd[most_contact_rows];
        b.read(Block::x, x);
        b.read(Block::along, jd);
        for (int j = 0; j < b.dim; ++j) x[j] = mul_add(alpha, jd[j], x[j]);
        const auto of_contact = b.slope(options.coupling, x, jd);
        sum = {sum.force + of_contact.force, sum.curvature + of_contact.curvature};
      });
    return sum;
  }

  /// How far to go: a zero of the slope phi'(alpha) = slope + alpha mass - f(x + alpha J step)^T J step, which rises.
  /// Newton's method
  /// in one dimension, in a bracket.
  TANDEM_PASS S search(const S& slope, const S& mass, const S& decrement) const {
    S alpha(1), low(0), high(0), bounded(0), searches(1);
    for (int trial = 0; trial < options.most_trials; ++trial) {
      const auto of_rows = slopes(alpha);
      const S rises = mul_add(alpha, mass, slope) - of_rows.force, curved = mass + of_rows.curvature;
      searches = select(S(options.search_tolerance) * decrement < abs(rises), searches, S(0));
      if (!any(S(0) < searches)) break;
      const auto falls = rises < S(0);
      low = select(falls, alpha, low);
      high = select(falls, high, alpha);
      bounded = select(falls, bounded, S(1));
      const S next = alpha - rises / curved, half = S(0.5) * (low + high);
      const S inside = select(low < next, select(next < high, next, half), half);
      const S beyond = select(low < next, next, S(2) * alpha);
      alpha = select(S(0) < searches, select(S(0) < bounded, inside, beyond), alpha);
    }
    return alpha;
  }

  template <class Open>
  TANDEM_PASS void advance(const S& alpha, const Open& open) const {
    for (int k = 0; k < m.nv; ++k) a()[k] = select(open, mul_add(alpha, S(step()[k]), S(a()[k])), S(a()[k]));
    for (int c = 0; c < contacts.n; ++c) {
      const Block b = block(c);
      for (int j = 0; j < b.dim; ++j) {
        const S x = b.get(Block::x, j);
        b.w[Block::x + j] = select(open, mul_add(alpha, b.get(Block::along, j), x), x);
      }
    }
    const auto of_loops = loops();
    for (int l = 0; l < of_loops.list.n; ++l)
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        const S x = of_loops.get(l, Loops::x, j);
        of_loops.of(l)[Loops::x + j] = select(open, mul_add(alpha, of_loops.get(l, Loops::along, j), x), x);
      });
  }

  /// Contacts that were free a step before have no normal force that bounds their friction: the first iterate's.
  TANDEM_HD void seed_normals() const {
    if (options.coupling != Coupling::disc) return;
    for (int c = 0; c < contacts.n; ++c) {
      const Block b = block(c);
      const S N = b.w[Block::normal];
      const S now = half_quadratic(b.get(Block::D, 0), b.get(Block::x, 0)).f;
      b.w[Block::normal] = select(S(0) < N, N, now);
    }
  }

  template <class A, class FLimit, class FFriction, class FContact>
  TANDEM_PASS void report(A out, FLimit f_limit, FFriction f_friction, FContact f_contact) const {
    for (int k = 0; k < m.nv; ++k) {
      out[k] = S(a()[k]);
      if (!joints().some(k)) {
        if (f_limit) f_limit[k] = S(0);
        if (f_friction) f_friction[k] = S(0);
        continue;
      }
      const auto push = joints().at(k, S(a()[k]));
      const auto acts = joints().acting(k);
      if (f_limit) f_limit[k] = select(acts, push.limit, S(0));
      if (f_friction) f_friction[k] = select(acts, push.friction, S(0));
    }
    const auto of_tendons = tendons();
    for (int t = 0; t < of_tendons.list.n; ++t) {
      const Work row = of_tendons.of(t);
      row[Tendons::force] = S(row[Tendons::spring]) + of_tendons.at(t, of_tendons.along(t, a())).f;
    }
    const auto of_couplers = couplers();
    for (int c = 0; c < of_couplers.list.n; ++c)
      of_couplers.of(c)[Couplers::force] = of_couplers.pull(c, of_couplers.along(c, a()));
    if (!f_contact) return;
    for (int c = 0; c < contacts.n; ++c) {
      const auto zone = block(c).zone(options.coupling);
      for (int j = 0; j < most_contact_rows; ++j) f_contact[Index{6} * c + j] = j < zone.rows ? zone.f[j] : S(0);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
