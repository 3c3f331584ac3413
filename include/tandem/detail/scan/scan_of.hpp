// SPDX-License-Identifier: Apache-2.0
/// The method `scan` of JVPs and VJPs: of one chain of many links, in chunks. A table of what is particular to each;
/// the passes are tangent_scan.hpp, adjoint_scan.hpp and those of kinematics.
/// docs/algorithms/products_scan.md
#pragma once
#include "tandem/detail/derivatives/forward_dynamics_jvp.hpp"
#include "tandem/detail/derivatives/forward_dynamics_vjp.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_jvp.hpp"
#include "tandem/detail/derivatives/inverse_dynamics_vjp.hpp"
#include "tandem/detail/derivatives/moving_configuration.hpp"
#include "tandem/detail/derivatives/step_jvp.hpp"
#include "tandem/detail/derivatives/step_vjp.hpp"
#include "tandem/detail/scan/adjoint_scan.hpp"
#include "tandem/detail/scan/kinematics_adjoint_scan.hpp"
#include "tandem/detail/scan/kinematics_tangent_scan.hpp"
#include "tandem/detail/scan/scan_articulated_body.hpp"
#include "tandem/detail/scan/tangent_scan.hpp"

namespace tandem::inline TANDEM_ISA {

/// The method `scan` of a problem. Its `run` takes the columns of the problem and the rest of an arena.
///
/// In, Out   as the problem
/// Frames    inside a chunk the axes of its start, between chunks those of the world; about own origins
/// Joints    every type; in SIMD lanes if a chain has revolute, prismatic and helical joints, or spherical joints,
///           after its first joint; else one chunk after the other
/// Options   chunk, chunks: links of a chunk, or number of chunks; those of the problem
/// Work      12 (kinematics, JVP) to 42 rows per link, 90 to 120 per chunk; articulated bodies need more
/// Cost      O(n_links), depth chunk + log(chunks); of steps O(n_links)
/// Errors    none; a NaN stays in its own state, a singular robot gives infinities or NaN
template <class Problem>
struct ScanOf;

using InverseDynamicsJvpScan = ScanOf<InverseDynamicsJvp>;
using InverseDynamicsVjpScan = ScanOf<InverseDynamicsVjp>;
using ForwardDynamicsJvpScan = ScanOf<ForwardDynamicsJvp>;
using ForwardDynamicsVjpScan = ScanOf<ForwardDynamicsVjp>;
using ForwardKinematicsJvpScan = ScanOf<ForwardKinematicsJvp>;
using ForwardKinematicsVjpScan = ScanOf<ForwardKinematicsVjp>;
using StepJvpScan = ScanOf<StepJvp>;
using StepVjpScan = ScanOf<StepVjp>;

/// What these methods share. With `solves` they solve for accelerations in the same chunks, before and after passes:
/// the articulated bodies stay in memory between.
template <class Problem_, class Passes_, bool solves>
struct InChunks {
  using Problem = Problem_;
  using Passes = Passes_;
  static constexpr Method method = Method::scan;
  static constexpr bool turns_inertias = true;  ///< into other axes, in every call
  int chunk = 0, chunks = 0;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    if (m.n_mimic != 0)
      return solves ? "it has mimic joints, which couple its branches; use articulated_body"
                    : "it has mimic joints; use recursive_newton_euler";
    if (is_chain(m)) return nullptr;
    return solves ? "it has branches, and the method is for chains; use articulated_body"
                  : "it has branches, and the method is for chains; use recursive_newton_euler";
  }
  static Index rows_of_chunk(int dof, int steps) {
    const Index passes = Passes::rows_of_chunk(dof, steps), solve = ScanArticulatedBody::rows_of_chunk(dof, steps);
    return solves && solve > passes ? solve : passes;
  }
  template <class M>
  ScanCut cut(const ModelView<M>&) const {
    return {.rows = rows_of_chunk, .lanes = chunks_in_group<M>, .chunk = chunk, .chunks = chunks};
  }
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    ScanPlanner<M> planner(m, cut(m));
    planner.lay_out(arena);
    return rows<M>(arena, m, planner.most_chunks(), planner.slots(), planner.most_rows());
  }
  /// Rows of scratch memory for a plan made beforehand.
  template <class S, class M>
  Index rows(const ScanPlan& plan, const ModelView<M>& m) const {
    return rows<S>({}, m, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]);
  }
  /// Columns, the last of which is scratch memory.
  template <class S, class Executor, class M, class... Columns>
  auto body(const Executor& executor, const ModelView<M>& m, Columns... columns) const {
    return on_last(
        [&](S* w, auto... arguments) {
          Arena arena(w);
          ScanPlanner<M> planner(m, cut(m));
          planner.lay_out(arena);
          return as_method().template run<S>(OneByOne<Executor>{executor}, executor, planner.plan(), m, arguments...,
                                             arena);
        },
        columns...);
  }
  /// Rows of scratch memory beyond those of chunks.
  template <class S, class M>
  Index more_rows(const ModelView<M>&) const {
    return 0;
  }

 protected:
  template <class S>
  using Memory = typename Passes::template Memory<S>;
  template <class S>
  static Memory<S> memory(Arena& arena, const ScanPlan& plan) {
    return {arena, plan.n_chunks, plan.group_row[plan.n_groups]};
  }
  template <class S>
  static ScanMemory<S> articulated_bodies(Arena& arena, const ScanPlan& plan) {
    return {arena, plan.n_chunks, plan.n_slots, plan.group_row[plan.n_groups]};
  }
  /// f(last, all others)
  template <class F, class First, class... More>
  static auto on_last(F&& f, First first, More... more) {
    if constexpr (sizeof...(More) == 0)
      return f(first);
    else
      return on_last([&](auto last, auto... between) { return f(last, first, between...); }, more...);
  }

 private:
  const ScanOf<Problem>& as_method() const { return static_cast<const ScanOf<Problem>&>(*this); }
  template <class S, class M>
  Index rows(Arena arena, const ModelView<M>& m, Index n_chunks, Index slots, Index group_rows) const {
    if (solves) {
      arena.take<S>(m.nv);
      [[maybe_unused]] const ScanMemory<S> solve(arena, n_chunks, slots, group_rows);
    }
    [[maybe_unused]] const Memory<S> passes(arena, n_chunks, group_rows);
    return arena.rows<S>() + as_method().template more_rows<S>(m);
  }
};

// Inverse dynamics

template <>
struct ScanOf<InverseDynamicsJvp> : InChunks<InverseDynamicsJvp, TangentScan, false> {
  template <class S, class M>
  static void run(const auto& groups, const auto& executor, const ScanPlan& plan, const ModelView<M>& m, S* q, S* v,
                  S* a, S* dq, S* dv, S* da, S* f_ext, S* df_ext, S* dpi, S* tau, S* dtau, Arena arena) {
    const ProductCall<S, M, Passes::n_in, Passes::n_out, Memory<S>> call = {
        {}, m, plan, q, f_ext, {v, a, dq, dv, da}, {tau, dtau}, df_ext, dpi, nullptr, nullptr, memory<S>(arena, plan)};
    Passes::body(groups, executor, call);
  }
};

template <>
struct ScanOf<InverseDynamicsVjp> : InChunks<InverseDynamicsVjp, AdjointScan, false> {
  template <class S, class M>
  static void run(const auto& groups, const auto& executor, const ScanPlan& plan, const ModelView<M>& m, S* q, S* v,
                  S* a, S* tau_bar, S* f_ext, S* tau, S* q_bar, S* v_bar, S* a_bar, S* f_ext_bar, S* pi_bar,
                  Arena arena) {
    const ProductCall<S, M, Passes::n_in, Passes::n_out, Memory<S>> call = {{},
                                                                            m,
                                                                            plan,
                                                                            q,
                                                                            f_ext,
                                                                            {v, a, tau_bar},
                                                                            {tau, q_bar, v_bar, a_bar},
                                                                            nullptr,
                                                                            nullptr,
                                                                            f_ext_bar,
                                                                            pi_bar,
                                                                            memory<S>(arena, plan)};
    if (f_ext_bar) store_linear_first(f_ext_bar, 0, Motion<S>::zero());
    Passes::body(groups, executor, call);
  }
};

// Forward dynamics

/// f(0) .. f(n - 1), a few operations each.
template <class Executor, class F>
void for_each_row(const Executor& executor, Index n, F&& f) {
  constexpr Index block = 4096;
  executor.for_each((n + block - 1) / block, [&](Index b) TANDEM_INLINE {
    for (Index k = b * block; k < n && k < (b + 1) * block; ++k) f(k);
  });
}

/// a by articulated bodies; the JVP of inverse dynamics at a; da by the same articulated bodies, for the rest of dtau.
template <>
struct ScanOf<ForwardDynamicsJvp> : InChunks<ForwardDynamicsJvp, TangentScan, true> {
  template <class S, class M>
  static void run(const auto& groups, const auto& executor, const ScanPlan& plan, const ModelView<M>& m, S* q, S* v,
                  S* tau, S* dq, S* dv, S* dtau, S* f_ext, S* diagonal, S* df_ext, S* dpi, S* a, S* da, Arena arena) {
    tangent<S>(groups, executor, plan, m, q, v, tau, dq, dv, dtau, f_ext, diagonal, nullptr, df_ext, dpi, a, da, arena);
  }
  /// With a tangent of the diagonal, or null.
  template <class S, class M>
  static void tangent(const auto& groups, const auto& executor, const ScanPlan& plan, const ModelView<M>& m, S* q, S* v,
                      S* tau, S* dq, S* dv, S* dtau, S* f_ext, S* diagonal, S* ddiagonal, S* df_ext, S* dpi, S* a,
                      S* da, Arena arena) {
    S* const left = arena.take<S>(m.nv);
    ScanArticulatedBody::run<S>(groups, executor, plan, m, q, v, tau, f_ext, diagonal, a, arena);
    Arena beyond = arena;
    articulated_bodies<S>(beyond, plan);
    S* const none = nullptr;
    InverseDynamicsJvpScan::run<S>(groups, executor, plan, m, q, v, a, dq, dv, none, f_ext, df_ext, dpi, none, da,
                                   beyond);
    for_each_row(executor, m.nv, [=](Index k) TANDEM_INLINE {
      left[k] = dtau[k] - da[k];
      if (ddiagonal) left[k] = left[k] - ddiagonal[k] * a[k];
    });
    ScanArticulatedBody::respond<S>(groups, executor, plan, m, q, left, diagonal, da, arena);
  }
};

/// a by articulated bodies; tau_bar = M^-1 a_bar by the same; the VJP of inverse dynamics at a, of -tau_bar.
template <>
struct ScanOf<ForwardDynamicsVjp> : InChunks<ForwardDynamicsVjp, AdjointScan, true> {
  template <class S, class M>
  static void run(const auto& groups, const auto& executor, const ScanPlan& plan, const ModelView<M>& m, S* q, S* v,
                  S* tau, S* a_bar, S* f_ext, S* diagonal, S* a, S* q_bar, S* v_bar, S* tau_bar, S* f_ext_bar,
                  S* pi_bar, Arena arena) {
    S* const minus = arena.take<S>(m.nv);
    S* const none = nullptr;
    ScanArticulatedBody::run<S>(groups, executor, plan, m, q, v, tau, f_ext, diagonal, a, arena);
    ScanArticulatedBody::respond<S>(groups, executor, plan, m, q, a_bar, diagonal, tau_bar, arena);
    for_each_row(executor, m.nv, [=](Index k) TANDEM_INLINE { minus[k] = -tau_bar[k]; });
    InverseDynamicsVjpScan::run<S>(groups, executor, plan, m, q, v, a, minus, f_ext, none, q_bar, v_bar, none,
                                   f_ext_bar, pi_bar, arena);
  }
};

// Kinematics: the memory of passes, and the list of further frames

template <class Problem_, class Passes_>
struct FramesInChunks : InChunks<Problem_, Passes_, false> {
  Reference reference = Reference::local;

  template <class S, class M>
  Index more_rows(const ModelView<M>& m) const {
    Arena arena;
    [[maybe_unused]] const FurtherFrames list(arena, m);
    return arena.rows<S>();
  }

 protected:
  template <class Column, class S, class M>
  void run_on(const auto& groups, const auto& executor, const ScanPlan& plan, const ModelView<M>& m, const S* q,
              const S* const (&in)[Passes_::n_in], S* const (&out)[Passes_::n_out], const FrameColumns<Column>& frames,
              Arena arena) const {
    using Call =
        KinematicsCall<Problem_, S, M, Passes_::n_in, Passes_::n_out, Column, typename Passes_::template Memory<S>>;
    const FurtherFrames further(arena, m);
    further.fill(m);
    Call call = {{}, m, plan, {reference}, q, {}, {}, frames, further, this->template memory<S>(arena, plan)};
    for (int k = 0; k < Passes_::n_in; ++k) call.in[k] = in[k];
    for (int k = 0; k < Passes_::n_out; ++k) call.out[k] = out[k];
    Passes_::body(groups, executor, call);
  }
};

template <>
struct ScanOf<ForwardKinematicsJvp> : FramesInChunks<ForwardKinematicsJvp, KinematicsTangentScan> {
  template <class S>
  void run(const auto& groups, const auto& executor, const ScanPlan& plan, const auto& m, S* q, S* dq, S* v, S* a,
           S* dv, S* da, S* dpose, S* dvelocity, S* dacceleration, Arena arena) const {
    run_on<S*, S>(groups, executor, plan, m, q, {v, a, dq, dv, da}, {nullptr}, {dpose, dvelocity, dacceleration},
                  arena);
  }
};

template <>
struct ScanOf<ForwardKinematicsVjp> : FramesInChunks<ForwardKinematicsVjp, KinematicsAdjointScan> {
  template <class S>
  void run(const auto& groups, const auto& executor, const ScanPlan& plan, const auto& m, S* q, S* v, S* a, S* pose_bar,
           S* velocity_bar, S* acceleration_bar, S* q_bar, S* v_bar, S* a_bar, Arena arena) const {
    run_on<const S*, S>(groups, executor, plan, m, q, {v, a}, {q_bar, v_bar, a_bar},
                        {pose_bar, velocity_bar, acceleration_bar}, arena);
  }
};

// Steps: the text of step_jvp and step_vjp with these dynamics; what it does joint by joint is sequential

/// Dynamics of one chain in chunks, in place of ArticulatedBody and StepDynamics. Scratch memory is that of the arena.
template <class S, class Groups, class Executor>
struct ScanDynamics {
  const Groups& groups;
  const Executor& executor;
  const ScanPlan& plan;
  Arena arena;
  static constexpr bool only_explicit = true;  ///< StepInChunks refuses implicit steps

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

template <class Step, class Passes_>
struct StepInChunks : InChunks<Step, Passes_, true>, StepOptions {
  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& options) {
    if (options.integrator == Integrator::implicit_midpoint)
      return "implicit_midpoint iterates to full precision, which the rounding of scans prevents; use "
             "articulated_body";
    return InChunks<Step, Passes_, true>::refuses(m, options);
  }
  template <class S, class M>
  Index more_rows(const ModelView<M>& m) const {
    using Dynamics = ScanDynamics<S, int, int>;
    Arena columns;
    columns.take<S>(step().template work_rows_with<Dynamics>(m));
    return columns.rows<S>() + Dynamics::tangent_rows(m);
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
  Step step() const {
    Step step;
    static_cast<StepOptions&>(step) = *this;
    return step;
  }
};

template <>
struct ScanOf<StepJvp> : StepInChunks<StepJvp, TangentScan> {};
template <>
struct ScanOf<StepVjp> : StepInChunks<StepVjp, AdjointScan> {};

}  // namespace tandem::inline TANDEM_ISA
