// SPDX-License-Identifier: Apache-2.0
/// Laws of closed loops, in states that close_loops leads random ones to.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "check/pushes.hpp"
#include "check/state.hpp"
#include "core/at.hpp"
#include "model/pose.hpp"
#include "tandem/detail/core/record.hpp"

namespace tandem::check_detail {
namespace {

using Vector = Vec3<double>;
using Rotation = Mat3<double>;  // from own axes to the world's

Vector vector_at(const Numbers& x, std::size_t k) { return {x[k], x[k + 1], x[k + 2]}; }

/// A frame in the world: where it is, and how it moves along the world's axes.
struct Moving {
  Rotation R;
  Vector x, v, w, a, alpha;

  /// A frame that stands there on this one.
  Moving with(const Pose& placement) const {
    const auto& [p, r] = placement;
    const Vector way = R * model_detail::vector(p);
    const Rotation turn = {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
    return {R * turn, x + way, v + cross(w, way), w, a + cross(alpha, way) + cross(w, cross(w, way)), alpha};
  }
};

/// The state with closed loops, its acceleration under random joint forces, and the forces in the loops.
template <class T>
struct Closed {
  const Model& model;
  bool found;
  std::vector<T> q, v, tau, a, f_loop;
  Numbers pose, velocity, acceleration;  ///< of all frames

  explicit Closed(State<T>& s)
      : model(s.subject.closed),
        q(s.q_T.size()),
        v(s.nv()),
        tau(converted<T>(s.a)),
        a(s.nv()),
        f_loop(6 * at(model.n_loops())) {
    const T error = close_loops<T>(model, s.q_T, q, s.work, s.v_T, v);
    found = error < T(std::is_same_v<T, double> ? 1e-11 : 1e-4);
    closed_loop_dynamics<T>(model, q, v, tau, a, s.work, f_loop);
    const std::size_t n = at(model.n_frames());
    std::vector<T> poses(12 * n), velocities(6 * n), accelerations(6 * n);
    forward_kinematics<T>(s.model(), q, poses, s.work,
                          {v, a, velocities, accelerations, Reference::local_world_aligned});
    pose = converted<double>(poses);
    velocity = converted<double>(velocities);
    acceleration = converted<double>(accelerations);
  }

  Moving link(int i) const {
    const double* p = &pose[12 * at(i)];
    const std::size_t k = 6 * at(i);
    return {{{p[0], p[1], p[2]}, {p[4], p[5], p[6]}, {p[8], p[9], p[10]}},
            {p[3], p[7], p[11]},
            vector_at(velocity, k),
            vector_at(velocity, k + 3),
            vector_at(acceleration, k),
            vector_at(acceleration, k + 3)};
  }
};

/// The directions held, along the axes of frame 1, turned until the joint's axis is z.
template <class T, class F>
void for_each_held(const Closed<T>& s, F&& f) {
  const auto& m = s.model.template view<double>();
  for (int l = 0; l < s.model.n_loops(); ++l) {
    const LoopJoint loop = s.model.loop(l);
    const Moving one = s.link(loop.link_1).with(loop.placement_1), two = s.link(loop.link_2).with(loop.placement_2);
    const Rotation to_axes = load<Rotation>(m.loop_turn, Index{9} * l) * transpose(one.R);
    const Vector way = two.x - one.x, rate = two.v - one.v - cross(one.w, way), turn = two.w - one.w;
    const Vector second =
        two.a - one.a - cross(one.alpha, way) - cross(one.w, cross(one.w, way)) - 2.0 * cross(one.w, rate);
    const Vector parts[] = {to_axes * rate, to_axes * turn, to_axes * second,
                            to_axes * (two.alpha - one.alpha - cross(one.w, turn))};
    const auto row = [&](int part, int r) {
      const Vector& x = parts[2 * part + r / 3];
      return r % 3 == 0 ? x.x : r % 3 == 1 ? x.y : x.z;
    };
    for (int r = 0; r < 6; ++r)
      if (holds(m.loop_held[l], r)) f(loop, row(0, r), row(1, r));
  }
}

/// What errors of the size of the terms may move rates by that are solved for, seen at the links of a loop.
template <class T>
double seen_at_links(const State<T>& s, const Numbers& forces, double reach) {
  const Numbers moved = s.matrices->scaled.through_inverse(forces);
  return (1 + reach) * std::accumulate(moved.begin(), moved.end(), 0.0);
}

template <class T>
void closed_loops_stay_closed(State<T>& s, CheckVerdict& verdict, bool accelerations) {
  const Closed<T> closed(s);
  if (!closed.found) return verdict.add_note("some random states lead to no closed loops");
  const Numbers q = converted<double>(closed.q), v = converted<double>(closed.v), a = converted<double>(closed.a);
  const auto sizes = link_sizes(s.model(), q, v, a);
  const Numbers of_forces =
      accelerations ? force_sizes(s.model(), q, v, a) : force_sizes(s.subject.weightless, q, s.nothing, sum(v, s.v));
  Numbers value, allowed;
  for_each_held(closed, [&](const LoopJoint& loop, double rate, double second) {
    const LinkSizes &one = sizes[at(loop.link_1)], &two = sizes[at(loop.link_2)];
    const double reach = 1 + one.reach + two.reach, turn = one.turn + two.turn, speed = one.speed + two.speed;
    const double terms = accelerations ? one.acceleration + two.acceleration + turn * (speed + reach * turn) +
                                             reach * (one.turn_rate + two.turn_rate)
                                       : speed + reach * turn;
    value.push_back(accelerations ? second : rate);
    allowed.push_back(s.unit * (terms + seen_at_links(s, of_forces, reach)));
  });
  verdict.compare(value, Numbers(value.size(), 0), allowed);
}

template <class T>
void velocities_keep_loops_closed(State<T>& s, CheckVerdict& verdict) {
  closed_loops_stay_closed(s, verdict, false);
}
template <class T>
void accelerations_keep_loops_closed(State<T>& s, CheckVerdict& verdict) {
  closed_loops_stay_closed(s, verdict, true);
}

/// As forces on the links of the tree, the forces in the loops explain its acceleration.
template <class T>
void loop_forces_explain_the_acceleration(State<T>& s, CheckVerdict& verdict) {
  const Closed<T> closed(s);
  if (!closed.found) return verdict.add_note("some random states lead to no closed loops");
  Numbers f_ext(6 * at(s.model().n_links()), 0), f_loop = converted<double>(closed.f_loop);
  for (int l = 0; l < s.subject.closed.n_loops(); ++l)
    push_by_loop(closed.pose, s.subject.closed.loop(l), std::span<const double, 6>(&f_loop[6 * at(l)], 6), f_ext);
  std::vector<T> tau(s.nv());
  inverse_dynamics<T>(s.model(), closed.q, closed.v, closed.a, tau, s.work, converted<T>(f_ext));
  const Numbers q = converted<double>(closed.q), v = converted<double>(closed.v), a = converted<double>(closed.a);
  const Numbers sizes = force_sizes(s.model(), q, v, a, f_ext);
  verdict.compare(converted<double>(tau), converted<double>(closed.tau), scaled(s.unit, sizes));
}

}  // namespace

template <class T>
std::vector<Property<T>> loop_properties() {
  return {{"velocities keep loops closed", Needs::invertible, velocities_keep_loops_closed<T>},
          {"accelerations keep loops closed", Needs::invertible, accelerations_keep_loops_closed<T>},
          {"forces in loops explain the acceleration", Needs::invertible, loop_forces_explain_the_acceleration<T>}};
}

template std::vector<Property<double>> loop_properties();
template std::vector<Property<float>> loop_properties();

}  // namespace tandem::check_detail
