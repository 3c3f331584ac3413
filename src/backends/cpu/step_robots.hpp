// SPDX-License-Identifier: Apache-2.0
/// Steps of robots whose accelerations are found for all of them at once, by whatever method: what a simulation lends to the code
/// that is compiled once for each instruction set. That has the text of a step; what it calls are functions with numbers of
/// any state.
#pragma once
#include "tandem/api/batch.hpp"
#include "tandem/index.hpp"
#include "tandem/model/view.hpp"
#include "tandem/options.hpp"

namespace tandem {

/// Rows of neighbouring robots, or the same for all with a stride of 0.
template <class T>
struct RobotRows {
  T* data = nullptr;  ///< those of the first robot
  Index stride = 0;   ///< from robot to robot
  T* of(Index robot) const { return data + robot * stride; }
  operator RobotRows<const T>() const { return {data, stride}; }
};

/// Robots that make a step together.
template <class T>
class RobotsToStep {
 public:
  Index batch = 0;
  Options options;  ///< of the algorithm `step`
  T h = 0;
  const ModelView<T>* models = nullptr;  ///< [batch] with the joint forces of each
  RobotRows<T> q, v;                     ///< states, in place
  RobotRows<const T> tau;                ///< joint forces, or null
  RobotRows<const T> q_target, kp, kd;   ///< of a controller, or null
  RobotRows<T> stops;                    ///< [nv][3] as `step` has them, in place
  RobotRows<T> energies;                 ///< [4], likewise
  bool has_wrenches = false;
  Status* converged = nullptr;  ///< [batch]: not_converged where an iteration ended short of its tolerance, else ok
  T* scratch = nullptr;         ///< as much as StepKernel says

  /// Accelerations of all at a time after the beginning of the step, in steps; diagonal may be null.
  virtual void accelerate(RobotRows<const T> at_q, RobotRows<const T> at_v, RobotRows<const T> forces,
                          RobotRows<const T> diagonal, RobotRows<T> a, double time) = 0;
  /// The same of n robots at rest and without weight.
  virtual void respond(Index first, Index n, RobotRows<const T> at_q, RobotRows<const T> forces,
                       RobotRows<const T> diagonal, RobotRows<T> a) = 0;
  /// Joint forces that the wrenches on the links of a robot amount to.
  virtual void push(Index robot, const T* at_q, T* pushed) = 0;
  virtual void energy(Index robot, const T* at_q, const T* at_v, T& kinetic, T& potential) = 0;

 protected:
  ~RobotsToStep() = default;
};

/// One step of all, on one instruction set.
template <class T>
struct StepKernel {
  Index (*scratch)(const ModelView<T>&, const Options&, Index batch);  ///< numbers
  void (*run)(RobotsToStep<T>&);
};
struct StepKernels {
  StepKernel<double> in_double;
  StepKernel<float> in_float;
};

}  // namespace tandem
