// SPDX-License-Identifier: Apache-2.0
/// What drives the joints: given forces, what compensates gravity, and the controller, within the limits of effort.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/detail/problems/bias_forces.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

/// Numbers for every instance, or one set that holds for all.
template <class T>
void Drive<T>::prepare() {
  if (!s.options.controller.acts()) return;
  for_each_controller_input(
      [&](const Argument& input, const std::vector<double>& from, std::vector<T>& to) {
        const std::size_t rows = s.rows_of(input);
        if (from.size() != rows && from.size() != to.size())
          throw Error(sentence("simulation: controller.", input.name, " has ", from.size(), " numbers, expected ", rows,
                               s.batch > 1 ? sentence(", or ", s.batch, " times as many") : std::string()));
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = static_cast<T>(from[from.size() == rows ? k % rows : k]);
      },
      s.options.controller, s.controller);
  check();
  s.controller_seen = s.controller;
}

/// Joints that bear no effort have no gains.
template <class T>
void Drive<T>::check() {
  for_each_controller_input(
      [&](const Argument& input, std::vector<T>& values) {
        const bool is_gain = input.rows != Rows::q;
        const std::size_t rows = s.rows_of(input);
        const T* const limit = s.model.template view<T>().tau_limit;
        for (std::size_t k = 0; k < values.size(); ++k) {
          if (!std::isfinite(values[k]) || (is_gain && values[k] < 0)) {
            const std::string where = s.of_instance(static_cast<Index>(k / rows));
            throw Error(
                is_gain ? sentence("simulation: controller.", input.name, " has ", double{values[k]}, where,
                                   ", expected finite non-negative numbers")
                        : sentence("simulation: controller.", input.name, " has a number that is not finite", where));
          }
          if (is_gain && limit[k % rows] == T(0)) values[k] = 0;
        }
      },
      s.controller);
}

/// error: how far targets are from q, of all instances.
template <class T>
void Drive<T>::distance_to_target(const T* q) {
  const std::vector<T>& target = s.controller.q_target;
  if (s.batch == 1) return difference<T>(s.model, {q, s.nq}, target, s.error, s.work);
  static const Algorithm& algorithm = find_algorithm(Difference::name);
  const auto nq = static_cast<Index>(s.nq);
  const Array<T> arguments[] = {Array<T>::input(q, nq), Array<T>::input(target.data(), nq),
                                Array<T>::output(s.error.data(), static_cast<Index>(s.nv))};
  evaluate<T>(algorithm, s.model, arguments, Batch<T>(s.batch, s.options.threads), s.work);
}

/// J that the springs of the controller store in error.
template <class T>
double Drive<T>::controller_energy(Index instance) const {
  double energy = 0;
  const std::size_t iv = static_cast<std::size_t>(instance) * s.nv;
  for (std::size_t k = iv; !s.error.empty() && k < iv + s.nv; ++k)
    energy += double{s.controller.kp[k]} / 2 * double{s.error[k]} * double{s.error[k]};
  return energy;
}

/// Before a step: a target or a gain that was set since the last one counts as energy given, by what its springs then
/// store more.
template <class T>
void Drive<T>::begin() {
  if (s.controller == s.controller_seen) return;
  check();
  std::vector<double>& before = s.driven;  // which the step begins anew
  std::swap(s.controller, s.controller_seen);
  distance_to_target(s.q.data());
  for (Index b = 0; b < s.batch; ++b) before[static_cast<std::size_t>(b)] = controller_energy(b);
  std::swap(s.controller, s.controller_seen);
  distance_to_target(s.q.data());
  for (Index b = 0; b < s.batch; ++b) {
    const auto i = static_cast<std::size_t>(b);
    s.watched[i].given += std::max(0.0, controller_energy(b) - before[i]);
  }
  s.controller_seen = s.controller;
}

/// Whether what compensates gravity changes within a step: integrators with stages ask for it where they are.
template <class T>
bool Drive<T>::compensates_in_stages() const {
  return s.options.gravity_compensation && s.options.integrator != Integrator::semi_implicit_euler;
}
/// Joint forces that hold instances against the weight that the model has.
template <class T>
void Drive<T>::compensate(const RobotRows<const T>& q, const RobotRows<T>& forces) {
  static const Algorithm& algorithm = find_algorithm(GravityForces::name);
  const BatchPart part = forces.part();
  const Array<T> arguments[] = {input(q, part), output(forces, part)};
  evaluate<T>(algorithm, s.model, arguments, Batch<T>(part.n, s.options.threads), s.work);
}

/// The joint forces of a step, which the step clips to effort limits: with what compensates gravity, unless that
/// changes within the step.
template <class T>
std::span<const T> Drive<T>::forces(std::span<const T> tau) {
  if (!s.options.gravity_compensation || compensates_in_stages()) return tau;
  s.drive.resize(s.v.size());
  const BatchPart whole = {0, s.batch};
  compensate({s.q.data(), static_cast<Index>(s.nq), whole}, {s.drive.data(), static_cast<Index>(s.nv), whole});
  for (std::size_t k = 0; k < s.drive.size() && !tau.empty(); ++k) s.drive[k] += tau[tau.size() > s.nv ? k : k % s.nv];
  return s.drive;
}

template struct Drive<double>;
template struct Drive<float>;

}  // namespace tandem::simulation_detail
