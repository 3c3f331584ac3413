// SPDX-License-Identifier: Apache-2.0
/// What calls of one algorithm on one robot share, made once and used again and again.
///
///     const Plan<double> plan(robot, find_algorithm("forward_dynamics"), {.method = Method::scan, .chunk = 64});
///     evaluate(plan, arguments, batch, work);     // from any thread, each with a workspace of its own
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

/// Whether a function is assembled for the robot of a plan: recorded once as a straight line of operations and turned into
/// instructions of this processor, in a millisecond for an arm, or compiled for the GPU, in seconds. Calls go the way of every
/// robot until it is there. Results keep their bits, but for the sign of a zero.
enum class Specialise : unsigned char {
  automatic,  ///< in the background, where it can be done, once enough states have come for it to pay
  off,        ///< code that serves every robot
  on,         ///< in the background, from the start; an error where it cannot be done
  wait        ///< before the plan is used; an error where it cannot be done
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

/// How the calls of a plan run: by which code, with what was made for it beforehand.
template <class T>
struct Way {
  const Kernel<T>* kernel = nullptr;     ///< null on a GPU
  bool divides = false;                  ///< whether it shares one robot among threads
  Index scratch = 0;                     ///< numbers of scratch memory that a thread needs
  std::shared_ptr<const void> prepared;  ///< how the robot is cut, its numbers in order; on a GPU, its arrays there
  std::shared_ptr<Specialised<T>> specialised;  ///< what is assembled for the robot, or null
};

/// A model, an algorithm with its options, and a device: all that calls of evaluate() have in common, looked into,
/// decided, cut and laid out once. It serves any number of threads at a time, and copies share what it
/// holds. It is cheap to make but for methods that divide a robot, which lay out its numbers in the order in which
/// lanes read them, and for a GPU, where the arrays of the model are copied to. To move from one is to copy it: it stays what
/// it was. T is double or float.
///
/// A plan gives the same state the same bits in any batch, at any place in it, on any number of threads.
template <class T>
class Plan {
 public:
  /// Throws Error for an option that the method does not read, a frame that does not exist, a method that does not serve
  /// the model, a device that is not here or has no code for the algorithm, or if it is to be specialised and cannot be.
  Plan(const Model& model, const Algorithm& algorithm, const Options& options = {}, const Device& device = {},
       Specialise specialise = Specialise::automatic);
  Plan(const Plan&) = default;             ///< shares what it holds
  Plan& operator=(const Plan&) = default;  ///< the same

  const Model& model() const { return model_; }               ///< the robot
  const Algorithm& algorithm() const { return *algorithm_; }  ///< an entry of algorithms()
  /// With the method that was decided on; `automatic` where the algorithm has no methods.
  const Options& options() const { return options_; }
  const Device& device() const { return device_; }  ///< with its number, if it is a GPU
  const Way<T>& way() const { return way_; }        ///< how calls run

  /// Whether what was assembled for the robot is there, for calls that give all inputs that are needed and nothing else.
  bool specialised() const;
  /// What such calls are served by, in words: "instructions for this robot: 304 operations in 4 KiB, 8 states side by side", or
  /// "kernels for every robot" and why.
  std::string served_by() const;

 private:
  Model model_;
  const Algorithm* algorithm_;
  Options options_;
  Device device_;
  Way<T> way_;
};

}  // namespace tandem
