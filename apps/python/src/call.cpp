// SPDX-License-Identifier: Apache-2.0
// Over 400 lines, as one object takes a call from its arguments to its results and warnings.
#include "call.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "array.hpp"
#include "parameters.hpp"
#include "tandem/api/automatic.hpp"

namespace tandem::python {
namespace {

using Arguments = std::array<ArrayArgument, most_arguments>;

/// f with the workspace of the calling thread. The scratch memory of a giant robot is given back after the call.
template <class T, class F>
void with_workspace(F&& f) {
  constexpr Index kept = Index{1} << 20;
  thread_local Workspace<T> work;
  f(work);
  if (work.size() > kept) work.release();
}

/// What inverse_kinematics is told besides its arrays.
struct Search {
  int frame;
  const PoseSearchOptions& options;
};

/// A call on its way: takes hold of the arguments, agrees on precision and batch, runs.
class Call {
 public:
  Call(const Algorithm& algorithm, const Model& model, nb::handle arguments, const BatchOptions& batch,
       const AnyPlan* plan = nullptr, const Search* search = nullptr)
      : algorithm_(algorithm), model_(model), plan_(plan), search_(search) {
    const auto n = algorithm.arguments.size();
    if (static_cast<std::size_t>(NB_TUPLE_GET_SIZE(arguments.ptr())) != n || n > most_arguments)
      throw Error(std::string(algorithm.name) + ": expected " + std::to_string(n) + " arguments");
    read_options(batch);
    for (std::size_t k = 0; k < n; ++k) take(k, NB_TUPLE_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)));
    choose_device();
    if (!gpu_.found()) find_kind(arguments);
    find_precision();
    find_batch();
    if (parameters_)
      for (auto& entry : parameters_->given()) {
        entry.values.settle(entry.shape, batch_, real_);
        check_sign(entry);
      }
    for (std::size_t k = 0; k < n; ++k) place(k);
    if (!status_given_.is_none())
      status_of_states_ = status_.settle<Status>(status_given_, algorithm.name, "status", batch_, gpu());
    if (!iterations_given_.is_none())
      steps_of_states_ = iterations_.settle<std::int32_t>(iterations_given_, algorithm.name, "iterations", batch_);
  }

  nb::object run(const Options& options = {}) {
    if (real_ == Real::float32)
      run_as<float>(options);
    else
      run_as<double>(options);
    if (suspect_ >= 0) tell_of_singular();
    if (stays_ >= 0) tell_of_not_converged();
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
    status_given_ = batch.status;
    if (PyTuple_Check(batch.status.ptr()) && NB_TUPLE_GET_SIZE(batch.status.ptr()) >= 2) {
      status_given_ = NB_TUPLE_GET_ITEM(batch.status.ptr(), 0);
      iterations_given_ = NB_TUPLE_GET_ITEM(batch.status.ptr(), 1);
      if (NB_TUPLE_GET_SIZE(batch.status.ptr()) == 3) guess_given_ = NB_TUPLE_GET_ITEM(batch.status.ptr(), 2);
    }
    if (!batch.threads.is_none() && !read_int(batch.threads, threads_))
      throw Error(label("threads") + " is " + nb::cast<std::string>(nb::repr(batch.threads)) +
                  ", expected a number, or 0 for all cores");
    if (!batch.parameters.is_none()) parameters_given_ = batch.parameters;
    if (plan_)
      device_ = std::visit([](const auto& p) { return p.device(); }, *plan_);
    else if (is_auto(batch.device))
      automatic_ = true;
    else
      device_ = device_from(algorithm_, batch.device);
    if (!parameters_given_.is_none())
      parameters_ = std::make_unique<ParameterArguments>(algorithm_, model_, parameters_given_, gpu());
  }

  static bool is_auto(nb::handle device) {
    return PyUnicode_Check(device.ptr()) && PyUnicode_CompareWithASCIIString(device.ptr(), "auto") == 0;
  }
  /// Arrays on a GPU are taken where the call is for one, or goes where its arrays are.
  GpuArrays* gpu() { return automatic_ || device_.kind == Device::cuda ? &gpu_ : nullptr; }
  void choose_device() {
    if (!gpu_.found()) return;
    if (plan_ && device_.ordinal != gpu_.ordinal())
      throw Error(label("the plan") + " is for GPU " + std::to_string(device_.ordinal) + ", but arrays are on GPU " +
                  std::to_string(gpu_.ordinal()));
    device_ = {Device::cuda, gpu_.ordinal()};
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
                     is_input(argument) ? ArrayArgument::Kind::input : ArrayArgument::Kind::output, gpu());
  }

  /// How to make results of the kind of the first input that is an array.
  void find_kind(nb::handle arguments) {
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k) {
      if (!given_[k].is_input() || given_[k].origin() == ArrayArgument::Origin::list) continue;
      if (given_[k].origin() == ArrayArgument::Origin::elsewhere)
        import_ = importer_like(NB_TUPLE_GET_ITEM(arguments.ptr(), static_cast<Py_ssize_t>(k)));
      return;
    }
  }

  void find_precision() {
    const ArrayArgument* first = nullptr;
    if (plan_) real_ = std::holds_alternative<Plan<float>>(*plan_) ? Real::float32 : Real::float64;
    const auto agree = [&](const ArrayArgument& a) {
      if (a.real() == Real::open || (a.is_input() && (plan_ || first))) return;  // an input is converted
      if (plan_ && a.real() != real_)
        throw Error(a.label() + " is " + name_of(a.real()) + ", but the plan is for " + name_of(real_) +
                    "; make a plan with dtype=");
      if (first && a.real() != first->real())
        throw Error(a.label() + " is " + name_of(a.real()) + ", but " + first->name() + " is " +
                    name_of(first->real()) + "; all arguments must have the same precision");
      if (!first) first = &a;
    };
    for (const ArrayArgument& a : arguments()) agree(a);
    if (parameters_)
      for (const auto& entry : parameters_->given()) agree(entry.values);
    if (first) real_ = first->real();
  }

  void find_batch() {
    const ArrayArgument* first = nullptr;
    Sizes batch_of_first;
    const auto agree = [&](const ArrayArgument& a, const Shape& expected) {
      const Sizes leading = a.leading(expected);
      if (leading.empty()) return;
      if (!batch_.broadcast(leading)) {
        const bool alone = std::ranges::equal(batch_of_first, batch_.all());
        throw Error(a.label() + " has a batch of " + batch_text(leading) + ", but " +
                    (alone ? first->name() + " has " : "earlier arguments have ") + batch_text(batch_.all()));
      }
      if (first) return;
      first = &a;
      batch_of_first = leading;
    };
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
      if (given_[k].is_input()) agree(given_[k], shapes_[k]);
    if (parameters_)
      for (const auto& entry : parameters_->given()) agree(entry.values, entry.shape);
  }

  void place(std::size_t k) {
    if (create_[k]) return given_[k].create(shapes_[k], batch_, real_, gpu());
    if (!given_[k].given()) return;
    given_[k].settle(shapes_[k], batch_, real_);
    if (given_[k].is_input()) return;
    for (std::size_t j = 0; j < k; ++j)
      if (given_[j].given() && !given_[j].is_input() && !create_[j] && given_[k].shares_memory(given_[j]))
        throw Error(given_[k].label() + " and " + given_[j].name() + " share memory; every output needs its own array");
    for (std::size_t j = 0; j < algorithm_.arguments.size(); ++j)
      if (given_[j].is_input()) given_[j].keep_apart(given_[k], shapes_[j], batch_);
    if (parameters_)
      for (auto& entry : parameters_->given()) entry.values.keep_apart(given_[k], entry.shape, batch_);
  }

  /// Throws Error for a mass or another number of the model that is negative; NaN is for the state's status to tell.
  void check_sign(const ParameterArguments::Entry& entry) const {
    if (entry.values.on_gpu()) return;  // which would have to be waited for
    switch (entry.parameter) {
      case Parameter::com:
      case Parameter::inertia:
      case Parameter::gravity: return;
      default: break;
    }
    if (real_ == Real::float32)
      check_sign(entry, entry.values.template array<float>());
    else
      check_sign(entry, entry.values.template array<double>());
  }

  template <class T>
  void check_sign(const ParameterArguments::Entry& entry, const Array<T>& values) const {
    const Index states = values.stride == 0 ? std::min<Index>(1, batch_.count()) : batch_.count();
    for (Index b = 0; b < states; ++b)
      for (Index row = 0; row < entry.shape.count(); ++row)
        if (const T x = values.data[b * values.stride + row * values.row_stride]; x < T(0))
          throw Error(entry.values.label() + " has " + nb::cast<std::string>(nb::repr(nb::float_(double{x}))) + " at " +
                      (values.stride == 0 ? "" : "state " + nb::cast<std::string>(nb::str(batch_.place_of(b))) + ", ") +
                      "row " + std::to_string(row) + ", expected 0 or more");
  }

  /// The first of a few states, all of them where robots differ, that went in finite and came out not: -1 if there is
  /// none.
  template <class T>
  Index find_suspect(std::span<const Array<T>> arrays, Index states) const {
    constexpr Index looked_at = 16;
    const Index step = parameters_ ? 1 : std::max<Index>(1, states / looked_at);
    const auto finite = [&](Index b, bool inputs) {
      T sum{};
      for (std::size_t k = 0; k < arrays.size(); ++k) {
        if (!given_[k].given() || given_[k].is_input() != inputs) continue;
        const T* x = arrays[k].data + b * arrays[k].stride;
        for (Index row = 0, rows = shapes_[k].count(); row < rows; ++row) {
          const T number = x[row * arrays[k].row_stride];
          sum += number - number;  // NaN of what is not finite
        }
      }
      return sum == T(0);
    };
    for (Index b = 0; b < states; b += step)
      if (!finite(b, false) && finite(b, true)) return b;
    return -1;
  }

  /// Numbers of one state as an array of NumPy.
  nb::object numbers_of(const ArrayArgument& argument, const Shape& expected, Index b) const {
    nb::list values, sizes;
    const auto append = [&](const auto& array) {
      for (Index row = 0; row < expected.count(); ++row)
        values.append(double{array.data[b * array.stride + row * array.row_stride]});
    };
    if (real_ == Real::float32)
      append(argument.template array<float>());
    else
      append(argument.template array<double>());
    for (int k = 0; k < expected.rank; ++k) sizes.append(expected.sizes[k]);
    return nb::module_::import_("numpy").attr("array")(values).attr("reshape")(sizes);
  }

  /// Warns, in Python, of a mass matrix without an inverse.
  void tell_of_singular() const {
    nb::dict varied;
    if (parameters_)
      for (const auto& entry : parameters_->given())
        varied[to_string(entry.parameter)] = numbers_of(entry.values, entry.shape, suspect_);
    const nb::object where = batch_.rank > 0 ? batch_.place_of(suspect_) : nb::none();
    nb::module_::import_("tandem._common.diagnose")
        .attr("warn")(algorithm_.name, model_, numbers_of(given_[0], shapes_[0], suspect_), where, name_of(real_),
                      varied);
  }

  /// Warns, in Python, of a step that did not come to its tolerance.
  void tell_of_not_converged() const {
    const nb::object where = batch_.rank > 0 ? batch_.place_of(stays_) : nb::none();
    nb::module_::import_("tandem._common.diagnose").attr("warn_of_step")(algorithm_.name, model_, where);
  }
  /// Whether it steps by an integrator that iterates.
  bool iterates(const Options& options) const {
    const Options& own =
        plan_ ? std::visit([](const auto& p) -> const Options& { return p.options(); }, *plan_) : options;
    return algorithm_.reads("integrator") && own.integrator == Integrator::implicit_midpoint;
  }

  template <class T>
  void run_as(const Options& options) {
    std::array<Array<T>, most_arguments> arrays;
    const auto n = algorithm_.arguments.size();
    for (std::size_t k = 0; k < n; ++k)
      if (given_[k].given()) arrays[k] = given_[k].template array<T>();
    std::array<BatchedParameter<T>, n_parameters> varied;
    std::size_t n_varied = 0;
    if (parameters_)
      for (const auto& [parameter, expected, values] : parameters_->given())
        varied[n_varied++] = {parameter, values.template array<T>()};
    const std::span<const Array<T>> arguments(arrays.data(), n);
    const Index states = batch_.count();
    if (automatic_ && !gpu_.found() && !search_ && threads_ == 0)
      device_ = tandem::choose_device<T>(algorithm_, model_, states, options);
    Batch<T> reported(states, threads_, status_of_states_, {varied.data(), n_varied});
    reported.iterations = steps_of_states_;
    if (!guess_given_.is_none())
      reported.guess = guess_.settle_rows<T>(guess_given_, algorithm_.name, "guess", batch_, {model_.n_links(), 6});
    std::vector<Status> looked_at;
    if (!gpu_.found() && status_of_states_.empty() && iterates(options)) {
      looked_at.resize(static_cast<std::size_t>(states));
      reported.status = looked_at;
    }
    if (status_.on_gpu()) reported.status_place = Place::device;
    reported.stream = gpu_.stream();
    std::optional<nb::gil_scoped_release> others_may_run;  // which takes longer than a few links do
    if (search_ || device_.kind != Device::cpu || states * model_.n_links() > 32) others_may_run.emplace();
    const auto evaluated = [&](Workspace<T>& work) {
      if (search_)
        inverse_kinematics<T>(model_, search_->frame, {arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]}, reported,
                              work, search_->options);
      else if (plan_)
        evaluate(std::get<Plan<T>>(*plan_), arguments, reported, work);
      else
        evaluate<T>(algorithm_, model_, arguments, reported, work, options, device_);
    };
    if (device_.kind == Device::cuda)
      with_workspace_on<T>(gpu_.stream(), evaluated);
    else
      with_workspace<T>(evaluated);
    if (gpu_.waits()) cuda::synchronise(gpu_.stream());
    if (!gpu_.found() && status_of_states_.empty() && algorithm_.inverts_mass_matrix)
      suspect_ = find_suspect<T>(arguments, states);
    const auto lost = std::find(looked_at.begin(), looked_at.end(), Status::not_converged);
    if (lost != looked_at.end()) stays_ = lost - looked_at.begin();
  }

  /// The outputs: one as it is, several as a tuple; new ones of the kind of the first input.
  nb::object result() const {
    std::array<nb::handle, most_arguments> outputs;  // kept alive by the arguments
    std::array<bool, most_arguments> made{};
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
    for (Py_ssize_t k = 0; k < n; ++k) NB_TUPLE_SET_ITEM(all.ptr(), k, output(k).release().ptr());
    return all;
  }

  std::span<ArrayArgument> arguments() { return std::span(given_).first(algorithm_.arguments.size()); }

  static const char* name_of(Real real) { return real == Real::float32 ? "float32" : "float64"; }

  const Algorithm& algorithm_;
  const Model& model_;
  const AnyPlan* plan_;
  const Search* search_;
  Arguments given_;
  std::array<Shape, most_arguments> shapes_;
  std::array<bool, most_arguments> create_{};
  std::unique_ptr<ParameterArguments> parameters_;
  nb::handle status_given_ = Py_None, iterations_given_ = Py_None, guess_given_ = Py_None, parameters_given_ = Py_None;
  ReportArgument status_, iterations_, guess_;
  std::span<Status> status_of_states_;
  std::span<std::int32_t> steps_of_states_;
  nb::object import_;
  Leading batch_;
  Index suspect_ = -1;  // a state that may be singular
  Index stays_ = -1;    // one whose step did not converge
  int threads_ = 0;
  Device device_;
  bool automatic_ = false;
  GpuArrays gpu_;
  Real real_ = Real::float64;
};

}  // namespace

Device device_from(const Algorithm& algorithm, nb::handle name) {
  static PyObject* const cpu = PyUnicode_InternFromString("cpu");
  if (name.ptr() == cpu) return {};
  const bool text = PyUnicode_Check(name.ptr());
  if (text && PyUnicode_CompareWithASCIIString(name.ptr(), "cpu") == 0) return {};
  if (text && PyUnicode_CompareWithASCIIString(name.ptr(), "cuda") == 0) return {Device::cuda};
  if (text && PyUnicode_CompareWithASCIIString(name.ptr(), "auto") == 0)
    throw Error(std::string(algorithm.name) + ": a plan needs device \"cpu\" or \"cuda\", not \"auto\"");
  throw Error(std::string(algorithm.name) + ": device is " + nb::cast<std::string>(nb::repr(name)) +
              ", expected \"cpu\", \"cuda\" or \"auto\"");
}

nb::object run_call(const Algorithm& algorithm, const Model& model, nb::handle arguments, const BatchOptions& batch,
                    const Options& options) {
  return Call(algorithm, model, arguments, batch).run(options);
}

nb::object run_search(const Model& model, nb::handle frame, nb::handle arguments, const BatchOptions& batch,
                      const PoseSearchOptions& options) {
  static const Algorithm as_a_row = {"inverse_kinematics", nullptr, "", pose_search_arguments(), 0, {}};
  const Search search = {frame_from(as_a_row, model, frame), options};
  return Call(as_a_row, model, arguments, batch, nullptr, &search).run();
}

nb::object run_call(const AnyPlan& plan, nb::handle arguments, const BatchOptions& batch) {
  return std::visit([&](const auto& p) { return Call(p.algorithm(), p.model(), arguments, batch, &plan).run(); }, plan);
}

}  // namespace tandem::python
