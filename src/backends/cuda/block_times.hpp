// SPDX-License-Identifier: Apache-2.0
/// Measurement of operation times in a warp, and of message times between two warps through shared memory. A template
/// on the type ThreadBlock: that of CUDA in a kernel; in the tests one whose warps are threads of the CPU. Its members:
///
///     int warp() lane()  lanes                index of the warp, of the thread in the warp, threads per warp
///     std::int64_t clock() nanoseconds()      clocks
///     sync() sync_warp()                      barriers of the block, of the warp
///     Flag  post(flag, round)                 signals the other warp that the stores of this one are complete
///     await(flag, round)                      waits for this signal
#pragma once
#include "backends/cuda/block_samples.hpp"
#include "backends/cuda/links/team.hpp"
#include "tandem/detail/core/math.hpp"

namespace tandem::cuda {

/// What the two warps have in common. A message is [number][lane], so that lanes do not meet in a bank.
template <class ThreadBlock>
struct BlockMemory {
  static constexpr int back = BlockSamples::row;  ///< the box that the second warp answers in
  double numbers[BlockSamples::row + 1][BlockSamples::most][ThreadBlock::lanes];
  typename ThreadBlock::Flag flags[BlockSamples::row + 1];  ///< 0 at first
  int functions[BlockSamples::count(BlockSamples::task)],
      from[BlockSamples::count(BlockSamples::task)];  ///< of tasks
};

/// Numbers that the compiler must not know.
struct Unknown {
  double zero = 0, one = 1;
  std::int64_t warm_up =
      20'000'000;  ///< cycles, before and after: the clock gets up to speed, and both clocks can be compared
};

template <class ThreadBlock>
class BlockTrial {
  using S = BlockSamples;
  using Memory = BlockMemory<ThreadBlock>;

 public:
  TANDEM_BLOCK BlockTrial(Memory& memory, S& samples, const Unknown& unknown)
      : memory_(memory), samples_(samples), unknown_(unknown) {}

  /// All of it, by both warps.
  TANDEM_BLOCK void run() {
    if (first())
      for (int k = ThreadBlock::lane(); k < S::count(S::task); k += ThreadBlock::lanes)
        memory_.functions[k] = k * 5 % 8, memory_.from[k] = k;
    wait();
    const std::int64_t cycles = ThreadBlock::clock(), nanoseconds = ThreadBlock::nanoseconds();
    ThreadBlock::sync();
    TANDEM_NOT_UNROLLED for (int attempt = 0; attempt < S::attempts; ++attempt) {
      if (first()) time_operations(attempt);
      ThreadBlock::sync();
      time_barrier(attempt);
    }
    time_messages<0>();
    wait();
    if (!reports()) return;
    samples_.cycles = ThreadBlock::clock() - cycles;
    samples_.nanoseconds = ThreadBlock::nanoseconds() - nanoseconds;
  }

 private:
  static constexpr double never = -1;  // what no number becomes

  TANDEM_BLOCK static bool first() { return ThreadBlock::warp() == 0; }
  TANDEM_BLOCK static bool reports() { return first() && ThreadBlock::lane() == 0; }
  TANDEM_BLOCK void wait() const {
    const std::int64_t begin = ThreadBlock::clock();
    while (ThreadBlock::clock() - begin < unknown_.warm_up) {
    }
  }
  TANDEM_BLOCK volatile double* box(int k) const { return &memory_.numbers[k][0][ThreadBlock::lane()]; }

  /// Cycles that f takes with x; x depends on the first reading, and the second one on x.
  template <class F>
  TANDEM_BLOCK std::int64_t timed(double& x, F&& f) const {
    ThreadBlock::sync_warp();
    const std::int64_t begin = ThreadBlock::clock();
    if (begin == -1) x = never;
    f(x);
    if (x == never) *box(0) = x;
    return ThreadBlock::clock() - begin;
  }
  template <class F>
  TANDEM_BLOCK void time(S::Kind kind, int attempt, F&& f) const {
    double x = unknown_.one;
    const std::int64_t cycles = timed(x, f);
    if (reports()) samples_.operations[kind][attempt] = cycles;
  }

  TANDEM_BLOCK void time_operations(int attempt) const {
    const double zero = unknown_.zero, one = unknown_.one;
    time(S::nothing, attempt, [&](double&) TANDEM_INLINE {});
    time(S::multiplication, attempt, [&](double& x) TANDEM_INLINE {
      TANDEM_UNROLLED for (int k = 0; k < S::count(S::multiplication); ++k) x = x * one;
    });
    time(S::addition, attempt, [&](double& x) TANDEM_INLINE {
      TANDEM_UNROLLED for (int k = 0; k < S::count(S::addition); ++k) x = x + zero;
    });
    time(S::angle, attempt, [&](double& x) TANDEM_INLINE {
      TANDEM_NOT_UNROLLED for (int k = 0; k < S::count(S::angle); ++k) {
        const auto both = sincos(x);
        x = both.sin + both.cos;
      }
    });
    time(S::store, attempt, [&](double& x) TANDEM_INLINE {
      volatile double* const to = box(0);
      TANDEM_UNROLLED for (int k = 0; k < S::count(S::store); ++k) to[k * ThreadBlock::lanes] = x;
    });
    time(S::task, attempt, [&](double& x) TANDEM_INLINE {
      volatile double* const numbers = box(0);
      const volatile int *const functions = memory_.functions, *const from = memory_.from;
      *numbers = x;
      TANDEM_NOT_UNROLLED for (int k = 0; k < S::count(S::task); ++k) {
        volatile double* const at = numbers + from[k] * ThreadBlock::lanes;
        switch (functions[k]) {
          case 0: small_task<0>(at); break;
          case 1: small_task<1>(at); break;
          case 2: small_task<2>(at); break;
          case 3: small_task<3>(at); break;
          case 4: small_task<4>(at); break;
          case 5: small_task<5>(at); break;
          case 6: small_task<6>(at); break;
          default: small_task<7>(at);
        }
      }
      x = numbers[S::count(S::task) * ThreadBlock::lanes];
    });
  }
  template <int added>
  TANDEM_BLOCK_ONCE static void small_task(volatile double* x) {
    x[ThreadBlock::lanes] = x[0] + static_cast<double>(added);
  }

  TANDEM_BLOCK void time_barrier(int attempt) const {
    time(S::barrier, attempt, [&](double&) TANDEM_INLINE {
      TANDEM_UNROLLED for (int k = 0; k < S::count(S::barrier); ++k) ThreadBlock::sync();
    });
  }

  template <int size>
  TANDEM_BLOCK void send(int k, const double (&v)[size]) const {
    volatile double* const to = box(k);
    TANDEM_UNROLLED for (int i = 0; i < size; ++i) to[i * ThreadBlock::lanes] = v[i];
    ThreadBlock::post(memory_.flags[k], round_);
  }
  template <int size>
  TANDEM_BLOCK void receive(int k, double (&v)[size]) const {
    ThreadBlock::await(memory_.flags[k], round_);
    const volatile double* const from = box(k);
    TANDEM_UNROLLED for (int i = 0; i < size; ++i) v[i] = from[i * ThreadBlock::lanes];
  }

  template <int k>
  TANDEM_BLOCK void time_messages() {
    if constexpr (k < S::n_sizes) {
      TANDEM_NOT_UNROLLED for (int attempt = 0; attempt < S::attempts; ++attempt) {
        if (first())
          play_first<S::sizes[k]>(samples_.messages[k], attempt);
        else
          play_second<S::sizes[k]>(samples_.messages[k], attempt);
      }
      time_messages<k + 1>();
    }
  }
  template <int size>
  TANDEM_BLOCK void play_first(std::int64_t (&samples)[S::parts][S::attempts], int attempt) {
    double v[size];
    TANDEM_UNROLLED for (int i = 0; i < size; ++i) v[i] = unknown_.one;
    ++round_;
    const std::int64_t sent =
        timed(v[0], [&](double&) TANDEM_INLINE { TANDEM_UNROLLED for (int k = 0; k < S::row; ++k) send(k, v); });
    ThreadBlock::await(memory_.flags[Memory::back], round_);
    const std::int64_t there_and_back = timed(v[size - 1], [&](double&) TANDEM_INLINE {
      TANDEM_NOT_UNROLLED for (int turn = 0; turn < S::turns; ++turn) {
        ++round_;
        send(0, v);
        receive(Memory::back, v);
      }
    });
    if (!reports()) return;
    samples[S::send][attempt] = sent;
    samples[S::round_trip][attempt] = there_and_back;
  }
  template <int size>
  TANDEM_BLOCK void play_second(std::int64_t (&samples)[S::parts][S::attempts], int attempt) {
    double v[size];
    TANDEM_UNROLLED for (int i = 0; i < size; ++i) v[i] = unknown_.one;
    ++round_;
    ThreadBlock::await(memory_.flags[S::row - 1], round_);  // the last one to be sent: all are there
    // numbers arrive in order: with the last one all have
    const std::int64_t received = timed(
        v[size - 1], [&](double&) TANDEM_INLINE { TANDEM_UNROLLED for (int k = 0; k < S::row; ++k) receive(k, v); });
    if (ThreadBlock::lane() == 0) samples[S::receive][attempt] = received;
    ThreadBlock::post(memory_.flags[Memory::back], round_);
    TANDEM_NOT_UNROLLED for (int turn = 0; turn < S::turns; ++turn) {
      ++round_;
      receive(0, v);
      send(Memory::back, v);
    }
  }

  Memory& memory_;
  S& samples_;
  const Unknown unknown_;
  unsigned round_ = 0;  // of messages, the same in both warps
};

}  // namespace tandem::cuda
