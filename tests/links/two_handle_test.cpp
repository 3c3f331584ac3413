// SPDX-License-Identifier: Apache-2.0
/// The elements of the scan form of forward dynamics and their operator, against dense algebra and the mass matrix.
#include "tandem/algorithms/two_handle.hpp"

#include "support/property.hpp"
#include "tandem/model/joint.hpp"

namespace tandem::test {
namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;

Matrix6 dense(const ArticulatedInertia<double>& A) {
  double e[21];
  store(&e[0], 0, A);
  Matrix6 M;
  M << e[0], e[3], e[4], e[6], e[7], e[8], e[3], e[1], e[5], e[9], e[10], e[11], e[4], e[5], e[2], e[12], e[13], e[14],
      e[6], e[9], e[12], e[15], e[18], e[19], e[7], e[10], e[13], e[18], e[16], e[20], e[8], e[11], e[14], e[19], e[20],
      e[17];
  return M;
}
ArticulatedInertia<double> packed(const Matrix6& A) {
  const double e[21] = {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2), A(0, 3),
                        A(0, 4), A(0, 5), A(1, 3), A(1, 4), A(1, 5), A(2, 3), A(2, 4),
                        A(2, 5), A(3, 3), A(4, 4), A(5, 5), A(3, 4), A(3, 5), A(4, 5)};
  return load_articulated_inertia<double>(&e[0], 0);
}
Matrix6 dense(const Transform<double>& X) {
  Matrix6 M;
  for (int k = 0; k < 6; ++k) {
    double column[6];
    store(&column[0], 0, X * unit_motion<double>(k));
    M.col(k) = Eigen::Map<Vector6>(column);
  }
  return M;
}

/// A run in dense matrices.
struct DenseRun {
  Matrix6 A, C, J;
  Vector6 b, eta;
};
TwoHandle<double> packed(const DenseRun& run) {
  TwoHandle<double> e;
  const Eigen::Matrix<double, 6, 6, Eigen::RowMajor> A = run.A;
  for (int i = 0; i < 6; ++i) e.A[i] = load_force<double>(A.data(), 6 * i);
  e.C = packed(run.C);
  e.J = packed(run.J);
  e.b = load_motion<double>(run.b.data(), 0);
  e.eta = load_force<double>(run.eta.data(), 0);
  return e;
}

/// Joint i and link i of a chain, at rest.
DenseRun leaf(const Model& model, int i, const Vector& q, const Vector& tau) {
  const auto& m = model.view<double>();
  return on_joint(m.type[i], [&](auto joint) {
    const Matrix6 X = dense(joint_transform<double>(joint, m, i, q.data()));
    const Matrix6 I = dense(articulated(link_inertia<double>(m, i)));
    constexpr int d = decltype(joint)::nv;
    Eigen::Matrix<double, 6, d> S = Eigen::Matrix<double, 6, d>::Zero();
    for (int k = 0; k < d; ++k) S(joint.row(k), k) = 1;
    const Eigen::Matrix<double, 6, d> U = I * S;
    const Eigen::Matrix<double, d, d> K = (S.transpose() * U).inverse();
    const Matrix6 L = Matrix6::Identity() - S * K * U.transpose();
    const Vector6 b = S * K * tau.segment<d>(m.v_index[i]);
    return DenseRun{L * X, S * K * S.transpose(), X.transpose() * (I - U * K * U.transpose()) * X, b,
                    X.transpose() * I * b};
  });
}

double distance(const TwoHandle<double>& a, const TwoHandle<double>& b) {
  double x[90], y[90];
  store(&x[0], 0, a);
  store(&y[0], 0, b);
  return (Eigen::Map<Vector>(x, 90) - Eigen::Map<Vector>(y, 90)).norm() / Eigen::Map<Vector>(x, 90).norm();
}

struct Chain {
  Model model;
  State state;
  std::vector<TwoHandle<double>> leaves;

  explicit Chain(const std::string& spec) : model(generate(spec, 5).build()), state(random_state(model, 6)) {
    for (int i = 1; i < model.n_links(); ++i) leaves.push_back(packed(leaf(model, i, state.q, state.tau)));
  }
};

TEST(TwoHandle, JoinsAssociatively) {
  const Chain chain("chain:12");
  const JoinTwoHandles join;
  for (std::size_t i = 0; i + 2 < chain.leaves.size(); ++i) {
    const auto &a = chain.leaves[i], &b = chain.leaves[i + 1], &c = chain.leaves[i + 2];
    EXPECT_LT(distance(join(join(a, b), c), join(a, join(b, c))), 1e-13);
  }
}

TEST(TwoHandle, HasAnIdentity) {
  const Chain chain("chain:3");
  const auto one = TwoHandle<double>::identity();
  for (const auto& a : chain.leaves) {
    EXPECT_LT(distance(JoinTwoHandles()(one, a), a), 1e-15);
    EXPECT_LT(distance(JoinTwoHandles()(a, one), a), 1e-15);
  }
}

TEST(TwoHandle, SuffixesAreArticulatedInertias) {
  for (const char* spec : {"chain:20", "rope:10"}) {
    const Chain chain(spec);
    const auto& m = chain.model.view<double>();
    auto suffix = TwoHandle<double>::identity();
    Matrix6 J = Matrix6::Zero();  // what hangs from link i, found by the serial recursion
    Vector6 p = Vector6::Zero();
    for (int i = chain.model.n_joints(); i >= 1; --i) {
      suffix = JoinTwoHandles()(chain.leaves[static_cast<std::size_t>(i - 1)], suffix);
      on_joint(m.type[i], [&](auto joint) {
        constexpr int d = decltype(joint)::nv;
        const Matrix6 X = dense(joint_transform<double>(joint, m, i, chain.state.q.data()));
        const Matrix6 IA = J + dense(articulated(link_inertia<double>(m, i)));
        Eigen::Matrix<double, 6, d> S = Eigen::Matrix<double, 6, d>::Zero();
        for (int k = 0; k < d; ++k) S(joint.row(k), k) = 1;
        const Eigen::Matrix<double, 6, d> U = IA * S, UK = U * (S.transpose() * U).inverse();
        p = X.transpose() * (p + UK * (chain.state.tau.segment<d>(m.v_index[i]) - S.transpose() * p));
        J = X.transpose() * (IA - UK * U.transpose()) * X;
      });
      EXPECT_LT((dense(suffix.J) - J).norm(), 1e-12 * J.norm());
      double eta[6];
      store(&eta[0], 0, suffix.eta);
      EXPECT_LT((Eigen::Map<Vector6>(eta) - p).norm(), 1e-11 * p.norm());
    }
  }
}

/// A by-product: how the tip yields to a force on it.
TEST(TwoHandle, MobilityOfTheTipIsThatOfTheMassMatrix) {
  const Chain chain("chain:20");
  const int tip = chain.model.n_links() - 1;
  auto whole = TwoHandle<double>::identity();
  for (const auto& e : chain.leaves) whole = JoinTwoHandles()(whole, e);
  const Matrix6 X = dense(frame_transform<double>(chain.model.view<double>(), tip));
  const Matrix6 C = X * dense(whole.C) * X.transpose();

  Robot<double> robot(chain.model);
  const Matrix jacobian = robot.jacobian(chain.state.q, tip, Reference::local);
  Matrix angular_first(6, jacobian.cols());
  angular_first << jacobian.bottomRows(3), jacobian.topRows(3);
  const Matrix expected = angular_first * robot.mass_matrix(chain.state.q).llt().solve(angular_first.transpose());
  EXPECT_LT((C - expected).norm(), 1e-11 * expected.norm());
}

}  // namespace
}  // namespace tandem::test
