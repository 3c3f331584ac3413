// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/problems/operational_space_mobility.hpp"

namespace tandem::inline TANDEM_ISA {

/// How links and joints move under forces on themselves in one configuration, the robot's own: what the laws of rows
/// take for the
/// diagonal of J M^-1 J^T. MuJoCo's body_invweight0 and dof_invweight0.
struct ContactMobility {
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return OperationalSpaceMobility{}.work_rows(m) + 36 + 2 * Index{m.nv};
  }

  /// Of a point of a link, in the link's described frame: a third of the trace of its mobility, 1/kg. MuJoCo takes
  /// the centre of mass.
  template <class S, class M, class Q, class Work>
  TANDEM_HD static S of_point(const ModelView<M>& m, Q q, int link, const Vec3<S>& point, Work w) {
    const OperationalSpaceMobility of_link{link, Reference::local};
    const auto A = w + of_link.work_rows(m);
    of_link.body<S>(m, q, A, w);
    // v + w x p = P [v; w]; the trace of P A P^T
    const S P[3][6] = {{S(1), S(0), S(0), S(0), point.z, -point.y},
                       {S(0), S(1), S(0), -point.z, S(0), point.x},
                       {S(0), S(0), S(1), point.y, -point.x, S(0)}};
    S trace(0);
    for (int k = 0; k < 3; ++k)
      for (int r = 0; r < 6; ++r)
        for (int c = 0; c < 6; ++c) trace = mul_add(P[k][r] * P[k][c], S(A[6 * r + c]), trace);
    return trace * S(1.0 / 3);
  }
  /// Of a link under moments, after of_point() with the same w: a third of the trace of its rotational mobility,
  /// 1/(kg m^2).
  template <class S, class M, class Work>
  TANDEM_HD static S of_turn(const ModelView<M>& m, int link, Work w) {
    const auto A = w + OperationalSpaceMobility{link, Reference::local}.work_rows(m);
    return (S(A[21]) + S(A[28]) + S(A[35])) * S(1.0 / 3);
  }

  /// Of all rows of v: the diagonal of M^-1, of which directions that a joint does not tell apart, three along or
  /// about the axes of
  /// a free or spherical one, have the mean. Out [nv] 1/kg | 1/(kg m^2).
  template <class S, class M, class Q, class Out, class Work>
  TANDEM_HD static void of_joints(const ModelView<M>& m, Q q, Out out, Work w) {
    const auto unit = w + ArticulatedBody::work_rows(m), y = unit + m.nv;
    fill(unit, m.nv, S(0));
    ArticulatedBody::respond<S>(m, q, as_column<Out>(unit), as_column<Out>(y), w);
    for (int k = 0; k < m.nv; ++k) {
      unit[k] = S(1);
      ArticulatedBody::respond_factored<S>(m, as_column<Out>(unit), as_column<Out>(y), w);
      unit[k] = S(0);
      out[k] = S(y[k]);
    }
    for (int i = 1; i < m.n_links; ++i) {
      if (m.mimics[i] != 0) continue;
      const int row = v_row(m, i);
      if (m.type[i] == JointType::free || m.type[i] == JointType::spherical) average(out + row);
      if (m.type[i] == JointType::free) average(out + (row + 3));
    }
  }

 private:
  template <class Column>
  TANDEM_HD static void average(Column x) {
    const auto mean = (x[0] + x[1] + x[2]) / 3;
    x[0] = x[1] = x[2] = mean;
  }
};

}  // namespace tandem::inline TANDEM_ISA
