// SPDX-License-Identifier: Apache-2.0
/// Batches of states: arrays, statuses, and parameters of the model for each state.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <span>
#include <string_view>

#include "tandem/arguments.hpp"

struct CUstream_st;

namespace tandem {

/// A stream of the CUDA runtime (cudaStream_t); null is the default stream.
using Stream = CUstream_st*;

/// The device of a call. Without an ordinal, the GPU is the current one (cudaSetDevice).
struct Device {
  /// Kinds of devices.
  enum Kind : unsigned char {
    cpu,  ///< the CPU
    cuda  ///< an NVIDIA GPU
  };
  Kind kind = cpu;   ///< CPU or GPU
  int ordinal = -1;  ///< number of a GPU; -1: the current one
  /// Equality of kind and ordinal; the current GPU differs from one given by number.
  friend bool operator==(const Device&, const Device&) = default;
};

/// Memory space of an array: the host, or the GPU of the call.
enum class Place : unsigned char {
  host,   ///< host memory
  device  ///< GPU memory
};

/// One argument for a batch of states: row k of state b is data[b * stride + k * row_stride]. Arrays [batch][row] have
/// a row_stride of 1, arrays [row][batch] a stride of 1; both may have gaps. An input of stride 0 is shared by all
/// states. Without data the argument is omitted.
template <class T>
struct Array {
  T* data = nullptr;          ///< row 0 of state 0, or null
  Index stride = 0;           ///< from one state to the next
  Index row_stride = 1;       ///< from one row to the next
  Place place = Place::host;  ///< memory space
  /// For an input, which is never written.
  static Array input(const T* data, Index stride, Index row_stride = 1) {
    return {const_cast<T*>(data), stride, row_stride};
  }
  /// For an output.
  static Array output(T* data, Index stride, Index row_stride = 1) { return {data, stride, row_stride}; }
};

/// Status of one state of a batch. An invalid state does not affect the others.
enum class Status : std::uint8_t {
  ok,               ///< the results are valid
  limit,            ///< a position, velocity or joint torque is outside its limits; the results are valid
  non_finite,       ///< an input or a parameter is NaN or infinite
  singular,         ///< the mass matrix is singular
  not_converged,    ///< an iteration did not reach its tolerance; the results are those of its last step
  overflow,         ///< a result or an intermediate number is too large
  underflow,        ///< the numbers of the mass matrix are too small to invert it
  zero_quaternion,  ///< a quaternion of the configuration is zero
  diverged          ///< a rollout diverged; the results are those of its last valid step
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
/// Number of statuses.
inline constexpr int n_statuses = static_cast<int>(std::size(NamesOf<Status>::table));

/// Parameters of a model that may differ between states.
enum class Parameter : std::uint8_t {
  mass,       ///< masses of the links
  com,        ///< centers of mass, in the frames of the links
  inertia,    ///< inertias xx xy xz yy yz zz about the centers of mass, along the axes of the links
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
/// Number of parameters.
inline constexpr int n_parameters = static_cast<int>(std::size(NamesOf<Parameter>::table));

/// Values of a parameter for every state of a batch.
template <class T>
struct BatchedParameter {
  Parameter parameter;  ///< the parameter
  Array<T> values;      ///< its values for every state
};

/// Size of a batch, number of threads, and outputs for each state. Threads require the CPU, the stream a GPU;
/// otherwise the call throws Error.
template <class T>
struct Batch {
  Index size = 1;                    ///< number of states
  int threads = 0;                   ///< 0: all cores; small batches stay on the calling thread
  std::span<Status> status;          ///< [size], or empty
  Place status_place = Place::host;  ///< may be device memory for a GPU: then the call is asynchronous
  /// Parameters of the model for every state: masses, inertias, friction ... Link parameters are along the axes of the
  /// described link frames; others are those of the model. Parameters that do not affect the algorithm are ignored.
  /// Calls with parameters use a serial method. Negative masses, armatures, damping, friction or stiffness are errors.
  std::span<const BatchedParameter<T>> parameters;
  Stream stream = nullptr;  ///< stream of a GPU
  /// [size], or empty: number of iterations for each state; 0 for methods that do not iterate.
  std::span<std::int32_t> iterations;
  /// [size][n_links][6], or empty: initial guess of an iterative method (zeros: its default); receives the solution,
  /// which is a good guess for a nearby state. The values depend on the method: for conjugate gradients, the constraint
  /// forces of the joint of link i in its own axes. CPU only; an error for methods that do not iterate.
  std::span<T> guess;

  /// A batch of n states.
  Batch(Index n) : size(n) {}
  /// A batch of n states with further fields.
  Batch(Index n, int n_threads, std::span<Status> status_of = {}, std::span<const BatchedParameter<T>> varied = {})
      : size(n), threads(n_threads), status(status_of), parameters(varied) {}
};

}  // namespace tandem
