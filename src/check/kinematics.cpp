// SPDX-License-Identifier: Apache-2.0
/// Laws of motion alone: they hold for robots without mass too.
#include <algorithm>
#include <cmath>
#include <set>

#include "check/state.hpp"
#include "core/at.hpp"
#include "core/random.hpp"
#include "tandem/detail/problems/forward_kinematics.hpp"

namespace tandem::check_detail {
namespace {

constexpr Reference references[] = {Reference::local, Reference::world, Reference::local_world_aligned};

double largest(const Numbers& x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

/// Six numbers, linear first, of frame f.
Numbers of_frame(const Numbers& motions, int f) {
  const auto begin = motions.begin() + std::ptrdiff_t{6} * f;
  return {begin, begin + 6};
}

Numbers velocity_tolerance(double unit, const LinkSizes& s, Reference reference) {
  return linear_angular(unit, s.speed + (reference == Reference::world ? s.reach * s.turn : 0), s.turn);
}

Numbers acceleration_tolerance(double unit, const LinkSizes& s, Reference reference) {
  double linear = s.acceleration;
  if (reference == Reference::local_world_aligned) linear += s.turn * s.speed;
  if (reference == Reference::world) linear += s.reach * s.turn_rate;
  return linear_angular(unit, linear, s.turn_rate);
}

/// Velocity and acceleration of all frames.
template <class T>
struct Motions {
  Numbers velocity, acceleration;
  Motions(State<T>& s, Reference reference) {
    const std::size_t n = 6 * at(s.view().n_frames);
    std::vector<T> pose(2 * n), v(n), a(n);
    const std::vector<T> a_T = converted<T>(s.a);
    forward_kinematics<T>(s.model(), s.q_T, pose, s.work, {s.v_T, a_T, v, a, reference});
    velocity = converted<double>(v);
    acceleration = converted<double>(a);
  }
};

/// Poses and motions of all frames, with their rates as the joints keep their accelerations.
template <class T>
struct DualMotions {
  std::vector<Dual<T>> pose, velocity, acceleration;
  DualMotions(State<T>& s, Reference reference) {
    const auto& m = s.view();
    const auto q = s.moving_configuration(), v = s.moving_velocity();
    pose.resize(12 * at(m.n_frames));
    velocity.resize(6 * at(m.n_frames));
    acceleration.resize(6 * at(m.n_frames));
    const auto a = converted<Dual<T>>(s.a);
    run_body<Dual<T>>(with_options<ForwardKinematics>({.reference = reference}), m, q.data(), v.data(), a.data(),
                      pose.data(), velocity.data(), acceleration.data());
  }
};

/// Half the way twice is the whole way, and the difference leads back.
template <class T>
void integrate_is_a_flow(State<T>& s, CheckVerdict& verdict) {
  std::vector<T> q_whole(s.q.size()), q_half(s.q.size()), u(s.nv());
  const std::vector<T> half = converted<T>(scaled(0.5, s.v));
  const Numbers allowed(s.nv(), s.unit * (largest(s.q) + largest(s.v)));
  integrate<T>(s.model(), s.q_T, s.v_T, q_whole, s.work);
  difference<T>(s.model(), s.q_T, q_whole, u, s.work);
  verdict.compare(converted<double>(u), s.v, allowed);
  integrate<T>(s.model(), s.q_T, half, q_half, s.work);
  integrate<T>(s.model(), q_half, half, q_half, s.work);
  difference<T>(s.model(), s.q_T, q_half, u, s.work);
  verdict.compare(converted<double>(u), s.v, allowed);
}

template <class T>
void velocity_is_rate_of_pose(State<T>& s, CheckVerdict& verdict) {
  const auto links = link_sizes(s.subject.weightless, s.q, s.v, s.a);
  const Motions<T> motions(s, Reference::local_world_aligned);
  const DualMotions<T> moving(s, Reference::local);
  for (int f = 0; f < s.view().n_frames; ++f) {
    const LinkSizes size = at_frame(s.model(), links, f);
    const Numbers velocity = of_frame(motions.velocity, f);
    const double w[3] = {velocity[3], velocity[4], velocity[5]};
    Numbers rate, expected, allowed;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = 0; column < 4; ++column) {
        const auto entry = [&](std::size_t r) { return moving.pose[12 * at(f) + 4 * (r % 3) + column]; };
        rate.push_back(entry(row).rate);
        if (column == 3) {
          expected.push_back(velocity[row]);
          allowed.push_back(s.unit * size.speed);
        } else {  // a column of R turns with w
          expected.push_back(w[(row + 1) % 3] * entry(row + 2).value - w[(row + 2) % 3] * entry(row + 1).value);
          allowed.push_back(s.unit * size.turn);
        }
      }
    verdict.compare(rate, expected, allowed);
  }
}

template <class T>
void velocity_is_jacobian_times_v(State<T>& s, CheckVerdict& verdict) {
  const auto links = link_sizes(s.subject.weightless, s.q, s.v, s.a);
  std::vector<T> J(6 * s.nv());
  for (const Reference reference : references) {
    const Motions<T> motions(s, reference);
    for (const int f : s.subject.frames) {
      jacobian<T>(s.model(), s.q_T, f, reference, J, s.work);
      verdict.compare(times(J, s.v), of_frame(motions.velocity, f),
                      velocity_tolerance(s.unit, at_frame(s.model(), links, f), reference));
    }
  }
}

template <class T>
void acceleration_is_rate_of_velocity(State<T>& s, CheckVerdict& verdict) {
  const auto links = link_sizes(s.subject.weightless, s.q, s.v, s.a);
  for (const Reference reference : references) {
    const Motions<T> motions(s, reference);
    const Numbers rate = rates(DualMotions<T>(s, reference).velocity);
    for (int f = 0; f < s.view().n_frames; ++f)
      verdict.compare(of_frame(rate, f), of_frame(motions.acceleration, f),
                      acceleration_tolerance(s.unit, at_frame(s.model(), links, f), reference));
  }
}

template <class T>
void acceleration_is_jacobian_times_a_and_the_rest(State<T>& s, CheckVerdict& verdict) {
  const auto links = link_sizes(s.subject.weightless, s.q, s.v, s.a);
  std::vector<T> J(6 * s.nv()), Jdot_v(6);
  for (const Reference reference : references) {
    const Motions<T> motions(s, reference);
    for (const int f : s.subject.frames) {
      jacobian<T>(s.model(), s.q_T, f, reference, J, s.work);
      jacobian_time_derivative_product<T>(s.model(), s.q_T, s.v_T, f, reference, Jdot_v, s.work);
      verdict.compare(sum(times(J, s.a), converted<double>(Jdot_v)), of_frame(motions.acceleration, f),
                      acceleration_tolerance(s.unit, at_frame(s.model(), links, f), reference));
    }
  }
}

template <class T>
void derivatives_of_motions_are_their_rates(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = 6 * s.nv();
  const auto links = link_sizes(s.subject.weightless, s.q, and_more(s.v), and_more(s.a));
  const std::vector<T> a = converted<T>(s.a);
  std::vector<T> v_by_q(n), a_by_q(n), a_by_v(n), J(n);
  for (const Reference reference : references) {
    const Motions<T> motions(s, reference);
    const Numbers jerks = rates(DualMotions<T>(s, reference).acceleration);
    for (const int f : s.subject.frames) {
      forward_kinematics_derivatives<T>(s.model(), s.q_T, s.v_T, a, f, reference, v_by_q, a_by_q, a_by_v, s.work, J);
      const Numbers allowed =
          acceleration_tolerance(s.unit * (1 + total(s.v) + total(s.a)), at_frame(s.model(), links, f), reference);
      verdict.compare(sum(times(v_by_q, s.v), times(J, s.a)), of_frame(motions.acceleration, f), allowed);
      verdict.compare(sum(times(a_by_q, s.v), times(a_by_v, s.a)), of_frame(jerks, f), allowed);
    }
  }
}

/// Numbers of every frame: poses, velocities and accelerations.
template <class T>
struct FrameNumbers {
  std::vector<T> pose, velocity, acceleration;
  explicit FrameNumbers(int n_frames)
      : pose(12 * at(n_frames)), velocity(6 * at(n_frames)), acceleration(6 * at(n_frames)) {}
};

/// Weights from -1 to 1 of some frames.
template <class T>
FrameNumbers<T> some_weights(const State<T>& s, const std::set<int>& frames) {
  FrameNumbers<T> weights(s.view().n_frames);
  Random random(2);
  const auto draw = [&](std::vector<T>& x, std::size_t rows, int f) {
    for (std::size_t r = 0; r < rows; ++r) x[rows * at(f) + r] = static_cast<T>(random.uniform(-1, 1));
  };
  for (const int f : frames) {
    draw(weights.pose, 12, f);
    draw(weights.velocity, 6, f);
    draw(weights.acceleration, 6, f);
  }
  return weights;
}

/// Size of the terms in how the pose of a frame changes, row by row of [R | p].
Numbers pose_rate_sizes(const LinkSizes& size) {
  Numbers sizes(12, size.turn);
  for (const std::size_t row : {3, 7, 11}) sizes[row] = size.speed;
  return sizes;
}

/// Along increments (v, a, v) the products are the rate of the pose and what the matrices of every frame give, and <w,
/// J x> = <J^T w, x>.
template <class T>
void products_of_motion_derivatives_agree(State<T>& s, CheckVerdict& verdict) {
  const std::size_t n = s.nv();
  const auto links = link_sizes(s.subject.weightless, s.q, and_more(s.v), and_more(s.a));
  const std::vector<T> a = converted<T>(s.a);
  const std::set<int> frames(s.subject.frames.begin(), s.subject.frames.end());  // each once
  const FrameNumbers<T> weights = some_weights(s, frames);
  const Numbers moving = rates(DualMotions<T>(s, Reference::local).pose);
  std::vector<T> v_by_q(6 * n), a_by_q(6 * n), a_by_v(6 * n), J(6 * n), q_bar(n), v_bar(n), a_bar(n);
  for (const Reference reference : references) {
    FrameNumbers<T> d(s.view().n_frames);
    forward_kinematics_jvp<T>(s.model(), s.q_T, s.v_T, d.pose, s.work,
                              {s.v_T, a, a, s.v_T, d.velocity, d.acceleration, reference});
    double weighed = 0, size = 0;
    const auto weigh = [&](const std::vector<T>& weight, const std::vector<T>& change, const Numbers& sizes, int f) {
      for (std::size_t r = 0, k = sizes.size() * at(f); r < sizes.size(); ++r, ++k) {
        weighed += double{weight[k]} * double{change[k]};
        size += std::abs(double{weight[k]}) * sizes[r];
      }
    };
    for (const int f : frames) {
      const LinkSizes of_frame_f = at_frame(s.model(), links, f);
      const Numbers of_pose = pose_rate_sizes(of_frame_f),
                    of_motion = acceleration_tolerance(1 + total(s.v) + total(s.a), of_frame_f, reference);
      const auto begin = 12 * std::ptrdiff_t{f};
      verdict.compare(Numbers(d.pose.begin() + begin, d.pose.begin() + begin + 12),
                      Numbers(moving.begin() + begin, moving.begin() + begin + 12), scaled(s.unit, of_pose));
      forward_kinematics_derivatives<T>(s.model(), s.q_T, s.v_T, a, f, reference, v_by_q, a_by_q, a_by_v, s.work, J);
      verdict.compare(of_frame(converted<double>(d.velocity), f), sum(times(v_by_q, s.v), times(J, s.a)),
                      scaled(s.unit, of_motion));
      verdict.compare(of_frame(converted<double>(d.acceleration), f),
                      sum(sum(times(a_by_q, s.v), times(a_by_v, s.a)), times(J, s.v)), scaled(s.unit, of_motion));
      weigh(weights.pose, d.pose, of_pose, f);
      weigh(weights.velocity, d.velocity, of_motion, f);
      weigh(weights.acceleration, d.acceleration, of_motion, f);
    }
    forward_kinematics_vjp<T>(
        s.model(), s.q_T, q_bar, s.work,
        {s.v_T, a, weights.pose, weights.velocity, weights.acceleration, v_bar, a_bar, reference});
    const double by_weights = product(converted<double>(q_bar), s.v) + product(converted<double>(v_bar), s.a) +
                              product(converted<double>(a_bar), s.v);
    verdict.compare(by_weights, weighed, s.unit * size);
  }
}

}  // namespace

template <class T>
std::vector<Property<T>> kinematic_properties() {
  return {
      {"integrate is a flow, difference its inverse", Needs::joints, integrate_is_a_flow<T>},
      {"velocity = rate of the pose", Needs::joints, velocity_is_rate_of_pose<T>},
      {"velocity = J v", Needs::joints, velocity_is_jacobian_times_v<T>},
      {"acceleration = rate of the velocity", Needs::joints, acceleration_is_rate_of_velocity<T>},
      {"acceleration = J a + dJ/dt v", Needs::joints, acceleration_is_jacobian_times_a_and_the_rest<T>},
      {"derivatives of motions = their rates", Needs::joints, derivatives_of_motions_are_their_rates<T>},
      {"JVP and VJP of kinematics agree", Needs::joints, products_of_motion_derivatives_agree<T>},
  };
}

template std::vector<Property<double>> kinematic_properties();
template std::vector<Property<float>> kinematic_properties();

}  // namespace tandem::check_detail
