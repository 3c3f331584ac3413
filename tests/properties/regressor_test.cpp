// SPDX-License-Identifier: Apache-2.0
/// The regressor of inverse dynamics: joint forces are linear in the inertial parameters.
#include "support/property.hpp"
#include "tandem/detail/problems/inverse_dynamics.hpp"

namespace tandem::test {
namespace {

template <class T>
class Regressor : public ::testing::Test {};
TYPED_TEST_SUITE(Regressor, Reals);

TYPED_TEST(Regressor, TimesTheParametersIsInverseDynamics) {
  for_each_state<TypeParam>([](const Case& c, auto& robot, const State& s) {
    const std::vector<double> parameters = inertial_parameters(c.model);
    const Vector pi = Eigen::Map<const Vector>(parameters.data(), static_cast<Index>(parameters.size()));
    const Vector armature = Eigen::Map<const Vector>(c.model.view<double>().armature, c.model.nv());
    const Matrix Y = robot.inverse_dynamics_regressor(s.q, s.v, s.a);
    ASSERT_EQ(Y.cols(), pi.size());
    // about a link's own origin inertias may be larger than about its centre of mass
    const Vector terms = Y.cwiseAbs() * pi.cwiseAbs();
    const double scale = std::max(scales(c.model, s).force, terms.size() ? terms.maxCoeff() : 0.0);
    expect_near(Y * pi + armature.cwiseProduct(s.a), robot.inverse_dynamics(s.q, s.v, s.a),
                tolerance<TypeParam>(8, 1, scale), "Y pi");
  });
}

TEST(RegressorColumns, AreInverseDynamicsOfOneParameter) {
  for (const char* name : {"every_joint", "mimic_branches", "humanoid"}) {
    const Model& model = case_named(name).model;
    const State s = random_state(model, 3);
    const Matrix Y = Robot<double>(model).inverse_dynamics_regressor(s.q, s.v, s.a);
    auto m = model.view<double>();
    const std::vector<double> no_rotors(static_cast<std::size_t>(m.nv));
    std::vector<double> inertias(static_cast<std::size_t>(10 * m.n_links)), tau(no_rotors.size()),
        work(static_cast<std::size_t>(InverseDynamics::work_rows(m)));
    m.inertia = inertias.data();
    m.armature = no_rotors.data();
    Matrix columns(Y.rows(), Y.cols());
    for (Index k = 0; k < Y.cols(); ++k) {
      const int i = static_cast<int>(k / 10) + 1;
      auto one = Inertia<double>::zero();
      double* const numbers[] = {&one.m,    &one.h.x,  &one.h.y,  &one.h.z,  &one.I.xx,
                                 &one.I.xy, &one.I.yy, &one.I.xz, &one.I.yz, &one.I.zz};
      *numbers[k % 10] = 1;
      std::fill(inertias.begin(), inertias.end(), 0.0);
      store(inertias.data(), Index{10} * i, transpose_mul(frame_transform<double>(m, i), one));
      InverseDynamics::body<double>(m, s.q.data(), s.v.data(), s.a.data(), static_cast<double*>(nullptr), tau.data(),
                                    work.data());
      columns.col(k) = Eigen::Map<const Vector>(tau.data(), m.nv);
    }
    expect_near(Y, columns, tolerance<double>(32, 1, columns.cwiseAbs().maxCoeff()), name);
  }
}

}  // namespace
}  // namespace tandem::test
