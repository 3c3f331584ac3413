// SPDX-License-Identifier: Apache-2.0
/// Rows of couplers: a joint or fixed tendon that follows another one, by a spring and a damper beside the rows of
/// contacts.
#pragma once
#include "tandem/detail/contact/laws.hpp"
#include "tandem/detail/passes/articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// The rows of all couplers, in the workspace. With the positions x_1 and x_2 less their references, and a polynomial
/// p, [MuJoCo, Modeling, equality/joint]
///
///     r = x_1 - p(x_2) = 0,    J = J_1 - p'(x_2) J_2
template <class S, class Work>
struct CouplerRows {
  enum Row { slope, D, reference, force, rows };  ///< slope: p'(x_2)
  const CouplerList& list;
  Work w;

  TANDEM_HD Work of(int c) const { return w + Index{rows} * c; }

  /// J x
  template <class X>
  TANDEM_HD S along(int c, X x) const {
    const S first = sum(c, 0, [&](const TendonPart& part) TANDEM_INLINE { return S(x[part.v]); });
    const S second = sum(c, 1, [&](const TendonPart& part) TANDEM_INLINE { return S(x[part.v]); });
    return mul_add(-S(of(c)[slope]), second, first);
  }
  /// x += J^T f
  template <class X>
  TANDEM_HD void spread(int c, const S& f, X x) const {
    const CouplerKind& kind = list.kinds[c];
    for (int end = 0; end < 2; ++end) {
      const S own = end == 0 ? f : -S(of(c)[slope]) * f;
      for (int k = kind.first[end]; k < kind.first[end] + kind.count[end]; ++k) {
        const TendonPart& part = list.parts[k];
        x[part.v] = mul_add(S(part.coefficient), own, S(x[part.v]));
      }
    }
  }

  template <class Q, class V>
  TANDEM_PASS void prepare(const LawOptions& options, Q q, V v) const {
    for (int c = 0; c < list.n; ++c) {
      const CouplerKind& kind = list.kinds[c];
      const Work row = of(c);
      const auto position = [&](int end) TANDEM_INLINE {
        return S(kind.offset[end]) + sum(c, end, [&](const TendonPart& part) TANDEM_INLINE { return S(q[part.q]); });
      };
      const S y = kind.count[1] > 0 ? position(1) : S(0);
      S p(kind.polynomial[4]), rises(4 * kind.polynomial[4]);
      for (int k = 3; k >= 0; --k) {
        p = mul_add(p, y, S(kind.polynomial[k]));
        if (k > 0) rises = mul_add(rises, y, S(k * kind.polynomial[k]));
      }
      row[slope] = rises;
      const S r = position(0) - p;
      const auto numbers = Laws::held(options, kind.softness, r, r, along(c, v), kind.mobility);
      row[D] = numbers.D;
      row[reference] = numbers.reference;
    }
  }

  /// What pulls where J a is `Ja`.
  TANDEM_HD S pull(int c, const S& Ja) const { return -S(of(c)[D]) * (Ja - S(of(c)[reference])); }

 private:
  template <class F>
  TANDEM_HD S sum(int c, int end, F&& f) const {
    const CouplerKind& kind = list.kinds[c];
    S sum(0);
    for (int k = kind.first[end]; k < kind.first[end] + kind.count[end]; ++k)
      sum = mul_add(S(list.parts[k].coefficient), f(list.parts[k]), sum);
    return sum;
  }
};

}  // namespace tandem::inline TANDEM_ISA
