// SPDX-License-Identifier: Apache-2.0
#include "generated.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string_view>

#include "backends/cuda/generated/launch.hpp"
#include "measure.hpp"
#include "print_input.hpp"
#include "results.hpp"
#include "run.hpp"

namespace tandem::gpu_check {
namespace {

/// Some states with angles and quaternions that straight lines do not serve, or with what is no number.
template <class A, class T>
void make_odd(Call<A, T>& call) {
  for (Index b = 0; b + 7 < call.batch(); b += 97)
    for (Index row = 0; row < call.rows(0); ++row) {
      call.at(0, row, b) *= T(1e9);
      call.at(0, row, b + 3) *= std::is_same_v<T, float> ? T(0x1p62) : T(0x1p505);
    }
}

template <class A, class T>
double different_bits(const Call<A, T>& call, const Prepared<A, T>& one, const Prepared<A, T>& other) {
  Index count = 0;
  for (const bool states_first : {false, true}) {
    std::vector<T> results[2];
    int k = 0;
    for (const Prepared<A, T>* const kernels : {&one, &other}) {
      Call<A, T> own = call;
      own.spoil_output();
      cuda::Workspace work;
      OnDevice<A, T> there(own, states_first);
      there.run(*kernels, work);
      cuda::synchronise();
      there.fetch_output(own);
      results[k++] = own.array(own.output());
    }
    for (std::size_t n = 0; n < results[0].size(); ++n) {
      const T x = results[0][n], y = results[1][n];
      count += !(x == y || x != x || y != y);
    }
  }
  return static_cast<double>(count);
}

template <class A, class T>
void check(const Robot& robot) {
  const Prepared<A, T> generic(robot.model, {});
  const Prepared<A, T> own(robot.model, {}, Specialise::wait);
  Call<A, T> call(robot.model, 1000, false);
  make_odd(call);
  const double different = different_bits(call, own, generic);
  std::printf("%-12s %-17s %-7s %g numbers of other bits%s: %s\n", robot.name.c_str(), A::name, precision<T>, different,
              different == 0 ? "" : " FAILED", own.description().c_str());
  write_row("generated", Row()
                             .add("robot", robot.name)
                             .add("algorithm", A::name)
                             .add("precision", precision<T>)
                             .add("different_bits", different)
                             .add("served_by", own.description())
                             .add("passed", different == 0));
  if (different == 0) return;
  count_failure();
  print_input(robot.name, call, 1);
}

/// States a second by one kind of kernels, which some plans would not choose.
template <class A, class T>
double rate(const Robot& robot, const OnDevice<A, T>& arrays, Index batch, const cuda::LoadedKernels& kernels) {
  const Algorithm algorithm = described<A>();
  const auto call = [&] { cuda::launch<T>(kernels, algorithm, robot.model, {arrays.arguments().data(), batch}); };
  return static_cast<double>(batch) / device_times(call).median;
}

template <class A, class T>
std::unique_ptr<cuda::RobotKernelCache<T>> kernels_of(const Robot& robot, cuda::ByLimbs by) {
  cuda::Means means = cuda::means_here(cuda::compiler());
  means.by_limbs = by;
  return std::make_unique<cuda::RobotKernelCache<T>>(described<A>(), robot.model, Options(), std::move(means),
                                                     Specialise::wait);
}

template <class A, class T>
void measure(const Robot& robot) {
  const auto straight = kernels_of<A, T>(robot, cuda::ByLimbs::never), by_limbs = kernels_of<A, T>(robot,
      cuda::ByLimbs::always);
  for (const Index batch : {1024, 16384, 131072}) {
    const Call<A, T> call(robot.model, batch, false);
    const OnDevice<A, T> arrays(call);
    const double threads = rate(robot, arrays, batch, *straight->ready());
    const double warps = by_limbs->ready()->source.teams > 0 ? rate(robot, arrays, batch, *by_limbs->ready()) : 0;
    const auto operations = static_cast<double>(straight->ready()->source.operations);
    std::printf("%-12s %-17s %-7s %8lld %6g operations: a thread a state %10.4g, a warp a limb %10.4g states/s\n",
                robot.name.c_str(), A::name, precision<T>, static_cast<long long>(batch), operations, threads, warps);
    std::fflush(stdout);
    write_row("generated_rates", Row().add("robot", robot.name).add("algorithm", A::name).add("precision", precision<T>)
                                     .add("batch", static_cast<double>(batch)).add("operations", operations)
                                     .add("thread_a_state", threads).add_measured("warp_a_limb", warps));
  }
}

/// Seconds to record, compile and load the kernels of a robot, its three functions side by side.
void time_compiler(const Robot& robot) {
  ::setenv("TANDEM_CACHE_DIR", "", 1);  // of this process
  const auto time = [&]<class A, class T>(A, T) {
    const double took = seconds([&] { Prepared<A, T>(robot.model, {}, Specialise::wait); });
    std::printf("%-12s %-17s %-7s %6.2f s to record, compile and load\n", robot.name.c_str(), A::name, precision<T>,
                took);
    write_row("compilations", Row().add("robot", robot.name).add("algorithm", A::name).add("precision", precision<T>)
                                  .add("seconds", took).add("compiler", cuda::compiler()->name()));
  };
  const auto later = [&](auto a, auto t) { return std::async(std::launch::async, [=] { time(a, t); }); };
  std::future<void> all[] = {later(ForwardDynamics(), 0.0), later(ForwardDynamics(), 0.0f),
      later(InverseDynamics(), 0.0),
                             later(InverseDynamics(), 0.0f), later(MassMatrix(), 0.0), later(MassMatrix(), 0.0f)};
  for (std::future<void>& one : all) one.get();
}

bool has_compiler() {
  if (cuda::compiler()) return true;
  std::printf("Kernels of one robot: %s\n", cuda::why_no_compiler().c_str());
  return false;
}

}  // namespace

void add_generated_checks(const Robot& robot, std::vector<Unit>& units) {
  if (!is_compiled(robot) || !has_compiler()) return;
  for_each_kernel([&]<class A, class T>(A, T) {
    units.push_back({std::string("kernels of ") + robot.name + ", " + A::name + ", " + precision<T>,
                     [&robot] { check<A, T>(robot); }, 120});
  });
}

void add_generated_rates(const std::vector<Robot>& robots, std::vector<Unit>& units) {
  if (!has_compiler()) return;
  for (const Robot& robot : robots)
    if (is_timed(robot) && has_limbs(robot))
      for_each_kernel([&]<class A, class T>(A, T) {
        units.push_back({std::string("limbs of ") + robot.name + ", " + A::name + ", " + precision<T>,
                         [&robot] { measure<A, T>(robot); }, 120});
      });
  for (const Robot& robot : robots)
    if (is_timed(robot)) units.push_back({"compiler, " + robot.name, [&robot] { time_compiler(robot); }, 120});
}

}  // namespace tandem::gpu_check
