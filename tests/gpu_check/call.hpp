// SPDX-License-Identifier: Apache-2.0
/// The arguments of a batch, [row][batch] on the host, drawn at random.
#pragma once
#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "core/random.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::gpu_check {

/// From here on states repeat: what comes out must repeat to the bit, wherever in the batch a state stands.
inline constexpr Index distinct = 1024;

/// A row of the table of algorithms, without the processor's driver, which this program does without.
template <class A>
Algorithm described() {
  Algorithm algorithm{};
  algorithm.name = A::name;
  algorithm.summary = A::summary;
  algorithm.arguments = A::arguments;
  return algorithm;
}

template <class A, class T>
class Call {
 public:
  /// With `all` the optional inputs are given, too, and outputs for each link. Outputs are NaN.
  Call(const Model& model, Index batch, bool all) : model_(model), batch_(batch), all_(all) {
    for (std::size_t k = 0; k < std::size(A::arguments); ++k)
      arrays_.emplace_back(takes(k) ? static_cast<std::size_t>(rows(k) * batch) : 0,
                           std::numeric_limits<T>::quiet_NaN());
    for (Index b = 0; b < std::min(batch, distinct); ++b) draw(b);
    for (std::size_t k = 0; k + 1 < arrays_.size(); ++k)
      for (Index row = 0; row < rows(k) && given(k); ++row)
        for (Index b = distinct; b < batch; b += distinct)
          std::copy_n(&at(k, row, 0), std::min(distinct, batch - b), &at(k, row, b));
  }

  const Model& model() const { return model_; }
  Index batch() const { return batch_; }
  static constexpr std::size_t count() { return std::size(A::arguments); }
  static constexpr std::size_t output() { return count() - 1; }  // the last argument of the three algorithms
  Index rows(std::size_t k) const { return shape(A::arguments[k].rows, model_.view<T>()).count(); }
  /// Whether an argument is not left out.
  bool takes(std::size_t k) const {
    const Argument& argument = A::arguments[k];
    const bool of_links = argument.rows == Rows::link_force || argument.rows == Rows::link_parameters;
    return all_ || (argument.role != Role::optional_input && !(argument.role == Role::optional_output && of_links));
  }
  bool given(std::size_t k) const { return !arrays_[k].empty(); }
  std::vector<T>& array(std::size_t k) { return arrays_[k]; }
  const std::vector<T>& array(std::size_t k) const { return arrays_[k]; }
  T& at(std::size_t k, Index row, Index b) { return arrays_[k][static_cast<std::size_t>(row * batch_ + b)]; }
  const T& at(std::size_t k, Index row, Index b) const {
    return arrays_[k][static_cast<std::size_t>(row * batch_ + b)];
  }

  /// Argument `name` of state b as doubles; empty if it is left out or the algorithm has none.
  std::vector<double> column(std::string_view name, Index b) const {
    for (std::size_t k = 0; k < count(); ++k) {
      if (A::arguments[k].name != name || !given(k)) continue;
      std::vector<double> values(static_cast<std::size_t>(rows(k)));
      for (Index row = 0; row < rows(k); ++row)
        values[static_cast<std::size_t>(row)] = static_cast<double>(at(k, row, b));
      return values;
    }
    return {};
  }
  void spoil_output() {
    std::fill(arrays_[output()].begin(), arrays_[output()].end(), std::numeric_limits<T>::quiet_NaN());
  }

 private:
  void draw(Index b) {
    Random random(static_cast<std::uint64_t>(b) + 1);
    const std::vector<double> q = random_configuration(model_, random.bits());
    for (std::size_t k = 0; k + 1 < count(); ++k) {
      const Argument& argument = A::arguments[k];
      const double range = argument.rows == Rows::link_force ? 3 : argument.name == std::string_view("tau") ? 5 : 1;
      for (Index row = 0; row < rows(k); ++row) {
        double value = argument.rows == Rows::q ? q[static_cast<std::size_t>(row)] : random.uniform(-range, range);
        if (argument.name == std::string_view("diagonal")) value = std::abs(value);
        if (argument.name == std::string_view("dt")) value = 1e-3;
        if (given(k)) at(k, row, b) = static_cast<T>(value);
      }
    }
  }

  const Model& model_;
  Index batch_;
  bool all_;
  std::vector<std::vector<T>> arrays_;
};

}  // namespace tandem::gpu_check
