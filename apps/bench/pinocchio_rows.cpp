// SPDX-License-Identifier: Apache-2.0
/// Pinocchio's plain C++ on the same robots, one state at a time, in each of its conventions.
#include "rows.hpp"

#ifndef TANDEM_BENCH_PINOCCHIO

namespace tandem::bench {
void register_pinocchio(std::shared_ptr<const Robot>) {}
std::string pinocchio_version() { return {}; }
}  // namespace tandem::bench

#else
#if __has_include(<pinocchio/multibody.hpp>)  // Pinocchio 4
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#else
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/joint/joints.hpp>
#include <pinocchio/multibody/model.hpp>
#endif
#include <fmt/core.h>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>

#include "tandem/model/joint.hpp"

namespace tandem::bench {
namespace {

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

Eigen::Matrix3d eigen(const Mat3<double>& A) {
  Eigen::Matrix3d B;
  B << A.row0.x, A.row0.y, A.row0.z, A.row1.x, A.row1.y, A.row1.z, A.row2.x, A.row2.y, A.row2.z;
  return B;
}
Eigen::Vector3d eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

/// X_ip as Pinocchio has it: the placement of frame i in frame p.
pin::SE3 placement(const Transform<double>& X) { return {eigen(transpose(X.E)), eigen(X.r)}; }

pin::JointModel joint_model(JointType type, const std::array<double, 3>& axis) {
  if (type == JointType::free) return pin::JointModelFreeFlyer();
  if (type == JointType::spherical) return pin::JointModelSpherical();
  const Eigen::Vector3d a(axis[0], axis[1], axis[2]);
  const bool slides = type == JointType::prismatic;
  int along = -1;
  for (int k = 0; k < 3; ++k)
    if (a.isApprox(Eigen::Vector3d::Unit(k), 1e-12)) along = k;
  switch (along) {
    case 0: return slides ? pin::JointModel(pin::JointModelPX()) : pin::JointModel(pin::JointModelRX());
    case 1: return slides ? pin::JointModel(pin::JointModelPY()) : pin::JointModel(pin::JointModelRY());
    case 2: return slides ? pin::JointModel(pin::JointModelPZ()) : pin::JointModel(pin::JointModelRZ());
    default:
      return slides ? pin::JointModel(pin::JointModelPrismaticUnaligned(a))
                    : pin::JointModel(pin::JointModelRevoluteUnaligned(a));
  }
}

/// The robot in Pinocchio: with joint axes as described, or in frames turned so that every axis is z, which is what a
/// careful user can do.
pin::Model build(const tandem::Model& robot, bool z_axes) {
  const auto& m = robot.view<double>();
  pin::Model model;
  model.name = robot.name();
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0 || m.type[i] == JointType::planar) throw Error("joint type has no counterpart here");
    auto X = load_transform<double>(m.placement, Index{12} * i);
    auto I = link_inertia<double>(m, i);
    std::array<double, 3> axis{0, 0, 1};
    if (!z_axes) {
      const auto F_i = frame_transform<double>(m, i), F_p = frame_transform<double>(m, m.parent[i]);
      X = F_i * X * inverse(F_p);
      I = transpose_mul(inverse(F_i), I);
      axis = robot.joint_axis(i);
    }
    // indices of links here and of joints there are the same: 0 is the base
    const auto id = model.addJoint(static_cast<pin::JointIndex>(m.parent[i]), joint_model(m.type[i], axis),
                                   placement(X), "joint" + std::to_string(i));
    const Eigen::Vector3d com = I.m == 0 ? Eigen::Vector3d(0, 0, 0) : Eigen::Vector3d(eigen(I.h) / I.m);
    const Eigen::Matrix3d about_origin = eigen(full(I.I));
    const Eigen::Matrix3d about_com =
        about_origin - I.m * (com.squaredNorm() * Eigen::Matrix3d::Identity() - com * com.transpose());
    model.appendBodyToJoint(id, pin::Inertia(I.m, com, about_com));
  }
  for (int k = 0; k < m.nv; ++k) model.armature[k] = m.armature[k];
  return model;
}

struct Instance {
  pin::Model model;
  pin::Data data;
  std::vector<Vector> q, v, a, tau;
  Vector out;
  explicit Instance(pin::Model built) : model(std::move(built)), data(model) {}
};

Eigen::Map<const Vector> map(const std::vector<double>& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }

void register_frames(const std::shared_ptr<const Robot>& robot, bool z_axes) {
  const std::string suffix = z_axes ? "_z" : "";
  auto x = std::make_shared<Instance>(build(robot->model, z_axes));
  for (const State& s : robot->states) {
    x->q.push_back(map(s.q));
    x->v.push_back(map(s.v));
    x->a.push_back(map(s.a));
    x->tau.push_back(map(s.tau));
  }
  const State* first = robot->states.data();
  const auto row = [&](const char* name, const std::string& library, auto call) {
    add_row(name, robot, library + suffix,
            [x, first, call](const State& s) { call(*x, static_cast<std::size_t>(&s - first)); });
  };
  row("inverse_dynamics", "pinocchio_rnea",
      [](Instance& i, std::size_t k) { pin::rnea(i.model, i.data, i.q[k], i.v[k], i.a[k]); });
  for (const auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD}) {
    const std::string which = convention == pin::Convention::LOCAL ? "_local" : "_world";
    row("forward_dynamics", "pinocchio_aba" + which,
        [convention](Instance& i, std::size_t k) { pin::aba(i.model, i.data, i.q[k], i.v[k], i.tau[k], convention); });
    row("mass_matrix", "pinocchio_crba" + which,
        [convention](Instance& i, std::size_t k) { pin::crba(i.model, i.data, i.q[k], convention); });
    row("forward_dynamics", "pinocchio_nle_crba_cholesky" + which, [convention](Instance& i, std::size_t k) {
      pin::nonLinearEffects(i.model, i.data, i.q[k], i.v[k]);
      pin::crba(i.model, i.data, i.q[k], convention);
      pin::cholesky::decompose(i.model, i.data);
      i.out = i.tau[k] - i.data.nle;
      pin::cholesky::solve(i.model, i.data, i.out);
    });
  }
  row("forward_kinematics", "pinocchio",
      [](Instance& i, std::size_t k) { pin::forwardKinematics(i.model, i.data, i.q[k]); });
}

}  // namespace

void register_pinocchio(std::shared_ptr<const Robot> robot) {
  if (robot->model.nv() > 500) {  // its Data holds nv^3 numbers
    fmt::print(stderr, "{}: Pinocchio's Data would need {:.0f} GB, left out\n", robot->name,
               6.0 * 8e-9 * robot->model.nv() * robot->model.nv() * robot->model.nv());
    return;
  }
  try {
    for (const bool z_axes : {false, true}) register_frames(robot, z_axes);
  } catch (const Error& e) {
    fmt::print(stderr, "{}: left out of Pinocchio's rows: {}\n", robot->name, e.what());
  }
}

std::string pinocchio_version() { return PINOCCHIO_VERSION; }

}  // namespace tandem::bench
#endif
