// SPDX-License-Identifier: Apache-2.0
/// Steps of some instances without the others: they are brought into a simulation of as many, stepped there, and
/// brought back.
#include <algorithm>

#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

/// Steps of some instances, that begin after so many of the whole.
template <class T>
void Part<T>::step(std::span<const Index> instances, std::int64_t after, Index steps, std::span<const T> tau,
                   std::span<const T> f_ext) {
  const std::size_t tau_stride = tau.size() > s.nv ? s.nv : 0;
  const std::size_t wrenches = std::size_t{6} * static_cast<std::size_t>(s.model.n_links());
  const std::size_t f_stride = f_ext.size() > wrenches ? wrenches : 0;
  if (!s.part) s.part = new_part();
  const auto n = static_cast<Index>(instances.size());
  SimulationState<T>& part = *s.part;
  Part{part}.match(s, n);
  part.steps = after;
  part.numbers.clear();
  for (const Index b : instances) part.numbers.push_back(s.number_of(b));
  s.part_tau.resize(tau_stride * instances.size());
  s.part_f_ext.resize(f_stride * instances.size());
  for (Index k = 0; k < n; ++k) {
    const auto from = static_cast<std::size_t>(instances[static_cast<std::size_t>(k)]),
               to = static_cast<std::size_t>(k);
    Part{part}.take(s, from, to);
    std::copy_n(tau.begin() + static_cast<std::ptrdiff_t>(from * tau_stride), tau_stride,
                s.part_tau.data() + to * tau_stride);
    std::copy_n(f_ext.begin() + static_cast<std::ptrdiff_t>(from * f_stride), f_stride,
                s.part_f_ext.data() + to * f_stride);
  }
  s.begin();
  Steps{part}.run(steps, tau_stride > 0 ? s.part_tau : tau, f_stride > 0 ? s.part_f_ext : f_ext);
  for (std::size_t k = 0; k < instances.size(); ++k) Part{part}.carry(k, s, static_cast<std::size_t>(instances[k]));
}

/// A simulation of one instance, with the numbers of the first.
template <class T>
std::unique_ptr<SimulationState<T>> Part<T>::new_part() const {
  SimulationOptions options = s.options;
  options.batch = 1;
  options.specialise = Specialise::off;
  const auto first = [](const std::vector<T>& of, std::size_t n) {
    return std::vector<double>(of.begin(), of.begin() + static_cast<std::ptrdiff_t>(std::min(n, of.size())));
  };
  for_each_controller_input([&](const Argument& input, std::vector<double>& to,
                                const std::vector<T>& from) { to = first(from, s.rows_of(input)); },
                            options.controller, s.controller);
  for (std::size_t p = 0; p < s.parameters.size(); ++p)
    options.parameters[p].values = first(s.parameters[p], s.rows_of(p));
  auto part = std::make_unique<SimulationState<T>>(s.given, std::move(options));
  part->dynamics = s.dynamics;
  return part;
}

/// Room for n instances of another simulation, of the same model and options.
template <class T>
void Part<T>::match(const SimulationState<T>& whole, Index n) {
  s.batch = s.options.batch = n;
  for (std::size_t p = 0; p < s.parameters.size(); ++p) {
    if (whole.is_shared(p)) continue;
    s.parameters[p].resize(static_cast<std::size_t>(n) * s.rows_of(p));
    if (!whole.parameters_seen[p].empty()) s.parameters_seen[p].resize(s.parameters[p].size());
  }
  s.steps = whole.steps;
  s.steps_then = whole.steps_then;
  s.began = whole.began;
  s.has_begun = whole.has_begun;
  s.servo_damping.resize(whole.servo_damping.empty() ? 0 : static_cast<std::size_t>(n) * s.nv);
  s.make_room();
}

/// Instance `from` of the whole as the own instance `to`.
template <class T>
void Part<T>::take(SimulationState<T>& whole, std::size_t from, std::size_t to) {
  Part{whole}.carry(from, s, to);
  const InstanceCopy copy{whole.accounts.size(), from, to};
  copy(whole.controller, s.controller);
  for (std::size_t p = 0; p < s.parameters.size(); ++p)
    if (!whole.is_shared(p)) copy(whole.parameters[p], s.parameters[p]);
  copy(whole.servo_damping, s.servo_damping);
  s.has_begun = s.has_begun && s.accounts[to].steps > 0;
}

/// All that a step changes of an instance, to another simulation.
template <class T>
void Part<T>::carry(std::size_t from, SimulationState<T>& other, std::size_t to) const {
  const InstanceCopy copy{s.accounts.size(), from, to};
  for (const auto x :
       {&SimulationState<T>::q, &SimulationState<T>::v, &SimulationState<T>::q_seen, &SimulationState<T>::v_seen,
        &SimulationState<T>::kinetic, &SimulationState<T>::potential, &SimulationState<T>::stops})
    copy(s.*x, other.*x);
  copy(s.controller_seen, other.controller_seen);
  for (std::size_t p = 0; p < s.parameters.size(); ++p) copy(s.parameters_seen[p], other.parameters_seen[p]);
  copy(s.accounts, other.accounts);
  copy(s.watched, other.watched);
  copy(s.is_diverged, other.is_diverged);
  if (s.is_diverged[from]) other.divergences[to] = s.divergences[from];
  Contacts{s}.carry(copy, other);
}

template struct Part<double>;
template struct Part<float>;

}  // namespace tandem::simulation_detail
