// SPDX-License-Identifier: Apache-2.0
/// Batches of states: their arrays, what becomes of each, what of the model differs from one to the next.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <span>
#include <string_view>

#include "tandem/arguments.hpp"

struct CUstream_st;

namespace tandem {

/// A stream of the CUDA runtime (cudaStream_t); null is the default one.
using Stream = CUstream_st*;

/// Where a call is computed. Without a number a GPU is the one in use, the one that cudaSetDevice chose.
struct Device {
  /// What computes.
  enum Kind : unsigned char {
    cpu,  ///< the processor
    cuda  ///< an NVIDIA GPU
  };
  Kind kind = cpu;   ///< what computes
  int ordinal = -1;  ///< number of a GPU
  /// Whether both are the same, the one in use being another than a number.
  friend bool operator==(const Device&, const Device&) = default;
};

/// Where an array lies: in the memory of the host, or of the GPU that the call is for.
enum class Place : unsigned char {
  host,   ///< the processor's memory
  device  ///< the GPU's
};

/// One argument for a batch of states: row k of state b is data[b * stride + k * row_stride]. Arrays [batch][row] have a
/// row_stride of 1, arrays [row][batch] a stride of 1; both may have gaps. An input of stride 0 is one state that stands
/// for all. Without data the argument is left out.
template <class T>
struct Array {
  T* data = nullptr;          ///< row 0 of state 0, or null
  Index stride = 0;           ///< from one state to the next
  Index row_stride = 1;       ///< from one row to the next
  Place place = Place::host;  ///< whose memory it is
  /// Inputs are never written to.
  static Array input(const T* data, Index stride, Index row_stride = 1) {
    return {const_cast<T*>(data), stride, row_stride};
  }
  /// What is written to.
  static Array output(T* data, Index stride, Index row_stride = 1) { return {data, stride, row_stride}; }
};

/// What became of one state of a batch. A bad state never touches its neighbours.
enum class Status : std::uint8_t {
  ok,               ///< the results are right
  limit,            ///< a position, velocity or joint force lies outside the limits; the results are right
  non_finite,       ///< an input or a parameter is NaN or infinite
  singular,         ///< the mass matrix has no inverse there
  not_converged,    ///< an iteration stopped short of its tolerance; the results are as far as it came
  overflow,         ///< a result, or a number on the way to it, is too large to write down
  underflow,        ///< the mass matrix has an inverse, but numbers too small to compute it with
  zero_quaternion,  ///< a quaternion of the configuration is zero, which is no rotation
  diverged          ///< a rollout left reason; the results are those of the last step before that
};
template <>
struct NamesOf<Status> {
  static constexpr const char* kind = "status";
  static constexpr Named table[] = {
      {"ok", "the results are valid"},
      {"limit", "a position, velocity or joint torque is outside its limits; the results are valid"},
      {"non_finite", "an input or a parameter is NaN or infinite"},
      {"singular", "the mass matrix is singular"},
      {"not_converged", "an iteration did not reach its tolerance; the results are those of its last step"},
      {"overflow", "a result or an intermediate number is too large"},
      {"underflow", "the numbers of the mass matrix are too small to invert it"},
      {"zero_quaternion", "a quaternion of the configuration is zero"},
      {"diverged", "a rollout diverged; the results are those of its last valid step"}};
};
/// How many statuses there are.
inline constexpr int n_statuses = static_cast<int>(std::size(NamesOf<Status>::table));

/// What of a model may differ from state to state.
enum class Parameter : std::uint8_t {
  mass,       ///< masses of the links
  com,        ///< centres of mass, in the frames of the links
  inertia,    ///< inertias xx xy xz yy yz zz about the centres of mass, along the axes of the links
  armature,   ///< rotor inertias
  damping,    ///< viscous damping
  friction,   ///< Coulomb friction
  stiffness,  ///< stiffness of the springs
  gravity     ///< gravity along the axes of the base
};
template <>
struct NamesOf<Parameter> {
  static constexpr const char* kind = "parameter";
  static constexpr Argument table[] = {
      {"mass", Rows::link, Role::input, "kg", "masses of the links"},
      {"com", Rows::link_point, Role::input, "m", "centers of mass, in the frames of the links"},
      {"inertia", Rows::link_inertia, Role::input, "kg m^2",
       "inertias xx xy xz yy yz zz about the centers of mass, along the axes of the links"},
      {"armature", Rows::v, Role::input, "kg m^2|kg", "rotor inertias"},
      {"damping", Rows::v, Role::input, "N m s/rad|N s/m", "viscous damping"},
      {"friction", Rows::v, Role::input, "N m|N", "Coulomb friction"},
      {"stiffness", Rows::v, Role::input, "N m/rad|N/m", "stiffness of the springs"},
      {"gravity", Rows::point, Role::input, "m/s^2", "gravity along the axes of the base"},
  };
};
/// The table of parameters.
inline constexpr std::span<const Argument> parameters() { return NamesOf<Parameter>::table; }
/// How many parameters there are.
inline constexpr int n_parameters = static_cast<int>(std::size(NamesOf<Parameter>::table));

/// Values of a parameter for every state of a batch.
template <class T>
struct BatchedParameter {
  Parameter parameter;  ///< which
  Array<T> values;      ///< its rows for every state
};

/// How many states, on how many threads, and what is reported of each. Threads are for the processor alone, the stream for a
/// GPU; a call that is given what its device does not take throws Error.
template <class T>
struct Batch {
  Index size = 1;                    ///< states
  int threads = 0;                   ///< 0: all cores; small batches stay on the calling thread
  std::span<Status> status;          ///< [size], or empty where nobody asks
  Place status_place = Place::host;  ///< on a GPU it may lie there, too: the call then need not wait for it
  /// Of the model, for every state: masses, inertias, friction ... Link parameters are given along the axes of the described
  /// link frames; those not given are the model's. What the algorithm does not depend on changes nothing. Calls that are
  /// given some go by a method of the algorithm's own. Masses, armatures, damping, friction or stiffness below 0 are refused.
  std::span<const BatchedParameter<T>> parameters;
  Stream stream = nullptr;  ///< that a GPU works on
  /// [size], or empty where nobody asks: steps that a method which iterates took for each state; 0 of other methods.
  std::span<std::int32_t> iterations;
  /// [size][n_links][6], or empty: where a method that iterates begins, zeros being its own guess; overwritten by where it
  /// ended, which is a good guess for a state nearby. Numbers of the method: of conjugate gradients, for link i, the forces
  /// that its joint holds in axes of its own. For the processor alone; methods that do not iterate refuse it.
  std::span<T> guess;

  /// Of n states.
  Batch(Index n) : size(n) {}
  /// Of n states, with more said of them.
  Batch(Index n, int n_threads, std::span<Status> status_of = {}, std::span<const BatchedParameter<T>> varied = {})
      : size(n), threads(n_threads), status(status_of), parameters(varied) {}
};

}  // namespace tandem
