// SPDX-License-Identifier: Apache-2.0
/// Kernels for the robot of a plan, that are compiled while those for every robot serve. Nothing in this is the
/// device's: tests compile and load as they like.
#pragma once
#include <array>
#include <atomic>
#include <functional>

#include "backends/cuda/generated/robot_kernels.hpp"
#include "core/kernel_cache.hpp"
#include "tandem/api/plan.hpp"

namespace tandem::cuda {

/// What was loaded of compiled kernels; a driver adds how to launch them.
struct LoadedKernels {
  virtual ~LoadedKernels() = default;
  KernelSource source;  ///< without its text
};

/// By what kernels come to be on a device.
struct Means {
  const Compiler* compiler = nullptr;
  Store store{""};
  int capability = 0;  ///< 10 major + minor
  std::function<std::unique_ptr<LoadedKernels>(const Image&)> load;
  ByLimbs by_limbs = ByLimbs::where_it_pays;
};

/// Kernels for every choice of optional arguments that calls give (core/kernel_cache.hpp).
template <class T>
class RobotKernelCache {
 public:
  /// With `wait` the kernels for calls that give what is needed and nothing else are there afterwards, with `on` they
  /// are on their way. Throws Error if one of these was asked for and cannot be.
  RobotKernelCache(const Algorithm& algorithm, const Model& model, const Options& options, Means means, Specialise how);
  ~RobotKernelCache() { stop_ = true; }  // and waits

  /// Those for a call of so many states, or null while there are none, or if gravity is no more what it was.
  const LoadedKernels* kernels_for(const Model& model, const Array<T>* arguments, Index states);
  /// Those for calls which give what is needed and nothing else, if they are there.
  const LoadedKernels* ready() const;
  /// In words, how such calls are served.
  std::string told() const;

  /// What keeps a robot from kernels of its own; empty if nothing does.
  static std::string why_not(const Model& model, const Compiler* compiler);

 private:
  // a bit for each argument that is there, and one that there are any
  using Given = typename KernelCache<LoadedKernels, Model>::Given;

  std::unique_ptr<const LoadedKernels> make(Given given, const Model& model) const;

  Algorithm algorithm_;
  Options options_;
  Means means_;
  std::array<double, 6> base_acceleration_;
  std::atomic<bool> stop_ = false;
  KernelCache<LoadedKernels, Model> kernels_;  // the first is that of calls which give what is needed
};

}  // namespace tandem::cuda
