// SPDX-License-Identifier: Apache-2.0
/// Laws of the derivatives of the dynamics, of the inverse of the mass matrix and of its rate.
#include <cmath>

#include "check/state.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/simulation/tangents.hpp"

namespace tandem::check_detail {
namespace {

/// Size of the terms in rates of joint forces, as the robot moves with v and a, and of what derivatives times these add
/// up.
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
void derivatives_of_forces_are_their_rate(State<T>& s, CheckVerdict& verdict) {
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
void derivatives_of_accelerations_undo_those_of_forces(State<T>& s, CheckVerdict& verdict) {
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
void products_of_force_derivatives_agree(State<T>& s, CheckVerdict& verdict) {
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
void products_of_acceleration_derivatives_agree(State<T>& s, CheckVerdict& verdict) {
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

/// q_bar . [d, e] of two increments of the configuration: small motions of spherical, planar and free joints do not
/// commute.
template <class T>
double power_of_bracket(const State<T>& s, const std::vector<T>& q_bar, const Numbers& d, const Numbers& e) {
  double power = 0;
  for_each_independent_joint<double>(s.view(), [&](auto joint, int, int row) {
    if (!adds_up(joint)) {
      double weights[most_nv<decltype(joint)>];
      for (int k = 0; k < joint.nv; ++k) weights[k] = q_bar[static_cast<std::size_t>(row + k)];
      const auto motion = [&](const Numbers& x) {
        return Motion<double>::zero() + joint.template motion<double>(x.data() + row);
      };
      power += dot(cross(motion(d), motion(e)), joint.wrench(weights));
    }
  });
  return power;
}

/// Derivatives along two increments of everything, (v, a, v) and (a, v, a), in either order.
template <class T>
void second_derivatives_of_forces_commute(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  const std::vector<T> a = converted<T>(s.a), f_ext = converted<T>(s.f_ext), &v = s.v_T;
  std::vector<T> tau(n), dtau(n), q_bar(n), v_bar(n), a_bar(n), q_first(n), v_first(n), a_first(n);
  inverse_dynamics_vjp<T>(s.model(), s.q_T, v, a, a, tau, q_bar, v_bar, a_bar, s.work, f_ext);
  const double bracket = power_of_bracket(s, q_bar, s.v, s.a);
  inverse_dynamics_hvp<T>(s.model(), s.q_T, v, a, a, v, a, v, dtau, q_first, v_first, a_first, s.work, {}, f_ext);
  inverse_dynamics_hvp<T>(s.model(), s.q_T, v, a, a, a, v, a, dtau, q_bar, v_bar, a_bar, s.work, {}, f_ext);
  const double one_way = weighed(q_first, s.a) + weighed(v_first, s.v) + weighed(a_first, s.a);
  const double other_way = weighed(q_bar, s.v) + weighed(v_bar, s.a) + weighed(a_bar, s.v);
  const Numbers sizes = force_sizes(s.model(), s.q, and_more(and_more(s.v)), and_more(and_more(s.a)), s.f_ext);
  const double increments = (1 + total(s.v) + total(s.a)) * (1 + total(s.v) + total(s.a));
  verdict.compare(one_way, other_way + bracket, s.unit * increments * product_size(s.a, sizes));
}

/// Joint forces at rest are linear in accelerations, and without gravity quadratic in velocities: along v itself the
/// derivatives by velocity change by what they are.
template <class T>
void derivatives_by_velocity_are_linear(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  const std::vector<T> a = converted<T>(s.a), zero(n);
  std::vector<T> tau(n), dtau(n), q_bar(n), v_bar(n), a_bar(n), dq_bar(n), dv_bar(n), da_bar(n);
  inverse_dynamics_vjp<T>(s.model(), s.q_T, s.v_T, a, a, tau, q_bar, v_bar, a_bar, s.work);
  inverse_dynamics_hvp<T>(s.model(), s.q_T, s.v_T, a, a, zero, s.v_T, zero, dtau, dq_bar, dv_bar, da_bar, s.work);
  const double size = product_size(s.a, force_sizes(s.model(), s.q, and_more(s.v), and_more(s.a)));
  verdict.compare(Numbers(dv_bar.begin(), dv_bar.end()), Numbers(v_bar.begin(), v_bar.end()),
                  Numbers(n, s.unit * (1 + total(s.v)) * size));
}

/// A change of forces dtau along d = (v, a) and of accelerations da along e: as above, with the accelerations that they
/// cause.
template <class T>
void second_derivatives_of_accelerations_commute(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  const Numbers caused_by = s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext);
  const std::vector<T> tau = converted<T>(caused_by), f_ext = converted<T>(s.f_ext), a = converted<T>(s.a), &v = s.v_T;
  std::vector<T> x(n), q_bar(n), v_bar(n), tau_bar(n), da(n), da_other(n), q_first(n), v_first(n), tau_first(n);
  forward_dynamics_vjp<T>(s.model(), s.q_T, v, tau, a, x, q_bar, v_bar, tau_bar, s.work, f_ext);
  const double bracket = power_of_bracket(s, q_bar, s.v, s.a);
  forward_dynamics_hvp<T>(s.model(), s.q_T, v, tau, a, v, a, v, da, q_first, v_first, tau_first, s.work, {}, f_ext);
  forward_dynamics_hvp<T>(s.model(), s.q_T, v, tau, a, a, v, a, da_other, q_bar, v_bar, tau_bar, s.work, {}, f_ext);
  const double one_way = weighed(q_first, s.a) + weighed(v_first, s.v) + weighed(tau_first, s.a);
  const double other_way = weighed(q_bar, s.v) + weighed(v_bar, s.a) + weighed(tau_bar, s.v);
  // how fast it moves, and how both increments let it move
  Numbers moving = and_more(and_more(s.a));
  for (std::size_t k = 0; k < n; ++k) moving[k] += std::abs(double{da[k]}) + std::abs(double{da_other[k]});
  const ScaledMatrix& M = s.matrices->scaled;
  const Numbers sizes =
      sum(force_sizes(s.model(), s.q, and_more(and_more(s.v)), moving, s.f_ext), M.factor_sizes(moving));
  const double increments = (1 + total(s.v) + total(s.a)) * (1 + total(s.v) + total(s.a));
  verdict.compare(one_way, other_way + bracket, s.unit * increments * product_size(s.a, M.through_inverse(sizes)));
}

template <class T>
void inverse_is_symmetric_and_undoes_matrix(State<T>& s, CheckVerdict& verdict) {
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
void coriolis_matrix_makes_rate_skew(State<T>& s, CheckVerdict& verdict) {
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
      {"derivatives of joint torques = their rate", Needs::matrices, derivatives_of_forces_are_their_rate<T>},
      {"derivatives of accelerations undo them", Needs::invertible,
       derivatives_of_accelerations_undo_those_of_forces<T>},
      {"JVP and VJP of inverse dynamics agree", Needs::matrices, products_of_force_derivatives_agree<T>},
      {"JVP and VJP of forward dynamics agree", Needs::invertible, products_of_acceleration_derivatives_agree<T>},
      {"second derivatives of joint torques commute", Needs::matrices, second_derivatives_of_forces_commute<T>},
      {"derivatives by velocity are linear in it", Needs::matrices, derivatives_by_velocity_are_linear<T>},
      {"second derivatives of accelerations commute", Needs::invertible,
       second_derivatives_of_accelerations_commute<T>},
      {"M^-1 is symmetric and the inverse of M", Needs::invertible, inverse_is_symmetric_and_undoes_matrix<T>},
      {"dM/dt - 2 C skew-symmetric", Needs::matrices, coriolis_matrix_makes_rate_skew<T>},
  };
}

template std::vector<Property<double>> derivative_properties();
template std::vector<Property<float>> derivative_properties();

}  // namespace tandem::check_detail
