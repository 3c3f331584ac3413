// SPDX-License-Identifier: Apache-2.0
/// Parameters of the model in which instances of a simulation differ: given as a whole, or set where they lie.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

/// Throws Error for numbers that no parameter of the kind has: of instances from one on, or of all.
template <class T>
void Parameters<T>::check(Parameter p, std::span<const T> values, Index instance) const {
  const bool any_sign = p == Parameter::com || p == Parameter::inertia || p == Parameter::gravity;
  for (const T x : values)
    if (!std::isfinite(x) || (!any_sign && x < 0))
      throw Error(sentence("simulation: parameter ", parameters()[static_cast<std::size_t>(p)].name, " has ", double{x},
                           instance == s.all ? std::string() : s.of_instance(instance), ", expected finite numbers",
                           any_sign ? "" : " of 0 or more"));
}

/// Methods that divide a robot take none.
template <class T>
void Parameters<T>::check_are_taken() const {
  if (methods_of(s.dynamics.algorithm()).size() == s.dynamics.algorithm().methods.size()) return;
  const auto own = s.dynamics.algorithm().methods;
  if (std::find(own.begin(), own.end(), s.dynamics.options().method) == own.end())
    throw Error(sentence("simulation: method ", to_string(s.dynamics.options().method),
                         " does not support parameters; use articulated_body or composite_rigid_body"));
}

template <class T>
void Parameters<T>::set(std::vector<SimulationParameter> given) {
  std::vector<std::vector<T>> values;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (*to_string(given[k].parameter) == '\0')
      throw Error(sentence("simulation: parameter ", static_cast<int>(given[k].parameter), " is none; there are 0 to ",
                           n_parameters - 1));
    const Argument& kind = parameters()[static_cast<std::size_t>(given[k].parameter)];
    for (std::size_t j = 0; j < k; ++j)
      if (given[j].parameter == given[k].parameter)
        throw Error(sentence("simulation: parameter ", kind.name, " is given twice"));
    const Index rows = shape(kind.rows, s.model.template view<T>()).count(),
                size = static_cast<Index>(given[k].values.size());
    if (size != rows && size != rows * s.batch)
      throw Error(sentence("simulation: parameter ", kind.name, " has ", size, " numbers, expected ", rows,
                           s.batch > 1 ? sentence(", or ", s.batch, " times as many") : std::string()));
    values.emplace_back(given[k].values.begin(), given[k].values.end());
    check(given[k].parameter, values.back(), s.all);
  }
  if (!given.empty()) check_are_taken();
  s.options.parameters = std::move(given);
  s.parameters = std::move(values);
  s.parameters_seen.assign(s.parameters.size(), {});
  s.part.reset();
  for (Index b = 0; b < s.batch; ++b) Watch{s}.forget(b);
}

template <class T>
std::span<T> Parameters<T>::values(Parameter parameter) {
  if (*to_string(parameter) == '\0')
    throw Error(
        sentence("simulation: parameter ", static_cast<int>(parameter), " is none; there are 0 to ", n_parameters - 1));
  check_are_taken();
  std::size_t k = 0;
  while (k < s.parameters.size() && s.options.parameters[k].parameter != parameter) ++k;
  if (k == s.parameters.size()) {
    const std::vector<double> values = parameter_values(s.model, parameter);
    s.options.parameters.push_back({parameter, values});
    s.parameters.emplace_back(values.begin(), values.end());
    s.parameters_seen.emplace_back();
  }
  std::vector<T>&own = s.parameters[k], &seen = s.parameters_seen[k];
  if (!seen.empty() || own.empty()) return own;
  const std::size_t rows = s.rows_of(k), n = static_cast<std::size_t>(s.batch);
  if (own.size() == rows) {
    own.resize(n * rows);
    for (std::size_t b = 1; b < n; ++b)
      std::copy_n(own.begin(), rows, own.begin() + static_cast<std::ptrdiff_t>(b * rows));
  }
  seen = own;
  s.part.reset();
  return own;
}

/// Before a step: instances whose parameters were set where they lie are watched anew from here.
template <class T>
void Parameters<T>::begin() {
  for (std::size_t p = 0; p < s.parameters_seen.size(); ++p) {
    const std::vector<T>& own = s.parameters[p];
    std::vector<T>& seen = s.parameters_seen[p];
    const std::size_t rows = seen.size() / static_cast<std::size_t>(s.batch);
    const Parameter parameter = s.options.parameters[p].parameter;
    for (Index b = 0; !seen.empty() && b < s.batch; ++b) {
      const auto first = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(b) * rows);
      if (std::equal(own.begin() + first, own.begin() + first + static_cast<std::ptrdiff_t>(rows),
                     seen.begin() + first))
        continue;
      const std::span<const T> values(own.data() + first, rows);
      check(parameter, values, b);
      std::copy(values.begin(), values.end(), seen.begin() + first);
      Watch{s}.forget(b);
    }
  }
}

template struct Parameters<double>;
template struct Parameters<float>;

}  // namespace tandem::simulation_detail
