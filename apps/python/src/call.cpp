// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

#include <array>
#include <memory>
#include <optional>

#include "array.hpp"
#include "parameters.hpp"

namespace tandem::python {
namespace {

constexpr std::size_t max_arguments = 8;
using Arguments = std::array<ArrayArgument, max_arguments>;

/// Scratch memory of the calling thread. What a giant robot needs is given back after the call.
template <class T>
void evaluate_on_processor(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                           const Batch<T>& batch, const Options& options) {
  constexpr Index kept = Index{1} << 20;
  thread_local Workspace<T> work;
  evaluate<T>(algorithm, model, arguments, batch, work, options);
  if (work.size() > kept) work = {};
}

template <class T>
void evaluate_on_gpu(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, Index batch,
                     const Options& options) {
  thread_local cuda::Workspace work;
  cuda::evaluate_from_host<T>(algorithm, model, arguments, batch, work, options);
}

/// A call on its way: takes hold of the arguments, agrees on precision and batch, runs.
class Call {
 public:
  Call(const Algorithm& algorithm, const Model& model, nb::handle arguments, const BatchOptions& batch)
      : algorithm_(algorithm), model_(model) {
    const auto n = algorithm.arguments.size();
    if (static_cast<std::size_t>(PyTuple_GET_SIZE(arguments.ptr())) != n || n > max_arguments)
      throw Error(std::string(algorithm.name) + ": expected " + std::to_string(n) + " arguments");
    read_options(batch);
    for (std::size_t k = 0; k < n; ++k) take(k, PyTuple_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)));
    find_kind(arguments);
    find_precision();
    find_batch();
    if (parameters_)
      for (auto& entry : parameters_->given()) entry.values.settle(entry.shape, batch_, real_);
    for (std::size_t k = 0; k < n; ++k) place(k);
    if (!batch.status.is_none()) status_of_states_ = status_.settle(batch.status, algorithm.name, batch_);
  }

  nb::object run(const Options& options) {
    if (real_ == Real::float32)
      run_as<float>(options);
    else
      run_as<double>(options);
    return result();
  }

 private:
  std::string label(const char* option) const { return std::string(algorithm_.name) + ": " + option; }

  /// Small numbers, which nearly all are, the short way.
  static bool read_int(nb::handle number, int& value) {
    if (!PyLong_CheckExact(number.ptr())) return nb::try_cast<int>(number, value);
    int overflow = 0;
    const long x = PyLong_AsLongAndOverflow(number.ptr(), &overflow);
    value = static_cast<int>(x);
    return overflow == 0 && value == x;
  }

  void read_options(const BatchOptions& batch) {
    if (!batch.threads.is_none() && !read_int(batch.threads, threads_))
      throw Error(label("threads") + " is " + nb::cast<std::string>(nb::repr(batch.threads)) +
                  ", expected a number, or 0 for all cores");
    if (!batch.parameters.is_none())
      parameters_ = std::make_unique<ParameterArguments>(algorithm_, model_, batch.parameters);
    static PyObject* const cpu = PyUnicode_InternFromString("cpu");
    if (batch.device.ptr() == cpu) return;
    const bool text = PyUnicode_Check(batch.device.ptr());
    if (text && PyUnicode_CompareWithASCIIString(batch.device.ptr(), "cpu") == 0) return;
    if (!text || PyUnicode_CompareWithASCIIString(batch.device.ptr(), "cuda") != 0)
      throw Error(label("device") + " is " + nb::cast<std::string>(nb::repr(batch.device)) +
                  ", expected \"cpu\" or \"cuda\"");
    on_gpu_ = true;
    const char* given = threads_ != 0                 ? "threads"
                        : !batch.status.is_none()     ? "status"
                        : !batch.parameters.is_none() ? "parameters"
                                                      : nullptr;
    if (given) throw Error(label(given) + " was given, which is for device=\"cpu\" alone");
  }

  void take(std::size_t k, nb::handle object) {
    const Argument& argument = algorithm_.arguments[k];
    shapes_[k] = shape(argument.rows, model_.view<double>());
    if (object.is_none())
      create_[k] = argument.role == Role::output;
    else if (object.ptr() == Py_True && !is_input(argument))
      create_[k] = true;
    else
      given_[k].hold(object, algorithm_.name, argument.name,
                     is_input(argument) ? ArrayArgument::Kind::input : ArrayArgument::Kind::output);
  }

  /// How to make results of the kind of the first input that is an array.
  void find_kind(nb::handle arguments) {
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k) {
      if (!given_[k].is_input() || given_[k].origin() == ArrayArgument::Origin::list) continue;
      if (given_[k].origin() == ArrayArgument::Origin::elsewhere)
        import_ = importer_like(PyTuple_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)));
      return;
    }
  }

  void find_precision() {
    const ArrayArgument* first = nullptr;
    const auto agree = [&](const ArrayArgument& a) {
      if (a.real() == Real::open) return;
      if (first && a.real() != first->real())
        throw Error(a.label() + " is " + name_of(a.real()) + ", but " + first->name() + " is " +
                    name_of(first->real()) + "; give all arguments the same precision");
      if (!first) first = &a;
    };
    for (const ArrayArgument& a : arguments()) agree(a);
    if (parameters_)
      for (const auto& entry : parameters_->given()) agree(entry.values);
    if (first) real_ = first->real();
  }

  void find_batch() {
    const ArrayArgument* first = nullptr;
    const auto agree = [&](const ArrayArgument& a, const Shape& expected) {
      const auto batch = a.check_shape(expected);
      if (batch && batch_ && *batch != *batch_)
        throw Error(a.label() + " has a batch of " + std::to_string(*batch) + " states, but " + first->name() +
                    " has " + std::to_string(*batch_));
      if (batch && !batch_) {
        batch_ = batch;
        first = &a;
      }
    };
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
      if (given_[k].is_input()) agree(given_[k], shapes_[k]);
    if (parameters_)
      for (const auto& entry : parameters_->given()) agree(entry.values, entry.shape);
  }

  void place(std::size_t k) {
    if (create_[k]) given_[k].create(shapes_[k], batch_, real_);
    if (!given_[k].given()) return;
    given_[k].settle(shapes_[k], batch_, real_);
    if (given_[k].is_input() || create_[k]) return;
    for (ArrayArgument& input : arguments())
      if (input.is_input()) input.keep_apart(given_[k]);
    if (parameters_)
      for (auto& entry : parameters_->given()) entry.values.keep_apart(given_[k]);
  }

  template <class T>
  void run_as(const Options& options) {
    std::array<Array<T>, max_arguments> arrays;
    const auto n = algorithm_.arguments.size();
    for (std::size_t k = 0; k < n; ++k)
      if (given_[k].given()) arrays[k] = given_[k].template array<T>(shapes_[k]);
    std::array<BatchedParameter<T>, n_parameters> varied;
    std::size_t n_varied = 0;
    if (parameters_)
      for (const auto& [parameter, expected, values] : parameters_->given())
        varied[n_varied++] = {parameter, values.template array<T>(expected)};
    const std::span<const Array<T>> arguments(arrays.data(), n);
    const Index states = batch_.value_or(1);
    std::optional<nb::gil_scoped_release> others_may_run;  // which takes longer than a few links do
    if (on_gpu_ || states * model_.n_links() > 32) others_may_run.emplace();
    if (on_gpu_)
      evaluate_on_gpu<T>(algorithm_, model_, arguments, states, options);
    else
      evaluate_on_processor<T>(algorithm_, model_, arguments,
                               {states, threads_, status_of_states_, {varied.data(), n_varied}}, options);
  }

  /// The outputs: one as it is, several as a tuple; new ones of the kind of the first input.
  nb::object result() const {
    std::array<nb::handle, max_arguments> outputs;  // kept alive by the arguments
    std::array<bool, max_arguments> made{};
    Py_ssize_t n = 0;
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k) {
      if (!given_[k].given() || given_[k].is_input()) continue;
      made[static_cast<std::size_t>(n)] = create_[k];
      outputs[static_cast<std::size_t>(n++)] = given_[k].object();
    }
    const auto output = [&](Py_ssize_t k) {
      const auto i = static_cast<std::size_t>(k);
      const bool as_it_is = !import_.is_valid() || import_.is_none() || !made[i];
      return as_it_is ? nb::borrow(outputs[i]) : import_(outputs[i]);
    };
    if (n == 1) return output(0);
    nb::object all = nb::steal(PyTuple_New(n));
    for (Py_ssize_t k = 0; k < n; ++k) PyTuple_SET_ITEM(all.ptr(), k, output(k).release().ptr());
    return all;
  }

  std::span<ArrayArgument> arguments() { return std::span(given_).first(algorithm_.arguments.size()); }

  static const char* name_of(Real real) { return real == Real::float32 ? "float32" : "float64"; }

  const Algorithm& algorithm_;
  const Model& model_;
  Arguments given_;
  std::array<Shape, max_arguments> shapes_;
  std::array<bool, max_arguments> create_{};
  std::unique_ptr<ParameterArguments> parameters_;
  StatusArgument status_;
  std::span<Status> status_of_states_;
  nb::object import_;
  std::optional<Index> batch_;
  int threads_ = 0;
  bool on_gpu_ = false;
  Real real_ = Real::float64;
};

}  // namespace

nb::object run_call(const Algorithm& algorithm, const Model& model, nb::handle arguments, const BatchOptions& batch,
                    const Options& options) {
  return Call(algorithm, model, arguments, batch).run(options);
}

}  // namespace tandem::python
