// SPDX-License-Identifier: Apache-2.0
/// The methods that divide one robot among lanes and threads, and one list of them.
#pragma once
#include "tandem/detail/papers/formulations/classle.hpp"
#include "tandem/detail/papers/formulations/hybrid.hpp"
#include "tandem/detail/papers/formulations/recle.hpp"
#include "tandem/detail/papers/formulations/recne.hpp"
#include "tandem/detail/papers/formulations/recneb.hpp"
#include "tandem/detail/papers/formulations/resne.hpp"
#include "tandem/detail/scan/composite_scan.hpp"
#include "tandem/detail/papers/conjugate_gradient.hpp"
#include "tandem/detail/papers/constraint_force.hpp"
#include "tandem/detail/papers/divide_and_conquer.hpp"
#include "tandem/detail/papers/divide_and_conquer_efficient.hpp"
#include "tandem/detail/papers/divide_and_conquer_loops.hpp"
#include "tandem/detail/papers/hybrid_articulated_body.hpp"
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"
#include "tandem/detail/papers/log_composite.hpp"
#include "tandem/detail/papers/mass_matrix_inversion.hpp"
#include "tandem/detail/scan/scan_articulated_body.hpp"
#include "tandem/detail/scan/scan_of.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::inline TANDEM_ISA {

// A method is a struct with
//   using Problem = ForwardDynamics             whose arguments it takes
//   static constexpr Method method              its name
//   static const char* refuses(m, options)      null if it serves the model; else why not, and a method that does
//   members named like the options that it reads, with the values that stand where none are given
//   Index work_rows(m) const
//   void body<S>(executor, m, columns of the problem ..., work) const
using LinkMethods =
    TypeList<InverseDynamicsScan, InverseDynamicsJvpScan, InverseDynamicsVjpScan, ForwardDynamicsJvpScan,
             ForwardDynamicsVjpScan, ForwardKinematicsJvpScan, ForwardKinematicsVjpScan, StepJvpScan, StepVjpScan,  //
             CompositeScan, LogComposite, ScanArticulatedBody, DivideAndConquer, DivideAndConquerEfficient,
             DivideAndConquerLoops, ConstraintForce, ConjugateGradient, ConstraintForceWrenches, MassMatrixInversion,
             HybridArticulatedBody, Recne, Recneb, Resne, Classle, Recle, Hybrid>;

// Those of papers that serve for comparison, compiled in a target of their own (src/backends/cpu/kernels.cmake).
using PaperMethods = TypeList<LogComposite, DivideAndConquer, DivideAndConquerLoops, ConstraintForce, ConjugateGradient,
                              ConstraintForceWrenches, MassMatrixInversion, HybridArticulatedBody, Recne, Recneb,
                                  Resne, Classle,
                              Recle, Hybrid>;

}  // namespace tandem::inline TANDEM_ISA
