// SPDX-License-Identifier: Apache-2.0
#include "support/errors.hpp"
#include "tandem/model/generators.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <map>

#include "descriptions.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// FNV-1a over the bits of every number and the letters of every name.
class Hash {
 public:
  void add(double x) { add_bits(std::bit_cast<std::uint64_t>(x), 8); }
  void add(const std::string& s) {
    for (const char c : s) add_bits(static_cast<unsigned char>(c), 1);
  }
  template <std::size_t n>
  void add(const std::array<double, n>& numbers) {
    for (const double x : numbers) add(x);
  }
  std::uint64_t value() const { return value_; }

 private:
  void add_bits(std::uint64_t bits, int bytes) {
    for (int k = 0; k < bytes; ++k) value_ = (value_ ^ ((bits >> (8 * k)) & 0xff)) * 0x100000001b3u;
  }
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

std::uint64_t hash_of(const ModelBuilder& builder) {
  Hash hash;
  hash.add(builder.name());
  for (const LinkDescription& l : builder.links()) {
    hash.add(l.name);
    hash.add(l.mass);
    hash.add(l.com);
    hash.add(l.inertia);
  }
  for (const JointDescription& j : builder.joints()) {
    for (const std::string& s : {j.name, j.parent, j.child, j.mimic}) hash.add(s);
    hash.add(j.placement.position);
    hash.add(j.placement.rotation);
    hash.add(j.axis);
    for (const double x : {j.lower, j.upper, j.velocity, j.effort, j.damping, j.multiplier, j.offset})
      hash.add(x);
  }
  return hash.value();
}

TEST(Generators, GiveTheSameBitsOnEveryMachine) {
  EXPECT_EQ(hash_of(generate("chain:100", 1)), 766762708681547762u);
  EXPECT_EQ(hash_of(generate("tree:100", 1)), 8060825998446159631u);
  EXPECT_EQ(hash_of(generate("rope:100", 1)), 5309549730492257098u);
  EXPECT_EQ(hash_of(generate("rope:100:bending", 1)), 8403076272483951010u);
  EXPECT_EQ(hash_of(generate("snake:100", 1)), 1748526987345586501u);
}

TEST(Generators, DependOnTheSeed) {
  EXPECT_EQ(hash_of(generate("chain:10", 7)), hash_of(generate("chain:10", 7)));
  EXPECT_NE(hash_of(generate("chain:10", 7)), hash_of(generate("chain:10", 8)));
  EXPECT_NE(hash_of(generate("tree:10", 7)), hash_of(generate("tree:10", 8)));
}

TEST(Generators, MakeRobotsWithoutComplaint) {
  for (const char* spec : {"chain:1", "chain:300", "rope:1", "rope:50", "rope:1:bending", "rope:50:bending",
                           "tree:1", "tree:500", "snake:1", "snake:50"}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      EXPECT_THAT(generate(spec, seed).build().warnings(), IsEmpty()) << spec;
  }
}

TEST(Chain, HasRevoluteAndSomePrismaticJoints) {
  const Model m = generate("chain:1000", 1).build();
  EXPECT_EQ(m.name(), "chain_1000");
  EXPECT_EQ(m.n_links(), 1001);
  EXPECT_EQ(m.nv(), 1000);
  EXPECT_EQ(m.depth(), 1000);
  int prismatic = 0;
  for (int i = 1; i < m.n_links(); ++i) prismatic += m.joint_type(i) == JointType::prismatic;
  EXPECT_GT(prismatic, 200);
  EXPECT_LT(prismatic, 300);
  for (int k = 0; k < m.nq(); ++k) {
    EXPECT_LT(m.view<double>().q_lower[k], 0);
    EXPECT_GT(m.view<double>().q_upper[k], 0);
    EXPECT_TRUE(std::isfinite(m.view<double>().tau_limit[k]));
  }
}

TEST(Rope, HangsFromBallJoints) {
  const Model m = generate("rope:10").build();
  EXPECT_EQ(m.n_links(), 11);
  EXPECT_EQ(m.nq(), 40);
  EXPECT_EQ(m.nv(), 30);
  EXPECT_NEAR(m.mass(), 0.5, 1e-15);
  EXPECT_EQ(m.view<double>().placement[12 * 2 + 11], -0.1);
}

TEST(Rope, BendsInTwoDirections) {
  const Model m = generate("rope:10:bending").build();
  EXPECT_EQ(m.n_links(), 21);
  EXPECT_EQ(m.nq(), 20);
  EXPECT_NEAR(m.mass(), 0.5, 1e-15);
  EXPECT_THAT(m.joint_axis(1), ElementsAre(1, 0, 0));
  EXPECT_THAT(m.joint_axis(2), ElementsAre(0, 1, 0));
  EXPECT_EQ(m.link_mass(1), 0);
}

TEST(Snake, Floats) {
  const Model m = generate("snake:5").build();
  EXPECT_EQ(m.n_links(), 6);
  EXPECT_EQ(m.nv(), 6 + 4);
  EXPECT_EQ(m.joint_type(1), JointType::free);
  EXPECT_THAT(m.joint_axis(2), ElementsAre(0, 0, 1));
  EXPECT_THAT(m.joint_axis(3), ElementsAre(0, 1, 0));
  EXPECT_EQ(generate("snake:5").build({.floating = true}).nv(), 10);
}

TEST(Tree, HasJointsOfEveryType) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ModelBuilder builder = generate("tree:12", seed);
    std::map<JointType, int> count;
    for (const JointDescription& j : builder.joints()) ++count[j.type];
    EXPECT_EQ(count[JointType::revolute], 4);
    EXPECT_EQ(count[JointType::continuous], 2);
    EXPECT_EQ(count[JointType::prismatic], 2);
    EXPECT_EQ(count[JointType::planar], 1);
    EXPECT_EQ(count[JointType::spherical], 1);
    EXPECT_EQ(count[JointType::free], 1);
    EXPECT_EQ(count[JointType::fixed], 1);
  }
  const Model m = generate("tree:240", 1).build();
  EXPECT_EQ(m.n_links(), 1 + 240 - 20);
  EXPECT_EQ(m.n_frames(), 241);
  EXPECT_GE(m.view<double>().n_mimic, 19);
  EXPECT_LT(m.depth(), 40);
}

std::string refusal_to_generate(const std::string& spec) {
  return test::error_of([&] { generate(spec); });
}

TEST(Generators, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(refusal_to_generate("chian:5"),
            "generator \"chian:5\": unknown, expected chain:N, rope:N, rope:N:bending, tree:N or snake:N; "
            "did you mean "
            "\"chain\"?");
  EXPECT_THAT(refusal_to_generate("spring:5"), testing::EndsWith("or snake:N"));
  EXPECT_EQ(refusal_to_generate("chain"),
            "generator \"chain\": expected chain:N with a number N from 1 to 10000000, N is \"\"");
  for (const char* spec :
       {"chain:", "chain:0", "chain:-1", "chain:10000001", "chain:1e3", "chain:5 ", "chain: 5", "chain:+5",
        "chain:5:bending", "rope:5:", "rope:bending", "rope::bending", "tree:99999999999999999999"}) {
    EXPECT_THAT(refusal_to_generate(spec), HasSubstr("with a number N from 1 to 10000000")) << spec;
  }
}

TEST(Generators, AreToldFromOtherNames) {
  for (const char* spec : {"chain:5", "rope:3:bending", "tree:x", "snake", "chain:"})
    EXPECT_TRUE(is_generator(spec)) << spec;
  for (const char* spec : {"", "arm6", "chain5", "chains:5", "robot.urdf", ":5"})
    EXPECT_FALSE(is_generator(spec)) << spec;
}

TEST(GeneratorsSlow, BuildAMillionLinks) {
  for (const char* spec : {"chain:1000000", "rope:1000000", "snake:1000000", "tree:1000000"}) {
    const Model m = generate(spec, 1).build();
    EXPECT_EQ(m.n_frames(), 1000001);
    EXPECT_EQ(m.find_frame(m.frame_name(1000000)), 1000000);
    EXPECT_EQ(m.link_name(m.n_links() - 1), m.link_name(m.link_index(m.link_name(m.n_links() - 1))));
  }
}

}  // namespace
}  // namespace tandem
