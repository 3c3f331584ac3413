// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "run.hpp"
#include "tandem/algorithms/all.hpp"

namespace tandem {
namespace {

template <class A>
constexpr bool reads_frame = requires(A a) {
  a.frame;
};
template <class A>
constexpr bool reads_reference = requires(A a) {
  a.reference;
};
template <class A>
constexpr bool reads_method = requires(A a) {
  a.method;
};

template <class A>
constexpr Algorithm entry() {
  return {A::name,
          A::summary,
          A::arguments,
          reads_frame<A>,
          reads_reference<A>,
          reads_method<A>,
          {&work_rows_of<A, double>, &run_serial<A, double>},
          {&work_rows_of<A, float>, &run_serial<A, float>}};
}

template <class... A>
std::span<const Algorithm> table(TypeList<A...>) {
  static constexpr Algorithm entries[] = {entry<A>()...};
  return entries;
}

}  // namespace

std::span<const Algorithm> cpu_algorithms() { return table(Algorithms{}); }

}  // namespace tandem
