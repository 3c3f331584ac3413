// SPDX-License-Identifier: Apache-2.0
#include "loops.hpp"

#include "algorithms.hpp"
#include "check_call.hpp"
#include "loop_derivatives.hpp"
#include "loops_over_tree.hpp"

namespace tandem {
namespace {

/// Those whose results depend on loops.
bool closes_loops(const Algorithm& algorithm) {
  return is<ForwardDynamics>(algorithm) || is<ClosedLoopDynamics>(algorithm) || is<CloseLoops>(algorithm) ||
         differentiates_forward_dynamics(algorithm);
}

/// These, or those that are functions of the tree by what they are: the inverse of the tree's mass matrix.
bool serves_loops(const Algorithm& algorithm) {
  return closes_loops(algorithm) || is<InverseMassMatrix>(algorithm) || is<InverseMassMatrixProduct>(algorithm);
}

}  // namespace

const char* refusal_of_loops(const Algorithm& algorithm, const Model& model) {
  if (model.n_loops() == 0) return nullptr;
  if (is<ConstraintWrenches>(algorithm))
    return "it has closed loops; use closed_loop_dynamics for accelerations and loop forces, and "
           "interbody_wrenches for the other joints";
  // what forces do to a robot depends on its loops
  if (!algorithm.inverts_mass_matrix || serves_loops(algorithm)) return nullptr;
  if (is<OperationalSpaceMobility>(algorithm))
    return "it has closed loops, which this mobility ignores; use closed_loop_dynamics with f_ext on the link";
  if (is<Step>(algorithm)) return "it has closed loops; use Simulation, which closes them after every step";
  if (is<StepJvp>(algorithm) || is<StepVjp>(algorithm))
    return "it has closed loops, which these derivatives of a step ignore; use finite differences of a Simulation";
  return "it has closed loops, which these second derivatives ignore; use finite differences of "
         "forward_dynamics_derivatives or forward_dynamics_vjp";
}

const Algorithm& with_loops(const Algorithm& algorithm, const Model& model, const Options& options,
                            const Device& device) {
  if (model.n_loops() == 0) return algorithm;
  if (closes_loops(algorithm) && device.kind == Device::cuda)
    refuse(algorithm, "does not support ", model.name(), " on a GPU: it has closed loops; use device cpu");
  if (const char* reason = refusal_of_loops(algorithm, model))
    refuse(algorithm, "does not support ", model.name(), ": ", reason);
  if (goes_over_tree(algorithm, model, options)) return algorithm;
  static const Algorithm& closed = find_algorithm(ClosedLoopDynamics::name);
  return is<ForwardDynamics>(algorithm) ? closed : algorithm;
}

Options with_loops(const Algorithm& algorithm, const Algorithm& serving, Options options) {
  if (&algorithm != &serving && options.method != Method::divide_and_conquer) options.method = Method::automatic;
  return options;
}

}  // namespace tandem
