// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics by methods that divide one robot, each call watched, and how far it may be from the truth.
#pragma once
#include "links/link_call.hpp"
#include "support/roundings.hpp"
#include "tandem/detail/joint/joint.hpp"
#include "tandem/detail/spatial/body_mobility.hpp"

namespace tandem::test {

inline bool serves(const Options& options, const Model& model) {
  return refusal(find_algorithm("forward_dynamics"), model, options) == nullptr;
}

template <class T>
Vector forward_dynamics_by(const Options& options, const Model& model, const State& s, bool pushed = false,
                           const Vector& diagonal = {}, int threads = 1) {
  return call_method<T>("forward_dynamics", model, options, {s.q, s.v, s.tau, pushed ? s.f_ext : Vector(), diagonal},
                        threads);
}

/// How unequally links yield to forces: mobilities are inverse inertias, and where those of light links are added to
/// those of heavy ones, the digits of the heavy ones are lost. Turns count at a lever of a link's usual length.
inline double spread(const Model& model) {
  constexpr double lever = 0.1;
  const auto& m = model.view<double>();
  double most = 1, least = std::numeric_limits<double>::infinity();
  for (int i = 1; i < m.n_links; ++i) {
    const auto J = inverse(link_inertia<double>(m, i));
    most = std::max(most, J.per_mass + lever * lever * (J.K.xx + J.K.yy + J.K.zz));
    least = std::min(least, J.per_mass);
  }
  return most / least;
}
/// Too unequal for a precision: no digit is left.
template <class T>
bool is_hopeless(const Model& model) {
  return spread(model) * std::numeric_limits<T>::epsilon() > 0.1;
}

inline std::string describe(const Options& o) {
  const auto number = [](auto x) { return std::to_string(static_cast<int>(x)); };
  return std::string(to_string(o.method)) + ", solver " + number(o.solver) + ", right-hand side " +
         number(o.right_hand_side) + ", form " + number(o.form) + ", chunk " + std::to_string(o.chunk) + ", chunks " +
         std::to_string(o.chunks) + ", load ratio " + std::to_string(o.load_ratio);
}

/// f(options, case, state) for all cases that a method serves.
template <class F>
void wherever_served(const std::vector<Options>& methods, F&& f) {
  for (const Options& o : methods)
    for (const Case& c : cases()) {
      if (!serves(o, c.model)) continue;
      for (const State& s : states(c)) {
        SCOPED_TRACE(describe(o) + ", " + c.name + ", state " + std::to_string(s.seed));
        f(o, c, s);
      }
    }
}

/// Size of the joint force that a method's rounding leaves over: tau - ID(a), in units of eps times the forces that are
/// summed.
template <class T>
double left_over(const Model& model, const State& s, const Vector& a, bool pushed = false,
                 const Vector& diagonal = {}) {
  if (a.size() == 0) return 0;
  const Vector f_ext = pushed ? s.f_ext : Vector();
  const Vector rotor = diagonal.size() ? Vector(diagonal.cwiseProduct(a)) : Vector::Zero(a.size());
  const Vector tau = Robot<double>(model).inverse_dynamics(s.q, s.v, a, f_ext) + rotor;
  const double scale = scales(model, s.q, s.v, a, f_ext).force + s.tau.norm() + rotor.norm();
  const double error = (tau - s.tau).cwiseAbs().maxCoeff();
  return a.allFinite() ? error / (std::numeric_limits<T>::epsilon() * scale) : std::numeric_limits<double>::infinity();
}

}  // namespace tandem::test
