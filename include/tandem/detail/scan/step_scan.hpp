// SPDX-License-Identifier: Apache-2.0
/// Derivatives of a step of one chain of many links, as scans: what the step and the way back from it ask of the
/// dynamics.
#pragma once
#include "tandem/detail/scan/forward_dynamics_jvp_scan.hpp"
#include "tandem/detail/scan/forward_dynamics_vjp_scan.hpp"
#include "tandem/detail/derivatives/moving_configuration.hpp"
#include "tandem/detail/simulation/step_options.hpp"

namespace tandem::inline TANDEM_ISA {

/// Dynamics of one chain in chunks, in the place of ArticulatedBody and StepDynamics. Its scratch memory is that of the
/// arena.
template <class S, class Groups, class Executor>
struct ScanDynamics {
  const Groups& groups;
  const Executor& executor;
  const ScanPlan& plan;
  Arena arena;
  static constexpr bool only_explicit = true;  ///< StepByScan refuses implicit steps

  template <class M>
  static Index work_rows(const ModelView<M>&) {
    return 0;
  }
  /// Rows of the columns of a tangent, each with what an arena adds.
  template <class M>
  static Index tangent_rows(const ModelView<M>& m) {
    Arena columns;
    [[maybe_unused]] const Tangent tangent(m, columns);
    return columns.rows<S>();
  }

  /// Accelerations; on dual numbers with their rates.
  template <class Number, class M, class Q, class V, class Tau, class Fx, class D, class A, class Work>
  void body(const ModelView<M>& m, Q q, V v, Tau tau, Fx f_ext, D diagonal, A a, Work) const {
    if constexpr (has_rates<Number>)
      accelerate_with_rates(m, q, v, tau, diagonal, a);
    else
      ScanArticulatedBody::run<S>(groups, executor, plan, m, q, v, tau, f_ext, diagonal, a, arena);
  }
  template <class, class Work, class M, class... Columns>
  void forward_back(Work, const ModelView<M>& m, Columns... columns) const {
    ForwardDynamicsVjpScan::run<S>(groups, executor, plan, m, columns..., arena);
  }
  template <class, class Work, class M, class... Columns>
  void inverse_back(Work, const ModelView<M>& m, Columns... columns) const {
    InverseDynamicsVjpScan::run<S>(groups, executor, plan, m, columns..., arena);
  }

 private:
  /// Values and rates apart, as scans read them.
  struct Tangent {
    S *q, *v, *tau, *diagonal, *a, *dq, *dv, *dtau, *ddiagonal, *da;
    Dual<S>* unit;  ///< the configuration with quaternions of unit length
    template <class M>
    Tangent(const ModelView<M>& m, Arena& arena) : q(arena.take<S>(m.nq)), unit(arena.take<Dual<S>>(m.nq)) {
      arena.take<S>(m.nv, v, tau, diagonal, a, dq, dv, dtau, ddiagonal, da);
    }
  };
  template <class M, class Q, class V, class Tau, class D, class A>
  void accelerate_with_rates(const ModelView<M>& m, Q q, V v, Tau tau, D diagonal, A a) const {
    Arena rest = arena;
    const Tangent x(m, rest);
    for_each_row(executor, m.nq, [=](Index k) TANDEM_INLINE { x.q[k] = q[k].value; });
    const Dual<S> still(S(0));
    Integrate::body<Dual<S>>(m, q, in_every_row(still), x.unit, x.unit);
    take_velocity<S>(m, x.unit, x.dq);
    const auto apart = [](const Dual<S>& number, S& value, S& rate) TANDEM_INLINE {
      value = number.value;
      rate = number.rate;
    };
    for_each_row(executor, m.nv, [=](Index k) TANDEM_INLINE {
      apart(v[k], x.v[k], x.dv[k]);
      apart(tau[k], x.tau[k], x.dtau[k]);
      apart(diagonal[k], x.diagonal[k], x.ddiagonal[k]);
    });
    S* const none = nullptr;
    ForwardDynamicsJvpScan::tangent<S>(groups, executor, plan, m, x.q, x.v, x.tau, x.dq, x.dv, x.dtau, none, x.diagonal,
                                       x.ddiagonal, none, none, x.a, x.da, rest);
    for_each_row(executor, m.nv, [=](Index k) TANDEM_INLINE { a[k] = Dual<S>(x.a[k], x.da[k]); });
  }
};

/// What methods share that find derivatives of a step; Step has its text.
template <class Method_, class Passes_, class Step_>
struct StepByScan : DividedDynamics<Method_, Passes_>, StepOptions {
  using Problem = Step_;
  int chunk = 0, chunks = 0;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& options) {
    if (options.integrator == Integrator::implicit_midpoint)
      return "implicit_midpoint iterates to full precision, which the rounding of scans prevents; use "
             "articulated_body";
    return DividedDynamics<Method_, Passes_>::refuses(m, options);
  }
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    return DividedDynamics<Method_, Passes_>::work_rows(m) + rows_of_step<M>(m);
  }
  template <class S, class M>
  Index rows(const ScanPlan& plan, const ModelView<M>& m) const {
    return DividedDynamics<Method_, Passes_>::template rows<S>(plan) + rows_of_step<S>(m);
  }
  /// Columns, the last of which is scratch memory.
  template <class S, class Groups, class Executor, class M, class... Columns>
  auto run(const Groups& groups, const Executor& executor, const ScanPlan& plan, const ModelView<M>& m,
           Columns... columns) const {
    return this->on_last(
        [&](Arena arena, auto... arguments) {
          using Dynamics = ScanDynamics<S, Groups, Executor>;
          S* const w = arena.take<S>(step().template work_rows_with<Dynamics>(m));
          return step().template run<S>(Dynamics{groups, executor, plan, arena}, m, arguments..., w);
        },
        columns...);
  }

 private:
  Step_ step() const {
    Step_ step;
    static_cast<StepOptions&>(step) = *this;
    return step;
  }
  template <class S, class M>
  Index rows_of_step(const ModelView<M>& m) const {
    using Dynamics = ScanDynamics<S, int, int>;
    Arena columns;
    columns.take<S>(step().template work_rows_with<Dynamics>(m));
    return columns.rows<S>() + Dynamics::tangent_rows(m);
  }
};

}  // namespace tandem::inline TANDEM_ISA
