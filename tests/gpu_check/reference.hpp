// SPDX-License-Identifier: Apache-2.0
/// What is right: the same bodies on the processor in double, and how far from it a rounding may lead.
#pragma once
#include <cmath>
#include <limits>
#include <vector>

#include "call.hpp"

namespace tandem::gpu_check {

using Vector = std::vector<double>;

inline double largest(const Vector& values) {
  double result = 0;
  for (const double x : values) result = std::fmax(result, std::fabs(x));
  return result;
}

class Reference {
 public:
  explicit Reference(const Model& model) : model_(model), nv_(static_cast<std::size_t>(model.nv())) {}

  Vector mass_matrix(const Vector& q) {
    Vector M(nv_ * nv_);
    MassMatrix::body<double>(view(), q.data(), M.data(), work(MassMatrix::work_rows(view())));
    return M;
  }
  Vector inverse_dynamics(const Vector& q, const Vector& v, const Vector& a, const Vector& f_ext) {
    Vector tau(nv_);
    const double* const forces = f_ext.empty() ? nullptr : f_ext.data();
    InverseDynamics::body<double>(view(), q.data(), v.data(), a.data(), forces, tau.data(),
                                  work(InverseDynamics::work_rows(view())));
    return tau;
  }
  /// Size of the terms that M a + bias adds up.
  double size_of_forces(const Vector& q, const Vector& v, const Vector& a, const Vector& f_ext) {
    const Vector M = mass_matrix(q);
    double inertial = 0;
    for (std::size_t k = 0; k < nv_; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < nv_; ++j) sum += std::fabs(M[k * nv_ + j] * a[j]);
      inertial = std::fmax(inertial, sum);
    }
    return inertial + largest(inverse_dynamics(q, v, Vector(nv_, 0.0), f_ext));
  }
  /// c eps (1 + depth / 8) with c = 32: a place on the robot is a product of as many rounded rotations as joints lead
  /// there.
  template <class T>
  double tolerance() const {
    return 32 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (1 + model_.depth() / 8.0);
  }

 private:
  const ModelView<double>& view() const { return model_.view<double>(); }
  double* work(Index rows) {
    if (static_cast<std::size_t>(rows) > work_.size()) work_.resize(static_cast<std::size_t>(rows));
    return work_.data();
  }

  const Model& model_;
  std::size_t nv_;
  Vector work_;
};

/// The largest difference as a share of the tolerance; NaN if there is one among them.
inline double worst_of(const Vector& ours, const Vector& expected, double tolerance) {
  double worst = 0;
  for (std::size_t k = 0; k < ours.size() && !std::isnan(worst); ++k) {
    const double share = std::fabs(ours[k] - expected[k]) / tolerance;
    if (!(share <= worst)) worst = share;
  }
  return worst;
}

/// How far the output of state b is from what it should be.
template <class T>
double error_of(Reference& right, const Call<InverseDynamics, T>& call, Index b) {
  const Vector q = call.column("q", b), v = call.column("v", b), a = call.column("a", b), f = call.column("f_ext", b);
  return worst_of(call.column("tau", b), right.inverse_dynamics(q, v, a, f),
                  right.tolerance<T>() * right.size_of_forces(q, v, a, f));
}

template <class T>
double error_of(Reference& right, const Call<MassMatrix, T>& call, Index b) {
  const Vector expected = right.mass_matrix(call.column("q", b));
  return worst_of(call.column("M", b), expected, right.tolerance<T>() * largest(expected));
}

/// Of an acceleration: whether it balances the joint forces. Its own error is this one times the condition of M.
template <class T>
double error_of(Reference& right, const Call<ForwardDynamics, T>& call, Index b) {
  const Vector q = call.column("q", b), v = call.column("v", b), a = call.column("a", b), f = call.column("f_ext", b);
  const Vector tau = call.column("tau", b), diagonal = call.column("diagonal", b);
  Vector balance = right.inverse_dynamics(q, v, a, f);
  double added = 0;
  for (std::size_t k = 0; k < diagonal.size(); ++k) {
    balance[k] += diagonal[k] * a[k];
    added = std::fmax(added, std::fabs(diagonal[k] * a[k]));
  }
  return worst_of(balance, tau, right.tolerance<T>() * (right.size_of_forces(q, v, a, f) + added + largest(tau)));
}

}  // namespace tandem::gpu_check
