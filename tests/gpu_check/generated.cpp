// SPDX-License-Identifier: Apache-2.0
#include "generated.hpp"

#include <chrono>
#include <cstdio>
#include <future>
#include <string_view>

#include "backends/cuda/generated/launch.hpp"
#include "budget.hpp"
#include "recording/teams.hpp"
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

/// States a second of f(), which starts a call for so many.
template <class F>
double rate(Index batch, F&& f) {
  const auto run = [&](int times) {
    for (int n = 0; n < times; ++n) f();
    cuda::synchronise();
  };
  run(2);
  const int times = std::clamp(static_cast<int>(5e-3 / seconds([&] { run(1); })), 1, 400);
  std::vector<double> repeats;
  for (int n = 0; n < 7; ++n) repeats.push_back(seconds([&] { run(times); }) / times);
  std::sort(repeats.begin(), repeats.end());
  return static_cast<double>(batch) / repeats[repeats.size() / 2];
}
template <class A, class T>
double rate(const Call<A, T>& call, const Prepared<A, T>& kernels, bool states_first) {
  cuda::Workspace work;
  OnDevice<A, T> there(call, states_first);
  return rate(call.batch(), [&] { there.run(kernels, work); });
}
/// By one kind of kernels, which some plans would not choose.
template <class A, class T>
double rate(const Call<A, T>& call, const Model& model, const cuda::LoadedKernels& kernels) {
  const Algorithm algorithm = described<A>();
  OnDevice<A, T> there(call);
  return rate(call.batch(),
              [&] { cuda::launch<T>(kernels, algorithm, model, {there.arguments().data(), call.batch()}); });
}

/// A function of a robot whose kernels are compiled by threads of their own.
template <class A, class T>
class Compiled {
 public:
  explicit Compiled(const Robot& robot) : robot_(robot) {
    own_ = std::async(std::launch::async, [&robot, this] {
      std::unique_ptr<const Prepared<A, T>> own;
      seconds_ =
          seconds([&] { own = std::make_unique<const Prepared<A, T>>(robot.model, Options(), Specialise::wait); });
      return own;
    });
    if (!has_limbs()) return;
    for (const cuda::ByLimbs by : {cuda::ByLimbs::never, cuda::ByLimbs::always})
      kinds_.push_back(std::async(std::launch::async, [&robot, by] {
        cuda::Means means = cuda::means_here(cuda::compiler());
        means.by_limbs = by;
        return std::make_unique<cuda::RobotLines<T>>(described<A>(), robot.model, Options(), std::move(means),
                                                     Specialise::wait);
      }));
  }

  void check(Generated& results) {
    const Prepared<A, T> every(robot_.model, {}, Specialise::off);
    const std::unique_ptr<const Prepared<A, T>> own = own_.get();
    GeneratedCheck found = {robot_.name, A::name, precision<T>, own->told(), seconds_, 0};
    Call<A, T> call(robot_.model, 1000, false);
    make_odd(call);
    found.different_bits = different_bits(call, *own, every);
    std::printf("%-12s %-17s %-7s %6.2f s, %g numbers of other bits%s: %s\n", robot_.name.c_str(), A::name,
                precision<T>, found.seconds, found.different_bits, found.passed() ? "" : " FAILED",
                found.served_by.c_str());
    results.checks.push_back(found);
    std::unique_ptr<cuda::RobotLines<T>> kinds[2];
    for (std::size_t k = 0; k < kinds_.size(); ++k) try {
        kinds[k] = kinds_[k].get();
      } catch (const Error& error) {
        std::printf("%s\n", error.what());
      }
    if (robot_.name == "every_joint") return;
    for (const Index batch : {1024, 16384, 131072, 1048576}) {
      Index rows = 0;
      for (const Argument& argument : A::arguments)
        if (argument.role != Role::optional_input) rows += shape(argument.rows, robot_.model.view<T>()).count();
      if (static_cast<std::size_t>(rows * batch) * sizeof(T) > std::size_t{1} << 30) continue;
      if (!Budget::get().allows(robot_.name + " " + A::name + " " + precision<T> + ", batch " + std::to_string(batch)))
        continue;
      const Call<A, T> states(robot_.model, batch, false);
      GeneratedRate r = {robot_.name,
                         A::name,
                         precision<T>,
                         batch,
                         rate(states, *own, false),
                         rate(states, *own, true),
                         rate(states, every, false)};
      if (kinds[0] && kinds[1]) {
        const cuda::LoadedKernels &straight = *kinds[0]->ready(), &by_limbs = *kinds[1]->ready();
        r.operations = static_cast<double>(straight.source.operations);
        r.straight = rate(states, robot_.model, straight);
        if (by_limbs.source.teams > 0) r.by_limbs = rate(states, robot_.model, by_limbs);
      }
      std::printf("%-12s %-17s %-7s %8lld %12.4g %12.4g %12.4g %12.4g %12.4g\n", r.robot.c_str(), A::name, precision<T>,
                  static_cast<long long>(batch), r.generated, r.states_first, r.every_robot, r.straight, r.by_limbs);
      std::fflush(stdout);
      results.rates.push_back(r);
    }
  }

 private:
  bool has_limbs() const { return robot_.name != "every_joint" && limbs_of(robot_.model.view<double>(), 8).count > 1; }

  const Robot& robot_;
  double seconds_ = 0;
  std::future<std::unique_ptr<const Prepared<A, T>>> own_;
  std::vector<std::future<std::unique_ptr<cuda::RobotLines<T>>>> kinds_;  ///< a thread a state, a warp a limb
};

/// What the constants of robot_kernels.cpp should be: where a warp a limb overtakes a thread a state.
void advise(const std::vector<GeneratedRate>& rates) {
  for (const char* of : {"float", "double"}) {
    double straight_wins = 0, limbs_win = 1e9;
    for (const GeneratedRate& r : rates) {
      if (r.precision != of || r.straight <= 0 || r.by_limbs <= 0 || r.batch < 131072) continue;
      if (r.straight >= r.by_limbs)
        straight_wins = std::max(straight_wins, r.operations);
      else
        limbs_win = std::min(limbs_win, r.operations);
    }
    if (straight_wins == 0 && limbs_win == 1e9) continue;
    std::printf(
        "%s, 131072 states and more: a thread a state wins up to %g operations, a warp a limb from %g on "
        "(most_straight of robot_kernels.cpp)\n",
        of, straight_wins, limbs_win < 1e9 ? limbs_win : 0.0);
    for (const GeneratedRate& r : rates)
      if (r.precision == of && r.batch == 1024 && r.straight > 0 && r.by_limbs > 0)
        std::printf("  %s %s, %g operations, 1024 states: a warp a limb %.2f times as fast (least_divided)\n",
                    r.robot.c_str(), r.algorithm.c_str(), r.operations, r.by_limbs / r.straight);
  }
}

/// All functions and precisions of a robot, later.
using Later = std::vector<std::function<void(Generated&)>>;
template <class A>
void begin(const Robot& robot, Later& later) {
  const auto add = [&]<class T>(T) {
    auto compiled = std::make_shared<Compiled<A, T>>(robot);
    later.push_back([compiled](Generated& results) { compiled->check(results); });
  };
  add(double());
  add(float());
}

}  // namespace

std::function<Generated()> begin_generated(const std::vector<Robot>& robots) {
  if (!cuda::compiler())
    return [] {
      std::printf("Kernels for one robot: %s\n", cuda::why_no_compiler().c_str());
      return Generated();
    };
  Later later;
  for (const Robot& robot : robots) {
    const std::string_view name = robot.name;
    if (name == "rope:20" || name == "tree:24" || name == "chain:100") continue;
    begin<InverseDynamics>(robot, later);
    begin<MassMatrix>(robot, later);
    begin<ForwardDynamics>(robot, later);
  }
  return [later] {
    std::printf(
        "Kernels for one robot by %s: states/s, [row][batch], [batch][row], kernels for every robot, and, of "
        "robots with limbs, a thread a state and a warp a limb\n",
        cuda::compiler()->name().c_str());
    Generated results;
    for (const auto& check : later) check(results);
    advise(results.rates);
    return results;
  };
}

}  // namespace tandem::gpu_check
