// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/block_conjugate_gradient.hpp"
#include "tandem/detail/solve/chunked_elimination.hpp"
#include "tandem/detail/solve/odd_even_elimination.hpp"
#include "tandem/detail/papers/constraint_system.hpp"
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"
#include "tandem/detail/problems/constraint_wrenches.hpp"
#include "tandem/detail/spatial/body_mobility.hpp"

namespace tandem::inline TANDEM_ISA {

/// Forward dynamics of a chain by its constraint forces (CFA): cut free from each other the links fly apart; the forces
/// that keep them together solve a block-tridiagonal system, and accelerations follow link by link.
///
/// Method    [Yang] (12) - (17) with the right-hand side of [Pond] (3.7); see constraint_system.hpp for the equations.
///           Changed: bias forces act on the links they belong to; [Yang] turns them into joint forces tau - ID(q, v,
///           0), which loses digits with the condition of M (right_hand_side = bias_torque does so). Rotors are new.
/// In, Out   those of ForwardDynamics
/// Joints    of every type with armature; no mimic joints, no branches. Every link needs mass and a regular inertia
/// Options   solver: block_lu, cyclic_reduction, chunked (default), odd_even_elimination, conjugate_gradient; chunk:
///           links that are worked through one after the other, 32 by default; right_hand_side: local (default),
///           bias_torque; of conjugate gradients: tolerance, max_iterations, see block_conjugate_gradient.hpp
/// Work      at most 190 rows per link     Cost O(n_links), several times the articulated-body algorithm's operations
///           (docs/operation_counts.md); depth 2 chunk + 3 log2 n rows
/// Errors    none; a singular robot gives infinities or NaN. Accuracy suffers from links of very unequal mass
struct ConstraintForce {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::constraint_force;

  Solver solver = Solver::chunked;
  RightHandSide right_hand_side = RightHandSide::local;
  int chunk = 32;
  double tolerance = 0;  // of conjugate gradients, see IterationLimits
  int max_iterations = 0;
  int unknowns = 0;  ///< of every joint, where the caller knows them

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& o) {
    if (o.method == method && o.solver != Solver::conjugate_gradient && (o.tolerance != 0 || o.max_iterations != 0))
      return "its solver does not iterate and has no tolerance or max_iterations; use conjugate_gradient";
    for (int i = 2; i < m.n_links; ++i)
      if (m.parent[i] != i - 1)
        return "it has branches, and the method is for chains; use scan or "
               "divide_and_conquer_efficient";
    if (m.n_mimic != 0) return "it has mimic joints; use articulated_body or composite_rigid_body";
    for (int i = 1; i < m.n_links; ++i)
      if (!has_inverse(link_inertia<M>(m, i)))
        return "a link has no mass or a singular inertia; use articulated_body or scan";
    return nullptr;
  }

  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index n = m.n_links - 1;
    const Index rows_to_solve = solver_rows<6>(n), bias = bias_rows(m);
    return ConstraintSystem<6>::work_rows(m, chunk) + (rows_to_solve > bias ? rows_to_solve : bias);
  }

  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD Iterations body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal,
                            A a, Work w) const {
    return body<S>(executor, m, q, v, tau, f_ext, diagonal, a, A{}, w);
  }
  /// Accelerations, or the wrenches f_c that hold the joints together, or both.
  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class F,
            class Work>
  TANDEM_HD Iterations body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal,
                            A a, F f_c, Work w) const {
    return body<S>(executor, m, q, v, tau, f_ext, diagonal, a, f_c, A{}, A{}, w);
  }
  /// And the unknowns: where conjugate gradients begin, zeros if it is left out, and what is found, [n_links][6]. Row 6
  /// i + k is unknown k of joint i, those that it holds first; other rows are 0.
  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class F,
            class Guess, class Found, class Work>
  TANDEM_HD Iterations body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal,
                            A a, F f_c, Guess guess, Found found, Work w) const {
    switch (unknowns > 0 ? unknowns : unknowns_of_joints(m, diagonal)) {
      case 3:
        if constexpr (!is_of_threads<Executor>)  // whose kernels have enough of their own
          return solve<3, S>(executor, m, q, v, tau, f_ext, diagonal, a, f_c, guess, found, w);
        [[fallthrough]];
      case 5: return solve<5, S>(executor, m, q, v, tau, f_ext, diagonal, a, f_c, guess, found, w);
      default: return solve<6, S>(executor, m, q, v, tau, f_ext, diagonal, a, f_c, guess, found, w);
    }
  }

  /// Rows of every joint's block: 6 with rotors, else as many as some joint holds axes, up to 3 or up to 5.
  template <class M, class D>
  TANDEM_HD static int unknowns_of_joints(const ModelView<M>& m, const D& diagonal) {
    if (diagonal) return 6;
    for (int k = 0; k < m.nv; ++k)
      if (m.armature[k] != M(0)) return 6;
    for (int i = 1; i < m.n_links; ++i)
      if (joint_kind(m.type[i]).nv < 3) return 5;
    return 3;
  }

 private:
  template <int rows>
  TANDEM_HD Index solver_rows(Index n) const {
    switch (solver) {
      case Solver::cyclic_reduction: return cyclic_reduction_rows<rows>(n);
      case Solver::odd_even_elimination: return odd_even_elimination_rows<rows, 1>(n);
      case Solver::conjugate_gradient: return rows * n + block_conjugate_gradient_rows<rows, 1>(n);
      default: return chunked_elimination_rows<rows, 1>(n, solver_chunk(n));
    }
  }
  /// Rows that are eliminated one after the other; block LU takes all of them so.
  TANDEM_HD Index solver_chunk(Index n) const { return solver == Solver::block_lu && n > chunk ? n : chunk; }

  template <int rows, class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A,
            class F, class Guess, class Found, class Work>
  TANDEM_HD Iterations solve(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal,
                             A a, F f_c, Guess guess, Found found, Work w) const {
    using System = ConstraintSystem<rows>;
    System::template place<S>(executor, m, q, w);
    const auto scratch = w + System::work_rows(m, chunk);
    if constexpr (!is_of_threads<Executor>) {
      if (right_hand_side == RightHandSide::bias_torque) {
        for_bias_torque<S>(executor, m, q, v, tau, f_ext, scratch);
        System::template assemble<S, false>(executor, m, chunk, q, v, scratch, f_ext, diagonal, w);
      }
    }
    if (is_of_threads<Executor> || right_hand_side != RightHandSide::bias_torque)
      System::template assemble<S, true>(executor, m, chunk, q, v, tau, f_ext, diagonal, w);
    const auto A_f = System::template system<S>(m, w);
    const Iterations done = solve_system(executor, A_f, guess, scratch);
    if (found)
      for_each_number(executor, 6 * (A_f.n + 1), [&](Index k) TANDEM_INLINE {
        const bool is_unknown = k >= 6 && k % 6 < rows;
        found[k] = is_unknown ? S(A_f.R[rows * (k / 6 - 1) + k % 6]) : S(0);
      });
    if (a) System::template accelerate<S>(executor, m, chunk, q, diagonal, A_f.R, a, w);
    if (f_c) System::template report<S>(executor, m, q, tau, f_ext, diagonal, A_f.R, f_c, w);
    return done;
  }

  template <class M>
  TANDEM_HD Index bias_rows(const ModelView<M>& m) const {
    return right_hand_side == RightHandSide::bias_torque ? m.nv + InverseDynamicsScan().work_rows(m) : 0;
  }
  /// tau - ID(q, v, 0), all that [Yang] leaves of velocities, gravity and outer forces.
  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class Work>
  TANDEM_HD static void for_bias_torque(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext,
                                        Work w) {
    const S still(0);
    InverseDynamicsScan().body<S>(executor, m, q, v, in_every_row(still), f_ext, w, w + m.nv);
    executor.for_each(m.nv, [&](Index k) TANDEM_INLINE { w[k] = S(tau[k]) - S(w[k]); });
  }

  /// Solves the system; the unknowns come to stand in A.R.
  template <class S, int rows, class Executor, class Guess, class Work>
  TANDEM_PASS Iterations solve_system(const Executor& executor, const BlockTridiagonal<S, rows, 1, Work>& A,
                                      Guess guess, Work scratch) const {
    Iterations done;
    switch (solver) {
      case Solver::cyclic_reduction: solve_cyclic_reduction(executor, A, scratch); break;
      case Solver::odd_even_elimination: solve_odd_even_elimination(executor, A, scratch); break;
      case Solver::conjugate_gradient: {
        const Work x = scratch;
        for_each_number(executor, rows * A.n,
                        [&](Index k) TANDEM_INLINE { x[k] = guess ? S(guess[6 * (k / rows + 1) + k % rows]) : S(0); });
        done = solve_block_conjugate_gradient(executor, A, x, {tolerance, max_iterations}, scratch + rows * A.n);
        executor.for_each(
            A.n, [&](Index i) TANDEM_INLINE { store(A.R, A.rhs * i, load<Matrix<S, rows, 1>>(x, A.rhs * i)); });
        break;
      }
      default: solve_chunked_elimination(executor, A, solver_chunk(A.n), scratch);
    }
    return done;
  }
};

/// The body with both outputs, as if that were a problem.
struct ConstraintForceOutputs : ConstraintForce {
  struct Problem {
    static constexpr const char* name = ForwardDynamics::name;
    static constexpr auto& of_a = ForwardDynamics::arguments;
    static constexpr std::size_t n_inputs = std::size(of_a) - 1;
    static_assert(n_inputs == 5 && std::size(ConstraintWrenches::arguments) == n_inputs + 1);
    static constexpr Argument arguments[] = {
        of_a[0],
        of_a[1],
        of_a[2],
        of_a[3],
        of_a[4],
        argument::in_role(of_a[5], Role::optional_output),
        argument::in_role(ConstraintWrenches::arguments[5], Role::optional_output)};
    static constexpr bool inverts_mass_matrix = true;
  };
};

/// The body with both outputs, from a first guess of the unknowns, and with what was found for them.
struct ConstraintForceFromGuess : ConstraintForceOutputs {
  struct Problem {
    static constexpr const char* name = ForwardDynamics::name;
    static constexpr auto& of = ConstraintForceOutputs::Problem::arguments;
    static constexpr std::size_t n_inputs = ConstraintForceOutputs::Problem::n_inputs;
    static constexpr Argument arguments[] = {
        of[0],
        of[1],
        of[2],
        of[3],
        of[4],
        of[5],
        of[6],
        {"guess", Rows::link_force, Role::optional_input, "", "initial guess of the iteration"},
        {"found", Rows::link_force, Role::optional_output, "", "final values of the iteration"}};
    static constexpr bool inverts_mass_matrix = true;
  };
};

/// The constraint wrenches of a chain as the unknowns of that system.
///
/// Method, Joints, Work, Cost,
/// Errors   those of ConstraintForce In,
/// Out   those of ConstraintWrenches
/// Options   solver, chunk, tolerance, max_iterations as there. Right-hand sides of joint forces alone leave out what
///           the constraints carry of velocities and gravity: bias forces stay where they act
struct ConstraintForceWrenches : private ConstraintForce {
  using Problem = ConstraintWrenches;
  static constexpr Method method = Method::constraint_force;
  using ConstraintForce::chunk, ConstraintForce::max_iterations, ConstraintForce::solver, ConstraintForce::tolerance;
  using ConstraintForce::refuses, ConstraintForce::work_rows;

  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class F, class Work>
  TANDEM_HD Iterations body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal,
                            F f_c, Work w) const {
    return ConstraintForce::body<S>(executor, m, q, v, tau, f_ext, diagonal, F{}, f_c, w);
  }
};

}  // namespace tandem::inline TANDEM_ISA
