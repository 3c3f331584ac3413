// SPDX-License-Identifier: Apache-2.0
/// Laws of the centre of mass and of momentum.
#include <algorithm>
#include <array>

#include "check/state.hpp"
#include "core/at.hpp"
#include "tandem/detail/problems/centre_of_mass.hpp"
#include "tandem/detail/derivatives/centroidal_momentum_derivatives.hpp"

namespace tandem::check_detail {
namespace {

template <class T>
struct Centre {
  Numbers com, velocity, J;
  explicit Centre(State<T>& s) {
    std::vector<T> p(3), v(3), jacobian(3 * s.nv());
    centre_of_mass<T>(s.model(), s.q_T, p, s.work, s.v_T, v, jacobian);
    com = converted<double>(p);
    velocity = converted<double>(v);
    J = converted<double>(jacobian);
  }
};

template <class T>
void centre_of_mass_moves_with_its_jacobian(State<T>& s, CheckVerdict& verdict) {
  const Centre<T> centre(s);
  const double speed = momentum_size(s.model(), s.q, s.v).linear / s.subject.mass;
  const Numbers allowed(3, s.unit * speed);
  verdict.compare(times(centre.J, s.v), centre.velocity, allowed);
  const auto q = s.moving_configuration();
  std::vector<Dual<T>> com(3);
  Dual<T>* none = nullptr;
  run_body<Dual<T>>(CentreOfMass(), s.view(), q.data(), none, com.data(), none, none);
  verdict.compare(rates(com), centre.velocity, allowed);
}

/// The rotation part of a [R | p] pose.
template <class T>
Mat3<T> rotation_of(const std::vector<T>& pose, std::size_t row) {
  return {load<Vec3<T>>(pose, static_cast<Index>(row)), load<Vec3<T>>(pose, static_cast<Index>(row + 4)),
          load<Vec3<T>>(pose, static_cast<Index>(row + 8))};
}
template <class T>
Vec3<T> position_of(const std::vector<T>& pose, std::size_t row) {
  return {pose[row + 3], pose[row + 7], pose[row + 11]};
}

/// Momentum about a point, linear first: every link's own, carried to the world.
template <class T>
Numbers sum_over_links(State<T>& s, const Numbers& point) {
  const auto& m = s.view();
  std::vector<T> pose(12 * at(m.n_frames)), velocity(6 * at(m.n_frames));
  forward_kinematics<T>(s.model(), s.q_T, pose, s.work, {s.v_T, {}, velocity, {}});
  const Vec3<T> p = load<Vec3<T>>(converted<T>(point), 0);
  auto sum = Force<T>::zero();
  for (int i = 1; i < m.n_links; ++i) {
    // inertias are kept along the model's link axes, poses and velocities lead to the described ones
    const Mat3<T> E = frame_transform<T>(m, i).E;
    const Vec3<T> linear = load<Vec3<T>>(velocity, Index{6} * i), angular = load<Vec3<T>>(velocity, Index{6} * i + 3);
    const Force<T> h = link_inertia<T>(m, i) * Motion<T>{transpose_mul(E, angular), transpose_mul(E, linear)};
    const Mat3<T> R = rotation_of(pose, 12 * at(i));
    const Vec3<T> h_w = R * (E * h.f);
    sum = sum + Force<T>{R * (E * h.n) + cross(position_of(pose, 12 * at(i)) - p, h_w), h_w};
  }
  return {sum.f.x, sum.f.y, sum.f.z, sum.n.x, sum.n.y, sum.n.z};
}

template <class T>
void momentum_is_sum_over_links(State<T>& s, CheckVerdict& verdict) {
  std::vector<T> h(6), A(6 * s.nv());
  centroidal_momentum<T>(s.model(), s.q_T, s.v_T, h, s.work, A);
  const MomentumSize size = momentum_size(s.model(), s.q, s.v);
  const Numbers allowed = linear_angular(s.unit, size.linear, size.angular);
  verdict.compare(converted<double>(h), sum_over_links(s, Centre<T>(s).com), allowed);
  verdict.compare(times(A, s.v), converted<double>(h), allowed);
}

/// What the floating base's joint pushes with and weight are all that changes the momentum: without both it is
/// constant.
template <class T>
void only_outer_forces_change_momentum(State<T>& s, CheckVerdict& verdict) {
  const auto& m = s.view();
  const auto q = s.moving_configuration(), v = s.moving_velocity();
  std::vector<Dual<T>> h(6);
  Dual<T>* none = nullptr;
  run_body<Dual<T>>(CentroidalMomentum(), m, q.data(), v.data(), h.data(), none);

  Numbers tau = s.inverse_dynamics(s.model(), s.v, s.a);
  for (std::size_t k = 0; k < 6; ++k) tau[k] -= m.armature[k] * s.a[k];  // rotors carry no momentum of the links
  const Numbers com = Centre<T>(s).com;
  std::vector<T> pose(12 * at(m.n_frames));
  forward_kinematics<T>(s.model(), s.q_T, pose, s.work);
  const Mat3<T> R = rotation_of(pose, 12);
  const Vec3<T> force = R * load<Vec3<T>>(tau, 0), moment = R * load<Vec3<T>>(tau, 3);
  const Vec3<T> arm = position_of(pose, 12) - load<Vec3<T>>(com, 0), turning = moment + cross(arm, force);
  const auto& g = s.model().gravity();
  const double mass = s.subject.mass;
  const Numbers expected = {
      force.x + mass * g[0], force.y + mass * g[1], force.z + mass * g[2], turning.x, turning.y, turning.z};

  const Numbers sizes = force_sizes(s.model(), s.q, s.v, s.a);
  double reach = 0;
  for (const LinkSizes& link : link_sizes(s.model(), s.q, s.v, s.a)) reach = std::max(reach, link.reach);
  verdict.compare(rates(h), expected, linear_angular(s.unit, 2 * sizes[0], 2 * (sizes[3] + 2 * reach * sizes[0])));
}

template <class T>
void derivatives_of_momentum_are_its_rates(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = 6 * s.nv();
  const std::vector<T> a = converted<T>(s.a);
  std::vector<T> h_by_q(n), by_q(n), by_v(n), A(n), hdot(6);
  centroidal_momentum_derivatives<T>(s.model(), s.q_T, s.v_T, a, h_by_q, by_q, by_v, s.work, A, hdot);

  const auto q = s.moving_configuration(), v = s.moving_velocity(), a_dual = converted<Dual<T>>(s.a);
  std::vector<Dual<T>> h(6), moving(6), matrices(3 * n);
  Dual<T>* none = nullptr;
  run_body<Dual<T>>(CentroidalMomentum(), s.view(), q.data(), v.data(), h.data(), none);
  run_body<Dual<T>>(CentroidalMomentumDerivatives(), s.view(), q.data(), v.data(), a_dual.data(), matrices.data(),
                    matrices.data() + n, matrices.data() + 2 * n, none, moving.data());

  const double faster = 1 + total(s.v);
  const MomentumSize size = momentum_size(s.model(), s.q, sum(and_more(s.v), and_more(s.a)));
  const Numbers allowed = linear_angular(s.unit * faster * faster, size.linear, size.angular);
  verdict.compare(sum(times(h_by_q, s.v), times(A, s.a)), rates(h), allowed);
  verdict.compare(converted<double>(hdot), rates(h), allowed);
  verdict.compare(sum(times(by_q, s.v), times(by_v, s.a)), rates(moving), allowed);
}

/// The centre of mass moves with the linear momentum over the mass.
template <class T>
void derivatives_of_centre_of_mass_are_its_rates(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = 3 * s.nv();
  const std::vector<T> a = converted<T>(s.a);
  std::vector<T> v_by_q(n), a_by_q(n), a_by_v(n), J(n), acceleration(3);
  centre_of_mass_derivatives<T>(s.model(), s.q_T, s.v_T, a, v_by_q, a_by_q, a_by_v, s.work, J, acceleration);
  std::vector<T> h_by_q(2 * n), by_q(2 * n), by_v(2 * n);
  centroidal_momentum_derivatives<T>(s.model(), s.q_T, s.v_T, a, h_by_q, by_q, by_v, s.work);

  const double faster = 1 + total(s.v), mass = s.subject.mass;
  const Numbers allowed(
      3, s.unit * faster * faster * momentum_size(s.model(), s.q, sum(and_more(s.v), and_more(s.a))).linear / mass);
  verdict.compare(sum(times(v_by_q, s.v), times(J, s.a)), converted<double>(acceleration), allowed);
  const auto of_momentum = [&](const std::vector<T>& matrix, const Numbers& x) {
    const Numbers six = times(matrix, x);
    return scaled(1 / mass, {six[0], six[1], six[2]});
  };
  verdict.compare(times(a_by_q, s.v), of_momentum(by_q, s.v), allowed);
  verdict.compare(times(a_by_v, s.a), of_momentum(by_v, s.a), allowed);
}

}  // namespace

template <class T>
std::vector<Property<T>> momentum_properties() {
  return {
      {"velocity of the center of mass = J v", Needs::mass, centre_of_mass_moves_with_its_jacobian<T>},
      {"momentum = sum over the links = A v", Needs::mass, momentum_is_sum_over_links<T>},
      {"derivatives of momentum = its rates", Needs::mass, derivatives_of_momentum_are_its_rates<T>},
      {"derivatives of the center of mass = its rates", Needs::mass, derivatives_of_centre_of_mass_are_its_rates<T>},
      {"only external forces change the momentum", Needs::floating_base, only_outer_forces_change_momentum<T>},
  };
}

template std::vector<Property<double>> momentum_properties();
template std::vector<Property<float>> momentum_properties();

}  // namespace tandem::check_detail
