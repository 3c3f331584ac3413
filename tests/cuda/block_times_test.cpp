// SPDX-License-Identifier: Apache-2.0
/// What measures a block of a GPU: its text, with threads of the processor for warps, and what becomes of the cycles.
#include "backends/cuda/block_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <memory>
#include <thread>

#include "policy/gpu_machine.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using cuda::BlockSamples;

/// ThreadBlock of block_times.hpp: two threads as warps with one lane each, and a clock of 2 GHz.
struct TwoThreads {
  static constexpr int lanes = 1;
  using Flag = std::atomic<unsigned>;
  static inline thread_local int own = 0;
  static inline std::barrier<> both{2};
  static int warp() { return own; }
  static int lane() { return 0; }
  static std::int64_t clock() { return 2 * nanoseconds(); }
  static std::int64_t nanoseconds() {
    using namespace std::chrono;
    return duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }
  static void sync() { both.arrive_and_wait(); }
  static void sync_warp() {}
  static void post(Flag& flag, unsigned round) { flag.store(round, std::memory_order_release); }
  static void await(Flag& flag, unsigned round) {
    while (flag.load(std::memory_order_acquire) != round) std::this_thread::yield();
  }
};

TEST(BlockTimesSlow, AreMeasuredByTwoWarps) {
  const auto memory = std::make_unique<cuda::BlockMemory<TwoThreads>>();
  const auto samples = std::make_unique<BlockSamples>();
  cuda::Unknown unknown;
  unknown.warm_up = 200'000;
  const auto warp = [&](int number) {
    TwoThreads::own = number;
    cuda::BlockTrial<TwoThreads>(*memory, *samples, unknown).run();
  };
  std::thread other(warp, 1);
  warp(0);
  other.join();
  for (const auto& attempts : samples->operations)
    for (const std::int64_t cycles : attempts) EXPECT_GT(cycles, 0);
  for (const auto& message : samples->messages)
    for (const auto& part : message)
      for (const std::int64_t cycles : part) EXPECT_GT(cycles, 0);
  EXPECT_EQ(memory->numbers[0][0][0], 1) << "which the last message brought";
  EXPECT_NEAR(block_clock(*samples).megahertz, 2000, 40);
  const MachineModel machine = block_machine(*samples, "threads");
  EXPECT_NO_THROW(check(machine));
  EXPECT_GT(machine.multiplication, 0);
  EXPECT_GT(machine.message(9), machine.multiplication);
}

/// Cycles of a machine at 1500 MHz whose clock takes 20 to read, one attempt of which was disturbed.
BlockSamples made_up() {
  BlockSamples s;
  s.cycles = 30'000'000, s.nanoseconds = 20'000'000;
  const int each[BlockSamples::kinds] = {0, 8, 6, 306, 3, 69, 30};
  for (int kind = 0; kind < BlockSamples::kinds; ++kind)
    for (std::int64_t& cycles : s.operations[kind])
      cycles = 20 + each[kind] * BlockSamples::count(static_cast<BlockSamples::Kind>(kind));
  s.operations[BlockSamples::multiplication][0] = 1'000'000;
  for (int k = 0; k < BlockSamples::n_sizes; ++k) {
    const int x = BlockSamples::sizes[k];
    const int send = 12 + 3 * x, receive = 30 + 6 * x, whole = send + receive + 45;
    for (std::int64_t& cycles : s.messages[k][BlockSamples::send]) cycles = 20 + BlockSamples::row * send;
    for (std::int64_t& cycles : s.messages[k][BlockSamples::receive]) cycles = 20 + BlockSamples::row * receive;
    for (std::int64_t& cycles : s.messages[k][BlockSamples::round_trip]) cycles = 20 + 2 * BlockSamples::turns * whole;
  }
  return s;
}

TEST(BlockTimes, BecomeAMachine) {
  const MachineModel m = block_machine(made_up(), "a GPU");
  EXPECT_EQ(m.name, "gpu");
  EXPECT_EQ(m.origin, "a GPU at 1500 MHz, warps of a thread block, one state per lane");
  const double us = 1.0 / 1500;
  EXPECT_NEAR(m.multiplication, 8 * us, 1e-12);
  EXPECT_NEAR(m.addition, 6 * us, 1e-12);
  EXPECT_NEAR(m.trigonometric, 150 * us, 1e-12) << "half of 306 less an addition";
  EXPECT_NEAR(m.assignment, 3 * us, 1e-12);
  EXPECT_NEAR(m.task, 60 * us, 1e-12) << "69 less an addition and a number stored";
  EXPECT_FALSE(m.meets);
  for (const double x : {1.0, 20.0}) {
    EXPECT_NEAR(m.send.of(x), (12 + 3 * x) * us, 1e-12);
    EXPECT_NEAR(m.travel.of(x), 45 * us, 1e-12);
    EXPECT_NEAR(m.receive.of(x), (30 + 6 * x) * us, 1e-12);
  }
  EXPECT_NEAR(block_clock(made_up()).barrier_us, 30 * us, 1e-12);
}

TEST(BlockTimes, NeedAClockThatGoes) {
  BlockSamples samples = made_up();
  samples.nanoseconds = 0;
  try {
    block_machine(samples, "a GPU");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("30000000 cycles in 0 ns"));
  }
}

}  // namespace
}  // namespace tandem
