// SPDX-License-Identifier: Apache-2.0
/// Every published robot of the model collection: $TANDEM_MODELS, or shared/models beside the project.
/// MANIFEST.md in there says for each file what it holds; the numbers of joints and the mass are checked
/// against it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "tandem/api/functions.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance =
    4 * std::numeric_limits<double>::epsilon();  // of a rotation that went through angles

fs::path models() {
  const char* given = std::getenv("TANDEM_MODELS");
  return given != nullptr ? fs::path(given) : fs::path(TANDEM_SOURCE_DIR).parent_path() / "shared" / "models";
}

#define SKIP_WITHOUT_MODELS()               \
  if (!fs::is_directory(models() / "urdf")) \
  GTEST_SKIP() << "NO ROBOTS CHECKED: there is no folder " << models() / "urdf"

std::vector<fs::path> robots() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(models() / "urdf")) {
    std::string extension = entry.path().extension();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    if (entry.is_regular_file() && extension == ".urdf") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Model load(const std::string& file, const BuildOptions& options = {}) {
  return load_urdf((models() / "urdf" / file).string(), options);
}

/// The cells of the manifest's table, by "robot/file".
std::map<std::string, std::vector<std::string>> manifest() {
  std::map<std::string, std::vector<std::string>> rows;
  std::ifstream file(models() / "MANIFEST.md");
  for (std::string line; std::getline(file, line) && line.rfind("## MJCF", 0) != 0;) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) {
      const auto begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
      cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
    }
    if (cells.size() > 8) rows[cells[1] + "/" + cells[2]] = cells;
  }
  return rows;
}

/// Number after a word, e.g. 7 in "fixed:3 revolute:7" after "revolute:"; 0 if the word is not there.
int count_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + word.size());
}

TEST(UrdfRobots, EveryOneOfTheManifestLoads) {
  SKIP_WITHOUT_MODELS();
  const auto rows = manifest();
  int n_robots = 0, n_refused = 0;
  std::printf("%-64s %6s %6s %4s %4s %10s %8s\n", "robot", "links", "joints", "nq", "nv", "mass kg",
              "warnings");
  for (const fs::path& path : robots()) {
    const std::string robot = path.parent_path().filename().string() + "/" + path.filename().string();
    SCOPED_TRACE(robot);
    try {
      const Model model = load_urdf(path.string());
      std::printf("%-64s %6d %6d %4d %4d %10.4g %8zu\n", robot.c_str(), model.n_links(), model.n_joints(),
                  model.nq(), model.nv(), model.mass(), model.warnings().size());
      ++n_robots;
      const auto row = rows.find(robot);
      if (row == rows.end()) continue;  // a robot of one's own
      const std::string& joints = row->second[5];
      const int mimics = count_after(joints, "mimic:");
      const int moving = count_after(joints, "revolute:") + count_after(joints, "continuous:") +
                         count_after(joints, "prismatic:") + count_after(joints, "planar:") +
                         count_after(joints, "floating:");
      const int nv =
          moving - mimics + 2 * count_after(joints, "planar:") + 5 * count_after(joints, "floating:");
      EXPECT_EQ(model.n_joints(), moving);
      EXPECT_EQ(model.nv(), nv);
      const double mass = std::atof(row->second[7].c_str());
      EXPECT_NEAR(model.mass(), mass, 5e-4 * mass);

      const Model floating = load_urdf(path.string(), {.floating = true});
      if (count_after(joints, "floating:") == 0) {
        EXPECT_EQ(floating.nv(), nv + 6);
      }
    } catch (const ModelError& error) {
      std::printf("%-64s refused: %s\n", robot.c_str(), error.problems().front().message.c_str());
      ++n_refused;
      EXPECT_EQ(rows.count(robot), 0u) << error.what();
    }
  }
  std::printf("%d robots loaded, %d refused\n", n_robots, n_refused);
  EXPECT_GT(n_robots, 0);
}

/// A link without inertia as the last one on a moving joint: forward dynamics alone has no result.
TEST(UrdfRobots, ThoseWithoutInertiaAtTheEndSayWhichJoint) {
  SKIP_WITHOUT_MODELS();
  for (const auto& [file, joint] : {std::pair{"GEN3-LITE.urdf", "joint \"J5\""}, {"widowx.urdf", "joint \"gripper"}})
    for (const fs::path& path : robots()) {
      if (path.filename() != file) continue;
      SCOPED_TRACE(file);
      const Model model = load_urdf(path.string());
      ASSERT_FALSE(model.singular_joints().empty());
      EXPECT_NE(model.singular_joints().front().find(joint), std::string::npos) << model.singular_joints().front();
      const auto nv = static_cast<std::size_t>(model.nv());
      std::vector<double> q = neutral_configuration(model), zero(nv), out(nv), M(nv * nv);
      Status status = {};
      Workspace<double> work;
      const Array<double> arrays[] = {{q.data()}, {zero.data()}, {zero.data()}, {}, {}, {out.data()}};
      evaluate<double>(find_algorithm("forward_dynamics"), model, arrays, {1, 1, {&status, 1}}, work);
      EXPECT_EQ(status, Status::singular);
      inverse_dynamics<double>(model, q, zero, zero, out, work);
      mass_matrix<double>(model, q, M, work);
      for (const auto* numbers : {&out, &M})
        EXPECT_TRUE(std::ranges::all_of(*numbers, [](double x) { return std::isfinite(x); }));
    }
}

TEST(UrdfRobots, SurviveBeingWritten) {
  SKIP_WITHOUT_MODELS();
  for (const fs::path& path : robots()) {
    SCOPED_TRACE(path.string());
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    const ModelBuilder once = read_urdf(text.str());
    const ModelBuilder twice = read_urdf(write_urdf(once));
    EXPECT_TRUE(twice.problems().empty());
    ASSERT_EQ(once.links().size(), twice.links().size());
    ASSERT_EQ(once.joints().size(), twice.joints().size());
    for (std::size_t i = 0; i < once.links().size(); ++i) {
      EXPECT_EQ(once.links()[i].mass, twice.links()[i].mass);
      EXPECT_EQ(once.links()[i].com, twice.links()[i].com);
      EXPECT_EQ(once.links()[i].inertia, twice.links()[i].inertia);
    }
    for (std::size_t j = 0; j < once.joints().size(); ++j) {
      const JointDescription &a = once.joints()[j], &b = twice.joints()[j];
      if (a.type != JointType::fixed) {
        EXPECT_EQ(a.axis, b.axis);  // a fixed joint's axis says nothing and is not written
      }
      EXPECT_EQ(a.lower, b.lower);
      EXPECT_EQ(a.upper, b.upper);
      for (std::size_t k = 0; k < 9; ++k)
        EXPECT_NEAR(a.placement.rotation[k], b.placement.rotation[k], tolerance);
    }
  }
}

TEST(UrdfRobots, MimicJointsOfNao) {
  SKIP_WITHOUT_MODELS();
  const Model nao = load("nao/nao.urdf");
  int mimics = 0;
  for (int j = 1; j < nao.n_links(); ++j) mimics += nao.is_mimic(j);
  EXPECT_EQ(mimics, 17);
  EXPECT_EQ(nao.nv(), 42 - 17);
}

TEST(UrdfRobots, NamespaceOfPr2) {
  SKIP_WITHOUT_MODELS();
  const Model pr2 = load("pr2_drake/pr2_simplified.urdf");
  EXPECT_EQ(pr2.name(), "pr2");
  EXPECT_GE(pr2.find_frame("base_footprint"), 0);
  EXPECT_EQ(pr2.link_name(0), "world");
}

TEST(UrdfRobots, FloatingJointOfAs2) {
  SKIP_WITHOUT_MODELS();
  const Model as2 = load("unitree_as2_floating/as2.urdf");
  EXPECT_EQ(as2.joint_type(1), JointType::free);
  EXPECT_EQ(as2.joint_name(1), "floating_base_joint");
  EXPECT_EQ(as2.nq(), 7 + 12);
  EXPECT_EQ(as2.nv(), 6 + 12);
}

TEST(UrdfRobots, NonAsciiTextOfShadowHand) {
  SKIP_WITHOUT_MODELS();
  const Model hand = load("shadow_hand/shadow_hand_right.urdf");
  EXPECT_EQ(hand.nv(), 24);
  for (const std::string& warning : hand.warnings())
    EXPECT_EQ(warning.find("UTF-8"), std::string::npos) << warning;
}

TEST(UrdfRobots, UpperCaseExtensionOfT12) {
  SKIP_WITHOUT_MODELS();
  EXPECT_EQ(load("tri_athlete_t12/T12.URDF").nv(), 36);
}

TEST(UrdfRobots, MalformedDeclarations) {
  SKIP_WITHOUT_MODELS();
  EXPECT_EQ(load("ros_urdf_tests/one_link.urdf").mass(), 1);
  EXPECT_EQ(load("ros_urdf_tests/two_links_one_joint.urdf").mass(), 2);
}

TEST(UrdfRobots, TwinsWithTurnedInertiasAgree) {
  SKIP_WITHOUT_MODELS();
  const Model a = load("kdl_inertia_rpy/testInertiaRPYmodel1.urdf"),
              b = load("kdl_inertia_rpy/testInertiaRPYmodel2.urdf");
  ASSERT_EQ(a.n_links(), b.n_links());
  ASSERT_EQ(a.nv(), 1);
  const auto &va = a.view<double>(), &vb = b.view<double>();
  for (int i = 0; i < 10 * a.n_links(); ++i)
    EXPECT_NEAR(va.inertia[i], vb.inertia[i], 1e-9 * std::abs(va.inertia[0]));
}

}  // namespace
}  // namespace tandem
