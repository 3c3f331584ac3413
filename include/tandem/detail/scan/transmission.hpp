// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/six.hpp"
#include "tandem/detail/scan/two_handle.hpp"

namespace tandem::inline TANDEM_ISA {

/// The same vector beside each of six others.
template <class S>
TANDEM_HD Vec3<Six<S>> six_times(const Vec3<S>& a) {
  return {Six<S>(a.x), Six<S>(a.y), Six<S>(a.z)};
}

/// What a run has to do with its handle 2, a_2 = A a_1 - C f_2 + b, six numbers that belong to handle 2 side by side:
/// the rows of A are six wrenches that travel as one.
template <class S>
struct Transmission {
  using Row = Six<S>;
  Force<Row> A, C;
  Row b;

  /// A run of nothing.
  TANDEM_HD static Transmission identity() {
    const auto none = six_times(Vec3<S>::zero());
    Transmission t = {{none, none}, {none, none}, Row(S(0))};
    Row* const columns[6] = {&t.A.n.x, &t.A.n.y, &t.A.n.z, &t.A.f.x, &t.A.f.y, &t.A.f.z};
    for (int i = 0; i < 6; ++i) columns[i]->set(i, S(1));
    return t;
  }
  /// b += A g
  TANDEM_HD void add_through(const Motion<S>& g) { b = dot_add(six_times(g.w), A.n, dot_add(six_times(g.v), A.f, b)); }
  /// C += G K G^T
  TANDEM_HD void add_mobility(const Row& G, const Row& GK) {
    C = mul_add(GK, Force<Row>{{Row(G[0]), Row(G[1]), Row(G[2])}, {Row(G[3]), Row(G[4]), Row(G[5])}}, C);
  }
  TANDEM_HD void put_into(TwoHandle<S>& e) const {
    for (int i = 0; i < 6; ++i) e.A[i] = {{A.n.x[i], A.n.y[i], A.n.z[i]}, {A.f.x[i], A.f.y[i], A.f.z[i]}};
    e.C = {{C.n.x[0], C.n.y[1], C.n.z[2], C.n.x[1], C.n.x[2], C.n.y[2]},
           {{C.f.x[0], C.f.y[0], C.f.z[0]}, {C.f.x[1], C.f.y[1], C.f.z[1]}, {C.f.x[2], C.f.y[2], C.f.z[2]}},
           {C.f.x[3], C.f.y[4], C.f.z[5], C.f.x[4], C.f.x[5], C.f.y[5]}};
    e.b = {{b[0], b[1], b[2]}, {b[3], b[4], b[5]}};
  }
};

}  // namespace tandem::inline TANDEM_ISA
