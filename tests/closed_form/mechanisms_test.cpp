// SPDX-License-Identifier: Apache-2.0
/// Mechanisms of two joints, rotors and gears, and what gravity and a moving base do.
#include "closed_form/robots.hpp"

namespace tandem::test {
namespace {

template <class T>
class Mechanism : public ::testing::Test {};
TYPED_TEST_SUITE(Mechanism, Reals);

const JointDescription vertical_hinge = {.type = JointType::continuous, .axis = {0, 0, 1}};

/// A planar arm of two links in the horizontal plane, centres of mass on the links.
TYPED_TEST(Mechanism, PlanarArmOfTwoLinks) {
  constexpr double m1 = 2, m2 = 1.5, l1 = 0.75, c1 = 0.25, c2 = 0.5, I1 = 0.125, I2 = 0.0625;
  ModelBuilder builder("planar_2r");
  builder.link({.name = "base"});
  builder.link({.name = "upper", .mass = m1, .com = {c1, 0, 0}, .inertia = principal(I1, I1, I1)});
  builder.link({.name = "lower", .mass = m2, .com = {c2, 0, 0}, .inertia = principal(I2, I2, I2)});
  builder.joint(
      {.name = "shoulder", .type = JointType::revolute, .parent = "base", .child = "upper", .axis = {0, 0, 1}});
  builder.joint({.name = "elbow",
                 .type = JointType::revolute,
                 .parent = "upper",
                 .child = "lower",
                 .placement = {.position = {l1, 0, 0}},
                 .axis = {0, 0, 1}});
  const Model model = builder.build();
  const Vector v = vector({1.5, -0.5});
  for (const double q2 : {0.0, 1.0, 2.5, -1.5}) {
    const double M12 = m2 * (c2 * c2 + l1 * c2 * std::cos(q2)) + I2, h = -m2 * l1 * c2 * std::sin(q2);
    Matrix M(2, 2);
    M << m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * std::cos(q2)) + I1 + I2, M12, M12, m2 * c2 * c2 + I2;
    const Vector bias = vector({h * (2 * v[0] * v[1] + v[1] * v[1]), -h * v[0] * v[0]});
    expect_dynamics<TypeParam>(model, vector({0.5, q2}), v, vector({-1, 2}), M, bias);
  }
}

/// A bead slides out on a turning rod: it needs the Coriolis force 2 m w v across and m w^2 r along the rod.
TYPED_TEST(Mechanism, BeadOnATurningRod) {
  constexpr double m = 2, I_rod = 0.5;
  ModelBuilder builder("bead");
  builder.link({.name = "base"});
  builder.link({.name = "rod", .mass = 1, .inertia = principal(I_rod, I_rod, I_rod)});
  builder.link({.name = "bead", .mass = m});
  builder.joint({.name = "turn", .type = JointType::continuous, .parent = "base", .child = "rod", .axis = {0, 0, 1}});
  builder.joint({.name = "slide", .type = JointType::prismatic, .parent = "rod", .child = "bead", .axis = {1, 0, 0}});
  const Model model = builder.build();
  constexpr double r = 0.75, w = 1.5, u = -0.5;
  const Matrix M = vector({I_rod + m * r * r, m}).asDiagonal();
  expect_dynamics<TypeParam>(model, vector({0.5, r}), vector({w, u}), vector({-1, 2}), M,
                             vector({2 * m * r * w * u, -m * w * w * r}));
}

/// A nut on a screw with a vertical axis turns as it falls: qdd = -m g h / (I + m h^2), h = pitch / (2 pi).
TYPED_TEST(Mechanism, NutOnAScrew) {
  constexpr double m = 2, I = 0.25, g = 9.81;
  for (const double pitch : {0.5, -3.0, 0.0}) {
    const double h = pitch / (2 * std::numbers::pi);
    const Model model = one_body({.mass = m, .com = {0, 0, 0.5}, .inertia = principal(1, 1, I)},
                                 {.type = JointType::helical, .axis = {0, 0, 1}, .pitch = pitch})
                            .build();
    const Vector q = vector({1.5}), v = vector({2}), M = vector({I + m * h * h}), bias = vector({m * g * h});
    expect_dynamics<TypeParam>(model, q, v, vector({-1}), M, bias);
    Robot<TypeParam> robot(model);
    EXPECT_NEAR(robot.forward_dynamics(q, v, vector({0}))[0], -m * g * h / (I + m * h * h),
                tolerance<TypeParam>(8, 1, 20));
    const auto frames = robot.forward_kinematics(q, v, vector({0.5}), Reference::local_world_aligned);
    EXPECT_NEAR(frames.p[1].z(), 1.5 * h, tolerance<TypeParam>(4, 1, 1));
    EXPECT_NEAR(frames.velocity(1, 2), 2 * h, tolerance<TypeParam>(4, 1, 1));
    EXPECT_NEAR(frames.acceleration(1, 2), 0.5 * h, tolerance<TypeParam>(4, 1, 1));
  }
}

/// A body on a universal joint turns with w = [u cos b, v, u sin b] along its own axes, b = q1: the first axis stands
/// still in the parent, and as it turns against the body forces of u v and of u^2 arise.
TYPED_TEST(Mechanism, BodyOnAUniversalJoint) {
  constexpr double A = 0.75, B = 0.5, C = 0.375;
  const Model model = one_body({.mass = 1, .inertia = principal(A, B, C)}, {.type = JointType::universal}).build();
  for (const double b : {0.0, 0.5, -1.25, 3.0}) {
    const double s = std::sin(b), c = std::cos(b), u = 1.5, w = -0.5;
    const Matrix M = vector({A * c * c + C * s * s, B}).asDiagonal();
    expect_dynamics<TypeParam>(model, vector({0.25, b}), vector({u, w}), vector({-1, 2}), M,
                               (C - A) * s * c * vector({2 * u * w, -u * u}));
  }
}

/// The parent-side axis is x of the joint's frame, the other one the turned y: R = Rx(q0) Ry(q1).
TYPED_TEST(Mechanism, UniversalJointTurnsAboutXThenAboutTheTurnedY) {
  const Model model = one_body({.mass = 1, .inertia = principal(1, 1, 1)},
                               {.type = JointType::universal, .placement = {.position = {1, 2, 3}}})
                          .build();
  const Vector q = as_float(vector({0.75, -0.5}));
  const auto frames = Robot<TypeParam>(model).forward_kinematics(q, vector({0, 0}), vector({0, 0}), Reference::local);
  const Matrix3 R = (Eigen::AngleAxisd(q[0], Vector3::UnitX()) * Eigen::AngleAxisd(q[1], Vector3::UnitY())).matrix();
  EXPECT_LT((frames.R[1] - R).norm(), tolerance<TypeParam>(8, 1, 1));
  EXPECT_EQ(frames.p[1], Vector3(1, 2, 3));
}

/// A rotor's inertia is added to that of what the joint carries.
TYPED_TEST(Mechanism, RotorOnAHinge) {
  JointDescription hinge = vertical_hinge;
  hinge.armature = 0.375;
  const Model model = one_body({.mass = 1, .inertia = principal(1, 1, 0.25)}, hinge).build();
  expect_dynamics<TypeParam>(model, vector({0.5}), vector({2}), vector({-1.5}), Matrix::Constant(1, 1, 0.625),
                             vector({0}));
}

/// A wheel that follows another one, r times as fast, counts with r^2; its rotor too.
TYPED_TEST(Mechanism, Gear) {
  for (const double r : {4.0, -0.5}) {
    ModelBuilder builder("gear");
    builder.link({.name = "base"});
    builder.link({.name = "slow", .mass = 1, .inertia = principal(1, 1, 0.75)});
    builder.link({.name = "fast", .mass = 1, .inertia = principal(1, 1, 0.125)});
    builder.joint(
        {.name = "drive", .type = JointType::continuous, .parent = "base", .child = "slow", .axis = {0, 0, 1}});
    builder.joint({.name = "driven",
                   .type = JointType::continuous,
                   .parent = "base",
                   .child = "fast",
                   .axis = {0, 0, 1},
                   .armature = 0.25,
                   .mimic = "drive",
                   .multiplier = r,
                   .offset = 0.5});
    expect_dynamics<TypeParam>(builder.build(), vector({0.5}), vector({2}), vector({-1.5}),
                               Matrix::Constant(1, 1, 0.75 + r * r * (0.125 + 0.25)), vector({0}));
  }
}

/// Two carts: the second one, on the first, follows it r times as far and so moves 1 + r times as fast: M = m1 + (1 +
/// r)^2 m2.
TYPED_TEST(Mechanism, TelescopeWhosePartsFollow) {
  constexpr double m1 = 2, m2 = 0.75, r = 1.5;
  ModelBuilder builder("telescope");
  builder.link({.name = "base"});
  builder.link({.name = "outer", .mass = m1});
  builder.link({.name = "inner", .mass = m2});
  builder.joint({.name = "slide", .type = JointType::prismatic, .parent = "base", .child = "outer", .axis = {0, 0, 1}});
  builder.joint({.name = "follow",
                 .type = JointType::prismatic,
                 .parent = "outer",
                 .child = "inner",
                 .axis = {0, 0, 1},
                 .mimic = "slide",
                 .multiplier = r,
                 .offset = 0.5});
  const double M = m1 + (1 + r) * (1 + r) * m2;
  expect_dynamics<TypeParam>(builder.build(), vector({0.5}), vector({2}), vector({-1.5}), Matrix::Constant(1, 1, M),
                             vector({g * (m1 + (1 + r) * m2)}));
}

/// Gravity pulls along its own direction: a hinge about z feels its horizontal part.
TYPED_TEST(Mechanism, GravityFromTheSide) {
  constexpr double m = 2, l = 0.5;
  const Model upright = one_body({.mass = m, .com = {l, 0, 0}}, vertical_hinge).build();
  const Matrix M = Matrix::Constant(1, 1, m * l * l);
  for (const double q : {0.0, 0.5, -2.0}) {
    expect_dynamics<TypeParam>(upright, vector({q}), vector({1}), vector({2}), M, vector({0}));
    const Model sideways = upright.with_gravity({3, -4, 1});
    const double pull = m * l * (-4 * std::cos(q) - 3 * std::sin(q));
    expect_dynamics<TypeParam>(sideways, vector({q}), vector({1}), vector({2}), M, vector({-pull}));
  }
}

/// In an elevator that starts with g the weight doubles; in one that falls freely it is gone.
TYPED_TEST(Mechanism, PendulumInAnElevator) {
  constexpr double m = 2, l = 0.5, q = 0.75;
  const Model model =
      one_body({.mass = m, .com = {0, 0, -l}}, {.type = JointType::continuous, .axis = {0, 1, 0}}).build();
  const Matrix M = Matrix::Constant(1, 1, m * l * l);
  const double weight = m * g * l * std::sin(q);
  for (const double start : {g, 0.0, -g})
    expect_dynamics<TypeParam>(model.with_base_acceleration({0, 0, start, 0, 0, 0}), vector({q}), vector({1}),
                               vector({2}), M, vector({weight * (1 + start / g)}));
}

/// On a base that begins to turn, everything is as if the joint turned less: tau = I (a + base).
TYPED_TEST(Mechanism, WheelOnABaseThatBeginsToTurn) {
  constexpr double I = 0.75, turn = 2.5;
  const Model model = one_body({.mass = 1, .inertia = principal(1, 1, I)}, vertical_hinge).build();
  expect_dynamics<TypeParam>(model.with_base_acceleration({0, 0, 0, 0, 0, turn}), vector({0.5}), vector({1}),
                             vector({2}), Matrix::Constant(1, 1, I), vector({I * turn}));
}

}  // namespace
}  // namespace tandem::test
