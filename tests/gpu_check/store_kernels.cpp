// SPDX-License-Identifier: Apache-2.0
/// A program of its own, for machines without a GPU: compiles the kernels of robots into a folder, where gpu_check
/// finds them.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include "backends/cuda/generated/robot_kernels.hpp"
#include "call.hpp"
#include "generated.hpp"
#include "measure.hpp"

namespace tandem::gpu_check {
namespace {

/// Into the store of the user (TANDEM_CACHE_DIR), a thread for each core. Throws Error if one fails.
void store_kernels(const std::vector<Robot>& robots, int capability) {
  const cuda::Compiler* const compiler = cuda::compiler();
  if (!compiler) throw Error("kernels of one robot: " + cuda::why_no_compiler());
  const Store store = Store::of_user();
  std::vector<std::function<void()>> jobs;
  for (const Robot& robot : robots) {
    if (!is_compiled(robot)) continue;
    for_each_kernel([&]<class A, class T>(A, T) {
      for (const cuda::ByLimbs by : {cuda::ByLimbs::where_it_pays, cuda::ByLimbs::never, cuda::ByLimbs::always}) {
        if (by != cuda::ByLimbs::where_it_pays && !(is_timed(robot) && has_limbs(robot))) continue;
        jobs.push_back([&, by] {
          const cuda::KernelSource source = cuda::kernel_source<T>(described<A>(), robot.model, Options(), {}, by);
          const std::atomic<bool> stop = false;
          const double took = seconds([&] { cuda::kernel_code(*compiler, store, source.text, capability, stop); });
          std::printf("%-12s %-17s %-7s %zu operations, %.1f s\n", robot.name.c_str(), A::name, precision<T>,
                      source.operations, took);
          std::fflush(stdout);
        });
      }
    });
  }
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<void>> workers;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k)
    workers.push_back(std::async(std::launch::async, [&] {
      for (std::size_t n = next++; n < jobs.size(); n = next++) jobs[n]();
    }));
  for (std::future<void>& worker : workers) worker.get();
}

}  // namespace
}  // namespace tandem::gpu_check

int main(int count, char** words) try {
  using namespace tandem::gpu_check;
  if (count < 3) {
    std::fputs(
        "Usage: store_kernels CAPABILITY NAME=URDF[+floating]...\n"
        "Kernels of these robots, and of one with a joint of every type, for GPUs of a compute capability such as 90, "
        "into\n"
        "the folder TANDEM_CACHE_DIR.\n",
        stderr);
    return 2;
  }
  std::vector<Robot> all = robots_of_files({words + 2, words + count});
  for (Robot& robot : robots())
    if (robot.name == "every_joint") all.push_back(std::move(robot));
  store_kernels(all, std::atoi(words[1]));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
