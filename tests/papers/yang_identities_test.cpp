// SPDX-License-Identifier: Apache-2.0
/// The equations of [Yang] in numbers of random chains, as matrices of the whole robot written down once more: (2) with
/// a base that moves, the factors of the inverse mass matrix (8) and (17), (16), and the choice of W that section VI
/// leaves open. X, S, W and inertias are those of the library, and so are the results they are compared with.
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "support/property.hpp"
#include "support/robots.hpp"
#include "tandem/detail/papers/constraint_system.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

/// Links first .. n of a chain as one: Gamma, J, S, W, and how link `first` hangs from the one before.
struct WholeChain {
  Model model;
  Vector q;
  int first;
  Index n, nv;
  Matrix Gamma, J, S, W;
  Matrix6 X_first;

  WholeChain(const Model& robot, const Vector& configuration, int begin = 1)
      : model(robot), q(configuration), first(begin) {
    const auto& m = model.view<double>();
    n = m.n_links - first;
    nv = m.nv - m.v_index[first];
    Gamma = J = Matrix::Zero(6 * n, 6 * n);
    S = Matrix::Zero(6 * n, nv);
    W = Matrix::Zero(6 * n, 6 * n - nv);
    Index column = 0;
    for (int i = first; i < m.n_links; ++i) {
      const Index row = 6 * (i - first);
      on_joint_at<double>(m, i, q.data(), [&](auto joint) {
        const Matrix6 X = dense(joint_transform<double>(joint, m, i, q.data()));
        if (i == first)
          X_first = X;
        else
          Gamma.block<6, 6>(row, row - 6) = X;
        for (int k = 0; k < decltype(joint)::nv; ++k) {
          double x[decltype(joint)::nv] = {};
          x[k] = 1;
          S.block<6, 1>(row, m.v_index[i] - m.v_index[first] + k) =
              dense(Motion<double>::zero() + joint.template motion<double>(&x[0]));
        }
      });
      J.block<6, 6>(row, row) = dense(link_inertia<double>(m, i));
      const auto unknowns = JointUnknowns<double>::of(m, i, q.data(), static_cast<const double*>(nullptr));
      for (int k = 0; k < unknowns.held; ++k) {
        tandem::Matrix<double, 6, 1> unit = {};
        unit.e[k][0] = 1;
        W.block<6, 1>(row, column++) = dense(unknowns.spread<6>(unit));
      }
    }
  }
  Matrix unit() const { return Matrix::Identity(6 * n, 6 * n); }
  /// T with S^T T = 1, which is S where S^T S = 1 as [Yang] has it.
  Matrix T() const { return S * inverse(S.transpose() * S); }
  /// (10): (1 - Gamma) J^-1 (1 - Gamma)^T
  Matrix P() const { return (unit() - Gamma) * inverse(J) * (unit() - Gamma).transpose(); }
  Matrix M() const { return Robot<double>(model).mass_matrix(q); }
};

/// One block for each link, of joints' forces that are held: column of the first and number of columns.
std::vector<std::pair<Index, Index>> held_of(const WholeChain& c) {
  std::vector<std::pair<Index, Index>> blocks;
  Index begin = 0;
  for (int i = c.first; i < c.model.n_links(); ++i) {
    const Index held = 6 - joint_kind(c.model.view<double>().type[i]).nv;
    blocks.emplace_back(begin, held);
    begin += held;
  }
  return blocks;
}

/// M^-1 by (15) - (17), for any W.
Matrix inverse_by_17(const WholeChain& c, const Matrix& W) {
  const Matrix P = c.P(), T = c.T();
  const Matrix A = W.transpose() * P * W, B = W.transpose() * P * T, C = T.transpose() * P * T;
  return C - B.transpose() * solve_positive_definite(A, B);
}

double condition_of_A(const WholeChain& c, const Matrix& W) { return eigenvalue_ratio(W.transpose() * c.P() * W); }

template <class F>
void for_each_chain(F&& f) {
  for (const char* spec : {"chain:1", "chain:2", "chain:5", "chain:12", "rope:6", "snake:5"})
    for (const std::uint64_t seed : {3u, 4u}) {
      SCOPED_TRACE(std::string(spec) + ", seed " + std::to_string(seed));
      const Model model = generate(spec, seed).build();
      f(WholeChain(model, random_state(model, seed + 10).q), random_state(model, seed + 20));
    }
}

/// M^-1 times the library's M: off from 1 by no more than rounding and the conditions of what is inverted.
void expect_inverse(const Matrix& inverse_of_M, const WholeChain& c, double condition) {
  const Matrix M = c.M();
  const Matrix left = inverse_of_M * M - Matrix::Identity(c.nv, c.nv);
  EXPECT_LE(left.cwiseAbs().maxCoeff(), 32 * eps * condition * eigenvalue_ratio(M));
}

// (2a) - (2d) of a base that moves: links 2 .. n of a floating chain on link 1, whose V_0 and V_0' are prescribed. In
// print both velocity products have the other sign, which is wrong.
TEST(Yang, Equation2GivesTorquesWithTheBasesOwnVelocity) {
  for (const char* spec : {"snake:6", "snake:20"})
    for (const bool as_printed : {false, true}) {
      SCOPED_TRACE(std::string(spec) + (as_printed ? ", signs as printed" : ""));
      const Model model = generate(spec, 5).build();
      const State s = random_state(model, 6);
      const auto& m = model.view<double>();
      const WholeChain c(model, s.q, 2);
      // of link 1: v is linear first; its joint leads straight from the base, which accelerates against gravity
      Vector6 V_0, Vdot_0;
      V_0 << s.v.segment<3>(3), s.v.head<3>();
      Vdot_0 << s.a.segment<3>(3), s.a.head<3>();
      Vdot_0 += WholeChain(model, s.q).X_first * dense(base_acceleration<double>(m));

      const double sign = as_printed ? 1 : -1;
      const Vector qd = s.v.tail(c.nv), qdd = s.a.tail(c.nv);
      Vector from_base = Vector::Zero(6 * c.n), base_acceleration = from_base, tip = from_base;
      from_base.head<6>() = c.X_first * V_0;
      base_acceleration.head<6>() = c.X_first * Vdot_0;
      for (int i = c.first; i < m.n_links; ++i)
        tip.segment<6>(6 * (i - c.first)) = -dense(external_force<double>(m, i, s.f_ext.data()));
      const auto ad = [](const Vector& V) {
        Matrix all = Matrix::Zero(V.size(), V.size());
        for (Index k = 0; k < V.size(); k += 6) all.block<6, 6>(k, k) = cross_matrix(V.segment<6>(k));
        return all;
      };
      const Matrix outward = inverse(c.unit() - c.Gamma);
      const Vector V = outward * (c.S * qd + from_base);
      const Vector Vdot = outward * (c.S * qdd + sign * ad(c.S * qd) * (c.Gamma * V + from_base) + base_acceleration);
      const Vector F = outward.transpose() * (c.J * Vdot + sign * ad(V).transpose() * (c.J * V) + tip);
      const Vector tau = c.S.transpose() * F;

      const Vector all = Robot<double>(model).inverse_dynamics(s.q, s.v, s.a, s.f_ext);
      const double error = (tau - all.tail(c.nv)).cwiseAbs().maxCoeff() / all.cwiseAbs().maxCoeff();
      if (as_printed)
        EXPECT_GT(error, 1e-3);
      else
        EXPECT_LE(error, 32 * eps * std::sqrt(c.n));
    }
}

// M^-1 = (1 - S^T Y Pi)^T (S^T J^ S)^-1 (1 - S^T Y Pi), Y = (1 - X^T)^-1, J^ the articulated inertias
TEST(Yang, Equation8FactorsTheInverseMassMatrix) {
  for_each_chain([](const WholeChain& c, const State&) {
    const auto& m = c.model.view<double>();
    const Index n6 = 6 * c.n;
    Matrix hat = Matrix::Zero(n6, n6), XT = hat, Pi = Matrix::Zero(n6, c.nv), Omega = Matrix::Zero(c.nv, c.nv);
    Matrix6 beyond = Matrix6::Zero();
    for (Index i = c.n - 1; i >= 0; --i) {
      const Index row = 6 * i, k = m.v_index[i + 1], d = joint_kind(m.type[i + 1]).nv;
      const Matrix6 J_i = c.J.block<6, 6>(row, row) + beyond;
      const Matrix S_i = c.S.block(row, k, 6, d), K = inverse(S_i.transpose() * J_i * S_i);
      hat.block<6, 6>(row, row) = J_i;
      Omega.block(k, k, d, d) = S_i.transpose() * J_i * S_i;
      if (i == 0) break;
      const Matrix6 X = c.Gamma.block<6, 6>(row, row - 6);
      XT.block<6, 6>(row - 6, row) = X.transpose() * (Matrix6::Identity() - J_i * S_i * K * S_i.transpose());
      Pi.block(row - 6, k, 6, d) = X.transpose() * J_i * S_i * K;
      beyond = X.transpose() * (J_i - J_i * S_i * K * S_i.transpose() * J_i) * X;
      beyond = Matrix6((beyond + beyond.transpose()) / 2);
    }
    const Matrix Y = inverse(c.unit() - XT);
    const Matrix factor = Matrix::Identity(c.nv, c.nv) - c.S.transpose() * Y * Pi;
    EXPECT_LE((c.S.transpose() * hat * c.S - Omega).cwiseAbs().maxCoeff(), 32 * eps * Omega.cwiseAbs().maxCoeff());
    expect_inverse(factor.transpose() * inverse(Omega) * factor, c, 1);
  });
}

// H [W S] = [A B; 0 1], H = [W^T (1 - Gamma) J^-1 (1 - Gamma)^T; S^T], and A is the system that the library solves
TEST(Yang, Equation16MakesHInvertible) {
  for_each_chain([](const WholeChain& c, const State& s) {
    const Matrix P = c.P(), T = c.T();
    const Index held = c.W.cols();
    Matrix H(6 * c.n, 6 * c.n), basis(6 * c.n, 6 * c.n), expected = Matrix::Zero(6 * c.n, 6 * c.n);
    H << c.W.transpose() * P, c.S.transpose();
    basis << c.W, T;
    const Matrix A = c.W.transpose() * P * c.W;
    expected.topLeftCorner(held, held) = A;
    expected.topRightCorner(held, c.nv) = c.W.transpose() * P * T;
    expected.bottomRightCorner(c.nv, c.nv).setIdentity();
    EXPECT_LE((H * basis - expected).cwiseAbs().maxCoeff(), 32 * eps * P.cwiseAbs().maxCoeff());
    EXPECT_TRUE(is_positive_definite(A));

    using System = ConstraintSystem<6>;
    const auto& m = c.model.view<double>();
    const double* const none = nullptr;
    std::vector<double> w(static_cast<std::size_t>(System::work_rows(m, 4)));
    System::place<double>(SerialExecutor(), m, c.q.data(), w.data());
    System::assemble<double, false>(SerialExecutor(), m, 4, c.q.data(), s.v.data(), s.tau.data(), none, none, w.data());
    const auto A_f = System::system<double>(m, w.data());
    const auto blocks = held_of(c);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const auto D = A_f.diagonal(static_cast<Index>(i));
      for (Index row = 0; row < blocks[i].second; ++row)
        for (Index column = 0; column <= row; ++column)
          EXPECT_NEAR(D.e[row][column], A(blocks[i].first + row, blocks[i].first + column),
                      32 * eps * A.cwiseAbs().maxCoeff());
      if (i + 1 == blocks.size()) continue;
      const auto U = load<tandem::Matrix<double, 6, 6>>(A_f.U, A_f.block * static_cast<Index>(i));
      for (Index row = 0; row < blocks[i].second; ++row)
        for (Index column = 0; column < blocks[i + 1].second; ++column)
          EXPECT_NEAR(U.e[row][column], A(blocks[i].first + row, blocks[i + 1].first + column),
                      32 * eps * A.cwiseAbs().maxCoeff());
    }
    // (18): nothing but neighbours
    for (std::size_t i = 0; i < blocks.size(); ++i)
      for (std::size_t j = i + 2; j < blocks.size(); ++j)
        EXPECT_TRUE(A.block(blocks[i].first, blocks[j].first, blocks[i].second, blocks[j].second).isZero(0));
  });
}

// M^-1 = C - B^T A^-1 B
TEST(Yang, Equation17IsTheInverseMassMatrixAsASchurComplement) {
  for_each_chain(
      [](const WholeChain& c, const State&) { expect_inverse(inverse_by_17(c, c.W), c, condition_of_A(c, c.W)); });
}

// Section VI asks for other W. All that W^T S = 0 leaves are W R with R invertible, within a joint or across all of
// them, and each gives the same inverse; turning the axes of a joint does not change the condition of A either.
TEST(Yang, SectionVIAnyWGivesTheSameInverse) {
  Random random(17);
  for_each_chain([&](const WholeChain& c, const State&) {
    const Index held = c.W.cols();
    const auto entry = [&] { return random.uniform(-1, 1); };
    Matrix turned = Matrix::Identity(held, held), mixed = turned;
    for (const auto& [begin, size] : held_of(c)) {
      if (size == 0) continue;
      const Matrix R = Matrix::NullaryExpr(size, size, entry);
      turned.block(begin, begin, size, size) = orthogonal(R);
      mixed.block(begin, begin, size, size) = R + 3 * Matrix::Identity(size, size);
    }
    Matrix across = Matrix::NullaryExpr(held, held, entry);
    across.diagonal().array() += static_cast<double>(held);
    for (const Matrix& R : {turned, mixed, across}) {
      const Matrix W = c.W * R;
      EXPECT_LE((W.transpose() * c.S).cwiseAbs().maxCoeff(), 32 * eps * W.cwiseAbs().maxCoeff());
      expect_inverse(inverse_by_17(c, W), c, condition_of_A(c, W));
    }
    EXPECT_NEAR(condition_of_A(c, c.W * turned) / condition_of_A(c, c.W), 1, 32 * eps * condition_of_A(c, c.W));
  });
}

// Of all W that stay within their joints the one with A_ii = 1 has the least condition: A meets only neighbours, and
// then scaling by its own blocks is the best there is, [Eisenstat, Lewis, Schultz 1982].
TEST(Yang, SectionVIBlocksOfOneAreTheBestWJointByJoint) {
  Random random(19);
  for_each_chain([&](const WholeChain& c, const State&) {
    const Matrix A = c.W.transpose() * c.P() * c.W;
    Matrix scaled = Matrix::Zero(A.rows(), A.cols());
    for (const auto& [begin, size] : held_of(c)) {
      if (size == 0) continue;
      const Eigen::SelfAdjointEigenSolver<Matrix> of(A.block(begin, begin, size, size));
      scaled.block(begin, begin, size, size) = of.operatorInverseSqrt();
    }
    const double best = condition_of_A(c, c.W * scaled), slack = 1 + 32 * eps * condition_of_A(c, c.W);
    EXPECT_LE(best, slack * condition_of_A(c, c.W));
    for (int k = 0; k < 20; ++k) {
      Matrix other = Matrix::Zero(A.rows(), A.cols());
      for (const auto& [begin, size] : held_of(c)) {
        if (size == 0) continue;
        other.block(begin, begin, size, size) =
            scaled.block(begin, begin, size, size) *
            (Matrix::Identity(size, size) +
             0.2 * Matrix::NullaryExpr(size, size, [&] { return random.uniform(-1, 1); }));
      }
      EXPECT_LE(best, slack * condition_of_A(c, c.W * other));
    }
  });
}

}  // namespace
}  // namespace tandem::test
