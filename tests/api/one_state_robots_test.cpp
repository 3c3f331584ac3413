// SPDX-License-Identifier: Apache-2.0
/// Instructions for one state of every published robot of the model collection ($TANDEM_MODELS, or shared/models beside the
/// project): the results of the ordinary way.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "api/plan.hpp"
#include "api/specialise.hpp"
#include "api/specialised_support.hpp"
#include "backends/cpu/run_state.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;

template <class T>
class OneStateOfPublishedRobotsSlow : public ::testing::Test {};
TYPED_TEST_SUITE(OneStateOfPublishedRobotsSlow, Reals);

TYPED_TEST(OneStateOfPublishedRobotsSlow, HasTheResultsOfTheOrdinaryWay) {
  using T = TypeParam;
  const auto here = registers_here();
  if (here.empty() || !serves_single_states(here.front()) || instruction_set() == "baseline")
    GTEST_SKIP() << "no Xbyak, or no AVX2";
  const char* given = std::getenv("TANDEM_MODELS");
  const fs::path folder =
      (given ? fs::path(given) : fs::path(TANDEM_SOURCE_DIR).parent_path() / "shared" / "models") / "urdf";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "NO ROBOTS CHECKED: there is no folder " << folder;
  int robots = 0, compared = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    const Model model = load_urdf(entry.path().string());
    ++robots;
    for (const Algorithm& algorithm : algorithms()) {
      SCOPED_TRACE(std::string(algorithm.name) + ", " + entry.path().filename().string());
      const Plan<T> ordinary(model, algorithm, {}, {}, Specialise::off);
      if (ordinary.way().divides) continue;
      if (algorithm.inverts_mass_matrix && (model.mass() == 0 || !model.singular_joints().empty())) {
        EXPECT_THROW(Plan<T>(model, algorithm, {}, {}, Specialise::wait), Error);
        continue;
      }
      const Plan<T> plan(model, algorithm, {}, {}, Specialise::wait);
      States<T> a(algorithm, model, 1, false), b(algorithm, model, 1, false);
      Workspace<T> work;
      evaluate(ordinary, a.arrays, 1, work);
      const Call<T> call = {model.view<T>(), plan.options(), b.arrays.data()};
      const Assembled<T>* const line = plan.way().specialised->line_for(model, call, 1);
      ASSERT_NE(line, nullptr);
      if (!run_state(*line, call, 0, work)) continue;  // robots that cannot move; angles of angles
      EXPECT_TRUE(equal(a.result(0, model), b.result(0, model)));
      ++compared;
    }
  }
  EXPECT_GT(robots, 50);
  EXPECT_GT(compared, 14 * robots);
}

}  // namespace
}  // namespace tandem::test
