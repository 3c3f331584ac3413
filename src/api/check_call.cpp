// SPDX-License-Identifier: Apache-2.0
#include "check_call.hpp"

#include <array>
#include <string_view>

#include "overlap.hpp"
#include "tandem/controller.hpp"

namespace tandem {
namespace {

[[noreturn]] __attribute__((noinline, cold)) void refuse_overlap(const Algorithm& algorithm, const char* output,
                                                                 const char* other) {
  if (output == other) refuse(algorithm, output, " has numbers that share memory with each other");
  refuse(algorithm, output, " and ", other, " share memory; every output needs its own array");
}

template <class T>
bool same_array(const Array<T>& a, const Array<T>& b) {
  return a.data == b.data && a.stride == b.stride && a.row_stride == b.row_stride;
}

/// An array of results that is no argument: it must lie apart from all others.
template <class N>
void check_report(const Algorithm& algorithm, const char* name, std::span<N> report, std::span<const Lattice> layouts) {
  const Lattice own = Lattice::of(report);
  for (std::size_t k = 0; k < layouts.size(); ++k)
    if (own.reaches_into(layouts[k]) && overlap(own, layouts[k]))
      refuse_overlap(algorithm, name, algorithm.arguments[k].name);
}

/// True of one state whose arrays lie apart from first to last number, as nearly all do: told by addresses alone.
template <class T>
bool lie_apart(const Algorithm& algorithm, const ModelView<T>& m, std::span<const Array<T>> arguments,
               const Batch<T>& batch) {
  if (batch.size != 1 || !batch.status.empty() || !batch.iterations.empty() || !batch.guess.empty()) return false;
  const T *begin[most_arguments], *end[most_arguments];
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (arguments[k].data && arguments[k].row_stride != 1) return false;
    begin[k] = end[k] = arguments[k].data;
    if (begin[k]) end[k] += shape(algorithm.arguments[k].rows, m).count();
  }
  for (std::size_t k = 0; k < arguments.size(); ++k)
    for (std::size_t i = 0; i < arguments.size() && !is_input(algorithm.arguments[k]); ++i)
      if (i != k && begin[k] < end[i] && begin[i] < end[k]) return false;
  return true;
}

/// Gains act on what is missing to a target, and increments on what is there.
template <class T>
void check_controller(const Algorithm& algorithm, std::span<const Array<T>> arguments) {
  const auto given = [&](std::string_view name) {
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (algorithm.arguments[k].name == name) return arguments[k].data != nullptr;
    return false;
  };
  for (const char* gain : {"kp", "kd", "dkp", "dkd", "dq_target"})
    if (given(gain) && !given(controller_inputs[0].name))
      refuse(algorithm, gain, " needs the argument ", controller_inputs[0].name);
  if (given("dimpedance") && !given("stops")) refuse(algorithm, "dimpedance needs the argument stops");
}

}  // namespace

template <class T>
void check_overlaps(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                    const Batch<T>& batch) {
  if (lie_apart(algorithm, model.view<T>(), arguments, batch)) return;
  std::array<Lattice, most_arguments> layouts;
  const std::size_t n = arguments.size();
  for (std::size_t k = 0; k < n; ++k)
    if (arguments[k].data)
      layouts[k] = Lattice::of(arguments[k], shape(algorithm.arguments[k].rows, model.view<T>()).count(), batch.size);
  for (std::size_t k = 0; k < n; ++k) {
    const Argument& output = algorithm.arguments[k];
    if (is_input(output) || layouts[k].begin == layouts[k].end) continue;
    if (layouts[k].overlaps_itself()) refuse_overlap(algorithm, output.name, output.name);
    for (std::size_t i = 0; i < n; ++i) {
      const Argument& other = algorithm.arguments[i];
      if (!layouts[k].reaches_into(layouts[i]) || i == k || (!is_input(other) && i > k)) continue;
      if (std::string_view(output.may_be) == other.name && same_array(arguments[k], arguments[i])) continue;
      if (overlap(layouts[k], layouts[i])) refuse_overlap(algorithm, output.name, other.name);
    }
  }
  if (batch.status.empty() && batch.iterations.empty() && batch.guess.empty()) return;
  const auto given = std::span<const Lattice>(layouts).first(n);
  check_report(algorithm, "status", batch.status, given);
  check_report(algorithm, "iterations", batch.iterations, given);
  check_report(algorithm, "guess", batch.guess, given);
  if (overlap(Lattice::of(batch.status), Lattice::of(batch.iterations)))
    refuse_overlap(algorithm, "status", "iterations");
}

/// Columns without rows need no memory.
template <class T>
void check_call(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments) {
  if (arguments.size() != algorithm.arguments.size())
    refuse(algorithm, arguments.size(), " arguments given, expected ", algorithm.arguments.size());
  const auto missing = [&](std::size_t k) {
    return !arguments[k].data && shape(algorithm.arguments[k].rows, model.view<T>()).count() > 0;
  };
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Argument& argument = algorithm.arguments[k];
    if (!is_optional(argument) && missing(k)) refuse(algorithm, "argument ", argument.name, " is missing");
    if (!arguments[k].data || !*argument.needs) continue;
    for (const char input : std::string_view(argument.needs))
      for (std::size_t i = 0; i < arguments.size(); ++i)
        if (algorithm.arguments[i].name == std::string_view(&input, 1) && missing(i))
          refuse(algorithm, argument.name, " needs the argument ", input);
  }
  if (algorithm.reads("integrator")) check_controller(algorithm, arguments);
}

template void check_overlaps(const Algorithm&, const Model&, std::span<const Array<double>>, const Batch<double>&);
template void check_overlaps(const Algorithm&, const Model&, std::span<const Array<float>>, const Batch<float>&);
template void check_call(const Algorithm&, const Model&, std::span<const Array<double>>);
template void check_call(const Algorithm&, const Model&, std::span<const Array<float>>);

}  // namespace tandem
