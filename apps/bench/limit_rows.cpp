// SPDX-License-Identifier: Apache-2.0
/// What the processor can do, measured like any other row: fused multiply-adds of registers of each width (for the
/// baseline, multiplications and additions: it has no fused ones), and copies of memory too large for its caches.
#include <cstring>
#include <memory>
#include <thread>

#include "own_rows.hpp"
#include "threads.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tandem::bench {
namespace {

#ifdef __x86_64__
constexpr int turns = 10000,
              chains = 12;  // as many as hide the latency of two units of four cycles, with room to spare

// A function for each width, as each is compiled for another instruction set: `step` advances one of independent
// chains, which the empty assembly keeps from being merged or dropped.
#define TANDEM_FMA_LOOP(name, isa, register_type, set, constraint, step)           \
  __attribute__((target(isa), noinline)) void name() {                             \
    register_type x[chains];                                                       \
    for (int k = 0; k < chains; ++k) x[k] = set(1 + 0.1f * static_cast<float>(k)); \
    const register_type a = set(0.999f), b = set(0.001f);                          \
    for (int turn = 0; turn < turns; ++turn) {                                     \
      for (int k = 0; k < chains; ++k) {                                           \
        x[k] = step;                                                               \
        asm volatile("" : "+" constraint(x[k]));                                   \
      }                                                                            \
    }                                                                              \
  }
TANDEM_FMA_LOOP(fma_avx512_double, "avx512f", __m512d, _mm512_set1_pd, "v", _mm512_fmadd_pd(x[k], a, b))
TANDEM_FMA_LOOP(fma_avx512_float, "avx512f", __m512, _mm512_set1_ps, "v", _mm512_fmadd_ps(x[k], a, b))
TANDEM_FMA_LOOP(fma_avx2_double, "avx2,fma", __m256d, _mm256_set1_pd, "x", _mm256_fmadd_pd(x[k], a, b))
TANDEM_FMA_LOOP(fma_avx2_float, "avx2,fma", __m256, _mm256_set1_ps, "x", _mm256_fmadd_ps(x[k], a, b))
TANDEM_FMA_LOOP(fma_baseline_double, "sse2", __m128d, _mm_set1_pd, "x", _mm_add_pd(_mm_mul_pd(x[k], a), b))
TANDEM_FMA_LOOP(fma_baseline_float, "sse2", __m128, _mm_set1_ps, "x", _mm_add_ps(_mm_mul_ps(x[k], a), b))
#undef TANDEM_FMA_LOOP

void add_peak(Rows& rows, const char* instruction_set, const char* precision, int lanes, void (*loop)()) {
  Row row{"fused_multiply_add", "", "limit", ""};
  row.precision = precision;
  row.instruction_set = instruction_set;
  row.flops = 2.0 * turns * chains * lanes;
  row.run = timed(loop);
  rows.push_back(std::move(row));
}

void add_peaks(Rows& rows) {
  __builtin_cpu_init();
  add_peak(rows, "baseline", "double", 2, fma_baseline_double);
  add_peak(rows, "baseline", "float", 4, fma_baseline_float);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    add_peak(rows, "avx2", "double", 4, fma_avx2_double);
    add_peak(rows, "avx2", "float", 8, fma_avx2_float);
  }
  if (__builtin_cpu_supports("avx512f")) {
    add_peak(rows, "avx512", "double", 8, fma_avx512_double);
    add_peak(rows, "avx512", "float", 16, fma_avx512_float);
  }
}
#else
void add_peaks(Rows&) {}  // shares of the peak stay empty on other processors
#endif

/// Copies of 64 MB a thread, read and written.
void add_copy(Rows& rows, int threads) {
  constexpr std::size_t size = std::size_t{64} << 20;
  struct Memory {
    std::vector<char> from = std::vector<char>(size, 1), to = std::vector<char>(size, 2);
  };
  auto memory = std::make_shared<std::vector<Memory>>(static_cast<std::size_t>(threads));
  Row row{"copy", "", "limit", ""};
  row.threads = threads;
  row.bytes = 2.0 * static_cast<double>(size) * threads;
  row.run = timed([memory] {
    const auto copy = [](Memory& m) { std::memcpy(m.to.data(), m.from.data(), size); };
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < memory->size(); ++k) others.emplace_back(copy, std::ref((*memory)[k]));
    copy(memory->front());
    for (std::thread& thread : others) thread.join();
  });
  rows.push_back(std::move(row));
}

}  // namespace

void add_limit_rows(Rows& rows) {
  add_peaks(rows);
  for (const int threads : thread_counts()) add_copy(rows, threads);
}

}  // namespace tandem::bench
