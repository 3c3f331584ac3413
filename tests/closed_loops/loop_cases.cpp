// SPDX-License-Identifier: Apache-2.0
#include "closed_loops/loop_cases.hpp"

#include <map>

namespace tandem::test {
namespace {

constexpr JointType types[] = {JointType::fixed,     JointType::revolute, JointType::spherical,
                               JointType::prismatic, JointType::planar,   JointType::continuous};

/// A loop joint of which the frames meet while the links stand so.
LoopDescription closed(const Model& m, const Frames& at, int link_1, int link_2, JointType type, int number,
                       Random& random) {
  const auto pose_of = [&](int link) {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    X.linear() = at.R[static_cast<std::size_t>(link)];
    X.translation() = at.p[static_cast<std::size_t>(link)];
    return X;
  };
  Eigen::Isometry3d frame = Eigen::Isometry3d::Identity();
  frame.linear() = Eigen::Quaterniond(random.normal(), random.normal(), random.normal(), random.normal())
                       .normalized()
                       .toRotationMatrix();
  frame.translation() =
      at.p[static_cast<std::size_t>(link_2)] + 0.2 * Vector3(random.normal(), random.normal(), random.normal());
  const auto placed = [&](int link) {
    const Eigen::Isometry3d X = pose_of(link).inverse() * frame;
    Pose pose;
    for (int r = 0; r < 3; ++r) {
      pose.position[static_cast<std::size_t>(r)] = X.translation()[r];
      for (int c = 0; c < 3; ++c) pose.rotation[static_cast<std::size_t>(3 * r + c)] = X.linear()(r, c);
    }
    return pose;
  };
  LoopDescription loop = {.name = "loop" + std::to_string(number),
                          .type = type,
                          .link_1 = std::string(m.link_name(link_1)),
                          .link_2 = std::string(m.link_name(link_2)),
                          .placement_1 = placed(link_1),
                          .placement_2 = placed(link_2)};
  if (joint_kind(type).has_axis) loop.axis = {0.6, 0, 0.8};
  return loop;
}

std::vector<LoopCase> all_cases() {
  std::vector<LoopCase> all;
  Workspace<double> work;
  for (const Case& c : cases()) {
    const Model& m = c.model;
    if (m.n_joints() < 2 || m.nv() < 3 || m.n_joints() > 41 || !m.singular_joints().empty() || c.options.floating)
      continue;
    if (c.name.starts_with("massless") || c.name.starts_with("immovable")) continue;
    for (std::size_t k = 0; k < 2; ++k) {
      Random random(c.seed + 100 * k);
      const State s = random_state(m, random.bits());
      const Frames at = Robot<double>(m).forward_kinematics(s.q);
      ModelBuilder b = describe(m);
      std::string name = c.name;
      for (int loop = 0; loop < (m.n_joints() > 7 ? 2 : 1); ++loop) {
        const JointType type = types[random.below(std::size(types))];
        const int last = m.n_links() - 1 - loop;
        const int first = static_cast<int>(random.below(static_cast<std::uint64_t>(std::max(1, last - 2))));
        b.loop(closed(m, at, first, last, type, loop, random));
        name += ", " + std::to_string(first) + " to " + std::to_string(last) + " " + to_string(type);
      }
      LoopCase made = {name, b.build(), s.q, s.v};
      std::vector<double> q(s.q.data(), s.q.data() + s.q.size()), v(s.v.data(), s.v.data() + s.v.size());
      close_loops<double>(made.model, q, q, work, v, v);
      made.q = Eigen::Map<const Vector>(q.data(), m.nq());
      made.v = Eigen::Map<const Vector>(v.data(), m.nv());
      all.push_back(std::move(made));
    }
  }
  return all;
}

}  // namespace

const std::vector<LoopCase>& loop_cases() {
  static const std::vector<LoopCase> all = all_cases();
  return all;
}

LoopEquations equations(const Model& model, const Vector& q, const Vector& v) {
  ModelBuilder b = describe(model.without_loops());
  for (int l = 0; l < model.n_loops(); ++l) {
    const LoopJoint loop = model.loop(l);
    Pose turn;  // axes that have the joint's own as z
    const double* E = model.view<double>().loop_turn + 9 * l;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) turn.rotation[3 * r + c] = E[3 * c + r];
    b.frame({"one" + std::to_string(l), std::string(model.link_name(loop.link_1)), loop.placement_1 * turn, {}});
    b.frame({"two" + std::to_string(l), std::string(model.link_name(loop.link_2)), loop.placement_2 * turn, {}});
  }
  const Model with_frames = b.build();
  Robot<double> robot(with_frames);
  const Frames at = robot.forward_kinematics(q);
  const Index n = model.nv(), held = model.view<double>().n_held;
  LoopEquations result = {Matrix::Zero(held, n), Vector::Zero(held), Vector::Zero(held)};
  Index row = 0;
  for (int l = 0; l < model.n_loops(); ++l) {
    const int one = with_frames.frame_index("one" + std::to_string(l)),
              two = with_frames.frame_index("two" + std::to_string(l));
    const auto i = static_cast<std::size_t>(one), j = static_cast<std::size_t>(two);
    const Matrix3 R = at.R[i].transpose() * at.R[j];
    const Vector3 p = at.R[i].transpose() * (at.p[j] - at.p[i]);
    const Matrix J_1 = robot.jacobian(q, one, Reference::local), J_2 = robot.jacobian(q, two, Reference::local);
    const Vector6 drift_1 = robot.jacobian_time_derivative_product(q, v, one, Reference::local);
    const Vector6 drift_2 = robot.jacobian_time_derivative_product(q, v, two, Reference::local);
    Matrix J(6, n);
    J.topRows(3) = R * J_2.topRows(3) - J_1.topRows(3) + skew_matrix(p) * J_1.bottomRows(3);
    J.bottomRows(3) = R * J_2.bottomRows(3) - J_1.bottomRows(3);
    const Vector rate = J * v, V_1 = J_1 * v, V_2 = J_2 * v;
    const Vector3 u = rate.head<3>(), w = rate.tail<3>(), w_1 = V_1.tail<3>();
    const Vector3 v_2 = R * V_2.head<3>(), w_2 = R * V_2.tail<3>();
    Vector6 bias, error;
    bias.head<3>() =
        R * drift_2.head<3>() + w.cross(v_2) - drift_1.head<3>() - Vector3(drift_1.tail<3>()).cross(p) - w_1.cross(u);
    bias.tail<3>() = R * drift_2.tail<3>() + w.cross(w_2) - drift_1.tail<3>();
    const std::int32_t mask = model.view<double>().loop_held[l];
    const bool about_axis = holds(mask, 3) && !holds(mask, 5);
    const Vector3 z = R.col(2), across = Vector3::UnitZ().cross(z);
    const double sine = across.norm();
    const Eigen::AngleAxisd turn(R);
    error.head<3>() = p;
    error.tail<3>() = !about_axis ? Vector3(turn.angle() * turn.axis())
                      : sine > 0  ? Vector3(std::atan2(sine, z[2]) / sine * across)
                                  : Vector3(Vector3::Zero());
    for (int r = 0; r < 6; ++r) {
      if (!holds(mask, r)) continue;
      result.J.row(row) = J.row(r);
      result.bias[row] = bias[r];
      result.error[row++] = error[r];
    }
  }
  return result;
}

double free_size(const LoopCase& c, const Vector& tau) {
  return Robot<double>(c.model.without_loops()).forward_dynamics(c.q, c.v, tau).cwiseAbs().maxCoeff();
}

bool is_redundant(const LoopCase& c) {
  const Matrix J = equations(c.model, c.q, c.v).J;
  const Eigen::JacobiSVD<Matrix> svd(J);
  return J.rows() > J.cols() || svd.singularValues()[J.rows() - 1] < 1e-6 * svd.singularValues()[0];
}

}  // namespace tandem::test
