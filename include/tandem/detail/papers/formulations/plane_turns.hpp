// SPDX-License-Identifier: Apache-2.0
/// The constant matrices of Lagrangian formulations: Q, so that dR/dq = Q R for a turn R about z by q, and Q^2, in both
/// notations (notation.hpp).
#pragma once
#include "tandem/detail/papers/formulations/notation.hpp"

namespace tandem::inline TANDEM_ISA {

/// Q = [0 -1 0; 1 0 0; 0 0 0] and Q^2 = -diag(1, 1, 0), times numbers, and the sum of both.
struct Quarter {};
struct Half {};
template <class S>
struct TimesQuarter {
  S turn;
};
template <class S>
struct TimesHalf {
  S stretch;
};
template <class S>
struct PlaneTurn {
  S turn, stretch;
};
/// A matrix whose third column is zero.
template <class S>
struct TwoColumns {
  Vec3<S> x, y;
};

template <class S>
TANDEM_HD constexpr TimesQuarter<S> operator*(const S& s, Quarter) {
  return {s};
}
template <class S>
TANDEM_HD constexpr TimesHalf<S> operator*(const S& s, Half) {
  return {s};
}
template <class S>
TANDEM_HD constexpr PlaneTurn<S> operator+(const TimesHalf<S>& a, const TimesQuarter<S>& b) {
  return {b.turn, a.stretch};
}
template <class S>
TANDEM_HD constexpr Vec3<S> column0(const Mat3<S>& A) {
  return {A.row0.x, A.row1.x, A.row2.x};
}
template <class S>
TANDEM_HD constexpr Vec3<S> column1(const Mat3<S>& A) {
  return {A.row0.y, A.row1.y, A.row2.y};
}
template <class S>
TANDEM_HD constexpr TwoColumns<S> operator*(const Mat3<S>& A, Quarter) {
  return {column1(A), -column0(A)};
}
template <class S>
TANDEM_HD constexpr TwoColumns<S> operator*(const Mat3<S>& A, Half) {
  return {-column0(A), -column1(A)};
}
template <class S>
TANDEM_HD constexpr TwoColumns<S> operator*(const Mat3<S>& A, const TimesQuarter<S>& q) {
  return {q.turn * column1(A), -q.turn * column0(A)};
}
template <class S>
TANDEM_HD constexpr TwoColumns<S> operator*(const Mat3<S>& A, const PlaneTurn<S>& q) {
  return {mul_add(q.turn, column1(A), -q.stretch * column0(A)), mul_add(-q.turn, column0(A), -q.stretch * column1(A))};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(Quarter, const Mat3<S>& A) {
  return {-A.row1, A.row0, Vec3<S>::zero()};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(const TimesQuarter<S>& q, const Mat3<S>& A) {
  return {-q.turn * A.row1, q.turn * A.row0, Vec3<S>::zero()};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(const PlaneTurn<S>& q, const Mat3<S>& A) {
  return {mul_add(-q.turn, A.row1, -q.stretch * A.row0), mul_add(q.turn, A.row0, -q.stretch * A.row1), Vec3<S>::zero()};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(Half, const Mat3<S>& A) {
  return {-A.row0, -A.row1, Vec3<S>::zero()};
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(Quarter, const Vec3<S>& a) {
  return {-a.y, a.x, S(0)};
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(Half, const Vec3<S>& a) {
  return {-a.x, -a.y, S(0)};
}
template <class S>
TANDEM_HD constexpr Vec3<S> operator*(const TwoColumns<S>& A, const Vec3<S>& a) {
  return mul_add(a.x, A.x, a.y * A.y);
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator+(const Mat3<S>& A, const TwoColumns<S>& B) {
  return {{A.row0.x + B.x.x, A.row0.y + B.y.x, A.row0.z},
          {A.row1.x + B.x.y, A.row1.y + B.y.y, A.row1.z},
          {A.row2.x + B.x.z, A.row2.y + B.y.z, A.row2.z}};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(const TwoColumns<S>& A, const Mat3<S>& B) {
  return {mul_add(A.x.x, B.row0, A.y.x * B.row1), mul_add(A.x.y, B.row0, A.y.y * B.row1),
          mul_add(A.x.z, B.row0, A.y.z * B.row1)};
}
template <class S>
TANDEM_HD constexpr Mat3<S> operator+(const Mat3<S>& A, const PlaneTurn<S>& q) {
  return {
      {A.row0.x - q.stretch, A.row0.y - q.turn, A.row0.z}, {A.row1.x + q.turn, A.row1.y - q.stretch, A.row1.z}, A.row2};
}

/// A matrix written out, so that it can be scaled from the left.
template <class S>
struct WrittenOut : Mat3<S> {};
template <class S>
TANDEM_HD constexpr Mat3<S> operator*(const S& s, const WrittenOut<S>& A) {
  return {s * A.row0, s * A.row1, s * A.row2};
}

/// Q and Q^2 in a notation.
template <class N, class S>
struct PlaneTurns {
  TANDEM_HD static constexpr Quarter quarter() { return {}; }
  TANDEM_HD static constexpr Half half() { return {}; }
};
template <class S>
struct PlaneTurns<Printed, S> {
  TANDEM_HD static constexpr WrittenOut<S> quarter() {
    return {{{S(0), S(-1), S(0)}, {S(1), S(0), S(0)}, {S(0), S(0), S(0)}}};
  }
  TANDEM_HD static constexpr WrittenOut<S> half() {
    return {{{S(-1), S(0), S(0)}, {S(0), S(-1), S(0)}, {S(0), S(0), S(0)}}};
  }
};

/// tr(A B); written out, with the whole product.
template <class N, class S>
TANDEM_HD constexpr S trace_of_product(const Mat3<S>& A, const Mat3<S>& B) {
  if constexpr (std::is_same_v<N, Printed>) {
    const Mat3<S> AB = A * B;
    return AB.row0.x + AB.row1.y + AB.row2.z;
  }
  const Mat3<S> B_T = transpose(B);
  return dot_add(A.row0, B_T.row0, dot_add(A.row1, B_T.row1, dot(A.row2, B_T.row2)));
}

}  // namespace tandem::inline TANDEM_ISA
