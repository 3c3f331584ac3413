// SPDX-License-Identifier: Apache-2.0
/// Every algorithm through one door: what the command line, the Python package and the tests run over.
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

/// One algorithm: its name ("inverse_dynamics"), its arguments in order, and the options it reads. A copy of an entry of
/// algorithms() serves like the entry; calls refuse what is none.
struct Algorithm {
  const char* name;                     ///< "inverse_dynamics"
  const char* alias;                    ///< what it is called elsewhere, or null: "rnea"
  const char* summary;                  ///< in a few words
  std::span<const Argument> arguments;  ///< in the order in which calls take them
  unsigned options;  ///< those that it reads, whatever the method, as bits of the table in options.hpp
  std::span<const Method>
      methods;  ///< that go over the links one after the other, `automatic` first; empty if there is
                ///< no choice. methods_of has those that divide the robot, too
  int id = -1;  ///< place in algorithms()
  bool inverts_mass_matrix = false;  ///< so that there is no result where it has no inverse

  /// Whether it reads an option, by name, whatever the method.
  bool reads(std::string_view option) const;
};

/// All algorithms.
std::span<const Algorithm> algorithms();

/// An algorithm by name, with dashes or underscores, or by its alias. Throws Error that lists the names.
const Algorithm& find_algorithm(std::string_view name);

/// Runs the algorithm of a plan over a batch of states, with arguments in the order of its table, on the device of the plan.
/// For a GPU arrays may lie on the host or there: those of the host go there and back in the call; if all lie there it
/// returns as soon as the work is on its way, see cuda::synchronise. The same state gives the same bits in any batch, at any
/// place in it, on any number of threads. Throws Error if an argument that is needed was left out, an output shares memory
/// with another argument, the batch contradicts itself, the workspace is in use by another call, or something is given that
/// the device does not take. T is double or float.
template <class T>
void evaluate(const Plan<T>& plan, std::type_identity_t<std::span<const Array<T>>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work);

/// The same without a plan at hand: where there is something to keep, the workspace keeps what was made for the last few
/// models and options. Throws Error for what a Plan throws, too.
template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const Options& options = {},
              const Device& device = {});

/// Instruction sets that this library has code for and this processor runs, the widest last.
std::vector<std::string> instruction_sets();
/// The one in use: the widest, or what the environment variable TANDEM_ISA names.
std::string instruction_set();
/// Another choice, for measurements and tests, not while calls are under way. Throws Error if the name is not one of those
/// that can be used.
void use_instruction_set(std::string_view name);

/// The methods an algorithm can be asked for, `automatic` first.
std::vector<Method> methods_of(const Algorithm& algorithm);
/// The options that a method of the algorithm reads, as bits; none if the algorithm does not have the method.
unsigned options_of(const Algorithm& algorithm, Method method);
/// Null if a method of the algorithm serves the model with these options; else why it does not, and which does. Throws Error
/// for an option that is no value of its kind.
const char* refusal(const Algorithm& algorithm, const Model& model, const Options& options);

}  // namespace tandem
