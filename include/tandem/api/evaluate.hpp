// SPDX-License-Identifier: Apache-2.0
/// One function for all algorithms, used by the command line, the Python package and the tests.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tandem/api/batch.hpp"
#include "tandem/api/plan.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// One algorithm: its name ("inverse_dynamics"), its arguments in order, and its options. A copy of an entry of
/// algorithms() is equivalent to the entry; calls throw Error for anything else.
struct Algorithm {
  const char* name;                     ///< "inverse_dynamics"
  const char* alias;                    ///< another name, or null: "rnea"
  const char* summary;                  ///< in a few words
  std::span<const Argument> arguments;  ///< in the order in which calls take them
  unsigned options;  ///< options of all its methods, as bits of the table in options.hpp
  std::span<const Method>
      methods;  ///< serial methods, `automatic` first; empty if there is
                ///< no choice. See methods_of for those that divide the robot
  int id = -1;  ///< index in algorithms()
  bool inverts_mass_matrix = false;  ///< so that it fails if the mass matrix is singular

  /// Whether it uses an option, by name, with any method.
  bool reads(std::string_view option) const;
};

/// All algorithms.
std::span<const Algorithm> algorithms();

/// An algorithm by name, with dashes or underscores, or by its alias. Throws Error that lists the names.
const Algorithm& find_algorithm(std::string_view name);

/// Evaluate the algorithm of a plan for a batch of states, with arguments in the order of its table, on the device of
/// the plan. For a GPU, arrays may be in host or device memory: host arrays are copied during the call; if all are in
/// device memory the call is asynchronous, see cuda::synchronise. The results of a state are bit-identical in any
/// batch, at any position in it, on any number of threads. Throws Error if a required argument is missing, an output
/// shares memory with another argument, the batch is inconsistent, the workspace is in use by another call, or an
/// argument is not supported by the device. T is double or float.
template <class T>
void evaluate(const Plan<T>& plan, std::type_identity_t<std::span<const Array<T>>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work);

/// The same without a plan: the workspace caches plans of the last few
/// models and options. Also throws Error as Plan does.
template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const Options& options = {},
              const Device& device = {});

/// Instruction sets of this library that the CPU supports, the widest last.
std::vector<std::string> instruction_sets();
/// The current one: the widest, or that of the environment variable TANDEM_ISA.
std::string instruction_set();
/// Select another one, for measurements and tests; not during calls. Throws Error if it is not one of
/// instruction_sets().
void use_instruction_set(std::string_view name);

/// The methods of an algorithm, `automatic` first.
std::vector<Method> methods_of(const Algorithm& algorithm);
/// The options that a method of the algorithm uses, as bits; none if the algorithm does not have the method.
unsigned options_of(const Algorithm& algorithm, Method method);
/// Null if a method of the algorithm supports the model with these options; else the reason and an alternative. Throws
/// Error for an invalid option.
const char* refusal(const Algorithm& algorithm, const Model& model, const Options& options);

}  // namespace tandem
