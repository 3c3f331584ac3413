// SPDX-License-Identifier: Apache-2.0
/// The methods that divide one robot among lanes and threads, and one list of them.
#pragma once
#include "tandem/detail/formulations/classle.hpp"
#include "tandem/detail/formulations/hybrid.hpp"
#include "tandem/detail/formulations/recle.hpp"
#include "tandem/detail/formulations/recne.hpp"
#include "tandem/detail/formulations/recneb.hpp"
#include "tandem/detail/formulations/resne.hpp"
#include "tandem/detail/methods/composite_scan.hpp"
#include "tandem/detail/methods/conjugate_gradient.hpp"
#include "tandem/detail/methods/constraint_force.hpp"
#include "tandem/detail/methods/divide_and_conquer.hpp"
#include "tandem/detail/methods/divide_and_conquer_efficient.hpp"
#include "tandem/detail/methods/divide_and_conquer_loops.hpp"
#include "tandem/detail/methods/forward_dynamics_jvp_scan.hpp"
#include "tandem/detail/methods/forward_dynamics_vjp_scan.hpp"
#include "tandem/detail/methods/forward_kinematics_jvp_scan.hpp"
#include "tandem/detail/methods/forward_kinematics_vjp_scan.hpp"
#include "tandem/detail/methods/hybrid_articulated_body.hpp"
#include "tandem/detail/methods/inverse_dynamics_jvp_scan.hpp"
#include "tandem/detail/methods/inverse_dynamics_scan.hpp"
#include "tandem/detail/methods/inverse_dynamics_vjp_scan.hpp"
#include "tandem/detail/methods/log_composite.hpp"
#include "tandem/detail/methods/mass_matrix_inversion.hpp"
#include "tandem/detail/methods/scan_articulated_body.hpp"
#include "tandem/detail/methods/step_jvp_scan.hpp"
#include "tandem/detail/methods/step_vjp_scan.hpp"
#include "tandem/detail/problems/all.hpp"

namespace tandem::inline TANDEM_ISA {

// A method is a struct with
//   using Problem = ForwardDynamics             whose arguments it takes
//   static constexpr Method method              its name
//   static const char* refuses(m, options)      null if it serves the model; else why not, and a method that does
//   members named like the options that it reads, with the values that stand where none are given
//   Index work_rows(m) const
//   void body<S>(engine, m, columns of the problem ..., work) const
using LinkMethods =
    TypeList<InverseDynamicsScan, InverseDynamicsJvpScan, InverseDynamicsVjpScan, ForwardDynamicsJvpScan,
             ForwardDynamicsVjpScan, ForwardKinematicsJvpScan, ForwardKinematicsVjpScan, StepJvpScan, StepVjpScan,  //
             CompositeScan, LogComposite, ScanArticulatedBody, DivideAndConquer, DivideAndConquerEfficient,
             DivideAndConquerLoops, ConstraintForce, ConjugateGradient, ConstraintForceWrenches, MassMatrixInversion,
             HybridArticulatedBody, Recne, Recneb, Resne, Classle, Recle, Hybrid>;

// Those of papers that serve for comparison, compiled in a target of their own (src/backends/cpu/kernels.cmake).
using PaperMethods = TypeList<LogComposite, DivideAndConquer, DivideAndConquerLoops, ConstraintForce, ConjugateGradient,
                              ConstraintForceWrenches, MassMatrixInversion, HybridArticulatedBody, Recne, Recneb, Resne, Classle,
                              Recle, Hybrid>;

}  // namespace tandem::inline TANDEM_ISA
