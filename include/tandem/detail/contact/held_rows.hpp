// SPDX-License-Identifier: Apache-2.0
/// Loop joints and couplers in the iteration: rows that pull both ways, always, so that a step does to them what it was
/// foreseen to do.
#pragma once
#include "tandem/detail/contact/coupler_rows.hpp"
#include "tandem/detail/contact/link_passes.hpp"
#include "tandem/detail/contact/loop_rows.hpp"

namespace tandem::inline TANDEM_ISA {

template <class Solver>
struct HeldRows {
  using S = typename Solver::Number;
  using Work = typename Solver::Rows::Column;
  using Loops = typename Solver::Loops;
  using Couplers = typename Solver::Couplers;
  using Aba = ArticulatedBody;
  const Solver& s;

  template <class Q, class V>
  TANDEM_HD void place(Q q, V v) const {
    s.couplers().prepare(s.options.law, q, v);
    if (s.softness.loops.n > 0) place_loops(v);
  }
  /// After the pass that has kept the motions of links by a, and by v as number 1.
  TANDEM_HD void begin() const {
    for_each_loop_motion(1,
                         [&](int l, const S(&speed)[6]) TANDEM_INLINE { s.loops().prepare(l, s.options.law, speed); });
    for_each_loop_motion(0, [&](int l, const S* own) TANDEM_INLINE { s.loops().begin(l, own); });
  }

  /// Calls f(loop joint, how it moves) with the motions of links that were kept as number k.
  template <class F>
  TANDEM_HD void for_each_loop_motion(int k, F&& f) const {
    const auto of = [&](int link) TANDEM_INLINE {
      return link == 0 ? Motion<S>::zero() : load<Motion<S>>(s.motions() + Index{18} * link, 6 * k);
    };
    const auto of_loops = s.loops();
    for (int l = 0; l < of_loops.list.n; ++l) {
      S moves[6];
      of_loops.measure(l, of(of_loops.list.kinds[l].link_1), of(of_loops.list.kinds[l].link_2), moves);
      f(l, moves);
    }
  }

  /// Calls f(force, D, J step) for the rows of couplers and loop joints, alpha steps ahead. They push as they are
  /// foreseen to.
  template <class F>
  TANDEM_HD void for_each(F&& f, const S& alpha) const {
    const auto of_couplers = s.couplers();
    for (int c = 0; c < of_couplers.list.n; ++c) {
      const S jd = of_couplers.along(c, s.step());
      f(of_couplers.pull(c, mul_add(alpha, jd, of_couplers.along(c, s.a()))), S(of_couplers.of(c)[Couplers::D]), jd);
    }
    const auto of_loops = s.loops();
    for (int l = 0; l < of_loops.list.n; ++l)
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        f(of_loops.pull(l, j, alpha), of_loops.stiffness(l, j), of_loops.get(l, Loops::along, j));
      });
  }

  /// Forces on joints, and on links.
  TANDEM_HD void push(Work effort) const {
    const auto of_couplers = s.couplers();
    for (int c = 0; c < of_couplers.list.n; ++c)
      of_couplers.spread(c, of_couplers.pull(c, of_couplers.along(c, s.a())), effort);
    const auto of_loops = s.loops();
    const Work w = s.w;
    for (int l = 0; l < of_loops.list.n; ++l) {
      S f[6];
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE { f[j] = of_loops.pull(l, j, S(0)); });
      const auto add = [&](int link, const Force<S>& more) TANDEM_INLINE {
        if (link != 0) store(w, Aba::at(link, Aba::F), load<Force<S>>(w, Aba::at(link, Aba::F)) + more);
      };
      add(of_loops.list.kinds[l].link_1, S(-1) * of_loops.force(l, f, Loops::On::first));
      add(of_loops.list.kinds[l].link_2, of_loops.force(l, f, Loops::On::second));
    }
  }

  /// After the pass that has kept the motions of links by the step.
  TANDEM_HD void measure() const {
    for_each_loop_motion(0, [&](int l, const S* jd) TANDEM_INLINE {
      s.loops().for_each_held(l, [&](int j) TANDEM_INLINE { s.loops().of(l)[Loops::along + j] = jd[j]; });
    });
  }
  TANDEM_HD void advance(S alpha, S open) const {
    const auto of_loops = s.loops();
    for (int l = 0; l < of_loops.list.n; ++l)
      of_loops.for_each_held(l, [&](int j) TANDEM_INLINE {
        const S x = of_loops.get(l, Loops::x, j), next = mul_add(alpha, of_loops.get(l, Loops::along, j), x);
        of_loops.of(l)[Loops::x + j] = select(S(0) < open, next, x);
      });
  }
  /// After report(), and the pass that has kept the motions of links by `rate`.
  template <class Rate>
  TANDEM_HD S power(Rate rate) const {
    S sum(0);
    const auto of_couplers = s.couplers();
    for (int c = 0; c < of_couplers.list.n; ++c)
      sum = mul_add(S(of_couplers.of(c)[Couplers::force]), of_couplers.along(c, rate), sum);
    for_each_loop_motion(0, [&](int l, const S* speed) TANDEM_INLINE {
      s.loops().for_each_held(l,
                              [&](int j) TANDEM_INLINE { sum = mul_add(s.loops().pull(l, j, S(0)), speed[j], sum); });
    });
    return sum;
  }
  TANDEM_HD void report() const {
    const auto of_couplers = s.couplers();
    for (int c = 0; c < of_couplers.list.n; ++c)
      of_couplers.of(c)[Couplers::force] = of_couplers.pull(c, of_couplers.along(c, s.a()));
  }

 private:
  /// Where the frames of loop joints are, and how their links accelerate while no joint does.
  template <class V>
  TANDEM_PASS void place_loops(V v) const {
    const auto rows = s.loops();
    const auto& m = s.m;
    const Work w = s.w;
    for (int l = 0; l < rows.list.n; ++l) {
      int link[2] = {rows.list.kinds[l].link_1, rows.list.kinds[l].link_2};
      const auto base = carried(base_rates<S>(s.m));
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
    LinkPasses::rates<S>(m, v, w, [&](int i, const Rates<S>& i_rates) TANDEM_INLINE {
      for (int l = 0; l < rows.list.n; ++l) {
        if (rows.list.kinds[l].link_1 == i) store(rows.of(l), Loops::rates_1, carried(i_rates));
        if (rows.list.kinds[l].link_2 == i) store(rows.of(l), Loops::rates_2, carried(i_rates));
      }
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
