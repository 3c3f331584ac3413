// SPDX-License-Identifier: Apache-2.0
/// The spatial types as plain vectors and matrices of Eigen, written down once more from their definitions.
#pragma once
#include <Eigen/Dense>

#include "core/random.hpp"
#include "tandem/core/column.hpp"
#include "tandem/spatial/articulated_inertia.hpp"
#include "tandem/spatial/inertia.hpp"
#include "tandem/spatial/quaternion.hpp"

namespace tandem::test {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

inline Vector3 dense(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
inline Matrix3 dense(const Mat3<double>& A) {
  Matrix3 result;
  result << dense(A.row0).transpose(), dense(A.row1).transpose(), dense(A.row2).transpose();
  return result;
}
inline Matrix3 dense(const Sym3<double>& A) {
  Matrix3 result;
  result << A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz;
  return result;
}
inline Vector6 dense(const Motion<double>& a) { return (Vector6() << dense(a.w), dense(a.v)).finished(); }
inline Vector6 dense(const Force<double>& a) { return (Vector6() << dense(a.n), dense(a.f)).finished(); }

inline Matrix3 skew_matrix(const Vector3& a) {
  Matrix3 result;
  result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return result;
}
/// On motions, [E 0; -E r~ E].
inline Matrix6 dense(const Transform<double>& X) {
  const Matrix3 E = dense(X.E);
  return (Matrix6() << E, Matrix3::Zero(), -E * skew_matrix(dense(X.r)), E).finished();
}
inline Matrix6 dense(const Inertia<double>& I) {
  const Matrix3 h = skew_matrix(dense(I.h));
  return (Matrix6() << dense(I.I), h, h.transpose(), I.m * Matrix3::Identity()).finished();
}
inline Matrix6 dense(const ArticulatedInertia<double>& A) {
  return (Matrix6() << dense(A.J), dense(A.H), dense(A.H).transpose(), dense(A.M)).finished();
}
/// b -> a x b on motions; on forces it is minus the transpose.
inline Matrix6 cross_matrix(const Vector6& a) {
  const Matrix3 w = skew_matrix(a.head<3>());
  return (Matrix6() << w, Matrix3::Zero(), skew_matrix(a.tail<3>()), w).finished();
}

/// Random spatial quantities with entries of order one.
class RandomSpatial {
 public:
  explicit RandomSpatial(std::uint64_t seed) : random_(seed) {}

  double number() { return random_.uniform(-1, 1); }
  Vec3<double> vec3() { return {number(), number(), number()}; }
  Mat3<double> mat3() { return {vec3(), vec3(), vec3()}; }
  Sym3<double> sym3() { return {number(), number(), number(), number(), number(), number()}; }
  Motion<double> motion() { return {vec3(), vec3()}; }
  Force<double> force() { return {vec3(), vec3()}; }
  Quaternion<double> quaternion() {
    const Quaternion<double> a = {random_.normal(), random_.normal(), random_.normal(), random_.normal()};
    return normalised(a);
  }
  Transform<double> transform() { return {rotation(quaternion()), vec3()}; }
  Inertia<double> inertia() { return {1 + number(), vec3(), sym3()}; }
  ArticulatedInertia<double> articulated_inertia() { return {sym3(), mat3(), sym3()}; }

 private:
  Random random_;
};

}  // namespace tandem::test
