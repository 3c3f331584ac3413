// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "tandem/detail/chunks/subsystem_passes.hpp"
#include "tandem/detail/engines/join_tree.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// The efficient divide and conquer algorithm (DCAe): as many subsystems as there are processors, each worked through by the
/// serial O(n) recursion, and a binary tree that joins them.       docs/algorithms/divide_and_conquer_efficient.md
///
/// Method    [Critchley] (44) - (59), (72). Each subsystem by itself, inward:
///               U = IA S, D = S^T U + armature, K = D^-1, u = tau - S^T pA                      (44) - (47), as the ABA
///               G = A S, C += G K G^T, A <- (A - G K U^T) X, b <- b + (A - G K U^T) c + G K u       (58); in place of (64) - (71)
///           the tree joins them (two_handle.hpp), which gives the acceleration a_1 of every subsystem's base and the force
///           f_2 that it hands on; then, outward, qdd = K (u - U^T a' - G^T f_2)                                         (57)
///           Changed from the paper: its second sweep per subsystem (60) - (71) is not needed, as the mobility of handle 2
///           is a sum of terms of the first; a subsystem begins with its first joint and takes the acceleration of what it
///           hangs from, in place of a force: no inertia is inverted, links without mass may stand anywhere but at a cut,
///           and nothing is subtracted. Whole accelerations, classical ones; all vectors along the axes of the
///           subsystem's base, as the paper's shifts S^k are meant.
/// In, Out   those of ForwardDynamics
/// Options   chunks: subsystems, if not given 2, for robots of fewer than 192 links 1; load_ratio: length of the terminal
///           one over that of the others, if not given 1.4
/// Joints    of every type with armature, trees; no mimic joints. A tree is cut along its heaviest path; what branches off
///           it hangs free and is part of the subsystem of the link that it hangs from
/// Work      48 rows per link, 13 per degree of freedom, 200 per place in the tree
/// Cost      per link of the terminal subsystem a little more than the articulated-body algorithm, of the others more by the
///           second handle (docs/operation_counts.md)
/// Errors    none; a singular robot gives infinities or NaN
struct DivideAndConquerEfficient {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::divide_and_conquer_efficient;
  static constexpr double usual_load_ratio = 1.4;
  int chunks = 0;
  double load_ratio = usual_load_ratio;

  DivideAndConquerEfficient() = default;
  explicit DivideAndConquerEfficient(const Options& o)
      : chunks(o.chunks), load_ratio(o.load_ratio > 0 ? o.load_ratio : usual_load_ratio) {}

  /// Subsystems to cut into: below some 200 links it costs more to hand work to another thread than the thread saves.
  template <class M>
  TANDEM_HD int parts(const ModelView<M>& m) const {
    return chunks > 0 ? chunks : m.n_links > 192 ? 2 : 1;
  }

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& o) {
    if (m.n_mimic != 0) return "it has mimic joints; articulated_body and composite_rigid_body do";
    if (o.chunks < 0 || o.chunks > Division::most) return "chunks is not within 0 .. 64; scan takes more";
    if (!(o.load_ratio >= 0)) return "load_ratio is negative; scan takes none";
    return nullptr;
  }

  // of a place in the tree: the run, what a join keeps, a_1 and f_2; of a subsystem: how its base turns
  enum PlaceField { RUN = 0, BETWEEN = 90, A_1 = 186, F_2 = 192, W_0 = 198, rows_per_place = 201 };
  template <class M>
  TANDEM_HD static Index at(const ModelView<M>& m, Index place, PlaceField f) {
    return SubsystemRows(m).count(m.n_dof) + rows_per_place * place + f;
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    return at(m, JoinTree{parts(m)}.places(), RUN);
  }

  template <class S, class Engine, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD void body(const Engine& engine, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a,
                      Work w) const {
    if (m.n_links < 2) return;
    const SubsystemPasses<S, M, Q, Qd, Tau, Fx, D, A, Work> passes{
        m, q, v, tau, f_ext, diagonal, a, w, SubsystemRows(m)};
    const auto division = Division::along_heaviest_path(m, parts(m), load_ratio);
    const JoinTree tree{division.count};

    engine.for_each(division.count, [&](Index k) TANDEM_INLINE { passes.place(division.subsystem(m, k)); });
    auto w_0 = Vec3<S>::zero();
    for (Index k = 0; k < division.count; ++k) {
      store(w, at(m, k, W_0), w_0);
      const auto s = division.subsystem(m, k);
      if (!s.is_terminal()) w_0 = passes.angular_velocity_beyond(s, w_0);
    }
    engine.for_each(division.count, [&](Index k) TANDEM_INLINE {
      const auto s = division.subsystem(m, k);
      const auto turn = load_vec3<S>(w, at(m, k, W_0));
      store(w, at(m, k, RUN),
            s.is_terminal() ? passes.template yield<true>(s, turn) : passes.template yield<false>(s, turn));
    });
    assemble<S>(engine, m, tree, w);
    engine.for_each(division.count, [&](Index k) TANDEM_INLINE {
      const auto s = division.subsystem(m, k);
      const auto a_1 = load_motion<S>(w, at(m, k, A_1));
      const auto f_2 = load_force<S>(w, at(m, k, F_2));
      s.is_terminal() ? passes.template accelerate<true>(s, a_1, f_2) : passes.template accelerate<false>(s, a_1, f_2);
    });
  }

 private:
  /// f(whether nothing hangs from the runs that end with this subsystem).
  template <class F>
  TANDEM_HD static void if_terminal(const JoinTree& tree, Index end, F&& f) {
    end == tree.n ? f(std::true_type{}) : f(std::false_type{});
  }
  template <class S, class Work>
  TANDEM_HD static void load_rows(const Work& w, Index row, S (&R)[6][8]) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 8; ++j) R[i][j] = w[row + 8 * i + j];
  }
  template <class S, class Work>
  TANDEM_HD static void store_rows(Work w, Index row, const S (&R)[6][8]) {
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 8; ++j) w[row + 8 * i + j] = R[i][j];
  }

  /// Joins the subsystems up the tree; down it come the motion and the force between them.
  template <class S, class Engine, class M, class Work>
  TANDEM_HD static void assemble(const Engine& engine, const ModelView<M>& m, const JoinTree& tree, Work w) {
    tree.upward(engine, [&](const Join& j) TANDEM_INLINE {
      const Index P = tree.place(j.first, j.middle), Q = tree.place(j.middle, j.end), run = tree.place(j.first, j.end);
      if_terminal(tree, j.end, [&](auto terminal) TANDEM_INLINE {
        const TwoHandleRows<S> inboard(load_two_handle<S>(w, at(m, P, RUN))),
            outboard(load_two_handle<S>(w, at(m, Q, RUN)));
        TwoHandleRows<S> whole(TwoHandle<S>::identity());
        Interface<S> between;
        join<terminal.value, Eight<S>>(inboard, outboard, between, whole);
        store(w, at(m, run, RUN), whole.run());
        store_rows(w, at(m, run, BETWEEN), between.Zz);
        if constexpr (!terminal.value) store_rows(w, at(m, run, BETWEEN) + 48, between.V);
      });
    });
    const Index root = tree.root();
    store(w, at(m, root, A_1), base_acceleration<S>(m));
    store(w, at(m, root, F_2), Force<S>::zero());
    tree.downward(engine, [&](const Join& j) TANDEM_INLINE {
      const Index P = tree.place(j.first, j.middle), Q = tree.place(j.middle, j.end), run = tree.place(j.first, j.end);
      if_terminal(tree, j.end, [&](auto terminal) TANDEM_INLINE {
        Interface<S> between;
        load_rows(w, at(m, run, BETWEEN), between.Zz);
        if constexpr (!terminal.value) load_rows(w, at(m, run, BETWEEN) + 48, between.V);
        const auto a_1 = load_motion<S>(w, at(m, run, A_1));
        const auto f_2 = load_force<S>(w, at(m, run, F_2));
        const auto a = between.template acceleration<terminal.value>(a_1, f_2);
        const TwoHandleRows<S> outboard(load_two_handle<S>(w, at(m, Q, RUN)));
        store(w, at(m, P, A_1), a_1);
        store(w, at(m, P, F_2), outboard.template wrench_at_handle_1<terminal.value>(a, f_2));
        store(w, at(m, Q, A_1), a);
        store(w, at(m, Q, F_2), f_2);
      });
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
