// SPDX-License-Identifier: Apache-2.0
/// The general joint against closed forms of every joint type that it stands for.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <array>
#include <random>
#include <vector>

#include "tandem/detail/joint/link_transform.hpp"
#include "tandem/detail/problems/integrate.hpp"
#include "tandem/detail/passes/joint_response.hpp"

namespace tandem::test {
namespace {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;
using Vector6 = Eigen::Matrix<double, 6, 1>;

constexpr double eps = std::numeric_limits<double>::epsilon(), m_per_rad = 0.3;
constexpr JointType general_types[] = {JointType::helical, JointType::universal, JointType::planar};

class GeneralJoints : public ::testing::Test {
 protected:
  std::mt19937 random{20261127};
  double number() { return std::uniform_real_distribution<double>(-2, 2)(random); }
  Vector3 vector3() { return {number(), number(), number()}; }
  Eigen::Quaterniond turn() { return Eigen::Quaterniond(number(), number(), number(), number()).normalized(); }
  std::vector<double> configuration(JointType type) {
    std::vector<double> q(static_cast<std::size_t>(joint_kind(type).nq));
    for (double& x : q) x = number();
    return q;
  }
};

Vector3 eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }
Vector6 eigen(const Motion<double>& a) { return (Vector6() << eigen(a.w), eigen(a.v)).finished(); }
Vector6 eigen(const Force<double>& a) { return (Vector6() << eigen(a.n), eigen(a.f)).finished(); }
Vec3<double> ours(const Vector3& a) { return {a.x(), a.y(), a.z()}; }

/// The child's placement in the parent-side frame of the joint: p and R, columns its axes.
struct Pose {
  Matrix3 R = Matrix3::Identity();
  Vector3 p = Vector3::Zero();
};
Pose pose(JointType type, const std::vector<double>& q) {
  const auto about = [](double angle, const Vector3& axis) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
  };
  switch (type) {
    case JointType::helical: return {about(q[0], Vector3::UnitZ()), {0, 0, m_per_rad * q[0]}};
    case JointType::universal: return {about(q[0], Vector3::UnitX()) * about(q[1], Vector3::UnitY()), {0, 0, 0}};
    default: return {about(q[2], Vector3::UnitZ()), {q[0], q[1], 0}};
  }
}
/// S [angular; linear] along the child's axes.
Eigen::Matrix<double, 6, Eigen::Dynamic> axes(JointType type, const std::vector<double>& q) {
  Eigen::Matrix<double, 6, Eigen::Dynamic> S = Eigen::MatrixXd::Zero(6, joint_kind(type).nv);
  switch (type) {
    case JointType::helical: S.col(0) << 0, 0, 1, 0, 0, m_per_rad; break;
    case JointType::universal:
      S.col(0) << std::cos(q[1]), 0, std::sin(q[1]), 0, 0, 0;
      S.col(1) << 0, 1, 0, 0, 0, 0;
      break;
    default: S(3, 0) = S(4, 1) = S(2, 2) = 1;
  }
  return S;
}

/// What a general joint reads of a model: a single joint, 1.
struct OneJoint {
  JointType types[2];
  double slides[2] = {0, m_per_rad}, placement[24] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::int32_t q_index[2] = {0, 0};
  ModelView<double> view() const {
    ModelView<double> m;
    m.type = types;
    m.slides = slides;
    m.q_index = q_index;
    m.placement = placement;
    return m;
  }
};
GeneralJoint<double> joint_at(JointType type, const std::vector<double>& q) {
  const OneJoint one = {{JointType::fixed, type}};
  return GeneralJoint<double>::at(one.view(), 1, GeneralRows<double>::of(q, joint_kind(type).nq));
}

TEST_F(GeneralJoints, PlaceTheirLinks) {
  for (const JointType type : general_types)
    for (int round = 0; round < 20; ++round) {
      const auto q = configuration(type);
      const Matrix3 E = turn().toRotationMatrix();
      const Vector3 r = vector3();
      const Transform<double> X_T = {
          {ours(E.row(0).transpose()), ours(E.row(1).transpose()), ours(E.row(2).transpose())}, ours(r)};
      OneJoint one = {{JointType::fixed, type}};
      store(&one.placement[0], 12, X_T);
      const auto joint = GeneralJoint<double>::at(one.view(), 1, GeneralRows<double>::of(q, joint_kind(type).nq));
      ASSERT_EQ(joint.nq, joint_kind(type).nq);
      ASSERT_EQ(joint.nv, joint_kind(type).nv);
      const auto& X = joint.X_ip;
      const auto [R, p] = pose(type, q);
      Matrix3 found;
      found << eigen(X.E.row0).transpose(), eigen(X.E.row1).transpose(), eigen(X.E.row2).transpose();
      EXPECT_LE((found - R.transpose() * E).norm(), 32 * eps) << to_string(type);
      EXPECT_LE((eigen(X.r) - (r + E.transpose() * p)).norm(), 32 * eps * (1 + r.norm() + p.norm())) << to_string(type);

      // and its axes, of which only the transform is kept
      double rows[12];
      keep_transform(joint, X, &rows[0], 0);
      const auto kept = GeneralJoint<double>::kept(one.view(), 1, &rows[0], 0);
      for (int k = 0; k < joint.nv; ++k)
        EXPECT_LE((eigen(kept.axes[k]) - axes(type, q).col(k)).norm(), 16 * eps) << to_string(type);
    }
}

TEST_F(GeneralJoints, MoveThemAlongTheirAxes) {
  for (const JointType type : general_types)
    for (int round = 0; round < 20; ++round) {
      const auto q = configuration(type);
      const auto joint = joint_at(type, q);
      const auto S = axes(type, q);
      Eigen::VectorXd v(joint.nv);
      for (auto& x : v) x = number();
      const Force<double> f = {ours(vector3()), ours(vector3())};
      Eigen::Matrix<double, 6, 6> root;
      for (auto& x : root.reshaped()) x = number();
      const Eigen::Matrix<double, 6, 6> A = root * root.transpose();
      const ArticulatedInertia<double> inertia = {
          {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)},
          {{A(0, 3), A(0, 4), A(0, 5)}, {A(1, 3), A(1, 4), A(1, 5)}, {A(2, 3), A(2, 4), A(2, 5)}},
          {A(3, 3), A(4, 4), A(5, 5), A(3, 4), A(3, 5), A(4, 5)}};

      const auto moved = joint.motion<double>(v.data());
      EXPECT_LE((eigen(moved.v_J) - S * v).norm(), 16 * eps * v.norm()) << to_string(type);
      Vector3 bias = Vector3::Zero();
      if (type == JointType::universal) bias = v[0] * v[1] * Vector3(-std::sin(q[1]), 0, std::cos(q[1]));
      EXPECT_LE(((moved.drifts ? eigen(moved.drift) : Vector3::Zero()) - bias).norm(), 16 * eps * v.squaredNorm());

      double tau[3];
      for (int k = 0; k < joint.nv; ++k) {
        EXPECT_LE((eigen(joint.axis<double>(k)) - S.col(k)).norm(), 4 * eps) << to_string(type);
        EXPECT_NEAR(joint.along(k, f), S.col(k).dot(eigen(f)), 16 * eps * eigen(f).norm()) << to_string(type);
        EXPECT_LE((eigen(joint.column(k, inertia)) - A * S.col(k)).norm(), 32 * eps * A.norm()) << to_string(type);
        tau[k] = v[k];
      }
      EXPECT_LE((S.transpose() * eigen(joint.wrench(tau)) - v).norm(), 16 * eps * v.norm()) << to_string(type);
    }
}

TEST_F(GeneralJoints, AreStagesInSeries) {
  for (const JointType type : general_types) {
    const auto q = configuration(type);
    const auto joint = joint_at(type, q);
    const auto S = axes(type, q);
    EXPECT_EQ(stages(joint), type == JointType::universal ? 2 : 1);
    int axis = 0;
    for (int s = 0; s < stages(joint); ++s) {
      const auto part = stage(joint, s);
      EXPECT_EQ(first_axis(part), axis);
      for (int k = 0; k < part.nv; ++k, ++axis) {
        double unit[3] = {};
        unit[k] = 2;
        EXPECT_LE((eigen(part.axis<double>(k)) - S.col(axis)).norm(), 4 * eps);
        EXPECT_LE((eigen(part.motion<double>(&unit[0]).v_J) - 2 * S.col(axis)).norm(), 8 * eps);
      }
      if (stages(joint) > 1) {
        EXPECT_FALSE(part.motion<double>(q.data()).drifts);
      }
    }
    EXPECT_EQ(axis, joint.nv);
  }
}

/// e^A by its series, of motions of a few units.
Eigen::Matrix4d exponential(const Eigen::Matrix4d& A) {
  Eigen::Matrix4d sum = Eigen::Matrix4d::Identity(), term = sum;
  for (int k = 1; k < 60; ++k) {
    term = term * A / k;
    sum += term;
  }
  return sum;
}

TEST_F(GeneralJoints, IntegrateAlongTheirManifolds) {
  for (const JointType type : general_types)
    for (int round = 0; round < 20; ++round) {
      const auto q = configuration(type);
      const auto joint = joint_at(type, q);
      std::vector<double> u(static_cast<std::size_t>(joint.nv)), there(q.size()), back(u.size());
      for (double& x : u) x = 0.7 * number();
      joint.integrate<double>(q.data(), u.data(), there.data());
      joint.difference<double>(q.data(), there.data(), back.data());

      // coordinates that add up, or a motion that is constant along the child's axes
      auto expected = pose(type, q);
      if (type == JointType::helical || type == JointType::universal) {
        auto sum = q;
        for (std::size_t k = 0; k < q.size(); ++k) sum[k] += u[k];
        expected = pose(type, sum);
      } else {
        const Vector6 m = axes(type, q) * Eigen::Map<const Eigen::VectorXd>(u.data(), joint.nv);
        Eigen::Matrix4d A;
        A << 0, -m[2], m[1], m[3], m[2], 0, -m[0], m[4], -m[1], m[0], 0, m[5], 0, 0, 0, 0;
        const Eigen::Matrix4d step = exponential(A);
        expected = {expected.R * step.topLeftCorner<3, 3>(), expected.p + expected.R * step.topRightCorner<3, 1>()};
      }
      const auto found = pose(type, there);
      const double size = 1 + expected.p.norm(), norm = Eigen::Map<const Eigen::VectorXd>(u.data(), joint.nv).norm();
      EXPECT_LE((found.R - expected.R).norm(), 64 * eps) << to_string(type);
      EXPECT_LE((found.p - expected.p).norm(), 64 * eps * size) << to_string(type);
      const Eigen::Map<const Eigen::VectorXd> u_there(u.data(), joint.nv), u_back(back.data(), joint.nv);
      if (norm < 3) {
        EXPECT_LE((u_there - u_back).norm(), 256 * eps * size) << to_string(type);
      }
    }
}

/// U = A S, K = (S^T A S + armature)^-1, and what is left beyond: A - U K U^T, p + U K u.
TEST_F(GeneralJoints, YieldAsTheirAxesSay) {
  for (const JointType type : general_types)
    for (int round = 0; round < 20; ++round) {
      const auto q = configuration(type);
      const auto joint = joint_at(type, q);
      const Eigen::MatrixXd S = axes(type, q);
      const int n = joint.nv;
      Eigen::Matrix<double, 6, 6> root;
      for (auto& x : root.reshaped()) x = number();
      const Eigen::Matrix<double, 6, 6> A = root * root.transpose() + Eigen::Matrix<double, 6, 6>::Identity();
      const ArticulatedInertia<double> IA = {
          {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)},
          {{A(0, 3), A(0, 4), A(0, 5)}, {A(1, 3), A(1, 4), A(1, 5)}, {A(2, 3), A(2, 4), A(2, 5)}},
          {A(3, 3), A(4, 4), A(5, 5), A(3, 4), A(3, 5), A(4, 5)}};
      double armature[3], tau[3], qdd[3], G[3], KG[3];
      for (int k = 0; k < 3; ++k) {
        armature[k] = 0.5 + std::abs(number());
        tau[k] = number();
      }
      const Force<double> p = {ours(vector3()), ours(vector3())}, f = {ours(vector3()), ours(vector3())};
      const Motion<double> a = {ours(vector3()), ours(vector3())};

      std::array<double, 3 * 13> rows{};
      const auto r = kept_response<double>(joint, rows.data(), 0);
      yield_to(joint, IA, armature, r);
      push(joint, tau, p, r);
      const auto Ia = beyond(joint, r, armature, IA);
      const auto pa = beyond(joint, r, armature, tau, p);
      double u[3];
      for (int k = 0; k < n; ++k) u[k] = r.u(k);
      accelerate(r, u, a, qdd);
      const auto through = transmit(joint, r, f, G, KG);

      const Eigen::MatrixXd U = A * S;
      Eigen::MatrixXd D = S.transpose() * U;
      D.diagonal() += Eigen::Map<const Eigen::VectorXd>(armature, n);
      const Eigen::MatrixXd K = D.inverse();
      const Eigen::VectorXd u_expected = Eigen::Map<const Eigen::VectorXd>(tau, n) - S.transpose() * eigen(p);
      const Eigen::Matrix<double, 6, 6> left = A - U * K * U.transpose();
      const double kappa = A.norm() * K.norm(), unit = 64 * eps * (1 + kappa);
      Eigen::Matrix<double, 6, 6> found;
      const auto full = [](const Sym3<double>& s) {
        return (Matrix3() << s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz).finished();
      };
      Matrix3 H;
      H << eigen(Ia.H.row0).transpose(), eigen(Ia.H.row1).transpose(), eigen(Ia.H.row2).transpose();
      found << full(Ia.J), H, H.transpose(), full(Ia.M);
      EXPECT_LE((found - left).norm(), unit * A.norm()) << to_string(type);
      EXPECT_LE((eigen(pa) - (eigen(p) + U * K * u_expected)).norm(),
                unit * (eigen(p).norm() + u_expected.norm()) * (1 + A.norm()))
          << to_string(type);
      const Eigen::VectorXd expected = K * (u_expected - U.transpose() * eigen(a));
      EXPECT_LE((Eigen::Map<const Eigen::VectorXd>(qdd, n) - expected).norm(),
                unit * K.norm() * (u_expected.norm() + U.norm() * eigen(a).norm()))
          << to_string(type);
      EXPECT_LE((eigen(through) - (eigen(f) - U * K * S.transpose() * eigen(f))).norm(),
                unit * (1 + A.norm() * K.norm()) * eigen(f).norm())
          << to_string(type);
    }
}

}  // namespace
}  // namespace tandem::test
