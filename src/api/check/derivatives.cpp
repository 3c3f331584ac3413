// SPDX-License-Identifier: Apache-2.0
/// Laws of the derivatives of the dynamics, of the inverse of the mass matrix and of its rate.
#include "api/check/state.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"

namespace tandem::check_detail {
namespace {

/// Size of the terms in rates of joint forces, as the robot moves with v and a, and of what derivatives times these add up.
template <class T>
Numbers rate_sizes(const State<T>& s) {
  return scaled(1 + total(s.v) + total(s.a), force_sizes(s.model(), s.q, and_more(s.v), and_more(s.a), s.f_ext));
}

/// How the joint forces change as the robot moves with v and a.
template <class T>
Numbers rate_of_forces(State<T>& s, std::vector<T>& dtau_da) {
  const std::size_t n = s.nv();
  std::vector<T> dtau_dq(n * n), dtau_dv(n * n);
  dtau_da.resize(n * n);
  inverse_dynamics_derivatives<T>(s.model(), s.q_T, s.v_T, converted<T>(s.a), dtau_dq, dtau_dv, s.work,
                                  converted<T>(s.f_ext), dtau_da);
  return sum(times(dtau_dq, s.v), times(dtau_dv, s.a));
}

template <class T>
void derivatives_of_forces_are_their_rate(State<T>& s, Verdict& verdict) {
  const auto q = s.moving_configuration(), v = s.moving_velocity();
  std::vector<Dual<T>> a, f_ext, tau(s.nv());
  for (const double x : s.a) a.emplace_back(static_cast<T>(x));
  for (const double x : s.f_ext) f_ext.emplace_back(static_cast<T>(x));
  run_body<Dual<T>>(InverseDynamics(), s.view(), q.data(), v.data(), a.data(), f_ext.data(), tau.data());
  std::vector<T> M;
  verdict.compare(rate_of_forces(s, M), rates(tau), scaled(s.unit, rate_sizes(s)));
}

/// Forces that change as those of a motion with jerk j let accelerations change by j.
template <class T>
void derivatives_of_accelerations_undo_those_of_forces(State<T>& s, Verdict& verdict) {
  const std::size_t n = s.nv();
  std::vector<T> M, da_dq(n * n), da_dv(n * n), da_dtau(n * n);
  const Numbers &jerk = s.a, tau_rate = sum(rate_of_forces(s, M), times(M, jerk));
  const Numbers tau = s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext);
  forward_dynamics_derivatives<T>(s.model(), s.q_T, s.v_T, converted<T>(tau), da_dq, da_dv, s.work,
                                  converted<T>(s.f_ext), {}, da_dtau);
  const Numbers a_rate = sum(sum(times(da_dq, s.v), times(da_dv, s.a)), times(da_dtau, tau_rate));
  const ScaledMatrix& scaled_M = s.matrices->scaled;
  const Numbers errors = scaled_M.through_inverse(sum(rate_sizes(s), scaled_M.factor_sizes(jerk)));
  // once for the derivatives, and once for the acceleration that they are taken at
  verdict.compare(a_rate, jerk, scaled(s.unit * (2 + total(s.v)), errors));
}

/// Weights as what reverse differentiation hands on.
template <class T>
double weighed(const std::vector<T>& by, const Numbers& increments) {
  return product(Numbers(by.begin(), by.end()), increments);
}

/// Along increments and with weights the products are those of the matrices: <w, J x> = <J^T w, x>.
template <class T>
void products_of_force_derivatives_agree(State<T>& s, Verdict& verdict) {
  const std::size_t n = s.nv();
  std::vector<T> M, tau(n), dtau(n), q_bar(n), v_bar(n), a_bar(n);
  const std::vector<T> a = converted<T>(s.a), f_ext = converted<T>(s.f_ext);
  const Numbers sizes = rate_sizes(s), dense = rate_of_forces(s, M);
  const Numbers expected = sum(dense, times(M, s.v));
  inverse_dynamics_jvp<T>(s.model(), s.q_T, s.v_T, a, s.v_T, a, s.v_T, tau, dtau, s.work, f_ext);
  verdict.compare(Numbers(dtau.begin(), dtau.end()), expected, scaled(s.unit, sizes));
  inverse_dynamics_vjp<T>(s.model(), s.q_T, s.v_T, a, a, tau, q_bar, v_bar, a_bar, s.work, f_ext);
  const double by_weights = weighed(q_bar, s.v) + weighed(v_bar, s.a) + weighed(a_bar, s.v);
  verdict.compare(by_weights, product(s.a, expected), s.unit * (1 + total(s.v)) * product_size(s.a, sizes));
}

template <class T>
void products_of_acceleration_derivatives_agree(State<T>& s, Verdict& verdict) {
  const std::size_t n = s.nv();
  std::vector<T> M, a(n), da(n), q_bar(n), v_bar(n), tau_bar(n);
  const Numbers &jerk = s.a, tau_rate = sum(rate_of_forces(s, M), times(M, jerk));
  const Numbers caused_by = s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext);
  const std::vector<T> tau = converted<T>(caused_by), dtau = converted<T>(tau_rate), f_ext = converted<T>(s.f_ext),
                       jerk_T = converted<T>(jerk);
  forward_dynamics_jvp<T>(s.model(), s.q_T, s.v_T, tau, s.v_T, jerk_T, dtau, a, da, s.work, f_ext);
  const ScaledMatrix& scaled_M = s.matrices->scaled;
  const Numbers sizes = sum(rate_sizes(s), scaled_M.factor_sizes(jerk)), errors = scaled_M.through_inverse(sizes);
  const double unit = s.unit * (2 + total(s.v));
  verdict.compare(Numbers(da.begin(), da.end()), jerk, scaled(unit, errors));
  forward_dynamics_vjp<T>(s.model(), s.q_T, s.v_T, tau, jerk_T, a, q_bar, v_bar, tau_bar, s.work, f_ext);
  const Numbers held(tau_bar.begin(), tau_bar.end());
  const double by_weights = weighed(q_bar, s.v) + weighed(v_bar, s.a) + weighed(tau_bar, tau_rate);
  const double allowed =
      product_size(jerk, errors) + product_size(sizes, scaled_M.through_inverse(scaled_M.factor_sizes(held)));
  verdict.compare(by_weights, product(jerk, jerk), unit * allowed);
}

template <class T>
void inverse_is_symmetric_and_undoes_matrix(State<T>& s, Verdict& verdict) {
  const std::size_t n = s.nv();
  std::vector<T> Minv(n * n);
  inverse_mass_matrix<T>(s.model(), s.q_T, Minv, s.work);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k)
      if (!(Minv[j * n + k] == Minv[k * n + j])) return verdict.fail("not symmetric");
  const Numbers x = s.inverse_dynamics(s.subject.weightless, s.nothing, s.a);
  const ScaledMatrix& M = s.matrices->scaled;
  // every column of M^-1 is solved for on its own, and their errors are added up: |M^-1| |x| in place of M^-1 x = a
  Numbers pushes = x;
  for (double& push : pushes) push = std::abs(push);
  const Numbers added = M.through_inverse(pushes);
  const Numbers sizes = sum(force_sizes(s.subject.weightless, s.q, s.nothing, s.a), M.factor_sizes(added));
  verdict.compare(times(Minv, x), s.a, scaled(s.unit, M.through_inverse(sizes)));
}

template <class T>
void coriolis_matrix_makes_rate_skew(State<T>& s, Verdict& verdict) {
  const std::size_t n = s.nv();
  std::vector<T> C(n * n);
  coriolis_matrix<T>(s.model(), s.q_T, s.v_T, C, s.work);
  const auto q = s.moving_configuration();
  std::vector<Dual<T>> M(n * n);
  run_body<Dual<T>>(MassMatrix(), s.view(), q.data(), M.data());
  const Numbers size = force_sizes(s.subject.weightless, s.q, and_more(s.v), s.nothing);
  Numbers sums, allowed;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      sums.push_back(double{C[j * n + k]} + double{C[k * n + j]});
      allowed.push_back(s.unit * (size[j] + size[k]));
    }
  verdict.compare(sums, rates(M), allowed);
  const Numbers forces = s.inverse_dynamics(s.subject.weightless, s.v, s.nothing);
  verdict.compare(times(C, s.v), forces, scaled(s.unit * (1 + total(s.v)), size));
}

}  // namespace

template <class T>
std::vector<Property<T>> derivative_properties() {
  return {
      {"derivatives of joint forces = their rate", Needs::matrices, derivatives_of_forces_are_their_rate<T>},
      {"derivatives of accelerations undo them", Needs::invertible,
       derivatives_of_accelerations_undo_those_of_forces<T>},
      {"products of derivatives of joint forces agree", Needs::matrices, products_of_force_derivatives_agree<T>},
      {"products of derivatives of accelerations agree", Needs::invertible,
       products_of_acceleration_derivatives_agree<T>},
      {"M^-1 as a matrix symmetric, undoes M", Needs::invertible, inverse_is_symmetric_and_undoes_matrix<T>},
      {"dM/dt - 2 C skew-symmetric", Needs::matrices, coriolis_matrix_makes_rate_skew<T>},
  };
}

template std::vector<Property<double>> derivative_properties();
template std::vector<Property<float>> derivative_properties();

}  // namespace tandem::check_detail
