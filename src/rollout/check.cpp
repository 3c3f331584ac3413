// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "api/overlap.hpp"
#include "core/text.hpp"
#include "tandem/api/evaluate.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

template <class... Part>
[[noreturn]] void refuse_rollout(const Part&... parts) {
  throw Error(sentence("rollout: ", parts...));
}

template <class E>
void check_value(const char* name, E value) {
  if (*to_string(value) == '\0')
    refuse_rollout(name, " is ", static_cast<int>(value), ", not a valid value; expected one of ",
                   comma_separated(NamesOf<E>::table, [](const Named& row) { return row.name; }));
}

void check_options(const RolloutOptions& o) {
  if (!(std::isfinite(o.dt) && o.dt > 0)) refuse_rollout("dt is ", o.dt, ", expected a finite positive number");
  if (o.steps < 0) refuse_rollout("steps is ", o.steps, ", expected 0 or more");
  if (o.steps > std::numeric_limits<std::int32_t>::max())
    refuse_rollout("steps is ", o.steps, ", expected at most ", std::numeric_limits<std::int32_t>::max());
  if (o.first_step < 0) refuse_rollout("first_step is ", o.first_step, ", expected 0 or more");
  if (o.every < 1) refuse_rollout("every is ", o.every, ", expected 1 or more");
  if (!(o.max_speed >= 0))
    refuse_rollout("max_speed is ", o.max_speed,
                   ", expected a positive speed, infinity (not checked) or 0 (a full turn per step)");
  check_value("integrator", o.integrator);
  check_value("tracking", o.tracking);
}

/// An array of a call with its name, rows and number of steps.
template <class T>
struct CheckedArray {
  std::string name;
  Series<T> array;
  Index rows;
  Index steps;  ///< number of steps that are read or written
  bool is_output;
};

template <class T>
class CheckedArrays {
 public:
  CheckedArrays(const Model& model, const RolloutArrays<T>& a, const Batch<T>& batch, const RolloutOptions& options)
      : batch_(batch) {
    const Index nq = model.nq(), nv = model.nv(), n = options.first_step + options.steps;
    input("q0", series_of(a.q0), nq, 1);
    input("v0", series_of(a.v0), nv, 1);
    for_each_input(a, [&](RolloutInput which, const auto& x) {
      const RolloutArgument& row = row_of(which);
      input(std::string(is_of_cost(which) ? "costs." : "") + row.name, series_of(x),
            shape(row.rows, model.view<T>()).count(), row.values(n));
    });
    const std::span<const FrameCost<T>> frames = a.costs.frames;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      const std::string frame = sentence("costs.frames[", k, "].");
      input(frame + "target", frames[k].target, 12, n + 1);
      input(frame + "weight", series_of(frames[k].weight), 6, 1);
      input(frame + "final_weight", series_of(frames[k].final_weight), 6, 1);
    }
    for (std::size_t k = 0; k < a.pushes.size(); ++k)
      input(sentence("pushes[", k, "].wrench"), series_of(a.pushes[k].wrench), 6, 1);
    for (const BatchedParameter<T>& p : batch.parameters)
      if (*to_string(p.parameter) != '\0')
        input(std::string("parameter ") + to_string(p.parameter), series_of(p.values),
              shape(parameters()[static_cast<std::size_t>(p.parameter)].rows, model.view<T>()).count(), 1);
    const Index samples = options.steps / options.every + 1;
    output("stops", series_of(a.stops), 3 * nv, 1);
    output("q", series_of(a.q), nq, 1);
    output("v", series_of(a.v), nv, 1);
    output("q_path", a.q_path, nq, samples);
    output("v_path", a.v_path, nv, samples);
    output("cost", series_of(a.cost), 1, 1);
  }

  void add(const Model& model, const RolloutGradientArrays<T>& g, const RolloutOptions& options) {
    const Index nv = model.nv(), n = options.first_step + options.steps, samples = options.steps / options.every + 1;
    input("of_cost", series_of(g.of_cost), 1, 1);
    input("of_q", series_of(g.of_q), nv, 1);
    input("of_v", series_of(g.of_v), nv, 1);
    input("of_q_path", g.of_q_path, nv, samples);
    input("of_v_path", g.of_v_path, nv, samples);
    for_each_gradient(g, [&](const RolloutArgument& row, const auto& x) {
      output(std::string("by_") + row.name, series_of(x), nv, row.values(n));
    });
    for (const BatchedParameter<T>& p : g.by_parameters)
      output(std::string("by ") + to_string(p.parameter), series_of(p.values),
             shape(parameters()[static_cast<std::size_t>(p.parameter)].rows, model.view<T>()).count(), 1);
  }

  void check_places(const Device& device) const {
    for (const CheckedArray<T>& g : arrays_)
      if (device.kind == Device::cpu && g.array.place != Place::host)
        refuse_rollout(g.name, " is in device memory, but the call runs on the CPU");
  }

  /// Throws Error for an output that shares memory with another array, but for states that are stepped where they are.
  void check_overlaps() const {
    for (const CheckedArray<T>& out : arrays_) {
      if (!out.is_output) continue;
      if (batch_.size > 1 && out.rows > 0 && out.array.stride == 0)
        refuse_rollout(out.name, " has a stride of 0, which outputs must not have: all instances would share it");
      if (out.steps > 1 && out.rows > 0 && out.array.step_stride == 0)
        refuse_rollout(out.name, " has a step_stride of 0, which outputs must not have: all states would share it");
      for (const CheckedArray<T>& other : arrays_) {
        if (&other == &out || (other.is_output && &other > &out)) continue;
        if (in_place(out, other)) continue;
        if (overlap(out, other))
          refuse_rollout(out.name, " and ", other.name, " share memory; every output needs its own array");
      }
    }
  }

 private:
  void input(std::string name, const Series<T>& array, Index rows, Index steps) {
    if (array.data) arrays_.push_back({std::move(name), array, rows, array.step_stride == 0 ? 1 : steps, false});
  }
  void output(std::string name, const Series<T>& array, Index rows, Index steps) {
    if (array.data) arrays_.push_back({std::move(name), array, rows, steps, true});
  }
  static bool in_place(const CheckedArray<T>& out, const CheckedArray<T>& in) {
    const bool states = (out.name == "q" && in.name == "q0") || (out.name == "v" && in.name == "v0");
    return states && out.array.data == in.array.data && out.array.stride == in.array.stride &&
           out.array.row_stride == in.array.row_stride;
  }
  Lattice lattice(const CheckedArray<T>& g, Index step) const {
    return Lattice::of(g.array.at(step), g.rows, batch_.size);
  }
  bool overlap(const CheckedArray<T>& a, const CheckedArray<T>& b) const {
    const Lattice first = whole(a), second = whole(b);
    if (!first.reaches_into(second)) return false;
    if (a.steps == 1 && b.steps == 1) return tandem::overlap(lattice(a, 0), lattice(b, 0));
    if (a.steps > 64 && b.steps > 64) return paths_overlap(a, b);
    for (Index i = 0; i < a.steps; ++i)
      for (Index k = 0; k < b.steps; ++k)
        if (tandem::overlap(lattice(a, i), lattice(b, k))) return true;
    return false;
  }
  /// Of long ones, that lie alike step after step, it is enough to look at the first steps.
  bool paths_overlap(const CheckedArray<T>& a, const CheckedArray<T>& b) const {
    if (a.array.step_stride != b.array.step_stride || a.array.stride != b.array.stride) return true;
    for (Index i = 0; i < 2; ++i)
      for (Index k = 0; k < 2; ++k)
        if (tandem::overlap(lattice(a, i), lattice(b, k))) return true;
    return false;
  }
  /// From the first number to the last one.
  Lattice whole(const CheckedArray<T>& g) const {
    Lattice all = lattice(g, 0);
    if (all.begin == all.end) return all;
    const Lattice last = lattice(g, g.steps - 1);
    all.begin = std::min(all.begin, last.begin);
    all.end = std::max(all.end, last.end);
    return all;
  }

  const Batch<T>& batch_;
  std::vector<CheckedArray<T>> arrays_;
};

template <class T>
void check_controls(const Model& model, const RolloutArrays<T>& a, const RolloutOptions& options) {
  const auto needs = [&](const char* what, bool given, const char* by) {
    if (!given && model.nv() > 0) refuse_rollout(by, " needs ", what);
  };
  const char* const target = controller_inputs[0].name;
  if (a.has_controller()) {
    for_each_controller_input([&](const Argument& gain, const auto& x) { needs(gain.name, x.data, target); }, a);
    if (options.tracking == Tracking::pd && (a.v_target.data || a.a_target.data))
      refuse_rollout(a.v_target.data ? "v_target" : "a_target", " requires tracking=\"computed_torque\"");
  } else if (a.kp.data || a.kd.data || a.v_target.data || a.a_target.data) {
    refuse_rollout(a.kp.data ? "kp" : a.kd.data ? "kd" : a.v_target.data ? "v_target" : "a_target", " needs ", target);
  }
  for (const Push<T>& push : a.pushes) {
    if (push.link < 0 || push.link >= model.n_links())
      refuse_rollout("an external wrench acts on link ", push.link, ", which does not exist; ", model.name(),
                     " has the links 0 to ", model.n_links() - 1);
    if (!push.wrench.data) refuse_rollout("the external wrench on link ", push.link, " has no array");
    if (push.first < 0) refuse_rollout("an external wrench begins in step ", push.first, ", expected 0 or more");
  }
}

/// Results of contacts; whether the options serve contacts is checked by step_contacts.
template <class T>
void check_contacts(const RolloutArrays<T>& a, Index batch, const RolloutOptions& options) {
  const auto check = [&](const char* name, std::size_t size, Index rows) {
    if (size == 0) return;
    if (!options.contacts) refuse_rollout(name, " without contacts; set RolloutOptions::contacts");
    if (static_cast<Index>(size) != batch * rows)
      refuse_rollout(name, " has ", size, " entries, expected ", batch * rows);
  };
  check("contact_forces", a.contact_forces.size(), options.contacts ? Index{6} * options.contacts->n_slots() : 0);
  check("contact_tally", a.contact_tally.size(), 1);
}

template <class T>
void check_costs(const Model& model, const RolloutArrays<T>& a) {
  const RolloutCost<T>& c = a.costs;
  bool terms = !c.frames.empty();
  for_each_input(a, [&](RolloutInput which, const auto& x) { terms = terms || (is_weight(which) && x.data); });
  if (terms && !a.cost.data) refuse_rollout("cost terms require an array for the cost");
  if ((c.q_weight.data || c.final_q_weight.data) && !c.q_reference.data && model.nq() > 0)
    refuse_rollout(c.q_weight.data ? "costs.q_weight" : "costs.final_q_weight", " needs costs.q_reference");
  for (const FrameCost<T>& f : c.frames) {
    if (f.frame < 0 || f.frame >= model.n_frames())
      refuse_rollout("frame ", f.frame, " does not exist; ", model.name(), " has the frames 0 to ",
                     model.n_frames() - 1);
    if (!f.target.data) refuse_rollout("the cost of frame ", f.frame, " needs a target");
    if (!f.weight.data && !f.final_weight.data)
      refuse_rollout("the cost of frame ", f.frame, " needs a weight or a final_weight");
  }
}

/// What is not differentiated.
template <class T>
void check_gradient(const Model& model, const RolloutArrays<T>& a, const RolloutGradientArrays<T>& g,
                    const RolloutOptions& options) {
  const auto refused = [](const auto&... parts) { throw Error(sentence("rollout_gradient: ", parts...)); };
  if (options.contacts) refused("contacts are not differentiated; leave contacts out, or use differences of rollout");
  if (g.checkpoints < 0) refused("checkpoints is ", g.checkpoints, ", expected 1 or more, or 0 for as many as fit");
  if (g.by_tau.data && !a.tau.data && model.nv() > 0) refused("by_tau needs tau");
  for_each_gradient(g, [&](const RolloutArgument& row, const auto& x) {
    if (x.data && is_of_controller(row) && !a.has_controller() && model.nv() > 0)
      refused("by_", row.name, " needs ", controller_inputs[0].name);
  });
  bool found[n_parameters] = {};
  for (const BatchedParameter<T>& p : g.by_parameters) {
    if (!p.values.data) refused("by_parameters has no array for ", to_string(p.parameter));
    if (std::exchange(found[static_cast<std::size_t>(p.parameter)], true))
      refused("by_parameters has ", to_string(p.parameter), " twice");
  }
  const bool seeds = g.of_q.data || g.of_v.data || g.of_q_path.data || g.of_v_path.data;
  if (g.of_cost.data && !a.cost.data) refused("of_cost needs a cost");
  if (!seeds && !a.cost.data) refused("expected a cost, of_q, of_v, of_q_path or of_v_path");
}

/// Batches, options and arrays, those of a gradient included if it is asked for.
template <class T>
void check_all(const Model& model, const RolloutArrays<T>& arrays, const RolloutGradientArrays<T>* gradient,
               const Batch<T>& batch, const RolloutOptions& options, const Device& device) {
  check_options(options);
  if (batch.size < 0) refuse_rollout("batch.size is ", batch.size, ", expected 0 or more");
  if (batch.threads < 0) refuse_rollout("threads is ", batch.threads, ", expected 1 or more, or 0 for all cores");
  if (device.kind == Device::cpu && batch.stream) refuse_rollout("stream requires device=\"cuda\"");
  if (device.kind == Device::cuda) {
    if (batch.threads != 0) refuse_rollout("threads requires device=\"cpu\"");
    if (options.specialise == Specialise::on || options.specialise == Specialise::wait)
      refuse_rollout("specialise is ", to_string(options.specialise),
                     ", which rollout does not support on a GPU; expected automatic or off");
  }
  if (!batch.guess.empty()) refuse_rollout("guess is not supported: the method does not iterate");
  const auto check_size = [&](const char* name, std::size_t entries) {
    if (entries != 0 && static_cast<Index>(entries) != batch.size)
      refuse_rollout(name, " has ", entries, " entries, expected ", batch.size);
  };
  check_size("status", batch.status.size());
  check_size("iterations", batch.iterations.size());
  if (!arrays.q0.data && model.nq() > 0) refuse_rollout("q0 is missing");
  check_contacts(arrays, batch.size, options);
  check_controls(model, arrays, options);
  check_costs(model, arrays);
  CheckedArrays<T> all(model, arrays, batch, options);
  if (gradient) all.add(model, *gradient, options);
  all.check_places(device);
  all.check_overlaps();
}

}  // namespace

template <class T>
void check_rollout(const Model& model, const RolloutArrays<T>& arrays, const Batch<T>& batch,
                   const RolloutOptions& options, const Device& device) {
  check_all<T>(model, arrays, nullptr, batch, options, device);
}

template <class T>
void check_rollout_gradient(const Model& model, const RolloutArrays<T>& arrays,
                            const RolloutGradientArrays<T>& gradient, const Batch<T>& batch,
                            const RolloutOptions& options) {
  for (const BatchedParameter<T>& each : gradient.by_parameters)
    if (*to_string(each.parameter) == '\0')
      throw Error(sentence("rollout_gradient: by_parameters has the parameter ", static_cast<int>(each.parameter),
                           ", which does not exist"));
  check_all(model, arrays, &gradient, batch, options, {});
  check_gradient(model, arrays, gradient, options);
}

template void check_rollout(const Model&, const RolloutArrays<double>&, const Batch<double>&, const RolloutOptions&,
                            const Device&);
template void check_rollout(const Model&, const RolloutArrays<float>&, const Batch<float>&, const RolloutOptions&,
                            const Device&);

template void check_rollout_gradient(const Model&, const RolloutArrays<double>&, const RolloutGradientArrays<double>&,
                                     const Batch<double>&, const RolloutOptions&);
template void check_rollout_gradient(const Model&, const RolloutArrays<float>&, const RolloutGradientArrays<float>&,
                                     const Batch<float>&, const RolloutOptions&);

}  // namespace tandem
