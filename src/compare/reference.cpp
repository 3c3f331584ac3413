// SPDX-License-Identifier: Apache-2.0
/// References in long double.
#include "api/run_body.hpp"
#include "core/extended.hpp"
#include "counts.hpp"

namespace tandem {

template <class T>
std::vector<double> reference_of(const Algorithm& algorithm, const Model& model,
                                 const std::vector<std::vector<double>>& inputs) {
  std::vector<double> result;
  for_problem(algorithm.name, [&]<class A>() {
    for (const Extended& x : run_body<Extended>(A(), A::arguments, model.view<T>(), inputs))
      result.push_back(static_cast<double>(x.value()));
  });
  return result;
}

template decltype(reference_of<double>) reference_of<double>;
template decltype(reference_of<float>) reference_of<float>;

}  // namespace tandem
