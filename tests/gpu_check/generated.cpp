// SPDX-License-Identifier: Apache-2.0
#include "generated.hpp"

#include <chrono>
#include <cstdio>
#include <string_view>

#include "backends/cuda/generated/compiler.hpp"
#include "run.hpp"

namespace tandem::gpu_check {
namespace {

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
constexpr const char* precision = std::is_same_v<T, double> ? "double" : "float";

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
double rate(const Call<A, T>& call, const Prepared<A, T>& kernels, bool states_first) {
  cuda::Workspace work;
  OnDevice<A, T> there(call, states_first);
  const auto run = [&](int times) {
    for (int n = 0; n < times; ++n) there.run(kernels, work);
    cuda::synchronise();
  };
  run(2);
  const int times = std::clamp(static_cast<int>(5e-3 / seconds([&] { run(1); })), 1, 400);
  std::vector<double> repeats;
  for (int n = 0; n < 7; ++n) repeats.push_back(seconds([&] { run(times); }) / times);
  std::sort(repeats.begin(), repeats.end());
  return static_cast<double>(call.batch()) / repeats[repeats.size() / 2];
}

template <class A, class T>
void check(const Robot& robot, Generated& results) {
  const Prepared<A, T> every(robot.model, {}, Specialise::off);
  std::unique_ptr<const Prepared<A, T>> own;
  GeneratedCheck found = {robot.name, A::name, precision<T>, "", 0, 0};
  found.seconds =
      seconds([&] { own = std::make_unique<const Prepared<A, T>>(robot.model, Options(), Specialise::wait); });
  found.served_by = own->told();
  Call<A, T> call(robot.model, 1000, false);
  make_odd(call);
  found.different_bits = different_bits(call, *own, every);
  std::printf("%-12s %-17s %-7s %6.2f s, %g numbers of other bits%s: %s\n", robot.name.c_str(), A::name, precision<T>,
              found.seconds, found.different_bits, found.passed() ? "" : " FAILED", found.served_by.c_str());
  results.checks.push_back(found);
  if (robot.name == "every_joint") return;
  for (const Index batch : {1024, 16384, 131072, 1048576}) {
    Index rows = 0;
    for (const Argument& argument : A::arguments)
      if (argument.role != Role::optional_input) rows += shape(argument.rows, robot.model.view<T>()).count();
    if (static_cast<std::size_t>(rows * batch) * sizeof(T) > std::size_t{1} << 30) continue;
    const Call<A, T> states(robot.model, batch, false);
    const GeneratedRate r = {robot.name,
                             A::name,
                             precision<T>,
                             batch,
                             rate(states, *own, false),
                             rate(states, *own, true),
                             rate(states, every, false)};
    std::printf("%-12s %-17s %-7s %8lld %12.4g %12.4g %12.4g\n", r.robot.c_str(), A::name, precision<T>,
                static_cast<long long>(batch), r.generated, r.states_first, r.every_robot);
    std::fflush(stdout);
    results.rates.push_back(r);
  }
}

}  // namespace

Generated check_generated(const std::vector<Robot>& robots) {
  Generated results;
  if (!cuda::compiler()) {
    std::printf("Kernels for one robot: %s\n", cuda::why_no_compiler().c_str());
    return results;
  }
  std::printf("Kernels for one robot by %s: states/s, [row][batch], [batch][row], and kernels for every robot\n",
              cuda::compiler()->name().c_str());
  for (const Robot& robot : robots) {
    const std::string_view name = robot.name;
    if (name == "rope:20" || name == "tree:24" || name == "chain:100") continue;
    check<InverseDynamics, double>(robot, results);
    check<InverseDynamics, float>(robot, results);
    check<MassMatrix, double>(robot, results);
    check<MassMatrix, float>(robot, results);
    check<ForwardDynamics, double>(robot, results);
    check<ForwardDynamics, float>(robot, results);
  }
  return results;
}

}  // namespace tandem::gpu_check
