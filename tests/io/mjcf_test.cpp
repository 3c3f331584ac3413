// SPDX-License-Identifier: Apache-2.0
/// MJCF: what is told from URDF, what is written, and, where MuJoCo is, that it comes back. Python's tests read
/// hundreds of files.
#include <gmock/gmock.h>

#include "support/errors.hpp"
#include "tandem/io/mjcf.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

#define WITH_MUJOCO() \
  if (!reads_mjcf()) GTEST_SKIP() << "MJCF is not read: there was no MuJoCo when this was built, or is none now"

TEST(Mjcf, IsToldByItsFirstElement) {
  EXPECT_TRUE(is_mjcf("<mujoco/>"));
  EXPECT_TRUE(is_mjcf("<?xml version=\"1.0\"?>\n<!-- a <robot> -->\n<mujoco model=\"x\"><worldbody>"));
  EXPECT_TRUE(is_mjcf("<mujocoinclude></mujocoinclude>"));
  EXPECT_FALSE(is_mjcf("<robot name=\"x\"><mujoco/></robot>"));
  EXPECT_FALSE(is_mjcf(""));
  EXPECT_FALSE(is_mjcf("mujoco"));
}

/// One hinge, two sites, a keyframe: as a program has it that fills in what MuJoCo would.
TEST(Mjcf, CompiledModelsAreRead) {
  MujocoModel m;
  constexpr char names[] = "pendulum\0world\0rod\0hinge\0tip\0down";
  m.names.assign(names, sizeof names);
  m.name_bodyadr = {9, 15};
  m.name_jntadr = {19};
  m.name_siteadr = {25};
  m.name_keyadr = {29};
  m.qpos0 = m.qpos_spring = {0};
  m.body_parentid = {0, 0};
  m.body_jntnum = {0, 1};
  m.body_jntadr = {-1, 0};
  m.body_mocapid = m.body_plugin = {-1, -1};
  m.body_pos = {0, 0, 0, 0, 0, 1};
  m.body_quat = {1, 0, 0, 0, 1, 0, 0, 0};
  m.body_ipos = {0, 0, 0, 0, 0, -0.5};
  m.body_iquat = {1, 0, 0, 0, 0, 0, 1, 0};  // half a turn
  m.body_mass = {0, 2};
  m.body_inertia = {0, 0, 0, 0.1, 0.2, 0.3};
  m.jnt_type = {3};
  m.jnt_qposadr = m.jnt_dofadr = {0};
  m.jnt_axis = {0, 1, 0};
  m.jnt_pos = {0, 0, 0};
  m.jnt_limited = {1};
  m.jnt_range = {-1, 2};
  m.dof_armature = {0.5};
  m.dof_damping = {0.25};
  m.dof_frictionloss = {0};
  m.site_bodyid = {1};
  m.site_pos = {0, 0, -1};
  m.site_quat = {1, 0, 0, 0};
  m.key_qpos = {0.75};
  const Model pendulum = read_mujoco(m).build();
  EXPECT_EQ(pendulum.name(), "pendulum");
  EXPECT_EQ(pendulum.link_name(1), "rod");
  EXPECT_EQ(pendulum.joint_name(1), "hinge");
  EXPECT_EQ(pendulum.joint_type(1), JointType::revolute);
  EXPECT_EQ(pendulum.joint_limits(1).upper, 2);
  EXPECT_EQ(pendulum.joint_dynamics(1).armature, 0.5);
  EXPECT_THAT(pendulum.mass_properties(1).inertia,
              Pointwise(DoubleNear(1e-15), std::vector<double>{0.1, 0, 0, 0.2, 0, 0.3}));
  EXPECT_EQ(pendulum.frame_link(pendulum.frame_index("tip")), 1);
  EXPECT_EQ(pendulum.configuration("down")[0], 0.75);
  const auto refusal = [&](auto&& spoil) {
    MujocoModel spoilt = m;
    spoil(spoilt);
    return error_of([&] { read_mujoco(spoilt, "model"); });
  };
  EXPECT_THAT(refusal([](MujocoModel& x) { x.jnt_type = {7}; }), HasSubstr("model: joint \"hinge\": has type 7"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.body_parentid = {0, 1}; }),
              HasSubstr("model: body_parentid[1] is 1, expected 0"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.body_jntnum = {0, 2}; }),
              HasSubstr("body_jntnum[1] is 2, expected 0 to 1"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.body_jntnum = {0, 0}; }), HasSubstr("1 joints in jnt_type, and 0 in"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.jnt_qposadr = {1}; }), HasSubstr("jnt_qposadr[0] is 1, expected 0"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.site_bodyid = {-3}; }),
              HasSubstr("site_bodyid[0] is -3, expected 0 to 1"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.eq_type = {2}, x.eq_obj1id = {5}; }), HasSubstr("eq_obj1id[0] is 5"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.numeric_adr = {0}, x.numeric_size = {3}; }),
              HasSubstr("numeric_size[0] is 3, expected 0"));
  EXPECT_THAT(refusal([](MujocoModel& x) { x.eq_type = {1}, x.eq_objtype = {6}, x.site_bodyid = {}; }),
              HasSubstr("eq_obj1id[0] is 0, expected none: there are no such elements"));
}

TEST(Mjcf, TextIsWrittenWithoutMujoco) {
  const std::string text = write_mjcf(describe("chain:2"));
  EXPECT_THAT(text, HasSubstr("<mujoco model="));
  EXPECT_THAT(text, HasSubstr("<body name="));
  EXPECT_TRUE(is_mjcf(text));
}

TEST(Mjcf, WhatIsWrittenComesBack) {
  WITH_MUJOCO();
  for (const char* name : {"arm7", "humanoid", "chain:5"}) {
    const ModelBuilder robot = describe(name);
    const Model model = robot.build(), again = parse_mjcf(write_mjcf(robot));
    ASSERT_EQ(again.nq(), model.nq()) << name;
    EXPECT_NEAR(again.mass(), model.mass(), 1e-14 * model.mass()) << name;
    for (int joint = 1; joint <= model.n_joints(); ++joint) EXPECT_EQ(again.joint_name(joint), model.joint_name(joint));
  }
}

TEST(Mjcf, BrokenTextIsRefusedWithLineAndElement) {
  WITH_MUJOCO();
  EXPECT_THAT(error_of([&] { read_mjcf("<mujoco>\n<worldbodi/></mujoco>", "my.xml"); }),
              HasSubstr("my.xml:2: element \"worldbodi\": MuJoCo: "));
  EXPECT_THAT(error_of([&] { read_mjcf("my.xml"); }), HasSubstr("expected MJCF text; for a file use describe(file)"));
}

}  // namespace
}  // namespace tandem::test
