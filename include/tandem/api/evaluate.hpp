// SPDX-License-Identifier: Apache-2.0
/// Every algorithm through one door: what the command line, the Python package and the tests run over.
#pragma once
#include <span>
#include <string_view>

#include "tandem/algorithms/arguments.hpp"
#include "tandem/api/workspace.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

/// One argument for a batch of states: the rows of a state lie side by side, state b begins at data + b * stride. Without
/// data it is left out.
template <class T>
struct Array {
  T* data = nullptr;
  Index stride = 0;
  /// Inputs are never written to.
  static Array input(const T* data, Index stride) { return {const_cast<T*>(data), stride}; }
  static Array output(T* data, Index stride) { return {data, stride}; }
};

/// One algorithm: its name ("inverse_dynamics"), its arguments in order, the options it reads, and how to run it.
struct Algorithm {
  const char* name;
  const char* summary;
  std::span<const Argument> arguments;
  bool reads_frame, reads_reference, reads_method;

  template <class T>
  struct Run {
    Index (*work_rows)(const ModelView<T>&, const Options&);
    void (*batch)(const ModelView<T>&, const Options&, const Array<T>* arguments, Index begin, Index end, T* work);
  };
  Run<double> run_double;
  Run<float> run_float;
};

/// All algorithms.
std::span<const Algorithm> algorithms();

/// An algorithm by name, with dashes or underscores, or by the alias rnea, crba or aba. Throws Error that lists the names.
const Algorithm& find_algorithm(std::string_view name);

/// Runs an algorithm over the states 0 .. batch - 1 with arguments in the order of its table. Throws Error if an argument
/// that is needed was left out, or an option names no frame of the model. T is double or float.
template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, Index batch,
              Workspace<T>& work, const Options& options = {});

/// "local", "world", "local_world_aligned" (dashes too) and back. Throws Error that lists the names.
Reference reference_from(std::string_view name);
const char* to_string(Reference reference);
/// "automatic", "articulated_body", "composite_rigid_body" (dashes too; aba, crba) and back. Throws Error.
Method method_from(std::string_view name);
const char* to_string(Method method);

}  // namespace tandem
