// SPDX-License-Identifier: Apache-2.0
/// The right word for results that are not finite.
#include "status.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "core/at.hpp"

namespace tandem {
namespace {

/// Between these a robot's numbers and a state's are so far from those that cannot be written down that nothing
/// computed from them is too large or too small.
template <class T>
constexpr T least = std::is_same_v<T, float> ? T(1e-12) : T(1e-60);
template <class T>
constexpr T most = std::is_same_v<T, float> ? T(1e9) : T(1e60);

template <class T>
bool none_is_lost(const std::vector<T>& numbers) {
  return std::ranges::all_of(numbers, [](T x) { return std::isfinite(x); });
}

template <class T>
class Causes {
 public:
  Causes(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, const Batch<T>& batch)
      : algorithm_(algorithm), model_(model), m_(model.view<T>()), arguments_(arguments), batch_(batch) {}

  Status of(Index b) {
    if (has_zero_quaternion(b)) return Status::zero_quaternion;
    if (!all_of_parameters(b, [](T x) { return std::isfinite(x); })) return Status::non_finite;
    if (!algorithm_.inverts_mass_matrix) return Status::overflow;
    const bool matrix_is_moderate = is_moderate(b, Rows::q) && robot_is_moderate(b);
    if (matrix_is_moderate && is_moderate(b, std::nullopt)) return Status::singular;
    if (none_is_lost(at_rest<T>(forward(b), b, parameters_of(b)))) return Status::overflow;
    if (matrix_is_moderate) return Status::singular;
    if (!none_is_lost(at_rest<T>(inverse(b), b, parameters_of(b)))) return Status::overflow;
    return invertible_when_scaled(b) ? Status::underflow : Status::singular;
  }

 private:
  static T number(const Array<T>& array, Index b, Index row) {
    return array.data[b * array.stride + row * array.row_stride];
  }
  std::vector<T> numbers(const Array<T>& array, Index b, Index rows) const {
    std::vector<T> all(at(rows));
    for (Index row = 0; row < rows; ++row) all[at(row)] = number(array, b, row);
    return all;
  }
  Index count(const Argument& argument) const { return shape(argument.rows, m_).count(); }

  /// Calls f(argument, array) for the inputs given.
  template <class F>
  void for_each_input(F&& f) const {
    for (std::size_t k = 0; k < arguments_.size(); ++k)
      if (is_input(algorithm_.arguments[k]) && arguments_[k].data) f(algorithm_.arguments[k], arguments_[k]);
  }

  /// Zero, or so short that its numbers have hardly a digit.
  bool has_zero_quaternion(Index b) const {
    bool found = false;
    for_each_input([&](const Argument& argument, const Array<T>& array) {
      for (int i = 1; i < m_.n_links && argument.rows == Rows::q; ++i) {
        const int first = joint_kind(m_.type[i]).quaternion;
        if (first < 0) continue;
        bool zero = true;
        for (int k = 0; k < 4; ++k)
          zero &= std::abs(number(array, b, m_.q_index[i] + first + k)) < std::numeric_limits<T>::min();
        found |= zero;
      }
    });
    return found;
  }

  template <class F>
  bool all_of_parameters(Index b, F&& holds) const {
    for (const auto& [parameter, values] : batch_.parameters)
      for (Index row = 0; row < count(parameters()[at(static_cast<int>(parameter))]); ++row)
        if (!holds(number(values, b, row))) return false;
    return true;
  }

  /// Whether the inputs of some rows, or all, are.
  bool is_moderate(Index b, std::optional<Rows> rows) const {
    bool moderate = true;
    for_each_input([&](const Argument& argument, const Array<T>& array) {
      if (rows && argument.rows != *rows) return;
      for (const T x : numbers(array, b, count(argument))) moderate &= std::abs(x) <= most<T>;
    });
    return moderate;
  }

  bool robot_is_moderate(Index b) {
    if (!model_is_moderate_) model_is_moderate_ = look_at_model();
    return *model_is_moderate_ &&
           all_of_parameters(b, [](T x) { return x == T(0) || (std::abs(x) >= least<T> && std::abs(x) <= most<T>); });
  }

  /// Numbers of a link that are zero but for rounding do not count, beside others that are not.
  bool look_at_model() const {
    const auto& m = model_.view<double>();
    bool moderate = true;
    const auto look = [&](double x) { moderate &= x == 0 || (x >= double{least<T>} && x <= double{most<T>}); };
    for (Index i = 0; i < m.n_links; ++i) {
      const auto largest = [](const double* numbers, Index n) {
        double x = 0;
        for (Index k = 0; k < n; ++k) x = std::max(x, std::abs(numbers[k]));
        return x;
      };
      look(largest(m.inertia + 10 * i, 10));
      moderate &= largest(m.placement + 12 * i, 12) <= double{most<T>};
    }
    for (Index k = 0; k < m.nv; ++k) look(m.armature[k]);
    return moderate;
  }

  /// Those of a state, for all states, without gravity.
  std::vector<BatchedParameter<T>> parameters_of(Index b) const {
    std::vector<BatchedParameter<T>> own;
    for (auto [parameter, values] : batch_.parameters) {
      if (parameter == Parameter::gravity) continue;
      values.data += b * values.stride;
      values.stride = 0;
      own.push_back({parameter, values});
    }
    return own;
  }

  /// A problem, and what is put in for its inputs beside q: the same number throughout.
  struct Problem {
    const Algorithm& algorithm;
    T motion;
    std::vector<T> diagonal;
  };
  Problem forward(Index b) const {
    Problem problem = {find_algorithm("forward_dynamics"), T(0), {}};
    for_each_input([&](const Argument& argument, const Array<T>& array) {
      if (std::string_view(argument.name) == "diagonal") problem.diagonal = numbers(array, b, m_.nv);
    });
    return problem;
  }
  Problem inverse(Index) const { return {find_algorithm("inverse_dynamics"), T(1), {}}; }

  /// Its result for a robot that does not move and weighs nothing, accelerations apart.
  template <class R>
  std::vector<R> at_rest(const Problem& problem, Index b, const std::vector<BatchedParameter<R>>& varied) const {
    const auto in = [](const std::vector<T>& x) { return std::vector<R>(x.begin(), x.end()); };
    std::vector<R> q, zero(at(m_.nv), R(0)), motion(at(m_.nv), R(problem.motion)), diagonal = in(problem.diagonal);
    for_each_input([&](const Argument& argument, const Array<T>& array) {
      if (std::string_view(argument.name) == "q") q = in(numbers(array, b, m_.nq));
    });
    std::vector<R> result(at(m_.nv));
    std::vector<Array<R>> arrays;
    for (const Argument& argument : problem.algorithm.arguments) {
      const std::string_view name = argument.name;
      arrays.push_back({name == "q"             ? q.data()
                        : name == "v"           ? zero.data()
                        : name == "diagonal"    ? (diagonal.empty() ? nullptr : diagonal.data())
                        : !is_input(argument)   ? result.data()
                        : is_optional(argument) ? nullptr
                                                : motion.data()});
    }
    Workspace<R> work;
    evaluate<R>(problem.algorithm, model_.with_gravity({}).with_base_acceleration({}), arrays,
                Batch<R>(1, 1, {}, varied), work);
    return result;
  }

  /// Whether the mass matrix has an inverse in double once all that has inertia is scaled by one power of two.
  bool invertible_when_scaled(Index b) const {
    std::vector<double> mass, com, inertia,
        armature(model_.view<double>().armature, model_.view<double>().armature + m_.nv);
    for (int i = 0; i < model_.n_links(); ++i) {
      const MassProperties link = model_.mass_properties(i);
      mass.push_back(link.mass);
      com.insert(com.end(), link.com.begin(), link.com.end());
      inertia.insert(inertia.end(), link.inertia.begin(), link.inertia.end());
    }
    for (const auto& [parameter, values] : batch_.parameters) {
      std::vector<double>* to = parameter == Parameter::mass       ? &mass
                                : parameter == Parameter::com      ? &com
                                : parameter == Parameter::inertia  ? &inertia
                                : parameter == Parameter::armature ? &armature
                                                                   : nullptr;
      if (!to) continue;
      const std::vector<T> own = numbers(values, b, static_cast<Index>(to->size()));
      to->assign(own.begin(), own.end());
    }
    std::fill_n(mass.begin(), 1, 0);  // of the base, which does not move
    std::fill_n(inertia.begin(), 6, 0);
    if (!none_is_lost(com)) return true;  // of masses too small to divide by
    const std::vector<T> diagonal = forward(b).diagonal;
    for (std::size_t k = 0; k < diagonal.size(); ++k) armature[k] += double{diagonal[k]};
    double largest = 0;
    for (const auto* numbers : {&mass, &inertia, &armature})
      for (const double x : *numbers) largest = std::max(largest, std::abs(x));
    if (largest == 0) return false;
    const int exponent = std::ilogb(largest);
    for (auto* numbers : {&mass, &inertia, &armature})
      for (double& x : *numbers) x = std::ldexp(x, -exponent);
    return none_is_lost(at_rest<double>({find_algorithm("forward_dynamics"), T(0), {}}, b,
                                        {{Parameter::mass, {mass.data(), 0}},
                                         {Parameter::com, {com.data(), 0}},
                                         {Parameter::inertia, {inertia.data(), 0}},
                                         {Parameter::armature, {armature.data(), 0}}}));
  }

  const Algorithm& algorithm_;
  const Model& model_;
  const ModelView<T>& m_;
  std::span<const Array<T>> arguments_;
  const Batch<T>& batch_;
  std::optional<bool> model_is_moderate_;
};

}  // namespace

template <class T>
void find_causes(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                 const Batch<T>& batch) {
  const auto on_device = [](const Array<T>& array) { return array.data && array.place != Place::host; };
  if (batch.status.empty() || batch.status_place != Place::host || std::ranges::any_of(arguments, on_device) ||
      std::ranges::any_of(batch.parameters, on_device, &BatchedParameter<T>::values))
    return;
  Causes<T> causes(algorithm, model, arguments, batch);
  for (std::size_t b = 0; b < batch.status.size(); ++b)
    if (batch.status[b] == Status::singular || batch.status[b] == Status::overflow)
      batch.status[b] = causes.of(static_cast<Index>(b));
}

template void find_causes(const Algorithm&, const Model&, std::span<const Array<double>>, const Batch<double>&);
template void find_causes(const Algorithm&, const Model&, std::span<const Array<float>>, const Batch<float>&);

}  // namespace tandem
