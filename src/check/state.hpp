// SPDX-License-Identifier: Apache-2.0
/// One random state of a robot, and what the checks compute in it.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "check/dense.hpp"
#include "check/sizes.hpp"
#include "api/run_body.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/core/dual.hpp"

namespace tandem::check_detail {

/// How near a law came to its tolerance, over all comparisons.
class CheckVerdict {
 public:
  /// Entry by entry; allowed is the largest error that counts as rounding.
  void compare(const Numbers& value, const Numbers& expected, const Numbers& allowed);
  void compare(double value, double expected, double allowed) {
    compare(Numbers{value}, Numbers{expected}, Numbers{allowed});
  }
  void fail(const std::string& why);
  void add_note(const std::string& note);

  bool passed() const { return ratio_ <= 1 && !failed_; }
  double error() const { return error_; }  ///< of the worst comparison, relative to the largest number expected there
  double tolerance() const { return tolerance_; }  ///< of the same one
  const std::string& note() const { return note_; }

 private:
  double ratio_ = -1, error_ = 0, tolerance_ = 0;
  bool failed_ = false;
  std::string note_;
};

/// The dense matrices of a state; they cost nv^3.
struct Matrices {
  Numbers M;             ///< [nv, nv]
  Numbers columns;       ///< [nv, nv] the same by inverse dynamics, column j at j * nv
  Numbers column_sizes;  ///< [nv, nv] size of the terms in `columns`
  ScaledMatrix scaled;
};

/// A robot as the checks need it.
struct Subject {
  explicit Subject(const Model& model);
  Model closed;                        ///< on a base at rest, with its loops
  Model model, weightless;             ///< the tree of its joints; without gravity as well
  double mass = 0;                     ///< of the moving links, kg
  bool has_inertia = false;            ///< whether anything resists to being moved
  bool springs_have_potential = true;  ///< free and planar joints' springs act along a logarithm, which has none
  std::vector<int> frames;             ///< those whose Jacobians are tried
  std::vector<int> unphysical;         ///< links whose inertia is not positive semi-definite
};

/// Everything is computed in T; inputs are numbers that T holds exactly.
template <class T>
class State {
 public:
  State(const Subject& subject, std::uint64_t seed, bool with_matrices);

  const Subject& subject;
  Numbers q, v, a, f_ext;
  Numbers nothing;          ///< [nv] zeros
  std::vector<T> q_T, v_T;  ///< the same in T
  double unit;              ///< tolerance for a term of size 1
  std::optional<Matrices> matrices;
  Workspace<T> work;

  const Model& model() const { return subject.model; }
  const ModelView<T>& view() const { return subject.model.view<T>(); }
  std::size_t nv() const { return v.size(); }

  Numbers inverse_dynamics(const Model& model, const Numbers& v, const Numbers& a, const Numbers& f_ext = {});
  Numbers forward_dynamics(const Numbers& tau, Method method);
  /// The configuration and its rate as it moves with v.
  std::vector<Dual<T>> moving_configuration();
  /// The velocity and its rate a.
  std::vector<Dual<T>> moving_velocity() const;
  /// Springs alone.
  Numbers spring_forces();
};

template <class T, class Real>
std::vector<T> converted(const std::vector<Real>& x) {
  return std::vector<T>(x.begin(), x.end());
}

template <class T>
Numbers rates(const std::vector<Dual<T>>& x) {
  Numbers r;
  for (const Dual<T>& value : x) r.push_back(value.rate);
  return r;
}

/// A [rows, n], row-major, times x [n].
template <class T>
Numbers times(const std::vector<T>& A, const Numbers& x) {
  Numbers y(A.size() / x.size(), 0);
  for (std::size_t k = 0; k < A.size(); ++k) y[k / x.size()] += A[k] * x[k % x.size()];
  return y;
}
/// Tolerance for six numbers, linear first.
inline Numbers linear_angular(double unit, double linear, double angular) {
  return {unit * linear, unit * linear, unit * linear, unit * angular, unit * angular, unit * angular};
}
/// sum of x_k y_k
double product(const Numbers& x, const Numbers& y);
/// x + y
Numbers sum(Numbers x, const Numbers& y);
/// factor * x
Numbers scaled(double factor, Numbers x);
/// |x| and a unit more
Numbers and_more(const Numbers& x);
/// sum of |x_k|
double total(const Numbers& x);
/// sum of |x_k y_k|: size of the terms in a scalar product
double product_size(const Numbers& x, const Numbers& y);

/// A law: what a reader calls it, what it needs to make sense, and its test in one state.
enum class Needs : unsigned char { joints, inertia, potential, mass, matrices, invertible, floating_base, contacts };

template <class T>
struct Property {
  const char* name;
  Needs needs;
  void (*test)(State<T>&, CheckVerdict&);
};

template <class T>
std::vector<Property<T>> kinematic_properties();
template <class T>
std::vector<Property<T>> dynamic_properties();
template <class T>
std::vector<Property<T>> momentum_properties();
template <class T>
std::vector<Property<T>> derivative_properties();
template <class T>
std::vector<Property<T>> step_properties();
template <class T>
std::vector<Property<T>> long_run_properties();
/// Of robots with shapes.
template <class T>
std::vector<Property<T>> contact_properties();
/// Why they do not apply; empty if they do.
std::string no_contacts(const Model& model);
/// Of robots with closed loops.
template <class T>
std::vector<Property<T>> loop_properties();

}  // namespace tandem::check_detail
