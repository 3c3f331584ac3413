// SPDX-License-Identifier: Apache-2.0
/// What float leaves of derivatives and their products, against double on the same states.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "figures.hpp"

namespace tandem::figures {
namespace {

constexpr Index states = 1000;
using Numbers = std::map<std::string, std::vector<double>>;  ///< arguments by name, [states][row]

/// Random numbers for all inputs of an algorithm, such as floats have them; nothing is added to the diagonal of the
/// mass matrix.
void draw(const Algorithm& algorithm, const Model& model, Numbers& numbers) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> between(-1, 1);
  for (const Argument& argument : algorithm.arguments) {
    const bool is_output = argument.role == Role::output || argument.role == Role::optional_output;
    if (is_output || argument.name == std::string_view("diagonal")) continue;
    auto& values = numbers[argument.name];
    if (!values.empty()) continue;
    values = argument.rows == Rows::q ? random_configurations(model, 11, states)
                                      : std::vector<double>(static_cast<std::size_t>(
                                            states * shape(argument.rows, model.view<double>()).count()));
    for (double& x : values) x = static_cast<float>(argument.rows == Rows::q ? x : between(random));
  }
}

/// What an algorithm gives for them in a precision, output by output.
template <class T>
Numbers results(const Algorithm& algorithm, const Model& model, const Numbers& inputs) {
  std::vector<std::vector<T>> memory;
  std::vector<Array<T>> arrays;
  for (const Argument& argument : algorithm.arguments) {
    const Index rows = shape(argument.rows, model.view<T>()).count();
    const auto found = inputs.find(argument.name);
    if (argument.role == Role::output)
      memory.emplace_back(static_cast<std::size_t>(states * rows));
    else if (found != inputs.end())
      memory.emplace_back(found->second.begin(), found->second.end());
    else
      memory.emplace_back();
    arrays.push_back(memory.back().empty() ? Array<T>{} : Array<T>{memory.back().data(), rows, 1});
  }
  Workspace<T> work;
  evaluate<T>(algorithm, model, std::span<const Array<T>>(arrays), Batch<T>(states, 1), work, {});
  Numbers outputs;
  for (std::size_t k = 0; k < arrays.size(); ++k)
    if (algorithm.arguments[k].role == Role::output)
      outputs[algorithm.arguments[k].name] = {memory[k].begin(), memory[k].end()};
  return outputs;
}

/// The conditions of all mass matrices: the product of their norms and those of their inverses.
std::vector<double> conditions(const Model& model, const Numbers& inputs) {
  const std::size_t n = static_cast<std::size_t>(model.nv()) * static_cast<std::size_t>(model.nv());
  const Numbers M = results<double>(find_algorithm("mass_matrix"), model, inputs),
                inverse = results<double>(find_algorithm("inverse_mass_matrix"), model, inputs);
  std::vector<double> all;
  for (std::size_t b = 0; b < states; ++b) {
    const auto norm = [&](const Numbers& of) {
      const double* x = of.begin()->second.data() + b * n;
      return std::sqrt(std::inner_product(x, x + n, x, 0.0));
    };
    all.push_back(norm(M) * norm(inverse));
  }
  return all;
}

}  // namespace

/// Of every output the largest error over its largest number, in roundings of float; where the mass matrix is inverted,
/// in roundings times its condition. Median and largest of a thousand random states.
void derivative_accuracy(int) {
  constexpr double rounding = std::numeric_limits<float>::epsilon() / 2;
  for (const char* robot : {"arm7", "quadruped", "humanoid", "chain:100"}) {
    const Model model = load(robot);
    for (const char* name : {"inverse_dynamics", "inverse_dynamics_derivatives", "inverse_dynamics_jvp",
                             "inverse_dynamics_vjp", "inverse_dynamics_hvp", "forward_dynamics", "inverse_mass_matrix",
                             "forward_dynamics_derivatives", "forward_dynamics_jvp", "forward_dynamics_vjp",
                             "forward_dynamics_hvp", "coriolis_matrix", "forward_kinematics_vjp"}) {
      const Algorithm& algorithm = find_algorithm(name);
      Numbers inputs;
      draw(find_algorithm("mass_matrix"), model, inputs);
      draw(algorithm, model, inputs);
      const auto kappa = algorithm.inverts_mass_matrix ? conditions(model, inputs) : std::vector<double>(states, 1.0);
      const Numbers right = results<double>(algorithm, model, inputs),
                    in_float = results<float>(algorithm, model, inputs);
      for (const auto& [output, exact] : right) {
        const auto& rounded = in_float.at(output);
        const std::size_t n = exact.size() / states;
        std::vector<double> errors;
        for (std::size_t b = 0; b < states; ++b) {
          double error = 0, size = 0;
          for (std::size_t k = b * n; k < (b + 1) * n; ++k) {
            error = std::max(error, std::abs(rounded[k] - exact[k]));
            size = std::max(size, std::abs(exact[k]));
          }
          errors.push_back(error / (size * rounding * kappa[b]));
        }
        std::ranges::sort(errors);
        fmt::print(
            R"({{"figure":"derivative_accuracy","algorithm":"{}","output":"{}","robot":"{}","times_condition":{},"median":{:.3g},"largest":{:.3g}}})"
            "\n",
            name, output, robot, algorithm.inverts_mass_matrix, errors[states / 2], errors.back());
      }
    }
  }
}

}  // namespace tandem::figures
