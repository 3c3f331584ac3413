// SPDX-License-Identifier: Apache-2.0
/// A method on groups of blocks, with the memory that it takes.
#pragma once
#include <algorithm>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/error.hpp"
#include "backends/cuda/links/group_kernels.hpp"
#include "core/text.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// How many blocks work on a state that keeps so many of them busy, and on how many states at a time: the device works
/// on `resident` blocks. States come first, since blocks wait for each other longer than the threads of a block do.
struct Grouping {
  int blocks, groups;
};
inline Grouping grouping(Index states, Index parts, int resident) {
  const Index groups = std::min<Index>(states, resident);
  return {static_cast<int>(std::clamp<Index>(parts, 1, resident / groups)), static_cast<int>(groups)};
}

/// `parts`: blocks that a state keeps busy.
template <class A, class T>
void run_on_groups(const A& method, const ModelView<T>& here, const ModelView<T>& there, const Array<T>* arguments,
                   Index batch, Index parts, std::int32_t* iterations, Workspace& work, Stream stream) {
  constexpr Index line = 256;
  const auto lines = [](Index bytes) { return (bytes + line - 1) / line * line; };
  const Index bytes = std::max(line, lines(method.work_rows(here) * Index{sizeof(T)}));  // of a state
  const int resident = blocks_at_a_time<A, T>();
  Grouping how = grouping(batch, parts, resident);
  const auto wanted = [&](Index groups) { return groups * bytes + lines(groups * Index{sizeof(unsigned)}) + line; };
  const auto most = static_cast<Index>(most_scratch(work, static_cast<std::size_t>(wanted(how.groups)), 0.9));
  if (wanted(how.groups) > most) {
    const Index held = (most - 2 * line) / (bytes + Index{sizeof(unsigned)});
    if (held < 1)
      throw Error(sentence("CUDA: a state of this robot needs ", bytes,
                           " bytes of scratch memory on the device, more than the limit of ", most));
    how = grouping(std::min<Index>(held, how.groups), parts, resident);
  }
  auto* const memory = static_cast<char*>(work.scratch.reserve(static_cast<std::size_t>(wanted(how.groups))));
  const Index barriers = lines(how.groups * Index{sizeof(unsigned)});
  check(cudaMemsetAsync(memory, 0, static_cast<std::size_t>(barriers), stream), "barriers of blocks");
  GroupCall<A, T> call = {there, method, {}, batch};
  std::copy_n(arguments, GroupCall<A, T>::count, call.arguments);
  call.scratch = reinterpret_cast<T*>(memory + barriers);
  call.apart = bytes / Index{sizeof(T)};
  call.barriers = reinterpret_cast<unsigned*>(memory);
  call.iterations = iterations;
  call.blocks = how.blocks;
  call.groups = how.groups;
  launch_groups(call, stream);
}

}  // namespace tandem::cuda
