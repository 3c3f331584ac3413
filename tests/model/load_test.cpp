// SPDX-License-Identifier: Apache-2.0
/// A robot by whatever name a user gives it.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/errors.hpp"
#include "tandem/io/urdf.hpp"
#include "tandem/model/generators.hpp"

namespace tandem {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_to_load(const std::string& robot) {
  return test::error_of([&] { load(robot); });
}

TEST(Load, TakesGenerators) {
  EXPECT_EQ(load("chain:7").nv(), 7);
  EXPECT_EQ(load("chain:7", {.floating = true}).nv(), 13);
  EXPECT_NE(load("chain:7", {}, 1).view<double>().inertia[10], load("chain:7", {}, 2).view<double>().inertia[10]);
  EXPECT_THAT(refusal_to_load("chain:x"), HasSubstr("N is \"x\""));
}

TEST(Load, TakesShippedRobots) {
  EXPECT_THAT(shipped_robots(), testing::IsSupersetOf({"arm6", "arm7", "humanoid", "quadruped"}));
  for (const std::string& name : shipped_robots()) EXPECT_GT(load(name).mass(), 0) << name;
  EXPECT_EQ(load("arm7").nv(), 7);
  EXPECT_THAT(std::string(shipped_robot("arm6")), HasSubstr("<robot"));
}

TEST(Load, TakesFiles) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "tandem_load_test";
  std::filesystem::create_directories(folder);
  for (const char* name : {"a.urdf", "b.URDF", "no_extension"}) {
    std::ofstream(folder / name) << "<robot name=\"stone\"><link name=\"stone\"/></robot>";
    EXPECT_EQ(load((folder / name).string()).name(), "stone");
  }
  std::filesystem::remove_all(folder);
}

TEST(Load, RefusesFilesThatAreMissing) {
  EXPECT_THAT(refusal_to_load("missing.urdf"), HasSubstr("missing.urdf: cannot be opened"));
  EXPECT_THAT(refusal_to_load("./arm6"), HasSubstr("./arm6: cannot be opened"));
  EXPECT_NE(refusal_to_load("./"), "no error");
}

TEST(Load, TellsWhatARobotCanBe) {
  EXPECT_THAT(
      refusal_to_load("arm8"),
      AllOf(HasSubstr("robot \"arm8\" is neither a file nor a known robot"),
            HasSubstr("a .urdf or .xml (MJCF) file, a generator (chain:N, rope:N, rope:N:bending, tree:N, snake:N)"),
            HasSubstr("arm6, arm7, four_bar, humanoid, quadruped"), HasSubstr("; did you mean \"arm6\" or \"arm7\"?")));
  EXPECT_THAT(refusal_to_load("chian:5"), HasSubstr("; did you mean \"chain:5\"?"));
  EXPECT_THAT(refusal_to_load(""), HasSubstr("robot \"\" is neither"));
}

TEST(Load, NamesTheShippedRobots) {
  EXPECT_THAT(test::error_of([] { shipped_robot("humanoit"); }),
              AllOf(HasSubstr("no robot \"humanoit\" ships with Tandem"), HasSubstr("did you mean \"humanoid\"?")));
}

}  // namespace
}  // namespace tandem
