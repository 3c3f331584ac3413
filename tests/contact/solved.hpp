// SPDX-License-Identifier: Apache-2.0
/// The contact problem of a robot, solved by the mathematics alone, in memory between fences of NaN.
#pragma once
#include <limits>
#include <stdexcept>
#include <vector>

#include "tandem/detail/contact/mobility.hpp"
#include "tandem/detail/contact/solver.hpp"
#include "tandem/model/model.hpp"

namespace tandem::test {

/// A contact in doubles, in the world.
struct WorldContact {
  ContactKind kind;
  double place[ContactPlace::rows];
  double last_normal = 0;
};

struct SolvedContacts {
  std::vector<double> a, f_limit, f_friction, f_contact;
  bool converged = false;
  int steps = 0;
};

/// A robot with what its rows are made of.
struct ContactRobot {
  using Mobility = ContactMobility<double, double, double*>;
  Model model;
  std::vector<double> mobility;
  std::vector<Softness> limit, friction;
  ContactSolverOptions options;
  std::vector<double> diagonal;  ///< or empty

  explicit ContactRobot(Model m) : model(std::move(m)), mobility(static_cast<std::size_t>(model.nv())) {
    const auto& view = model.view<double>();
    std::vector<double> w(static_cast<std::size_t>(Mobility::work_rows(view)));
    Mobility{view, w.data()}.find(at_zero().data(), mobility.data());
  }
  /// All coordinates 0, quaternions without a turn: MuJoCo's qpos0 where the description has no other.
  std::vector<double> at_zero() const {
    const auto& view = model.view<double>();
    std::vector<double> q(static_cast<std::size_t>(view.nq));
    for (int i = 1; i < view.n_links; ++i) {
      const JointKind kind = joint_kind(view.type[i]);
      if (kind.quaternion >= 0) q[static_cast<std::size_t>(view.q_index[i] + kind.quaternion + 3)] = 1;
    }
    return q;
  }
  double point_mobility(int link, const Vec3<double>& point, const std::vector<double>& q) const {
    const auto& view = model.view<double>();
    std::vector<double> w(static_cast<std::size_t>(Mobility::work_rows(view))), joints(mobility.size());
    const Mobility of{view, w.data()};
    of.find(q.data(), joints.data());
    return of.of_point(link, point);
  }

  template <class T = double>
  SolvedContacts solve(const std::vector<double>& q, const std::vector<double>& v, const std::vector<double>& tau,
                       const std::vector<WorldContact>& contacts, const std::vector<double>& begin) const {
    const auto& view = model.view<T>();
    const auto in = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
    std::vector<ContactKind> kinds;
    std::vector<T> places, normals;
    for (const WorldContact& c : contacts) {
      if (!kinds.empty() && kinds.back().link > c.kind.link)
        throw std::logic_error("contacts are not in the order of links");
      kinds.push_back(c.kind);
      for (double x : c.place) places.push_back(static_cast<T>(x));
      normals.push_back(static_cast<T>(c.last_normal));
    }
    const int n = static_cast<int>(kinds.size());
    using Solver = ContactSolver<T, T, T*>;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    const JointSoftness soft{limit.empty() ? nullptr : limit.data(), friction.empty() ? nullptr : friction.data(),
                             mobility.data()};
    std::vector<T> w(static_cast<std::size_t>(Solver::work_rows(view, soft, n, 0, 0)) + 1, nan);
    std::vector<T> Q = in(q), V = in(v), Tau = in(tau), A = in(begin), D = in(diagonal);
    std::vector<T> f_limit(A.size(), nan), f_friction(A.size(), nan), f(static_cast<std::size_t>(6 * n) + 1, nan);
    const ContactList<T*> list{n, kinds.data(), places.data(), normals.data()};
    const Solver solver{view, options, soft, list, w.data()};
    const auto done =
        solver.solve(Q.data(), V.data(), Tau.data(), static_cast<T*>(nullptr), D.empty() ? nullptr : D.data(), A.data(),
                     f_limit.data(), f_friction.data(), f.data());
    if (w.back() == w.back()) throw std::logic_error("the solver writes beyond its workspace");
    if (f.back() == f.back()) throw std::logic_error("the solver writes beyond its forces");
    f.pop_back();
    const auto out = [](const std::vector<T>& x) { return std::vector<double>(x.begin(), x.end()); };
    return {out(A), out(f_limit), out(f_friction), out(f), done.converged == T(1), static_cast<int>(done.steps)};
  }
};

}  // namespace tandem::test
