// SPDX-License-Identifier: Apache-2.0
/// Dynamics as threads of the GPU find them, by each of their kernels.
#include "cuda/threads.hpp"

namespace tandem::test {
namespace {

template <class T>
class Threads : public ::testing::Test {};
TYPED_TEST_SUITE(Threads, Reals);

TYPED_TEST(Threads, GiveTheForcesOfInverseDynamics) {
  for_each_kernel<InverseDynamics, TypeParam>([](const Model& model, auto& arrays, bool with_forces) {
    Robot<TypeParam> robot(model);
    for (Index b = 0; b < batch; ++b) {
      State s = arrays.state(b);
      if (!with_forces) s.f_ext.setZero();
      expect_near(arrays.output(b), robot.inverse_dynamics(s.q, s.v, s.a, s.f_ext),
                  tolerance<TypeParam>(8, 1, scales(model, s).force), "tau");
    }
  });
}

TYPED_TEST(Threads, GiveTheMassMatrix) {
  for_each_kernel<MassMatrix, TypeParam>([](const Model& model, auto& arrays, bool) {
    Robot<TypeParam> robot(model);
    for (Index b = 0; b < batch; ++b) {
      const State s = arrays.state(b);
      const Matrix M = robot.mass_matrix(s.q);
      expect_near(arrays.output(b).reshaped(M.rows(), M.cols()), M, tolerance<TypeParam>(8, 1, scales(model, s).mass),
                  "M");
    }
  });
}

template <class Body, class T>
void expect_balance() {
  for_each_kernel<Body, T>([](const Model& model, auto& arrays, bool all) {
    Robot<double> robot(model);
    for (Index b = 0; b < batch; ++b) {
      State s = arrays.state(b);
      if (!all) s.f_ext.setZero();
      const Vector a = arrays.output(b);
      Vector tau = robot.inverse_dynamics(s.q, s.v, a, s.f_ext);
      if (all) tau += s.tau.cwiseAbs().cwiseProduct(a);
      const Scales scale = scales(model, s.q, s.v, a, s.f_ext);
      const double size = scale.force + scale.mass * a.cwiseAbs().sum() + s.tau.norm() * (1 + a.norm());
      expect_near(tau, s.tau, tolerance<T>(8, 1, size), "tau");
    }
  });
}
TYPED_TEST(Threads, GiveAccelerationsThatBalanceTheForces) {
  expect_balance<cuda::ByArticulatedBodies, TypeParam>();
  expect_balance<cuda::ByMassMatrix, TypeParam>();
}

}  // namespace
}  // namespace tandem::test
