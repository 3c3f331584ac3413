// SPDX-License-Identifier: Apache-2.0
/// Which method a call gets when none is named.
#include "automatic.hpp"

#include <string_view>

#include "api/algorithms.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "core/text.hpp"
#include "methods.hpp"
#include "tandem/detail/problems/constraint_wrenches.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"

namespace tandem {
namespace {

/// Links of the longest chain at the robot's end: all of a chain, rope or snake, a leg of a humanoid.
Index chain_length(const ModelView<double>& m) { return m.n_dof == 0 ? 0 : m.n_dof - m.dof_run_start[m.n_dof - 1]; }

/// A robot counts as a chain if all but a few of its degrees of freedom follow one another.
bool is_chain(const ModelView<double>& m) { return 8 * chain_length(m) >= 7 * Index{m.n_dof}; }

/// True if the joints are of one kind, as lanes need them: all of one degree of freedom but for a floating base, or all
/// spherical.
bool fits_lanes(const ModelView<double>& m) {
  const Index joints = m.n_links - 1;
  if (m.n_dof <= joints + 5) return true;
  return m.n_dof == 3 * joints && m.type[m.n_links - 1] == JointType::spherical;
}

/// The step of the table for the robot's length. Null: the algorithm's own methods.
template <class T>
const TuningStep* step_for(const Algorithm& algorithm, const Model& model) {
  const auto& m = model.view<double>();
  if (m.n_links < shortest_divided || !is_chain(m) || !fits_lanes(m)) return nullptr;
  const TuningStep* found = nullptr;
  for (const TuningRow& row : tuning_table().rows) {
    if (row.algorithm != algorithm.name || row.in_float != std::is_same_v<T, float>) continue;
    for (const TuningStep& step : row.steps)
      if (m.n_links > step.links) found = &step;
    break;
  }
  return found && found->method != Method::automatic && keeps_digits(algorithm, found->method) ? found : nullptr;
}

/// The options given, with a step's method and, if none was asked for, its chunk.
Options with_step(const Options& given, const TuningStep& step) {
  Options options = given;
  options.method = step.method;
  if (given.chunk == 0) options.chunk = step.chunk;
  return options;
}

}  // namespace

Method own_method(const Algorithm& algorithm, const Model& model) {
  const std::string_view name = algorithm.name;
  if (model.n_loops() > 0 && name == ForwardDynamics::name) return Method::articulated_body;
  if (name == ForwardDynamics::name || name == ConstraintWrenches::name)
    return ForwardDynamics().chosen(model.view<double>());
  return algorithm.methods[1];
}

bool keeps_digits(const Algorithm& algorithm, Method method) {
  const std::string_view name = algorithm.name;
  return method != Method::scan ||
         (name != ForwardDynamicsVjp::name && name != StepJvp::name && name != StepVjp::name);
}

template <class T>
Options decided(const Algorithm& algorithm, const Model& model, const Options& options) {
  if (options.method != Method::automatic || algorithm.methods.empty()) return options;
  const TuningStep* const step = step_for<T>(algorithm, model);
  if (!step) return options;
  const Options result = with_step(options, *step);
  return refusal(algorithm, model, result) ? options : result;
}

template <class T>
Choice choose_method(const Algorithm& asked_for, const Model& model, const Options& options) {
  const Algorithm& algorithm = known(asked_for);
  check_values(algorithm, options);
  if (options.method != Method::automatic) return {options, "requested"};
  if (algorithm.methods.empty()) return {options, "the only method"};
  const auto& m = model.view<double>();
  const bool has_loops = model.n_loops() > 0 && std::string_view(algorithm.name) == ForwardDynamics::name;
  const auto serial = [&](const std::string& why) {
    Options result = options;
    result.method = own_method(algorithm, model);
    return Choice{result, why};
  };
  if (has_loops) return serial("the robot has closed loops");
  if (m.n_links < shortest_divided)
    return serial(sentence("a robot of ", m.n_links - 1, " links is too short to be divided"));
  if (!is_chain(m)) return serial("the robot has branches");
  if (!fits_lanes(m)) return serial("its joints have several types, or a type without SIMD lanes");
  if (!keeps_digits(algorithm, Method::scan)) return serial("scan is less accurate for these results");
  const std::string where = sentence(m.n_links - 1, " links in ", std::is_same_v<T, float> ? "float" : "double",
                                     " (table: ", tuning_table().origin, ", ", tuning_table().machine, ")");
  const TuningStep* const step = step_for<T>(algorithm, model);
  if (!step) return serial("no other method is faster at " + where);
  const Options result = with_step(options, *step);
  if (const char* reason = refusal(algorithm, model, result))
    return serial(sentence(to_string(result.method), " would be faster but does not support this robot: ", reason));
  return {result, sentence("fastest for ", step->links, " or more links; this call: ", where)};
}

template Options decided<double>(const Algorithm&, const Model&, const Options&);
template Options decided<float>(const Algorithm&, const Model&, const Options&);
template Choice choose_method<double>(const Algorithm&, const Model&, const Options&);
template Choice choose_method<float>(const Algorithm&, const Model&, const Options&);

}  // namespace tandem
