// SPDX-License-Identifier: Apache-2.0
/// The words of AArch64's instructions: those that GNU's assembler writes, stored here and, where it is installed,
/// asked for.
#include "tracing/jit/neon_words.hpp"
#include "recording/aarch64_tools.hpp"

namespace tandem::test {
namespace {

using namespace neon;

struct Line {
  Word word, stored;
  const char* text;
};
const Line lines[] = {
    {three(fadd.of(false), 1, 2, 31), 0x4e7fd441, "fadd v1.2d, v2.2d, v31.2d"},
    {three(fadd.of(true), 1, 2, 31), 0x4e3fd441, "fadd v1.4s, v2.4s, v31.4s"},
    {three(fsub.of(false), 30, 8, 0), 0x4ee0d51e, "fsub v30.2d, v8.2d, v0.2d"},
    {three(fsub.of(true), 30, 8, 0), 0x4ea0d51e, "fsub v30.4s, v8.4s, v0.4s"},
    {three(fmul.of(false), 5, 5, 17), 0x6e71dca5, "fmul v5.2d, v5.2d, v17.2d"},
    {three(fmul.of(true), 5, 5, 17), 0x6e31dca5, "fmul v5.4s, v5.4s, v17.4s"},
    {three(fdiv.of(false), 9, 10, 11), 0x6e6bfd49, "fdiv v9.2d, v10.2d, v11.2d"},
    {three(fdiv.of(true), 9, 10, 11), 0x6e2bfd49, "fdiv v9.4s, v10.4s, v11.4s"},
    {three(fmla.of(false), 3, 20, 21), 0x4e75ce83, "fmla v3.2d, v20.2d, v21.2d"},
    {three(fmla.of(true), 3, 20, 21), 0x4e35ce83, "fmla v3.4s, v20.4s, v21.4s"},
    {three(fmls.of(false), 3, 20, 21), 0x4ef5ce83, "fmls v3.2d, v20.2d, v21.2d"},
    {three(fmls.of(true), 3, 20, 21), 0x4eb5ce83, "fmls v3.4s, v20.4s, v21.4s"},
    {three(fcmeq.of(false), 31, 4, 5), 0x4e65e49f, "fcmeq v31.2d, v4.2d, v5.2d"},
    {three(fcmeq.of(true), 31, 4, 5), 0x4e25e49f, "fcmeq v31.4s, v4.4s, v5.4s"},
    {three(fcmgt.of(false), 31, 4, 5), 0x6ee5e49f, "fcmgt v31.2d, v4.2d, v5.2d"},
    {three(fcmgt.of(true), 31, 4, 5), 0x6ea5e49f, "fcmgt v31.4s, v4.4s, v5.4s"},
    {three(sub.of(false), 31, 4, 31), 0x6eff849f, "sub v31.2d, v4.2d, v31.2d"},
    {three(sub.of(true), 31, 4, 31), 0x6ebf849f, "sub v31.4s, v4.4s, v31.4s"},
    {three(cmeq.of(false), 31, 31, 31), 0x6eff8fff, "cmeq v31.2d, v31.2d, v31.2d"},
    {three(cmeq.of(true), 31, 31, 31), 0x6ebf8fff, "cmeq v31.4s, v31.4s, v31.4s"},
    {two(root_of.of(false), 6, 7), 0x6ee1f8e6, "fsqrt v6.2d, v7.2d"},
    {two(root_of.of(true), 6, 7), 0x6ea1f8e6, "fsqrt v6.4s, v7.4s"},
    {two(minus_of.of(false), 6, 7), 0x6ee0f8e6, "fneg v6.2d, v7.2d"},
    {two(minus_of.of(true), 6, 7), 0x6ea0f8e6, "fneg v6.4s, v7.4s"},
    {two(absolute_of.of(false), 6, 7), 0x4ee0f8e6, "fabs v6.2d, v7.2d"},
    {two(absolute_of.of(true), 6, 7), 0x4ea0f8e6, "fabs v6.4s, v7.4s"},
    {three(orr, 12, 13, 13), 0x4ead1dac, "mov v12.16b, v13.16b"},
    {three(insert_if, 12, 13, 31), 0x6ebf1dac, "bit v12.16b, v13.16b, v31.16b"},
    {three(insert_if_not, 12, 13, 31), 0x6eff1dac, "bif v12.16b, v13.16b, v31.16b"},
    {shl(false, 31, 4, 62), 0x4f7e549f, "shl v31.2d, v4.2d, #62"},
    {shl(true, 31, 4, 31), 0x4f3f549f, "shl v31.4s, v4.4s, #31"},
    {sshr(false, 31, 4, 63), 0x4f41049f, "sshr v31.2d, v4.2d, #63"},
    {sshr(true, 31, 4, 31), 0x4f21049f, "sshr v31.4s, v4.4s, #31"},
    {ldr(14, 1, 4095), 0x3dfffc2e, "ldr q14, [x1, #65520]"},
    {str(31, 0, 1), 0x3d80041f, "str q31, [x0, #16]"},
    {ldr_at(14, 1, 9), 0x3ce9682e, "ldr q14, [x1, x9]"},
    {str_at(14, 0, 9), 0x3ca9680e, "str q14, [x0, x9]"},
    {movz(9, 0xfff0), 0xd29ffe09, "movz x9, #0xfff0"},
    {movk_above(9, 0x12), 0xf2a00249, "movk x9, #0x12, lsl #16"},
    {stp_first(8, 9), 0x6dbc27e8, "stp d8, d9, [sp, #-64]!"},
    {stp(14, 15, 6), 0x6d033fee, "stp d14, d15, [sp, #48]"},
    {ldp(14, 15, 6), 0x6d433fee, "ldp d14, d15, [sp, #48]"},
    {ldp_last(8, 9), 0x6cc427e8, "ldp d8, d9, [sp], #64"},
    {ret, 0xd65f03c0, "ret"},
};

TEST(NeonWords, AreThoseThatAreStored) {
  for (const Line& line : lines) EXPECT_EQ(line.word, line.stored) << line.text;
}

TEST(NeonWords, AreThoseOfTheAssembler) {
  const std::string assembler = tool({"aarch64-linux-gnu-as"}), copier = tool({"aarch64-linux-gnu-objcopy"});
  if (assembler.empty() || copier.empty())
    GTEST_SKIP() << "no assembler of AArch64 (Debian: binutils-aarch64-linux-gnu)";
  const Workplace here;
  {
    std::ofstream text(here.file("lines.s"));
    for (const Line& line : lines) text << line.text << "\n";
  }
  ASSERT_TRUE(here.run(assembler + " -o lines.o lines.s && " + copier + " -O binary lines.o lines"));
  std::ifstream words(here.file("lines"), std::ios::binary);
  for (const Line& line : lines) {
    Word word = 0;
    for (int k = 0; k < 4; ++k) word |= static_cast<Word>(words.get() & 0xff) << 8 * k;
    EXPECT_EQ(line.word, word) << line.text;
  }
}

}  // namespace
}  // namespace tandem::test
