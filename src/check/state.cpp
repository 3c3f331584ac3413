// SPDX-License-Identifier: Apache-2.0
#include "check/state.hpp"

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "model/principal_axes.hpp"
#include "tandem/api/random_range.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/problems/mass_matrix.hpp"
#include "tandem/detail/problems/passive_forces.hpp"

namespace tandem::check_detail {
namespace {

constexpr int most_frames = 64;

/// A random configuration, drawn from a part of ranges that are wider than 20 rad or m, the one nearest to zero: a rail
/// of 1e6 m leaves a robot at its end as many digits fewer, which is no fault of a function.
std::vector<double> configuration_near_by(const Model& model, std::uint64_t seed) {
  constexpr double widest = 20;
  const auto& m = model.view<double>();
  std::vector<double> q = random_configuration(model, seed);
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0) continue;
    const JointKind& kind = joint_kind(m.type[i]);
    const int coordinates = kind.quaternion >= 0 ? kind.quaternion : kind.nq;
    for (int k = 0; k < coordinates; ++k) {
      const Range range = random_range(model, i, k);
      if (!(range.upper - range.lower > widest)) continue;
      double& x = q[static_cast<std::size_t>(m.q_index[i] + k)];
      const double share = x / (range.upper - range.lower) - range.lower / (range.upper - range.lower);
      x = std::clamp(-widest / 2, range.lower, range.upper - widest) + widest * share;
    }
  }
  return q;
}

}  // namespace

void CheckVerdict::compare(const Numbers& value, const Numbers& expected, const Numbers& allowed) {
  double base = 0;
  for (std::size_t k = 0; k < value.size(); ++k) base = std::max({base, std::abs(expected[k]), allowed[k]});
  for (std::size_t k = 0; k < value.size(); ++k) {
    const double error = std::abs(value[k] - expected[k]);
    if (!std::isfinite(error) && allowed[k] >= base) continue;  // no digit was to be expected here
    const double ratio = error == 0 ? 0 : error / allowed[k];
    if (ratio <= ratio_) continue;
    if (!std::isfinite(error)) {
      fail("not a finite number");
      continue;
    }
    ratio_ = ratio;
    error_ = base > 0 ? error / base : 0;
    tolerance_ = base > 0 ? allowed[k] / base : 0;
  }
}

void CheckVerdict::fail(const std::string& why) {
  failed_ = true;
  add_note(why);
}

void CheckVerdict::add_note(const std::string& note) {
  if (note_.find(note) == std::string::npos) note_ += (note_.empty() ? "" : "; ") + note;
}

Subject::Subject(const Model& given)
    : closed(given.with_base_acceleration({})),
      model(closed.without_loops()),
      weightless(model.with_gravity({0, 0, 0})) {
  const auto& m = model.view<double>();
  for (int i = 1; i < m.n_links; ++i) {
    const auto I = link_inertia<double>(m, i);
    mass += I.m;
    if (I.m != 0 || I.I.xx != 0 || I.I.yy != 0 || I.I.zz != 0) has_inertia = true;
    const double slack = 1e-12 * std::abs(I.I.xx + I.I.yy + I.I.zz);  // for rounding
    if (I.m < 0 || model_detail::principal_axes(given.mass_properties(i).inertia).moments[0] < -slack)
      unphysical.push_back(i);
    if (m.mimics[i] == 0 && (m.type[i] == JointType::free || m.type[i] == JointType::planar) &&
        m.stiffness[m.v_index[i]] != 0)
      springs_have_potential = false;
  }
  for (int k = 0; k < m.nv; ++k) has_inertia = has_inertia || m.armature[k] > 0;
  if (m.n_frames <= most_frames) {
    for (int f = 0; f < m.n_frames; ++f) frames.push_back(f);
  } else {
    Random random(1);
    const int some = std::clamp(1'000'000 / std::max(m.nv, 1), 1, most_frames);
    for (int f = 1; f < some; ++f)
      frames.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(m.n_frames))));
    frames.push_back(m.n_links - 1);
  }
}

template <class T>
State<T>::State(const Subject& s, std::uint64_t seed, bool with_matrices) : subject(s) {
  const auto& m = model().template view<double>();
  Random random(seed);
  const auto draw = [&](std::size_t n, double size) {
    Numbers x(n);
    for (double& value : x) value = static_cast<T>(random.uniform(-size, size));
    return x;
  };
  q_T = converted<T>(configuration_near_by(model(), random.bits()));
  q = converted<double>(q_T);
  const auto n = static_cast<std::size_t>(m.nv);
  v = draw(n, 1);
  a = draw(n, 10);
  v_T = converted<T>(v);
  nothing.assign(n, 0);
  f_ext.assign(6 * static_cast<std::size_t>(m.n_links), 0);
  for (const int f : subject.frames) {
    const auto link = static_cast<std::size_t>(m.frame_link[f]);
    const Numbers force = draw(6, 10 * std::max(model().link_mass(m.frame_link[f]), 1e-3));
    std::copy(force.begin(), force.end(), f_ext.begin() + static_cast<std::ptrdiff_t>(6 * link));
  }
  const double depth = std::max(model().depth(), 1);
  unit = (16 * std::sqrt(depth) + depth) * std::numeric_limits<T>::epsilon();
  if (!with_matrices) return;

  std::vector<double> exact(n * n);
  run_body<double>(MassMatrix(), m, q.data(), exact.data());
  std::vector<T> M(n * n);
  mass_matrix<T>(model(), q_T, M, work);
  Numbers columns(n * n), sizes(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    Numbers e_j(n, 0);
    e_j[j] = 1;
    std::ranges::copy(inverse_dynamics(subject.weightless, nothing, e_j),
                      columns.begin() + static_cast<std::ptrdiff_t>(j * n));
    std::ranges::copy(force_sizes(subject.weightless, q, nothing, e_j),
                      sizes.begin() + static_cast<std::ptrdiff_t>(j * n));
  }
  matrices.emplace(Matrices{converted<double>(M), std::move(columns), std::move(sizes), ScaledMatrix(exact, n)});
}

template <class T>
Numbers State<T>::inverse_dynamics(const Model& m, const Numbers& rate, const Numbers& acceleration,
                                   const Numbers& forces) {
  std::vector<T> tau(nv());
  tandem::inverse_dynamics<T>(m, q_T, converted<T>(rate), converted<T>(acceleration), tau, work, converted<T>(forces));
  return converted<double>(tau);
}

template <class T>
Numbers State<T>::forward_dynamics(const Numbers& tau, Method method) {
  std::vector<T> result(nv());
  tandem::forward_dynamics<T>(model(), q_T, v_T, converted<T>(tau), result, work, converted<T>(f_ext), {},
                              {.method = method});
  return converted<double>(result);
}

template <class T>
std::vector<Dual<T>> State<T>::moving_configuration() {
  std::vector<Dual<T>> u(nv()), result(q.size());
  for (std::size_t k = 0; k < nv(); ++k) u[k].rate = v_T[k];
  const std::vector<Dual<T>> start = converted<Dual<T>>(q_T);
  Integrate::body<Dual<T>>(view(), start.data(), u.data(), result.data(), static_cast<Dual<T>*>(nullptr));
  return result;
}

template <class T>
std::vector<Dual<T>> State<T>::moving_velocity() const {
  std::vector<Dual<T>> result(nv());
  for (std::size_t k = 0; k < nv(); ++k) result[k] = Dual<T>(v_T[k], static_cast<T>(a[k]));
  return result;
}

template <class T>
Numbers State<T>::spring_forces() {
  std::vector<T> tau(nv());
  passive_forces<T>(model(), q_T, std::vector<T>(nv(), T(0)), tau, work);
  return converted<double>(tau);
}

double product(const Numbers& x, const Numbers& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += x[k] * y[k];
  return sum;
}

Numbers sum(Numbers x, const Numbers& y) {
  for (std::size_t k = 0; k < x.size(); ++k) x[k] += y[k];
  return x;
}

Numbers scaled(double factor, Numbers x) {
  for (double& value : x) value *= factor;
  return x;
}

Numbers and_more(const Numbers& x) {
  Numbers more;
  for (const double value : x) more.push_back(std::abs(value) + 1);
  return more;
}

double total(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += std::abs(value);
  return sum;
}

double product_size(const Numbers& x, const Numbers& y) {
  double sum = 0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += std::abs(x[k] * y[k]);
  return sum;
}

template class State<double>;
template class State<float>;

}  // namespace tandem::check_detail
