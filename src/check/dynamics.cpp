// SPDX-License-Identifier: Apache-2.0
/// Laws of forces, inertia and energy.
#include <algorithm>
#include <cmath>

#include "check/free_tree.hpp"
#include "check/state.hpp"
#include "core/at.hpp"
#include "tandem/detail/problems/energy.hpp"
#include "tandem/detail/problems/passive_forces.hpp"

namespace tandem::check_detail {
namespace {

template <class T>
void matrix_is_inverse_dynamics_of_unit_accelerations(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  const Matrices& m = *s.matrices;
  for (std::size_t j = 0; j < n; ++j) {
    const auto column = [&](const Numbers& of) { return Numbers(&of[j * n], &of[j * n] + n); };
    verdict.compare(column(m.M), column(m.columns), scaled(s.unit, column(m.column_sizes)));
  }
}

template <class T>
void matrix_is_symmetric_positive_definite(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  const Matrices& m = *s.matrices;
  Numbers upper, lower, allowed;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k <= j; ++k) {
      upper.push_back(m.columns[j * n + k]);
      lower.push_back(m.columns[k * n + j]);
      allowed.push_back(s.unit * (m.column_sizes[j * n + k] + m.column_sizes[k * n + j]));
    }
  verdict.compare(upper, lower, allowed);
  if (m.scaled.positive_definite()) return;
  std::string links;
  for (const int i : s.subject.unphysical)
    links += (links.empty() ? "\"" : "\", \"") + std::string(s.model().link_name(i));
  if (!links.empty())
    verdict.add_note("not positive definite: the description gives negative moments of inertia to " + links + "\"");
  else if (m.scaled.condition() * std::numeric_limits<double>::epsilon() > 1e-3)
    verdict.add_note("singular within rounding");
  else
    verdict.fail("not positive definite");
}

/// Kinetic and potential energy with their rates.
template <class T>
struct MovingEnergy {
  Dual<T> kinetic, potential;
  explicit MovingEnergy(State<T>& s) {
    const auto q = s.moving_configuration(), v = s.moving_velocity();
    run_body<Dual<T>>(Energy(), s.view(), q.data(), v.data(), &kinetic, &potential);
  }
};

template <class T>
void kinetic_energy_is_half_v_M_v(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  T kinetic = 0, potential = 0;
  energy<T>(s.model(), s.q_T, s.v_T, kinetic, potential, s.work);
  double expected = 0;
  for (std::size_t k = 0; k < n * n; ++k) expected += 0.5 * s.v[k / n] * s.matrices->M[k] * s.v[k % n];
  verdict.compare(kinetic, expected,
                  s.unit * product_size(s.v, force_sizes(s.subject.weightless, s.q, s.nothing, s.v)));
}

template <class T>
void power_is_rate_of_energy(State<T>& s, CheckVerdict& verdict) {
  const Numbers tau = s.inverse_dynamics(s.model(), s.v, s.a), springs = s.spring_forces();
  const MovingEnergy<T> energy(s);
  verdict.compare(double{energy.kinetic.rate} + double{energy.potential.rate},
                  product(tau, s.v) - product(springs, s.v),
                  s.unit * (product_size(s.v, force_sizes(s.model(), s.q, s.v, s.a)) + product_size(springs, s.v)));
}

template <class T>
void gravity_forces_are_gradient_of_potential(State<T>& s, CheckVerdict& verdict) {
  std::vector<T> tau(s.nv());
  gravity_forces<T>(s.model(), s.q_T, tau, s.work);
  const Numbers springs = s.spring_forces();
  verdict.compare(
      double{MovingEnergy<T>(s).potential.rate}, product(converted<double>(tau), s.v) - product(springs, s.v),
      s.unit * (product_size(s.v, force_sizes(s.model(), s.q, s.nothing, s.nothing)) + product_size(springs, s.v)));
}

template <class T>
void derivatives_of_energies_are_their_rates(State<T>& s, CheckVerdict& verdict) {
  std::vector<T> kinetic_by_q(s.nv()), kinetic_by_v(s.nv()), potential_by_q(s.nv());
  energy_derivatives<T>(s.model(), s.q_T, s.v_T, kinetic_by_q, kinetic_by_v, potential_by_q, s.work);
  const MovingEnergy<T> energy(s);
  const Numbers stiff = sum(and_more(s.spring_forces()),
                            converted<double>(std::vector<T>(s.view().stiffness, s.view().stiffness + s.nv())));
  const double faster = 1 + total(s.v), springs = product_size(s.v, stiff);
  verdict.compare(product(converted<double>(kinetic_by_q), s.v) + product(converted<double>(kinetic_by_v), s.a),
                  double{energy.kinetic.rate},
                  s.unit * faster * product_size(and_more(s.v), force_sizes(s.subject.weightless, s.q, s.v, s.a)));
  verdict.compare(product(converted<double>(potential_by_q), s.v), double{energy.potential.rate},
                  s.unit * (product_size(s.v, force_sizes(s.model(), s.q, s.nothing, s.nothing)) + faster * springs));
}

template <class T>
void derivatives_of_passive_forces_are_their_rates(State<T>& s, CheckVerdict& verdict) {
  const auto& m = s.view();
  std::vector<T> by_q(s.nv() * s.nv()), by_v(s.nv() * s.nv());
  passive_forces_derivatives<T>(s.model(), s.q_T, s.v_T, by_q, by_v, s.work);
  const auto q = s.moving_configuration(), v = s.moving_velocity();
  std::vector<Dual<T>> tau(s.nv());
  run_body<Dual<T>>(PassiveForces(), m, q.data(), v.data(), tau.data());
  Numbers allowed;
  for (std::size_t k = 0; k < s.nv(); ++k) {
    const double slow = std::max(std::abs(s.v[k]), PassiveForces::slip_speed);
    allowed.push_back(s.unit * ((1 + total(s.v)) * 10 * double{m.stiffness[k]} +
                                std::abs(s.a[k]) * (double{m.damping[k]} + double{m.friction[k]} * (1 + 1 / slow))));
  }
  verdict.compare(sum(times(by_q, s.v), times(by_v, s.a)), rates(tau), allowed);
}

template <class T>
void forces_on_links_enter_through_jacobians(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  Numbers expected = s.inverse_dynamics(s.model(), s.v, s.a);
  std::vector<T> J(6 * n);
  for (int i = 1; i < s.view().n_links; ++i) {
    const double* f = &s.f_ext[6 * at(i)];
    if (std::all_of(f, f + 6, [](double x) { return x == 0; })) continue;
    jacobian<T>(s.model(), s.q_T, i, Reference::local, J, s.work);
    for (std::size_t k = 0; k < 6 * n; ++k) expected[k % n] -= J[k] * f[k / n];
  }
  verdict.compare(s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext), expected,
                  scaled(s.unit, force_sizes(s.model(), s.q, s.v, s.a, s.f_ext)));
}

/// How far errors of the size of the terms may move the acceleration a that a method finds under tau; model is the
/// subject's or its weightless twin.
template <class T>
Numbers solution_errors(const State<T>& s, const Model& model, Method method, const Numbers& v, const Numbers& a,
                        const Numbers& tau, const Numbers& f_ext) {
  const ScaledMatrix& M = s.matrices->scaled;
  if (method == Method::composite_rigid_body)
    return M.through_inverse(sum(force_sizes(model, s.q, v, a, f_ext), M.factor_sizes(a)));
  if (s.view().n_mimic == 0) return M.through_inverse(force_sizes(model, s.q, v, a, f_ext));
  return free_tree_errors(model, s.q, v, tau, f_ext, dof_force_sizes(model, s.q, v, a, f_ext));
}

template <class T>
void inverse_matrix_undoes_matrix(State<T>& s, CheckVerdict& verdict) {
  std::vector<T> y(s.nv());
  const Numbers x = s.inverse_dynamics(s.subject.weightless, s.nothing, s.a);
  inverse_mass_matrix_product<T>(s.model(), s.q_T, converted<T>(x), y, s.work);
  const Numbers errors = solution_errors(s, s.subject.weightless, Method::articulated_body, s.nothing, s.a, x, {});
  verdict.compare(converted<double>(y), s.a, scaled(s.unit, errors));
}

template <class T>
void forward_undoes_inverse_dynamics(State<T>& s, CheckVerdict& verdict) {
  const Numbers tau = s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext);
  for (const Method method : {Method::articulated_body, Method::composite_rigid_body})
    verdict.compare(s.forward_dynamics(tau, method), s.a,
                    scaled(s.unit, solution_errors(s, s.model(), method, s.v, s.a, tau, s.f_ext)));
}

template <class T>
void methods_agree(State<T>& s, CheckVerdict& verdict) {
  const Numbers tau = s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext);
  const auto errors = [&](Method method) { return solution_errors(s, s.model(), method, s.v, s.a, tau, s.f_ext); };
  verdict.compare(s.forward_dynamics(tau, Method::composite_rigid_body),
                  s.forward_dynamics(tau, Method::articulated_body),
                  scaled(s.unit, sum(errors(Method::composite_rigid_body), errors(Method::articulated_body))));
}

/// In the state that float holds exactly, float is as far from double as its precision says.
template <class T>
void float_agrees_with_double(State<T>& s, CheckVerdict& verdict) {
  State<double> d(s.subject, 0, false);
  State<float> f(s.subject, 0, false);
  f.q_T = converted<float>(s.q);
  f.v_T = converted<float>(s.v);
  f.q = d.q = d.q_T = converted<double>(f.q_T);
  f.v = d.v = d.v_T = converted<double>(f.v_T);
  f.a = d.a = converted<double>(converted<float>(s.a));
  f.f_ext = d.f_ext = converted<double>(converted<float>(s.f_ext));
  const Numbers tau = d.inverse_dynamics(d.model(), d.v, d.a, d.f_ext);
  verdict.compare(f.inverse_dynamics(f.model(), f.v, f.a, f.f_ext), tau,
                  scaled(f.unit, force_sizes(d.model(), d.q, d.v, d.a, d.f_ext)));
  if (!s.matrices || !s.matrices->scaled.obstacle().empty()) return;
  const Numbers rounded = converted<double>(converted<float>(tau));
  verdict.compare(f.forward_dynamics(rounded, Method::articulated_body),
                  d.forward_dynamics(rounded, Method::articulated_body),
                  scaled(f.unit, solution_errors(s, d.model(), Method::articulated_body, d.v, d.a, tau, d.f_ext)));
}

}  // namespace

template <class T>
std::vector<Property<T>> dynamic_properties() {
  return {
      {"mass matrix = inverse dynamics of unit a", Needs::matrices,
       matrix_is_inverse_dynamics_of_unit_accelerations<T>},
      {"mass matrix is symmetric positive definite", Needs::matrices, matrix_is_symmetric_positive_definite<T>},
      {"kinetic energy = v' M v / 2", Needs::matrices, kinetic_energy_is_half_v_M_v<T>},
      {"power = rate of the energy", Needs::potential, power_is_rate_of_energy<T>},
      {"gravity forces = gradient of the potential", Needs::potential, gravity_forces_are_gradient_of_potential<T>},
      {"derivatives of energies = their rates", Needs::inertia, derivatives_of_energies_are_their_rates<T>},
      {"derivatives of passive forces = their rates", Needs::joints, derivatives_of_passive_forces_are_their_rates<T>},
      {"forces on links enter as J' f", Needs::joints, forces_on_links_enter_through_jacobians<T>},
      {"M^-1 M x = x", Needs::invertible, inverse_matrix_undoes_matrix<T>},
      {"forward dynamics inverts inverse dynamics", Needs::invertible, forward_undoes_inverse_dynamics<T>},
      {"both methods of forward dynamics agree", Needs::invertible, methods_agree<T>},
      {"float agrees with double", Needs::inertia, float_agrees_with_double<T>},
  };
}

template std::vector<Property<double>> dynamic_properties();
template std::vector<Property<float>> dynamic_properties();

}  // namespace tandem::check_detail
