// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// Throws Error for a number below 0 where none can be. What is NaN is for the state's status to tell.
template <class T>
void check_sign(const BatchedParameter<T>& given, Index rows, Index batch) {
  const auto& [parameter, values] = given;
  if (parameter == Parameter::com || parameter == Parameter::inertia || parameter == Parameter::gravity) return;
  const bool shared = values.stride == 0;
  for (Index b = 0; b < (shared ? std::min<Index>(batch, 1) : batch); ++b)
    for (Index row = 0; row < rows; ++row)
      if (const T x = values.data[b * values.stride + row * values.row_stride]; x < T(0))
        throw Error(sentence("parameter ", to_string(parameter), " has ", x, " at ",
                             shared ? "" : sentence("state ", b, ", "), "row ", row, ", expected 0 or more"));
}

}  // namespace

template <class T>
ParametersOfModel<T>::ParametersOfModel(const Model& model, std::span<const BatchedParameter<T>> given, Index batch)
    : links_(model) {
  for (const auto& [parameter, values] : given) {
    const int k = static_cast<int>(parameter);
    if (k >= n_parameters) throw Error(sentence("parameter ", k, " does not exist; expected 0 to ", n_parameters - 1));
    const std::string label = std::string("parameter ") + to_string(parameter);
    const Index rows = shape(NamesOf<Parameter>::table[k].rows, model.view<T>()).count();
    if (!values.data && rows > 0) throw Error(label + " has no values: its data is null");
    if (arrays_.values[k].data) throw Error(label + " is given twice");
    if (values.place == Place::host) check_sign<T>({parameter, values}, rows, batch);
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

std::vector<double> parameter_values(const Model& model, Parameter parameter) {
  const auto& m = model.view<double>();
  std::vector<double> values;
  const auto add = [&](const auto& x) { values.insert(values.end(), x.begin(), x.end()); };
  const auto of_joints = [&](const double* field) { values.assign(field, field + m.nv); };
  switch (parameter) {
    case Parameter::mass:
      for (int i = 0; i < m.n_links; ++i) values.push_back(model.mass_properties(i).mass);
      break;
    case Parameter::com:
      for (int i = 0; i < m.n_links; ++i) add(model.mass_properties(i).com);
      break;
    case Parameter::inertia:
      for (int i = 0; i < m.n_links; ++i) add(model.mass_properties(i).inertia);
      break;
    case Parameter::armature: of_joints(m.armature); break;
    case Parameter::damping: of_joints(m.damping); break;
    case Parameter::friction: of_joints(m.friction); break;
    case Parameter::stiffness: of_joints(m.stiffness); break;
    case Parameter::gravity: add(model.gravity()); break;
  }
  return values;
}

}  // namespace tandem
