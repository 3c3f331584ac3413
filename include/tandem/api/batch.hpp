// SPDX-License-Identifier: Apache-2.0
/// Batches of states: their arrays, what becomes of each, what of the model differs from one to the next.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "tandem/arguments.hpp"

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

}  // namespace tandem
