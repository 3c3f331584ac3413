// SPDX-License-Identifier: Apache-2.0
/// Recorded functions as instructions of AArch64, run by an emulator where this is another processor: the bits of the
/// graph.
#include "recording/aarch64_tools.hpp"
#include "tracing/jit/write.hpp"
#include "tracing/expand_angles.hpp"
#include "recording/recording_support.hpp"

namespace tandem::test {
namespace {

template <class T>
class Neon : public ::testing::Test {};
TYPED_TEST_SUITE(Neon, Reals);

template <class T>
void append(std::ofstream& file, const std::vector<T>& numbers) {
  file.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(T)));
}

TYPED_TEST(Neon, HasTheBitsOfTheGraph) {
  using T = TypeParam;
  const std::string compiler = tool({"aarch64-linux-gnu-gcc"});
  const std::string emulator = tool({"qemu-aarch64-static", "qemu-aarch64"});
  if (compiler.empty()) GTEST_SKIP() << "no compiler for AArch64 (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)";
  if (emulator.empty()) GTEST_SKIP() << "no emulator of AArch64 (Debian: qemu-user-static)";
  const Workplace here;
  ASSERT_TRUE(
      here.run(compiler + " -O1 -Wall -Werror -static -o run " TANDEM_SOURCE_DIR "/tests/recording/run_neon.c"));
  std::ofstream file(here.file("functions"), std::ios::binary);
  for_each_recording([&](const Algorithm& algorithm, const Options& options, const Case& c,
                         const std::vector<std::string>& optional) {
    const RecordedFunction function =
        record(algorithm, c.model, options, {.precision = precision_of<T>, .optional = optional});
    const Written written = write_instructions(expand_angles(function).function, {}, Registers::neon);
    const std::size_t width = 16 / sizeof(T);
    std::vector<T> tile(static_cast<std::size_t>(written.rows) * width, T(0.5)), expected;
    std::vector<std::vector<std::vector<T>>> results;
    std::size_t inputs = 0;
    for (std::size_t lane = 0; lane < width; ++lane) {
      const auto state = library_call<T>(function, algorithm, c.model, options, c.seed + lane % 2);
      inputs = 0;
      for (std::size_t k = 0; k < function.columns.size(); ++k)
        if (is_input(*function.columns[k].argument))
          for (const T x : state[k]) tile[inputs++ * width + lane] = x;
      results.push_back(run_fused<T>(function, as_recorded(function), state));
    }
    for (std::size_t k = 0; k < results[0].size(); ++k)
      for (std::size_t row = 0; row < results[0][k].size(); ++row)
        for (std::size_t lane = 0; lane < width; ++lane) expected.push_back(results[lane][k][row]);
    const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
    append<std::uint32_t>(
        file, {number(written.instructions.size()), number(written.constants.size()), number(tile.size() * sizeof(T)),
               number(sizeof(T)), number(inputs), number(inputs + expected.size() / width), 16});
    append(file, written.instructions);
    append(file, written.constants);
    append(file, tile);
    append(file, expected);
  });
  file.close();
  EXPECT_TRUE(here.run(emulator + " ./run functions"));
}

}  // namespace
}  // namespace tandem::test
