// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "bindings.hpp"

namespace tandem::python {
namespace {

/// tandem.rollout has brought all arrays into the right precision and shape; an axis of one entry stands for all.
template <class T>
class Arrays {
 public:
  using Numbers = nb::ndarray<nb::ro, T, nb::device::cpu>;
  using Results = nb::ndarray<T, nb::device::cpu>;

  explicit Arrays(nb::dict given) : given_(std::move(given)) {}

  /// [batch, rows]
  Array<T> array(const char* name) { return given_.contains(name) ? array(given_[name]) : Array<T>(); }
  Array<T> array(nb::handle object) {
    if (object.is_none()) return {};
    const Numbers& x = inputs_.emplace_back(nb::cast<Numbers>(object));
    return {const_cast<T*>(x.data()), x.shape(0) == 1 ? 0 : Index{x.stride(0)}, Index{x.stride(1)}};
  }
  /// [batch, steps, rows]
  Series<T> series(const char* name) { return given_.contains(name) ? series(given_[name]) : Series<T>(); }
  Series<T> series(nb::handle object) {
    const Numbers& x = inputs_.emplace_back(nb::cast<Numbers>(object));
    return {const_cast<T*>(x.data()), x.shape(0) == 1 ? 0 : Index{x.stride(0)},
            x.shape(1) == 1 ? 0 : Index{x.stride(1)}, Index{x.stride(2)}};
  }
  Array<T> result(const char* name) {
    if (!given_.contains(name)) return {};
    const Results& x = results_.emplace_back(nb::cast<Results>(given_[name]));
    return {x.data(), Index{x.stride(0)}, x.ndim() > 1 ? Index{x.stride(1)} : 1};
  }
  Series<T> path(const char* name) {
    if (!given_.contains(name)) return {};
    const Results& x = results_.emplace_back(nb::cast<Results>(given_[name]));
    return {x.data(), Index{x.stride(0)}, Index{x.stride(1)}, Index{x.stride(2)}};
  }

 private:
  nb::dict given_;
  std::vector<Numbers> inputs_;
  std::vector<Results> results_;
};

RolloutOptions options_from(const Model& model, nb::dict given) {
  RolloutOptions options;
  options.dt = nb::cast<double>(given["dt"]);
  options.steps = nb::cast<Index>(given["steps"]);
  options.first_step = nb::cast<Index>(given["first_step"]);
  options.every = nb::cast<Index>(given["every"]);
  options.integrator = from_name<Integrator>(nb::cast<std::string_view>(given["integrator"]));
  options.tracking = from_name<Tracking>(nb::cast<std::string_view>(given["tracking"]));
  options.gravity_compensation = nb::cast<bool>(given["gravity_compensation"]);
  options.effort_limits = nb::cast<bool>(given["effort_limits"]);
  options.limits = nb::cast<bool>(given["limits"]);
  options.max_speed = nb::cast<double>(given["max_speed"]);
  options.specialise = from_name<Specialise>(nb::cast<std::string_view>(given["specialise"]));
  options.dynamics = python::options_from(find_algorithm("forward_dynamics"), model, given["dynamics"]);
  return options;
}

/// Of a gradient: what it is made from, and where it goes.
template <class T>
RolloutGradientArrays<T> gradient_from(Arrays<T>& arrays, Index checkpoints) {
  RolloutGradientArrays<T> g;
  g.of_cost = arrays.array("of_cost");
  g.of_q = arrays.array("of_q");
  g.of_v = arrays.array("of_v");
  g.of_q_path = arrays.series("of_q_path");
  g.of_v_path = arrays.series("of_v_path");
  g.by_q0 = arrays.result("by_q0");
  g.by_v0 = arrays.result("by_v0");
  g.by_tau = arrays.path("by_tau");
  g.by_q_target = arrays.path("by_q_target");
  g.by_kp = arrays.result("by_kp");
  g.by_kd = arrays.result("by_kd");
  g.checkpoints = checkpoints;
  return g;
}

/// With `checkpoints` in its options a gradient is asked for.
template <class T>
void roll_out(const Model& model, nb::dict given, nb::list pushed, nb::list of_frames, nb::dict parameters,
              nb::dict options, Index batch, int threads, std::string_view device,
              nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> status,
              nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> steps) {
  Arrays<T> arrays(given);
  std::vector<Push<T>> pushes;
  for (const nb::handle push : pushed)
    pushes.push_back(
        {nb::cast<int>(push[0]), arrays.array(push[1]), nb::cast<Index>(push[2]), nb::cast<Index>(push[3])});
  std::vector<FrameCost<T>> frames;
  for (const nb::handle frame : of_frames)
    frames.push_back(
        {nb::cast<int>(frame[0]), arrays.series(frame[1]), arrays.array(frame[2]), arrays.array(frame[3])});
  std::vector<BatchedParameter<T>> varied;
  for (const auto& [name, values] : parameters)
    varied.push_back({from_name<Parameter>(nb::cast<std::string_view>(name)), arrays.array(values)});

  RolloutArrays<T> all;
  all.q0 = arrays.array("q0");
  all.v0 = arrays.array("v0");
  all.tau = arrays.series("tau");
  all.q_target = arrays.series("q_target");
  all.v_target = arrays.series("v_target");
  all.a_target = arrays.series("a_target");
  all.kp = arrays.array("kp");
  all.kd = arrays.array("kd");
  all.pushes = pushes;
  all.costs.q_reference = arrays.series("q_reference");
  all.costs.v_reference = arrays.series("v_reference");
  all.costs.q_weight = arrays.array("q_weight");
  all.costs.v_weight = arrays.array("v_weight");
  all.costs.effort_weight = arrays.array("effort_weight");
  all.costs.final_q_weight = arrays.array("final_q_weight");
  all.costs.final_v_weight = arrays.array("final_v_weight");
  all.costs.frames = frames;
  all.stops = arrays.result("stops");
  all.q = arrays.result("q");
  all.v = arrays.result("v");
  all.q_path = arrays.path("q_path");
  all.v_path = arrays.path("v_path");
  all.cost = arrays.result("cost");

  Batch<T> states(batch, threads, {reinterpret_cast<Status*>(status.data()), status.size()}, varied);
  states.iterations = {steps.data(), steps.size()};
  const RolloutOptions how = options_from(model, options);
  const Device on = {device == "cuda" ? Device::cuda : Device::cpu};
  if (options.contains("checkpoints")) {
    const RolloutGradientArrays<T> gradient = gradient_from(arrays, nb::cast<Index>(options["checkpoints"]));
    const nb::gil_scoped_release others_may_run;
    thread_local Workspace<T> work;
    return rollout_gradient<T>(model, all, gradient, states, work, how);
  }
  const nb::gil_scoped_release others_may_run;
  thread_local Workspace<T> work;
  rollout<T>(model, all, states, work, how, on);
}

}  // namespace

void bind_rollout(nb::module_& m) {
  const auto define = [&](const char* name, auto function) {
    m.def(name, function, nb::arg("model"), nb::arg("arrays"), nb::arg("pushes"), nb::arg("frames"),
          nb::arg("parameters"), nb::arg("options"), nb::arg("batch"), nb::arg("threads"), nb::arg("device"),
          nb::arg("status"), nb::arg("steps"), "As tandem.rollout, with all arrays there.");
  };
  define("rollout64", &roll_out<double>);
  define("rollout32", &roll_out<float>);
}

}  // namespace tandem::python
