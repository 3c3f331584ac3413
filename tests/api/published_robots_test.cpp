// SPDX-License-Identifier: Apache-2.0
/// Instructions for every published robot of the model collection ($TANDEM_MODELS, or shared/models beside the
/// project), for one state and for many side by side: the results of the ordinary way.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "api/plan.hpp"
#include "api/specialise.hpp"
#include "backends/cpu/run_state.hpp"
#include "specialise/specialised_support.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

template <class T>
class PublishedRobotsSlow : public ::testing::Test {};
TYPED_TEST_SUITE(PublishedRobotsSlow, Reals);

TYPED_TEST(PublishedRobotsSlow, HaveTheResultsOfTheOrdinaryWay) {
  using T = TypeParam;
  const auto here = registers_here();
  if (here.empty()) GTEST_SKIP() << "no assembler";
  const bool alone = serves_single_states(here.front()) && instruction_set() != "baseline";
  const char* given = std::getenv("TANDEM_MODELS");
  const fs::path folder =
      (given ? fs::path(given) : fs::path(TANDEM_SOURCE_DIR).parent_path() / "shared" / "models") / "urdf";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "NO ROBOTS CHECKED: there is no folder " << folder;
  constexpr Index many = 21;  // more than lie side by side, and some left
  int robots = 0, compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    const Model model = load_urdf(entry.path().string());
    ++robots;
    for (const Algorithm& algorithm : algorithms()) {
      if (!can_be_printed(algorithm)) continue;
      SCOPED_TRACE(std::string(algorithm.name) + ", " + entry.path().filename().string());
      const Plan<T> ordinary(model, algorithm, {}, {}, Specialise::off);
      if (ordinary.execution_path().divides) continue;
      if (algorithm.inverts_mass_matrix && (model.mass() == 0 || !model.singular_joints().empty())) {
        EXPECT_THROW(Plan<T>(model, algorithm, {}, {}, Specialise::wait), Error);
        continue;
      }
      const Plan<T> plan(model, algorithm, {}, {}, Specialise::wait);
      States<T> a(algorithm, model, many, false), b(algorithm, model, many, false);
      a.run(ordinary);
      b.run(plan);
      for (Index k = 0; k < many; ++k) EXPECT_TRUE(equal(a.result(k, model), b.result(k, model))) << "state " << k;
      if (!alone) continue;

      States<T> c(algorithm, model, 1, false), d(algorithm, model, 1, false);
      Workspace<T> work;
      evaluate(ordinary, c.arrays, 1, work);
      const Call<T> call = {model.view<T>(), plan.options(), d.arrays.data()};
      const Assembled<T>* const line = plan.execution_path().specialised->line_for(model, call, 1);
      ASSERT_NE(line, nullptr);
      if (!run_state(*line, call, 0, work)) continue;  // robots that cannot move; angles of angles
      EXPECT_TRUE(equal(c.result(0, model), d.result(0, model)));
      ++compared;
    }
  }
  EXPECT_GT(robots, 50);
  EXPECT_TRUE(!alone || compared > 14 * robots);
}

}  // namespace
}  // namespace tandem::test
