// SPDX-License-Identifier: Apache-2.0
/// Operations of methods, counted by a number that counts them.
#include "counts.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "api/run_body.hpp"
#include "backends/cpu/kernels/loop_plan.hpp"
#include "core/counting.hpp"
#include "tandem/detail/link_methods.hpp"

namespace tandem {
namespace {

/// An executor with so many processors, or one for every part: of what happens at the same time only the longest
/// counts.
struct DepthExecutor {
  static constexpr bool divides_parts = true;
  struct State {
    Index processors;         ///< for what comes next; 0: as many as it takes
    std::int64_t hidden = 0;  ///< operations so far that others hide
  };
  State* state;

  std::int64_t depth() const { return Counting::count.flops() - state->hidden; }
  template <class F>
  void for_each(Index n, F&& f) const {
    const Index processors = state->processors, block = processors == 0 ? 1 : (n + processors - 1) / processors;
    if (processors != 0 && n != 0) state->processors = std::max<Index>(1, processors / n);
    const std::int64_t begin = depth();
    std::int64_t longest = 0;
    for (Index i = 0; i < n;) {
      const std::int64_t before = depth();
      for (const Index end = std::min(n, i + block); i < end; ++i) f(i);
      longest = std::max(longest, depth() - before);
    }
    state->hidden += depth() - begin - longest;
    state->processors = processors;
  }
};

/// f<A>() for the method that divides a robot; false if there is none of the name.
template <class F, class... A>
bool for_divided(std::string_view problem, Method method, F&& f, TypeList<A...>) {
  return ((A::Problem::name == problem && A::method == method && (f.template operator()<A>(), true)) || ...);
}

}  // namespace

Work work_of(const Algorithm& algorithm, const Model& model, const std::vector<std::vector<double>>& inputs,
             const Options& options, Index processors) {
  const auto& m = model.view<double>();
  DepthExecutor::State state = {processors};
  Counting::count = {};
  const auto own = [&]<class A>() { run_body<Counting>(with_options<A>(options), A::arguments, m, inputs); };
  const auto divided = [&]<class A>() {
    WithExecutor<A, DepthExecutor> method = {with_options<A>(options), {&state}};
    std::optional<LoopPlan> plan;
    if constexpr (requires { method.method.plan; }) method.method.plan = &plan.emplace(m).plan();
    run_body<Counting>(method, A::Problem::arguments, m, inputs);
  };
  if (!for_divided(algorithm.name, options.method, divided, LinkMethods{})) for_problem(algorithm.name, own);
  return {Counting::count, Counting::count.flops() - state.hidden};
}

Options chosen(const Algorithm& algorithm, const Model& model, bool in_float, Options options) {
  const auto read = [&]<class A>() {
    auto method = with_options<A>(options);
    if constexpr (requires { method.form; })
      method.form = in_float ? method.chosen(model.view<float>()) : method.chosen(model.view<double>());
    for_each_option([&](const auto& option) {
      if constexpr (std::is_invocable_v<decltype(option.get), A&>) option.get(options) = option.get(method);
    });
  };
  for_divided(algorithm.name, options.method, read, LinkMethods{});
  return options;
}

}  // namespace tandem
