// SPDX-License-Identifier: Apache-2.0
/// What holds the joints together: nothing of it along the joints, and with the joint forces all that the joints
/// transmit.
#include <gmock/gmock.h>

#include "papers/forward_dynamics_by.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

const std::vector<Options>& ways_to_constraint_wrenches() {
  static const std::vector<Options> list = {
      {},
      {.method = Method::articulated_body},
      {.method = Method::composite_rigid_body},
      {.method = Method::constraint_force},
      {.method = Method::constraint_force, .solver = Solver::cyclic_reduction, .chunk = 3},
      {.method = Method::constraint_force, .solver = Solver::conjugate_gradient},
  };
  return list;
}

/// S_i along the axes of the described link, linear first.
Matrix axes_of(const Model& model, int link, const Vector& q) {
  const auto& m = model.view<double>();
  return on_joint_at<double>(m, link, q.data(), [&](auto joint) {
    constexpr int d = decltype(joint)::nv;
    Matrix S(6, d);
    for (int k = 0; k < d; ++k) {
      double x[d] = {};
      x[k] = 1;
      const Motion<double> axis =
          frame_transform<double>(m, link) * (Motion<double>::zero() + joint.template motion<double>(&x[0]));
      S.col(k) << axis.v.x, axis.v.y, axis.v.z, axis.w.x, axis.w.y, axis.w.z;
    }
    return S;
  });
}

/// The wrenches of unit joint forces: moments where an axis turns, also if it slides as well.
Matrix own_wrenches(Matrix S) {
  for (Index k = 0; k < S.cols(); ++k)
    if (!S.col(k).tail<3>().isZero()) S.col(k).head<3>().setZero();
  return S;
}

Matrix by_link(const Vector& rows) { return rows.reshaped<Eigen::RowMajor>(rows.size() / 6, 6); }

/// f_ext, rotors and their accelerations of a call.
struct Driven {
  State s;
  Vector f_ext, diagonal, a;

  Driven(const Model& model, const State& state, bool pushed, bool geared) : s(state) {
    if (pushed) f_ext = s.f_ext;
    if (geared) diagonal = s.tau.cwiseAbs();
    a = forward_dynamics_by<double>({}, model, s, pushed, diagonal);
  }
  template <class T>
  Matrix wrenches(const Model& model, const Options& o, int threads = 1) const {
    return by_link(call_method<T>("constraint_wrenches", model, o, {s.q, s.v, s.tau, f_ext, diagonal}, threads));
  }
};

/// By how much rounding may grow: with the condition of M as accelerations do, and the mobilities of unequal links.
template <class T>
double kappa(const Model& model, const Driven& d, const Options& o) {
  if (model.nv() == 0) return 1;
  Matrix M = Robot<double>(model).mass_matrix(d.s.q);
  if (d.diagonal.size()) M.diagonal() += d.diagonal;
  const bool iterates = o.solver == Solver::conjugate_gradient;
  const double asked = iterates ? (sizeof(T) == 4 ? 1e-5 : 1e-10) / std::numeric_limits<T>::epsilon() : 1;
  const double unequal = o.method == Method::constraint_force ? spread(model) : 1;
  return std::sqrt(model.n_links()) * unequal * (asked + eigenvalue_ratio(M));
}

template <class T, class F>
void for_each_call(F&& f) {
  for (const Options& o : ways_to_constraint_wrenches())
    for (const Case& c : cases()) {
      if (refusal(find_algorithm("constraint_wrenches"), c.model, o) || is_hopeless<T>(c.model)) continue;
      bool more = false;
      for (const State& s : states(c)) {
        SCOPED_TRACE(describe(o) + ", " + c.name + ", state " + std::to_string(s.seed));
        const Driven d(c.model, s, more, more);
        f(o, c, d, kappa<T>(c.model, d, o) * std::numeric_limits<T>::epsilon());
        more = !more;
      }
    }
}

template <class T>
class ConstraintWrenches : public ::testing::Test {};
TYPED_TEST_SUITE(ConstraintWrenches, Reals);

TYPED_TEST(ConstraintWrenches, HaveNothingAlongTheJoints) {
  for_each_call<TypeParam>([](const Options& o, const Case& c, const Driven& d, double) {
    const Matrix f = d.wrenches<TypeParam>(c.model, o);
    for (int i = 1; i < c.model.n_links(); ++i)
      EXPECT_LE((axes_of(c.model, i, d.s.q).transpose() * f.row(i).transpose()).cwiseAbs().maxCoeff(),
                tolerance<TypeParam>(8, 1, f.row(i).norm()));
  });
}

/// f_i = f_c,i + S_i (tau_i - D_i a_i), by inverse dynamics; the base is held by the whole.
TYPED_TEST(ConstraintWrenches, AreInterbodyWrenchesWithoutTheJointForces) {
  for_each_call<TypeParam>([](const Options& o, const Case& c, const Driven& d, double rounding) {
    const auto& m = c.model.view<double>();
    const Matrix f = d.wrenches<TypeParam>(c.model, o);
    const Matrix all = by_link(call_method<double>("interbody_wrenches", c.model, {}, {d.s.q, d.s.v, d.a, d.f_ext}));
    Matrix expected = all;
    for (int i = 1; i < m.n_links; ++i) {
      const Matrix S = axes_of(c.model, i, d.s.q);
      expected.row(i) -= own_wrenches(S) * (S.transpose() * all.row(i).transpose());
    }
    const double scale = all.norm() + scales(c.model, d.s.q, d.s.v, d.a, d.f_ext).force + d.s.tau.norm();
    EXPECT_LE((f - expected).cwiseAbs().maxCoeff(), 32 * rounding * scale);
  });
}

TYPED_TEST(ConstraintWrenches, HaveTheSameBitsOnAnyNumberOfThreads) {
  for_each_call<TypeParam>([](const Options& o, const Case& c, const Driven& d, double) {
    EXPECT_EQ(d.wrenches<TypeParam>(c.model, o, 1), d.wrenches<TypeParam>(c.model, o, 2));
  });
}

TEST(ConstraintWrench, OfLongChainsIsFoundByBothWays) {
  const Model model = generate("chain:1000", 3).build();
  const Driven d(model, calm_state(model, 4), true, false);
  const Matrix expected = d.wrenches<double>(model, {});
  const Matrix f = d.wrenches<double>(model, {.method = Method::constraint_force});
  EXPECT_LE((f - expected).cwiseAbs().maxCoeff(), 1e-8 * expected.cwiseAbs().maxCoeff());
}

TEST(ConstraintWrench, OfBiasTorquesIsRefused) {
  const Model model = generate("chain:5", 3).build();
  const Driven d(model, random_state(model, 1), false, false);
  EXPECT_THAT(error_of([&] {
                d.wrenches<double>(model,
                                   {.method = Method::constraint_force, .right_hand_side = RightHandSide::bias_torque});
              }),
              ::testing::HasSubstr("does not use the option right_hand_side"));
}

/// The wrench at the pivot of a pendulum: what carries its weight less what its fall leaves of it.
TEST(ConstraintWrench, OfAPendulumAtItsPivot) {
  constexpr double m = 2, l = 0.5, g = 9.81;
  ModelBuilder builder("pendulum");
  builder.link({.name = "base"});
  builder.link({.name = "bob", .mass = m, .com = {l, 0, 0}, .inertia = {1e-9, 0, 0, 1e-9, 0, 1e-9}});
  builder.joint({.name = "pivot", .type = JointType::continuous, .parent = "base", .child = "bob", .axis = {0, -1, 0}});
  const Model model = builder.build();
  for (const Method method : {Method::automatic, Method::constraint_force}) {
    // held horizontally and let go: it falls with g / l, and nothing carries it; with the speed w its pivot pulls m w^2
    // l
    const Matrix f = by_link(call_method<double>("constraint_wrenches", model, {.method = method},
                                                 {Vector::Zero(1), Vector::Constant(1, 3), Vector::Zero(1), {}, {}}));
    EXPECT_NEAR(f(1, 0), -m * 3 * 3 * l, 1e-6);
    EXPECT_NEAR(f(1, 2), 0, 1e-6);
    // upheld by its joint: the pivot bears the weight
    const Matrix held =
        by_link(call_method<double>("constraint_wrenches", model, {.method = method},
                                    {Vector::Zero(1), Vector::Zero(1), Vector::Constant(1, m * g * l), {}, {}}));
    EXPECT_NEAR(held(1, 2), m * g, 1e-5);
    EXPECT_NEAR(held(1, 4), 0, 1e-12);
    EXPECT_NEAR(held(0, 2), m * g, 1e-5);
    EXPECT_NEAR(held(0, 4), -m * g * l, 1e-5);
  }
}

}  // namespace
}  // namespace tandem::test
