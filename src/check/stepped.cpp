// SPDX-License-Identifier: Apache-2.0
#include "check/stepped.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "tandem/detail/problems/joint_stops.hpp"
#include "tandem/detail/problems/passive_forces.hpp"

namespace tandem::check_detail {
namespace {

constexpr double longest_step = 1e-3, natural_frequency = 3;  // s, 1/s of the controller

double inertia(const Matrices& matrices, std::size_t k, std::size_t n) { return std::abs(matrices.M[k * n + k]); }

/// |A| x
template <class T>
Numbers sizes_times(const std::vector<T>& A, const Numbers& x) {
  Numbers y(x.size());
  for (std::size_t k = 0; k < A.size(); ++k) y[k / x.size()] += std::abs(double{A[k]}) * x[k % x.size()];
  return y;
}

/// 1/s: no faster than this the motion changes by itself, in coordinates in which every joint feels an inertia of one.
template <class T>
double fastest_rate(State<T>& s, const std::vector<T>& tau, const Numbers& kp, const Numbers& kd) {
  const std::size_t n = s.nv();
  const auto& m = s.view();
  std::vector<T> a_by_q(n * n), a_by_v(n * n), tau_by_q(n * n), tau_by_v(n * n);
  forward_dynamics_derivatives<T>(s.model(), s.q_T, s.v_T, tau, a_by_q, a_by_v, s.work);
  passive_forces_derivatives<T>(s.model(), s.q_T, s.v_T, tau_by_q, tau_by_v, s.work);
  Numbers ones(n), stiff(n), damped(n);
  for (std::size_t k = 0; k < n; ++k) ones[k] = 1 / std::sqrt(inertia(*s.matrices, k, n));
  stiff = sizes_times(tau_by_q, ones);
  damped = sizes_times(tau_by_v, ones);
  for (std::size_t k = 0; k < n; ++k) {
    const double slow = std::max(std::abs(s.v[k]), PassiveForces::slip_speed);
    stiff[k] += kp[k] * ones[k];
    damped[k] += (kd[k] + double{m.friction[k]} / slow) * ones[k];
  }
  const auto largest = [&](const std::vector<T>& derivatives, const Numbers& forces) {
    const Numbers changes = sum(sizes_times(derivatives, ones), s.matrices->scaled.through_inverse(forces));
    double rate = 0;
    for (std::size_t k = 0; k < n; ++k) rate = std::max(rate, changes[k] / ones[k]);
    return rate;
  };
  return largest(a_by_v, damped) + std::sqrt(largest(a_by_q, stiff));
}

/// What the joints of a state are pushed with by springs, damping and friction, and the rate of that.
template <class T>
struct Passive {
  Numbers tau, rate;
  Passive(State<T>& s, const Numbers& dq, const Numbers& dv) {
    const std::size_t n = s.nv();
    std::vector<T> push(n), by_q(n * n), by_v(n * n);
    passive_forces<T>(s.model(), s.q_T, s.v_T, push, s.work);
    passive_forces_derivatives<T>(s.model(), s.q_T, s.v_T, by_q, by_v, s.work);
    tau = converted<double>(push);
    rate = sum(times(by_q, dq), times(by_v, dv));
  }
};

/// What joint forces change by along dq and dv, as the acceleration a grows by a and the wrenches on the links twofold.
template <class T>
Numbers rate_of_forces(State<T>& s, const Numbers& dq, const Numbers& dv) {
  const std::size_t n = s.nv();
  std::vector<T> by_q(n * n), by_v(n * n), M(n * n);
  inverse_dynamics_derivatives<T>(s.model(), s.q_T, s.v_T, converted<T>(s.a), by_q, by_v, s.work, converted<T>(s.f_ext),
                                  M);
  const Numbers of_wrenches =
      sum(s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext), scaled(-1, s.inverse_dynamics(s.model(), s.v, s.a)));
  return sum(sum(times(by_q, dq), times(by_v, dv)), sum(times(M, s.a), of_wrenches));
}

}  // namespace

/// Without stops the robot accelerates with the a of the checks, and along the direction by as much more; weights are
/// such that forces count with about h a. What is computed from these is then no larger than they are, however badly
/// the mass matrix is conditioned.
template <class T>
Stepped<T>::Stepped(State<T>& state, Integrator integrator_, bool at_stops)
    : s(state),
      integrator(integrator_),
      limits(at_stops),
      q(s.q_T),
      v(s.v_T),
      target(q.size()),
      by_q(converted<T>(times(s.matrices->M, s.v))),
      by_v(converted<T>(times(s.matrices->M, s.a))),
      dq(s.v),
      dv(scaled(0.1, s.a)),
      dtarget(s.v) {
  const std::size_t n = s.nv();
  const Numbers needed = s.inverse_dynamics(s.model(), s.v, s.a, s.f_ext), rate = rate_of_forces(s, dq, dv),
                way = scaled(0.1, s.v);
  const Passive<T> passive(s, dq, dv);
  integrate<T>(s.model(), q, converted<T>(way), target, s.work);
  for (std::size_t k = 0; k < n; ++k) {
    const double I = inertia(*s.matrices, k, n), stiff = I * natural_frequency * natural_frequency,
                 damped = I * natural_frequency, driven = stiff * way[k] - damped * s.v[k];
    kp.push_back(static_cast<T>(stiff));
    kd.push_back(static_cast<T>(damped));
    tau.push_back(static_cast<T>(needed[k] - passive.tau[k] - driven));
    dtau.push_back(double{static_cast<T>(rate[k] - passive.rate[k] - (driven - damped * dv[k]))});
  }
  dkp = converted<double>(kp);
  dkd = converted<double>(kd);
  h = static_cast<T>(std::min(longest_step, 0.1 / fastest_rate(s, tau, dkp, dkd)));
  if (limits) go_to_limits();
}

/// A third of the joints that have limits come to them too fast, another lies beyond them.
template <class T>
void Stepped<T>::go_to_limits() {
  const auto& m = s.view();
  int turn = 0;
  for_each_limited_row(m, [&](int iq, int iv) {
    if (!std::isfinite(m.q_upper[iq]) || ++turn % 3 == 0) return;
    const T way = h * T(2);
    q[at(iq)] = m.q_upper[iq] + (turn % 3 == 1 ? -way / T(2) : way);
    v[at(iv)] = turn % 3 == 1 ? T(2) : T(0.01);
  });
}

template <class T>
Options Stepped<T>::options() const {
  Options options;
  options.integrator = integrator;
  options.limits = limits ? Switch::on : Switch::off;
  return options;
}

/// What is rounded are forces that change by as much as their terms, and what is solved for: M + E in place of M, in da
/// = M^-1 dtau and in mu = M^-1 by_v, which is what weighs these forces. Both ways take derivatives at the same
/// acceleration, to the last bit.
template <class T>
double size_of_products(const Stepped<T>& step, const Found& found) {
  const State<T>& s = step.s;
  const auto& m = s.view();
  const std::size_t n = s.nv();
  const double h = step.h;
  const Numbers q = converted<double>(step.q), v = converted<double>(step.v);
  Numbers da, faster, harder;
  for (std::size_t k = 0; k < n; ++k) {
    da.push_back((found.dv_next[k] - step.dv[k]) / h);
    faster.push_back(std::abs(v[k]) + std::abs(step.dv[k]));
    harder.push_back(std::abs(found.v_next[k] - v[k]) / h + std::abs(da[k]));
  }
  double turned = 1;  // links and what acts on them turn along the direction
  for (const LinkSizes& link : link_sizes(s.subject.weightless, q, step.dq, s.nothing))
    turned = std::max(turned, 1 + link.turn + link.speed);
  Numbers sizes = scaled(turned, force_sizes(s.model(), q, faster, harder, s.f_ext));
  for (std::size_t k = 0; k < n; ++k) {
    const double slow = std::max(std::abs(v[k]), PassiveForces::slip_speed), dq = std::abs(step.dq[k]),
                 dv = std::abs(step.dv[k]) + h * std::abs(da[k]);
    sizes[k] += std::abs(double{step.tau[k]}) + std::abs(step.dtau[k]);
    sizes[k] += dv * (double{m.damping[k]} + double{m.friction[k]} / slow);
    sizes[k] += (dq + h * dv + 10) * double{m.stiffness[k]};
    sizes[k] += step.dkp[k] * (dq + std::abs(step.dtarget[k]) + 1) + step.dkd[k] * (dv + std::abs(v[k]));
  }
  double size = 2 * product_size(found.tau_bar, sum(sizes, s.matrices->scaled.factor_sizes(da)));
  const double way = h * (1 + total(v)) * (total(step.dq) + total(found.dv_next));
  for (std::size_t k = 0; k < n; ++k)
    size += std::abs(double{step.by_q[k]}) * (std::abs(step.dq[k]) + way) + std::abs(double{step.by_v[k]} * step.dv[k]);
  return size;
}

template struct Stepped<double>;
template struct Stepped<float>;
template double size_of_products(const Stepped<double>&, const Found&);
template double size_of_products(const Stepped<float>&, const Found&);

}  // namespace tandem::check_detail
