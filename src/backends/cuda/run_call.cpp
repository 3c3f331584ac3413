// SPDX-License-Identifier: Apache-2.0
/// Arrays of the host on their way to a GPU and back. Compiled in every build.
#include <algorithm>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/transpose.hpp"

namespace tandem::cuda {
namespace {

/// An argument of a piece of the batch on its way: its rows begin after those of the arguments before it.
struct Passage {
  std::size_t argument;
  Index first_row, rows;
};

/// The arguments that lie on the host and have rows, of inputs or of outputs, and the row that comes after them.
template <class T>
Index find_passages(const Algorithm& algorithm, const ModelView<T>& m, std::span<const Array<T>> arguments, bool inputs,
                    Index first_row, std::vector<Passage>& passages) {
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Index rows = shape(algorithm.arguments[k].rows, m).count();
    if (is_input(algorithm.arguments[k]) != inputs || !arguments[k].data || arguments[k].place == Place::device ||
        rows == 0)
      continue;
    passages.push_back({k, first_row, rows});
    first_row += rows;
  }
  return first_row;
}

}  // namespace

template <class T>
void run_call(const Prepared& prepared, const Algorithm& algorithm, const Model& model,
              std::span<const Array<T>> arguments, const Batch<T>& batch, Workspace& work) {
  if (batch.size == 0) return;
  const DeviceInUse here(prepared.device, work);
  std::vector<Passage> in, out;
  const Index in_rows = find_passages(algorithm, model.view<T>(), arguments, true, 0, in);
  const Index rows = find_passages(algorithm, model.view<T>(), arguments, false, in_rows, out);
  if (rows == 0) return start(prepared, model, arguments.data(), batch.size, work, batch.stream);

  const auto bytes = [](Index numbers) { return static_cast<std::size_t>(numbers) * sizeof(T); };
  const Index piece = std::clamp<Index>(static_cast<Index>(work.most_staging / bytes(rows)), 1, batch.size);
  auto* const host = static_cast<T*>(work.staging.reserve(bytes(rows * piece)));
  auto* const device = static_cast<T*>(work.arrays.reserve(bytes(rows * piece)));
  for (Index first = 0; first < batch.size; first += piece) {
    const Index states = std::min(piece, batch.size - first);
    std::vector<Array<T>> there(arguments.begin(), arguments.end());
    for (Array<T>& array : there)
      if (array.data) array.data += first * array.stride;
    for (const auto* passages : {&in, &out})
      for (const Passage& p : *passages) there[p.argument] = {device + p.first_row * states, 1, states, Place::device};
    for (const Passage& p : in) gather(arguments[p.argument], first, states, p.rows, host + p.first_row * states);
    const Index n_in = in_rows * states, n_out = (rows - in_rows) * states;
    copy_to_device(device, host, bytes(n_in), batch.stream);
    start(prepared, model, there.data(), states, work, batch.stream);
    copy_to_host(host + n_in, device + n_in, bytes(n_out), batch.stream);
    synchronise(batch.stream);
    for (const Passage& p : out) scatter(host + p.first_row * states, arguments[p.argument], first, states, p.rows);
  }
}

template void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<double>>,
                       const Batch<double>&, Workspace&);
template void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<float>>,
                       const Batch<float>&, Workspace&);

}  // namespace tandem::cuda
