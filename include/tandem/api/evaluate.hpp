// SPDX-License-Identifier: Apache-2.0
/// Every algorithm through one door: what the command line, the Python package and the tests run over.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tandem/algorithms/arguments.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// One argument for a batch of states: row k of state b is data[b * stride + k * row_stride]. Arrays [batch][row] have a
/// row_stride of 1, arrays [row][batch] a stride of 1; both may have gaps. An input of stride 0 is one state that stands
/// for all. Without data the argument is left out.
template <class T>
struct Array {
  T* data = nullptr;
  Index stride = 0;
  Index row_stride = 1;
  /// Inputs are never written to.
  static Array input(const T* data, Index stride, Index row_stride = 1) {
    return {const_cast<T*>(data), stride, row_stride};
  }
  static Array output(T* data, Index stride, Index row_stride = 1) { return {data, stride, row_stride}; }
};

/// What became of one state of a batch. A bad state never touches its neighbours.
enum class Status : std::uint8_t {
  ok,
  limit,       ///< a position, velocity or joint force lies outside the robot's limits; the results are right
  non_finite,  ///< an input is NaN or infinite, or a result is too large to write down
  singular     ///< the inputs are finite, but there the mass matrix has no inverse
};
/// "ok", "limit", "non_finite", "singular".
const char* to_string(Status status);

/// What of a model may differ from state to state.
enum class Parameter : std::uint8_t { mass, com, inertia, armature, damping, friction, stiffness, gravity };
inline constexpr int n_parameters = 8;

/// Name, sizes, units and meaning of every parameter, in the order of the enumeration.
std::span<const Argument> parameters();
/// A parameter by its name. Throws Error that lists the names.
Parameter parameter_from(std::string_view name);

/// Values of a parameter for every state of a batch.
template <class T>
struct BatchedParameter {
  Parameter parameter;
  Array<T> values;
};

/// How many states, on how many threads, and what is reported of each.
template <class T>
struct Batch {
  Index size = 1;
  int threads = 0;           ///< 0: all cores; small batches stay on the calling thread
  std::span<Status> status;  ///< [size], or empty where nobody asks
  /// Of the model, for every state: masses, inertias, friction ... Link parameters are given along the axes of the described
  /// link frames; those not given are the model's. What the algorithm does not depend on changes nothing.
  std::span<const BatchedParameter<T>> parameters;

  Batch(Index n) : size(n) {}
  Batch(Index n, int n_threads, std::span<Status> status_of = {}, std::span<const BatchedParameter<T>> varied = {})
      : size(n), threads(n_threads), status(status_of), parameters(varied) {}
};

/// One algorithm: its name ("inverse_dynamics"), its arguments in order, and the options it reads.
struct Algorithm {
  const char* name;
  const char* summary;
  std::span<const Argument> arguments;
  bool reads_frame, reads_reference, reads_method;
  std::span<const Method> methods;  ///< of one pass over the links after the other; see methods_of for all
};

/// All algorithms.
std::span<const Algorithm> algorithms();

/// An algorithm by name, with dashes or underscores, or by the alias rnea, crba or aba. Throws Error that lists the names.
const Algorithm& find_algorithm(std::string_view name);

/// Runs an algorithm over a batch of states with arguments in the order of its table. The same state gives the same bits in
/// any batch, at any place in it, on any number of threads. Throws Error if an argument that is needed was left out, an
/// option names no frame of the model, or the batch contradicts itself. T is double or float.
template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
              const std::type_identity_t<Batch<T>>& batch, Workspace<T>& work, const Options& options = {});

/// Instruction sets that this library has code for and this processor runs, the widest last; what is in use; and another
/// choice, for measurements and tests. In use is the widest, or what the environment variable TANDEM_ISA names. Not to be
/// changed while calls are under way. Throws Error if the name is not one of those that can be used.
std::vector<std::string> instruction_sets();
std::string instruction_set();
void use_instruction_set(std::string_view name);

/// Names of options and back, with dashes or underscores: "local_world_aligned", "articulated_body" (or an alias: aba, crba,
/// rnea, jsiia, abia, cfa, dca, dcae), "cyclic_reduction" ... The functions from text throw Error that lists the names.
Reference reference_from(std::string_view name);
const char* to_string(Reference reference);
Method method_from(std::string_view name);
const char* to_string(Method method);
Solver solver_from(std::string_view name);
const char* to_string(Solver solver);
RightHandSide right_hand_side_from(std::string_view name);
const char* to_string(RightHandSide side);
Form form_from(std::string_view name);
const char* to_string(Form form);

/// The methods an algorithm can be asked for, `automatic` first.
std::vector<Method> methods_of(const Algorithm& algorithm);
/// Null if a method of the algorithm serves the model with these options; else why it does not, and which does.
const char* refusal(const Algorithm& algorithm, const Model& model, const Options& options);

}  // namespace tandem
