// SPDX-License-Identifier: Apache-2.0
/// Kernels of an algorithm for one robot: their text, and what a compiler makes of it.
#pragma once
#include <cstdint>
#include <string>

#include "backends/cuda/generated/compiler.hpp"
#include "core/store.hpp"
#include "tracing/record.hpp"

namespace tandem::cuda {

/// What is to be compiled.
struct KernelSource {
  std::string text;
  bool has_straight = false;   ///< kernel `tandem_kernel`: a thread a state
  std::int32_t teams = 0;      ///< warps of a block of `tandem_kernel_by_limbs`, which has 32 states; 0: there is none
  std::size_t operations = 0;  ///< of a state
};
inline constexpr const char* straight_name = "tandem_kernel";
inline constexpr const char* by_limbs_name = "tandem_kernel_by_limbs";

/// Robots of more links have no kernels of their own: compilers take minutes for such long lines, and GPUs read them
/// slowly.
inline constexpr int most_links_of_kernels = 100;

/// Whether a warp has a limb of the robot, or a thread a state: where it pays, or, to find out where that is, nowhere
/// and wherever it can be.
enum class ByLimbs { where_it_pays, never, always };

/// The kernels of a robot, for calls that give the named optional arguments and all that is needed. T is double or
/// float.
template <class T>
KernelSource kernel_source(const Algorithm& algorithm, const Model& model, const Options& options,
                           const std::vector<std::string>& optional, ByLimbs by_limbs = ByLimbs::where_it_pays);

/// The code of a text for GPUs of a compute capability (10 major + minor), from the store if it is there. Throws Error
/// as the compiler does.
Image kernel_code(const Compiler& compiler, const Store& store, const std::string& text, int capability,
                  const std::atomic<bool>& stop);

/// Which kernel is launched for so many states, and by how many threads a block.
struct KernelLaunch {
  bool by_limbs = false;
  int threads = 0;
  std::int64_t blocks = 0;
};
KernelLaunch launch_for(const KernelSource& kernels, std::int64_t states, int multiprocessors);

}  // namespace tandem::cuda
