// SPDX-License-Identifier: Apache-2.0
/// The words of those AArch64 instructions that straight lines need (Arm Architecture Reference Manual, C7.2): a word
/// each. Registers are numbers. Vector ones are whole: 2 doubles or 4 floats.
#pragma once
#include <cstdint>

namespace tandem::neon {

using Word = std::uint32_t;

/// Of lanes of 64 bits, or of 32.
struct ByLane {
  Word of_double, of_float;
  constexpr Word of(bool single) const { return single ? of_float : of_double; }
};
constexpr ByLane fadd = {0x4E60D400, 0x4E20D400}, fsub = {0x4EE0D400, 0x4EA0D400}, fmul = {0x6E60DC00, 0x6E20DC00},
                 fdiv = {0x6E60FC00, 0x6E20FC00}, fmla = {0x4E60CC00, 0x4E20CC00}, fmls = {0x4EE0CC00, 0x4EA0CC00},
                 fcmeq = {0x4E60E400, 0x4E20E400}, fcmgt = {0x6EE0E400, 0x6EA0E400}, sub = {0x6EE08400, 0x6EA08400},
                 cmeq = {0x6EE08C00, 0x6EA08C00};
constexpr ByLane root_of = {0x6EE1F800, 0x6EA1F800}, minus_of = {0x6EE0F800, 0x6EA0F800},
                 absolute_of = {0x4EE0F800, 0x4EA0F800};
/// Or, for copies; bits of n where those of m are set (BIT), are not set (BIF).
constexpr Word orr = 0x4EA01C00, insert_if = 0x6EA01C00, insert_if_not = 0x6EE01C00;

/// d = n op m
constexpr Word three(Word op, int d, int n, int m) {
  return op | static_cast<Word>(m) << 16 | static_cast<Word>(n) << 5 | static_cast<Word>(d);
}
constexpr Word two(Word op, int d, int n) { return op | static_cast<Word>(n) << 5 | static_cast<Word>(d); }
/// Shifts of whole lanes: left, and right with copies of the sign.
constexpr Word shl(bool single, int d, int n, int by) {
  return two(0x4F005400 | static_cast<Word>((single ? 32 : 64) + by) << 16, d, n);
}
constexpr Word sshr(bool single, int d, int n, int by) {
  return two(0x4F000400 | static_cast<Word>((single ? 64 : 128) - by) << 16, d, n);
}

/// 16 bytes at [x + 16 k], k below 4096; at [x + y].
constexpr Word ldr(int v, int x, Word k) { return two(0x3DC00000 | k << 10, v, x); }
constexpr Word str(int v, int x, Word k) { return two(0x3D800000 | k << 10, v, x); }
constexpr Word ldr_at(int v, int x, int y) { return three(0x3CE06800, v, x, y); }
constexpr Word str_at(int v, int x, int y) { return three(0x3CA06800, v, x, y); }

/// x = 16 bits; the next 16 bits of it.
constexpr Word movz(int x, Word bits) { return 0xD2800000 | bits << 5 | static_cast<Word>(x); }
constexpr Word movk_above(int x, Word bits) { return 0xF2A00000 | bits << 5 | static_cast<Word>(x); }

/// The lower halves of v and w at [sp + 8 k]; the first pair makes room for eight of them, the last gives it back.
constexpr Word pair(Word op, int v, int w, int k) {
  return op | static_cast<Word>(k & 0x7f) << 15 | static_cast<Word>(w) << 10 | 31u << 5 | static_cast<Word>(v);
}
constexpr Word stp_first(int v, int w) { return pair(0x6D800000, v, w, -8); }
constexpr Word stp(int v, int w, int k) { return pair(0x6D000000, v, w, k); }
constexpr Word ldp(int v, int w, int k) { return pair(0x6D400000, v, w, k); }
constexpr Word ldp_last(int v, int w) { return pair(0x6CC00000, v, w, 8); }
constexpr Word ret = 0xD65F03C0;

}  // namespace tandem::neon
