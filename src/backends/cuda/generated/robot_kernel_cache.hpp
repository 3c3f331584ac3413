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

/// Loaded kernels; a driver adds functions to launch them.
struct LoadedKernels {
  virtual ~LoadedKernels() = default;
  KernelSource source;  ///< without its text
};

/// Compiler, cache and loader of kernels.
struct Means {
  const Compiler* compiler = nullptr;
  Store store{""};
  int capability = 0;  ///< 10 major + minor
  std::function<std::unique_ptr<LoadedKernels>(const Image&)> load;
  ByLimbs by_limbs = ByLimbs::where_it_pays;
};

/// Kernels compiled for a robot, one for every set of optional arguments of calls (core/kernel_cache.hpp).
template <class T>
class RobotKernelCache {
 public:
  /// With `wait` the kernels for calls with the required arguments are ready afterwards; with `on` they are being
  /// compiled. Throws Error if this is not supported.
  RobotKernelCache(const Algorithm& algorithm, const Model& model, const Options& options, Means means, Specialise how);
  ~RobotKernelCache() { stop_ = true; }  // the member destructors wait

  /// Kernels for a call of `states` states; null if they are not ready, or if gravity has changed.
  const LoadedKernels* kernels_for(const Model& model, const Array<T>* arguments, Index states);
  /// Kernels for calls with the required arguments only, or null.
  const LoadedKernels* ready() const;
  /// Description of the kernels of such calls, see Plan::served_by.
  std::string description() const;

  /// Why kernels cannot be compiled for a robot; empty if they can.
  static std::string why_not(const Model& model, const Compiler* compiler);

 private:
  std::unique_ptr<const LoadedKernels> make(ArgumentMask mask, const Model& model) const;

  Algorithm algorithm_;
  Options options_;
  Means means_;
  std::array<double, 6> base_acceleration_;
  std::atomic<bool> stop_ = false;
  KernelCache<LoadedKernels, Model> kernels_;  // the first is that of the required arguments
};

}  // namespace tandem::cuda
