// SPDX-License-Identifier: Apache-2.0
/// References in long double.
#include <string_view>

#include "core/extended.hpp"
#include "counts.hpp"
#include "api/run_body.hpp"
#include "tandem/detail/problems/constraint_wrenches.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem {
namespace {

template <class A, class T>
std::vector<double> rounded(const Model& model, const std::vector<std::vector<double>>& inputs) {
  const auto exact = run_body<Extended>(A(), A::arguments, model.view<T>(), inputs);
  std::vector<double> result;
  for (const Extended& x : exact) result.push_back(static_cast<double>(x.value()));
  return result;
}

}  // namespace

template <class T>
std::vector<double> reference_of(const Algorithm& algorithm, const Model& model,
                                 const std::vector<std::vector<double>>& inputs) {
  const std::string_view name = algorithm.name;
  if (name == InverseDynamics::name) return rounded<InverseDynamics, T>(model, inputs);
  if (name == MassMatrix::name) return rounded<MassMatrix, T>(model, inputs);
  if (name == ConstraintWrenches::name) return rounded<ConstraintWrenches, T>(model, inputs);
  return rounded<ForwardDynamics, T>(model, inputs);
}

template std::vector<double> reference_of<double>(const Algorithm&, const Model&,
                                                  const std::vector<std::vector<double>>&);
template std::vector<double> reference_of<float>(const Algorithm&, const Model&,
                                                 const std::vector<std::vector<double>>&);

}  // namespace tandem
