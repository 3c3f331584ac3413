// SPDX-License-Identifier: Apache-2.0
/// Operations of methods, counted by a number that counts them.
#include "counts.hpp"

#include <algorithm>
#include <string_view>

#include "core/counting.hpp"
#include "run_body.hpp"
#include "tandem/detail/methods/link_methods.hpp"

namespace tandem {
namespace {

/// An engine with a processor for every part: of parts that are independent only the longest counts.
struct DepthEngine {
  static constexpr bool divides_parts = true;
  std::int64_t* hidden;  ///< operations so far that others hide

  std::int64_t depth() const { return Counting::count.flops() - *hidden; }
  template <class F>
  void for_each(Index n, F&& f) const {
    const std::int64_t begin = depth();
    std::int64_t longest = 0;
    for (Index i = 0; i < n; ++i) {
      const std::int64_t before = depth();
      f(i);
      longest = std::max(longest, depth() - before);
    }
    *hidden += depth() - begin - longest;
  }
};

struct Counted {
  const ModelView<double>& m;
  const std::vector<std::vector<double>>& inputs;
  const Options& options;

  template <class A>
  Work own() const {
    Counting::count = {};
    run_body<Counting>(make<A>(options), A::arguments, m, inputs);
    const auto flops = Counting::count.flops();
    return {flops, flops};
  }
  template <class A>
  Work divided() const {
    std::int64_t hidden = 0;
    Counting::count = {};
    run_body<Counting>(WithEngine<A, DepthEngine>{A(options), {&hidden}}, A::Problem::arguments, m, inputs);
    const auto flops = Counting::count.flops();
    return {flops, flops - hidden};
  }
};

template <class... A>
bool count_own(const Counted& counted, std::string_view name, Work& work, TypeList<A...>) {
  return ((A::name == name && (work = counted.own<A>(), true)) || ...);
}
template <class... A>
bool count_divided(const Counted& counted, std::string_view name, Work& work, TypeList<A...>) {
  return ((A::Problem::name == name && A::method == counted.options.method && (work = counted.divided<A>(), true)) ||
          ...);
}

}  // namespace

Work work_of(const Algorithm& algorithm, const Model& model, const std::vector<std::vector<double>>& inputs,
             const Options& options) {
  const Counted counted = {model.view<double>(), inputs, options};
  Work work;
  if (!count_divided(counted, algorithm.name, work, LinkMethods{}))
    count_own(counted, algorithm.name, work, TypeList<InverseDynamics, MassMatrix, ForwardDynamics>{});
  return work;
}

}  // namespace tandem
