// SPDX-License-Identifier: Apache-2.0
/// Limits, dry friction and springs of fixed tendons, as rows over several joints beside those of contacts.
#pragma once
#include "tandem/detail/contact/joint_rows.hpp"
#include "tandem/detail/passes/articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

/// J M^-1 J^T of a tendon, with its joints' rows J, in one configuration: MuJoCo's tendon_invweight0.
/// Work: ArticulatedBody's and 2 nv rows.
template <class S, class M, class Q, class Work>
TANDEM_HD S tendon_mobility(const ModelView<M>& m, Q q, const TendonKind& kind, const TendonPart* parts, Work w) {
  const auto J = w + ArticulatedBody::work_rows(m), y = J + m.nv;
  fill(J, m.nv, S(0));
  for (int k = kind.first; k < kind.first + kind.count; ++k) J[parts[k].v] = S(J[parts[k].v]) + S(parts[k].coefficient);
  ArticulatedBody::respond<S>(m, q, J, y, w);
  S sum(0);
  for (int k = 0; k < m.nv; ++k) sum = mul_add(S(J[k]), S(y[k]), sum);
  return sum;
}

/// The rows of all tendons, in the workspace: those of a joint, by JointRows, with J a instead of a, and the force of
/// the spring and the damper.
template <class S, class M, class Work>
struct TendonRows {
  using Joints = JointRows<S, M, Work>;
  /// The force of spring and damper, the force of all, J a and J step
  enum Row { spring = Joints::rows, force, position, motion, rows };
  const ModelView<M>& m;
  const TendonList& list;
  Work w;

  TANDEM_HD Work of(int t) const { return w + Index{rows} * t; }

  /// J x
  template <class X>
  TANDEM_HD S along(int t, X x) const {
    const TendonKind& kind = list.kinds[t];
    S sum(0);
    for (int k = kind.first; k < kind.first + kind.count; ++k)
      sum = mul_add(S(list.parts[k].coefficient), S(x[list.parts[k].v]), sum);
    return sum;
  }
  /// x += J^T f
  template <class X>
  TANDEM_HD void spread(int t, const S& f, X x) const {
    const TendonKind& kind = list.kinds[t];
    for (int k = kind.first; k < kind.first + kind.count; ++k) {
      const int row = list.parts[k].v;
      x[row] = mul_add(S(list.parts[k].coefficient), f, S(x[row]));
    }
  }

  template <class Q, class V>
  TANDEM_PASS void prepare(const LawOptions& options, const JointSoftness& joints, Q q, V v) const {
    fill(w, Index{rows} * list.n, S(0));
    for (int t = 0; t < list.n; ++t) {
      const TendonKind& kind = list.kinds[t];
      S length(kind.offset);
      for (int k = kind.first; k < kind.first + kind.count; ++k)
        length = mul_add(S(list.parts[k].coefficient), S(q[list.parts[k].q]), length);
      const S speed = along(t, v), margin(kind.margin);
      const Work row = of(t);
      if (joints.limits) {
        Joints::set_limit(row, Joints::lower_D, options, kind.of_limits, length - S(kind.lower) - margin, speed,
                          kind.mobility);
        Joints::set_limit(row, Joints::upper_D, options, kind.of_limits, S(kind.upper) - length - margin, -speed,
                          kind.mobility);
      }
      if (joints.friction_acts)
        Joints::set_friction(row, options, kind.of_friction, S(kind.friction), speed, kind.mobility);
      S f(0);
      if (list.springs && kind.stiffness > 0) {
        const S below = S(kind.rest[0]) - length, above = S(kind.rest[1]) - length;
        f = S(kind.stiffness) * select(S(0) < below, below, select(above < S(0), above, S(0)));
      }
      if (list.damping) f = mul_add(S(-kind.damping), speed, f);
      row[spring] = f;
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA
