// SPDX-License-Identifier: Apache-2.0
/// Limits, dry friction and springs of fixed tendons, and limits of the angles of spherical joints: rows over several
/// rows of v beside those of contacts.
#pragma once
#include <cmath>

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
  /// The force of spring and damper, the force of all, J a and J step; the axis of a spherical joint
  enum Row { spring = Joints::rows, force, position, motion, axis, rows = axis + 3 };
  const ModelView<M>& m;
  const TendonList& list;
  Work w;

  TANDEM_HD Work of(int t) const { return w + Index{rows} * t; }

  TANDEM_HD bool is_tendon(int t) const { return list.kinds[t].ball_q < 0; }
  /// J x
  template <class X>
  TANDEM_HD S along(int t, X x) const {
    const TendonKind& kind = list.kinds[t];
    S sum(0);
    for (int k = 0; k < 3 && !is_tendon(t); ++k) sum = mul_add(S(of(t)[axis + k]), S(x[kind.ball_v + k]), sum);
    for (int k = kind.first; k < kind.first + kind.count; ++k)
      sum = mul_add(S(list.parts[k].coefficient), S(x[list.parts[k].v]), sum);
    return sum;
  }
  /// x += J^T f
  template <class X>
  TANDEM_HD void spread(int t, const S& f, X x) const {
    const TendonKind& kind = list.kinds[t];
    for (int k = 0; k < 3 && !is_tendon(t); ++k) {
      const int row = kind.ball_v + k;
      x[row] = mul_add(S(of(t)[axis + k]), f, S(x[row]));
    }
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
      S length = is_tendon(t) ? S(kind.offset) : turned(of(t), q + kind.ball_q);
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

 private:
  /// The angle of a joint at the quaternion x y z w, in [0, pi]; its axis to the row.
  template <class Q>
  TANDEM_HD static S turned(Work row, Q q) {
    const S w = q[3], sine = sqrt(mul_add(S(q[0]), S(q[0]), mul_add(S(q[1]), S(q[1]), S(q[2]) * S(q[2]))));
    const S length = select(S(0) < sine, sine, S(1)), sign = select(w < S(0), S(-1), S(1)) / length;
    for (int k = 0; k < 3; ++k) row[axis + k] = sign * S(q[k]);
    const S whole = sqrt(mul_add(w, w, sine * sine));
    return S(4) * arctangent(sine / (abs(w) + whole));
  }
  TANDEM_HD static double arctangent(double x) { return std::atan(x); }
  TANDEM_HD static float arctangent(float x) { return std::atan(x); }
  template <class X>
  TANDEM_HD static X arctangent(const X& x) {
    return lane_by_lane(x, [](auto lane) TANDEM_INLINE { return arctangent(lane); });
  }
};

}  // namespace tandem::inline TANDEM_ISA
