// SPDX-License-Identifier: Apache-2.0
#include "tandem/detail/papers/constraint_force.hpp"

#include <gmock/gmock.h>

#include "papers/forward_dynamics_by.hpp"
#include "support/robots.hpp"

namespace tandem::test {
namespace {

/// Every way that the method can be told to go, and the method that is a name for one of them.
const std::vector<Options>& ways() {
  static const std::vector<Options> list = {
      {.method = Method::constraint_force},
      {.method = Method::constraint_force, .chunk = 3},
      {.method = Method::constraint_force, .solver = Solver::block_lu},
      {.method = Method::constraint_force, .solver = Solver::cyclic_reduction},
      {.method = Method::constraint_force, .solver = Solver::odd_even_elimination},
      {.method = Method::constraint_force,
       .solver = Solver::cyclic_reduction,
       .right_hand_side = RightHandSide::bias_torque},
      {.method = Method::constraint_force, .solver = Solver::conjugate_gradient},
      {.method = Method::conjugate_gradient},
  };
  return list;
}

bool iterates(const Options& o) {
  return o.method == Method::conjugate_gradient || o.solver == Solver::conjugate_gradient;
}

/// By how much rounding may grow. Odd-even elimination, bias forces as joint forces, and rotors beside light links lose
/// digits with the condition of M as well; conjugate gradients leave what they were told to.
template <class T>
double kappa(const Options& o, const Model& model, const State& s, const Vector& diagonal = {}) {
  const double links = std::sqrt(model.n_links()) * spread(model);
  const bool loses = o.solver == Solver::odd_even_elimination || o.right_hand_side == RightHandSide::bias_torque;
  if (model.nv() == 0 || (!loses && !iterates(o) && diagonal.size() == 0)) return links;
  Matrix M = Robot<double>(model).mass_matrix(s.q);
  if (diagonal.size()) M.diagonal() += diagonal;
  const double asked = iterates(o) ? (sizeof(T) == 4 ? 1e-5 : 1e-10) / std::numeric_limits<T>::epsilon() : 1;
  const double twice = o.solver == Solver::odd_even_elimination ? spread(model) : 0;
  return links * (asked + twice + eigenvalue_ratio(M));
}

template <class T, class F>
void for_each_way(F&& f) {
  wherever_served(ways(), [&](const Options& o, const Case& c, const State& s) {
    if (!is_hopeless<T>(c.model)) f(o, c, s);
  });
}

template <class T>
class ConstraintForces : public ::testing::Test {};
TYPED_TEST_SUITE(ConstraintForces, Reals);

TYPED_TEST(ConstraintForces, AreUndoneByInverseDynamics) {
  for_each_way<TypeParam>([](const Options& o, const Case& c, const State& s) {
    const Vector a = forward_dynamics_by<TypeParam>(o, c.model, s, true);
    EXPECT_LE(left_over<TypeParam>(c.model, s, a, true), 32 * kappa<TypeParam>(o, c.model, s));
  });
}

TYPED_TEST(ConstraintForces, TakeTheDiagonalAsInertiaOfTheJoints) {
  for_each_way<TypeParam>([](const Options& o, const Case& c, const State& s) {
    Vector diagonal = s.tau.cwiseAbs() + Vector::Constant(c.model.nv(), 0.1);
    for (int k = 0; k < diagonal.size(); k += 3) diagonal[k] = 0;  // some axes without a rotor
    const Vector a = forward_dynamics_by<TypeParam>(o, c.model, s, false, diagonal);
    EXPECT_LE(left_over<TypeParam>(c.model, s, a, false, diagonal), 32 * kappa<TypeParam>(o, c.model, s, diagonal));
  });
}

TYPED_TEST(ConstraintForces, GiveTheSameBitsOnAnyNumberOfThreads) {
  for_each_way<TypeParam>([](const Options& o, const Case& c, const State& s) {
    EXPECT_EQ(forward_dynamics_by<TypeParam>(o, c.model, s, true, {}, 1),
              forward_dynamics_by<TypeParam>(o, c.model, s, true, {}, 2));
  });
}

TYPED_TEST(ConstraintForces, KeepTheDigitsOfLongRobots) {
  for (const Solver solver : {Solver::automatic, Solver::block_lu, Solver::cyclic_reduction})
    for (const char* spec : {"chain:1000", "rope:1000", "snake:1000"}) {
      const Model model = generate(spec, 3).build();
      SCOPED_TRACE(std::string(spec) + ", solver " + std::to_string(static_cast<int>(solver)));
      State s = random_state(model, 4);
      s.v *= 0.01;
      const Vector a =
          forward_dynamics_by<TypeParam>({.method = Method::constraint_force, .solver = solver}, model, s, true);
      EXPECT_LE(left_over<TypeParam>(model, s, a, true), std::sqrt(model.depth()) * spread(model));
    }
}

/// Rotors of every size, from none to ones against which the links weigh nothing.
TYPED_TEST(ConstraintForces, CarryRotorsOfAnySize) {
  for (const char* name : {"chain:30", "every_joint", "rope:10", "snake:8"}) {
    const Model& model = case_named(name).model;
    const State s = random_state(model, 7);
    for (const double size : {1e-6, 1e-3, 1.0, 1e3}) {
      SCOPED_TRACE(std::string(name) + ", rotors of " + std::to_string(size));
      const Vector diagonal = Vector::Constant(model.nv(), size);
      const Options o = {.method = Method::constraint_force};
      const Vector a = forward_dynamics_by<TypeParam>(o, model, s, true, diagonal);
      EXPECT_LE(left_over<TypeParam>(model, s, a, true, diagonal),
                32 * roundings_of_a_product() * kappa<TypeParam>(o, model, s, diagonal));
    }
  }
}

TEST(ConstraintForce, SaysWhatItDoesNotServe) {
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  using ::testing::HasSubstr;
  for (const Method method : {Method::constraint_force, Method::conjugate_gradient}) {
    const auto reason = [&](const char* name) {
      const char* text = refusal(algorithm, case_named(name).model, {.method = method});
      return std::string(text ? text : "");
    };
    EXPECT_THAT(reason("humanoid"), HasSubstr("branch"));
    EXPECT_THAT(reason("mimic_chain"), HasSubstr("mimic"));
    EXPECT_THAT(reason("rope:20:bending"), HasSubstr("no mass"));
    EXPECT_EQ(reason("arm7"), "");
    EXPECT_EQ(reason("immovable"), "");
  }
}

TEST(ConstraintForce, TakesAsManyUnknownsAsItsJointsNeed) {
  const auto unknowns = [](const char* name) {
    return ConstraintForce::unknowns_of_joints(case_named(name).model.view<double>(),
                                               static_cast<const double*>(nullptr));
  };
  EXPECT_EQ(unknowns("rope:10"), 3);
  EXPECT_EQ(unknowns("chain:7"), 5);
  EXPECT_EQ(unknowns("every_joint"), 5);
  EXPECT_EQ(unknowns("snake:8"), 5);
  double diagonal = 0;
  EXPECT_EQ(ConstraintForce::unknowns_of_joints(case_named("rope:10").model.view<double>(), &diagonal), 6);
}

/// Bias forces on the links they belong to keep digits that the joint forces they make up lose.
TEST(ConstraintForce, KeepsMoreDigitsWithBiasForcesWhereTheyAct) {
  const Model model = generate("chain:100", 11).build();
  const State s = random_state(model, 5);
  const auto error = [&](RightHandSide side) {
    const Options o = {.method = Method::constraint_force, .right_hand_side = side};
    return left_over<double>(model, s, forward_dynamics_by<double>(o, model, s, true), true);
  };
  EXPECT_LT(8 * error(RightHandSide::local), error(RightHandSide::bias_torque));
}

}  // namespace
}  // namespace tandem::test
