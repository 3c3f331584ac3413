// SPDX-License-Identifier: Apache-2.0
#include "loops_over_tree.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/at.hpp"
#include "tandem/detail/solve/semidefinite.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/passes/loop_motion.hpp"

namespace tandem {
namespace {

/// The rows of a state in an array.
template <class T>
void gather(const Array<T>& array, Index state, std::vector<T>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k] = array.data[state * array.stride + static_cast<Index>(k) * array.row_stride];
}

/// What one state asks of the forces in its loops.
template <class T>
struct Equations {
  std::vector<T> q, v, a, J, Y, G, x;

  explicit Equations(const ModelView<T>& m)
      : q(at(m.nq)),
        v(at(m.nv)),
        a(at(m.nv)),
        J(at(Index{m.n_held} * m.nv)),
        Y(J.size()),
        G(at(Index{m.n_held} * m.n_held)),
        x(at(m.n_held)) {}

  void fill(const ModelView<T>& m) {
    std::fill(J.begin(), J.end(), T(0));
    std::size_t row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      const auto X_21 = loop_transform<T>(m, loop, q.data());
      T rate[6], acceleration[6];
      loop_rates<T>(m, loop, q.data(), X_21, v.data(), a.data(), rate, acceleration);
      add_loop_jacobian<T>(m, loop, q.data(), X_21, J.data() + row * v.size());
      for (int r = 0; r < 6; ++r)
        if (holds(m.loop_held[loop], r)) x[row++] = -acceleration[r];
    }
  }
  /// a + Y^T x with J Y^T x = what x was.
  void solve() {
    const std::size_t n = x.size(), nv = v.size();
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t c = 0; c <= r; ++c) {
        T sum = 0;
        for (std::size_t k = 0; k < nv; ++k) sum = mul_add(J[nv * c + k], Y[nv * r + k], sum);
        G[n * r + c] = sum;
      }
    Semidefinite::solve<T>(G.data(), static_cast<Index>(n), x.data());
    for (std::size_t k = 0; k < nv; ++k)
      for (std::size_t r = 0; r < n; ++r) a[k] = mul_add(x[r], Y[nv * r + k], a[k]);
  }
};

}  // namespace

bool goes_over_tree(const Algorithm& algorithm, const Model& model, const Options& options) {
  if (model.n_loops() == 0 || algorithm.name != std::string_view(ForwardDynamics::name)) return false;
  const bool cuts = options.chunks != 0 || options.load_ratio != 0;  // which are for trees
  return options.method != Method::automatic && options.method != Method::articulated_body &&
         (options.method != Method::divide_and_conquer || cuts);
}

template <class T>
void evaluate_over_tree(const Model& model, std::span<const Array<T>> arguments, const Batch<T>& batch,
                        Workspace<T>& work, const Options& options) {
  static const Algorithm& algorithm = find_algorithm(ForwardDynamics::name);
  const Model tree = model.without_loops(), still = tree.with_gravity({}).with_base_acceleration({});
  evaluate<T>(algorithm, tree, arguments, batch, work, options);

  const ModelView<T>& m = model.view<T>();
  const Array<T>&q = arguments[0], &v = arguments[1], &diagonal = arguments[4], &a = arguments[5];
  Equations<T> equations(m);
  std::vector<T> none(at(m.nv), T(0));
  std::vector<BatchedParameter<T>> of_all;  // but for gravity, which unit forces do not meet
  for (const BatchedParameter<T>& p : batch.parameters)
    if (p.parameter != Parameter::gravity) of_all.push_back(p);
  std::vector<BatchedParameter<T>> of_one = of_all;
  for (Index b = 0; b < batch.size; ++b) {
    gather(q, b, equations.q);
    gather(v, b, equations.v);
    gather(a, b, equations.a);
    equations.fill(m);
    for (std::size_t k = 0; k < of_all.size(); ++k) {
      of_one[k].values.data = of_all[k].values.data + b * of_all[k].values.stride;
      of_one[k].values.stride = 0;
    }
    const Array<T> unit[] = {Array<T>::input(equations.q.data(), 0),
                             Array<T>::input(none.data(), 0),
                             Array<T>::input(equations.J.data(), m.nv),
                             {},
                             {diagonal.data ? diagonal.data + b * diagonal.stride : nullptr, 0, diagonal.row_stride},
                             Array<T>::output(equations.Y.data(), m.nv)};
    evaluate<T>(algorithm, still, unit, Batch<T>(m.n_held, batch.threads, {}, of_one), work, options);
    equations.solve();
    for (std::size_t k = 0; k < equations.a.size(); ++k)
      a.data[b * a.stride + static_cast<Index>(k) * a.row_stride] = equations.a[k];
  }
}

template void evaluate_over_tree(const Model&, std::span<const Array<double>>, const Batch<double>&, Workspace<double>&,
                                 const Options&);
template void evaluate_over_tree(const Model&, std::span<const Array<float>>, const Batch<float>&, Workspace<float>&,
                                 const Options&);

}  // namespace tandem
