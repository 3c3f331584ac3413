// SPDX-License-Identifier: Apache-2.0
/// Stepping one robot through time.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstdint>
#include <span>
#include <vector>

#include "tandem/api/functions.hpp"

namespace tandem {

enum class Integrator : unsigned char { semi_implicit_euler, rk4 };
template <>
struct NamesOf<Integrator> {
  static constexpr const char* kind = "integrator";
  static constexpr Named table[] = {
      {"semi_implicit_euler",
       "order 1; damping, friction, springs and the controller implicit: stiff ones stay stable"},
      {"rk4", "order 4, [Munthe-Kaas 1998] on the configuration manifold; all forces explicit"}};
};

/// tau = kp (q_target - q) - kd v, the difference taken on the configuration manifold. Empty q_target: no controller.
struct PdController {
  std::vector<double> q_target;  ///< [nq]
  std::vector<double> kp, kd;    ///< [nv] N m/rad|N/m, N m s/rad|N s/m; none negative
};

struct SimulationOptions {
  double dt = 1e-3;  ///< s
  Integrator integrator = Integrator::semi_implicit_euler;
  PdController controller = {};  ///< clipped to the joints' effort limits
  bool losses = true;            ///< whether joint damping and friction act (springs always do)
  Options dynamics = {};         ///< the method of forward dynamics, and what it is told
};

/// One robot in time: its state and the scratch memory of a step. T is double or float.
///
/// With h = dt, a step of semi_implicit_euler solves
///
///     (M + h D + h^2 K) a = tau - bias - D v - K (q - q_rest) - h K v,   v += h a,   q = q (+) h v
///
/// where D has joint damping, the controller's kd and friction / max(|v|, slip speed), and K has spring stiffness and
/// the controller's kp. Rows in which the controller would have to push harder than the joint's effort limit push
/// with that limit, add nothing to D and K, and the step is solved again. Position and velocity limits do not act.
///
/// Energy is accounted for: what damping and friction take (dissipated) and what joint forces and the controller give
/// (work) are summed up as the method applies them, so that
///
///     kinetic + potential + dissipated - work
///
/// stays what it was at the start but for the error of the method: order 4 in dt for rk4; order 1 for semi_implicit_euler,
/// which counts every force at the mean of the old and the new velocity, as the change of kinetic energy does, and whose
/// implicit springs lose a part (omega h)^2 / (1 + (omega h)^2) of an oscillation's energy in a step.
template <class T>
class Simulation {
 public:
  /// Starts at rest in the neutral configuration. Throws Error for options that do not fit the model, a method that does
  /// not serve it among them.
  explicit Simulation(Model model, SimulationOptions options = {});

  std::span<T> q() { return q_; }  ///< [nq], to read or to set
  std::span<T> v() { return v_; }  ///< [nv], to read or to set
  std::int64_t steps() const { return steps_; }
  double time() const { return static_cast<double>(steps_) * options_.dt; }  ///< s, since the start
  const Model& model() const { return model_; }

  double dissipated() const { return dissipated_; }  ///< J taken by joint damping and friction since the start
  double work() const { return work_done_; }         ///< J given by joint forces and the controller since the start

  /// One step of dt under joint forces tau [nv] (empty: none) on top of the controller, springs, damping and friction.
  void step(std::span<const T> tau = {});

  /// False once the state holds a number that is not finite.
  bool finite() const;

 private:
  void forces(const std::vector<T>& q, const std::vector<T>& v, std::span<const T> tau, T h);
  bool clip_controller(const std::vector<T>& v, T h);
  void accelerate(const std::vector<T>& q, const std::vector<T>& v, std::span<const T> tau, T h);
  T controller_push(std::size_t k, T speed, T h) const;
  void account(const std::vector<T>& v, std::span<const T> tau, T h, T weight);
  void step_semi_implicit(std::span<const T> tau);
  void step_rk4(std::span<const T> tau);

  Model model_;
  SimulationOptions options_;
  Plan<T> dynamics_;
  std::int64_t steps_ = 0;
  double dissipated_ = 0, work_done_ = 0;
  bool has_springs_ = false;
  std::vector<T> q_, v_, a_;
  std::vector<T> tau_, diagonal_;      // forces on the joints, and what is added to M for the next step
  std::vector<T> loss_;                // coefficient of damping and friction together
  std::vector<T> q_target_, kp_, kd_;  // controller
  std::vector<T> stretch_, error_,
      clipped_;  // of the springs; of the controller; its push where at the limit
  std::vector<T> u_, q_stage_, v_stage_, rate_, u_sum_,
      a_sum_;  // displacement within a step, and stages of rk4
  Workspace<T> work_;
};

}  // namespace tandem
