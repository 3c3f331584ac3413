// SPDX-License-Identifier: Apache-2.0
/// Calls from code that XLA has compiled for JAX: no Python is run, nothing is copied.
#include "xla_calls.hpp"

#include <nanobind/stl/vector.h>

#include <deque>
#include <mutex>
#include <vector>

#include "call.hpp"
#include "gpu_arrays.hpp"

namespace tandem::python {
namespace {

/// What compiled code may call: a plan, and which arguments its buffers are. Kept for good, as that code may be.
struct Known {
  AnyPlan plan;
  std::vector<int> inputs, outputs;
};

class Calls {
 public:
  std::int64_t add(Known call) {
    const std::lock_guard guard(mutex_);
    known_.push_back(std::move(call));
    return static_cast<std::int64_t>(known_.size()) - 1;
  }
  const Known& at(std::int64_t number) {
    const std::lock_guard guard(mutex_);
    if (number < 0 || number >= static_cast<std::int64_t>(known_.size()))
      throw Error("a call from code compiled by another process");
    return known_[static_cast<std::size_t>(number)];
  }

 private:
  std::mutex mutex_;
  std::deque<Known> known_;
};

Calls& calls() {
  static Calls all;
  return all;
}

std::int64_t number_of(const xla::Attributes& attributes) {
  for (std::int64_t k = 0; k < attributes.count; ++k) {
    const std::string_view name(attributes.names[k]->text, attributes.names[k]->length);
    if (name != "call" || attributes.types[k] != xla::scalar_attribute) continue;
    const auto& scalar = *static_cast<const xla::Scalar*>(attributes.entries[k]);
    if (scalar.type == xla::int64_type) return *static_cast<const std::int64_t*>(scalar.value);
  }
  throw Error("a call from compiled code without an identifier");
}

Index numbers_in(const xla::Buffer& buffer) {
  Index n = 1;
  for (std::int64_t k = 0; k < buffer.rank; ++k) n *= buffer.sizes[k];
  return n;
}

/// A call in one precision: buffers lie state after state; an input of one state stands for all.
template <class T>
class Run {
 public:
  Run(const Plan<T>& plan, const Known& known, const xla::Call& call)
      : plan_(plan), name_(plan.algorithm().name), arrays_(plan.algorithm().arguments.size()) {
    take(call.inputs, known.inputs, true);
    take(call.outputs, known.outputs, false);
  }

  void evaluate(const xla::Call& call) {
    Batch<T> batch(states_, 0);
    if (plan_.device().kind == Device::cuda) {
      xla::StreamArguments stream = {sizeof(xla::StreamArguments), nullptr, call.context, nullptr};
      if (call.functions->get_stream(&stream)) throw Error(name_ + ": compiled code for a GPU has no stream");
      batch.stream = static_cast<Stream>(stream.stream);
      with_workspace_on<T>(batch.stream, [&](Workspace<T>& work) { tandem::evaluate(plan_, spanned(), batch, work); });
    } else {
      thread_local Workspace<T> work;
      tandem::evaluate(plan_, spanned(), batch, work);
    }
  }

 private:
  std::span<const Array<T>> spanned() const { return arrays_; }

  void take(const xla::Buffers& buffers, const std::vector<int>& of, bool inputs) {
    if (buffers.count != static_cast<std::int64_t>(of.size()))
      throw Error(name_ + ": compiled code gives " + std::to_string(buffers.count) + " arrays, expected " +
                  std::to_string(of.size()));
    std::vector<Index> states;
    for (std::size_t k = 0; k < of.size(); ++k) {
      const auto& buffer = *static_cast<const xla::Buffer*>(buffers.entries[k]);
      const Argument& argument = plan_.algorithm().arguments[static_cast<std::size_t>(of[k])];
      const Index rows = shape(argument.rows, plan_.model().template view<double>()).count(), n = numbers_in(buffer);
      if (buffer.type != (sizeof(T) == 8 ? xla::float64_type : xla::float32_type) || rows == 0 || n % rows != 0)
        throw Error(name_ + ": " + argument.name + " of compiled code has another precision or size");
      states.push_back(n / rows);
      if (inputs && (k == 0 || states_ == 1)) states_ = n / rows;
    }
    for (std::size_t k = 0; k < of.size(); ++k) {
      const auto& buffer = *static_cast<const xla::Buffer*>(buffers.entries[k]);
      const auto argument = static_cast<std::size_t>(of[k]);
      if (states[k] != states_ && !(inputs && states[k] == 1))
        throw Error(name_ + ": " + plan_.algorithm().arguments[argument].name + " of compiled code has " +
                    std::to_string(states[k]) + " states, expected " + std::to_string(states_));
      const Index rows =
          shape(plan_.algorithm().arguments[argument].rows, plan_.model().template view<double>()).count();
      const Place place = plan_.device().kind == Device::cuda ? Place::device : Place::host;
      arrays_[argument] = {static_cast<T*>(buffer.data), states[k] == 1 && states_ != 1 ? 0 : rows, 1, place};
    }
  }

  const Plan<T>& plan_;
  std::string name_;
  std::vector<Array<T>> arrays_;
  Index states_ = 1;
};

/// What XLA calls: also to ask for the version that this is written for.
xla::Error* answer(xla::Call* call) {
  for (xla::Extension* e = call->extensions; e; e = e->next) {
    if (e->type != xla::metadata_extension) continue;
    xla::Metadata& metadata = *reinterpret_cast<xla::MetadataExtension*>(e)->metadata;
    metadata.version.major = 0;
    metadata.version.minor = 1;
    metadata.traits = 0;
    return nullptr;
  }
  try {
    const Known& known = calls().at(number_of(call->attributes));
    std::visit([&]<class T>(const Plan<T>& plan) { Run<T>(plan, known, *call).evaluate(*call); }, known.plan);
    return nullptr;
  } catch (const std::exception& e) {
    xla::ErrorArguments said = {sizeof(xla::ErrorArguments), nullptr, e.what(), xla::invalid_argument};
    return call->functions->create_error(&said);
  }
}

nb::tuple sizes_of(const AnyPlan& plan, std::size_t argument) {
  const Shape expected = std::visit(
      [&](const auto& p) { return shape(p.algorithm().arguments[argument].rows, p.model().template view<double>()); },
      plan);
  nb::list sizes;
  for (int k = 0; k < expected.rank; ++k) sizes.append(expected.sizes[k]);
  return nb::tuple(sizes);
}

}  // namespace

void bind_xla_calls(nb::module_& m) {
  m.def(
      "xla_target", [] { return nb::capsule(reinterpret_cast<void*>(&answer)); },
      "The handler registered with jax.ffi for all calls from compiled code.");
  m.def(
      "xla_call",
      [](const AnyPlan& plan, std::vector<int> inputs, std::vector<int> outputs) {
        const auto shapes = [&](const std::vector<int>& of) {
          nb::list all;
          for (const int k : of) all.append(sizes_of(plan, static_cast<std::size_t>(k)));
          return all;
        };
        const nb::list in = shapes(inputs), out = shapes(outputs);
        return nb::make_tuple(calls().add({plan, std::move(inputs), std::move(outputs)}), in, out);
      },
      nb::arg("plan"), nb::arg("inputs"), nb::arg("outputs"),
      "Number by which compiled code calls a plan with buffers for these arguments, and the sizes of one "
      "state of\n"
      "each. Never released.");
}

}  // namespace tandem::python
