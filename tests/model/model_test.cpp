// SPDX-License-Identifier: Apache-2.0
/// What a model tells of itself.
#include <gmock/gmock.h>

#include <limits>
#include <optional>
#include <type_traits>

#include "core/text.hpp"
#include "descriptions.hpp"
#include "support/errors.hpp"
#include "tandem/model/generators.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using test::error_of;

TEST(ModelNames, MapBothWays) {
  const Model m = generate("tree:200", 3).build();
  for (int i = 0; i < m.n_links(); ++i) {
    EXPECT_EQ(m.find_link(m.link_name(i)), i);
    EXPECT_EQ(m.link_name(i), m.frame_name(i));
  }
  for (int i = 1; i < m.n_links(); ++i) EXPECT_EQ(m.joint_index(m.joint_name(i)), i);
  for (int f = 0; f < m.n_frames(); ++f) EXPECT_EQ(m.frame_index(m.frame_name(f)), f);
  EXPECT_EQ(m.find_link("nobody"), -1);
  EXPECT_EQ(m.find_joint("nobody"), -1);
  EXPECT_EQ(m.find_frame("nobody"), -1);
  EXPECT_EQ(m.find_frame(""), -1);
}

TEST(ModelNames, ThatAreUnknownBringSuggestions) {
  const Model m = arm(2).build();
  EXPECT_EQ(error_of([&] { m.link_index("lnik1"); }), "robot \"arm\" has no link \"lnik1\"; did you mean \"link1\"?");
  EXPECT_EQ(error_of([&] { m.joint_index("join1"); }),
            "robot \"arm\" has no joint \"join1\"; did you mean \"joint1\" or \"joint2\"?");
  EXPECT_EQ(error_of([&] { m.frame_index("camera"); }), "robot \"arm\" has no frame \"camera\"");
}

TEST(ModelNames, OfFoldedLinksLeadToTheirFrames) {
  const Model m = arm(1).link(ball("tool")).joint(joint("screw", JointType::fixed, "link1", "tool")).build();
  EXPECT_EQ(error_of([&] { m.link_index("tool"); }),
            "robot \"arm\" has no link \"tool\": it is a frame on link \"link1\"");
  EXPECT_EQ(error_of([&] { m.joint_index("screw"); }),
            "robot \"arm\" has no joint \"screw\": it is fixed and was merged into frame \"tool\"");
  EXPECT_EQ(m.frame_index("screw"), m.frame_index("tool"));
  EXPECT_THAT(error_of([&] { m.frame_index("scrww"); }), HasSubstr("did you mean \"screw\"?"));
}

TEST(ModelNames, ALinkAndAFixedJointMayShareOne) {
  const Model m = arm(1).link(ball("tool")).joint(joint("link1", JointType::fixed, "link1", "tool")).build();
  EXPECT_EQ(m.find_frame("link1"), m.find_link("link1"));
}

TEST(ModelIndices, ThatLeadNowhereAreRefused) {
  const Model m = arm(2).build();
  const int far[] = {std::numeric_limits<int>::min(), -1, 1'000'000, std::numeric_limits<int>::max()};
  for (const int i : far) {
    SCOPED_TRACE(i);
    const std::string link = sentence("robot \"arm\" has no link ", i, ": its links are 0 to 2");
    const std::string joint = sentence("robot \"arm\" has no joint ", i, ": its joints are 1 to 2");
    EXPECT_EQ(error_of([&] { m.link_name(i); }), link);
    EXPECT_EQ(error_of([&] { m.link_mass(i); }), link);
    EXPECT_EQ(error_of([&] { m.mass_properties(i); }), link);
    EXPECT_EQ(error_of([&] { m.joint_name(i); }), joint);
    EXPECT_EQ(error_of([&] { m.joint_type(i); }), joint);
    EXPECT_EQ(error_of([&] { m.joint_axis(i); }), joint);
    EXPECT_EQ(error_of([&] { m.joint_pitch(i); }), joint);
    EXPECT_EQ(error_of([&] { m.is_mimic(i); }), joint);
    EXPECT_EQ(error_of([&] { m.frame_name(i); }),
              sentence("robot \"arm\" has no frame ", i, ": its frames are 0 to ", m.n_frames() - 1));
  }
  EXPECT_THAT(error_of([&] { m.joint_type(0); }), HasSubstr("are 1 to 2"));
  EXPECT_THAT(error_of([&] { m.link_name(3); }), HasSubstr("are 0 to 2"));
  EXPECT_EQ(error_of([&] { arm(0).build().joint_name(1); }), "robot \"arm\" has no joint 1: it has no joints");
}

TEST(ModelHandles, StayWhatTheyWereWhenTheyAreMovedFrom) {
  std::optional<Model> first = arm(2).build();
  Model second = std::move(*first);
  EXPECT_EQ(first->n_links(), 3);
  EXPECT_EQ(first->link_name(2), "link2");
  Model third = arm(5).build();
  third = std::move(second);
  EXPECT_EQ(second.joint_name(1), third.joint_name(1));
  third = arm(1).build();
  first.reset();
  EXPECT_EQ(second.link_name(2), "link2");
  EXPECT_EQ(second.view<double>().parent[2], 1);
  EXPECT_EQ(second.with_gravity({0, 0, 0}).n_links(), 3);
}

TEST(ModelHandles, ABuilderThatWasMovedFromIsEmptyAndCanBeUsed) {
  ModelBuilder first = arm(2);
  const ModelBuilder second = std::move(first);
  EXPECT_TRUE(first.links().empty() && first.joints().empty() && first.frames().empty() && first.problems().empty());
  EXPECT_THAT(error_of([&] { first.build(); }), HasSubstr("has no links"));
  EXPECT_EQ(first.link(ball("base")).build().n_links(), 1);
  EXPECT_EQ(second.build().n_links(), 3);
}

TEST(ModelHandles, ABuilderRefusesATypeOfJointThatIsNone) {
  ModelBuilder builder("robot");
  JointDescription twist = {.name = "twist"};
  twist.type = static_cast<JointType>(99);
  EXPECT_EQ(error_of([&] { builder.joint(twist); }),
            "joint \"twist\": type is 99, not a valid value; expected one of fixed, revolute, continuous, prismatic, "
            "helical, "
            "universal, planar, spherical, free");
  EXPECT_TRUE(builder.joints().empty());
  builder.joint(hinge("twist", "a", "b"));
  EXPECT_THAT(error_of([&] { builder.replace_joint("twist", twist); }), HasSubstr("type is 99"));
}

TEST(ModelGravity, MustBeFinite) {
  const Model m = arm(2).build();
  const double none = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of([&] { m.with_gravity({0, none, -9.5}); }),
            "robot \"arm\": gravity is (0, nan, -9.5), expected finite numbers");
  EXPECT_EQ(error_of([&] { m.with_base_acceleration({0, 0, 0, 0, infinite, 0}); }),
            "robot \"arm\": acceleration of the base is (0, 0, 0, 0, inf, 0), expected finite numbers");
}

TEST(ModelGravity, ChangesInACopyThatSharesTheRest) {
  const Model earth = arm(2).build();
  const Model moon = earth.with_gravity({0, 0, -1.62});
  EXPECT_THAT(earth.gravity(), ElementsAre(0, 0, -9.81));
  EXPECT_THAT(moon.gravity(), ElementsAre(0, 0, -1.62));
  EXPECT_THAT(listed(moon.view<double>().base_acceleration, 6), ElementsAre(0, 0, 0, 0, 0, 1.62));
  EXPECT_THAT(listed(moon.view<float>().base_acceleration, 6), ElementsAre(0, 0, 0, 0, 0, 1.62f));
  EXPECT_EQ(earth.view<double>().inertia, moon.view<double>().inertia);
  EXPECT_EQ(&earth.name(), &moon.name());
}

TEST(ModelGravity, AddsToAnAccelerationOfTheBase) {
  const Model m = arm(2).build().with_base_acceleration({1, 2, 3, 4, 5, 6});
  EXPECT_THAT(listed(m.view<double>().base_acceleration, 6), ElementsAre(4, 5, 6, 1, 2, 3 + 9.81));
  EXPECT_THAT(m.base_acceleration(), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(m.gravity(), ElementsAre(0, 0, -9.81));
  const Model weightless = m.with_gravity({0, 0, 0});
  EXPECT_THAT(listed(weightless.view<double>().base_acceleration, 6), ElementsAre(4, 5, 6, 1, 2, 3));
  const Model still = weightless.with_base_acceleration({});
  EXPECT_THAT(listed(still.view<double>().base_acceleration, 6), testing::Each(0));
}

/// All arrays of a view as numbers, one list after the other.
template <class M>
std::vector<double> all_numbers(const ModelView<M>& view) {
  std::vector<double> numbers;
  for_each_field(view, [&](auto field, std::int64_t rows, const char*) {
    for (std::int64_t k = 0; k < rows; ++k) numbers.push_back(static_cast<double>((view.*field)[k]));
  });
  return numbers;
}

TEST(ModelView, OfFloatsIsThatOfDoublesRounded) {
  for (const char* robot : {"tree:60", "rope:5", "snake:4", "chain:1"}) {
    const Model m = generate(robot, 5).build();
    std::vector<double> expected = all_numbers(m.view<double>());
    for (double& x : expected) x = static_cast<float>(x);
    EXPECT_EQ(all_numbers(m.view<float>()), expected);
    EXPECT_EQ(m.view<float>().n_dof, m.view<double>().n_dof);
    EXPECT_EQ(m.view<float>().n_mimic, m.view<double>().n_mimic);
  }
}

TEST(ModelView, ArraysAreFiniteButForLimits) {
  const Model m = generate("tree:100", 8).build();
  for_each_field(m.view<double>(), [&](auto field, std::int64_t rows, const std::string& name) {
    const auto* array = m.view<double>().*field;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array) % 64, 0u) << name;
    const bool limit = name == "q_lower" || name == "q_upper" || name == "v_limit" || name == "tau_limit";
    for (std::int64_t k = 0; k < rows && !limit; ++k) EXPECT_TRUE(std::isfinite(static_cast<double>(array[k]))) << name;
  });
}

TEST(Model, SurvivesItsBuilderAndItsOriginal) {
  std::unique_ptr<Model> copy;
  {
    const Model m = arm(2).build();
    copy = std::make_unique<Model>(m.with_gravity({0, 0, 0}));
  }
  EXPECT_EQ(copy->link_name(2), "link2");
  EXPECT_EQ(copy->view<double>().inertia[10], 1);
}

TEST(JointTypes, Rows) {
  const JointType types[] = {JointType::fixed,  JointType::revolute,  JointType::continuous, JointType::prismatic,
                             JointType::planar, JointType::spherical, JointType::free};
  const int nq[] = {0, 1, 1, 1, 3, 4, 7}, nv[] = {0, 1, 1, 1, 3, 3, 6};
  const char* names[] = {"fixed", "revolute", "continuous", "prismatic", "planar", "spherical", "free"};
  for (int k = 0; k < 7; ++k) {
    EXPECT_EQ(joint_nq(types[k]), nq[k]);
    EXPECT_EQ(joint_nv(types[k]), nv[k]);
    EXPECT_STREQ(to_string(types[k]), names[k]);
  }
}

}  // namespace
}  // namespace tandem
