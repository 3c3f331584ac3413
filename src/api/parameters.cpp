// SPDX-License-Identifier: Apache-2.0
#include "parameters.hpp"

#include <string>

#include "tandem/error.hpp"
#include "tandem/detail/joint/link_inertia.hpp"

namespace tandem {
namespace {

constexpr Argument parameter_table[n_parameters] = {
    {"mass", Rows::link, Role::input, "kg", "masses of the links"},
    {"com", Rows::link_point, Role::input, "m", "centres of mass, in the frames of the links"},
    {"inertia", Rows::link_inertia, Role::input, "kg m^2",
     "inertias xx xy xz yy yz zz about the centres of mass, along the axes of the links"},
    {"armature", Rows::v, Role::input, "kg m^2|kg", "rotor inertias"},
    {"damping", Rows::v, Role::input, "N m s/rad|N s/m", "viscous damping"},
    {"friction", Rows::v, Role::input, "N m|N", "Coulomb friction"},
    {"stiffness", Rows::v, Role::input, "N m/rad|N/m", "stiffness of the springs"},
    {"gravity", Rows::point, Role::input, "m/s^2", "gravity along the axes of the base"},
};

}  // namespace

std::span<const Argument> parameters() { return parameter_table; }

Parameter parameter_from(std::string_view name) {
  std::string names;
  for (int k = 0; k < n_parameters; ++k) {
    if (name == parameter_table[k].name) return static_cast<Parameter>(k);
    names += (k ? ", " : "") + std::string(parameter_table[k].name);
  }
  throw Error("no parameter is called \"" + std::string(name) + "\"; there are " + names);
}

template <class T>
ParametersOfModel<T>::ParametersOfModel(const Model& model, std::span<const BatchedParameter<T>> given) {
  for (const auto& [parameter, values] : given) {
    const int k = static_cast<int>(parameter);
    const std::string label = std::string("parameter ") + parameter_table[k].name;
    if (!values.data && shape(parameter_table[k].rows, model.view<T>()).count() > 0)
      throw Error(label + " has no values");
    if (arrays_.values[k].data) throw Error(label + " is given twice");
    arrays_.values[k] = values;
  }
  const auto& m = model.view<double>();
  for (int i = 0; i < m.n_links; ++i) {
    const auto link = described_link_inertia<double>(m, i);
    mass_.push_back(static_cast<T>(link.mass));
    for (const double x : {link.com.x, link.com.y, link.com.z}) com_.push_back(static_cast<T>(x));
    const auto& I = link.about_com;
    for (const double x : {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz}) inertia_.push_back(static_cast<T>(x));
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
