// SPDX-License-Identifier: Apache-2.0
/// Parameters of the model in which instances of a simulation differ: given as a whole, or set where they lie.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

/// Numbers of an instance of parameter number p of those given.
template <class T>
std::size_t Simulation<T>::rows_of(std::size_t p) const {
  const Argument& kind = parameters()[static_cast<std::size_t>(options_.parameters[p].parameter)];
  return static_cast<std::size_t>(shape(kind.rows, model_.view<T>()).count());
}

/// Calls f(parameters of the instances from one on, as evaluate() takes them), with gravity among them or not.
template <class T>
template <class F>
void Simulation<T>::with_parameters(Index from, bool gravity, F&& f) const {
  std::array<BatchedParameter<T>, n_parameters> varied;
  std::size_t n = 0;
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const Parameter parameter = options_.parameters[k].parameter;
    if (parameter == Parameter::gravity && !gravity) continue;
    if (parameter == Parameter::damping && !servo_damping_.empty()) continue;
    const auto rows = static_cast<Index>(rows_of(k));
    const Index stride = static_cast<Index>(parameters_[k].size()) > rows ? rows : 0;
    varied[n++] = {parameter, Array<T>::input(parameters_[k].data() + from * stride, stride)};
  }
  if (!servo_damping_.empty()) {
    const auto nv = static_cast<Index>(nv_);
    varied[n++] = {Parameter::damping, Array<T>::input(servo_damping_.data() + from * nv, nv)};
  }
  f(std::span<const BatchedParameter<T>>(varied.data(), n));
}

/// The model with the joint forces of one instance.
template <class T>
ModelView<T> Simulation<T>::view_of(Index instance) const {
  ModelView<T> m = model_.view<T>();
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const std::size_t stride = parameters_[k].size() > nv_ ? nv_ : 0;
    const T* values = parameters_[k].data() + static_cast<std::size_t>(instance) * stride;
    switch (options_.parameters[k].parameter) {
      case Parameter::damping: m.damping = values; break;
      case Parameter::friction: m.friction = values; break;
      case Parameter::stiffness: m.stiffness = values; break;
      default: break;
    }
  }
  if (!servo_damping_.empty()) m.damping = servo_damping_.data() + static_cast<std::size_t>(instance) * nv_;
  if (contacts_) m.friction = still_.data();  // a row of contact dynamics
  return m;
}

/// Throws Error for numbers that no parameter of the kind has: of instances from one on, or of all.
template <class T>
void Simulation<T>::check_parameter(Parameter p, std::span<const T> values, Index instance) const {
  const bool any_sign = p == Parameter::com || p == Parameter::inertia || p == Parameter::gravity;
  for (const T x : values)
    if (!std::isfinite(x) || (!any_sign && x < 0))
      throw Error(sentence("simulation: parameter ", parameters()[static_cast<std::size_t>(p)].name, " has ", double{x},
                           instance == all ? std::string() : of_instance(instance), ", expected finite numbers",
                           any_sign ? "" : " of 0 or more"));
}

/// Methods that divide a robot take none.
template <class T>
void Simulation<T>::check_takes_parameters() const {
  if (methods_of(dynamics_.algorithm()).size() == dynamics_.algorithm().methods.size()) return;
  const auto own = dynamics_.algorithm().methods;
  if (std::find(own.begin(), own.end(), dynamics_.options().method) == own.end())
    throw Error(sentence("simulation: method ", to_string(dynamics_.options().method),
                         " does not support parameters; use articulated_body or composite_rigid_body"));
}

template <class T>
void Simulation<T>::set_parameters(std::vector<SimulationParameter> given) {
  at(accounts_, 0);
  std::vector<std::vector<T>> values;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (*to_string(given[k].parameter) == '\0')
      throw Error(sentence("simulation: parameter ", static_cast<int>(given[k].parameter), " is none; there are 0 to ",
                           n_parameters - 1));
    const Argument& kind = parameters()[static_cast<std::size_t>(given[k].parameter)];
    for (std::size_t j = 0; j < k; ++j)
      if (given[j].parameter == given[k].parameter)
        throw Error(sentence("simulation: parameter ", kind.name, " is given twice"));
    const Index rows = shape(kind.rows, model_.view<T>()).count(), size = static_cast<Index>(given[k].values.size());
    if (size != rows && size != rows * batch_)
      throw Error(sentence("simulation: parameter ", kind.name, " has ", size, " numbers, expected ", rows,
                           batch_ > 1 ? sentence(", or ", batch_, " times as many") : std::string()));
    values.emplace_back(given[k].values.begin(), given[k].values.end());
    check_parameter(given[k].parameter, values.back(), all);
  }
  if (!given.empty()) check_takes_parameters();
  options_.parameters = std::move(given);
  parameters_ = std::move(values);
  parameters_seen_.assign(parameters_.size(), {});
  part_.reset();
  for (Index b = 0; b < batch_; ++b) forget(b);
}

template <class T>
std::span<T> Simulation<T>::parameter(Parameter parameter) {
  at(accounts_, 0);
  if (*to_string(parameter) == '\0')
    throw Error(
        sentence("simulation: parameter ", static_cast<int>(parameter), " is none; there are 0 to ", n_parameters - 1));
  check_takes_parameters();
  std::size_t k = 0;
  while (k < parameters_.size() && options_.parameters[k].parameter != parameter) ++k;
  if (k == parameters_.size()) {
    const std::vector<double> values = parameter_values(model_, parameter);
    options_.parameters.push_back({parameter, values});
    parameters_.emplace_back(values.begin(), values.end());
    parameters_seen_.emplace_back();
  }
  std::vector<T>&own = parameters_[k], &seen = parameters_seen_[k];
  if (!seen.empty() || own.empty()) return own;
  const std::size_t rows = rows_of(k), n = static_cast<std::size_t>(batch_);
  if (own.size() == rows) {
    own.resize(n * rows);
    for (std::size_t b = 1; b < n; ++b)
      std::copy_n(own.begin(), rows, own.begin() + static_cast<std::ptrdiff_t>(b * rows));
  }
  seen = own;
  part_.reset();
  return own;
}

/// Before a step: instances whose parameters were set where they lie are watched anew from here.
template <class T>
void Simulation<T>::begin_parameters() {
  for (std::size_t p = 0; p < parameters_seen_.size(); ++p) {
    const std::vector<T>& own = parameters_[p];
    std::vector<T>& seen = parameters_seen_[p];
    const std::size_t rows = seen.size() / static_cast<std::size_t>(batch_);
    const Parameter parameter = options_.parameters[p].parameter;
    for (Index b = 0; !seen.empty() && b < batch_; ++b) {
      const auto first = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(b) * rows);
      if (std::equal(own.begin() + first, own.begin() + first + static_cast<std::ptrdiff_t>(rows),
                     seen.begin() + first))
        continue;
      const std::span<const T> values(own.data() + first, rows);
      check_parameter(parameter, values, b);
      std::copy(values.begin(), values.end(), seen.begin() + first);
      forget(b);
    }
  }
}

}  // namespace tandem
