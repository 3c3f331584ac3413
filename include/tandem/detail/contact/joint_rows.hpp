// SPDX-License-Identifier: Apache-2.0
/// Position limits and dry friction of joints, as rows beside those of contacts.
#pragma once
#include <limits>

#include "tandem/detail/contact/laws.hpp"
#include "tandem/detail/contact/zones.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rows of every row of v, in the workspace: D of a limit that does not push is 0.
template <class S, class M, class Work>
struct JointRows {
  enum Row { lower_D, lower_reference, upper_D, upper_reference, friction_D, friction_reference, most, acts, rows };
  const ModelView<M>& m;
  Work w;

  TANDEM_HD S get(int k, Row row) const { return S(w[Index{rows} * k + row]); }

  template <class Q, class V>
  TANDEM_PASS void prepare(const LawOptions& options, const JointSoftness& of, Q q, V v) const {
    fill(w, Index{rows} * m.nv, S(0));
    const Softness usual;
    if (of.limits)
      for_each_limited_row(m, [&](int iq, int iv) TANDEM_INLINE {
        const Softness& soft = of.limit ? of.limit[iv] : usual;
        const S at = q[iq], speed = v[iv];
        const Work row = w + Index{rows} * iv;
        set_limit(row, lower_D, options, soft, at - S(m.q_lower[iq]), speed, of.mobility[iv]);
        set_limit(row, upper_D, options, soft, S(m.q_upper[iq]) - at, -speed, of.mobility[iv]);
      });
    if (!of.friction_acts) return;
    for (int k = 0; k < m.nv; ++k) {
      if (!any(S(0) < S(m.friction[k]))) continue;
      const auto row = Laws::friction(options, of.friction ? of.friction[k] : usual, S(v[k]), of.mobility[k]);
      const S largest(m.friction[k]);
      const auto acts_here = S(0) < largest;
      w[Index{rows} * k + friction_D] = select(acts_here, row.D, S(0));
      w[Index{rows} * k + friction_reference] = select(acts_here, row.reference, S(0));
      w[Index{rows} * k + most] = largest;
      w[Index{rows} * k + acts] = select(acts_here, S(1), get(k, acts));
    }
  }

  /// Whether a joint has rows that may push, in any lane.
  TANDEM_HD bool some(int k) const { return any(acting(k)); }
  TANDEM_HD auto acting(int k) const { return S(0) < get(k, acts); }

  /// Forces of the three rows on joint k that accelerates with a, and their curvature.
  struct Push {
    S limit, friction, f, h;
    S works;  ///< f^T R f
  };
  TANDEM_HD Push at(int k, const S& a) const { return push(w + Index{rows} * k, a); }
  /// The same of the rows that begin at `row`.
  TANDEM_HD static Push push(Work row, const S& a) {
    const S x_lower = a - S(row[lower_reference]), x_upper = -a - S(row[upper_reference]);
    const auto lower = half_quadratic(S(row[lower_D]), x_lower), upper = half_quadratic(S(row[upper_D]), x_upper);
    const S D = row[friction_D], hard = select(S(0) < D, D, S(1));
    const auto friction = bounded_quadratic(D, S(row[most]), a - S(row[friction_reference]));
    const S limit = lower.f - upper.f;
    return {limit, friction.f, limit + friction.f, lower.h + upper.h + friction.h,
            friction.f * friction.f / hard - sum_of_products(lower.f, x_lower, upper.f, x_upper)};
  }

  /// D and reference of one of the two limits, at a distance that changes with v, of the rows that begin at `row`.
  TANDEM_HD static void set_limit(Work row, Row limit, const LawOptions& options, const Softness& soft,
                                  const S& distance, const S& v, double mobility) {
    const auto near = distance < S(0);
    if (!any(near)) return;
    row[acts] = select(near, S(1), S(row[acts]));
    const auto numbers = Laws::bound(options, soft, select(near, distance, S(0)), v, mobility);
    row[limit] = select(near, numbers.D, S(0));
    row[limit + 1] = select(near, numbers.reference, S(0));
  }
};

}  // namespace tandem::inline TANDEM_ISA
