// SPDX-License-Identifier: Apache-2.0
/// Steps of robots whose accelerations are found for all of them at once, by whatever method: what a simulation lends
/// to the code that is compiled once for each instruction set. That has the text of a step; what it calls are functions
/// with numbers of any state.
#pragma once
#include <cassert>

#include "tandem/api/batch.hpp"
#include "tandem/controller.hpp"
#include "tandem/detail/simulation/step_rules.hpp"
#include "tandem/index.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

/// A part of a batch: robots first to first + n - 1.
struct BatchPart {
  Index first = 0, n = 0;
};

/// Rows of a part of a batch. A robot is named by its number in the batch, whichever part the rows are of: that of the
/// first is taken off here and nowhere else, so that no caller can add it to an address a second time.
template <class T>
class RobotRows {
 public:
  RobotRows() = default;
  /// Rows of neighbouring robots; `of_first` are those of robot part.first.
  RobotRows(T* of_first, Index stride, BatchPart part) : data_(of_first), stride_(stride), part_(part) {}
  /// The same rows for every robot of a part.
  static RobotRows same(T* rows, BatchPart part) { return {rows, 0, part}; }

  T* of(Index robot) const {
    assert(part_.first <= robot && robot < part_.first + part_.n);
    return data_ + (robot - part_.first) * stride_;
  }
  T* begin() const { return data_; }  ///< those of the first robot of the part
  Index stride() const { return stride_; }
  BatchPart part() const { return part_; }
  explicit operator bool() const { return data_ != nullptr; }
  operator RobotRows<const T>() const { return {data_, stride_, part_}; }

 private:
  T* data_ = nullptr;
  Index stride_ = 0;
  BatchPart part_;
};

/// Robots that make a step together.
template <class T>
class RobotsToStep {
 public:
  Index batch = 0;
  StepRules rules;
  T h = 0;
  const ModelView<T>* models = nullptr;       ///< [batch] with the joint forces of each
  RobotRows<T> q, v;                          ///< states, in place
  RobotRows<const T> tau;                     ///< joint forces, or null
  Controller<RobotRows<const T>> controller;  ///< or null
  RobotRows<T> stops;                         ///< [3][nv] as rollouts have them, in place; null with contacts
  RobotRows<T> energies;                      ///< [4], likewise
  bool has_wrenches = false, compensates = false;
  Status* converged = nullptr;  ///< [batch]: not_converged where an iteration ended short of its tolerance, else ok
  T* scratch = nullptr;         ///< as much as StepKernel says

  /// Accelerations of all at a time after the beginning of the step, in steps; diagonal may be null.
  virtual void accelerate(RobotRows<const T> at_q, RobotRows<const T> at_v, RobotRows<const T> forces,
                          RobotRows<const T> diagonal, RobotRows<T> a, double time) = 0;
  /// The same of the robots of a.part(), at rest and without weight.
  virtual void respond(RobotRows<const T> at_q, RobotRows<const T> forces, RobotRows<const T> diagonal,
                       RobotRows<T> a) = 0;
  /// Joint forces that hold the robots of forces.part() against the weight that the model has.
  virtual void compensate(RobotRows<const T> at_q, RobotRows<T> forces) = 0;
  /// Joint forces that the wrenches on the links of a robot amount to.
  virtual void push(Index robot, const T* at_q, T* pushed) = 0;
  virtual void energy(Index robot, const T* at_q, const T* at_v, T& kinetic, T& potential) = 0;

 protected:
  ~RobotsToStep() = default;
};

/// One step of all, on one instruction set.
template <class T>
struct StepKernel {
  Index (*scratch)(const ModelView<T>&, const StepRules&, Index batch);  ///< numbers
  void (*run)(RobotsToStep<T>&);
};
struct StepKernels {
  StepKernel<double> in_double;
  StepKernel<float> in_float;
};

}  // namespace tandem
