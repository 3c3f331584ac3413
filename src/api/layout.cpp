// SPDX-License-Identifier: Apache-2.0
/// Functions by name: from containers and matrices to the arrays that evaluate() takes, and back.
#include <algorithm>
#include <array>
#include <vector>

#include "check_call.hpp"
#include "overlap.hpp"
#include "plan.hpp"
#include "tandem/api/inverse_kinematics.hpp"
#include "tandem/api/layout.hpp"

namespace tandem {
namespace {

/// One argument as the table has it, and its numbers in a matrix: `rows` x `columns` for each state.
struct Expected {
  const Argument* argument;
  Shape shape;
  Index rows, columns;
  bool is_list;  ///< [n, m] in the table, a column for each of the n in a matrix

  Index count() const { return shape.count(); }
  /// Where number k of state b is in a matrix.
  Index place(Index k, Index b, Index row_step, Index column_step) const {
    const Index* n = shape.sizes;
    if (argument->rows == Rows::pose)  // [n][3][4], side by side
      return k % 12 / 4 * row_step + (b * columns + k / 12 * 4 + k % 4) * column_step;
    if (is_list) return k % n[1] * row_step + (b * columns + k / n[1]) * column_step;
    return k / columns * row_step + (b * columns + k % columns) * column_step;
  }
};

template <class T>
Expected expected(const Argument& argument, const ModelView<T>& m) {
  const Shape s = shape(argument.rows, m);
  switch (argument.rows) {
    case Rows::pose: return {&argument, s, 3, 4 * s.sizes[0], false};
    case Rows::link_force:
    case Rows::loop_force:
    case Rows::frame_motion:
    case Rows::link_point:
    case Rows::link_inertia: return {&argument, s, s.sizes[1], s.sizes[0], true};
    default: return {&argument, s, s.sizes[0], s.sizes[1], false};
  }
}

/// The arguments of one call.
template <class T>
class NamedCall {
 public:
  NamedCall(const Algorithm& algorithm, const Model& model, std::span<const Layout<T>> given, Index size)
      : algorithm_(algorithm), n_(given.size()) {
    for (std::size_t k = 0; k < n_; ++k) {
      expected_[k] = expected(algorithm.arguments[k], model.view<T>());
      layouts_[k] = given[k];
      // numbers of every state in a vector
      if (given[k].kind == Layout<T>::matrix && expected_[k].shape.rank == 0 && given[k].columns == 1) {
        std::swap(layouts_[k].rows, layouts_[k].columns);
        std::swap(layouts_[k].row_step, layouts_[k].column_step);
      }
      const bool empty =
          layouts_[k].kind == Layout<T>::numbers ? layouts_[k].rows == 0 : layouts_[k].rows * layouts_[k].columns == 0;
      if (empty && layouts_[k].kind != Layout<T>::strided && is_optional(argument(k))) layouts_[k] = {};
    }
    batch_ = size >= 0 ? size : batch_of_arguments();
    for (std::size_t k = 0; k < n_; ++k) check(k);
    refuse_shared_outputs();
  }

  Index batch() const { return batch_; }
  /// The arrays for evaluate(); those that do not lie as it takes them go through `memory`.
  std::span<const Array<T>> arrays(std::vector<T>& memory) {
    Index needed = 0;
    for (std::size_t k = 0; k < n_; ++k)
      if (!direct(k)) needed += expected_[k].count() * batch_;
    if (needed > static_cast<Index>(memory.size())) memory.resize(static_cast<std::size_t>(needed));
    T* free = memory.data();
    for (std::size_t k = 0; k < n_; ++k) {
      if (direct(k)) continue;
      const Index count = expected_[k].count();
      arrays_[k] = Array<T>::output(free, count);
      copied_[k] = true;
      free += count * batch_;
      if (is_input(argument(k))) for_each(k, [&](T& there, T& here) { here = there; });
    }
    return {arrays_.data(), n_};
  }
  /// Brings the results from there to where they belong.
  void finish() {
    for (std::size_t k = 0; k < n_; ++k)
      if (copied_[k] && !is_input(argument(k))) for_each(k, [&](T& there, T& here) { there = here; });
  }

 private:
  const Argument& argument(std::size_t k) const { return *expected_[k].argument; }

  /// How many states an argument has; -1 if it does not say.
  Index states(std::size_t k) const {
    const Layout<T>& x = layouts_[k];
    const Expected& e = expected_[k];
    if (e.count() == 0) return -1;
    if (x.kind == Layout<T>::numbers) return x.rows % e.count() == 0 ? x.rows / e.count() : wrong(k);
    if (x.kind == Layout<T>::matrix)
      return x.rows == e.rows && x.columns % e.columns == 0 ? x.columns / e.columns : wrong(k);
    return -1;
  }

  Index batch_of_arguments() const {
    bool any_strided = false;
    Index of_inputs = -1;
    for (std::size_t k = n_; k-- > 0;) {
      any_strided |= layouts_[k].kind == Layout<T>::strided;
      const Index n = states(k);
      if (n == 0 && layouts_[k].kind == Layout<T>::numbers) wrong(k);  // an empty container
      if (!is_input(argument(k)) && n >= 0) return n;
      of_inputs = std::max(of_inputs, n);
    }
    if (of_inputs < 0 && any_strided) refuse(algorithm_, "size is required: all arrays have stride 0");
    return std::max<Index>(of_inputs, 1);
  }

  [[noreturn]] Index wrong(std::size_t k) const {
    const Layout<T>& x = layouts_[k];
    const Expected& e = expected_[k];
    const char* name = argument(k).name;
    const std::string states = batch_ > 1 ? sentence(", of ", batch_, " states") : "";
    if (x.kind == Layout<T>::numbers)
      refuse(algorithm_, name, " has ", x.rows, " numbers, expected ", e.count(), " a state ([",
             comma_separated(std::span(e.shape.sizes).first(static_cast<std::size_t>(e.shape.rank)),
                             [](Index size) { return std::to_string(size); }),
             "])", states);
    const Index columns = e.columns * std::max<Index>(batch_, 1);
    const bool transposed = x.columns == e.rows && (x.rows == columns || batch_ < 1);
    refuse(algorithm_, name, " is ", x.rows, " x ", x.columns, ", expected ", e.rows, " x ", e.columns,
           e.shape.rank > 1 ? " per state, side by side" : ", one column per state", states,
           transposed ? "; give its transpose" : "");
  }

  void check(std::size_t k) {
    const Layout<T>& x = layouts_[k];
    if (x.kind == Layout<T>::none) return;
    if (x.kind == Layout<T>::strided) {
      arrays_[k] = {x.data, x.column_step, x.row_step, x.place};
      return;
    }
    const Index n = states(k);
    if (n >= 0 && n != batch_ && !(n == 1 && is_input(argument(k)))) wrong(k);
    const bool for_all = n == 1 && batch_ != 1;
    const Expected& e = expected_[k];
    if (x.kind == Layout<T>::numbers || n < 0) {
      arrays_[k] = Array<T>::output(x.data, for_all ? 0 : e.count());
      return;
    }
    // matrices whose numbers lie as an array's can
    const bool one = n == 1, pose = argument(k).rows == Rows::pose;
    const bool tight = x.row_step == e.columns * x.column_step && one;  // row after row
    Index step = 0;
    if (e.shape.rank <= 1)
      step = x.row_step;
    else if (e.is_list)
      step = x.column_step == e.rows * x.row_step || e.columns == 1 ? x.row_step : 0;
    else if (argument(k).rows == Rows::matrix && x.column_step == e.rows * x.row_step)
      step = x.row_step;  // symmetric: its transpose
    else if (tight && (!pose || e.columns == 4))
      step = x.column_step;
    if (step != 0) arrays_[k] = Array<T>::output(x.data, for_all ? 0 : e.columns * x.column_step, step);
    if (step != 0 && tight && !for_all) arrays_[k].stride = e.count();
    through_memory_[k] = step == 0;
  }
  bool direct(std::size_t k) const { return !through_memory_[k]; }

  template <class F>
  void for_each(std::size_t k, F&& f) {
    const Layout<T>& x = layouts_[k];
    const Expected& e = expected_[k];
    const Index of_it = states(k);
    for (Index b = 0; b < batch_; ++b)
      for (Index i = 0; i < e.count(); ++i)
        f(x.data[e.place(i, of_it == 1 ? 0 : b, x.row_step, x.column_step)], arrays_[k].data[b * e.count() + i]);
  }

  /// Where an argument's numbers lie, for comparison.
  Lattice lattice(std::size_t k) const {
    constexpr Index size = sizeof(T);
    const Layout<T>& x = layouts_[k];
    if (x.kind == Layout<T>::none || expected_[k].count() == 0) return {};
    if (x.kind == Layout<T>::numbers) return Lattice::of(std::span<T>(x.data, static_cast<std::size_t>(x.rows)));
    if (x.kind == Layout<T>::strided) return Lattice::of(arrays_[k], expected_[k].count(), batch_);
    return {reinterpret_cast<std::intptr_t>(x.data), size, x.column_step * size, x.columns, x.row_step * size, x.rows};
  }
  /// Of outputs that go through memory of their own, evaluate() does not see where they end.
  void refuse_shared_outputs() const {
    for (std::size_t k = 0; k < n_; ++k)
      for (std::size_t j = 0; j < k; ++j)
        if (!is_input(argument(k)) && !is_input(argument(j)) && overlap(lattice(k), lattice(j)))
          refuse(algorithm_, "the outputs ", argument(j).name, " and ", argument(k).name, " share memory");
  }

  const Algorithm& algorithm_;
  std::size_t n_;
  Index batch_ = -1;
  std::array<Expected, most_arguments> expected_{};
  std::array<Layout<T>, most_arguments> layouts_{};
  std::array<Array<T>, most_arguments> arrays_{};
  std::array<bool, most_arguments> through_memory_{}, copied_{};
};

template <class T>
Batch<T> batch_of(const BatchOptions<T>& how, Index size) {
  Batch<T> batch(size, how.threads, how.status, how.parameters);
  batch.iterations = how.iterations;
  batch.stream = how.stream;
  return batch;
}

/// The entry, whose arguments were given in its order.
const Algorithm& entry(int algorithm, std::size_t given) {
  const Algorithm& found = algorithms()[static_cast<std::size_t>(algorithm)];
  if (given != found.arguments.size() || given > most_arguments)
    throw Error(sentence(found.name, ": the headers and the library have different versions"));
  return found;
}

}  // namespace

template <class T>
void evaluate_layouts(int id, const Model& model, std::span<const Layout<T>> given, Workspace<T>& work,
                      const BatchOptions<T>& how, const Options& problem) {
  const Algorithm& algorithm = entry(id, given.size());
  Options options = how.options;
  const Options untold;
  const auto merge = [&](const char* name, auto member) {
    if (problem.*member == untold.*member || options.*member == problem.*member) return;
    if (options.*member != untold.*member) refuse(algorithm, name, " is given twice: it is an input, not an option");
    options.*member = problem.*member;
  };
  merge("frame", &Options::frame);
  merge("reference", &Options::reference);
  NamedCall<T> call(algorithm, model, given, how.size);
  evaluate<T>(algorithm, model, call.arrays(kept(work).results), batch_of(how, call.batch()), work, options,
              how.device);
  call.finish();
}

template <class T>
void evaluate_layouts(int id, const Plan<T>& plan, std::span<const Layout<T>> given, Workspace<T>& work,
                      const BatchOptions<T>& how) {
  const Algorithm& algorithm = entry(id, given.size());
  if (plan.algorithm().id != id) refuse(algorithm, "the plan is for ", plan.algorithm().name);
  if (how.options != Options{} || how.device != Device{})
    refuse(algorithm, "options and device are set by the plan and cannot be given here");
  NamedCall<T> call(algorithm, plan.model(), given, how.size);
  evaluate<T>(plan, call.arrays(kept(work).results), batch_of(how, call.batch()), work);
  call.finish();
}

template <class T>
void inverse_kinematics(const Model& model, const std::type_identity_t<InverseKinematicsIn<T>>& in,
                        const std::type_identity_t<InverseKinematicsOut<T>>& out, Workspace<T>& work,
                        const std::type_identity_t<BatchOptions<T>>& how, const PoseSearchOptions& options) {
  Algorithm search{};
  search.name = "inverse_kinematics";
  search.arguments = pose_search_arguments();
  if (how.options != Options{} || how.device != Device{})
    refuse(search, "options and device are not supported: the frame is an input");
  const Layout<T> given[] = {in.q0.layout(), in.target.layout(), in.weights.layout(), out.q.layout(),
                             out.error.layout()};
  NamedCall<T> call(search, model, given, how.size);
  const auto a = call.arrays(kept(work).results);
  inverse_kinematics<T>(model, in.frame, {a[0], a[1], a[2], a[3], a[4]}, batch_of(how, call.batch()), work, options);
  call.finish();
}

#define TANDEM_IN_PRECISION(T)                                                                                         \
  template void evaluate_layouts(int, const Model&, std::span<const Layout<T>>, Workspace<T>&, const BatchOptions<T>&, \
                                 const Options&);                                                                      \
  template void evaluate_layouts(int, const Plan<T>&, std::span<const Layout<T>>, Workspace<T>&,                       \
                                 const BatchOptions<T>&);                                                              \
  template void inverse_kinematics(const Model&, const InverseKinematicsIn<T>&, const InverseKinematicsOut<T>&,        \
                                   Workspace<T>&, const BatchOptions<T>&, const PoseSearchOptions&)
TANDEM_IN_PRECISION(double);
TANDEM_IN_PRECISION(float);

}  // namespace tandem
