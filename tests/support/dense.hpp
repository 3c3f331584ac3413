// SPDX-License-Identifier: Apache-2.0
/// The spatial types as plain vectors and matrices of Eigen, written down once more from their definitions.
#pragma once
#include <Eigen/Dense>
#include <limits>

#include "core/random.hpp"
#include "tandem/detail/core/column.hpp"
#include "tandem/detail/spatial/articulated_inertia.hpp"
#include "tandem/detail/spatial/inertia.hpp"
#include "tandem/detail/spatial/quaternion.hpp"

namespace tandem::test {

constexpr double eps = std::numeric_limits<double>::epsilon();

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Compiled once, in dense.cpp: Eigen's expressions take longer to compile than what they stand for is worth.
Vector3 dense(const Vec3<double>& a);
Matrix3 dense(const Mat3<double>& A);
Matrix3 dense(const Sym3<double>& A);
Vector6 dense(const Motion<double>& a);
Vector6 dense(const Force<double>& a);
/// On motions, [E 0; -E r~ E].
Matrix6 dense(const Transform<double>& X);
Matrix6 dense(const Inertia<double>& I);
Matrix6 dense(const ArticulatedInertia<double>& A);

Matrix3 skew_matrix(const Vector3& a);
/// b -> a x b on motions; on forces it is minus the transpose.
Matrix6 cross_matrix(const Vector6& a);

Matrix inverse(const Matrix& A);
/// x of A x = b, A symmetric and positive definite.
Matrix solve_positive_definite(const Matrix& A, const Matrix& b);
/// Q of A = Q R.
Matrix orthogonal(const Matrix& A);
bool is_positive_definite(const Matrix& A);
/// Of a symmetric matrix, ascending.
Vector eigenvalues(const Matrix& A);
/// The largest one over the smallest one: the condition number. 1 for a matrix without rows.
double eigenvalue_ratio(const Matrix& A);

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
