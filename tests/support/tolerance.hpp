// SPDX-License-Identifier: Apache-2.0
/// How far two results may be apart: c * eps * kappa * scale. c is written down at the place of use and at most 32, eps
/// is that of the type in use, kappa is the condition of the problem (1 for sums), scale the size of the terms summed.
#pragma once
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/cases.hpp"

namespace tandem::test {

template <class T>
double tolerance(double c, double kappa, double scale) {
  if (!(c <= 32)) throw std::invalid_argument("a tolerance needs c <= 32");
  return c * static_cast<double>(std::numeric_limits<T>::epsilon()) * kappa * scale;
}

/// Difference quotients lose a third of the digits: with a step of eps^(1/3) rounding and truncation both leave
/// eps^(2/3).
template <class T>
double difference_step() {
  return std::cbrt(static_cast<double>(std::numeric_limits<T>::epsilon()));
}
template <class T>
double difference_kappa() {
  return 1 / difference_step<T>();
}

/// Condition number of a mass matrix with its rows and columns scaled to a unit diagonal, which is what bounds the
/// error of Cholesky's method: units and sizes of joints fall out. 1 for a matrix without rows.
double condition(const Matrix& M);

/// Sizes of the terms that a robot's functions sum up, from the links' masses, places and motions.
struct Scales {
  double length = 0;        ///< longest way from the base to a link's centre of mass along the joints, m; at least 1
  double mass = 0;          ///< of entries of the mass matrix
  double force = 0;         ///< of joint forces
  double motion = 0;        ///< of frame velocities
  double acceleration = 0;  ///< of frame accelerations
  double energy = 0;
  double momentum = 0;
};
Scales scales(const Model& model, const Vector& q, const Vector& v, const Vector& a, const Vector& f_ext = {});
inline Scales scales(const Model& model, const State& s) { return scales(model, s.q, s.v, s.a, s.f_ext); }

/// Every entry of two vectors or matrices, within the tolerance; names the worst one.
void expect_near(const Matrix& ours, const Matrix& expected, double tolerance, const std::string& what);

}  // namespace tandem::test
