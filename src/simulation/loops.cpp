// SPDX-License-Identifier: Apache-2.0
/// Closed loops of a simulation: states are led back onto them, before the first step and after every one.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/detail/problems/close_loops.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

/// Leads all states to the nearest with closed loops. apart: how far their frames then still are apart.
template <class T>
void Loops<T>::close() {
  static const Algorithm& algorithm = find_algorithm(CloseLoops::name);
  s.apart.resize(static_cast<std::size_t>(s.batch));
  const auto nq = static_cast<Index>(s.nq), nv = static_cast<Index>(s.nv);
  const Array<T> arguments[] = {Array<T>::input(s.q.data(), nq), Array<T>::input(s.v.data(), nv),
                                Array<T>::output(s.q.data(), nq), Array<T>::output(s.v.data(), nv),
                                Array<T>::output(s.apart.data(), 1)};
  s.with_parameters(0, true, [&](std::span<const BatchedParameter<T>> varied) {
    evaluate<T>(algorithm, s.model, arguments, Batch<T>(s.batch, s.options.threads, {}, varied), s.work);
  });
}

/// Whether steps keep the energy of loops that are closed after them, too.
template <class T>
bool Loops<T>::keeps_energy() const {
  const auto& m = s.model.template view<T>();
  return s.model.n_loops() > 0 && s.options.integrator == Integrator::implicit_midpoint &&
         m.base_acceleration[0] == T(0) && m.base_acceleration[1] == T(0) && m.base_acceleration[2] == T(0);
}
/// J of all instances before a step.
template <class T>
void Loops<T>::begin_energy() {
  if (!keeps_energy()) return;
  Watch{s}.measure(0, s.batch);
  s.energy_before.resize(static_cast<std::size_t>(s.batch));
  for (std::size_t i = 0; i < s.energy_before.size(); ++i)
    s.energy_before[i] = double{s.kinetic[i]} + double{s.potential[i]};
}
/// After it, with loops closed: velocities are scaled, which leaves loops closed, so that the kinetic energy is what is
/// left of the energy before and of what was given and taken. Where a robot comes to rest there is none to scale.
template <class T>
void Loops<T>::end_energy() {
  if (!keeps_energy()) return;
  constexpr double most = 0.01;  // of the kinetic energy, that a step may be amiss by
  Watch{s}.measure(0, s.batch);
  s.for_each_instance([&](Index b, std::size_t, std::size_t iv) {
    const auto i = static_cast<std::size_t>(b);
    const T* const e = s.energies.data() + 4 * i;
    const double kinetic = s.kinetic[i],
                 left = s.energy_before[i] - double{s.potential[i]} - double{e[0]} + double{e[2]} + double{e[3]};
    if (!(std::abs(left - kinetic) < most * kinetic)) return;
    const T scale = static_cast<T>(std::sqrt(left / kinetic));
    for (std::size_t k = 0; k < s.nv; ++k) s.v[iv + k] *= scale;
  });
}

/// False for NaN, too.
template <class T>
bool Loops<T>::is_closed(Index instance) const {
  return s.apart[static_cast<std::size_t>(instance)] <= T(CloseLoops::usual_tolerance<T>);
}

/// Before a step: states that were set, and are not the last ones of a step, must lead to closed loops.
template <class T>
void Loops<T>::begin() {
  if (s.model.n_loops() == 0 || (s.has_begun && s.q == s.q_seen && s.v == s.v_seen)) return;
  close();
  s.for_each_instance([&](Index b, std::size_t iq, std::size_t iv) {
    const auto finite = [](T x) { return std::isfinite(x); };
    if (is_closed(b) || !std::all_of(s.q.begin() + iq, s.q.begin() + iq + s.nq, finite) ||
        !std::all_of(s.v.begin() + iv, s.v.begin() + iv + s.nv, finite))
      return;
    throw Error(sentence("simulation: loops of ", element("robot", s.model.name()), " are open", s.of_instance(b),
                         ", and close_loops does not converge: frames of loop joints stay ",
                         rounded_text(double{s.apart[static_cast<std::size_t>(b)]}),
                         " m and rad apart; set a configuration with nearly closed loops"));
  });
}

template struct Loops<double>;
template struct Loops<float>;

}  // namespace tandem::simulation_detail
