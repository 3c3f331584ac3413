// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <tuple>

#include "array.hpp"

namespace tandem::python {
namespace {

constexpr std::size_t max_arguments = 8;
using Arguments = std::array<ArrayArgument, max_arguments>;

/// Scratch memory of the calling thread. What a giant robot needs is given back after the call.
template <class T>
void evaluate_on_this_thread(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                             Index batch, const Options& options) {
  constexpr Index kept = Index{1} << 20;
  thread_local Workspace<T> work;
  evaluate<T>(algorithm, model, arguments, batch, work, options);
  if (work.size() > kept) work = {};
}

/// One call of an algorithm with Python objects for arguments, in the order of its table. Inputs: arrays, or
/// None where left out. Outputs: an array to write to, True for a new one, or None, which leaves out an
/// optional one.
class Call {
 public:
  Call(const Algorithm& algorithm, const Model& model, nb::handle arguments) : algorithm_(algorithm), model_(model) {
    const auto n = algorithm.arguments.size();
    if (static_cast<std::size_t>(PyTuple_GET_SIZE(arguments.ptr())) != n || n > max_arguments)
      throw Error(std::string(algorithm.name) + ": expected " + std::to_string(n) + " arguments");
    for (std::size_t k = 0; k < n; ++k) take(k, PyTuple_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)));
    find_precision();
    find_batch();
    for (std::size_t k = 0; k < n; ++k) place(k);
  }

  nb::object run(const Options& options) {
    if (real_ == Real::float32)
      run_as<float>(options);
    else
      run_as<double>(options);
    return result();
  }

 private:
  static bool is_input(const Argument& a) { return a.role == Role::input || a.role == Role::optional_input; }

  void take(std::size_t k, nb::handle object) {
    const Argument& argument = algorithm_.arguments[k];
    shapes_[k] = shape(argument.rows, model_.view<double>());
    if (object.is_none())
      create_[k] = argument.role == Role::output;
    else if (object.ptr() == Py_True && !is_input(argument))
      create_[k] = true;
    else
      given_[k].hold(object, algorithm_.name, argument.name, is_input(argument));
  }

  void find_precision() {
    const ArrayArgument* first = nullptr;
    for (const ArrayArgument& a : given_) {
      if (a.real() == Real::open) continue;
      if (first && a.real() != first->real())
        throw Error(a.label() + " is " + name_of(a.real()) + ", but " + first->name() + " is " +
                    name_of(first->real()) + "; give all arguments the same precision");
      if (!first) first = &a;
    }
    if (first) real_ = first->real();
  }

  void find_batch() {
    const ArrayArgument* first = nullptr;
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k) {
      if (!given_[k].is_input()) continue;
      const auto batch = given_[k].check_shape(shapes_[k]);
      if (batch && batch_ && *batch != *batch_)
        throw Error(given_[k].label() + " has a batch of " + std::to_string(*batch) + " states, but " + first->name() +
                    " has " + std::to_string(*batch_));
      if (batch && !batch_) {
        batch_ = batch;
        first = &given_[k];
      }
    }
  }

  void place(std::size_t k) {
    if (create_[k]) given_[k].create(shapes_[k], batch_, real_);
    if (!given_[k].given()) return;
    given_[k].settle(shapes_[k], batch_, real_);
    if (given_[k].is_input() || create_[k]) return;
    for (ArrayArgument& input : given_)
      if (input.is_input()) input.keep_apart(given_[k]);
  }

  template <class T>
  void run_as(const Options& options) {
    std::array<Array<T>, max_arguments> arrays;
    const auto n = algorithm_.arguments.size();
    for (std::size_t k = 0; k < n; ++k)
      if (given_[k].given()) arrays[k] = given_[k].template array<T>(shapes_[k]);
    const nb::gil_scoped_release others_may_run;
    evaluate_on_this_thread<T>(algorithm_, model_, std::span<const Array<T>>(arrays.data(), n), batch_.value_or(1),
                               options);
  }

  /// The outputs: one as it is, several as a tuple.
  nb::object result() const {
    std::array<nb::handle, max_arguments> outputs;
    Py_ssize_t n = 0;
    for (const ArrayArgument& a : given_)
      if (a.given() && !a.is_input()) outputs[static_cast<std::size_t>(n++)] = a.object();
    if (n == 1) return nb::borrow(outputs[0]);
    nb::object all = nb::steal(PyTuple_New(n));
    for (Py_ssize_t k = 0; k < n; ++k)
      PyTuple_SET_ITEM(all.ptr(), k, outputs[static_cast<std::size_t>(k)].inc_ref().ptr());
    return all;
  }

  static const char* name_of(Real real) { return real == Real::float32 ? "float32" : "float64"; }

  const Algorithm& algorithm_;
  const Model& model_;
  Arguments given_;
  std::array<Shape, max_arguments> shapes_;
  std::array<bool, max_arguments> create_{};
  std::optional<Index> batch_;
  Real real_ = Real::float64;
};

int frame_from(const Algorithm& algorithm, const Model& model, nb::handle frame) {
  if (PyUnicode_Check(frame.ptr())) return model.frame_index(nb::cast<std::string_view>(frame));
  int index = 0;
  if (!nb::try_cast<int>(frame, index))
    throw nb::type_error((std::string(algorithm.name) + ": frame must be a name or an index").c_str());
  return index;
}

nb::any evaluate_python(const Algorithm& algorithm, nb::any model,
                        nb::typed<nb::tuple, nb::any, nb::ellipsis> arguments, nb::any frame,
                        std::string_view reference, std::string_view method) {
  if (!nb::isinstance<Model>(model)) {
    const auto given = nb::cast<std::string>(model.type().attr("__name__"));
    throw nb::type_error((std::string(algorithm.name) + ": model must be a tandem.Model, not " + given).c_str());
  }
  const Model& m = *nb::inst_ptr<Model>(model);
  Options options;
  if (algorithm.reads_frame) options.frame = frame_from(algorithm, m, frame);
  if (algorithm.reads_reference) options.reference = reference_from(reference);
  if (algorithm.reads_method) options.method = method_from(method);
  return nb::borrow<nb::any>(Call(algorithm, m, arguments).run(options));
}

using ArgumentRow = std::tuple<std::string, std::string, std::string, std::string>;

std::vector<ArgumentRow> argument_rows(const Algorithm& algorithm) {
  static constexpr const char* roles[] = {"input", "optional_input", "output", "optional_output"};
  std::vector<ArgumentRow> rows;
  for (const Argument& a : algorithm.arguments)
    rows.emplace_back(a.name, roles[static_cast<int>(a.role)], a.units, a.meaning);
  return rows;
}

}  // namespace

void bind_algorithms(nb::module_& m) {
  nb::class_<Algorithm>(m, "Algorithm", "One row of the table of algorithms.")
      .def_prop_ro("name", [](const Algorithm& a) { return a.name; })
      .def_prop_ro("summary", [](const Algorithm& a) { return a.summary; })
      .def_prop_ro("arguments", argument_rows, "Name, role, units and meaning of each argument.");
  m.def(
      "algorithms",
      [] {
        std::vector<const Algorithm*> all;
        for (const Algorithm& a : tandem::algorithms()) all.push_back(&a);
        return all;
      },
      nb::rv_policy::reference, "All algorithms.");
  m.def("find_algorithm", &find_algorithm, nb::arg("name"), nb::rv_policy::reference, "An algorithm by its name.");
  m.def("evaluate", &evaluate_python, nb::arg("algorithm"), nb::arg("model").none(), nb::arg("arguments"),
        nb::arg("frame").none() = 0, nb::arg("reference") = "local", nb::arg("method") = "automatic",
        "Runs an algorithm on one state or a batch. `arguments` follow its table: arrays or None for inputs; "
        "for outputs "
        "an array to write to, True for a new one, or None, which leaves out an optional one.");
}

}  // namespace tandem::python
