// SPDX-License-Identifier: Apache-2.0
/// The elements of the scan form of forward dynamics and their operator, against dense algebra and the mass matrix.
#include "tandem/detail/scan/two_handle.hpp"

#include "core/counting.hpp"
#include "support/property.hpp"
#include "tandem/detail/joint/joint.hpp"

namespace tandem::test {
namespace {

ArticulatedInertia<double> packed(const Matrix6& A) {
  const double e[21] = {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2), A(0, 3),
                        A(0, 4), A(0, 5), A(1, 3), A(1, 4), A(1, 5), A(2, 3), A(2, 4),
                        A(2, 5), A(3, 3), A(4, 4), A(5, 5), A(3, 4), A(3, 5), A(4, 5)};
  return load<ArticulatedInertia<double>>(&e[0], 0);
}

/// A run in dense matrices.
struct DenseRun {
  Matrix6 A, C, J;
  Vector6 b, eta;
};
TwoHandle<double> packed(const DenseRun& run) {
  TwoHandle<double> e;
  const Eigen::Matrix<double, 6, 6, Eigen::RowMajor> A = run.A;
  for (int i = 0; i < 6; ++i) e.A[i] = load<Force<double>>(A.data(), 6 * i);
  e.C = packed(run.C);
  e.J = packed(run.J);
  e.b = load<Motion<double>>(run.b.data(), 0);
  e.eta = load<Force<double>>(run.eta.data(), 0);
  return e;
}

/// X_ip of joint i, and its axes as columns.
struct DenseJoint {
  Matrix X, S;
};
DenseJoint dense_joint(const Model& model, int i, const Vector& q) {
  const auto& m = model.view<double>();
  return on_joint_at<double>(m, i, q.data(), [&](auto joint) {
    Matrix S = Matrix::Zero(6, joint.nv);
    for (int k = 0; k < joint.nv; ++k) S.col(k) = dense(joint.template axis<double>(k));
    return DenseJoint{dense(joint_transform<double>(joint, m, i, q.data())), S};
  });
}
Vector force_of_joint(const Model& model, int i, const Vector& tau) {
  const auto& m = model.view<double>();
  return tau.segment(m.v_index[i], joint_nv(m.type[i]));
}

/// Joint i and link i of a chain, at rest.
DenseRun leaf(const Model& model, int i, const Vector& q, const Vector& tau) {
  const auto [X, S] = dense_joint(model, i, q);
  const Matrix I = dense(articulated(link_inertia<double>(model.view<double>(), i)));
  const Matrix U = I * S, K = solve_positive_definite(S.transpose() * U, Matrix::Identity(S.cols(), S.cols())),
               SK = S * K;
  const Matrix L = Matrix6::Identity() - SK * U.transpose(), XT = X.transpose();
  const Vector b = SK * force_of_joint(model, i, tau);
  return {L * X, SK * S.transpose(), XT * Matrix(I - U * K * U.transpose()) * X, b, XT * Vector(I * b)};
}

double distance(const TwoHandle<double>& a, const TwoHandle<double>& b) {
  constexpr int n = rows_of<TwoHandle<double>>;
  double x[n], y[n];
  store(&x[0], 0, a);
  store(&y[0], 0, b);
  return (Eigen::Map<Vector>(x, n) - Eigen::Map<Vector>(y, n)).norm() / Eigen::Map<Vector>(x, n).norm();
}

TwoHandle<double> join(const TwoHandle<double>& P, const TwoHandle<double>& Q) {
  TwoHandleRows<double> whole;
  Interface<double> between;
  JoinTwoHandles<Eight<double>>().join(TwoHandleRows<double>(P), TwoHandleRows<double>(Q), false, between, whole);
  const auto& [Ab, C, Je] = whole;
  TwoHandle<double> run;
  for (int i = 0; i < 6; ++i) run.A[i] = whole.force(Ab[i]);
  run.C = whole.symmetric(C);
  run.J = whole.J();
  run.b = {{Ab[0][6], Ab[1][6], Ab[2][6]}, {Ab[3][6], Ab[4][6], Ab[5][6]}};
  run.eta = whole.eta();
  return run;
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
  for (std::size_t i = 0; i + 2 < chain.leaves.size(); ++i) {
    const auto &a = chain.leaves[i], &b = chain.leaves[i + 1], &c = chain.leaves[i + 2];
    EXPECT_LT(distance(join(join(a, b), c), join(a, join(b, c))), 1e-13);
  }
}

TEST(TwoHandle, HasAnIdentity) {
  const Chain chain("chain:3");
  const auto one = TwoHandle<double>::identity();
  for (const auto& a : chain.leaves) {
    EXPECT_LT(distance(join(one, a), a), 1e-15);
    EXPECT_LT(distance(join(a, one), a), 1e-15);
  }
}

TEST(TwoHandle, SuffixesAreArticulatedInertias) {
  for (const char* spec : {"chain:20", "rope:10"}) {
    const Chain chain(spec);
    auto suffix = TwoHandle<double>::identity();
    Matrix6 J = Matrix6::Zero();  // what hangs from link i, found by the serial recursion
    Vector6 p = Vector6::Zero();
    for (int i = chain.model.n_joints(); i >= 1; --i) {
      suffix = join(chain.leaves[static_cast<std::size_t>(i - 1)], suffix);
      const auto [X, S] = dense_joint(chain.model, i, chain.state.q);
      const Matrix IA = J + dense(articulated(link_inertia<double>(chain.model.view<double>(), i)));
      const Matrix U = IA * S, UK = solve_positive_definite(S.transpose() * U, U.transpose()).transpose(),
                   XT = X.transpose();
      p = XT * Vector(p + UK * Vector(force_of_joint(chain.model, i, chain.state.tau) - S.transpose() * p));
      J = XT * Matrix(IA - UK * U.transpose()) * X;
      EXPECT_LT((dense(suffix.J) - J).norm(), 1e-12 * J.norm());
      double eta[6];
      store(&eta[0], 0, suffix.eta);
      EXPECT_LT((Eigen::Map<Vector6>(eta) - p).norm(), 1e-11 * p.norm());
    }
  }
}

/// Whoever computes with one number at a time leaves out what is symmetric, and the columns that nobody reads.
TEST(TwoHandle, JoinsForFewOperations) {
  const TwoHandleRows<Counting> P(TwoHandle<Counting>::identity());
  TwoHandleRows<Counting> whole;
  Interface<Counting> between;
  const JoinTwoHandles<Eight<Counting>> op;
  const auto flops = [](auto&& f) {
    Counting::count = {};
    f();
    return Counting::count.flops();
  };
  EXPECT_LE(flops([&] { op.join(P, P, false, between, whole); }), 3575);
  EXPECT_LE(flops([&] { op.join(P, P, true, between, whole); }), 1979);
  TwoHandlePort<Counting> port = {Motion<Counting>::zero(), Force<Counting>::zero()}, port_P, port_Q;
  EXPECT_LE(flops([&] { op.part(port, between, P, P, false, port_P, port_Q); }), 288);
}

/// A by-product: how the tip yields to a force on it.
TEST(TwoHandle, MobilityOfTheTipIsThatOfTheMassMatrix) {
  const Chain chain("chain:20");
  const int tip = chain.model.n_links() - 1;
  auto whole = TwoHandle<double>::identity();
  for (const auto& e : chain.leaves) whole = join(whole, e);
  const Matrix X = dense(frame_transform<double>(chain.model.view<double>(), tip));
  const Matrix C = X * dense(whole.C) * X.transpose();

  Robot<double> robot(chain.model);
  const Matrix jacobian = robot.jacobian(chain.state.q, tip, Reference::local);
  Matrix angular_first(6, jacobian.cols());
  angular_first << jacobian.bottomRows(3), jacobian.topRows(3);
  const Matrix expected =
      angular_first * solve_positive_definite(robot.mass_matrix(chain.state.q), angular_first.transpose());
  EXPECT_LT((C - expected).norm(), 1e-11 * expected.norm());
}

}  // namespace
}  // namespace tandem::test
