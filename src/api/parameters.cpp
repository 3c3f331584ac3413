// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <string>

#include "tandem/error.hpp"

namespace tandem {

template <class T>
ParametersOfModel<T>::ParametersOfModel(const Model& model, std::span<const BatchedParameter<T>> given) {
  for (const auto& [parameter, values] : given) {
    const int k = static_cast<int>(parameter);
    const std::string label = std::string("parameter ") + to_string(parameter);
    if (!values.data && shape(NamesOf<Parameter>::table[k].rows, model.view<T>()).count() > 0)
      throw Error(label + " has no values");
    if (arrays_.values[k].data) throw Error(label + " is given twice");
    arrays_.values[k] = values;
  }
  for (int i = 0; i < model.n_links(); ++i) {
    const MassProperties link = model.mass_properties(i);
    mass_.push_back(static_cast<T>(link.mass));
    for (const double x : link.com) com_.push_back(static_cast<T>(x));
    for (const double x : link.inertia) inertia_.push_back(static_cast<T>(x));
  }
  arrays_.link_mass = mass_.data();
  arrays_.link_com = com_.data();
  arrays_.link_inertia = inertia_.data();
  for (int k = 0; k < 3; ++k) {
    arrays_.acceleration[k] = static_cast<T>(model.base_acceleration()[static_cast<std::size_t>(3 + k)]);
    arrays_.acceleration[3 + k] = static_cast<T>(model.base_acceleration()[static_cast<std::size_t>(k)]);
  }
}

template class ParametersOfModel<double>;
template class ParametersOfModel<float>;

}  // namespace tandem
