// SPDX-License-Identifier: Apache-2.0
/// The methods that divide one robot among lanes and threads, and one list of them.
#pragma once
#include "tandem/algorithms/all.hpp"
#include "tandem/algorithms/composite_scan.hpp"
#include "tandem/algorithms/conjugate_gradient.hpp"
#include "tandem/algorithms/constraint_force.hpp"
#include "tandem/algorithms/divide_and_conquer.hpp"
#include "tandem/algorithms/divide_and_conquer_efficient.hpp"
#include "tandem/algorithms/hybrid_articulated_body.hpp"
#include "tandem/algorithms/inverse_dynamics_scan.hpp"
#include "tandem/algorithms/log_composite.hpp"
#include "tandem/algorithms/mass_matrix_inversion.hpp"
#include "tandem/algorithms/scan_articulated_body.hpp"

namespace tandem::inline TANDEM_ISA {

// A method is a struct with
//   using Problem = ForwardDynamics             whose arguments it takes
//   static constexpr Method method              its name
//   static const char* refuses(m, options)      null if it serves the model; else why not, and a method that does
//   explicit A(const Options&)
//   Index work_rows(m) const
//   void body<S>(engine, m, columns of the problem ..., work) const
using LinkMethods = TypeList<InverseDynamicsScan,  //
                             CompositeScan, LogComposite, ScanArticulatedBody, DivideAndConquer,
                             DivideAndConquerEfficient, ConstraintForce, ConjugateGradient, MassMatrixInversion,
                             HybridArticulatedBody>;

}  // namespace tandem::inline TANDEM_ISA
