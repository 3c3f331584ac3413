// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/product_call.hpp"

namespace tandem::inline TANDEM_ISA {

/// What methods share that cut a chain into chunks and have passes over them; Method has the options and `run`.
template <class Method_, class Passes_>
struct DividedProduct {
  using Passes = Passes_;
  static constexpr Method method = Method::scan;
  static constexpr bool turns_inertias = true;  ///< into other axes, in every call

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    return refusal(m, "it has mimic joints; use recursive_newton_euler",
                   "it has branches, and the method is for chains; use recursive_newton_euler");
  }
  template <class M>
  static const char* refusal(const ModelView<M>& m, const char* joints_follow, const char* branches) {
    return m.n_mimic != 0 ? joints_follow : is_chain(m) ? nullptr : branches;
  }
  template <class M>
  ScanCut cut(const ModelView<M>&) const {
    return {.rows = Passes::rows_of_chunk,
            .lanes = chunks_in_group<M>,
            .chunk = as_method().chunk,
            .chunks = as_method().chunks};
  }
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    Arena arena;
    ScanPlanner<M> planner(m, as_method().cut(m));
    planner.lay_out(arena);
    [[maybe_unused]] const typename Passes::template Memory<M> memory_of_call(arena, planner.most_chunks(),
                                                                              planner.most_rows());
    return arena.rows<M>();
  }
  /// Columns, the last of which is scratch memory.
  template <class S, class Executor, class M, class... Columns>
  auto body(const Executor& executor, const ModelView<M>& m, Columns... columns) const {
    return on_last(
        [&](S* w, auto... arguments) {
          Arena arena(w);
          ScanPlanner<M> planner(m, as_method().cut(m));
          planner.lay_out(arena);
          return as_method().template run<S>(OneByOne<Executor>{executor}, executor, planner.plan(), m, arguments...,
                                             arena);
        },
        columns...);
  }
  /// Rows of scratch memory for a plan made beforehand.
  template <class S>
  static Index rows(const ScanPlan& plan) {
    Arena arena;
    memory<S>(arena, plan);
    return arena.rows<S>();
  }

 protected:
  template <class S>
  static auto memory(Arena& arena, const ScanPlan& plan) {
    return typename Passes::template Memory<S>(arena, plan.n_chunks, plan.group_row[plan.n_groups]);
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
  const Method_& as_method() const { return static_cast<const Method_&>(*this); }
};

}  // namespace tandem::inline TANDEM_ISA
