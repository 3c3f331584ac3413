// SPDX-License-Identifier: Apache-2.0
#include "support/dense.hpp"

namespace tandem::test {

Vector3 dense(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
Matrix3 dense(const Mat3<double>& A) {
  Matrix3 result;
  result << dense(A.row0).transpose(), dense(A.row1).transpose(), dense(A.row2).transpose();
  return result;
}
Matrix3 dense(const Sym3<double>& A) {
  Matrix3 result;
  result << A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz;
  return result;
}
Vector6 dense(const Motion<double>& a) { return (Vector6() << dense(a.w), dense(a.v)).finished(); }
Vector6 dense(const Force<double>& a) { return (Vector6() << dense(a.n), dense(a.f)).finished(); }

Matrix3 skew_matrix(const Vector3& a) {
  Matrix3 result;
  result << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return result;
}
Matrix6 dense(const Transform<double>& X) {
  const Matrix3 E = dense(X.E);
  return (Matrix6() << E, Matrix3::Zero(), -E * skew_matrix(dense(X.r)), E).finished();
}
Matrix6 dense(const Inertia<double>& I) {
  const Matrix3 h = skew_matrix(dense(I.h));
  return (Matrix6() << dense(I.I), h, h.transpose(), I.m * Matrix3::Identity()).finished();
}
Matrix6 dense(const ArticulatedInertia<double>& A) {
  return (Matrix6() << dense(A.J), dense(A.H), dense(A.H).transpose(), dense(A.M)).finished();
}
Matrix6 cross_matrix(const Vector6& a) {
  const Matrix3 w = skew_matrix(a.head<3>());
  return (Matrix6() << w, Matrix3::Zero(), skew_matrix(a.tail<3>()), w).finished();
}

Matrix inverse(const Matrix& A) { return A.inverse(); }
Matrix solve_positive_definite(const Matrix& A, const Matrix& b) { return A.ldlt().solve(b); }
Matrix orthogonal(const Matrix& A) { return Eigen::HouseholderQR<Matrix>(A).householderQ(); }
bool is_positive_definite(const Matrix& A) { return Eigen::LLT<Matrix>(A).info() == Eigen::Success; }
Vector eigenvalues(const Matrix& A) {
  return Eigen::SelfAdjointEigenSolver<Matrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}
double eigenvalue_ratio(const Matrix& A) {
  if (A.rows() == 0) return 1;
  const Vector e = eigenvalues(A);
  return e[e.size() - 1] / e[0];
}

}  // namespace tandem::test
