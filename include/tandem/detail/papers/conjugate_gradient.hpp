// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/constraint_force.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics of a chain by conjugate gradients on its constraint forces: the macroparallel algorithm, in which
/// every link talks to its two neighbours only.
///
/// Method    [Pond] chapter 3, J-PPCG(2); the system is that of constraint_system.hpp, the iteration that of
///           block_conjugate_gradient.hpp. Changed: a joint that has converged goes on with the others; the residual is
///           tested as well; rotors.
/// In, Out   those of ForwardDynamics
/// Joints    of every type with armature; no mimic joints, no branches. Every link needs mass and a regular inertia
/// Options   chunk: links that are worked through one after the other when the system is built, 32 by default;
///           tolerance, max_iterations
/// Stops     when the last step of every joint is below tolerance, by itself 1e-12 (float 1e-5), of its force and the
///           residual below that of the right-hand side, or after max_iterations, by itself min(4 m n + 100, 10000)
///           steps, m up to 6 unknowns for each of n joints
/// Work      at most 180 rows per link     Cost 16 m^2 operations a joint and step; 100 to 300 steps for chains of
///           links much alike, more the less alike they are; depth 2 log2 n sums a step
/// Errors    none; a robot that has not converged gives accelerations as far as they have come, and says so
struct ConjugateGradient : private ConstraintForce {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::conjugate_gradient;
  using ConstraintForce::body, ConstraintForce::refuses, ConstraintForce::work_rows;
  using ConstraintForce::chunk, ConstraintForce::max_iterations, ConstraintForce::tolerance;

  ConjugateGradient() { solver = Solver::conjugate_gradient; }
};

}  // namespace tandem::inline TANDEM_ISA
