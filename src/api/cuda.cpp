// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/cuda.hpp"

#include <algorithm>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/transpose.hpp"
#include "check_call.hpp"

namespace tandem::cuda {
namespace {

template <class T>
void check(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
           const Options& options) {
  if (const std::string why = why_unavailable(); !why.empty()) throw Error(why);
  check_call(algorithm, model, arguments, options);
}

/// An argument of a piece of the batch on its way: its rows begin after those of the arguments before it.
struct Passage {
  std::size_t argument;
  Index first_row, rows;
};

/// The arguments that are given and have rows, of inputs or of outputs, and the row that comes after them.
template <class T>
Index find_passages(const Algorithm& algorithm, const ModelView<T>& m, std::span<const Array<T>> arguments, bool inputs,
                    Index first_row, std::vector<Passage>& passages) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Index rows = shape(algorithm.arguments[k].rows, m).count();
    if (is_input(algorithm.arguments[k]) != inputs || !arguments[k].data || rows == 0) continue;
    passages.push_back({k, first_row, rows});
    first_row += rows;
  }
  return first_row;
}

}  // namespace

template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, Index batch,
              Workspace& work, const Options& options, Stream stream) {
  check(algorithm, model, arguments, options);
  run(algorithm, model, arguments.data(), batch, work, options, stream);
}

template <class T>
void evaluate_from_host(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                        Index batch, Workspace& work, const Options& options, Stream stream) {
  check(algorithm, model, arguments, options);
  std::vector<Passage> in, out;
  const Index in_rows = find_passages(algorithm, model.view<T>(), arguments, true, 0, in);
  const Index rows = find_passages(algorithm, model.view<T>(), arguments, false, in_rows, out);
  if (batch <= 0 || rows == in_rows) return;

  const auto bytes = [rows](Index states) { return static_cast<std::size_t>(rows * states) * sizeof(T); };
  const Index piece = std::clamp<Index>(static_cast<Index>(work.most_staging / bytes(1)), 1, batch);
  auto* const host = static_cast<T*>(work.staging.reserve(bytes(piece)));
  auto* const device = static_cast<T*>(work.arrays.reserve(bytes(piece)));
  std::vector<Array<T>> on_device(arguments.size());
  for (Index first = 0; first < batch; first += piece) {
    const Index states = std::min(piece, batch - first);
    for (const Passage& p : in) gather(arguments[p.argument], first, states, p.rows, host + p.first_row * states);
    for (const auto* passages : {&in, &out})
      for (const Passage& p : *passages) on_device[p.argument] = {device + p.first_row * states, 1, states};
    const Index n_in = in_rows * states, n_out = (rows - in_rows) * states;
    copy_to_device(device, host, static_cast<std::size_t>(n_in) * sizeof(T), stream);
    run(algorithm, model, on_device.data(), states, work, options, stream);
    copy_to_host(host + n_in, device + n_in, static_cast<std::size_t>(n_out) * sizeof(T), stream);
    synchronise(stream);
    for (const Passage& p : out) scatter(host + p.first_row * states, arguments[p.argument], first, states, p.rows);
  }
}

template void evaluate(const Algorithm&, const Model&, std::span<const Array<double>>, Index, Workspace&,
                       const Options&, Stream);
template void evaluate(const Algorithm&, const Model&, std::span<const Array<float>>, Index, Workspace&, const Options&,
                       Stream);
template void evaluate_from_host(const Algorithm&, const Model&, std::span<const Array<double>>, Index, Workspace&,
                                 const Options&, Stream);
template void evaluate_from_host(const Algorithm&, const Model&, std::span<const Array<float>>, Index, Workspace&,
                                 const Options&, Stream);

}  // namespace tandem::cuda
