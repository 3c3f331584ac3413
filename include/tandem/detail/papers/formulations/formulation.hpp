// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/executors/executor.hpp"
#include "tandem/detail/papers/formulations/chain.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/scan/scan_plan.hpp"

namespace tandem::inline TANDEM_ISA {

/// Inverse dynamics by a formulation of [Pond] chapter 2, its tasks one after the other. `Tasks` are those of one; what
/// does not change of the links is found anew in every call of `body`, and once where it is kept, for `run`. `Method`
/// is who derives from it, and may have a form.
///
/// In, out   those of inverse_dynamics
/// Joints    revolute, continuous and prismatic, in a chain: the thesis has revolute ones, the others are derived.
///           Armature counts, the base may accelerate
/// Work      the results of all tasks
template <class Method_, template <class State, class Column, class Tau> class Tasks>
struct Formulation {
  using Problem = InverseDynamics;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& options) {
    if (options.matrices != Matrices::automatic && options.matrices != Method_::own_matrices)
      return "matrices has a value that it does not support; classle has blocks, recne has omega, "
             "recursive_newton_euler has neither";
    if (m.n_mimic != 0) return "it has mimic joints; use recursive_newton_euler";
    if (!is_chain(m))
      return "it has branches, and the formulations of [Pond] are for chains; use recursive_newton_euler";
    for (int i = 1; i < m.n_links; ++i)
      if (m.type[i] != JointType::revolute && m.type[i] != JointType::continuous && m.type[i] != JointType::prismatic)
        return "it has joints that are neither revolute nor prismatic; use recursive_newton_euler";
    if (task_rows(m) > most_rows)
      return "the results of its tasks are more than 2^24 numbers; use recursive_newton_euler";
    return nullptr;
  }
  static constexpr Index most_rows = Index{1} << 24;

  /// Rows of the results of all tasks.
  template <class M>
  TANDEM_HD static Index task_rows(const ModelView<M>& m) {
    using State = ChainState<M, Reduced, M, const M*, const M*, const M*, const M*, const M*>;
    return Tasks<State, M*, M*>(State{m, {nullptr}, nullptr, nullptr, nullptr, nullptr}, nullptr, nullptr).lay.rows;
  }
  /// And of tau, which `run` works on.
  template <class M>
  TANDEM_HD static Index run_rows(const ModelView<M>& m) {
    return task_rows(m) + m.nv;
  }
  template <class M>
  TANDEM_HD static Index constant_rows(const ModelView<M>& m) {
    return rows_of<LinkConstants<double>> * m.n_links;
  }
  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    return constant_rows(m) + run_rows(m);
  }
  template <class S, class Executor, class M, class Q, class V, class A, class Fx, class Tau, class Work>
  TANDEM_HD void body(const Executor&, const ModelView<M>& m, Q q, V v, A a, Fx f_ext, Tau tau, Work w) const {
    find_link_constants<S>(m, w);
    run<S>(m, w, q, v, a, f_ext, tau, w + constant_rows(m));
  }
  template <class S, class M, class Constants, class Q, class V, class A, class Fx, class Tau, class Work>
  TANDEM_HD void run(const ModelView<M>& m, Constants constants, Q q, V v, A a, Fx f_ext, Tau tau, Work w) const {
    const auto found = w + task_rows(m);  // tau may lie where a does, which tasks read to the last
    told().template tasks_of<S, Reduced>(m, constants, q, v, a, f_ext, found, w,
                                         [](const auto& all) TANDEM_INLINE { all.tasks(InOrder()); });
    for (int k = 0; k < m.nv; ++k) tau[k] = S(found[k]);
  }
  /// Calls f with the tasks.
  template <class S, class Notation, class M, class Constants, class Q, class V, class A, class Fx, class Tau,
            class Work, class F>
  TANDEM_HD void tasks_of(const ModelView<M>& m, Constants constants, Q q, V v, A a, Fx f_ext, Tau tau, Work w,
                          const F& f) const {
    const auto state = chain_state<S, Notation>(m, constants, q, v, a, f_ext);
    Tasks<std::remove_const_t<decltype(state)>, Work, Tau> all(state, w, tau);
    told().tell(all);
    f(std::as_const(all));
  }

  // of a method with no choice of matrices
  static constexpr Matrices own_matrices = Matrices::automatic;
  template <class All>
  TANDEM_HD void tell(All&) const {}

 private:
  TANDEM_HD const Method_& told() const { return static_cast<const Method_&>(*this); }
};

}  // namespace tandem::inline TANDEM_ISA
