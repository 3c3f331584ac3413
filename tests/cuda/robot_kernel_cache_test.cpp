// SPDX-License-Identifier: Apache-2.0
/// Kernels for one robot, from the text to what a device would load, without a device.
#include "backends/cuda/generated/robot_kernel_cache.hpp"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include "support/errors.hpp"
#include "support/property.hpp"
#include "tandem/model/generators.hpp"

namespace tandem::test {
namespace {

using cuda::Image;
using cuda::Means;
using cuda::RobotKernelCache;
using ::testing::HasSubstr;

/// Gives the text back as code, once it may.
class Pretending : public cuda::Compiler {
 public:
  std::string name() const override { return "pretending"; }
  Image compile(const std::string& text, int capability, const std::atomic<bool>& stop) const override {
    ++calls;
    if (capability == 0) throw Error("no code for this device");
    while (held && !stop) std::this_thread::yield();
    if (stop) throw Error("stopped");
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }
  mutable std::atomic<int> calls = 0;
  std::atomic<bool> held = false;
};

struct Loaded : cuda::LoadedKernels {
  explicit Loaded(const Image& image) : text(reinterpret_cast<const char*>(image.data()), image.size()) {}
  std::string text;
};

class KernelsOfARobot : public ::testing::Test {
 protected:
  Means means(int capability = 90) {
    return {&compiler, store, capability, [this](const Image& image) {
              ++loads;
              return std::make_unique<Loaded>(image);
            }};
  }
  RobotKernelCache<float> lines(Specialise how, int capability = 90) {
    return RobotKernelCache<float>(algorithm, model, {}, means(capability), how);
  }
  /// Calls until there are kernels for this choice of arguments.
  const cuda::LoadedKernels* wait_for(RobotKernelCache<float>& of, const Array<float>* arguments) {
    for (;;) {
      if (const auto* const kernels = of.kernels_for(model, arguments, 1)) return kernels;
      std::this_thread::yield();
    }
  }

  const Algorithm& algorithm = find_algorithm("inverse_dynamics");
  Model model = load("arm7");
  Pretending compiler;
  Store store{""};
  std::atomic<int> loads = 0;
  float number = 0;
  // q, v, a, f_ext, tau
  Array<float> needed[5] = {{&number}, {&number}, {&number}, {}, {&number}};
  Array<float> all[5] = {{&number}, {&number}, {&number}, {&number}, {&number}};
};

TEST_F(KernelsOfARobot, AreThereAtOnceWherePlansWaitForThem) {
  RobotKernelCache<float> own = lines(Specialise::wait);
  const auto* const kernels = own.kernels_for(model, needed, 1);
  ASSERT_NE(kernels, nullptr);
  EXPECT_TRUE(kernels->source.has_straight);
  EXPECT_EQ(own.ready(), kernels);
  EXPECT_THAT(own.description(), HasSubstr("compiled for this robot"));
  EXPECT_THAT(static_cast<const Loaded*>(kernels)->text, HasSubstr("tandem_kernel(const In q"));
}

TEST_F(KernelsOfARobot, AreCompiledWhileOthersServe) {
  compiler.held = true;
  RobotKernelCache<float> own = lines(Specialise::on);
  EXPECT_EQ(own.kernels_for(model, needed, 1), nullptr);
  EXPECT_THAT(own.description(), HasSubstr("while"));
  compiler.held = false;
  wait_for(own, needed);
  EXPECT_EQ(compiler.calls, 1);
}

TEST_F(KernelsOfARobot, AreMadeForEveryChoiceOfArgumentsThatCallsGive) {
  RobotKernelCache<float> own = lines(Specialise::wait);
  EXPECT_EQ(own.kernels_for(model, all, 1), nullptr) << "made for calls without outer forces";
  const auto* const kernels = wait_for(own, all);
  EXPECT_THAT(static_cast<const Loaded*>(kernels)->text, HasSubstr("f_ext"));
  EXPECT_NE(own.kernels_for(model, needed, 1), kernels);
}

TEST_F(KernelsOfARobot, WaitForManyStatesWhereNobodyAsked) {
  RobotKernelCache<float> own = lines(Specialise::automatic);
  EXPECT_EQ(own.kernels_for(model, needed, 1 << 19), nullptr);
  EXPECT_EQ(compiler.calls, 0);
  EXPECT_EQ(own.kernels_for(model, needed, 1 << 19), nullptr);
  wait_for(own, needed);
  EXPECT_EQ(compiler.calls, 1);
}

TEST_F(KernelsOfARobot, ThatCannotBeCompiledLeaveCallsToTheOthers) {
  EXPECT_THAT(error_of([&] { lines(Specialise::wait, 0); }), HasSubstr("no code for this device"));
  RobotKernelCache<float> own = lines(Specialise::on, 0);
  while (own.description().find("no code") == std::string::npos) std::this_thread::yield();
  EXPECT_EQ(own.kernels_for(model, needed, 1), nullptr);
  EXPECT_EQ(loads, 0);
}

TEST_F(KernelsOfARobot, AreNotWaitedForByPlansThatEnd) {
  compiler.held = true;  // for ever
  { RobotKernelCache<float> own = lines(Specialise::on); }
  EXPECT_EQ(loads, 0);
}

TEST_F(KernelsOfARobot, AreKeptForOtherProcesses) {
  std::string folder = (std::filesystem::temp_directory_path() / "tandem-kernels-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  store = Store(folder);
  { RobotKernelCache<float> own = lines(Specialise::wait); }
  { RobotKernelCache<float> own = lines(Specialise::wait); }
  EXPECT_EQ(compiler.calls, 1);
  { RobotKernelCache<float> own = lines(Specialise::wait, 80); }
  EXPECT_EQ(compiler.calls, 2) << "code for another device";
  EXPECT_EQ(loads, 3);
  std::filesystem::remove_all(folder);
}

TEST_F(KernelsOfARobot, AreForRobotsOfNotTooManyLinks) {
  EXPECT_EQ(RobotKernelCache<float>::why_not(model, &compiler), "");
  EXPECT_THAT(RobotKernelCache<float>::why_not(generate("chain:200", 1).build(), &compiler), HasSubstr("200 links"));
}

TEST_F(KernelsOfARobot, AreForTheGravityThatTheyWereMadeFor) {
  RobotKernelCache<float> own = lines(Specialise::wait);
  const Model elsewhere = model.with_gravity({0, 0, -1.6});
  EXPECT_EQ(own.kernels_for(elsewhere, needed, 1), nullptr);
  EXPECT_NE(own.kernels_for(model, needed, 1), nullptr);
}

TEST_F(KernelsOfARobot, AnyNumberOfThreadsMayCall) {
  RobotKernelCache<float> own = lines(Specialise::automatic);
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k)
    callers.emplace_back([&] {
      for (int n = 0; n < 100; ++n) own.kernels_for(model, n % 2 ? needed : all, 1 << 17);
    });
  for (std::thread& caller : callers) caller.join();
  wait_for(own, needed);
  wait_for(own, all);
  EXPECT_EQ(compiler.calls, 2);
}

/// Few states by warps that share them, as there would be nothing to do for others.
TEST(LaunchFor, SpreadsFewStatesOverMultiprocessors) {
  cuda::KernelSource arm, humanoid;
  arm.has_straight = true;
  humanoid.has_straight = true;
  humanoid.teams = 4;
  const int many = 132;
  EXPECT_EQ(cuda::launch_for(arm, 1024, many).blocks, 32);
  EXPECT_EQ(cuda::launch_for(arm, 1 << 20, many).threads, 128);
  EXPECT_TRUE(cuda::launch_for(humanoid, 1024, many).by_limbs);
  EXPECT_EQ(cuda::launch_for(humanoid, 1024, many).threads, 128);
  EXPECT_EQ(cuda::launch_for(humanoid, 1025, many).blocks, 33);
  EXPECT_FALSE(cuda::launch_for(humanoid, 1 << 20, many).by_limbs);
  humanoid.has_straight = false;
  EXPECT_TRUE(cuda::launch_for(humanoid, 1 << 20, many).by_limbs);
  for (const cuda::KernelSource& kernels : {arm, humanoid})
    for (const Index states : {1, 31, 33, 1000, 100000}) {
      const cuda::KernelLaunch how = cuda::launch_for(kernels, states, many);
      const Index of_block = how.by_limbs ? 32 : how.threads;
      EXPECT_GE(how.blocks * of_block, states);
      EXPECT_LT((how.blocks - 1) * of_block, states);
    }
}

/// Robots of every kind, for GPUs from the oldest that Tandem is built for to the newest that the compiler knows.
TEST(Compilers, TakeTheTextsOfRobots) {
  std::string why;
  const auto nvrtc = cuda::nvrtc(why);
  if (!nvrtc) GTEST_SKIP() << why;
  const std::atomic<bool> stop = false;
  const auto size_of = [&](const char* algorithm, const Model& model, int capability) {
    const auto source = cuda::kernel_source<float>(find_algorithm(algorithm), model, {}, {});
    return nvrtc->compile(source.text, capability, stop).size();
  };
  EXPECT_GT(size_of("inverse_dynamics", load("arm7"), 75), 1000u);
  EXPECT_GT(size_of("forward_dynamics", load("arm6"), 90), 1000u);
  EXPECT_GT(size_of("forward_kinematics", case_named("every_joint").model, 100), 1000u);
  EXPECT_GT(size_of("inverse_dynamics", load("quadruped"), 80), 1000u);
  EXPECT_GT(size_of("energy", load("arm6"), 999), 1000u) << "PTX for a GPU that is yet to come";
  EXPECT_THAT(error_of([&] { nvrtc->compile("nonsense", 90, stop); }), HasSubstr("nonsense"));
  EXPECT_THAT(error_of([&] { nvrtc->compile("", 12, stop); }), HasSubstr("1.2"));
}

TEST(Compilers, StopWhereNobodyWaits) {
  std::string why;
  const auto nvrtc = cuda::nvrtc(why);
  if (!nvrtc) GTEST_SKIP() << why;
  const std::atomic<bool> stop = true;
  const auto source = cuda::kernel_source<float>(find_algorithm("inverse_dynamics"), load("arm7"), {}, {});
  EXPECT_THAT(error_of([&] { nvrtc->compile(source.text, 90, stop); }), HasSubstr("NVRTC"));
}

TEST(Compilers, NvccServesWhereThereIsNoNvrtc) {
  std::string why;
  const auto nvcc = cuda::nvcc(why);
  if (!nvcc) GTEST_SKIP() << why;
  const auto source = cuda::kernel_source<double>(find_algorithm("energy"), load("arm6"), {}, {});
  EXPECT_GT(nvcc->compile(source.text, 90, false).size(), 1000u);
  EXPECT_THAT(error_of([&] { nvcc->compile("nonsense", 90, false); }), HasSubstr("nonsense"));
}

}  // namespace
}  // namespace tandem::test
