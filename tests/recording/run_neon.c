// SPDX-License-Identifier: Apache-2.0
/// Runs functions that were written for AArch64 on tiles of numbers, and compares what they leave there: for an emulator.
/// The file: for each function seven numbers of 32 bits: bytes of instructions, of constants, of the tile, of a real number,
/// the first row of outputs, the number behind the last, bytes of a row; then instructions, constants, the tile as it is
/// before, and as it is to be afterwards in its rows of outputs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int has(FILE* file, void* to, size_t bytes) { return bytes == 0 || fread(to, bytes, 1, file) == 1; }

// equal as numbers: a zero may have another sign
static int differs(const void* a, const void* b, uint32_t size) {
  double x, y;
  float f, g;
  if (size == 8) {
    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    return !(x == y || (x != x && y != y));
  }
  memcpy(&f, a, 4);
  memcpy(&g, b, 4);
  return !(f == g || (f != f && g != g));
}

// 1 if the function gives the lower halves of v8 to v15 back as they were
static int call(void (*function)(void*, const void*), void* tile, const void* constants) {
  double before[8] = {1, 2, 3, 4, 5, 6, 7, 8}, after[8];
  register void* x0 __asm__("x0") = tile;
  register const void* x1 __asm__("x1") = constants;
  register void (*x2)(void*, const void*) __asm__("x2") = function;
  register double* x19 __asm__("x19") = before;
  register double* x20 __asm__("x20") = after;
  __asm__ volatile(
      "ldp d8, d9, [x19]\n ldp d10, d11, [x19, #16]\n ldp d12, d13, [x19, #32]\n ldp d14, d15, [x19, #48]\n"
      "blr x2\n"
      "stp d8, d9, [x20]\n stp d10, d11, [x20, #16]\n stp d12, d13, [x20, #32]\n stp d14, d15, [x20, #48]\n"
      : "+r"(x0), "+r"(x1), "+r"(x2)
      : "r"(x19), "r"(x20)
      : "memory", "cc", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
        "x17", "x30", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
        "v31");
  return memcmp(before, after, sizeof before) == 0;
}

int main(int argc, char** argv) {
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  uint32_t head[7], functions = 0, wrong = 0;
  if (!file) return 2;
  while (has(file, head, sizeof head)) {
    const uint32_t code = head[0], constants = head[1], tile = head[2], real = head[3], row = head[6];
    const uint32_t begin = head[4] * row, end = head[5] * row;
    char* const pages = mmap(NULL, code, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *pool = aligned_alloc(64, (constants + 64) / 64 * 64), *numbers = aligned_alloc(64, (tile + 64) / 64 * 64);
    char* expected = malloc(end - begin + 1);
    if (pages == MAP_FAILED || !has(file, pages, code) || !has(file, pool, constants) || !has(file, numbers, tile) ||
        !has(file, expected, end - begin))
      return 2;
    mprotect(pages, code, PROT_READ | PROT_EXEC);
    __builtin___clear_cache(pages, pages + code);
    void (*function)(void*, const void*);
    memcpy(&function, &pages, sizeof function);
    if (!call(function, numbers, pool)) {
      printf("function %u does not give the caller's registers back\n", functions);
      ++wrong;
    }
    for (uint32_t k = begin; k < end; k += real)
      if (differs(numbers + k, expected + k - begin, real)) {
        if (++wrong < 20) printf("function %u, row %u, byte %u of it\n", functions, k / row, k % row);
      }
    munmap(pages, code);
    free(pool);
    free(numbers);
    free(expected);
    ++functions;
  }
  printf("%u functions, %u differences\n", functions, wrong);
  return wrong != 0 || functions == 0;
}
