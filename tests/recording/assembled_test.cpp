// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as instructions of this processor: the bits of the graph, in every lane.
#include <gmock/gmock.h>

#include "tracing/jit/assemble.hpp"
#include "recording/recording_support.hpp"
#include "support/errors.hpp"

namespace tandem::test {
namespace {

template <class T>
class Assembled : public ::testing::Test {};
TYPED_TEST_SUITE(Assembled, Reals);

/// A state a lane, each with numbers of its own.
TYPED_TEST(Assembled, HasTheBitsOfTheGraph) {
  using T = TypeParam;
  if (registers_here().empty()) GTEST_SKIP() << "no assembler";
  for_each_recording(
      [](const Algorithm& algorithm, const Options& options, const Case& c, const std::vector<std::string>& optional) {
        for (const Registers registers : registers_here()) {
          const RecordedFunction function =
              record(algorithm, c.model, options,
                     {.precision = precision_of<T>,
                      .optional = optional,
                      .products = registers == Registers::sse2 ? Graph::Products::rounded : Graph::Products::fused});
          const auto order = as_recorded(function);
          const AssembledFunction assembled(function, registers);
          const auto width = static_cast<std::size_t>(assembled.width());
          std::vector<T> memory(static_cast<std::size_t>(assembled.rows()) * width + 64 / sizeof(T), T(0.5));
          void* start = memory.data();
          std::size_t space = memory.size() * sizeof(T);
          T* const tile = static_cast<T*>(std::align(64, space - 64, start, space));
          std::vector<std::vector<std::vector<T>>> states;
          for (std::size_t lane = 0; lane < width; ++lane) {
            states.push_back(library_call<T>(function, algorithm, c.model, options, c.seed + lane % 3));
            std::size_t row = 0;
            for (std::size_t k = 0; k < function.columns.size(); ++k)
              if (is_input(*function.columns[k].argument))
                for (const T x : states[lane][k]) tile[row++ * width + lane] = x;
            ASSERT_EQ(row, static_cast<std::size_t>(assembled.inputs()));
          }
          assembled(tile);
          for (std::size_t lane = 0; lane < std::min<std::size_t>(width, 3); ++lane) {
            const auto expected = run_fused<T>(function, order, states[lane]);
            auto row = static_cast<std::size_t>(assembled.inputs());
            for (std::size_t k = 0; k < expected.size(); ++k)
              for (const T x : expected[k])
                EXPECT_EQ(tile[row++ * width + lane], x) << function.columns[k].argument->name << ", lane " << lane;
          }
        }
      });
}

TEST(Assembling, SaysWhatWasRecordedForOtherProcessors) {
  const auto here = registers_here();
  if (std::find(here.begin(), here.end(), Registers::sse2) == here.end()) GTEST_SKIP() << "no assembler of SSE2";
  const RecordedFunction function = record(find_algorithm("inverse_dynamics"), load("arm7"));
  EXPECT_THAT(error_of([&] { AssembledFunction(function, Registers::sse2); }),
              ::testing::HasSubstr("fused multiply-add"));
  EXPECT_THAT(error_of([&] { AssembledFunction(function, Registers::neon); }), ::testing::HasSubstr("registers"));
}

}  // namespace
}  // namespace tandem::test
