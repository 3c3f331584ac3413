// SPDX-License-Identifier: Apache-2.0
/// Forward dynamics by the inverse of the mass matrix, and by the hybrid of a serial pass and scans.
#include "core/random.hpp"
#include "papers/forward_dynamics_by.hpp"
#include "tandem/detail/solve/dense_cholesky.hpp"

namespace tandem::test {
namespace {

const std::vector<Options>& joint_space_methods() {
  static const std::vector<Options> list = {
      {.method = Method::mass_matrix_inversion},
      {.method = Method::mass_matrix_inversion, .form = Form::body},
      {.method = Method::hybrid_articulated_body},
      {.method = Method::hybrid_articulated_body, .chunk = 3},
      {.method = Method::hybrid_articulated_body, .right_hand_side = RightHandSide::bias_torque},
  };
  return list;
}

/// Only the local bias of the hybrid does without the condition of M.
double kappa_in_joint_space(const Options& o, const Model& model, const State& s, const Vector& diagonal = {}) {
  if (o.method == Method::hybrid_articulated_body && o.right_hand_side == RightHandSide::automatic)
    return std::sqrt(model.n_links());
  Matrix M = Robot<double>(model).mass_matrix(s.q);
  if (diagonal.size()) M.diagonal() += diagonal;
  return condition(M);
}

template <class T>
class JointSpaceMethods : public ::testing::Test {};
TYPED_TEST_SUITE(JointSpaceMethods, Reals);

TYPED_TEST(JointSpaceMethods, AreUndoneByInverseDynamics) {
  wherever_served(joint_space_methods(), [](const Options& o, const Case& c, const State& s) {
    const Vector a = forward_dynamics_by<TypeParam>(o, c.model, s, true);
    EXPECT_LE(left_over<TypeParam>(c.model, s, a, true), 16 * kappa_in_joint_space(o, c.model, s));
  });
}

TYPED_TEST(JointSpaceMethods, TakeTheDiagonalAsInertiaOfTheJoints) {
  wherever_served(joint_space_methods(), [](const Options& o, const Case& c, const State& s) {
    Vector diagonal = s.tau.cwiseAbs() + Vector::Constant(c.model.nv(), 0.1);
    const Vector a = forward_dynamics_by<TypeParam>(o, c.model, s, false, diagonal);
    EXPECT_LE(left_over<TypeParam>(c.model, s, a, false, diagonal), 16 * kappa_in_joint_space(o, c.model, s, diagonal));
  });
}

TYPED_TEST(JointSpaceMethods, GiveTheSameBitsOnAnyNumberOfThreads) {
  wherever_served(joint_space_methods(), [](const Options& o, const Case& c, const State& s) {
    EXPECT_EQ(forward_dynamics_by<TypeParam>(o, c.model, s, true, {}, 1),
              forward_dynamics_by<TypeParam>(o, c.model, s, true, {}, 3));
  });
}

/// How far from the articulated-body algorithm in double, relative to the largest acceleration.
template <class T>
double error(const Options& o, const Model& model, const State& s) {
  const Vector expected = Robot<double>(model).forward_dynamics(s.q, s.v, s.tau);
  return (forward_dynamics_by<T>(o, model, s) - expected).cwiseAbs().maxCoeff() / size_of(expected);
}

TEST(HybridArticulatedBody, KeepsItsDigitsOnLongChainsOnlyWithALocalBias) {
  const Options local = {.method = Method::hybrid_articulated_body},
                torque = {.method = local.method, .right_hand_side = RightHandSide::bias_torque};
  for (const char* spec : {"chain:300", "rope:150:bending", "snake:300", "chain:10000"}) {
    SCOPED_TRACE(spec);
    const Model model = generate(spec, 3).build();
    const State s = calm_state(model, 4);
    EXPECT_LT(error<double>(local, model, s), 1e-10);
    EXPECT_LT(error<double>(torque, model, s), 1e-5);
  }
  const Model model = generate("chain:300", 3).build();
  EXPECT_LT(error<float>(local, model, calm_state(model, 4)), 1e-3);
}

TEST(MassMatrixInversion, IsForShortChains) {
  const Model model = generate("chain:64", 3).build();
  const State s = calm_state(model, 4);
  for (const Form form : {Form::automatic, Form::body})
    EXPECT_LT(error<double>({.method = Method::mass_matrix_inversion, .form = form}, model, s), 1e-8);
}

TEST(HybridArticulatedBody, SaysWhoServesTrees) {
  const Model tree = generate("tree:12", 15).build();
  const char* reason = refusal(find_algorithm("forward_dynamics"), tree, {.method = Method::hybrid_articulated_body});
  ASSERT_NE(reason, nullptr);
  EXPECT_NE(std::string(reason).find("articulated_body"), std::string::npos);
}

TEST(DenseCholesky, SolvesMatricesOfEverySize) {
  Random random(7);
  for (const Index n : {1, 2, 5, 31, 32, 33, 64, 70, 100, 161}) {
    const Matrix A = Matrix::NullaryExpr(n, n, [&] { return random.uniform(-1, 1); });
    const Matrix H = A.transpose() * A + Matrix::Identity(n, n);
    const Vector x = Vector::NullaryExpr(n, [&] { return random.uniform(-1, 1); });
    Eigen::Matrix<double, -1, -1, Eigen::RowMajor> U = H;
    U.triangularView<Eigen::StrictlyLower>().setConstant(std::nan(""));
    Vector b = H * x;
    DenseCholesky::factorise<double>(SerialExecutor(), n, U.data());
    DenseCholesky::solve<double>(n, U.data(), b.data());
    expect_near(b, x, tolerance<double>(32, condition(H), 1), "x");
  }
}

}  // namespace
}  // namespace tandem::test
