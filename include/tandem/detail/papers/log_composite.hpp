// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/scan/scan_plan.hpp"
#include "tandem/detail/solve/mirror.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// Links that are locked to each other, in the frame of the innermost: mass M, centre of mass c, and the rotational
/// inertia E about that centre.
template <class S>
struct LockedLinks {
  S M;
  Vec3<S> c;
  Sym3<S> E;
};

/// Mass matrix of a chain in a logarithmic number of levels, by recursive doubling.
///
/// Method    [Amin-Javaheri] table 2. A set a..k is known by the change of frame from a to k + 1 and by its
///           mass, centre of mass and inertia. Stage A, level l: in groups of w = 2^l links, each a of the inner half
///           i + 1 .. j joins its set a..j with the outer half j + 1 .. k,
///               U_{a,k+1} = U_{a,j+1} U_{j+1,k+1}             p_{a,k+1} = p_{a,j+1} + U_{a,j+1} p_{j+1,k+1}
///               M_{a,k} = M_{a,j} + M_{j+1,k}                 c_{a,k} = (M_{a,j} c_{a,j} + M_{j+1,k} c_o) / M_{a,k}
///               c_o = U_{a,j+1} c_{j+1,k} + p_{a,j+1}
///               E_{a,k} = U E_{j+1,k} U^T + E_{a,j} + M_{j+1,k} par(c_o - c_{a,k}) + M_{a,j} par(c_{a,j} - c_{a,k})
///           Stage B, column x, level l with x in the outer half: the force at j + 1 goes to every a of the inner half,
///               f_{a,x} = U_{a,j+1} f_{j+1,x}                 n_{a,x} = U_{a,j+1} n_{j+1,x} + p_{a,j+1} x f_{a,x}
///           Changed: of a column only the force at the first link of x's group is kept from level to level, the one
///           that the next level asks for, and found twice for it; a massless set keeps any centre; p in frame a
///           throughout, where table 1 mixes frames
/// In, out   those of mass_matrix
/// Joints    of one degree of freedom, in a chain. Armature is on the diagonal
/// Work      (12 L + 16) n rows, L = max(1, ceil(log2 n)): all changes of frame of stage A, which stage B needs once
///           more
/// Cost      O(n^2 + n log n), depth O(log n) on n^2 / 4 processors; on n, each with a column of stage B, O(n)
/// Errors    none; a NaN stays in its own state
struct LogComposite {
  using Problem = MassMatrix;
  static constexpr Method method = Method::log_composite;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    if (m.n_mimic != 0) return "it has mimic joints; use composite_rigid_body";
    if (!is_chain(m)) return "it has branches; use composite_scan or composite_rigid_body";
    if (m.nv != m.n_links - 1)
      return "it has joints that are not revolute, prismatic or helical; use composite_scan or composite_rigid_body";
    return nullptr;
  }

  template <class S>
  using Set = LockedLinks<S>;
  static constexpr Index rows_per_set = rows_of<Set<double>>, rows_per_force = rows_of<Force<double>>,
                         rows_per_frame = rows_of<Transform<double>>;

  TANDEM_HD static constexpr Index levels(Index n) {
    Index l = 0;
    while ((Index{1} << l) < n) ++l;
    return l;
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index n = m.n_links - 1, l = levels(n);
    return n * (rows_per_frame * (l > 0 ? l : 1) + rows_per_set + rows_per_force);
  }

  template <class S, class Executor, class M, class Q, class Matrix, class Work>
  TANDEM_HD void body(const Executor& executor, const ModelView<M>& m, Q q, Matrix H, Work w) const {
    const Index n = m.n_links - 1, top = levels(n);
    // a = 0 .. n - 1 is the set that begins with link a + 1; frame(l, a): X from a to the end of a's group at level l.
    // Rows lie n apart, so that those of neighbouring links are neighbours
    const auto frame = [=](Index l, Index a) TANDEM_INLINE { return StridedColumn{w + rows_per_frame * n * l + a, n}; };
    const auto sets = w + rows_per_frame * n * (top > 0 ? top : 1);
    const auto set = [=](Index a) TANDEM_INLINE { return StridedColumn{sets + a, n}; };
    const auto force = [=](Index a) TANDEM_INLINE { return StridedColumn{sets + rows_per_set * n + a, n}; };
    const auto joint_of = [&](Index a) TANDEM_INLINE { return AxialJoint<S>::of(m, static_cast<int>(a) + 1); };
    if (n == 0) return;

    executor.for_each(n, [&](Index a) TANDEM_INLINE {
      const int i = static_cast<int>(a) + 1;
      tandem::store(set(a), 0, about_centre(link_inertia<S>(m, i)));
      const auto X = a + 1 < n ? joint_transform<S>(joint_of(a + 1), m, i + 1, q) : Transform<S>::identity();
      tandem::store(frame(0, a), 0, X);
    });

    // stage A: at level l, group u is i .. k - 1 and divided at j
    for (Index l = 1; l <= top; ++l) {
      const Index half = Index{1} << (l - 1);
      executor.for_each(n, [&](Index a) TANDEM_INLINE {
        const Index j = (a / (2 * half)) * 2 * half + half;
        const auto X_aj = load<Transform<S>>(frame(l - 1, a), 0);
        const bool joins = a < j && j < n;
        if (l < top) tandem::store(frame(l, a), 0, joins ? load<Transform<S>>(frame(l - 1, j), 0) * X_aj : X_aj);
        if (joins) tandem::store(set(a), 0, join(load<Set<S>>(set(a), 0), X_aj, load<Set<S>>(set(j), 0)));
      });
    }

    executor.for_each(n, [&](Index x) TANDEM_INLINE {
      const auto F = force_of_axis(joint_of(x), load<Set<S>>(set(x), 0));
      tandem::store(force(x), 0, F);
      H[x * n + x] = joint_of(x).along(0, F) + S(m.armature[x]);
    });

    // stage B
    const auto entry = [&](Index l, Index a, const Force<S>& F) TANDEM_INLINE {
      const auto F_a = transpose_mul(load<Transform<S>>(frame(l - 1, a), 0), F);
      return m.slides[a + 1] == M(0)                 ? F_a.n.z
             : m.type[a + 1] == JointType::prismatic ? F_a.f.z
                                                     : joint_of(a).along(0, F_a);
    };
    if constexpr (is_of_threads<Executor>) {  // a level at a time: every entry on its own, in both triangles
      for (Index l = 1; l <= top; ++l) {
        const Index half = Index{1} << (l - 1), groups = (n - half + 2 * half - 1) / (2 * half);
        executor.for_each(groups * half * half, [&](Index pair) TANDEM_INLINE {
          const Index i = pair / (half * half) * 2 * half, x = i + half + pair / half % half, a = i + pair % half;
          if (x < n) H[x * n + a] = H[a * n + x] = entry(l, a, load<Force<S>>(force(x), 0));
        });
        executor.for_each(groups * half, [&](Index k) TANDEM_INLINE {
          const Index i = k / half * 2 * half, x = i + half + k % half;
          if (x >= n) return;
          const auto F = load<Force<S>>(force(x), 0);
          tandem::store(force(x), 0, transpose_mul(load<Transform<S>>(frame(l - 1, i), 0), F));
        });
      }
    } else {
      executor.for_each(n, [&](Index x) TANDEM_INLINE {
        auto F = load<Force<S>>(force(x), 0);
        for (Index l = 1; l <= top && (Index{1} << (l - 1)) <= x; ++l) {
          const Index half = Index{1} << (l - 1), i = (x / (2 * half)) * 2 * half;
          if (x < i + half) continue;
          for_each_entry(executor, i, i + half, [&](Index a) TANDEM_INLINE { H[x * n + a] = entry(l, a, F); });
          F = transpose_mul(load<Transform<S>>(frame(l - 1, i), 0), F);
        }
      });
      executor.for_each(Mirror<S>::blocks(n), [&](Index b) TANDEM_INLINE { Mirror<S>::rows(n, b, H); });
    }
  }

  template <class S>
  TANDEM_HD static LockedLinks<S> about_centre(const Inertia<S>& I) {
    const S per_m = select(I.m == S(0), S(0), S(1) / I.m);
    const Vec3<S> c = per_m * I.h;
    return {I.m, c, I.I - minus_skew_product(c, I.h)};
  }
  /// A set with the one beyond its end.
  template <class S>
  TANDEM_HD static LockedLinks<S> join(const LockedLinks<S>& inner, const Transform<S>& X,
                                       const LockedLinks<S>& outer) {
    const S M = inner.M + outer.M, per_M = select(M == S(0), S(0), S(1) / M);
    const Vec3<S> c_o = transpose_mul_add(X.E, outer.c, X.r);
    const Vec3<S> c = per_M * mul_add(inner.M, inner.c, outer.M * c_o);
    const Vec3<S> to_outer = c_o - c, to_inner = inner.c - c;
    return {M, c,
            congruence(X.E, outer.E) + inner.E + minus_skew_product(to_outer, outer.M * to_outer) +
                minus_skew_product(to_inner, inner.M * to_inner)};
  }
  /// What a unit acceleration of the joint takes that carries the set: f = M z x c or M z, n = E z + c x f or c x f.
  template <class S>
  TANDEM_HD static Force<S> force_of_axis(const AxialJoint<S>& joint, const LockedLinks<S>& set) {
    const auto turns = S(0) < joint.turns;
    const Vec3<S> f = {select(turns, -set.M * set.c.y, S(0)), select(turns, set.M * set.c.x, S(0)),
                       joint.slides * set.M};
    const Vec3<S> E_z = {select(turns, set.E.xz, S(0)), select(turns, set.E.yz, S(0)), select(turns, set.E.zz, S(0))};
    return {add_cross(E_z, set.c, f), f};
  }
};

}  // namespace tandem::inline TANDEM_ISA
