// SPDX-License-Identifier: Apache-2.0
#include "links.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>

#include "backends/cuda/links/driver.hpp"
#include "budget.hpp"
#include "robots.hpp"
#include "run.hpp"

namespace tandem::gpu_check {
namespace {

template <class T>
constexpr const char* precision = std::is_same_v<T, double> ? "double" : "float";

template <class F>
double seconds(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A spine whose joints go through all types, with legs.
Model with_legs(int spine) {
  constexpr JointType types[] = {JointType::revolute,  JointType::prismatic, JointType::helical, JointType::spherical,
                                 JointType::universal, JointType::planar,    JointType::free};
  ModelBuilder robot("with_legs");
  int links = 0;
  Random random(5);
  const auto add = [&](const std::string& parent, JointType type) {
    const std::string name = "link" + std::to_string(++links);
    robot.link({.name = name,
                .mass = random.uniform(0.5, 2),
                .com = {0.02, -0.03, 0.1},
                .inertia = {0.02, 0, 0, 0.03, 0, 0.015}});
    JointDescription joint;
    joint.name = "joint" + std::to_string(links);
    joint.type = type;
    joint.parent = parent;
    joint.child = name;
    joint.placement.position = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 0.1};
    joint.axis = {0, random.uniform(-1, 1), 1};
    if (type == JointType::helical) joint.pitch = 0.1;
    joint.armature = 0.01;
    robot.joint(std::move(joint));
    return name;
  };
  robot.link({.name = "base"});
  std::string parent = "base";
  for (int k = 0; k < spine; ++k) {
    parent = add(parent, k % 40 == 0 ? types[k / 40 % 7] : k % 3 == 0 ? JointType::prismatic : JointType::revolute);
    if (k % 16 != 5) continue;
    std::string leg = parent;
    for (int i = 0; i < 3 + k / 16 % 9; ++i) leg = add(leg, i == 2 ? types[k / 16 % 7] : JointType::revolute);
  }
  return robot.build();
}

template <class A>
constexpr Method method_of = std::is_same_v<A, MassMatrix> ? Method::composite_scan : Method::scan;

/// What a method is told, in words.
std::string words_of(const Options& options) {
  std::string words;
  for_each_option([&](const auto& option) {
    using Value = typename std::remove_cvref_t<decltype(option)>::Value;
    constexpr Options none;
    if (option.get(options) == option.get(none)) return;
    words += words.empty() ? "" : " ";
    if constexpr (HasNames<Value>)
      words += to_string(option.get(options));
    else
      words += option.name + (" " + std::to_string(option.get(options)));
  });
  return words;
}

template <class A, class T>
class DividedCall {
 public:
  DividedCall(const Model& model, Index batch, bool all, const Options& options)
      : call(model, batch, all),
        model_(model),
        on_device_(call),
        prepared_(cuda::prepare_links<T>(algorithm_, model, options, cuda::device_number())) {
    for (std::size_t k = 0; k < call.count(); ++k)
      if (call.given(k))
        arguments_.push_back(on_device_.arguments()[k]);
      else
        arguments_.push_back({});
  }
  void run() { cuda::run_call<T>(*prepared_, algorithm_, model_, arguments_, call.batch(), nullptr, work_); }
  void fetch() { on_device_.fetch_output(call); }
  Call<A, T> call;

 private:
  const Model& model_;
  Algorithm algorithm_ = described<A>();
  OnDevice<A, T> on_device_;
  std::shared_ptr<const cuda::Prepared> prepared_;
  std::vector<Array<T>> arguments_;
  cuda::Workspace work_;
};

/// State b on the processor, by the method for one thread; how long that took.
template <class S, class A, class T>
std::vector<double> serial(const Call<A, T>& call, Index b, double* time = nullptr) {
  const auto& m = call.model().template view<S>();
  const auto column = [&](const char* name) {
    const std::vector<double> x = call.column(name, b);
    return std::vector<S>(x.begin(), x.end());
  };
  const auto pointer = [](const std::vector<S>& x) { return x.empty() ? nullptr : x.data(); };
  const auto q = column("q"), v = column("v"), f_ext = column("f_ext");
  std::vector<S> result(static_cast<std::size_t>(call.rows(call.output()))), work;
  double took = 0;
  if constexpr (std::is_same_v<A, MassMatrix>) {
    work.resize(static_cast<std::size_t>(MassMatrix::work_rows(m)));
    took = seconds([&] { MassMatrix::body<S>(m, q.data(), result.data(), work.data()); });
  } else if constexpr (std::is_same_v<A, ForwardDynamics>) {
    const auto tau = column("tau"), diagonal = column("diagonal");
    work.resize(static_cast<std::size_t>(ArticulatedBody::work_rows(m)));
    took = seconds([&] {
      ArticulatedBody::body<S>(m, q.data(), v.data(), tau.data(), pointer(f_ext), pointer(diagonal), result.data(),
                               work.data());
    });
  } else {
    const auto a = column("a");
    work.resize(static_cast<std::size_t>(InverseDynamics::work_rows(m)));
    took = seconds(
        [&] { InverseDynamics::body<S>(m, q.data(), v.data(), a.data(), pointer(f_ext), result.data(), work.data()); });
  }
  if (time) *time = took;
  return {result.begin(), result.end()};
}
double error_of(const std::vector<double>& a, const std::vector<double>& expected) {
  double error = 0, scale = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::fabs(a[k] - expected[k]);
    if (!(difference <= error)) error = difference;
    scale = std::fmax(scale, std::fabs(expected[k]));
  }
  return error / scale;
}

template <class A, class T>
DividedRobot compare(const std::string& name, const Model& model, Index batch, bool all,
                     const Options& options = {.method = method_of<A>}, double roundings_of_link = 0) {
  DividedCall<A, T> divided(model, batch, all, options);
  auto& call = divided.call;
  const std::size_t out = call.output();
  divided.run();
  cuda::synchronise();
  divided.fetch();
  const std::vector<T> first = call.array(out);
  call.spoil_output();
  divided.run();
  cuda::synchronise();
  divided.fetch();
  DividedRobot result = {name, A::name, precision<T>, words_of(options), model.n_links() - 1, batch, all};
  for (std::size_t k = 0; k < first.size(); ++k) result.not_repeated += !(first[k] == call.array(out)[k]);
  for (const Index b : {Index{0}, batch - 1}) {
    const auto expected = serial<double>(call, b);
    const double error = error_of(call.column(A::arguments[out].name, b), expected);
    if (!(error <= result.error)) result.error = error;
    result.serial = std::fmax(result.serial, error_of(serial<T>(call, b), expected));
  }
  constexpr double eps = std::numeric_limits<T>::epsilon();
  // what is compared with loses digits itself, in double, the more the longer the robot is
  const double of_reference = 20 * std::numeric_limits<double>::epsilon() * static_cast<double>(result.links);
  const double of_method = roundings_of_link * eps * static_cast<double>(result.links);
  result.passed = result.not_repeated == 0 &&
                  result.error <= std::fmax(10 * result.serial, std::fmax(2000 * eps, of_method)) + of_reference;
  std::printf("%-12s %-16s %-40s %8lld links %7s batch %5lld%s  error %8.1e  serial %8.1e%s\n", name.c_str(), A::name,
              result.method.c_str(), static_cast<long long>(result.links), result.precision.c_str(),
              static_cast<long long>(batch), all ? ", all arguments" : "               ", result.error, result.serial,
              result.passed ? "" : "  FAILED");
  return result;
}

template <class A, class T>
void measure(std::vector<DividedRate>& all, const std::string& name, const Model& model, Index batch,
             const Options& options = {.method = method_of<A>}) {
  if (!Budget::get().allows(name + " " + A::name + " " + words_of(options) + " " + precision<T> + ", batch " +
                            std::to_string(batch)))
    return;
  DividedCall<A, T> divided(model, batch, false, options);
  const auto run = [&](int times) {
    for (int k = 0; k < times; ++k) divided.run();
    cuda::synchronise();
  };
  run(2);
  const int times = std::clamp(static_cast<int>(2e-3 / seconds([&] { run(1); })), 1, 100);
  std::vector<double> repeats;
  for (int k = 0; k < 9; ++k) repeats.push_back(seconds([&] { run(times); }) / times);
  std::sort(repeats.begin(), repeats.end());
  DividedRate rate = {name,  A::name,    precision<T>, words_of(options), model.n_links() - 1,
                      batch, repeats[4], repeats[0]};
  if (rate.links <= 100000 && options.method == method_of<A>) {
    std::vector<double> times(3);
    for (double& time : times) serial<T>(divided.call, 0, &time);
    rate.one_core = *std::min_element(times.begin(), times.end()) * static_cast<double>(batch);
  }
  std::printf("%-14s %-16s %-50s %9lld links %7s batch %5lld  %10.1f us  %8.2f ns/link\n", name.c_str(), A::name,
              rate.method.c_str(), static_cast<long long>(rate.links), rate.precision.c_str(),
              static_cast<long long>(batch), 1e6 * rate.seconds,
              1e9 * rate.seconds / static_cast<double>(rate.links * batch));
  std::fflush(stdout);
  all.push_back(rate);
}

/// What the methods are told besides their names in comparisons and rates: the papers' own among it.
constexpr Options by_divide_and_conquer = {.method = Method::divide_and_conquer},
                  by_subsystems = {.method = Method::divide_and_conquer_efficient},
                  by_chunks = {.method = Method::constraint_force},
                  by_reduction = {.method = Method::constraint_force, .solver = Solver::cyclic_reduction},
                  by_elimination = {.method = Method::constraint_force, .solver = Solver::odd_even_elimination},
                  as_in_cfa = {.method = Method::constraint_force,
                               .solver = Solver::odd_even_elimination,
                               .right_hand_side = RightHandSide::bias_torque},
                  by_hybrid = {.method = Method::hybrid_articulated_body},
                  as_in_abia = {.method = Method::hybrid_articulated_body,
                                .right_hand_side = RightHandSide::bias_torque},
                  by_inversion = {.method = Method::mass_matrix_inversion},
                  as_in_jsiia = {.method = Method::mass_matrix_inversion, .form = Form::body},
                  by_gradients = {.method = Method::conjugate_gradient},
                  in_link_coordinates = {.method = Method::scan, .form = Form::body},
                  in_world_axes = {.method = Method::scan, .form = Form::world_orientation},
                  by_naive_scans = {.method = Method::scan,
                                    .form = Form::body,
                                    .chunk = 1,
                                    .scan_schedule = ScanSchedule::hillis_steele},
                  in_logarithmic_time = {.method = Method::log_composite};

void compare_methods(std::vector<DividedRobot>& all) {
  const auto add = [&]<class A>(A, const char* name, const Model& model, Index batch, const Options& options,
                                double roundings) {
    for (const bool given : {false, true}) {
      all.push_back(compare<A, double>(name, model, batch, given, options, roundings));
      if (options.right_hand_side != RightHandSide::bias_torque)  // which leaves floats too few digits
        all.push_back(compare<A, float>(name, model, batch, given, options, roundings));
    }
  };
  for (const char* spec : {"chain:1", "chain:40", "snake:250"}) {
    const Model model = generate(spec, 1).build();
    const Index batch = model.n_links() > 100 ? 1 : 300;
    for (const Options& options : {by_divide_and_conquer, by_subsystems, by_chunks, by_reduction, by_hybrid})
      add(ForwardDynamics(), spec, model, batch, options, 1000);
    for (const Options& options : {in_link_coordinates, in_world_axes, by_naive_scans})
      add(InverseDynamics(), spec, model, batch, options, 300);
    add(MassMatrix(), spec, model, 2, in_logarithmic_time, 300);
  }
  const Model chain = generate("chain:24", 1).build(), legs = with_legs(12);
  for (const Options& options : {by_elimination, as_in_cfa, as_in_abia, by_inversion, as_in_jsiia, by_gradients})
    add(ForwardDynamics(), "chain:24", chain, 5, options, 1e6);
  add(ForwardDynamics(), "with_legs", legs, 3, by_subsystems, 1000);
  add(ForwardDynamics(), "with_legs", legs, 3, by_inversion, 1e6);
}

void measure_methods(std::vector<DividedRate>& all) {
  const auto add = [&]<class A>(A, const Model& model, Index batch, const Options& options) {
    measure<A, double>(all, model.name(), model, batch, options);
    measure<A, float>(all, model.name(), model, batch, options);
  };
  for (const int links : {100, 1000, 10000, 100000, 1000000}) {
    const Model model = generate("chain:" + std::to_string(links), 1).build();
    for (const Options& options : {by_divide_and_conquer, by_subsystems, by_chunks, by_reduction, as_in_cfa})
      add(ForwardDynamics(), model, 1, options);
    if (links <= 100000) add(ForwardDynamics(), model, 1, as_in_abia);
    if (links <= 10000) add(ForwardDynamics(), model, 1, by_hybrid);
    for (const Options& options : {in_link_coordinates, in_world_axes, by_naive_scans})
      add(InverseDynamics(), model, 1, options);
    if (links > 1000) continue;
    add(ForwardDynamics(), model, 1, by_inversion);
    add(ForwardDynamics(), model, 1, as_in_jsiia);
    add(ForwardDynamics(), model, 1, {.method = Method::conjugate_gradient, .max_iterations = 200});
    add(MassMatrix(), model, 1, in_logarithmic_time);
  }
  const Model chain = generate("chain:1000", 1).build(), arm = generate("chain:10", 1).build();
  for (const Options& options : {by_divide_and_conquer, by_subsystems, by_reduction, as_in_cfa})
    add(ForwardDynamics(), chain, 1000, options);
  for (const Options& options : {by_divide_and_conquer, as_in_cfa, by_inversion, as_in_jsiia})
    add(ForwardDynamics(), arm, 1024, options);
}

}  // namespace

std::vector<DividedRobot> compare_divided() {
  std::vector<DividedRobot> all;
  const auto add_as = [&]<class A>(A, const char* name, const Model& model, Index batch) {
    for (const bool given : {false, true}) {
      all.push_back(compare<A, double>(name, model, batch, given));
      all.push_back(compare<A, float>(name, model, batch, given));
    }
  };
  const auto add = [&](const char* name, const Model& model, Index batch) {
    add_as(ForwardDynamics(), name, model, batch);
    add_as(InverseDynamics(), name, model, batch);
  };
  for (const char* spec : {"chain:1", "chain:40", "chain:3000", "snake:1000", "rope:700"})
    add(spec, generate(spec, 1).build(), 1);
  add("floating", generate("chain:5000", 1).build({.floating = true}), 2);
  add("chain:1000", generate("chain:1000", 1).build(), 300);
  for (const char* spec : {"chain:1", "chain:40", "snake:800", "rope:200"})
    add_as(MassMatrix(), spec, generate(spec, 1).build(), 2);
  add_as(MassMatrix(), "floating", generate("chain:600", 1).build({.floating = true}), 1);
  compare_methods(all);
  add("with_legs", with_legs(60), 3);
  add("with_legs", with_legs(900), 1);
  add_as(MassMatrix(), "with_legs", with_legs(60), 2);
  add_as(MassMatrix(), "with_legs", with_legs(300), 1);
  const Model legs = with_legs(200);
  all.push_back(compare<InverseDynamics, double>("with_legs", legs, 2, true, in_link_coordinates, 300));
  all.push_back(compare<InverseDynamics, float>("with_legs", legs, 2, true, in_link_coordinates, 300));
  return all;
}

std::vector<DividedRate> measure_divided() {
  std::vector<DividedRate> all;
  const auto add = [&](const std::string& name, const Model& model, Index batch) {
    measure<ForwardDynamics, double>(all, name, model, batch);
    measure<ForwardDynamics, float>(all, name, model, batch);
    measure<InverseDynamics, double>(all, name, model, batch);
    measure<InverseDynamics, float>(all, name, model, batch);
  };
  const auto add_matrix = [&](const std::string& name, const Model& model) {
    measure<MassMatrix, double>(all, name, model, 1);
    measure<MassMatrix, float>(all, name, model, 1);
  };
  double build = 0;
  for (const int links : {100, 1000, 10000, 100000, 1000000, 10000000}) {
    if (10 * build > 15) break;  // a chain of so many links takes too long to describe
    const std::string spec = "chain:" + std::to_string(links);
    std::optional<Model> model;
    build = seconds([&] { model = generate(spec, 1).build(); });
    add(spec, *model, 1);
  }
  for (const int links : {100, 1000, 4000}) {
    const std::string spec = "chain:" + std::to_string(links);
    const Model model = generate(spec, 1).build();
    add_matrix(spec, model);
  }
  add("chain:1000", generate("chain:1000", 1).build(), 1000);
  for (const int spine : {600, 60000}) add("with_legs", with_legs(spine), 1);
  add_matrix("with_legs", with_legs(600));
  add("rope:10000", generate("rope:10000").build(), 1);
  measure_methods(all);
  return all;
}

}  // namespace tandem::gpu_check
