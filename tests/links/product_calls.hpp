// SPDX-License-Identifier: Apache-2.0
/// Calls of products with derivatives, with columns by their names, and of the methods that divide a chain for them.
#pragma once
#include "core/random.hpp"
#include "links/link_call.hpp"
#include "links/reference.hpp"
#include "tandem/detail/link_methods.hpp"

namespace tandem::test {

/// All outputs for one state, those that may be left out, too, if what they need is given.
template <class T>
Columns outputs_of(const std::string& name, const Model& model, const Options& options, const Columns& inputs,
                   int threads = 1) {
  const Algorithm& algorithm = find_algorithm(name);
  std::vector<std::unique_ptr<Fenced<T>>> columns;
  std::vector<Array<T>> arrays;
  for (const Argument& argument : algorithm.arguments) {
    const Index rows = can_be_asked_for(argument, inputs) ? shape(argument.rows, model.view<T>()).count() : 0;
    const auto input = inputs.find(argument.name);
    columns.push_back(input != inputs.end() ? std::make_unique<Fenced<T>>(input->second)
                                            : std::make_unique<Fenced<T>>(rows));
    arrays.push_back({columns.back()->out().empty() ? nullptr : columns.back()->out().data(), 0});
  }
  Workspace<T> work;
  {
    const FencedWorkspace<T> watch(work, scratch_size<T>(algorithm, model, options));
    Batch<T> batch = 1;
    batch.threads = threads;
    evaluate<T>(algorithm, model, arrays, batch, work, options);
  }
  Columns results;
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (can_be_asked_for(algorithm.arguments[k], inputs)) results[algorithm.arguments[k].name] = columns[k]->values();
  return results;
}

/// A state, and vectors to multiply by, in numbers that float has, too. Without `all` what may be left out is.
inline Columns inputs_of(const std::string& name, const Model& model, const State& s, bool all = true) {
  const Columns of_state = {{"q", s.q},
                            {"v", s.v},
                            {"a", s.a},
                            {"tau", s.tau},
                            {"f_ext", s.f_ext},
                            {"q_target", s.q},
                            {"dt", Vector::Constant(1, 0x1p-10)},
                            {"stops", Vector::Zero(3 * model.nv())}};
  // kd over steps of 2^-10 s adds to the diagonal what forward dynamics is given there: numbers from 0 to 1. A step
  // brings wrenches to the joints as forces, here 16 times as large as tau. Under such forces, and next to nothing on
  // the diagonal, forward_dynamics itself by scan is off by up to 3 times as much as ProductScans allow, in chunks of
  // one or two links.
  const auto most = [](const std::string& column) { return column == "kd" ? 0x1p10 : 1; };
  const auto least = [&](const std::string& column) {
    return column == "diagonal" || column == "kp" || column == "kd" ? 0 : -most(column);
  };
  Columns inputs;
  Random random(3);
  for (const Argument& argument : find_algorithm(name).arguments) {
    if (!is_input(argument) || (!all && is_optional(argument))) continue;
    const std::string column = argument.name;
    if (const auto given = of_state.find(column); given != of_state.end()) {
      inputs[column] = given->second;
      continue;
    }
    Vector& x = inputs[column] = Vector(shape(argument.rows, model.view<double>()).count());
    for (double& number : x)
      number = static_cast<double>(static_cast<float>(random.uniform(least(column), most(column))));
  }
  return inputs;
}

inline double largest(const Vector& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

/// f<A>() for all of them.
template <class F, class... A>
void for_each_product(F&& f, TypeList<A...>) {
  const auto if_product = [&]<class Method>() {
    if constexpr (requires { Method::Passes::n_in; }) f.template operator()<Method>();
  };
  (if_product.template operator()<A>(), ...);
}

/// All outputs by the text of a method, one chunk after the other.
template <class A, class T>
Columns outputs_without_lanes(const Model& model, const Options& options, const Columns& inputs) {
  const auto method = with_options<A>(options);
  const auto& m = model.view<T>();
  constexpr std::size_t n = std::size(A::Problem::arguments);
  std::array<std::vector<T>, n> columns;
  for (std::size_t k = 0; k < n; ++k) {
    const Argument& argument = A::Problem::arguments[k];
    columns[k].resize(static_cast<std::size_t>(shape(argument.rows, m).count()));
    if (is_input(argument))
      for (std::size_t row = 0; row < columns[k].size(); ++row)
        columns[k][row] = static_cast<T>(inputs.at(argument.name)[static_cast<Index>(row)]);
  }
  std::vector<T> work(static_cast<std::size_t>(method.work_rows(m)));
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    method.template body<T>(SerialExecutor(), m, columns[k].data()..., work.data());
  }(std::make_index_sequence<n>());
  Columns results;
  for (std::size_t k = 0; k < n; ++k)
    if (!is_input(A::Problem::arguments[k]))
      results[A::Problem::arguments[k].name] =
          Eigen::Map<const Eigen::VectorX<T>>(columns[k].data(), static_cast<Index>(columns[k].size()))
              .template cast<double>();
  return results;
}

}  // namespace tandem::test
