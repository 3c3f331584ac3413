// SPDX-License-Identifier: Apache-2.0
/// Plans: data that calls of one algorithm on one robot share, prepared once.
///
///     const Plan<double> plan(robot, find_algorithm("forward_dynamics"), {.method = Method::scan, .chunk = 64});
///     evaluate(plan, arguments, batch, work);     // from any thread, each with its own workspace
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <memory>
#include <string>

#include "tandem/api/batch.hpp"
#include "tandem/model/model.hpp"

namespace tandem {

struct Algorithm;
template <class T>
struct Kernel;
template <class T>
class Specialised;

/// Whether a function is compiled for the robot of a plan: it is traced once and compiled to machine code of this CPU,
/// in about a millisecond for an arm, or for the GPU, in seconds. Until then calls use generic kernels. Results are
/// bit-identical except for the sign of zero.
enum class Specialise : unsigned char {
  automatic,  ///< in the background, if supported, after as many states as make it worthwhile
  off,        ///< generic kernels
  on,         ///< in the background, immediately; an error if not supported
  wait        ///< before the plan is used; an error if not supported
};
template <>
struct NamesOf<Specialise> {
  static constexpr const char* kind = "value of specialise";
  static constexpr Named table[] = {
      {"automatic", "in the background, if supported, after as many states as make it worthwhile", "auto"},
      {"off", "generic kernels"},
      {"on", "in the background, immediately; an error if not supported"},
      {"wait", "before the plan is used; an error if not supported"}};
};

/// The code and the prepared data that calls of a plan use.
template <class T>
struct ExecutionPath {
  const Kernel<T>* kernel = nullptr;     ///< null on a GPU
  bool divides = false;                  ///< whether it divides one robot among threads
  Index scratch = 0;                     ///< size of the scratch memory of a thread, in numbers
  std::shared_ptr<const void> prepared;  ///< the divided robot, its data in order; on a GPU, its arrays
  std::shared_ptr<Specialised<T>> specialised;  ///< kernels compiled for the robot, or null
};

/// Deprecated name of ExecutionPath.
template <class T>
using Way [[deprecated("use ExecutionPath")]] = ExecutionPath<T>;

/// A model, an algorithm with its options, and a device: everything that calls of evaluate() share, checked and
/// prepared once. Any number of threads may use a plan at the same time, and copies share its
/// data. It is cheap to construct except for methods that divide a robot, which reorder its data for
/// SIMD lanes, and for a GPU, to which the arrays of the model are copied. Moving from a plan copies it.
/// T is double or float.
///
/// The results of a state are bit-identical in any batch, at any position in it, on any number of threads.
template <class T>
class Plan {
 public:
  /// Throws Error for an option that the method does not use, a frame that does not exist, a method that does not
  /// support the model, a device that is missing or has no code for the algorithm, or if specialise is on and not
  /// supported.
  Plan(const Model& model, const Algorithm& algorithm, const Options& options = {}, const Device& device = {},
       Specialise specialise = Specialise::automatic);
  Plan(const Plan&) = default;             ///< shares its data
  Plan& operator=(const Plan&) = default;  ///< the same

  const Model& model() const { return model_; }               ///< the robot
  const Algorithm& algorithm() const { return *algorithm_; }  ///< an entry of algorithms()
  /// Options with the selected method; `automatic` if the algorithm has no methods.
  const Options& options() const { return options_; }
  const Device& device() const { return device_; }  ///< with the ordinal, for a GPU
  const ExecutionPath<T>& execution_path() const { return path_; }  ///< how calls run
  /// Deprecated name of execution_path().
  [[deprecated("use execution_path()")]] const ExecutionPath<T>& way() const { return path_; }

  /// Whether the kernel compiled for the robot is ready, for calls with the required arguments only.
  bool specialised() const;
  /// Description of the kernel of such calls: "compiled for this robot: 304 operations in 4 KiB, 8 states per
  /// instruction", or "generic kernels" and the reason.
  std::string served_by() const;

 private:
  Model model_;
  const Algorithm* algorithm_;
  Options options_;
  Device device_;
  ExecutionPath<T> path_;
};

}  // namespace tandem
