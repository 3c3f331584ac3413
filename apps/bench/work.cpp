// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <string_view>
#include <utility>

#include "core/counting.hpp"
#include "core/random.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::bench {
namespace {

template <class A>
double flops_of(const Model& model) {
  const ModelView<double>& m = model.view<double>();
  std::vector<std::vector<Counting>> columns;
  Random random(5);
  for (const Argument& argument : A::arguments) {
    auto& column = columns.emplace_back();
    const bool moves = argument.name == std::string_view("v") || argument.name == std::string_view("a");
    if (is_optional(argument) && !moves) continue;  // derivatives may be asked for at rest, too
    if (argument.rows == tandem::Rows::q)
      for (const double x : random_configuration(model, 5)) column.push_back(Counting(x));
    else
      for (Index k = shape(argument.rows, m).count(); k > 0; --k) column.push_back(Counting(random.uniform(-1, 1)));
  }
  const A algorithm;
  std::vector<Counting> work(static_cast<std::size_t>(algorithm.work_rows(m)));
  const auto column = [&](std::size_t k) { return columns[k].empty() ? nullptr : columns[k].data(); };
  Counting::count = {};
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    algorithm.template body<Counting>(m, column(k)..., work.data());
  }(std::make_index_sequence<std::size(A::arguments)>());
  return static_cast<double>(Counting::count.flops());
}

template <class... A>
double flops_of(const std::string& algorithm, const Model& model, TypeList<A...>) {
  double flops = 0;
  ((algorithm == A::name ? void(flops = flops_of<A>(model)) : void()), ...);
  return flops;
}

double bytes_of(const std::string& algorithm, const Model& model, const std::string& precision) {
  Index rows = 0;
  for (const Argument& argument : find_algorithm(algorithm).arguments)
    if (!is_optional(argument)) rows += shape(argument.rows, model.view<double>()).count();
  return static_cast<double>(rows) * (precision == "float" ? 4 : 8);
}

}  // namespace

Work work_of_state(const std::string& algorithm, const Model& model, const std::string& precision) {
  using Counted = TypeList<InverseDynamics, MassMatrix, ForwardDynamics, ForwardKinematics, InverseDynamicsDerivatives,
                           ForwardDynamicsDerivatives, InverseMassMatrix, InverseDynamicsVjp, ForwardDynamicsVjp>;
  return {flops_of(algorithm, model, Counted{}), bytes_of(algorithm, model, precision)};
}

}  // namespace tandem::bench
