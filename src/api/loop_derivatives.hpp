// SPDX-License-Identifier: Apache-2.0
/// First derivatives of forward dynamics of robots with closed loops.
///
/// The acceleration a and the forces x of the loops solve
///
///     M a = tau - c(q, v) - tau_g(q) + sum of J_i^T f_ext,i + J^T x,    J a + dJ/dt v = 0
///
/// and both equations go on to hold where q, v, tau change. With r the change of the right-hand side of the first while
/// a and x are held, and s that of the left-hand side of the second while a is,
///
///     M da - J^T dx = r,    J da = -s:    da = M^-1 r - Y^T G^+ (s + Y r),    Y = J M^-1,  G = J Y^T
///
/// M^-1 r is the derivative of the tree's forward dynamics at the joint forces tau + J^T x, where dtau has the change
/// of J^T x at x held as well. The other way, a weighted da is a_bar . da = (a_bar - J^T z) . M^-1 r - z . s, G z = Y
/// a_bar: the tree's weights are a_bar - J^T z. The changes of J^T x and s are rates of loop_motion.hpp on dual
/// numbers. Rows of J that others span are left out, as Semidefinite does: along increments that keep loops closed the
/// derivative does not depend on which rows carry the forces.
#pragma once
#include <span>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// Whether the algorithm is a first derivative of forward dynamics: forward_dynamics_derivatives, _jvp, _vjp.
bool differentiates_forward_dynamics(const Algorithm& algorithm);

/// One of these of a robot with loops, with arguments in its order. States are divided among threads, each is computed
/// by itself.
template <class T>
void evaluate_loop_derivatives(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                               const Batch<T>& batch, const Options& options);

}  // namespace tandem
