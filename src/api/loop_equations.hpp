// SPDX-License-Identifier: Apache-2.0
/// What one state of a robot with closed loops asks of the forces in them: a small dense system beside the robot's
/// tree.
#pragma once
#include <algorithm>
#include <vector>

#include "core/at.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/detail/passes/loop_motion.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/solve/semidefinite.hpp"

namespace tandem {

/// One state of an array.
template <class T>
Array<T> state_of(Array<T> array, Index state) {
  if (array.data) array.data += state * array.stride;
  array.stride = 0;
  return array;
}

/// The rows of a state in an array.
template <class T>
void gather(const Array<T>& array, Index state, std::vector<T>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k] = array.data[state * array.stride + static_cast<Index>(k) * array.row_stride];
}
template <class T>
void scatter(const std::vector<T>& rows, const Array<T>& array, Index state) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    array.data[state * array.stride + static_cast<Index>(k) * array.row_stride] = rows[k];
}

/// The change y of the accelerations that takes the least of the robot's inertia to meet J y = b:
///
///     y = Y^T x,    G x = b,    Y = J M^-1,    G = J Y^T
template <class T>
struct LoopEquations {
  std::vector<T> J, Y, G;  ///< [held, nv], [held, nv], [held, held]

  explicit LoopEquations(const ModelView<T>& m)
      : J(at(Index{m.n_held} * m.nv)), Y(J.size()), nv_(m.nv), held_(m.n_held) {
    G.resize(at(held_ * held_));
  }

  /// J at a configuration.
  void find_directions(const ModelView<T>& m, const T* q) {
    std::fill(J.begin(), J.end(), T(0));
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      add_loop_jacobian<T>(m, loop, q, loop_transform<T>(m, loop, q), J.data() + row * nv_);
      for (int r = 0; r < 6; ++r) row += holds(m.loop_held[loop], r);
    }
  }
  /// G of J and Y, factorised.
  void factorise() {
    for (Index r = 0; r < held_; ++r)
      for (Index c = 0; c <= r; ++c) {
        T sum = 0;
        for (Index k = 0; k < nv_; ++k) sum = mul_add(J[at(nv_ * c + k)], Y[at(nv_ * r + k)], sum);
        G[at(held_ * r + c)] = sum;
      }
    Semidefinite::factorise<T>(G.data(), held_);
  }
  /// x in the place of b.
  void solve(std::vector<T>& b) const { Semidefinite::substitute<T>(G.data(), held_, b.data()); }
  /// y += A^T x for J or Y.
  void add_transpose(const std::vector<T>& A, const std::vector<T>& x, std::vector<T>& y) const {
    for (Index k = 0; k < nv_; ++k)
      for (Index r = 0; r < held_; ++r) y[at(k)] = mul_add(x[at(r)], A[at(nv_ * r + k)], y[at(k)]);
  }
  /// b += A y for J or Y.
  void add_product(const std::vector<T>& A, const std::vector<T>& y, std::vector<T>& b) const {
    for (Index r = 0; r < held_; ++r)
      for (Index k = 0; k < nv_; ++k) b[at(r)] = mul_add(A[at(nv_ * r + k)], y[at(k)], b[at(r)]);
  }

 private:
  Index nv_, held_;
};

/// What is given for every state beside the model, for one of them.
template <class T>
std::vector<BatchedParameter<T>> parameters_of(std::span<const BatchedParameter<T>> given, Index state) {
  std::vector<BatchedParameter<T>> own(given.begin(), given.end());
  for (BatchedParameter<T>& p : own) p.values = state_of(p.values, state);
  return own;
}

/// Y by forward dynamics of the tree, which does not move and weighs nothing, pushed by the rows of J.
template <class T>
class UnitResponses {
 public:
  explicit UnitResponses(const Model& tree)
      : still_(tree.with_gravity({}).with_base_acceleration({})), none_(at(tree.nv()), T(0)) {}

  /// With parameters and the diagonal of one state.
  void find(const std::vector<T>& q, const Array<T>& diagonal, std::span<const BatchedParameter<T>> varied,
            LoopEquations<T>& of, Index held, int threads, Workspace<T>& work, const Options& options) const {
    static const Algorithm& algorithm = find_algorithm(ForwardDynamics::name);
    std::vector<BatchedParameter<T>> but_for_gravity;  // which unit forces do not meet
    for (const BatchedParameter<T>& p : varied)
      if (p.parameter != Parameter::gravity) but_for_gravity.push_back(p);
    const Index nv = still_.nv();
    const Array<T> unit[] = {Array<T>::input(q.data(), 0),
                             Array<T>::input(none_.data(), 0),
                             Array<T>::input(of.J.data(), nv),
                             {},
                             diagonal,
                             Array<T>::output(of.Y.data(), nv)};
    evaluate<T>(algorithm, still_, unit, Batch<T>(held, threads, {}, but_for_gravity), work, options);
  }

 private:
  Model still_;
  std::vector<T> none_;
};

}  // namespace tandem
