// SPDX-License-Identifier: Apache-2.0
/// The algorithm of a plan assembled for its robot.
#pragma once
#include <string>

#include "backends/cpu/assembled.hpp"
#include "backends/cpu/link_kernels.hpp"
#include "core/kernel_cache.hpp"
#include "tandem/api/plan.hpp"

namespace tandem {

/// Whether code for one robot replaces lanes in plans with `specialise` automatic: always if it fits a cache of 32 KiB
/// of instructions, else if at most half of its operations spill to memory. All functions measured for arms and
/// humanoids pay, mass matrices with 35 rows and columns too.
constexpr bool pays(std::size_t bytes, std::int32_t spilled, std::size_t operations) {
  return bytes <= 32768 || 2 * static_cast<std::size_t>(spilled) <= operations;
}

/// Why an algorithm is not assembled for a robot; empty if it can be.
template <class T>
std::string why_not_specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                                const ExecutionPath<T>& ordinary);

/// Straight lines of instructions, one for every choice of arguments and parameters that calls give
/// (core/kernel_cache.hpp). Meanwhile calls go the ordinary path. Results have the bits of that path, but for the sign
/// of a zero.
template <class T>
class Specialised {
 public:
  /// With `wait` the line for calls that give what is needed and nothing else is there afterwards, and the first call
  /// of another choice waits for its line; with `on` it is on its path. Throws Error if one of these was asked for and
  /// it cannot be.
  Specialised(const Algorithm& algorithm, const Model& model, const Options& options, const ExecutionPath<T>& ordinary,
              Specialise how);

  /// The line for a call of that many states, or null if it goes the ordinary path.
  const Assembled<T>* line_for(const Model& model, const Call<T>& call, Index states);
  /// Whether the line for such a call is on its path.
  bool is_coming(const Call<T>& call) { return kernels_.is_on_its_way(given_in(call)); }

  /// That for calls which give what is needed and nothing else, if it is there.
  const Assembled<T>* ready() const;
  /// In words, how such calls are served.
  std::string told() const;

 private:
  // a bit for each argument that is there, for each parameter, and one that there are any
  using Given = typename KernelCache<Assembled<T>, Model>::Given;
  static constexpr std::size_t first_parameter = 32;

  /// Whether the ordinary way has states side by side.
  bool has_lanes() const { return ordinary_->lanes > 1; }
  Given given_in(const Call<T>& call) const;
  std::unique_ptr<const Assembled<T>> make(Given given, const Model& model) const;
  Assembled<T> assembled(Given given, const Model& model) const;

  const Algorithm& algorithm_;
  Options options_;
  const KernelTables& tables_;
  const Kernel<T>* ordinary_;
  Registers registers_;
  bool asked_for_;
  Given needed_;
  KernelCache<Assembled<T>, Model> kernels_;  // the first is that of calls which give what is needed
};

/// For a path, or null if nothing is to be assembled. Throws as the constructor does.
template <class T>
std::shared_ptr<Specialised<T>> kernel_cache_of(const Algorithm& algorithm, const Model& model, const Options& options,
                                                const ExecutionPath<T>& ordinary, Specialise how);

/// "kernels for every robot" and more.
std::string ordinary_way(const std::string& more);

}  // namespace tandem
