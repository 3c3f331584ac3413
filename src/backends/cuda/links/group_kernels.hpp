// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cuda/links/group.hpp"
#include "tandem/api/batch.hpp"

namespace tandem::cuda {

/// Threads of a block: 255 registers each.
inline constexpr int group_threads = 128;

/// Starts a kernel. Defined in group.cuh.
template <class A, class T>
void launch_groups(const GroupCall<A, T>& call, Stream stream);

/// Blocks of the kernel that the device in use works on at the same time.
template <class A, class T>
int blocks_at_a_time();

}  // namespace tandem::cuda
