// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <deque>
#include <vector>

#include "bindings.hpp"
#include "memory.hpp"

namespace tandem::python {
namespace {

/// tandem.rollout has brought all arrays, of NumPy or on a GPU, into the right shape; an axis of one entry stands for
/// all.
template <class T>
class Arrays {
 public:
  explicit Arrays(nb::dict given) : given_(std::move(given)) {}

  /// [batch, rows]
  Array<T> array(const char* name) { return given_.contains(name) ? array(given_[name], name) : Array<T>(); }
  Array<T> array(nb::handle object, const char* name) {
    if (object.is_none()) return {};
    const Memory& x = hold(object, name, false);
    return {data(x), x.view().shape[0] == 1 ? 0 : stride(x, 0), stride(x, 1), place(x)};
  }
  /// [batch, steps, rows]
  Series<T> series(const char* name) { return given_.contains(name) ? series(given_[name], name) : Series<T>(); }
  Series<T> series(nb::handle object, const char* name) {
    const Memory& x = hold(object, name, false);
    return {data(x), x.view().shape[0] == 1 ? 0 : stride(x, 0), x.view().shape[1] == 1 ? 0 : stride(x, 1), stride(x, 2),
            place(x)};
  }
  Array<T> result(const char* name) { return given_.contains(name) ? result(given_[name], name) : Array<T>(); }
  Array<T> result(nb::handle object, const char* name) {
    const Memory& x = hold(object, name, true);
    return {data(x), stride(x, 0), x.view().ndim > 1 ? stride(x, 1) : 1, place(x)};
  }
  Series<T> path(const char* name) {
    if (!given_.contains(name)) return {};
    const Memory& x = hold(given_[name], name, true);
    return {data(x), stride(x, 0), stride(x, 1), stride(x, 2), place(x)};
  }
  void inputs(const char* name, Array<T>& to) { to = array(name); }
  void inputs(const char* name, Series<T>& to) { to = series(name); }
  void results(const char* name, Array<T>& to) { to = result(name); }
  void results(const char* name, Series<T>& to) { to = path(name); }
  const GpuArrays& gpu() const { return gpu_; }

 private:
  const Memory& hold(nb::handle object, const char* name, bool writable) {
    Memory& memory = held_.emplace_back();
    const std::string label = std::string("rollout: ") + name;
    const char format = sizeof(T) == 8 ? 'd' : 'f';
    const bool there = lies_on_gpu(object);
    const bool held = there ? memory.hold_tensor(nb::borrow(object), writable, label, &gpu_)
                            : memory.hold_array(object, writable) || memory.hold_buffer(nb::borrow(object), writable);
    if (!held) throw Error(label + " cannot be " + (writable ? "written to" : "read"));
    const char* const found = memory.view().format;
    if (!found || found[0] != format || found[1] != '\0')
      throw Error(label + " is not " + (sizeof(T) == 8 ? "float64" : "float32") + " like q0");
    return memory;
  }
  static T* data(const Memory& x) {
    static T nothing{};
    return x.view().buf ? static_cast<T*>(x.view().buf) : &nothing;
  }
  static Index stride(const Memory& x, int axis) { return x.view().strides[axis] / static_cast<Index>(sizeof(T)); }
  static Place place(const Memory& x) { return x.on_gpu() ? Place::device : Place::host; }

  nb::dict given_;
  std::deque<Memory> held_;
  GpuArrays gpu_;
};

RolloutOptions rollout_options(const Model& model, nb::dict given) {
  auto options = stepper_options<RolloutOptions>(model, given);
  options.steps = nb::cast<Index>(given["steps"]);
  options.first_step = nb::cast<Index>(given["first_step"]);
  options.every = nb::cast<Index>(given["every"]);
  options.tracking = from_name<Tracking>(nb::cast<std::string_view>(given["tracking"]));
  return options;
}

/// Of a gradient: what it is made from, and where it goes.
template <class T>
RolloutGradientArrays<T> gradient_from(Arrays<T>& arrays, nb::dict options,
                                       std::vector<BatchedParameter<T>>& parameters) {
  RolloutGradientArrays<T> g;
  for (const auto& [name, values] : nb::cast<nb::dict>(options["by_parameters"]))
    parameters.push_back(
        {from_name<Parameter>(nb::cast<std::string_view>(name)), arrays.result(values, "by_parameters")});
  g.by_parameters = parameters;
  g.of_cost = arrays.array("of_cost");
  g.of_q = arrays.array("of_q");
  g.of_v = arrays.array("of_v");
  g.of_q_path = arrays.series("of_q_path");
  g.of_v_path = arrays.series("of_v_path");
  for_each_gradient(g, [&](const RolloutArgument& row, auto& to) {
    arrays.results(std::string("by_").append(row.name).c_str(), to);
  });
  g.checkpoints = nb::cast<Index>(options["checkpoints"]);
  return g;
}

/// Results of contacts, rows of double precision.
class ContactResults {
 public:
  explicit ContactResults(const nb::dict& given) : has_some_(given.contains("contact_forces")) {
    if (!has_some_) return;
    forces_ = nb::cast<Rows>(given["contact_forces"]);
    counts_ = nb::cast<Rows>(given["contact_tally"]);
    tallies_.resize(counts_.shape(0));
  }
  template <class T>
  void give(RolloutArrays<T>& arrays) {
    if (!has_some_) return;
    arrays.contact_forces = {forces_.data(), forces_.size()};
    arrays.contact_tally = tallies_;
  }
  void end() {
    double* to = counts_.data();
    for (const ContactTally& tally : tallies_) {
      for (const std::int64_t count : {tally.solutions, tally.steps, tally.not_converged})
        *to++ = static_cast<double>(count);
      *to++ = tally.taken;
      *to++ = static_cast<double>(tally.dropped);
    }
  }

 private:
  using Rows = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  bool has_some_;
  Rows forces_, counts_;
  std::vector<ContactTally> tallies_;
};

/// With `checkpoints` in its options a gradient is asked for.
template <class T>
void roll_out(const Model& model, nb::dict given, nb::list pushed, nb::list of_frames, nb::dict parameters,
              nb::dict options, Index batch, int threads, std::string_view device,
              nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> status,
              nb::ndarray<std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> steps) {
  Arrays<T> arrays(given);
  std::vector<Push<T>> pushes;
  for (const nb::handle push : pushed)
    pushes.push_back({nb::cast<int>(push[0]), arrays.array(push[1], "external wrench"), nb::cast<Index>(push[2]),
                      nb::cast<Index>(push[3])});
  std::vector<FrameCost<T>> frames;
  for (const nb::handle frame : of_frames)
    frames.push_back({nb::cast<int>(frame[0]), arrays.series(frame[1], "target of a frame"),
                      arrays.array(frame[2], "weight of a frame"), arrays.array(frame[3], "final_weight of a frame")});
  std::vector<BatchedParameter<T>> varied;
  for (const auto& [name, values] : parameters)
    varied.push_back({from_name<Parameter>(nb::cast<std::string_view>(name)), arrays.array(values, "a parameter")});

  RolloutArrays<T> all;
  all.q0 = arrays.array("q0");
  all.v0 = arrays.array("v0");
  for_each_input(all, [&](RolloutInput which, auto& to) { arrays.inputs(row_of(which).name, to); });
  all.pushes = pushes;
  all.costs.frames = frames;
  all.stops = arrays.result("stops");
  all.q = arrays.result("q");
  all.v = arrays.result("v");
  all.q_path = arrays.path("q_path");
  all.v_path = arrays.path("v_path");
  all.cost = arrays.result("cost");
  ContactResults of_contacts(given);
  of_contacts.give(all);

  Batch<T> states(batch, threads, {reinterpret_cast<Status*>(status.data()), status.size()}, varied);
  states.iterations = {steps.data(), steps.size()};
  const RolloutOptions how = rollout_options(model, options);
  if (options.contains("checkpoints")) {
    std::vector<BatchedParameter<T>> by_parameters;
    const RolloutGradientArrays<T> gradient = gradient_from(arrays, options, by_parameters);
    const nb::gil_scoped_release others_may_run;
    thread_local Workspace<T> work;
    return rollout_gradient<T>(model, all, gradient, states, work, how);
  }
  Device on = {device == "cuda" ? Device::cuda : Device::cpu};
  if (arrays.gpu().found())
    on = {Device::cuda, arrays.gpu().ordinal()};
  else if (device == "auto" && threads == 0)
    on = choose_device<T>(model, all, batch, how);
  const nb::gil_scoped_release others_may_run;
  if (on.kind == Device::cuda) {
    states.stream = arrays.gpu().stream();
    with_workspace_on<T>(states.stream, [&](Workspace<T>& work) { rollout<T>(model, all, states, work, how, on); });
    return of_contacts.end();
  }
  thread_local Workspace<T> work;
  rollout<T>(model, all, states, work, how, on);
  of_contacts.end();
}

/// An array without values of the kind of one that lies on a GPU, and there.
nb::object empty_like(nb::handle array, const std::vector<Py_ssize_t>& sizes, bool in_float) {
  GpuArrays gpu;
  gpu.take(array, nb::cast<int>(array.attr("__dlpack_device__")()[nb::int_(1)]), "rollout: results");
  return gpu.make(sizes, in_float ? Real::float32 : Real::float64);
}

}  // namespace

void bind_rollout(nb::module_& m) {
  m.def(
      "lies_on_gpu", [](nb::handle object) { return lies_on_gpu(object); }, nb::arg("object"),
      "Whether the memory of an object is on a GPU.");
  m.def("empty_like", &empty_like, nb::arg("array"), nb::arg("sizes"), nb::arg("in_float"),
        "An uninitialized array of the same type and on the same device.");
  m.def(
      "rollout_inputs",
      [] {
        nb::dict table;
        for (const RolloutArgument& row : rollout_inputs)
          table[row.name] = nb::make_tuple(row.rows == Rows::q ? "nq" : "nv", row.time != InTime::constant,
                                           row.time == InTime::states ? 1 : 0);
        return table;
      },
      "Inputs of a rollout by name: rows, whether they may depend on time, number of values beyond those of steps.");
  const auto define = [&](const char* name, auto function) {
    m.def(name, function, nb::arg("model"), nb::arg("arrays"), nb::arg("pushes"), nb::arg("frames"),
          nb::arg("parameters"), nb::arg("options"), nb::arg("batch"), nb::arg("threads"), nb::arg("device"),
          nb::arg("status"), nb::arg("steps"), "As tandem.rollout, with all arrays given.");
  };
  define("rollout64", &roll_out<double>);
  define("rollout32", &roll_out<float>);
}

}  // namespace tandem::python
