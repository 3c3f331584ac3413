// SPDX-License-Identifier: Apache-2.0
/// JIT-compiled kernels of the algorithm of a plan for its robot.
#pragma once
#include <string>

#include "backends/cpu/assembled.hpp"
#include "backends/cpu/link_kernels.hpp"
#include "core/kernel_cache.hpp"
#include "tandem/api/plan.hpp"

namespace tandem {

/// Whether a compiled kernel replaces the generic one in plans with `specialise` automatic: if it fits an instruction
/// cache of 32 KiB, else if at most half of its operations spill to memory. All functions measured for arms and
/// humanoids do, including mass matrices with 35 rows.
constexpr bool pays(std::size_t bytes, std::int32_t spilled, std::size_t operations) {
  return bytes <= 32768 || 2 * static_cast<std::size_t>(spilled) <= operations;
}

/// Why an algorithm cannot be compiled for a robot; empty if it can.
template <class T>
std::string why_not_specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                                const ExecutionPath<T>& ordinary);

/// Compiled kernels of an algorithm, one for every set of arguments and parameters of calls (core/kernel_cache.hpp).
/// Until a kernel is ready, calls use the generic one. Results are bit-identical except for the sign of zero.
template <class T>
class Specialised {
 public:
  /// With `wait` the kernel for calls with the required arguments is ready afterwards, and the first call with another
  /// set waits for its kernel; with `on` it is being compiled. Throws Error if this is not supported.
  Specialised(const Algorithm& algorithm, const Model& model, const Options& options, const ExecutionPath<T>& ordinary,
              Specialise how);

  /// The kernel for a call of `states` states, or null if the call uses the generic one.
  const Assembled<T>* line_for(const Model& model, const Call<T>& call, Index states);
  /// Whether the kernel for such a call is being compiled.
  bool is_coming(const Call<T>& call) { return kernels_.is_on_its_way(mask_of(call)); }

  /// The kernel for calls with the required arguments only, or null.
  const Assembled<T>* ready() const;
  /// Description of the kernel of such calls, see Plan::served_by.
  std::string description() const;

 private:
  static constexpr std::size_t first_parameter = 32;  ///< bit of the first parameter in an ArgumentMask

  /// Whether the generic kernel computes several states in lanes.
  bool has_lanes() const { return ordinary_->lanes > 1; }
  ArgumentMask mask_of(const Call<T>& call) const;
  std::unique_ptr<const Assembled<T>> make(ArgumentMask mask, const Model& model) const;
  Assembled<T> assembled(ArgumentMask mask, const Model& model) const;

  const Algorithm& algorithm_;
  Options options_;
  const KernelTables& tables_;
  const Kernel<T>* ordinary_;
  Registers registers_;
  bool asked_for_;
  ArgumentMask needed_;
  KernelCache<Assembled<T>, Model> kernels_;  // the first is that of the required arguments
};

/// Kernels for an execution path, or null if none are compiled. Throws as the constructor does.
template <class T>
std::shared_ptr<Specialised<T>> kernel_cache_of(const Algorithm& algorithm, const Model& model, const Options& options,
                                                const ExecutionPath<T>& ordinary, Specialise how);

/// "generic kernels" and more.
std::string ordinary_way(const std::string& more);

}  // namespace tandem
