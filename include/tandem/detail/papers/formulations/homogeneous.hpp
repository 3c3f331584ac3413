// SPDX-License-Identifier: Apache-2.0
/// Where a point of a link is and how joints move it, as 4x4 matrices of homogeneous coordinates, [Pond] (2.40) -
/// (2.43), and the same in blocks of 3x3 (page 26): [A b; 0 1] of a frame, [A b; 0 0] of how it moves.
#pragma once
#include "tandem/detail/papers/formulations/plane_turns.hpp"
#include "tandem/detail/spatial/force.hpp"
#include "tandem/detail/spatial/sym3.hpp"

namespace tandem::inline TANDEM_ISA {

template <class S>
struct Mat4 {
  S of[4][4];
};
template <class S>
TANDEM_HD constexpr Mat4<S> operator*(const Mat4<S>& A, const Mat4<S>& B) {
  Mat4<S> C;
  TANDEM_UNROLLED
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C.of[i][j] = mul_add(A.of[i][0], B.of[0][j],
                           mul_add(A.of[i][1], B.of[1][j], mul_add(A.of[i][2], B.of[2][j], A.of[i][3] * B.of[3][j])));
  return C;
}
template <class S>
TANDEM_HD constexpr Mat4<S> transpose(const Mat4<S>& A) {
  Mat4<S> B;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) B.of[i][j] = A.of[j][i];
  return B;
}
/// [A b; c d]
template <class S>
TANDEM_HD constexpr Mat4<S> mat4(const Mat3<S>& A, const Vec3<S>& b, const Vec3<S>& c, const S& d) {
  return {{{A.row0.x, A.row0.y, A.row0.z, b.x},
           {A.row1.x, A.row1.y, A.row1.z, b.y},
           {A.row2.x, A.row2.y, A.row2.z, b.z},
           {c.x, c.y, c.z, d}}};
}
/// [A b; 0 0]
template <class S>
TANDEM_HD constexpr Mat4<S> mat4(const Mat3<S>& A, const Vec3<S>& b) {
  return mat4(A, b, Vec3<S>::zero(), S(0));
}
template <class S>
TANDEM_HD constexpr Mat3<S> rotation_of(const Mat4<S>& T) {
  const auto row = [&](int i) { return Vec3<S>{T.of[i][0], T.of[i][1], T.of[i][2]}; };
  return {row(0), row(1), row(2)};
}
/// The sum of products of entries, tr(A B^T).
template <class S>
TANDEM_HD constexpr S inner(const Mat4<S>& A, const Mat4<S>& B) {
  S sum = A.of[0][0] * B.of[0][0];
  for (int i = 0; i < 4; ++i)
    for (int j = i == 0 ? 1 : 0; j < 4; ++j) sum = mul_add(A.of[i][j], B.of[i][j], sum);
  return sum;
}
template <class S>
TANDEM_HD constexpr S inner(const Mat3<S>& A, const Mat3<S>& B) {
  return dot_add(A.row0, B.row0, dot_add(A.row1, B.row1, dot(A.row2, B.row2)));
}

/// Delta of a joint: dT/dq = Delta T. It turns about z or slides along it.
struct Delta {
  bool turns;
};
template <class S>
TANDEM_HD constexpr Mat4<S> operator*(const Mat4<S>& A, Delta delta) {
  Mat4<S> B = mat4(Mat3<S>::zero(), Vec3<S>::zero());
  for (int i = 0; i < 4; ++i) {
    if (delta.turns) {
      B.of[i][0] = A.of[i][1];
      B.of[i][1] = -A.of[i][0];
    } else {
      B.of[i][3] = A.of[i][2];
    }
  }
  return B;
}
template <class S>
TANDEM_HD constexpr Mat4<S> operator*(Delta delta, const Mat4<S>& A) {
  Mat4<S> B = mat4(Mat3<S>::zero(), Vec3<S>::zero());
  for (int j = 0; j < 4; ++j) {
    if (delta.turns) {
      B.of[0][j] = -A.of[1][j];
      B.of[1][j] = A.of[0][j];
    } else {
      B.of[2][j] = A.of[3][j];
    }
  }
  return B;
}
/// Delta^2 of a joint that turns.
struct DeltaSquared {};
template <class S>
TANDEM_HD constexpr Mat4<S> operator*(const Mat4<S>& A, DeltaSquared) {
  Mat4<S> B = mat4(Mat3<S>::zero(), Vec3<S>::zero());
  for (int i = 0; i < 4; ++i) {
    B.of[i][0] = -A.of[i][0];
    B.of[i][1] = -A.of[i][1];
  }
  return B;
}
template <class S>
TANDEM_HD constexpr Mat4<S> operator*(DeltaSquared, const Mat4<S>& A) {
  Mat4<S> B = mat4(Mat3<S>::zero(), Vec3<S>::zero());
  for (int j = 0; j < 4; ++j) {
    B.of[0][j] = -A.of[0][j];
    B.of[1][j] = -A.of[1][j];
  }
  return B;
}

/// 4x4 matrices.
template <class N, class S>
struct Homogeneous {
  using Frame = Mat4<S>;
  using Drift = Mat4<S>;
  static constexpr bool printed = std::is_same_v<N, Printed>;

  TANDEM_HD static Frame frame(const Mat3<S>& R, const Vec3<S>& p) { return mat4(R, p, Vec3<S>::zero(), S(1)); }
  TANDEM_HD static Frame product(const Frame& A, const Frame& B) { return A * B; }
  /// L Delta T and Delta T; L Delta^2 T and Delta^2 T
  TANDEM_HD static Drift driven(const Mat4<S>& L, bool turns, const Frame& T) { return (L * delta(turns)) * T; }
  TANDEM_HD static Drift driven(bool turns, const Frame& T) { return delta(turns) * T; }
  TANDEM_HD static Drift driven_twice(const Mat4<S>& L, const Frame& T) { return (L * delta_squared()) * T; }
  TANDEM_HD static Drift driven_twice(const Frame& T) { return delta_squared() * T; }
  /// tr(A H B^T)
  TANDEM_HD static S product_of(const Drift& A, const Sym3<S>& G, const Vec3<S>& ms, const S& m, const Drift& B) {
    const Mat4<S> AH = A * mat4(full(G), ms, ms, m);
    if constexpr (!printed) return inner(AH, B);
    const Mat4<S> P = AH * transpose(B);
    return P.of[0][0] + P.of[1][1] + P.of[2][2] + P.of[3][3];
  }
  /// a^T A (ms, m)
  TANDEM_HD static S weight(const Vec3<S>& a, const Drift& A, const Vec3<S>& ms, const S& m) {
    const auto row = [&](int i) {
      return mul_add(A.of[i][0], ms.x, mul_add(A.of[i][1], ms.y, mul_add(A.of[i][2], ms.z, A.of[i][3] * m)));
    };
    if constexpr (printed) return mul_add(a.x, row(0), mul_add(a.y, row(1), mul_add(a.z, row(2), S(0) * row(3))));
    return dot(a, {row(0), row(1), row(2)});
  }
  /// How points accelerate that turn with the base, or follow a frame that does.
  TANDEM_HD static Drift turning(const Vec3<S>& dw, const Frame& T) { return mat4(skew(dw), Vec3<S>::zero()) * T; }
  /// So that inner(wrench, A) is its work; x along the axes of T.
  TANDEM_HD static Drift wrench(const Frame& T, const Force<S>& x) {
    const Mat3<S> R = rotation_of(T);
    return mat4(R * skew(S(0.5) * x.n), R * x.f);
  }
  TANDEM_HD static S work(const Drift& wrench, const Drift& A) { return inner(wrench, A); }

 private:
  TANDEM_HD static auto delta(bool turns) {
    if constexpr (printed)
      return turns ? mat4<S>(PlaneTurns<N, S>::quarter(), Vec3<S>::zero())
                   : mat4(Mat3<S>::zero(), Vec3<S>{S(0), S(0), S(1)});
    else
      return Delta{turns};
  }
  TANDEM_HD static auto delta_squared() {
    if constexpr (printed)
      return mat4<S>(PlaneTurns<N, S>::half(), Vec3<S>::zero());
    else
      return DeltaSquared{};
  }
};

/// [A b; 0 1] and [A b; 0 0]
template <class S>
struct FrameBlocks {
  Mat3<S> A;
  Vec3<S> b;
};
template <class S>
struct DriftBlocks {
  Mat3<S> A;
  Vec3<S> b;
};

/// Blocks of 3x3.
template <class N, class S>
struct Blocks {
  using Frame = FrameBlocks<S>;
  using Drift = DriftBlocks<S>;
  using Turns = PlaneTurns<N, S>;
  static constexpr bool printed = std::is_same_v<N, Printed>;

  TANDEM_HD static Frame frame(const Mat3<S>& R, const Vec3<S>& p) { return {R, p}; }
  TANDEM_HD static Frame product(const Frame& T, const Frame& U) { return {T.A * U.A, T.A * U.b + T.b}; }
  template <class Left>
  TANDEM_HD static Drift driven(const Left& L, bool turns, const Frame& T) {
    if (!turns) return {Mat3<S>::zero(), L.A * N::template unit_z<S>()};
    const auto LQ = L.A * Turns::quarter();
    return {LQ * T.A, LQ * T.b};
  }
  TANDEM_HD static Drift driven(bool turns, const Frame& T) {
    if (!turns) return {Mat3<S>::zero(), {S(0), S(0), S(1)}};
    return {Turns::quarter() * T.A, Turns::quarter() * T.b};
  }
  TANDEM_HD static Drift driven_twice(const Frame& L, const Frame& T) {
    const auto LQQ = L.A * Turns::half();
    return {LQQ * T.A, LQQ * T.b};
  }
  TANDEM_HD static Drift driven_twice(const Frame& T) { return {Turns::half() * T.A, Turns::half() * T.b}; }
  TANDEM_HD static S product_of(const Drift& L, const Sym3<S>& G, const Vec3<S>& ms, const S& m, const Drift& R) {
    const Mat3<S> A = L.A * full(G) + outer(L.b, ms);
    return trace_of_product<N>(A, transpose(R.A)) + dot(L.A * ms + m * L.b, R.b);
  }
  TANDEM_HD static S weight(const Vec3<S>& a, const Drift& L, const Vec3<S>& ms, const S& m) {
    return dot(a, L.A * ms + m * L.b);
  }
  TANDEM_HD static Drift turning(const Vec3<S>& dw, const Frame& T) { return {cross(dw, T.A), cross(dw, T.b)}; }
  TANDEM_HD static Drift wrench(const Frame& T, const Force<S>& x) { return {T.A * skew(S(0.5) * x.n), T.A * x.f}; }
  TANDEM_HD static S work(const Drift& wrench, const Drift& L) { return inner(wrench.A, L.A) + dot(wrench.b, L.b); }
};

}  // namespace tandem::inline TANDEM_ISA
