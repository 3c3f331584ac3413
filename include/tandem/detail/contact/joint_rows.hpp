// SPDX-License-Identifier: Apache-2.0
/// Position limits and dry friction of joints, as rows beside those of contacts.
#pragma once
#include <limits>

#include "tandem/detail/contact/laws.hpp"
#include "tandem/detail/contact/zones.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rows of every row of v, in the workspace: D of a limit that does not push is 0. Behind a column that says where
/// rows may push; of joints where none does, in no lane, they are not written.
template <class S, class M, class Work>
struct JointRows {
  enum Row {
    lower_D,
    lower_reference,
    upper_D,
    upper_reference,
    friction_D,
    friction_reference,
    most,
    acts,        // 1 where a row may push
    limited,     // 1 where a limit may push
    compliance,  // 1 / D of these together
    softness,    // 1 / D of friction
    f,           // what the rows push with, and their curvature, as last found
    h,
    rows
  };
  const ModelView<M>& m;
  Work w;

  TANDEM_HD static Index rows_of_all(const ModelView<M>& m) { return (Index{rows} + 1) * m.nv; }
  TANDEM_HD Work of(int k) const { return w + m.nv + Index{rows} * k; }
  /// Whether there are rows that may push, in any lane.
  TANDEM_HD bool some(int k) const { return any(S(0) < S(w[k])); }

  template <class Q, class V>
  TANDEM_PASS void prepare(const LawOptions& options, const JointSoftness& of_joints, Q q, V v) const {
    fill(w, m.nv, S(0));
    const Softness usual;
    if (of_joints.limits)
      for_each_limited_row(m, [&](int iq, int iv) TANDEM_INLINE {
        const S margin(of_joints.margin ? of_joints.margin[iv] : 0.0), at = q[iq], speed = v[iv];
        const S below = at - S(m.q_lower[iq]) - margin, above = S(m.q_upper[iq]) - at - margin;
        if (!any(below < S(0)) && !any(above < S(0))) return;
        const Softness& soft = of_joints.limit ? of_joints.limit[iv] : usual;
        change(iv, [&](Work row) TANDEM_INLINE {
          set_limit(row, lower_D, options, soft, below, speed, of_joints.mobility[iv]);
          set_limit(row, upper_D, options, soft, above, -speed, of_joints.mobility[iv]);
        });
      });
    if (!of_joints.friction_acts) return;
    for (int k = 0; k < m.nv; ++k) {
      const S largest(m.friction[k]);
      if (!any(S(0) < largest)) continue;
      const Softness& soft = of_joints.friction ? of_joints.friction[k] : usual;
      change(k, [&](Work row)
                    TANDEM_INLINE { set_friction(row, options, soft, largest, S(v[k]), of_joints.mobility[k]); });
    }
  }

  TANDEM_HD static auto acting(Work row) { return S(0) < S(row[acts]); }

  /// Forces of the rows that begin at `row`, on what accelerates with a, and their curvature.
  TANDEM_HD static RowPush<S> push(Work row, const S& a) {
    auto sum = friction_of(row, a);
    if (has_limit(row)) {
      const auto [lower, upper] = limits_of(row, a);
      sum = {sum.f + (lower.f - upper.f), sum.h + (lower.h + upper.h)};
    }
    return sum;
  }
  TANDEM_HD static S limit_force(Work row, const S& a) {
    const auto [lower, upper] = limits_of(row, a);
    return select(S(0) < S(row[limited]), lower.f - upper.f, S(0));
  }
  TANDEM_HD static S friction_force(Work row, const S& a) {
    return select(S(0) < S(row[most]), friction_of(row, a).f, S(0));
  }
  /// f^T R f
  TANDEM_HD static S work(Work row, const S& a) {
    const S of_friction = friction_of(row, a).f, sum = of_friction * of_friction * S(row[softness]);
    if (!has_limit(row)) return sum;
    const auto [lower, upper] = limits_of(row, a);
    return sum - sum_of_products(lower.f, a - S(row[lower_reference]), upper.f, -a - S(row[upper_reference]));
  }

  /// D and reference of one of the two limits, at a distance that changes with v, of the rows that begin at `row`.
  TANDEM_HD static void set_limit(Work row, Row limit, const LawOptions& options, const Softness& soft,
                                  const S& distance, const S& v, double mobility) {
    const auto near = distance < S(0);
    if (!any(near)) return;
    row[limited] = select(near, S(1), S(row[limited]));
    row[acts] = select(near, S(1), S(row[acts]));
    const auto numbers = Laws::bound(options, soft, select(near, distance, S(0)), v, mobility);
    row[limit] = select(near, numbers.D, S(0));
    row[limit + 1] = select(near, numbers.reference, S(0));
    row[compliance] = select(near, S(row[compliance]) + S(1) / numbers.D, S(row[compliance]));
  }
  /// The same of friction of at most `largest`.
  TANDEM_HD static void set_friction(Work row, const LawOptions& options, const Softness& soft, const S& largest,
                                     const S& v, double mobility) {
    const auto rubs = S(0) < largest;
    if (!any(rubs)) return;
    const auto numbers = Laws::friction(options, soft, v, mobility);
    row[friction_D] = select(rubs, numbers.D, S(0));
    row[friction_reference] = select(rubs, numbers.reference, S(0));
    row[most] = select(rubs, largest, S(0));
    row[acts] = select(rubs, S(1), S(row[acts]));
    row[softness] = select(rubs, S(1) / numbers.D, S(0));
    row[compliance] = S(row[compliance]) + S(row[softness]);
  }

 private:
  template <class F>
  TANDEM_HD void change(int k, F&& set) const {
    const Work row = of(k);
    if (!some(k)) fill(row, Index{rows}, S(0));
    set(row);
    w[k] = S(row[acts]);
  }
  struct Limits {
    RowPush<S> lower, upper;
  };
  TANDEM_HD static bool has_limit(Work row) { return any(S(0) < S(row[limited])); }
  TANDEM_HD static Limits limits_of(Work row, const S& a) {
    return {half_quadratic(S(row[lower_D]), a - S(row[lower_reference])),
            half_quadratic(S(row[upper_D]), -a - S(row[upper_reference]))};
  }
  TANDEM_HD static RowPush<S> friction_of(Work row, const S& a) {
    return bounded_quadratic(S(row[friction_D]), S(row[most]), a - S(row[friction_reference]));
  }
};

}  // namespace tandem::inline TANDEM_ISA
