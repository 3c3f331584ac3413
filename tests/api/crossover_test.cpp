// SPDX-License-Identifier: Apache-2.0
/// When calls with device "auto" go to the GPU, with a GPU and times that are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tandem/api/automatic.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

/// A processor that takes so long for a state, a GPU that takes a hundred thousandth of a second for a call and less
/// for a state.
auto times(double of_state, double of_state_there, int* calls = nullptr) {
  return [=](Device::Kind kind, Index states) {
    if (calls) ++*calls;
    const auto n = static_cast<double>(states);
    return kind == Device::cpu ? 1e-7 + n * of_state : 1e-5 + n * of_state_there;
  };
}

TEST(Crossover, IsTheFirstPowerOfTwoThatGains) {
  for (const double of_state : {1e-9, 3e-8, 2e-7, 1e-5}) {
    const auto f = times(of_state, of_state / 20);
    Index expected = 1;
    while (!(f(Device::cuda, expected) < 0.95 * f(Device::cpu, expected))) expected *= 2;
    int calls = 0;
    EXPECT_EQ(crossover(times(of_state, of_state / 20, &calls), 1 << 20), expected) << of_state;
    EXPECT_LE(calls, 14);
  }
}

TEST(Crossover, IsNoneWhereTheGpuNeverGains) {
  EXPECT_EQ(crossover(times(1e-8, 1e-8), 1 << 20), 0);
  EXPECT_EQ(crossover(times(1e-8, 1e-10), 64), 0) << "so many states are not asked for";
  EXPECT_EQ(crossover(times(1e-8, 1e-10), 0), 0);
}

class Crossovers : public ::testing::Test {
 protected:
  std::string file = (std::filesystem::path(::testing::TempDir()) / "tandem_crossovers.json").string();
  TuningTable table() const {
    TuningTable t;
    t.machine = "a machine";
    t.rows = {{"inverse_dynamics", true, {{64, Method::scan, 0}}}};
    t.gpu = "a GPU";
    t.crossovers = {{"inverse_dynamics", true, {{7, 8192}, {28, 0}, {100, 512}}},
                    {"inverse_dynamics", false, {{7, 16384}}}};
    return t;
  }
  void write(const std::string& text) const { std::ofstream(file) << text; }
};

TEST_F(Crossovers, AreThoseOfTheNextSmallerRobot) {
  const TuningTable t = table();
  const auto from = [&](Index links, bool in_float = true, const char* gpu = "a GPU") {
    return states_for_gpu(t, gpu, "inverse_dynamics", in_float, links);
  };
  EXPECT_EQ(from(3), 8192);
  EXPECT_EQ(from(27), 8192);
  EXPECT_EQ(from(28), 0);
  EXPECT_EQ(from(5000), 512);
  EXPECT_EQ(from(50, false), 16384);
  EXPECT_EQ(from(7, true, "another GPU"), 0) << "which was not measured";
  EXPECT_EQ(from(7, true, ""), 0);
  EXPECT_EQ(states_for_gpu(t, "a GPU", "mass_matrix", true, 7), 0);
}

TEST_F(Crossovers, StandInTheTableOfMethods) {
  write_tuning_table(file, table());
  const TuningTable t = read_tuning_table(file);
  EXPECT_EQ(t.gpu, "a GPU");
  ASSERT_EQ(t.rows.size(), 1u);
  EXPECT_EQ(t.rows[0].steps[0].method, Method::scan);
  ASSERT_EQ(t.crossovers.size(), 2u);
  EXPECT_EQ(t.crossovers[0].steps.size(), 3u);
  for (const Index links : {3, 28, 100}) {
    EXPECT_EQ(states_for_gpu(t, "a GPU", "inverse_dynamics", true, links),
              states_for_gpu(table(), "a GPU", "inverse_dynamics", true, links));
  }
}

TEST_F(Crossovers, OfAFileThatIsWrongAreRefusedByName) {
  const auto message = [&](const std::string& gpu) {
    write(R"({"machine": "a", "rows": [], "gpu": )" + gpu + "}");
    try {
      read_tuning_table(file);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message(R"({"rows": []})"), HasSubstr("gpu: \"name\" is missing"));
  EXPECT_THAT(message(R"({"name": "b", "rows": [{"algorithm": "inverse_dynamics", "float": true, "steps": []}]})"),
              HasSubstr("row 0 of gpu: \"steps\" is empty"));
  const auto step = [&](const std::string& steps) {
    return message(R"({"name": "b", "rows": [{"algorithm": "inverse_dynamics", "float": true, "steps": [)" + steps +
                   "]}]}");
  };
  EXPECT_THAT(step(R"({"links": 7, "states": -1})"), HasSubstr("must not be negative"));
  EXPECT_THAT(step(R"({"links": 7})"), HasSubstr("\"states\" is missing"));
  EXPECT_THAT(step(R"({"links": 7, "states": 1}, {"links": 7, "states": 2})"), HasSubstr("ascending order"));
  EXPECT_EQ(step(R"({"links": 7, "states": 1})"), "none");
}

TEST(ChooseDevice, IsTheProcessorWhereThereIsNoGpu) {
  if (cuda::is_available()) GTEST_SKIP() << "there is one";
  const Model arm = load("arm7");
  EXPECT_EQ(choose_device<double>(find_algorithm("inverse_dynamics"), arm, 1 << 24), Device());
}

}  // namespace
}  // namespace tandem
