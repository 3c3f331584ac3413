// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "run.hpp"
#include "tandem/algorithms/all.hpp"

namespace tandem {
namespace {

template <class A>
Algorithm entry() {
  return {A::name, A::summary, A::arguments, requires(A a){a.frame;
}
, requires(A a) { a.reference; }
, requires(A a) { a.method; }
, {&work_rows_of<A, double>, &run_serial<A, double>}, { &work_rows_of<A, float>, &run_serial<A, float> }
};  // namespace
}  // namespace tandem

template <class... A>
std::span<const Algorithm> table(TypeList<A...>) {
  static const Algorithm entries[] = {entry<A>()...};
  return entries;
}

}  // namespace

std::span<const Algorithm> cpu_algorithms() { return table(Algorithms{}); }

}  // namespace tandem
