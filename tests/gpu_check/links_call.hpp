// SPDX-License-Identifier: Apache-2.0
/// Calls of methods that divide one robot, for comparisons and for rates.
#pragma once
#include <string>
#include <vector>

#include "backends/cuda/links/driver.hpp"
#include "measure.hpp"
#include "robots.hpp"
#include "run.hpp"

namespace tandem::gpu_check {

/// A spine whose joints go through all types, with legs.
inline Model with_legs(int spine) {
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
inline std::string words_of(const Options& options) {
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

/// What the methods are told besides their names in comparisons and rates: the papers' own among it.
inline constexpr Options by_divide_and_conquer = {.method = Method::divide_and_conquer},
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

constexpr bool is_for_floats(const Options& options) {
  return options.right_hand_side != RightHandSide::bias_torque;  // which leaves floats too few digits
}

}  // namespace tandem::gpu_check
