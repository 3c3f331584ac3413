// SPDX-License-Identifier: Apache-2.0
#include "loops_over_tree.hpp"

#include <string_view>
#include <vector>

#include "loop_equations.hpp"

namespace tandem {

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
  const Model tree = model.without_loops();
  evaluate<T>(algorithm, tree, arguments, batch, work, options);

  const ModelView<T>& m = model.view<T>();
  const Array<T>&q = arguments[0], &v = arguments[1], &diagonal = arguments[4], &a = arguments[5];
  const UnitResponses<T> responses(tree);
  LoopEquations<T> equations(m);
  std::vector<T> q_b(at(m.nq)), v_b(at(m.nv)), a_b(at(m.nv)), x(at(m.n_held));
  for (Index b = 0; b < batch.size; ++b) {
    gather(q, b, q_b);
    gather(v, b, v_b);
    gather(a, b, a_b);
    Index row = 0;
    for (int loop = 0; loop < m.n_loops; ++loop) {
      T rate[6], acceleration[6];
      loop_rates<T>(m, loop, q_b.data(), loop_transform<T>(m, loop, q_b.data()), v_b.data(), a_b.data(), rate,
                    acceleration);
      for (int r = 0; r < 6; ++r)
        if (holds(m.loop_held[loop], r)) x[at(row++)] = -acceleration[r];
    }
    equations.find_directions(m, q_b.data());
    responses.find(q_b, state_of(diagonal, b), parameters_of(batch.parameters, b), equations, m.n_held, batch.threads,
                   work, options);
    equations.factorise();
    equations.solve(x);
    equations.add_transpose(equations.Y, x, a_b);
    scatter(a_b, a, b);
  }
}

template void evaluate_over_tree(const Model&, std::span<const Array<double>>, const Batch<double>&, Workspace<double>&,
                                 const Options&);
template void evaluate_over_tree(const Model&, std::span<const Array<float>>, const Batch<float>&, Workspace<float>&,
                                 const Options&);

}  // namespace tandem
