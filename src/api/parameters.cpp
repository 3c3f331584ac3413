// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <string>

#include "tandem/error.hpp"

namespace tandem {

template <class T>
ParametersOfModel<T>::ParametersOfModel(const Model& model, std::span<const BatchedParameter<T>> given)
    : links_(model) {
  for (const auto& [parameter, values] : given) {
    const int k = static_cast<int>(parameter);
    const std::string label = std::string("parameter ") + to_string(parameter);
    if (!values.data && shape(NamesOf<Parameter>::table[k].rows, model.view<T>()).count() > 0)
      throw Error(label + " has no values");
    if (arrays_.values[k].data) throw Error(label + " is given twice");
    arrays_.values[k] = values;
  }
  arrays_.link_mass = links_.mass.data();
  arrays_.link_com = links_.com.data();
  arrays_.link_inertia = links_.inertia.data();
  for (int k = 0; k < 3; ++k) {
    arrays_.acceleration[k] = static_cast<T>(model.base_acceleration()[static_cast<std::size_t>(3 + k)]);
    arrays_.acceleration[3 + k] = static_cast<T>(model.base_acceleration()[static_cast<std::size_t>(k)]);
  }
}

template class ParametersOfModel<double>;
template class ParametersOfModel<float>;

}  // namespace tandem
