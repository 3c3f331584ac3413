// SPDX-License-Identifier: Apache-2.0
/// A method that the threads of a group of blocks execute for one state after another, as a template on ThreadBlock
/// (group_executor.hpp).
#pragma once
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "backends/cuda/column.hpp"
#include "backends/cuda/links/group_executor.hpp"
#include "tandem/detail/solve/block_conjugate_gradient.hpp"

namespace tandem::cuda {

/// A call of a method A, passed to the kernel by value. A has, as the methods of link_methods.hpp, Problem, work_rows
/// and body.
template <class A, class T>
struct GroupCall {
  static constexpr std::size_t count = std::size(A::Problem::arguments);
  ModelView<T> m;
  A method;
  Array<T> arguments[count];
  Index batch = 0;
  T* scratch = nullptr;  ///< [groups][apart]
  Index apart = 0;
  unsigned* barriers = nullptr;        ///< [groups], 0 at first
  std::int32_t* iterations = nullptr;  ///< [batch] steps, below 0 where they were not enough: -1 - steps; or null
  int blocks = 1;                      ///< of a group
  int groups = 1;
};

template <class ThreadBlock, class A, class T, std::size_t... k>
TANDEM_BLOCK void run_state(const GroupCall<A, T>& call, const GroupExecutor<ThreadBlock>& executor, Index b, T* work,
                            std::index_sequence<k...>) {
  const auto body = [&]() TANDEM_INLINE {
    return call.method.template body<T>(executor, call.m, column_of(call.arguments[k], b)..., work);
  };
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
  } else {
    const Iterations done = body();
    executor.on_one([&]() TANDEM_INLINE {
      const auto steps = static_cast<std::int32_t>(done.steps);
      if (call.iterations) call.iterations[b] = done.converged ? steps : -1 - steps;
    });
  }
}
template <class ThreadBlock, class A, class T>
TANDEM_BLOCK void run_group(const GroupCall<A, T>& call) {
  const int group = static_cast<int>(ThreadBlock::block()) / call.blocks;
  const GroupExecutor<ThreadBlock> executor(call.barriers + group, call.blocks,
                                            static_cast<int>(ThreadBlock::block()) % call.blocks);
  T* const work = call.scratch + group * call.apart;
  for (Index b = group; b < call.batch; b += call.groups) {
    run_state<ThreadBlock>(call, executor, b, work, std::make_index_sequence<GroupCall<A, T>::count>());
    executor.wait();
  }
}

}  // namespace tandem::cuda
